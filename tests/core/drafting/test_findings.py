"""What pages say, proved: cues, roles, what speaks against them, and what a model may add."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from itertools import count

import pytest

from core.briefs.entities.identifying import Library
from core.checking.page_names import PageNames
from core.drafting.findings import Focus, PageFindings, find_on_page
from core.drafting.relations import QuoteCueRow, find_statements
from core.evidence.names.identity.resolver import Resolver
from core.records.web import WebPage
from core.settings import Settings
from core.vocabulary.tables import load_rows
from storage.stores import open_stores
from tests.benchmarks.web_findings import (
    judge,
    play_liars,
    read_all,
    read_titles,
    write_pages,
)
from tests.instances import link, starter_home
from tests.standin.inprocess import InProcess, make_drafter
from tests.standin.models import CANARY

NOW = datetime(2026, 11, 29, tzinfo=UTC)
_SLOT = re.compile(r"\b(DRUG|COMPANY|STAGE|DISEASE|TRIAL|REGION|DAY|MONEY|BAR)\b")
CLOSED = {"DRUG", "COMPANY", "STAGE"}


def page_of(text: str, url: str = "") -> WebPage:
    return WebPage(url, "", text, date(2026, 11, 2), NOW, "0" * 64)


def masked(text: str) -> str:
    """Return an example of the table as sentences are masked."""
    number = count()

    def word(slot: re.Match[str]) -> str:
        if slot[0] == "BAR":
            return "zbar"
        plain = f"z{slot[0].casefold()}{next(number)}"
        return f".{plain}." if slot[0] in CLOSED else plain

    return _SLOT.sub(word, text)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageNames]:
    home = link(starter_home(), tmp_path_factory.mktemp("pages") / "instance")
    stores = open_stores(Settings(home=home, database_url=None))
    resolver = Resolver(stores.identity, stores.learned_names)
    yield PageNames(Library(stores.evidence, resolver, NOW.date()))
    stores.engine.close()


def shown(result: PageFindings) -> list[tuple[str, dict[str, str]]]:
    return [
        (each.relation, {role: part.text for role, part in each.parts.items()})
        for each in result.findings
    ]


def test_every_cue_reads_its_example_and_not_its_counter_example() -> None:
    rows = load_rows("quote_cues", QuoteCueRow)
    keys = [(row.kind, row.relation, row.cue.casefold()) for row in rows]
    assert keys == sorted(set(keys))
    for row in rows:
        for text, is_said in ((row.example, True), (row.counter_example, False)):
            statements = list(find_statements(masked(text)))
            if row.kind == "relation":
                read = [(s.relation, s.says) for s in statements if not s.refused]
                assert ((row.relation, row.says) in read) == is_said, text
            elif row.kind == "against" and is_said:
                assert all(statement.refused for statement in statements), text


def test_a_press_release_without_a_model(names: PageNames) -> None:
    text = (
        "Merck & Co. completed its acquisition of Prometheus Biosciences for $10.8 billion on "
        "June 16, 2023.\n"
        "Sotorasib | non-small cell lung cancer | Phase 3\n"
        "Amgen expects topline data from the phase 3 trial of sotorasib in early 2027. "
        "Unlike sotorasib, adagrasib met its primary endpoint. Amgen may have acquired "
        "Mirati Therapeutics."
    )

    result = find_on_page(page_of(text), Focus(), names)

    assert shown(result) == [
        (
            "acquired",
            {
                "company": "Merck & Co.",
                "partner": "Prometheus Biosciences",
                "amount": "$10.8 billion",
                "date": "June 16, 2023",
            },
        ),
        (
            "stage",
            {
                "drug": "Sotorasib",
                "stage": "Phase 3",
                "indication": "non-small cell lung cancer",
            },
        ),
        ("readout_expected", {"stage": "phase 3", "drug": "sotorasib", "date": "early 2027"}),
    ]
    assert result.refused["comparison"] == 1
    assert result.refused["hypothesis"] == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Amgen has not acquired Mirati Therapeutics.", "negation"),
        ("Amgen may have licensed sotorasib from Pfizer.", "hypothesis"),
        ("A competitor of Amgen licensed sotorasib from Pfizer.", "another_subject"),
        ("Sotorasib is likely in phase 3.", "outlook"),
        ("Sotorasib is no longer in phase 3.", "past"),
        ("The FDA approved a trial of sotorasib.", "under_review"),
        ("Amgen and Pfizer acquired Mirati Therapeutics.", "another_subject"),
        ("Has Amgen acquired Mirati Therapeutics?", "hypothesis"),
    ],
)
def test_what_speaks_against_a_relation(names: PageNames, text: str, reason: str) -> None:
    result = find_on_page(page_of(text), Focus(), names)

    assert not result.findings
    assert reason in result.refused


@pytest.mark.parametrize(
    "text",
    [
        "Quovaris Bio acquired Mirati Therapeutics after Amgen had left.",
        "Amgen said that Quovaris acquired Mirati Therapeutics.",
        "Amgen acquired rights to a method of Mirati Therapeutics.",
        "Sotorasib and adagrasib are in phase 1 and phase 3, respectively.",
        "Amgen raised its guidance to $50 million.",
    ],
)
def test_a_verb_is_never_given_to_another_subject(names: PageNames, text: str) -> None:
    read = shown(find_on_page(page_of(text), Focus(), names))

    assert not [parts for _, parts in read if parts.get("company") == "Amgen"]
    assert not [parts for relation, parts in read if relation == "stage"]


def test_no_page_raises_a_drug_above_phase_3(names: PageNames) -> None:
    text = "Sotorasib is in phase 4 for lung cancer. The FDA has approved sotorasib for gout."

    result = find_on_page(page_of(text), Focus(), names)

    assert [(each.relation, each.says) for each in result.findings] == [
        ("approved", "approval reported")
    ]
    assert result.refused["above_phase_3"] == 1


def test_only_what_is_asked_for_counts_but_for_the_companys_own_pages(names: PageNames) -> None:
    text = "Sotorasib is in phase 3 for lung cancer. We are developing XYZ-4711 for gout."
    focus = Focus(companies=frozenset({"Amgen"}), company="Amgen", spellings=("Amgen",))

    assert not find_on_page(page_of(text, "https://news.example/a"), focus, names).findings
    own = find_on_page(page_of(text, "https://www.amgen.com/news"), focus, names)
    assert [(each.relation, each.part("drug").text) for each in own.findings] == [
        ("stage", "Sotorasib"),
        ("develops", "XYZ-4711"),
    ]


def point(relation: str, quote: str, **parts: str) -> dict[str, object]:
    listed = [{"role": role, "text": text} for role, text in parts.items()]
    return {"relation": relation, "quote": quote, "parts": listed}


def read_pointed(names: PageNames, text: str, *items: dict[str, object]) -> PageFindings:
    model = InProcess(lambda *_: {"items": list(items)})
    return find_on_page(page_of(text), Focus(), names, make_drafter(model, ("web",)))


def test_a_model_points_at_names_that_rules_do_not_know(names: PageNames) -> None:
    text = "Amgen is developing Zelpritinib for gout."
    item = point("develops", text, company="Amgen", drug="Zelpritinib")

    assert not find_on_page(page_of(text), Focus(), names).findings
    result = read_pointed(names, text, item)

    assert [(each.relation, each.part("drug").text) for each in result.findings] == [
        ("develops", "Zelpritinib")
    ]


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (point("develops", "Amgen is developing Zelpritinib for asthma.", drug="Zelpritinib"), ""),
        (point("develops", "Amgen is developing Zelpritinib", drug="sotorasib"), ""),
        (point("develops", "Amgen is developing Zelpritinib", drug="developing"), "unknown_drug"),
        (point("stopped", "Amgen is developing Zelpritinib", drug="Zelpritinib"), "no_cue"),
        (point("develops", "Amgen is developing Zelpritinib"), "no_name"),
        (point("develops", f"{CANARY} is developing it now.", company=CANARY), ""),
        (
            point("develops", "is developing Zelpritinib for gout", drug="Zelpritinib"),
            "part_outside_quote",
        ),
    ],
)
def test_what_a_model_must_prove(names: PageNames, item: dict[str, object], reason: str) -> None:
    result = read_pointed(names, "Amgen is developing Zelpritinib for gout.", item)

    assert not result.findings
    assert result.refused.total() == 1
    assert not reason or reason in result.refused


def test_authored_pages_and_liars(names: PageNames) -> None:
    pages = [each for number, each in enumerate(write_pages()) if number % 8 in {2, 7}]

    score = judge(read_all(pages, names))
    told, passed = play_liars(pages, names, 40)

    assert score.share >= 0.9
    assert not score.false
    assert told.total() >= 40
    assert not passed


def test_titles_of_press_releases(names: PageNames) -> None:
    rows = read_titles()
    if not rows:
        pytest.skip("no reference")
    text = "\n".join(row["title"] for row in rows)

    findings = find_on_page(page_of(text), Focus(), names).findings

    assert {each.part("drug").text for each in findings} >= {"Azetukalner", "SEP-631", "IKT-001"}
    assert {each.part("company").text for each in findings} <= {"", "Xenon Pharmaceuticals"}
    assert not {each.relation for each in findings} - {"stage", "result", "financing", "approved"}
