"""One declaration of columns gives the wire's table, what people see, and a report's grid."""

from dataclasses import dataclass

from core.briefs.columns import (
    UNCONFIRMED,
    Column,
    ColumnTable,
    line_model,
    list_grid,
    show_rows,
    source_column,
)


@dataclass
class Drug:
    name: str
    target: str | None
    trials: list[str]
    unconfirmed: list[str]
    source_ids: list[str]


COLUMNS = (
    Column("name", "Drug"),
    Column("target", "Target", str | None, cell="target"),
    Column("trials", "Trials"),
    UNCONFIRMED,
    source_column(),
    Column("first", "First trial", None, lambda drug: drug.trials[0] if drug.trials else ""),
)
DRUGS = [
    Drug("alphamab", "PD-1", ["NCT1", "NCT2"], ["target"], ["1", "2"]),
    Drug("betamab", None, [], ["target"], []),
]


class DrugTable(ColumnTable):
    columns = COLUMNS
    row_model = line_model("TestLine", "A drug of a test.", COLUMNS)


def test_wire_table_has_the_columns_of_a_kind_with_plain_values():
    table = DrugTable.of("drugs", DRUGS)
    assert table.rows()[0] == {
        "name": "alphamab",
        "target": "PD-1",
        "trials": "NCT1; NCT2",
        "unconfirmed": "target",
        "sources": "1 2",
    }
    assert table.rows()[1]["target"] is None
    assert list(DrugTable.of("drugs", []).frame.columns) == list(DrugTable.row_model.model_fields)


def test_people_see_headings_marks_and_gaps_in_the_order_of_the_view():
    assert show_rows(COLUMNS, ("target", "name", "first", "sources"), DRUGS) == [
        {"Target": "PD-1 *", "Drug": "alphamab", "First trial": "NCT1", "Sources": "[1][2]"},
        {"Target": None, "Drug": "betamab", "First trial": None, "Sources": None},
    ]


def test_a_grid_says_of_how_many_rows_it_shows():
    (grid,) = list_grid(COLUMNS, ("name",), DRUGS, "Drugs", most=1)
    assert len(grid.rows) == len(DRUGS) == 2
    printed = grid.printed
    assert (printed.columns, printed.rows, printed.total) == (("Drug",), (("alphamab",),), 2)
    assert list_grid(COLUMNS, ("name",), [], "Drugs") == []


def test_the_schema_carries_types_and_descriptions():
    fields = DrugTable.row_model.model_json_schema()["properties"]
    assert fields["sources"]["description"] == "Numbers of its sources."
    assert {"type": "null"} in fields["target"]["anyOf"]
