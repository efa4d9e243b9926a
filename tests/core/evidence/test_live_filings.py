"""SEC EDGAR and the Federal Register on a loopback server: recorded answers, faults, paging."""

import csv
import gzip
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.evidence.names.identity.vocabularies import strip_state
from core.evidence.sources.files.dated_lists import read_filings
from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.federal_register import FederalRegisterConnector
from core.evidence.sources.live.sec_filings import FullTextConnector, SubmissionsConnector
from core.evidence.sources.live.web import Site
from core.records.evidence import Parsed
from core.tables.rows import SourceFile
from tests.core.evidence.loopback import Answering, Asked, Sent, as_json, serving

TODAY = date(2026, 11, 28)
REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
CONNECTORS: dict[str, Callable[[Site, date], Any]] = {
    "sec-filings": FullTextConnector,
    "sec-submissions": SubmissionsConnector,
    "federal-register": FederalRegisterConnector,
}
DRUG = SourceQuery((), drugs=["semaglutide"], since="2026-01-01")
COMPANY = SourceQuery((), companies=["Acme Bio"], ciks=["0001234567"], since="2026-01-01")
QUERIES = {"sec-filings": DRUG, "sec-submissions": COMPANY, "federal-register": DRUG}


SEARCHED = {"timed_out": False, "_shards": {"total": 50, "successful": 50, "failed": 0}}
NO_HITS = {"hits": {"total": {"value": 0, "relation": "eq"}, "hits": []}}


def ask(
    name: str, answer: Answering, query: SourceQuery | None = None, contact: str = "a@example.org"
) -> tuple[SourceAnswer, list[Asked]]:
    with serving(answer) as server:
        site = Site(name, server.address, contact, budget_s=5.0, pause_s=0.0, sleep=lambda _: None)
        return CONNECTORS[name](site, TODAY).search(query or QUERIES[name]), server.asked


def hit(number: str = "0001234567-26-000001", **fields: Any) -> dict[str, Any]:
    """Return a document as the search of texts lists it."""
    source = {
        "adsh": number,
        "ciks": ["0001234567"],
        "display_names": ["ACME BIO INC  (ACME)  (CIK 0001234567)"],
        "form": "8-K",
        "file_date": "2026-11-20",
    }
    return {"_id": f"{number}:doc.htm", "_source": source | fields}


def found(hits: list[dict[str, Any]], total: object = None) -> Sent:
    """Return an answer of the search of texts."""
    value = len(hits) if total is None else total
    return as_json(SEARCHED | {"hits": {"total": {"value": value, "relation": "eq"}, "hits": hits}})


def paged(entries: list[dict[str, Any]], wrap: Callable[..., Sent]) -> Answering:
    """Return what answers with the page that is asked for."""

    def answer(asked: Asked) -> Sent:
        start = int(asked.query.get("from", (int(asked.query.get("page", 1)) - 1) * 100))
        return wrap(entries[start : start + 100], len(entries))

    return answer


def notice(number: str = "2026-00001", **fields: Any) -> dict[str, Any]:
    """Return a notice as the journal lists it."""
    given = {
        "document_number": number,
        "title": "Determination of Regulatory Review Period; ACMEZIQ",
        "publication_date": "2026-11-20",
        "html_url": f"https://www.federalregister.gov/documents/2026/11/20/{number}/x",
    }
    return given | fields


def notices(entries: list[dict[str, Any]], total: object = None) -> Sent:
    """Return an answer of the journal."""
    return as_json({"count": len(entries) if total is None else total, "results": entries})


def filings(items: str = "1.01,9.01", day: str = "2026-11-20", **fields: Any) -> dict[str, Any]:
    """Return a company's list of filings with one of them."""
    recent = {
        "accessionNumber": ["0001234567-26-000001"],
        "filingDate": [day],
        "form": ["8-K"],
        "items": [items],
    }
    company = {"cik": "1234567", "name": "ACME BIO INC"}
    return company | {"filings": {"recent": recent | fields, "files": []}}


def recorded() -> Iterator[dict[str, Any]]:
    """Yield the recorded pairs of EDGAR."""
    with gzip.open(REFERENCE / "live" / "sec_edgar" / "edgartools.ndjson.gz", "rt") as lines:
        yield from map(json.loads, lines)


@pytest.mark.reference
def test_recorded_lists_come_back_as_filings_and_all_else_as_no_answer() -> None:
    counts = {"lists": 0, "others": 0}
    for pair in recorded():
        response = pair["response"]
        body = response["body"] or ""
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        headers = {"Content-Type": response["headers"].get("content-type", "")}
        sent = Sent(content, response["status"], headers)
        is_list = response["status"] == 200 and b'"filings"' in content
        cik = json.loads(content)["cik"] if is_list else "1"
        query = SourceQuery((), ciks=[cik], since="1990-01-01")
        answer, _ = ask("sec-submissions", lambda _, sent=sent: sent, query)
        if not is_list:
            counts["others"] += 1
            assert (answer.status, answer.records) == ("unavailable", ())
            continue
        counts["lists"] += 1
        document = json.loads(content)
        recent = document["filings"]["recent"]
        expected = [
            number
            for number, form, items in zip(
                recent["accessionNumber"], recent["form"], recent["items"], strict=True
            )
            if form in {"8-K", "8-K/A"} and {"1.01", "1.02", "2.01"} & {*items.split(",")}
        ]
        assert [parsed.record.source_id for parsed in answer.records] == expected
        has_older = bool(document["filings"]["files"])
        n_filings = len(recent["form"])
        assert answer.n_hits == n_filings
        status = "partial" if has_older else "answered" if n_filings else "empty"
        assert answer.status == status
        assert {parsed.record.mentions[0].name for parsed in answer.records} <= {document["name"]}
    assert counts == {"lists": 16, "others": 27}


@pytest.mark.reference
def test_the_quoted_answer_is_of_another_form_and_else_a_filing() -> None:
    path = REFERENCE / "live" / "sec_full_text" / "quoted_answers.ndjson"
    body = json.loads(json.loads(path.read_text())["response"]["body"])
    query = SourceQuery((), drugs=["revenue recognition"])
    answer, _ = ask("sec-filings", lambda _: as_json(body), query)
    assert (answer.status, answer.records) == ("unavailable", ())
    assert "form" in answer.message
    body["hits"]["hits"][0]["_source"]["form"] = "8-K"
    answer, asked = ask("sec-filings", lambda _: as_json(body), query)
    assert (answer.status, answer.n_hits) == ("partial", 10_000)
    assert (asked[0].query["q"], asked[0].query["forms"]) == ('"revenue recognition"', "8-K")
    (parsed,) = answer.records
    assert parsed.record.title == "8-K of ARTHROCARE CORP, 2009-11-18"
    assert parsed.record.url.endswith("/1005010/000119312509237465/")


def _of_file() -> list[Parsed]:
    path = REFERENCE / "evidence" / "sec_event_filings_2026.csv.gz"
    return list(read_filings(SourceFile(path, "2026-03-01", "2026-03-01", lambda *_: None)))


@pytest.mark.reference
def test_live_filings_are_the_records_of_the_imported_list() -> None:
    path = REFERENCE / "evidence" / "sec_event_filings_2026.csv.gz"
    with gzip.open(path, "rt") as lines:
        rows = list(csv.DictReader(lines))
    listed = {parsed.record.source_id: parsed.record for parsed in _of_file()}
    hits = [
        hit(
            row["accession"],
            ciks=[f"{int(row['cik']):0>10}"],
            display_names=[f"{row['company']}  ({row['ticker']})  (CIK {int(row['cik']):0>10})"],
            form=row["form"],
            file_date=row["filed"],
        )
        for row in rows
    ]
    seen: dict[str, Parsed] = {}
    for start in range(0, len(hits), 100):
        answer, _ = ask("sec-filings", paged(hits[start : start + 100], found))
        assert answer.status == "answered"
        seen |= {parsed.record.source_id: parsed for parsed in answer.records}
    assert set(seen) == set(listed)
    for number, parsed in seen.items():
        live, known = parsed.record, listed[number]
        assert (live.id, live.url, live.kind) == (known.id, known.url, known.kind)
        filer = strip_state(known.mentions[0].name)  # "Surrozen, Inc./DE"
        assert live.title == known.title.replace(known.mentions[0].name, filer)
        assert live.published_on == known.published_on
        assert live.mentions[0] == replace(known.mentions[0], name=filer)
        assert [(m.kind, m.name) for m in live.mentions[1:]] == [("drug", "semaglutide")]


@pytest.mark.reference
def test_notices_come_back_with_title_and_day_and_nothing_more() -> None:
    path = REFERENCE / "regulatory_facts" / "federal_register_fda_notices.csv.gz"
    with gzip.open(path, "rt") as lines:
        rows = list(csv.DictReader(lines))
    query = SourceQuery((), diseases=["asthma"], since="2020-01-01")
    n_read = 0
    for start in range(0, len(rows), 200):
        entries = [
            notice(
                row["document_number"],
                title=row["title"],
                publication_date=row["published_on"],
                html_url=row["url"],
            )
            for row in rows[start : start + 200]
        ]
        answer, _ = ask("federal-register", paged(entries, notices), query)
        numbers = {row["document_number"] for row in rows[start : start + 200]}
        assert {parsed.record.source_id for parsed in answer.records} == numbers
        assert all(parsed.record.kind == "regulatory_notice" for parsed in answer.records)
        assert {len(parsed.facts) for parsed in answer.records} == {1}
        n_read += len(numbers)
    assert n_read == len({row["document_number"] for row in rows}) == 2_708


def test_without_a_mail_address_the_sec_is_not_asked() -> None:
    for name in ("sec-filings", "sec-submissions"):
        for contact in ("", "our bench"):
            answer, asked = ask(name, lambda _: found([hit()]), contact=contact)
            assert (answer.status, asked) == ("not_configured", [])
            assert "BPW_CONTACT" in answer.message
    answer, asked = ask("sec-filings", lambda _: found([hit()]))
    assert answer.status == "answered"
    assert "a@example.org" in asked[0].headers["User-Agent"]


def test_each_drug_is_asked_for_by_itself_and_a_filing_names_those_that_found_it() -> None:
    both, one = hit(), hit("0001234567-26-000002")

    def answer(asked: Asked) -> Sent:
        return found([both, one] if "alphamab" in asked.query["q"] else [both])

    drugs = ["alphamab", 'betamab" OR x', "c", "d", "e"]
    query = SourceQuery((), drugs=drugs, companies=["Acme"], since="2026-11-01")
    read, asked = ask("sec-filings", answer, query)
    assert [each.query["q"] for each in asked] == ['"alphamab"', '"betamab OR x"', '"c"', '"d"']
    assert {each.query["startdt"] for each in asked} == {"2026-11-01"}
    assert read.message.endswith("asked for 4 of 5 names")
    first, second = (
        [mention.name for mention in parsed.record.mentions if mention.kind == "drug"]
        for parsed in read.records
    )
    assert (first, second) == (drugs[:4], ["alphamab"])


def test_of_a_company_its_own_filings_count_and_those_that_cite_it_do_not() -> None:
    other = hit("0001234567-26-000002", display_names=["Other Corp  (CIK 0000000001)"])
    query = SourceQuery((), companies=["Acme Bio", "Acme Bio, Inc."])
    answer, asked = ask("sec-filings", lambda _: found([other, hit()]), query)
    assert [parsed.record.source_id for parsed in answer.records] == ["0001234567-26-000001"]
    assert [mention.kind for mention in answer.records[0].record.mentions] == ["company"]
    assert len(asked) == 1
    cited, _ = ask("sec-filings", lambda _: found([other]), query)
    assert (cited.status, cited.records, cited.n_hits) == ("answered", (), 1)
    assert cited.message


def test_a_source_that_fails_twice_is_left_alone_and_what_it_gave_stands() -> None:
    drugs = ["a", "b", "c", "d"]
    query = SourceQuery((), drugs=drugs)
    down, asked = ask("sec-filings", lambda _: Sent(status=500), query)
    assert (down.status, len(asked)) == ("unavailable", 2)

    def answer(asked: Asked) -> Sent:
        return Sent(status=500) if "b" in asked.query["q"] else found([hit()])

    some, asked = ask("sec-filings", answer, query)
    assert (some.status, len(some.records), len(asked)) == ("partial", 1, 4)
    assert "500" in some.message
    none, asked = ask("sec-filings", answer, SourceQuery((), diseases=["asthma"]))
    assert (none.status, asked) == ("refused", [])

    def nothing(asked: Asked) -> Sent:
        return Sent(status=500) if "b" in asked.query["q"] else found([])

    half, _ = ask("sec-filings", nothing, query)
    assert (half.status, half.n_hits) == ("partial", 0)


@pytest.mark.parametrize(
    ("name", "wrap", "entry"),
    [("sec-filings", found, hit), ("federal-register", notices, notice)],
)
def test_pages_are_walked_to_their_end_or_said_to_be_left(
    name: str, wrap: Callable[..., Sent], entry: Callable[..., dict[str, Any]]
) -> None:
    stem = "0001234567-26-{:06}" if name == "sec-filings" else "2026-{:05}"
    entries = [entry(stem.format(number)) for number in range(450)]
    answer, asked = ask(name, paged(entries[:130], wrap))
    assert (answer.status, len(answer.records), len(asked)) == ("answered", 130, 2)
    answer, _ = ask(name, paged(entries, wrap))
    assert (answer.status, answer.n_hits) == ("partial", 450)
    assert f"read {len(answer.records)} of 450" in answer.message
    stuck, asked = ask(name, lambda _: wrap(entries[:100], 450))
    assert (stuck.status, len(stuck.records), len(asked)) == ("partial", 100, 2)
    pages = [wrap(entries[:100], 450), Sent(status=500)]
    cut, _ = ask(name, lambda _: pages.pop(0))
    assert (cut.status, len(cut.records)) == ("partial", 100)
    assert "500" in cut.message


GOOD = {
    "sec-filings": found([hit()]),
    "sec-submissions": as_json(filings()),
    "federal-register": notices([notice()]),
}
HTML = {"Content-Type": "text/html"}
FAULTS: list[tuple[Sent, str]] = [
    (Sent(status=429, headers={"Retry-After": "3600"}), "over_budget"),
    (Sent(b"Request rate exceeded", 429), "unavailable"),
    (Sent(b"<html>Undeclared tool</html>", 403, HTML), "unavailable"),
    (Sent(b"<Error><Code>NoSuchKey</Code></Error>", 404), "unavailable"),
    (as_json({"errors": {"term": "is bad"}}, status=400), "refused"),
    (Sent(status=500), "unavailable"),
    (Sent(b"<html>", headers=HTML), "unavailable"),
    (Sent(status=302, headers={"Location": "https://evil.example.org/"}), "unavailable"),
    (as_json({"error": "Internal server error"}), "unavailable"),
    (as_json([]), "unavailable"),
    (as_json({}), "unavailable"),
]


@pytest.mark.parametrize("name", CONNECTORS)
@pytest.mark.parametrize(("fault", "status"), FAULTS)
def test_a_fault_is_never_taken_for_nothing_found(name: str, fault: Sent, status: str) -> None:
    answer, _ = ask(name, lambda _: fault)
    assert (answer.status, answer.records) == (status, ())
    assert answer.message


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("sec-filings", as_json(SEARCHED | NO_HITS | {"timed_out": True})),
        ("sec-filings", as_json(SEARCHED | NO_HITS | {"_shards": {"total": 50, "failed": 1}})),
        ("sec-filings", as_json(NO_HITS | {"error": {"type": "search_phase_execution"}})),
        ("sec-filings", as_json(NO_HITS, status=404)),
        ("sec-filings", found([], -1)),
        ("sec-submissions", as_json({"message": "no such key"}, status=404)),
        ("federal-register", as_json({"count": 0, "results": [], "errors": {"term": "bad"}})),
        ("federal-register", as_json({"count": 0, "results": []}, status=404)),
        ("federal-register", notices([], -1)),
    ],
)
def test_a_zero_next_to_a_fault_is_not_empty(name: str, sent: Sent) -> None:
    answer, _ = ask(name, lambda _: sent)
    assert (answer.status, answer.records) == ("unavailable", ())
    assert answer.message.startswith(name)


@pytest.mark.parametrize("day", ["2026-11-29", "2031-04-01", "2026-45-99", "99999999", "-5", ""])
@pytest.mark.parametrize("name", CONNECTORS)
def test_filings_and_notices_without_a_past_day_are_left_out_and_counted(
    name: str, day: str
) -> None:
    valid = "2026-11-28"
    second = "0001234567-26-000002"
    listed = filings("1.01", valid)
    for column, value in zip(
        ("accessionNumber", "filingDate", "form", "items"),
        (second, day, "8-K", "1.01"),
        strict=True,
    ):
        listed["filings"]["recent"][column].append(value)
    sent = {
        "sec-filings": found([hit(file_date=valid), hit(second, file_date=day)]),
        "sec-submissions": as_json(listed),
        "federal-register": notices(
            [notice(publication_date=valid), notice("2026-2", publication_date=day)]
        ),
    }[name]
    answer, _ = ask(name, lambda _: sent)
    assert [parsed.record.published_on for parsed in answer.records] == [valid]
    assert answer.status == "partial"
    assert "read 1 of 2" in answer.message


@pytest.mark.parametrize(
    "url",
    [
        "https://www.federalregister.gov.example.org/documents/1",
        "https://www.federalregister.gov@example.org/",
        "https://www.federalregister.gov",
        "http://www.federalregister.gov/documents/1",
        "https://www.federalregister.gov/documents/1](javascript:x)",
        'https://www.federalregister.gov/documents/1"><b>',
        "https://www.federalregister.gov/documents/1 2",
    ],
)
def test_a_notice_leads_to_the_journal_or_nowhere(url: str) -> None:
    answer, _ = ask("federal-register", lambda _: notices([notice(html_url=url)]))
    assert [parsed.record.url for parsed in answer.records] == [""]
    good, _ = ask("federal-register", lambda _: notices([notice()]))
    assert good.records[0].record.url == notice()["html_url"]


@pytest.mark.parametrize("name", CONNECTORS)
def test_what_breaks_off_or_is_too_large_or_slow_is_no_answer(name: str) -> None:
    good = GOOD[name]
    for sent in (
        Sent(good.content, headers=good.headers, cut=9),
        Sent(good.content[:-3], headers=good.headers),
    ):
        answer, _ = ask(name, lambda _, sent=sent: sent)
        assert (answer.status, answer.records) == ("unavailable", ())
    with serving(lambda _: Sent(good.content, headers=good.headers, drip_s=0.05)) as server:
        slow = Site(name, server.address, "a@example.org", budget_s=0.3, pause_s=0.0)
        answer = CONNECTORS[name](slow, TODAY).search(QUERIES[name])
        assert (answer.status, answer.records) == ("over_budget", ())
    with serving(lambda _: good) as server:
        small = Site(name, server.address, "a@example.org", pause_s=0.0, largest=50)
        answer = CONNECTORS[name](small, TODAY).search(QUERIES[name])
        assert (answer.status, answer.records) == ("unavailable", ())


@pytest.mark.parametrize(
    ("name", "sent", "field"),
    [
        ("sec-filings", found([hit()], "many"), "hits / total / value"),
        ("sec-filings", found([], 7), "hits / total / value"),
        ("sec-filings", as_json({"hits": {"total": {"value": 1}}}), "hits / hits"),
        ("sec-filings", found([{"_source": {"accession": "1"}}]), "hits / total / value"),
        ("sec-filings", found([hit(form="10-K")]), "_source / form"),
        ("sec-filings", found([hit(file_date="2019-11-20")]), "_source / file_date"),
        ("sec-submissions", as_json(filings(form=["8-K", "8-K"])), "filings / recent"),
        ("sec-submissions", as_json(filings(accessionNumber=None)), "filings / recent"),
        ("sec-submissions", as_json({**filings(), "name": None}), "filings / recent"),
        ("sec-submissions", as_json({**filings(), "cik": "7654321"}), "cik"),
        ("sec-submissions", as_json({**filings(), "cik": None}), "cik"),
        ("federal-register", notices([], 7), "count"),
        ("federal-register", as_json({"count": 3}), "results"),
        ("federal-register", as_json({"results": [notice()]}), "count"),
        ("federal-register", notices([notice(title=None)]), "count"),
        ("federal-register", notices([notice(publication_date="2019-11-20")]), "publication_date"),
    ],
)
def test_a_changed_shape_is_said_with_its_field(name: str, sent: Sent, field: str) -> None:
    answer, _ = ask(name, lambda _: sent)
    assert (answer.status, answer.records) == ("unavailable", ())
    assert name in answer.message
    assert f"field {field}" in answer.message


def test_empty_is_what_a_source_itself_counts() -> None:
    for name, sent in (("sec-filings", found([])), ("federal-register", notices([]))):
        answer, _ = ask(name, lambda _, sent=sent: sent)
        assert (answer.status, answer.n_hits, answer.message) == ("empty", 0, "")
    answer, _ = ask("sec-submissions", lambda _: as_json(filings("8.01")))
    assert (answer.status, answer.records) == ("answered", ())


def test_a_list_that_begins_within_the_window_or_fails_says_so() -> None:
    older = filings()
    older["filings"]["files"] = [{"name": "CIK0001234567-submissions-001.json"}]
    answer, _ = ask("sec-submissions", lambda _: as_json(older))
    assert (answer.status, len(answer.records)) == ("partial", 1)
    assert "2026-11-20" in answer.message
    answer, _ = ask("sec-submissions", lambda _: as_json(filings(day="2025-11-20")))
    assert (answer.status, answer.records) == ("answered", ())

    def one_fails(asked: Asked) -> Sent:
        return Sent(status=404) if "0000000009" in asked.path else as_json(filings())

    answer, _ = ask("sec-submissions", one_fails, SourceQuery((), ciks=["9", "1234567"]))
    assert (answer.status, len(answer.records)) == ("partial", 1)
    assert "CIK 9" in answer.message
