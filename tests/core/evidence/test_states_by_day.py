"""Days of states: of a change, of a copy; which state is the newest, and which was known when."""

import csv
import io
import itertools
import json

from core.evidence.sources.importing import find_files, import_files
from core.evidence_ports import Evidence
from core.records.evidence_pack import FactQuery
from core.settings import Settings
from storage.evidence.states import last_day
from storage.stores import open_stores
from tests.core.evidence.conftest import NOW
from tests.rows import over_rows

TRIAL = "ctgov:NCT00000001"
HEADER = (
    "nct_id",
    "brief_title",
    "interventions",
    "overall_status",
    "snapshot_date",
    "last_update",
)


def table(status: str, copied_on: str, updated_on: str = "") -> str:
    """Return a table of one trial."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerow(("NCT00000001", "T", "DRUG:drugoxib", status, copied_on, updated_on))
    return text.getvalue()


def full(status: str, updated_on: str) -> str:
    """Return a full record."""
    states = {"overallStatus": status, "lastUpdatePostDateStruct": {"date": updated_on}}
    named = {"nctId": "NCT00000001", "briefTitle": "T"}
    design = {"designInfo": {"primaryPurpose": "TREATMENT"}}
    modules = {"identificationModule": named, "statusModule": states, "designModule": design}
    return json.dumps({"protocolSection": modules})


STATES = {
    "a.csv": table("NOT_YET_RECRUITING", "2021"),
    "b.csv": table("RECRUITING", "2023-06"),
    "c.json": full("ACTIVE_NOT_RECRUITING", "2024-02-10"),
    "d.csv": table("ACTIVE_NOT_RECRUITING", "2026-03-01", "2024-02-10"),
    "e.csv": table("COMPLETED", "2025-08-05"),
}
"""Five files that tell five states of one trial."""


def status(evidence: Evidence, known_by: str = "") -> list[str]:
    query = FactQuery([TRIAL], predicates=["trial_status"], known_by=known_by)
    return [one.fact.object for one in evidence.facts(query)]


def test_the_newest_of_five_states_does_not_hang_on_the_order_of_their_files(tmp_path) -> None:
    for name, content in STATES.items():
        (tmp_path / name).write_text(content)
    told = set()
    for order in list(itertools.permutations(STATES))[::30]:
        home = tmp_path / "".join(name[0] for name in order)
        stores = open_stores(Settings(home=home, database_url=None))
        for name in order:
            import_files(stores.evidence, find_files([tmp_path / name]), now=NOW)
        days = tuple(status(stores.evidence, day)[:1] for day in ("2024-02-10", "2025-01-01"))
        told.add(repr((status(stores.evidence), days)))
        stores.engine.close()
    assert told == {repr((["COMPLETED"], (["ACTIVE_NOT_RECRUITING"],) * 2))}


def test_the_day_of_a_copy_is_no_day_of_a_change(pack, bring) -> None:
    bring("b.csv", STATES["b.csv"])
    record = pack.record(TRIAL)
    assert record
    assert (record.updated_on, record.copied_on, record.told_on) == ("", "2023-06", "2023-06")
    assert pack.changed("ctgov", "2020-01-01") == []
    assert pack.sources()[0].newest == "2023-06"
    bring("d.csv", STATES["d.csv"])
    record = pack.record(TRIAL)
    assert record
    assert (record.updated_on, record.copied_on) == ("2024-02-10", "2026-03-01")
    assert pack.changed("ctgov", "2020-01-01") == [TRIAL]


def test_older_states_are_read_as_they_were_known(pack, bring) -> None:
    for name, content in STATES.items():
        bring(name, content)
    assert status(pack, "2020-12-31") == []
    assert status(pack, "2021-06-30") == []  # of the year 2021 may be its last day
    assert status(pack, "2021-12-31") == ["NOT_YET_RECRUITING"]
    assert status(pack, "2023-06-15") == ["NOT_YET_RECRUITING"]  # a month may be its last day
    assert status(pack, "2023-06-30") == ["RECRUITING"]
    assert status(pack, "2025-08-05") == ["COMPLETED"]
    purpose = FactQuery([TRIAL], predicates=["trial_purpose"], known_by="2025-12-31")
    (lasting,) = pack.facts(purpose)  # only the fuller, older state tells it
    assert lasting.fact.object == "TREATMENT"
    by_name = FactQuery(subjects=["NCT00000001"], predicates=["trial_status"], known_by="2023-12")
    assert [one.fact.object for one in pack.facts(by_name)] == ["RECRUITING"]


def test_a_file_that_is_read_again_takes_the_place_of_what_it_said(pack, bring) -> None:
    bring("x.csv", table("TERMINATED", "2025-01-01"))
    bring("x.csv", table("COMPLETED", "2025-01-01"))
    assert status(pack) == ["COMPLETED"]
    assert status(pack, "2025-06-01") == ["COMPLETED"]


@over_rows(
    ("said", "last"), [("2026-03", "2026-03-31"), ("2026", "2026-12-31"), ("2026-03-14",) * 2]
)
def test_a_month_counts_from_its_last_day(said, last) -> None:
    assert last_day(said) == last
