"""Which patents are read: one of a family, as many assignees as there are, the same every time.

Families collapse to one document, US versions first, since their drawings are delivered as
chemistry. The sample is then chosen one by one: each time the document with the most to tell
beside those chosen already (weights: rows `patents.*` of core/knowledge/score_weights.csv). One
assignee gets at most a quarter while there are others; documents that name the target in their
description alone just fill up.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from core.agents.compound_map.reading import Delivered
from core.agents.compound_map.records import LegalWord, UploadRow
from core.agents.compound_map.schema import CompoundMapRequest
from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.names.companies import company_group, distinct_words
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.identity.vocabularies import strip_legal_form
from core.evidence.readers.patents.gene_roles import Played, RoleReader
from core.evidence.readers.patents.names import join_family, nearest_symbols, patent_names
from core.evidence.readers.patents.numbers import split_number
from core.evidence.readers.questions.named import Held
from core.evidence.readers.questions.reading import parse_text
from core.knowledge.patent_words import title_kinds
from core.knowledge.score_weights import weight
from core.patent_ports import PatentPool
from core.records.names import fold_name
from core.records.patents import (
    Chosen,
    Dropped,
    MemberDropped,
    PatentDocument,
    PatentText,
    Selection,
    SourceAnswer,
    TargetNames,
)
from core.records.programs import TargetExpression
from core.workbench import RunContext


@dataclass(frozen=True)
class Asked:
    """The request as understood.

    Attributes:
        symbol: Approved symbol; the text as asked where none is known.
        names: How patents call it; None where it is no known target.
        nearest: Known symbols near to an unknown one.
        has_names: Whether the instance holds names of genes at all.
        seed: Text from which every choice by lot is drawn.
        read_as: How words that are no name of a gene were read; "" where they are one.
    """

    symbol: str
    names: TargetNames | None
    nearest: tuple[str, ...]
    has_names: bool
    seed: str
    read_as: str = ""


def understand(request: CompoundMapRequest, context: RunContext) -> Asked:
    """Return the target's names; without any names of genes the text stands for itself."""
    text = " ".join(request.target.split())
    has_names = bool(context.resolver.identity.version())
    names = patent_names(text, context.resolver) if has_names else TargetNames(text, (text,))
    nearest: tuple[str, ...] = ()
    read_as = ""
    if names is None:
        names, read_as = read_words(text, context.resolver)
    if names is None:
        nearest = tuple(nearest_symbols(text, context.resolver.identity))
    if names is not None and has_names:
        names = join_family(names, text, context.resolver)
    symbol = names.symbol if names else text
    seed = request.seed or derive_seed(request)
    return Asked(symbol, names, nearest, has_names, seed, read_as)


def read_words(text: str, resolver: Resolver) -> tuple[TargetNames | None, str]:
    """Return the target that words mean which are no name of a gene, and how they were read.

    Words of a question or of another language name it, or a drug that acts on it; one word that is
    near to a symbol is no name of it.
    """
    known_drugs = known_by_key(resolver)
    parsed = parse_text(text, resolver, Held(known_drugs.__contains__))
    is_phrase = " " in text or any(change.why == "translated" for change in parsed.changes)
    for target in parsed.targets if is_phrase else ():
        if names := patent_names(target.text, resolver) or _of_genes(target, resolver):
            return names, f"the target {target.text}"
    for drug in parsed.drugs:
        for row in known_drugs.get(drug.key, ()):
            if names := patent_names(row.target, resolver):
                return names, f"{drug.label}, which acts on {row.target}"
    return None, ""


def _of_genes(target: TargetExpression, resolver: Resolver) -> TargetNames | None:
    """Return the names of an expression's only gene."""
    symbols = target.gene_symbols
    return patent_names(symbols[0], resolver) if len(symbols) == 1 else None


def derive_seed(request: CompoundMapRequest) -> str:
    """Return the seed of a request that brings none: the same request, the same seed."""
    plain = request.model_dump(mode="json", exclude={"seed", "file_ids", "compounds_file_id"})
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class NamesTold:
    """What became of systematic names.

    Attributes:
        n_documents: Documents with places that look like a name, in sections without compounds.
        n_written: Such places.
        n_read: Structures that they gave.
        n_cut: Ways to read them beyond the cap.
        is_read: Whether the process could be asked, and ended well.
    """

    n_documents: int = 0
    n_written: int = 0
    n_read: int = 0
    n_cut: int = 0
    is_read: bool = True


@dataclass(frozen=True, slots=True)
class MentionedIn:
    """A document that names the target as something else than its target."""

    document: PatentDocument
    played: Played


@dataclass(frozen=True)
class Sample:
    """Documents with what they draw.

    Attributes:
        selection: Documents chosen from the pool, and those left out.
        uploaded: Documents that the caller brought.
        candidates: Documents among which was chosen.
        mentioned: Documents that only mention the target; their compounds are not read.
        actions: What a document says is done to the target ("inhibitor"), where it says so.
        delivered: Strings by publication number.
        answers: What each source of documents answered.
        uploads: What became of each file of the caller.
        crops: Pictures read by document.
        texts: Texts of the caller's documents.
        knows_claims: The caller's documents in which a heading tells the claims.
        names: What became of systematic names.
    """

    selection: Selection = Selection()
    uploaded: Sequence[PatentDocument] = ()
    candidates: Sequence[PatentDocument] = ()
    mentioned: Sequence[MentionedIn] = ()
    actions: Mapping[str, str] = field(default_factory=dict)
    delivered: Mapping[str, Sequence[Delivered]] = field(default_factory=dict)
    answers: Sequence[SourceAnswer] = ()
    uploads: Sequence[UploadRow] = ()
    crops: Mapping[str, int] = field(default_factory=dict)
    texts: Mapping[str, Sequence[PatentText]] = field(default_factory=dict)
    knows_claims: frozenset[str] = frozenset()
    names: NamesTold = NamesTold()

    @cached_property
    def documents(self) -> list[PatentDocument]:
        """Return the documents, those of the caller first."""
        return [*self.uploaded, *(chosen.document for chosen in self.selection.chosen)]

    @cached_property
    def _by_number(self) -> Mapping[str, PatentDocument]:
        mentioned = (mention.document for mention in self.mentioned)
        return {document.publication_number: document for document in (*mentioned, *self.documents)}

    @cached_property
    def _named(self) -> Sequence[PatentDocument]:
        """Return all documents, whether read or not."""
        mentioned = (mention.document for mention in self.mentioned)
        return [*self.documents, *self.candidates, *mentioned]

    @cached_property
    def owners(self) -> Mapping[str, Sequence[str]]:
        """Return by the name for display of each owner how documents spell it."""
        spellings: dict[str, set[str]] = {}
        for raw in (raw for document in self._named for raw in document.assignees):
            spellings.setdefault(owner_key(raw), set()).add(raw)
        # Companies that own a document together and share a word of their own are one owner.
        links = [
            [owner_key(first), owner_key(second)]
            for document in self._named
            for first, second in combinations(document.assignees, 2)
            if distinct_words(first) & distinct_words(second)
        ]
        families = (
            sorted({raw for key in keys for raw in spellings[key]})
            for keys in _join(sorted(spellings), links)
        )
        # Of the spellings, one that is not all capitals goes first, then the shorter.
        return {
            _spell(min(names, key=lambda name: (name.isupper(), len(name), name))): names
            for names in families
        }

    @cached_property
    def _owners(self) -> Mapping[str, list[str]]:
        """Return the owners of each document under the name that stands for all spellings."""
        shown = {raw: owner for owner, names in self.owners.items() for raw in names}
        return {
            document.publication_number: list(
                dict.fromkeys(shown[raw] for raw in document.assignees)
            )
            for document in self._named
        }

    def document(self, number: str) -> PatentDocument:
        """Return a document of the sample."""
        return self._by_number[number]

    def owners_of(self, numbers: Iterable[str]) -> list[str]:
        """Return the owners of documents, each once, sorted."""
        return sorted({owner for number in numbers for owner in self._owners.get(number, ())})

    def source_of(self, number: str) -> str:
        """Return the key by which a document is cited."""
        document = self._by_number[number]
        return document.record_id or f"{document.source}:{number}"

    @cached_property
    def families(self) -> Mapping[str, str]:
        """Return families by publication number."""
        return {
            document.publication_number: document.family or document.publication_number
            for document in self.documents
        }


def find_sample(
    question: Asked, request: CompoundMapRequest, pool: PatentPool, resolver: Resolver
) -> Sample:
    """Return the chosen documents with what their sources delivered."""
    if question.names is None:
        return Sample()
    documents = pool.find(question.names, max(request.candidate_pool, request.max_patents))
    own = resolver.resolve("target", question.names.symbol).key
    reader = RoleReader(
        question.names, lambda name: resolver.resolve("target", name).key not in {"", own}
    )
    roles = {document.publication_number: reader.read(document) for document in documents}
    # The first claim of a document decides where title and abstract speak against the target.
    doubtful = [number for number, played in roles.items() if played.role != "target"]
    texts = pool.texts(doubtful) if doubtful else {}
    candidates: list[PatentDocument] = []
    mentioned: list[MentionedIn] = []
    for document in documents:
        number = document.publication_number
        played = reader.read(document, texts[number]) if number in texts else roles[number]
        if played.role == "target":
            candidates.append(document)
        else:
            mentioned.append(MentionedIn(document, played))
    selection = select_patents(candidates, request.max_patents, question.seed)
    numbers = [chosen.document.publication_number for chosen in selection.chosen]
    structures = pool.structures(numbers)
    return Sample(
        selection=selection,
        candidates=candidates,
        mentioned=mentioned,
        actions={
            chosen.document.publication_number: reader.read_action(chosen.document)
            for chosen in selection.chosen
        },
        delivered={
            number: [Delivered(raw, is_kept=True) for raw in structures[number]]
            for number in numbers
            if number in structures
        },
        answers=pool.answers(),
    )


_SMALL = frozenset({"AND", "AT", "BY", "DE", "FOR", "IN", "OF", "THE"})
_FORMS = frozenset({"CO", "INC", "LTD"})


def _spell(name: str) -> str:
    """Return a name of capitals alone as people write it; short words may be initials.

    >>> _spell("THE BOARD OF REGENTS OF XYZ LTD."), _spell("NodThera Limited")
    ('The Board of Regents of XYZ Ltd.', 'NodThera Limited')
    """

    def spell(match: re.Match[str]) -> str:
        word = match[0]
        if word in _SMALL and match.start():
            return word.lower()
        is_word = len(word) > 3 or word in _FORMS | _SMALL
        return word.capitalize() if is_word else word

    return re.sub(r"[^\W\d_]+", spell, name) if name.isupper() else name


UPLOAD = "upload"
"""Source of a document that the caller brought."""


def legal_word(document: PatentDocument) -> LegalWord:
    """Return what a document is in law; nothing is known of an uploaded one."""
    return "unknown" if document.source == UPLOAD else document.legal


def owner_key(raw: str) -> str:
    """Return what all spellings of an owner's name have in common."""
    return fold_name(strip_legal_form(company_group(raw)))


_OFFICES: Mapping[str, int] = {"US": 0, "WO": 2, "EP": 3}
_OTHER_OFFICE = 4
_COMPOUND_CLASS = re.compile(r"C07[CDFHJK]")
_CLASS_GROUP = re.compile(r"[A-H]\d{2}[A-Z]\d+")
_SHOWN_NAME = 60


@dataclass(frozen=True)
class Candidate:
    """The document of a family that may be chosen.

    Attributes:
        document: The preferred member.
        others: The other members of the pool.
        family_size: Members that the pool holds or the documents name.
    """

    document: PatentDocument
    others: tuple[PatentDocument, ...]
    family_size: int

    @cached_property
    def assignees(self) -> Mapping[str, str]:
        """Return the groups of its assignees by folded name; of its applicants where none is told.

        Applicants are no assignees, but tell whose document it is when a sample is spread.
        """
        names = self.document.assignees or self.document.applicants
        groups = [company_group(name) for name in names]
        return {fold_name(group): group for group in reversed(groups)}

    @cached_property
    def kind(self) -> str:
        """Return what its title announces besides compounds; "" for nothing."""
        return kind_of(self.document)

    @cached_property
    def period(self) -> int | None:
        """Return the period of its priority."""
        day = self.document.priority_on or self.document.filed_on or self.document.published_on
        return int(day[:4]) // int(weight("patents.period_years")) if day else None

    @cached_property
    def has_compound_class(self) -> bool:
        """Return whether it is classified as new compounds."""
        return any(map(_COMPOUND_CLASS.match, (*self.document.cpc, *self.document.ipc)))

    @cached_property
    def group(self) -> str:
        """Return its first group of compounds, else its first group."""
        classes = (*self.document.cpc, *self.document.ipc)
        compounds = [code for code in classes if _COMPOUND_CLASS.match(code)]
        match = _CLASS_GROUP.match(next(iter([*compounds, *classes]), ""))
        return match.group() if match else ""

    @cached_property
    def relevance(self) -> float:
        """Return what it is worth by itself."""
        document = self.document
        worth = max((weight(f"patents.{mention}") for mention in document.mentions), default=0.0)
        worth += weight("patents.family") * bool(document.named_as)
        worth += weight("patents.drawings") * bool(document.n_attachments)
        worth += weight("patents.compound_class") * self.has_compound_class
        return worth + weight("patents.secondary") * bool(self.kind)

    @property
    def is_filler(self) -> bool:
        """Return whether only the description names the target."""
        return not set(self.document.mentions) - {"description"}


def kind_of(document: PatentDocument) -> str:
    """Return what a title announces besides compounds; "" for nothing."""
    kinds = (kind for kind, pattern in title_kinds() if pattern.search(document.title))
    return next(kinds, "")


def select_patents(documents: Sequence[PatentDocument], max_patents: int, seed: str) -> Selection:
    """Return the sample of a pool, in the order in which it was chosen.

    `seed`: text whose SHA-256 breaks ties.
    """
    sample = _Sample(max_patents, seed)
    left = sample.ordered(collapse_families(documents, seed))
    fillers = [candidate for candidate in left if candidate.is_filler]
    for batch in ([candidate for candidate in left if not candidate.is_filler], fillers):
        for share in (weight("patents.assignee_share"), 1.0):
            sample.fill(batch, share)
    dropped = [
        Dropped(candidate.document, sample.why_dropped(candidate))
        for candidate in sample.not_taken(left)
    ]
    return Selection(tuple(sample.chosen), tuple(dropped))


class _Sample:
    """The documents chosen so far and what they cover."""

    def __init__(self, size: int, seed: str) -> None:
        self.chosen: list[Chosen] = []
        self._size = size
        self._seed = seed
        self._taken: set[str] = set()
        self._assignees: dict[str, int] = defaultdict(int)
        self._periods: set[int | None] = set()
        self._groups: set[str] = set()

    def ordered(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return candidates by what they are worth, ties by the seed."""

        def place(candidate: Candidate) -> tuple[float, str]:
            return (-candidate.relevance, _mark(self._seed, candidate.document.publication_number))

        return sorted(candidates, key=place)

    def fill(self, candidates: Sequence[Candidate], share: float) -> None:
        """Choose among candidates while there is room; an assignee gets a share at most."""
        most = max(1, int(self._size * share))
        while len(self.chosen) < self._size:
            free = [
                candidate
                for candidate in self.not_taken(candidates)
                if self._most_of(candidate) < most
            ]
            if not free:
                return
            best = max(free, key=self._worth)
            news = self._news(best)
            members = tuple(
                MemberDropped(other.publication_number, _why_member(best.document, other))
                for other in best.others
            )
            self.chosen.append(Chosen(best.document, _why(best, news), members))
            self._taken.add(best.document.publication_number)
            for group in best.assignees:
                self._assignees[group] += 1
            self._periods.add(best.period)
            self._groups.add(best.group)

    # of equal ones the first: the seed's order

    def not_taken(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return those that were not chosen, in their order."""
        return [
            candidate
            for candidate in candidates
            if candidate.document.publication_number not in self._taken
        ]

    def why_dropped(self, candidate: Candidate) -> str:
        """Return why a document was not chosen."""
        reasons = [f"the sample of {self._size} is full"]
        if candidate.is_filler:
            reasons.append("the target appears in the description only")
        if candidate.kind:
            reasons.append(f"its title announces a {candidate.kind} patent, ranked lower")
        if self._most_of(candidate) and not candidate.is_filler:
            most = max(sorted(candidate.assignees), key=lambda group: self._assignees[group])
            name = candidate.assignees[most][:_SHOWN_NAME]
            reasons.append(f"{name} has {self._assignees[most]} of its documents")
        return "; ".join(reasons)

    def _most_of(self, candidate: Candidate) -> int:
        return max((self._assignees[group] for group in candidate.assignees), default=0)

    def _news(self, candidate: Candidate) -> dict[str, bool]:
        """Return what a document adds to those chosen."""
        return {
            "new_assignee": bool(candidate.assignees) and not self._most_of(candidate),
            "new_period": candidate.period is not None and candidate.period not in self._periods,
            "new_class": bool(candidate.group) and candidate.group not in self._groups,
        }

    def _worth(self, candidate: Candidate) -> float:
        news = self._news(candidate)
        added = sum(weight(f"patents.{name}") for name, is_new in news.items() if is_new)
        return round(candidate.relevance + added, 6)


def _why(candidate: Candidate, news: Mapping[str, bool]) -> str:
    """Return in words why a document was chosen."""
    document = candidate.document
    named = " and ".join(document.mentions[:2]) or "no section available"
    subject = f"the family's name ({document.named_as})" if document.named_as else "target"
    reasons = [f"{subject} in {named}"]
    if candidate.is_filler:
        reasons[0] = "target in the description only, to fill up the sample"
    if candidate.kind:
        lower = "ranked lower, for it may draw others' drugs"
        reasons.append(f"title announces a {candidate.kind} patent, {lower}")
    words = {"new_assignee": "new assignee", "new_period": "new period", "new_class": "new class"}
    reasons += [words[name] for name, is_new in news.items() if is_new]
    size = f" of a family of {candidate.family_size}" if candidate.family_size > 1 else ""
    reasons.append(f"{document.country} {document.kind}{size}")
    if document.n_attachments:
        reasons.append(f"{document.n_attachments} drawings delivered as chemistry")
    return "; ".join(reasons)


def _why_member(document: PatentDocument, other: PatentDocument) -> str:
    """Return why a member of a family gave way."""
    if not other.n_attachments and document.n_attachments:
        return f"same family; {document.publication_number} has its drawings as chemistry"
    if _rank(document) < _rank(other):
        return (
            f"same family; {document.country} {document.kind} goes before "
            f"{other.country} {other.kind}"
        )
    return f"same family; {document.publication_number} is the newer publication"


def collapse_families(documents: Sequence[PatentDocument], seed: str) -> list[Candidate]:
    """Return one candidate a family, whatever the order of the documents.

    Documents are of one family when they share its key, or one names the other's number.
    """
    single = {document.publication_number: document for document in reversed(documents)}
    links: dict[str, list[str]] = defaultdict(list)
    for number, document in single.items():
        for link in {f"family {document.family}" if document.family else "", _bare(number)}:
            links[link].append(number)
        for member in document.family_members:
            links[_bare(member)].append(number)
    links.pop("", None)
    groups = _join(sorted(single), links.values())
    return [_candidate([single[number] for number in group], seed) for group in groups]


def _join(numbers: Sequence[str], links: Iterable[list[str]]) -> list[list[str]]:
    """Return the groups into which links join numbers."""
    position = {number: index for index, number in enumerate(numbers)}
    pairs = [(position[linked[0]], position[other]) for linked in links for other in linked[1:]]
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    graph = coo_matrix((np.ones(len(pairs)), (rows, columns)), shape=(len(position), len(position)))
    groups: dict[int, list[str]] = defaultdict(list)
    for number, group in zip(numbers, connected_components(graph)[1].tolist(), strict=True):
        groups[group].append(number)
    return list(groups.values())


def _candidate(members: Sequence[PatentDocument], seed: str) -> Candidate:
    def place(document: PatentDocument) -> tuple[int, int, str]:
        day = int((document.published_on or "0000-00-00").replace("-", "") or 0)
        return (_rank(document), -day, _mark(seed, document.publication_number))

    first, *others = sorted(members, key=place)
    named = {_bare(member.publication_number) for member in members}
    named |= {_bare(number) for member in members for number in member.family_members}
    return Candidate(first, tuple(others), len(named))


def _rank(document: PatentDocument) -> int:
    """Return the place of a document in its family: US B, US A, WO, EP, others.

    A US document without drawings as chemistry follows the US documents that have them.
    """
    if document.country != "US":
        return 2 * _OFFICES.get(document.country, _OTHER_OFFICE)
    return (document.legal != "granted") + 2 * (not document.n_attachments)


def _bare(number: str) -> str:
    """Return a publication number without its kind."""
    office, digits, _ = split_number(number)
    return f"{office}{digits}"


def _mark(seed: str, number: str) -> str:
    return hashlib.sha256(f"{seed}|{number}".encode()).hexdigest()
