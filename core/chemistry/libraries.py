"""Lists of compounds as SDF, CSV or SMILES: names and strings, capped, never an error a row.

When two molecules count as the same: exactly, but for stereo, or but for tautomers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from rdkit import Chem
from rdkit.Chem import rdMolDescriptors
from rdkit.Chem.MolStandardize import rdMolStandardize

from core.chemistry.structures import LONGEST_TEXT, MOST_HEAVY_ATOMS, Structure, parse_smiles
from core.errors import UnreadableTable
from core.tables.text import read_rows

LARGEST_FILE = 50_000_000
MOST_COMPOUNDS = 5_000
LONGEST_NAME = 200
_SMILES_COLUMNS = ("smiles", "canonical_smiles", "structure", "isomeric_smiles")
_NAME_COLUMNS = ("name", "id", "compound", "compound_id", "title", "molecule name")


@dataclass(frozen=True, slots=True)
class Entry:
    """One compound of a list; the SMILES is "" where its record cannot be read."""

    name: str
    smiles: str


@dataclass(frozen=True)
class Library:
    """A list of compounds.

    Attributes:
        entries: In the file's order.
        is_cut: Whether there were more than are read.
    """

    entries: Sequence[Entry]
    is_cut: bool = False


def read_library(content: bytes) -> Library:
    """Return the compounds of a file, at most 5,000.

    Raises:
        UnreadableTable: It is too large, no text, or a table without a column of SMILES.
    """
    if len(content) > LARGEST_FILE:
        raise UnreadableTable("the file of compounds is larger than 50 MB", code="file_too_large")
    if b"\x00" in content[:4_096]:
        raise UnreadableTable("the file is no text; send SDF, CSV with a column smiles, or SMILES")
    text = content.decode("utf-8-sig", errors="replace")
    if "M  END" in text or "$$$$" in text:
        entries = _read_sdf(text)
    elif _is_table(text):
        entries = _read_csv(text)
    else:
        entries = _read_lines(text)
    compounds: list[Entry] = []
    for entry in entries:
        if len(compounds) == MOST_COMPOUNDS:
            return Library(compounds, is_cut=True)
        compounds.append(entry)
    return Library(compounds)


def _read_sdf(text: str) -> Iterator[Entry]:
    for number, block in enumerate(text.replace("\r\n", "\n").split("$$$$\n"), start=1):
        if not block.strip():
            continue
        name = block.lstrip("\r").split("\n", 1)[0].strip()[:LONGEST_NAME] or f"record {number}"
        molecule = Chem.MolFromMolBlock(block) if len(block) < LONGEST_TEXT * 100 else None
        is_fit = molecule is not None and 0 < molecule.GetNumAtoms() <= MOST_HEAVY_ATOMS
        yield Entry(name, Chem.MolToSmiles(molecule) if is_fit else "")


def _is_table(text: str) -> bool:
    head = text.split("\n", 1)[0]
    return any(sign in head for sign in ",;\t") and "smiles" in head.casefold()


def _read_csv(text: str) -> Iterator[Entry]:
    rows = read_rows(text)
    columns = {name.strip().casefold(): index for index, name in enumerate(next(rows))}
    smiles = next((columns[name] for name in _SMILES_COLUMNS if name in columns), None)
    if smiles is None:
        raise UnreadableTable("the table has no column smiles", field="compounds_file_id")
    label = next((columns[name] for name in _NAME_COLUMNS if name in columns), None)
    for number, row in enumerate(filter(None, rows), start=1):
        name = row[label].strip()[:LONGEST_NAME] if label is not None and label < len(row) else ""
        yield Entry(name or f"row {number}", row[smiles].strip() if smiles < len(row) else "")


def _read_lines(text: str) -> Iterator[Entry]:
    """Yield lines of SMILES with an optional name; the first word of a line is the structure."""
    for number, line in enumerate(text.splitlines(), start=1):
        parts = line.strip().split(None, 1)
        if parts and not parts[0].startswith("#"):
            name = parts[1].strip()[:LONGEST_NAME] if len(parts) > 1 else f"line {number}"
            yield Entry(name, parts[0])


Mode = Literal["exact", "stereo", "tautomer"]
_MOST_TAUTOMERS = 200
_MOST_TRANSFORMS = 200


def match_key(structure: Structure, mode: Mode) -> str:
    """Return what equal molecules of a mode have in common; "" for none.

    Args:
        structure: A parent molecule.
        mode: "exact" by InChIKey; "stereo" by InChIKey without stereo; "tautomer" by the InChIKey
            of the canonical tautomer, which costs some milliseconds.
    """
    if not structure.inchikey or mode == "exact":
        return structure.inchikey
    molecule = parse_smiles(structure.smiles)
    if molecule is None:
        return ""
    if mode == "stereo":
        molecule = Chem.Mol(molecule)
        Chem.RemoveStereochemistry(molecule)
        return str(Chem.MolToInchiKey(molecule))
    try:
        return str(Chem.MolToInchiKey(_enumerator().Canonicalize(molecule)))
    except (RuntimeError, ValueError):
        return structure.inchikey


def find_formula(smiles: str) -> str:
    """Return the formula of a molecule, which stereo and tautomers share; "" for none."""
    molecule = parse_smiles(smiles)
    return "" if molecule is None else str(rdMolDescriptors.CalcMolFormula(molecule))


@cache
def _enumerator() -> rdMolStandardize.TautomerEnumerator:
    """Return the enumerator, bounded; stereo at atoms that no tautomer moves is kept."""
    enumerator = rdMolStandardize.TautomerEnumerator()
    enumerator.SetMaxTautomers(_MOST_TAUTOMERS)
    enumerator.SetMaxTransforms(_MOST_TRANSFORMS)
    return enumerator
