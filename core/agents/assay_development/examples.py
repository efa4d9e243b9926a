"""Requests that run as they stand."""

from core.agent import Example

EXAMPLES = (
    Example(
        name="bcma-car-t",
        title="BCMA CAR-T: potency package for an IND",
        request={
            "modality": "CAR-T",
            "indication": "multiple myeloma",
            "target": "BCMA",
            "assay_goal": "potency",
            "development_stage": "IND_enabling",
        },
    ),
    Example(
        name="trop2-adc",
        title="TROP2 ADC: exposure and antidrug antibodies in phase 1",
        request={
            "modality": "ADC",
            "indication": "triple-negative breast cancer",
            "target": "TROP2",
            "assay_goal": "translational_biomarkers",
            "development_stage": "phase1",
        },
    ),
)
