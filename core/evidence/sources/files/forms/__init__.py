"""Forms of imported files that are no tables: archives of documents, JSON and XML."""
