"""Records of the wire: deals, their criteria, signals and scores, and what was rejected."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from core.briefs.records import SourceIds, SummaryClaim
from core.records.sources import Source
from core.records.wire import Answer

SignalType = Literal[
    "stopped for business reasons",
    "dropped from a pipeline",
    "no licensee found",
    "newest trial of its owner",
    "trial of a company not found listed",
    "trial of an academic sponsor",
    "money raised by its owner",
    "grant to its owner",
    "technology offered",
    "paper published",
]
DealKind = Literal[
    "shelved asset",
    "licence",
    "company",
    "academic spin-out",
    "private company",
    "company without a known program",
    "STTR company",
    "technology offer",
    "university paper",
    "research report",
    "laboratory with a grant",
]
DealType = Literal[
    "private_company",
    "stealth_startup",
    "spinout",
    "licensing_asset",
    "university_paper",
    "research_report",
    "pre_company_signal",
]
TYPE_OF: Mapping[DealKind, DealType] = {
    "shelved asset": "licensing_asset",
    "licence": "licensing_asset",
    "company": "licensing_asset",
    "academic spin-out": "pre_company_signal",
    "private company": "private_company",
    "company without a known program": "stealth_startup",
    "STTR company": "spinout",
    "technology offer": "licensing_asset",
    "university paper": "university_paper",
    "research report": "research_report",
    "laboratory with a grant": "pre_company_signal",
}
"""The contract's word for each kind. No register here shows that the owner of a drug is private, so
its program is shown as an asset to license, with its listing next to it. A company that got a grant
or filed a raise and is not found listed is private; without a trial, label or deal it is in
stealth; an STTR award goes to a company together with a research institution.
"""
DEAL_WORDS: Mapping[DealKind, str] = {
    "shelved asset": "Shelved asset",
    "licence": "In-licensing",
    "company": "Small company",
    "academic spin-out": "Academic spin-out",
    "private company": "Private company",
    "company without a known program": "Company without a known program",
    "STTR company": "Company with an academic partner",
    "technology offer": "Technology to license",
    "university paper": "University paper",
    "research report": "Research report",
    "laboratory with a grant": "Laboratory with a grant",
}
"""What readers see of each kind."""


Points = Annotated[float, Field(ge=0, le=30)]
Score = Annotated[int, Field(ge=0, le=100)]
Next = Literal["company_asset_searcher", "competitive_landscaping", "compound_map"]


class DealSource(Source):
    """A source with who publishes it and when."""

    publisher: str = Field(description='Who publishes it; "" where not known.')
    date: str = Field(description='Year or year and month; "" where not known.')


class ScoreComponents(Answer):
    """The parts of a score, in points; they sum to it, rounded half up. Not known: 0."""

    thesis_fit: Points = Field(description="Of 30: share of the criteria that are met.")
    science: Points = Field(description="Of 20: authority of the sources and their number.")
    stage_fit: Points = Field(description="Of 15: whether it is at the requested stage.")
    availability: Points = Field(description="Of 15: shelved or without licensee 1, company 0.6.")
    recency: Points = Field(description="Of 10: halves in 30 days; 0 before the window.")
    room: Points = Field(description="Of 10: how few drugs of its target are known.")


class DealEntities(Answer):
    """What a deal is about; "" where not known."""

    company: str
    geography: str
    modality: str
    stage: str
    asset: str
    target: str
    indication: str
    owner_kind: str = Field(description="What is known of a listing.")


class MetCriterion(Answer):
    """A criterion of the thesis, and whether the deal meets it."""

    criterion: str
    hard: bool
    met: Literal["yes", "no", "unknown"]
    evidence: str


class DealSignal(Answer):
    """A dated event."""

    type: SignalType
    date: str | None
    text: str
    source_ids: SourceIds


class Comparable(Answer):
    """A reported deal with its amounts."""

    deal: str
    upfront_musd: float | None
    total_musd: float | None
    source_ids: SourceIds


class NextAction(Answer):
    """What to do next, with the agent that does it."""

    text: str
    agent_key: Next
    inputs: dict[str, str] = Field(description="A request that is valid for that agent.")


class MemoPart(Answer):
    """A part of a mini-memo, each sentence proved."""

    title: str
    claims: list[SummaryClaim]


class Deal(Answer):
    """A drug of an owner worth a call."""

    deal_uuid: str = Field(description="Stays the same for an entity and a type of deal.")
    title: str
    deal_type: DealType
    deal_kind: DealKind = Field(description="What is offered, in words.")
    deal_score: Score
    memo: str = Field(description="What, why now, stage, rights, competition, ask and risks.")
    entities: DealEntities
    suggested_next_action: NextAction
    source_ids: SourceIds
    score_components: ScoreComponents
    unknown_parts: list[str] = Field(description="Parts of the score without data.")
    criteria: list[MetCriterion]
    signals: list[DealSignal]
    first_seen_on: str | None = Field(description="Day of the oldest signal.")
    newest_signal_on: str | None = Field(description="Day of the newest signal.")
    in_window: bool = Field(description="Whether the newest signal fell into the window.")
    comparables: list[Comparable] = Field(description="Only reported deals; never estimated.")
    memo_parts: list[MemoPart]


class HardCriterion(Answer):
    """What a deal must meet."""

    field: str
    op: str
    value: str


class SoftCriterion(Answer):
    """What is preferred."""

    term: str
    weight: float


class ParsedThesis(Answer):
    """The thesis as it was understood."""

    hard: list[HardCriterion]
    soft: list[SoftCriterion]
    unparsed: str
    conflicts: list[str]


class RejectedEntity(Answer):
    """What came near and is no deal."""

    entity: str
    reason: str


class SearchWindow(Answer):
    """The days of the search, and how far the sources reach."""

    start_on: str
    end_on: str
    n_in_window: int
    newest_event_on: str | None
