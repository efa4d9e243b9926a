"""Records inside the answer: documents, compounds, likeness, scaffolds, own compounds."""

from typing import Annotated, Literal

from pydantic import Field

from core.briefs.records import SourceIds
from core.records.patents import Section, StructureMethod
from core.records.sources import AnswerStatus
from core.records.table import Table
from core.records.wire import Answer

State = Literal["crowded", "occupied", "known drug", "not drawn"]
Likeness = Annotated[float, Field(ge=0, le=1)]


class SimilarPair(Answer):
    """Two compounds by id and how alike they are."""

    a: str
    b: str
    tanimoto: Likeness


class PairTable(Table):
    """Pairs, the most similar first."""

    row_model = SimilarPair


Count = Annotated[int, Field(ge=0)]


class Similarity(Answer):
    """How alike the compounds are."""

    pairs: PairTable = Field(
        description="Pairs at or over the threshold, and each compound's best neighbor."
    )
    fingerprint: str
    threshold: float = Field(description="Least Tanimoto likeness of a pair that is listed.")
    n_found: Count = Field(description="Pairs before the cap.")


class MatrixCell(Answer):
    """How many compounds of an owner have a scaffold."""

    scaffold: str
    assignee: str
    n_compounds: Count
    n_claimed: Count


LegalWord = Literal["granted", "pending", "pct", "unknown"]


class Disclosure(Answer):
    """What a document disclosed first."""

    publication_number: str
    priority_on: str
    assignee: str
    legal: LegalWord
    n_compounds: Count
    n_first: Count = Field(description="Compounds that no earlier document of the sample draws.")
    source_ids: SourceIds


class Nearest(Answer):
    """The compound, or clinical compound, most like another."""

    id: str = Field(description="Id of the compound, or name of the clinical compound.")
    tanimoto: Likeness


class ClinicalRow(Answer):
    """A known clinical compound of the target."""

    name: str
    aliases: list[str]
    stage: str
    smiles: str = Field(description='"" means no structure is known.')
    inchikey: str
    structure_basis: str = Field(description="From what the structure was drawn, or why not.")
    match: str = Field(description='Compound of the map that it is; "" for none.')
    nearest: Nearest | None = Field(description="Compound of the map that is most like it.")
    n_near: Count = Field(description="Compounds of the map at or over the threshold.")
    as_of: str
    source_ids: SourceIds


class ClinicalBasis(Answer):
    """What the clinical reference rests on."""

    status: Literal["full", "local"] = Field(
        description="Full: every clinical compound of the evidence is compared; local: only "
        "those that are approved or in phase 2 and later."
    )
    message: str
    n_local: Count = Field(description="Compounds that are compared.")


class ScaffoldRow(Answer):
    """One scaffold of the map: who drew it, where, and until when that may last."""

    scaffold: str
    state: State
    reason: str
    n_compounds: Count
    n_claimed: Count = Field(description="Compounds drawn in the claims.")
    assignees: list[str]
    granted: list[str] = Field(description="Granted documents that draw it in the claims.")
    pending: list[str] = Field(description="Pending applications that draw it in the claims.")
    pct: list[str] = Field(description="International applications that draw it in the claims.")
    first_disclosed_on: str
    last_expiry_on: str = Field(
        description='Latest estimated expiry among the granted ones; "" where none is known.'
    )
    nearest_clinical: Nearest | None
    compound_ids: list[str] = Field(description="Its compounds, at most 50.")
    source_ids: SourceIds


class FreedomToOperate(Answer):
    """What is drawn in the claims of the sample: a reference, not legal advice."""

    notice: str
    basis: str = Field(description="Basis of the rows and what they cannot show.")
    scaffolds: list[ScaffoldRow]
    crowded: list[str] = Field(description="Scaffolds drawn in the claims of several owners.")
    not_drawn: list[str] = Field(
        description="Scaffolds of no known drug that no claim of this sample draws; claims outside "
        "it may."
    )


class Series(Answer):
    """Compounds of one scaffold and what varies on it."""

    id: str
    core: str = Field(description="SMILES with numbered attachment points.")
    n_members: Count
    n_decomposed: Count = Field(description="Members in the table; the rest do not fit the core.")
    positions: list[str] = Field(description="Positions at which more than one group is found.")
    message: str = Field(description='What was skipped; "" where nothing was.')


class GroupRow(Answer):
    """The group of one compound at one position of its series."""

    series: str
    compound_id: str
    position: str
    group: str = Field(description="SMILES; the attachment point is marked.")


class GroupTable(Table):
    """Groups by series, compound and position."""

    row_model = GroupRow


class MatchedPair(Answer):
    """Two compounds that differ in one group alone."""

    a: str
    b: str
    constant: str = Field(description="What they have in common.")
    group_a: str
    group_b: str


class MatchedPairTable(Table):
    """Matched pairs by compound."""

    row_model = MatchedPair


Role = Literal["claimed_example", "example", "intermediate", "comparator", "reagent", "piece"]
ROLES: tuple[Role, ...] = (
    "claimed_example",
    "example",
    "intermediate",
    "comparator",
    "reagent",
    "piece",
)
"""By rank; a piece is an R-group drawn alone, with an open end."""
ConfidenceWord = Literal["high", "medium", "low"]
MatchMode = Literal["exact", "stereo", "tautomer"]
SURE = 95
"""Score from which a structure counts as sure: a second witness confirms it."""


class AssigneeRow(Answer):
    """One owner of documents in the sample."""

    assignee: str = Field(description="Name for display; case and legal form are folded.")
    patent_count: Count
    raw_names: list[str] = Field(description="Names as the documents spell them.")
    candidate_count: Count = Field(description="Documents of this owner among the candidates.")
    compound_count: Count = Field(description="Compounds that its documents draw.")


class Place(Answer):
    """Where a document shows a structure."""

    publication_number: str
    location: str = Field(description="Such as “claims”, “description, Example 12”, “page 13”.")
    image_or_block: str = Field(description="CHEM id, name of the CDX file, or box of the crop.")
    section: Section = Field(description='Part of the document; "" where none is reported.')
    method: StructureMethod


class CompoundProperties(Answer):
    """Figures by which chemists sort compounds."""

    molecular_weight: float = Field(description="Average mass in daltons.")
    clogp: float = Field(description="Crippen's estimate of log P.")
    tpsa: float = Field(description="Topological polar surface area in square angstroms.")
    hbd: Count = Field(description="Hydrogen-bond donors.")
    hba: Count = Field(description="Hydrogen-bond acceptors.")
    rotors: Count = Field(description="Rotatable bonds.")


class Proof(Answer):
    """What speaks for a structure that was read from a picture."""

    file: str = Field(
        description='Crop, redraw and overlay in one picture; "" where none was saved.'
    )
    agreement: Likeness = Field(description="Share of the settings that gave this structure.")
    doubts: list[str] = Field(description="What in the picture does not fit the structure.")
    is_checked: bool = Field(description="Whether the ink could be compared with the structure.")


class Repair(Answer):
    """What a drawing that lost heteroatoms may show; the compound stays as it was delivered."""

    name: str = Field(description="Known drug with the same skeleton.")
    smiles: str
    inchikey: str
    reason: str = Field(description="What differs, and from where the drug's structure is.")


class Compound(Answer):
    """One molecule, with every place at which it was found."""

    id: str
    smiles: str = Field(description="Canonical SMILES of the parent molecule.")
    inchikey: str
    patents: list[Place] = Field(description="All places, the claims first.")
    extraction_method: StructureMethod = Field(description="Of the earliest source.")
    confidence: ConfidenceWord
    confidence_score: Annotated[int, Field(ge=0, le=100)] = Field(
        description="100 times the estimated probability that the structure is right."
    )
    witnesses: list[str] = Field(
        default_factory=list, description="What gave the structure, and what confirms it."
    )
    doubts: list[str] = Field(
        default_factory=list, description="What speaks against the structure as delivered."
    )
    repair: Repair | None = Field(
        default=None, description="Known drug that it may be; null where nothing was lost."
    )
    claimed: bool = Field(description="Whether it is drawn in the claims of a document.")
    role: Role
    role_reason: str = Field(description="By which rule it has this role.")
    label: str = Field(description='Example or compound number; "" where none is reported.')
    same_skeleton: list[str] = Field(description="Ids that differ in stereo or charge alone.")
    scaffold: str = Field(description='Murcko scaffold as SMILES; "" for a chain.')
    cluster: Count = Field(description="Number of its cluster; 0 is the largest.")
    xy: list[float] = Field(description="Two coordinates in the plane of the map.")
    properties: CompoundProperties
    assignees: list[str] = Field(description="Owners of the documents that draw it.")
    first_disclosed_on: str = Field(
        description='Earliest priority date of a document that draws it; "" where none is reported.'
    )
    first_disclosed_in: str = Field(description='That document; "" where no date is reported.')
    nearest_clinical: Nearest | None = Field(
        description="Clinical compound most like it; null where none has a structure."
    )
    proof: Proof | None = Field(description="For a structure read from a picture; else null.")
    source_ids: SourceIds


class GenericDrawing(Answer):
    """A drawing that stands for many molecules, or a reaction: never among the compounds."""

    smiles: str
    kind: Literal["generic", "reaction", "bracketed"]
    publication_number: str
    location: str
    image_or_block: str
    section: Section
    method: StructureMethod
    n_places: Count = Field(description="How often it is drawn in this document.")


class MemberLeftOut(Answer):
    """A document of a chosen document's family that was left out in its favor."""

    publication_number: str
    reason: str


class PatentRow(Answer):
    """One document of the sample."""

    publication_number: str
    title: str
    assignee: str = Field(description='First owner; "" where the document names none.')
    year: int | None = Field(description="Year of publication; null where none is reported.")
    family: str
    why_selected: str
    kind: str = Field(description="Kind code, such as B2.")
    legal: LegalWord = Field(
        description="Granted, pending application, international application; unknown for uploads."
    )
    priority_on: str = Field(description='Earliest priority date; "" where none is reported.')
    published_on: str
    estimated_expiry_on: str = Field(
        description="Earliest non-provisional filing + 20 years; adjustment, extension and lapse "
        'are not checked; "" where that filing is not known.'
    )
    members_dropped: list[MemberLeftOut]
    mentions: list[str] = Field(description="Sections in which the target is named.")
    named_as: str = Field(
        default="",
        description="Name of the target's family where the document writes that alone, else empty.",
    )
    action: str = Field(
        default="",
        description="What title or abstract say is done to the target, such as “inhibitor” or "
        "“degrader”; empty where they do not say.",
    )
    n_structures: Count = Field(description="Strings that its sources delivered.")
    n_compounds: Count
    n_claimed: Count = Field(description="Compounds drawn in its claims.")
    n_crops: Count = Field(description="Image crops read; 0 is normal.")
    sources_used: list[StructureMethod]
    url: str
    source_ids: SourceIds


class PatentLeftOut(Answer):
    """A candidate that was not taken."""

    publication_number: str
    title: str
    assignee: str
    reason: str


class MentionedPatent(Answer):
    """A document that mentions the target and is not on it; its compounds are not in the map."""

    publication_number: str
    title: str
    assignee: str = Field(description='First owner; "" where the document names none.')
    role: Literal["biomarker", "partner", "other"] = Field(
        description="What the target is there: a biomarker, the target of a combination partner, "
        "or neither."
    )
    reason: str = Field(
        default="", description="How the document names it, such as “list of genes”."
    )
    url: str
    source_ids: SourceIds


class Funnel(Answer):
    """What became of the strings: raw = over_cap + unreadable + parsed; parsed = the rest."""

    raw: Count
    over_cap: Count = Field(description="Beyond the most strings read of one document.")
    unreadable: Count = Field(description="Empty, damaged or too large.")
    parsed: Count
    generic: Count = Field(description="With R-groups or dummy atoms, or part of a reaction.")
    small: Count = Field(description="Fewer than 12 heavy atoms, or no carbon.")
    reagent: Count = Field(description="In the table of reagents, or in many unrelated documents.")
    repeated: Count = Field(description="The same molecule at a further place.")
    unique: Count


class UploadRow(Answer):
    """What became of a file of the caller."""

    file: str
    kind: Literal["patent", "compounds"]
    n_pages: Count
    n_crops: Count = Field(description="Drawings found on the pages read.")
    n_read: Count = Field(description="Structures read from drawings.")
    n_names: Count = Field(default=0, description="Systematic names read as structures.")
    message: str = Field(description='What was skipped; "" where all was read.')


class ClaimAnswer(Answer):
    """How an own compound stands to what the claims of one document draw."""

    publication_number: str
    answer: Literal["in", "out", "cannot tell"] = Field(
        description="In: drawn, or has the fixed part of an R-group drawing; what R-groups may be "
        "is not read. Out: lacks what every drawing fixes."
    )
    reason: str


class OwnCompound(Answer):
    """One of the caller's own compounds against the map."""

    name: str
    smiles: str = Field(description='Parent molecule; "" where the entry could not be read.')
    inchikey: str
    verdict: Literal["molecule", "generic", "small", "reagent", "unreadable"]
    match: str = Field(description='Compound of the map that is the same; "" for none.')
    match_places: list[str] = Field(description="Documents and places of that compound.")
    match_claimed: bool
    nearest: Nearest | None = Field(description="Most similar compound of the map.")
    nearest_claimed: Nearest | None = Field(description="Most similar compound drawn in claims.")
    is_new: bool | None = Field(
        description="False: a document of the sample draws it, or its skeleton with carbons in "
        "place of its heteroatoms, or it is a known drug. True: none does, each document draws "
        "compounds, and none has R-group drawings that may cover it; it need not be novel. Null: "
        "the documents cannot answer."
    )
    claims: list[ClaimAnswer] = Field(
        default_factory=list, description="Documents by how their claims stand to it, at most ten."
    )
    n_in: Count = Field(default=0, description="Documents with claim drawings that it fits.")
    n_cannot_tell: Count = Field(default=0, description="Documents for which it is unknown.")
    n_out: Count = Field(default=0, description="Documents whose claim drawings it does not fit.")
    finding: str


class SourceAnswerRow(Answer):
    """What one source answered."""

    source: str
    origin: Literal["local", "live"]
    status: AnswerStatus
    asked_at: str
    count: Count
    message: str
