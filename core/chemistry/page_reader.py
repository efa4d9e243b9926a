"""Reads pages of one PDF for another process, which may end this one at any moment.

A PDF can be made to fill the memory or to take for ever, and its library then ends the process it
is in. So each document is read in a process of its own, page by page. It is told pages on standard
input and answers with the length of a JSON line, the line, and the bytes that it announces.
"""

import ctypes
import json
import resource
import signal
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

import numpy as np
import pypdfium2
import pypdfium2.raw

MOST_SIGNS = 40_000
"""Signs of one page that are read."""
LENGTH = struct.Struct(">I")
Gray = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
_PR_SET_PDEATHSIG = 1
_DPI = 300
_POINTS = 72
_WHOLE = 0.6
_LEAST_SIDE = 600
_GRAY = (0.299, 0.587, 0.114)
_HYPHENS = frozenset({"\x02", "\ufffe"})
"""How the reader of PDFs writes a hyphen at the end of a line."""
TOO_LARGE, DAMAGED = "it is too large", "it is damaged"


def read_image(page: Any, largest: int) -> Gray | None:
    """Return a page's scan, or the page as drawn; None where it is too large.

    Args:
        page: Of a document.
        largest: Most pixels.
    """
    width, height = page.get_size()
    scan = _find_scan(page, width * height, largest)
    bitmap = scan.get_bitmap(render=False) if scan else None
    if bitmap is None:
        scale = _DPI / _POINTS
        if width * height * scale**2 > largest:
            return None
        bitmap = page.render(scale=scale, grayscale=True)
    pixels = bitmap.to_numpy()
    if pixels.ndim == 2:
        return np.ascontiguousarray(pixels)
    if pixels.shape[2] == 1:
        return np.ascontiguousarray(pixels[:, :, 0])
    red, green, blue = pixels[:, :, 2], pixels[:, :, 1], pixels[:, :, 0]
    gray = _GRAY[0] * red + _GRAY[1] * green + _GRAY[2] * blue
    return np.ascontiguousarray(np.round(gray).astype(np.uint8))


def _find_scan(page: Any, area: float, largest: int) -> Any:
    """Return the one picture that covers most of a page."""
    scan = None
    for item in page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE], max_depth=3):
        left, bottom, right, top = item.get_bounds()
        columns, rows = item.get_px_size()
        is_whole = (right - left) * (top - bottom) >= _WHOLE * area
        if is_whole and min(columns, rows) >= _LEAST_SIDE and columns * rows <= largest:
            if scan is not None:
                return None
            scan = item
    return scan


def read_lines(page: Any) -> list[tuple[str, float, float, float]]:
    """Return the stretches of a page: text, left and right end, upper edge, as shares of it."""
    width, height = page.get_size()
    textpage = page.get_textpage()
    try:
        return list(_stretches(textpage, width, height))
    finally:
        textpage.close()


def _stretches(
    page_text: Any, width: float, height: float
) -> Iterator[tuple[str, float, float, float]]:
    """Yield the stretches of a page, those of one line joined as the file joins them."""
    start, text = 0, ""
    n_signs = min(page_text.count_chars(), MOST_SIGNS)
    signs: Sequence[str] = page_text.get_text_range(0, n_signs)
    if len(signs) != n_signs:  # a sign beyond the first plane counts twice
        signs = [page_text.get_text_range(at, 1) for at in range(n_signs)]
    for at, sign in enumerate([*signs, "\n"]):
        if sign not in {"\r", "\n", "\r\n"}:
            text += "-" if sign in _HYPHENS else sign
            continue
        stripped = text.strip()
        if stripped:
            first = start + len(text) - len(text.lstrip())
            last = start + len(text.rstrip()) - 1
            left, _, _, top = page_text.get_charbox(first)
            _, _, right, _ = page_text.get_charbox(min(last, n_signs - 1))
            yield stripped, left / width, right / width, 1 - top / height
        start, text = at + 1, ""


def answer(document: Any, wanted: str, number: int, largest: int) -> tuple[dict[str, Any], bytes]:
    """Return what is read of a page: a description, and the bytes of an image.

    Args:
        document: An open PDF.
        wanted: "image" or "text".
        number: Of the page, from 0.
        largest: Most pixels of an image.
    """
    try:
        page = document[number]
        if wanted == "text":
            return {"lines": read_lines(page)}, b""
        image = read_image(page, largest)
    except (pypdfium2.PdfiumError, ValueError, ZeroDivisionError):
        return {"fault": DAMAGED}, b""
    if image is None:
        return {"fault": TOO_LARGE}, b""
    return {"rows": image.shape[0], "columns": image.shape[1]}, image.tobytes()


def _send(target: BinaryIO, message: dict[str, Any], content: bytes = b"") -> None:
    line = json.dumps(message | {"size": len(content)}).encode("utf-8", "replace")
    target.write(LENGTH.pack(len(line)) + line + content)
    target.flush()


def main() -> None:
    """Serve one document: its path, the memory in bytes and the most pixels are the arguments."""
    path, memory, largest = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    target = sys.stdout.buffer
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError:
        _send(target, {"fault": DAMAGED})
        return
    _send(target, {"pages": len(document)})
    for line in sys.stdin:
        kind, _, number = line.strip().partition(" ")
        _send(target, *answer(document, kind, int(number), largest))


if __name__ == "__main__":
    main()
