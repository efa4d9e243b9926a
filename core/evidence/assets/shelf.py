"""All that the pack holds about some drugs, read with few questions."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from core.evidence.assets.naming import NamedDrug, Naming
from core.evidence.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.evidence import Mention, Record, Role, Span
from core.records.evidence_pack import FactQuery, StoredFact, TextQuery
from core.records.names import fold_name

MOST_RECORDS = 20_000
MOST_NAMES = 40
"""Names of one drug that are searched for."""
LONGEST_NAME = 60
TOLD = (
    *("trial_phase", "trial_status", "trial_sponsor_class", "trial_start", "trial_stopped"),
    *("trial_primary_completion", "trial_enrollment", "trial_endpoint", "trial_has_results"),
    *("approved_on", "approved_label", "application_holder", "application_type", "application"),
    *("in_stage", "has_role", "highest_stage", "developed_by", "program_trial", "biosimilar_of"),
    *("has_boxed_warning", "label_carries", "license_status", "trial_design"),
)
OTHER_KINDS = (
    *("regulatory_label", "approval_package", "regulatory_notice", "company_disclosure"),
    "database_record",
)
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
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for record_id, drugs in self.drugs.items():
            for key in drugs:
                found[key].append((record_id.partition(":")[0], record_id))
        return found

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
            one.name
            for one in self.mentions[record_id]
            if one.kind == "drug" and one.relation in {"ingredient", "asset"}
        }
        keys = {drug.key or drug.said for name in ingredients for drug in self.labels.get(name, ())}
        unknown = [name for name in ingredients if name not in self.labels]
        return len(keys) == 1 and not unknown

    def said(self, record_id: str, predicate: str) -> StoredFact | None:
        """Return a record's first fact of a predicate."""
        return next((one for one in self.facts.get(record_id, ()) if _is(one, predicate)), None)

    def all_said(self, record_id: str, predicate: str) -> list[StoredFact]:
        """Return a record's facts of a predicate."""
        return [one for one in self.facts.get(record_id, ()) if _is(one, predicate)]

    def companies(self, record_id: str, relation: str) -> list[str]:
        """Return the companies that a record mentions in a relation, as written."""
        return [
            one.name
            for one in self.mentions.get(record_id, ())
            if one.kind == "company" and one.relation == relation
        ]


def _is(one: StoredFact, predicate: str) -> bool:
    return one.fact.predicate == predicate


def drug_names(key: str, said: Iterable[str], resolver: Resolver) -> list[str]:
    """Return how records may write a drug: its names and codes, the official ones first."""
    names = [
        one.name
        for pack in resolver.packs
        for one in (pack.names("drug", key) if key.startswith("UNII:") else ())
        if one.level < 4 and len(one.name) <= LONGEST_NAME
    ]
    distinct: dict[str, str] = {}
    for name in [*names, *said]:
        if len(fold_name(name)) > 2:
            distinct.setdefault(fold_name(name), name)
    return list(distinct.values())[:MOST_NAMES]


_CODE = re.compile(r"([A-Za-z]{1,6})[- ]?(\d+[A-Za-z0-9-]*)")


def _spell(name: str) -> set[str]:
    """Return a name, and a code also in one word and in two, as the text index tells them apart."""
    found = _CODE.fullmatch(name)
    return {name, f"{found[1]} {found[2]}", found[1] + found[2]} if found else {name}


def fill_shelf(
    keys: Mapping[str, Iterable[str]],
    evidence: EvidenceReader,
    naming: Naming,
    sources: Sequence[str] = (),
    *,
    trials: Sequence[str] | None = None,
) -> Shelf:
    """Read what the pack holds about drugs.

    Args:
        keys: Spellings by drug's key.
        evidence: The pack.
        naming: Reads labels.
        sources: Sources to keep to; empty: all.
        trials: Trials to keep to, where a disease is asked for; None: all.
    """
    names = {key: drug_names(key, said, naming.resolver) for key, said in keys.items()}
    group = sorted({one for said in names.values() for name in said for one in _spell(name)})
    kinds = () if trials is None else OTHER_KINDS
    hits = evidence.search(TextQuery([group], kinds=kinds, limit=MOST_RECORDS)) if group else []
    ids = [hit.record_id for hit in hits] + list(trials or ())
    ids = [one for one in ids if not sources or one.partition(":")[0] in sources]
    mentions = evidence.mentions(ids)
    labels = naming.read(_labels(mentions, names.values()))
    drugs = {record_id: _roles(said, labels, keys) for record_id, said in sorted(mentions.items())}
    drugs = {record_id: roles for record_id, roles in drugs.items() if roles}
    wanted = list(drugs)
    facts: dict[str, list[StoredFact]] = defaultdict(list)
    telling = [one for one, roles in drugs.items() if _tells(one, roles)]
    for one in evidence.facts(FactQuery(record_ids=telling, predicates=TOLD)) if telling else ():
        facts[one.fact.record_id].append(one)
    passages = evidence.passages([one for one in wanted if _has_text(one)], INDICATIONS)
    return Shelf(names, evidence.records(wanted), mentions, drugs, facts, passages, labels)


def _tells(record_id: str, roles: Mapping[str, Role]) -> bool:
    """Return whether facts of a record are needed: of trials, where one of the drugs is tested."""
    return not record_id.startswith("ctgov") or "investigational" in roles.values()


def _has_text(record_id: str) -> bool:
    return record_id.startswith(("label", "pmda"))


def _labels(mentions: Mapping[str, Sequence[Mention]], names: Iterable[Sequence[str]]) -> list[str]:
    """Return the labels in which a name of one of the drugs stands."""
    folded = sorted({fold_name(name) for spelled in names for name in spelled}, key=len)
    wanted: dict[str, bool] = {}
    stems = frozenset(folded)
    lengths = sorted({len(one) for one in stems})
    for said in mentions.values():
        for one in said:
            if one.kind == "drug" and one.name not in wanted:
                wanted[one.name] = _contains(fold_name(one.name), stems, lengths)
    return [name for name, is_wanted in wanted.items() if is_wanted]


def _contains(folded: str, names: frozenset[str], lengths: Sequence[int]) -> bool:
    """Return whether a folded label contains one of the folded names."""
    return any(
        folded[place : place + length] in names
        for length in lengths
        if length <= len(folded)
        for place in range(len(folded) - length + 1)
    )


def _roles(
    mentions: Sequence[Mention],
    labels: Mapping[str, Sequence[NamedDrug]],
    keys: Mapping[str, object],
) -> dict[str, Role]:
    """Return the role of each of the drugs in a record; being tested counts most."""
    roles: dict[str, Role] = {}
    for one in mentions:
        if one.kind != "drug":
            continue
        for drug in labels.get(one.name, ()):
            if drug.key in keys and (drug.key not in roles or one.role in _TESTED):
                roles[drug.key] = one.role
    return roles
