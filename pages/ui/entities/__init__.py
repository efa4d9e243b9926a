"""Pages about drugs, companies and fields: read from the store, without a run."""
