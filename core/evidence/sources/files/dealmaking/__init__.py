"""Files about money and rights: raises, filings, grants, awards and a user's own list of deals."""
