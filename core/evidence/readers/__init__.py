"""Text in, typed reading out; no store, no agent."""
