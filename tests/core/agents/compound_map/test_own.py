"""Own compounds and own documents: matches, files that are none, missing programs."""

import io

import openpyxl
import pytest
from PIL import Image
from rdkit import Chem

from core.agents.compound_map import uploads
from core.agents.compound_map.exports import export
from core.agents.compound_map.uploads import name_document
from core.chemistry import recognition
from core.errors import UnreadableTable
from tests.core.agents.compound_map.conftest import ASPIRIN_AMIDES, Bench, document, drawn

CHIRAL = "C[C@H](N)c1ccc(-c2ccc(F)cc2)cc1"
OTHER_HAND = "C[C@@H](N)c1ccc(-c2ccc(F)cc2)cc1"
IMATINIB = "Cc1ccc(NC(=O)c2ccc(CN3CCN(C)CC3)cc2)cc1Nc1nccc(-c2cccnc2)n1"
KETO, ENOL = "O=C1CCCCC1c1ccc(-c2ccccc2)cc1", "OC1=C(CCCC1)c1ccc(-c2ccccc2)cc1"


def send(bench: Bench, content: bytes | str, name: str = "own.csv") -> str:
    body = content.encode() if isinstance(content, str) else content
    bench.uploads.files["f1"] = (name, body)
    return "f1"


@pytest.fixture
def held(bench: Bench) -> Bench:
    number = "US1000001B2"
    bench.pool.add(document(number), drawn(number, "claims", CHIRAL, KETO, *ASPIRIN_AMIDES))
    return bench


def test_own_compound_that_is_drawn_is_found_with_its_place(held: Bench) -> None:
    file = send(held, f"name,smiles\nmine,{CHIRAL}.Cl\n")
    (one,) = held.run(compounds_file_id=file).own_compounds
    assert (one.name, one.is_new, one.match_claimed) == ("mine", False, True)
    assert one.match_places == ["US1000001B2 claims"]
    assert one.nearest is not None
    assert one.nearest.tanimoto == 1.0


@pytest.mark.parametrize(
    ("text", "mode", "is_new"),
    [
        (OTHER_HAND, "exact", True),
        (OTHER_HAND, "stereo", False),
        (ENOL, "exact", True),
        (ENOL, "tautomer", False),
        (OTHER_HAND, "tautomer", True),
    ],
)
def test_match_mode_decides_what_is_the_same(held, text: str, mode: str, is_new: bool) -> None:
    file = send(held, f"name,smiles\nmine,{text}\n")
    (one,) = held.run(compounds_file_id=file, match_mode=mode).own_compounds
    assert one.is_new == is_new


@pytest.mark.parametrize(
    ("text", "drawings", "is_new", "finding"),
    [
        (OTHER_HAND, (CHIRAL, *ASPIRIN_AMIDES), True, "no match in 1 document"),
        (OTHER_HAND, (CHIRAL, *ASPIRIN_AMIDES, "[*:1]c1ccc(-c2ccc(F)cc2)cc1"), None, "no match"),
        (OTHER_HAND, (), None, "no match in 1 document"),
        (IMATINIB, (CHIRAL, *ASPIRIN_AMIDES), False, "known drug: imatinib; no match in 1 doc"),
        ("no structure", (CHIRAL,), None, "not compared"),
    ],
)
def test_is_new_answers_only_where_documents_and_drugs_can(
    bench: Bench, text: str, drawings: tuple[str, ...], is_new: bool | None, finding: str
) -> None:
    bench.pool.add(document("US1000001B2"), drawn("US1000001B2", "claims", *drawings))
    (one,) = bench.run(compounds_file_id=send(bench, f"name,smiles\nmine,{text}\n")).own_compounds
    assert one.is_new is is_new
    assert finding in one.finding


def test_own_compounds_come_as_sdf_and_as_lines_too(held: Bench) -> None:
    block = Chem.MolToMolBlock(Chem.MolFromSmiles(CHIRAL))
    sdf = "mine" + block + "$$$$\n" + "broken\n\n\nM  END\n$$$$\n"
    data = held.run(compounds_file_id=send(held, sdf, "own.sdf"))
    assert [(one.name, one.verdict) for one in data.own_compounds] == [
        ("mine", "molecule"),
        ("broken", "unreadable"),
    ]
    assert any(text.startswith("own_compounds_unreadable: 1 of 2") for text in data.warnings)
    lines = held.run(compounds_file_id=send(held, f"{CHIRAL} mine\n", "own.smi")).own_compounds
    assert [(one.name, one.is_new) for one in lines] == [("mine", False)]


@pytest.mark.parametrize("content", [b"\x00\x01\x02\x03", b"name,structure_smiles_x\na,b\n"])
def test_file_that_is_no_list_of_compounds_is_refused(held: Bench, content: bytes) -> None:
    with pytest.raises(UnreadableTable):
        held.run(compounds_file_id=send(held, content))


def test_damaged_pdf_is_told_and_the_run_goes_on(held: Bench) -> None:
    data = held.run(file_ids=[send(held, b"no pdf at all", "patent.pdf")])
    (row,) = data.uploads
    assert (row.file, row.n_read) == ("patent", 0)
    assert "no readable PDF" in row.message
    assert len(data.compounds) == 6
    assert any(text.startswith("file_not_read_whole: patent") for text in data.warnings)


def test_without_osra_the_run_completes_and_says_what_to_install(held, monkeypatch) -> None:
    monkeypatch.setattr(uploads, "has_osra", lambda: False)
    monkeypatch.setattr(recognition, "has_osra", lambda: False)
    data = held.run(file_ids=[send(held, one_page(), "patent.pdf")])
    (warning,) = [text for text in data.warnings if text.startswith("osra_missing")]
    assert "apt-get install osra" in warning
    assert data.n_compound_crops == 0


def one_page() -> bytes:
    """Return a PDF of one page with one drawn structure."""
    from rdkit.Chem import Draw

    drawing = Draw.MolToImage(Chem.MolFromSmiles(ASPIRIN_AMIDES[0]), size=(700, 500))
    sheet = Image.new("L", (1700, 2200), 255)
    sheet.paste(drawing.convert("L"), (400, 500))
    target = io.BytesIO()
    sheet.save(target, "PDF", resolution=200)
    return target.getvalue()


@pytest.mark.skipif(not recognition.has_osra(), reason="OSRA is not installed")
def test_map_works_from_an_uploaded_document_alone(bench: Bench) -> None:
    data = bench.run("ZZZ9", file_ids=[send(bench, one_page(), "draft [1].pdf")])
    (one,) = data.compounds
    assert one.extraction_method == "image"
    assert one.patents[0].location == "page 1"
    assert one.patents[0].image_or_block.startswith("box ")
    assert one.proof is not None
    assert bench.saved[one.proof.file].startswith(b"\x89PNG")
    assert (data.n_compound_crops, data.patents[0].legal) == (1, "unknown")
    assert ("Read drawings", 1, 1) in bench.steps


def test_names_of_documents_are_cleaned_and_unique() -> None:
    taken: set[str] = set()
    names = [name_document(name, taken) for name in ("a.pdf", "b/a.pdf", "a\n[1].pdf", ".pdf")]
    assert names == ["a", "a (2)", "a(1]", ".pdf"]


def test_files_for_other_programs_hold_every_compound(held: Bench, bench: Bench) -> None:
    data = held.run()
    sdf = export(data, "compounds.sdf")
    assert sdf.count(b"$$$$\n") == len(data.compounds)
    supplier = Chem.SDMolSupplier()
    supplier.SetData(sdf.decode())
    assert [Chem.MolToInchiKey(one) for one in supplier] == [one.inchikey for one in data.compounds]
    book = openpyxl.load_workbook(io.BytesIO(export(data, "compounds_drawn.xlsx")))
    assert len(book["Compounds"]._images) == len(data.compounds)
    number = "US1000001B2"
    raw = drawn(number, "claims", *ASPIRIN_AMIDES, location="x\n$$$$\n> <ROLE>\nfalse")
    bench.pool.add(document(number), raw)
    data = bench.run()
    assert export(data, "compounds.sdf").count(b"$$$$\n") == len(data.compounds)
