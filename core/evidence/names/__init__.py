"""Given a spelling, which thing is it? One reader of names for questions, records and uploads."""
