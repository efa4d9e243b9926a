"""What the questions about a large company leave unread changes none of its drugs."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from core.evidence.assets import shelf as mentioned
from core.evidence.assets.gather import gather_assets
from core.evidence.assets.shelf import Parts, of_companies, without_generics
from core.evidence.names.companies import company_group, starts_of
from core.records.asset_queries import AssetQuery
from core.records.evidence import Mention, Parsed, Record
from core.records.names import fold_name
from tests.core.evidence.assets.conftest import make_trial
from tests.rows import over_rows

TODAY = date(2026, 11, 21)
NAMES = st.lists(st.text("abc1", min_size=3, max_size=9), min_size=1, max_size=8)


@given(NAMES, st.text("abc1", max_size=14))
def test_a_name_is_found_inside_a_label_wherever_it_stands(names, label) -> None:
    assert Parts(names).are_in(label) == any(name in label for name in names)


def test_both_ways_of_finding_records_give_the_same_drugs(
    hold, pack, resolver, monkeypatch
) -> None:
    hold(
        make_trial(1, {"pembrolizumab 200 mg": "investigational"}, phase="PHASE3"),
        make_trial(2, {"MK-3475": "investigational"}, sponsor="Some University"),
        make_trial(3, {"sitagliptin": "investigational"}, sponsor="Other Pharma"),
    )
    query = AssetQuery(companies=("Acme Pharma",), figures=False)
    asked = gather_assets(query, pack, resolver, TODAY)
    monkeypatch.setattr(mentioned, "MANY", 1)
    assert gather_assets(query, pack, resolver, TODAY) == asked
    assert [one.name for one in asked.assets] == ["pembrolizumab"]


def test_trials_of_others_than_companies_are_left_unread_those_of_nobody_named_are_not(
    hold, pack
) -> None:
    hold(
        make_trial(1, {"pembrolizumab": "investigational"}),
        make_trial(2, {"pembrolizumab": "investigational"}, sponsor=""),
        make_trial(3, {"pembrolizumab": "investigational"}, sponsor="Some University"),
    )
    ids = ["ctgov:NCT00000001", "ctgov:NCT00000002", "ctgov:NCT00000003"]
    assert list(of_companies(pack.mentions(ids), pack)) == ids[:2]


def test_applications_of_generics_are_left_unread(hold, pack) -> None:
    for_ = {"000001": "NDA 000001: BRAND (CARBOPLATIN)", "000002": "ANDA 000002: CARBOPLATIN"}
    drug = (Mention("drug", "carboplatin", relation="ingredient"),)
    hold(
        *(
            Parsed(Record("drugsfda", number, "", "approval_package", title, mentions=drug), ())
            for number, title in for_.items()
        )
    )
    ids = [f"drugsfda:{number}" for number in for_]
    assert without_generics(ids, pack) == ids[:1]
    assert without_generics(ids[1:], pack) == ids[1:]  # else nothing tells of the approval


@over_rows(
    "name",
    [
        "Pfizer Inc",
        "Hospira, Inc.",
        "Wyeth Pharmaceuticals LLC",
        "Genentech, Inc.",
        "Merck Sharp & Dohme LLC",
        "Gilead Sciences (Ireland)",
        "Some Unknown Bio, Inc.",
    ],
)
def test_a_name_begins_like_its_company(name) -> None:
    assert fold_name(name).startswith(starts_of(company_group(name)))
