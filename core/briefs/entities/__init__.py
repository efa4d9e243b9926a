"""Drugs, companies and fields as pages: what the store holds of each, read without a run."""
