"""What the care of an instance tells: what was cleared away, what a copy holds."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cleared(_Record):
    """What a retention job took away (or would take away)."""

    runs: int = Field(description="Finished runs past their time.")
    uploads: int = Field(description="Old uploads that no remaining run names.")
    sessions: int = Field(description="Expired sign-ins.")
    links: int = Field(description="Expired or used one-time links.")
    answers: int = Field(description="Expired answers to repeated requests.")
    blobs: int = Field(description="Files that nothing refers to.")
    blob_bytes: int = Field(description="Their size.")


class CopiedFile(_Record):
    """One file of a backup."""

    path: str = Field(description="Below the backup's folder, with forward slashes.")
    size: int
    sha256: str


class Manifest(_Record):
    """What a backup holds; written last, so that a folder without it is no backup."""

    format: Literal[1] = 1
    created_at: datetime
    database: Literal["sqlite", "postgresql"]
    release: str = Field(default="", description='Version of the program; "" before 0.4.0.')
    revision: str = Field(description="Version of the schema.")
    files: list[CopiedFile]


class StoredAnswer(_Record):
    """What is known of a request that carried an idempotency key before."""

    run_uuid: str | None = Field(description="Its run; null while none has begun.")
    expires_at: datetime
