"""Drawings from outside, read in a process of their own.

A damaged ChemDraw file can keep RDKit's reader busy for ever, and no Python code stops it. The
process gets an alarm for each file, which ends it; the file is given up and the others go on.
"""

import json
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from core.chemistry.processes import run_tool

SECONDS_A_FILE = 5
START_S = 60.0
"""Seconds for the start of the process and what the alarm does not cover."""
MOST_GIVEN_UP = 5
"""After so many files that end the process the rest is left unread."""
_ROOT = Path(__file__).resolve().parents[2]
_WORKER = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from core.chemistry.drawing_batch import work; work(sys.argv[2], int(sys.argv[3]))"
)
_RESULTS = "results.jsonl"


class DrawnText(NamedTuple):
    """A molecule of a drawing.

    Attributes:
        smiles: SMILES of the molecule; "" where it cannot be written.
        part: "molecule", "reaction" or "bracketed".
    """

    smiles: str
    part: str


def read_batch(files: Mapping[str, bytes]) -> dict[str, list[DrawnText]]:
    """Return the molecules of drawings by name; what cannot be read is left out.

    Args:
        files: CDX, CDXML or MOL files.
    """
    molecules: dict[str, list[DrawnText]] = {}
    left, given_up = list(files), 0
    while left and given_up <= MOST_GIVEN_UP:
        results = _read_some([files[name] for name in left])
        molecules |= {name: drawn for name, drawn in zip(left, results, strict=False) if drawn}
        given_up += len(results) < len(left)
        left = left[len(results) + 1 :]  # the one after the last result ended the process
    return molecules


def _read_some(contents: Sequence[bytes]) -> list[list[DrawnText]]:
    """Return the molecules of files, up to the first that ends the process."""
    with tempfile.TemporaryDirectory(prefix="bpw-drawings-") as name:
        folder = Path(name)
        for number, content in enumerate(contents):
            (folder / str(number)).write_bytes(content)
        arguments = (str(_ROOT), name, str(SECONDS_A_FILE))
        command = [sys.executable, "-I", "-c", _WORKER, *arguments]
        run_tool(command, timeout_s=START_S + SECONDS_A_FILE * len(contents), folder=folder)
        results = folder / _RESULTS
        text = results.read_text("utf-8") if results.exists() else ""
    lines = text.splitlines(keepends=True)
    answers = [json.loads(line) for line in lines if line.endswith("\n")]
    return [[DrawnText(smiles, kind) for smiles, kind in answer] for answer in answers]


def work(folder: str, seconds: int) -> None:
    """Read the numbered files of a folder in order; for the process alone.

    Args:
        folder: Where they lie, and where the results go.
        seconds: For one file.
    """
    from core.chemistry.chemdraw import read_drawing  # noqa: PLC0415 - RDKit is for the process

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with (Path(folder) / _RESULTS).open("w", encoding="utf-8") as results:
        number = 0
        while (path := Path(folder) / str(number)).exists():
            signal.alarm(seconds)
            drawn = read_drawing(path.read_bytes())
            signal.alarm(0)
            lines = [(molecule.structure.smiles, molecule.part) for molecule in drawn]
            results.write(json.dumps(lines) + "\n")
            results.flush()
            number += 1
