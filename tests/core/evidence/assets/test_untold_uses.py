"""An approval counts although the record's copy does not tell for what."""

import pytest

from core.evidence.assets.gather import gather_assets
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.pack.source_records import describe_label_row
from core.evidence_ports import Evidence
from core.records.asset_queries import AssetQuery
from core.records.evidence import Fact, Mention, Parsed, Record, Span
from core.vocabulary.untold import NOT_READ, NOT_STATED
from tests.core.evidence.assets.conftest import make_label
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
