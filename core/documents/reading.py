"""Bytes of any document to its sentences; the form is told by the content, not by the name."""

from core.documents.guard import check_size, refuse
from core.documents.office import read_office
from core.documents.pdf_pages import read_pdf
from core.documents.plain import read_plain
from core.documents.sentences import SourceText

_PDF, _ZIP, _OLE = b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_HEAD = 1024


def read_document(name: str, content: bytes) -> SourceText:
    """Return what a document says.

    Args:
        name: Name of the file; its ending tells Markdown from plain text.
        content: The file.

    Raises:
        InvalidInput: It is empty, too large or long, encrypted, damaged, or of no known form.
    """
    check_size(content)
    if content.startswith(_OLE):
        raise refuse(
            "The document is encrypted, or of a form before Office 2007; save it as docx or pptx "
            "without a password.",
            "document_encrypted",
        )
    if _PDF in content[:_HEAD]:
        document = read_pdf(content)
    elif content.startswith(_ZIP):
        document = read_office(content)
    else:
        document = read_plain(content, name)
    if not document.sentences:
        raise refuse("The document holds no text; choose another file.", "no_text")
    return document
