"""The facts of one record as a typed entry: agents and what they share read no predicate.

A trial, an approval, a label or a program (of a company or of the curators' tables) is made once
from the facts of its record; what it does not tell is None or "".
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.evidence_ports import EvidenceReader
from core.records.evidence import Fact, Mention, Record
from core.records.evidence_pack import FactQuery, StoredFact
from core.records.trials import Trial, TrialEndpoint
from core.vocabulary.predicates import Predicate
from core.vocabulary.stages import OF_PHASE

TAKING_IN = frozenset({"RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION"})


def facts_of_records(
    record_ids: Sequence[str],
    predicates: Sequence[Predicate],
    evidence: EvidenceReader,
    known_by: str = "",
) -> dict[str, list[StoredFact]]:
    """Return the facts of records, by record.

    Args:
        record_ids: The records; without one nothing is read.
        predicates: What is asked of them.
        evidence: The pack.
        known_by: Day by which a fact was known, YYYY-MM-DD; "" for all.
    """
    facts: dict[str, list[StoredFact]] = defaultdict(list)
    query = FactQuery(record_ids=record_ids, predicates=predicates, known_by=known_by)
    for fact in evidence.facts(query) if record_ids else ():
        facts[fact.fact.record_id].append(fact)
    return facts


def taking_in(record_ids: Sequence[str], evidence: EvidenceReader) -> list[str]:
    """Return the trials that take in patients or are about to, in their order."""
    facts = facts_of_records(record_ids, (Predicate.TRIAL_STATUS,), evidence)
    return [
        record_id
        for record_id in record_ids
        if any(stored.fact.object.upper() in TAKING_IN for stored in facts.get(record_id, ()))
    ]


TERMS = (
    *(Predicate.PATENT_LISTED, Predicate.EXCLUSIVITY_UNTIL),
    *(Predicate.APPROVED_ON, Predicate.APPLICATION_TYPE),
)
"""Facts of the registers by which a product is protected."""
OF_PRECEDENTS = (
    *(Predicate.TRIAL_SPONSOR, Predicate.TRIAL_SITES, Predicate.TRIAL_COUNTRIES),
    *(Predicate.TRIAL_AGE_FROM, Predicate.TRIAL_AGE_TO, Predicate.TRIAL_MONITORED),
)
"""Facts of trials that are read of precedents alone."""
DATING = frozenset({Predicate.TRIAL_PRIMARY_COMPLETION, Predicate.TRIAL_STATUS, Predicate.IN_STAGE})
"""Facts that date what is expected of a drug next."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What a record tells, with the fact that does.

    Attributes:
        text: The word, name or day.
        as_of: Day of which it is told.
        record_id: The record.
        fact_id: The fact.
        region: Where; "" where it is not said.
        time_point: When, or until when; "" where it is not said.
    """

    text: str
    as_of: str
    record_id: str
    fact_id: int
    region: str = ""
    time_point: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalEntry:
    """What a register says of an application.

    Attributes:
        approved: Day of approval.
        changed: Day of a further approval.
        marketing: What the register says of its products.
        kind: Type of the application.
        holders: Who holds it.
        uses: What it is for, where the register states it.
        patents: Patents listed, each with its last day.
        exclusivities: Exclusivities listed, each with its last day.
    """

    approved: Stated | None = None
    changed: Stated | None = None
    marketing: Stated | None = None
    kind: Stated | None = None
    holders: tuple[Stated, ...] = ()
    uses: tuple[str, ...] = ()
    patents: tuple[Stated, ...] = ()
    exclusivities: tuple[Stated, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelEntry:
    """What a label says.

    Attributes:
        approved: That it is a label of an approved product.
        uses: What it is for, where it states that one by one.
        boxed: Whether it has a boxed warning ("yes").
    """

    approved: Stated | None = None
    uses: tuple[str, ...] = ()
    boxed: tuple[Stated, ...] = ()


@dataclass(frozen=True, slots=True)
class EntryRow:
    """A line of a table of stages, roles or ends, with what qualifies it.

    Attributes:
        told: The stage, the company or the end.
        kind: State of the stage, part of the company, kind of the end.
        indication: As written.
        reason: Why, or of whom.
        is_expert: Whether it rests on a curator's own knowledge.
    """

    told: Stated
    kind: str
    indication: str
    reason: str
    is_expert: bool


@dataclass(frozen=True, slots=True)
class PipelineEntry:
    """What a company shows of a program, or the curators' tables of a drug.

    Attributes:
        stages: Stages, each with its indication.
        highest: The highest stage.
        developer: Who shows it.
        roles: Parts of companies.
        ends: What came to an end.
        target_dates: Days by which a regulator means to decide, each with its indication.
        decisions: Days of a regulator's decisions, each with its outcome as the reason.
    """

    stages: tuple[EntryRow, ...] = ()
    highest: Stated | None = None
    developer: Stated | None = None
    roles: tuple[EntryRow, ...] = ()
    ends: tuple[EntryRow, ...] = ()
    target_dates: tuple[EntryRow, ...] = ()
    decisions: tuple[EntryRow, ...] = ()


@dataclass(frozen=True)
class Entries:
    """The entries of records, each made when it is first asked for.

    Attributes:
        facts: Facts by record.
        records: Records by id, for the titles of trials.
        mentions: What records mention, for the conditions of trials.
    """

    facts: Mapping[str, Sequence[StoredFact]]
    records: Mapping[str, Record] = field(default_factory=dict)
    mentions: Mapping[str, Sequence[Mention]] = field(default_factory=dict)
    _trials: dict[str, Trial] = field(default_factory=dict)
    _approvals: dict[str, ApprovalEntry] = field(default_factory=dict)
    _labels: dict[str, LabelEntry] = field(default_factory=dict)
    _pipelines: dict[str, PipelineEntry] = field(default_factory=dict)

    def trial(self, record_id: str) -> Trial:
        """Return a trial as its register tells it."""
        trial = self._trials.get(record_id)
        if trial is None:
            trial = self._trials[record_id] = self._make_trial(record_id)
        return trial

    def approval(self, record_id: str) -> ApprovalEntry:
        """Return what a register says of an application."""
        approval = self._approvals.get(record_id)
        if approval is None:
            approval = self._approvals[record_id] = _approval(self._said(record_id))
        return approval

    def label(self, record_id: str) -> LabelEntry:
        """Return what a label says."""
        label = self._labels.get(record_id)
        if label is None:
            label = self._labels[record_id] = _label(self._said(record_id))
        return label

    def pipeline(self, record_id: str) -> PipelineEntry:
        """Return what a company or a curator says of a program."""
        pipeline = self._pipelines.get(record_id)
        if pipeline is None:
            pipeline = self._pipelines[record_id] = _pipeline(self._said(record_id))
        return pipeline

    def _said(self, record_id: str) -> "_Said":
        return _by_predicate(self.facts.get(record_id, ()))

    def _make_trial(self, record_id: str) -> Trial:
        said, record = self._said(record_id), self.records.get(record_id)
        phase = _first(said, Predicate.TRIAL_PHASE)
        status = _first(said, Predicate.TRIAL_STATUS)
        monitored = _word(said, Predicate.TRIAL_MONITORED)
        n, n_sites = (
            _value(said, predicate)
            for predicate in (Predicate.TRIAL_ENROLLMENT, Predicate.TRIAL_SITES)
        )
        return Trial(
            record_id,
            title=record.title if record else "",
            conditions=tuple(
                mention.name
                for mention in self.mentions.get(record_id, ())
                if mention.kind == "disease"
            ),
            phase=OF_PHASE.get(phase.text, "") if phase else "",
            phase_fact=phase.fact_id if phase else 0,
            status=status.text if status else "",
            as_of=status.as_of if status else "",
            sponsor=_word(said, Predicate.TRIAL_SPONSOR),
            sponsor_class=_word(said, Predicate.TRIAL_SPONSOR_CLASS),
            start_on=_word(said, Predicate.TRIAL_START),
            primary_completion_on=_word(said, Predicate.TRIAL_PRIMARY_COMPLETION),
            n=None if n is None else int(n),
            n_sites=None if n_sites is None else int(n_sites),
            countries=tuple(filter(None, _word(said, Predicate.TRIAL_COUNTRIES).split("|"))),
            ages=(_value(said, Predicate.TRIAL_AGE_FROM), _value(said, Predicate.TRIAL_AGE_TO)),
            measures=tuple(
                _endpoint(stored.fact) for stored in said.get(Predicate.TRIAL_ENDPOINT, ())
            ),
            why_stopped=_word(said, Predicate.TRIAL_STOPPED),
            design_words=_word(said, Predicate.TRIAL_DESIGN),
            is_monitored=monitored == "yes" if monitored else None,
            has_results=_word(said, Predicate.TRIAL_HAS_RESULTS) == "true",
        )


def read_terms(record_ids: Sequence[str], evidence: EvidenceReader) -> dict[str, ApprovalEntry]:
    """Return what protects the products of registers, by record."""
    facts = facts_of_records(record_ids, TERMS, evidence)
    entries = Entries(facts)
    return {record_id: entries.approval(record_id) for record_id in facts}


def endpoints_of(facts: Mapping[int, Fact]) -> dict[str, list[TrialEndpoint]]:
    """Return what facts that were read say of what trials measure, by record."""
    endpoints: dict[str, list[TrialEndpoint]] = defaultdict(list)
    for fact in facts.values():
        if fact.predicate == Predicate.TRIAL_ENDPOINT:
            endpoints[fact.record_id].append(_endpoint(fact))
    return endpoints


_Said = Mapping[str, Sequence[StoredFact]]
"""The facts of a record by predicate."""


def _by_predicate(facts: Iterable[StoredFact]) -> _Said:
    facts_by_predicate: dict[str, list[StoredFact]] = {}
    for fact in facts:
        predicate = fact.fact.predicate
        if predicate in facts_by_predicate:
            facts_by_predicate[predicate].append(fact)
        else:
            facts_by_predicate[predicate] = [fact]
    return facts_by_predicate


def _told(stored: StoredFact) -> Stated:
    fact, qualifiers = stored.fact, stored.fact.qualifiers
    return Stated(
        fact.object, fact.as_of, fact.record_id, stored.id, qualifiers.region, qualifiers.time_point
    )


def _all(by_predicate: _Said, predicate: Predicate) -> tuple[Stated, ...]:
    return tuple(map(_told, by_predicate.get(predicate, ())))


def _first(by_predicate: _Said, predicate: Predicate) -> Stated | None:
    facts = by_predicate.get(predicate)
    return _told(facts[0]) if facts else None


def _word(by_predicate: _Said, predicate: Predicate) -> str:
    facts = by_predicate.get(predicate)
    return facts[0].fact.object if facts else ""


def _value(by_predicate: _Said, predicate: Predicate) -> float | None:
    facts = by_predicate.get(predicate)
    return facts[0].fact.value if facts else None


def _words(by_predicate: _Said, predicate: Predicate) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stored.fact.object for stored in by_predicate.get(predicate, ())))


def _endpoint(fact: Fact) -> TrialEndpoint:
    qualifiers = fact.qualifiers
    return TrialEndpoint(fact.object, qualifiers.population == "primary", qualifiers.time_point)


def _rows(by_predicate: _Said, predicate: Predicate) -> tuple[EntryRow, ...]:
    return tuple(
        EntryRow(
            _told(stored),
            stored.fact.unit,
            stored.fact.qualifiers.indication,
            stored.fact.qualifiers.population,
            stored.fact.basis == "expert",
        )
        for stored in by_predicate.get(predicate, ())
    )


def _approval(by_predicate: _Said) -> ApprovalEntry:
    return ApprovalEntry(
        approved=_first(by_predicate, Predicate.APPROVED_ON),
        changed=_first(by_predicate, Predicate.APPROVAL_CHANGED_ON),
        marketing=_first(by_predicate, Predicate.MARKETING_STATUS),
        kind=_first(by_predicate, Predicate.APPLICATION_TYPE),
        holders=_all(by_predicate, Predicate.APPLICATION_HOLDER),
        uses=_words(by_predicate, Predicate.INDICATED_FOR),
        patents=_all(by_predicate, Predicate.PATENT_LISTED),
        exclusivities=_all(by_predicate, Predicate.EXCLUSIVITY_UNTIL),
    )


def _label(by_predicate: _Said) -> LabelEntry:
    return LabelEntry(
        approved=_first(by_predicate, Predicate.APPROVED_LABEL),
        uses=_words(by_predicate, Predicate.INDICATED_FOR),
        boxed=_all(by_predicate, Predicate.HAS_BOXED_WARNING),
    )


def _pipeline(by_predicate: _Said) -> PipelineEntry:
    return PipelineEntry(
        stages=_rows(by_predicate, Predicate.IN_STAGE),
        highest=_first(by_predicate, Predicate.HIGHEST_STAGE),
        developer=_first(by_predicate, Predicate.DEVELOPED_BY),
        roles=_rows(by_predicate, Predicate.HAS_ROLE),
        ends=_rows(by_predicate, Predicate.ENDED),
        target_dates=_rows(by_predicate, Predicate.TARGET_DATE),
        decisions=_rows(by_predicate, Predicate.DECIDED_ON),
    )
