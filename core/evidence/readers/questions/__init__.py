"""Questions in plain words: what is asked for, word by word."""
