"""Systematic names as a source of structures where attachments gave nothing, else as a witness.

All names of a run, those of clinical compounds too, are read in one process, for its start takes
longer than most lists of names.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, zip_longest

from core.agents.compound_map.finding import NamesTold, Sample
from core.agents.compound_map.reading import Delivered, Reader
from core.chemistry.names import MOST_NAMES, has_java, try_names
from core.chemistry.structures import read_structure
from core.evidence.names.identity.drug_structures import Way, all_forms, settle_forms
from core.evidence.readers.patents.systematic_names import (
    ReadName,
    WrittenName,
    find_names,
    list_forms,
    settle,
)
from core.patent_ports import PatentPool
from core.records.patents import PatentText, RawStructure, Section, SourceAnswer

SOURCE = "systematic names (OPSIN)"
LONGEST_BLOCK = 300
_WITH_TEXT = frozenset({"uspto_redbook"})
"""Sources whose documents come with their whole text, so that names confirm drawings."""
_READ: tuple[Section, ...] = ("claims", "description")
Places = Mapping[str, Sequence[WrittenName]]


@dataclass(frozen=True)
class DrawnNames:
    """What the process came to.

    Attributes:
        smiles: By name.
        is_read: Whether the process ran to its end.
        n_cut: Ways to read names that were not asked, beyond the cap.
        ways: In which way each name of a register was read.
    """

    smiles: Mapping[str, str]
    is_read: bool = True
    n_cut: int = 0
    ways: Mapping[str, Way] = field(default_factory=dict)


def look_for_names(
    sample: Sample, covered: Collection[tuple[str, Section]], pool: PatentPool
) -> Places:
    """Return the places of names by document: claims, and sections without a compound so far.

    Args:
        sample: Documents with what other sources delivered.
        covered: Documents and sections in which a compound is known.
        pool: Gives texts of the documents that were chosen and lack a section, or bring their text.
    """
    chosen = [choice.document for choice in sample.selection.chosen]
    lacking = [
        document.publication_number
        for document in chosen
        if document.source in _WITH_TEXT
        or any((document.publication_number, section) not in covered for section in _READ)
    ]
    texts: dict[str, Sequence[PatentText]] = {**sample.texts}
    texts |= pool.texts(lacking) if lacking else {}
    places = {
        number: find_names(
            [
                text
                for text in text
                if text.section == "claims" or (number, text.section) not in covered
            ]
        )
        for number, text in texts.items()
    }
    return {number: names for number, names in places.items() if names}


def draw_names(places: Places, others: Iterable[str]) -> DrawnNames:
    """Read all names in one process: other names first, then each document in turn."""
    names = list(dict.fromkeys(others))
    forms = all_forms(names)
    lists = [list(list_forms(names)) for names in places.values()]
    turns = chain.from_iterable(zip_longest(*lists))
    attempts = dict.fromkeys((*forms, *(turn for turn in turns if turn is not None)))
    smiles = try_names(list(islice(attempts, MOST_NAMES)))
    settled = settle_forms(names, smiles or {})
    read = {**(smiles or {}), **{name: text for name, (text, _) in settled.items()}}
    ways = {name: way for name, (_, way) in settled.items()}
    return DrawnNames(read, smiles is not None, max(len(attempts) - MOST_NAMES, 0), ways)


def deliver_names(sample: Sample, places: Places, drawn: DrawnNames, reader: Reader) -> Sample:
    """Return the sample with what the names came to, and its warnings.

    In a section with compounds a name only confirms what is drawn.
    """
    covered = reader.covered
    read = {
        number: [
            name
            for name in settle(names, drawn.smiles)
            if (number, name.section) not in covered
            or read_structure(name.smiles).inchikey in reader.keys
        ]
        for number, names in places.items()
    }
    delivered = {number: list(deliveries) for number, deliveries in sample.delivered.items()}
    for number, names in read.items():
        if names:
            is_kept = number not in sample.texts
            delivered.setdefault(number, []).extend(
                replace(_deliver(number, name), is_kept=is_kept) for name in names
            )
    name_counts = NamesTold(
        n_documents=len(places),
        n_written=sum(len(names) for names in places.values()),
        n_read=sum(len(names) for names in read.values()),
        n_cut=drawn.n_cut,
        is_read=drawn.is_read and has_java(),
    )
    answers = [*sample.answers, _answer(name_counts, read)] if places else sample.answers
    uploads = [
        upload.model_copy(update={"n_names": len(read.get(upload.file, ()))})
        for upload in sample.uploads
    ]
    return replace(sample, delivered=delivered, names=name_counts, answers=answers, uploads=uploads)


def _deliver(number: str, name: ReadName) -> Delivered:
    block = f"name {round_brackets(name.name)}"
    if len(block) > LONGEST_BLOCK:
        block = f"{block[: LONGEST_BLOCK - 1]}…"
    raw = RawStructure(number, name.smiles, name.section, name.location, block, "name", name.label)
    return Delivered(raw)


def round_brackets(name: str) -> str:
    """Return a name in which no bracket looks like a citation: "[1,2,4]" as "(1,2,4)".

    >>> round_brackets("N-[4-([1,3]oxazol-2-yl)phenyl]acetamide")
    'N-(4-((1,3)oxazol-2-yl)phenyl)acetamide'
    """
    return name.replace("[", "(").replace("]", ")")


def _answer(name_counts: NamesTold, read: Mapping[str, Sequence[ReadName]]) -> SourceAnswer:
    message = (
        f"{name_counts.n_written} places that look like a name, "
        f"{name_counts.n_read} read as a structure"
    )
    count = sum(bool(names) for names in read.values())
    if not has_java():
        return SourceAnswer(SOURCE, "local", "not_configured", "", 0, "Java is not installed")
    if not name_counts.is_read:
        return SourceAnswer(SOURCE, "local", "unavailable", "", 0, "the process did not end well")
    return SourceAnswer(SOURCE, "local", "answered" if count else "empty", "", count, message)


def read_named(sample: Sample, places: Places, read: Callable[[Sequence[Delivered]], None]) -> None:
    """Hand the structures of names to a reader, document by document."""
    for number in places:
        named = [
            delivered
            for delivered in sample.delivered.get(number, ())
            if delivered.raw.method == "name"
        ]
        if named:
            read(named)
