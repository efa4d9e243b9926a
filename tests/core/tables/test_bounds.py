"""Compressed files made to fill the memory or the disk are refused in words, whole imports end."""

import gzip
import io
import lzma
import resource
import tarfile
import zipfile
from pathlib import Path

import pytest

from core.errors import UnreadableTable
from core.evidence.sources.files.drugsfda import IMPORTERS as DRUGSFDA
from core.evidence.sources.files.forms import archives
from core.evidence.sources.files.redbook import read_document
from core.tables import bounds
from core.tables.rows import SourceFile, read_lines
from core.tables.workbooks import read_workbook
from tests.core.evidence.patent_files import make_tar

MEGABYTE = 1024 * 1024


def source_of(path: Path) -> SourceFile:
    return SourceFile(path, "", "2026-11-23", lambda _line, _reason: None)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def endless(megabytes: int, content: bytes = b"a") -> bytes:
    """Return a gzip file that expands to so much, made in no time."""
    return gzip.compress(content * (4 * MEGABYTE // len(content)), mtime=0) * (megabytes // 4)


def pax_bomb(size: int) -> bytes:
    """Return a gzip-compressed tar with an extended header of this size."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, size
    return gzip.compress(header.tobuf(tarfile.USTAR_FORMAT), mtime=0) + endless(size // MEGABYTE)


def test_tar_or_line_without_end_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "redbook.tar.gz"
    path.write_bytes(pax_bomb(800 * MEGABYTE))
    before = peak_mb()
    with pytest.raises(UnreadableTable, match="header of the archive"):
        list(read_document(source_of(path)))
    assert peak_mb() - before < 60
    path.write_bytes(endless(800, tarfile.TarInfo("x" * 90).tobuf(tarfile.USTAR_FORMAT)))
    with pytest.raises(UnreadableTable, match=r"expands to more than|holds more than"):
        list(read_document(source_of(path)))
    assert peak_mb() - before < 120
    path = tmp_path / "trials.csv.gz"
    path.write_bytes(endless(800))
    with pytest.raises(UnreadableTable, match="line of more than 20 MB"):
        list(read_lines(source_of(path)))
    assert peak_mb() - before < 120


def test_xz_may_not_ask_for_any_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "redbook.tar.xz"
    path.write_bytes(lzma.compress(make_tar({"a.xml": b"<us-patent-grant/>"}), preset=9))
    monkeypatch.setattr(bounds, "DECODER_MEMORY", MEGABYTE)
    with pytest.raises(UnreadableTable, match="damaged archive"):
        list(read_document(source_of(path)))


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bytes])
def test_honest_archive_is_read_whole(pack, tmp_path: Path) -> None:
    path = tmp_path / "redbook.tar.xz"
    path.write_bytes(pack(make_tar({"a.xml": b"<us-patent-grant/>", "b.cdx": b"VjCD"})))
    assert [one.name for one in archives.read_members(path)] == ["A.XML", "B.CDX"]


def test_content_beyond_its_ratio_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "trials.csv.gz"
    path.write_bytes(endless(24, b"a,b\n"))
    with (
        bounds.open_bounded(path, free=MEGABYTE) as content,
        pytest.raises(UnreadableTable, match="100 times its size"),
    ):
        content.read()


def make_zip(path: Path, name: str, megabytes: int, method: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", method, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open(name, "w") as member:
            for _ in range(megabytes):
                member.write(b"<si><t/></si>   " * (MEGABYTE // 16))


def test_zip_that_expands_too_far_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "list.xlsx"
    make_zip(path, "xl/sharedStrings.xml", 120)
    with pytest.raises(UnreadableTable, match="100 times its size"):
        list(read_workbook(source_of(path), lambda _cells: True))
    make_zip(path, "xl/sharedStrings.xml", 101, zipfile.ZIP_STORED)
    with pytest.raises(UnreadableTable, match="holds more text than is read"):
        list(read_workbook(source_of(path), lambda _cells: True))
    path = tmp_path / "drugsatfda.zip"
    make_zip(path, "Applications.txt", 120)
    with pytest.raises(UnreadableTable, match="100 times its size"):
        list(DRUGSFDA[0].read(source_of(path)))
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.xml", "<us-patent-grant/>")
    path = tmp_path / "redbook.zip"
    path.write_bytes(held.getvalue())
    with pytest.raises(UnreadableTable, match="pack it with deflate"):
        list(archives.read_members(path))


@pytest.mark.parametrize("beginning", [b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\x00"])
def test_a_damaged_beginning_is_no_crash(beginning: bytes, tmp_path: Path) -> None:
    path = tmp_path / "trials.csv.gz"
    path.write_bytes(beginning + b"a,b\n1,2\n")
    reports: list[str] = []
    source = SourceFile(path, "", "2026-11-23", lambda _line, reason: reports.append(reason))
    assert bool(list(read_lines(source))) != bool(reports)
