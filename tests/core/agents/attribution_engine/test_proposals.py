"""Held events beside unexplained moves, on a pack whose records are known."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from core.agents.attribution_engine.pipeline import run
from core.agents.attribution_engine.schema import AttributionEngineRequest
from core.evidence.events.preparing import prepare_events
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record
from core.records.evidence_pack import ImportedFile
from core.records.identity import Entity, EntityName
from core.records.names import fold_name
from core.settings import Settings
from storage.stores import open_stores
from tests.contexts import make_context

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
OWN, ROUTINE, RIVAL = 300, 340, 420


def identity_rows() -> Iterator[Entity | EntityName]:
    for number, name in enumerate(("alphamab", "betamab"), start=1):
        yield Entity("drug", f"UNII:{number}", name)
        yield EntityName("drug", fold_name(name), f"UNII:{number}", 1, name)
    yield Entity("company", "CIK:0000000001", "ACME BIO INC / DE")
    for name, level in (("ACME BIO INC", 1), ("ACME BIO", 2), ("ACMB", 3)):
        yield EntityName("company", fold_name(name), "CIK:0000000001", level, name)


def day_of(row):
    """Return the day of a row of the simulated stock."""
    return date(2019, 1, 7) + timedelta(days=7 * (row // 5) + row % 5)


def license_(number, drug, company, day):
    record = Record(
        *("purplebook", f"BLA{number}", f"https://purplebooksearch.fda.gov/{number}"),
        *("approval_package", f"BLA{number}: {drug}"),
        updated_on="2026-11-01",
        mentions=(
            Mention("drug", drug, relation="ingredient"),
            Mention("company", company, relation="applicant"),
        ),
    )
    stem = Fact(record.id, drug, "approved_on", day, qualifiers=Qualifiers(region="FDA"))
    return Parsed(record, (replace(stem, predicate="application_type", object="351(a)"), stem))


def stating(drug):
    """Return what a company's pipeline says a drug acts on."""
    record = Record(
        *("pipeline", f"acme:{drug}", "https://example.org/pipeline"),
        *("company_page", f"{drug} in a pipeline"),
        updated_on="2026-11-01",
        mentions=(Mention("drug", drug), Mention("company", "Acme Bio, Inc.")),
    )
    return Parsed(record, (Fact(record.id, drug, "acts_on", "CD19"),))


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """Return what runs a body on the pack of two licenses."""
    stores = open_stores(
        Settings(home=tmp_path_factory.mktemp("held") / "instance", database_url=None)
    )
    stores.identity.build(identity_rows(), (), "test names")
    parsed = [
        license_("111111", "alphamab", "Acme Bio Inc", str(day_of(OWN))),
        license_("222222", "betamab", "Other Pharma", str(day_of(RIVAL))),
        stating("alphamab"),
        stating("betamab"),
    ]
    with pytest.MonkeyPatch.context() as patch:
        for place in (
            "core.evidence.events.links.joined_names",
            "core.evidence.events.links.known_by_key",
        ):
            patch.setattr(place, lambda *_: {})
        with stores.evidence.next_generation() as writer:
            writer.add(parsed)
            writer.finish_file(ImportedFile("a.json", "t", "0" * 64, NOW.isoformat(), 1, 0))
        prepare_events(stores.evidence, stores.identity, stores.learned_names)

    def compute(body, **fields):
        context = make_context(NOW, stores)
        return run(AttributionEngineRequest.model_validate({**body, **fields}), context)

    yield compute
    stores.engine.close()


def test_an_own_approval_beside_an_unexplained_move_is_proposed_and_not_counted(held, story):
    s = story().jump(OWN + 1, 0.3).jump(ROUTINE, -0.2)
    data = held(s.body(companies=[{"name": "ACMB"}]))
    (proposal,) = data.proposals
    assert (proposal.relationship, proposal.asset, proposal.lag) == ("own", "alphamab", 1)
    assert proposal.move_date == s.days[OWN + 1]
    assert proposal.url == "https://purplebooksearch.fda.gov/111111"
    assert proposal.chance == pytest.approx(2 / data.summary.n_tested)
    assert data.summary.states.unexplained == 2
    assert "nothing of it is counted as explained" in " ".join(data.memo)
    assert held(s.body()).proposals == []


def test_a_competitor_is_proposed_as_one_and_an_unknown_company_is_said(held, story):
    data = held(story().jump(RIVAL, -0.2).body(companies=[{"name": "Acme Bio, Inc."}]))
    (proposal,) = data.proposals
    assert (proposal.relationship, proposal.asset) == ("competitor", "betamab")
    data = held(story().jump(OWN, 0.3).body(companies=[{"name": "Nobody Labs"}]))
    assert data.proposals == []
    assert any(text.startswith("company_not_held: ") for text in data.warnings)


def test_a_ticked_proposal_is_judged_like_any_event(held, story):
    s = story().jump(OWN, 0.3)
    body = s.body(companies=[{"name": "Acme Bio"}])
    (proposal,) = held(body).proposals
    event = {
        "date": str(proposal.date),
        "asset": proposal.asset,
        "event_type": proposal.event_type,
        "relationship": proposal.relationship,
        "confirmed": True,
    }
    again = held({**body, "events": [event]})
    assert [one.state for one in again.attributions] == ["confirmed"]
    assert again.proposals == []
