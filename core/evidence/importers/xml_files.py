"""XML that somebody supplies: bounded in size, without document types and entities."""

import xml.etree.ElementTree as ET

from core.errors import UnreadableTable
from core.evidence.importers.reading import SourceFile

LARGEST_XML = 300_000_000


def read_xml(source: SourceFile) -> ET.Element | None:
    """Return the root of a document; what breaks off is reported.

    Raises:
        UnreadableTable: It is too large, not UTF-8, or declares a document type or entities.
    """
    if source.path.stat().st_size > LARGEST_XML:
        raise UnreadableTable(f"{source.name} is larger than {LARGEST_XML // 10**6} MB")
    content = source.path.read_bytes()
    if b"\x00" in content:  # in UTF-16 a declaration of entities would not be seen
        raise UnreadableTable(f"{source.name} is not UTF-8")
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise UnreadableTable(f"{source.name} declares a document type or entities: refused")
    try:
        return ET.fromstring(content)
    except (ET.ParseError, LookupError, ValueError) as damage:
        line = damage.position[0] if isinstance(damage, ET.ParseError) else 1
        source.report(line, f"no XML: {str(damage)[:120]}")
        return None
