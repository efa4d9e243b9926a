"""From records to drugs: what they act on, whose they are, how far they are, what they showed."""
