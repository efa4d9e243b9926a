"""What the lines of an answer are about, with all that may be cited and named of it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from core.evidence.assets.roles import owners_of
from core.evidence.proof.cells import Cell, cells_of_asset
from core.evidence.proof.claims import unmark
from core.records.programs import Asset, Program, ProgramTrial
from core.records.stages import STAGES, Stage
from core.vocabulary.stages import Phase, phase_of
from core.vocabulary.untold import UNTOLD

MOST_INDICATIONS = 6
MOST_OWN = 3
"""Own trials of a program that a row may cite where no statement carries its stage."""


class Subject(Protocol):
    """A drug, trial, label or event that gets a line."""

    @property
    def name(self) -> str:
        """Name for display, in which nothing is a citation."""

    @property
    def is_expert_only(self) -> bool:
        """Whether its main statement rests on curators' own knowledge alone."""

    def cells(self) -> Iterable[Cell]:
        """Return what the cells of its line rest on."""

    def record_ids(self) -> Iterable[str]:
        """Return every record that its line or a claim about it may cite."""

    def names(self) -> Mapping[str, set[str]]:
        """Return the names by which claims speak of it, with the records that do so."""

    def words(self) -> Iterable[str]:
        """Return phrases with digits that state nothing, such as names of its diseases."""


@dataclass(frozen=True)
class Drug:
    """A drug as the subject of a line; an agent adds its own fields and what they rest on.

    Attributes:
        asset: The drug.
        programs: Those of its programs that the question is about, the furthest first.
    """

    asset: Asset
    programs: tuple[Program, ...]

    @property
    def name(self) -> str:
        """Name for display."""
        return unmark(self.asset.name)

    @property
    def owners(self) -> list[str]:
        """Companies whose it is today."""
        return owners_of(self.asset)

    @property
    def stage(self) -> Stage:
        """Highest stage of its programs; where every one was stopped, it is discontinued."""
        return min(
            (program.shown_stage for program in self.programs), key=STAGES.index, default="UNKNOWN"
        )

    @property
    def phase(self) -> Phase:
        """Phase under which its stage is shown."""
        return phase_of(self.stage)

    @property
    def trials(self) -> list[ProgramTrial]:
        """Trials of its programs, each once, by number."""
        trials = {trial.number: trial for program in self.programs for trial in program.trials}
        return [trials[number] for number in sorted(trials)]

    @property
    def active_trials(self) -> list[ProgramTrial]:
        """Its own trials that are under way."""
        return [trial for trial in self.trials if trial.is_active and trial.is_own]

    @property
    def indications(self) -> str:
        """Its first indications; what a register leaves open counts only where all is."""
        stated = [unmark(program.indication) for program in self.programs if program.indication]
        names = list(dict.fromkeys(stated))
        names = [name for name in names if name not in UNTOLD] or names
        more = len(names) - MOST_INDICATIONS
        return "; ".join(names[:MOST_INDICATIONS]) + (f" and {more} more" if more > 0 else "")

    @property
    def is_expert_only(self) -> bool:
        """Whether its target rests on curators' own knowledge alone."""
        links = self.asset.targets
        return bool(links) and all(link.mechanism.is_expert for link in links)

    def cells(self) -> list[Cell]:
        """Return its target, kind, companies and stages."""
        return cells_of_asset(self.asset, self.programs)

    def record_ids(self) -> set[str]:
        """Return the records of its statements and of its first trials."""
        asset = self.asset
        ids = set(asset.record_ids[:1])
        statements = [role.statement for role in asset.companies]
        statements += [link.mechanism for link in asset.targets]
        statements += [asset.modality] if asset.modality else []
        for program in self.programs:
            own_ids = [trial.record_id for trial in program.trials if trial.is_own]
            ids |= {*own_ids[:MOST_OWN], *(trial.record_id for trial in program.trials[:1])}
            statements += [stated.statement for stated in program.stages]
        return ids | {record_id for statement in statements for record_id in statement.record_ids}

    def names(self) -> dict[str, set[str]]:
        """Return its name and the numbers of its trials."""
        trials = [trial for program in self.asset.programs for trial in program.trials]
        named = {self.name: {*self.asset.record_ids, *(trial.record_id for trial in trials)}}
        for trial in trials:
            named.setdefault(trial.number, set()).add(trial.record_id)
        return named

    def words(self) -> Iterator[str]:
        """Yield its indications."""
        yield from (unmark(program.indication) for program in self.asset.programs)
