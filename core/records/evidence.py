"""Records, facts and mentions: what the evidence holds, where it was read and how sure it is.

A record is one thing that a source says (a trial, a label, a row of a register). A fact is one
statement read from it, with the place in the record. A mention is a name as the record spells
it, with the role it has there; names become entities only by the identity pack.
"""

from dataclasses import dataclass
from typing import Literal

SourceType = Literal[
    "trial_registration",
    "regulatory_label",
    "approval_package",
    "regulatory_guidance",
    "regulatory_notice",
    "paper",
    "preprint",
    "conference_abstract",
    "patent",
    "company_disclosure",
    "filing",
    "grant",
    "financing",
    "deal",
    "news",
    "database_record",
    "research_report",
]
Method = Literal["parsed", "model", "human"]
Basis = Literal["published", "guideline", "expert", "fitted"]
FactStatus = Literal["unverified", "verified"]
MentionKind = Literal["drug", "target", "disease", "company"]
PACKED_SECTIONS = ("patent_bibliography", "patent_structures")
"""Sections of a record that are packed data, not text: kept and carried, never searched."""
UNSEARCHED_SECTIONS = (
    *PACKED_SECTIONS,
    *("dosage_and_administration", "use_in_specific_populations", "pregnancy"),
    *("pediatric_use", "geriatric_use", "recent_major_changes"),
)
"""Sections that are read where a record is known; a search would find drugs by whom they are
not for."""
Role = Literal["", "investigational", "comparator", "background", "rescue", "unclear"]


@dataclass(frozen=True, slots=True)
class Span:
    """A passage of a record's own text.

    Attributes:
        section: Name of the section, such as "boxed_warning".
        text: The passage, cleaned: data, never markup.
        start: First character within the section as received.
        end: One past the last character.
    """

    section: str
    text: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Mention:
    """A name as a record writes it.

    Attributes:
        kind: What sort of thing is named.
        name: The name as written.
        role: Part that a drug has in a trial ("" where roles do not apply), or that of a
            company is told by `relation`.
        relation: "sponsor", "collaborator", "applicant", "condition", "indication", …
    """

    kind: MentionKind
    name: str
    role: Role = ""
    relation: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One thing that a source says, as of one state of that source.

    Attributes:
        source: Short name of the source, such as "ctgov".
        source_id: Its own identifier there.
        url: Where a reader finds it ("" where the source has no address for it).
        kind: The contract's `source_type`.
        title: Its title or our own short description.
        published_on: YYYY-MM-DD or YYYY-MM; "" where the source does not say.
        updated_on: Same form: when the source last changed it; "" where it does not say. The day
            of a copy is no such day.
        copied_on: Same form: the day at which the copy shows the source; "" where unknown.
        fetched_at: Day or instant at which it was taken from the source.
        licence: Terms of the data.
        quote_allowed: Whether its sentences may be printed.
        origin: Where this copy came from (a file or a live address).
        raw_ref: Place in that file, such as "trials.csv:17".
        detail: How much of the source's record this copy holds; of two copies of one date the
            one with more of it is the current one.
        spans: Its text.
        mentions: Names in it.
    """

    source: str
    source_id: str
    url: str
    kind: SourceType
    title: str
    published_on: str = ""
    updated_on: str = ""
    fetched_at: str = ""
    licence: str = ""
    quote_allowed: bool = False
    origin: str = ""
    raw_ref: str = ""
    detail: int = 0
    spans: tuple[Span, ...] = ()
    mentions: tuple[Mention, ...] = ()
    copied_on: str = ""

    @property
    def id(self) -> str:
        """Return the identifier that facts refer to."""
        return f"{self.source}:{self.source_id}"

    @property
    def told_on(self) -> str:
        """Return the day for which this state is told: of its last change, else of the copy."""
        return self.updated_on or self.copied_on


@dataclass(frozen=True, slots=True)
class Qualifiers:
    """Under which conditions a fact holds; "" where the source does not say.

    Attributes:
        region: FDA, EMA, PMDA, …
        indication: Disease as written.
        line: Line of treatment as written.
        population: Analysis set or patients.
        arm: Arm of the trial.
        time_point: Time frame as written.
        n: Participants analyzed.
        interval: Confidence interval or dispersion, with its level.
        biomarker: Biomarker of the population.
    """

    region: str = ""
    indication: str = ""
    line: str = ""
    population: str = ""
    arm: str = ""
    time_point: str = ""
    n: str = ""
    interval: str = ""
    biomarker: str = ""


NO_QUALIFIERS = Qualifiers()


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement read from one record.

    Attributes:
        record_id: The record that says it.
        subject: What it is about, as written (a drug's name, a trial's number).
        predicate: One of the words of the evidence notes, such as "trial_status".
        object: The word or name stated; "" where `value` states it.
        value: The number stated; None where `object` states it.
        unit: Unit of `value`.
        qualifiers: Under which conditions it holds.
        as_of: Date for which the source says it; "" where unknown.
        locator: Place in the record: JSON path, section or column.
        method: How it was read.
        basis: What it rests on.
        status: Whether somebody or a second source confirmed it.
        confidence: 0 to 100.
        supersedes: Fact that it replaces.
    """

    record_id: str
    subject: str
    predicate: str
    object: str = ""
    value: float | None = None
    unit: str = ""
    qualifiers: Qualifiers = NO_QUALIFIERS
    as_of: str = ""
    locator: str = ""
    method: Method = "parsed"
    basis: Basis = "published"
    status: FactStatus = "verified"
    confidence: int = 90
    supersedes: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one row or document of a file came to."""

    record: Record
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Damage:
    """A row that could not be read and was skipped.

    Attributes:
        file: Name of the file.
        line: Line in it, counted from 1.
        reason: What is wrong with it.
    """

    file: str
    line: int
    reason: str
