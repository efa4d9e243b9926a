"""Patents as evidence: held records and live sources behind one pool, clinical compounds."""
