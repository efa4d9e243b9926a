"""The guard of uploaded documents: how much is read, and what is refused with its cause."""

import zipfile
from io import BytesIO
from typing import Any

from lxml import etree

from core.errors import InvalidInput, UnreadableTable
from core.settings import MEGABYTE
from core.tables.bounds import DAMAGED_ZIP, ZipBounds, check_zip

FIELD = "file"
MOST_MB = 50
MOST_PAGES = 200
PAGE_CHARACTERS = 3_000
"""Characters that count as a page where a form has none."""
_LARGEST_PART = 40 * MEGABYTE
_ARCHIVE = ZipBounds(
    most=5_000, largest=200 * MEGABYTE, total=400 * MEGABYTE, free=20 * MEGABYTE, ratio=100
)


def refuse(message: str, code: str) -> InvalidInput:
    """Return the error of a document that is not read."""
    return InvalidInput(message, field=FIELD, code=code)


def check_size(content: bytes) -> None:
    """Refuse an empty document, and one that is too large.

    Raises:
        InvalidInput: `empty_file` or `file_too_large`.
    """
    if not content:
        raise refuse("The file is empty; choose the document again.", "empty_file")
    if len(content) > MOST_MB * MEGABYTE:
        size = len(content) / MEGABYTE
        raise refuse(
            f"The file has {size:,.0f} MB; at most {MOST_MB} MB are read. Remove pictures, or "
            "check the document in parts.",
            "file_too_large",
        )


def check_pages(n_pages: int, unit: str = "pages") -> None:
    """Refuse a document that is too long. Raises InvalidInput (`too_many_pages`)."""
    if n_pages > MOST_PAGES:
        raise refuse(
            f"The document has {n_pages:,} {unit}; at most {MOST_PAGES} are checked at once. "
            "Split it and check the parts.",
            "too_many_pages",
        )


def estimate_pages(n_characters: int) -> int:
    """Return how many pages a text without pages fills."""
    return -(-n_characters // PAGE_CHARACTERS)


def open_office(content: bytes) -> zipfile.ZipFile:
    """Open the archive that a docx or pptx is, within bounds.

    Raises:
        InvalidInput: It is damaged, encrypted, or unpacks to too much.
    """
    try:
        archive = zipfile.ZipFile(BytesIO(content))
        check_zip(archive, "The document", _ARCHIVE, FIELD)
    except UnreadableTable as fault:
        raise refuse(f"{fault.message}. Save it again without pictures.", fault.word) from None
    except DAMAGED_ZIP:
        raise damaged() from None
    if any(member.flag_bits & 1 for member in archive.infolist()):
        raise encrypted()
    return archive


def read_xml(archive: zipfile.ZipFile, name: str) -> Any:
    """Return the root of a part of an office document, or None where it has none.

    Raises:
        InvalidInput: The part is damaged, too large, or declares a document type or entities.
    """
    try:
        member = archive.getinfo(name)
    except KeyError:
        return None
    if member.file_size > _LARGEST_PART:
        raise refuse(
            f"A part of the document has {member.file_size // MEGABYTE:,} MB of text; check the "
            "document in parts.",
            "file_too_large",
        )
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, recover=False
    )
    try:
        root = etree.fromstring(archive.read(member), parser)
    except (etree.XMLSyntaxError, ValueError, *DAMAGED_ZIP):
        raise damaged() from None
    if root.getroottree().docinfo.doctype:
        raise refuse(
            "The document declares a document type or entities, which office programs never "
            "write; save it again and send the new file.",
            "document_refused",
        )
    return root


def damaged() -> InvalidInput:
    """Return the error of a document that cannot be read."""
    return refuse(
        "The document is damaged or of another kind than its beginning says; open it, save it "
        "again and send the new file.",
        "document_damaged",
    )


def encrypted() -> InvalidInput:
    """Return the error of a document with a password."""
    return refuse(
        "The document is encrypted; save a copy without a password and send that.",
        "document_encrypted",
    )
