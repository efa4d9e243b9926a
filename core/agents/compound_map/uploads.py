"""The caller's patents: pages to crops, crops to structures with their proof, texts by section."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import PurePath

from core.agents.compound_map.finding import UPLOAD, Sample
from core.agents.compound_map.reading import Delivered
from core.agents.compound_map.records import Proof, UploadRow
from core.agents.compound_map.schema import CompoundMapRequest
from core.chemistry.evidenced import Evidenced, read_evidenced
from core.chemistry.pages import FEWEST_SIGNS, LeftOut, Page, read_pages, read_text
from core.chemistry.recognition import has_osra
from core.chemistry.segmentation import Box, Image, find_structures
from core.errors import InvalidInput
from core.evidence.proof.claims import unmark
from core.evidence.readers.patents.sections import (
    Sections,
    find_sections,
    read_sections,
    split_text,
)
from core.records.patents import PatentDocument, PatentText, RawStructure, Section
from core.workbench import RunContext

LARGEST_FILE = 100_000_000
LONGEST_NAME = 80
STEP = "Read drawings"
_WORKERS = 2
Save = Callable[[str, bytes, str], None]


@dataclass(frozen=True)
class Crop:
    """One drawing of a page."""

    page: int
    box: Box
    image: Image
    section: Section = ""

    @property
    def block(self) -> str:
        """Return the box as text, in pixels of the page."""
        return f"box {self.box.x0},{self.box.y0},{self.box.x1},{self.box.y1}"


@dataclass(frozen=True)
class Cut:
    """The drawings of one file, as many as may be read."""

    name: str
    crops: Sequence[Crop] = ()
    n_pages: int = 0
    n_found: int = 0
    message: str = ""
    texts: Sequence[PatentText] = ()
    has_claims: bool = False


def add_uploads(sample: Sample, request: CompoundMapRequest, context: RunContext) -> Sample:
    """Return the sample with the caller's documents and what their drawings came to.

    A file that is no readable PDF is told in its row; the run goes on.
    """
    taken: set[str] = set()
    documents, rows = [], []
    delivered = dict(sample.delivered)
    crops = dict(sample.crops)
    cuts = []
    for file_id in dict.fromkeys(request.file_ids):
        cut = _cut_file(file_id, request, context, taken)
        cuts.append(cut)
        deliveries = _read_crops(cut, context)
        documents.append(PatentDocument(cut.name, "", "", cut.name, source=UPLOAD))
        read = sum(bool(delivered.raw.text) for delivered in deliveries)
        message = cut.message
        if deliveries and read < len(deliveries):
            none = f"{len(deliveries) - read} of {len(deliveries)} drawings gave no structure"
            message = f"{message}; {none}" if message else none
        rows.append(
            UploadRow(
                file=cut.name,
                kind="patent",
                n_pages=cut.n_pages,
                n_crops=cut.n_found,
                n_read=read,
                message=message,
            )
        )
        delivered[cut.name] = [delivery for delivery in deliveries if delivery.raw.text]
        crops[cut.name] = len(deliveries)
    if not documents:
        return sample
    return replace(
        sample,
        uploaded=documents,
        delivered=delivered,
        uploads=rows,
        crops=crops,
        texts={cut.name: cut.texts for cut in cuts if cut.texts},
        knows_claims=frozenset(cut.name for cut in cuts if cut.has_claims),
    )


def _cut_file(
    file_id: str, request: CompoundMapRequest, context: RunContext, taken: set[str]
) -> Cut:
    """Return the crops of a file within the caps on pages and pictures."""
    given = context.files.get(file_id).name
    name = name_document(given, taken)
    with context.files.open(file_id) as body:
        content = body.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        return Cut(name, message="the file is larger than 100 MB")
    text = None if given.casefold().endswith(".pdf") else read_plain(content)
    if text is not None:
        return _with_text(Cut(name), split_text(text))
    try:
        return cut_pages(name, content, request.max_panels_per_patent, request.max_crops_per_patent)
    except InvalidInput as failure:
        return Cut(name, message=failure.message)


def cut_pages(name: str, content: bytes, most_pages: int, most_crops: int) -> Cut:
    """Return the crops of the first pages with drawings.

    `most_pages`: pages with drawings that are cut. `most_crops`: crops that are kept.

    Raises:
        InvalidInput: It is no readable PDF.
    """
    sections = find_sections(read_text(content))
    crops: list[Crop] = []
    n_pages = n_drawn = n_found = 0
    left_out = LeftOut()
    for page in read_pages(content, left_out=left_out):
        if n_drawn >= most_pages:
            break
        n_pages += 1
        boxes = find_structures(page.image)
        n_drawn += bool(boxes)
        n_found += len(boxes)
        room = most_crops - len(crops)
        crops += [
            Crop(page.number, box, box.cut(page.image), _find_section(sections, page, box))
            for box in boxes[:room]
        ]
    left = n_found - len(crops)
    beyond = f"{left} of {n_found} drawings are beyond the cap on pictures" if left else ""
    message = "; ".join(filter(None, (beyond, left_out.say())))
    return _with_text(Cut(name, crops, n_pages, n_found, message), read_sections(sections))


def _with_text(cut: Cut, texts: Sequence[PatentText]) -> Cut:
    """Return a file with its text; a heading tells where its claims are."""
    has_claims = any(text.section == "claims" for text in texts)
    return replace(cut, texts=texts, has_claims=has_claims)


def _find_section(sections: Sections, page: Page, box: Box) -> Section:
    """Return the section in which a drawing stands; "" on a page that is a picture."""
    rows, columns = page.image.shape
    return sections.find(page.number, box.x0 / columns, box.x1 / columns, box.y0 / rows)


def read_plain(content: bytes) -> str | None:
    """Return the text of a file that is plain text; None for any other."""
    if b"%PDF" in content[:1_024] or b"\x00" in content[:4_096]:
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return text if len(text.strip()) >= FEWEST_SIGNS else None


def name_document(name: str, taken: set[str]) -> str:
    """Return a name for an uploaded document that no other one has, and take it."""
    stem = unmark("".join(sign for sign in PurePath(name).stem if sign.isprintable()))
    stem = stem[:LONGEST_NAME] or "document"
    unique, number = stem, 1
    while unique in taken:
        number += 1
        unique = f"{stem} ({number})"
    taken.add(unique)
    return unique


def _read_crops(cut: Cut, context: RunContext) -> list[Delivered]:
    """Return one string a crop; an empty one where it gave no structure."""
    if not cut.crops or not has_osra():
        return []
    deliveries = []
    with ThreadPoolExecutor(_WORKERS) as workers:
        answers = workers.map(read_evidenced, [crop.image for crop in cut.crops])
        for number, (crop, answer) in enumerate(zip(cut.crops, answers, strict=True), start=1):
            deliveries.append(_deliver(cut.name, number, crop, answer, context.save_file))
            context.progress(STEP, number, len(cut.crops), f"{cut.name}, page {crop.page}")
    return deliveries


def _deliver(name: str, number: int, crop: Crop, answer: Evidenced, save: Save) -> Delivered:
    """Return a crop's answer with its place and proof; the picture of the proof is kept."""
    location = f"{crop.section}, page {crop.page}" if crop.section else f"page {crop.page}"
    raw = RawStructure(name, answer.smiles, crop.section, location, crop.block, "image")
    if not answer.smiles:
        return Delivered(raw, 0.0)
    file = f"proof_{safe_stem(name)}_{number:03d}.png"
    save(file, answer.picture, "image/png")
    proof = Proof(
        file=file,
        agreement=round(answer.agreement, 2),
        doubts=list(answer.doubts),
        is_checked=answer.is_checked,
    )
    return Delivered(raw, answer.probability, proof)


def safe_stem(name: str) -> str:
    """Return a name as part of a file name."""
    return "".join(_safe_signs(name))[:40] or "document"


def _safe_signs(name: str) -> Iterator[str]:
    for sign in name:
        yield sign if sign.isascii() and (sign.isalnum() or sign in "-_") else "-"
