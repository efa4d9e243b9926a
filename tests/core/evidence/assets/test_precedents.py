"""Precedents of a setting: who counts, what is known of them, and how near they are."""

import csv
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.briefs.precedents import find_precedents, number_range
from core.briefs.settings import Setting, read_setting
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.designs import read_design
from core.evidence.readers.endpoints import read_endpoint
from core.evidence.readers.label_uses import read_label_uses, read_use
from core.evidence.readers.questions.reading import parse_text
from core.evidence_ports import Evidence
from core.records.evidence import Fact, Qualifiers, Span
from tests.core.evidence.assets.conftest import make_label, make_trial
from tests.rows import over_rows

VERDICTS = Path(__file__).parents[3] / "benchmarks" / "label_use_verdicts.csv"
LABEL = (
    "KEYTRUDA is indicated: in combination with chemotherapy, as first-line treatment of adults "
    "with metastatic non-small cell lung cancer (NSCLC). ( 1.1 ) as a single agent for adults "
    "with NSCLC whose tumors express "
    "PD-L1 as determined by an FDA-approved test, with disease progression on or after "
    "chemotherapy. ( 1.1 ) This indication is approved under accelerated approval based on "
    "response rate. Limitations of Use KEYTRUDA is not recommended for type 2 diabetes mellitus."
)
USE = "Drugoxib is indicated for the treatment of adults with advanced lung cancer."
OTHER = "Drugoxib is indicated for the treatment of adults with advanced gastric cancer."


def fact(predicate: str, said: str, value: float | None = None, **told: str) -> Fact:
    return Fact("", "", predicate, said, value, qualifiers=Qualifiers(**told), as_of="2026-06-01")


def enrolled(n: float) -> Fact:
    return fact("trial_enrollment", "ACTUAL", n)


@pytest.fixture
def setting(resolver: Resolver) -> Setting:
    said = {"disease": "NSCLC", "line": "second line", "stage": "phase 3"}
    return read_setting({part: parse_text(text, resolver) for part, text in said.items()}, resolver)


@pytest.fixture
def held(pack: Evidence, hold: Callable[..., None]) -> Evidence:
    """Return a pack with trials that count, some that do not, and a label."""
    effect = fact(
        "trial_effect",
        "hazard ratio for Overall survival",
        0.6,
        population="primary",
        interval="95% CI: 0.5, 0.8",
        arm="A against B",
    )
    design = fact("trial_design", "RANDOMIZED|PARALLEL|DOUBLE")
    tested = {"pembrolizumab": "investigational", "Placebo": "comparator"}
    only = {"agonitide": "investigational"}
    hold(
        make_trial(
            1,
            tested,
            title="Previously treated NSCLC",
            phase="PHASE3",
            results=(enrolled(300), design, effect),
        ),
        make_trial(2, only, title="First-line NSCLC", phase="PHASE3", results=(enrolled(100),)),
        make_trial(3, only, title="NSCLC", phase="PHASE2", results=(enrolled(50),)),
        make_trial(4, only, title="NSCLC withdrawn", phase="PHASE3", results=(enrolled(0),)),
        make_trial(5, only, title="Extension study in NSCLC", phase="PHASE3"),
        make_trial(6, only, title="NSCLC, no phase", phase=""),
        make_trial(7, only, phase="PHASE3", conditions=("gastric cancer",)),
        make_label("one", "pembrolizumab", LABEL, {}),
    )
    return pack


def test_trials_are_ranked_by_parts_that_are_shown(held, resolver, setting) -> None:
    found = find_precedents(setting, held, resolver)
    assert [one.row.number[-1] for one in found.trials] == ["1", "3", "2"]
    assert dict(found.trials[0].match.parts) == {"indication": 1.0, "line": 1.0, "phase": 1.0}
    assert dict(found.trials[2].match.parts)["line"] == 0.0
    assert found.left_out == {
        "extension of another trial": 1,
        "no phase": 1,
        "withdrawn before anybody was enrolled": 1,
    }


def test_what_is_not_told_is_unknown(held, resolver, setting) -> None:
    first, second, _ = (one.row for one in find_precedents(setting, held, resolver).trials)
    assert (first.design.words, first.design.control) == (
        "randomized, double-blind, parallel",
        "placebo",
    )
    assert (second.design.masking, second.design.control, second.n_sites) == (
        "unknown",
        "unknown",
        None,
    )
    assert first.outcome == "difference shown"
    assert first.effects[0].excludes_none
    assert first.effects[0].endpoint == "overall survival"


def test_own_trials_stand_apart_and_a_masked_trial_is_gone(held, resolver, setting) -> None:
    found = find_precedents(setting, held, resolver, own=["Pembrolizumab"], without=["NCT00000002"])
    assert [one.row.number for one in found.own] == ["NCT00000001"]
    assert [one.row.number for one in found.trials] == ["NCT00000003"]
    assert not find_precedents(Setting(), held, resolver).trials


def test_ranges_count_only_those_that_tell(held, resolver, setting) -> None:
    trials = find_precedents(setting, held, resolver).trials
    sizes = number_range((trial.row.n for trial in trials), "participants")
    assert (sizes.median, sizes.n) == (100.0, 3)
    assert number_range((trial.row.months for trial in trials), "months").median == 24.0
    assert number_range([None, None], "sites").median is None


def test_uses_of_a_label_are_rows(held, resolver, setting) -> None:
    later, first = (one.row for one in find_precedents(setting, held, resolver).uses)
    assert (first.use.line, first.use.regimen, first.use.is_accelerated) == (
        "first line",
        "combination",
        False,
    )
    assert (later.use.line, later.use.regimen, later.use.is_accelerated) == (
        "previously treated",
        "monotherapy",
        True,
    )
    assert later.use.needs_test
    assert "diabetes" in later.use.limitation
    assert later.disease_keys == ("MONDO:2",)


def test_pivotal_trials_of_a_label_with_one_use_are_of_its_disease(
    pack, hold, resolver, setting
) -> None:
    told = "14.1 Adults in All Study A (NCT00000001), randomized. The primary endpoint was pain. "
    label = make_label("one", "pembrolizumab", USE, {})
    studies = Span("clinical_studies", told, 0, len(told))
    own = replace(label.record, spans=(*label.record.spans, studies))
    of_two = make_label("two", "agonitide", f"{USE} {OTHER}", {})
    hold(
        replace(label, record=own),
        replace(of_two, record=replace(of_two.record, spans=(*of_two.record.spans, studies))),
        make_trial(1, {"pembrolizumab": "investigational"}, phase="PHASE3"),
    )
    area = Setting(areas=(replace(setting.areas[0], keys=frozenset({"MONDO:1", "MONDO:2"})),))
    found = find_precedents(area, pack, resolver)
    assert [(one.row.label_id, one.row.is_on_record) for one in found.pivotal] == [
        ("label:one", True)
    ]
    assert found.pivotal[0].row.endpoints == ("pain",)
    assert found.trials[0].row.outcome == "carried an approval"


def test_drawn_label_uses_tell_what_was_read() -> None:
    with VERDICTS.open(encoding="utf-8", newline="") as text:
        rows = [row for row in csv.DictReader(text) if row["kind"] == "use"]
    right: Counter[str] = Counter()
    for row in rows:
        use = read_use(row["text"])
        right["line"] += use.line == row["line"]
        right["biomarker"] += use.biomarker == row["biomarker"]
        right["age"] += use.age.words == row["age"] or not use.age.words
        right["regimen"] += use.regimen == row["regimen"] or not use.regimen
    assert min(right.values()) >= 0.97 * len(rows)


@over_rows(
    ("text", "line"),
    [
        ("for adults whose disease has not progressed following chemoradiation", ""),
        ("maintenance treatment of adults in response to first-line chemotherapy", "maintenance"),
        ("for patients with gout after two or more prior systemic therapies", "third line"),
        ("for adults who have not received prior treatment for gout", "previously untreated"),
        ("First-Line Maintenance Treatment of Urothelial Carcinoma in adults", "maintenance"),
        ("for the initial treatment of patients with gout", "first line"),
        ("the adjuvant treatment of patients with gout after neoadjuvant yoxib", "adjuvant"),
    ],
)
def test_line_of_a_use(text, line) -> None:
    assert read_use(text).line == line


@over_rows(
    ("section", "uses"),
    [
        (
            "X is indicated, as a single agent, for: treatment of gout in adults. ( 1.1 ) the "
            "treatment of asthma in adults who failed yoxib. ( 1.2 )",
            [("", "adults", "monotherapy"), ("previously treated", "adults", "monotherapy")],
        ),
        (
            "X is indicated for the treatment of: Adult patients with: moderately active gout. "
            "( 1.1 ) severe chronic asthma. ( 1.2 ) Pediatric patients 6 years and older with: "
            "severe chronic asthma. ( 1.2 )",
            [("", "adults", ""), ("", "adults", ""), ("", "children from 6 years", "")],
        ),
        (
            "X is indicated for: Hepatocellular Carcinoma \u2022 adult patients with liver cell "
            "carcinoma, in combination with yoxib. ( 1.1 )",
            [("", "adults", "combination")],
        ),
        (
            "X is indicated for: Osteoarthritis (OA) ( 1.1 ) Rheumatoid Arthritis (RA) ( 1.2 ) "
            "Juvenile arthritis in patients with at least five years of age ( 1.3 )",
            [("", "", ""), ("", "", ""), ("", "adults and children from 5 years", "")],
        ),
        (
            "X is indicated for the treatment of adults with metastatic gout: As first-line "
            "therapy in combination with yoxib. As monotherapy after prior yoxib.",
            [("first line", "adults", "combination"),
             ("previously treated", "adults", "monotherapy")],
        ),
        (
            "X is indicated in combination with a reduced calorie diet for adults with gout. There "
            "is no evidence that X is useful in the treatment of asthma.",
            [("", "adults", "add-on")],
        ),
    ],
)  # fmt: skip
def test_lists_headings_and_openings_of_uses(section, uses) -> None:
    found = read_label_uses(section)
    assert [(one.line, one.age.words, one.regimen) for one in found] == uses
    assert all("gout" in one.text for one in found if "first-line" in one.text)


def test_note_on_accelerated_approval_speaks_of_the_use_with_its_sign() -> None:
    said = (
        "X is indicated for the treatment of adults with gout * . X is indicated for the treatment "
        "of adults with asthma. * This indication is approved under accelerated approval."
    )
    assert [one.is_accelerated for one in read_label_uses(said)] == [True, False]


def test_design_of_a_title_alone() -> None:
    assert read_design("", "A randomized, double-blind study").words == "randomized, double-blind"
    assert read_design("NA|SINGLE_GROUP", "").control == "single arm"
    assert read_design("RANDOMIZED", "", comparators=["docetaxel", "Placebo"]).control == "active"


def test_responders_turn_a_score_of_which_less_is_better() -> None:
    change = read_endpoint("Change from baseline in EASI")
    share = read_endpoint("Percentage of participants with EASI-75")
    assert (change.name, change.type, share.type, share.better) == (
        "EASI",
        "mean change",
        "proportion",
        "higher",
    )
