"""Signals: what happened to a drug or its owner that makes a deal worth a call, with its record."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain

from core.agents.deal_sourcing.kinds import SignalType
from core.agents.deal_sourcing.thesis import Thesis
from core.briefs.developments.linking import Linker
from core.briefs.developments.records import Development
from core.briefs.developments.scanning import merge_developments
from core.evidence.assets.curators_drugs import KnownDrug, known_by_key
from core.evidence.assets.target_match import matches
from core.evidence.entries.money import Amount
from core.evidence.names.companies import company_group, is_company
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.stop_reasons import BUSINESS, stop_class
from core.evidence_ports import EvidenceReader
from core.records.events import Event, EventQuery, LinkedDrug
from core.vocabulary.company_homes import home_of, is_in
from core.vocabulary.event_types import EventType

STARTS_SINCE = "2022-01-01"
"""First day of the trials by which small owners are found."""
MOST_STARTS = 1_200
"""Trial starts that are linked where a thesis names neither target nor kind, the newest."""


@dataclass(frozen=True)
class Signal:
    """What happened.

    Attributes:
        type: What kind it is of.
        day: When; "" where no source tells a day.
        record_id: The record; "" where the curators' own knowledge alone carries it.
        sponsor: Who ran the trial, as written.
        reason: Why it was stopped, as written.
        number: The trial, or the grant; "" elsewhere.
        amount: What was raised or given; None where the record states no amount.
    """

    type: SignalType
    day: str
    record_id: str
    sponsor: str = ""
    reason: str = ""
    number: str = ""
    amount: Amount | None = None


@dataclass
class Candidate:
    """A drug with its signals, not yet checked.

    Attributes:
        key: The drug.
        name: Its name.
        signals: What happened.
    """

    key: str
    name: str
    signals: list[Signal] = field(default_factory=list)

    @property
    def newest(self) -> str:
        """Return the day of the newest signal."""
        return max((signal.day for signal in self.signals), default="")


def find_candidates(
    thesis: Thesis, evidence: EvidenceReader, linker: Linker, resolver: Resolver, today: date
) -> list[Candidate]:
    """Return the drugs with a signal that the thesis asks for, before any check."""
    candidates: dict[str, Candidate] = {}
    requested_types = wanted_types(thesis)
    signals_by_type: dict[SignalType, Iterator[tuple[tuple[str, str], Signal]]] = {
        "stopped for business reasons": _stopped(thesis, evidence, linker, today),
        "no licensee found": _unlicensed(thesis, linker, resolver),
        "trial of a company not found listed": _started(thesis, evidence, linker, today),
    }
    for drug, signal in chain(
        *(made for kind, made in signals_by_type.items() if kind in requested_types)
    ):
        candidate = candidates.setdefault(drug[0], Candidate(*drug))
        if signal not in candidate.signals:
            candidate.signals.append(signal)
    return sorted(
        candidates.values(), key=lambda candidate: (candidate.name.casefold(), candidate.key)
    )


def _stopped(
    thesis: Thesis, evidence: EvidenceReader, linker: Linker, today: date
) -> Iterator[tuple[tuple[str, str], Signal]]:
    for development in _stops(thesis, evidence, linker, today):
        for drug in development.drugs[:1]:
            yield (drug.key, drug.name), _stop_of(development)


def _unlicensed(
    thesis: Thesis, linker: Linker, resolver: Resolver
) -> Iterator[tuple[tuple[str, str], Signal]]:
    for key, row in _of_homes(thesis, linker, resolver):
        yield (key, row.drug), Signal("no licensee found", "", row.record_id)


def _started(
    thesis: Thesis, evidence: EvidenceReader, linker: Linker, today: date
) -> Iterator[tuple[tuple[str, str], Signal]]:
    for development in _starts(thesis, evidence, linker, today):
        kind = _start_type(development)
        if kind in wanted_types(thesis):
            for drug in development.drugs[:1]:
                yield (drug.key, drug.name), _start_of(development, kind)


def wanted_types(thesis: Thesis) -> frozenset[SignalType]:
    """Return the kinds of signals that a thesis asks for; all where it names none."""
    if thesis.conflicts or thesis.parsed.unknown_diseases or "exclusivity" in thesis.signals:
        return frozenset()
    if thesis.stop:
        return frozenset({"stopped for business reasons", "dropped from a pipeline"})
    if "academic" in thesis.owners:
        return frozenset({"trial of an academic sponsor", "trial of a company not found listed"})
    if thesis.owners or thesis.signals:
        return frozenset({"trial of a company not found listed"})
    if thesis.partner:
        return frozenset({"no licensee found", "trial of a company not found listed"})
    return frozenset(
        {
            *("stopped for business reasons", "dropped from a pipeline"),
            *("no licensee found", "trial of a company not found listed"),
        }
    )


def _stops(
    thesis: Thesis, evidence: EvidenceReader, linker: Linker, today: date
) -> Iterator[Development]:
    """Yield stops of companies' trials for business reasons, and exits from pipelines."""
    types = (EventType.TRIAL_STOP, EventType.PIPELINE_EXIT)
    events = evidence.events(EventQuery(until=today.isoformat(), types=types, limit=100_000))
    some = [
        event
        for event in events
        if event.type == EventType.PIPELINE_EXIT
        or stop_class(event.lead.after.partition(": ")[2]) == BUSINESS
    ]
    developments = [
        development for development in linker.to_drugs(some) if _fits(development, thesis)
    ]
    for development in _within(
        linker.to_companies(merge_developments(developments)), thesis, linker
    ):
        if development.company or development.type == EventType.PIPELINE_EXIT:
            yield development


def _starts(
    thesis: Thesis, evidence: EvidenceReader, linker: Linker, today: date
) -> Iterator[Development]:
    query = EventQuery(
        since=STARTS_SINCE,
        until=today.isoformat(),
        types=(EventType.TRIAL_START,),
        limit=100_000,
    )
    begun = [event for event in evidence.events(query) if _may_be_home(event, thesis)]
    developments = [
        development for development in linker.to_drugs(begun) if _fits(development, thesis)
    ]
    developments.sort(key=lambda development: (development.day, development.id), reverse=True)
    linked = linker.to_companies(merge_developments(developments[:MOST_STARTS]))
    nearby_developments = [
        development
        for development in linked
        if not development.ticker and development.sponsor and _is_home(development, thesis)
    ]
    yield from _within(nearby_developments, thesis, linker)


def _within(
    developments: Sequence[Development], thesis: Thesis, linker: Linker
) -> Iterator[Development]:
    """Yield what is of a disease asked for."""
    if not thesis.areas:
        yield from developments
        return
    for development in linker.to_diseases(developments):
        if any(
            disease.key in area.keys or area.names_in(disease.name)
            for disease in development.diseases
            for area in thesis.areas
        ):
            yield development


def _may_be_home(event: Event, thesis: Thesis) -> bool:
    """Return whether the first company of a trial may be at home where the thesis asks for one."""
    group = company_group(event.companies[0]) if event.companies else ""
    home = home_of(group) or home_of(event.companies[0] if group else "")
    return not thesis.regions or any(is_in(home, region) for region in thesis.regions)


def _is_home(development: Development, thesis: Thesis) -> bool:
    """Return whether the sponsor may be at home where the thesis asks for one."""
    home = home_of(development.company or development.sponsor)
    return not thesis.regions or any(is_in(home, region) for region in thesis.regions)


def _fits(development: Development, thesis: Thesis) -> bool:
    return bool(development.drugs) and fits(development.drugs[0], thesis)


def fits(drug: LinkedDrug, thesis: Thesis) -> bool:
    """Return whether a drug may be what a thesis asks for, as far as target and kind tell."""
    parsed = thesis.parsed
    if thesis.targets and not any(matches(t, w) for t in drug.targets for w in thesis.targets):
        return False
    if parsed.drugs and drug.key not in {named.key for named in parsed.drugs}:
        return False
    if parsed.modalities and drug.modality and drug.modality not in parsed.modalities:
        return False
    return (
        not (parsed.modalities and not drug.modality) and drug.modality not in parsed.not_modalities
    )


def _of_homes(
    thesis: Thesis, linker: Linker, resolver: Resolver
) -> Iterator[tuple[str, KnownDrug]]:
    """Yield drugs whose originator is at home where the thesis asks, in Asia by default."""
    regions = thesis.regions or ("Asia",)
    rows_of = {
        key: row
        for key, rows in known_by_key(resolver).items()
        for row in rows[:1]
        if row.originator and any(is_in(home_of(row.originator), region) for region in regions)
    }
    linked = linker.links.drugs({row.drug for row in rows_of.values()})
    for key, row in rows_of.items():
        if any(fits(drug, thesis) for drug in linked.get(row.drug, ())[:1]):
            yield key, row


def _stop_of(development: Development) -> Signal:
    lead = development.event.lead
    if development.type == EventType.PIPELINE_EXIT:
        return Signal(
            "dropped from a pipeline", development.day, lead.record_id, development.company
        )
    reason = lead.after.partition(": ")[2]
    return Signal(
        "stopped for business reasons",
        development.day,
        lead.record_id,
        development.sponsor,
        reason,
        lead.subject,
    )


def _start_type(development: Development) -> SignalType:
    if development.company or is_company(development.sponsor):
        return "trial of a company not found listed"
    return "trial of an academic sponsor"


def _start_of(development: Development, kind: SignalType) -> Signal:
    lead = development.event.lead
    return Signal(kind, development.day, lead.record_id, development.sponsor, "", lead.subject)


def order_candidates(candidates: Iterable[Candidate], most: int) -> Sequence[Candidate]:
    """Return the candidates to check: newest signals first, of each kind in turn."""
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.signals[0].type, []).append(candidate)
    lines = [
        sorted(group, key=lambda candidate: candidate.newest, reverse=True)
        for _, group in sorted(groups.items())
    ]
    turns = max(map(len, lines), default=0)
    chosen = [line[turn] for turn in range(turns) for line in lines if turn < len(line)]
    return chosen[:most]


def density_by_target(resolver: Resolver) -> Mapping[str, int]:
    """Return how many drugs the curators' table has of each target."""
    counts: dict[str, int] = {}
    for rows in known_by_key(resolver).values():
        for target in {row.target for row in rows if row.target}:
            counts[target] = counts.get(target, 0) + 1
    return counts
