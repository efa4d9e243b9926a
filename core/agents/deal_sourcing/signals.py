"""Signals: what happened to a drug or its owner that makes a deal worth a call, with its record."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain

from core.agents.deal_sourcing.records import SignalType
from core.agents.deal_sourcing.thesis import Thesis
from core.briefs.developments.linking import Linker
from core.briefs.developments.records import Development
from core.briefs.developments.scanning import merge_developments
from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.assets.target_match import matches
from core.evidence.entries.money import Amount
from core.evidence.names.companies import company_group, is_company
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.stop_reasons import BUSINESS, stop_class
from core.evidence_ports import EvidenceReader
from core.records.events import EventQuery, LinkedDrug
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


Signaled = tuple[tuple[str, str], Signal]
"""Key and name of a drug, with what happened to it."""


def find_candidates(
    thesis: Thesis, evidence: EvidenceReader, linker: Linker, resolver: Resolver, today: date
) -> list[Candidate]:
    """Return the drugs with a signal that the thesis asks for, before any check."""
    candidates: dict[str, Candidate] = {}
    requested_types = wanted_types(thesis)
    signals_by_type: dict[SignalType, Iterator[Signaled]] = {
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


def _stopped(
    thesis: Thesis, evidence: EvidenceReader, linker: Linker, today: date
) -> Iterator[Signaled]:
    """Yield stops of companies' trials for business reasons, and exits from pipelines."""
    types = (EventType.TRIAL_STOP, EventType.PIPELINE_EXIT)
    events = evidence.events(EventQuery(until=today.isoformat(), types=types, limit=100_000))
    some = [
        event
        for event in events
        if event.type == EventType.PIPELINE_EXIT
        or stop_class(event.lead.after.partition(": ")[2]) == BUSINESS
    ]
    developments = [each for each in linker.to_drugs(some) if _fits(each, thesis)]
    linked = linker.to_companies(merge_developments(developments))
    for development in _within(linked, thesis, linker):
        day, lead, company = development.day, development.event.lead, development.company
        drug = development.drugs[0]
        if development.type == EventType.PIPELINE_EXIT:
            signal = Signal("dropped from a pipeline", day, lead.record_id, company)
            yield (drug.key, drug.name), signal
        elif company:
            told = (development.sponsor, lead.after.partition(": ")[2], lead.subject)
            signal = Signal("stopped for business reasons", day, lead.record_id, *told)
            yield (drug.key, drug.name), signal


def _started(
    thesis: Thesis, evidence: EvidenceReader, linker: Linker, today: date
) -> Iterator[Signaled]:
    """Yield the newest trial starts of owners that are not listed."""
    query = EventQuery(
        since=STARTS_SINCE,
        until=today.isoformat(),
        types=(EventType.TRIAL_START,),
        limit=100_000,
    )
    begun = [
        event
        for event in evidence.events(query)
        if _may_be_home(thesis, *(name for each in event.companies[:1] for name in _named(each)))
    ]
    developments = [each for each in linker.to_drugs(begun) if _fits(each, thesis)]
    developments.sort(key=lambda development: (development.day, development.id), reverse=True)
    linked = linker.to_companies(merge_developments(developments[:MOST_STARTS]))
    unlisted = [
        each
        for each in linked
        if not each.ticker and each.sponsor and _may_be_home(thesis, each.company or each.sponsor)
    ]
    for development in _within(unlisted, thesis, linker):
        is_firm = development.company or is_company(development.sponsor)
        kind: SignalType = (
            "trial of a company not found listed" if is_firm else "trial of an academic sponsor"
        )
        if kind in wanted_types(thesis):
            drug, lead = development.drugs[0], development.event.lead
            told = (development.day, lead.record_id, development.sponsor, "", lead.subject)
            yield (drug.key, drug.name), Signal(kind, *told)


def _named(company: str) -> tuple[str, str]:
    return company_group(company), company


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


def _may_be_home(thesis: Thesis, *names: str) -> bool:
    """Return whether a company, by its first name that tells, is at home where it must be."""
    home = next(filter(None, map(home_of, names)), "")
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


def _unlicensed(thesis: Thesis, linker: Linker, resolver: Resolver) -> Iterator[Signaled]:
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
            yield (key, row.drug), Signal("no licensee found", "", row.record_id)


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
    return Counter(
        target
        for rows in known_by_key(resolver).values()
        for target in {row.target for row in rows if row.target}
    )
