"""The checker of claims and the numbers of sources: what no cited record says is a fault."""

from dataclasses import replace

import pytest

from core.evidence.proof.citations import Citations, UncitedClaim
from core.evidence.proof.claim_checks import Ground, check_claims, computation, recompute
from core.evidence.proof.claims import (
    Claim,
    Figure,
    count_of,
    figure_of,
    make_claim,
    render_claim,
    unmark,
)
from core.records.evidence import Fact, Qualifiers, Record
from core.records.programs import Outcome
from tests.rows import over_rows


def test_sources_are_numbered_by_first_citation() -> None:
    record = Record("ctgov", "NCT1", "https://x.example", "trial_registration", "One")
    other = Record("label", "2", "", "regulatory_label", "Two")
    citations = Citations()
    assert citations.mark([other.id]) == "[1]"
    assert citations.mark([record.id, other.id]) == "[1][2]"
    sources = citations.sources({record.id: record, other.id: other})
    assert [(one.id, one.title) for one in sources] == [("1", "Two"), ("2", "One")]


def test_a_source_without_a_title_is_called_by_its_identifier() -> None:
    record = Record("ctgov", "NCT1", "https://x.example", "trial_registration", "")
    citations = Citations()
    citations.cite(record.id)
    assert citations.sources({record.id: record})[0].title == "NCT1"


def test_a_citation_of_nothing_is_refused() -> None:
    citations = Citations()
    citations.cite("ctgov:NCT9")
    with pytest.raises(UncitedClaim, match="ctgov:NCT9"):
        citations.sources({})


TRIAL = Record(
    "ctgov", "NCT00000001", "", "trial_registration", "Alphamab in NSCLC", updated_on="2026-08-01"
)
LABEL = Record("label", "L1", "", "regulatory_label", "Label of betamab")
RESPONSE = Fact(
    TRIAL.id,
    "NCT00000001",
    "trial_result",
    "Objective response rate",
    41.27,
    "%",
    Qualifiers(arm="Alphamab 10 mg", time_point="24 months", n="124"),
)
STOPPED = Fact(TRIAL.id, "NCT00000001", "trial_stopped", "Low accrual in 2024")
GROUND = Ground(
    records={TRIAL.id: TRIAL, LABEL.id: LABEL},
    facts={1: RESPONSE, 2: STOPPED},
    names={
        "alphamab": frozenset({TRIAL.id}),
        "betamab": frozenset({LABEL.id}),
        "NCT00000001": frozenset({TRIAL.id}),
    },
    words=frozenset({"PD-1", "phase 3"}),
)
OUTCOME = Outcome(
    kind="efficacy",
    measure="Objective response rate",
    value=41.27,
    unit="%",
    record_id=TRIAL.id,
    fact_ids=(1,),
    arm="Alphamab 10 mg",
    time_point="24 months",
    n=124,
)
SAID = ("Objective response rate", "Alphamab 10 mg", "24 months", "n=124")
TEXT = "alphamab: Objective response rate 41.3 % (n=124), arm Alphamab 10 mg, at 24 months."
SOUND = make_claim(TEXT, "fact", figures=[figure_of(OUTCOME, "41.3 %", SAID)], names=["alphamab"])


def kinds(claim: Claim, ground: Ground = GROUND) -> set[str]:
    return {fault.kind for fault in check_claims([claim], ground)}


def test_sound_claim_has_no_fault() -> None:
    assert kinds(SOUND) == set()


@over_rows(
    ("old", "new", "kind"),
    [
        ("41.3", "43.1", "wrong_number"),
        ("%", "months", "wrong_number"),
        ("Alphamab 10 mg", "Placebo", "wrong_number"),
        ("24 months", "12 months", "wrong_number"),
        ("Objective response rate", "Overall survival", "wrong_number"),
        ("n=124", "n=214", "wrong_number"),
        ("alphamab:", "betamab:", "unknown_name"),
        (".", ", never 77.", "unbound_number"),
        (".", ", not more.", "negation"),
    ],
)
def test_changed_word_is_a_fault(old, new, kind) -> None:
    changed = TEXT[: TEXT.rindex(old)] + new + TEXT[TEXT.rindex(old) + len(old) :]
    assert kind in kinds(replace(SOUND, text=changed))


@over_rows(
    "change",
    [
        {"value": 43.1, "shown": "41.3 %"},
        {"arm": "Placebo"},
        {"unit": "months"},
        {"time_point": "12 months"},
        {"measure": "Overall survival"},
        {"record_id": LABEL.id},
        {"fact_id": 99},
    ],
)
def test_figure_that_is_not_its_fact_is_a_fault(change) -> None:
    figure = replace(SOUND.figures[0], **change)
    assert "wrong_number" in kinds(replace(SOUND, figures=(figure,)))


def test_fact_without_a_record_is_a_fault() -> None:
    assert kinds(make_claim("alphamab leads.", "fact", names=["alphamab"])) >= {"uncited"}


def test_rule_needs_no_record() -> None:
    assert kinds(make_claim("Figures stand across trials.", "rule")) == set()


def test_record_that_is_not_there_is_a_fault() -> None:
    assert "unknown_record" in kinds(make_claim("It leads.", "fact", ["ctgov:NCT9"]))


def test_name_of_another_record_is_a_fault() -> None:
    claim = make_claim("betamab leads.", "fact", [TRIAL.id], names=["betamab"])
    assert kinds(claim) == {"unknown_name"}


def test_name_that_is_not_declared_is_a_fault() -> None:
    assert "unknown_name" in kinds(make_claim("betamab leads.", "fact", [LABEL.id]))


def test_trial_that_is_not_declared_is_a_fault() -> None:
    assert "unknown_name" in kinds(make_claim("See NCT00000009.", "fact", [TRIAL.id]))


def test_digits_of_known_words_state_nothing() -> None:
    assert kinds(make_claim("It is a phase 3 drug on PD-1.", "fact", [TRIAL.id])) == set()
    assert kinds(make_claim("It is a phase 2 drug on PD-1.", "fact", [TRIAL.id])) != set()


def test_date_and_quotation_must_stand_in_the_record() -> None:
    figure = Figure("Low accrual in 2024", record_id=TRIAL.id)
    claim = make_claim("It was stopped: “Low accrual in 2024”.", "fact", figures=[figure])
    assert kinds(claim) == set()
    other = replace(figure, shown="Lack of efficacy")
    assert kinds(make_claim("It was stopped: “Lack of efficacy”.", "fact", figures=[other])) == {
        "wrong_number"
    }


@over_rows(
    ("figure", "is_sound"),
    [
        (count_of(2, ["a", "b"]), True),
        (count_of(3, ["a", "b"]), False),
        (count_of(2, ["a", "a"]), False),
        (Figure("41 %", 0.41, operation="share", inputs=(41.0, 100.0)), True),
        (Figure("42 %", 0.41, operation="share", inputs=(41.0, 100.0)), False),
        (Figure("0.50", 0.5, operation="sum of squares", inputs=(0.5, 0.5)), True),
        (Figure("0.60", 0.6, operation="sum of squares", inputs=(0.5, 0.5)), False),
    ],
)
def test_computed_figures_are_computed_again(figure, is_sound) -> None:
    claim = make_claim(f"It is {figure.shown}.", "computed", [TRIAL.id], figures=[figure])
    assert (kinds(claim) == set()) == is_sound


def test_marks_stand_before_the_full_stop_and_follow_first_citation() -> None:
    citations = Citations()
    citations.cite(LABEL.id)
    claim = make_claim("It leads.", "fact", [TRIAL.id, LABEL.id])
    assert render_claim(claim, citations) == "It leads [1][2]."
    assert render_claim(make_claim("So be it.", "rule"), citations) == "So be it."


def test_marks_of_other_texts_are_no_citations() -> None:
    assert unmark("a [12] b\n[177Lu] **c**") == "a (12] b (177Lu] *c*"


@computation("difference of a test")
def _difference(first: float, second: float) -> float:
    return first - second


def test_a_computation_registers_itself_and_is_proved() -> None:
    figure = Figure("3", 3.0, operation="difference of a test", inputs=(5.0, 2.0))
    for shown, is_sound in ((figure, True), (replace(figure, shown="4", value=4.0), False)):
        claim = make_claim(f"It is {shown.shown}.", "computed", [TRIAL.id], figures=[shown])
        assert (kinds(claim) == set()) == is_sound


def test_a_second_function_cannot_take_the_name_of_a_computation() -> None:
    with pytest.raises(ValueError, match="is registered in"):
        computation("share")(_difference)


@over_rows(
    ("name", "inputs"),
    [
        ("no such computation", (1.0,)),
        ("share", (1.0,)),
        ("share", (1.0, 0.0)),
        ("sum of squares", ("a",)),
    ],
)
def test_what_cannot_be_computed_again_proves_nothing(name, inputs) -> None:
    assert recompute(name, inputs) is None
