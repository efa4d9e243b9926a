"""`python -m api structures crop|read`: two steps of the compound map that people need alone."""

import argparse
import csv
import io
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.cli_accounts import opened
from core.errors import InvalidInput
from core.evidence.names.identity.resolver import Resolver
from core.settings import Settings

BOX_COLUMNS = ("file", "page", "x0", "y0", "x1", "y1", "crop")
READ_COLUMNS = ("image", "smiles", "confidence", "seconds")
DRUG_COLUMNS = ("name", "drug", "key", "systematic_name", "smiles", "inchikey")
WORKERS = 2
TELL_EVERY_S = 5.0


def add_commands(commands: Any) -> None:
    """Add the parsers of `structures`."""
    structures = commands.add_parser("structures", help="drawn structures").add_subparsers(
        required=True
    )
    crop = structures.add_parser("crop", help="find the drawn structures of PDF pages")
    crop.add_argument("files", nargs="+", type=Path, metavar="PDF")
    crop.add_argument("--output", required=True, type=Path, help="table of the boxes, CSV")
    crop.add_argument("--crops", required=True, type=Path, help="folder for the pictures")
    crop.set_defaults(command=crop_pages)
    read = structures.add_parser("read", help="read pictures of one structure each")
    read.add_argument("images", nargs="+", type=Path, metavar="IMAGE")
    read.add_argument("--output", required=True, type=Path, help="table of the answers, CSV")
    read.add_argument("--quick", action="store_true", help="one setting instead of a vote")
    read.add_argument(
        "--resume",
        action="store_true",
        help="go on with the table that an ended run of the same pictures left",
    )
    read.set_defaults(command=read_images)
    drugs = structures.add_parser("drugs", help="draw drugs from their systematic names")
    drugs.add_argument("names", nargs="+", metavar="NAME")
    drugs.set_defaults(command=draw_drugs)


def crop_pages(chosen: argparse.Namespace, settings: Settings) -> None:
    """Write the boxes of all pages, and a picture of each."""
    chosen.crops.mkdir(parents=True, exist_ok=True)
    rows = [row for path in chosen.files for row in _crop_file(path, chosen.crops)]
    _write(chosen.output, BOX_COLUMNS, rows)
    sys.stderr.write(f"{len(rows)} structures\n")


def _crop_file(path: Path, folder: Path) -> Iterator[tuple[object, ...]]:
    """Yield the boxes of a file and write its crops."""
    import cv2

    from core.chemistry.pages import LeftOut, read_pages
    from core.chemistry.segmentation import find_structures

    left_out = LeftOut()
    for page in read_pages(path.read_bytes(), left_out=left_out):
        for number, box in enumerate(find_structures(page.image), start=1):
            name = f"{path.stem}_p{page.number:04d}_{number:03d}.png"
            cv2.imwrite(str(folder / name), box.cut(page.image))
            yield path.name, page.number, box.x0, box.y0, box.x1, box.y1, name
    if left_out:
        sys.stderr.write(f"{path.name}: {left_out.say()}\n")


def read_images(chosen: argparse.Namespace, settings: Settings) -> None:
    """Write what each picture shows; no answer is an empty cell."""
    from core.chemistry.recognition import MISSING, has_osra

    if not has_osra():
        raise InvalidInput(MISSING)
    rows = _read_held(chosen.output, chosen.images) if chosen.resume else []
    if not rows:
        _write(chosen.output, READ_COLUMNS, [])
    n_answers = sum(bool(row[1]) for row in rows)
    progress = Progress(len(rows), len(chosen.images))
    with (
        chosen.output.open("a", encoding="utf-8", newline="") as text,
        ThreadPoolExecutor(WORKERS) as workers,
    ):
        table = csv.writer(text, lineterminator="\n")
        left = chosen.images[len(rows) :]
        for row in workers.map(lambda path: _read_file(path, chosen.quick), left):
            table.writerow(row)
            text.flush()
            n_answers += bool(row[1])
            progress.step()
    sys.stderr.write(f"{n_answers} of {len(chosen.images)} pictures read\n")


@dataclass
class Progress:
    """Tells how far a list of pictures is read, every few seconds.

    Attributes:
        done: Pictures read, those of an earlier run too.
        total: All pictures.
    """

    done: int
    total: int

    def __post_init__(self) -> None:
        """Begin to count."""
        self._began = self._told = time.monotonic()
        self._first = self.done

    def step(self) -> None:
        """Count one picture more."""
        self.done += 1
        now = time.monotonic()
        if now - self._told < TELL_EVERY_S:
            return
        self._told = now
        each = (now - self._began) / (self.done - self._first)
        left = round(each * (self.total - self.done))
        sys.stderr.write(
            f"{self.done} of {self.total} pictures, {each:.1f} s each, {left} s left\n"
        )
        sys.stderr.flush()


def _read_held(output: Path, images: Sequence[Path]) -> list[list[str]]:
    """Return the whole rows that an ended run left, and cut what it wrote of one more.

    Raises:
        InvalidInput: The table is none of these pictures.
    """
    if not output.exists():
        return []
    body = output.read_bytes()
    complete = body[: body.rfind(b"\n") + 1]
    head, *rows = (
        csv.reader(io.StringIO(complete.decode("utf-8", "replace"))) if complete else ([],)
    )
    names = [row[0] for row in rows if row]
    is_ours = not complete or tuple(head) == READ_COLUMNS
    if not is_ours or names != [path.name for path in images[: len(names)]]:
        raise InvalidInput(
            f"{output.name} is no table of these pictures in this order, so it cannot be gone on "
            "with; name another --output, or leave out --resume to write it anew"
        )
    if complete != body:
        output.write_bytes(complete)
    return rows


def _read_file(path: Path, is_quick: bool) -> tuple[object, ...]:
    """Return the row of one picture."""
    import cv2
    import numpy as np

    from core.chemistry.evidenced import Evidenced, read_evidenced
    from core.chemistry.recognition import SETTINGS, Recognized, read_picture

    picture = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    if picture is None:
        raise InvalidInput(f"{path.name} is no readable picture; send PNG, TIFF or JPEG")
    gray = np.asarray(picture, dtype=np.uint8)
    began = time.monotonic()
    recognition: Recognized | Evidenced = (
        read_picture(gray, SETTINGS[:1]) if is_quick else read_evidenced(gray)
    )
    confidence = f"{recognition.probability:.3f}" if recognition.smiles else ""
    return path.name, recognition.smiles, confidence, f"{time.monotonic() - began:.2f}"


def draw_drugs(chosen: argparse.Namespace, settings: Settings) -> None:
    """Print the structure of each drug; empty cells mean no structure."""
    from core.chemistry.names import MISSING, has_java
    from core.evidence.names.identity.drug_structures import read_drug_structures

    with opened(settings) as stores:
        resolver = Resolver(stores.identity, stores.learned_names)
        drug_structures = read_drug_structures(chosen.names, resolver, stores.identity)
    if not has_java():
        sys.stderr.write(f"{MISSING}\n")
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(DRUG_COLUMNS)
    for drug in drug_structures:
        table.writerow(
            (drug.asked, drug.drug, drug.key, drug.systematic_name, drug.smiles, drug.inchikey)
        )


def _write(path: Path, columns: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as text:
        table = csv.writer(text, lineterminator="\n")
        table.writerow(columns)
        table.writerows(rows)
