"""The weekly files of patents in the starter pack."""

import gzip
import json
from datetime import UTC, datetime

import pytest

from core.evidence.patents.stored import HeldPatents
from core.evidence.readers.patents.names import TargetReader
from core.evidence.sources.files.uspto_chem import PERSON
from core.evidence.sources.pack.notice import starter_notice
from core.evidence.sources.pack.patents import FOLDER, load_patents, patent_files
from core.records.evidence_pack import TextQuery
from core.records.patents import TargetNames
from storage.evidence import EvidenceStore
from tests.rows import over_rows
from tools.curation.patent_weeks import cut_weeks

NOW = datetime(2026, 11, 23, tzinfo=UTC)
LARGEST_BYTES = 12_000_000
KRAS = TargetNames("KRAS", ("KRAS", "K-Ras"))


@pytest.fixture(scope="module")
def patents(tmp_path_factory: pytest.TempPathFactory) -> EvidenceStore:
    """Return a store with the patents of the pack alone."""
    store = EvidenceStore(tmp_path_factory.mktemp("patents") / "pack.db")
    assert load_patents(store, NOW) > 1_800
    return store


def test_every_week_is_read_once(patents) -> None:
    assert [one.name for one in patents.files()] == [path.name for path, _ in patent_files()]
    assert load_patents(patents, NOW) == 0


def test_the_files_are_small_and_name_no_person(patents) -> None:
    assert sum(path.stat().st_size for path, _ in patent_files()) < LARGEST_BYTES
    assert not patents.names_with("company", [PERSON])
    for path, _ in patent_files():
        with gzip.open(path, "rt", encoding="utf-8") as file:
            documents = json.load(file)
        named = [one for document in documents for one in document["applicants"]]
        assert all(set(one) == {"organization"} for one in named)


def test_documents_of_a_target_come_with_their_structures(patents) -> None:
    pool = HeldPatents(patents)
    found = pool.find(KRAS, 50)
    assert len(found) >= 10
    assert all(one.assignees or one.applicants for one in found[:5])
    assert len(pool.structures([one.publication_number for one in found])) >= 8
    message = next(one.message for one in pool.answers() if one.source == "uspto_chem")
    assert f"{len(patent_files())} files" in message


def test_patents_alone_are_no_starter_pack(patents) -> None:
    assert starter_notice(patents) == ""
    assert patents.search(TextQuery([["KRAS"]], kinds=("patent",)))


def test_the_weeks_are_those_of_the_reference(reference, tmp_path) -> None:
    """What is cut is what nobody reads; the rest stands as the files at hand have it."""
    source = reference.parent / "patents" / "uspto_2024_weeks"
    counts = dict(cut_weeks(source, tmp_path / "cut"))
    assert sum(counts.values()) == 1_879
    for name in counts:
        cut = gzip.decompress((tmp_path / "cut" / name).read_bytes())
        assert cut == gzip.decompress((FOLDER / name).read_bytes()), name


@over_rows(
    ("names", "text", "is_named"),
    [
        (("TNFSF14", "LIGHT"), "Organic light emitting device", False),
        (("TNFSF14", "LIGHT"), "A LIGHT inhibitor for the treatment of colitis", True),
        (("C3",), "A compound substituted at C3 is a corrosion inhibitor", False),
        (("C3",), "C3 inhibitors for geographic atrophy", True),
    ],
)
def test_an_alias_that_spells_a_word_counts_beside_what_acts(names, text, is_named) -> None:
    names_of = TargetNames(names[0], names, names[-1:])
    assert TargetReader(names_of).names_target(text) is is_named
