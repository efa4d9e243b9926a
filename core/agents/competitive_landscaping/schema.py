"""Request and answer of competitive-landscaping, word for word as specified."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator

from core.agents.competitive_landscaping.columns import DrugTable, ProgramTable
from core.agents.competitive_landscaping.records import (
    Completeness,
    Concentration,
    DensityCell,
    DrugRow,
    ExcludedRow,
    IndicationResults,
    LeftOutCount,
    ModeRuns,
    ParsedQuery,
    PublicationRow,
    ReadoutRow,
    RelevanceCriteria,
    SourceLine,
    StandingCount,
    UsageReport,
    WhiteSpace,
)
from core.briefs.records import AnyNarrative, MemoSection, RecentRow
from core.briefs.web import WebFindingRow, is_empty
from core.records.evidence_sheets import FactTable, SourceTable
from core.records.sources import Source
from core.records.wire import NOT_BLANK, AgentData, Request, says_something

QueryType = Literal["preclinical", "clinical", "both"]
Left = Literal["stopped", "off_patent", "many_targets"]
Region = Literal["FDA", "EMA", "PMDA", "NMPA"]
Count = Annotated[int, Field(ge=0)]


def _switch(group: str, *, default: bool) -> bool:
    """Return a switch of a group of sources."""
    field: bool = Field(default=default, description=f"Whether to read {group}.")
    return field


class CompetitiveLandscapingRequest(Request):
    """Which drugs compete, and where to look for them."""

    watched: ClassVar[Mapping[str, str]] = {"query": "query", "indication": "indication"}

    query: str = Field(
        min_length=1,
        max_length=1000,
        description="What to look for, in plain words: target, mechanism, disease, kind of drug, "
        "line, stage; “not …” leaves out.",
        examples=["PD-1/VEGF bispecifics in NSCLC"],
        json_schema_extra={"pattern": NOT_BLANK},
    )
    query_type: QueryType = Field(
        default="preclinical",
        description="Focus of the ranking: preclinical lifts early assets, clinical lifts drugs "
        "with active trials, both runs the two and merges them.",
    )
    indication: str | None = Field(
        default=None,
        max_length=300,
        description="Only programs in this disease, or in a kind of it.",
        examples=["non-small cell lung cancer"],
    )
    candidate_asset_description: str | None = Field(
        default=None,
        max_length=4000,
        description="The asset under diligence, in plain words: the memo is written against it.",
        examples=["A PD-1/VEGF bispecific antibody entering phase 2 in first-line NSCLC"],
    )
    include_aact: bool = _switch("the registers of trials (ClinicalTrials.gov)", default=True)
    include_chinese: bool = _switch("Chinese registers (CDE) and company names", default=True)
    include_chictr: bool = _switch("imported ChiCTR and ICTRP records", default=False)
    include_neuralsearch: bool = _switch("a neural web search", default=True)
    include_opensearch: bool = _switch("an open web search", default=True)
    include_llm_web_search: bool = _switch("the language model's web search", default=True)
    include_conferences: bool = _switch("conference abstracts", default=True)
    include_patents: bool = _switch("patents", default=False)
    include_llm_reading: bool = Field(
        default=True,
        description="Whether a language model, where one is configured, may read words of the "
        "query and the indication that the rules leave over.",
    )
    without: list[Left] = Field(
        default=[],
        description="Drugs to leave out: those of which nothing is under way or sold, those "
        "whose every listed term of protection has ended"
        ", those with three targets or more.",
    )
    region: Region | None = Field(
        default=None, description="Only drugs approved or under review there."
    )
    use_cache: bool = Field(
        default=False, description="Whether a stored answer to the same request will do."
    )
    skip_drug_cache: bool = Field(
        default=False,
        description="Whether to ask live sources again that answered the same question today. "
        "What the evidence holds is always read again.",
    )

    @field_validator("query")
    @classmethod
    def _check_query(cls, value: str) -> str:
        if not says_something(value):
            raise ValueError("the query is blank; name a target, a drug or a disease")
        return value


class CompetitiveLandscapingData(AgentData):
    """Which drugs compete, how far they are, what they showed, and what it means."""

    run_id: str = Field(description="The run's UUID.")
    run_uuid: str = Field(description="The run's UUID.")
    query_id: int = Field(description="The caller's saved query (same agent and input).")
    query: str = Field(description="The query as asked.")
    query_type: QueryType = Field(description="The focus as asked.")
    drugs: list[DrugRow] = Field(description="One row a drug, by rank.")
    pipeline_summary: str = Field(description="Memo in Markdown with numbered citations.")
    memo: list[MemoSection] = Field(description="The memo by section and sentence.")
    indication_specific_results: IndicationResults
    relevance_criteria: RelevanceCriteria
    relevance_criterion: str = Field(description="The requested focus.")
    runs: ModeRuns
    input_tokens: Count = Field(description="Tokens read by a language model; 0 without one.")
    output_tokens: Count = Field(description="Tokens written by a language model.")
    total_tokens: Count
    usage: UsageReport
    parsed_query: ParsedQuery
    density: list[DensityCell] = Field(description="Drugs per target, phase band and indication.")
    concentration: Concentration
    completeness: Completeness
    white_space: list[WhiteSpace] = Field(
        description="Indications in which nothing of this kind is active at phase 2 or later."
    )
    events: list[ReadoutRow] = Field(
        description="Readouts that active trials may give in the twelve months ahead."
    )
    recent: list[RecentRow] = Field(description="What happened to the drugs within a year.")
    publications: list[PublicationRow] = Field(
        description="Papers and abstracts of meetings that live sources found, the newest first; "
        "what they show is not read, and coverage of meetings is partial."
    )
    as_of: str = Field(description="Day of the answer.")
    standings: list[StandingCount] = Field(description="Drugs by whether they are under way.")
    excluded: list[ExcludedRow] = Field(description="Candidates not taken, with the reason.")
    left_out: list[LeftOutCount] = Field(description="Every candidate not taken, by reason.")
    source_report: list[SourceLine] = Field(description="What became of each group of sources.")
    drug_table: DrugTable = Field(description="The records of `drugs` as a flat table.")
    program_table: ProgramTable = Field(description="One line a drug and indication.")
    source_table: SourceTable = Field(description="The records of `sources` as a flat table.")
    facts: FactTable = Field(description="The facts behind the rows, one line a fact.")
    sources: list[Source] = Field(description="What [n] refers to, by first citation.")
    web_findings: list[WebFindingRow] = Field(
        default=[],
        exclude_if=is_empty,
        description="What web pages state, each with its quote: not confirmed, behind all else; "
        "omitted where there is none.",
    )
    narrative: AnyNarrative
    warnings: list[str] = Field(description="One sentence each: code, colon, what and why.")
