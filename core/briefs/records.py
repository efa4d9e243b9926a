"""Records of the wire that answers on evidence share: memo, patients, recent events."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from core.briefs.columns import Column, list_all, source_column
from core.records.events import Precision
from core.records.evidence_sheets import FactTable, SourceTable
from core.records.model import Provider, TaskName
from core.records.sources import Source
from core.records.wire import Answer, RunEcho
from core.reports.document import Block
from core.reports.evidence_parts import under
from core.vocabulary.biomarkers import BiomarkerRole
from core.vocabulary.event_types import EventType

NOTHING = "None found."
SourceIds = Annotated[list[str], Field(description="Sources of this row.")]


class SummaryClaim(Answer):
    """A sentence of the summary with what it rests on."""

    text: str = Field(description="The sentence with its citations.")
    kind: Literal["fact", "computed", "rule", "assumption"]
    source_ids: SourceIds


class MemoSection(Answer):
    """A section of the memo."""

    title: str
    claims: list[SummaryClaim]


class ExcludedDrug(Answer):
    """A candidate that was not taken."""

    name: str
    reason: str


class Narrative(Answer):
    """Who chose the order of the text: rules alone."""

    mode: Literal["rules"] = "rules"


class ModelNarrative(Answer):
    """Which language model took part; every sentence is composed by rules all the same."""

    mode: Literal["language_model"] = "language_model"
    model: str = Field(description="Identifier of the model.")
    provider: Provider
    tasks: list[TaskName] = Field(
        description='"select": it chose the order of sentences; "read": it read words of the '
        'question that the rules left over; "web": it pointed at quotes on web pages; "ask": it '
        "chose the agents that were run."
    )
    lead: list[SummaryClaim] = Field(
        description="Sentences that it put first, with their caveats; `claims` has them, too."
    )
    calls: int = Field(ge=0, description="Requests to the model; 0 where a stored answer served.")
    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)


AnyNarrative = Annotated[Narrative | ModelNarrative, Field(discriminator="mode")]


class BriefData(RunEcho):
    """The answer of an agent on evidence; it adds its rows and their flat table."""

    as_of: str = Field(alias="asOf", description="Day of the answer.")
    summary: str = Field(description="A few sentences with numbered citations.")
    claims: list[SummaryClaim] = Field(description="The summary by sentence.")
    facts: FactTable = Field(description="The facts behind the rows, one line a fact.")
    source_table: SourceTable = Field(description="The records of `sources` as a flat table.")
    excluded: list[ExcludedDrug] = Field(description="Candidates not taken, with the reason.")
    sources: list[Source] = Field(description="What [n] refers to, by first citation.")
    narrative: AnyNarrative
    warnings: list[str] = Field(description="One sentence each: code, colon, what and why.")


Count = Annotated[int, Field(ge=0)]


class BiomarkerResult(Answer):
    """A biomarker by which trials choose patients."""

    name: str
    role: BiomarkerRole
    n_trials: Count
    drugs: list[str]
    source_ids: SourceIds


class EndpointResult(Answer):
    """An endpoint that trials measure."""

    endpoint: str = Field(description="Class of the endpoint, or its words where it has none.")
    endpoint_class: str = Field(description='Field of medicine; "" where it has no class.')
    role: Literal["primary", "secondary"]
    n_trials: Count
    timepoint: str | None = Field(description="Time frame most often written; null if none.")
    drugs: list[str]
    source_ids: SourceIds


class PatientSubset(Answer):
    """A group of patients that trials choose."""

    subset: str
    line: str | None
    definition: str
    n_trials: Count
    n_recruiting: Count
    drugs: list[str]
    source_ids: SourceIds


RECENT = "In the last year"
MOST_PRINTED = 30


def show_day(day: str, precision: str) -> str:
    """Return a day as a reader is told, with how well it is known."""
    return f"by {day}" if precision in {"between", "by"} else day


class RecentRow(Answer):
    """What happened to a drug."""

    date: str = Field(description="Day or month of the event.")
    date_precision: Precision
    drug_name: str = Field(description='Name of the drug; "" for a filing of the company.')
    company: str = Field(description='Owner of the drug, or who filed; "" if not reported.')
    event_type: EventType
    title: str = Field(description="What happened, in one line.")
    source_ids: SourceIds


RECENTS: tuple[Column[RecentRow], ...] = (
    Column("date", "Day", shown=lambda row: show_day(row.date, row.date_precision)),
    Column("drug_name", "Drug"),
    Column("company", "Company"),
    Column("title", "What happened"),
    source_column(),
)


def points_of(rows: Iterable[RecentRow]) -> list[dict[str, Any]]:
    """Return events of drugs as points of a timeline."""
    return [
        {"drug": row.drug_name, "day": row.date, "kind": "happened", "what": row.title}
        for row in rows
        if row.drug_name
    ]


def list_happened(rows: Sequence[RecentRow]) -> list[Block]:
    """Return events as a section of a report; nothing without any."""
    return under(RECENT, list_all(RECENTS, rows, RECENT, most=MOST_PRINTED))
