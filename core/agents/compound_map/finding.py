"""From the target to documents with the strings that their sources delivered."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.agents.compound_map.reading import Delivered
from core.agents.compound_map.sample import MentionedIn, Sample
from core.agents.compound_map.schema import CompoundMapRequest
from core.agents.compound_map.selection import select_patents
from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.patents.families import join_family
from core.evidence.readers.patents.gene_roles import read_role
from core.evidence.readers.patents.names import TargetReader, nearest_symbols, patent_names
from core.evidence.readers.questions.named import Held
from core.evidence.readers.questions.reading import parse_text
from core.patent_ports import PatentPool
from core.records.patents import PatentDocument, TargetNames
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

    Args:
        text: The words.
        resolver: Knows names.
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


def find_sample(question: Asked, request: CompoundMapRequest, pool: PatentPool) -> Sample:
    """Return the chosen documents with what their sources delivered."""
    if question.names is None:
        return Sample()
    documents = pool.find(question.names, max(request.candidate_pool, request.max_patents))
    candidates, mentioned = _part_by_role(documents, question.names, pool)
    selection = select_patents(candidates, request.max_patents, question.seed)
    numbers = [chosen.document.publication_number for chosen in selection.chosen]
    return Sample(
        selection=selection,
        candidates=candidates,
        mentioned=mentioned,
        delivered=_deliver(numbers, pool),
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


def _deliver(numbers: Sequence[str], pool: PatentPool) -> Mapping[str, Sequence[Delivered]]:
    """Return the strings in the order of the documents."""
    structures = pool.structures(numbers)
    return {
        number: [Delivered(raw, is_kept=True) for raw in structures[number]]
        for number in numbers
        if number in structures
    }
