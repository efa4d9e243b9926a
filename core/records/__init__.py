"""Records that several floors share: wire forms, runs, tables, failures."""
