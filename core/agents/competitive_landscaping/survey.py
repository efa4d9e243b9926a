"""What the memo and the tables are written from, and the words that their parts share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.agents.competitive_landscaping.completeness import Lists, read_lists
from core.agents.competitive_landscaping.ranking import Mode, Ranked
from core.agents.competitive_landscaping.records import SourceLine
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.agents.competitive_landscaping.scope import Asked, Scope
from core.briefs.crowding import Event, Open, Place, Share, records_of
from core.briefs.recent import Recent
from core.briefs.skeleton import Dossier, Found
from core.briefs.subjects import Drug
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.parsed import ParsedText
from core.records.programs import USE_MATCHES
from core.records.stages import STAGES


@dataclass(frozen=True, kw_only=True)
class Landscape(Found[Ranked]):
    """The drugs by rank, and what they come to.

    Attributes:
        scope: What was asked, with the targets of drugs that the query names.
        by_mode: Drugs per mode that was run.
        groups: What became of each group of sources.
        places: Density, fullest first.
        shares: Drugs per company, most first.
        hhi: Concentration.
        opens: Indications without an active program at phase 2 or later.
        events: Readouts ahead.
        recent: What happened within a year.
    """

    scope: Scope
    by_mode: Mapping[Mode, int]
    groups: Sequence[SourceLine]
    places: Sequence[Place]
    shares: Sequence[Share]
    hhi: float | None
    opens: Sequence[Open]
    events: Sequence[Event]
    recent: Sequence[Recent]


Survey = Dossier[CompetitiveLandscapingRequest, Asked, Landscape]


def lists_of(survey: Survey) -> Lists:
    """Return which list of a body has each drug."""
    return read_lists(survey.found.scope, survey.found.subjects, survey.records)


def by_stage(drugs: Iterable[Ranked]) -> list[Ranked]:
    """Return drugs by stage, the furthest first; otherwise their order stays.

    Those that are known to meet every condition of the question come before the others. Of approved
    drugs, those in use for decades, those without a day and those of a wider use come last, and
    those of the very disease asked for before those of a kind of it, each the newest first.
    """
    return sorted(
        drugs,
        key=lambda drug: (
            bool(drug.not_known),
            STAGES.index(drug.stage),
            drug.match == "wider",
            *_among_approved(drug),
        ),
    )


_UNDATED = 2
"""Behind what is new (0) and old (1)."""


def _among_approved(drug: Ranked) -> tuple[int, int, int]:
    if drug.stage != "APPROVED":
        return 0, 0, 0
    is_old = drug.board.is_long_approved or drug.standing != "under way"
    age = int(is_old) if drug.asset.first_approved_on else _UNDATED
    return age, USE_MATCHES.index(drug.match), drug.lead


MOST_OWNERS = 2


def with_owner(drug: Drug) -> tuple[str, list[str]]:
    """Return a drug with its companies in parentheses, and the names in that text."""
    owners = drug.owners[:MOST_OWNERS]
    return (f"{drug.name} ({', '.join(owners)})" if owners else drug.name), [drug.name, *owners]


def listed(words: Sequence[str], most: int = 6) -> str:
    """Return words as a list in running text."""
    shown = [unmark(word) for word in words[:most]]
    if len(words) > most:
        return f"{', '.join(shown)} and others"
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1]))) if shown else ""


def carrying_records(drug: Drug) -> list[str]:
    """Return the records that carry a drug's stage."""
    return list(dict.fromkeys([*records_of(drug.programs[0]), *drug.asset.record_ids]))[:2]


def shares_target(drug: Drug, described: ParsedText) -> bool:
    """Return whether a drug acts on a gene that the candidate asset acts on."""
    genes = {key for target in described.targets for key in target.gene_keys if key}
    names = {target.text for target in described.targets}
    return any(
        genes & set(link.target.gene_keys) or link.target.text in names
        for link in drug.asset.targets
    )


def shares_modality(drug: Drug, described: ParsedText) -> bool:
    """Return whether a drug is of the kind that the candidate asset is of."""
    modality = drug.asset.modality
    return modality is not None and any(word in modality.text for word in described.modalities)
