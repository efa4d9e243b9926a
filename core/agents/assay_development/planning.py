"""When and in which order: gates, ranking, risks, weeks along the longest path."""

from core.agents.assay_development.case import STAGES, Case
from core.agents.assay_development.numbering import Numbering, basis_of
from core.agents.assay_development.package import CATEGORY_NAMES, Chosen, Package
from core.agents.assay_development.records import (
    DecisionFramework,
    Gate,
    GateCriterion,
    RankedAssay,
    Risk,
    TimelineStep,
)
from core.knowledge.assays.rows import GateRow, RiskRow, holds_for
from core.vocabulary.tables import load_rows

REAGENT_WEEKS = 4
MOST_AT_ONCE = 3
"""Assays that one team develops side by side."""
VALIDATION_WEEKS = {"exploratory": 1, "qualified": 4, "validated": 8}
REAGENTS, REPORT = "Reagents, lines and reference material", "Report and gate"
_ORDER = {"high": 0, "medium": 1, "low": 2}


def plan_weeks(package: Package, case: Case) -> tuple[list[TimelineStep], list[str]]:
    """Return the activities in weeks, and a notice where they outlast the weeks given.

    Assays are developed three at a time, the weightiest first; each is validated when it stands.
    """
    if not package.chosen:
        return [], []
    steps = [_step(REAGENTS, 0, REAGENT_WEEKS, [], "two lots of each critical reagent")]
    free = [(REAGENT_WEEKS, REAGENTS)] * MOST_AT_ONCE
    last = VALIDATION_WEEKS[case.depth]
    for chosen in sorted(package.chosen, key=lambda choice: _ORDER[choice.priority]):
        start, before = min(free, key=lambda start_week: start_week[0])
        free.remove((start, before))
        name, end = f"Develop: {chosen.name}", start + chosen.row.weeks
        steps.append(_step(name, start, end, [before], "method description, control limits"))
        word = "Validate" if case.depth == "validated" else "Qualify"
        shown = f"{word if case.depth != 'exploratory' else 'Repeat'}: {chosen.name}"
        steps.append(_step(shown, end, end + last, [name], "report with criteria of this plan"))
        free.append((end, name))
    done = max(step.end_week for step in steps)
    ends = [step.activity for step in steps if step.end_week == done]
    steps.append(_step(REPORT, done, done + 1, ends, "decision by the gates"))
    return steps, _late(steps, case)


def _step(name: str, start: int, end: int, before: list[str], gives: str) -> TimelineStep:
    return TimelineStep(
        activity=name,
        start_week=start,
        end_week=end,
        depends_on=before,
        deliverable=gives,
        source_ids=[],
    )


def _late(steps: list[TimelineStep], case: Case) -> list[str]:
    weeks = case.limits.get("weeks")
    if not isinstance(weeks, int):
        return []
    late = [step.activity for step in steps if step.end_week > weeks and step.activity != REPORT]
    total = steps[-1].end_week
    if not late:
        return []
    named = ", ".join(late[:3]) + (f" and {len(late) - 3} more" if len(late) > 3 else "")
    return [
        f"too_long: the plan takes {total} weeks with {MOST_AT_ONCE} assays at a time, {weeks} are "
        f"given; beyond them are {named}."
    ]


def decide(package: Package, case: Case, numbering: Numbering) -> DecisionFramework:
    """Return the gates from the stage on, and the order in which to develop."""
    rows = [
        row
        for row in load_rows("gates", GateRow)
        if case.stage <= STAGES.index(row.stage) <= case.stage + 1
    ]
    names = dict.fromkeys(row.gate for row in rows)
    gates = [_gate([row for row in rows if row.gate == name], numbering) for name in names]
    ranked = sorted(package.chosen, key=lambda chosen: (_ORDER[chosen.priority], -chosen.row.weeks))
    return DecisionFramework(
        gates=gates if package.chosen else [],
        ranking=[_rank(n, choice) for n, choice in enumerate(ranked, start=1)],
        source_ids=[],
    )


def _gate(rows: list[GateRow], numbering: Numbering) -> Gate:
    first = rows[0]
    return Gate(
        gate=f"{first.gate} ({first.stage.replace('_', ' ')})",
        question=first.question,
        criteria=[
            GateCriterion(
                metric=row.metric,
                go=row.go,
                no_go=row.no_go,
                basis=basis_of(row),
                source_ids=numbering.of_document(row.document),
            )
            for row in rows
        ],
        if_between=first.if_between,
        source_ids=[],
    )


def _rank(number: int, chosen: Chosen) -> RankedAssay:
    reasons = [
        f"priority {chosen.priority}",
        f"{chosen.row.weeks} weeks: the longer one begins first",
    ]
    return RankedAssay(assay=chosen.name, rank=number, reasons=reasons, source_ids=[])


def list_risks(package: Package, case: Case, numbering: Numbering) -> list[Risk]:
    """Return the risks of the categories in the plan, the weightiest first."""
    by_category = {category.key: category for category in package.categories}
    rows = [
        row
        for row in load_rows("risks", RiskRow)
        if row.category in by_category and holds_for(row.modalities, case.request.modality)
    ]
    rows.sort(key=lambda row: (_ORDER[row.severity], _ORDER[row.likelihood]))
    return [
        Risk(
            risk=row.risk,
            severity=row.severity,
            likelihood=row.likelihood,
            affects=[CATEGORY_NAMES[row.category]],
            mitigation=row.mitigation,
            early_sign=case.fill(row.early_sign),
            source_ids=numbering.of_document(row.document),
        )
        for row in rows
    ]
