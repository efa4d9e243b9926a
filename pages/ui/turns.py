"""Few results are drawn at once: more threads would only take the interpreter from each other.

Thirty pages that compute together each wait for all the others, and so does everything else that
the process answers; one after the other they end sooner, and a sign of life is given meanwhile.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PLACES = 2
PATIENCE_S = 10.0
"""A page that has waited so long begins all the same: another one may be waiting for a child."""

_places = threading.BoundedSemaphore(PLACES)


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a place to draw in, and give it back."""
    has_place = _places.acquire(timeout=PATIENCE_S)
    try:
        yield
    finally:
        if has_place:
            _places.release()
