"""Strings of documents to molecules: judged, counted, each molecule once with all its places."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache

from core.agents.compound_map.records import Funnel, Proof
from core.chemistry.chemdraw import read_block
from core.chemistry.keeping import Notebook
from core.chemistry.lost_labels import has_open_end
from core.chemistry.structures import UNREADABLE, Structure, read_structure
from core.knowledge.reagents import load_reagents
from core.knowledge.structure_confidence import find_probability
from core.records.patents import RawStructure, Section

MOST_STRINGS = 2_000
"""Strings read of one document; claims come first."""
MANY_FAMILIES = 5
"""A molecule that is never claimed and appears in so many unrelated families is no one's own."""
_METHODS = ("cdx", "mol", "surechembl", "name", "image")
_SECTIONS = ("claims", "abstract", "description", "")
_MOL_END = "M  END"
_PIECE = "piece"


@dataclass(frozen=True, slots=True)
class Delivered:
    """One string as a source delivered it.

    Attributes:
        raw: The string with its place.
        probability: That it is right, where that was measured for itself; else by its source.
        is_kept: Whether what is computed of it may be kept: not for uploads.
    """

    raw: RawStructure
    probability: float | None = None
    proof: Proof | None = None
    is_kept: bool = False

    @property
    def is_piece(self) -> bool:
        """Return whether an end is open: an R-group drawn alone, no whole compound."""
        return has_open_end(self.raw.text)

    @property
    def chance(self) -> float:
        """Return the probability that the structure is right."""
        if self.is_piece:
            return find_probability(_PIECE, "")
        if self.probability is not None:
            return self.probability
        return find_probability(self.raw.method, self.raw.section)

    @property
    def order(self) -> tuple[int, int]:
        """Return its rank among sources: attachments first, claims first."""
        return _METHODS.index(self.raw.method), _SECTIONS.index(self.raw.section)


@dataclass(frozen=True, slots=True)
class Molecule:
    """A molecule with all places, the earliest source first."""

    structure: Structure
    places: tuple[Delivered, ...]
    documents: tuple[str, ...] = field(init=False)
    """Documents that draw it, in the order of its places."""

    def __post_init__(self) -> None:
        """Note the documents once, for they are asked for again and again."""
        numbers = dict.fromkeys(delivered.raw.publication_number for delivered in self.places)
        object.__setattr__(self, "documents", tuple(numbers))

    @property
    def is_claimed(self) -> bool:
        """Return whether a document draws it in its claims."""
        return any(delivered.raw.section == "claims" for delivered in self.places)

    @property
    def is_piece(self) -> bool:
        """Return whether a place draws it with an open end; others may have lost the sign."""
        return any(delivered.is_piece for delivered in self.places)

    @property
    def is_imported(self) -> bool:
        """Return whether a document of the pool shows it, and not the caller's alone."""
        return any(delivered.is_kept for delivered in self.places)


@dataclass(frozen=True, slots=True)
class Generic:
    """A drawing that stands for many molecules, or part of a reaction."""

    raw: RawStructure
    smiles: str
    kind: str
    n_places: int


@dataclass(frozen=True)
class Reading:
    """What the strings came to.

    Attributes:
        molecules: Each once, by InChIKey in order of first sight.
        generics: Drawings set apart, each once a document.
        over_cap: Documents with more strings than are read, with how many they have.
    """

    molecules: Sequence[Molecule]
    generics: Sequence[Generic]
    funnel: Funnel
    over_cap: Mapping[str, int] = field(default_factory=dict)


@cache
def reagent_keys() -> frozenset[str]:
    """Return the InChIKeys of the table of reagents."""
    return frozenset(read_structure(row.smiles).inchikey for row in load_reagents())


class Reader:
    """Reads documents one after another and keeps count."""

    def __init__(self, families: Mapping[str, str]) -> None:
        """Begin with nothing read.

        Args:
            families: Family by publication number.
        """
        self._families = families
        self._judged: dict[str, tuple[Structure, ...]] = {}
        self._places: dict[str, list[Delivered]] = {}
        self._structures: dict[str, Structure] = {}
        self._generics: dict[tuple[str, str], Generic] = {}
        self._counts = dict.fromkeys(Funnel.model_fields, 0)
        self._over_cap: dict[str, int] = {}

    def prepare(self, documents: Iterable[Sequence[Delivered]], notebook: Notebook) -> None:
        """Judge strings beforehand: what is kept of them is read, the rest computed and kept."""
        texts = [
            string.raw.text
            for delivered in documents
            for string in sorted(delivered, key=lambda delivered: delivered.order[1])[:MOST_STRINGS]
            if string.is_kept and string.raw.text not in self._judged
        ]
        judged = notebook.compute(f"judged {_key_of_reagents()}", texts, _judge_plainly)
        self._judged |= {
            text: tuple(Structure(*fields) for fields in answers)
            for text, answers in judged.items()
        }

    def read(self, delivered: Sequence[Delivered]) -> None:
        """Read the strings of one document, claims first, at most 2,000."""
        self._counts["raw"] += len(delivered)
        ordered = sorted(delivered, key=lambda delivered: delivered.order[1])
        if len(ordered) > MOST_STRINGS:
            self._over_cap[ordered[0].raw.publication_number] = len(ordered)
            self._counts["over_cap"] += len(ordered) - MOST_STRINGS
        for string in ordered[:MOST_STRINGS]:
            text = string.raw.text
            structures = self._judged.get(text)
            if structures is None:
                structures = _judge_text(text)
                self._judged[text] = structures
            self._counts["raw"] += len(structures) - 1
            for structure in structures:
                if structure.verdict == "unreadable":
                    self._counts["unreadable"] += 1
                    continue
                self._counts["parsed"] += 1
                if string.raw.part in {"reaction", "bracketed"}:
                    self._set_apart(string, structure, string.raw.part)
                elif structure.verdict == "generic":
                    self._set_apart(string, structure, "generic")
                elif structure.verdict == "molecule":
                    self._keep(string, structure)
                else:
                    self._counts[structure.verdict] += 1

    def _set_apart(self, delivered: Delivered, structure: Structure, kind: str) -> None:
        self._counts["generic"] += 1
        key = (delivered.raw.publication_number, structure.smiles)
        generic = self._generics.get(key)
        raw, number = (generic.raw, generic.n_places + 1) if generic else (delivered.raw, 1)
        self._generics[key] = Generic(raw, structure.smiles, kind, number)

    def _keep(self, delivered: Delivered, structure: Structure) -> None:
        self._counts["repeated" if structure.inchikey in self._structures else "unique"] += 1
        self._structures.setdefault(structure.inchikey, structure)
        self._places.setdefault(structure.inchikey, []).append(delivered)

    @property
    def keys(self) -> Set[str]:
        """Return the InChIKeys of the molecules so far."""
        return self._structures.keys()

    @property
    def covered(self) -> frozenset[tuple[str, Section]]:
        """Return the documents and sections in which a whole compound was read."""
        return frozenset(
            (delivered.raw.publication_number, delivered.raw.section)
            for places in self._places.values()
            for delivered in places
            if not delivered.is_piece and delivered.raw.method != "image"
        )

    def finish(self) -> Reading:
        """Return the molecules, those that everybody draws left out, and the counts."""
        molecules, counts = [], dict(self._counts)
        for key, places in self._places.items():
            molecule = Molecule(self._structures[key], tuple(sorted(places, key=_rank_place)))
            families = {self._families.get(document, document) for document in molecule.documents}
            if not molecule.is_claimed and len(families) >= MANY_FAMILIES:
                counts["unique"] -= 1
                counts["repeated"] -= len(places) - 1
                counts["reagent"] += len(places)
            else:
                molecules.append(molecule)
        return Reading(molecules, list(self._generics.values()), Funnel(**counts), self._over_cap)


def _rank_place(delivered: Delivered) -> tuple[int, int, str]:
    return (*delivered.order, delivered.raw.publication_number)


def _judge_plainly(text: str) -> list[list[str | int]]:
    """Return the structures of a string as lists."""
    return [
        [structure.verdict, structure.smiles, structure.inchikey, structure.heavy_atoms]
        for structure in _judge_text(text)
    ]


@cache
def _key_of_reagents() -> str:
    """Return what changes with the table of reagents."""
    return hashlib.sha256(" ".join(sorted(reagent_keys())).encode()).hexdigest()[:16]


def _judge_text(text: str) -> tuple[Structure, ...]:
    """Return the structures of a SMILES, or of a MOL block, which may hold several."""
    if _MOL_END in text:
        return read_block(text, reagent_keys()) or (UNREADABLE,)
    return (read_structure(text, reagent_keys()),)


def count_by_document(molecules: Iterable[Molecule]) -> tuple[dict[str, int], dict[str, int]]:
    """Return compounds per document, and compounds drawn in its claims."""
    drawn: dict[str, int] = {}
    claimed: dict[str, int] = {}
    for molecule in molecules:
        for document in molecule.documents:
            drawn[document] = drawn.get(document, 0) + 1
        in_claims = {
            delivered.raw.publication_number
            for delivered in molecule.places
            if delivered.raw.section == "claims"
        }
        for document in in_claims:
            claimed[document] = claimed.get(document, 0) + 1
    return drawn, claimed
