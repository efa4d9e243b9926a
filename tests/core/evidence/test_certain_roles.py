"""A trial stands in the starter pack only where it for certain tests the drug."""

from collections.abc import Sequence
from typing import Any

from core.evidence.assets.shelf import Shelf
from core.evidence.names.drug_labels import NamedDrug
from core.evidence.readers.trial_roles import Arm, find_roles
from core.records.evidence import Mention, Record, Role
from core.records.names import fold_name
from tests.rows import over_rows
from tools.curation.certain_roles import Part, is_certain, is_likely, is_of_patients
from tools.curation.own_comparators import find_compared
from tools.curation.trial_parts import TrialParts
from tools.curation.trial_rows import join_rows


@over_rows(
    "label",
    ["Arm II: otheroxib without drugoxib IV", "otheroxib w/o drugoxib", "otheroxib, no drugoxib"],
)
def test_a_drug_that_an_arm_goes_without_is_what_is_tested(label) -> None:
    arms = [
        Arm("EXPERIMENTAL", "Arm I: otheroxib, drugoxib"),
        Arm("ACTIVE_COMPARATOR", label),
    ]
    roles = find_roles(["drugoxib", "otheroxib"], arms)
    assert roles == {"drugoxib": "investigational", "otheroxib": "background"}


def test_with_or_without_a_drug_is_no_arm_without_it() -> None:
    arms = [
        Arm("EXPERIMENTAL", "otheroxib with or without drugoxib"),
        Arm("ACTIVE_COMPARATOR", "otheroxib, drugoxib"),
    ]
    assert find_roles(["drugoxib", "otheroxib"], arms)["drugoxib"] != "comparator"


def test_what_failed_before_an_arm_is_not_given_in_it() -> None:
    arms = [
        Arm("EXPERIMENTAL", "randomized to drugoxib"),
        Arm("ACTIVE_COMPARATOR", "randomized to otheroxib"),
        Arm("EXPERIMENTAL", "drugoxib after progression on otheroxib"),
    ]
    roles = find_roles(["drugoxib", "otheroxib"], arms)
    assert roles == {"drugoxib": "investigational", "otheroxib": "comparator"}


DRUG, OTHER = "drugoxib", "otheroxib"


def part(name: str, role: Role = "investigational", *, mixed: bool = False) -> Part:
    """Return an intervention."""
    return Part(
        role,
        [name],
        is_mine=name == DRUG,
        is_placebo=name == "placebo",
        is_mixed=mixed,
    )


@over_rows(
    "title",
    [
        "",
        "Drugoxib in gout",
        "A study of drugoxib (DRG-1) versus standard of care",
        "Radiotherapy with or without drugoxib",
        "Treatment with drugoxib in gout",
        "Addition of drugoxib to chemotherapy",
    ],
)
def test_the_only_drug_is_tested_where_no_word_says_otherwise(title) -> None:
    assert is_certain(title, [part(DRUG)], is_own=False)


@over_rows(
    "title",
    [
        "Sentinel node biopsy in breast cancer",
        "Exercise added to drugoxib",
        "Acupuncture in patients on drugoxib",
        "Surgery after failure of drugoxib",
        "Radiotherapy in drugoxib-resistant disease",
        "Proposed biosimilar drugoxib in gout",
        "Diet versus drugoxib",
        "Exercise and drugoxib in gout",
        "Patients inadequately controlled with drugoxib",
        "Activity of continued drugoxib in experienced patients",
    ],
)
def test_the_only_drug_may_be_what_all_patients_get(title) -> None:
    assert not is_certain(title, [part(DRUG)], is_own=False)


def test_a_drug_that_no_title_names_is_its_own_companys() -> None:
    assert is_certain("Safety in healthy volunteers", [part(DRUG)], is_own=True)
    assert not is_certain("Safety in healthy volunteers", [part(DRUG)], is_own=False)


def test_the_drug_that_one_arm_alone_gets_is_tested() -> None:
    parts = [part(DRUG), part(OTHER, "background")]
    assert is_certain("Otheroxib plus drugoxib in gout", parts, is_own=False)
    assert is_certain("A study in gout", parts, is_own=True)
    assert not is_certain("A study in gout", parts, is_own=False)


def test_of_a_combination_the_companys_drug_is_kept_where_the_title_begins_with_it() -> None:
    parts = [part(DRUG), part(OTHER)]
    assert is_certain("Drugoxib plus otheroxib in gout", parts, is_own=True)
    sold = is_certain("Drugoxib plus otheroxib in gout", parts, is_own=False, is_marketed=True)
    assert not sold
    assert not is_certain("Otheroxib plus drugoxib in gout", parts, is_own=True)
    assert not is_certain("Otheroxib plus drugoxib in gout", parts, is_own=False)
    assert not is_certain("Drugoxib with or without otheroxib", parts, is_own=True)


def test_a_mixture_in_one_name_is_a_combination() -> None:
    assert not is_certain("Gout", [part(DRUG, mixed=True)], is_own=True)
    assert is_certain("Drugoxib and mitomycin in gout", [part(DRUG, mixed=True)], is_own=True)


def test_comparators_background_and_rescue_are_not_tested() -> None:
    for role in ("comparator", "background", "rescue", "unclear"):
        assert not is_certain("Drugoxib in gout", [part(DRUG, role)], is_own=True)  # type: ignore[arg-type]


def test_the_first_named_of_two_that_are_compared_is_tested() -> None:
    parts = [part(DRUG), part(OTHER, "comparator")]
    assert is_certain("Drugoxib versus otheroxib", parts, is_own=False)
    assert not is_certain("Comparison of otheroxib with drugoxib", parts, is_own=True)


def test_beside_drugs_of_unclear_part_only_the_companys_own_or_a_new_one_is_kept() -> None:
    parts = [part(DRUG), part(OTHER, "unclear")]
    title = "Drugoxib plus antibody in gout"
    assert is_certain(title, parts, is_own=True, is_marketed=True)
    assert not is_certain(title, parts, is_own=False, is_marketed=True)
    assert is_certain(title, parts, is_own=False)
    assert not is_certain("Otheroxib and drugoxib in gout", parts, is_own=False)
    mixed = [part(DRUG, mixed=True), part(OTHER, "unclear")]
    assert not is_certain(title, mixed, is_own=False)
    added = "Drugoxib/etoposide with or without otheroxib maintenance in gout"
    assert not is_certain(added, parts, is_own=False)


@over_rows(
    "title",
    [
        "A Placebo-Controlled Study to Investigate Drugoxib in Gout",
        "Oral Drugoxib in Gout",
        "Ongoing-Disease-Controlled Trial of Drugoxib",
    ],
)
def test_words_of_a_trials_design_do_not_make_its_drug_one_of_the_patients(title) -> None:
    assert is_certain(title, [part(DRUG)], is_own=False)


def test_patients_whose_disease_is_controlled_by_a_drug_are_no_trial_of_it() -> None:
    title = "Otheroxib in gout controlled on stable drugoxib"
    assert not is_certain(title, [part(DRUG), part(OTHER)], is_own=True)


def test_the_original_beside_its_copy_is_not_tested() -> None:
    parts = [part(DRUG), part(DRUG, "background")]
    assert not is_certain("A study of DRG-2 and drugoxib", parts, is_own=True)


@over_rows("joint", ["with or without", "W/or W/Out", "w/ or w/o", "w/wo"])
def test_what_is_given_with_or_without_another_drug_may_be_background(joint) -> None:
    parts = [part(DRUG), part(OTHER, "unclear")]
    assert not is_certain(f"A study of drugoxib {joint} otheroxib", parts, is_own=True)


@over_rows(
    "title",
    [
        "Drugoxib alone versus combination of drugoxib and subcutaneous otheroxib in gout",
        "Drugoxib monotherapy compared with drugoxib plus otheroxib",
        "Drugoxib versus drugoxib + otheroxib",
        "Drugoxib versus drugoxib with otheroxib",
        "Drugoxib versus the combination of drugoxib and otheroxib",
        "Drugoxib plus otheroxib versus drugoxib",
        "Drugoxib in combination with otheroxib compared to drugoxib alone",
        "Drugoxib versus otheroxib plus drugoxib",
    ],
)
def test_what_both_arms_of_a_comparison_get_is_not_tested(title) -> None:
    assert not is_certain(title, [part(DRUG), part(OTHER, "comparator")], is_own=True)


@over_rows(
    "title",
    [
        "Drugoxib with or without otheroxib in gout",
        "Drugoxib plus third, used with and without 1592U89, in patients",
        "Drugoxib (DRG-1) combined with or without anti-TIGIT antibody otheroxib in gout",
        "Drugoxib with vs without otheroxib for gout",
    ],
)
def test_a_marketed_drug_to_which_another_one_is_added_is_background(title) -> None:
    parts = [part(DRUG), part(OTHER, "comparator")]
    assert not is_certain(title, parts, is_own=True, is_marketed=True)


@over_rows(
    "title",
    [
        "Drugoxib versus third on top of insulin with or without otheroxib",
        "Drugoxib in patients with gout on insulin with or without otheroxib",
        "Drugoxib in gout with or without tophi",
    ],
)
def test_what_the_patients_have_with_or_without_is_not_added(title) -> None:
    parts = [part(DRUG), part(OTHER, "comparator")]
    assert is_certain(title, parts, is_own=True, is_marketed=True)


def test_a_new_drug_is_tested_with_or_without_another_one() -> None:
    parts = [part(DRUG), part(OTHER, "background")]
    assert is_certain("Drugoxib with or without otheroxib", parts, is_own=True)


@over_rows(
    ("title", "labels", "expected"),
    [
        (
            "Drugoxib after surgery",
            {DRUG: False, "No drugoxib": False},
            {"No drugoxib": "comparator"},
        ),
        ("Drugoxib", {"No drugoxib": False}, {"No drugoxib": "comparator"}),
        (
            "Drugoxib in adults",
            {"Drugoxib (Reference)": False, "Drugoxib (Test)": False},
            {"Drugoxib (Reference)": "comparator"},
        ),
        ("Drugoxib in men", {"drugoxib - reference formulation": False}, {}),
        (
            "Drugoxib powder versus drugoxib solution",
            {"Drugoxib powder": False, "Drugoxib solution": False},
            {"Drugoxib solution": "comparator"},
        ),
        ("Drugoxib 5 mg versus 10 mg", {"Drugoxib 5 mg": False, "Drugoxib 10 mg": False}, {}),
        (
            "Comparison of drugoxib/otheroxib with drugoxib",
            {"drugoxib/otheroxib": True, DRUG: False},
            {DRUG: "comparator"},
        ),
        (
            "A trial comparing drugoxib/otheroxib, drugoxib and otheroxib in adults",
            {"drugoxib/otheroxib": True, DRUG: False},
            {DRUG: "unclear"},
        ),
        (
            "Drugoxib alone and in combination with otheroxib",
            {"drugoxib + otheroxib": True, DRUG: False},
            {},
        ),
        (
            "Drugoxib or drugoxib/otheroxib combination",
            {"drugoxib/otheroxib": True, DRUG: False},
            {},
        ),
        (
            "Drugoxib furoate in asthma",
            {"drugoxib furoate": False, "drugoxib propionate": False},
            {"drugoxib propionate": "unclear"},
        ),
        (
            "Drugoxib patch in adults",
            {"drugoxib patch": False, "drugoxib capsules": False},
            {"drugoxib capsules": "unclear"},
        ),
        (
            "Drugoxib capsule and patch",
            {"drugoxib patch": False, "drugoxib capsules": False},
            {},
        ),
        ("DRG-1234 in adults", {"DRG-1234": False, "drugoxib": False}, {"drugoxib": "unclear"}),
        (
            "Drugoxib in adults",
            {DRUG: False, "drugoxib to otheroxib": True, "drugoxib up to 5 cycles": True},
            {"drugoxib to otheroxib": "unclear"},
        ),
    ],
)
def test_a_drug_may_be_compared_with_itself(title, labels, expected) -> None:
    assert find_compared(title, labels, [DRUG, "DRG-1234"]) == expected


def test_two_doses_of_a_drug_are_compared() -> None:
    assert is_certain("Drugoxib 5 mg versus drugoxib 10 mg", [part(DRUG)], is_own=False)


def test_a_drug_beside_one_that_the_title_has_only_as_a_code_may_be_background() -> None:
    parts = [part(DRUG), part(OTHER, "unclear"), part("placebo", "comparator")]
    assert not is_certain("A study of OTH1941 in combination with drugoxib", parts, is_own=True)
    assert is_certain("A study of drugoxib", parts, is_own=True)
    assert is_certain("Survival with drugoxib", parts, is_own=True)
    known = [part(DRUG), Part("unclear", [OTHER, "OTH1941"]), part("placebo", "comparator")]
    assert not is_certain("A study of OTH1941 in combination with drugoxib", known, is_own=True)


def test_a_drug_of_others_behind_a_partner_of_unclear_part_may_be_background() -> None:
    parts = [
        part(DRUG),
        Part("unclear", ["OTH1941"]),
        Part("comparator", ["placebo"], is_placebo=True),
    ]
    title = "90Y-otheroxib & drugoxib versus placebo & drugoxib in gout"
    assert not is_certain(title, parts, is_own=False)
    assert is_certain("Drugoxib in gout", parts, is_own=False)


def test_what_patients_get_besides_is_no_comparator() -> None:
    title = "Drugoxib compared to otheroxib in patients not controlled with metformin"
    assert is_of_patients(title, "Metformin 500 mg")
    assert not is_of_patients(title, "Otheroxib")
    assert not is_of_patients("Drugoxib in patients on metformin", "Metformin")


def test_a_trial_of_two_drugs_stands_once_with_both_as_tested() -> None:
    first = {
        "nct_id": "NCT00000001",
        "drug": DRUG,
        "drugs": "investigational:Drugoxib|unclear:Otheroxib|comparator:placebo",
        "words": "Drugoxib: PD-1 antibody",
    }
    second = first | {
        "drug": OTHER,
        "drugs": "investigational:Otheroxib|unclear:Drugoxib|comparator:placebo",
        "words": "Otheroxib: KIT inhibitor",
    }
    joined = join_rows({("trials", "lung"): [dict(first)], ("trials", "rare"): [dict(second)]})
    ((place, (row,)),) = joined.items()
    assert place == ("trials", "lung")
    assert row["drugs"] == "investigational:Drugoxib|investigational:Otheroxib|comparator:placebo"
    assert row["words"] == "Drugoxib: PD-1 antibody|Otheroxib: KIT inhibitor"


class Reader:
    """Knows one drug under two names."""

    def read(self, labels: Sequence[str]) -> dict[str, tuple[NamedDrug, ...]]:
        """Return what each label names."""
        known = {"drg1", DRUG}
        return {
            one: tuple(
                NamedDrug("UNII:1" if fold_name(said) in known else "", said, said)
                for said in (one.partition(" in combination with ")[2] or one,)
            )
            for one in labels
        }


@over_rows(
    ("label", "title", "sponsor", "is_kept"),
    [
        ("drugoxib", "Drugoxib in gout", "Acme", True),
        ("drugoxib", "", "Acme", True),
        ("drugoxib", "", "", False),
        ("x16y2 in combination with drugoxib", "", "Acme", False),
        ("x16y2 in combination with drugoxib", "Drugoxib in gout", "Acme", True),
    ],
)
def test_a_list_of_outcomes_and_a_mixture_tell_no_role(label, title, sponsor, is_kept) -> None:
    naming: Any = Reader()
    said = [Mention("drug", label, "investigational")]
    said += [Mention("company", sponsor, relation="sponsor")] if sponsor else []
    record = Record("ctgov", "a", "", "trial_registry", title)
    shelf = Shelf(names={"UNII:1": [DRUG]}, records={"ctgov:a": record}, mentions={"ctgov:a": said})
    kept = TrialParts(shelf, naming).certain("UNII:1", ["Acme"], ["ctgov:a"])
    assert bool(kept) is is_kept


@over_rows(
    ("label", "is_mixed"),
    [
        ("Drugoxib 5 mg/kg", False),
        ("abc-20089/drugoxib", True),
        ("DRG-1/drugoxib", False),
        ("Drugoxib (A/B)", False),
    ],
)
def test_a_slash_parts_a_drug_from_what_is_not_known(label, is_mixed) -> None:
    naming: Any = Reader()
    assert TrialParts(Shelf(), naming).is_mixed(label, {"UNII:1"}) is is_mixed


@over_rows(
    ("title", "parts", "expected"),
    [
        ("", [part(DRUG)], True),
        ("Otheroxib with drugoxib in gout", [part(OTHER), part(DRUG)], True),
        ("Otheroxib after failure of drugoxib", [part(OTHER), part(DRUG)], False),
        ("Otheroxib versus drugoxib", [part(OTHER), part(DRUG, "comparator")], False),
        ("Otheroxib on top of drugoxib", [part(OTHER), part(DRUG, "background")], False),
        ("", [part(DRUG, "unclear"), part(OTHER)], False),
        ("Proposed biosimilar drugoxib in gout", [part(DRUG)], False),
    ],
)
def test_a_drug_that_nobody_sells_is_tested_where_no_word_says_otherwise(
    title, parts, expected
) -> None:
    assert is_likely(title, parts) == expected
