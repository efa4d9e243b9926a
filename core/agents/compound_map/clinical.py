"""Known clinical compounds of the target, and which compound of the map is nearest to each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.agents.compound_map.ranking import Ranked
from core.agents.compound_map.records import ClinicalRow, Nearest
from core.chemistry.names import has_java
from core.chemistry.similarity import THRESHOLD, Bits, measure_likeness, read_fingerprints
from core.chemistry.structures import Structure
from core.evidence.names.identity.drug_structures import NO_STRUCTURE, Way, choose_structure
from core.evidence.proof.citations import Citations
from core.evidence.proof.claims import unmark
from core.records.patents import ClinicalCompound

LATE_STAGES = frozenset({"APPROVED", "FILED", "PHASE3", "PHASE2_3", "PHASE2"})
"""Stages that are compared even without the full landscape."""
_DECIMALS = 4
_WAYS: Mapping[Way, str] = {
    "written": "",
    "repaired": ", with an error or sign of the register repaired",
    "flat": ", without stereo, which could not be read",
}


@dataclass(frozen=True)
class Reference:
    """Clinical compounds with what their structures came to.

    Attributes:
        compounds: As the evidence layer tells them.
        structures: One each; without a SMILES where none is held or can be read.
        prints: Fingerprints of those with a structure.
        places: Their places among the compounds.
        needs_java: How many have a name that only Java could draw.
        ways: In which way each name was read.
    """

    compounds: Sequence[ClinicalCompound]
    structures: Sequence[Structure]
    prints: Bits
    places: Sequence[int]
    needs_java: int = 0
    ways: Mapping[str, Way] = field(default_factory=dict)


def choose_clinical(
    compounds: Sequence[ClinicalCompound], *, is_full: bool
) -> list[ClinicalCompound]:
    """Return the compounds that are compared; without the full landscape the late ones alone."""
    return [compound for compound in compounds if is_full or compound.stage in LATE_STAGES]


def say_basis(*, is_full: bool) -> str:
    """Say which clinical compounds of the evidence are compared."""
    if is_full:
        return "Every clinical compound of the evidence is compared, early and stopped ones too."
    return "Only compounds that are approved or in phase 2 and later are compared, as requested."


def names_of(compounds: Sequence[ClinicalCompound]) -> list[str]:
    """Return the systematic names from which structures are drawn."""
    named = (compound for compound in compounds if compound.structure_kind == "systematic_name")
    return [
        name for clinical in named for name in (clinical.structure, *clinical.further_structures)
    ]


def read_reference(
    chosen: Sequence[ClinicalCompound],
    drawn: Mapping[str, str],
    ways: Mapping[str, Way] | None = None,
) -> Reference:
    """Return the reference.

    Args:
        chosen: Clinical compounds of the target that are compared.
        drawn: SMILES by systematic name.
        ways: In which way each name was read.
    """
    n_named = sum(compound.structure_kind == "systematic_name" for compound in chosen)
    read = [_read(compound, drawn) for compound in chosen]
    structures = [structure for _, structure in read]
    both, read_ways = zip(chosen, read, strict=True), ways or {}
    places = [index for index, structure in enumerate(structures) if structure.smiles]
    prints = read_fingerprints([structures[index].smiles for index in places])
    return Reference(
        chosen,
        structures,
        prints,
        places,
        0 if has_java() else n_named,
        {clinical.structure: read_ways[name] for clinical, (name, _) in both if name in read_ways},
    )


def _read(compound: ClinicalCompound, drawn: Mapping[str, str]) -> tuple[str, Structure]:
    """Return the structure of a clinical compound and its text; nothing is guessed."""
    if compound.structure_kind == "none":
        return "", NO_STRUCTURE
    if compound.structure_kind == "smiles":
        return choose_structure([compound.structure], {compound.structure: compound.structure})
    return choose_structure([compound.structure, *compound.further_structures], drawn)


def find_nearest(reference: Reference, prints: Bits) -> list[Nearest | None]:
    """Return the clinical compound nearest to each compound; None where none has a structure."""
    if not reference.places or not len(prints):
        return [None] * len(prints)
    likeness = measure_likeness(prints, reference.prints)
    best = likeness.argmax(axis=1)
    return [
        Nearest(
            id=unmark(reference.compounds[reference.places[int(column)]].name),
            tanimoto=round(float(likeness[row, column]), _DECIMALS),
        )
        for row, column in enumerate(best)
    ]


def list_reference(
    reference: Reference, compounds: Sequence[Ranked], prints: Bits, citations: Citations
) -> list[ClinicalRow]:
    """Return the clinical compounds with the compound of the map that is nearest to each."""
    by_key = {compound.molecule.structure.inchikey: compound.id for compound in compounds}
    has_both = bool(reference.places) and len(compounds) > 0
    likeness = (
        measure_likeness(reference.prints, prints) if has_both else np.zeros((0, 0), np.float32)
    )
    rows = []
    for index, clinical in enumerate(reference.compounds):
        structure = reference.structures[index]
        line = reference.places.index(index) if structure.smiles else -1
        values = likeness[line] if has_both and line >= 0 else None
        rows.append(
            ClinicalRow(
                name=unmark(clinical.name),
                aliases=[unmark(name) for name in clinical.names],
                stage=clinical.stage,
                smiles=structure.smiles,
                inchikey=structure.inchikey,
                structure_basis=_say_basis(clinical, structure, reference.ways),
                match=by_key.get(structure.inchikey, "") if structure.smiles else "",
                nearest=None if values is None else _nearest_of(values, compounds),
                n_near=0 if values is None else int(np.count_nonzero(values >= THRESHOLD)),
                as_of=clinical.as_of,
                source_ids=[citations.cite(record_id) for record_id in clinical.record_ids[:3]],
            )
        )
    return rows


def _nearest_of(values: np.ndarray, compounds: Sequence[Ranked]) -> Nearest:
    best = int(values.argmax())
    return Nearest(id=compounds[best].id, tanimoto=round(float(values[best]), _DECIMALS))


def _say_basis(compound: ClinicalCompound, structure: Structure, ways: Mapping[str, Way]) -> str:
    """Say from what a structure was drawn, or why there is none."""
    if structure.smiles and compound.structure_kind == "smiles":
        return "structure available"
    if structure.smiles:
        return f"drawn from its systematic name{_WAYS[ways.get(compound.structure, 'written')]}"
    if compound.structure_kind == "systematic_name":
        reason = "cannot be read as a structure" if has_java() else "needs Java to be drawn"
        return f"no structure: its systematic name {reason}"
    return "no structure available"
