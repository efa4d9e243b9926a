"""The memory of a served instance: garbage is collected now and then, and given back.

Streamlit would collect all garbage after every script, which stops every thread for as long as
the whole heap takes to look through: with thirty pages at once that is most of their time. Here
it is done once for all scripts that ran meanwhile, only when the process has grown, and what was
freed goes back to the system.
"""

import ctypes
import gc
import threading
from pathlib import Path

EVERY_S = 5.0
GROWN_MB = 24.0
LARGE_LOOKS = 12
"""A process that stays larger than it began is looked through at every so many looks: sessions
of browsers that left end later, without any growth."""
_ARENA_MAX = -8
_ARENAS = 2


class MemoryCare:
    """Collects and gives back memory when the process has grown since the last time."""

    def __init__(self, *, every_s: float = EVERY_S) -> None:
        """Begin to watch.

        Args:
            every_s: Seconds from one look to the next.
        """
        self._library = _find_allocator()
        if self._library is not None:
            self._library.mallopt(_ARENA_MAX, _ARENAS)
        gc.freeze()  # what the start has imported is no garbage: a look through it takes .15 s
        self._stopped = threading.Event()
        self._every_s = every_s
        self._thread = threading.Thread(target=self._work, daemon=True, name="memory")
        self._thread.start()

    def stop(self) -> None:
        """End it."""
        self._stopped.set()
        self._thread.join()

    def _work(self) -> None:
        first_mb = kept_mb = resident_mb()
        looks = 0
        while not self._stopped.wait(self._every_s):
            looks += 1
            has_grown = resident_mb() - kept_mb >= GROWN_MB
            is_large = resident_mb() - first_mb >= GROWN_MB and looks % LARGE_LOOKS == 0
            if has_grown or is_large:
                self._give_back()
                kept_mb = resident_mb()

    def _give_back(self) -> None:
        gc.collect()
        if self._library is not None:
            self._library.malloc_trim(0)


def resident_mb() -> float:
    """Return the memory that this process holds, in MB; 0 where the system does not tell."""
    try:
        status = Path("/proc/self/statm").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return int(status.split()[1]) * 4096 / 1e6


def _find_allocator() -> ctypes.CDLL | None:
    """Return the C library where it is one whose allocator gives memory back when asked."""
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None
