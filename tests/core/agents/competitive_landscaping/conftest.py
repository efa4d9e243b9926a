"""The agent on drugs that a test describes: a real pack of records as importers make them.

Only the curators' table of drugs is empty here. It has none of these drugs, and to look all of
its names up anew takes longer than a whole answer; the tests of gathering read it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.agents.competitive_landscaping.pipeline import run
from core.agents.competitive_landscaping.schema import (
    CompetitiveLandscapingData,
    CompetitiveLandscapingRequest,
)
from core.evidence.assets import curators_drugs, joined_names
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import Evidence
from core.records.evidence import Parsed
from core.records.evidence_pack import ImportedFile
from core.records.identity import Entity, EntityName, IsA
from core.records.names import fold_name
from core.workbench import RunContext
from storage.evidence import EvidenceStore
from storage.identity import IdentityStore
from tests.contexts import make_context
from tests.core.agents.competitive_landscaping.drugs import Drug, field_of_three, records_of

QUERY = "PD-1/VEGF bispecifics"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DISEASES = {
    "MONDO:1": ("lung cancer", []),
    "MONDO:2": ("non-small cell lung cancer", ["NSCLC", "non-small cell lung cancer"]),
    "MONDO:3": ("gastric cancer", ["stomach cancer"]),
    "MONDO:4": ("cancer", []),
}
KINDS = [("MONDO:2", "MONDO:1"), ("MONDO:1", "MONDO:4"), ("MONDO:3", "MONDO:4")]
GENES = {"HGNC:8760": "PDCD1", "HGNC:12680": "VEGFA", "HGNC:2026": "CLDN18"}


def identity_rows() -> Iterator[Entity | EntityName | IsA]:
    for key, (label, names) in DISEASES.items():
        yield Entity("disease", key, label)
        for name in (label, *names):
            yield EntityName("disease", fold_name(name), key, 1, name)
    for child, parent in KINDS:
        yield IsA("disease", child, parent)
    for key, symbol in GENES.items():
        yield Entity("target", key, symbol, note="gene with protein product")
        yield EntityName("target", fold_name(symbol), key, 1, symbol)
    for number, name in enumerate(("alphamab", "betamab", "gammamab"), start=1):
        yield Entity("drug", f"UNII:{number}", name)
        yield EntityName("drug", fold_name(name), f"UNII:{number}", 1, name)


def hold(evidence: Evidence, drugs: Sequence[Drug], folder: Path, *further: Parsed) -> None:
    """Write the records of drugs into a pack.

    Args:
        evidence: The pack.
        drugs: The drugs.
        folder: Where the files are put that importers read.
        further: More records.
    """
    with evidence.next_generation() as writer:
        writer.add([*records_of(drugs, folder), *further])
        writer.finish_file(ImportedFile("made.json", "test", "0" * 64, NOW.isoformat(), 1, 0))


@dataclass
class Field:
    """Drugs in a pack of their own, and the agent run on them.

    Attributes:
        folder: Where packs and the files that importers read are put.
        resolver: Real names.
        drugs: The drugs.
        evidence: The pack that held them last.
        further: More records that the pack holds.
    """

    folder: Path
    resolver: Resolver
    drugs: list[Drug] = field(default_factory=field_of_three)
    further: list[Parsed] = field(default_factory=list)
    evidence: Evidence = field(init=False)
    _held: list[object] = field(default_factory=list)
    _packs: int = 0

    def __post_init__(self) -> None:
        """Begin with a pack that holds nothing."""
        self._open()

    def _open(self) -> None:
        self._packs += 1
        self.evidence = EvidenceStore(self.folder / f"pack{self._packs}.db")

    def context(self) -> RunContext:
        return make_context(NOW, evidence=self.evidence, resolver=self.resolver)

    def run(self, query: str = QUERY, **fields: Any) -> CompetitiveLandscapingData:
        self.hold()
        request = CompetitiveLandscapingRequest.model_validate({"query": query, **fields})
        return run(request, self.context())

    def hold(self) -> None:
        """Put the drugs of now, in their order, into a pack that holds nothing else."""
        wanted = [*self.drugs, *self.further]
        if self._held != wanted:
            self._open()
            hold(self.evidence, self.drugs, self.folder, *self.further)
            self._held = wanted


@pytest.fixture(scope="session")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    """Return names of four diseases, three genes and three drugs; tests only read them."""
    identity = IdentityStore(tmp_path_factory.mktemp("names") / "identity.db")
    identity.build(identity_rows(), (), "test names")
    return Resolver(identity)


def empty_curators_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the curators know no drug."""
    monkeypatch.setattr(curators_drugs, "load_drugs", tuple)
    for module in (curators_drugs, joined_names):
        monkeypatch.setattr(module, "known_names", tuple)


@pytest.fixture
def landscape(tmp_path: Path, resolver: Resolver, monkeypatch: pytest.MonkeyPatch) -> Field:
    """Return three drugs and the agent."""
    empty_curators_table(monkeypatch)
    return Field(tmp_path, resolver)


@pytest.fixture
def names() -> Callable[[CompetitiveLandscapingData], list[str]]:
    """Return what lists the drugs of an answer."""
    return lambda data: [one.drug_name for one in data.drugs]
