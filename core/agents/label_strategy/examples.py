"""Requests that run as they stand."""

from core.agent import Example

EXAMPLES = (
    Example(
        name="jak1",
        title="An oral JAK1 inhibitor in atopic dermatitis",
        request={
            "asset_name": "ivarmacitinib",
            "indication": "moderate-to-severe atopic dermatitis",
            "modality": "small molecule",
            "mechanism_of_action": "JAK1 inhibitor",
            "target": "JAK1",
            "development_stage": "phase 3",
            "geography": "FDA",
            "endpoints": ["EASI-75 at week 16"],
            "comparator": "placebo",
            "safety_data": {
                "events": [{"term": "herpes zoster infection", "rate": 0.03}],
                "n": 600,
            },
        },
    ),
    Example(
        name="trop2",
        title="A TROP2 conjugate in EGFR-mutated lung cancer",
        request={
            "asset_name": "sacituzumab tirumotecan",
            "indication": "EGFR-mutated non-small cell lung cancer, previously treated",
            "modality": "antibody-drug conjugate",
            "mechanism_of_action": "TROP2-directed antibody with a topoisomerase I inhibitor",
            "target": "TROP2",
            "development_stage": "phase 3",
            "geography": "FDA",
            "endpoints": ["progression-free survival", "overall survival"],
        },
    ),
    Example(
        name="adjuvant",
        title="A PD-1 antibody in adjuvant melanoma, EMA",
        request={
            "asset_name": "a PD-1 antibody",
            "indication": "adjuvant treatment of resected melanoma",
            "modality": "monoclonal antibody",
            "mechanism_of_action": "PD-1 blocking antibody",
            "target": "PD-1",
            "development_stage": "phase 3",
            "geography": "EMA",
            "endpoints": ["recurrence-free survival"],
        },
    ),
)
