"""Pages of a PDF as gray images, at their own resolution where a page is one scan."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pypdfium2
import pypdfium2.raw

from core.chemistry.segmentation import LARGEST_PAGE, Image
from core.errors import InvalidInput

MOST_PAGES = 200
_DPI = 300
_POINTS = 72
_WHOLE = 0.6
_LEAST_SIDE = 600
_GRAY = (0.299, 0.587, 0.114)


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes:
        number: From 1.
        image: Gray values.
    """

    number: int
    image: Image


def read_pages(content: bytes, most: int = MOST_PAGES) -> Iterator[Page]:
    """Yield the pages of a PDF; those too large to be read are left out.

    Args:
        content: The file.
        most: Pages after which reading ends.

    Raises:
        InvalidInput: It is no PDF, damaged, or protected by a password.
    """
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise InvalidInput(
            "the file is no readable PDF; a protected one must be sent without its password",
            code="unreadable_pdf",
        ) from error
    try:
        for place in range(min(len(document), most)):
            image = _read_page(document[place])
            if image is not None:
                yield Page(place + 1, image)
    finally:
        document.close()


def _read_page(page: pypdfium2.PdfPage) -> Image | None:
    """Return a page's scan, or the page as drawn; None where it is too large or damaged."""
    width, height = page.get_size()
    try:
        scan = _find_scan(page, width * height)
        bitmap = scan.get_bitmap(render=False) if scan else None
        if bitmap is None:
            scale = _DPI / _POINTS
            if width * height * scale**2 > LARGEST_PAGE:
                return None
            bitmap = page.render(scale=scale, grayscale=True)
        return _to_gray(bitmap.to_numpy())
    except (pypdfium2.PdfiumError, ValueError):
        return None


def _find_scan(page: pypdfium2.PdfPage, area: float) -> pypdfium2.PdfImage | None:
    """Return the one picture that covers most of a page."""
    found = None
    for item in page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE], max_depth=3):
        left, bottom, right, top = item.get_bounds()
        columns, rows = item.get_px_size()
        is_whole = (right - left) * (top - bottom) >= _WHOLE * area
        if is_whole and min(columns, rows) >= _LEAST_SIDE and columns * rows <= LARGEST_PAGE:
            if found is not None:
                return None
            found = item
    return found


def _to_gray(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Image:
    """Return gray values of a bitmap with one, three or four channels (blue first)."""
    if pixels.ndim == 2:
        return np.ascontiguousarray(pixels)
    if pixels.shape[2] == 1:
        return np.ascontiguousarray(pixels[:, :, 0])
    red, green, blue = pixels[:, :, 2], pixels[:, :, 1], pixels[:, :, 0]
    gray = _GRAY[0] * red + _GRAY[1] * green + _GRAY[2] * blue
    return np.ascontiguousarray(np.round(gray).astype(np.uint8))
