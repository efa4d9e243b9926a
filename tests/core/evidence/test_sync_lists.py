"""Syncs of published files on a loopback site: what they keep, and what may go wrong."""

import csv
import gzip
import io
import json
import os
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.evidence.events.preparing import prepare_events
from core.evidence.sources.importing import find_files, import_files
from core.evidence.sources.live.web import Site
from core.evidence.sources.sync.reports import SyncReport
from core.evidence.sources.sync.sources import find_sources
from core.records.events import EventQuery
from core.records.evidence_pack import FactQuery
from core.records.sources import AnswerStatus
from core.settings import Settings
from core.vocabulary.predicates import Predicate
from storage.evidence import open_evidence
from storage.stores import open_stores
from tests.core.agents.asthma import asthma_names
from tests.core.evidence.loopback import Answering, Asked, Loopback, Sent, serving

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
MODIFIED = "Fri, 27 Nov 2026 06:00:00 GMT"
PURPLE_BOOK = "/drugsatfda_docs/PurpleBook/{}/purplebook-search-{}-data-download.csv"
Row = dict[str, str]


def publishing(content: bytes, tag: str = '"1"', modified: str = MODIFIED) -> Answering:
    """Return what answers with a file, or that it is unchanged; a page names the Purple Book."""
    paths = [PURPLE_BOOK.format(*each) for each in ((2025, "december"), (2026, "March"))]
    page = "".join(f'<a href="https://evil.example.org{path}">Data</a>' for path in paths)

    def answer(asked: Asked) -> Sent:
        if asked.path == "/downloads":
            return Sent(page.encode(), headers={"Content-Type": "text/html"})
        if asked.headers.get("If-None-Match") == tag:
            return Sent(status=304)
        return Sent(content, headers={"ETag": tag, "Last-Modified": modified})

    return answer


def sync_at(
    home: Path,
    server: Loopback,
    name: str = "ema",
    now: datetime = NOW,
    announce: Callable[[str], None] = lambda _: None,
) -> SyncReport:
    """Sync an instance with a running site."""
    (source,) = find_sources([name])
    site = Site(name, server.address, budget_s=30.0, pause_s=0.0, sleep=lambda _: None)
    evidence = open_evidence(Settings(home=home))
    return source.sync([site] * 2, evidence, now, announce)


def sync(home: Path, answer: Answering, name: str = "ema", days: int = 0) -> SyncReport:
    """Sync an instance with what answers, some days after the first day."""
    with serving(answer) as server:
        return sync_at(home, server, name, NOW + timedelta(days=days))


def medicines(count: int = 40) -> list[Row]:
    """Return medicines as the agency's JSON lists them."""
    return [
        {
            "category": "Human",
            "name_of_medicine": f"Brand{index}",
            "ema_product_number": f"EMEA/H/C/{index:06d}",
            "medicine_status": "Authorised",
            "international_non_proprietary_name_common_name": f"drug{index}",
            "marketing_authorisation_developer_applicant_holder": "Acme",
            "marketing_authorisation_date": "17/07/2015",
            "therapeutic_indication": "Asthma",
            "last_updated_date": "01/11/2026",
        }
        for index in range(count)
    ]


def as_file(rows: list[Row]) -> bytes:
    """Return rows as the agency's JSON, which says when it was made."""
    return json.dumps({"meta": {"total_records": len(rows)}, "data": rows}).encode()


def holders(home: Path) -> dict[str, str]:
    """Return the holder that the pack tells of each medicine."""
    query = FactQuery(sources=("ema",), predicates=(Predicate.APPLICATION_HOLDER,))
    facts = open_evidence(Settings(home=home)).facts(query)
    return {fact.fact.record_id.rpartition("/")[2]: fact.fact.object for fact in facts}


def from_csv(path: Path, count: int) -> bytes:
    """Return rows of one of the agency's tables in the form of its JSON."""
    with gzip.open(path, "rt", encoding="utf-8") as text:
        rows = list(csv.DictReader(text))[:count]

    def key(column: str) -> str:
        named = column.replace("(INN) / ", "").replace(" / refusal", " or refusal")
        return "_".join(re.findall(r"[a-z0-9]+", named.lower()))

    def cell(text: str) -> str:
        day = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text)
        return f"{day[3]}/{day[2]}/{day[1]}" if day else text

    return as_file([{key(name): cell(text) for name, text in row.items()} for row in rows])


def zipped(tables: dict[str, str]) -> bytes:
    """Return tables in a zip."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in tables.items():
            archive.writestr(name, text)
    return content.getvalue()


def drugsfda(reference: Path) -> bytes:
    """Return the first applications of the agency's tables."""
    with zipfile.ZipFile(reference / "drugsfda" / "drugsatfda_2019-07-02.zip") as archive:
        lines = {
            name: archive.read(name).decode("utf-8", "replace").splitlines()[:400]
            for name in ("Applications.txt", "Products.txt", "Submissions.txt")
        }
    return zipped({name: "\n".join(texts) for name, texts in lines.items()})


def orange_book(reference: Path) -> bytes:
    """Return patents and exclusivities as the agency packs them."""
    folder = reference / "orange_book"
    names = {"patent.txt": "2024_04_patent.txt", "exclusivity.txt": "2024_04_exclusivity.txt"}
    texts = {name: (folder / file).read_text().splitlines()[:400] for name, file in names.items()}
    return zipped({"products.txt": "", **{name: "\n".join(text) for name, text in texts.items()}})


FILES: dict[str, Callable[[Path], bytes]] = {
    "drugsfda": drugsfda,
    "orangebook": orange_book,
    "purplebook": lambda folder: (folder / "purple_book" / "pb_2026_03.csv").read_bytes(),
    "ema": lambda folder: from_csv(folder / "ema_medicines.csv.gz", 300),
    "ema-orphans": lambda folder: from_csv(folder / "ema_orphan_designations.csv.gz", 300),
    "ema-referrals": lambda folder: from_csv(folder / "ema_referrals.csv.gz", 300),
    "ema-letters": lambda folder: from_csv(folder / "ema_safety_letters_dhpc.csv.gz", 300),
    "ema-shortages": lambda folder: from_csv(folder / "ema_shortages.csv.gz", 300),
}


@pytest.mark.parametrize("name", FILES)
def test_a_published_file_comes_once(name: str, reference: Path, tmp_path: Path) -> None:
    content = FILES[name](reference)
    first = sync(tmp_path, publishing(content), name)
    assert (first.status, first.as_of) == ("answered", "2026-11-27")
    assert first.counted == first.changed == first.promoted > 20
    assert sync(tmp_path, publishing(content), name).status == "unchanged"
    again = sync(tmp_path, publishing(content, '"2"'), name, days=7)
    assert (again.status, again.changed, again.promoted) == ("answered", 0, 0)


TABLES = {
    "ema": "ema_medicines",
    "ema-orphans": "ema_orphan_designations",
    "ema-referrals": "ema_referrals",
    "ema-letters": "ema_safety_letters_dhpc",
    "ema-shortages": "ema_shortages",
}


@pytest.mark.parametrize("name", TABLES)
def test_the_json_of_a_list_tells_what_its_table_tells(
    name: str, reference: Path, tmp_path: Path
) -> None:
    path = reference / f"{TABLES[name]}.csv.gz"
    evidence = open_evidence(Settings(home=tmp_path / "table"))
    import_files(evidence, find_files([path]), now=NOW, as_of="2026-11-27")
    sync(tmp_path, publishing(from_csv(path, 5_000)), name)
    tables, lists = (
        {
            (fact.fact.record_id, fact.fact.predicate, fact.fact.object, fact.fact.qualifiers)
            for fact in open_evidence(Settings(home=home)).facts(FactQuery(sources=[name]))
        }
        for home in (tmp_path / "table", tmp_path)
    )
    assert tables == lists
    assert len(lists) > 5


def test_only_rows_that_changed_reach_the_pack(tmp_path: Path) -> None:
    rows = medicines()
    sync(tmp_path, publishing(as_file(rows)))
    rows[7]["marketing_authorisation_developer_applicant_holder"] = "Beta"
    moved = [*medicines(41)[40:], *rows]  # every row stands on another line
    report = sync(tmp_path, publishing(as_file(moved), '"2"'), days=1)
    assert (report.status, report.counted) == ("answered", 41)
    assert (report.changed, report.promoted) == (2, 2)
    assert (holders(tmp_path)["000007"], holders(tmp_path)["000008"]) == ("Beta", "Acme")
    rows[7]["marketing_authorisation_developer_applicant_holder"] = "Acme"  # and back again
    modified = MODIFIED.replace("27 Nov", "29 Nov")
    sync(tmp_path, publishing(as_file(rows), '"3"', modified), days=2)
    assert holders(tmp_path)["000007"] == "Acme"


def test_what_two_files_in_a_row_leave_out_is_withdrawn_and_stays(tmp_path: Path) -> None:
    rows = medicines()
    sync(tmp_path, publishing(as_file(rows)))
    fewer = publishing(as_file(rows[1:]), '"2"')
    gone = [sync(tmp_path, fewer, days=1), sync(tmp_path, fewer, days=2)]
    assert [report.status for report in gone] == ["answered", "unchanged"]
    assert [report.withdrawn for report in gone] == [(), ()]
    later = sync(tmp_path, publishing(as_file(rows[1:]), '"3"'), days=3)
    assert later.withdrawn == ("ema:EMEA/H/C/000000",)
    assert len(holders(tmp_path)) == 40
    sync(tmp_path, publishing(as_file(rows), '"4"'), days=4)
    assert open_evidence(Settings(home=tmp_path)).mirror("ema").count().withdrawn == 0


def test_a_file_that_lost_many_rows_changes_nothing(tmp_path: Path) -> None:
    rows = medicines()
    sync(tmp_path, publishing(as_file(rows)))
    before = holders(tmp_path)
    for index in range(3):
        cut = [{**row, "name_of_medicine": "Other"} for row in rows[:20]]
        report = sync(tmp_path, publishing(as_file(cut), f'"cut{index}"'), days=1 + index)
        assert (report.status, report.changed, report.withdrawn) == ("partial", 0, ())
        assert "lists 20 of 40 records that it listed before" in report.message
    assert holders(tmp_path) == before
    assert sync(tmp_path, publishing(as_file(rows), '"2"'), days=9).status == "answered"


def test_years_of_withdrawals_do_not_make_a_file_doubtful(tmp_path: Path) -> None:
    rows = medicines()
    sync(tmp_path, publishing(as_file(rows)))
    for round_ in range(1, 9):
        left = as_file(rows[4 * round_ :])
        for half in (0, 1):
            report = sync(tmp_path, publishing(left, f'"{round_}{half}"'), days=2 * round_ + half)
            assert report.status == "answered"
    assert open_evidence(Settings(home=tmp_path)).mirror("ema").count().withdrawn == 32


UNREADABLE = [{"category": "Human", "medicine_status": "Authorised"}] * 40
FAULTS: list[tuple[Sent, AnswerStatus]] = [
    (Sent(status=500), "unavailable"),
    (Sent(status=404), "unavailable"),
    (Sent(status=403), "unavailable"),
    (Sent(status=429, headers={"Retry-After": "86400"}), "over_budget"),
    (Sent(status=302, headers={"Location": "https://evil.example.org/"}), "unavailable"),
    (Sent(b""), "unavailable"),
    (Sent(b"<html>Access denied</html>"), "unavailable"),
    (Sent(b"PK\x03\x04garbage"), "unavailable"),
    (Sent(as_file(medicines())[:900]), "unavailable"),
    (Sent(as_file(medicines()), cut=9), "unavailable"),
    (Sent(as_file([{"renamed": "x"}] * 40)), "unavailable"),
    (Sent(as_file([*medicines(3), *UNREADABLE])), "unavailable"),
    (Sent(as_file(medicines()) * 40_000), "unavailable"),
]


@pytest.mark.parametrize("name", ["ema", "drugsfda", "orangebook", "purplebook"])
@pytest.mark.parametrize(("fault", "status"), FAULTS)
def test_after_a_fault_all_is_as_it_was(
    fault: Sent, status: AnswerStatus, name: str, tmp_path: Path
) -> None:
    if name == "ema":
        sync(tmp_path, publishing(as_file(medicines())))
    before = holders(tmp_path)
    report = sync(tmp_path, lambda _: fault, name, days=1)
    assert (report.status, report.changed) == (status, 0)
    assert report.message
    evidence = open_evidence(Settings(home=tmp_path))
    assert (evidence.mirror(name).cursor().status, holders(tmp_path)) == (status, before)
    if name == "ema":
        assert sync(tmp_path, publishing(as_file(medicines())), days=2).status == "unchanged"


def _killed(home: Path, server: Loopback, step: int) -> None:
    """Sync and die without a word at a step; runs in a child."""
    steps = iter(range(1_000))

    def announce(_words: str) -> None:
        if next(steps) == step:
            os._exit(9)

    sync_at(home, server, announce=announce)


def test_kills_lose_nothing(tmp_path: Path) -> None:
    with serving(publishing(as_file(medicines(4_500)))) as server:
        for step in (0, 1, 2, 1, 2):
            child = get_context("fork").Process(target=_killed, args=(tmp_path, server, step))
            child.start()
            child.join()
            assert child.exitcode in {0, 9}
        assert sync_at(tmp_path, server).status in {"answered", "unchanged"}
    assert len(holders(tmp_path)) == 4_500
    mirror = open_evidence(Settings(home=tmp_path)).mirror("ema")
    assert (mirror.count().records, mirror.count().states) == (4_500, 4_500)
    assert mirror.due(1) == []


def test_a_pack_that_was_lost_is_offered_the_file_without_asking_for_it(tmp_path: Path) -> None:
    sync(tmp_path, publishing(as_file(medicines())))
    (tmp_path / "evidence" / "pack.db").unlink()
    report = sync(tmp_path, lambda _: Sent(status=500))
    assert (report.status, report.promoted) == ("unavailable", 40)
    assert len(holders(tmp_path)) == 40


def test_the_newest_purple_book_is_read_and_its_page_leads_nowhere_else(tmp_path: Path) -> None:
    with serving(publishing(b"x")) as server:
        sync_at(tmp_path, server, "purplebook")
        assert [one.path for one in server.asked][1:] == [PURPLE_BOOK.format(2026, "March")]


def test_a_first_fill_makes_news_only_of_what_is_new(tmp_path: Path) -> None:
    rows = medicines(2_100)  # more than the evidence takes at once
    rows[2_050]["marketing_authorisation_date"] = "20/11/2026"
    sync(tmp_path, publishing(as_file(rows)))
    stores = open_stores(Settings(home=tmp_path, database_url=None))
    stores.identity.build(asthma_names([f"drug{index}" for index in range(2_100)]), (), "1")
    prepare_events(stores.evidence, stores.identity, stores.learned_names)
    everything = stores.evidence.events(EventQuery(limit=9_000))
    news = stores.evidence.events(EventQuery(with_baseline=False))
    stores.engine.close()
    assert len(everything) >= 2_100
    assert [event.day for event in news] == ["2026-11-20"]


def test_two_syncs_of_one_file_do_not_run_at_once(tmp_path: Path) -> None:
    mirror = open_evidence(Settings(home=tmp_path)).mirror("ema")
    with mirror.alone(), pytest.raises(InvalidInput, match="already running"):
        sync(tmp_path, publishing(as_file(medicines())))
