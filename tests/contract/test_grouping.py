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
        for name in ("test_learning.py::test_one", "test_agreement.py::test_two[a@b]")
    }
    assert units == {"reference"}
