"""What the memo and the tables are written from, and the sentences around them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.agents.competitive_landscaping.completeness import Lists, read_lists
from core.agents.competitive_landscaping.ranking import Mode, Ranked, in_order
from core.agents.competitive_landscaping.records import RelevanceCriteria, SourceLine
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.agents.competitive_landscaping.scope import Asked, Scope, unknown_names
from core.briefs.crowding import Event, Open, Place, Share, records_of
from core.briefs.recent import Recent
from core.briefs.skeleton import Dossier, Found
from core.briefs.subjects import Drug
from core.evidence.assets.roles import owners_where
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.parsed import ParsedText, notices_of
from core.records.evidence import Record
from core.records.programs import USE_MATCHES
from core.records.stages import STAGES


def relevance(question: Asked) -> RelevanceCriteria:
    """Return in a sentence per mode what makes a drug relevant."""
    parsed, scope = question.query, question.scope
    parts = [
        ("acts on ", [target.text for target in parsed.targets], " or "),
        ("shares a target with ", [drug.label for drug in parsed.drugs], " or "),
        ("is a ", list(parsed.modalities), " or "),
        ("is not a ", list(parsed.not_modalities), " or "),
        ("has a program in ", [scope.label] if scope.label else [], ", "),
    ]
    phrases = [f"{words}{joint.join(names)}" for words, names, joint in parts if names]
    core = " and ".join(phrases) or "has a record with the words of the query (low relevance)"
    return RelevanceCriteria(
        clinical=f"A drug that {core}; drugs with active trials and later phases come first.",
        preclinical=f"A drug that {core}; preclinical and discovery assets come first.",
    )


def unclear(question: Asked, request: CompetitiveLandscapingRequest) -> Iterator[str]:
    """Yield what was not understood of a request, or narrows nothing."""
    yield from map(unmark, notices_of(question.query))
    yield from _of_names(question)
    for area in (area for areas in question.scope.areas for area in areas):
        kinds = len(area.keys) - 1
        if kinds > 0:
            noun = "subtype" if kinds == 1 else "subtypes"
            yield (
                f"kinds_counted: programs in {area.label} and its {kinds:,} {noun} count; trials "
                "registered under a broader disease do not."
            )
    if question.scope.words:
        yield (
            f"indication_unknown: {_quote(question.scope.words)} is no disease known here; "
            "programs are kept whose indication has these words."
        )
    if question.query.lines:
        yield (
            f"line_not_filtered: {', '.join(question.query.lines)} chooses figures; records rarely "
            "say the line of a program, so that it leaves out no drug."
        )
    described = question.described
    if described is not None and not described.names_something and not described.modalities:
        yield (
            "candidate_not_understood: the description names no known target, drug, disease or "
            "kind of drug; the memo cannot be written against it."
        )


def warn_of_wider(drugs: Sequence[Ranked]) -> Iterator[str]:
    """Say how many drugs are shown for a use wider than the disease asked for."""
    wider = sum(drug.match == "wider" for drug in drugs)
    if wider:
        drug = "1 drug is" if wider == 1 else f"{wider:,} drugs are"
        yield (
            f"wider_use: {drug} approved, with a listed use that is broader than the requested "
            "disease; the label itself may name a narrower one, so check it."
        )


def _of_names(question: Asked) -> Iterator[str]:
    query = question.query
    if unknown := unknown_names(question.scope):
        yield (
            f"no_match: {_quote(unknown)} is no target, drug or disease known here, so nothing was "
            "selected; correct the name or leave it out."
        )
        return
    if query.names_something:
        if query.words:
            yield f"not_understood: {_quote(query.words)} narrowed nothing."
        return
    if query.modalities:
        yield (
            f"kind_alone: no target, drug or disease is named; drugs of this type "
            f"{', '.join(query.modalities)} are those of the curators' table, and none where it "
            "has too many of them to look at."
        )
        return
    hint = (
        f"; nearest known names: {', '.join(map(unmark, question.nearest))}"
        if question.nearest
        else ""
    )
    words = _quote(query.words) or "the query"
    yield (
        f"no_match: {words} is no target, drug or disease known here, so that only the words of "
        f"records were searched and relevance is low{hint}."
    )


def _quote(words: Sequence[str]) -> str:
    return ", ".join(f"“{unmark(word)}”" for word in words[:12])


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
        publications: Papers and abstracts of meetings that live sources found.
        early: Early assets on the targets asked for: they get lines, and nothing is said of them.
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
    publications: Sequence[Record] = ()
    early: Sequence[Ranked] = ()

    @property
    def shown(self) -> Sequence[Ranked]:
        """Return what gets a line, by rank."""
        return in_order([*self.subjects, *self.early]) if self.early else self.subjects


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


def with_owner(drug: Drug, regions: Collection[str] = ()) -> tuple[str, list[str]]:
    """Return a drug with its companies in parentheses, and the names in that text.

    Args:
        drug: The drug.
        regions: Regions whose approvals the sentence states; none names all owners.
    """
    owners = (owners_where(drug.asset, regions) if regions else drug.owners)[:MOST_OWNERS]
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
