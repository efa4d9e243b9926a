"""Requests that run as they stand."""

from core.agent import Example

EXAMPLES = (
    Example(
        name="trop2",
        title="A TROP2 conjugate in second-line lung cancer, FDA",
        request={
            "asset_name": "ABC-101",
            "indication": "non-small cell lung cancer",
            "modality": "antibody-drug conjugate",
            "mechanism_of_action": "TROP2-directed antibody-drug conjugate",
            "target": "TROP2",
            "development_stage": "Phase 2",
            "geography": "FDA",
            "line_of_therapy": "second line",
            "preliminary_efficacy_data": {
                "measure": "objective response rate",
                "value": 0.33,
                "n": 60,
                "control_value": 0.14,
            },
            "safety_profile": {
                "events": [{"term": "stomatitis", "rate": 0.5, "grade3_rate": 0.08}],
                "n": 60,
            },
        },
    ),
    Example(
        name="obesity",
        title="An oral GLP-1 agonist in obesity, EMA",
        request={
            "asset_name": "XYZ-202",
            "indication": "obesity",
            "modality": "small molecule",
            "mechanism_of_action": "GLP-1 receptor agonist",
            "target": "GLP1R",
            "development_stage": "Phase 2",
            "geography": "EMA",
            "route_of_administration": "oral",
            "dosing_schedule": "once daily",
        },
    ),
)
