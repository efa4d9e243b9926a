"""A test over a table of cases: one test, one message that names every row that fails.

Evaluation sets are sampled here: `./test` takes rows by a seed that it prints, `./test --bench
sets` takes them all.
"""

import inspect
import os
import random
from collections.abc import Callable, Iterable
from functools import wraps
from itertools import chain
from traceback import extract_tb
from typing import Any

import pytest

SHOWN = 200
"""Characters of a value that a message shows."""
SEED = int(os.environ.get("BPW_SAMPLE_SEED", "20261129"))
IS_WHOLE = os.environ.get("BPW_WHOLE_SETS") == "1"


def size_of(whole: int, few: int) -> int:
    """Return how many items of an evaluation set are taken: a few, or as many as the whole has."""
    return whole if IS_WHOLE else few


def drawn(rows: Iterable[Any], few: int) -> list[Any]:
    """Return rows of an evaluation set, drawn by the seed and in their order.

    Args:
        rows: The whole set.
        few: Number of rows in the timed suite.
    """
    table = list(rows)
    places = random.Random(SEED).sample(range(len(table)), size_of(len(table), few))
    return [table[place] for place in sorted(places)]


def over_rows(names: str | tuple[str, ...] | list[str], rows: Iterable[Any]) -> Callable[..., Any]:
    """Return a decorator that runs a test with every row and reports all rows that fail.

    For tests whose fixtures are read only: rows share them. Where each row needs its own, use
    `pytest.mark.parametrize`.

    Args:
        names: The arguments that a row fills, as `pytest.mark.parametrize` takes them.
        rows: Tuples of values; plain values where one argument is named.
    """
    if isinstance(names, str):
        filled = [name.strip() for name in names.split(",")]
        single = len(filled) == 1
    else:
        filled, single = list(names), False
    table = [(row,) if single else tuple(row) for row in rows]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @wraps(test)
        def run(**fixtures: Any) -> None:
            assert table, "the table of cases is empty"
            failures = []
            for number, row in enumerate(table, 1):
                values = dict(zip(filled, row, strict=True))
                try:
                    test(**fixtures, **values)
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001
                    failures.append(_describe(number, values, error, test))
            if failures:
                message = "\n".join([f"{len(failures)} of {len(table)} rows fail", *failures])
                pytest.fail(message, pytrace=False)

        others = [one for name, one in signature.parameters.items() if name not in filled]
        assert len(others) + len(filled) == len(signature.parameters), filled
        vars(run)["__signature__"] = signature.replace(parameters=others)
        return run

    return decorate


def _describe(
    number: int, values: dict[str, Any], error: BaseException, test: Callable[..., None]
) -> str:
    """Return the row, the line of the test that failed and the reason."""
    file = inspect.unwrap(test).__code__.co_filename
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == file]
    row = ", ".join(f"{name}={repr(value)[:SHOWN]}" for name, value in values.items())
    reason = str(error).strip().splitlines() or [""]
    head = f"row {number} ({row}), line {lines[-1] if lines else '?'}: {type(error).__name__}: "
    return "\n    ".join(chain([head + reason[0]], reason[1:]))
