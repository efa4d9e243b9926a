"""Finds the records that may be about some drugs, by the labels under which they mention drugs.

Few drugs are asked of the text index. For the many of a large company that takes seconds and the
index would cut the list off; then every label of the pack is looked through once instead. Either
way a record counts only when one of its labels is read as one of the drugs.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import TextQuery
from core.records.names import fold_name

MOST_RECORDS = 20_000
MANY = 400
"""Names from which on labels are looked through."""
_START = 5
"""Letters by which names are found inside a label; three and four are whole names."""
_CODE = re.compile(r"([A-Za-z]{1,6})[- ]?(\d+[A-Za-z0-9-]*)")


class Parts:
    """Folded names, ready to be found inside folded labels."""

    def __init__(self, names: Iterable[str]) -> None:
        """Order the names by their beginning.

        Args:
            names: As written, of three letters or more.
        """
        self._starts: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for folded in sorted({fold_name(name) for name in names}):
            self._starts[folded[:3]][folded[3:_START]].append(folded)

    def are_in(self, folded: str) -> bool:
        """Return whether a folded label contains one of the names."""
        starts = self._starts
        for index in range(len(folded) - 2):
            following = starts.get(folded[index : index + 3])
            if following is None:
                continue
            remainder = folded[index + 3 : index + _START]
            if "" in following or remainder[:1] in following:
                return True
            if any(folded.startswith(name, index) for name in following.get(remainder, ())):
                return True
        return False


def find_mentioning(
    names: Collection[str], parts: Parts, evidence: EvidenceReader, kinds: Sequence[str] = ()
) -> list[str]:
    """Return the records in which one of the names may stand, in no particular order."""
    if not names:
        return []
    ids: list[str] = []
    if len(names) < MANY:
        group = sorted(_shortest({spelling for name in names for spelling in _spell(name)}))
        hits = evidence.search(TextQuery([group], kinds=kinds, limit=MOST_RECORDS))
        ids = [hit.record_id for hit in hits]
        labels = sorted(names)  # whatever hyphens the index sees
    else:
        labels = [spelling for spelling in evidence.spellings("drug") if parts.are_in(spelling)]
    return list(dict.fromkeys([*ids, *evidence.mentioning("drug", labels, kinds)]))


def _shortest(names: Iterable[str]) -> list[str]:
    """Return names without those that contain another: where they stand, the shorter one does."""
    shortest: dict[tuple[str, ...], str] = {}
    for name in sorted(names, key=lambda name: (len(name), name)):
        words = tuple(re.findall(r"[^\W_]+", name.casefold()))
        runs = (words[a:b] for a in range(len(words)) for b in range(a + 1, len(words) + 1))
        if words and not any(run in shortest for run in runs):
            shortest[words] = name
    return list(shortest.values())


def _spell(name: str) -> set[str]:
    """Return a name, and a code also in one word and in two, as the text index tells them apart."""
    match = _CODE.fullmatch(name)
    return {name, f"{match[1]} {match[2]}", match[1] + match[2]} if match else {name}
