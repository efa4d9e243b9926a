"""Structures drawn in ChemDraw files and MOL files, with what a drawing is besides a molecule.

A file may hold several molecules, the reagents of a reaction, pieces of an R-group table and
labels; the whole file is a reaction as soon as it holds a scheme, for whoever reads the drawing
alone cannot tell its starting material from its product. Repeat counts of brackets are not in
the molecule that comes out, so a bracketed drawing stands for many.

References:
    CDX File Format Specification, CambridgeSoft (objects 0x800D, 0x800E, 0x8017, 0x8018).
"""

import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rdkit import Chem

from core.chemistry.structures import MOST_HEAVY_ATOMS, Structure, judge_molecule

Part = Literal["molecule", "reaction", "bracketed"]
LARGEST_FILE = 5_000_000
_MAGIC = b"VjCD0100"
_HEADER = 22
_OBJECT = 0x8000
_LONG = 0xFFFF
_MOST_OBJECTS = 200_000
_SCHEMES = frozenset({0x800D, 0x800E})
_BRACKETS = frozenset({0x8017, 0x8018})


@dataclass(frozen=True, slots=True)
class Drawn:
    """One molecule of a drawing.

    Attributes:
        structure: What it came to.
        part: Whether it stands alone, in a reaction, or in brackets.
    """

    structure: Structure
    part: Part

    @property
    def is_compound(self) -> bool:
        """Return whether it may be shown as a compound."""
        return self.part == "molecule" and self.structure.verdict == "molecule"


def read_drawing(content: bytes, reagents: frozenset[str] = frozenset()) -> tuple[Drawn, ...]:
    """Return the molecules of a CDX, CDXML or MOL file; none where nothing can be read.

    Args:
        content: The file.
        reagents: InChIKeys of helpers of syntheses.
    """
    if not content or len(content) > LARGEST_FILE:
        return ()
    kind: Part = "molecule"
    if content.startswith(_MAGIC):
        molecules = _read_chemdraw(content, Chem.CDXMLFormat.CDX)
        kind = _classify(set(_walk(content)))
    elif content.lstrip()[:5] == b"<?xml" or b"<CDXML" in content[:2000]:
        molecules = _read_chemdraw(content, Chem.CDXMLFormat.CDXML)
        kind = _classify_text(content)
    else:
        molecules = _read_mol(content)
    sized = [molecule for molecule in molecules if 0 < molecule.GetNumAtoms() <= MOST_HEAVY_ATOMS]
    if any(molecule.HasProp("CDX_SCHEME_ID") for molecule in sized):
        kind = "reaction"
    return tuple(Drawn(judge_molecule(molecule, reagents), kind) for molecule in sized)


def read_block(text: str, reagents: frozenset[str] = frozenset()) -> tuple[Structure, ...]:
    """Return the structures of a MOL block, whatever else the text may claim to be.

    ChemDraw files from outside are read in a process of their own (`drawing_batch`): a damaged one
    can keep the reader busy for ever, and a text must not get there by beginning like one.
    """
    if len(text) > LARGEST_FILE:
        return ()
    molecules = _read_mol(text.encode("utf-8", "replace"))
    sized = (molecule for molecule in molecules if 0 < molecule.GetNumAtoms() <= MOST_HEAVY_ATOMS)
    return tuple(judge_molecule(molecule, reagents) for molecule in sized)


def _read_chemdraw(content: bytes, form: Chem.CDXMLFormat) -> list[Chem.Mol]:
    """Return the molecules that RDKit reads; it takes such files by name only."""
    options = Chem.CDXMLParserParams()
    options.format = form
    with tempfile.TemporaryDirectory(prefix="bpw-cdx-") as folder:
        path = Path(folder) / "drawing"
        path.write_bytes(content)
        try:
            return [mol for mol in Chem.MolsFromCDXMLFile(str(path), options) if mol is not None]
        except (ValueError, RuntimeError):
            return []


def _read_mol(content: bytes) -> list[Chem.Mol]:
    """Return the molecule of a MOL file, or those of an SDF."""
    molecules = []
    for block in content.decode("utf-8", errors="replace").split("$$$$\n"):
        molecule = Chem.MolFromMolBlock(block.lstrip("\r"), sanitize=True)
        if molecule is not None:
            molecules.append(molecule)
    return molecules


def _classify(objects: set[int]) -> Part:
    if objects & _SCHEMES:
        return "reaction"
    return "bracketed" if objects & _BRACKETS else "molecule"


def _classify_text(content: bytes) -> Part:
    if b"<scheme" in content or b"<step" in content:
        return "reaction"
    return "bracketed" if b"<bracketedgroup" in content else "molecule"


def _walk(content: bytes) -> Iterator[int]:
    """Yield the kinds of objects of a CDX file; a damaged file ends early."""
    at = _HEADER
    for _ in range(_MOST_OBJECTS):
        if at + 2 > len(content):
            return
        (tag,) = struct.unpack_from("<H", content, at)
        at += 2
        if tag & _OBJECT:
            yield tag
            at += 4
        elif tag:
            if at + 2 > len(content):
                return
            (length,) = struct.unpack_from("<H", content, at)
            at += 2
            if length == _LONG:
                if at + 4 > len(content):
                    return
                (length,) = struct.unpack_from("<I", content, at)
                at += 4
            at += length
