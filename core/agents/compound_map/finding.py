"""The sample: documents chosen or uploaded, whose they are, and what their sources delivered."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from core.agents.compound_map.reading import Delivered
from core.agents.compound_map.records import LegalWord, UploadRow
from core.agents.compound_map.schema import CompoundMapRequest
from core.agents.compound_map.selection import select_patents
from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.names.companies import company_group
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.identity.vocabularies import strip_legal_form
from core.evidence.readers.patents.families import join_family
from core.evidence.readers.patents.gene_roles import GeneRole, read_role
from core.evidence.readers.patents.names import TargetReader, nearest_symbols, patent_names
from core.evidence.readers.questions.named import Held
from core.evidence.readers.questions.reading import parse_text
from core.patent_ports import PatentPool
from core.records.names import fold_name
from core.records.patents import PatentDocument, PatentText, Selection, SourceAnswer, TargetNames
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
    """A document that names the target as something else than its target.

    Attributes:
        document: The document.
        role: What the target is there.
    """

    document: PatentDocument
    role: GeneRole


@dataclass(frozen=True)
class Sample:
    """Documents with what they draw.

    Attributes:
        selection: Documents chosen from the pool, and those left out.
        uploaded: Documents that the caller brought.
        candidates: Documents among which was chosen.
        mentioned: Documents that only mention the target; their compounds are not read.
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
    def _owners(self) -> Mapping[str, list[str]]:
        """Return the owners of each document under the name that stands for all spellings."""
        named = [
            *self.documents,
            *self.candidates,
            *(mention.document for mention in self.mentioned),
        ]
        shown = show_owners(raw for document in named for raw in document.assignees)
        return {
            document.publication_number: list(
                dict.fromkeys(shown[raw] for raw in document.assignees)
            )
            for document in named
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


def find_sample(question: Asked, request: CompoundMapRequest, pool: PatentPool) -> Sample:
    """Return the chosen documents with what their sources delivered."""
    if question.names is None:
        return Sample()
    documents = pool.find(question.names, max(request.candidate_pool, request.max_patents))
    candidates, mentioned = _part_by_role(documents, question.names, pool)
    selection = select_patents(candidates, request.max_patents, question.seed)
    numbers = [chosen.document.publication_number for chosen in selection.chosen]
    structures = pool.structures(numbers)
    return Sample(
        selection=selection,
        candidates=candidates,
        mentioned=mentioned,
        delivered=(
            {
                number: [Delivered(raw, is_kept=True) for raw in structures[number]]
                for number in numbers
                if number in structures
            }
        ),
        answers=pool.answers(),
    )


def _part_by_role(
    documents: Sequence[PatentDocument], names: TargetNames, pool: PatentPool
) -> tuple[list[PatentDocument], list[MentionedIn]]:
    """Return the documents on the target, and those that only mention it, with its role there.

    The first claim of a document decides where title and abstract speak against it.
    """
    reader = TargetReader(names)
    roles = {document.publication_number: read_role(document, reader) for document in documents}
    doubtful = [number for number, role in roles.items() if role != "target"]
    texts = pool.texts(doubtful) if doubtful else {}
    on_target: list[PatentDocument] = []
    mentioned: list[MentionedIn] = []
    for document in documents:
        number = document.publication_number
        role = read_role(document, reader, texts[number]) if number in texts else roles[number]
        if role == "target":
            on_target.append(document)
        else:
            mentioned.append(MentionedIn(document, role))
    return on_target, mentioned


UPLOAD = "upload"
"""Source of a document that the caller brought."""


def legal_word(document: PatentDocument) -> LegalWord:
    """Return what a document is in law; nothing is known of an uploaded one."""
    return "unknown" if document.source == UPLOAD else document.legal


def show_owners(raw_names: Iterable[str]) -> dict[str, str]:
    """Return one name for display by raw name: case, legal form and known relations folded.

    >>> show_owners(["NODTHERA LTD", "NodThera Limited"])
    {'NODTHERA LTD': 'NodThera Limited', 'NodThera Limited': 'NodThera Limited'}
    """
    spellings: dict[str, list[str]] = {}
    for raw in raw_names:
        spellings.setdefault(owner_key(raw), []).append(raw)
    best = {key: min(set(names), key=_rank_spelling) for key, names in spellings.items()}
    return {raw: best[key] for key, names in spellings.items() for raw in names}


def owner_key(raw: str) -> str:
    """Return what all spellings of an owner's name have in common."""
    return fold_name(strip_legal_form(company_group(raw)))


def _rank_spelling(name: str) -> tuple[bool, int, str]:
    """Put names that are not all capitals first, then the shorter."""
    return name.isupper(), len(name), name
