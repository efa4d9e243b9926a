"""All that the pack holds about some drugs, read with few questions.

Few drugs are asked of the text index. For the many of a large company that takes seconds and the
index would cut the list off; then every label of the pack is looked through once instead. Either
way a record counts only when one of its labels is read as one of the drugs.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from core.evidence.entries import Entries
from core.evidence.entries.records import facts_of_records
from core.evidence.names.companies import is_company
from core.evidence.names.drug_labels import NamedDrug, Naming
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.evidence import Mention, Record, Role, Span
from core.records.evidence_pack import StoredFact, TextQuery
from core.records.names import fold_name
from core.vocabulary.drugs import load_false_names
from core.vocabulary.predicates import Predicate, told
from core.vocabulary.sources import TRIAL_REGISTERS

APPLICATIONS = "drugsfda"
GENERIC = "ANDA "
"""How the title of an abbreviated application begins: type and number, then the product."""


def without_generics(record_ids: Iterable[str], evidence: EvidenceReader) -> list[str]:
    """Return records without the applications of generics, which make nobody an owner.

    Of a substance of which the register has no original, the earliest generic stays: it alone
    tells of the approval.
    """
    ids = list(dict.fromkeys(record_ids))
    registered = evidence.records(
        [record_id for record_id in ids if record_id.startswith(APPLICATIONS)]
    )
    generic = {key for key, record in registered.items() if record.title.startswith(GENERIC)}
    if not generic:
        return ids
    made_of = {
        key: frozenset(
            fold_name(mention.name) for mention in mentions if mention.relation == "ingredient"
        )
        for key, mentions in evidence.mentions(list(registered)).items()
    }
    original = {made_of.get(record_id) for record_id in registered if record_id not in generic}
    earliest: dict[frozenset[str] | None, str] = {}
    for record_id in sorted(
        generic, key=lambda record_id: (registered[record_id].published_on or "9", record_id)
    ):
        earliest.setdefault(made_of.get(record_id), record_id)
    stay = {record_id for made, record_id in earliest.items() if made not in original}
    return [record_id for record_id in ids if record_id not in generic or record_id in stay]


def of_companies(
    mentions: Mapping[str, Sequence[Mention]], evidence: EvidenceReader
) -> dict[str, Sequence[Mention]]:
    """Return the records without trials of which others than companies are the sponsors.

    Such a trial carries no stage and shows no company's role; one whose copy names nobody may.
    A company is known by its name or by the class that the register gives the sponsor.
    """
    far = [
        record_id
        for record_id, record_mentions in mentions.items()
        if not _names_company(record_id, record_mentions)
    ]
    classes = facts_of_records(far, (Predicate.TRIAL_SPONSOR_CLASS,), evidence)
    left_out = set(far) - {
        record_id
        for record_id, stated in classes.items()
        if any(stored.fact.object == "INDUSTRY" for stored in stated)
    }
    return {
        record_id: record_mentions
        for record_id, record_mentions in mentions.items()
        if record_id not in left_out
    }


def _names_company(record_id: str, mentions: Sequence[Mention]) -> bool:
    """Return whether a record is no trial, or one of a company by name or of nobody named."""
    companies = [mention.name for mention in mentions if mention.kind == "company"]
    is_trial = record_id.startswith(TRIAL_REGISTERS)
    return not is_trial or not companies or any(is_company(company) for company in companies)


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


MOST_NAMES = 40
"""Names of one drug that are searched for."""
LONGEST_NAME = 60
SHORTEST_SYNONYM = 6
_SYSTEMATIC = re.compile(r"\[|(?:\d.*){8}|\(\d|\d,\d")
"""Digits and brackets of a chemist's name, which no trial or label uses."""
OTHER_KINDS = (
    *("regulatory_label", "approval_package", "regulatory_notice", "company_disclosure"),
    "database_record",
)
MADE_OF = frozenset({"ingredient", "asset"})
OF_FDA = frozenset({"drugsfda", "purplebook", "label", "label-indications"})
"""Sources that name an ingredient as the list of substances does."""
NAMING = MADE_OF | {"brand"}
INDICATIONS = ("indications_and_usage", "indications")
_TESTED: tuple[Role, ...] = ("investigational", "")


@dataclass
class Shelf:
    """Records about some drugs.

    Attributes:
        names: Names by drug's key, as searched.
        records: Records by id, without text.
        mentions: What each record mentions.
        drugs: Drugs by record, with the role that each has.
        facts: Facts by record.
        indications: Passages that tell indications, by record.
        labels: What each label came to.
    """

    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    records: Mapping[str, Record] = field(default_factory=dict)
    mentions: Mapping[str, Sequence[Mention]] = field(default_factory=dict)
    drugs: Mapping[str, Mapping[str, Role]] = field(default_factory=dict)
    facts: Mapping[str, Sequence[StoredFact]] = field(default_factory=dict)
    indications: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    labels: Mapping[str, Sequence[NamedDrug]] = field(default_factory=dict)

    @cached_property
    def _by_drug(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return source and id of the records about each drug."""
        drugs_by_record: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for record_id, drugs in self.drugs.items():
            for key in drugs:
                drugs_by_record[key].append((record_id.partition(":")[0], record_id))
        return drugs_by_record

    def of(self, key: str, *sources: str) -> list[str]:
        """Return the records about a drug, of some sources, in order of their ids."""
        return [
            record_id
            for source, record_id in self._by_drug.get(key, ())
            if not sources or source in sources
        ]

    def is_alone(self, record_id: str) -> bool:
        """Return whether a record names one active substance and no combination."""
        ingredients = {
            mention.name
            for mention in self.mentions[record_id]
            if mention.kind == "drug" and mention.relation in MADE_OF
        }
        keys = {drug.key or drug.said for name in ingredients for drug in self.labels.get(name, ())}
        unknown = [name for name in ingredients if name not in self.labels]
        return len(keys) == 1 and not unknown

    @cached_property
    def entries(self) -> Entries:
        """Return what the records say, typed."""
        return Entries(self.facts, self.records, self.mentions)

    def companies(self, record_id: str, relation: str) -> list[str]:
        """Return the companies that a record mentions in a relation, as written."""
        return [
            mention.name
            for mention in self.mentions.get(record_id, ())
            if mention.kind == "company" and mention.relation == relation
        ]


def drug_names(key: str, spellings: Iterable[str], resolver: Resolver) -> list[str]:
    """Return how records may write a drug: names and codes, what was met, then synonyms."""
    known_names = [
        name
        for pack in resolver.packs
        for name in (pack.names("drug", key) if key.startswith("UNII:") else ())
    ]
    official = [
        known_name.name
        for known_name in known_names
        if known_name.level < 4 and len(known_name.name) <= LONGEST_NAME
    ]
    synonyms = [
        known_name.name
        for known_name in known_names
        if known_name.level == 4 and _is_simple(known_name.name)
    ]
    distinct: dict[str, str] = {}
    for name in [*official, *spellings, *synonyms]:
        if len(fold_name(name)) > 2:
            distinct.setdefault(fold_name(name), name)
    return list(distinct.values())[:MOST_NAMES]


def _is_simple(name: str) -> bool:
    """Return whether a synonym is one that a record may use, and no systematic name."""
    return SHORTEST_SYNONYM <= len(name) <= LONGEST_NAME and not _SYSTEMATIC.search(name)


def fill_shelf(
    keys: Mapping[str, Iterable[str]],
    evidence: EvidenceReader,
    naming: Naming,
    sources: Sequence[str] = (),
    *,
    trials: Sequence[str] | None = None,
    figures: bool = True,
) -> Shelf:
    """Read what the pack holds about drugs.

    Args:
        keys: Spellings by drug's key.
        evidence: The pack.
        naming: Reads labels.
        sources: Sources to keep to; empty: all.
        trials: Trials to keep to, where a disease is asked for; None: all.
        figures: Whether to read what trials measured, too, trials of others than companies, and
            generics.
    """
    codes: dict[str, list[str]] = defaultdict(list)
    for folded, (key, _) in naming.joined.items():
        codes[key].append(folded)
    names = {
        key: drug_names(
            key, [*sorted(labels, key=lambda name: (len(name), name)), *codes[key]], naming.resolver
        )
        for key, labels in keys.items()
    }
    spelled = {name for spellings in names.values() for name in spellings}
    parts = Parts(spelled)
    kinds = () if trials is None else OTHER_KINDS
    ids = [*find_mentioning(spelled, parts, evidence, kinds), *(trials or ())]
    ids = [record_id for record_id in ids if not sources or record_id.partition(":")[0] in sources]
    ids = ids if figures else without_generics(ids, evidence)
    mentions = evidence.mentions(ids)
    mentions = mentions if figures else of_companies(mentions, evidence)
    labels = dict(naming.read(_labels(mentions, parts)))
    labels |= naming.read(_ingredients(mentions, labels, keys))
    drugs = {
        record_id: _roles(record_id, record_mentions, labels, keys)
        for record_id, record_mentions in sorted(mentions.items())
    }
    drugs = {record_id: roles for record_id, roles in drugs.items() if roles}
    drug_keys = list(drugs)
    telling = [record_id for record_id, roles in drugs.items() if _tells(record_id, roles)]
    facts = facts_of_records(telling, told(measured=figures), evidence)
    passages = evidence.passages(
        [record_id for record_id in drug_keys if record_id.startswith(("label", "pmda", "ema"))],
        INDICATIONS,
    )
    return Shelf(names, evidence.records(drug_keys), mentions, drugs, facts, passages, labels)


def _tells(record_id: str, roles: Mapping[str, Role]) -> bool:
    """Return whether facts of a record are needed: of trials, where one of the drugs is tested."""
    return not record_id.startswith(TRIAL_REGISTERS) or "investigational" in roles.values()


def _labels(mentions: Mapping[str, Sequence[Mention]], parts: Parts) -> list[str]:
    """Return the labels in which a name of one of the drugs stands."""
    is_needed: dict[str, bool] = {}
    for record_mentions in mentions.values():
        for mention in record_mentions:
            if mention.kind == "drug" and mention.name not in is_needed:
                is_needed[mention.name] = parts.are_in(fold_name(mention.name))
    return [name for name, is_wanted in is_needed.items() if is_wanted]


def _ingredients(
    mentions: Mapping[str, Sequence[Mention]],
    labels: Mapping[str, Sequence[NamedDrug]],
    keys: Mapping[str, object],
) -> list[str]:
    """Return the other ingredients of products and assets in which one of the drugs stands.

    They tell whether it stands there alone, and may be another name of it. So do the brands.
    """
    ingredients: dict[str, None] = {}
    for record_mentions in mentions.values():
        names = [
            mention.name
            for mention in record_mentions
            if mention.kind == "drug" and mention.relation in NAMING
        ]
        if names and any(
            drug.key in keys
            for mention in record_mentions
            for drug in labels.get(mention.name, ())
            if drug.key
        ):
            ingredients |= dict.fromkeys(name for name in names if name not in labels)
    return list(ingredients)


def _roles(
    record_id: str,
    mentions: Sequence[Mention],
    labels: Mapping[str, Sequence[NamedDrug]],
    keys: Mapping[str, object],
) -> dict[str, Role]:
    """Return the role of each of the drugs in a record; being tested counts most."""
    roles: dict[str, Role] = {}
    is_fdas = record_id.partition(":")[0] in OF_FDA
    contradicted = _contradicted(mentions, labels) if is_fdas else frozenset()
    for mention in mentions:
        if mention.kind != "drug" or mention.name in contradicted:
            continue
        for drug in labels.get(mention.name, ()):
            if drug.key in keys and (drug.key not in roles or mention.role in _TESTED):
                roles[drug.key] = mention.role
    return roles


_OF_SEVERAL = re.compile(r"\((?:recombinant|human)\b", re.IGNORECASE)
"""Proper names that a register gives to several drugs: "Antihemophilic Factor (Recombinant)"."""


def _contradicted(
    mentions: Sequence[Mention], labels: Mapping[str, Sequence[NamedDrug]]
) -> frozenset[str]:
    """Return the names of a product that do not count, since brand and ingredient name two drugs.

    The ingredient is what is sold, whatever a list has as the brand's drug; only where it is a
    proper name of several drugs the brand tells which one.
    """
    made, brands = (
        [one.name for one in mentions if one.kind == "drug" and one.relation == relation]
        for relation in ("ingredient", "brand")
    )
    if not made or not brands:
        return frozenset()
    in_it = {drug.key: drug.name for name in made for drug in labels.get(name, ())}
    false = load_false_names()
    if any(
        (fold_name(brand), fold_name(name)) in false for brand in brands for name in in_it.values()
    ):
        return frozenset(made)
    sold = {key for key in in_it if key.startswith("UNII:")}
    called = {drug.key for name in brands for drug in labels.get(name, ())}
    called = {key for key in called if key.startswith("UNII:")}
    if not sold or not called or sold & called:
        return frozenset()
    return frozenset(made if any(map(_OF_SEVERAL.search, made)) else brands)
