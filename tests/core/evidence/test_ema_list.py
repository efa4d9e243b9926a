"""Europe's list of medicines: approvals with their day, ends, positive opinions."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.evidence.sources.files.ema import read_ema
from core.evidence.sources.importing import recognize
from core.records.evidence import Parsed
from core.tables.rows import SourceFile
from core.vocabulary.predicates import Predicate

NAME, NUMBER, STATUS = "Name of medicine", "EMA product number", "Medicine status"
INN = "International non-proprietary name (INN) / common name"
DAY, GONE = (
    "Marketing authorisation date",
    "Withdrawal / expiry / revocation / lapse of marketing authorisation date",
)
HOLDER = "Marketing authorisation developer / applicant / holder"
COLUMNS = ("Category", NAME, NUMBER, STATUS, "Opinion status", INN, "Active substance") + (
    *("Therapeutic indication", "Biosimilar", "Generic", HOLDER, DAY, GONE, "Last updated date"),
    "Medicine URL",
)


def read(folder: Path, *rows: Mapping[str, str]) -> list[Parsed]:
    path = folder / "medicines.csv"
    with path.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(
            {"Category": "Human", NUMBER: f"EMEA/H/C/{n}", **row} for n, row in enumerate(rows)
        )
    importer = recognize(path)
    assert importer is not None
    assert importer.name == "ema"
    return list(read_ema(SourceFile(path, "2026-03-14", "2026-11-23", lambda *_: None)))


def said(parsed: Parsed, predicate: Predicate) -> list[tuple[str, str]]:
    return [(one.object, one.as_of) for one in parsed.facts if one.predicate == predicate]


def test_an_authorization_has_its_day_holder_and_region(tmp_path: Path) -> None:
    row = {NAME: "Drugova", STATUS: "Authorised", INN: "drugoxib;otherxib", DAY: "2019-05-02"}
    (parsed,) = read(tmp_path, row | {HOLDER: "Acme Europe BV"})
    assert said(parsed, Predicate.APPROVED_ON) == [("2019-05-02", "2026-03-14")] * 2
    assert said(parsed, Predicate.APPLICATION_HOLDER) == [("Acme Europe BV", "2026-03-14")]
    regions = {one.qualifiers.region for one in parsed.facts if one.predicate == "approved_on"}
    assert regions == {"EMA"}


@pytest.mark.parametrize("status", ["Withdrawn", "Lapsed", "Expired", "Revoked"])
def test_an_end_is_dated_by_the_list(status: str, tmp_path: Path) -> None:
    row = {NAME: "Drugova", STATUS: status, INN: "drugoxib", DAY: "2019-05-02", GONE: "2024-02-23"}
    (parsed,) = read(tmp_path, row)
    assert said(parsed, Predicate.MARKETING_STATUS) == [(status.casefold(), "2024-02-23")]


@pytest.mark.parametrize(
    "row",
    [
        {STATUS: "Authorised", "Generic": "Yes"},
        {STATUS: "Authorised", "Biosimilar": "Yes"},
        {STATUS: "Refused"},
        {STATUS: "Application withdrawn"},
        {STATUS: "Opinion", "Opinion status": "Negative"},
    ],
)
def test_copies_and_what_was_never_granted_are_left_out(
    row: Mapping[str, str], tmp_path: Path
) -> None:
    assert read(tmp_path, {NAME: "Drugova", INN: "drugoxib", **row}) == []
    opinion = {NAME: "Drugova", INN: "drugoxib", STATUS: "Opinion", "Opinion status": "Positive"}
    (parsed,) = read(tmp_path, opinion)
    assert said(parsed, Predicate.MARKETING_STATUS) == [("positive opinion", "2026-03-14")]
    assert not said(parsed, Predicate.APPROVED_ON)
