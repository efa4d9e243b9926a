"""What the starter pack and pipelines take from sources' own words: uses, ages, boxes, brands."""

import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from core.evidence.assets.shelf import GENERIC
from core.evidence.readers.diseases import Diseases
from core.evidence.sources.importing import find_files, import_files
from core.evidence.sources.pack.schema import CHANGE, table_of
from core.evidence.sources.pack.source_records import describe_approval
from core.records.evidence import Fact, Mention, Qualifiers, Record
from core.records.evidence_pack import FactQuery, StoredFact
from core.records.names import fold_name
from tests.core.evidence.conftest import NOW
from tests.rows import over_rows
from tools.curation.own_words import age_word, all_words, reason_word
from tools.curation.register_rows import choose_approvals, choose_of_pmda
from tools.curation.trial_rows import OF_LISTED, Held, pipeline_rows, trial_row


def asset(*said: Fact) -> Held:
    """Return the record of an asset."""
    mentions = (Mention("drug", "DRG-1", "investigational", "asset"),)
    record = Record(
        source="pipeline",
        source_id="acme:drg1",
        url="",
        kind="company_disclosure",
        title="Acme pipeline: DRG-1",
        mentions=mentions,
    )
    return Held(record, mentions, [StoredFact(number, 1, one) for number, one in enumerate(said)])


def fact(predicate: str, words: str, indication: str = "") -> Fact:
    """Return what a pipeline says of its asset."""
    told = Qualifiers(indication=indication)
    return Fact("pipeline:acme:drg1", "DRG-1", predicate, words, qualifiers=told)


def test_the_highest_stage_is_said_to_be_that_of_the_programs_listed() -> None:
    held = asset(fact("highest_stage", "PHASE3"), fact("in_stage", "PHASE3", "gout"))
    (row,) = pipeline_rows("drugoxib", held)
    assert (row["stage"], row["highest"], row["note"]) == ("PHASE3", "PHASE3", OF_LISTED)


def test_nothing_is_said_of_a_stage_that_is_not_told() -> None:
    (row,) = pipeline_rows("drugoxib", asset(fact("in_stage", "PHASE1", "gout")))
    assert (row["highest"], row["note"]) == ("", "")


NAMES = {
    "lymphoma": "lymphoma",
    "epilepsy": "epilepsy",
    "juvenile arthritis": "juvenile arthritis due to defect in LACC1",
    "atopic dermatitis 6": "dermatitis, atopic, 6",
    "atopic dermatitis": "atopic dermatitis",
    "Cushing disease": "Cushing disease",
    "seizures": "visual epilepsy",
    "skin": "skin neoplasm",
    "disseminated": "disseminated",
    "hypertension": "hypertension",
    "poliomyelitis": "poliomyelitis",
    "anemia": "anemia",
    "opioid abuse": "opioid abuse",
    "asthma": "asthma",
    "depression": "depressive disorder",
    "READ": "rectum adenocarcinoma",
}


class Names:
    """A resolver that knows a few names."""

    def __init__(self) -> None:
        self.identity = self

    def lookup(self, kind: str, names: Iterable[str]) -> Mapping[str, Any]:
        """Return the folded names that are known, as they are written."""
        held = {fold_name(one): [SimpleNamespace(name=one)] for one in NAMES}
        return {one: held[one] for one in names if one in held}

    def resolve_many(self, kind: str, names: Iterable[str]) -> Mapping[str, Any]:
        """Return each name with its entity."""
        labels = {fold_name(said): label for said, label in NAMES.items()}
        return {
            one: SimpleNamespace(
                key=f"MONDO:{fold_name(one)}", label=labels[fold_name(one)], status="resolved"
            )
            for one in names
        }


@over_rows(
    ("text", "expected"),
    [
        ("for anaplastic lymphoma kinase (ALK)-positive lung tumors", []),
        ("for lymphoma", ["lymphoma"]),
        ("for partial-onset seizures", ["epilepsy"]),
        ("in patients with seizures", []),
        ("for juvenile arthritis and asthma", ["asthma"]),
        ("for atopic dermatitis 6", ["atopic dermatitis"]),
        ("for Cushing disease", ["Cushing disease"]),
        ("for disseminated disease of the skin", []),
        ("for hypertension (e.g., poliomyelitis, anemia)", ["hypertension"]),
        ("for asthma, which may follow poliomyelitis", ["asthma"]),
        ("for asthma to reduce the risks of progression", ["asthma"]),
        ("for asthma as defined by anemia", ["asthma"]),
        ("for respiratory depression of the newborn", []),
        ("for depression", ["depressive disorder"]),
        ("for asthma. Because of the risks of opioid abuse, reserve it", ["asthma"]),
        ("for asthma. Do not use for hypertension", ["asthma"]),
        ("for asthma. Read the insert first", ["asthma"]),
        ("for asthma (with the exception of anemia)", ["asthma"]),
        ("for asthma, with the exception of anemia", ["asthma"]),
        ("for mobilisation of stem cells in patients with lymphoma", []),
        ("for non-lymphoma", []),
        ("for asthma in women at increased risk of fracture", ["asthma"]),
    ],
)
def test_only_what_a_drug_is_for_is_an_indication(text, expected) -> None:
    resolver: Any = Names()
    assert [one.name for one in Diseases(resolver).in_texts([text])[text]] == expected


@over_rows(
    ("text", "word"),
    [
        ("for asthma in children and adults", "adults and children"),
        ("for gout in adults. For asthma in adolescents", "adults and children"),
        ("for adults aged 18 years of age and older", "adults"),
        ("for asthma in patients 6 years of age and older", "adults and children"),
        ("for infants with reflux", "children"),
        (f"for {'asthma, gout, ' * 30}and leukemia in children", ""),
        ("to reduce the risk of gout in adults", "adults"),
        ("for adults. Safety in pediatric patients has not been established", "adults"),
        ("for leukemia of childhood, and for asthma in adults", ""),
        ("for gout in adults, juvenile arthritis", ""),
        ("for pain. It is not approved for use in children", ""),
    ],
)
def test_an_age_is_told_only_of_the_whole_label(text, word) -> None:
    assert age_word(text) == word


def test_terms_of_a_box_are_whole_words() -> None:
    said = "hepatosplenic T-cell disease, inflammatory bowel disease, extrapulmonary pneumocystosis"
    assert all_words("boxed", said) == []
    assert all_words("boxed", "under the supervision of Americans; adrenal") == []
    assert all_words("boxed", "hepatotoxicity, pulmonary toxicity and vision loss") == [
        "liver",
        "breathing",
        "eye",
    ]


def test_a_reason_that_is_denied_is_none() -> None:
    assert reason_word("Terminated for non-safety related reasons") == "other"
    assert reason_word("Terminated for safety") == "safety"
    assert reason_word("Abnormal liver biochemical tests in some participants") == "safety"
    assert reason_word("No patients are enrolled in any study under this IND") == "regulatory"
    said = "The drug did not appear to lessen the risk, so no further patients would be enrolled"
    assert reason_word(said) == "efficacy"
    assert reason_word("Sponsor decided that no further patients would be enrolled") == "business"
    assert reason_word("On advice of the data safety monitoring board") == "other"


@over_rows(
    ("text", "word"),
    [
        ("withdrawn due to a strategic business decision; no patients were enrolled", "business"),
        ("Study halted prior to enrollment of first participant", "other"),
        ("No subjects enrolled", "other"),
        ("No patients enrolled and funding has been withdrawn", "business"),
        ("Closed enrollment on advice of the committee", "other"),
        ("lack of required efficacy in the first 32 participants enrolled", "efficacy"),
        ("Not started. No patients were enrolled. An alternate design is pursued", "design"),
        ("The study has not enrolled any patients. It will be redesigned with the FDA", "design"),
        ("sponsor decision (stage 2 efficacy criteria not met); no safety concern", "efficacy"),
        ("primary endpoint was not met; company decision", "efficacy"),
        ("Primary endpoint met", "success"),
        ("No signal of efficacy", "efficacy"),
        ("Absence of significant therapeutic benefit", "efficacy"),
        ("The biological effect was not sufficient", "efficacy"),
        ("the agency granted a waiver as it is likely to be unsafe", "safety"),
        ("Stopped as permitted by protocol", "other"),
        ("Protocol amendment", "design"),
        ("Due to poor patient recruitment", "enrollment"),
        ("Unable to find eligible subjects", "enrollment"),
        ("No available investigational product", "supply"),
    ],
)
def test_that_nobody_was_enrolled_yet_is_no_reason(text, word) -> None:
    assert reason_word(text) == word


@pytest.mark.parametrize(
    ("statuses", "expected"), [("31", ["prescription"]), ("33", ["discontinued"])]
)
def test_an_application_is_discontinued_only_with_all_its_products(
    pack, tmp_path, statuses, expected
) -> None:
    marks = [f"00{place}\t{mark}" for place, mark in enumerate(statuses)]
    tables = {
        "Applications.txt": ["ApplNo\tApplType\tSponsorName", "000159\tNDA\tLILLY"],
        "Products.txt": ["ApplNo\tDrugName\tActiveIngredient", "000159\tSULFA\tSULFAPYRIDINE"],
        "MarketingStatus.txt": [
            "ApplNo\tProductNo\tMarketingStatusID",
            *(f"000159\t{one}" for one in marks),
        ],
    }
    path = tmp_path / "drugsatfda_2019-07-02.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, lines in tables.items():
            archive.writestr(name, "\n".join(lines) + "\n")
    import_files(pack, find_files([path]), now=NOW)
    found = pack.facts(FactQuery(sources=["drugsfda"], predicates=["marketing_status"]))
    assert [one.fact.object for one in found] == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("30 Trisenox Injection 10mg", {("brand", "Trisenox Injection 10mg")}),
        (
            "Apidra 100 U/mL\uff08Acme K.K.\uff09",
            {("brand", "Apidra 100 U/mL"), ("applicant", "Acme K.K.")},
        ),
        ("Zione Injection / Lidocaine", {("brand", "Zione Injection")}),
        ("A (X Inc.) A Tablets (Y Ltd.)", {("brand", "A A Tablets")}),
    ],
)
def test_a_japanese_brand_is_neither_line_number_nor_company(pack, bring, said, expected) -> None:
    header = "Approval Date,No.,Brand Name (Applicant Company),New Approval"
    header += ",Active Ingredient,Indications"
    bring("pmda.csv", f'{header}\n"Oct. 22, 2004",,"{said}",Approval,Drugium,For asthma\n')
    told = pack.facts(FactQuery(sources=["pmda"]))
    (found,) = pack.mentions({one.fact.record_id for one in told}).values()
    assert {(one.relation, one.name) for one in found if one.relation != "ingredient"} == expected


def held(source: str, number: str, kind: str, day: str, status: str = "") -> Held:
    """Return an application of a register."""
    record = Record(source, number, "", "approval_package", number)
    said = (("application_type", kind), ("approved_on", day), ("marketing_status", status))
    facts = [
        StoredFact(place, 0, Fact(record.id, number, predicate, words))
        for place, (predicate, words) in enumerate(said)
        if words
    ]
    return Held(record, (), facts)


def chosen(found: list[Held]) -> list[str]:
    """Return the numbers of the applications that are kept."""
    alone = dict.fromkeys((one.record.id for one in found), True)
    return [one.record.source_id for one in choose_approvals(found, alone)]


def test_a_biosimilar_is_no_approval_of_the_original() -> None:
    found = [
        held("drugsfda", "103705", "BLA", "1997-11-26"),
        held("drugsfda", "761088", "BLA", "2018-11-28"),
        held("purplebook", "BLA761088", "351(k) Biosimilar", "2018-11-28"),
    ]
    assert chosen(found) == ["103705"]


def test_of_a_drug_without_an_original_the_earliest_generic_is_kept() -> None:
    generics = [
        held("drugsfda", "087189", "ANDA", "1983-07-25"),
        held("drugsfda", "085844", "ANDA", "1980-03-12"),
    ]
    assert chosen(generics) == ["085844"]
    assert chosen([*generics, held("drugsfda", "012345", "NDA", "1990-01-01")]) == ["012345"]


def test_an_original_without_a_date_is_kept_where_none_has_one() -> None:
    undated = held("drugsfda", "018166", "NDA", "", "discontinued")
    generic = held("drugsfda", "085844", "ANDA", "1990-01-01")
    assert chosen([undated, generic]) == ["018166"]
    assert chosen([undated, generic, held("drugsfda", "018200", "NDA", "1985-01-01")]) == ["018200"]
    assert chosen([held("drugsfda", "018166", "NDA", "", "tentative")]) == []


def of_japan(day: str, predicate: str) -> Held:
    """Return an entry of the Japanese list."""
    number = f"{day}/Drugiumax/Drugium"
    record = Record("pmda", number, "", "approval_package", number, published_on=day)
    fact = Fact(record.id, "Drugium", predicate, day)
    return Held(record, (), [StoredFact(1, 0, fact)])


def test_a_change_of_the_japanese_list_is_kept_where_the_first_approval_is_not_on_it() -> None:
    changes = [of_japan(f"20{year}-05-01", "approval_changed_on") for year in (12, 10)]
    first = of_japan("2011-05-01", "approved_on")
    mixed = of_japan("2009-05-01", "approved_on")
    alone = {one.record.id: one is not mixed for one in (*changes, first, mixed)}
    assert choose_of_pmda([*changes, first, mixed], alone) == [first]
    assert choose_of_pmda([*changes, mixed], alone) == [changes[1], changes[0]]
    assert choose_of_pmda([mixed], alone) == [mixed]


@over_rows(("kind", "told"), [(CHANGE, "approval_changed_on"), ("", "approved_on")])
def test_a_change_of_the_pack_is_told_as_one(kind, told) -> None:
    row = dict.fromkeys(table_of("approvals").header, "") | {
        "register": "pmda",
        "number": "2010-03-12/Drugiumax/Drugium",
        "drug": "drugium",
        "ingredients": "Drugium",
        "kind": kind,
        "area": "ibd",
        "source_id": "pmda:2010-03-12/Drugiumax/Drugium",
        "approved_on": "2010-03-12",
    }
    facts = {one.predicate: one.object for one in describe_approval(row).facts}
    assert facts == {told: "2010-03-12"}


def test_a_long_product_of_the_japanese_list_fits_its_number(pack, bring) -> None:
    header = "Approval Date,No.,Brand Name (Applicant Company),New Approval"
    header += ",Active Ingredient,Indications"
    said = " ".join(f"Drugiumax for Intravenous Injection {n} IU" for n in range(250, 3000, 250))
    bring("pmda.csv", f'{header}\n"Oct. 22, 2004",,"{said}",Approval,Drugium,For asthma\n')
    (record_id,) = {one.fact.record_id for one in pack.facts(FactQuery(sources=["pmda"]))}
    assert len(record_id) <= 180
    assert record_id.startswith("pmda:2004-10-22/Drugiumax for Intravenous Injection 250 IU")
    assert record_id.endswith("/Drugium")


def test_a_generic_of_the_pack_is_told_as_one() -> None:
    row = dict.fromkeys(table_of("approvals").header, "") | {
        "register": "drugsfda",
        "number": "085844",
        "drug": "drugoxib",
        "kind": "ANDA",
        "area": "infectious",
        "source_id": "drugsfda:085844",
        "approved_on": "1980-03-12",
    }
    assert describe_approval(row).record.title.startswith(GENERIC)
    assert not describe_approval(row | {"kind": "NDA"}).record.title.startswith(GENERIC)


@over_rows(("status", "told"), [("TERMINATED", "efficacy"), ("RECRUITING", "")])
def test_a_reason_of_stopping_stands_only_where_the_trial_stopped(status, told) -> None:
    record = Record("ctgov", "NCT00000001", "", "trial_registration", "Drugoxib")
    facts = [StoredFact(1, 0, Fact(record.id, record.source_id, "trial_status", status))]
    row = trial_row("drugoxib", Held(record, (), facts), "", "Lack of efficacy", ())
    assert row["stopped"] == told


@over_rows(
    ("phase", "of_stops", "told"),
    [
        ("PHASE1", "PHASE1_2", "PHASE1_2"),
        ("PHASE3", "PHASE1_2", "PHASE3"),
        ("PHASE1", "", "PHASE1"),
    ],
)
def test_a_copy_that_has_one_of_two_phases_is_completed(phase, of_stops, told) -> None:
    record = Record("ctgov", "NCT00000001", "", "trial_registration", "Drugoxib")
    facts = [StoredFact(1, 0, Fact(record.id, record.source_id, "trial_phase", phase))]
    row = trial_row("drugoxib", Held(record, (), facts), "", "", (), phase=of_stops)
    assert row["phase"] == told


def test_what_is_done_and_measured_is_no_drug_of_a_trial() -> None:
    names = ("Drugoxib", "Laboratory Biomarker Analysis", "Surgery", "Diet Only", "Dietary fiber")
    mentions = [Mention("drug", name, "unclear", "intervention") for name in names]
    record = Record("ctgov", "NCT00000001", "", "trial_registration", "Drugoxib")
    row = trial_row("drugoxib", Held(record, mentions, ()), "", "", ())
    assert row["drugs"] == "unclear:Drugoxib|unclear:Dietary fiber"


@over_rows(
    ("status", "day", "told"),
    [
        ("RECRUITING", "2023-02-01", ""),
        ("RECRUITING", "2025-06", "2025-06"),
        ("COMPLETED", "2023-02-01", "2023-02-01"),
    ],
)
def test_a_trial_that_takes_patients_did_not_end_before(status, day, told) -> None:
    record = Record("ctgov", "NCT00000001", "", "trial_registration", "Drugoxib")
    said = (("trial_status", status), ("trial_completion", day), ("trial_start", "2022-01"))
    facts = [
        StoredFact(place, 0, Fact(record.id, record.source_id, key, text, as_of="2025-06-08"))
        for place, (key, text) in enumerate(said)
    ]
    row = trial_row("drugoxib", Held(record, (), facts), "", "", ())
    assert row["completion_on"] == told


@over_rows(("updated_on", "told"), [("2026-08-13", ""), ("2021-08-18", "2021-08-18")])
def test_the_day_of_a_copy_is_no_day_of_an_update(updated_on, told) -> None:
    record = Record("ctgov", "NCT00000001", "", "trial_registration", "Drugoxib")
    record = replace(record, updated_on=updated_on)
    said = Fact(record.id, record.source_id, "trial_status", "COMPLETED", as_of="2026-08-13")
    row = trial_row("drugoxib", Held(record, (), [StoredFact(1, 0, said)]), "", "", ())
    assert row["updated_on"] == told
