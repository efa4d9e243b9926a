"""What is over is over, and uses that a register does not tell are those of others."""

from collections.abc import Callable, Mapping

import pytest

from core.evidence.assets.gather import gather_assets
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.pack.own_records import describe_drug
from core.evidence.sources.pack.schema import TABLES
from core.evidence.sources.pack.source_records import describe_label_row
from core.evidence_ports import Evidence
from core.records.asset_queries import AssetQuery
from core.records.evidence import Fact, Mention, Parsed, Record, Span
from core.records.programs import Asset, Program
from core.vocabulary.untold import NOT_READ, NOT_STATED
from tests.core.evidence.assets.conftest import make_label, make_trial
from tests.core.evidence.assets.test_gather import TODAY
from tests.rows import over_rows

Stages = list[tuple[str, str, str]]


def stages_of(key: str, pack: Evidence, resolver: Resolver) -> Stages:
    found = gather_assets(AssetQuery(drug_keys=(key,)), pack, resolver, TODAY).assets
    return [
        (program.indication, stage.region, stage.stage)
        for one in found
        for program in one.programs
        for stage in program.stages
    ]


@pytest.mark.parametrize(
    ("said", "told"), [("", NOT_STATED), ("for the treatment of obesity", "obesity")]
)
def test_an_approval_of_japan_needs_no_text(said, told, hold, pack, resolver) -> None:
    record = Record(
        *("pmda", "2010-03-12/Paraplatin/Carboplatin", "", "approval_package", "PMDA 2010-03"),
        mentions=(Mention("drug", "carboplatin", relation="ingredient"),),
        spans=(Span("indications", said, 0, len(said)),) if said else (),
    )
    fact = Fact(record.id, "carboplatin", "approved_on", "2010-03-12", as_of="2010-03-12")
    hold(Parsed(record, (fact,)))
    assert stages_of("UNII:CARBO", pack, resolver) == [(told, "PMDA", "APPROVED")]


def test_a_label_for_pain_tells_of_an_approval(hold, pack, resolver) -> None:
    said = "for pain, where others have not provided adequate analgesia"
    hold(make_label("one", "carboplatin", said, {}), make_label("two", "carboplatin", said, {}))
    assert stages_of("UNII:CARBO", pack, resolver) == [(NOT_READ, "FDA", "APPROVED")]


def test_a_label_whose_use_is_read_leaves_no_open_one(hold, pack, resolver) -> None:
    hold(
        make_label("one", "carboplatin", "for pain", {}),
        make_label("two", "carboplatin", "for obesity", {}),
    )
    assert stages_of("UNII:CARBO", pack, resolver) == [("obesity", "FDA", "APPROVED")]


@over_rows(
    ("register", "applications", "is_told"),
    [("label-indications", "", True), ("label", "NDA021462", True), ("label", "", False)],
)
def test_a_label_of_the_pack_without_uses_tells_of_an_approval(
    register, applications, is_told
) -> None:
    empty = ("brands", "company", "indications", "boxed", "boxed_terms", "classes", "mechanism")
    row = dict.fromkeys((*empty, "endpoints", "line", "age", "biomarker"), "") | {
        "register": register,
        "drug": "drugoxib",
        "ingredients": "DRUGOXIB",
        "applications": applications,
        "source_id": f"{register}:1",
        "source_url": "",
        "as_of": "2025-07-01",
        "verified_on": "2026-11-22",
        "source_locator": "label sections",
    }
    said = {one.predicate for one in describe_label_row(row).facts}
    assert ("approved_label" in said) == is_told


Row = Mapping[str, str]
DRUG = "carboplatin"
TESTED = {DRUG: "investigational"}


def row(table: str, **cells: str) -> Row:
    """Return a row of the curators' table."""
    columns = next(one for one in TABLES if one.name == table).header
    empty = dict.fromkeys(columns, "")
    told = {"drug": DRUG, "basis": "expert", "status": "unverified", "curated_on": "2026-11-23"}
    return empty | told | cells


def curated(*rows: tuple[str, Row]) -> list[Parsed]:
    """Return the records of the starter pack's rows about the drug."""
    tables: dict[str, list[Row]] = {one.name: [] for one in TABLES if one.is_of_people}
    tables["drugs"] = [row("drugs", mechanism="platinum compound")]
    for name, one in rows:
        tables[name].append(one)
    return list(describe_drug(DRUG, tables))


@pytest.fixture
def programs(
    hold: Callable[..., None], pack: Evidence, resolver: Resolver
) -> Callable[..., Mapping[str, Program]]:
    """Return what holds records and gives the drug's programs by indication."""

    def run(*parsed: Parsed) -> Mapping[str, Program]:
        hold(*parsed)
        query = AssetQuery(drug_keys=("UNII:CARBO",))
        found = gather_assets(query, pack, resolver, TODAY).assets
        assets: list[Asset] = list(found)
        return {program.indication: program for one in assets for program in one.programs}

    return run


def test_an_end_of_the_table_is_read_before_any_trial(programs) -> None:
    trials = (
        make_trial(1, TESTED, phase="PHASE3", conditions=("NSCLC",)),
        make_trial(2, TESTED, phase="PHASE3", conditions=("obesity",)),
    )
    end = row(
        "ends", kind="discontinued", indication="lung cancer", ended_on="2026-07", reason="efficacy"
    )
    found = programs(*trials, *curated(("ends", end)))
    lung, fat = found["non-small cell lung cancer"], found["obesity"]
    assert (lung.state, lung.shown_stage, lung.reason) == ("over", "DISCONTINUED", "efficacy")
    assert lung.state_words == "discontinued 2026-07"
    assert lung.end is not None
    assert lung.end.statement.is_expert
    assert fat.state == "live"


def test_a_withdrawal_ends_the_approvals_of_its_region(programs) -> None:
    label = make_label("one", DRUG, "for obesity", {})
    japan = row(
        "stages", indication="obesity", region="PMDA", stage="APPROVED", year="2001", state="active"
    )
    gone = row("ends", kind="withdrawn from market", region="FDA", ended_on="2024")
    found = programs(label, *curated(("stages", japan), ("ends", gone)))["obesity"]
    assert found.state == "live"
    assert [(one.region, one.is_over, one.first_on) for one in found.stages] == [
        ("FDA", True, ""),
        ("PMDA", False, "2001"),
    ]


def test_a_product_withdrawn_everywhere_is_over(programs) -> None:
    gone = row("ends", kind="withdrawn from market", ended_on="2018", reason="business")
    label = make_label("one", DRUG, "for obesity", {})
    found = programs(label, *curated(("ends", gone)))["obesity"]
    assert (found.stage, found.shown_stage) == ("APPROVED", "DISCONTINUED")
    assert found.state_words == "withdrawn from market 2018"


def test_a_phase_3_of_which_every_trial_was_stopped_is_no_live_row(programs) -> None:
    earlier = make_trial(1, TESTED, phase="PHASE2", status="COMPLETED")
    stopped = make_trial(2, TESTED, phase="PHASE3", status="TERMINATED", stopped="futility")
    found = programs(earlier, stopped)["non-small cell lung cancer"]
    assert (found.stage, found.shown_stage, found.reason) == ("PHASE3", "DISCONTINUED", "futility")
    assert found.end is not None
    assert found.end.statement.record_ids == ("ctgov:NCT00000002",)


def test_a_curator_who_calls_it_active_is_believed_before_a_stopped_trial(programs) -> None:
    stopped = make_trial(2, TESTED, phase="PHASE2", status="TERMINATED", stopped="enrollment")
    active = row("stages", indication="NSCLC", stage="PHASE3", year="2024", state="active")
    found = programs(stopped, *curated(("stages", active)))["non-small cell lung cancer"]
    assert (found.state, found.stage) == ("live", "PHASE3")


@pytest.mark.parametrize(
    ("state", "shown", "words"),
    [("unknown", "no activity", "no known activity"), ("active", "live", "")],
)
def test_what_only_a_curator_tells_is_quiet_unless_called_active(
    state, shown, words, programs
) -> None:
    told = row("stages", indication="NSCLC", stage="PHASE2", state=state)
    found = programs(*curated(("stages", told)))["non-small cell lung cancer"]
    assert (found.state, found.state_words, found.shown_stage) == (shown, words, "PHASE2")


@pytest.mark.parametrize(
    ("stage", "year", "shown"),
    [("PHASE3", "", "over"), ("PHASE3", "2025", "live"), ("PHASE2", "", "live")],
)
def test_a_later_word_of_a_curator_ends_what_an_older_copy_shows_as_under_way(
    stage, year, shown, programs
) -> None:
    trial = make_trial(1, TESTED, phase="PHASE3")
    told = row("stages", indication="NSCLC", stage=stage, year=year, state="discontinued")
    found = programs(trial, *curated(("stages", told)))["non-small cell lung cancer"]
    assert found.state == shown


@pytest.mark.parametrize(("status", "stage"), [("TERMINATED", "PHASE2"), ("COMPLETED", "PHASE3")])
def test_a_trial_that_was_stopped_shows_no_stage_while_another_goes_on(
    status, stage, programs
) -> None:
    later = make_trial(1, TESTED, phase="PHASE2")
    earlier = make_trial(2, TESTED, phase="PHASE3", status=status)
    found = programs(later, earlier)["non-small cell lung cancer"]
    assert (found.state, found.stage) == ("live", stage)
