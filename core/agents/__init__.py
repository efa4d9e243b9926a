"""One folder an agent; none imports another."""
