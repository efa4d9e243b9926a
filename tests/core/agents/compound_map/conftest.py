"""The agent on documents that a test writes itself: the pool is replaced, all else is real."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.agents.compound_map import pipeline
from core.agents.compound_map.schema import CompoundMapData, CompoundMapRequest
from core.evidence.assets.joined_names import learn
from core.records.identity import Entity, EntityName
from core.records.names import fold_name
from core.records.patents import (
    PatentDocument,
    PatentText,
    RawStructure,
    SourceAnswer,
    TargetNames,
)
from core.settings import Settings
from core.workbench import RunContext
from storage.stores import open_stores
from tests.contexts import Uploads, make_context

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ASPIRIN_AMIDES = tuple(f"CC(=O)Oc1ccccc1C(=O)N{'C' * n}c1ccccc1" for n in range(1, 5))
KINASE_LIKE = tuple(f"Cc1ccc(NC(=O)c2ccc(CN3CCN({'C' * n})CC3)cc2)cc1" for n in range(1, 5))
GENERIC = "C1CN([*:3])CCN1c1ncc(OC[*:1])cn1"
PIECE = "CC(C)(C)c1c(O)cccc1F |w:1.0,1.1|"


def identity_rows() -> Iterator[Entity | EntityName]:
    for key, symbol in {"HGNC:6407": "KRAS", "HGNC:16400": "NLRP3"}.items():
        yield Entity("target", key, symbol, note="gene with protein product")
        yield EntityName("target", fold_name(symbol), key, 1, symbol)


def document(number: str = "US1000001B2", **changes: Any) -> PatentDocument:
    """Return a granted document of one owner."""
    stem = PatentDocument(
        publication_number=number,
        kind=number[-2:],
        country=number[:2],
        title=f"Inhibitors of KRAS, {number}",
        assignees=("Acme Bio, Inc.",),
        filed_on="2021-03-01",
        published_on="2024-05-07",
        priority_on="2020-03-02",
        earliest_nonprovisional_on="2021-03-01",
        family=f"family of {number}",
        cpc=("C07D401/12",),
        legal="granted",
        mentions=("title", "abstract"),
        n_attachments=5,
        source="test",
    )
    return replace(stem, **changes)


def drawn(number: str, section: str, *texts: str, **changes: Any) -> list[RawStructure]:
    """Return attachments of a section."""
    return [
        replace(
            RawStructure(number, text, section, section, f"{number}-C{place:05}.CDX", "cdx"),
            **changes,
        )
        for place, text in enumerate(texts, start=1)
    ]


@dataclass
class Pool:
    """Documents with their structures."""

    documents: list[PatentDocument] = field(default_factory=list)
    held: dict[str, list[RawStructure]] = field(default_factory=dict)
    asked: list[tuple[TargetNames, int]] = field(default_factory=list)
    written: dict[str, list[PatentText]] = field(default_factory=dict)
    asked_texts: list[str] = field(default_factory=list)

    def add(self, one: PatentDocument, *structures: Sequence[RawStructure]) -> None:
        self.documents.append(one)
        self.held[one.publication_number] = [raw for part in structures for raw in part]

    def find(self, names: TargetNames, limit: int) -> Sequence[PatentDocument]:
        self.asked.append((names, limit))
        return self.documents[:limit]

    def structures(self, numbers: Sequence[str]) -> Mapping[str, Sequence[RawStructure]]:
        return {number: self.held[number] for number in numbers if self.held.get(number)}

    def texts(self, numbers: Sequence[str]) -> Mapping[str, Sequence[PatentText]]:
        self.asked_texts = list(numbers)
        return {number: self.written[number] for number in numbers if number in self.written}

    def answers(self) -> Sequence[SourceAnswer]:
        status = "answered" if self.documents else "empty"
        return (SourceAnswer("test", "local", status, "2026-11-21", len(self.documents)),)


@dataclass
class Bench:
    """The agent with its pool and uploads.

    Attributes:
        stores: Real stores with names of two genes.
        pool: Documents that it finds.
        uploads: Files of the caller.
        saved: Files that the last run kept, by name.
        steps: Steps that it told.
        notes: Where it keeps what it computed; None keeps nothing.
    """

    stores: Any
    pool: Pool = field(default_factory=Pool)
    uploads: Uploads = field(default_factory=lambda: Uploads(NOW))
    saved: dict[str, bytes] = field(default_factory=dict)
    steps: list[tuple[str, int, int]] = field(default_factory=list)
    notes: Any = None

    def run(self, target: str = "KRAS", **fields: Any) -> CompoundMapData:
        self.saved.clear()
        self.steps.clear()
        request = CompoundMapRequest.model_validate({"target": target, **fields})
        return pipeline.run(request, self.context())

    def context(self) -> RunContext:
        return make_context(
            NOW,
            self.stores,
            settings=Settings(offline=True),
            files=self.uploads,
            progress=lambda step, done, total, note: self.steps.append((step, done, total)),
            save_file=lambda name, content, media_type: self.saved.update({name: content}),
            notes=self.notes,
        )


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an instance without documents whose names are learned, as set-up does once."""
    home = tmp_path_factory.mktemp("map") / "home"
    stores = open_stores(Settings(home=home))
    stores.engine.upgrade()
    stores.identity.build(identity_rows(), (), "test names")
    learn(stores.evidence, stores.identity, stores.learned_names)
    stores.engine.close()
    return home


@pytest.fixture
def bench(tmp_path: Path, empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """The agent without documents."""
    home = tmp_path / "home"
    shutil.copytree(empty_home, home)
    stores = open_stores(Settings(home=home))
    found = Bench(stores)
    monkeypatch.setattr(pipeline, "open_patents", lambda *_: found.pool)
    yield found
    stores.engine.close()


@pytest.fixture
def two_documents(bench: Bench) -> Bench:
    """Two documents of two owners with claims, examples, a generic drawing and a piece."""
    first, second = "US1000001B2", "US20240000002A1"
    bench.pool.add(
        document(first),
        drawn(first, "claims", *ASPIRIN_AMIDES, GENERIC, PIECE),
        drawn(first, "description", ASPIRIN_AMIDES[0], "CCO", "", "not a structure"),
    )
    bench.pool.add(
        document(
            second,
            legal="pending",
            assignees=("Beta Pharma Ltd",),
            priority_on="2019-01-15",
            cpc=("C07D213/00",),
        ),
        drawn(second, "claims", *KINASE_LIKE),
        drawn(second, "description", ASPIRIN_AMIDES[1]),
    )
    return bench
