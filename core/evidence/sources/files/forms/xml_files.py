"""XML that somebody supplies: bounded in size, without document types and entities."""

import re
import xml.etree.ElementTree as ET

from core.errors import UnreadableTable
from core.tables.rows import SourceFile

LARGEST_XML = 300_000_000
_EMPTY_DOCTYPE = re.compile(rb'<!DOCTYPE\s+[\w-]+\s+SYSTEM\s+"[^"<>\[\]]{0,200}"\s*(\[\s*\])?\s*>')
"""A document type that is named and declares nothing; what it names is never fetched."""


def read_xml(source: SourceFile) -> ET.Element | None:
    """Return the root of a document; what breaks off is reported.

    Raises:
        UnreadableTable: It is too large, not UTF-8, or declares a document type or entities.
    """
    if source.path.stat().st_size > LARGEST_XML:
        raise UnreadableTable(f"{source.name} is larger than {LARGEST_XML // 10**6} MB")
    return parse_xml(source, source.path.read_bytes())


def parse_xml(
    source: SourceFile, content: bytes, *, may_name_type: bool = False
) -> ET.Element | None:
    """Return the root of a document; what breaks off is reported.

    Args:
        source: The file that it comes from, for reports.
        content: The document.
        may_name_type: Whether a document type without declarations of its own is passed over.

    Raises:
        UnreadableTable: It is not UTF-8, or declares a document type or entities.
    """
    if b"\x00" in content:  # in UTF-16 a declaration of entities would not be seen
        raise UnreadableTable(f"{source.name} is not UTF-8")
    if may_name_type:
        content = _EMPTY_DOCTYPE.sub(b"", content, count=1)
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise UnreadableTable(f"{source.name} declares a document type or entities: refused")
    try:
        return ET.fromstring(content)
    except (ET.ParseError, LookupError, ValueError) as damage:
        line = damage.position[0] if isinstance(damage, ET.ParseError) else 1
        source.report(line, f"no XML: {str(damage)[:120]}")
        return None
