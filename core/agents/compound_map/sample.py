"""The sample: documents chosen or uploaded, whose they are, and what their sources delivered."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from core.agents.compound_map.reading import Delivered
from core.agents.compound_map.records import LegalWord, UploadRow
from core.evidence.names.companies import company_group
from core.evidence.names.identity.vocabularies import strip_legal_form
from core.evidence.readers.patents.gene_roles import GeneRole
from core.records.names import fold_name
from core.records.patents import PatentDocument, PatentText, Selection, SourceAnswer

UPLOAD = "upload"
"""Source of a document that the caller brought."""


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
