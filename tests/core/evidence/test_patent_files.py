"""Weekly chemistry files and Red Book documents become records with their structures."""

import json
from pathlib import Path

import pytest

from core.evidence.patents.stored import HeldPatents
from core.evidence.sources.files.forms import archives, json_lists
from core.evidence.sources.files.patent_packing import BIBLIOGRAPHY, Bibliography, read_bibliography
from core.evidence.sources.importing import find_files, import_files, recognize
from core.evidence_ports import Evidence
from core.records.evidence_pack import TextQuery
from core.records.patents import RawStructure
from tests.core.evidence.conftest import NOW, Import
from tests.core.evidence.patent_files import (
    BENZYL,
    NAPHTHYL,
    STEM,
    make_patent,
    make_redbook,
    make_tar,
    make_zip,
    numbered,
)

MOLFILE = b"""
  drawn

  1  0  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0
M  END
"""


def weekly(*entries: object) -> str:
    """Return a weekly file."""
    return json.dumps(list(entries))


def structures(pack: Evidence, number: str) -> list[RawStructure]:
    """Return the structures of a document."""
    return list(HeldPatents(pack).structures([number]).get(number, ()))


@pytest.fixture(scope="session")
def drawings(reference: Path) -> Path:
    """Return the folder of ChemDraw files."""
    return reference.parent / "patents" / "cdx"


def test_a_document_is_a_record_with_its_companies(pack: Evidence, bring: Import) -> None:
    """Number and kind are its id; assignees and applicants stay apart."""
    (file,) = bring("I20240611.json", weekly(make_patent(applicants=[{"first_name": "Jo"}])))
    record = pack.record("uspto_chem:US12000001B2")
    assert (file.format, file.records, file.damaged) == ("uspto-chem", 1, 0)
    assert record is not None
    assert (record.kind, record.published_on) == ("patent", "2024-06-11")
    assert [(one.name, one.relation) for one in record.mentions] == [
        ("Some Inventor Ltd", "assignee"),
        ("Jo", "applicant"),
    ]


def test_structures_come_back_as_delivered_claims_first(pack: Evidence, bring: Import) -> None:
    """Empty strings too: what they are is for the reader to judge."""
    bring("week.json", weekly(make_patent()))
    found = [(one.section, one.block, one.method, one.text) for one in _all(pack)]
    assert found == [
        ("claims", "C00001.CDX", "cdx", BENZYL),
        ("description", "C00002.CDX", "cdx", NAPHTHYL),
        ("description", "C00002.CDX", "cdx", ""),
    ]


def _all(pack: Evidence) -> list[RawStructure]:
    return structures(pack, "US12000001B2")


def test_packed_structures_are_not_searched(pack: Evidence, bring: Import) -> None:
    """A word of a packed passage finds nothing; a word of the abstract does."""
    bring("week.json", weekly(make_patent()))
    assert [hit.record_id for hit in pack.search(TextQuery([["inhibit"]]))]
    for word in ("C00001", "C07D401", "17000001"):
        assert not pack.search(TextQuery([[word]]))


def test_a_number_in_two_weeks_is_one_record(pack: Evidence, bring: Import) -> None:
    """The re-issued file with the other kind is another document."""
    bring("I20240611.json", weekly(make_patent()))
    again = make_patent(title="KRAS inhibitors, corrected")
    other = make_patent(publication=numbered("20230000001", "A1", "20230105"))
    bring("I20240611_r1.json", weekly(again, other))
    assert [one.records for one in pack.sources() if one.source == "uspto_chem"] == [2]
    record = pack.record("uspto_chem:US12000001B2")
    assert record is not None
    assert record.title == "KRAS inhibitors, corrected"


def test_damaged_entries_are_told_by_number_and_cost_nothing_else(
    pack: Evidence, bring: Import
) -> None:
    """A broken entry, one without number and one that is no object; the others stand."""
    good = [json.dumps(make_patent(str(12000001 + at))) for at in range(3)]
    broken = good[0][: len(good[0]) // 2]
    nameless = json.dumps(make_patent(publication={}))
    text = "[" + ",\n".join([good[0], broken, good[1], nameless, '"a word"', good[2]]) + "]"
    (file,) = bring("week.json", text)
    assert (file.records, file.damaged) == (3, 3)
    assert {one.line for one in pack.damages()} == {2, 4, 5}


def test_a_file_that_breaks_off_keeps_what_came_before(pack: Evidence, bring: Import) -> None:
    """As after an interrupted download."""
    text = weekly(make_patent(), make_patent("12000002"))
    (file,) = bring("week.json", text[:-200])
    assert (file.records, file.damaged) == (1, 1)


def test_a_long_file_is_read_in_portions(
    pack: Evidence, bring: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Portions smaller than an entry change nothing."""
    monkeypatch.setattr(json_lists, "PORTION", 64)
    (file,) = bring("week.json", weekly(*(make_patent(str(12000001 + at)) for at in range(20))))
    assert (file.records, file.damaged) == (20, 0)


@pytest.mark.parametrize(
    "said",
    [
        {"title": 7},
        {"title": ""},
        {"publication": numbered("../../etc/passwd", "B2")},
        {"publication": []},
    ],
)
def test_hostile_entries_are_reported(
    pack: Evidence, bring: Import, said: dict[str, object]
) -> None:
    """Wrong types and paths for numbers never become a record."""
    (file,) = bring("week.json", weekly(make_patent(**said)))
    assert (file.records, file.damaged) == (0, 1)


def test_wrong_types_deeper_down_are_left_out(pack: Evidence, bring: Import) -> None:
    """What is no text or list is as good as absent."""
    odd = make_patent(
        related_docs=[{"country": 3}, 4],
        assignees={"a": 1},
        external_files=[{"file": "../x", "section": "claims", "compounds": [1, BENZYL]}, "no"],
        n_external_files=True,
    )
    (file,) = bring("week.json", weekly(odd))
    assert file.records == 1
    assert [(one.text, one.block) for one in _all(pack)] == [(BENZYL, "")]


def test_signs_that_no_store_takes_come_to_no_harm(pack: Evidence, bring: Import) -> None:
    """Halves of signs and zero bytes, wherever a file can hold them."""
    odd = "x\ud800\x00y"
    applied = {"country": odd, "doc_number": f"17{odd}", "date": odd}
    files = [{"file": odd, "section": odd, "compounds": [odd, BENZYL]}]
    said = {"title": odd, "abstract": odd, "assignees": [odd], "cpc_classes": [odd]}
    relatives = [{"country": odd, "doc_number": odd, "kind": odd, "date": odd}]
    entry = make_patent(
        application=applied, external_files=files, related_docs=relatives, pct_data=relatives
    )
    (file,) = bring("week.json", weekly(entry | said))
    assert (file.records, file.damaged) == (1, 0)
    assert [one.text for one in _all(pack)][1] == BENZYL


RELATED = [
    {"country": "US", "doc_number": "17362654", "date": "20210629"},
    {"country": "US", "doc_number": "11651865", "date": "20230516"},
    {"country": "US", "doc_number": "18298298", "date": None},
    {"country": "WO", "doc_number": "PCT/GB18/53678", "date": "20181219"},
    {"country": "US", "doc_number": "62848902", "date": "20171220"},
    {"country": "US", "doc_number": "20220000001", "kind": "A1", "date": "20220106"},
]


def test_family_and_days_follow_from_the_relatives(pack: Evidence, bring: Import) -> None:
    """The patent of a parent is a publication, whatever its number looks like."""
    applied = {"country": "US", "doc_number": "18298298", "date": "20230410"}
    bring("week.json", weekly(make_patent(related_docs=RELATED, application=applied)))
    told = _bibliography(pack)
    assert told.family == "PCT/GB2018/053678"
    assert told.family_members == ("US11651865", "US20220000001A1")
    assert (told.filed_on, told.priority_on) == ("2023-04-10", "2017-12-20")
    assert told.earliest_nonprovisional_on == "2018-12-19"


def test_an_undated_parent_leaves_the_earliest_filing_open(pack: Evidence, bring: Import) -> None:
    """The parent is earlier than the document, nobody says by how much."""
    parent = {"country": "US", "doc_number": "16000001", "kind": None, "date": None}
    bring("week.json", weekly(make_patent(related_docs=[parent])))
    assert _bibliography(pack).earliest_nonprovisional_on is None


def _bibliography(pack: Evidence, record_id: str = "uspto_chem:US12000001B2") -> Bibliography:
    return read_bibliography(pack.passages([record_id], [BIBLIOGRAPHY])[record_id][0].text)


def test_the_reference_weeks_hold_their_strings(pack: Evidence, reference: Path) -> None:
    """11 and 7 documents with 4,605 and 4,015 strings, as their notes count them."""
    folder = reference.parent / "patents"
    paths = [folder / "us_2024_KRAS.json", folder / "us_2024_NLRP3.json"]
    files = import_files(pack, find_files(paths), now=NOW)
    assert [(one.format, one.records, one.damaged) for one in files] == [
        ("uspto-chem", 11, 0),
        ("uspto-chem", 7, 0),
    ]
    ids = pack.changed("uspto_chem", "2000-01-01")
    found = HeldPatents(pack).structures([one.partition(":")[2] for one in ids])
    assert sum(map(len, found.values())) == 4_605 + 4_015


def test_a_redbook_document_alone_has_its_texts(pack: Evidence, bring: Import) -> None:
    """Claims and description are lines of text; drawings are only counted."""
    (file,) = bring("US09000001.xml", make_redbook())
    record = pack.record("uspto_redbook:US9000001B2")
    assert (file.format, file.records, file.damaged) == ("uspto-redbook", 1, 0)
    assert record is not None
    texts = {span.section: span.text for span in record.spans}
    assert texts["claims"].startswith("1. A compound")
    assert "Example 12\n4-methyl-benzamide was made." in texts["description"]
    assert [one.name for one in record.mentions] == ["Some & Co., Ltd.", "Jo Doe"]
    told = _bibliography(pack, record.id)
    assert (told.family, told.n_attachments) == ("JP2008000001", 3)
    assert (told.priority_on, told.earliest_nonprovisional_on) == ("2008-06-05", "2008-10-17")
    assert told.family_members == ("US8000009",)


def test_claims_and_description_come_back_line_by_line(pack: Evidence, bring: Import) -> None:
    """For names; the weekly file of the same document holds none."""
    bring("US09000001.xml", make_redbook())
    bring("week.json", weekly(make_patent("9000001")))
    found = HeldPatents(pack).texts(["US9000001B2", "US1B2"])
    assert list(found) == ["US9000001B2"]
    claims, description = found["US9000001B2"]
    assert (claims.section, claims.lines[0].text) == ("claims", "1. A compound")
    assert [one.text for one in description.lines][:4] == [
        "BACKGROUND",
        "Known so far.",
        "Example 12",
        "4-methyl-benzamide was made.",
    ]


def _attached(drawings: Path) -> dict[str, bytes]:
    return {
        f"{STEM}/{STEM}.XML": make_redbook().encode(),
        f"{STEM}/{STEM}-C00001.CDX": (drawings / "stereo_bug.cdx").read_bytes(),
        f"{STEM}/{STEM}-C00002.CDX": (drawings / "forward.cdx").read_bytes(),
        f"{STEM}/{STEM}-C00003.CDX": b"no drawing",
        f"{STEM}/{STEM}-C00003.MOL": MOLFILE,
    }


@pytest.mark.parametrize("form", ["zip", "tar", "folder"])
def test_attachments_are_read_with_their_place(
    pack: Evidence, tmp_path: Path, drawings: Path, form: str
) -> None:
    """CDX first, MOL where it holds nothing; a reaction is marked as one."""
    path = tmp_path / f"{STEM}.{form}"
    if form == "folder":
        path.mkdir()
        for name, content in _attached(drawings).items():
            (path / Path(name).name).write_bytes(content)
    else:
        pack_up = make_zip if form == "zip" else make_tar
        path.write_bytes(pack_up(_attached(drawings)))
    (file,) = import_files(pack, find_files([path]), now=NOW)
    assert (file.format, file.records, file.damaged) == ("uspto-redbook", 1, 0)
    first, second, *reaction = structures(pack, "US9000001B2")
    assert (first.location, first.method, first.text) == ("claims, claim 1", "mol", "C")
    assert second.location == "description, Example 12"
    assert (second.label, second.part, second.method) == ("Example 12", "molecule", "cdx")
    assert second.text == "CC(=O)C(C(C)=O)[C@H](C[N+](=O)[O-])c1ccccc1"
    assert {one.part for one in reaction} == {"reaction"}


def test_missing_attachments_are_counted(pack: Evidence, bring: Import) -> None:
    """One report a document."""
    (file,) = bring("one.zip", make_zip({"a.xml": make_redbook().encode(), "x.mol": MOLFILE}))
    assert (file.records, file.damaged) == (1, 1)
    assert "3 of 3 drawings" in pack.damages()[0].reason


@pytest.mark.parametrize("name", ["../out.cdx", "/etc/out.cdx", "a\\..\\out.cdx", "c:out.cdx"])
@pytest.mark.parametrize("pack_up", [make_zip, make_tar])
def test_names_that_lead_out_refuse_the_archive(
    pack: Evidence, tmp_path: Path, name: str, pack_up: object
) -> None:
    """Nothing is written anywhere, and nothing of it is taken."""
    files = {"a.xml": make_redbook().encode(), name: b"x"}
    path = tmp_path / ("one.zip" if pack_up is make_zip else "one.tar")
    path.write_bytes(pack_up(files))  # type: ignore[operator]
    (file,) = import_files(pack, find_files([path]), now=NOW)
    assert (file.records, file.damaged) == (0, 1)
    assert "leads out" in pack.damages()[0].reason


def test_links_of_a_tar_are_left_out(pack: Evidence, bring: Import) -> None:
    """A link to a file of the host is no attachment."""
    links = {f"{STEM}-C00001.CDX": "/etc/passwd"}
    bring("one.tar", make_tar({"a.xml": make_redbook().encode()}, links))
    assert structures(pack, "US9000001B2") == []


@pytest.mark.parametrize(("cap", "limit"), [("MOST_MEMBERS", 2), ("LARGEST_TOTAL", 1_000)])
@pytest.mark.parametrize("form", ["zip", "tar"])
def test_archives_beyond_the_caps_are_refused(
    pack: Evidence, bring: Import, monkeypatch: pytest.MonkeyPatch, cap: str, limit: int, form: str
) -> None:
    """Too many members or too many bytes."""
    monkeypatch.setattr(archives, cap, limit)
    files = {"a.xml": make_redbook().encode(), "b.cdx": b"1", "c.cdx": b"2"}
    (file,) = bring(f"one.{form}", (make_zip if form == "zip" else make_tar)(files))
    assert (file.records, file.damaged) == (0, 1)
    assert "more than" in pack.damages()[0].reason


@pytest.mark.parametrize(
    "text",
    [
        make_redbook().replace("[ ]", '[<!ENTITY x "y">]'),
        make_redbook().replace("<abstract", "<!DOCTYPE again><abstract"),
        make_redbook()[:-40],
    ],
)
def test_entities_and_broken_documents_are_refused(
    pack: Evidence, bring: Import, text: str
) -> None:
    """A document type may be named; it may declare nothing."""
    (file,) = bring("US09000001.xml", text)
    assert (file.records, file.damaged) == (0, 1)


def test_a_damaged_archive_is_reported(pack: Evidence, bring: Import) -> None:
    """As a row of its own, without an error."""
    (file,) = bring("one.tar", b"\x1f\x8b no tar")
    assert (file.records, file.damaged) == (0, 1)


def test_a_folder_with_other_files_is_no_document(tmp_path: Path) -> None:
    """Its files are judged one by one."""
    (tmp_path / "US09000001.xml").write_text(make_redbook())
    (tmp_path / "week.json").write_text(weekly(make_patent()))
    assert recognize(tmp_path) is None
    found = {one.path.name: one.importer and one.importer.name for one in find_files([tmp_path])}
    assert found == {"US09000001.xml": "uspto-redbook", "week.json": "uspto-chem"}
