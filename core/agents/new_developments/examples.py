"""Requests that run as they stand."""

from core.agent import Example

EXAMPLES = (
    Example(
        name="bispecifics",
        title="Bispecific antibodies in oncology, a year",
        request={"query": "bispecific antibodies in oncology", "lookback_days": 365},
    ),
    Example(
        name="lung",
        title="Non-small cell lung cancer, a year",
        request={"indication": "non-small cell lung cancer", "lookback_days": 365},
    ),
    Example(
        name="approved",
        title="Everything approved, a year",
        request={"stage_focus": "approved", "lookback_days": 365},
    ),
)
