"""Request and answer of company-asset-searcher, word for word as specified."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator

from core.agents.company_asset_searcher.columns import AssetTable, ProgramTable
from core.agents.company_asset_searcher.records import (
    AliasRow,
    DrugRecord,
    DrugStore,
    SearchUsage,
    WebSearch,
)
from core.briefs.records import AnyNarrative, ExcludedDrug, RecentRow, SummaryClaim
from core.briefs.web import WebFindingRow, is_empty
from core.records.evidence_sheets import FactTable, SourceTable
from core.records.sources import Source
from core.records.wire import NOT_BLANK, WHOLE, AgentData, Request, says_something

Alias = Annotated[str, Field(min_length=1, max_length=200)]


class CompanyAssetSearcherRequest(Request):
    """Whose drugs to list."""

    watched: ClassVar[Mapping[str, str]] = {"company": "company"}

    company: str = Field(
        min_length=1,
        max_length=200,
        description="Name, former name or ticker of the company.",
        examples=["BioMarin", "BMRN"],
        json_schema_extra={"pattern": NOT_BLANK},
    )
    company_aliases: list[Alias] | None = Field(
        default=None,
        max_length=50,
        description="Known aliases or legal names; they are searched first.",
        examples=[["BioMarin Pharmaceutical Inc."]],
    )
    max_searches: Annotated[
        int, Field(ge=1, le=25, description="Most web searches of a language model."), WHOLE
    ] = 12
    model: Literal["sonnet", "opus", "haiku"] = Field(
        default="sonnet", description="Family of the language model, where one is configured."
    )
    drugdb_limit: Annotated[
        int, Field(ge=1, le=150, description="Most drugs of the store in the answer."), WHOLE
    ] = 60
    include_old: bool = Field(
        default=False,
        description="Whether old products without a known term, programs without activity and "
        "those given up are listed, too. Where a company has nothing else, they are listed anyway.",
    )

    @field_validator("company")
    @classmethod
    def _check_company(cls, value: str) -> str:
        if not says_something(value):
            raise ValueError("the company is blank; write its name or ticker")
        return value


class CompanyAssetSearcherData(AgentData):
    """The drugs of a company, how it came by them, and what comes next."""

    as_of: str = Field(alias="asOf", description="Day of the answer.")
    company: str = Field(description="Resolved company name.")
    ticker: str | None
    summary: str = Field(description="A few sentences with numbered citations.")
    claims: list[SummaryClaim] = Field(description="The summary by sentence.")
    generated_at: str = Field(description="Instant of the answer.")
    model: str = Field(description='Model used, or "rules".')
    drugs: list[DrugRecord] = Field(
        description="Those with an own trial under way, a place in a pipeline or a term of "
        "protection first, discontinued ones last; then by stage and weight of the next event."
    )
    drug_table: AssetTable = Field(description="The records of `drugs` as a flat table.")
    program_table: ProgramTable = Field(description="Their programs as a flat table.")
    source_table: SourceTable = Field(description="The records of `sources` as a flat table.")
    facts: FactTable = Field(description="The facts behind the rows, one line a fact.")
    drugdb: DrugStore
    web_search: WebSearch
    usage: SearchUsage
    alias_trail: list[AliasRow] = Field(description="Names that count under the company.")
    recent: list[RecentRow] = Field(
        description="What happened to the drugs within a year; filings about agreements last."
    )
    excluded: list[ExcludedDrug] = Field(description="Candidates not taken, with the reason.")
    query_id: int = Field(description="The caller's saved query (same agent and input).")
    run_uuid: str = Field(description="The run's UUID.")
    sources: list[Source] = Field(description="What [n] refers to, by first citation.")
    web_findings: list[WebFindingRow] = Field(
        default=[],
        exclude_if=is_empty,
        description="What web pages state, each with its quote: not confirmed, behind all else; "
        "omitted where there is none.",
    )
    narrative: AnyNarrative
    warnings: list[str] = Field(description="One sentence each: code, colon, what and why.")
