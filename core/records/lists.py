"""Saved lists of drugs or companies, as every floor may pass them on."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

ListKind = Literal["drug", "company"]


class SavedList(BaseModel):
    """Names that a person keeps together.

    Attributes:
        list_id: Its number.
        name: Given by its owner, unique among the owner's.
        kind: What its entries are.
        entries: Names as they were written, in the order in which they came; each once by
            `core.records.names.fold_name`.
        created_at: When it was made.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    list_id: int
    name: str
    kind: ListKind
    entries: tuple[str, ...]
    created_at: datetime
