"""Live sources of patents on a loopback site: recorded shapes, and all that can go wrong."""

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pytest

from core.evidence.patents.pool import JoinedPatents, LivePatents, open_patents
from core.evidence.patents.stored import HeldPatents
from core.evidence.sources.live import web
from core.evidence.sources.live.base import Connector, SourceQuery
from core.evidence.sources.live.epo_ops import EpoOpsConnector
from core.evidence.sources.live.surechembl import SureChemblConnector
from core.evidence.sources.live.uspto_odp import UsptoOdpConnector
from core.evidence.sources.live.web import Site
from core.evidence_ports import Evidence
from core.records.patents import TargetNames
from core.settings import Settings
from tests.core.evidence.loopback import Answering, Asked, Loopback, Sent, as_json, serving
from tests.core.evidence.patent_files import BENZYL, NAPHTHYL, make_zip
from tests.rows import over_rows

TODAY = date(2026, 11, 21)
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
KRAS = TargetNames("KRAS", ("KRAS", "K-RAS"), relatives=("HRAS",))
QUERY = SourceQuery([["KRAS", "K-RAS"]])
ENVELOPE = {"status": "OK", "error_message": None, "timestamp": 0}


def hits(*numbers: str, total: int, title: str = "KRAS inhibitors") -> Sent:
    """Return a page of SureChEMBL's search."""
    documents = [
        {
            "docId": number,
            "pa": "Acme Inc",
            "metadata": {"pd": "20240611", "titles": [{"lang": "en", "titles": [title]}]},
        }
        for number in numbers
    ]
    return as_json(ENVELOPE | {"data": {"results": {"total_hits": total, "documents": documents}}})


def contents(number: str, claims: str) -> Sent:
    """Return a document of SureChEMBL."""
    party = {"format": "original", "addressbook": {"name": "Acme Inc"}}
    docdb = {"format": "epo", "addressbook": {"name": "ACME INC"}}
    said = {
        "published": "20240611",
        "family": ["71234567"],
        "abstracts": [{"lang": "EN", "section": {"content": "<p>Compounds.</p>"}}],
        "claimResponses": [
            {"lang": "DE", "section": {"content": "Ansprüche"}},
            {"lang": "EN", "section": {"content": f"<p>1. {claims}</p><p>2. Two.</p>"}},
        ],
        "bibliographicData": {
            "technicalData": {
                "inventionTitles": [{"lang": "EN", "title": "Compounds"}],
                "classificationsCpc": [
                    {"classificationCpc": [{"classification": "C07D 401/04 20130101"}]}
                ],
            },
            "parties": [{"assignees": {"assignee": [docdb, party]}}],
            "priorityClaims": [{"priorityClaims": [{"ucid": "US-62548000-P", "date": "20170821"}]}],
        },
    }
    return as_json(ENVELOPE | {"data": {"doc_id": number, "contents": {"patentDocument": said}}})


def table(*rows: tuple[str, str]) -> Sent:
    """Return the zipped table of a document's structures."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([("id", "smiles", "name"), *((*row, "") for row in rows)])
    content = make_zip({"chemistry.csv": text.getvalue().encode()})
    return Sent(content, headers={"Content-Type": "application/zip"})


def application(patent: str = "12000001", title: str = "KRAS inhibitors") -> dict[str, Any]:
    """Return an application as the portal writes it."""
    return {
        "applicationNumberText": "17000001",
        "applicationMetaData": {
            "inventionTitle": title,
            "patentNumber": patent,
            "grantDate": "2024-06-11",
            "filingDate": "2020-08-20",
            "earliestPublicationNumber": "US 2021-0000001 A1",
            "earliestPublicationDate": "2021-01-07",
            "cpcClassificationBag": ["C07D 401/04"],
            "applicantBag": [{"applicantNameText": "Jo Doe"}],
        },
        "assignmentBag": [
            {
                "conveyanceText": "ASSIGNMENT OF ASSIGNORS INTEREST (SEE DOCUMENT FOR DETAILS).",
                "assignmentRecordedDate": "2021-02-01",
                "assigneeBag": [{"assigneeNameText": "ACME INC"}],
            },
            {"conveyanceText": "SECURITY AGREEMENT", "assignmentRecordedDate": "2022-02-01"},
        ],
        "parentContinuityBag": [
            {
                "parentApplicationNumberText": "PCT/US2019/012345",
                "parentApplicationFilingDate": "2019-01-11",
            },
            {
                "parentApplicationNumberText": "62616000",
                "parentApplicationFilingDate": "2018-01-11",
            },
        ],
    }


def bag(*entries: dict[str, Any], total: int) -> Sent:
    """Return a page of the portal."""
    return as_json({"count": total, "patentFileWrapperDataBag": list(entries)})


EXCHANGE = """<?xml version="1.0" encoding="UTF-8"?>
<ops:world-patent-data xmlns:ops="http://ops.epo.org" xmlns="http://www.epo.org/exchange">
<ops:biblio-search total-result-count="{total}"><ops:search-result><exchange-documents>
{documents}</exchange-documents></ops:search-result></ops:biblio-search></ops:world-patent-data>"""
DOCUMENT = """<exchange-document system="ops.epo.org" family-id="71234567" country="EP"
 doc-number="{number}" kind="A1"><bibliographic-data>
<publication-reference><document-id document-id-type="docdb"><date>20210707</date></document-id>
</publication-reference><patent-classifications><patent-classification><section>C</section>
<class>07</class><subclass>D</subclass><main-group>401</main-group><subgroup>04</subgroup>
</patent-classification></patent-classifications><application-reference>
<document-id document-id-type="docdb"><date>20190111</date></document-id></application-reference>
<priority-claims><priority-claim sequence="1"><document-id document-id-type="epodoc">
<doc-number>US201862616000P</doc-number><date>20180111</date></document-id></priority-claim>
</priority-claims><parties><applicants><applicant data-format="epodoc"><applicant-name>
<name>ACME INC [US]</name></applicant-name></applicant><applicant data-format="original">
<applicant-name><name>Acme Inc.,</name></applicant-name></applicant></applicants></parties>
<invention-title lang="de">Verbindungen</invention-title>
<invention-title lang="en">Compounds</invention-title></bibliographic-data>
<abstract lang="en"><p>Inhibitors of KRAS.</p></abstract></exchange-document>"""


def exchange(*numbers: str, total: int) -> Sent:
    """Return a page of the EPO's services."""
    documents = "".join(DOCUMENT.replace("{number}", number) for number in numbers)
    text = EXCHANGE.replace("{total}", str(total)).replace("{documents}", documents)
    return Sent(text.encode(), headers={"Content-Type": "application/exchange+xml"})


@dataclass(frozen=True)
class Kind:
    """A source under test.

    Attributes:
        make: Makes its connector.
        page: A page with so many of the numbers 1, 2, …: `page(first, count, total)`.
        changed: An answer of another shape.
    """

    make: Callable[[Site], Connector]
    page: Callable[[int, int, int], Sent]
    changed: Sent


def _token(answer: Answering) -> Answering:
    """Return what answers the EPO's question for a token itself."""

    def answering(asked: Asked) -> Sent:
        if asked.path.endswith("/auth/accesstoken"):
            return as_json({"access_token": "abc123", "expires_in": "1199"})
        return answer(asked)

    return answering


KINDS = {
    "surechembl": Kind(
        lambda site: SureChemblConnector(site, TODAY),
        lambda first, count, total: hits(
            *(f"US-{12000000 + at}-B2" for at in range(first, first + count)), total=total
        ),
        as_json(ENVELOPE | {"data": {"documents": []}}),
    ),
    "uspto_odp": Kind(
        lambda site: UsptoOdpConnector(site, "key", TODAY),
        lambda first, count, total: bag(
            *(application(str(12000000 + at)) for at in range(first, first + count)), total=total
        ),
        as_json({"results": []}),
    ),
    "epo_ops": Kind(
        lambda site: EpoOpsConnector(site, "key:secret", TODAY),
        lambda first, count, total: exchange(
            *(str(1000000 + at) for at in range(first, first + count)), total=total
        ),
        Sent(b"<other/>", headers={"Content-Type": "application/xml"}),
    ),
}


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Kind:
    """Return each source."""
    return KINDS[request.param]


@contextmanager
def asking(
    kind: Kind, answer: Answering, budget_s: float = 5.0
) -> Iterator[tuple[Connector, Loopback]]:
    """Give a connector to a loopback site."""
    with serving(_token(answer)) as site:
        waits: list[float] = []
        client = Site("source", site.address, "me@example.org", budget_s, 0.0, sleep=waits.append)
        yield kind.make(client), site


def test_a_page_becomes_records_with_a_cursor(kind: Kind) -> None:
    """The second page follows the first, the last one has no cursor."""

    def answer(asked: Asked) -> Sent:
        is_first = not any(
            asked.query.get(name, "") in later
            for name, later in (("page", "2"), ("offset", "2"), ("Range", "3-4"))
            if asked.query.get(name)
        )
        return kind.page(1, 2, 3) if is_first else kind.page(3, 1, 3)

    with asking(kind, answer) as (connector, site):
        first = connector.search(SourceQuery(QUERY.groups, limit=2))
        last = connector.search(SourceQuery(QUERY.groups, limit=2, cursor=first.next_cursor))
    numbers = [one.record.source_id for page in (first, last) for one in page.records]
    assert (first.status, first.origin, first.n_hits) == ("answered", "live", 3)
    assert len(set(numbers)) == 3
    assert last.next_cursor == ""
    assert {one.headers["User-Agent"] for one in site.asked} == {
        "biopharma-workbench (me@example.org)"
    }


def test_no_hit_is_empty(kind: Kind) -> None:
    """By status 404 where the source says it so, by an empty page elsewhere."""
    with asking(
        kind, lambda _: Sent(status=404) if kind is not KINDS["surechembl"] else hits(total=0)
    ) as (connector, _):
        answer = connector.search(QUERY)
    assert (answer.status, answer.records) == ("empty", ())


def test_a_busy_site_is_asked_again_after_its_time(kind: Kind) -> None:
    """429 with Retry-After, then an answer."""
    left = [Sent(status=429, headers={"Retry-After": "1"})]
    with asking(kind, lambda _: left.pop() if left else kind.page(1, 1, 1)) as (connector, site):
        answer = connector.search(QUERY)
    assert (answer.status, len(answer.records)) == ("answered", 1)
    assert len([one for one in site.asked if "token" not in one.path]) == 2


def test_a_wait_beyond_the_budget_is_not_waited(kind: Kind) -> None:
    """An hour's Retry-After ends the question at once."""
    busy = Sent(status=429, headers={"Retry-After": "3600"})
    with asking(kind, lambda _: busy) as (connector, _):
        answer = connector.search(QUERY)
    assert (answer.status, answer.records) == ("over_budget", ())


@pytest.mark.parametrize("status", [403, 500, 503, 302])
def test_refusals_and_redirects_are_unavailable(kind: Kind, status: int) -> None:
    """A redirect is followed nowhere."""
    sent = Sent(status=status, headers={"Location": "http://127.0.0.1:9/elsewhere"})
    with asking(kind, lambda _: sent) as (connector, _):
        answer = connector.search(QUERY)
    assert answer.status == "unavailable"
    assert str(status) in answer.message


def test_an_answer_that_breaks_off_is_unavailable(kind: Kind) -> None:
    """Fewer bytes than announced, and half a document that was announced as such."""
    whole = kind.page(1, 1, 1)
    for sent in (
        Sent(whole.content, headers=whole.headers, cut=10),
        Sent(whole.content[:-30], headers=whole.headers),
    ):
        with asking(kind, lambda _, sent=sent: sent) as (connector, _):
            answer = connector.search(QUERY)
        assert (answer.status, answer.records) == ("unavailable", ())


def test_a_slow_site_ends_with_the_budget(kind: Kind) -> None:
    """However patiently it sends byte after byte."""
    whole = kind.page(1, 1, 1)
    slow = Sent(whole.content, headers=whole.headers, drip_s=0.02)
    with asking(kind, lambda _: slow, budget_s=0.3) as (connector, _):
        answer = connector.search(QUERY)
    assert answer.status in {"over_budget", "unavailable"}


def test_another_shape_or_kind_of_answer_is_unavailable(kind: Kind) -> None:
    """Never an empty answer that looks like "nothing found"."""
    page = Sent(b"<html>maintenance</html>", headers={"Content-Type": "text/html"})
    for sent in (kind.changed, page):
        with asking(kind, lambda _, sent=sent: sent) as (connector, _):
            assert connector.search(QUERY).status == "unavailable"


def test_more_bytes_than_allowed_are_refused(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it announces."""
    monkeypatch.setattr(web, "LARGEST_ANSWER", 200)
    with asking(kind, lambda _: kind.page(1, 1, 1)) as (connector, _):
        assert connector.search(QUERY).status == "unavailable"


def test_a_dead_site_is_unavailable(kind: Kind) -> None:
    """Nothing listens there any more."""
    with serving(lambda _: Sent()) as site:
        address = site.address
    answer = kind.make(Site("source", address, budget_s=2.0)).search(QUERY)
    assert answer.status == "unavailable"


@over_rows("key", ["", "one"])
def test_without_a_key_nobody_is_asked(key: str) -> None:
    """The answer says what to set."""
    with serving(lambda _: Sent(status=500)) as site:
        client = Site("source", site.address)
        portal = UsptoOdpConnector(client, "", TODAY).search(QUERY)
        services = EpoOpsConnector(client, key, TODAY).search(QUERY)
        assert site.asked == []
    assert (portal.status, services.status) == ("not_configured", "not_configured")


def test_names_are_no_query_language() -> None:
    """Quotes and operators of a name never reach the query."""
    hostile = SourceQuery([['KRAS") OR *:* OR ("x', "K-RAS"]])
    with asking(KINDS["surechembl"], lambda _: hits(total=0)) as (connector, site):
        connector.search(hostile)
    assert site.asked[0].query["query"].count('"') == 8
    assert "*" not in site.asked[0].query["query"]


def test_the_portal_tells_family_and_owner() -> None:
    """The newest assignment of interest; B2, because the application was published before."""
    with asking(KINDS["uspto_odp"], lambda _: bag(application(), total=1)) as (connector, site):
        (document,) = LivePatents(connector, NOW).find(KRAS, 5)
    assert document.publication_number == "US12000001B2"
    assert (document.assignees, document.applicants) == (("ACME INC",), ("Jo Doe",))
    assert document.family == "PCT/US2019/012345"
    assert document.family_members == ("US20210000001A1",)
    assert (document.priority_on, document.earliest_nonprovisional_on) == (
        "2018-01-11",
        "2019-01-11",
    )
    assert site.asked[0].headers["X-API-KEY"] == "key"


def test_the_services_tell_the_docdb_family() -> None:
    """English title, names as filed, the token asked for once."""
    with asking(KINDS["epo_ops"], lambda _: exchange("1000001", total=1)) as (connector, site):
        pool = LivePatents(connector, NOW)
        (document,) = pool.find(KRAS, 5)
        pool.find(KRAS, 5)
    assert (document.title, document.applicants) == ("Compounds", ("Acme Inc.",))
    assert (document.mentions, document.family) == (("abstract",), "DOCDB 71234567")
    assert (document.legal, document.filed_on) == ("pending", "2019-01-11")
    assert [one.path for one in site.asked].count("/3.2/auth/accesstoken") == 1


def _surechembl(asked: Asked) -> Sent:
    if asked.path.endswith("/search/content"):
        return hits("US-12000001-B2", "US-12000002-B2", total=2, title="Compounds")
    if asked.path.endswith("/contents"):
        claims = "KRAS inhibitors." if "12000001" in asked.path else "HRAS inhibitors."
        return contents("US-12000001-B2", claims)
    return table(("1353", BENZYL), ("1353", BENZYL), ("7", NAPHTHYL), ("x", "C"))


def test_texts_of_surechembl_decide_where_titles_do_not() -> None:
    """Claims that name the target make the document one; others are left out."""
    with asking(KINDS["surechembl"], _surechembl) as (connector, _):
        assert isinstance(connector, SureChemblConnector)
        pool = LivePatents(connector, NOW, connector.chemistry)
        (document,) = pool.find(KRAS, 5)
        structures = pool.structures([document.publication_number, "no number"])
        texts = pool.texts([document.publication_number])
    assert (document.publication_number, document.mentions) == ("US12000001B2", ("claims",))
    assert (document.assignees, document.family) == (("Acme Inc",), "DOCDB 71234567")
    assert document.cpc == ("C07D401/04",)
    assert document.url == "https://www.surechembl.org/patent/US-12000001-B2"
    assert [(one.block, one.text, one.method) for one in structures["US12000001B2"]] == [
        ("SCHEMBL1353", BENZYL, "surechembl"),
        ("SCHEMBL7", NAPHTHYL, "surechembl"),
    ]
    assert "claims" in {one.section for one in texts["US12000001B2"]}
    assert [(one.status, one.count) for one in pool.answers()][0] == ("answered", 1)


def test_a_source_that_ends_midway_is_partial() -> None:
    """What came counts, and the answer says so."""
    left = [hits("US-12000001-B2", total=150)]
    down = Sent(status=500)
    with asking(KINDS["surechembl"], lambda _: left.pop() if left else down) as (connector, _):
        pool = LivePatents(connector, NOW)
        assert len(pool.find(KRAS, 150)) == 1
    (answer,) = pool.answers()
    assert (answer.status, answer.count, answer.asked_at) == ("partial", 1, NOW.isoformat())
    assert "500" in answer.message


def test_a_damaged_table_of_structures_is_unavailable() -> None:
    """No half of it is shown."""
    sent = Sent(table(("1", BENZYL)).content[:-20])
    with asking(KINDS["surechembl"], lambda _: sent) as (connector, _):
        assert isinstance(connector, SureChemblConnector)
        assert connector.chemistry("US12000001B2").status == "unavailable"


def test_pools_are_joined_local_ones_first(pack: Evidence) -> None:
    """A document of two sources is one, and learns its DOCDB family."""
    with (
        asking(KINDS["uspto_odp"], lambda _: bag(application(), total=1)) as (portal, _),
        asking(KINDS["surechembl"], _surechembl) as (texts, _),
    ):
        pools = [HeldPatents(pack), LivePatents(portal, NOW), LivePatents(texts, NOW)]
        joined = JoinedPatents(pools)
        (document,) = joined.find(KRAS, 5)
    assert (document.source, document.family) == ("uspto_odp", "DOCDB 71234567")
    assert [one.source for one in joined.answers()] == [
        "uspto_chem",
        "uspto_redbook",
        "uspto_odp",
        "surechembl",
    ]


@pytest.mark.parametrize(
    "settings", [Settings(), Settings(offline=True, live_patents=True)], ids=["default", "offline"]
)
def test_live_sources_are_off_unless_allowed(pack: Evidence, settings: Settings) -> None:
    """The held records stand alone."""
    assert isinstance(open_patents(pack, settings, NOW), HeldPatents)


def test_allowed_live_sources_join_the_held_records(pack: Evidence) -> None:
    """Nobody is asked before the first question."""
    assert isinstance(open_patents(pack, Settings(live_patents=True), NOW), JoinedPatents)


def test_a_token_that_has_ended_is_renewed_and_the_granted_pace_is_kept() -> None:
    """The recorded answer to an old token, then documents with the pace of the services."""
    ended = "<error><code>400</code><message>invalid_access_token</message></error>"
    page = exchange("1000001", total=1)
    throttled = {"X-Throttling-Control": "idle (images=green:200, search=green:30)"}
    left = [Sent(ended.encode(), status=400), Sent(page.content, headers=page.headers | throttled)]
    with serving(_token(lambda _: left.pop(0))) as server:
        site = Site("epo_ops", server.address, budget_s=5.0, pause_s=0.0)
        answer = EpoOpsConnector(site, "key:secret", TODAY).search(QUERY)
    assert (answer.status, len(answer.records)) == ("answered", 1)
    assert len([asked for asked in server.asked if "token" in asked.path]) == 2
    assert site.pause_s == 2.0


def test_hits_without_documents_are_not_nothing() -> None:
    """A list of hits alone says that there are documents."""
    with serving(_token(lambda _: exchange(total=10_000))) as server:
        site = Site("epo_ops", server.address, budget_s=5.0, pause_s=0.0)
        answer = EpoOpsConnector(site, "key:secret", TODAY).search(QUERY)
    assert (answer.status, answer.n_hits) == ("partial", 10_000)
