"""A company's drugs: which company is meant, how it came by each drug, what comes next."""
