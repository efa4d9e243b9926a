"""US patents and applications as Red Book XML (v4), with their ChemDraw and MOL attachments.

Site: USPTO bulk data (Red Book), United States government, public domain. One document: the XML
alone, or a folder, zip or tar with it and its attachments. Drawings become text when they are
imported: CDX first, MOL where that holds nothing.
"""

import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.errors import UnreadableTable
from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.archives import DAMAGES, TARS, read_members
from core.evidence.sources.files.forms.importers import Importer
from core.evidence.sources.files.forms.xml_files import parse_xml
from core.evidence.sources.files.patent_packing import pack_bibliography, pack_structures
from core.evidence.sources.files.redbook_drawings import read_drawings
from core.evidence.sources.files.redbook_front import read_companies, read_front
from core.evidence.sources.files.uspto_chem import address_of
from core.records.evidence import Mention, Parsed, Record, Span
from core.tables.rows import SourceFile

LICENCE = "public domain (United States government)"
LONGEST_CLAIMS = 400_000
LONGEST_DESCRIPTION = 1_500_000
_ROOTS = ("us-patent-grant", "us-patent-application")
_SIGN = "<us-patent-"
_HEAD = 4_000
_MOST_IN_FOLDER = 20_000
_BESIDE = frozenset({".xml", ".cdx", ".mol", ".tif", ".tiff", ".nb"})


def read_document(source: SourceFile) -> Iterator[Parsed]:
    """Yield the record of the one document of a file, folder or archive."""
    if not source.path.is_dir() and source.path.suffix.lower() == ".xml":
        contents, attachments = [source.path.read_bytes()], dict[str, bytes]()
    else:
        members = list(read_members(source.path))
        contents = [member.content for member in members if member.name.endswith(".XML")]
        contents = [content for content in contents if _SIGN.encode() in content[:_HEAD]]
        attachments = {
            member.name: member.content for member in members if not member.name.endswith(".XML")
        }
    if len(contents) != 1:
        raise UnreadableTable(f"{source.name} holds {len(contents)} Red Book documents, not one")
    root = parse_xml(source, contents[0], may_name_type=True)
    if root is not None and root.tag in _ROOTS:
        yield from _describe(root, attachments, source)
    elif root is not None:
        source.report(1, "no Red Book document")


def _describe(
    root: ET.Element, attachments: Mapping[str, bytes], source: SourceFile
) -> Iterator[Parsed]:
    front = read_front(root)
    if not front.number or not front.title:
        source.report(1, "no publication number and kind, or no title")
        return
    structures, n_named = read_drawings(root, front.number, attachments, source)
    spans = _texts(root)
    spans.append(pack_bibliography(front.bibliography(n_named)))
    if structures:
        spans.append(pack_structures(structures))
    record = Record(
        source="uspto_redbook",
        source_id=front.number,
        url=address_of(front.number),
        kind="patent",
        title=front.title,
        published_on=front.published_on or "",
        updated_on=front.published_on or "",
        copied_on=source.as_of,
        fetched_at=source.fetched_at,
        licence=LICENCE,
        quote_allowed=True,
        origin=source.name,
        raw_ref=source.name,
        detail=min(len(structures), 30_000),
        spans=tuple(spans),
        mentions=tuple(
            Mention("company", name, relation=relation)
            for relation in ("assignee", "applicant")
            for name in read_companies(root, relation)
        ),
    )
    yield Parsed(record)


def _texts(root: ET.Element) -> list[Span]:
    """Return abstract, claims and description, one paragraph or claim a line."""
    spans = []
    for section, path, longest in (
        ("abstract", "abstract/*", 10_000),
        ("claims", "claims/claim", LONGEST_CLAIMS),
        ("description", "description/*", LONGEST_DESCRIPTION),
    ):
        lines = (clean_text("".join(element.itertext())) for element in root.iterfind(path))
        text = "\n".join(line for line in lines if line)[:longest]
        if text:
            spans.append(Span(section, text, 0, len(text)))
    return spans


def is_redbook(path: Path, head: str) -> bool:
    """Return whether a file, folder or archive is one Red Book document."""
    if path.is_dir():
        return _is_document_folder(path)
    if path.name.lower().endswith(TARS):
        return True
    if path.suffix.lower() == ".zip":
        return _is_document_zip(path)
    return _SIGN in head and "?xml" in head


def _is_document_folder(path: Path) -> bool:
    files = []
    for count, entry in enumerate(path.iterdir()):
        if entry.is_dir() or entry.suffix.lower() not in _BESIDE or count > _MOST_IN_FOLDER:
            return False
        files.append(entry)
    documents = [file for file in files if file.suffix.lower() == ".xml"]
    if len(documents) != 1 or len(files) == 1:
        return False
    with documents[0].open("rb") as content:
        return _SIGN.encode() in content.read(_HEAD)


def _is_document_zip(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.lower().endswith(".xml")]
            if len(names) != 1:
                return False
            with archive.open(names[0]) as content:
                return _SIGN.encode() in content.read(_HEAD)
    except DAMAGES:
        return False


IMPORTERS = (Importer("uspto-redbook", is_redbook, read_document),)
