"""Files of a run for chemists' programs: SDF, SMILES, and a workbook with drawn structures."""

import io
from collections.abc import Sequence
from datetime import UTC, datetime

import xlsxwriter
from rdkit import Chem
from rdkit.Chem import rdDepictor
from xlsxwriter.worksheet import Worksheet

from core.agents.compound_map.columns import list_documents, list_places
from core.agents.compound_map.records import Compound
from core.agents.compound_map.schema import CompoundMapData
from core.chemistry.drawing import draw_png
from core.errors import NotFound


def write_smiles(compounds: Sequence[Compound]) -> bytes:
    """Return the compounds as SMILES with id, source and confidence, one a line."""
    lines = [
        f"{one.smiles}\t{one.id}\t{one.extraction_method}\t{one.confidence_score}"
        for one in compounds
    ]
    return (
        "smiles\tid\tmethod\tconfidence_score\n" + "".join(f"{line}\n" for line in lines)
    ).encode()


def write_sdf(compounds: Sequence[Compound]) -> bytes:
    """Return the compounds as SDF with 2D coordinates, sources and confidence."""
    return "".join(_write_record(one) for one in compounds).encode()


def _write_record(one: Compound) -> str:
    molecule = Chem.MolFromSmiles(one.smiles)
    rdDepictor.Compute2DCoords(molecule)
    molecule.SetProp("_Name", one.id)
    fields = {
        "SMILES": one.smiles,
        "INCHIKEY": one.inchikey,
        "METHOD": one.extraction_method,
        "CONFIDENCE_SCORE": str(one.confidence_score),
        "ROLE": one.role,
        "CLAIMED": "yes" if one.claimed else "no",
        "DOCUMENTS": "; ".join(list_documents(one)),
        "PLACES": "; ".join(list_places(one)),
        "ASSIGNEES": "; ".join(one.assignees),
        "FIRST_DISCLOSED_ON": one.first_disclosed_on,
    }
    told = "".join(f">  <{name}>\n{_one_line(text)}\n\n" for name, text in fields.items() if text)
    return f"{Chem.MolToMolBlock(molecule)}{told}$$$$\n"


def _one_line(text: str) -> str:
    """Return text of a source that cannot end its field or its record early."""
    return " ".join(text.split()).replace("$$$$", "$ $ $ $")[:2_000]


MOST_PICTURES = 100
_SIZE = (220, 150)
_ROW_POINTS = 114
_COLUMNS = (
    ("Id", 8),
    ("Structure", 32),
    ("Role", 16),
    ("Score", 8),
    ("Method", 10),
    ("Documents", 30),
    ("Owners", 30),
    ("First disclosed", 14),
    ("Nearest clinical", 22),
    ("MW", 8),
    ("SMILES", 60),
    ("InChIKey", 30),
)
_OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_MADE_AT = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""Written into every workbook, so that the same answer gives the same bytes."""


def export(data: CompoundMapData, name: str) -> bytes:
    """Return a file of a run; it is made when it is asked for, since drawing takes its time.

    Raises:
        NotFound: There is no such file.
    """
    if name == "compounds.sdf":
        return write_sdf(data.compounds)
    if name == "compounds.smi":
        return write_smiles(data.compounds)
    if name == "compounds_drawn.xlsx":
        return write_workbook(data.compounds[:MOST_PICTURES])
    raise NotFound("the run has no file of this name")


def write_workbook(compounds: Sequence[Compound]) -> bytes:
    """Return a workbook with a drawing in every row."""
    target = io.BytesIO()
    with xlsxwriter.Workbook(target, _OPTIONS) as book:
        book.set_properties({"created": _MADE_AT})
        sheet = book.add_worksheet("Compounds")
        head = book.add_format({"bold": True, "bg_color": "#0B6E6E", "font_color": "#FFFFFF"})
        text = book.add_format({"text_wrap": True, "valign": "vcenter"})
        sheet.freeze_panes(1, 1)
        for place, (name, width) in enumerate(_COLUMNS):
            sheet.set_column(place, place, width, text)
            sheet.write_string(0, place, name, head)
        for row, one in enumerate(compounds, start=1):
            _write_row(sheet, row, one)
    return target.getvalue()


def _write_row(sheet: Worksheet, row: int, one: Compound) -> None:
    sheet.set_row(row, _ROW_POINTS)
    picture = draw_png(one.smiles, _SIZE)
    sheet.insert_image(
        row, 1, f"{one.id}.png", {"image_data": io.BytesIO(picture), "x_offset": 4, "y_offset": 1}
    )
    near = one.nearest_clinical
    cells: tuple[str | float, ...] = (
        one.role.replace("_", " "),
        one.confidence_score,
        one.extraction_method,
        "; ".join(list_documents(one)),
        "; ".join(one.assignees),
        one.first_disclosed_on,
        f"{near.id} {near.tanimoto:.2f}" if near else "",
        one.properties.molecular_weight,
        one.smiles,
        one.inchikey,
    )
    sheet.write_string(row, 0, one.id)
    for place, value in enumerate(cells, start=2):
        if isinstance(value, str):
            sheet.write_string(row, place, value)
        else:
            sheet.write_number(row, place, value)
