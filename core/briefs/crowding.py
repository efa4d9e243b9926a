"""Where the field is crowded, who holds it, where it is open, and what comes next."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from core.briefs.subjects import Drug
from core.evidence.assets.roles import owner_role
from core.records.programs import Program, ProgramTrial
from core.vocabulary.stages import PHASE_BANDS, PhaseBand, band_of

MOST_SPONSORS = 10
MOST_RECORDS = 3
PIPELINE = "pipeline:"
MOST_STOPPED = 3
"""Stopped drugs that are named of an indication."""
TARGET_UNKNOWN = "not known"


@dataclass(frozen=True)
class Place:
    """Drugs at one place of target, phase band and indication."""

    target: str
    band: PhaseBand
    indication: str
    drugs: tuple[str, ...]
    record_ids: tuple[str, ...]


@dataclass(frozen=True)
class Share:
    """Drugs of one company."""

    company: str
    drugs: tuple[str, ...]
    record_ids: tuple[str, ...]


@dataclass(frozen=True)
class Open:
    """An indication in which nothing is active at phase 2 or later."""

    indication: str
    reason: str
    record_ids: tuple[str, ...]


@dataclass(frozen=True)
class Event:
    """A readout that an active trial may give."""

    drug: Drug
    program: Program
    trial: ProgramTrial


def years_from(as_of: date, number: int) -> str:
    """Return the day some years later; of the last days of a month the 28th.

    >>> years_from(date(2028, 2, 29), -1)
    '2027-02-28'
    """
    return date(as_of.year + number, as_of.month, min(as_of.day, 28)).isoformat()


def records_of(program: Program) -> list[str]:
    """Return the records that carry a program's stage."""
    carrying = [stage.statement for stage in program.stages if stage.stage == program.stage]
    carrying_ids = [record_id for statement in carrying for record_id in statement.record_ids]
    ids = [trial.record_id for trial in program.trials if trial.is_own]
    return list(dict.fromkeys([*carrying_ids, *ids]))[:MOST_RECORDS]


def find_density(drugs: Iterable[Drug]) -> list[Place]:
    """Return how many drugs stand at each target, phase band and indication, fullest first."""
    stands: dict[tuple[str, PhaseBand, str], dict[str, list[str]]] = defaultdict(dict)
    for drug in drugs:
        targets = [link.target.text for link in drug.asset.targets] or [TARGET_UNKNOWN]
        for program in drug.programs:
            band = band_of(program.shown_stage)
            if band is None or not program.indication:
                continue
            for target in targets:
                stands[(target, band, program.indication)][drug.name] = records_of(program)
    places = [
        Place(
            target,
            band,
            indication,
            tuple(sorted(names)),
            tuple(
                dict.fromkeys(record_id for name in sorted(names) for record_id in names[name][:1])
            ),
        )
        for (target, band, indication), names in stands.items()
    ]
    return sorted(
        places,
        key=lambda niche: (
            -len(niche.drugs),
            niche.target,
            PHASE_BANDS.index(niche.band),
            niche.indication,
        ),
    )


def find_shares(drugs: Iterable[Drug]) -> list[Share]:
    """Return the drugs of each company, most first; discontinued ones do not count."""
    owned: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for drug in drugs:
        role = owner_role(drug.asset)
        if role and band_of(drug.stage):
            owned[role.company][drug.name] = role.statement.record_ids[:1]
    shares = [
        Share(
            company,
            tuple(sorted(names)),
            tuple(dict.fromkeys(record_id for name in sorted(names) for record_id in names[name])),
        )
        for company, names in owned.items()
    ]
    return sorted(shares, key=lambda share: (-len(share.drugs), share.company))


def concentration(shares: Sequence[Share]) -> float | None:
    """Return the sum of squared shares, 0 to 1; None without a company.

    References:
        Herfindahl-Hirschman index, here over counts of drugs.
    """
    total = sum(len(share.drugs) for share in shares)
    if not total:
        return None
    return round(sum((len(share.drugs) / total) ** 2 for share in shares), 4)


def find_open(drugs: Iterable[Drug], related: Callable[[str], Collection[str]]) -> list[Open]:
    """Return indications whose every known program was stopped, the best tried first.

    Programs in its kinds and in wider diseases count as programs in it: none of them may be known
    as anything but stopped. Silence proves nothing, nor does an early program; and only diseases
    that the identity pack knows count, since another name may be another spelling of one held.

    Args:
        drugs: Drugs with their programs.
        related: Returns the keys of a disease, its kinds and the wider ones.
    """
    programs: dict[str, list[tuple[str, Program]]] = defaultdict(list)
    labels: dict[str, str] = {}
    for drug in drugs:
        for program in drug.programs:
            programs[program.indication_key].append((drug.name, program))
            labels.setdefault(program.indication_key, program.indication)
    unclear = any(not program.is_discontinued for _, program in programs.pop("", ()))
    gaps: list[tuple[int, Open]] = []
    for key, own_programs in programs.items() if not unclear else ():
        related_programs = [
            entry for other in sorted(related(key)) for entry in programs.get(other, ())
        ]
        if all(program.is_discontinued for _, program in related_programs):
            ids = tuple(
                dict.fromkeys(
                    record_id for _, program in own_programs for record_id in records_of(program)
                )
            )
            names = ", ".join(sorted({name for name, _ in own_programs})[:MOST_STOPPED])
            reason = f"no active program at phase 2 or later: {names} discontinued"
            gaps.append((-len(own_programs), Open(labels[key], reason, ids[:MOST_RECORDS])))
    return [gap for _, gap in sorted(gaps, key=lambda entry: (entry[0], entry[1].indication))]


def find_events(drugs: Iterable[Drug], as_of: date) -> list[Event]:
    """Return the readouts that active own trials may give within a year, soonest first."""
    end = years_from(as_of, 1)
    events: dict[tuple[str, str], Event] = {}
    for drug in drugs:
        for program in drug.programs:
            for trial in program.trials:
                day = trial.primary_completion_on
                ahead = as_of.isoformat()[: len(day)] <= day <= end[: len(day)]
                if trial.is_active and trial.is_own and day and ahead:
                    event = Event(drug, program, trial)
                    events.setdefault((drug.asset.key, trial.number), event)
    return sorted(
        events.values(),
        key=lambda event: (
            event.trial.primary_completion_on,
            event.drug.name,
            event.trial.number,
        ),
    )
