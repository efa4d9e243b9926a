"""Types of events, and how a fact becomes one: tables, so that a new fact needs a row, no code.

A rule names the predicate of a fact, where its day stands and what must hold. Of the rules of one
predicate and source the first that holds reads the fact. A rule whose predicate no reader writes
yet waits.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from core.vocabulary.predicates import Predicate
from core.vocabulary.tables import TableRow, load_rows
from core.vocabulary.words import Word


class EventType(Word):
    """A type of event."""

    ACQUISITION = "acquisition"
    ADVISORY_COMMITTEE = "advisory_committee"
    APPROVAL_ENDED = "approval_ended"
    ASSET_PURCHASE = "asset_purchase"
    BIOSIMILAR_APPROVAL = "biosimilar_approval"
    BOXED_WARNING = "boxed_warning"
    CO_DEVELOPMENT = "co_development"
    COMPLETE_RESPONSE = "complete_response"
    DEAL_OTHER = "deal_other"
    DECISION_EXPECTED = "decision_expected"
    DESIGNATION = "designation"
    FILING = "filing"
    GENERIC_APPROVAL = "generic_approval"
    LABEL_CHANGE = "label_change"
    LICENSE = "license"
    NEWCO = "newco"
    OPTION = "option"
    ORIGINAL_APPROVAL = "original_approval"
    PATENT_GRANTED = "patent_granted"
    PIPELINE_ENTRY = "pipeline_entry"
    PIPELINE_EXIT = "pipeline_exit"
    PRIORITY_VOUCHER = "priority_voucher"
    READOUT_EXPECTED = "readout_expected"
    REGULATORY_DECISION = "regulatory_decision"
    REGULATORY_NOTICE = "regulatory_notice"
    RIGHTS_RETURN = "rights_return"
    SAFETY_LETTER = "safety_letter"
    SUPPLEMENT_EFFICACY = "supplement_efficacy"
    SUPPLEMENT_LABELING = "supplement_labeling"
    SUPPLEMENT_MANUFACTURING = "supplement_manufacturing"
    SUPPLEMENT_OTHER = "supplement_other"
    SUPPLEMENT_UNCLASSED = "supplement_unclassed"
    TENTATIVE_APPROVAL = "tentative_approval"
    TRIAL_COMPLETION_CHANGE = "trial_completion_change"
    TRIAL_ENROLLMENT_CHANGE = "trial_enrollment_change"
    TRIAL_PRIMARY_COMPLETION_CHANGE = "trial_primary_completion_change"
    TRIAL_PRIMARY_ENDPOINT_CHANGE = "trial_primary_endpoint_change"
    TRIAL_RESULTS_POSTED = "trial_results_posted"
    TRIAL_START = "trial_start"
    TRIAL_STATUS_CHANGE = "trial_status_change"
    TRIAL_STOP = "trial_stop"


DealType = Literal[
    "license",
    "option",
    "co_development",
    "acquisition",
    "asset_purchase",
    "newco",
    "return",
    "other",
]
"""Types of deals by contract.md; "other" where the source does not report the type."""
EventGroup = Literal["regulatory", "label", "trial", "pipeline", "deal", "patent", "filing"]


class EventTypeRow(TableRow):
    """What is known of a type.

    Attributes:
        type: The type.
        group: What it belongs to.
        subject: Whether it happens to a drug, so that several records may tell it, or to the
            record's own trial, label or program.
        once: "yes" where it happens to a record at most once.
        instead_of: The coarser type by which another source may tell the same event.
        title: As a reader is told.
    """

    type: EventType
    group: EventGroup
    subject: Literal["drug", "record"]
    once: Literal["", "yes"]
    instead_of: EventType | Literal[""]
    title: str


DayOf = Literal["object", "time_point", "as_of", "published_on", "state"]


class EventRuleRow(TableRow):
    """How a fact becomes an event.

    Attributes:
        predicate: Of the fact; "" where the record itself is the event. It may be one that no
            reader writes yet.
        source: Of the record; "" for any.
        rank: Place among the rules of one predicate and source.
        type: Of the event.
        day: Where its day stands: in the fact, the record, or the day of the state.
        when: What must hold, as "unit=efficacy;object=suppl*": a field of the fact, "record"
            (its number) or a predicate of the same state; alternatives are divided by bars.
        after: Field that says what is told; "" for none.
    """

    predicate: str
    source: str
    rank: int
    type: EventType
    day: DayOf
    when: str
    after: str


@cache
def event_types() -> Mapping[EventType, EventTypeRow]:
    """Return the types by their word."""
    return {row.type: row for row in load_rows("event_types", EventTypeRow)}


@cache
def finer_types() -> Mapping[EventType, frozenset[EventType]]:
    """Return the types that take the place of each coarser one."""
    finer: dict[EventType, frozenset[EventType]] = {}
    for row in event_types().values():
        if row.instead_of:
            finer[row.instead_of] = finer.get(row.instead_of, frozenset()) | {row.type}
    return finer


@cache
def event_rules() -> Sequence[EventRuleRow]:
    """Return the rules; those of one predicate and source in the order in which they are tried."""
    return load_rows("event_rules", EventRuleRow)


class EventChangeRow(TableRow):
    """What is compared between two states of one record.

    Attributes:
        predicate: Of the facts compared.
        source: Of the record.
        rank: Place among the rows of one predicate and source.
        type: Of the event.
        compared: As words, as a number, as a day (which a coarser one does not contradict) or as
            a list of words.
        becomes: What must be told now, alternatives divided by bars; "" for anything.
    """

    predicate: Predicate
    source: str
    rank: int
    type: EventType
    compared: Literal["word", "number", "day", "words"]
    becomes: str


@cache
def event_changes() -> Sequence[EventChangeRow]:
    """Return what is compared between states."""
    return load_rows("event_changes", EventChangeRow)
