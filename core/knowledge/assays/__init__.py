"""What assays a product needs, by which documents, with which limits, controls and materials."""
