"""Proposes and checks rows of the starter pack; nothing at run time imports it."""
