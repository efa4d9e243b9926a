"""Records of the wire that answers on evidence share."""

from typing import Annotated, Literal

from pydantic import Field

from core.records.evidence_sheets import FactTable, SourceTable
from core.records.sources import Source
from core.records.wire import Answer, RunEcho

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
    """What wrote the text."""

    mode: Literal["rules"] = "rules"


class BriefData(RunEcho):
    """The answer of an agent on evidence; it adds its rows and their flat table."""

    as_of: str = Field(alias="asOf", description="Day of the answer.")
    summary: str = Field(description="A few sentences with numbered citations.")
    claims: list[SummaryClaim] = Field(description="The summary by sentence.")
    facts: FactTable = Field(description="The facts behind the rows, one line a fact.")
    source_table: SourceTable = Field(description="The records of `sources` as a flat table.")
    excluded: list[ExcludedDrug] = Field(description="Candidates not taken, with the reason.")
    sources: list[Source] = Field(description="What [n] refers to, by first citation.")
    narrative: Narrative
    warnings: list[str] = Field(description="One sentence each: code, colon, what and why.")
