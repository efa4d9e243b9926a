"""Pages of a PDF as gray images, at their own resolution where a page is one scan."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.chemistry.page_process import PageProcess
from core.chemistry.segmentation import LARGEST_PAGE, Image

MOST_PAGES = 200


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes:
        number: From 1.
        image: Gray values.
    """

    number: int
    image: Image


class LeftOut(dict[int, str]):
    """Pages that cannot be read, by number from 1, each with the reason."""

    def say(self) -> str:
        """Return this as a sentence's part, the pages of one reason together; "" for none."""
        reasons = dict.fromkeys(self.values())
        return "; ".join(f"{self._pages(reason)} left out: {reason}" for reason in reasons)

    def _pages(self, reason: str) -> str:
        numbers = sorted(number for number, why in self.items() if why == reason)
        shown = ", ".join(map(str, numbers[:5])) + (" and more" if len(numbers) > 5 else "")
        return f"page{'s' if len(numbers) > 1 else ''} {shown}"


def read_pages(
    content: bytes, most: int = MOST_PAGES, left_out: LeftOut | None = None
) -> Iterator[Page]:
    """Yield the pages of a PDF; those that cannot be read are left out.

    Args:
        content: The file.
        most: Pages after which reading ends.
        left_out: Takes the pages that are left out.

    Raises:
        InvalidInput: It is no PDF, damaged, or protected by a password.
    """
    with PageProcess(content, LARGEST_PAGE) as document:
        for index in range(min(document.n_pages, most)):
            fault, message, pixels = document.read("image", index)
            if fault:
                if left_out is not None:
                    left_out[index + 1] = fault
                continue
            shape = (message["rows"], message["columns"])
            image = np.frombuffer(pixels, np.uint8).reshape(shape).copy()
            yield Page(index + 1, image)
