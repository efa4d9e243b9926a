"""Watched questions held against events: what fires, why, and how often it would have fired."""
