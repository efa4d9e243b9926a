"""The two steps of the compound map that people also need alone."""

import csv
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image
from rdkit import Chem
from rdkit.Chem import Draw

from api import cli_structures
from api.cli import main
from core.chemistry import evidenced, recognition
from core.chemistry.evidenced import Evidenced
from core.chemistry.recognition import Recognized
from tests.core.chemistry.hostile_pdf import missing_page, self_drawing

SMILES = "CC(=O)Nc1ccc(O)cc1"


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """Return a PDF page with two drawings."""
    page = np.full((1200, 900), 255, np.uint8)
    for top in (100, 700):
        drawn = Draw.MolToImage(Chem.MolFromSmiles(SMILES), size=(400, 300)).convert("L")
        page[top : top + 300, 200:600] = np.asarray(drawn)
    path = tmp_path / "page.pdf"
    Image.fromarray(page).save(path, "PDF", resolution=150)
    return path


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_crop_writes_boxes_and_pictures(sheet, tmp_path):
    output, crops = tmp_path / "boxes.csv", tmp_path / "crops"
    command = ["structures", "crop", str(sheet), "--output", str(output), "--crops", str(crops)]
    assert main(command) == 0
    rows = read_rows(output)
    assert list(rows[0]) == ["file", "page", "x0", "y0", "x1", "y1", "crop"]
    assert [(row["file"], row["page"]) for row in rows] == [("page.pdf", "1")] * 2
    for row in rows:
        picture = cv2.imread(str(crops / row["crop"]), cv2.IMREAD_GRAYSCALE)
        assert picture is not None
        assert picture.shape[1] >= int(row["x1"]) - int(row["x0"])


def test_crop_says_what_is_no_pdf(tmp_path, capsys):
    path = tmp_path / "notes.pdf"
    path.write_text("no page")
    output = str(tmp_path / "o.csv")
    assert (
        main(["structures", "crop", str(path), "--output", output, "--crops", str(tmp_path)]) == 1
    )
    assert "PDF" in capsys.readouterr().err


def write_pictures(folder: Path) -> list[str]:
    """Write two pictures and return their paths."""
    paths = [str(folder / f"{height}.png") for height in (40, 50)]
    for path, height in zip(paths, (40, 50), strict=True):
        cv2.imwrite(path, np.full((height, 60), 255, np.uint8))
    return paths


def test_read_writes_a_row_a_picture_with_the_probability_of_its_proof(tmp_path, monkeypatch):
    answers = {
        40: Evidenced(SMILES, 0.957, 1.0, (), is_checked=True, picture=b"", fit="clean"),
        50: Evidenced("", 0.0, 0.0, (), is_checked=False, picture=b""),
    }
    monkeypatch.setattr(recognition, "has_osra", lambda: True)
    monkeypatch.setattr(evidenced, "read_evidenced", lambda one: answers[one.shape[0]])
    output = tmp_path / "read.csv"
    command = ["structures", "read", *write_pictures(tmp_path), "--output", str(output)]
    assert main(command) == 0
    rows = read_rows(output)
    assert [float(row.pop("seconds")) >= 0 for row in rows] == [True, True]
    assert rows == [
        {"image": "40.png", "smiles": SMILES, "confidence": "0.957"},
        {"image": "50.png", "smiles": "", "confidence": ""},
    ]


def test_quick_reads_by_one_setting(tmp_path, monkeypatch):
    answers = {40: Recognized(SMILES, 0.852, 1.0, False, 0.25), 50: Recognized("", 0, 0, True, 0.5)}
    asked = []

    def read(one, settings):
        asked.append(len(settings))
        return answers[one.shape[0]]

    monkeypatch.setattr(recognition, "has_osra", lambda: True)
    monkeypatch.setattr(recognition, "read_picture", read)
    output = tmp_path / "read.csv"
    command = ["structures", "read", "--quick", *write_pictures(tmp_path), "--output", str(output)]
    assert main(command) == 0
    assert asked == [1, 1]
    assert [row["confidence"] for row in read_rows(output)] == ["0.852", ""]


SLOW_READER = """
import sys, time
from core.chemistry import evidenced, recognition
from core.chemistry.evidenced import Evidenced

def read(one):
    time.sleep(0 if one.shape[0] < 43 else 60)
    return Evidenced("CCO", 0.9, 1.0, (), is_checked=True, picture=b"")

recognition.has_osra = lambda: True
evidenced.read_evidenced = read
from api.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""The command with a reader of its own that hangs from the fourth picture on."""


def test_a_killed_run_keeps_its_rows_and_is_gone_on_with(tmp_path, monkeypatch, capsys):
    paths = [str(tmp_path / f"{height}.png") for height in range(40, 46)]
    for path, height in zip(paths, range(40, 46), strict=True):
        cv2.imwrite(path, np.full((height, 60), 255, np.uint8))
    output = tmp_path / "read.csv"
    command = ["structures", "read", *paths, "--output", str(output)]
    process = subprocess.Popen([sys.executable, "-c", SLOW_READER, *command], env={**os.environ})
    until = time.monotonic() + 60
    while not output.exists() or output.read_text().count("\n") < 4:
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with output.open("a") as text:
        text.write("43.png,CC")  # what a kill leaves of a row
    asked = []

    def read(one):
        asked.append(one.shape[0])
        return Evidenced(SMILES, 0.9, 1.0, (), is_checked=True, picture=b"")

    monkeypatch.setattr(recognition, "has_osra", lambda: True)
    monkeypatch.setattr(evidenced, "read_evidenced", read)
    assert main([*command, "--resume"]) == 0
    rows = read_rows(output)
    assert [row["image"] for row in rows] == [f"{height}.png" for height in range(40, 46)]
    assert [row["smiles"] for row in rows] == ["CCO"] * 3 + [SMILES] * 3
    assert sorted(asked) == [43, 44, 45]
    assert "6 of 6 pictures read" in capsys.readouterr().err


def test_a_table_of_other_pictures_is_not_gone_on_with(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(recognition, "has_osra", lambda: True)
    output = tmp_path / "read.csv"
    output.write_text("image,smiles,confidence,seconds\nother.png,CCO,0.9,1.0\n")
    command = ["structures", "read", *write_pictures(tmp_path), "--output", str(output)]
    assert main([*command, "--resume"]) == 1
    assert "no table of these pictures" in capsys.readouterr().err
    assert "other.png" in output.read_text()


def test_progress_tells_time_per_picture_and_what_is_left(monkeypatch, capsys):
    moments = iter([100.0, 102.0, 110.0])
    monkeypatch.setattr(cli_structures.time, "monotonic", lambda: next(moments))
    progress = cli_structures.Progress(10, 14)
    progress.step()
    assert capsys.readouterr().err == ""
    progress.step()
    assert capsys.readouterr().err == "12 of 14 pictures, 5.0 s each, 10 s left\n"


def test_read_says_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert main(["structures", "read", "a.png", "--output", str(tmp_path / "o.csv")]) == 1
    assert "apt-get install osra" in capsys.readouterr().err


def test_read_says_what_is_no_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(recognition, "has_osra", lambda: True)
    path = tmp_path / "notes.png"
    path.write_text("no picture")
    assert main(["structures", "read", str(path), "--output", str(tmp_path / "o.csv")]) == 1
    assert "notes.png is no readable picture" in capsys.readouterr().err


def test_hostile_pages_are_named_and_the_others_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.pdf").write_bytes(self_drawing())
    (tmp_path / "b.pdf").write_bytes(missing_page())
    command = ["structures", "crop", str(tmp_path / "a.pdf"), str(tmp_path / "b.pdf")]
    assert main([*command, "--output", str(tmp_path / "o.csv"), "--crops", str(tmp_path)]) == 0
    told = capsys.readouterr().err
    assert "a.pdf: page 1 skipped: it takes too much memory or time" in told
    assert "b.pdf: page 1 skipped: it is damaged" in told
