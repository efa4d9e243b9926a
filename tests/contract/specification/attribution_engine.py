"""The tables of attribution-engine in the specification."""

from tests.contract.tables import Row

REQUEST = (
    Row("returns", "array of objects", required=True),
    Row("events", "array of objects", required=True),
    Row("benchmark", "string", default="XBI"),
    Row("unexplained_window", "integer", default=5),
    Row("config", "object"),
)

DATA = {
    "attributions[].move_date": "string",
    "attributions[].state": "string",
    "attributions[].car": "number",
    "attributions[].scar": "number",
    "attributions[].residual": "number",
    "attributions[].leakage_flag": "boolean",
    "attributions[].note": "string",
    "benchmark": "string",
    "config.min_abs_move": "number",
    "config.sig_z": "number",
    "method": "string",
    "unexplained": "array of objects",
}

ECHOED = ("source", "other")
"""Fields of an event that the specification leaves open; they stand again beside its moves."""
