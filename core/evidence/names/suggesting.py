"""Names that begin as somebody types: drugs, companies, targets and diseases of the evidence."""

import re
from dataclasses import dataclass
from typing import NamedTuple, get_args

from core.evidence_ports import EvidenceReader
from core.records.evidence import MentionKind
from core.records.names import fold_name

_SHORTEST = 2


class Suggestion(NamedTuple):
    """A name of the evidence.

    Attributes:
        kind: Of what it is a name.
        name: As a record writes it.
        n_records: Records that carry it.
    """

    kind: MentionKind
    name: str
    n_records: int


@dataclass(frozen=True)
class NameIndex:
    """The names of an evidence pack, folded, with what they are names of."""

    names: tuple[tuple[str, Suggestion], ...]

    def find(self, said: str, most: int) -> list[Suggestion]:
        """Return the names that begin with what was typed, or have a word that does.

        Args:
            said: What was typed.
            most: Names that are returned at most, of each kind.

        Returns:
            Whole matches first, then names that begin with it, each by number of records.
        """
        typed, folded = said.casefold().strip(), fold_name(said)
        if len(folded) < _SHORTEST:
            return []
        word = re.compile(rf"\b{re.escape(typed)}")
        found = sorted(
            (_rank(name, folded), -one.n_records, name, one)
            for name, one in self.names
            if name.startswith(folded) or word.search(one.name.casefold())
        )
        left = dict.fromkeys(get_args(MentionKind), most)
        return [one for *_, one in found if _take(left, one.kind)]


def _rank(name: str, folded: str) -> int:
    return 0 if name == folded else 1 if name.startswith(folded) else 2


def _take(left: dict[MentionKind, int], kind: MentionKind) -> bool:
    left[kind] -= 1
    return left[kind] >= 0


def index_names(evidence: EvidenceReader) -> NameIndex:
    """Return the names of the evidence that is held now."""
    return NameIndex(
        tuple(
            (folded, Suggestion(kind, name, number))
            for kind in get_args(MentionKind)
            for folded, name, number in evidence.names(kind)
        )
    )
