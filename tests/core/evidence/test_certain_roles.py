"""Roles of drugs in trials; the starter pack keeps a trial that for certain tests the drug."""

from collections.abc import Sequence
from typing import Any, get_args

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


ALONE, MIXED = [part(DRUG)], [part(DRUG, mixed=True)]
BESIDE = {role: [part(DRUG), part(OTHER, role)] for role in get_args(Role)}
CODED = [*BESIDE["unclear"], part("placebo", "comparator")]
KNOWN_CODE = [part(DRUG), Part("unclear", [OTHER, "OTH1941"]), part("placebo", "comparator")]
UNKNOWN_CODE = [part(DRUG), Part("unclear", ["OTH1941"]), part("placebo", "comparator")]
OWN, OTHERS = {"is_own": True}, {"is_own": False}
SOLD = {"is_marketed": True}


@over_rows(
    ("why", "parts", "of", "is_tested", "titles"),
    [
        ("the only drug is tested where no word says otherwise", ALONE, OTHERS, True, (
            "",
            "Drugoxib in gout",
            "A study of drugoxib (DRG-1) versus standard of care",
            "Radiotherapy with or without drugoxib",
            "Treatment with drugoxib in gout",
            "Addition of drugoxib to chemotherapy",
        )),
        ("the only drug may be what all patients get", ALONE, OTHERS, False, (
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
        )),
        ("one that no title names is its own company's", ALONE, OWN, True,
         ("Safety in healthy volunteers",)),
        ("one that no title names may be another's", ALONE, OTHERS, False,
         ("Safety in healthy volunteers",)),
        ("the drug that one arm alone gets", BESIDE["background"], OTHERS, True,
         ("Otheroxib plus drugoxib in gout",)),
        ("the drug that one arm alone gets", BESIDE["background"], OWN, True,
         ("A study in gout", "Drugoxib with or without otheroxib")),
        ("the drug that one arm alone gets", BESIDE["background"], OTHERS, False,
         ("A study in gout",)),
        ("of two the company's own, where the title begins with it", BESIDE["investigational"],
         OWN, True, ("Drugoxib plus otheroxib in gout",)),
        ("of two not one that is sold", BESIDE["investigational"], OTHERS | SOLD, False,
         ("Drugoxib plus otheroxib in gout",)),
        ("of two not the second", BESIDE["investigational"], OWN, False,
         ("Otheroxib plus drugoxib in gout", "Drugoxib with or without otheroxib")),
        ("of two not the second", BESIDE["investigational"], OTHERS, False,
         ("Otheroxib plus drugoxib in gout",)),
        ("a mixture in one name is a combination", MIXED, OWN, False, ("Gout",)),
        ("a mixture that the title names", MIXED, OWN, True, ("Drugoxib and mitomycin in gout",)),
        *(
            (f"{role} is not tested", [part(DRUG, role)], OWN, False, ("Drugoxib in gout",))
            for role in ("comparator", "background", "rescue", "unclear")
        ),
        ("the first named of two that are compared", BESIDE["comparator"], OTHERS, True,
         ("Drugoxib versus otheroxib",)),
        ("the second of two that are compared", BESIDE["comparator"], OWN, False,
         ("Comparison of otheroxib with drugoxib",)),
        ("beside an unclear drug the company's own", BESIDE["unclear"], OWN | SOLD, True,
         ("Drugoxib plus antibody in gout",)),
        ("beside an unclear drug none that is sold", BESIDE["unclear"], OTHERS | SOLD, False,
         ("Drugoxib plus antibody in gout",)),
        ("beside an unclear drug a new one", BESIDE["unclear"], OTHERS, True,
         ("Drugoxib plus antibody in gout",)),
        ("beside an unclear drug not the second", BESIDE["unclear"], OTHERS, False, (
            "Otheroxib and drugoxib in gout",
            "Drugoxib/etoposide with or without otheroxib maintenance in gout",
        )),
        ("a mixture beside an unclear drug", [*MIXED, part(OTHER, "unclear")], OTHERS, False,
         ("Drugoxib plus antibody in gout",)),
        ("words of a design make no drug one of the patients", ALONE, OTHERS, True, (
            "A Placebo-Controlled Study to Investigate Drugoxib in Gout",
            "Oral Drugoxib in Gout",
            "Ongoing-Disease-Controlled Trial of Drugoxib",
        )),
        ("a disease that is controlled by the drug", BESIDE["investigational"], OWN, False,
         ("Otheroxib in gout controlled on stable drugoxib",)),
        ("the original beside its copy", [part(DRUG), part(DRUG, "background")], OWN, False,
         ("A study of DRG-2 and drugoxib",)),
        ("with or without another drug it may be background", BESIDE["unclear"], OWN, False, tuple(
            f"A study of drugoxib {joint} otheroxib"
            for joint in ("with or without", "W/or W/Out", "w/ or w/o", "w/wo")
        )),
        ("what both arms of a comparison get", BESIDE["comparator"], OWN, False, (
            "Drugoxib alone versus combination of drugoxib and subcutaneous otheroxib in gout",
            "Drugoxib monotherapy compared with drugoxib plus otheroxib",
            "Drugoxib versus drugoxib + otheroxib",
            "Drugoxib versus drugoxib with otheroxib",
            "Drugoxib versus the combination of drugoxib and otheroxib",
            "Drugoxib plus otheroxib versus drugoxib",
            "Drugoxib in combination with otheroxib compared to drugoxib alone",
            "Drugoxib versus otheroxib plus drugoxib",
        )),
        ("a marketed drug to which another is added", BESIDE["comparator"], OWN | SOLD, False, (
            "Drugoxib with or without otheroxib in gout",
            "Drugoxib plus third, used with and without 1592U89, in patients",
            "Drugoxib (DRG-1) combined with or without anti-TIGIT antibody otheroxib in gout",
            "Drugoxib with vs without otheroxib for gout",
        )),
        ("what the patients have is not added", BESIDE["comparator"], OWN | SOLD, True, (
            "Drugoxib versus third on top of insulin with or without otheroxib",
            "Drugoxib in patients with gout on insulin with or without otheroxib",
            "Drugoxib in gout with or without tophi",
        )),
        ("two doses of a drug are compared", ALONE, OTHERS, True,
         ("Drugoxib 5 mg versus drugoxib 10 mg",)),
        ("beside a drug that the title has as a code", CODED, OWN, False,
         ("A study of OTH1941 in combination with drugoxib",)),
        ("where the title has the drug alone", CODED, OWN, True,
         ("A study of drugoxib", "Survival with drugoxib")),
        ("beside a known code", KNOWN_CODE, OWN, False,
         ("A study of OTH1941 in combination with drugoxib",)),
        ("behind a partner of unclear part", UNKNOWN_CODE, OTHERS, False,
         ("90Y-otheroxib & drugoxib versus placebo & drugoxib in gout",)),
        ("alone in the title", UNKNOWN_CODE, OTHERS, True, ("Drugoxib in gout",)),
    ],
)  # fmt: skip
def test_a_drug_counts_as_tested_only_for_certain(why, parts, of, is_tested, titles) -> None:
    assert [title for title in titles if is_certain(title, parts, **of) != is_tested] == [], why


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
