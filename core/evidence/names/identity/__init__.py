"""Names of drugs, targets, diseases and companies: how a pack is built and how names resolve."""
