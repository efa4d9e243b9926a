"""Drugs of a target or company: whose they are, how far they are, and who makes no row."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence.assets import shelf as mentioned
from core.evidence.assets.gather import gather_assets
from core.evidence.assets.shelf import Parts, of_companies, without_generics
from core.evidence.assets.stages.programs import NOBODY_NAMED
from core.evidence.names.companies import company_group, starts_of
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.cells import unconfirmed_cells
from core.evidence.readers.target_expressions import read_targets
from core.evidence_ports import Evidence
from core.records.asset_queries import AssetQuery, Gathered
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record, Role, Span
from core.records.identity import Entity, EntityName
from core.records.names import fold_name
from core.records.programs import Asset
from core.vocabulary.drugs import why_no_asset
from storage.identity import IdentityStore
from tests.core.evidence.assets.conftest import make_label, make_trial
from tests.rows import over_rows
from tools.curation.choice import ChosenDrug
from tools.curation.filling import Curator

PARTS = ("adefovir", "adefovir dipivoxil", "tenofovir", "tenofovir disoproxil")
TWO = "tenofovir alafenamide"
PLANT = "achillea erba-rotta subsp. moschata flowering top"


@pytest.fixture
def of_parts(tmp_path: Path) -> Resolver:
    names = (*PARTS, TWO)
    identity = IdentityStore(tmp_path / "parts.db")
    rows = [Entity("drug", f"UNII:{name}", name) for name in (*names, PLANT)]
    named = [EntityName("drug", fold_name(name), f"UNII:{name}", 1, name) for name in names]
    named.append(EntityName("drug", "iva", f"UNII:{PLANT}", 4, "IVA"))
    named.append(EntityName("drug", fold_name(PLANT), f"UNII:{PLANT}", 1, PLANT))
    identity.build([*rows, *named], [], "test")
    return Resolver(identity)


def product(number: str, ingredient: str) -> Parsed:
    """Return an application whose product has one ingredient."""
    mentions = (
        Mention("drug", ingredient, relation="ingredient"),
        Mention("company", "Acme Pharma", relation="applicant"),
    )
    title = f"NDA {number}: {ingredient}"
    record = Record("drugsfda", number, "", "approval_package", title, mentions=mentions)
    return Parsed(record, (Fact(record.id, number, "application_holder", "Acme Pharma"),))


def found(pack: Evidence, resolver: Resolver) -> list[str]:
    query = AssetQuery(companies=("Acme Pharma",), figures=False)
    return [one.name for one in gather_assets(query, pack, resolver, TODAY).assets]


def test_a_part_counts_under_its_only_ester(hold, pack, of_parts) -> None:
    hold(
        make_trial(1, {"adefovir": "investigational"}),
        make_trial(2, {"adefovir dipivoxil": "investigational"}),
        make_trial(3, {"tenofovir": "investigational"}),
        make_trial(4, {"tenofovir disoproxil": "investigational"}),
        product("000001", "adefovir dipivoxil"),
    )
    assert found(pack, of_parts) == ["adefovir dipivoxil", "tenofovir", "tenofovir disoproxil"]


def test_a_part_with_a_product_of_its_own_stays_apart(hold, pack, of_parts) -> None:
    hold(
        make_trial(1, {"adefovir": "investigational"}),
        make_trial(2, {"adefovir dipivoxil": "investigational"}),
        product("000001", "adefovir"),
    )
    assert found(pack, of_parts) == ["adefovir", "adefovir dipivoxil"]


def test_a_carrier_is_nobodys_drug() -> None:
    assert "carrier" in why_no_asset("Corynebacterium diphtheriae CRM197 protein")
    assert why_no_asset("adefovir") == ""


@pytest.mark.parametrize(("tested", "assets"), [("IVA", ["ivacaftor"]), (PLANT, [])])
def test_a_plant_is_nobodys_asset(hold, pack, of_parts, tested, assets) -> None:
    hold(make_trial(1, {tested: "investigational", "tenofovir": "investigational"}))
    assert found(pack, of_parts) == [*assets, "tenofovir"]


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


DRUG = ChosenDrug("UNII:AGONI", "agonitide", "lung", ("agonitide",), ())
SOLD = ChosenDrug("UNII:AGONI", "agonitide", "lung", ("agonitide",), (), is_sold=True)
BOTH = {"carboplatin": "investigational", "agonitide": "investigational"}


@pytest.mark.parametrize(
    ("drug", "title", "kept"),
    [
        (DRUG, "Carboplatin with agonitide in NSCLC", ["NCT00000001"]),
        (DRUG, "Carboplatin after failure of agonitide", []),
        (SOLD, "Carboplatin with agonitide in NSCLC", []),
        (SOLD, "Agonitide in NSCLC", ["NCT00000001"]),
    ],
)
def test_a_trial_that_carries_the_only_stage_is_kept_of_a_drug_that_nobody_sells(
    drug, title, kept, hold, pack, resolver
) -> None:
    named = BOTH if title.startswith("Carboplatin") else {"agonitide": "investigational"}
    hold(make_trial(1, named, title=title, sponsor=""))
    rows = Curator(pack, resolver, date(2026, 11, 22)).rows_of([drug])
    assert [row["nct_id"] for table, _, row in rows if table == "trials"] == kept


def test_a_likely_trial_is_not_kept_beside_a_certain_one(hold, pack, resolver) -> None:
    hold(
        make_trial(
            1, BOTH, title="Carboplatin with agonitide in NSCLC", sponsor="", phase="PHASE3"
        ),
        make_trial(2, {"agonitide": "investigational"}, title="Agonitide in NSCLC", sponsor=""),
    )
    rows = Curator(pack, resolver, date(2026, 11, 22)).rows_of([DRUG])
    assert [row["nct_id"] for table, _, row in rows if table == "trials"] == ["NCT00000002"]


TODAY = date(2026, 11, 21)
Ask = Callable[..., Gathered]


@pytest.fixture
def ask(pack: Evidence, resolver: Resolver) -> Ask:
    """Return what gathers the drugs of a target."""

    def run(target: str, **query: object) -> Gathered:
        targets, _ = read_targets(target, resolver)
        return gather_assets(
            replace(AssetQuery(targets=tuple(targets)), **query), pack, resolver, TODAY
        )

    return run


def only(found: Gathered) -> Asset:
    """Return the only drug found."""
    (asset,) = found.assets
    return asset


def names(found: Gathered) -> list[str]:
    return [asset.name for asset in found.assets]


def test_a_trials_own_words_link_its_drug_to_the_target(ask, hold) -> None:
    hold(make_trial(1, {"AGO-100": "investigational"}, title="AGO-100, a TIGIT antibody, in NSCLC"))
    asset = only(ask("TIGIT"))
    (link,) = asset.targets
    assert (asset.key, link.target.text) == ("UNII:AGONI", "TIGIT")
    assert link.mechanism.record_ids == ("ctgov:NCT00000001",)
    assert not link.mechanism.is_expert
    assert asset.programs[0].stage == "PHASE2"


@pytest.mark.parametrize(
    "title",
    [
        "AGO-100 in TIGIT-positive NSCLC",
        "AGO-100 after failure of a TIGIT antibody",
        "AGO-100 and a TIGIT antibody in NSCLC",
        "TIGIT expression in patients treated with AGO-100",
        "A TIGIT antibody, XYZ, with AGO-100",
        "Addition of AGO-100 to anti-TIGIT antibodies",
        "Therapy with AGO-100, TIGIT antibodies, and carboplatin",
    ],
)
def test_a_target_of_patients_or_of_another_drug_links_nothing(title, ask, hold) -> None:
    hold(make_trial(1, {"AGO-100": "investigational"}, title=title))
    assert names(ask("TIGIT")) == []


def test_chemotherapy_in_a_trial_of_the_target_makes_no_row(ask, hold) -> None:
    hold(
        make_trial(
            1,
            {"pembrolizumab": "investigational", "carboplatin": "background"},
            title="PD-1 antibody pembrolizumab with carboplatin in NSCLC",
        )
    )
    assert names(ask("PD-1")) == ["pembrolizumab"]


@pytest.mark.parametrize("role", ["comparator", "background", "rescue", "unclear"])
def test_a_drug_that_is_not_tested_makes_no_row(role, ask, hold) -> None:
    hold(make_trial(1, {"pembrolizumab": role, "AGO-100": "investigational"}))  # type: ignore[dict-item]
    found = ask("PD-1")
    assert names(found) == []
    reasons = {one.name: one.reason for one in found.excluded}
    assert "no trial tests it" in reasons["pembrolizumab"]


def test_trials_of_others_make_no_row_and_are_told(ask, hold) -> None:
    hold(make_trial(1, {"pembrolizumab": "investigational"}, sponsor="University of Somewhere"))
    found = ask("PD-1")
    assert names(found) == []
    assert [one.reason for one in found.excluded if one.name == "pembrolizumab"] == [
        "only trials of others, no company with a role for it (1)"
    ]


def test_trials_that_name_nobody_carry_a_stage_only_where_nothing_else_does(ask, hold) -> None:
    tested: dict[str, Role] = {"pembrolizumab": "investigational"}
    hold(make_trial(1, tested, sponsor="", phase="PHASE2"))
    (program,) = only(ask("PD-1")).programs
    assert (program.stage, program.is_expert) == ("PHASE2", False)
    (stated,) = (one.statement for one in program.stages)
    assert (stated.record_ids, stated.rule) == (("ctgov:NCT00000001",), NOBODY_NAMED)
    hold(make_trial(2, tested, phase="PHASE1", conditions=("melanoma",)))
    (program,) = only(ask("PD-1")).programs
    assert [(one.stage, one.statement.rule) for one in program.stages] == [("PHASE1", "")]


def test_a_drug_of_which_the_curators_know_nothing_gets_no_stage_from_nobodys_trial(
    ask, hold
) -> None:
    hold(
        make_trial(
            1,
            {"AGO-100": "investigational"},
            title="AGO-100, a TIGIT antibody, in NSCLC",
            sponsor="",
        )
    )
    assert names(ask("TIGIT")) == []


def test_names_codes_and_doses_are_one_drug(ask, hold) -> None:
    labels = ("Keytruda 200 mg IV", "MK-3475", "pembrolizumab (MK-3475)", "Pembrolizumab")
    hold(*(make_trial(n, {name: "investigational"}) for n, name in enumerate(labels, 1)))
    asset = only(ask("PD-1"))
    assert {trial.number for one in asset.programs for trial in one.trials} == {
        f"NCT{n:08d}" for n in range(1, 5)
    }


def test_biosimilars_fold_under_their_reference(ask, hold) -> None:
    hold(
        make_trial(1, {"ABP 501": "investigational", "Humira": "comparator"}),
        make_trial(2, {"adalimumab biosimilar": "investigational"}),
    )
    assert [asset.key for asset in ask("TNF").assets] == ["UNII:ADA"]


def test_a_combination_makes_a_row_for_each_tested_drug(ask, hold) -> None:
    hold(make_trial(1, {"sitagliptin + metformin": "investigational"}))
    assert names(ask("DPP-4")) == ["sitagliptin"]


def test_a_conjugate_is_not_its_antibody(ask, hold) -> None:
    hold(
        make_trial(1, {"DS-8201": "investigational"}),
        make_trial(2, {"Herceptin": "investigational"}, phase="PHASE1"),
    )
    found = {asset.name: asset for asset in ask("HER2").assets}
    assert set(found) == {"trastuzumab", "trastuzumab deruxtecan"}
    modality = found["trastuzumab deruxtecan"].modality
    assert modality is not None
    assert modality.text == "antibody-drug conjugate"


def test_a_label_approves_what_its_indications_name(ask, hold) -> None:
    hold(
        make_label(
            "a",
            "pembrolizumab",
            "KEYTRUDA is indicated for non-small cell lung cancer (NPC) 1.1. Limitations of Use: "
            "it is not recommended for gastric cancer.",
            {"has_class": "Programmed Death Receptor-1 Blocking Antibody [EPC]"},
        ),
        make_trial(1, {"pembrolizumab": "investigational"}, conditions=("gastric cancer",)),
    )
    stages = {one.indication: one.stage for one in only(ask("PD-1")).programs}
    assert stages["non-small cell lung cancer"] == "APPROVED"
    assert stages.get("gastric cancer") != "APPROVED"
    assert "Niemann-Pick disease, type C1" not in stages


def test_a_labels_class_falls_where_its_own_words_contradict_it(ask, hold) -> None:
    label = make_label(
        "a", "AGO-100", "indicated for obesity", {"has_class": "PD-1 Blocking Antibody [EPC]"}
    )
    words = "AGO-100 is a monoclonal antibody that binds to PD-L1."
    spans = (
        *label.record.spans,
        replace(label.record.spans[0], section="mechanism_of_action", text=words),
    )
    hold(replace(label, record=replace(label.record, spans=spans)))
    assert names(ask("PD-1")) == []
    assert names(ask("PD-L1")) == ["agonitide"]


def test_a_boxed_warning_is_told_with_its_label(ask, hold) -> None:
    said = {"has_class": "PD-1 Blocking Antibody [EPC]"}
    hold(
        make_label(
            "a", "pembrolizumab", "indicated for obesity", said | {"has_boxed_warning": "yes"}
        ),
        make_label(
            "b", "pembrolizumab", "indicated for obesity", said | {"has_boxed_warning": "no"}
        ),
    )
    (warning,) = only(ask("PD-1")).boxed_warnings
    assert warning.record_ids == ("label:a",)


def test_what_only_a_curator_knows_is_marked_and_approves_nothing(ask, hold) -> None:
    hold(make_trial(1, {"pembrolizumab": "investigational"}, phase="PHASE4"))
    found = ask("PD-1")
    assert names(found) == []
    hold(make_trial(2, {"pembrolizumab": "investigational"}, phase="PHASE1"))
    asset = only(ask("PD-1"))
    assert asset.targets[0].mechanism.is_expert
    assert asset.programs[0].stage == "PHASE1"


def test_a_curators_stage_is_marked_and_never_turned_down(ask, hold) -> None:
    def state(stage: str, indication: str, region: str = "", state: str = "active") -> Fact:
        told = Qualifiers(region=region, indication=indication, population="safety: rash")
        return Fact(
            "pack:pembrolizumab", "pembrolizumab", "in_stage", stage, unit=state, qualifiers=told,
            basis="expert", status="unverified",
        )  # fmt: skip

    drug = Mention("drug", "pembrolizumab", "investigational", "asset")
    record = Record("pack", "pembrolizumab", "", "database_record", "own", mentions=(drug,))
    facts = (
        state("APPROVED", "NSCLC", "NMPA"),
        state("APPROVED", "obesity", "EMA"),
        state("PHASE3", "gastric cancer", state="discontinued"),
        state("FILED", "melanoma", "FDA"),
    )
    tested: dict[str, Role] = {"pembrolizumab": "investigational"}
    late = make_trial(2, tested, phase="PHASE3", conditions=("melanoma",))
    hold(Parsed(record, facts), make_trial(1, tested), late)
    asset = only(ask("PD-1"))
    found = {one.indication: one for one in asset.programs}
    lung, fat = found["non-small cell lung cancer"], found["obesity"]
    assert (lung.stage, lung.is_expert) == ("APPROVED", True)
    assert [(one.stage, one.region, one.statement.is_expert) for one in lung.stages] == [
        ("APPROVED", "NMPA", True),
        ("PHASE2", "", False),
    ]
    skin = found["melanoma"]
    assert [(one.stage, one.region, one.statement.is_expert) for one in skin.stages] == [
        ("FILED", "FDA", True),
        ("PHASE3", "", False),
    ]
    assert (fat.stage, fat.is_expert) == ("APPROVED", True)
    assert [(one.region, one.stage, one.is_over) for one in asset.regions] == [
        ("FDA", "FILED", False),
        ("EMA", "APPROVED", False),
        ("NMPA", "APPROVED", False),
    ]
    over = found["gastric cancer"]
    assert (over.is_discontinued, over.reason, over.is_expert) == (True, "safety: rash", True)
    assert unconfirmed_cells(asset, [fat], ["Acme Pharma"]) == ["target", "stage"]
    assert unconfirmed_cells(asset, [lung, fat], []) == ["target", "stage"]
    assert unconfirmed_cells(asset, [skin], []) == ["target", "stage"]


def test_conditions_of_a_disease_and_its_kinds_are_filtered(ask, hold) -> None:
    hold(
        make_trial(1, {"pembrolizumab": "investigational"}, conditions=("Metastatic NSCLC",)),
        make_trial(2, {"pembrolizumab": "investigational"}, conditions=("obesity",)),
    )
    asset = only(ask("PD-1", disease_keys=("MONDO:1",)))
    assert [one.indication for one in asset.programs] == ["non-small cell lung cancer"]
    found = ask("PD-1", disease_keys=("MONDO:5",))
    assert names(found) == []
    assert ("pembrolizumab", "no program in the requested scope") in {
        (one.name, one.reason) for one in found.excluded
    }


def test_modalities_asked_for_and_left_out(ask, hold) -> None:
    hold(make_trial(1, {"pembrolizumab": "investigational"}))
    assert names(ask("PD-1", modalities=("monoclonal antibody",))) == ["pembrolizumab"]
    assert names(ask("PD-1", modalities=("cell therapy",))) == []
    assert names(ask("PD-1", not_modalities=("monoclonal antibody",))) == []


def test_volunteers_are_an_indication_only_of_a_drug_that_has_none(ask, hold) -> None:
    tested: dict[str, Role] = {"pembrolizumab": "investigational"}
    hold(make_trial(1, tested, phase="PHASE1", conditions=("Healthy Volunteers",)))
    assert [one.indication for one in only(ask("PD-1")).programs] == ["Healthy Volunteers"]
    hold(make_trial(2, tested))
    found = [one.indication for one in only(ask("PD-1")).programs]
    assert found == ["non-small cell lung cancer"]


def test_a_stopped_program_is_kept_with_its_reason(ask, hold) -> None:
    hold(
        make_trial(
            1, {"pembrolizumab": "investigational"}, status="TERMINATED", stopped="Lack of efficacy"
        )
    )
    (program,) = only(ask("PD-1")).programs
    assert (program.is_discontinued, program.reason) == (True, "Lack of efficacy")


def test_an_open_trial_that_is_stale_counts_as_unknown(ask, hold) -> None:
    old = make_trial(1, {"pembrolizumab": "investigational"})
    facts = tuple(
        replace(fact, object="2020-01-01") if fact.predicate == "trial_primary_completion" else fact
        for fact in old.facts
    )
    hold(replace(old, facts=facts))
    (line,) = only(ask("PD-1")).programs[0].trials
    assert (line.is_active, line.state) == (False, "unknown (recruiting on 2026-06-01)")


def test_a_pipeline_names_company_stage_and_mechanism(ask, hold) -> None:
    record = Record(
        source="pipeline",
        source_id="Acme/XYZ-123",
        url="https://example.org",
        kind="company_disclosure",
        title="Acme pipeline: XYZ-123",
        updated_on="2026-07-01",
        mentions=(
            Mention("drug", "XYZ-123", "investigational", "asset"),
            Mention("company", "Acme", relation="pipeline"),
        ),
    )
    said = (("developed_by", "Acme"), ("acts_on", "CD19xCD20 bispecific antibody"))
    facts = [Fact(record.id, "XYZ-123", predicate, words) for predicate, words in said]
    facts.append(
        Fact(
            record.id, "XYZ-123", "in_stage", "PHASE3", qualifiers=Qualifiers(indication="obesity")
        )
    )
    hold(Parsed(record, tuple(facts)))
    asset = only(ask("CD20"))
    assert (asset.key, asset.name) == ("name:xyz123", "XYZ-123")
    assert [link.target.text for link in asset.targets] == ["CD19 x CD20"]
    assert asset.modality is not None
    assert asset.modality.text == "bispecific antibody"
    assert [role.company for role in asset.companies] == ["Acme"]
    assert (asset.programs[0].stage, asset.programs[0].indication) == ("PHASE3", "obesity")
    assert names(ask("CD19 x CD20")) == ["XYZ-123"]
    assert names(ask("CD19 x CD22")) == []


def test_every_statement_rests_on_records_or_is_marked(ask, hold) -> None:
    hold(
        make_trial(1, {"pembrolizumab": "investigational"}),
        make_trial(2, {"sitagliptin": "investigational"}),
    )
    for target in ("PD-1", "DPP-4"):
        asset = only(ask(target))
        said = [link.mechanism for link in asset.targets]
        said += [role.statement for role in asset.companies]
        said += [one.statement for program in asset.programs for one in program.stages]
        said += [asset.modality] if asset.modality else []
        assert all(one.record_ids or one.is_expert for one in said)


def test_order_of_records_changes_nothing(pack, resolver, ask, hold) -> None:
    trials = [
        make_trial(1, {"pembrolizumab": "investigational"}),
        make_trial(2, {"MK-3475": "investigational"}, phase="PHASE3", conditions=("obesity",)),
        make_trial(3, {"carboplatin": "investigational"}),
    ]
    hold(*trials)
    before = ask("PD-1")
    hold(
        *reversed(
            [
                replace(one, record=replace(one.record, title=f"{one.record.title}."))
                for one in trials
            ]
        )
    )
    after = ask("PD-1")
    assert [(a.key, [p.stage for p in a.programs]) for a in before.assets] == [
        (a.key, [p.stage for p in a.programs]) for a in after.assets
    ]


def test_a_disease_alone_gives_the_drugs_tested_in_it(ask, hold) -> None:
    hold(
        make_trial(1, {"pembrolizumab": "investigational", "carboplatin": "background"}),
        make_trial(2, {"sitagliptin": "investigational"}, conditions=("type 2 diabetes mellitus",)),
        make_trial(3, {"Exercise training": "investigational"}),
    )
    found = ask("", disease_keys=("MONDO:1",))
    assert names(found) == ["pembrolizumab"]
    assert [link.target.text for link in only(found).targets] == ["PD-1"]
    assert "Exercise training" in {one.name for one in found.excluded}
    assert names(ask("", disease_keys=("MONDO:3",))) == ["sitagliptin"]


def test_a_disease_gives_the_drugs_whose_labels_have_it_as_a_use(ask, hold) -> None:
    lung, gut = "non-small cell lung cancer", "gastric cancer"
    hold(
        make_label("a", "pembrolizumab", f"indicated for {lung}", {"indicated_for": lung}),
        make_label("b", "metformin", f"indicated for {gut}", {"indicated_for": gut}),
        make_trial(1, {"carboplatin": "background"}),
    )
    assert names(ask("", disease_keys=("MONDO:1",))) == ["pembrolizumab"]
    assert names(ask("", disease_keys=("MONDO:5",))) == ["metformin"]
    assert names(ask("", disease_keys=("MONDO:4",))) == []


def test_a_company_alone_gives_its_drugs(ask, hold) -> None:
    hold(
        make_trial(1, {"pembrolizumab": "investigational"}, sponsor="Pfizer Inc."),
        make_trial(2, {"sitagliptin": "investigational"}, sponsor="Acme Pharma"),
    )
    assert names(ask("", companies=("Pfizer",))) == ["pembrolizumab"]


def test_a_drug_is_gathered_by_its_key(ask, hold) -> None:
    hold(
        make_trial(1, {"pembrolizumab": "investigational"}),
        make_trial(2, {"XYZ-123": "investigational"}),
    )
    assert names(ask("", drug_keys=("UNII:PEMBRO",))) == ["pembrolizumab"]
    assert [one.key for one in ask("", drug_keys=("name:xyz123",)).assets] == ["name:xyz123"]


def test_an_empty_pack_gives_no_drug(ask) -> None:
    assert ask("PD-1").assets == ()


@pytest.mark.parametrize(
    ("highest", "indications", "expected"),
    [
        ("FILED", ("gastric cancer",), {"obesity": "PHASE2", "gastric cancer": "FILED"}),
        ("APPROVED", ("gastric cancer",), {"gastric cancer": "APPROVED"}),
        ("APPROVED", ("gastric cancer", "NSCLC"), {"gastric cancer": "FILED"}),
    ],
)
def test_a_program_whose_word_for_its_stage_is_strange_carries_the_highest_stage(
    ask, hold, highest, indications, expected
) -> None:
    record = Record(
        *("pipeline", "Acme/XYZ-123", "", "company_disclosure", "Acme pipeline: XYZ-123"),
        updated_on="2026-07-01",
        mentions=(
            Mention("drug", "XYZ-123", "investigational", "asset"),
            Mention("company", "Acme", relation="pipeline"),
            *(Mention("disease", one, relation="indication") for one in ("obesity", *indications)),
        ),
    )
    stem = Fact(record.id, "XYZ-123", "developed_by", "Acme")
    known = Qualifiers(indication="obesity")
    facts = (
        stem,
        replace(stem, predicate="acts_on", object="CD20 antibody"),
        replace(stem, predicate="in_stage", object="PHASE2", qualifiers=known),
        replace(stem, predicate="highest_stage", object=highest),
    )
    hold(Parsed(record, facts))
    programs = {one.indication: one.stage for one in only(ask("CD20")).programs}
    assert expected.items() <= programs.items()
    assert programs["obesity"] == "PHASE2"


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        (("ANDA 1981-01-01", "ANDA 1982-01-01"), "drugsfda:000001 1981-01-01"),
        (("ANDA 1981-01-01", "NDA 1982-01-01"), "drugsfda:000002 1982-01-01"),
        (("ANDA 1981-01-01", "NDA discontinued"), "drugsfda:000002 2019-07-02"),
        (("NDA prescription", "NDA 1982-01-01"), "drugsfda:000002 1982-01-01"),
        (("NDA tentative",), ""),
    ],
)
def test_a_drug_is_approved_by_its_original_else_by_its_earliest_generic(
    kinds, told, hold, pack, resolver
) -> None:
    drug = (Mention("drug", "carboplatin", relation="ingredient"),)
    for number, (kind, word) in enumerate(map(str.split, kinds), start=1):
        record = Record(
            *("drugsfda", f"{number:06d}", "", "approval_package", f"{kind} {number}"),
            mentions=drug,
        )
        day_or_status = "approved_on" if word[0] == "1" else "marketing_status"
        said = ((day_or_status, word), ("application_type", kind))
        facts = tuple(
            Fact(record.id, record.source_id, key, text, as_of="2019-07-02") for key, text in said
        )
        hold(Parsed(record, facts))
    query = AssetQuery(drug_keys=("UNII:CARBO",))
    approved = [
        f"{' '.join(stage.statement.record_ids)} {stage.as_of}"
        for asset in gather_assets(query, pack, resolver, TODAY).assets
        for program in asset.programs
        for stage in program.stages
        if stage.stage == "APPROVED"
    ]
    assert approved == ([told] if told else [])


def test_a_change_that_japan_approved_tells_of_an_approved_use(hold, pack, resolver) -> None:
    said = "Drugs with a new additional indication for the treatment of obesity"
    record = Record(
        *("pmda", "2010-03-12/Paraplatin/Carboplatin", "", "approval_package", "PMDA 2010-03"),
        published_on="2010-03-12",
        mentions=(Mention("drug", "carboplatin", relation="ingredient"),),
        spans=(Span("indications", said, 0, len(said)),),
    )
    fact = Fact(record.id, "carboplatin", "approval_changed_on", "2010-03-12", as_of="2010-03-12")
    hold(Parsed(record, (fact,)))
    (asset,) = gather_assets(AssetQuery(drug_keys=("UNII:CARBO",)), pack, resolver, TODAY).assets
    (program,) = asset.programs
    assert (program.indication, program.stage) == ("obesity", "APPROVED")
    assert [(one.region, one.as_of) for one in program.stages] == [("PMDA", "2010-03-12")]
