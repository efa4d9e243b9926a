"""Chemistry: structures in, structures out. Imports nothing of ours but the errors."""
