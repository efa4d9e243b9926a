"""Finds drugs where no target is asked for: by disease, by words, or the drugs themselves."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.evidence.assets.candidates import Finder
from core.evidence.assets.stages.truth import OPEN
from core.evidence.entries.records import facts_of_records
from core.evidence.names.drug_labels import NamedDrug
from core.evidence.names.modalities import modality_of_name
from core.evidence_ports import EvidenceReader
from core.records.asset_queries import AssetQuery, ExcludedAsset
from core.records.evidence import MentionKind
from core.records.evidence_pack import FactQuery, StoredFact, TextQuery
from core.records.names import fold_name
from core.records.stages import STAGES, Stage
from core.vocabulary.predicates import Predicate
from core.vocabulary.sources import DISCLOSED, TRIAL_REGISTERS
from core.vocabulary.stages import OF_PHASE

TELLING = (
    *(Predicate.TRIAL_PHASE, Predicate.TRIAL_STATUS, Predicate.IN_STAGE),
    *(Predicate.HIGHEST_STAGE, Predicate.APPROVED_ON),
)
_OVER = "discontinued"


@dataclass
class _Seen:
    """What the facts tell of a drug: whether it is under way, its stage, its last day."""

    is_live: bool = False
    stage: int = len(STAGES)
    newest_on: str = ""


def by_activity(records_of: Mapping[str, Iterable[str]], evidence: EvidenceReader) -> list[str]:
    """Return drugs: those under way first, then by highest stage, then by the latest day."""
    ids = list(
        dict.fromkeys(record_id for record_ids in records_of.values() for record_id in record_ids)
    )
    facts = facts_of_records(ids, TELLING, evidence)
    seen = {key: _read(record_ids, facts) for key, record_ids in records_of.items()}
    newest_first = sorted(seen, key=lambda key: (seen[key].newest_on, key), reverse=True)
    return sorted(newest_first, key=lambda key: (not seen[key].is_live, seen[key].stage))


def _read(record_ids: Iterable[str], facts: Mapping[str, Iterable[StoredFact]]) -> _Seen:
    seen = _Seen()
    for record_id in record_ids:
        for stored in facts.get(record_id, ()):
            stage, is_live = _tell(stored)
            seen.is_live |= is_live
            seen.stage = min(seen.stage, STAGES.index(stage) if stage else len(STAGES))
            seen.newest_on = max(seen.newest_on, stored.fact.as_of)
    return seen


def _tell(fact: StoredFact) -> tuple[Stage | None, bool]:
    """Return the stage that a fact tells, and whether it tells that the drug is under way."""
    predicate, word = fact.fact.predicate, fact.fact.object
    if predicate == Predicate.TRIAL_STATUS:
        return None, word in OPEN
    if predicate == Predicate.APPROVED_ON:
        return "APPROVED", True
    if predicate == Predicate.TRIAL_PHASE:
        return OF_PHASE.get(word) or None, False
    stage = next((stage for stage in STAGES if stage == word), None)
    return stage, stage is not None and fact.fact.unit != _OVER and stage != "DISCONTINUED"


MOST_RECORDS = 6_000
MOST_DRUGS = 2_000
"""Drugs that are looked at: what is under way first, then by stage, then by the last day."""
MOST_NAMES = 60
APPROVALS = ("label", "label-indications", "ema", "pmda")
"""Sources that state approved uses one by one."""
SOURCES = (*TRIAL_REGISTERS, *DISCLOSED, "pack", "fda-actions")
TOO_MANY = (
    f"more than {MOST_DRUGS:,} drugs are tested for this, and it is not among those that are under "
    "way, furthest or newest; ask more narrowly"
)


def find_by_records(query: AssetQuery, finder: Finder) -> tuple[list[str], list[ExcludedAsset]]:
    """Add the drugs that records for a question test; return the records and what was left out."""
    add_keys(query.drug_keys, finder)
    ids = list(dict.fromkeys(_record_ids(query, finder)))
    mentions = finder.evidence.mentions(ids)
    tested = [
        (mention.name, record_id)
        for record_id, record_mentions in mentions.items()
        for mention in record_mentions
        if mention.kind == "drug" and mention.role == "investigational"
    ]
    tested += _approved(query, finder)
    named = finder.naming.read(name for name, _ in tested)
    records_of: dict[str, list[str]] = defaultdict(list)
    drugs: dict[str, NamedDrug] = {}
    excluded: dict[str, ExcludedAsset] = {}
    for name, record_id in tested:
        for drug in named[name]:
            kind = modality_of_name(drug.name)
            if kind and drug.key and _is_other(kind, query):
                reason = f"its modality is {kind}, not the requested one"
                excluded.setdefault(drug.key, ExcludedAsset(drug.name, reason, drug.key))
            elif drug.key:
                records_of[drug.key].append(record_id)
                drugs.setdefault(drug.key, drug)
            else:
                excluded.setdefault(name, ExcludedAsset(name, drug.reason))
    looked_at, left = _choose(records_of, finder.evidence)
    for key in looked_at:
        finder.add(drugs[key])
    cut = [ExcludedAsset(drugs[key].name, TOO_MANY, key) for key in left]
    return ids, [*excluded.values(), *cut]


def _choose(
    records_of: Mapping[str, Sequence[str]], evidence: EvidenceReader
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the drugs to look at, and those that are left where there are too many."""
    if len(records_of) <= MOST_DRUGS:
        return sorted(records_of), ()
    ranked = by_activity(records_of, evidence)
    return ranked[:MOST_DRUGS], ranked[MOST_DRUGS:]


def _is_other(kind: str, query: AssetQuery) -> bool:
    """Return whether a modality that a name tells is not the one asked for."""
    of_antibodies = kind == "monoclonal antibody" and "bispecific antibody" in query.modalities
    is_wanted = not query.modalities or kind in query.modalities or of_antibodies
    return not is_wanted or kind in query.not_modalities


def add_keys(keys: Sequence[str], finder: Finder) -> None:
    """Add the drugs asked for by their keys; one that no register has as its records write it."""
    entities = finder.naming.resolver.identity.entities("drug", keys)
    for key in keys:
        if key in entities:
            finder.add(NamedDrug(key, entities[key].label, entities[key].label))
    unknown = [key.removeprefix("name:") for key in keys if key not in entities]
    labels = finder.evidence.names_with("drug", unknown)
    for drugs in finder.naming.read(labels).values():
        for drug in drugs:
            if drug.key in keys:
                finder.add(drug)


def _approved(query: AssetQuery, finder: Finder) -> Iterator[tuple[str, str]]:
    """Yield the drugs whose labels or registers state a use in the diseases, or a wider one."""
    if not query.disease_keys:
        return
    keys = [*_with_kinds(query.disease_keys, finder), *query.wider_keys]
    names = {fold_name(name) for name in _names_of(keys, finder)}
    uses = FactQuery(sources=APPROVALS, predicates=(Predicate.INDICATED_FOR,))
    for fact in finder.evidence.facts(uses):
        if fold_name(fact.fact.object) in names:
            yield fact.fact.subject, fact.fact.record_id


def _with_kinds(disease_keys: Sequence[str], finder: Finder) -> list[str]:
    """Return diseases with all of their kinds."""
    keys = dict.fromkeys(disease_keys)
    for key in disease_keys:
        kinds = finder.naming.resolver.identity.descendants("disease", key)
        keys |= dict.fromkeys(sorted(kinds))
    return list(keys)


def _names_of(keys: Sequence[str], finder: Finder) -> list[str]:
    """Return all names of diseases, as records write them, too."""
    packs = finder.naming.resolver.packs
    names = (name.name for key in keys for pack in packs for name in pack.names("disease", key))
    return list(dict.fromkeys(names))


def _record_ids(query: AssetQuery, finder: Finder) -> Iterator[str]:
    """Yield trials and pipelines of the diseases and words."""
    evidence, resolver = finder.evidence, finder.naming.resolver
    if query.disease_keys:
        names = _names_of(_with_kinds(query.disease_keys, finder), finder)
        yield from _mentioning(evidence, "disease", names)
    if query.words or query.disease_keys:
        groups = [[word] for word in query.words]
        for key in query.disease_keys:
            names = [name.name for name in resolver.identity.names("disease", key)[:MOST_NAMES]]
            groups.append(names)
        hits = evidence.search(TextQuery(groups, kinds=("trial_registration",), limit=MOST_RECORDS))
        yield from (hit.record_id for hit in hits)


def _mentioning(evidence: EvidenceReader, kind: MentionKind, names: Sequence[str]) -> Iterator[str]:
    mentions = evidence.mentioning(kind, names)
    yield from sorted(record_id for record_id in mentions if record_id.partition(":")[0] in SOURCES)
