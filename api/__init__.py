"""What a program sees: `/v1`, the command line, sign-in."""
