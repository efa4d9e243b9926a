"""Uploaded files on their way to typed columns."""
