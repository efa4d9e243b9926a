"""Tests of one group run in one process, whatever versions of the test runner are installed."""

from xdist.scheduler.loadgroup import LoadGroupScheduling

from tests.grouping import GroupScheduling, group_of


def test_a_module_tells_its_group() -> None:
    assert group_of("tests/core/evidence/assets/test_learning.py") == "reference"
    assert group_of("tests/contract/test_layout.py") == ""


def test_tests_of_a_group_are_one_unit_of_work() -> None:
    scheduling = object.__new__(GroupScheduling)
    assert isinstance(scheduling, LoadGroupScheduling)
    units = {
        scheduling._split_scope(f"tests/core/evidence/assets/{name}")  # noqa: SLF001
        for name in ("test_learning.py::test_one", "test_reference.py::test_two[a@b]")
    }
    assert units == {"reference"}


def test_a_module_that_shares_a_fixture_is_one_unit_and_another_is_not() -> None:
    scheduling = object.__new__(GroupScheduling)
    shared, alone = "tests/api/test_mcp.py", "tests/contract/test_layout.py"
    assert scheduling._split_scope(f"{shared}::test_x") == shared  # noqa: SLF001
    assert scheduling._split_scope(f"{alone}::test_x[a]") == f"{alone}::test_x[a]"  # noqa: SLF001
