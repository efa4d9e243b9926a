"""No drug is silently absent: what is cut or left out by a condition is told with its reason."""

from collections.abc import Sequence

import pytest

from core.agents.competitive_landscaping.gathering import find_drugs, understand
from core.agents.competitive_landscaping.ranking import Ranked, rank
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.evidence.assets import record_search
from core.workbench import RunContext
from tests.benchmarks.indications import draw, follow

pytestmark = pytest.mark.xdist_group("starter")


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


@pytest.mark.parametrize(
    ("query", "without", "fits", "left_out", "stays"),
    [
        (
            "oral GLP-1",
            "GLP-1",
            {"semaglutide", "orforglipron", "danuglipron"},
            {"liraglutide", "dulaglutide", "maridebart cafraglutide"},
            set(),
        ),
        (
            "HER2-low breast cancer",
            "breast cancer",
            {"BL-M07D1"},
            {"ELVN-002", "HLX87"},
            {"trastuzumab deruxtecan"},
        ),
        (
            "Chinese PD-1 antibodies",
            "PD-1 antibodies",
            {"tislelizumab", "toripalimab", "penpulimab"},
            {"pembrolizumab", "cemiplimab", "dostarlimab"},
            set(),
        ),
        (
            "PCSK9 inhibitors, not injectable",
            "PCSK9 inhibitors",
            {"enlicitide"},
            {"evolocumab", "inclisiran"},
            set(),
        ),
    ],
)
def test_a_condition_leaves_out_what_facts_speak_against_and_marks_what_none_tells(
    context, query, without, fits, left_out, stays
) -> None:
    whole, _, _ = answer(without, context)
    rows, reasons, notices = answer(query, context)
    known = {one.name for one in rows if not one.not_known}
    assert fits <= known
    assert left_out <= reasons.keys()
    assert stays <= {one.name for one in rows}
    assert {one.name for one in whole} == {one.name for one in rows} | reasons.keys()
    assert [bool(one.not_known) for one in rows] == sorted(bool(one.not_known) for one in rows)
    assert all(one.startswith("filtered: ") for one in notices)
    assert notices


def answer(query: str, context: RunContext) -> tuple[list[Ranked], dict[str, str], Sequence[str]]:
    """Return rows by rank, reasons of what a condition left out, and what was said of it."""
    request = CompetitiveLandscapingRequest(query=query, query_type="clinical")
    fitted = find_drugs(asked := understand(request, context), request, context).fitted
    rows = rank(fitted, asked.scope, "clinical", context.now.date())
    return rows, {one.name: one.reason for one in fitted.excluded}, fitted.notices


def test_a_condition_of_which_no_record_tells_leaves_out_nothing_and_says_so(context) -> None:
    rows, reasons, (notice,) = answer("pediatric atopic dermatitis", context)
    assert notice.startswith("not_filtered: children (patients)")
    assert (reasons, {one.not_known for one in rows}) == ({}, {()})
