"""What a pipeline may reach, for tests that run one without a server."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from io import BytesIO
from typing import Any, BinaryIO

from core.errors import InvalidInput
from core.evidence.names.identity.resolver import Resolver
from core.ports import Stores
from core.records.runs import Caller, UploadedFile
from core.settings import Settings
from core.workbench import RunContext


def make_context(now: datetime, stores: Stores | None = None, **changes: Any) -> RunContext:
    """Return the context of a run that keeps nothing and has no uploads.

    Args:
        now: Instant at which the run began.
        stores: Instance whose evidence and names the run reads; None where it reads none.
        changes: Fields of the context with other values.
    """
    fields: dict[str, Any] = {
        "run_uuid": "00000000-0000-0000-0000-000000000001",
        "query_id": 7,
        "caller": Caller(user_id=1, name="analyst"),
        "now": now,
        "seed": 1,
        "settings": Settings(),
        "files": None,
        "progress": lambda *_: None,
        "save_file": lambda *_: None,
        "evidence": stores.evidence if stores else None,
        "resolver": None,
    }
    if stores and "resolver" not in changes:
        fields["resolver"] = Resolver(stores.identity, stores.learned_names)
    return RunContext(**fields | changes)


@dataclass
class Uploads:
    """Uploads of one caller: name and content by id."""

    now: datetime
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    def get(self, file_id: str) -> UploadedFile:
        if file_id not in self.files:
            raise InvalidInput(f"There is no upload {file_id!r}.", code="unknown_file")
        name, content = self.files[file_id]
        digest = hashlib.sha256(content).hexdigest()
        return UploadedFile(
            file_id=file_id,
            owner_id=1,
            name=name,
            size=len(content),
            sha256=digest,
            created_at=self.now,
        )

    def open(self, file_id: str) -> BinaryIO:
        self.get(file_id)
        return BytesIO(self.files[file_id][1])
