"""The wire contract: required fields, defaults, bounds, either text or file."""

import json

import pytest
from pydantic import ValidationError

from core.agents.differential_expression import AGENT
from tests.rows import over_rows

BASE = {
    "condition_column": "condition",
    "reference_group": "a",
    "comparison_group": "b",
    "counts_csv": "gene,s1\nA,1\n",
    "metadata_csv": "sample,condition\ns1,a\n",
}


def parse(**changes: object):
    fields = {key: value for key, value in {**BASE, **changes}.items() if value != "leave out"}
    return AGENT.request.model_validate_json(json.dumps(fields))


def test_defaults_and_bounds_are_those_of_the_specification():
    request = parse()
    assert (request.method, request.min_count) == ("all", 10)
    assert (request.fdr_cutoff, request.log2fc_cutoff, request.use_cache) == (0.05, 1.0, False)
    assert parse(min_count=30.0).min_count == 30
    schema = AGENT.request.model_json_schema()
    assert schema["properties"]["min_count"]["minimum"] == 0
    assert [len(pair["oneOf"]) for pair in schema["allOf"]] == [2, 2]
    assert AGENT.label(parse()) == "b vs a (three methods)"
    assert "batch" in AGENT.label(parse(covariates=["batch"]))


@over_rows("field", ["condition_column", "reference_group", "comparison_group"])
def test_required_fields_are_required(field):
    with pytest.raises(ValidationError, match=field):
        parse(**{field: "leave out"})


@over_rows(
    ("changes", "code"),
    [
        ({"counts_csv": "leave out"}, "missing_field"),
        ({"metadata_csv": None}, "missing_field"),
        ({"count_file_id": "f"}, "conflicting_fields"),
        ({"metadata_file_id": "f"}, "conflicting_fields"),
    ],
)
def test_each_table_comes_exactly_one_way(changes, code):
    with pytest.raises(ValidationError) as caught:
        parse(**changes)
    (error,) = caught.value.errors()
    assert error["type"] == code
    assert "_csv and " in error["msg"]


@over_rows(
    "changes",
    [
        {"method": "deseq"},
        {"min_count": -1},
        {"min_count": 7.5},
        {"min_count": "7"},
        {"min_count": True},
        {"fdr_cutoff": 0},
        {"fdr_cutoff": 1.5},
        {"log2fc_cutoff": -0.1},
        {"covariates": "batch"},
        {"covariates": [""]},
        {"covariate": ["batch"]},
        {"condition_column": ""},
    ],
)
def test_values_out_of_bounds_are_refused(changes):
    with pytest.raises(ValidationError):
        parse(**changes)
