"""The tables of the starter pack: form, order, duplicates, words, dates, identifiers."""

import csv
import gzip
import os
import re
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from core.evidence.sources.pack.files import FOLDER, path_of, read_table, write_rows
from core.evidence.sources.pack.reading import load_rows
from core.evidence.sources.pack.schema import AREAS, NAMED_IN_TITLE, OVERRIDES, TABLES, TAIL, Table
from tests.rows import over_rows
from tools.curation.checks import find_faults
from tools.curation.sources import load_sources

TODAY = date(2026, 11, 21)
Spoil = Callable[..., list[str]]
EVERY = (*TABLES, OVERRIDES)
each_table = over_rows("table", EVERY)


def test_no_table_has_a_fault() -> None:
    assert find_faults(datetime.now(UTC).date()) == []


@each_table
def test_files_are_written_the_one_way_that_the_tables_have(table: Table) -> None:
    rows = [row for _, row in read_table(table)]
    assert path_of(table).read_bytes() == write_rows(rows, table).encode()


def test_a_table_is_one_file_sorted_by_drug() -> None:
    found = {path.name for path in FOLDER.iterdir() if path.is_file()}
    assert found == {f"{table.name}.csv" for table in EVERY}
    for table in TABLES:
        drugs = [row["drug"].casefold() for _, row in read_table(table)]
        assert drugs == sorted(drugs), table.name


def test_rows_are_loaded_area_by_area() -> None:
    areas = [row["area"] for row in load_rows("drugs")]
    assert areas == sorted(areas)
    assert set(areas) <= set(AREAS)


ROW = {
    "drug": "drugamab",
    "area": "lung",
    "target": "PD-1",
    "mechanism": "PD-1 inhibitor",
    "modality": "monoclonal antibody",
    "originator": "Acme",
    "basis": "expert",
    "status": "unverified",
    "curated_on": "2026-11-01",
}
STAGE = {
    "drug": "drugamab",
    "area": "lung",
    "indication": "asthma",
    "region": "FDA",
    "stage": "PHASE2",
    "year": "2024",
    "state": "active",
    "basis": "expert",
    "status": "unverified",
    "curated_on": "2026-11-01",
}


@pytest.fixture
def faults(tmp_path: Path) -> Spoil:
    """Return what writes files of rows and gives the faults found in them."""

    def find(**tables: list[dict[str, str]]) -> list[str]:
        for table in EVERY:
            with path_of(table, tmp_path).open("w", newline="") as text:
                writer = csv.DictWriter(text, table.header, restval="", lineterminator="\n")
                writer.writeheader()
                writer.writerows(tables.get(table.name, []))
        return find_faults(TODAY, tmp_path)

    return find


def test_a_good_row_has_no_fault(faults: Spoil) -> None:
    assert faults(drugs=[ROW], stages=[STAGE]) == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"mechanism": ""}, "mechanism is empty"),
        ({"modality": "antibody"}, "modality is 'antibody', not one of"),
        ({"target": "PD1-receptor"}, "target 'PD1-receptor' is in no table of targets"),
        ({"curated_on": "2026-12-01"}, "curated_on lies in the future"),
        ({"curated_on": "1 Nov 2026"}, "curated_on is '1 Nov 2026'"),
        ({"curated_on": ""}, "curated_on is empty"),
        ({"basis": "published"}, "basis and status must be expert, unverified or published, ver"),
        ({"area": "lungs"}, "area is 'lungs', not one of"),
        ({"source_url": "https://a.example/b"}, "carries no identifiers"),
        ({"source_id": "x"}, "carries no identifiers"),
        ({"note": "see NCT01234567"}, "carries no identifiers"),
        ({"note": "BLA 761034"}, "carries no identifiers"),
        ({"originator": "Acme "}, "originator has blanks"),
        ({"mechanism": "x" * 201}, "mechanism is longer than 200"),
    ],
)
def test_a_spoiled_row_is_told(faults: Spoil, changes: dict[str, str], told: str) -> None:
    found = faults(drugs=[ROW | changes])
    assert any(told in one for one in found), found
    assert all(one.startswith("drugs.csv line 2: ") for one in found)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"stage": "PHASE_2"}, "stage is 'PHASE_2'"),
        ({"stage": "DISCONTINUED"}, "stage is 'DISCONTINUED'"),
        ({"state": ""}, "state is empty"),
        ({"region": "US"}, "region is 'US'"),
        ({"year": "2027"}, "year lies in the future"),
        ({"year": "24"}, "year is '24'"),
        ({"drug": "otheramab"}, "'otheramab' stands not in drugs.csv"),
    ],
)
def test_a_spoiled_stage_is_told(faults: Spoil, changes: dict[str, str], told: str) -> None:
    found = faults(drugs=[ROW], stages=[STAGE | changes])
    assert any(told in one for one in found), found


READ = {
    "basis": "published",
    "status": "verified",
    "source_url": "https://a.example/news/1",
    "source_title": "Acme begins a phase 2 trial",
    "as_of": "2026-10-05",
}


def test_what_a_person_read_names_its_address_and_day(faults: Spoil) -> None:
    assert faults(drugs=[ROW | READ], stages=[STAGE | READ]) == []
    known_to_a_register = READ | {"source_id": "ctgov:NCT01234567", "note": "NCT01234567"}
    assert faults(drugs=[ROW | known_to_a_register]) == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"source_url": ""}, "names its https address in source_url, not ''"),
        ({"source_url": "http://a.example"}, "names its https address in source_url"),
        ({"source_title": ""}, "names its source in source_title"),
        ({"as_of": ""}, "names its day in as_of, YYYY-MM-DD"),
        ({"as_of": "2026-10"}, "names its day in as_of, YYYY-MM-DD"),
        ({"as_of": "2026-12-01"}, "as_of lies in the future"),
        ({"status": "unverified"}, "basis and status must be expert, unverified or published, ver"),
    ],
)
def test_a_published_row_without_its_source_is_refused(
    faults: Spoil, changes: dict[str, str], told: str
) -> None:
    found = faults(drugs=[ROW], stages=[STAGE | READ | changes])
    assert [told in one for one in found] == [True], found
    assert found[0].startswith("stages.csv line 2: ")


def test_a_drug_stands_in_one_area_and_a_row_once(faults: Spoil) -> None:
    other = ROW | {"target": "PD-L1"}
    assert faults(drugs=[ROW, other]) == []
    found = faults(drugs=[ROW, other | {"area": "adc"}])
    assert found == ["drugs.csv line 3: drugamab is of 'adc' and of 'lung'"]
    found = faults(drugs=[ROW, ROW | {"drug": "Drugamab", "area": "adc"}])
    assert "drugs.csv line 3: drugamab / pd-1 stands also in drugs.csv line 2" in found


def test_rows_out_of_order_are_told(faults: Spoil) -> None:
    found = faults(drugs=[ROW, ROW | {"drug": "abcamab"}])
    assert found == ["drugs.csv: not in order; run `python -m tools.curation check --tidy`"]


def test_a_table_that_is_missing_is_told(faults: Spoil, tmp_path: Path) -> None:
    faults(drugs=[ROW])
    (tmp_path / "events.csv").unlink()
    assert find_faults(TODAY, tmp_path) == ["events.csv: file not found in the pack"]


def test_a_source_row_names_its_source(faults: Spoil) -> None:
    row = {"nct_id": "NCT00000001", "drug": "drugamab", "drugs": "investigational:drugamab"}
    row |= {"basis": "published", "status": "verified", "curated_on": "2026-11-01"}
    row |= {"area": "lung"}
    found = faults(drugs=[ROW], trials=[row])
    assert found == [
        "trials.csv line 2: source_id, source_title, as_of and verified_on must be filled"
    ]
    assert any("nct_id is 'NCT1'" in one for one in faults(trials=[row | {"nct_id": "NCT1"}]))


def test_every_row_ends_in_where_it_comes_from() -> None:
    for table in TABLES:
        assert table.header[-len(TAIL) :] == TAIL
        assert all(set(row) == set(table.header) for row in load_rows(table.name)[:1])


@pytest.fixture(scope="module")
def at_hand() -> Path:
    """Return the folder of the sources; without it these tests are skipped."""
    default = Path(__file__).resolve().parents[3] / "shared" / "reference"
    folder = Path(os.environ.get("BPW_REFERENCE", default)) / "evidence"
    if not folder.is_dir():
        pytest.skip(f"needs the reference data in {folder}")
    return folder


def text_of(path: Path) -> str:
    """Return the text of a file, compressed or not."""
    read = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return read.decode("utf-8-sig", "replace")


@pytest.mark.reference
def test_every_trial_stands_in_a_source_with_a_name_of_its_row(at_hand: Path) -> None:
    names = (
        *("trials_facts.csv.gz", "trials_raw.ndjson.gz", "ctgov_v2_studies.ndjson.gz"),
        "trials_results_2.ndjson.gz",
    )
    files = [*(at_hand / name for name in names), *sorted((at_hand / "ctgov_flat").iterdir())]
    known: set[str] = set()
    said: dict[str, str] = {}
    titles: dict[str, str] = {}
    for path in files:
        text = text_of(path)
        known |= set(re.findall(r"NCT\d{8}", text))
        if path.name == "trials_facts.csv.gz":
            said = {row["nct_id"]: row["interventions"] for row in csv.DictReader(StringIO(text))}
            titles = {row["nct_id"]: row["brief_title"] for row in csv.DictReader(StringIO(text))}
    rows = load_rows("trials")
    assert [row["nct_id"] for row in rows if row["nct_id"] not in known] == []
    assert all(row["source_id"] == f"ctgov:{row['nct_id']}" for row in rows)
    titled = [row for row in rows if row["note"] == NAMED_IN_TITLE]
    assert len(titled) > 500
    assert all(shares_a_name(row["drugs"], titles[row["nct_id"]]) for row in titled)
    told = [row for row in rows if said.get(row["nct_id"]) and row not in titled]
    other = [row["nct_id"] for row in told if not shares_a_name(row["drugs"], said[row["nct_id"]])]
    assert len(told) > 1_000
    assert other == []


def shares_a_name(drugs: str, interventions: str) -> bool:
    """Return whether a drug of a row is among the interventions of the source."""
    folded = " ".join(interventions.casefold().split())
    return any(one.partition(":")[2].casefold() in folded for one in drugs.split("|"))


@pytest.mark.reference
def test_every_application_has_the_ingredients_of_its_source(at_hand: Path) -> None:
    with ZipFile(at_hand / "drugsfda" / "drugsatfda_2019-07-02.zip") as archive:
        lines = archive.read("Products.txt").decode("utf-8", "replace").splitlines()
    products: dict[str, str] = defaultdict(str)
    for cells in (line.split("\t") for line in lines[1:]):
        products[cells[0]] += f" {' '.join(cells).casefold()}"
    purple = text_of(next((at_hand / "purple_book").glob("*.csv"))).casefold()
    medicines = csv.DictReader(StringIO(text_of(at_hand / "ema_medicines.csv.gz")))
    european = {
        row["EMA product number"]: " ".join(" ".join(row.values()).casefold().split())
        for row in medicines
    }
    wrong = []
    for row in load_rows("approvals"):
        first = row["ingredients"].split("|")[0].casefold()
        if row["register"] == "drugsfda":
            wrong += [row["number"]] if first not in products[row["number"]] else []
        if row["register"] == "purplebook":
            lines = [one for one in purple.splitlines() if row["number"][3:] in one]
            wrong += [row["number"]] if not any(first in one for one in lines) else []
        if row["register"] == "ema":
            wrong += [row["number"]] if first not in european[row["number"]] else []
    assert wrong == []


@pytest.mark.reference
def test_every_label_and_decision_stands_in_its_source(at_hand: Path) -> None:
    labels = "".join(text_of(at_hand / f"labels_{kind}.ndjson.gz") for kind in ("raw", "full"))
    sets = {row["number"] for row in load_rows("labels") if row["register"] == "label"}
    assert [one for one in sets if not one.startswith("part-") and one not in labels] == []
    decisions = text_of(next((at_hand / "regulatory").iterdir()))
    numbers = {row["number"] for row in load_rows("events")}
    assert [one for one in numbers if f'"{one}"' not in decisions] == []


def test_nothing_rests_on_sources_that_may_not_be_shipped() -> None:
    allowed = {one.source for one in load_sources()}
    for table in TABLES:
        for row in load_rows(table.name) if not table.is_of_people else ():
            assert row["source_id"].partition(":")[0] in allowed
    files = " ".join(one.file for one in load_sources())
    assert not re.search("chembl|approvals|outcomes|drugcentral|hetionet", files)
