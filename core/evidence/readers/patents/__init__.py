"""What the text of patents says: sections, names of compounds, numbers."""
