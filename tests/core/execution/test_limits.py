"""What is ended is a child's group, never the machine's first process nor the own group."""

import os

import pytest

from core.execution import limits


@pytest.mark.parametrize("pid", [-1, 0, 1, os.getpgrp(), os.getsid(0)])
def test_no_group_but_a_childs_is_ended(pid: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(limits.os, "killpg", lambda group, _signal: ended.append(group))
    monkeypatch.setattr(limits.os, "kill", lambda one, _signal: ended.append(one))
    limits.kill_group(pid)
    assert ended == []
