"""The picture of drugs by group and phase, as numbers and as bubbles."""

from core.briefs.report import CELL, Placed, as_bubbles, draw_pipeline

DRUGS = [
    *(Placed("KRAS", "Phase 1", f"d{place}", f"firm {place % 3}") for place in range(9)),
    Placed("EGFR", "Phase 1", "e1", "one"),
    Placed("EGFR", "Phase 1", "e2", "one"),
    Placed("EGFR", "Phase 3", "e3", ""),
]


def test_bubbles_hold_the_same_cells_with_their_companies() -> None:
    chart = draw_pipeline({"target": DRUGS})
    assert chart is not None
    bubbles = as_bubbles(chart)
    rows = bubbles.spec["data"]["values"]
    assert rows == chart.spec["data"]["values"]
    assert [(one["group"], one["phase"], one["drugs"], one["owners"]) for one in rows] == [
        ("KRAS", "Phase 1", 9, 3),
        ("EGFR", "Phase 3", 1, 0),
        ("EGFR", "Phase 1", 2, 1),
    ]
    first, _ = bubbles.spec["layer"]
    assert first["mark"]["type"] == "circle"
    assert first["params"] == [
        {"name": CELL, "select": chart.spec["layer"][0]["params"][0]["select"]}
    ]
    assert (first["encoding"]["size"]["field"], first["encoding"]["color"]["field"]) == (
        "drugs",
        "owners",
    )


def test_a_single_group_is_no_picture() -> None:
    assert draw_pipeline({"target": DRUGS[:9], "kind": []}) is None
