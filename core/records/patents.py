"""Patent documents, the structures delivered with them, and a selection among them."""

from dataclasses import dataclass
from typing import Literal

from core.records.sources import AnswerStatus

Legal = Literal["granted", "pending", "pct"]
Section = Literal["claims", "description", "abstract", ""]
DrawnPart = Literal["molecule", "reaction", "bracketed", ""]
StructureMethod = Literal["cdx", "mol", "surechembl", "name", "image"]
Naming = Literal["title", "claims", "abstract", "description"]


@dataclass(frozen=True, slots=True)
class TargetNames:
    """How a target is called in patents.

    Attributes:
        symbol: Its approved symbol.
        names: Symbol, other symbols and names, as printed, without repeats, the symbol first.
        contextual: Those of all names here that are also words (MET, CAT) or too short to stand
            alone: they count in capitals and near a context word only.
        relatives: Symbols of other genes of its family (HRAS, NRAS for KRAS): a document that
            names them, and never this target, is not of the target.
        ambiguous: Approved symbols of other genes that bear one of `names`.
        family: Names of families that it is a member of (JAK for JAK1).
        members: Names of the other members of these families (JAK2, TYK2).
    """

    symbol: str
    names: tuple[str, ...]
    contextual: tuple[str, ...] = ()
    relatives: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    family: tuple[str, ...] = ()
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PatentDocument:
    """One published patent document, with what is needed to choose among many.

    Attributes:
        publication_number: As the source writes it, without blanks and commas, kind included,
            such as "US12345678B2".
        kind: Kind code, such as "B2".
        country: Two letters of the office.
        title: Its title.
        abstract: Its abstract; "" where the source holds none.
        assignees: Raw names of owners, in the source's order.
        applicants: Raw names of applicants; they are not owners.
        filed_on: Day of the application itself, YYYY-MM-DD; None where not told.
        published_on: Day of publication.
        priority_on: Earliest filing day of the application and all it claims from.
        earliest_nonprovisional_on: Earliest filing day among the application and those of its
            parents that are no provisionals; None where that cannot be known.
        family: Key of the family: the DOCDB family, else the PCT or parent number that its
            members share, else the application's own number.
        family_members: Publication numbers of other members that the source names, sorted.
        cpc: CPC symbols.
        ipc: IPC symbols.
        legal: Granted, pending application, or international application.
        mentions: Sections in which the target is named, strongest first.
        named_as: Name of its family where the document writes that alone; "" where it names the
            target itself.
        n_attachments: Drawings delivered as chemistry; 0 where there are none.
        record_id: Record of the evidence pack; "" for a live answer.
        url: Where a reader finds the document.
        source: Short name of the source, such as "uspto_chem".
        retrieved_at: Day or instant at which it was taken from the source.
        licence: Terms of the data.
    """

    publication_number: str
    kind: str
    country: str
    title: str
    abstract: str = ""
    assignees: tuple[str, ...] = ()
    applicants: tuple[str, ...] = ()
    filed_on: str | None = None
    published_on: str | None = None
    priority_on: str | None = None
    earliest_nonprovisional_on: str | None = None
    family: str = ""
    family_members: tuple[str, ...] = ()
    cpc: tuple[str, ...] = ()
    ipc: tuple[str, ...] = ()
    legal: Legal = "pending"
    mentions: tuple[Naming, ...] = ()
    named_as: str = ""
    n_attachments: int = 0
    record_id: str = ""
    url: str = ""
    source: str = ""
    retrieved_at: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class RawStructure:
    """One structure exactly as a source delivered it: not parsed, perhaps empty or generic.

    Attributes:
        publication_number: The document it stands in.
        text: SMILES, CXSMILES or MOL block.
        section: Part of the document; "" where the source does not say.
        location: The place in words: "claims", "description, Example 12", "page 13".
        block: CHEM id, name of the CDX file, or crop box.
        method: How it became a structure.
        label: Example or compound number; "" where none is told.
        part: Whether the drawing stands alone, in a reaction or in brackets (a polymer); ""
            where the source delivers text only.
    """

    publication_number: str
    text: str
    section: Section
    location: str
    block: str
    method: StructureMethod
    label: str = ""
    part: DrawnPart = ""


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line or paragraph of a document.

    Attributes:
        text: As the source has it.
        page: Page of a PDF, from 1; 0 where there are no pages.
    """

    text: str
    page: int = 0


@dataclass(frozen=True, slots=True)
class PatentText:
    """The text of one section of a document, line by line."""

    section: Section
    lines: tuple[TextLine, ...]


@dataclass(frozen=True, slots=True)
class SourceAnswer:
    """What one source answered to one question, for the warnings.

    Attributes:
        source: Short name of the source.
        origin: Whether it was asked over the network or is held by this instance.
        status: How it answered.
        asked_at: When it was asked; for local records, when they were imported.
        count: Documents (or documents with structures) that came back.
        message: Error or limit in words; "" for a plain answer.
        relatives: Publication numbers of documents that were left out, for they name other members
            of the target's family and never the target or the family, with the name they write.
    """

    source: str
    origin: Literal["local", "live"]
    status: AnswerStatus
    asked_at: str
    count: int
    message: str = ""
    relatives: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class MemberDropped:
    """A member of a chosen document's family that was left out in its favor."""

    publication_number: str
    reason: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """A document of the sample.

    Attributes:
        document: The document.
        why_selected: The reason in words.
        members_dropped: Members of its family left out in its favor.
    """

    document: PatentDocument
    why_selected: str
    members_dropped: tuple[MemberDropped, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped:
    """A document that was not chosen, and why."""

    document: PatentDocument
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The sample, in the order in which it was chosen, and what was left out."""

    chosen: tuple[Chosen, ...] = ()
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class ClinicalCompound:
    """A clinical compound of the target.

    Attributes:
        name: Preferred name.
        names: Other names.
        stage: Highest stage, one of the contract's stage words.
        structure: SMILES, or the likeliest systematic name that identity holds, to draw it from;
            "" for none.
        structure_kind: What `structure` is; "none" is shown as "no structure".
        record_ids: Records that tell the stage.
        as_of: Day for which the stage is told; "" where unknown.
        key: Key of the drug in identity; "name:…" where it has none there.
        modality: Word of the modality table; "" where nothing tells it.
        is_expert: Whether only a curator's own knowledge carries the stage.
        further_structures: Other systematic names of it and of its salts, which vote.
    """

    name: str
    names: tuple[str, ...]
    stage: str
    structure: str
    structure_kind: Literal["smiles", "systematic_name", "none"]
    record_ids: tuple[str, ...] = ()
    as_of: str = ""
    key: str = ""
    modality: str = ""
    is_expert: bool = False
    further_structures: tuple[str, ...] = ()
