"""Evidence: importers, identity of names, truth rules, retrieval and citations."""
