"""`./test --bench structures`: pictures, pages, files and likeness, in the figures of the targets.

Recognition beside OSRA alone on the same images; probabilities fixed on one half of the images and
judged on the other half and on molecules rendered with a scan's noise; boxes of scanned pages;
replayed patent records; ChemDraw files; ink against altered structures; pairs beside FPSim2.
`PYTHONPATH=. python tests/benchmarks/structures.py pictures [SEED]` prints recognition alone.
"""

import csv
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np

from core.chemistry.chemdraw import read_drawing
from core.chemistry.evidenced import Evidenced, read_evidenced
from core.chemistry.pages import read_pages
from core.chemistry.proof import check_drawing
from core.chemistry.recognition import ALONE, Recognized, has_osra, read_picture
from core.chemistry.segmentation import find_structures
from core.chemistry.similarity import find_pairs, read_fingerprints
from core.chemistry.structures import read_structure
from tests.benchmarks import map_replay
from tests.core.chemistry.drawn import KINDS, alter, draw_scan

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
HAND_COUNTS = (19, 22, 23, 18, 20)
N_DRAWN = 200
SURE = 0.95


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def drawn_pool() -> list[str]:
    """Return the molecules of the replayed patent records, in order."""
    texts = {text for document in read_records() for text, _ in strings_of(document)}
    found = (read_structure(text) for text in sorted(texts))
    return sorted({one.smiles for one in found if one.verdict == "molecule"})


def read_records(name: str = "*") -> list[dict[str, object]]:
    """Return the documents of the replayed records."""
    paths = sorted((REFERENCE / "patents").glob(f"us_2024_{name}.json"))
    return [document for path in paths for document in json.loads(path.read_text())]


def strings_of(document: dict[str, object]) -> list[tuple[str, str]]:
    """Return the strings of a document with their sections."""
    return [
        (text.split(" ", 1)[0], file["section"])
        for file in document["external_files"]
        for text in file["compounds"]
    ]


Read = Callable[[np.ndarray], Recognized | Evidenced]


def read_alone(picture: np.ndarray) -> Recognized:
    """Read a picture by OSRA as it is."""
    return read_picture(picture, ALONE)


def read_all(pictures: Sequence[np.ndarray], read: Read) -> list[Recognized | Evidenced]:
    """Read pictures by two workers."""
    with ThreadPoolExecutor(2) as workers:
        return list(workers.map(read, pictures))


def show_recognition() -> None:
    """Recognize the reference images by OSRA alone and as the agent does."""
    folder = REFERENCE / "ocsr"
    with (folder / "truth.csv").open(newline="") as text:
        truth = list(csv.DictReader(text))
    pictures = [
        np.asarray(cv2.imread(str(folder / "images" / row["image"]), cv2.IMREAD_GRAYSCALE))
        for row in truth
    ]
    ways: tuple[tuple[str, Read], ...] = (("OSRA alone", read_alone), ("agent", read_evidenced))
    for label, read in ways:
        began = time.perf_counter()
        found = read_all(pictures, read)
        took_s = time.perf_counter() - began
        rights = [
            is_right(one.smiles, row["smiles"]) for one, row in zip(found, truth, strict=True)
        ]
        shares = []
        for name in ("", "CLEF", "JPO"):
            chosen = [
                right
                for right, row in zip(rights, truth, strict=True)
                if row["kind"] == "molecule" and row["set"].startswith(name)
            ]
            shares.append(f"{100 * np.mean(chosen):.1f}")
        false = sum(
            bool(one.smiles)
            for one, row in zip(found, truth, strict=True)
            if row["kind"] != "molecule"
        )
        say(
            f"{label:<14}exact all/CLEF/JPO {' / '.join(shares)} %, "
            f"generic read as compound {false}, {took_s:.0f} s for {len(pictures)}"
        )
    molecules = [row["kind"] == "molecule" for row in truth]
    show_reliability("reference", found, rights, molecules)


def is_right(smiles: str, truth: str) -> bool:
    """Return whether an answer's parent is the truth's."""
    wanted = read_structure(truth).inchikey
    return bool(smiles) and bool(wanted) and read_structure(smiles).inchikey == wanted


def show_reliability(
    name: str,
    found: Sequence[Recognized | Evidenced],
    rights: Sequence[bool],
    counted: Sequence[bool],
) -> None:
    """Show how often what was said holds, and thresholds fixed on one half, judged on the other."""
    rows = [
        (one.probability, right)
        for one, right, is_counted in zip(found, rights, counted, strict=True)
        if is_counted
    ]
    random.Random(1).shuffle(rows)
    first, second = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    for place, (fixed, judged) in enumerate(((first, second), (second, first)), start=1):
        levels = sorted({one for one, _ in fixed if one > 0}, reverse=True)
        good = [level for level in levels if precision(fixed, level)[0] >= SURE]
        for level in good[-1:]:
            share, coverage = precision(judged, level)
            say(
                f"{name}: probability >= {level:.3f} fixed on half {place}, on the other "
                f"{len(judged)}: precision {share:.3f} at coverage {coverage:.2f}"
            )
    for place, half in enumerate((first, second), start=1):
        share, coverage = precision(half, SURE)
        say(f"{name}, half {place}: said >= .95: precision {share:.3f} at coverage {coverage:.2f}")
    for said in sorted({one for one, _ in rows if one > 0}):
        held = [right for one, right in rows if one == said]
        say(f"{name}: said {said:.3f}, right {np.mean(held):.3f} (n = {len(held)})")


def precision(rows: Sequence[tuple[float, bool]], level: float) -> tuple[float, float]:
    """Return the share right among answers of a probability, and the share answered."""
    chosen = [right for said, right in rows if said >= level]
    return (float(np.mean(chosen)) if chosen else 0.0), len(chosen) / len(rows)


def show_rendered(pool: Sequence[str], seed: int) -> None:
    """Read molecules rendered with a scan's noise."""
    draw = random.Random(seed)
    scans = [draw_scan(draw.choice(pool), draw) for _ in range(N_DRAWN)]
    found = read_all([scan.picture for scan in scans], read_evidenced)
    rights = [is_right(one.smiles, scan.smiles) for one, scan in zip(found, scans, strict=True)]
    n_read = sum(bool(one.smiles) for one in found)
    say(f"rendered, seed {seed}: {n_read} read, exact {100 * np.mean(rights):.1f} %")
    show_reliability("rendered", found, rights, [True] * N_DRAWN)


def show_ink(pool: Sequence[str], seed: int) -> None:
    """Lay right and altered structures over their pictures."""
    draw = random.Random(seed)
    small = [smiles for smiles in pool if read_structure(smiles).heavy_atoms <= 45]
    caught = dict.fromkeys(KINDS, 0)
    n_done = n_alarms = 0
    while n_done < N_DRAWN:
        scan = draw_scan(draw.choice(small), draw)
        kind = KINDS[n_done % len(KINDS)]
        altered = alter(scan.drawing, kind, draw)
        if altered is None:
            continue
        n_done += 1
        n_alarms += bool(check_drawing(scan.picture, scan.drawing))
        caught[kind] += bool(check_drawing(scan.picture, altered))
    each = N_DRAWN // len(KINDS)
    parts = ", ".join(f"{kind} {count}/{each}" for kind, count in caught.items())
    say(
        f"ink, seed {seed}: altered and caught {100 * sum(caught.values()) / N_DRAWN:.1f} % "
        f"({parts}), false alarms {100 * n_alarms / N_DRAWN:.1f} %"
    )


def show_pages() -> None:
    """Count boxes of the scanned pages."""
    content = (REFERENCE / "patents" / "KR102075885B1_pages_10-14.pdf").read_bytes()
    counts = [len(find_structures(page.image)) for page in read_pages(content)]
    say(f"boxes of the Korean pages {counts}, by hand {list(HAND_COUNTS)}")


def show_records() -> None:
    """Replay the patent records."""
    for name in ("KRAS", "NLRP3"):
        began = time.process_time()
        documents = read_records(name)
        found = [
            (read_structure(text), section)
            for document in documents
            for text, section in strings_of(document)
        ]
        kept = [(one, section) for one, section in found if one.verdict == "molecule"]
        keys = {one.inchikey for one, _ in kept}
        claimed = {one.inchikey for one, section in kept if section == "claims"}
        dummies = sum("*" in one.smiles for one, _ in kept)
        say(
            f"{name}: {len(found)} strings of {len(documents)} documents, {len(keys)} molecules,"
            f" {len(claimed)} claimed, {dummies} with dummy atoms, "
            f"{time.process_time() - began:.1f} s"
        )


def show_files() -> None:
    """Read the ChemDraw files."""
    paths = sorted((REFERENCE / "patents" / "cdx").glob("*.cdx"))
    found = [read_drawing(path.read_bytes()) for path in paths]
    say(
        f"ChemDraw: {len(found)} of {len(paths)} read without a crash, "
        f"{sum(not drawn for drawn in found)} without a molecule"
    )


def show_pairs(pool: Sequence[str]) -> None:
    """Find the pairs of 10,000 compounds, beside FPSim2 on the same fingerprints' molecules."""
    texts = (list(pool) * (10_000 // len(pool) + 1))[:10_000]
    prints = read_fingerprints(texts)
    began = time.process_time()
    found = find_pairs(prints)
    say(f"pairs of 10,000 at .7: {len(found)}, {time.process_time() - began:.2f} s")
    show_fpsim2(texts)


def show_fpsim2(texts: Sequence[str]) -> None:
    """Time FPSim2's symmetric matrix."""
    try:
        from FPSim2 import FPSim2Engine
        from FPSim2.io import create_db_file
    except ImportError:
        say("FPSim2 is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/prints.h5"
        rows = [[text, number] for number, text in enumerate(texts)]
        create_db_file(
            mols_source=rows,
            filename=path,
            mol_format="smiles",
            fp_type="Morgan",
            fp_params={"radius": 2, "fpSize": 2048},
        )
        engine = FPSim2Engine(path)
        began = time.process_time()
        matrix = engine.symmetric_distance_matrix(0.7, n_workers=1)
        say(f"FPSim2: {matrix.nnz // 2} pairs, {time.process_time() - began:.2f} s")


def main(seed: int = 1) -> None:
    """Print everything."""
    if not REFERENCE.is_dir():
        say("no reference data: structures are left out")
        return
    map_replay.main()
    pool = drawn_pool()
    steps: list[Callable[[], None]] = [show_records, show_files, show_pages]
    for step in steps:
        step()
    show_pairs(pool)
    show_ink(pool, seed)
    show_pictures(pool, seed)


def show_pictures(pool: Sequence[str], seed: int) -> None:
    """Recognize the reference images and rendered molecules."""
    if not has_osra():
        say("no OSRA: pictures are left out")
        return
    show_recognition()
    show_rendered(pool, seed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["pictures"]:
        show_pictures(drawn_pool(), *(map(int, sys.argv[2:3] or ["1"])))
    else:
        main(*(int(text) for text in sys.argv[1:2]))
