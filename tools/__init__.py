"""Tools for the people who maintain the product; nothing of it runs in an instance."""
