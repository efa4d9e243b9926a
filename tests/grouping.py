"""Keeps tests of one group on one process, so that what they share is made once.

pytest-xdist 3.8 writes a test's group into its id; since pytest 9.2 that has no effect any more,
without a word. Here the group is read from the module: all of its tests are of the group that it
names. A module whose tests share a fixture is one unit, too, or each process would make it anew.
"""

import re
from functools import lru_cache

from xdist.scheduler.loadgroup import LoadGroupScheduling

from tests.live import ROOT

_GROUP = re.compile(r"""xdist_group\("(\w+)"\)""")
FIRST = (
    "tests/core/evidence/assets/test_agreement.py",
    "readme",
    "browser",
    "edge",
    "agents",
    "entities",
    "starter",
    "reference",
)
"""Groups and modules that take minutes, in the order in which they begin; what is short follows."""


class GroupScheduling(LoadGroupScheduling):
    """Gives all tests of a group to one process, in the order of `rank`."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def rank(nodeid: str) -> int:
    """Return when a test begins: what takes minutes first, modules next, single tests last."""
    scope = scope_of(nodeid)
    return FIRST.index(scope) if scope in FIRST else len(FIRST) + ("::" in scope)


def scope_of(nodeid: str) -> str:
    """Return what goes to one process as a whole: a group, a module or a test."""
    module = nodeid.partition("::")[0]
    return group_of(module) or (module if shares(module) else nodeid)


@lru_cache(maxsize=1_000)
def shares(module: str) -> bool:
    """Return whether a test module makes something once for all of its tests."""
    return 'scope="module"' in (ROOT / module).read_text(encoding="utf-8")


@lru_cache(maxsize=1_000)
def group_of(module: str) -> str:
    """Return the group that a test module names; "" if it names none.

    Args:
        module: Path from the root of the project.
    """
    found = _GROUP.search((ROOT / module).read_text(encoding="utf-8"))
    return found[1] if found else ""
