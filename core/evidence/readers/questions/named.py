"""Diseases, drugs and companies of a question, as entities."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import lru_cache

from core.evidence.names.aliases import Named, aliases_of
from core.evidence.names.companies import company_group, is_known, sharing_name
from core.evidence.names.identity.drug_names import mark_isomers
from core.evidence.names.identity.resolver import SHORTEST, Resolver
from core.evidence.readers.disease_phrases import PLAIN_WORDS, DiseaseSaid, find_diseases
from core.evidence.readers.questions.parsed import Change, Sheet, is_earlier
from core.evidence.readers.questions.targets import is_asked_as_gene, names_target
from core.records.evidence import MentionKind
from core.records.names import fold_name
from core.vocabulary.diseases import load_disease_words, short_disease_words
from core.vocabulary.drug_words import load_drug_words
from core.vocabulary.foreign_words import foreign_companies
from core.vocabulary.phrase_words import phrase_words
from core.vocabulary.query_words import fold_word, spellings, take_words


@dataclass(frozen=True)
class Held:
    """What the evidence holds, as far as it decides how a word is read.

    Attributes:
        has_asset: Whether there is an asset of a drug, by its key; a chemical that only a register
            has is no drug of a landscape.
    """

    has_asset: Callable[[str], bool] = bool


WHATEVER = Held()
"""Every drug that a register has counts."""
LONGEST_SHORT = 3
LONGEST_DRUG = 5
LONGEST_COMPANY = 4
MOST_MEANINGS = 3


@dataclass
class Diseases:
    """Diseases of a question.

    Attributes:
        named: Those that are known.
        unknown: Words that name a disease not known here.
        populations: What a word tells of the patients, too: "metastatic" of "mCRC".
        changes: Words that may mean another disease.
    """

    named: list[Named] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    populations: list[str] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


def take_diseases(
    sheet: Sheet,
    resolver: Resolver,
    named_diseases: Diseases,
    *,
    shortest: int = 1,
    markers: Collection[int] = (),
) -> None:
    """Mark the diseases that a question names and add them to those found."""
    diseases = find_diseases(
        sheet.text,
        resolver,
        is_free=sheet.is_free,
        shortest=shortest,
        markers=markers,
    )
    for disease in diseases:
        if shortest > 1 and not disease.match.candidates and not disease.match.key:
            continue  # words about which the last reading decides
        is_target = names_target(disease.said, is_whole=True)
        if is_target and shortest > 1 and is_asked_as_gene(sheet, disease.start, disease.end):
            continue
        _take_disease(sheet, disease, resolver, named_diseases)


def _take_disease(
    sheet: Sheet, named_disease: DiseaseSaid, resolver: Resolver, diseases: Diseases
) -> None:
    keys = (
        [named_disease.match.key]
        if named_disease.match.key
        else list(named_disease.match.candidates)
    )
    if not keys:
        sheet.take(named_disease.start, named_disease.end, "left over")
        diseases.unknown.append(named_disease.said)
        return
    folded = fold_name(named_disease.said)
    names = resolver.identity.lookup("disease", [folded]).get(folded, ())
    if names and names[0].level == 1 and len(keys) > 1:  # a word of the table with its meanings
        keys = list(dict.fromkeys(name.key for name in names))
        labels = _labels("disease", keys, resolver)
        if diseases.named and named_disease.said.isupper():
            # beside a disease that is named, letters of several meanings name none for certain
            diseases.changes += [Change(named_disease.said, labels[key], "offered") for key in keys]
            sheet.take(named_disease.start, named_disease.end, "left over")
            return
        diseases.changes += [
            Change(named_disease.said, labels[key], "ambiguous") for key in keys[1:]
        ]
        keys = keys[:1]
    labels = _labels("disease", keys[:MOST_MEANINGS], resolver)
    named_keys = {named.key for named in diseases.named}
    for key, label in labels.items():
        if key in named_keys:
            continue
        aliases = aliases_of("disease", [key], named_disease.said, resolver)
        diseases.named.append(Named("disease", key, label, named_disease.said, aliases))
    diseases.populations += _qualifiers(folded)
    sheet.take(named_disease.start, named_disease.end, "disease", ", ".join(labels.values()))


@lru_cache(maxsize=4_000)
def _qualifiers(folded: str) -> list[str]:
    """Return what a word of the table tells of the patients."""
    meant = next((x.meant[0] for x in load_disease_words() if fold_name(x.said) == folded), "")
    return take_words("population", meant)[0] if meant else []


def take_short_words(sheet: Sheet, resolver: Resolver, diseases: Diseases) -> None:
    """Mark words that mean a disease only in a question, such as "gastric", and add it."""
    for start, end, text in sheet.runs(LONGEST_SHORT):
        meant = short_disease_words().get(fold_name(text), "")
        match = resolver.resolve("disease", meant)
        if match.key and sheet.is_free(start, end) and _stands_alone(sheet, end):
            aliases = aliases_of("disease", [match.key], text, resolver)
            diseases.named.append(Named("disease", match.key, match.label, text, aliases))
            diseases.changes.append(Change(text, match.label, "mended"))
            sheet.take(start, end, "disease", match.label)


def _stands_alone(sheet: Sheet, end: int) -> bool:
    """Return whether no unknown word follows: "gastric acid" is no gastric cancer."""
    following = next((word for word in sheet.words if word.start() >= end), None)
    if following is None or not sheet.is_free(following.start(), following.end()):
        return True
    return fold_word(following[0]) in spellings()


def _labels(kind: MentionKind, keys: list[str], resolver: Resolver) -> dict[str, str]:
    entities = resolver.identity.entities(kind, keys)
    return {key: entities[key].label for key in keys if key in entities}


def take_drugs(sheet: Sheet, resolver: Resolver, lookup: Held, *, shortest: int = 1) -> list[Named]:
    """Mark the drugs that a question names and return them."""
    runs = [run for run in sheet.runs(LONGEST_DRUG) if _may_be_drug(run[2], shortest)]
    folded = {text: fold_name(mark_isomers(text)) for _, _, text in runs}
    distinct = sorted({name for name in folded.values() if len(name) >= SHORTEST})
    known_names = {name for pack in resolver.packs for name in pack.lookup("drug", distinct)}
    nameds: dict[str, Named] = {}
    for start, end, text in runs:
        if folded[text] not in known_names or not sheet.is_free(start, end):
            continue
        match = resolver.resolve_drug(text)
        keys = [match.key] if match.key else list(match.candidates[:MOST_MEANINGS])
        if not any(lookup.has_asset(key) for key in keys):
            continue
        if is_earlier(sheet, start, end):
            sheet.take(start, end, "population", f"after {match.label or text}")
            continue
        aliases = aliases_of("drug", keys, text, resolver)
        nameds.setdefault(
            match.key or text, Named("drug", match.key, match.label or text, text, aliases)
        )
        sheet.take(start, end, "drug", match.label or text)
    return list(nameds.values())


def take_drug_words(sheet: Sheet, resolver: Resolver) -> list[Named]:
    """Mark brands of combinations and short names of drugs; return the drugs."""
    nameds: list[Named] = []
    for start, end, text in sheet.runs(LONGEST_DRUG):
        drugs = load_drug_words().get(fold_name(text), ())
        matches = resolver.resolve_many("drug", drugs)
        known_matches = [matches[drug] for drug in drugs if matches[drug].key]
        if not known_matches or not sheet.is_free(start, end):
            continue
        for match in known_matches:
            aliases = aliases_of("drug", [match.key], text, resolver)
            nameds.append(Named("drug", match.key, match.label, text, aliases))
        sheet.take(start, end, "drug", " + ".join(match.label for match in known_matches))
    return nameds


def _may_be_drug(text: str, shortest: int) -> bool:
    words = text.split()
    ends = {words[0].casefold(), words[-1].casefold()}
    is_plain = any(end in PLAIN_WORDS or fold_name(end) in spellings() for end in ends)
    return len(words) >= shortest and not is_plain and not set("?!;,") & set(text)


def take_companies(sheet: Sheet) -> tuple[list[str], list[Change]]:
    """Mark the companies that a question names; return their groups, and who shares a name.

    Of companies that share a name the first counts: "Merck" is Merck & Co., maybe Merck KGaA.
    """
    companies: list[str] = []
    changes: list[Change] = []
    for start, end, text in sheet.runs(LONGEST_COMPANY):
        is_word = (
            not (text[0].isupper() or text[0].isdigit() or _is_asked_as_company(sheet, start, end))
            or len(text) < 3
            or fold_name(text) in spellings()
            or _ends_in_plain_word(text)
        )
        if is_word or not sheet.is_free(start, end):
            continue
        is_company = is_known(text) or fold_name(text) in foreign_companies()
        sharing = () if is_company else sharing_name(text)
        if is_company or sharing:
            companies.append(sharing[0] if sharing else company_group(text))
            changes += [Change(text, other, "ambiguous") for other in sharing[1:]]
            sheet.take(start, end, "company", companies[-1])
    return list(dict.fromkeys(companies)), list(dict.fromkeys(changes))


def _ends_in_plain_word(text: str) -> bool:
    """Return whether a word in small letters follows a company: "Eli Lilly biologics"."""
    name, _, last = text.rpartition(" ")
    return last.islower() and fold_name(last) in spellings() and is_known(name)


def _is_asked_as_company(sheet: Sheet, start: int, end: int) -> bool:
    """Return whether words beside a name in small letters say that it is a company's."""
    is_before = bool(set(sheet.before(start)) & phrase_words("before company"))
    return is_before or bool(set(sheet.after(end)) & phrase_words("behind company"))
