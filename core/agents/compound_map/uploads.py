"""The caller's patent PDFs: pages to crops, crops to structures, each with its proof."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import PurePath

from core.agents.compound_map.reading import Delivered
from core.agents.compound_map.records import Proof, UploadRow
from core.agents.compound_map.sample import UPLOAD, Sample
from core.agents.compound_map.schema import CompoundMapRequest
from core.chemistry.evidenced import Evidenced, read_evidenced
from core.chemistry.pages import read_pages
from core.chemistry.recognition import has_osra
from core.chemistry.segmentation import Box, Image, find_structures
from core.errors import InvalidInput
from core.evidence.claims import unmark
from core.records.patents import PatentDocument, RawStructure
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


def add_uploads(sample: Sample, request: CompoundMapRequest, context: RunContext) -> Sample:
    """Return the sample with the caller's documents and what their drawings came to.

    A file that is no readable PDF is told in its row; the run goes on.
    """
    taken: set[str] = set()
    documents, rows = [], []
    delivered = dict(sample.delivered)
    crops = dict(sample.crops)
    for file_id in dict.fromkeys(request.file_ids):
        cut = _cut_file(file_id, request, context, taken)
        found = _read_crops(cut, context)
        documents.append(PatentDocument(cut.name, "", "", cut.name, source=UPLOAD))
        rows.append(_report(cut, found))
        delivered[cut.name] = [one for one in found if one.raw.text]
        crops[cut.name] = len(found)
    if not documents:
        return sample
    return replace(sample, uploaded=documents, delivered=delivered, uploads=rows, crops=crops)


def _cut_file(
    file_id: str, request: CompoundMapRequest, context: RunContext, taken: set[str]
) -> Cut:
    """Return the crops of a file within the caps on pages and pictures."""
    name = name_document(context.files.get(file_id).name, taken)
    with context.files.open(file_id) as body:
        content = body.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        return Cut(name, message="the file is larger than 100 MB")
    try:
        return cut_pages(name, content, request.max_panels_per_patent, request.max_crops_per_patent)
    except InvalidInput as failure:
        return Cut(name, message=failure.message)


def cut_pages(name: str, content: bytes, most_pages: int, most_crops: int) -> Cut:
    """Return the crops of the first pages with drawings.

    Args:
        name: Of the document.
        content: A PDF.
        most_pages: Pages with drawings that are cut.
        most_crops: Crops that are kept.

    Raises:
        InvalidInput: It is no readable PDF.
    """
    crops: list[Crop] = []
    n_pages = n_drawn = n_found = 0
    for page in read_pages(content):
        if n_drawn >= most_pages:
            break
        n_pages += 1
        boxes = find_structures(page.image)
        n_drawn += bool(boxes)
        n_found += len(boxes)
        room = most_crops - len(crops)
        crops += [Crop(page.number, box, box.cut(page.image)) for box in boxes[:room]]
    left = n_found - len(crops)
    message = f"{left} of {n_found} drawings are beyond the cap on pictures" if left else ""
    return Cut(name, crops, n_pages, n_found, message)


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
    found = []
    with ThreadPoolExecutor(_WORKERS) as workers:
        answers = workers.map(read_evidenced, [one.image for one in cut.crops])
        for number, (crop, answer) in enumerate(zip(cut.crops, answers, strict=True), start=1):
            found.append(_deliver(cut.name, number, crop, answer, context.save_file))
            context.progress(STEP, number, len(cut.crops), f"{cut.name}, page {crop.page}")
    return found


def _deliver(name: str, number: int, crop: Crop, answer: Evidenced, save: Save) -> Delivered:
    """Return a crop's answer with its place and proof; the picture of the proof is kept."""
    raw = RawStructure(name, answer.smiles, "", f"page {crop.page}", crop.block, "image")
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


def _report(cut: Cut, found: Sequence[Delivered]) -> UploadRow:
    read = sum(bool(one.raw.text) for one in found)
    message = cut.message
    if found and read < len(found):
        none = f"{len(found) - read} of {len(found)} drawings gave no structure"
        message = f"{message}; {none}" if message else none
    return UploadRow(
        file=cut.name,
        kind="patent",
        n_pages=cut.n_pages,
        n_crops=cut.n_found,
        n_read=read,
        message=message,
    )
