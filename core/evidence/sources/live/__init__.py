"""Sources that are asked by address, and the client that asks them."""
