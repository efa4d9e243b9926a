"""What the sentences of a document name: drugs, companies, diseases, trials and regulators."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.briefs.entities.identifying import Library
from core.documents.sentences import Sentence
from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.readers.disease_phrases import PLAIN_WORDS, find_diseases, warm
from core.evidence.readers.questions.named import take_companies
from core.evidence.readers.questions.parsed import Sheet
from core.records.names import fold_name
from core.vocabulary.drugs import why_no_asset

_NO_DRUG = re.compile(
    r"\s?(?:[A-Z]{0,2}\d\w*\s)?(?:-?adrenergic\s|-binding\s)?(?:receptors?|agonists?|antagonists?|"
    r"inhibitors?|channels?|transporters?|synthase|pathway|levels?|deficien\w+|-binding|-resistant|"
    r"-refractory|-na\u00efve)\b",
    re.IGNORECASE,
)
"""What makes a drug's name before it the name of a target or of patients."""
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_PART_OF_NAME = re.compile(
    r"(?:[\s-](?:virus|kinase|receptor|chromosome|ligand|antigen|gene|protein|inhibitor)|"
    r"\s\(?[A-Z]{2,5}\)?[\s-](?:virus|kinase))",
    re.IGNORECASE,
)
"""What makes a disease's name before it the beginning of another name."""
EntityWord = Literal["drug", "company", "disease", "trial", "region"]
LONGEST_DRUG = 4
SHORTEST_WORD = 5
"""Letters of a word in small letters that may be a drug's name."""
SHORTEST_NAME = 4
MOST_NAMES = 30
NCT = re.compile(r"\bNCT(?:\s?\d){8}\b", re.IGNORECASE)
_REGIONS = (
    ("FDA", r"\b(?:US\s)?FDA\b|Food and Drug Administration|\b(?:U\.S\.?|US|USA|United States)\b"),
    ("EMA", r"\bEMA\b|European Medicines Agency|European Commission|\bEC\b|\bEU\b|\bEurope\b"),
    ("PMDA", r"\bPMDA\b|\bMHLW\b|\bJapan(?:ese)?\b"),
    ("NMPA", r"\bNMPA\b|\bCFDA\b|\bChin(?:a|ese)\b"),
    ("MHRA", r"\bMHRA\b|\bUnited Kingdom\b|\bUK\b"),
)
_REGION_PATTERNS = tuple((region, re.compile(pattern)) for region, pattern in _REGIONS)
AGENCIES = frozenset({"FDA", "EMA", "PMDA", "NMPA", "MHRA"})


@dataclass(frozen=True, slots=True)
class EntitySpan:
    """A thing where a sentence names it.

    Attributes:
        kind: What sort of thing.
        start: First character.
        end: One past the last.
        keys: Its key, of an ambiguous disease all that it may be; of a company its group.
        name: Its name for display.
        said: As written.
    """

    kind: EntityWord
    start: int
    end: int
    keys: tuple[str, ...]
    name: str
    said: str

    @property
    def key(self) -> str:
        """Return its only or first key."""
        return self.keys[0]


Entities = Sequence[EntitySpan]


def of_kind(entities: Iterable[EntitySpan], kind: EntityWord) -> list[EntitySpan]:
    """Return the things of one sort, by place."""
    return [entity for entity in entities if entity.kind == kind]


def find_entities(sentences: Sequence[Sentence], library: Library) -> list[list[EntitySpan]]:
    """Return what each sentence names, by place.

    Args:
        sentences: The sentences; what they name is looked up with few questions.
        library: Evidence and names.
    """
    sheets = [Sheet(_POSSESSIVE.sub("  ", sentence.text)) for sentence in sentences]
    drugs = _known_drugs(sheets, library)
    warm((sentence.text for sentence in sentences), library.resolver)
    texts = (sentence.text for sentence in sentences)
    pairs = zip(sheets, texts, strict=True)
    return [_in_sheet(sheet, text, drugs, library) for sheet, text in pairs]


_Runs = Mapping[str, tuple[tuple[str, str], ...]]
"""Keys and names of the drugs that some words name."""


def _known_drugs(sheets: Sequence[Sheet], library: Library) -> _Runs:
    """Return the words of all sheets that name drugs of the evidence."""
    runs = {
        text for sheet in sheets for _, _, text in sheet.runs(LONGEST_DRUG) if _may_be_drug(text)
    }
    folded = {text: fold_name(text) for text in runs}
    held = frozenset(library.evidence.spellings("drug"))
    distinct = sorted({name for name in folded.values() if len(name) >= SHORTEST_NAME})
    known = {name for pack in library.resolver.packs for name in pack.lookup("drug", distinct)}
    known |= held.intersection(distinct)
    candidates = sorted(text for text, name in folded.items() if name in known)
    curated = known_by_key(library.resolver)
    named: dict[str, tuple[tuple[str, str], ...]] = {}
    for text, drugs in library.naming().read(candidates).items():
        pairs = tuple(
            (drug.key, drug.name) for drug in drugs if drug.key and not why_no_asset(drug.name)
        )
        is_held = folded[text] in held or any(key in curated for key, _ in pairs)
        if pairs and (is_held or _has_record([key for key, _ in pairs], library)):
            named[text] = pairs
    return named


def _has_record(keys: Sequence[str], library: Library) -> bool:
    identity = library.resolver.identity
    names = [name.name for key in keys for name in identity.names("drug", key)][:MOST_NAMES]
    return bool(names) and bool(library.evidence.mentioning("drug", names))


def _may_be_drug(text: str) -> bool:
    words = text.split()
    ends = {words[0].casefold(), words[-1].casefold()}
    if ends & PLAIN_WORDS or set("?!;,|") & set(text):
        return False
    is_marked = any(char.isupper() or char.isdigit() for char in text)
    return is_marked or len(max(words, key=len)) >= SHORTEST_WORD


def _in_sheet(sheet: Sheet, text: str, drugs: _Runs, library: Library) -> list[EntitySpan]:
    entities: list[EntitySpan] = []
    for match in NCT.finditer(text):
        number = match[0].upper().replace(" ", "")
        _take(sheet, entities, EntitySpan("trial", *match.span(), (number,), number, match[0]))
    for region, pattern in _REGION_PATTERNS:
        for match in pattern.finditer(text):
            entity = EntitySpan("region", *match.span(), (region,), region, match[0])
            if region in match[0]:
                _take(sheet, entities, entity)
            else:
                entities.append(entity)
    for start, end, words in sheet.runs(LONGEST_DRUG):
        if words in drugs and sheet.is_free(start, end) and not _NO_DRUG.match(text, end):
            for key, name in drugs[words]:
                entities.append(EntitySpan("drug", start, end, (key,), name, words))
            sheet.take(start, end, "drug")
    take_companies(sheet)
    for piece in sheet.pieces:
        if piece.became == "company":
            words = re.sub(r"\s+(?:and)?$", "", piece.said)
            end, group = piece.start + len(words), piece.meant
            entities.append(EntitySpan("company", piece.start, end, (group,), group, words))
    for said in find_diseases(text, library.resolver, is_free=sheet.is_free):
        keys = (said.match.key,) if said.match.key else said.match.candidates
        is_part = _PART_OF_NAME.match(text, said.end) is not None
        name = said.match.label or said.said
        is_verb = said.said.islower() and len(said.said) < SHORTEST_WORD  # "gave" is no GAVE
        is_verb = is_verb and said.said not in name.casefold()
        if keys and not is_part and not is_verb and not _is_abbreviation(said.said, library):
            entities.append(EntitySpan("disease", said.start, said.end, keys, name, said.said))
    return sorted(entities, key=lambda entity: (entity.start, entity.end))


def _is_abbreviation(said: str, library: Library) -> bool:
    """Return whether a short word is what others write in capitals: "mg", "As"."""
    if said.isupper() or len(said) > SHORTEST_WORD:
        return False
    folded = fold_name(said)
    names = library.resolver.identity.lookup("disease", [folded]).get(folded, ())
    return bool(names) and all(name.name.isupper() for name in names)


def _take(sheet: Sheet, entities: list[EntitySpan], entity: EntitySpan) -> None:
    entities.append(entity)
    sheet.take(entity.start, entity.end, "left over")
