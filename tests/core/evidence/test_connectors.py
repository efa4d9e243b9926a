"""The port of sources and its two local members: one suite for both."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from core.evidence.sources.importing import find_files, import_files
from core.evidence.sources.live.base import Connector, SourceQuery
from core.evidence.sources.live.files import FileConnector
from core.evidence.sources.live.pack import PackConnector
from core.evidence_ports import Evidence

TODAY = date(2026, 11, 21)
DRUGS = ("Acmemab", "Betamab", "Gammamab")


def write_pipelines(folder: Path) -> Path:
    assets = [{"asset": drug, "mechanism": "PD-1", "programs": []} for drug in DRUGS]
    path = folder / "pipelines.json"
    page = {"as_of": "2026-07-08", "source_url": "https://acme.example", "assets": assets}
    path.write_text(json.dumps({"companies": {"Acme": page}}))
    return path


@pytest.fixture(params=["pack", "file"])
def connector(request, pack: Evidence, tmp_path: Path) -> Connector:
    path = write_pipelines(tmp_path)
    if request.param == "file":
        return FileConnector(path, read_on=TODAY)
    now = datetime(2026, 11, 21, tzinfo=UTC)
    import_files(pack, find_files([path]), now=now)
    return PackConnector("pipeline", pack)


def names(answer) -> list[str]:
    return [one.record.title.removeprefix("Acme pipeline: ") for one in answer.records]


def test_search_finds_records_with_their_facts(connector: Connector) -> None:
    answer = connector.search(SourceQuery([["betamab", "BM-1"]]))
    assert (answer.status, answer.origin, names(answer)) == ("answered", "local", ["Betamab"])
    assert {fact.predicate for fact in answer.records[0].facts} >= {"acts_on", "developed_by"}


def test_search_without_a_hit_is_empty_not_unavailable(connector: Connector) -> None:
    answer = connector.search(SourceQuery([["zetamab"]]))
    assert (answer.status, answer.records) == ("empty", ())


def test_pages_follow_each_other_without_loss(connector: Connector) -> None:
    first = connector.search(SourceQuery([["Acme"]], limit=2))
    second = connector.search(SourceQuery([["Acme"]], limit=2, cursor=first.next_cursor))
    assert sorted(names(first) + names(second)) == sorted(DRUGS)
    assert second.next_cursor == ""


def test_fetch_returns_the_one_record(connector: Connector) -> None:
    assert names(connector.fetch("Acme/Gammamab")) == ["Gammamab"]
    assert connector.fetch("Acme/nothing").status == "empty"


def test_the_day_of_a_copy_is_no_change_since(connector: Connector) -> None:
    """A pipeline is dated by the copy alone: it tells of no change, neither then nor later."""
    assert connector.since(date(2026, 7, 8)).status == "empty"
    assert names(connector.search(SourceQuery([[DRUGS[0]]]))) == [DRUGS[0]]


def test_source_that_was_never_imported_says_so(pack: Evidence) -> None:
    answer = PackConnector("chictr", pack).search(SourceQuery([["x"]]))
    assert answer.status == "not_configured"
    assert "chictr" in answer.message


def test_file_that_is_gone_is_unavailable(tmp_path: Path) -> None:
    answer = FileConnector(tmp_path / "gone.json", read_on=TODAY).fetch("x")
    assert answer.status == "unavailable"


def test_file_of_no_known_kind_is_not_configured(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear all")
    assert FileConnector(path, read_on=TODAY).fetch("x").status == "not_configured"


def test_damaged_rows_make_an_answer_partial(tmp_path: Path) -> None:
    path = write_pipelines(tmp_path)
    whole = json.loads(path.read_text())
    whole["companies"]["Acme"]["assets"].append({"programs": []})
    path.write_text(json.dumps(whole))
    answer = FileConnector(path, read_on=TODAY).search(SourceQuery([["Acme"]]))
    assert (answer.status, len(answer.records)) == ("partial", 3)
    assert "1 damaged" in answer.message


def test_every_member_fits_the_port(pack: Evidence, tmp_path: Path) -> None:
    def use(_connector: Connector) -> Callable[..., object]:
        return _connector.search

    assert use(PackConnector("ctgov", pack))
    assert use(FileConnector(tmp_path / "x", read_on=TODAY))
