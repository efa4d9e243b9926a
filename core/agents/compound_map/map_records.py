"""Records of the map: likeness, scaffolds, owners, time, series, clinical compounds, claims."""

from typing import Literal

from pydantic import Field

from core.agents.compound_map.records import Count, LegalWord, Likeness, Nearest
from core.briefs.records import SourceIds
from core.records.table import Table
from core.records.wire import Answer

State = Literal["crowded", "occupied", "known drug", "not drawn"]


class SimilarPair(Answer):
    """Two compounds by id and how alike they are."""

    a: str
    b: str
    tanimoto: Likeness


class PairTable(Table):
    """Pairs, the most similar first."""

    row_model = SimilarPair


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


class Disclosure(Answer):
    """What a document disclosed first."""

    publication_number: str
    priority_on: str
    assignee: str
    legal: LegalWord
    n_compounds: Count
    n_first: Count = Field(description="Compounds that no earlier document of the sample draws.")
    source_ids: SourceIds


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
