"""Which trials the starter pack keeps of a drug of which none for certain carries a stage."""

from datetime import date

import pytest

from tests.core.evidence.assets.conftest import make_trial
from tools.curation.choice import ChosenDrug
from tools.curation.filling import Curator

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
