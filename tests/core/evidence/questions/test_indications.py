"""No drug is silently absent: what is cut gives way by activity, and everything is counted."""

import pytest

from core.agents.competitive_landscaping.gathering import find_drugs, understand
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.evidence.assets import record_search
from core.evidence.names.identity.resolver import Resolver
from core.ports import Stores
from core.workbench import RunContext
from tests.benchmarks.indications import context_of, draw, follow

pytestmark = pytest.mark.xdist_group("reference")


@pytest.fixture(scope="module")
def context(starter: Stores) -> RunContext:
    return context_of(starter, Resolver(starter.identity, starter.learned_names))


def test_every_row_of_an_indication_comes_back_or_is_counted_with_its_reason(context) -> None:
    fates = list(follow([*draw(2, 6), "atrial fibrillation"], context))
    assert sum(len(one.listed) for one in fates) > 20
    assert [one.absent for one in fates if one.absent] == []


def test_what_is_over_gives_way_where_there_are_too_many_drugs(context, monkeypatch) -> None:
    request = CompetitiveLandscapingRequest(query="asthma pipeline", query_type="clinical")
    asked = understand(request, context)
    whole = find_drugs(asked, request, context)
    live = {one.asset.key for one in whole.drugs if one.programs[0].state == "live"}
    monkeypatch.setattr(record_search, "MOST_DRUGS", len(live))
    cut = find_drugs(asked, request, context)
    kept = {one.asset.key for one in cut.drugs}
    assert len(kept & live) >= 0.8 * len(live)
    left = {one.key for one in cut.excluded if one.reason == record_search.TOO_MANY}
    assert {one.asset.key for one in whole.drugs} <= kept | left
