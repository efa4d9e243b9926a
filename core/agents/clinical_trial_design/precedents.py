"""A precedent as a line of the answer."""

from core.agents.clinical_trial_design.drafting import name_drugs
from core.agents.clinical_trial_design.gathering import Subject
from core.agents.clinical_trial_design.records import PrecedentRow
from core.briefs.citing import Cite
from core.evidence.proof.claims import unmark
from core.records.precedents import PrecedentEffect
from core.records.stages import STAGE_WORDS


def make_row(subject: Subject, cite: Cite) -> PrecedentRow:
    """Return a trial as the wire has it."""
    assert subject.row is not None  # noqa: S101 - only trials get a line
    row, match = subject.row.row, subject.row.match
    first = row.endpoints[0] if row.endpoints else None
    return PrecedentRow(
        asset=name_drugs(row.drugs) or "not reported",
        sponsor=unmark(row.sponsor),
        nct_id=row.number,
        phase=STAGE_WORDS[row.phase],
        indication=unmark("; ".join(row.conditions)),
        line=row.line,
        population=", ".join(row.biomarkers),
        design_type=row.design.words or "not reported",
        n=row.n,
        primary_endpoint=unmark(first.text) if first else "",
        endpoint_class=", ".join(dict.fromkeys(e.name for e in row.endpoints if e.name)),
        comparator=name_drugs(row.comparators) or row.design.control,
        duration_months=row.months,
        sites=row.sites,
        status=row.status or "not reported",
        outcome=row.outcome,
        effect=_effect(row.effects[0]) if row.effects else "",
        approved_on=None,
        match_score=match.score,
        match_parts=dict(match.parts),
        kind=subject.kind,
        source_ids=cite.numbers(subject.ids[:3]),
    )


def _effect(effect: PrecedentEffect) -> str:
    """Return an effect in one line."""
    interval = f" ({unmark(effect.interval)})" if effect.interval else ""
    return f"{unmark(effect.measure)}: {effect.value:g} {unmark(effect.unit)}{interval}".strip()
