"""What changed at a source since the last sync: kept in its mirror, then read into the pack."""
