"""What agents say on a new instance: the words that the starter pack holds are those they read."""

import random
from datetime import UTC, datetime
from typing import Any

import pytest

from core.agents.competitive_landscaping.pipeline import run
from core.agents.competitive_landscaping.schema import (
    CompetitiveLandscapingData,
    CompetitiveLandscapingRequest,
)
from core.evidence.assets.gather import gather_assets
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.pack.reading import load_rows
from core.ports import Stores
from core.records.asset_queries import AssetQuery
from core.records.evidence_pack import FactQuery
from core.records.runs import Caller
from core.settings import Settings
from core.vocabulary.endpoints import classify_endpoint, load_measures
from core.vocabulary.lines import Line, asked_by
from core.workbench import RunContext

NOW = datetime(2026, 11, 23, tzinfo=UTC)
pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("reference")]


def survey(starter: Stores, query: str, **fields: Any) -> CompetitiveLandscapingData:
    """Return the landscape of a query on the starter pack."""
    context = RunContext(
        run_uuid="00000000-0000-0000-0000-000000000001",
        query_id=7,
        caller=Caller(user_id=1, name="analyst"),
        now=NOW,
        seed=1,
        settings=Settings(),
        files=None,
        progress=lambda step, done, total, note: None,
        save_file=lambda name, content, media_type: None,
        evidence=starter.evidence,
        resolver=Resolver(starter.identity, starter.learned_names),
    )
    return run(CompetitiveLandscapingRequest(query=query, **fields), context)


def test_commonest_endpoint_of_the_trials_is_shown(starter: Stores) -> None:
    data = survey(starter, "HER2 in breast cancer", query_type="clinical")
    shown = data.indication_specific_results.clinical_endpoints
    primary = {one.endpoint: one.n_trials for one in shown if one.role == "primary"}
    assert primary["response rate"] == max(primary.values())


def test_every_endpoint_word_of_the_pack_is_a_class_of_the_landscape() -> None:
    known = {one.name for one in load_measures()}
    held = {word for row in load_rows("trials") for word in row["endpoints"].split("|")}
    assert all(classify_endpoint(word) for word in held & known)


def test_every_line_of_the_pack_is_one_that_questions_ask_for(starter: Stores) -> None:
    ids = [f"{row['source_id']}" for row in load_rows("labels") if row["line"]]
    said = starter.evidence.facts(FactQuery(record_ids=ids, predicates=("indicated_for",)))
    assert {row["line"] for row in load_rows("labels")} <= {"", *Line}
    assert {asked_by(one.fact.qualifiers.line) for one in said} >= {"1L", "2L", "3L"}
    assert all(asked_by(one.fact.qualifiers.line) for one in said)


def test_every_use_that_a_label_of_the_pack_states_is_a_program(starter: Stores) -> None:
    resolver = Resolver(starter.identity, starter.learned_names)
    rows = [row for row in load_rows("labels") if row["indications"] and row["applications"]]
    for row in random.Random(20_261_123).sample(rows, 25):
        drug = resolver.resolve_many("drug", [row["drug"]])[row["drug"]]
        query = AssetQuery(drug_keys=(drug.key,), figures=False)
        assets = gather_assets(query, starter.evidence, resolver, NOW.date()).assets
        held = {program.indication for one in assets for program in one.programs}
        stated = resolver.resolve_many("disease", row["indications"].split("|"))
        assert {one.label or said for said, one in stated.items()} <= held, row["drug"]
