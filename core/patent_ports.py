"""What a pool of patents must offer; the compound map runs on it or on a fake."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from core.records.patents import PatentDocument, PatentText, RawStructure, SourceAnswer, TargetNames


class PatentPool(Protocol):
    """Finds documents about a target and gives the structures delivered with them."""

    def find(self, names: TargetNames, limit: int) -> Sequence[PatentDocument]:
        """Return at most `limit` documents that name the target, the most relevant first."""
        ...

    def structures(
        self, publication_numbers: Sequence[str]
    ) -> Mapping[str, Sequence[RawStructure]]:
        """Return raw structures by document, claims first; documents without any are left out."""
        ...

    def texts(self, publication_numbers: Sequence[str]) -> Mapping[str, Sequence[PatentText]]:
        """Return claims and description by document; documents without texts are left out."""
        ...

    def answers(self) -> Sequence[SourceAnswer]:
        """Return what each source answered so far, in the order in which they were asked."""
        ...
