"""A structure as a question: which compounds contain it, which are like it."""

from collections.abc import Sequence
from dataclasses import dataclass

from rdkit import Chem

from core.chemistry.similarity import measure_likeness, read_fingerprints
from core.chemistry.structures import parse_smiles
from core.errors import InvalidInput

LONGEST_QUERY = 400
LEAST_LIKENESS = 0.4
MOST_QUERY_ATOMS = 100


@dataclass(frozen=True, slots=True)
class Query:
    """A structure that is asked for.

    Attributes:
        text: SMARTS, or SMILES where likeness is asked for.
        is_like: Whether likeness is asked for.
    """

    text: str
    is_like: bool


def read_query(text: str, *, is_like: bool) -> Query:
    """Return a question.

    Raises:
        InvalidInput: The text is no structure, or too large a one.
    """
    plain = text.strip()
    if len(plain) > LONGEST_QUERY:
        raise InvalidInput(f"a structure to search has at most {LONGEST_QUERY} characters")
    molecule = parse_smiles(plain) if is_like else Chem.MolFromSmarts(plain)
    if molecule is None or not 0 < molecule.GetNumAtoms() <= MOST_QUERY_ATOMS:
        kind = "SMILES" if is_like else "SMARTS or SMILES"
        raise InvalidInput(f"this is no {kind} of a structure that can be searched")
    return Query(plain, is_like)


def search(query: Query, smiles: Sequence[str]) -> list[int]:
    """Return the places of compounds that contain a structure, or are like it (0.4 and more)."""
    if query.is_like:
        likeness = measure_likeness(read_fingerprints([query.text]), read_fingerprints(smiles))[0]
        return [index for index, value in enumerate(likeness) if value >= LEAST_LIKENESS]
    pattern = Chem.MolFromSmarts(query.text)
    molecules = (parse_smiles(text) for text in smiles)
    return [
        index
        for index, molecule in enumerate(molecules)
        if molecule is not None and molecule.HasSubstructMatch(pattern)
    ]
