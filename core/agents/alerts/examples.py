"""Requests that run as they stand."""

from core.agent import Example

EXAMPLES = (
    Example(name="list", title="List my alerts", request={"action": "list"}),
    Example(
        name="add",
        title="Watch pembrolizumab",
        request={"action": "add_manual", "drug_name": "pembrolizumab", "signal_level": "high"},
    ),
)
