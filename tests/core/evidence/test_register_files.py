"""Exports of other registers as spreadsheet programs write them: encodings and workbooks."""

import io
import zipfile
from datetime import date
from pathlib import Path

import openpyxl
import pytest

from core.errors import InvalidInput
from core.evidence_ports import Evidence
from core.records.evidence_pack import FactQuery
from core.tables import workbooks
from tests.core.evidence.conftest import Import

CDE = (
    "\u767b\u8bb0\u53f7,\u8bd5\u9a8c\u901a\u4fd7\u9898\u76ee,\u7533\u529e\u8005\u540d\u79f0,"
    "\u8bd5\u9a8c\u5206\u671f,\u836f\u7269\u540d\u79f0\n"
    "CTR20201234,\u80c3\u764c\u7814\u7a76,\u6052\u745e\u533b\u836f,III\u671f,A-101\n"
)
HEADER = ["Registration number", "Public title", "Primary sponsor", "Study phase", "Target disease"]
ROW = ["ChiCTR2100041234", "A in gastric cancer", "Acme", "Phase 2", "gastric cancer"]


def said(pack: Evidence, record_id: str) -> dict[str, str]:
    """Return the words of a record's facts by predicate."""
    found = pack.facts(FactQuery(record_ids=[record_id]))
    return {one.fact.predicate: one.fact.object for one in found}


def workbook(*rows: list[object], above: int = 0, sheet: str = "") -> bytes:
    """Return a workbook with a table, perhaps below a title or on a second sheet."""
    book = openpyxl.Workbook()
    page = book.active
    if sheet:
        page.append(["about this export"])
        page = book.create_sheet(sheet)
    for _ in range(above):
        page.append(["Trials found"])
    for row in rows:
        page.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "gbk"]
)
def test_a_table_is_read_in_any_encoding(pack: Evidence, bring: Import, encoding: str) -> None:
    (file,) = bring("cde.csv", CDE.encode(encoding))
    assert (file.records, file.damaged) == (1, 0)
    told = said(pack, "cde:CTR20201234")
    assert told["trial_sponsor"] == "\u6052\u745e\u533b\u836f"
    assert told["trial_phase"] == "PHASE3"


def test_a_table_between_tabs_in_utf_16_is_read(pack: Evidence, bring: Import) -> None:
    quoted = CDE.replace(",", "\t").replace("A-101", '"A-101\nB-202"')
    (file,) = bring("cde.txt", quoted.encode("utf-16"))
    assert (file.records, file.damaged) == (1, 0)


def test_a_damaged_line_is_told_by_its_number(pack: Evidence, bring: Import) -> None:
    more = CDE.encode() + CDE.splitlines()[1].replace("1234", "1235").encode()
    broken = more + b"\nCTR20201236,\xff\xe7,x,y,z\nCTR20201237,only,three\n"
    (file,) = bring("cde.csv", broken)
    assert (file.records, file.damaged) == (2, 2)
    assert sorted((one.line, one.reason) for one in pack.damages()) == [
        (4, "not UTF-8"),
        (5, "3 columns instead of 5"),
    ]


def test_a_workbook_is_read_with_its_row_numbers(pack: Evidence, bring: Import) -> None:
    header = [*HEADER, "Target sample size", "Date of registration"]
    rows = [[*ROW, 40, date(2021, 3, 1)], ["none", *ROW[1:]], [None], [*ROW[:1], *["x"] * 9]]
    (file,) = bring("chictr.xlsx", workbook(header, *rows, above=2, sheet="trials"))
    assert (file.records, file.damaged) == (1, 2)
    record = pack.record("chictr:ChiCTR2100041234")
    assert record is not None
    assert (record.raw_ref, record.published_on) == ("chictr.xlsx:4", "2021-03-01")
    assert said(pack, record.id)["trial_phase"] == "PHASE2"
    assert sorted(one.line for one in pack.damages()) == [5, 7]


def test_a_workbook_of_something_else_is_not_recognized(bring: Import) -> None:
    with pytest.raises(InvalidInput, match="no file of a known kind"):
        bring("other.xlsx", workbook(["a", "b"], [1, 2]))
    with pytest.raises(InvalidInput, match="no file of a known kind"):
        bring("broken.xlsx", workbook(HEADER, ROW)[:400])


def test_a_workbook_that_declares_entities_or_swells_is_refused(
    bring: Import, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = workbook(HEADER, ROW)
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(content, "w") as new:
        for one in old.namelist():
            words = old.read(one)
            if one == "xl/workbook.xml":
                words = b'<!DOCTYPE x [<!ENTITY a "b">]>' + words
            new.writestr(one, words)
    with pytest.raises(InvalidInput, match="no file of a known kind"):
        bring("entities.xlsx", content.getvalue())
    monkeypatch.setattr(workbooks, "LARGEST_MEMBER", 100)
    with pytest.raises(InvalidInput, match="no file of a known kind"):
        bring("large.xlsx", whole)
