"""From a question in plain words to the page that answers it without a run."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from core.briefs.developments.question import held_by
from core.briefs.entities.identifying import Library, identify
from core.evidence.readers.questions.parsed import ParsedText
from core.evidence.readers.questions.reading import parse_text, split_events
from core.records.entities import Entity, EntityKind
from core.records.names import fold_name
from core.records.stages import STAGE_WORDS
from core.vocabulary.query_words import fold_word, spellings

MOST_NEAREST = 3
_RIGHTS = "Rights and deals"
_TABS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:own\w*|rights?|licen[sc]\w*|deals?|partner\w*|loe)\b", re.I), _RIGHTS),
    (re.compile(r"\b(?:results?|show(?:ed|n)?|efficacy|safety|data|hazard)\b", re.I), "Results"),
    (re.compile(r"\b(?:trials?|stud(?:y|ies))\b", re.I), "Trials"),
    (re.compile(r"\b(?:label|boxed|indications?|approved|approval)\b", re.I), "Label"),
)  # fmt: skip
_LINKS = frozenset({"of", "in", "for", "by", "from", "with", "the", "a", "an", "what", "does"})
Params = Mapping[str, str | list[str]]
_KINDS: tuple[EntityKind, ...] = ("drug", "company", "target", "disease")


@dataclass(frozen=True)
class Answerer:
    """The page that answers a question.

    Attributes:
        page: Script of the page; "" where nothing was understood.
        params: Parameters of its address.
        label: What the page is about.
        choices: Further things that the question names, each with a page of its own.
        nearest: Names near to what was not understood.
    """

    page: str = ""
    params: Params = field(default_factory=dict)
    label: str = ""
    choices: tuple[Entity, ...] = ()
    nearest: tuple[tuple[str, str], ...] = ()


def find_page(text: str, library: Library) -> Answerer:
    """Return the page that answers a question."""
    entity = _whole_name(text, library)
    if entity:
        return _page_of(entity)
    types, remainder = split_events(text, library.resolver)
    parsed = parse_text(
        remainder or text, library.resolver, held_by(library.evidence, library.resolver)
    )
    if not parsed.names_something:
        shorter = (_whole_name(name, library) for name in _without_asking(text))
        entity = next(filter(None, shorter), None)
        return _page_of(entity) if entity else Answerer(nearest=tuple(_nearest(text, library)))
    if types:
        return Answerer("new_developments.py", {"ask.query": text}, "New developments")
    return _route(parsed, text)


def _whole_name(text: str, library: Library) -> Entity | None:
    """Return the one thing of which the text is a name as a whole.

    A substance that no record names gives way to a target, company or disease of that name.
    """
    matches = [entity for kind in _KINDS if (entity := identify(kind, text, library).entity)]
    if len(matches) > 1 and matches[0].kind == "drug":
        names = library.evidence.names_with("drug", [text])
        if not any(fold_name(name) == fold_name(text) for name in names):
            return matches[1]
    return matches[0] if matches else None


def _without_asking(text: str) -> Iterator[str]:
    """Yield a text with ever fewer of the words at its ends that only ask.

    >>> list(_without_asking("drugs of Grifols pipeline"))
    ['drugs of Grifols', 'of Grifols', 'Grifols']
    """
    words = text.split()
    while len(words) > 1:
        if _is_asking(words[-1]):
            words.pop()
        elif _is_asking(words[0]):
            words.pop(0)
        else:
            return
        yield " ".join(words)


def _is_asking(word: str) -> bool:
    bare = word.strip("?!.,").casefold()
    return bare in _LINKS or fold_word(bare) in spellings()


def _page_of(entity: Entity) -> Answerer:
    page, param = {
        "drug": ("asset.py", "id"),
        "company": ("company.py", "id"),
        "target": ("field.py", "target"),
        "disease": ("field.py", "disease"),
    }[entity.kind]
    return Answerer(page, {param: entity.id}, entity.name)


def _route(parsed: ParsedText, text: str) -> Answerer:
    drugs = {drug.key: drug.label for drug in parsed.drugs if drug.key}
    words = {
        "facet-stage": dict.fromkeys(STAGE_WORDS[stage] for stage in parsed.stages),
        "facet-modality": dict.fromkeys(parsed.modalities),
    }
    facets = {name: list(values) for name, values in words.items() if values}
    if len(drugs) > 1:
        return Answerer("compare.py", {"ids": ",".join(drugs)}, " vs ".join(drugs.values()))
    if drugs and not parsed.targets:
        key, label = next(iter(drugs.items()))
        tab = next((tab for pattern, tab in _TABS if pattern.search(text)), "")
        return Answerer("asset.py", {"id": key} | ({"tabs": tab} if tab else {}), label)
    if parsed.targets or parsed.diseases:
        return _field(parsed, facets)
    name = parsed.companies[0]
    others = tuple(Entity("company", company, company) for company in parsed.companies[1:])
    return Answerer("company.py", {"id": name, **facets}, name, others)


def _field(parsed: ParsedText, facets: Params) -> Answerer:
    targets = [Entity("target", target.text, target.text) for target in parsed.targets]
    diseases = [Entity("disease", disease.key, disease.label) for disease in parsed.diseases]
    first = [*targets[:1], *diseases[:1]]
    params: dict[str, str] = {entity.kind: entity.id for entity in first}
    if parsed.companies:
        facets = {**facets, "facet-owner": list(parsed.companies)}
    label = " in ".join(entity.name for entity in first)
    return Answerer("field.py", {**params, **facets}, label, (*targets[1:], *diseases[1:]))


def _nearest(text: str, library: Library) -> Iterable[tuple[str, str]]:
    """Yield kind and name of what is spelled nearly as a text."""
    scored = [
        (score, kind, name)
        for kind in _KINDS
        for name, score in library.evidence.nearest_names(kind, text, MOST_NEAREST)
    ]
    for _, kind, name in sorted(scored, reverse=True)[:MOST_NEAREST]:
        yield kind, name
