"""Requests, and what fires after an import: once, for whom it was asked, never for a copy."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from api.validation import read_request
from core.agents.alerts.schema import AlertsRequest
from core.alert_ports import Subscriptions
from core.briefs.watching.asked import drug_to_watch, name_drug, read_question
from core.briefs.watching.firing import find_fresh, fire
from core.errors import InvalidInput
from core.evidence.events.preparing import prepare_events
from core.evidence.names.identity.resolver import Resolver
from core.execution.syncing import sync_sources
from core.execution.watching import evaluate, is_due, newest_prepared, preview_question
from core.ports import Stores
from core.records.alerts import LEAST_SCORE, SignalLevel, WatchQuestion
from core.records.evidence import Parsed
from core.records.evidence_pack import ImportedFile
from core.settings import Settings
from storage.stores import open_stores
from tests.core.agents.asthma import asthma_names
from tests.core.agents.new_developments.test_answers import (
    DRUGS,
    NAMES_MADE_AFTER_AN_IMPORT,
    NOW,
    ago,
    license_,
    trial,
)
from tests.core.evidence.loopback import serving
from tests.core.evidence.register_server import make_study, register
from tests.instances import give_schema
from tests.rows import over_rows


@over_rows(
    ("body", "field", "code"),
    [
        ({}, "action", "missing_field"),
        ({"action": "dance"}, "action", "value_not_allowed"),
        ({"action": "enable_from_query"}, "query_id", "missing_field"),
        ({"action": "remove"}, "query_id", "missing_field"),
        ({"action": "remove", "query_id": None}, "query_id", "missing_field"),
        ({"action": "remove", "query_id": "7"}, "query_id", "wrong_type"),
        ({"action": "list", "query_id": "7"}, "query_id", "wrong_type"),
        ({"action": "list", "query_id": True}, "query_id", "wrong_type"),
        ({"action": "remove", "query_id": -1}, "query_id", "value_out_of_range"),
        ({"action": "remove", "query_id": 10**30}, "query_id", "value_out_of_range"),
        ({"action": "add_manual"}, "drug_name", "missing_field"),
        ({"action": "add_manual", "drug_name": " "}, "drug_name", "value_malformed"),
        ({"action": "add_manual", "drug_name": "+-*/"}, "drug_name", "value_malformed"),
        ({"action": "add_manual", "drug_name": "a" * 10_000}, "drug_name", "value_too_long"),
        ({"action": "list", "drug_name": 7}, "drug_name", "wrong_type"),
        ({"action": "list", "signal_level": "loud"}, "signal_level", "value_not_allowed"),
        ({"action": "list", "query": 7}, "query", "unknown_field"),
    ],
)
def test_wrong_request_names_its_field(body, field: str, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_request(AlertsRequest, body)
    assert [(one.field, one.code) for one in caught.value.details] == [(field, code)]


@over_rows(
    "body",
    [
        {"action": "list", "query_id": -5, "drug_name": " "},
        {"action": "remove", "query_id": 7.0, "drug_name": ""},
        {"action": "add_manual", "drug_name": "パドセブ", "query_id": -1},
    ],
)
def test_what_an_action_does_not_use_is_ignored(body) -> None:
    assert read_request(AlertsRequest, body).action == body["action"]


Bring = Callable[..., None]


@pytest.fixture
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stores]:
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)
    home = tmp_path / "instance"
    for place in NAMES_MADE_AFTER_AN_IMPORT:
        monkeypatch.setattr(place, lambda *_: {})
    give_schema(home)
    opened = open_stores(Settings(home=home, database_url=None), now=lambda: NOW)
    opened.identity.build(asthma_names(DRUGS), (), "test names")
    yield opened
    opened.engine.close()


@pytest.fixture
def bring(stores: Stores) -> Bring:
    """Return what imports records as one generation; each register has one kind of file."""

    def call(*parsed: Parsed, name: str = "a.json") -> None:
        with stores.evidence.next_generation() as writer:
            writer.add(parsed)
            writer.finish_file(ImportedFile(name, "t", "0" * 64, NOW.isoformat(), 1, 0))
        prepare_events(stores.evidence, stores.identity, stores.learned_names)

    return call


@pytest.fixture
def mine(stores: Stores) -> Subscriptions:
    user = stores.users.create("anna", "correct horse battery")
    return stores.watches.of(user.user_id, [], 25)


def run(stores: Stores) -> int:
    settings = Settings(home=Path("/nowhere"), database_url=None)
    return evaluate(stores, settings, "a worker", NOW).hits


def baseline() -> list[Parsed]:
    return [
        license_("100001", "gammamab", ago(2000)),
        license_("100002", "gammamab", ago(2100), source="drugsfda"),
        trial(9, "gammamab", ago(900)),
    ]


def titles(mine: Subscriptions) -> list[str]:
    return sorted(one.title for one in mine.hits())


def test_first_import_of_a_source_is_a_baseline_and_a_new_event_fires_once(
    stores: Stores, bring: Bring, mine: Subscriptions
) -> None:
    mine.add_manual("alphamab", "UNII:1", "low", generation=-1)
    bring(*baseline(), license_("123450", "alphamab", ago(40)))
    told = evaluate(stores, Settings(home=Path("/nowhere")), "a worker", NOW)
    assert (told.hits, told.queries) == (0, 1)
    assert "First import of ctgov, drugsfda, purplebook" in told.note
    assert stores.watches.counts().note == told.note
    bring(license_("123456", "alphamab", ago(5)), license_("123457", "betamab", ago(5)))
    assert is_due(stores)
    assert run(stores) == 1
    (hit,) = mine.hits()
    assert (hit.drug, hit.event_day, hit.catalyst_type) == (
        "alphamab",
        ago(5),
        "regulatory_decision",
    )
    assert hit.source_ids == ("purplebook:BLA123456",)
    assert hit.url == "https://purplebooksearch.fda.gov/"
    assert hit.met == ("Drug: alphamab",)
    assert abs(sum(part.points for part in hit.parts) - hit.score) <= 0.5
    assert not is_due(stores)
    assert run(stores) == 0
    bring(license_("123456", "alphamab", ago(5)))
    bring(license_("923456", "alphamab", ago(5), source="drugsfda"))
    assert run(stores) == 0
    assert len(mine.hits()) == 1


def test_a_synced_change_fires_once_and_what_is_old_does_not(
    stores: Stores, bring: Bring, mine: Subscriptions
) -> None:
    bring(*baseline(), trial(1, "betamab", "2026-10", trial_primary_completion="2028-05"))
    mine.add_manual("betamab", "UNII:2", "low", generation=1)
    stopped = make_study("NCT00000001", "betamab", "Acme Bio, Inc.", "asthma", ago(0))
    stopped["protocolSection"]["statusModule"]["overallStatus"] = "TERMINATED"
    others = [
        make_study(f"NCT{number:08d}", "betamab", "Acme Bio, Inc.", "asthma", ago(0))
        for number in range(10, 20)
    ]
    for study in others:  # new to the instance, not to the world
        study["protocolSection"]["statusModule"]["startDateStruct"] = {"date": ago(800)}
    with serving(register([stopped, *others], f"{ago(0)}T09:00:00")) as server:
        settings = Settings(home=Path("/nowhere"), live_addresses={"ctgov": server.address})
        (report,) = sync_sources(stores, settings, NOW, "a test", names=["ctgov"])
    assert (report.status, report.promoted) == ("answered", 11)
    assert run(stores) == 1
    assert [hit.source_ids for hit in mine.hits()] == [("ctgov:NCT00000001",)]
    assert run(stores) == 0


def test_one_drug_and_type_on_two_days_are_two_hits_and_on_one_day_one(
    stores: Stores, bring: Bring, mine: Subscriptions
) -> None:
    bring(*baseline())
    mine.add_manual("betamab", "UNII:2", "low", generation=1)
    bring(trial(1, "betamab", ago(3)), trial(2, "betamab", ago(3)), trial(3, "betamab", ago(20)))
    assert run(stores) == 2
    first, second = sorted(mine.hits(), key=lambda one: one.event_day)
    assert (first.event_day, second.event_day) == (ago(20), ago(3))
    assert set(second.source_ids) == {"ctgov:NCT00000001", "ctgov:NCT00000002"}


def test_a_level_fires_from_its_score_on_and_each_holds_the_next(
    stores: Stores, bring: Bring
) -> None:
    bring(*baseline())
    bring(
        license_("123456", "alphamab", ago(2)),
        *(trial(n, "betamab", ago(n * 25), trial_phase="PHASE2") for n in range(1, 9)),
    )
    resolver = Resolver(stores.identity, stores.learned_names)
    fresh = find_fresh(1, NOW.date(), stores.evidence, resolver)
    asked = read_question(WatchQuestion(), stores.evidence, resolver)
    levels: list[SignalLevel] = ["low", "medium", "high"]
    fired = [{one.identity: one.score for one in fire(asked, level, fresh)} for level in levels]
    low, medium, high = fired
    assert set(high) < set(medium) < set(low)
    for level, found in zip(levels, fired, strict=True):
        least = LEAST_SCORE[level]
        assert found == {key: points for key, points in low.items() if points >= least}
    assert min(low.values()) < LEAST_SCORE["medium"] <= min(medium.values())


def test_evaluation_that_dies_in_the_middle_loses_and_repeats_nothing(
    stores: Stores, bring: Bring, mine: Subscriptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(*baseline())
    for number, name in enumerate(("alphamab", "betamab", "gammamab"), start=1):
        mine.add_manual(name, f"UNII:{number}", "low", generation=1)
    bring(
        license_("123456", "alphamab", ago(5)), *(trial(n, "betamab", ago(20 * n)) for n in (1, 2))
    )
    keep, calls = stores.watches.fire, []

    def die(*arguments: object) -> int | None:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return keep(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(stores.watches, "fire", die)
    with pytest.raises(KeyboardInterrupt):
        run(stores)
    monkeypatch.setattr(stores.watches, "fire", keep)
    assert len(mine.hits()) == 1
    assert run(stores) == 2
    assert len({one.identity for one in mine.hits()}) == len(mine.hits()) == 3


def test_a_change_of_a_held_trial_fires_and_a_fuller_copy_does_not(
    stores: Stores, bring: Bring, mine: Subscriptions
) -> None:
    held = trial(9, "gammamab", ago(900))
    bring(held)
    mine.add_manual("gammamab", "UNII:3", "low", generation=1)
    fuller = replace(held, record=replace(held.record, detail=2, copied_on=ago(3)))
    bring(fuller, name="b.json")
    assert run(stores) == 0
    changed = trial(9, "gammamab", ago(900), trial_status="TERMINATED")
    bring(replace(changed, record=replace(changed.record, updated_on=ago(0), copied_on=ago(0))))
    assert run(stores) == 1
    (hit,) = mine.hits()
    assert "gammamab" in hit.title


def test_an_unknown_drug_is_watched_by_the_name_that_is_shown(
    stores: Stores, bring: Bring, mine: Subscriptions
) -> None:
    bring(*baseline())
    made = mine.add_manual("CAR33", "name:car33", "low", generation=1)
    stores.watches.ask(made.query_id, WatchQuestion(drug="CAR33"))
    bring(trial(5, "Cryopreserved BE CAR33 T Cells (BE752TBTTBCAR33PBL)", ago(5)))
    assert run(stores) == 1
    (hit,) = mine.hits()
    assert hit.drug == "CAR33"


def test_what_is_no_drug_is_refused_with_what_it_is(stores: Stores, bring: Bring) -> None:
    bring(*baseline(), trial(1, "alphamab", ago(2)))
    resolver = Resolver(stores.identity, stores.learned_names)
    for name, kind in (("asthma", "disease"), ("ACME BIO INC", "company")):
        with pytest.raises(InvalidInput, match=f"{name} is a {kind}, not a drug") as refusal:
            drug_to_watch(name, stores.evidence, resolver)
        assert refusal.value.details[0].field == "drug_name"
    assert drug_to_watch("alphamab", stores.evidence, resolver).warnings == ()
    assert "no_match" in drug_to_watch("zzz-123", stores.evidence, resolver).warnings[0]


def test_preview_is_what_a_replay_of_the_imports_fires(
    stores: Stores, bring: Bring, mine: Subscriptions
) -> None:
    parts = (
        baseline(),
        [license_("123456", "alphamab", ago(5)), trial(1, "betamab", ago(30))],
        [trial(2, "alphamab", ago(60)), trial(3, "gammamab", ago(100))],
        [license_("223456", "alphamab", ago(5), source="drugsfda"), trial(4, "betamab", ago(2))],
    )
    bring(*parts[0])
    query_id = mine.add_manual("a drug", "x", "low", generation=1).query_id
    stores.watches.ask(query_id, WatchQuestion())
    for part in parts[1:]:
        bring(*part)
        run(stores)
    start = (NOW.date() - timedelta(days=90)).isoformat()
    fired = {one.identity for one in mine.hits() if one.event_day >= start}
    found = preview_question(WatchQuestion(), "low", stores, NOW, days=90)
    assert {one.identity for one in found.hits} == fired
    assert len(fired) == 4
    assert len(found.on_record) == 4
    assert len(mine.hits()) == 5


def test_names_of_a_drug_are_one_and_combinations_need_all(stores: Stores, bring: Bring) -> None:
    bring(*baseline(), trial(1, "alphamab", ago(2)))
    resolver = Resolver(stores.identity, stores.learned_names)

    def key(said: str) -> str:
        return name_drug(said, stores.evidence, resolver).key

    assert (
        key("Alphamab")
        == key(" ALPHAMAB\n")
        == key("alpha\u200bmab".replace("\u200b", ""))
        == "UNII:1"
    )
    assert key("betamab + alphamab") == key("alphamab + betamab") == "UNII:1 + UNII:2"
    unknown = name_drug("gamamab", stores.evidence, resolver)
    assert unknown.keys == ()
    assert "gammamab" in unknown.warnings[0]
    both = read_question(WatchQuestion(drug="alphamab + betamab"), stores.evidence, resolver)
    one = read_question(WatchQuestion(drug="alphamab"), stores.evidence, resolver)
    fresh = find_fresh(-1, NOW.date(), stores.evidence, resolver)
    assert fresh.told == []
    bring(trial(5, "alphamab", ago(4)))
    fresh = find_fresh(1, NOW.date(), stores.evidence, resolver)
    assert len(fire(one, "low", fresh)) == 1
    assert fire(both, "low", fresh) == []


@pytest.mark.parametrize(
    ("question", "count"),
    [
        (WatchQuestion(indication="asthma"), 1),
        (WatchQuestion(indication="asthma", known_target="XYZ-99"), 1),
        (WatchQuestion(indication="asthma", target="XYZ-99"), 0),
        (WatchQuestion(company="Acme Bio"), 1),
        (WatchQuestion(company="Other Bio"), 0),
        (WatchQuestion(stage_focus="phase3"), 1),
        (WatchQuestion(stage_focus="phase1"), 0),
    ],
)
def test_question_narrows_by_its_parts(
    stores: Stores, bring: Bring, question: WatchQuestion, count: int
) -> None:
    bring(trial(9, "gammamab", ago(900)))
    bring(trial(1, "alphamab", ago(5)))
    resolver = Resolver(stores.identity, stores.learned_names)
    fresh = find_fresh(1, NOW.date(), stores.evidence, resolver)
    asked = read_question(question, stores.evidence, resolver)
    assert len(fire(asked, "low", fresh)) == count


def test_a_pack_that_begins_anew_makes_no_flood(
    stores: Stores, bring: Bring, mine: Subscriptions
) -> None:
    mine.add_manual("alphamab", "UNII:1", "low", generation=40)
    bring(trial(9, "gammamab", ago(900)))
    bring(trial(1, "alphamab", ago(5)))
    assert run(stores) == 0
    assert mine.list()[0].evaluated_generation == newest_prepared(stores.evidence)
