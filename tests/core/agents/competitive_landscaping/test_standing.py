"""Of a disease, what is under way comes first; every drug is counted by how it stands."""

from core.agents.competitive_landscaping.standing import STANDINGS
from tests.core.agents.competitive_landscaping.drugs import LUNG, Study, antibody, drug


def test_a_disease_lists_what_is_under_way_first_and_what_is_over_last(landscape) -> None:
    old = Study(3, phase="PHASE2", status="COMPLETED", primary_completion_on="2015-01-01")
    landscape.drugs = [
        drug(antibody(0), Study(1, phase="PHASE3", status="TERMINATED")),
        drug(antibody(1), Study(2, phase="PHASE1", status="RECRUITING")),
        drug(antibody(2), old),
        drug(antibody(3), shown={LUNG: "Approved"}),
    ]
    data = landscape.run("non-small cell lung cancer", query_type="clinical")
    order = [STANDINGS.index(row.standing) for row in data.drugs]
    assert order == sorted(order)
    standings = {row.drug_name: row.standing for row in data.drugs}
    assert standings[antibody(0)] == "over"
    assert standings[antibody(1)] == standings[antibody(3)] == "under way"
    assert standings[antibody(2)] == "no activity"
    assert {one.standing: one.n for one in data.standings} == {
        one: sum(row.standing == one for row in data.drugs) for one in STANDINGS
    }
    assert sum(one.n for one in data.left_out) == len(data.excluded)
