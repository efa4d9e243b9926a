"""Evidence: importers, identity of names, truth rules, aliases and citations."""
