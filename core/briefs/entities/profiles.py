"""One record per drug for every page: programs, origin, catalyst, protection, board facts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.briefs.board import NOTHING, Board, find_boards, find_protections
from core.briefs.developments.records import Development
from core.briefs.developments.scanning import find_developments
from core.briefs.entities.identifying import Library
from core.briefs.portfolio.catalysts import Catalyst, list_catalysts, next_catalyst
from core.briefs.portfolio.companies import Company
from core.briefs.portfolio.holdings import OwnDrug, Provenance, trace_origin
from core.briefs.subjects import Drug
from core.records.entities import Entity, Scope
from core.records.events import EventQuery
from core.records.evidence import Record
from core.records.programs import Program, ProgramTrial
from core.records.stages import STAGES

MOST_EVENTS = 200
NO_ORIGIN = Provenance(None, "", ())


@dataclass(frozen=True)
class DrugProfile(OwnDrug):
    """A drug as pages show it; `programs` are those that the page is about.

    Attributes:
        catalysts: Every event ahead, the earliest first, overdue ones last.
        board: Brand, furthest trial, rights and terms.
        scope: How close it is to what a field page asks for.
        why: What sets it apart from an exact match; "" for an exact one.
    """

    catalysts: tuple[Catalyst, ...] = ()
    board: Board = NOTHING
    scope: Scope = "narrow"
    why: str = ""

    @property
    def entity(self) -> Entity:
        """Return under what its page opens."""
        return Entity("drug", self.asset.key, self.name)

    @property
    def targets(self) -> list[str]:
        """Return what it acts on, each once."""
        return list(dict.fromkeys(link.target.text for link in self.asset.targets))

    @property
    def modality(self) -> str:
        """Return its modality; "" where it is not known."""
        return self.asset.modality.text if self.asset.modality else ""

    @property
    def is_active(self) -> bool:
        """Return whether something is under way, or it is on a market."""
        return any(program.state == "live" for program in self.programs)

    @property
    def own_trials(self) -> list[ProgramTrial]:
        """Return the trials of its companies, the newest first."""
        own_trials = (trial for trial in self.trials if trial.is_own)
        return sorted(own_trials, key=lambda trial: (trial.start_on, trial.number), reverse=True)

    @property
    def top_program(self) -> Program | None:
        """Return the program that carries its stage."""
        return min(
            self.programs, key=lambda program: STAGES.index(program.shown_stage), default=None
        )

    def stage_records(self) -> tuple[str, ...]:
        """Return the records that carry its stage: statements first, else its own trials."""
        program = self.top_program
        if program is None:
            return ()
        stated = [
            record_id
            for stage in program.stages
            if stage.stage == program.stage
            for record_id in stage.statement.record_ids[:2]
        ]
        own_ids = [trial.record_id for trial in program.trials if trial.is_own]
        return tuple(dict.fromkeys(stated or own_ids))[:3]


@dataclass(frozen=True)
class Reach:
    """Why a drug is on a page.

    Attributes:
        drug: The drug with the programs that the page is about.
        scope: How close it is to what is asked for.
        why: What sets it apart from an exact match.
    """

    drug: Drug
    scope: Scope = "narrow"
    why: str = ""


def profile_drugs(
    reached: Iterable[Reach], library: Library, company: Company | None = None
) -> list[DrugProfile]:
    """Return drugs with all that pages show of them, in their order.

    Args:
        reached: The drugs.
        library: Evidence, names and the day.
        company: The company that the page is about: origins are told as seen from it.
    """
    known_reaches = list(reached)
    day = library.as_of
    protections = find_protections(
        [known_reach.drug.asset for known_reach in known_reaches], library.evidence
    )
    boards = find_boards([known_reach.drug for known_reach in known_reaches], library.evidence, day)
    profiles = []
    for reach in known_reaches:
        asset = reach.drug.asset
        until = protections.get(asset.key)
        last_on = until.last_on if until else ""
        provenance = trace_origin(asset, company) if company else NO_ORIGIN
        shown = replace(asset, programs=reach.drug.programs)
        ahead = list_catalysts(shown, provenance.origin, day, last_on) if shown.is_live else []
        ahead.sort(key=lambda each: (each.date == "TBD", each.date, -each.score))
        profiles.append(
            DrugProfile(
                asset=asset,
                programs=reach.drug.programs,
                provenance=provenance,
                catalyst=next_catalyst(shown, provenance.origin, day, last_on),
                protection=until,
                catalysts=tuple(ahead),
                board=boards.get(asset.key, NOTHING),
                scope=reach.scope,
                why=reach.why,
            )
        )
    return profiles


def find_events(drugs: Sequence[DrugProfile], library: Library) -> tuple[Development, ...]:
    """Return what happened to drugs up to the day, the newest first; of trials only their own."""
    others = {trial.record_id for drug in drugs for trial in drug.trials if not trial.is_own}
    ids = {
        record_id for drug in drugs for record_id in (*drug.asset.record_ids, *drug.record_ids())
    } - others
    if not ids:
        return ()
    query = EventQuery(
        until=library.as_of.isoformat(), record_ids=tuple(sorted(ids)), limit=MOST_EVENTS * 5
    )
    developments = find_developments(query, library.evidence, library.resolver)
    past = [development for development in developments if development.first_on <= library.as_of]
    past.sort(key=lambda development: (development.day, development.id), reverse=True)
    return tuple(past[:MOST_EVENTS])


def cited_records(
    drugs: Iterable[DrugProfile], events: Iterable[Development], library: Library
) -> Mapping[str, Record]:
    """Return the records that a page may cite, by id, without their text."""
    ids = {record_id for drug in drugs for record_id in drug.record_ids()}
    ids |= {record_id for event in events for record_id in event.record_ids}
    return library.evidence.records(sorted(ids))
