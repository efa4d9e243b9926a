"""A run in the hands of this process."""

import threading
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
    cancelled: bool = False
    interrupted: bool = False
    """Ended because the process shuts down; whoever comes next goes on with it."""
