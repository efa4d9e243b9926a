"""The memo: each question answered, every sentence checked, mutations caught."""

import random
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

from core.agents.competitive_landscaping.pipeline import BRIEF
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.briefs.memo import Memo, compose
from core.evidence.proof.claim_checks import Ground, check_claims
from core.evidence.proof.claims import NEGATION, Claim
from core.vocabulary.lines import Line
from tests.core.agents.competitive_landscaping.drugs import (
    GASTRIC,
    LUNG,
    Drug,
    Figure,
    Study,
    antibody,
    drug,
    stopped,
)

SEED = 20261121
WANTED = 200
ARMS = ("Arm A", "Arm B", "Combination arm", "High dose")
TIMES = ("12 months", "24 weeks", "data cut-off")
MEASURES = ("Objective response rate", "Overall survival", "Progression-free survival")
UNITS = {"Objective response rate": "%"}
REASONS = ("Not enough patients", "No benefit seen", "Sponsor decision")


def section(data, title: str) -> list[str]:
    return [claim.text for part in data.memo if part.title == title for claim in part.claims]


def test_leader_is_named(landscape) -> None:
    ahead = section(landscape.run(query_type="clinical"), "Who is ahead")
    assert any(text.startswith("alphamab (alphamab Bio) is phase 3") for text in ahead)


def test_best_figure_is_cited_with_its_conditions(landscape) -> None:
    beat = section(landscape.run(), "What a candidate must beat")
    best = r"52.5 % \(n=124\) with betamab .*second line, arm Arm B \[\d+\]\.$"
    assert sum(bool(re.search(best, text)) for text in beat) == 1
    assert sum("across trials, not head to head" in text for text in beat) == 1


def test_line_of_the_candidate_chooses_the_figure_to_beat(landscape) -> None:
    asked = "A PD-1/VEGF bispecific antibody in first-line NSCLC"
    beat = section(landscape.run(candidate_asset_description=asked), "What a candidate must beat")
    assert "41 % (n=124) with alphamab" in beat[0]


def test_stopped_program_is_named_with_its_reason(landscape) -> None:
    stopped = section(landscape.run(), "Who stopped, and why")
    assert re.fullmatch(
        r"betamab \(betamab Bio\): phase 3 trial NCT00000004 in gastric cancer was stopped: "
        r"“Lack of efficacy” \[\d+\]\.",
        stopped[0],
    )


def test_events_are_the_active_trials_of_the_next_twelve_months(landscape) -> None:
    data = landscape.run()
    assert [one.trial_id for one in data.events] == ["NCT00000001", "NCT00000003"]
    assert all("NCT00000002" not in text for text in section(data, "The next twelve months"))


def test_an_indication_is_open_only_where_every_program_was_stopped(landscape) -> None:
    """gammamab is at phase 1 there: early, and not stopped."""
    title = "Competitive density and white space"
    told = section(landscape.run(indication="gastric cancer"), title)
    assert not any(text.startswith("Open:") for text in told)
    query = "PD-1/VEGF bispecifics, not gammamab"
    told = section(landscape.run(query=query, indication="gastric cancer"), title)
    reason = "Open: gastric cancer, no active program at phase 2 or later: betamab discontinued"
    assert any(text.startswith(reason) for text in told)


def test_a_program_in_a_wider_disease_leaves_nothing_open(landscape) -> None:
    told = section(landscape.run(), "Competitive density and white space")
    assert not any(text.startswith("Open: gastric cancer") for text in told)


def test_different_candidates_give_different_memos(landscape) -> None:
    texts = (
        None,
        "A PD-1/VEGF bispecific antibody entering phase 2 in NSCLC",
        "A CLDN18 antibody-drug conjugate, preclinical, in gastric cancer",
        "A PD-1/VEGF bispecific antibody, approved, second line",
    )
    found = {landscape.run(candidate_asset_description=text).pipeline_summary for text in texts}
    assert len(found) == len(texts)


def test_candidate_on_another_target_is_told_to_be_alone(landscape) -> None:
    data = landscape.run(candidate_asset_description="A CLDN18 inhibitor")
    assert any("None of these drugs is known to act on" in one.text for one in all_claims(data))


def all_claims(data) -> list:
    return [claim for part in data.memo for claim in part.claims]


def test_sentence_that_its_record_does_not_carry_is_not_shown(landscape, monkeypatch) -> None:
    lie = "betamab is approved since 1999."

    def lying(sections, survey) -> Memo:
        found = compose(sections, survey)
        title, claims = found.sections[1]
        false = replace(claims[0], text=lie)
        return Memo((found.sections[0], (title, (false, *claims)), *found.sections[2:]))

    monkeypatch.setattr("core.briefs.skeleton.compose", lying)
    data = landscape.run()
    assert lie[:-1] not in data.pipeline_summary
    assert any(text.startswith("claims_dropped: 1 ") for text in data.warnings)


@dataclass
class Drawn:
    """Claims of drawn landscapes, with what they are held against."""

    claims: list[tuple[Claim, Ground]]


def draw_drugs(dice: random.Random, first: int) -> list[Drug]:
    """Return six drugs with figures, stopped and running trials, numbered from the first on."""
    drugs = []
    for number in range(first, first + 6):
        measure = dice.choice(MEASURES)
        figure = Figure(
            round(dice.uniform(5, 90), 1),
            measure,
            UNITS.get(measure, "months"),
            arm=dice.choice(ARMS),
            time_point=dice.choice(TIMES),
            n=dice.randrange(20, 900),
        )
        day = f"2027-{dice.randrange(1, 11):02d}-0{dice.randrange(1, 9)}"
        disease, line = dice.choice((LUNG, GASTRIC)), dice.choice((*Line, ""))
        late = Study(number, disease, line=line, primary_completion_on=day, figure=figure)
        over = stopped(number + 50, dice.choice(REASONS), disease=disease)
        drugs.append(drug(antibody(number), late, over))
    return drugs


def claims_of(field, text: str | None) -> tuple[list[Claim], Ground]:
    """Return the claims of a landscape and their ground."""
    field.hold()
    request = CompetitiveLandscapingRequest(
        query="PD-1/VEGF bispecifics", query_type="clinical", candidate_asset_description=text
    )
    survey = BRIEF.study(request, field.context())
    return compose(BRIEF.sections, survey).claims, survey.ground


@pytest.fixture
def drawn(landscape) -> Drawn:
    dice = random.Random(SEED)
    found: list[tuple[Claim, Ground]] = []
    for first in range(1, 10_000, 100):
        if len(found) >= WANTED:
            break
        landscape.drugs = draw_drugs(dice, first)
        claims, ground = claims_of(landscape, "A PD-1/VEGF bispecific antibody in phase 2, NSCLC")
        found += [(claim, ground) for claim in claims if claim.kind in {"fact", "computed"}]
    return Drawn(found[:WANTED])


def swap(claim: Claim, old: str, new: str) -> Claim | None:
    """Return a claim with another word; None where it does not have the word."""
    if not old or old not in claim.text or old == new:
        return None
    return replace(claim, text=claim.text.replace(old, new, 1))


def swap_field(name: str, others: tuple[str, ...]) -> Callable[[Claim, Ground], Claim | None]:
    def mutate(claim: Claim, _ground: Ground) -> Claim | None:
        for figure in claim.figures:
            said = getattr(figure, name)
            new = next((other for other in others if other != said), "")
            found = swap(claim, said, new) if said and new else None
            if found:
                return found
        return None

    return mutate


def swap_unit(claim: Claim, _ground: Ground) -> Claim | None:
    for figure in claim.figures:
        unit = figure.unit.partition(" (")[0]  # "% (number)" is shown as "%"
        if unit and unit in figure.shown:
            other = "months" if unit == "%" else "%"
            return swap(claim, figure.shown, figure.shown.replace(unit, other))
    return None


def swap_drug(claim: Claim, ground: Ground) -> Claim | None:
    drugs = [name for name in ground.names if name.endswith("mab")]
    for name in claim.names:
        if name in drugs:
            other = next(one for one in drugs if one not in claim.text)
            return swap(claim, name, other)
    return None


def alter_number(claim: Claim, _ground: Ground) -> Claim | None:
    for figure in claim.figures:
        digit = next((sign for sign in figure.shown if sign.isdigit()), "")
        if digit and figure.shown in claim.text:
            other = str((int(digit) + 1) % 10)
            return swap(claim, figure.shown, figure.shown.replace(digit, other, 1))
    return None


def drop_negation(claim: Claim, _ground: Ground) -> Claim | None:
    found = NEGATION.search(claim.text)
    return swap(claim, found[0], "") if found else None


def swap_stage(claim: Claim, _ground: Ground) -> Claim | None:
    return swap(claim, "is phase 3", "is phase 2") or swap(claim, "phase 3 trial", "phase 1 trial")


MUTATIONS = {
    "arm": swap_field("arm", ARMS),
    "endpoint": swap_field("measure", MEASURES),
    "time point": swap_field("time_point", TIMES),
    "unit": swap_unit,
    "drug": swap_drug,
    "number": alter_number,
    "negation": drop_negation,
    "stage": swap_stage,
}


def mutants(drawn: Drawn, name: str) -> Iterator[tuple[Claim, Ground]]:
    for claim, ground in drawn.claims:
        changed = MUTATIONS[name](claim, ground)
        if changed is not None:
            yield changed, ground


def test_drawn_claims_pass_their_check(drawn) -> None:
    faults = [fault for claim, ground in drawn.claims for fault in check_claims([claim], ground)]
    assert faults == []


def test_mutated_claims_are_caught(drawn, capsys) -> None:
    rates = {}
    for name in MUTATIONS:
        tried = list(mutants(drawn, name))
        caught = sum(bool(check_claims([claim], ground)) for claim, ground in tried)
        rates[name] = (caught, len(tried))
    with capsys.disabled():
        sys.stdout.write(f"\nmutations caught (of), seed {SEED}: {rates}\n")
    assert all(number for _, number in rates.values())
    assert all(caught >= 0.95 * number for caught, number in rates.values())


def test_every_sentence_of_the_memo_is_a_checked_claim(landscape) -> None:
    data = landscape.run()
    lines = [line for line in data.pipeline_summary.splitlines() if line.startswith("- ")]
    assert len(lines) == len(all_claims(data))
    cited = [one for one in all_claims(data) if one.kind in {"fact", "computed"}]
    assert all(one.source_ids and re.search(r"\[\d+\]\.$", one.text) for one in cited)
