"""What an analyst sees: one script a page, drawn by Streamlit from `shell.py`."""
