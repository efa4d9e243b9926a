"""Statistics: arrays in, arrays out. Imports nothing of ours but the errors."""
