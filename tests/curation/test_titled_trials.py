"""Drugs named in titles of trials that list no intervention: their role by rule."""

from core.records.names import fold_name
from tests.rows import over_rows
from tools.curation.titled_trials import read_title

NAMES = {
    fold_name(name): f"UNII:{key}"
    for key, name in (
        *(("A", "drugoxib"), ("A", "DX-1001"), ("B", "otheroxib"), ("C", "alpha beta gamma")),
        ("D", "abc"),
    )
}


def roles(title: str) -> dict[str, str]:
    return {key: one.role for key, one in read_title(title, NAMES).items()}


@over_rows(
    ("title", "found"),
    [
        ("A Study of Drugoxib in Gout", {"UNII:A": "investigational"}),
        ("A Study of DX 1001 (drugoxib) in Gout", {"UNII:A": "investigational"}),
        (
            "Drugoxib Versus Otheroxib in Gout",
            {"UNII:A": "investigational", "UNII:B": "comparator"},
        ),
        ("Gout: Comparison With Otheroxib", {"UNII:B": "comparator"}),
        (
            "Drugoxib in Combination With Otheroxib in Gout",
            {"UNII:A": "investigational", "UNII:B": "unclear"},
        ),
        ("Alpha Beta Gamma for Gout", {"UNII:C": "investigational"}),
        ("ABC in Gout", {}),
        ("Drugoxibate in Gout", {}),
    ],
)
def test_the_place_in_a_title_tells_the_role(title: str, found: dict[str, str]) -> None:
    assert roles(title) == found


def test_a_drug_is_cited_as_the_title_writes_it() -> None:
    (mention,) = read_title("Long-Term Study of DX-1001, an Inhibitor", NAMES).values()
    assert (mention.name, mention.relation, mention.kind) == ("DX-1001", "title", "drug")
