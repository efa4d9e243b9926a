"""Runs the differential-expression pipeline in this process, without stores."""

import hashlib
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from core.agents.differential_expression.schema import DifferentialExpressionData
from core.evidence.names.identity.resolver import Resolver
from core.records.runs import UploadedFile
from core.registry import all_agents
from core.settings import Settings
from storage.identity import IdentityStore
from tests.contexts import make_context

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Files:
    """Uploads by id: two tables, raw or gzip."""

    contents: dict[str, bytes] = field(default_factory=dict)

    def get(self, file_id: str) -> UploadedFile:
        """Return what is known of an upload."""
        content = self.contents[file_id]
        digest = hashlib.sha256(content).hexdigest()
        return UploadedFile(
            file_id=file_id,
            owner_id=1,
            name=f"{file_id}.csv",
            size=len(content),
            sha256=digest,
            created_at=NOW,
        )

    def open(self, file_id: str) -> BinaryIO:
        """Open an upload."""
        return BytesIO(self.contents[file_id])


def answer(counts: bytes, metadata: bytes, **fields: object) -> DifferentialExpressionData:
    """Run the pipeline on two tables.

    Args:
        counts: CSV or TSV, gzip accepted.
        metadata: The same.
        fields: Of the request; the condition column is `condition`.
    """
    agent = all_agents()["differential-expression"]
    request = agent.request.model_validate(
        {
            "condition_column": "condition",
            "count_file_id": "counts",
            "metadata_file_id": "metadata",
            **fields,
        }
    )
    context = make_context(
        NOW,
        settings=Settings(upload_limit_mb=1000, expanded_limit_mb=1000, compressed_limit_mb=1000),
        files=Files({"counts": counts, "metadata": metadata}),
        resolver=Resolver(IdentityStore(Path("absent"))),
    )
    return agent.load()(request, context)


def warm_up() -> None:
    """Import and compile everything that a run needs."""
    agent = all_agents()["differential-expression"]
    example = agent.request.model_validate(agent.examples[0].request)
    fields = example.model_dump(exclude={"counts_csv", "metadata_csv"}, exclude_unset=True)
    counts, metadata = str(example.counts_csv).encode(), str(example.metadata_csv).encode()
    answer(counts, metadata, **fields)


def run_direct(folder: str, reference: str, comparison: str) -> float:
    """Return the seconds of a warm run of method=all on a reference set."""
    source = Path(folder)
    counts = (source / "counts.csv.gz").read_bytes()
    metadata = (source / "metadata.csv").read_bytes()
    warm_up()
    began = time.perf_counter()
    answer(counts, metadata, reference_group=reference, comparison_group=comparison)
    return time.perf_counter() - began
