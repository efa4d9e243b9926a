"""Which trials may vote, and how time points are read."""

from core.agents.clinical_trial_design.decisions import read_months
from core.agents.clinical_trial_design.votes import is_for_efficacy
from core.evidence.readers.endpoints import read_endpoint
from core.records.precedents import SettingTrial
from tests.rows import over_rows


@over_rows(
    ("title", "endpoint", "counts"),
    [
        ("Agonitide against placebo in obesity", "Change in body weight", True),
        ("Agonitide against placebo in obesity", "", True),
        ("Open-label extension of agonitide in obesity", "Change in body weight", False),
        ("Long-term safety of agonitide", "Change in body weight", False),
        ("Pharmacokinetics of agonitide in renal impairment", "AUC", False),
        ("Agonitide in healthy volunteers", "", False),
        ("Feasibility of agonitide by autoinjector", "Change in body weight", False),
        ("Agonitide in obesity", "Number of participants with adverse events", False),
    ],
)
def test_trials_of_another_purpose_do_not_vote(title, endpoint, counts) -> None:
    ends = (read_endpoint(endpoint),) if endpoint else ()
    trial = SettingTrial("ctgov:NCT1", title, phase="PHASE3", endpoints=ends)
    assert is_for_efficacy(trial) is counts


@over_rows(
    ("said", "months"),
    [
        ("Baseline and Week 52", 12.0),
        ("week 24 to 52", 12.0),
        ("18 months", 18.0),
        ("month 30 to 36", 36.0),
        ("up to 2 years", 24.0),
        ("28 days after infusion", 0.9),
        ("best response", None),
    ],
)
def test_time_points_are_read_as_months(said, months) -> None:
    assert read_months(said) == months
