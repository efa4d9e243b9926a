"""Bytes or an address in, parsed records out; the pack is a source like any other."""
