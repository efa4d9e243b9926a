"""Precedents as lines of the answer, and the competing trials among them."""

from core.agents.clinical_trial_design.case import DesignCase, Subject, name_drugs
from core.agents.clinical_trial_design.records import Benchmark, PrecedentRow
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import cut_at_word, unmark
from core.records.precedents import SettingTrial
from core.records.stages import phase_words

LONGEST = 60
MOST_BENCHMARKS = 12


def make_row(subject: Subject, cite: Cite) -> PrecedentRow:
    """Return a trial as the wire has it."""
    assert subject.row is not None  # noqa: S101 - only trials get a line
    row, match = subject.row.row, subject.row.match
    first = row.endpoints[0] if row.endpoints else None
    shown = ""
    if row.effects:
        effect = row.effects[0]
        interval = f" ({unmark(effect.interval)})" if effect.interval else ""
        shown = f"{unmark(effect.measure)}: {effect.value:g} {unmark(effect.unit)}{interval}"
    return PrecedentRow(
        asset=name_drugs(row.drugs) or "not reported",
        sponsor=unmark(row.sponsor),
        nct_id=row.number,
        phase=phase_words(row.phase),
        indication=unmark("; ".join(row.conditions)),
        line=row.line,
        population=", ".join(row.biomarkers),
        design_type=row.design.words or "not reported",
        n=row.n,
        primary_endpoint=unmark(first.text) if first else "",
        endpoint_class=", ".join(dict.fromkeys(e.name for e in row.endpoints if e.name)),
        comparator=name_drugs(row.comparators) or row.design.control,
        duration_months=row.months,
        sites=row.n_sites,
        status=row.status or "not reported",
        outcome=row.outcome,
        effect=shown.strip(),
        approved_on=None,
        match_score=match.score,
        match_parts=dict(match.parts),
        kind=subject.kind,
        source_ids=cite.numbers(subject.ids[:3]),
    )


def list_benchmarks(case: DesignCase) -> list[Benchmark]:
    """Return competing trials: those asked for first, then those of the same mechanism."""
    open_now = [trial.row for trial in case.competing]
    listed = (*case.named_trials, *case.same_mechanism, *open_now)
    rows = {trial.number: trial for trial in listed}
    return [_benchmark(case, row) for row in list(rows.values())[:MOST_BENCHMARKS]]


def _benchmark(case: DesignCase, row: SettingTrial) -> Benchmark:
    population = ", ".join([*row.conditions[:2], row.line, *row.biomarkers[:2]])
    ends = ", ".join(dict.fromkeys(endpoint.name or endpoint.text for endpoint in row.endpoints))
    return Benchmark(
        asset=cut_at_word(name_drugs(row.drugs) or unmark(row.title), LONGEST),
        phase=phase_words(row.phase),
        population=cut_at_word(unmark(population.strip(", ")), 2 * LONGEST) or "not reported",
        endpoint=cut_at_word(unmark(ends), 2 * LONGEST) or "not reported",
        comparator=cut_at_word(name_drugs(row.comparators), LONGEST) or row.design.control,
        sample_size=f"{row.n:,}" if row.n else "not reported",
        outcome=row.outcome,
        source_ids=case.ids([row.record_id]),
    )
