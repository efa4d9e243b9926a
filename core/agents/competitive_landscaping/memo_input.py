"""What the memo is written from, and the words that its parts share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from core.agents.competitive_landscaping.completeness import Lists
from core.agents.competitive_landscaping.crowding import Event, Open, Place, Share
from core.agents.competitive_landscaping.ranking import Ranked
from core.agents.competitive_landscaping.scope import Candidate, Scope
from core.evidence.assets.roles import owners_of
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.parsed import ParsedText
from core.records.evidence import Fact
from core.records.stages import STAGES


@dataclass(frozen=True)
class MemoInput:
    """What the memo is written from.

    Attributes:
        scope: What was asked for.
        described: The candidate asset as understood; None where none was described.
        ranked: The drugs by rank.
        events: Readouts ahead.
        places: Density, fullest first.
        shares: Drugs per company, most first.
        hhi: Concentration.
        opens: Indications without an active program at phase 2 or later.
        lists: Which list has each drug.
        facts: Facts of the pack by number.
        as_of: The run's day.
        n_excluded: Candidates that were not taken.
    """

    scope: Scope
    described: ParsedText | None
    ranked: Sequence[Ranked]
    events: Sequence[Event]
    places: Sequence[Place]
    shares: Sequence[Share]
    hhi: float | None
    opens: Sequence[Open]
    lists: Lists
    facts: Mapping[int, Fact]
    as_of: date
    n_excluded: int = 0

    @property
    def candidates(self) -> list[Candidate]:
        """Return the drugs by rank."""
        return [one.candidate for one in self.ranked]


def by_stage(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return drugs by stage, the furthest first; within a stage their order stays."""
    return sorted(candidates, key=lambda one: STAGES.index(one.stage))


def with_owner(candidate: Candidate) -> tuple[str, list[str]]:
    """Return a drug with its company in brackets, and the names in that text."""
    found = owners_of(candidate.asset)[:1]
    name = candidate.asset.name
    return (f"{name} ({found[0]})" if found else name), [name, *found]


def listed(words: Sequence[str], most: int = 6) -> str:
    """Return words as a list in running text."""
    shown = [unmark(word) for word in words[:most]]
    if len(words) > most:
        return f"{', '.join(shown)} and others"
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1]))) if shown else ""


def carrying_records(candidate: Candidate) -> list[str]:
    """Return the records that carry a drug's stage."""
    program = candidate.programs[0]
    ids = [
        record_id
        for one in program.stages
        if one.stage == program.stage
        for record_id in one.statement.record_ids
    ]
    ids += [trial.record_id for trial in program.trials if trial.is_own]
    return list(dict.fromkeys([*ids, *candidate.asset.record_ids]))[:2]


def shares_target(candidate: Candidate, described: ParsedText) -> bool:
    """Return whether a drug acts on a gene that the candidate asset acts on."""
    genes = {key for target in described.targets for key in target.gene_keys if key}
    names = {target.text for target in described.targets}
    return any(
        genes & set(link.target.gene_keys) or link.target.text in names
        for link in candidate.asset.targets
    )


def shares_modality(candidate: Candidate, described: ParsedText) -> bool:
    """Return whether a drug is of the kind that the candidate asset is of."""
    found = candidate.asset.modality
    return found is not None and any(
        word == found.text or word in found.text for word in described.modalities
    )
