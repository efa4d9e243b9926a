"""A strategy for a drug's next trial: design, endpoint, comparator, size, pathway, precedents."""

from core.agent import Agent, Compared
from core.agents.clinical_trial_design.examples import EXAMPLES
from core.agents.clinical_trial_design.schema import (
    ClinicalTrialDesignData,
    ClinicalTrialDesignRequest,
)


def _label(request: ClinicalTrialDesignRequest) -> str:
    """Name a request by its drug, disease and regulator."""
    label = f"{request.asset_name} in {request.indication} ({request.geography})"
    return "".join(sign for sign in " ".join(label.split()) if sign.isprintable())[:200]


AGENT = Agent(
    compared=Compared("precedents", "nct_id", ("phase", "n", "endpoint_class", "status")),
    name="clinical-trial-design",
    title="Trial design",
    summary="Design a drug's next trial: endpoint, comparator, sample size and regulatory "
    "pathway, each with its precedents.",
    icon="experiment",
    group="Strategy",
    request=ClinicalTrialDesignRequest,
    data=ClinicalTrialDesignData,
    pipeline="core.agents.clinical_trial_design.pipeline",
    report="core.agents.clinical_trial_design.report",
    label=_label,
    steps=("Read the setting", "Find precedents", "Gather evidence", "Write strategy"),
    examples=EXAMPLES,
    lane="computing",
    reads_evidence=True,
)
