"""What an arm says that it goes without is not what it gets."""

from core.evidence.readers.trial_roles import Arm, find_roles
from tests.rows import over_rows


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
