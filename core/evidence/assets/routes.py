"""How a drug is given: by the names of its products, the titles of its trials, or its kind."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from core.evidence.assets.shelf import Shelf
from core.records.programs import Statement
from core.vocabulary.query_words import take_words
from core.vocabulary.routes import NEEDLE, by_needle

MOST_CITED = 3
BEFORE, BEHIND = 2, 5
"""Words of a title next to a drug's name that may tell how it is given."""
_ENDING = re.compile(r"\b(?:in|for|with|versus|vs|and|compared)\b|[,;:|]", re.IGNORECASE)
LEAST_SIGNS = 3
"""Two letters are too few in a record: "stage IV" is no infusion."""
OF_KIND = "goes by needle, as drugs of its kind do"


def routes_of(key: str, shelf: Shelf, modality: Statement | None) -> tuple[Statement, ...]:
    """Return how a drug is given, by route; without any word the kind of drug may tell it."""
    routes: dict[str, list[str]] = defaultdict(list)
    for record_id, text in _texts(key, shelf):
        spelled = " ".join(word for word in text.split() if len(word.strip(".,;()")) >= LEAST_SIGNS)
        for route in take_words("route", spelled)[0]:
            routes[route].append(record_id)
    if not routes and modality and modality.text in by_needle("modality"):
        return (Statement(NEEDLE, modality.record_ids, modality.fact_ids, OF_KIND),)
    return tuple(
        Statement(route, tuple(dict.fromkeys(ids))[:MOST_CITED])
        for route, ids in sorted(routes.items())
    )


def _texts(key: str, shelf: Shelf) -> Iterator[tuple[str, str]]:
    """Yield what names the drug's products, and the words beside its name in titles."""
    names = [
        fold for name in shelf.names.get(key, ()) if len(fold := name.casefold()) > LEAST_SIGNS
    ]
    for record_id in shelf.of(key):
        named = [mention for mention in shelf.mentions.get(record_id, ()) if mention.kind == "drug"]
        for name in dict.fromkeys(
            mention.name for mention in named if mention.role in {"investigational", ""}
        ):
            if [drug.key for drug in shelf.labels.get(name, ())] == [key]:
                yield record_id, name
        if record_id in shelf.records:
            title = shelf.records[record_id].title
            yield from ((record_id, text) for text in _beside(title, names))


def _beside(title: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the words right before and behind a name: "oral mucositis" tells no route."""
    folded = title.casefold()
    position, name = next(
        ((at, name) for name in names if (at := folded.find(name)) >= 0), (-1, "")
    )
    if position >= 0:
        yield " ".join(title[:position].split()[-BEFORE:])
        behind = title[position + len(name) :]
        yield " ".join(_ENDING.split(behind, maxsplit=1)[0].split()[:BEHIND])
