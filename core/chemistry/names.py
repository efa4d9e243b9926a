"""Systematic names to structures, through OPSIN where Java is installed.

References:
    Lowe, Corbett, Murray-Rust, Glen 2011, doi 10.1021/ci100384d (OPSIN; the jar comes with the
    package py2opsin, 2.9.0).
"""

import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from core.chemistry.processes import run_tool
from core.errors import ExecutionError

MISSING = "Java is not installed, so no name becomes a structure; Debian: apt-get install "
MISSING += "default-jre-headless"
LONGEST_NAME = 1_000
MOST_NAMES = 5_000
_STARTING_S = 60.0
_EACH_S = 0.05
_MEMORY = ("-Xmx512m", "-XX:-UsePerfData")
_QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""For few names: halves the time in which the process starts."""
_FEW = 1_000


def has_java() -> bool:
    """Return whether names can be read."""
    return shutil.which("java") is not None


def read_names(names: Sequence[str]) -> Mapping[str, str]:
    """Return the SMILES of any number of systematic names, read in portions.

    Args:
        names: As for `try_names`.

    Returns:
        By name; empty where Java is missing.

    Raises:
        ExecutionError: OPSIN failed or ran out of time; no name is taken for one without structure.
    """
    distinct = list(dict.fromkeys(names))
    structures: dict[str, str] = {}
    for start in range(0, len(distinct), MOST_NAMES):
        read = try_names(distinct[start : start + MOST_NAMES])
        if read is None:
            raise ExecutionError("OPSIN did not read the names in time; try again")
        structures.update(read)
    return structures


def try_names(names: Sequence[str]) -> Mapping[str, str] | None:
    """Return the SMILES of systematic names, read in one process.

    Args:
        names: As written; one over 1,000 characters or with a line break is left out, and so are
            names beyond the first 5,000.

    Returns:
        By name; a name without a structure is left out. Empty where Java is missing, which
        `has_java` tells; None where the process failed or ran out of time.
    """
    distinct = [name for name in dict.fromkeys(names) if _is_plain(name)][:MOST_NAMES]
    if not distinct or not has_java():
        return {}
    quick = _QUICK if len(distinct) <= _FEW else ()
    command = ["java", *_MEMORY, *quick, "-jar", str(_find_jar()), "-osmi"]
    text = "\n".join(distinct) + "\n"
    answer = run_tool(command, text, timeout_s=_STARTING_S + _EACH_S * len(distinct))
    if answer is None:
        return None
    lines = answer.split("\n")[: len(distinct)]
    return {name: line.strip() for name, line in zip(distinct, lines, strict=False) if line.strip()}


def _is_plain(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and bool(name.strip())


@cache
def _find_jar() -> str:
    """Return the place of the jar inside its package."""
    folder = files("py2opsin")
    return str(next(entry for entry in folder.iterdir() if entry.name.startswith("opsin-cli")))
