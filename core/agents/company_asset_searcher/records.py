"""Records inside the answer: drugs with their programs, next event and exclusivity."""

from typing import Annotated, Literal

from pydantic import Field

from core.briefs.records import SourceIds
from core.records.catalysts import Category, DateConfidence, Origin, Weight, WeightParts
from core.records.stages import Stage
from core.records.wire import Answer
from core.vocabulary.stages import Phase

Count = Annotated[int, Field(ge=0)]
Score = Annotated[int, Field(ge=0, le=100)]


class NextCatalyst(Answer):
    """The next event that may move the drug's value."""

    category: Category
    date: str = Field(description='Month or day, or "TBD".', examples=["2027-04"])
    date_confidence: DateConfidence
    event: str
    rationale: str = Field(description="Why then, with the arithmetic.")
    source: str | None = Field(description="Address of its first source.")
    weight: Weight
    weight_score: Score
    weight_parts: WeightParts | None = Field(description="Factors; null where there is no event.")
    is_past_due: bool = Field(description="Whether the date passed without a reported result.")
    source_ids: SourceIds


class ProgramRow(Answer):
    """One drug in one indication and region."""

    indication: str
    region: str = Field(description='"" where the stage is of no region.')
    phase: Stage
    trial_ids: list[str] = Field(description="Own trials in the indication, newest first.")
    as_of: str
    is_discontinued: bool
    reason: str = Field(description="Why it was stopped, as written.")
    first_on: str = Field(description='First approval in the use and region; "" if not known.')
    state: str = Field(
        description='"live", or in words what ended it, or since when nothing came.',
        examples=["no activity since 2021-04"],
    )
    source_ids: SourceIds


class RegionRow(Answer):
    """How far the drug has come in one region, in whatever use."""

    region: str = Field(examples=["FDA", "EMA", "PMDA", "NMPA"])
    stage: Stage
    first_on: str = Field(description='First approval there; "" where no source gives the day.')
    is_over: bool = Field(description="Whether it no longer holds.")
    is_expert: bool = Field(description="Whether it is curator-entered and not yet verified.")
    source_ids: SourceIds


class Exclusivity(Answer):
    """Until when an approved product is protected, as far as the registers held tell."""

    last_patent_on: str | None = Field(description="Last expiry of a patent listed.")
    last_exclusivity_on: str | None = Field(description="Last day of an exclusivity listed.")
    biologic_until: str | None = Field(description="First licensure plus twelve years.")
    law_until: str | None = Field(
        description="Last day of a term that the law gives from a first approval."
    )
    law_term: str | None = Field(
        description="Which term.",
        examples=["ten years of market protection in Europe, from 2019-05-02"],
    )
    note: str
    source_ids: SourceIds


class CompanyPart(Answer):
    """Another company's part in a drug."""

    company: str
    role: str
    territory: str
    from_on: str = Field(description='Day or year of the deal or takeover; "" if not known.')
    is_expert: bool = Field(description="Whether it is curator-entered and not yet verified.")
    source_ids: SourceIds


class DrugRecord(Answer):
    """A drug of the company."""

    name: str
    aliases: list[str]
    code: str | None = Field(description="First developer's code among its names.")
    indication: str | None = Field(description="Its indications, furthest first.")
    modality: str | None
    target: str | None
    partner: str | None = Field(description="Other companies with a part in it.")
    note: str | None = Field(description="What the columns cannot say: exact stage, reasons.")
    source: str | None = Field(description="Address of its first source.")
    origin: Origin | None = Field(description="How the company came by it; null if not known.")
    origin_rule: str = Field(description="Why that origin.")
    phase: Phase
    next_catalyst: NextCatalyst
    drug_key: str | None = Field(description='"UNII:…" where a register has it.')
    programs: list[ProgramRow]
    parts: list[CompanyPart] = Field(description="Companies with their role and territory.")
    owner: str | None = Field(description="Whose it is today.")
    originator: str | None = Field(description="Who made it first, as it was called then.")
    approvals: list[RegionRow] = Field(description="Its stage by region, with first approvals.")
    state: str = Field(description='"live", or in words why nothing is under way.')
    exclusivity: Exclusivity | None = Field(description="Only for approved products.")
    is_expert_only: bool = Field(
        description="Whether its target is curator-entered and not verified."
    )
    unconfirmed: list[str] = Field(
        description="Cells that are curator-entered: expert, not verified."
    )
    source_ids: SourceIds


class AliasRow(Answer):
    """A name that counts under the company."""

    name: str
    relation: str
    since: str = Field(description="Year since when, where known.")
    basis: str = Field(description="Basis of the row.")


class DrugStore(Answer):
    """The store of drugs, asked before the web."""

    company_aliases_checked: list[str]
    count: Count = Field(description="Drugs found there, before the limit.")
    first: bool = Field(description="Whether it was asked before the web.")
    message: str
    status: Literal["ok", "partial", "empty", "unavailable"]


class WebSearch(Answer):
    """The web search of a language model."""

    message: str
    status: Literal["used", "not_configured", "skipped", "failed"]


class SearchUsage(Answer):
    """What the run used."""

    web_search_requests: Count = 0
    input_tokens: Count = 0
    output_tokens: Count = 0
    total_tokens: Count = 0
