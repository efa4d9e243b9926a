"""Requests that run as they stand."""

from core.agent import Example

EXAMPLES = (
    Example(
        name="chinese-adcs",
        title="Chinese ADCs without a Western partner",
        request={"thesis": "Chinese ADCs without a Western partner"},
    ),
    Example(
        name="shelved-antivirals",
        title="Shelved antivirals",
        request={"thesis": "shelved antivirals"},
    ),
    Example(
        name="private-car-t",
        title="Private CAR-T companies in the United States and Europe",
        request={"thesis": "private CAR-T companies in the United States and Europe"},
    ),
)
