"""Questions with qualifiers, drawn by rule: read by landscapes, deals and scans alike."""

import pytest

from core.agents.competitive_landscaping.gathering import understand
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.agents.deal_sourcing.thesis import read_thesis
from core.briefs.developments.question import Fields, read_fields
from core.evidence.readers.questions.parsed import ParsedText
from core.workbench import RunContext
from tests.core.evidence.questions import held_out
from tests.core.evidence.questions.qualifiers import draw
from tests.rows import size_of

pytestmark = pytest.mark.xdist_group("starter")
LEAST_RIGHT = 0.95
FEW = 16
"""Drugs of a disease at most, so that whole answers take little time."""
Reading = tuple[ParsedText, str]
"""A question as it was read, with what the agent reads apart and what it says of the rest."""


def read_landscape(question: str, context: RunContext) -> Reading:
    asked = understand(CompetitiveLandscapingRequest(query=question), context)
    return asked.query, " ".join(asked.warnings)


def read_deals(question: str, context: RunContext) -> Reading:
    today = context.now.date()
    thesis = read_thesis(question, context.evidence, context.resolver, today)
    stop = "discontinued" if thesis.stop else ""
    return thesis.parsed, " ".join([*thesis.warnings, stop])


@pytest.mark.parametrize("read", [read_landscape, read_deals])
def test_qualifiers_are_read_and_never_turned_round(read, context) -> None:
    cases = list(draw())
    wrong, opposite = [], []
    for question, values, expect in cases:
        parsed, told = read(question, context)
        is_right, is_opposite = expect(parsed, values)
        if not is_right and "discontinued" not in told:
            wrong.append(question)
        if is_opposite:
            opposite.append(question)
    assert opposite == []
    assert len(wrong) <= (1 - LEAST_RIGHT) * len(cases), wrong


def test_held_out_qualifiers_keep_the_rows_that_they_ask_for(context) -> None:
    templates = [row for row in held_out.load(held_out.TABLE) if row["agent"] != "scan"]
    templates = templates[:: size_of(8, 27)]  # held_out.py measures them all
    drawn = held_out.draw(templates, held_out.SEED, context, len(templates), most=FEW)
    doors = held_out.Doors(context)
    verdicts = [held_out.judge(*one, doors) for one in drawn]
    wrong = [verdict.question for verdict in verdicts if not verdict.is_right]
    assert [verdict.question for verdict in verdicts if verdict.is_opposite] == []
    assert len(wrong) <= (1 - LEAST_RIGHT) * len(verdicts), wrong


def test_a_scan_excludes_what_is_excluded_and_says_what_it_cannot_narrow_by(context) -> None:
    today = context.now.date()
    silent, opposite = [], []
    for question, _, _ in draw():
        parsed = understand(CompetitiveLandscapingRequest(query=question), context).query
        asked = read_fields(Fields(question), context.evidence, context.resolver, today)
        told = " ".join(asked.warnings)
        excluded = (
            asked.not_targets,
            asked.not_modalities,
            asked.not_companies,
            asked.not_diseases,
            asked.not_drugs,
        )
        negative = ("targets", "modalities", "companies", "diseases", "drugs")
        for field, held in zip(negative, excluded, strict=True):
            if bool(getattr(parsed, f"not_{field}")) != bool(held):
                opposite.append((question, field))
        others = ("lines", "populations", "routes", "not_routes", "regions", "not_regions")
        named = [field for field in others if getattr(parsed, field)]
        if named and "not_filtered" not in told:
            silent.append((question, named))
    assert opposite == []
    assert silent == []
