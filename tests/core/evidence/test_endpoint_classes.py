"""Classes of endpoints: what drawn titles were read to say, and a screen that hides nothing."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from core.vocabulary.endpoints import EndpointRow, EndpointType, classify_endpoint, required_letters
from core.vocabulary.tables import compile_pattern, load_rows
from tests.rows import over_rows

VERDICTS = Path(__file__).parents[2] / "benchmarks" / "endpoint_verdicts.csv"


@pytest.fixture(scope="module")
def drawn() -> list[dict[str, str]]:
    with VERDICTS.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_drawn_endpoints_have_the_class_that_was_read(drawn) -> None:
    counts: Counter[str] = Counter()
    for row in drawn:
        found = classify_endpoint(row["text"])
        name = found.name if found else ""
        counts["known"] += int(row["times"]) * bool(name)
        counts["right"] += int(row["times"]) * (bool(name) and name == row["says"])
        counts["all"] += int(row["times"])
    assert counts["known"] / counts["all"] >= 0.90
    assert counts["right"] / counts["known"] >= 0.98


def test_screen_hides_no_class(drawn) -> None:
    rows = [row for row in load_rows("endpoints", EndpointRow) if row.named]
    screens = [
        (compile_pattern(row.named, "endpoints"), required_letters(row.named)) for row in rows
    ]
    assert sum(bool(letters) for _, letters in screens) > len(screens) * 0.9
    for pattern, letters in screens:
        for row in drawn[::3]:
            lower = row["text"].casefold()
            shown = not letters or any(one in lower for one in letters)
            assert shown or not pattern.search(row["text"])


def test_every_class_tells_its_type_and_direction() -> None:
    rows = load_rows("endpoints", EndpointRow)
    assert {row.type for row in rows} <= {"", *EndpointType}
    assert not [row.name for row in rows if row.side == "efficacy" and not row.type]


@over_rows(
    ("measure", "name"),
    [
        ("Change from baseline in 6-minute walk distance", "exercise capacity"),
        (
            "NSAA Total Score (for Conditional Efficacy Interim Analysis)",
            "joint or motion function",
        ),
        ("Number of patients with responders for objective response", "objective response"),
        ("Time to death from any cause", "overall survival"),
        ("Composite of all-cause death, MI or stroke", "cardiovascular events"),
        ("Number of Subjects With Antigenically Mismatched Strain HAI titers", "immune response"),
    ],
)
def test_a_title_is_read_by_what_it_names(measure, name) -> None:
    found = classify_endpoint(measure)
    assert found is not None
    assert found.name == name
