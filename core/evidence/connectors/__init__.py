"""Sources behind one port: what is held locally now, live ones beside it later."""
