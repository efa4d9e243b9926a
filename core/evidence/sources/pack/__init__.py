"""The starter pack as a source: its tables as records."""
