"""`./test --bench structures`: the whole table of targets of the compound map, in one command.

Recognition beside OSRA alone on the same images; probabilities fixed on one half of the images and
judged on the other half and on molecules rendered with a scan's noise; boxes of scanned pages;
replayed patent records; ChemDraw files; ink against altered structures; pairs beside FPSim2.
Single rows: `python -m tests.benchmarks.structures [--seed 1] [ROW ...]`.
"""

import argparse
import csv
import json
import os
import random
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np

from core.chemistry.chemdraw import read_drawing
from core.chemistry.drawing_batch import read_batch
from core.chemistry.evidenced import Evidenced, read_evidenced
from core.chemistry.pages import read_pages
from core.chemistry.proof import check_drawing
from core.chemistry.recognition import Recognized, Setting, has_osra, read_picture
from core.chemistry.segmentation import find_structures
from core.chemistry.similarity import find_pairs, read_fingerprints
from core.chemistry.structures import read_structure
from tests.benchmarks import map_replay, role_reading
from tests.benchmarks.reliability import show_held_out, show_reliability
from tests.benchmarks.targets import Table, say
from tests.core.chemistry.drawn import KINDS, alter, draw_scan

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
HAND_COUNTS = (19, 22, 23, 18, 20)
N_DRAWN = 200
MUST_GAIN, MUST_BOXES, MUST_CAUGHT, MOST_ALARMS = 4, 0.94, 0.8, 0.05
N_FILES, N_CROPS = 58, 240
MOST_TWENTY_S, MOST_CROPS_S, MOST_PAIRS_S = 10, 120, 3


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
    return read_picture(picture, (Setting(),))


def read_all(pictures: Sequence[np.ndarray], read: Read) -> list[Recognized | Evidenced]:
    """Read pictures by two workers."""
    with ThreadPoolExecutor(2) as workers:
        return list(workers.map(read, pictures))


def show_recognition(table: Table, _seed: int) -> None:
    """Recognize the reference images by OSRA alone and as the agent does."""
    exact: dict[str, list[float]] = {}
    n_false: dict[str, int] = {}
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
            exact.setdefault(label, []).append(100 * float(np.mean(chosen)))
        false = sum(
            bool(one.smiles)
            for one, row in zip(found, truth, strict=True)
            if row["kind"] != "molecule"
        )
        n_false[label] = false
        say(
            f"{label:<14}exact all/CLEF/JPO {' / '.join(shares)} %, "
            f"generic read as compound {false}, {took_s:.0f} s for {len(pictures)}"
        )
    gain = exact["agent"][0] - exact["OSRA alone"][0]
    table.add(
        "recognition, exact InChIKey above OSRA alone",
        f"{gain:+.1f} points ({' / '.join(f'{one:.1f}' for one in exact['agent'])} %)",
        "+4 points",
        "+10 points",
        gain >= MUST_GAIN,
    )
    table.add(
        "false compounds on generic drawings", str(n_false["agent"]), "0", "0", not n_false["agent"]
    )
    molecules = [
        (one, right)
        for one, right, row in zip(found, rights, truth, strict=True)
        if row["kind"] == "molecule" and isinstance(one, Evidenced)
    ]
    show_held_out(table, molecules)
    show_reliability(table, "reference", molecules)


def is_right(smiles: str, truth: str) -> bool:
    """Return whether an answer's parent is the truth's."""
    wanted = read_structure(truth).inchikey
    return bool(smiles) and bool(wanted) and read_structure(smiles).inchikey == wanted


def show_rendered(table: Table, seed: int) -> None:
    """Read molecules rendered with a scan's noise."""
    pool = drawn_pool()
    draw = random.Random(seed)
    scans = [draw_scan(draw.choice(pool), draw) for _ in range(N_DRAWN)]
    found = read_all([scan.picture for scan in scans], read_evidenced)
    rights = [is_right(one.smiles, scan.smiles) for one, scan in zip(found, scans, strict=True)]
    n_read = sum(bool(one.smiles) for one in found)
    say(f"rendered, seed {seed}: {n_read} read, exact {100 * np.mean(rights):.1f} %")
    show_reliability(
        table,
        f"rendered (seed {seed})",
        [
            (one, right)
            for one, right in zip(found, rights, strict=True)
            if isinstance(one, Evidenced)
        ],
    )


def show_ink(table: Table, seed: int) -> None:
    """Lay right and altered structures over their pictures."""
    pool = drawn_pool()
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
    share, alarms = sum(caught.values()) / N_DRAWN, n_alarms / N_DRAWN
    say(f"ink, seed {seed}: {parts}")
    table.add(
        f"{N_DRAWN} altered structures caught by their ink, false alarms",
        f"{100 * share:.1f} %, {100 * alarms:.1f} %",
        ">= 80 % at <= 5 %",
        "more",
        share >= MUST_CAUGHT and alarms <= MOST_ALARMS,
    )


def korean_pages() -> list[list[np.ndarray]]:
    """Return the crops of each Korean page."""
    content = (REFERENCE / "patents" / "KR102075885B1_pages_10-14.pdf").read_bytes()
    return [
        [box.cut(page.image) for box in find_structures(page.image)] for page in read_pages(content)
    ]


def show_pages(table: Table, _seed: int) -> None:
    """Count boxes of the scanned pages."""
    counts = [len(page) for page in korean_pages()]
    wrong = sum(abs(found - told) for found, told in zip(counts, HAND_COUNTS, strict=True))
    share = 1 - wrong / sum(HAND_COUNTS)
    table.add(
        "boxes of the Korean pages against hand counts",
        f"{100 * share:.1f} % ({counts}, by hand {list(HAND_COUNTS)})",
        ">= 94 %",
        ">= 98 %",
        share >= MUST_BOXES,
    )


def show_records(table: Table, _seed: int) -> None:
    """Replay the patent records through the agent."""
    found = map_replay.replay()
    for name in ("KRAS", "NLRP3"):
        one = found[name]
        table.add(
            f"{name} replayed: claimed kept; dummy atoms; repeated InChIKeys",
            f"{one.kept} of {one.claimed}; {one.dummies}; {one.repeated}",
            "all; 0; 0",
            "same",
            one.kept == one.claimed and not one.dummies and not one.repeated,
        )
    twenty = found[map_replay.TWENTY]
    table.add(
        "20 US documents with attachments, anew; again",
        f"{twenty.took_s:.1f} s ({twenty.cpu_s:.1f} s of one core); {twenty.again_s:.1f} s "
        f"({twenty.again_cpu_s:.1f} s of one core); {twenty.compounds} compounds",
        "10 s",
        "5 s",
        twenty.took_s <= MOST_TWENTY_S,
    )
    same = all(one.is_same for one in found.values())
    table.add("same seed, same bytes, files too", str(same), "yes", "yes", same)


def show_files(table: Table, _seed: int) -> None:
    """Read the ChemDraw files, each in the child that reads files from outside."""
    paths = sorted((REFERENCE / "patents" / "cdx").glob("*.cdx"))
    contents = {path.name: path.read_bytes() for path in paths}
    apart = read_batch(contents)
    found = {name: read_drawing(content) for name, content in contents.items()}
    same = sum(len(apart.get(name, ())) == len(drawn) for name, drawn in found.items())
    table.add(
        "CDX files read without a crash",
        f"{same} of {len(paths)} ({sum(not drawn for drawn in found.values())} hold no molecule)",
        "58 of 58",
        "same",
        same == len(paths) == N_FILES,
    )


def children_s() -> float:
    """Return the seconds of a core that programs took so far."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def show_crops(table: Table, _seed: int) -> None:
    """Read 240 crops at one setting by two workers: of the Korean pages, and reference images."""
    crops = [crop for page in korean_pages() for crop in page]
    for path in sorted((REFERENCE / "ocsr" / "images").iterdir()):
        crops.append(np.asarray(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)))
    began, spent = time.perf_counter(), children_s()
    found = read_all(crops[:N_CROPS], read_alone)
    took_s, cpu_s = time.perf_counter() - began, children_s() - spent
    table.add(
        f"{len(found)} crops at one setting, two workers",
        f"{took_s:.0f} s ({cpu_s:.0f} s of one core, {sum(bool(one.smiles) for one in found)} "
        "answered)",
        "120 s",
        "60 s",
        took_s <= MOST_CROPS_S and len(found) == N_CROPS,
    )


def show_pairs(table: Table, _seed: int) -> None:
    """Find the pairs of 10,000 compounds, beside FPSim2 on the same fingerprints' molecules."""
    pool = drawn_pool()
    texts = (list(pool) * (10_000 // len(pool) + 1))[:10_000]
    prints = read_fingerprints(texts)
    began = time.process_time()
    found = find_pairs(prints)
    took_s = time.process_time() - began
    table.add(
        "10,000 x 10,000 pairs at .7",
        f"{took_s:.2f} s ({len(found):,} pairs)",
        "3 s",
        "1.5 s",
        took_s <= MOST_PAIRS_S,
    )
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


ROWS: dict[str, Callable[[Table, int], None]] = {
    "replay": show_records,
    "roles": role_reading.show_roles,
    "files": show_files,
    "pages": show_pages,
    "pairs": show_pairs,
    "ink": show_ink,
    "crops": show_crops,
    "recognition": show_recognition,
    "rendered": show_rendered,
}
NEED_OSRA = frozenset({"crops", "recognition", "rendered"})


def main(rows: Sequence[str] = (), seed: int = 1) -> None:
    """Print the table.

    Args:
        rows: Names of rows; none: all.
        seed: Of what is drawn by lot.
    """
    if not REFERENCE.is_dir():
        say("no reference data: structures are left out")
        return
    table = Table()
    for name in rows or ROWS:
        if name in NEED_OSRA and not has_osra():
            say(f"no OSRA: {name} is left out")
            continue
        began = time.perf_counter()
        ROWS[name](table, seed)
        say(f"-- {name} took {time.perf_counter() - began:.0f} s")
    say(f"\nseed {seed}")
    table.show()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="*", choices=[[], *ROWS])
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    main(given.rows, given.seed)
