"""Pages about a drug, a company and a field: what they answer, offer, and refuse."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.records.evidence import Parsed
from core.records.evidence_pack import ImportedFile
from core.records.identity import Entity, EntityName
from core.records.names import fold_name
from core.registry import all_agents
from core.runner import subscriptions_of
from core.workbench import Workbench
from tests.core.agents.company_asset_searcher import conftest as portfolio
from tests.hostile import ADDRESSES, spoil
from tests.pages.test_hostile_names import assert_all_text

Open = Callable[..., AppTest]


@pytest.fixture
def open_page(app: AppTest, evidence: Callable[[str], None]) -> Open:
    """Return what opens an address of a small evidence."""
    evidence("company-asset-searcher")

    def open_(page: str, **params: str) -> AppTest:
        app.switch_page(page)
        for name, value in params.items():
            app.query_params[name] = value
        return app.run()

    return open_


def words_of(page: AppTest) -> str:
    """Return what a page says: titles, text, notices and tables."""
    assert not page.exception
    shown = [*page.title, *page.subheader, *page.markdown, *page.caption, *page.info]
    return "\n".join([*(one.value for one in shown), *(str(one.value) for one in page.dataframe)])


@pytest.mark.parametrize(
    ("page", "params", "said"),
    [
        ("asset.py", {"id": "alphamab"}, ("alphamab", "phase 3", "NCT00000001", "Jul 2027")),
        ("asset.py", {"id": "gammamab"}, ("gammamab", "approved", "2015")),
        ("record.py", {"id": "ctgov:NCT00000001"}, ("NCT00000001", "Facts", "trial phase")),
        ("record.py", {"id": "pack:none"}, ("Record not found", "no record with this id")),
        ("company.py", {"id": "ACMB"}, ("Acme Bio", "1 approved", "1 phase 3")),
        ("field.py", {"disease": "asthma"}, ("asthma", "alphamab", "deltamab")),
        ("compare.py", {"ids": "alphamab,gammamab"}, ("alphamab vs gammamab", "approved")),
    ],
)
def test_a_page_answers_without_a_run(open_page: Open, workbench, page, params, said) -> None:
    words = words_of(open_page(page, **params))
    assert not [one for one in said if one not in words]
    assert workbench.executor.taken == []


def test_a_page_shows_what_was_imported_since(open_page: Open, workbench: Workbench) -> None:
    assert "1 phase 2" not in words_of(open_page("company.py", id="Acme Bio"))
    with workbench.stores.evidence.next_generation() as writer:
        writer.add([portfolio.trial(9, "zetamab", "Acme Bio", trial_phase="PHASE2")])
    assert "1 phase 2" in words_of(open_page("company.py", id="Acme Bio"))


@pytest.mark.parametrize("page", ["asset.py", "company.py"])
@pytest.mark.parametrize("tab", range(6))
def test_every_tab_draws(open_page: Open, page: str, tab: int) -> None:
    found = open_page(page, id="gammamab" if page == "asset.py" else "Acme Bio")
    found.session_state["tabs"] = found.tabs[tab].label
    assert words_of(found.run())


def test_a_drug_leads_to_all_agents_filled_in(open_page: Open) -> None:
    page = open_page("asset.py", id="alphamab")
    links = [one.proto for one in page.get("page_link")]
    agents = {one.slug.replace("_", "-") for one in all_agents().values()}
    assert agents <= {one.page for one in links}
    design = next(one for one in links if one.page == "clinical-trial-design")
    assert "ask.asset_name=alphamab" in design.query_string


@pytest.mark.parametrize(
    ("page", "params"),
    [
        ("asset.py", {"id": "alphamb"}),
        ("asset.py", {"id": "UNII:999"}),
        ("asset.py", {}),
        ("company.py", {"id": "Nobody Ltd"}),
        ("field.py", {"disease": "unknownitis"}),
        ("field.py", {"target": "XYZ9"}),
        ("compare.py", {"ids": "alphamab"}),
    ],
)
def test_an_address_that_leads_nowhere_says_so(open_page: Open, page, params) -> None:
    found = open_page(page, **params)
    assert found.title[0].value in {"Not found", "alphamab"}
    assert found.info
    if params.get("id") == "alphamb":
        (near,) = (one.proto for one in found.get("page_link") if one.proto.page == "asset")
        assert near.label == "alphamab"


def test_a_question_turns_to_its_page_and_an_empty_one_to_none(open_page: Open) -> None:
    words = words_of(open_page("explore.py", q="who owns alphamab"))
    assert "alphamab" in words
    page = open_page("explore.py", q="asdf ghjk qwer")
    assert "Nothing in the evidence matches" in page.info[0].value
    assert not page.button


def test_a_drug_is_watched(open_page: Open, workbench, caller) -> None:
    page = open_page("asset.py", id="alphamab")
    page.button(key="watch").click().run()
    words_of(page)
    (watched,) = subscriptions_of(caller, workbench).list()
    assert watched.drug_name == "alphamab"


def test_the_table_of_a_company_filters_and_drops_nothing(open_page: Open) -> None:
    page = open_page("company.py", id="Acme Bio")
    page.session_state["tabs"] = "Pipeline"
    (table,) = (one.value for one in page.run().dataframe)
    assert {*table["Drug"]} == {"alphamab", "betamab", "gammamab"}
    hidden = next(one for one in page.toggle if "inactive" in one.label.casefold())
    table = hidden.set_value(True).run().dataframe[0].value
    assert {*table["Drug"]} == {"alphamab", "gammamab"}


def hostile_rows() -> Iterator[Entity | EntityName]:
    """Return names as an attacker writes them; they are known by plain ones, too."""
    for row in portfolio.identity_rows():
        yield replace(row, label=spoil(row.label)) if isinstance(row, Entity) else row


def hostile_records() -> list[Parsed]:
    """Return records whose every text is an attacker's."""
    made = []
    for parsed in portfolio.records():
        record = parsed.record
        mentions = tuple(
            replace(one, name=spoil(one.name)) if one.kind == "company" else one
            for one in record.mentions
        )
        record = replace(
            record, title=spoil(record.title), mentions=mentions, url=ADDRESSES[len(made) % 5]
        )
        made.append(replace(parsed, record=record))
    return made


@pytest.mark.parametrize(
    ("page", "params"),
    [
        ("asset.py", {"id": "alphamab"}),
        ("asset.py", {"id": spoil("x")}),
        ("company.py", {"id": spoil("Acme Bio")}),
        ("company.py", {"id": "Acme Bio"}),
        ("field.py", {"disease": "asthma"}),
        ("field.py", {"target": spoil("t"), "disease": spoil("d")}),
        ("compare.py", {"ids": "alphamab,gammamab"}),
        ("explore.py", {"q": spoil("q")}),
        ("home.py", {}),
    ],
)
def test_hostile_names_are_text(app, workbench: Workbench, page: str, params) -> None:
    stores = workbench.stores
    company = EntityName("company", fold_name(spoil("Acme Bio")), "CIK:0000000001", 2, "x")
    stores.identity.build([*hostile_rows(), company], (), "test names")
    with stores.evidence.next_generation() as writer:
        writer.add(hostile_records())
        writer.finish_file(ImportedFile("a.json", "test", "0" * 64, "2026-11-21T12:00:00", 1, 0))
    app.switch_page(page)
    for name, value in params.items():
        app.query_params[name] = value
    found = app.run()
    assert_all_text(found)
    for tab in [one.label for one in found.tabs]:
        found.session_state["tabs"] = tab
        assert_all_text(found.run())
