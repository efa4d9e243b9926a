"""A run in the hands of this process."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from core.execution.child import Job


@dataclass(eq=False)
class Held:
    """A run that this process holds, from submission to its final state."""

    job: Job
    allowance_s: float
    deadline: float
    ended: threading.Event = field(default_factory=threading.Event)
    calls: list[Callable[[], None]] = field(default_factory=list)
    future: Any = None
    began: float | None = None
    """When its child was forked, by a clock that nobody sets."""
    cancelled: bool = False
    interrupted: bool = False
    """Ended because the process shuts down; whoever comes next goes on with it."""

    def elapsed_s(self) -> float | None:
        """Return for how long it has been at work; None while it waits."""
        return None if self.began is None else time.monotonic() - self.began
