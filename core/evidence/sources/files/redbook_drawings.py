"""The drawings of a Red Book document: where each stands, and what its attachment holds.

`us-chemistry` names the files of each drawing, `chemistry` stands where it is drawn; the heading
above it says which example it belongs to.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from core.chemistry.drawing_batch import DrawnText, read_batch
from core.evidence.names.cleaning import clean_text
from core.records.patents import DrawnPart, RawStructure, Section, StructureMethod
from core.tables.rows import SourceFile

MOST_STRUCTURES = 20_000
LONGEST_HEADING = 80
_LABEL = re.compile(
    r"\b((?:(?:Synthesis|Comparative|Reference|Preparation|Preparative|Working)\s+)?"
    r"(?:Examples?|Compounds?|Intermediates?|Preparations?|Formulas?))\s+"
    r"(?:No\.?\s*)?\(?([IVX]{1,5}\b|[A-Z]{0,3}-?\d{1,5}[A-Za-z]?(?:[-.]\d{1,4})?\b)",
    re.IGNORECASE,
)
_FILE = re.compile(r"[\w.\-]{1,100}")
_ORDER: Mapping[str, int] = {"claims": 0, "abstract": 1, "description": 2, "": 3}


_FORMS: tuple[StructureMethod, ...] = ("cdx", "mol")
_PARTS: Mapping[str, DrawnPart] = {
    "molecule": "molecule",
    "reaction": "reaction",
    "bracketed": "bracketed",
}


class _Place(NamedTuple):
    """Where a drawing stands."""

    section: Section
    location: str
    label: str


_NOWHERE = _Place("", "", "")


def read_drawings(
    root: ET.Element, number: str, attachments: Mapping[str, bytes], source: SourceFile
) -> tuple[list[RawStructure], int]:
    """Return the structures of all attachments, claims first, and how many drawings there are.

    Args:
        root: The document.
        number: Its publication number.
        attachments: Files by name in capitals.
        source: For the report of attachments that are missing or hold nothing.
    """
    places = _places(root)
    structures: list[RawStructure] = []
    named = list(root.iter("us-chemistry"))
    drawn = _read_attachments(named, attachments) if attachments else {}
    n_missing = 0
    for drawing in named:
        location = places.get(drawing.get("idref", ""), _NOWHERE)
        form, molecules = drawn.get(drawing.get("idref", ""), ("cdx", []))
        file = drawing.get(f"{form}-file", "")
        structures += [
            RawStructure(
                number,
                molecule.smiles,
                location.section,
                location.location,
                file,
                form,
                location.label,
                kind,
            )
            for molecule in molecules
            for kind in [_PARTS.get(molecule.part, "")]
        ]
        n_missing += bool(attachments) and not molecules
    if n_missing:
        source.report(1, f"{n_missing} of {len(named)} drawings have no readable attachment")
    structures.sort(key=lambda structure: _ORDER[structure.section])
    return structures[:MOST_STRUCTURES], len(named)


def _read_attachments(
    named: Sequence[ET.Element], attachments: Mapping[str, bytes]
) -> dict[str, tuple[StructureMethod, list[DrawnText]]]:
    """Return the molecules of drawings by id: from CDX, else from MOL."""
    structures_by_file: dict[str, tuple[StructureMethod, list[DrawnText]]] = {}
    for form in _FORMS:
        files = {}
        for drawing in named:
            file = drawing.get(f"{form}-file", "")
            content = attachments.get(file.upper(), b"") if _FILE.fullmatch(file) else b""
            if content and drawing.get("idref", "") not in structures_by_file:
                files[drawing.get("idref", "")] = content
        for chem, molecules in read_batch(files).items():
            structures_by_file[chem] = (form, molecules)
    return structures_by_file


def _places(root: ET.Element) -> dict[str, _Place]:
    """Return where each drawing stands, by its id; the first place counts."""
    locations: dict[str, _Place] = {}
    sections: tuple[Section, ...] = ("claims", "abstract", "description")
    for section in sections:
        for element in root.iterfind(section):
            for chem, location in _walk(element, section):
                locations.setdefault(chem, location)
    return locations


def _walk(root: ET.Element, section: Section) -> Iterator[tuple[str, _Place]]:
    """Yield each drawing of a section in order, with the claim or example it belongs to."""
    heading, label = "", ""
    for element in root.iter():
        if element.tag == "claim":
            heading = f"claim {int(claim)}" if (claim := element.get("num", "")).isdecimal() else ""
        elif element.tag == "heading":
            text = clean_text("".join(element.itertext()), LONGEST_HEADING)
            match = _LABEL.search(text)
            heading = label = " ".join(match.group().split()) if match else ""
        elif element.tag == "chemistry" and element.get("id"):
            location = f"{section}, {heading}" if heading else section
            yield element.get("id", ""), _Place(section, location, label)
