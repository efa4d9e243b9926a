"""Trials, label uses and pivotal trials of diseases, from entries to typed rows."""
