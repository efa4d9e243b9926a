"""A queue in which callers take turns: many things of one delay another's by one place."""

from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns(Generic[T]):
    """Things in the order in which they are taken; whoever uses it holds a lock.

    >>> turns = Turns[str]()
    >>> for caller, thing in ((1, "a"), (1, "b"), (1, "c"), (2, "x")):
    ...     turns.add(caller, thing)
    >>> [turns.take() for _ in range(len(turns))]
    ['a', 'x', 'b', 'c']
    """

    def __init__(self) -> None:
        """Begin without any."""
        self._waiting: OrderedDict[int, deque[T]] = OrderedDict()

    def add(self, caller_id: int, thing: T) -> None:
        """Put a thing behind the caller's others.

        Args:
            caller_id: Whose turn it takes.
            thing: What waits.
        """
        self._waiting.setdefault(caller_id, deque()).append(thing)

    def take(self) -> T:
        """Return the first thing of the caller whose turn it is, who then stands last.

        Raises:
            LookupError: Nothing waits.
        """
        caller_id, things = next(iter(self._waiting.items()), (0, deque[T]()))
        thing = things.popleft()
        self._waiting.pop(caller_id)
        if things:
            self._waiting[caller_id] = things
        return thing

    def remove(self, thing: T) -> bool:
        """Take a thing out; False when it does not wait."""
        for caller_id, things in self._waiting.items():
            if thing in things:
                things.remove(thing)
                if not things:
                    del self._waiting[caller_id]
                return True
        return False

    def clear(self) -> list[T]:
        """Take everything out and return it."""
        waiting = list(self)
        self._waiting.clear()
        return waiting

    def __iter__(self) -> Iterator[T]:
        """Yield what waits, caller by caller."""
        for things in self._waiting.values():
            yield from things

    def __len__(self) -> int:
        """Return how much waits."""
        return sum(map(len, self._waiting.values()))
