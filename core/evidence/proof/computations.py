"""Computations of claims: each registers the function that proves its figures.

A figure names its computation and its inputs; the proof computes it again. A computation of one
agent stands in that agent: `@computation("…")` above its function is all that it takes.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

Proof = Callable[..., float | None]
"""Takes the inputs of a figure, in order; returns its value, None where there is none."""
OneProof = TypeVar("OneProof", bound=Proof)

_PROOFS: dict[str, Proof] = {}


def computation(name: str) -> Callable[[OneProof], OneProof]:
    """Register a function as the proof of a computation.

    Raises:
        ValueError: Another function has the name.
    """

    def register(proof: OneProof) -> OneProof:
        registered = _PROOFS.setdefault(name, proof)
        if (registered.__module__, registered.__qualname__) != (
            proof.__module__,
            proof.__qualname__,
        ):
            raise ValueError(f"computation {name!r} is registered in {registered.__module__}")
        return proof

    return register


def recompute(name: str, inputs: Sequence[str | float]) -> float | None:
    """Return what a computation makes of its inputs; None where it makes nothing of them.

    >>> recompute("share", (41.0, 100.0)), recompute("guess", (1.0,))
    (0.41, None)
    """
    proof = _PROOFS.get(name)
    if proof is None:
        return None
    try:
        return proof(*inputs)
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return None


@computation("count")
def _count(*things: str | float) -> float:
    return float(len({str(item) for item in things}))


@computation("share")
def _share(part: float, whole: float) -> float:
    return part / whole


@computation("sum of squares")
def _sum_of_squares(*numbers: float) -> float:
    return float(sum(number**2 for number in numbers))
