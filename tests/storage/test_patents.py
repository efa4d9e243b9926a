"""Patents in the evidence pack: packed, found, read back, carried."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.evidence.patents.stored import HeldPatents
from core.evidence.sources.importing import find_files, import_files
from core.records.evidence_pack import TextQuery
from core.records.patents import TargetNames
from storage.evidence import EvidenceStore
from tests.core.evidence.patent_files import BENZYL, make_patent

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KRAS = TargetNames("KRAS", ("KRAS",))
MET = TargetNames("MET", ("MET", "c-Met"), contextual=("MET",))
STRINGS = 400
"""Of one document; the reference documents hold 480 on average."""


@pytest.fixture
def pack(tmp_path: Path) -> EvidenceStore:
    """Return a store with 60 documents about KRAS, one about MET, one that is met by chance."""
    store = EvidenceStore(tmp_path / "pack.db")
    drawings = [{"file": "C1.CDX", "section": "claims", "compounds": [BENZYL] * STRINGS}]
    entries = [make_patent(str(12000000 + at), external_files=drawings) for at in range(60)]
    entries += [
        make_patent("12100000", title="MET inhibitors", abstract="Compounds."),
        make_patent("12100001", title="Devices", abstract="Needs are met by a kinase inhibitor."),
    ]
    file = tmp_path / "week.json"
    file.write_text(json.dumps(entries))
    import_files(store, find_files([file]), now=NOW)
    return store


def test_documents_are_found_and_structures_come_back(pack: EvidenceStore) -> None:
    """Every string of every document, in less than the allowance of twenty."""
    pool = HeldPatents(pack)
    found = [one.publication_number for one in pool.find(KRAS, 100)]
    assert len(found) == 60
    started = time.perf_counter()
    structures = pool.structures(found[:20])
    assert time.perf_counter() - started < 3
    assert {len(one) for one in structures.values()} == {STRINGS}
    assert {one.text for told in structures.values() for one in told} == {BENZYL}


def test_a_word_that_looks_like_a_symbol_finds_nothing(pack: EvidenceStore) -> None:
    """The index offers both; capitals and context decide."""
    found = HeldPatents(pack).find(MET, 10)
    assert [one.publication_number for one in found] == ["US12100000B2"]


def test_packed_data_are_no_words(pack: EvidenceStore) -> None:
    """Neither file names nor classes are searched."""
    assert not pack.search(TextQuery([["C1", "C07D401"]]))


def test_patents_are_carried(pack: EvidenceStore, tmp_path: Path) -> None:
    """A carried pack gives the same structures."""
    before = HeldPatents(pack).structures(["US12000001B2"])
    pack.export(tmp_path / "carried.db")
    pack.adopt(tmp_path / "carried.db")
    assert HeldPatents(pack).structures(["US12000001B2"]) == before
