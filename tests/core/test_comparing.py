"""Two tables of one agent: what came, what went, which cells changed."""

import pandas as pd
import pytest

from core.agent import Compared
from core.comparing import Change, compare_tables
from core.errors import NotFound
from core.registry import agent_of

HOW = Compared("drugs", "name", ("stage", "company", "not there"))


def table(*rows: tuple[str, str | None, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["name", "stage", "company"])


def test_added_gone_and_changed_cells_are_told_apart() -> None:
    before = table(("a", "PHASE2", "X"), ("b", "PHASE1", "Y"), ("c", None, "Z"))
    after = table(("d", "PHASE1", "X"), ("c", None, "Z"), ("a", "PHASE3", "X"))
    found = compare_tables(before, after, HOW)
    assert (found.added, found.gone, found.n_equal) == (("d",), ("b",), 1)
    change = Change(line="a", column="stage", before="PHASE2", after="PHASE3")
    assert found.changed == (change,)


def test_a_table_equals_itself_in_any_order() -> None:
    rows = [("a", "PHASE2", "X"), ("b", None, "Y")]
    found = compare_tables(table(*rows), table(*rows[::-1]), HOW)
    assert (found.added, found.gone, found.changed, found.n_equal) == ((), (), (), 2)


def test_a_run_of_an_agent_that_is_gone_is_told_as_such() -> None:
    with pytest.raises(NotFound, match="no agent 'removed-agent' any more"):
        agent_of("removed-agent")
