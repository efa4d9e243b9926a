"""What the agent answers on a pack whose events are known."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from core.agents.new_developments.exports import export
from core.agents.new_developments.pipeline import run
from core.agents.new_developments.schema import NewDevelopmentsData, NewDevelopmentsRequest
from core.evidence.events.preparing import prepare_events
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.files import IMPORTERS
from core.evidence.sources.pack.deals import describe_deal
from core.evidence.sources.pack.schema import TABLES
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record
from core.records.evidence_pack import ImportedFile
from core.settings import Settings
from core.tables.rows import SourceFile
from storage.stores import open_stores
from tests.contexts import make_context
from tests.core.agents.asthma import asthma_names, asthma_trial
from tests.core.evidence.loopback import Sent, as_json, serving
from tests.core.evidence.register_server import make_study, register
from tests.rows import over_rows

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DRUGS = ("alphamab", "betamab", "gammamab")
NAMES_MADE_AFTER_AN_IMPORT = (
    "core.evidence.events.links.joined_names",
    "core.evidence.events.links.known_by_key",
    "core.briefs.developments.question.known_by_key",
)
"""Where the names of the starter pack are read, of which a small instance has none."""
Ask = Callable[..., NewDevelopmentsData]


def ago(days: int) -> str:
    return (NOW.date() - timedelta(days=days)).isoformat()


def trial(number: int, drug: str, start: str, **said: str) -> Parsed:
    """Return a trial that started on a day."""
    values = {
        "trial_phase": "PHASE3",
        "trial_status": "RECRUITING",
        "trial_start": start,
        "trial_primary_completion": ago(-100),
        **said,
    }
    return asthma_trial(number, drug, "Acme Bio, Inc.", updated_on=ago(1), **values)


def license_(number: str, drug: str, day: str, source: str = "purplebook") -> Parsed:
    """Return an original license of the Purple Book or an application of Drugs@FDA."""
    record = Record(
        *(source, f"BLA{number}", "https://purplebooksearch.fda.gov/"),
        *("approval_package", f"BLA{number}: {drug}"),
        updated_on="2026-11-01",
        mentions=(
            Mention("drug", drug, relation="ingredient"),
            Mention("company", "Acme Bio Inc", relation="applicant"),
        ),
    )
    kind = "351(a)" if source == "purplebook" else "BLA"
    stem = Fact(record.id, drug, "approved_on", day, qualifiers=Qualifiers(region="FDA"))
    return Parsed(record, (replace(stem, predicate="application_type", object=kind), stem))


def records() -> list[Parsed]:
    return [
        license_("123456", "alphamab", ago(20)),
        trial(1, "betamab", ago(30)),
        trial(2, "gammamab", ago(200), trial_phase="PHASE2"),
    ]


@contextmanager
def instance(home: Path) -> Iterator[Ask]:
    """Give what runs the agent on a pack; `held` brings further records first."""
    stores = open_stores(Settings(home=home, database_url=None))
    stores.identity.build(asthma_names(DRUGS), (), "test names")
    resolver = Resolver(stores.identity, stores.learned_names)

    def call(
        *, held: list[Parsed] | None = None, settings: Settings | None = None, **fields: Any
    ) -> NewDevelopmentsData:
        parsed = held if held is not None else [] if stores.evidence.version() else records()
        if parsed:
            with stores.evidence.next_generation() as writer:
                writer.add(parsed)
                writer.finish_file(ImportedFile("a.json", "t", "0" * 64, NOW.isoformat(), 1, 0))
            prepare_events(stores.evidence, stores.identity, stores.learned_names)
        settings = settings or Settings()
        context = make_context(NOW, stores, resolver=resolver, settings=settings)
        return run(NewDevelopmentsRequest.model_validate(fields), context)

    yield call
    stores.engine.close()


@pytest.fixture(scope="module", autouse=True)
def _no_joined_names() -> Iterator[None]:
    """Leave out the names that the starter pack joins: made once after an import elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        for place in NAMES_MADE_AFTER_AN_IMPORT:
            patch.setattr(place, lambda *_: {})
        yield


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Return what runs the agent on the pack, which no test changes."""
    with instance(tmp_path_factory.mktemp("known") / "instance") as call:
        yield call


@pytest.fixture
def bring(tmp_path: Path) -> Iterator[Ask]:
    """Return what runs the agent on a pack of the test's own."""
    with instance(tmp_path / "instance") as call:
        yield call


def titles(data: NewDevelopmentsData) -> list[str]:
    return [one.title for one in data.catalysts]


def test_each_event_of_the_window_is_told_once_with_its_links(ask) -> None:
    data = ask()
    assert titles(data) == [
        "FDA approval: alphamab",
        "Phase 3 trial started: betamab in asthma, NCT00000001",
    ]
    first, second = data.catalysts
    assert (first.catalyst_type, first.company, first.ticker) == (
        *("regulatory_decision", "Acme Bio"),
        "ACMB",
    )
    assert (second.catalyst_type, second.indication, second.stage) == (
        *("trial_start", "asthma"),
        "PHASE3",
    )
    assert [one.investors for one in data.catalysts] == [[], []]
    assert not any(one.startswith("claims_dropped") for one in data.warnings)


def test_parts_sum_to_the_score(ask) -> None:
    for one in ask(lookback_days=365).catalysts:
        parts = one.score_components.model_dump()
        assert one.signal_score == int(sum(parts.values()) + 0.5)
    assert parts["materiality"] == pytest.approx(30 * 0.35)


def test_more_sources_older_days_copies_and_order(bring) -> None:
    """Each step adds records to one pack."""
    first = bring()
    again = bring(held=[*reversed(records())])
    assert [one.model_dump() for one in again.catalysts] == [
        one.model_dump() for one in first.catalysts
    ]
    before = first.catalysts[0]
    reprint = bring(held=[license_("123456", "alphamab", ago(19), "drugsfda")]).catalysts[0]
    assert (reprint.n_sources, reprint.signal_score) == (1, before.signal_score)
    assert len(reprint.source_ids) == 2
    record = replace(
        license_("123456", "alphamab", ago(20)).record,
        source="fda-dates",
        kind="company_disclosure",
    )
    fact = Fact(
        *(record.id, "alphamab", "decided_on", ago(20)),
        qualifiers=Qualifiers(region="FDA", population="approval"),
    )
    told = bring(held=[Parsed(record, (fact,))])
    assert told.catalysts[0].n_sources == 2
    assert told.catalysts[0].signal_score == before.signal_score + 5
    assert len(told.catalysts) == 2
    held = [trial(10 + place, "betamab", ago(days)) for place, days in enumerate((5, 50, 300))]
    found = {one.date: one for one in bring(held=held, lookback_days=365).catalysts}
    recency = [found[ago(days)].score_components.recency for days in (5, 50, 300)]
    assert recency == sorted(recency, reverse=True)
    assert recency[0] > recency[-1]


def test_a_longer_window_holds_the_shorter_ones_events(ask) -> None:
    ids = [{one.id for one in ask(lookback_days=days).catalysts} for days in (1, 25, 60, 365)]
    assert ids[0] <= ids[1] < ids[2] < ids[3]


def test_an_empty_window_says_why_and_what_came_last(ask) -> None:
    data = ask(lookback_days=5)
    assert data.catalysts == []
    assert [one.title for one in data.nearest][0] == "FDA approval: alphamab"
    assert any(one.startswith("window_empty:") for one in data.warnings)
    assert {one.source: one.newest_event_on for one in data.reach}["purplebook"] == ago(20)


def test_what_lies_ahead_stands_apart_and_in_the_calendar(ask) -> None:
    data = ask()
    assert [one.date for one in data.upcoming] == [ago(-100)]
    assert not {one.id for one in data.upcoming} & {one.id for one in data.catalysts}
    lines = export(data, "upcoming.ics").decode().split("\r\n")
    assert f"DTSTART;VALUE=DATE:{ago(-100).replace('-', '')}" in lines
    assert max(len(line.encode()) for line in lines) <= 75


def test_days_ahead_name_nothing_that_happened(ask) -> None:
    data = ask(query="catalysts in March 2027", lookback_days=365)
    assert ({one.date for one in data.upcoming}, data.catalysts) == ({ago(-100)}, [])
    assert ask(query="catalysts in April 2027", lookback_days=365).upcoming == []


def target_date(drug: str, day: str, source: str = "fda-actions") -> Parsed:
    """Return the day by which the FDA means to decide on a drug."""
    record = Record(
        *(source, f"{drug} {day}", "https://example.org/list"),
        *("company_disclosure", f"{drug}: target action date {day}"),
        updated_on=ago(90),
        mentions=(Mention("drug", drug),),
    )
    fact = Fact(record.id, drug, "target_date", day, qualifiers=Qualifiers(region="FDA"))
    return Parsed(record, (fact,))


def test_a_target_date_that_passed_is_overdue_until_a_decision_is_reported(bring) -> None:
    """An approval before its target date is one, and a date ahead is not overdue."""
    held = [*records(), target_date("alphamab", ago(10)), target_date("gammamab", ago(-9))]
    data = bring(held=[*held, target_date("betamab", ago(10))])
    assert [(event.drug, event.date) for event in data.overdue] == [("betamab", ago(10))]
    assert [event.drug for event in data.upcoming if event.event_type == "decision_expected"] == [
        "gammamab"
    ]
    assert bring(query="alphamab").overdue == []


def test_filters_tell_what_they_removed(ask) -> None:
    data = ask(indication="asthma")
    assert titles(data) == ["Phase 3 trial started: betamab in asthma, NCT00000001"]
    assert data.filters.dropped == {"indication": 1}
    assert data.filters.resolved.indications == ["asthma"]
    assert ask(stage_focus="Phase II", lookback_days=365).catalysts[0].stage == "PHASE2"
    assert ask(query="approvals").filters.dropped == {"type": 1}


def test_unknown_names_are_said_and_meet_nothing(ask) -> None:
    ask()
    for field in ("query", "target", "modality"):
        data = ask(**{field: "xyzzyq"})
        assert data.catalysts == []
        assert data.filters.dropped == {"not_understood": 2}
        assert any("xyzzyq" in one for one in data.warnings)


def test_themes_have_momentum_and_proved_briefs(ask) -> None:
    data = ask()
    assert {one.theme_key for one in data.themes} == {one.theme_key for one in data.catalysts}
    assert sum(one.catalyst_count for one in data.themes) == len(data.catalysts)
    for one in data.themes:
        assert one.momentum.change == one.momentum.current - one.momentum.previous
    known = {one.id for one in data.sources}
    for brief in data.briefs:
        assert set(re.findall(r"\[(\d+)\]", brief.text)) <= known
        assert brief.text == " ".join(one.text for one in brief.claims)


@over_rows("wrong", [{"lookback_days": 0}, {"lookback_days": 366}, {"stage_focus": "banana"}])
def test_what_cannot_be_asked_is_refused(wrong) -> None:
    with pytest.raises(ValidationError):
        NewDevelopmentsRequest.model_validate(wrong)


def test_live_sources_are_said_not_to_be_connected(ask) -> None:
    data = ask(include_live_discovery=True)
    assert data.live_discovery.status == "not_configured"
    assert any(one.startswith("not_configured:") for one in data.warnings)
    assert date.fromisoformat(data.filters.window_start_on) == NOW.date() - timedelta(days=60)


def test_live_discovery_brings_trials_that_changed_and_new_decisions(ask: Ask) -> None:
    before = ask()
    stopped = make_study("NCT00000001", "betamab", "Acme Bio, Inc.", "asthma", ago(0))
    stopped["protocolSection"]["statusModule"]["overallStatus"] = "TERMINATED"
    stopped["protocolSection"]["statusModule"]["startDateStruct"] = {"date": ago(30)}
    approved = {
        "application_number": "BLA654321",
        "sponsor_name": "ACME BIO INC",
        "products": [{"brand_name": "GAMMEX", "active_ingredients": [{"name": "gammamab"}]}],
        "submissions": [
            {
                "submission_type": "ORIG",
                "submission_number": "1",
                "submission_status": "AP",
                "submission_status_date": ago(3).replace("-", ""),
            }
        ],
    }
    answer = {
        "meta": {"last_updated": ago(1), "results": {"total": 1}},
        "results": [approved],
    }
    with serving(register([stopped])) as trials, serving(lambda _: as_json(answer)) as decisions:
        settings = Settings(
            live_sources=("ctgov", "drugsfda"),
            live_addresses={"ctgov": trials.address, "drugsfda": decisions.address},
        )
        data = ask(settings=settings, include_live_discovery=True)
        assert ask(settings=settings).catalysts == before.catalysts
        assert "LastUpdatePostDate" in trials.asked[0].query["filter.advanced"]
    assert data.live_discovery.status == "answered"
    fresh = {one.title: one.date for one in data.catalysts if one.title not in titles(before)}
    assert sorted(fresh.values()) == [ago(3), ago(0), ago(0)]
    assert any("ompletion" in title for title in fresh)
    assert any("gammamab" in title for title in fresh)
    assert len(data.catalysts) == len(before.catalysts) + 3
    with serving(lambda _: Sent(status=500)) as down:
        addresses = {"ctgov": down.address, "drugsfda": down.address}
        settings = settings.model_copy(update={"live_addresses": addresses})
        data = ask(settings=settings, include_live_discovery=True)
    assert data.live_discovery.status == "unavailable"
    assert titles(data) == titles(before)
    assert sum(one.startswith("source_unavailable:") for one in data.warnings) == 2


def test_live_discovery_brings_filings_and_notices_each_as_what_it_is(ask: Ask) -> None:
    def filing(number: int, filer: str, day: str) -> dict[str, Any]:
        return {
            "_source": {
                "adsh": f"0001234567-26-{number:06}",
                "ciks": ["0001234567"],
                "display_names": [f"{filer}  (CIK 0001234567)"],
                "form": "8-K",
                "file_date": day,
            }
        }

    hits = [filing(1, "Acme Bio, Inc.", ago(2)), filing(2, "OTHER CORP", ago(3))]
    found = as_json({"hits": {"total": {"value": 2, "relation": "eq"}, "hits": hits}})
    notice = {
        "document_number": "2026-00001",
        "title": "Determination of Regulatory Review Period",
        "publication_date": ago(5),
        "html_url": "https://www.federalregister.gov/documents/2026-00001",
    }
    published = as_json({"count": 1, "results": [notice]})
    request = {"query": "betamab", "include_live_discovery": True}
    before = titles(ask(query="betamab"))
    with serving(lambda _: found) as filings, serving(lambda _: published) as journal:
        settings = Settings(
            live_sources=("sec-filings", "federal-register"),
            live_addresses={"sec-filings": filings.address, "federal-register": journal.address},
        )
        alone = ask(settings=settings, **request)
        assert alone.live_discovery.status == "not_configured"
        assert "BPW_CONTACT" in alone.live_discovery.message
        assert filings.asked == []
        settings = settings.model_copy(update={"contact": "bench@example.org"})
        data = ask(settings=settings, **request)
    assert data.live_discovery.status == "answered"
    fresh = [one for one in data.catalysts if one.title not in before]
    assert {(one.event_type, one.date, one.company) for one in fresh} == {
        ("filing", ago(2), "Acme Bio"),
        ("filing", ago(3), "Other"),
        ("regulatory_notice", ago(5), None),
    }
    assert all("betamab" in one.title for one in fresh)
    assert {one.catalyst_type for one in fresh} == {"other"}
    assert any("2026-00001" in source.url for source in data.sources)


def pack_deal(**cells: str) -> Parsed:
    """Return a deal of the starter pack as its curators' table holds it."""
    columns = next(table.header for table in TABLES if table.name == "deals")
    return describe_deal(dict.fromkeys(columns, "") | {"basis": "expert", "day": "2026"} | cells)


def listed(path: Path, columns: str, row: str) -> Parsed:
    """Return the only record of an imported list."""
    path.write_text(f"{columns}\n{row}\n")
    source = SourceFile(path, ago(1), ago(1), lambda *_: None)
    (importer,) = (one for one in IMPORTERS if one.recognizes(path, columns))
    (parsed,) = importer.read(source)
    return parsed


LICENSES = "licensor,licensee,asset,day,territory,upfront,total,royalty,source"
TAKEOVERS = "target,ticker,cik,acquirer,announced,closed,currency,price_per_share"
LICENSED = f"Acme Bio,Buyer Pharma,betamab,{ago(9)},,45,,,a release"
CURATORS, USER, SEC = "curators of the starter pack", "list of the user", "SEC"


def test_deals_between_two_companies_are_of_both(bring) -> None:
    sides = (("alphamab", "Pfizer"), ("betamab", "Novartis"))
    held = [
        pack_deal(type="license", drug=drug, licensor="Ionis Pharmaceuticals", licensee=licensee)
        for drug, licensee in sides
    ]
    both = bring(held=held, query="deals between Ionis and Pfizer", lookback_days=365)
    assert [one.drug for one in both.catalysts] == ["alphamab"]
    either = bring(held=held, query="deals of Novartis and Pfizer", lookback_days=365)
    assert {one.drug for one in either.catalysts} == {"alphamab", "betamab"}


@pytest.mark.parametrize(
    ("deal", "kind", "title", "told_by", "materiality"),
    [
        (
            {"type": "license", "drug": "alphamab", "licensee": "Buyer", "territory": "Japan"},
            *("license", "Buyer in-licenses alphamab, Japan", CURATORS, 18),
        ),
        (
            {"type": "other", "drug": "alphamab", "partner": "Acme Bio"},
            *("deal_other", "Acme Bio partners on alphamab", CURATORS, 12),
        ),
        (
            (LICENSES, LICENSED),
            *("license", "Acme Bio licenses betamab to Buyer Pharma", USER, 18),
        ),
        (
            (f"{LICENSES},type", f"{LICENSED},option"),
            *("option", "Acme Bio grants Buyer Pharma an option on betamab", USER, 15),
        ),
        (
            (TAKEOVERS, f"Acme Bio,ACMB,1,Buyer Pharma,{ago(9)},,USD,45"),
            *("acquisition", "Buyer Pharma acquires Acme Bio", SEC, 27),
        ),
    ],
)
def test_a_deal_has_the_type_that_its_source_reports(
    tmp_path, deal, kind, title, told_by, materiality
) -> None:
    record = pack_deal(**deal) if isinstance(deal, dict) else listed(tmp_path / "a.csv", *deal)
    with instance(tmp_path / "home") as ask:
        data = ask(held=[record], query="deals", lookback_days=365)
    (catalyst,) = data.catalysts
    assert (catalyst.event_type, catalyst.title, catalyst.told_by) == (kind, title, [told_by])
    assert ("event" in catalyst.unconfirmed) == (told_by == CURATORS)
    assert catalyst.score_components.materiality == materiality
    assert catalyst.deal is not None
    assert (catalyst.deal.type, catalyst.deal.royalty) == (kind.replace("deal_", ""), None)
    assert catalyst.deal.upfront_musd == (45 if told_by == USER else None)
    assert (catalyst.deal.licensor is None) == (told_by != USER)
