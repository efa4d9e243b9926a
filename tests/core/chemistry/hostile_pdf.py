"""PDFs of some hundred bytes that are made to harm."""


def make_pdf(*objects: bytes) -> bytes:
    """Return a PDF of these objects, numbered from 1; the first is its catalog."""
    content, places = b"%PDF-1.4\n", []
    for number, held in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj" % number + held + b"endobj\n"
    start = len(content)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return (
        content
        + b"xref\n0 %d\n0000000000 65535 f \n" % size
        + rows
        + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, start)
    )


def stream(said: bytes, content: bytes) -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream " % (said, len(content), content)


CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents %d 0 R%s>>"
FORM = b"/Type/XObject/Subtype/Form/BBox[0 0 300 300]/Resources<</XObject<</F 5 0 R>>>>"


def self_drawing() -> bytes:
    """Return a page whose form draws itself, twice each time; a plain page follows."""
    return make_pdf(
        CATALOG,
        b"<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>",
        PAGE % (4, b"/Resources<</XObject<</F 5 0 R>>>>"),
        stream(b"", b"/F Do"),
        stream(FORM, b"/F Do " * 2),
        PAGE % (7, b""),
        stream(b"", b"0 0 100 100 re f"),
    )


def missing_page() -> bytes:
    """Return a document whose only page is not there."""
    return make_pdf(CATALOG, b"<</Type/Pages/Kids[9 0 R]/Count 1>>")
