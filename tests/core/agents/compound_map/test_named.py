"""Systematic names as a source: where attachments gave nothing, with place, or told as skipped."""

import shutil
from pathlib import Path

import pytest
import typst
from rdkit import Chem
from rdkit.Chem import Draw

from core.agents.compound_map import named
from core.agents.compound_map.charts import OWN, name_owners
from core.chemistry import names, recognition
from core.chemistry.structures import read_structure
from tests.core.agents.compound_map.conftest import (
    ASPIRIN_AMIDES,
    KINASE_LIKE,
    Bench,
    document,
    drawn,
)
from tests.core.evidence.named_patents import draw_named, text_of

needs_java = pytest.mark.skipif(
    shutil.which("java") is None, reason="no Java (Debian: default-jre-headless)"
)
NUMBER = "US1000001B2"
DRAWN = draw_named(8, seed=41)
CLAIMED, SHOWN = DRAWN[:4], DRAWN[4:]
CLAIMS = text_of(
    "claims",
    "1. A compound selected from the group consisting of:",
    *(f"{one.name};" for one in CLAIMED),
    "or a pharmaceutically acceptable salt thereof.",
)
DESCRIPTION = text_of(
    "description",
    *(
        line
        for place, one in enumerate(SHOWN, start=1)
        for line in (f"Example {place}: {one.name}", "The mixture was stirred for two hours.")
    ),
)


def key_of(smiles: str) -> str:
    return read_structure(smiles).inchikey


@pytest.fixture
def knowing(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Read the drawn names without Java; the lists that were asked, one a process."""
    asked: list[list[str]] = []
    known = {one.name: one.smiles for one in DRAWN}

    def stand_in(said):
        asked.append(list(said))
        return {name: known[name] for name in said if name in known}

    monkeypatch.setattr(named, "try_names", stand_in)
    monkeypatch.setattr(named, "has_java", lambda: True)
    monkeypatch.setattr(names, "has_java", lambda: True)
    return asked


@pytest.fixture
def written(bench: Bench) -> Bench:
    """A document without attachments, of a target that no reference data holds."""
    bench.pool.add(document(NUMBER, title="Inhibitors of NLRP3", n_attachments=0))
    bench.pool.written[NUMBER] = [DESCRIPTION, CLAIMS]
    return bench


def test_names_give_compounds_with_section_claim_and_example(written: Bench, knowing) -> None:
    data = written.run("NLRP3")
    by_key = {one.inchikey: one for one in data.compounds}
    assert set(by_key) == {key_of(one.smiles) for one in DRAWN}
    claimed, shown = by_key[key_of(CLAIMED[0].smiles)], by_key[key_of(SHOWN[1].smiles)]
    assert (claimed.claimed, claimed.role, claimed.extraction_method) == (
        True,
        "claimed_example",
        "name",
    )
    assert claimed.patents[0].location == "claims, claim 1"
    assert (shown.claimed, shown.role, shown.label) == (False, "example", "Example 2")
    assert shown.patents[0].location == "description, Example 2"
    assert shown.patents[0].image_or_block == f"name {named.round_brackets(SHOWN[1].name)}"
    assert [one.confidence for one in (claimed, shown)] == ["high", "high"]
    assert data.patents[0].sources_used == ["name"]
    assert not any(text.startswith("no_structures") for text in data.warnings)
    row = written.run("NLRP3").source_report[-1]
    assert (row.source, row.status, row.count) == (named.SOURCE, "answered", 1)
    assert row.message == "8 places that look like a name, 8 read as a structure"


def test_all_names_of_a_run_are_asked_in_one_process(written: Bench, knowing) -> None:
    other = "US1000002B2"
    written.pool.add(document(other, n_attachments=0))
    written.pool.written[other] = [CLAIMS]
    written.run("NLRP3")
    assert len(knowing) == 1
    assert {one.name for one in DRAWN} <= set(knowing[0])


def test_only_sections_without_a_compound_are_read(bench: Bench, knowing) -> None:
    """Attachments of the claims stand; those of the description are lacking."""
    bench.pool.add(document(NUMBER), drawn(NUMBER, "claims", *KINASE_LIKE))
    bench.pool.written[NUMBER] = [CLAIMS, DESCRIPTION]
    data = bench.run()
    assert {one.inchikey for one in data.compounds} == {
        key_of(smiles) for smiles in (*KINASE_LIKE, *(one.smiles for one in SHOWN))
    }


def test_document_whose_attachments_cover_it_is_not_asked_for_texts(bench: Bench, knowing) -> None:
    bench.pool.add(
        document(NUMBER),
        drawn(NUMBER, "claims", *KINASE_LIKE[:2]),
        drawn(NUMBER, "description", *KINASE_LIKE[2:]),
    )
    bench.run()
    assert bench.pool.asked_texts == []
    assert knowing == [[]]


def test_pieces_and_generic_drawings_do_not_cover_a_section(bench: Bench, knowing) -> None:
    bench.pool.add(document(NUMBER), drawn(NUMBER, "claims", "C1CN([*:3])CCN1c1ccccc1"))
    bench.pool.written[NUMBER] = [CLAIMS]
    data = bench.run()
    assert {one.inchikey for one in data.compounds} == {key_of(one.smiles) for one in CLAIMED}


def test_structure_found_twice_keeps_the_attachment_and_lists_both(bench: Bench, knowing) -> None:
    bench.pool.add(document(NUMBER), drawn(NUMBER, "description", CLAIMED[0].smiles))
    bench.pool.written[NUMBER] = [CLAIMS]
    data = bench.run()
    both = next(one for one in data.compounds if one.inchikey == key_of(CLAIMED[0].smiles))
    assert (both.extraction_method, both.claimed) == ("cdx", True)
    assert [(one.method, one.section) for one in both.patents] == [
        ("cdx", "description"),
        ("name", "claims"),
    ]


def test_names_of_drawn_claims_confirm_them_and_add_nothing(bench: Bench, knowing) -> None:
    """A document that brings its text: of its claims three are drawn, one of them by name too."""
    bench.pool.add(
        document(NUMBER, source="uspto_redbook"),
        drawn(NUMBER, "claims", CLAIMED[0].smiles, *KINASE_LIKE[:2]),
        drawn(NUMBER, "description", KINASE_LIKE[2]),
    )
    bench.pool.written[NUMBER] = [CLAIMS, DESCRIPTION]
    data = bench.run()
    sure = {one.inchikey: one.witnesses for one in data.compounds if one.confidence_score >= 95}
    assert sure == {key_of(CLAIMED[0].smiles): ["drawing", "systematic name"]}
    assert len(data.compounds) == 4


def test_without_java_the_run_completes_and_counts_what_it_skipped(
    written: Bench, monkeypatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    data = written.run("NLRP3")
    (warning,) = [text for text in data.warnings if text.startswith("java_missing")]
    assert "names of 1 document were skipped" in warning
    assert "apt-get install default-jre-headless" in warning
    assert (data.compounds, data.source_report[-1].status) == ([], "not_configured")


def test_process_that_fails_is_told(written: Bench, monkeypatch) -> None:
    monkeypatch.setattr(named, "has_java", lambda: True)
    monkeypatch.setattr(names, "has_java", lambda: True)
    monkeypatch.setattr(named, "try_names", lambda _names: None)
    data = written.run("NLRP3")
    assert any(text.startswith("names_unread: systematic names of 1") for text in data.warnings)
    assert data.source_report[-1].status == "unavailable"


def test_names_beyond_the_cap_are_counted(written: Bench, knowing, monkeypatch) -> None:
    monkeypatch.setattr(named, "MOST_NAMES", 3)
    data = written.run("NLRP3")
    assert len(data.compounds) == 3
    assert any(text.startswith("names_cut") for text in data.warnings)


@needs_java
def test_real_names_of_a_drawn_document_become_compounds(written: Bench) -> None:
    data = written.run("NLRP3")
    assert {one.inchikey for one in data.compounds} == {key_of(one.smiles) for one in DRAWN}
    assert sum(one.claimed for one in data.compounds) == len(CLAIMED)


def set_pages(folder: Path, *parts: str) -> bytes:
    """Return a PDF with text; each part begins a page."""
    source = "#set page(width: 210mm, height: 297mm)\n#set text(size: 10pt, hyphenate: false)\n"
    (folder / "main.typ").write_text(source + "\n#pagebreak()\n".join(parts))
    return typst.compile(folder / "main.typ", root=folder)


def line(text: str) -> str:
    """Return a paragraph of the text as it stands."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'#par(text("{quoted}"))\n'


def picture(folder: Path, smiles: str) -> str:
    """Return a drawn structure as part of a page."""
    name = f"{key_of(smiles)}.png"
    Draw.MolToImage(Chem.MolFromSmiles(smiles), size=(700, 500)).save(folder / name)
    return f'#image("{name}", width: 70mm)\n'


@needs_java
def test_uploaded_pdf_with_text_gives_names_by_section(bench: Bench, tmp_path: Path) -> None:
    content = set_pages(
        tmp_path,
        line("TECHNICAL FIELD")
        + "".join(line(f"Example {n}: {one.name}") for n, one in enumerate(SHOWN, start=1)),
        line("What is claimed is:")
        + line("1. A compound selected from " + "; ".join(one.name for one in CLAIMED) + "."),
    )
    bench.uploads.files["f1"] = ("own.pdf", content)
    data = bench.run("ZZZ9", file_ids=["f1"])
    by_key = {one.inchikey: one for one in data.compounds}
    assert set(by_key) == {key_of(one.smiles) for one in DRAWN}
    claimed, shown = by_key[key_of(CLAIMED[0].smiles)], by_key[key_of(SHOWN[0].smiles)]
    assert (claimed.claimed, claimed.patents[0].location) == (True, "claims, claim 1, page 2")
    assert (shown.claimed, shown.patents[0].location) == (False, "description, Example 1, page 1")


@needs_java
def test_uploaded_plain_text_is_a_patent_too(bench: Bench) -> None:
    lines = ["Example 1", SHOWN[0].name, "", "We claim:", f"1. {CLAIMED[0].name}."]
    bench.uploads.files["f1"] = ("own.txt", "\n".join(lines).encode())
    data = bench.run("ZZZ9", file_ids=["f1"])
    assert {(one.claimed, one.inchikey) for one in data.compounds} == {
        (False, key_of(SHOWN[0].smiles)),
        (True, key_of(CLAIMED[0].smiles)),
    }
    assert [one.message for one in data.uploads] == [""]


@pytest.mark.skipif(not recognition.has_osra(), reason="OSRA is not installed")
def test_drawings_below_the_heading_of_the_claims_are_claimed(bench: Bench, tmp_path: Path) -> None:
    words = "A description with words enough to tell a page of text from a page of pictures."
    content = set_pages(
        tmp_path,
        line("TECHNICAL FIELD") + line(words) + picture(tmp_path, KINASE_LIKE[0]),
        line("We claim:") + line("1. A compound drawn.") + picture(tmp_path, ASPIRIN_AMIDES[0]),
    )
    bench.uploads.files["f1"] = ("own.pdf", content)
    data = bench.run("ZZZ9", file_ids=["f1"])
    found = {one.claimed: one.patents[0].location for one in data.compounds}
    assert found == {False: "description, page 1", True: "claims, page 2"}
    states = {one.state for one in data.freedom_to_operate.scaffolds}
    assert states == {"not drawn", "occupied"}


@needs_java
def test_scaffold_claimed_in_an_own_document_alone_says_so(bench: Bench) -> None:
    lines = ["We claim:", f"1. {CLAIMED[0].name}.", "DESCRIPTION", f"Example 1: {SHOWN[0].name}"]
    bench.uploads.files["f1"] = ("own.txt", "\n".join(lines).encode())
    data = bench.run("ZZZ9", file_ids=["f1"])
    reasons = {one.state: one.reason for one in data.freedom_to_operate.scaffolds}
    assert reasons["occupied"] == "1 compound drawn in the claims of your own document"
    assert data.summary[0].startswith("1 document of your own was read for ZZZ9")
    assert data.summary[1].startswith("It names 2 molecules. Of these 1 are in the claims")
    assert [one.n_names for one in data.uploads] == [2]
    assert set(name_owners(data).values()) == {OWN}


def test_document_whose_claims_are_not_told_apart_says_so(bench: Bench, knowing) -> None:
    """Names without a heading belong to no section, and so are not read; drawings are."""
    bench.pool.add(document(NUMBER), drawn(NUMBER, "", *KINASE_LIKE))
    (reason,) = {one.role_reason for one in bench.run().compounds}
    assert reason == "drawn completely; the claims of its document cannot be distinguished"
