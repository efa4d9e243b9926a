"""Files of a run for chemists' programs: SDF, SMILES, and a workbook with drawn structures."""

import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import xlsxwriter
from rdkit import Chem
from rdkit.Chem import rdDepictor
from xlsxwriter.worksheet import Worksheet

from core.agents.compound_map.columns import list_documents, list_places, show_nearest
from core.agents.compound_map.records import Compound
from core.agents.compound_map.schema import CompoundMapData
from core.chemistry.drawing import draw_png
from core.errors import NotFound


def _write_record(compound: Compound) -> str:
    molecule = Chem.MolFromSmiles(compound.smiles)
    rdDepictor.Compute2DCoords(molecule)
    molecule.SetProp("_Name", compound.id)
    fields = {
        "SMILES": compound.smiles,
        "INCHIKEY": compound.inchikey,
        "METHOD": compound.extraction_method,
        "CONFIDENCE_SCORE": str(compound.confidence_score),
        "ROLE": compound.role,
        "CLAIMED": "yes" if compound.claimed else "no",
        "DOCUMENTS": "; ".join(list_documents(compound)),
        "PLACES": "; ".join(list_places(compound)),
        "ASSIGNEES": "; ".join(compound.assignees),
        "FIRST_DISCLOSED_ON": compound.first_disclosed_on,
    }
    fields_text = "".join(
        f">  <{name}>\n{_one_line(text)}\n\n" for name, text in fields.items() if text
    )
    return f"{Chem.MolToMolBlock(molecule)}{fields_text}$$$$\n"


def _one_line(text: str) -> str:
    """Return text of a source that cannot end its field or its record early."""
    return " ".join(text.split()).replace("$$$$", "$ $ $ $")[:2_000]


MOST_PICTURES = 100
_SIZE = (220, 150)
_ROW_POINTS = 114
_COLUMNS: tuple[tuple[str, int, Callable[[Compound], object]], ...] = (
    ("Id", 8, lambda compound: compound.id),
    ("Structure", 32, lambda _: None),
    ("Role", 16, lambda compound: compound.role.replace("_", " ")),
    ("Score", 8, lambda compound: compound.confidence_score),
    ("Method", 10, lambda compound: compound.extraction_method),
    ("Documents", 30, lambda compound: "; ".join(list_documents(compound))),
    ("Owners", 30, lambda compound: "; ".join(compound.assignees)),
    ("First disclosed", 14, lambda compound: compound.first_disclosed_on),
    ("Nearest clinical", 22, lambda compound: show_nearest(compound.nearest_clinical)),
    ("MW", 8, lambda compound: compound.properties.molecular_weight),
    ("SMILES", 60, lambda compound: compound.smiles),
    ("InChIKey", 30, lambda compound: compound.inchikey),
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
        return "".join(_write_record(compound) for compound in data.compounds).encode()
    if name == "compounds.smi":
        lines = [
            f"{compound.smiles}\t{compound.id}\t{compound.extraction_method}\t{compound.confidence_score}"
            for compound in data.compounds
        ]
        return "\n".join(["smiles\tid\tmethod\tconfidence_score", *lines, ""]).encode()
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
        for index, (name, width, _) in enumerate(_COLUMNS):
            sheet.set_column(index, index, width, text)
            sheet.write_string(0, index, name, head)
        for row, compound in enumerate(compounds, start=1):
            _write_row(sheet, row, compound)
    return target.getvalue()


def _write_row(sheet: Worksheet, row: int, compound: Compound) -> None:
    sheet.set_row(row, _ROW_POINTS)
    picture = draw_png(compound.smiles, _SIZE)
    sheet.insert_image(
        row,
        1,
        f"{compound.id}.png",
        {"image_data": io.BytesIO(picture), "x_offset": 4, "y_offset": 1},
    )
    for index, (_, _, value_of) in enumerate(_COLUMNS):
        value = value_of(compound)
        if isinstance(value, str):
            sheet.write_string(row, index, value)
        elif isinstance(value, int | float):
            sheet.write_number(row, index, value)
