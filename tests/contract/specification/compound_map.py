"""The tables of compound-map in the specification."""

from tests.contract.tables import Row

REQUEST = (
    Row("target", "string", required=True),
    Row("max_patents", "integer", default=20),
    Row("candidate_pool", "integer", default=200),
    Row("max_panels_per_patent", "integer", default=6),
    Row("max_crops_per_patent", "integer", default=12),
    Row("seed", "string"),
    Row("include_full_clinical_landscape", "boolean", default=True),
)

DATA = {
    "target": "string",
    "aliases": "array of strings",
    "assignees[].assignee": "string",
    "assignees[].patent_count": "integer",
    "similarity.pairs[].tanimoto": "number",
    "n_selected": "integer",
    "n_compound_crops": "integer",
    "n_smiles_raw": "integer",
    "n_similarity_pairs": "integer",
    "elapsed_s": "number",
}
