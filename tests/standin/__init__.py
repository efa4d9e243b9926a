"""A language model for tests: a server on this machine that speaks both endpoints, and liars."""
