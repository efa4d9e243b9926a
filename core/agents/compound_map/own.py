"""The caller's own compounds: is each drawn in the sample, and what is nearest to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.agents.compound_map.freedom import MOST_COMPARED, Claims, ClaimsRead, judge_claims
from core.agents.compound_map.ranking import Ranked
from core.agents.compound_map.reading import reagent_keys
from core.agents.compound_map.records import MatchMode, Nearest, OwnCompound
from core.agents.compound_map.schema import CompoundMapRequest
from core.chemistry.libraries import (
    LARGEST_FILE,
    MOST_COMPOUNDS,
    Entry,
    find_formula,
    match_key,
    read_library,
)
from core.chemistry.lost_labels import blind_key, has_lost_atoms
from core.chemistry.similarity import Bits, measure_likeness, read_fingerprints
from core.chemistry.structures import Structure, read_structure
from core.evidence.proof.claims import unmark
from core.knowledge.drug_structures import drugs_by_skeleton
from core.records.patents import PatentDocument
from core.workbench import RunContext

_DECIMALS = 4
_SAME = {
    "exact": "the same molecule",
    "stereo": "the same molecule but for stereo",
    "tautomer": "the same molecule but for tautomers",
}


@dataclass(frozen=True)
class OwnRead:
    """The caller's compounds as read."""

    entries: Sequence[Entry] = ()
    structures: Sequence[Structure] = ()
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class _Match:
    """Compounds of the map beside an own one.

    Attributes:
        same: The same molecule.
        alike: One of the same skeleton with carbons where the own one has heteroatoms.
        drug: Known drug that it is, whatever the documents draw; "" for none.
        nearest: The most similar one.
        nearest_claimed: The most similar one drawn in claims.
    """

    same: Ranked | None
    alike: Ranked | None
    drug: str
    nearest: Nearest | None
    nearest_claimed: Nearest | None


def read_own(request: CompoundMapRequest, context: RunContext) -> OwnRead:
    """Return the caller's compounds; nothing where none were sent.

    Raises:
        UnreadableTable: The file is no list of compounds.
    """
    if request.compounds_file_id is None:
        return OwnRead()
    with context.files.open(request.compounds_file_id) as body:
        library = read_library(body.read(LARGEST_FILE + 1))
    structures = [read_structure(entry.smiles, reagent_keys()) for entry in library.entries]
    warnings = []
    if library.is_cut:
        warnings.append(
            f"own_compounds_cut: the first {MOST_COMPOUNDS:,} compounds of the file were read."
        )
    if len(structures) > MOST_COMPARED:
        warnings.append(
            f"own_claims_cut: the first {MOST_COMPARED} of {len(structures):,} compounds are "
            "compared with the drawings of claims."
        )
    unread = sum(structure.verdict == "unreadable" for structure in structures)
    if unread:
        warnings.append(
            f"own_compounds_unreadable: {unread} of {len(structures)} entries are no structure."
        )
    return OwnRead(library.entries, structures, warnings)


def compare_own(
    own_compounds: OwnRead,
    compounds: Sequence[Ranked],
    prints: Bits,
    mode: MatchMode,
    claims: Claims,
    documents: Sequence[PatentDocument],
) -> list[OwnCompound]:
    """Return each own compound with its match, its nearest neighbors and the claims it is in.

    `mode`: when two are the same. `claims`: what the claims of the sample draw; the first 500
    compounds are held against them.
    """
    same = _find_same(own_compounds.structures, compounds, mode)
    alike = _find_alike(own_compounds.structures, compounds)
    days = sorted(document.published_on for document in documents if document.published_on)
    span = f" published {days[0]} to {days[-1]}" if days else ""
    drawn = {number for compound in compounds for number in compound.molecule.documents}
    is_drawn = bool(documents) and all(each.publication_number in drawn for each in documents)
    reach = f"{len(documents):,} document{'' if len(documents) == 1 else 's'}{span}"
    readable = [
        index for index, structure in enumerate(own_compounds.structures) if structure.inchikey
    ]
    nearest = _find_near([own_compounds.structures[index] for index in readable], compounds, prints)
    by_place = dict(zip(readable, nearest, strict=True))
    stored_claimses = {
        index: judge_claims(
            own_compounds.structures[index].smiles, own_compounds.structures[index].inchikey, claims
        )
        for index in readable[:MOST_COMPARED]
    }
    none: tuple[Nearest | None, Nearest | None] = (None, None)
    return [
        _describe(
            entry,
            structure,
            _Match(
                same.get(index),
                alike.get(index),
                _find_drug(structure, mode),
                *by_place.get(index, none),
            ),
            mode,
            stored_claimses.get(index),
            reach,
            is_drawn=is_drawn,
        )
        for index, (entry, structure) in enumerate(
            zip(own_compounds.entries, own_compounds.structures, strict=True)
        )
    ]


def _find_same(
    structures: Sequence[Structure], compounds: Sequence[Ranked], mode: MatchMode
) -> Mapping[int, Ranked]:
    """Return the compound of the map that is the same, by place; keys only where formulas meet."""
    formulas = [
        find_formula(structure.smiles) if structure.inchikey else "" for structure in structures
    ]
    own_formulas = {formula for formula in formulas if formula}
    stored_compounds: dict[str, Ranked] = {}
    for compound in compounds:
        if own_formulas and find_formula(compound.smiles) in own_formulas:
            stored_compounds.setdefault(match_key(compound.molecule.structure, mode), compound)
    keys = (match_key(structure, mode) for structure in structures)
    return {
        index: stored_compounds[key]
        for index, key in enumerate(keys)
        if key and key in stored_compounds
    }


def _find_near(
    structures: Sequence[Structure], compounds: Sequence[Ranked], prints: Bits
) -> list[tuple[Nearest | None, Nearest | None]]:
    """Return the nearest compound, and the nearest one drawn in claims, of each."""
    if not structures or not compounds:
        return [(None, None)] * len(structures)
    likeness = measure_likeness(
        read_fingerprints([structure.smiles for structure in structures]), prints
    )
    claimed = np.array([compound.is_claimed for compound in compounds])
    in_claims = np.where(claimed[None, :], likeness, -1.0)
    return [
        (_pick(likeness[row], compounds), _pick(in_claims[row], compounds))
        for row in range(len(structures))
    ]


def _pick(values: np.ndarray, compounds: Sequence[Ranked]) -> Nearest | None:
    best = int(values.argmax())
    if values[best] < 0:
        return None
    return Nearest(id=compounds[best].id, tanimoto=round(float(values[best]), _DECIMALS))


def _find_alike(
    structures: Sequence[Structure], compounds: Sequence[Ranked]
) -> Mapping[int, Ranked]:
    """Return the compound that has carbons where an own one has heteroatoms alone, by place."""
    graphs = {
        index: blind_key(structure.smiles)
        for index, structure in enumerate(structures)
        if structure.inchikey
    }
    drawn: dict[str, list[Ranked]] = {}
    for compound in compounds if graphs else ():
        drawn.setdefault(blind_key(compound.smiles), []).append(compound)
    matches = {}
    for index, graph in graphs.items():
        full = structures[index].smiles
        lost = (
            compound for compound in drawn.get(graph, ()) if has_lost_atoms(compound.smiles, full)
        )
        if alike := next(lost, None):
            matches[index] = alike
    return matches


def _find_drug(structure: Structure, mode: MatchMode) -> str:
    """Return the known drug that a compound is; "" for none."""
    drugs = drugs_by_skeleton().get(structure.skeleton, ()) if structure.inchikey else ()
    is_loose = mode != "exact"
    return next(
        (drug.drug for drug in drugs if is_loose or drug.inchikey == structure.inchikey), ""
    )


def _describe(
    entry: Entry,
    structure: Structure,
    match: _Match,
    mode: MatchMode,
    compared: ClaimsRead | None,
    reach: str,
    *,
    is_drawn: bool,
) -> OwnCompound:
    same, claims = match.same, compared or ClaimsRead()
    is_new: bool | None = None
    if same is not None or match.alike is not None or match.drug:
        is_new = False
    elif structure.inchikey and is_drawn and compared is not None and not compared.n_open:
        is_new = True
    return OwnCompound(
        name=unmark(entry.name),
        smiles=structure.smiles,
        inchikey=structure.inchikey,
        verdict=structure.verdict,
        match=same.id if same else "",
        match_places=[
            unmark(" ".join((delivered.raw.publication_number, delivered.raw.location)))
            for delivered in (same.molecule.places if same else ())
        ],
        match_claimed=same.is_claimed if same else False,
        nearest=match.nearest,
        nearest_claimed=match.nearest_claimed,
        is_new=is_new,
        claims=list(claims.answers),
        n_in=(claims.counts or {}).get("in", 0),
        n_cannot_tell=(claims.counts or {}).get("cannot tell", 0),
        n_out=(claims.counts or {}).get("out", 0),
        finding=_find_words(structure, match, mode, reach) + _say_claims(same, claims),
    )


def _say_claims(same: Ranked | None, claims: ClaimsRead) -> str:
    """Say in which claims a compound is that they do not draw themselves."""
    named = [answer.publication_number for answer in claims.answers if answer.answer == "in"]
    if not named or (same is not None and same.is_claimed):
        return ""
    more = (claims.counts or {}).get("in", 0) - 3
    listing = ", ".join(named[:3]) + (f" and {more} more" if more > 0 else "")
    return f"; fits R-group drawings in the claims of {listing}"


def _find_words(structure: Structure, match: _Match, mode: MatchMode, reach: str) -> str:
    """Describe what the search found for one compound."""
    if not structure.inchikey:
        return f"not compared: {structure.verdict}"
    if match.same is not None:
        where = "in the claims" if match.same.is_claimed else "in a description"
        return f"{_SAME[mode]} as {match.same.id}, drawn {where}"
    if match.alike is not None:
        return (
            f"may be {match.alike.id}, which is drawn with carbons in place of its heteroatoms; "
            "check the document"
        )
    words = f"no match in {reach}"
    if match.drug:
        words = f"known drug: {match.drug}; {words}"
    if match.nearest_claimed is not None:
        nearest_claimed = match.nearest_claimed
        return f"{words}; nearest in claims {nearest_claimed.id} at {nearest_claimed.tanimoto:.2f}"
    return words
