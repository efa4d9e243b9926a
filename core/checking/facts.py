"""The facts of the evidence about everything that a document names, gathered with few questions."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from core.briefs.board import Protection, find_protections
from core.briefs.entities.identifying import Library
from core.checking.assertions import Assertion
from core.checking.brands import Brand, find_brand
from core.checking.entities import EntitySpan
from core.checking.results import CheckedAssertion, CheckVerdict, CitedRecord
from core.checking.values import DaySpan, span_of
from core.evidence.assets.coverage import load_areas
from core.evidence.assets.gather import gather_assets
from core.evidence.entries.money import DealEntry, deals_of
from core.evidence.entries.records import Entries, facts_of_records
from core.evidence.names.companies import company_group
from core.evidence.names.drug_labels import Naming
from core.evidence.readers.diseases import Disease, Diseases, diseases_of
from core.records.asset_queries import AssetQuery, ExcludedAsset
from core.records.evidence import Mention, Record
from core.records.evidence_pack import FactQuery, StoredFact
from core.records.names import fold_name
from core.records.programs import Asset
from core.records.trials import Trial
from core.vocabulary.predicates import Predicate

_TRIAL = (
    *(Predicate.TRIAL_PHASE, Predicate.TRIAL_STATUS, Predicate.TRIAL_ENROLLMENT),
    *(Predicate.TRIAL_SPONSOR, Predicate.TRIAL_START, Predicate.TRIAL_PRIMARY_COMPLETION),
    *(Predicate.TRIAL_COMPLETION, Predicate.TRIAL_HAS_RESULTS),
)
_DAYS = (Predicate.APPROVED_ON, Predicate.DECIDED_ON, Predicate.APPROVAL_CHANGED_ON)
_FIGURES = (
    *(Predicate.LABEL_RESULT, Predicate.LABEL_ADVERSE_REACTIONS, Predicate.TRIAL_RESULT),
    *(Predicate.TRIAL_EFFECT, Predicate.TRIAL_ANALYSIS, Predicate.TRIAL_P_VALUE),
)
_LISTED_AS = "listed as "
CANCER = "MONDO:0005070"
BROAD = frozenset(
    {
        *(CANCER, "MONDO:0004992", "MONDO:0004993", "MONDO:0004970"),
        *("own:solid-tumor", "own:hematologic-cancer", "MONDO:0002334"),
    }
)
"""Neoplasm, cancer, carcinoma, adenocarcinoma, solid tumor, cancer of the blood: each is many."""
LEAST_SHARED = 0.25
SHORT_NAME = 3
"""Letters of a name that may begin another company's."""


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """A trial with what it tests.

    Attributes:
        trial: As its register tells it.
        drugs: Keys of the drugs that it names.
        names: The drugs that it tests, as written.
        is_read: Whether every drug that it tests is known by name.
        diseases: Its conditions.
    """

    trial: Trial
    drugs: frozenset[str]
    names: tuple[str, ...]
    is_read: bool
    diseases: tuple[Disease, ...]


@dataclass
class Facts:
    """What the evidence has on the things of one document.

    Attributes:
        library: Evidence, names and the day.
        assets: Drugs by every key under which the document names them.
        protections: What protects approved products, by key.
        trials: Trials by number.
        deals: Deals by the key of the drug.
        dates: Days of approvals and decisions, by drug and record.
        figures: Figures by drug.
        mentioned: Companies that records of a drug mention, by drug.
        names: Names of a drug in each of its records, by drug.
    """

    library: Library
    assets: Mapping[str, Asset] = field(default_factory=dict)
    protections: Mapping[str, Protection | None] = field(default_factory=dict)
    trials: Mapping[str, TrialFacts] = field(default_factory=dict)
    deals: Mapping[str, Sequence[DealEntry]] = field(default_factory=dict)
    dates: Mapping[str, Sequence[StoredFact]] = field(default_factory=dict)
    figures: Mapping[str, Sequence[StoredFact]] = field(default_factory=dict)
    mentioned: Mapping[str, frozenset[str]] = field(default_factory=dict)
    names: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    _records: dict[str, Record] = field(default_factory=dict)

    @cached_property
    def diseases(self) -> Diseases:
        """Return what reads names of diseases."""
        return diseases_of(self.library.resolver)

    def are_related(self, first: str, second: str) -> bool:
        """Return whether two diseases are one, or one of them is a kind of the other."""
        return self.diseases.is_kind_of(first, [second]) or self.diseases.is_kind_of(
            second, [first]
        )

    def are_near(self, first: str, second: str) -> bool:
        """Return whether two diseases are of one kind; unknown ones and two cancers may be.

        Near are those of one therapeutic area that share a quarter of what is above them.
        """
        if not first or not second:
            return True
        above, others = (self.diseases.above(key) | {key} for key in (first, second))
        tops = {top for _, top in load_areas()}
        areas, other_areas = above & tops, others & tops
        if not areas or not other_areas or CANCER in areas & other_areas:
            return True
        shared = len(above & others) / len(above | others)
        return bool(areas & other_areas) and shared >= LEAST_SHARED

    def means(self, disease: EntitySpan, key: str) -> bool:
        """Return whether a disease of the document is one of the evidence, or a kind of it.

        A tumor that the document names is not meant where the evidence has tumors of any kind.
        """
        if key in BROAD:
            return any(self.diseases.is_kind_of(key, [each]) for each in disease.keys)
        return bool(key) and any(self.are_related(each, key) for each in disease.keys)

    def covers(self, disease: EntitySpan, key: str) -> bool:
        """Return whether a disease of the evidence is that of the document, or a kind of it."""
        return bool(key) and any(self.diseases.is_kind_of(key, [each]) for each in disease.keys)

    def genes(self, drugs: Iterable[EntitySpan]) -> set[str]:
        """Return the names of targets that are the only one of a drug."""
        assets = (self.assets.get(drug.key) for drug in drugs)
        alone = [x.targets[0].target for x in assets if x and len(x.targets) == 1]
        alone = [target for target in alone if target.relation == "single"]
        return {name for x in alone for name in (x.text, *x.gene_symbols)}

    def brand(self, drug: EntitySpan | None, asset: Asset) -> Brand | None:
        """Return the brand that a document names; None for the substance itself."""
        if drug is None:
            return None
        return find_brand(drug.said, asset.name, self.names.get(asset.key, {}))

    def cite(self, record_ids: Iterable[str], as_of: str = "") -> CitedRecord | None:
        """Return the first record that is held; None where none of them is."""
        ids = [record_id for record_id in record_ids if record_id]
        unknown = [record_id for record_id in ids if record_id not in self._records]
        if unknown:
            self._records |= self.library.evidence.records(unknown)
        for record_id in ids:
            record = self._records.get(record_id)
            if record is not None:
                return CitedRecord(
                    record_id=record_id,
                    title=record.title or record.source_id,
                    url=record.url,
                    as_of=as_of or record.told_on or record.published_on,
                )
        return None

    def judge(
        self,
        assertion: Assertion,
        verdict: CheckVerdict,
        recorded: str = "",
        record_ids: Iterable[str] = (),
        *,
        as_of: str = "",
        note: str = "",
    ) -> CheckedAssertion:
        """Return a verdict; what no record carries is not covered, and a guess is never corrected.

        Args:
            assertion: What is stated.
            verdict: How the evidence compares.
            recorded: What the evidence has.
            record_ids: The records that say so, the best first.
            as_of: Day of which they say it.
            note: Why.
        """
        source = self.cite(record_ids, as_of)
        is_said = verdict in {"supported", "differs", "older"}
        if is_said and source is None:
            verdict, recorded = "not_covered", ""
        if verdict in {"differs", "older"} and assertion.is_loose:
            verdict, recorded, source = "not_covered", "", None
            note = "The sentence may be about more than one drug or trial."
        return CheckedAssertion(
            kind=assertion.kind,
            subject=assertion.drug.name if assertion.drug else assertion.trial,
            stated=assertion.stated,
            recorded=recorded,
            verdict=verdict,
            note=note,
            source=source if verdict in {"supported", "differs", "older"} else None,
        )


def gather_facts(entities: Iterable[EntitySpan], library: Library) -> Facts:
    """Return what the evidence has on the drugs and trials that a document names."""
    distinct = {(entity.kind, entity.key): entity for entity in entities}
    keys = tuple(sorted(key for kind, key in distinct if kind == "drug"))
    numbers = sorted(key for kind, key in distinct if kind == "trial")
    naming = library.naming()
    facts = Facts(library)
    if keys:
        query = AssetQuery(drug_keys=keys)
        gathered = gather_assets(query, library.evidence, library.resolver, library.as_of)
        facts.assets = _by_key(gathered.assets, gathered.excluded)
    assets = list({asset.key: asset for asset in facts.assets.values()}.values())
    facts.protections = find_protections(assets, library.evidence)
    facts.trials = _trials(numbers, naming, facts)
    facts.deals = _deals(naming, library)
    _add_details(assets, facts)
    return facts


def _by_key(assets: Sequence[Asset], excluded: Iterable[ExcludedAsset]) -> dict[str, Asset]:
    """Return drugs by their keys, and by those of drugs that count under them."""
    by_key = {asset.key: asset for asset in assets}
    by_name = {asset.name: asset for asset in assets}
    for candidate in excluded:
        name = candidate.reason.removeprefix(_LISTED_AS)
        if candidate.reason != name and name in by_name:
            by_key.setdefault(candidate.key, by_name[name])
    return by_key


def _trials(numbers: Sequence[str], naming: Naming, facts: Facts) -> dict[str, TrialFacts]:
    evidence = facts.library.evidence
    ids = [f"ctgov:{number}" for number in numbers]
    records = evidence.records(ids) if ids else {}
    held = list(records)
    mentions = evidence.mentions(held) if held else {}
    entries = Entries(facts_of_records(held, _TRIAL, evidence), records, mentions)
    labels = sorted({x.name for each in mentions.values() for x in each if x.kind == "drug"})
    named = naming.read(labels)
    trials: dict[str, TrialFacts] = {}
    for record_id in held:
        tested = [
            mention
            for mention in mentions.get(record_id, ())
            if mention.kind == "drug" and mention.role in {"investigational", "unclear", ""}
        ]
        drugs = [x for x in mentions.get(record_id, ()) if x.kind == "drug"]
        keys = {drug.key for x in drugs for drug in named[x.name] if drug.key}
        trial = entries.trial(record_id)
        trials[trial.number] = TrialFacts(
            trial,
            frozenset(keys),
            tuple(dict.fromkeys(mention.name for mention in tested)),
            bool(tested) and all(any(x.key for x in named[y.name]) for y in tested),
            tuple(facts.diseases.of_conditions(trial.conditions)) if trial.conditions else (),
        )
    return trials


def _deals(naming: Naming, library: Library) -> dict[str, list[DealEntry]]:
    query = FactQuery(sources=["deals"], predicates=[Predicate.DEAL_TYPE])
    ids = [stored.fact.record_id for stored in library.evidence.facts(query)]
    deals = deals_of(ids, library.evidence)
    named = naming.read(sorted({deal.asset for deal in deals.values() if deal.asset}))
    by_drug: dict[str, list[DealEntry]] = defaultdict(list)
    for deal in deals.values():
        for drug in named.get(deal.asset, ()):
            if drug.key:
                by_drug[drug.key].append(deal)
    return by_drug


def _add_details(assets: Sequence[Asset], facts: Facts) -> None:
    """Add days, figures and companies of the records of drugs."""
    evidence = facts.library.evidence
    by_record: dict[str, list[str]] = defaultdict(list)
    for asset in assets:
        trials = (trial.record_id for program in asset.programs for trial in program.trials)
        outcomes = (outcome.record_id for outcome in asset.outcomes)
        for record_id in {*asset.record_ids, *outcomes, *trials}:
            by_record[record_id].append(asset.key)
    ids = sorted(by_record)
    dates: dict[str, list[StoredFact]] = defaultdict(list)
    figures: dict[str, list[StoredFact]] = defaultdict(list)
    for found, predicates in ((dates, _DAYS), (figures, _FIGURES)):
        for record_id, stored in facts_of_records(ids, predicates, evidence).items():
            for key in by_record[record_id]:
                found[key] += stored
    mentions: Mapping[str, Sequence[Mention]] = evidence.mentions(ids) if ids else {}
    mentioned: dict[str, set[str]] = defaultdict(set)
    names: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for record_id, each in mentions.items():
        groups = {company_group(mention.name) for mention in each if mention.kind == "company"}
        for key in by_record[record_id]:
            mentioned[key] |= groups
            names[key][record_id] = [mention.name for mention in each if mention.kind == "drug"]
    facts.names = names
    facts.dates, facts.figures = dates, figures
    facts.mentioned = {key: frozenset(groups) for key, groups in mentioned.items()}


def share_company(first: Iterable[str], second: Iterable[str]) -> bool:
    """Return whether a company is in both; a shorter form of a name is that company's."""
    groups, others = ([company_group(name) for name in names if name] for names in (first, second))
    return any(
        fold_name(group) == fold_name(other) or _is_part(group, other) or _is_part(other, group)
        for group in groups
        for other in others
    )


def _is_part(name: str, other: str) -> bool:
    """Return whether all words of a name are in another: "Zelgen" in "Suzhou Zelgen"."""
    words = set(name.casefold().split())
    return len(name) > SHORT_NAME and words <= set(other.casefold().split())


def meets(day: DaySpan | None, recorded: str) -> bool:
    """Return whether a day of the document may be one of a record."""
    span = span_of(recorded)
    return day is not None and span is not None and day.meets(span)
