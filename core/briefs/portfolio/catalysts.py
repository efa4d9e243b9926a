"""The next event of a drug that may move its value: what, when, how sure, how weighty.

Weights, confidences and offsets are rows of the table of weights; the arithmetic is shown.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from core.evidence.readers.designs import is_extension
from core.knowledge.score_weights import weight
from core.records.catalysts import Category, DateConfidence, Origin, Weight, WeightParts
from core.records.programs import Asset, Program, ProgramTrial, TargetDate
from core.records.stages import STAGE_WORDS, phase_words

TYPICAL: DateConfidence = "window"
"""How sure a date is that only typical times give."""
NEAR_DAYS = 180
FADING_DAYS = 1095
FLOOR = 0.5
_MONTH_DAYS = 30.4375
_DATA: dict[str, tuple[str, str]] = {
    "PHASE3": ("pivotal_data", "phase3"),
    "PHASE2_3": ("pivotal_data", "phase3"),
    "PHASE2": ("phase2_data", "phase2"),
    "PHASE1_2": ("phase2_data", "phase2"),
    "PHASE1": ("phase1_data", "phase1"),
}
_TO_COME = frozenset({"recruiting", "not yet recruiting", "active not recruiting", "completed"})
"""States of trials, as shown, of which data may be to come; extensions enroll by invitation."""
_BANDS: tuple[tuple[int, Weight], ...] = ((80, "very_high"), (60, "high"), (40, "medium"))


@dataclass(frozen=True)
class Catalyst:
    """An event ahead.

    Attributes:
        category: Word of the wire.
        event: What may happen.
        rationale: Why then, with the arithmetic of date and weight.
        date: "2027-04" or "TBD".
        confidence: How sure the date is.
        parts: Factors of the weight.
        score: 0 to 100.
        weight: Band of the score.
        record_ids: Records that it rests on.
        is_past_due: Whether the date passed without a result on record.
    """

    category: Category
    event: str
    rationale: str
    date: str = "TBD"
    confidence: DateConfidence = "tbd"
    parts: WeightParts | None = None
    score: int = 0
    weight: Weight = "none"
    record_ids: tuple[str, ...] = ()
    is_past_due: bool = False


NOTHING = Catalyst("None", "no upcoming event found", "no active company trial and no filing")


def next_catalyst(
    asset: Asset, origin: Origin | None, as_of: date, protected_until: str = ""
) -> Catalyst:
    """Return the weightiest event ahead of a drug, the earlier one of equal ones.

    A typical time is used only where no trial and no application has a date, and gives the next
    event no date: its arithmetic stands in the rationale.

    Args:
        asset: The drug.
        origin: How the company came by it.
        as_of: The day asked about.
        protected_until: Last day of a term of protection; "" where none was found.
    """
    if all(
        program.is_discontinued or program.stage == "DISCONTINUED" for program in asset.programs
    ):
        return Catalyst("None", "discontinued", "every company trial was stopped")
    if all(program.stage == "UNKNOWN" for program in asset.programs):
        return Catalyst("Unknown", "stage not reported", "no source states its stage")
    if not asset.is_live:
        return Catalyst("None", asset.programs[0].state_words, "nothing is under way")
    catalysts = list_catalysts(asset, origin, as_of, protected_until)
    if not catalysts:
        return NOTHING
    first = min(
        catalysts,
        key=lambda catalyst: (
            -catalyst.score,
            catalyst.date == "TBD",
            catalyst.date,
            catalyst.event,
        ),
    )
    is_typical = first.confidence == TYPICAL
    return replace(first, date="TBD", confidence="tbd") if is_typical else first


def list_catalysts(
    asset: Asset, origin: Origin | None, as_of: date, protected_until: str = ""
) -> list[Catalyst]:
    """Return every event ahead of a drug; see `next_catalyst` for the arguments."""
    dated = [_target_date(target_date, origin, as_of) for target_date in asset.target_dates]
    regions = {target_date.region for target_date in asset.target_dates}
    reviews = _typical_reviews(asset.programs, origin, as_of, regions)
    catalysts = [*dated, *_readouts(asset, origin, as_of), *reviews]
    catalysts = catalysts or [*_by_typical_times(asset.programs, origin, as_of)]
    if not catalysts and protected_until > as_of.isoformat():
        return [_expiry(asset, origin, as_of, protected_until)]
    return catalysts


def _target_date(due: TargetDate, origin: Origin | None, as_of: date) -> Catalyst:
    """Return the decision that a regulator means to make by a day."""
    day = last_day(due.due_on)
    is_late = day < as_of
    share = 1.0 if is_late else time_share((day - as_of).days)
    parts = _parts("regulatory_decision", "confirmed", origin, share)
    late = f" Overdue: no result found; the source is of {due.as_of}." if is_late else ""
    what = " ".join(filter(None, (due.region, "target action date", due.due_on)))
    about = f" ({due.indication})" if due.indication else ""
    decision = Catalyst(
        "Regulatory",
        f"{what}{about}",
        f"{what} for the {due.kind or 'application'}, as the company announced it.{late}",
        day.isoformat()[:7],
        "confirmed",
        record_ids=(due.record_id,),
        is_past_due=is_late,
    )
    return _made(decision, parts)


def _typical_reviews(
    programs: Iterable[Program], origin: Origin | None, as_of: date, dated: Collection[str]
) -> Iterable[Catalyst]:
    """Yield when a typical review of an application ends, in regions without a target date."""
    months = weight("catalyst.months_of_review")
    for program in programs:
        for stated in program.stages:
            if stated.stage != "FILED" or stated.is_over or program.is_discontinued:
                continue
            is_granted = any(
                other.stage == "APPROVED" and other.region == stated.region and not other.is_over
                for other in program.stages
            )
            if not stated.as_of or stated.region in dated or is_granted:
                continue
            is_year = len(stated.as_of) == len("2026")
            since = last_day(f"{stated.as_of}-12" if is_year else stated.as_of)
            verb = "submitted" if is_year else "under review on"
            where = f" to {stated.region}" if stated.region else ""
            yield _expected(
                "Regulatory",
                f"application{where} in {program.indication} under review, no target date found",
                f"typical time: {verb} {stated.as_of}, plus {months:g} months of a standard review "
                "at most; no target date found.",
                _Due("regulatory_decision", since + timedelta(days=months * _MONTH_DAYS)),
                (origin, as_of, stated.statement.record_ids),
            )


def _expiry(asset: Asset, origin: Origin | None, as_of: date, until: str) -> Catalyst:
    """Return the end of the last term of protection on record."""
    ids = [record_id for region in asset.regions for record_id in region.statement.record_ids]
    return _expected(
        "Commercial",
        "latest listed loss of exclusivity (LOE)",
        f"the last term that a register lists or the law gives ends on {until}.",
        _Due("commercial", last_day(until), "estimated"),
        (origin, as_of, tuple(dict.fromkeys(ids))[:3]),
    )


def _by_typical_times(
    programs: Iterable[Program], origin: Origin | None, as_of: date
) -> Iterable[Catalyst]:
    """Yield data of programs under way of which no trial tells a date: typical times in a phase.

    From the year in which the phase began, where it is told; else half of the time from the day
    on which the program is said to be in the phase, which is what remains on average.
    """
    for program in programs:
        if program.state != "live" or program.stage not in _DATA or not program.as_of:
            continue
        kind, phase = _DATA[program.stage]
        months = weight(f"catalyst.months_in_phase.{phase}")
        is_year = len(program.as_of) == len("2026")
        remaining = months if is_year else months / 2
        since = last_day(f"{program.as_of}-06" if is_year else program.as_of)
        stage = STAGE_WORDS[program.stage]
        how = "entered in" if is_year else "half of them left when listed on"
        ids = [x for stage in program.stages[:1] for x in stage.statement.record_ids]
        yield _expected(
            "Data",
            f"{stage} readout in {program.indication}, no dated trial found",
            f"typical time: assumes {months:g} months in {stage}, {how} {program.as_of}.",
            _Due(kind, since + timedelta(days=remaining * _MONTH_DAYS)),
            (origin, as_of, tuple(ids)[:3]),
        )


@dataclass(frozen=True)
class _Due:
    """When an event is due: its kind in the table of weights, the day, how sure, what if late."""

    kind: str
    on: date
    confidence: DateConfidence = TYPICAL
    late: str = " Overdue since {}: nothing reported."


def _expected(
    category: Category,
    event: str,
    why: str,
    due: _Due,
    origin_facts: tuple[Origin | None, date, tuple[str, ...]],
) -> Catalyst:
    """Return an event that is due on a day; undated where the day has passed.

    Only what a register or a law dates can be overdue; a typical time merely ends.
    """
    origin, as_of, record_ids = origin_facts
    is_past = due.on < as_of
    is_late = is_past and due.confidence != TYPICAL
    confidence: DateConfidence = "tbd" if is_past else due.confidence
    share = 1.0 if is_past else time_share((due.on - as_of).days)
    month = due.on.isoformat()[:7]
    late = due.late.format(month) if is_late else ""
    if due.confidence == TYPICAL:
        late = f" That time {'ended' if is_past else 'ends'} in {month}."
    day = "TBD" if is_past else month
    due_event = Catalyst(category, event, f"{why}{late}", day, confidence, record_ids=record_ids)
    parts = _parts(due.kind, confidence, origin, share)
    return _made(replace(due_event, is_past_due=is_late), parts)


def _readouts(asset: Asset, origin: Origin | None, as_of: date) -> Iterable[Catalyst]:
    """Yield the data that own trials may give: active ones, and those just completed."""
    seen: set[str] = set()
    for program in asset.programs:
        for trial in program.trials:
            is_candidate = trial.is_own and trial.state in _TO_COME
            if trial.number in seen or not is_candidate or is_extension(trial.title):
                continue
            seen.add(trial.number)
            if trial.phase in _DATA and trial.primary_completion_on:
                readout = _readout(trial, program, origin, as_of)
                if trial.is_active or not readout.is_past_due:
                    yield readout


def _readout(trial: ProgramTrial, program: Program, origin: Origin | None, as_of: date) -> Catalyst:
    kind, phase = _DATA[trial.phase]
    months = weight(f"catalyst.months_to_data.{phase}")
    expected = last_day(trial.primary_completion_on) + timedelta(days=months * _MONTH_DAYS)
    due = _Due(kind, expected, "estimated", " Overdue: no result reported.")
    return _expected(
        "Data",
        f"{phase_words(trial.phase)} readout in {program.indication} ({trial.number})",
        f"primary completion {trial.primary_completion_on} as registered, plus {months:g} "
        "months for a trial of this phase.",
        due,
        (origin, as_of, (trial.record_id,)),
    )


def time_share(days: int) -> float:
    """Return how much of an event's weight its distance leaves.

    >>> time_share(90), round(time_share(365), 3), time_share(4000)
    (1.0, 0.831, 0.5)
    """
    return 1.0 if days <= NEAR_DAYS else max(FLOOR, 1.0 - (days - NEAR_DAYS) / FADING_DAYS)


def last_day(text: str) -> date:
    """Return a day; a month and a year count to their last day.

    >>> last_day("2027-02").isoformat(), last_day("2027-02-10").isoformat()
    ('2027-02-28', '2027-02-10')
    """
    year, *numbers = (int(number) for number in text.split("-"))
    month, *of_month = numbers or (12,)
    if of_month:
        return date(year, month, of_month[0])
    following = date(year + month // 12, month % 12 + 1, 1)
    return following - timedelta(days=1)


def _parts(
    kind: str, confidence: DateConfidence, origin: Origin | None, share: float
) -> WeightParts:
    owner = origin.replace("-", "_") if origin else "unknown"
    return WeightParts(
        category=weight(f"catalyst.event.{kind}"),
        confidence=weight(f"catalyst.confidence.{confidence}"),
        ownership=weight(f"catalyst.ownership.{owner}"),
        time=round(share, 4),
    )


def _made(catalyst: Catalyst, parts: WeightParts) -> Catalyst:
    """Return a catalyst with its weight, score and band, and how they come about."""
    score = int(parts.category * parts.confidence * parts.ownership * parts.time + 0.5)
    shown = (
        f"Weight {parts.category:g} (event) x {parts.confidence:g} (date) x "
        f"{parts.ownership:g} (ownership) x {parts.time:.3g} (time)."
    )
    rationale = f"{catalyst.rationale} {shown}"
    return replace(catalyst, rationale=rationale, parts=parts, score=score, weight=band(score))


def band(score: int) -> Weight:
    """Return the band of a score.

    >>> band(80), band(79), band(40), band(1), band(0)
    ('very_high', 'high', 'medium', 'low', 'none')
    """
    for least, word in _BANDS:
        if score >= least:
            return word
    return "low" if score > 0 else "none"


def past_due(catalysts: Sequence[tuple[str, Catalyst]]) -> list[str]:
    """Return one warning that names the drugs whose data are past due."""
    late = [name for name, catalyst in catalysts if catalyst.is_past_due]
    if not late:
        return []
    return [
        f"past_due: results of {', '.join(late[:10])}{' and others' if len(late) > 10 else ''} "
        "were expected by now; no result found."
    ]
