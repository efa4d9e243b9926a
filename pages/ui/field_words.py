"""What forms call the fields of requests, where a field's own name is no word of its readers."""

LABELS = {
    "query": "Question",
    "query_type": "Focus",
    "candidate_asset_description": "Asset under diligence",
    "include_aact": "Registers of trials",
    "include_chinese": "Chinese registers and company names",
    "include_chictr": "ChiCTR and WHO ICTRP",
    "include_neuralsearch": "Neural web search",
    "include_opensearch": "Open web search",
    "include_llm_web_search": "Web search of the language model",
    "include_conferences": "Conference abstracts",
    "include_patents": "Patents",
    "without": "Leave out",
    "region": "Approved or under review by",
    "paired_column": "Subjects, compared within",
    "interaction": "Interacts with the condition",
    "duplicate_correlation": "Subjects, correlated (limma-voom)",
    "cell_sample_column": "Column that names the sample",
    "cell_group_column": "Choose cells by column",
    "cell_group": "Cells with the value",
    "surrogate_variables": "Surrogate variables",
    "sample_weights": "Noisy samples count less (limma-voom)",
    "use_cache": "A stored answer will do",
    "skip_drug_cache": "Read every drug anew",
    "company_aliases": "Further names of the company",
    "drugdb_limit": "Most drugs to list",
    "include_old": "Old products and given-up programs, too",
    "max_searches": "Most web searches",
    "max_patents": "Most documents",
    "candidate_pool": "Documents to choose from",
    "max_panels_per_patent": "Most pages of a document",
    "max_crops_per_patent": "Most drawings of a document",
    "include_full_clinical_landscape": "Every clinical compound of the target",
    "match_mode": "Own compounds match",
    "without:stopped": "nothing under way or sold",
    "without:off_patent": "protection ended",
    "without:many_targets": "three targets or more",
    "query_type:preclinical": "early assets",
    "query_type:clinical": "drugs with active trials",
    "query_type:both": "both",
}
"""Labels by field, and words for a choice by field and value."""


def words_of(name: str, value: object) -> str:
    """Return what a form calls a choice of a field.

    >>> words_of("query_type", "both"), words_of("method", "edgeR")
    ('both', 'edgeR')
    """
    return LABELS.get(f"{name}:{value}", str(value))
