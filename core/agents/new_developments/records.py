"""Records of the wire: catalysts, themes, briefs, what lies ahead, how far the sources reach."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from core.briefs.records import SourceIds, SummaryClaim
from core.knowledge.event_materiality import CatalystType
from core.records.events import Precision
from core.records.sources import AnswerStatus
from core.records.stages import Stage
from core.records.wire import Answer
from core.vocabulary.event_types import DealType, EventType

Count = Annotated[int, Field(ge=0)]
Points = Annotated[float, Field(ge=0, le=30)]
TITLE = "What happened, to what, where."


class ScoreComponents(Answer):
    """The parts of a signal score, in points; they sum to it, rounded half up, at most 100."""

    materiality: Points = Field(description="Of at most 30: how much such an event weighs.")
    recency: Points = Field(description="Of at most 20: how fresh it is.")
    novelty: Points = Field(description="Of at most 20: whether a similar event came before.")
    authority: Points = Field(description="Of at most 15: who reports it.")
    filter_match: Points = Field(description="Of at most 15: how well it meets the filters.")
    further_sources: Points = Field(description="5 a further independent source, at most 10.")


class DatedEvent(Answer):
    """An event ahead, or before the window: it has no score."""

    id: str
    title: str = Field(description=TITLE)
    date: str = Field(description="YYYY-MM-DD, YYYY-MM or YYYY.")
    date_precision: Precision = Field(
        description='"between": after the state before; "by": known by that day.'
    )
    catalyst_type: CatalystType
    event_type: EventType
    drug: str | None
    company: str | None
    ticker: str | None
    indication: str | None
    stage: Stage | None
    source_ids: SourceIds


class DealTerms(Answer):
    """A deal as its source reports it; what is not reported is null."""

    type: DealType = Field(description='"other" where the type is not reported.')
    licensor: str | None
    licensee: str | None
    acquirer: str | None
    partner: str | None = Field(description="Other party where the type is not reported.")
    asset: str | None
    territory: str | None
    announced_on: str = Field(description="YYYY-MM-DD, YYYY-MM or YYYY.")
    announced_precision: Precision
    upfront_musd: float | None = Field(description="Million US dollars at signing.")
    total_musd: float | None = Field(description="Million US dollars with all milestones.")
    royalty: str | None
    source_ids: SourceIds


class Catalyst(DatedEvent):
    """An event of the window."""

    signal_score: Annotated[int, Field(ge=0, le=100)]
    investors: list[str] = Field(description="Empty: no source lists investors.")
    modality: str | None
    target: str | None
    score_components: ScoreComponents
    theme_key: str
    n_sources: Count = Field(description="Independent sources: who reports it, reprints once.")
    brand: str | None = Field(description="Name under which the product is sold.")
    sponsor: str | None = Field(description="Who runs the trial, as written.")
    owner: str | None = Field(description="Whose the drug was on that day, by the pack.")
    region: str | None = Field(description="Whose decision it is.")
    since: str | None = Field(description="Day of the state before, where only that is known.")
    before: str | None = Field(description="What was reported before.")
    after: str | None = Field(description="What is reported now.")
    is_through_uses: bool = Field(
        description="Whether the disease is a use of the drug, as the record names none."
    )
    told_by: list[str] = Field(description="Who reports it.")
    drug_key: str | None = Field(description='"UNII:…" where a register has it.')
    deal: DealTerms | None = Field(default=None, description="Terms, where it is a deal.")
    unconfirmed: list[str] = Field(
        description="Cells that are curator-entered: expert, not verified."
    )


class Momentum(Answer):
    """How many events of a theme there are against the window before."""

    current: Count
    previous: Count
    change: int


class Theme(Answer):
    """Events of one target or mechanism, disease and type."""

    theme_key: str = Field(description="Target or mechanism, disease and type, joined by bars.")
    label: str
    catalyst_count: Count
    momentum: Momentum
    mean_score: float
    top_catalyst_ids: list[str]
    source_ids: SourceIds


class ThemeBrief(Answer):
    """A theme in a few sentences, each proved."""

    theme_key: str
    title: str
    text: str
    claims: list[SummaryClaim]
    catalyst_ids: list[str]
    source_ids: SourceIds


class SourceReach(Answer):
    """Up to when a source reaches."""

    source: str
    newest_event_on: str | None = Field(description="Newest day of an event; null without any.")
    newest_record_on: str | None = Field(description="Newest day of a record.")
    n_records: Count


class ResolvedFilters(Answer):
    """What the filters were understood as."""

    targets: list[str]
    indications: list[str]
    companies: list[str]
    modalities: list[str]
    drugs: list[str]
    stages: list[Stage]
    types: list[EventType]


class EchoedFilters(Answer):
    """The filters as asked, as understood, and what each of them removed."""

    query: str | None
    indication: str | None
    modality: str | None
    target: str | None
    stage_focus: str
    lookback_days: int
    include_live_discovery: bool
    window_start_on: str
    window_end_on: str
    n_events: Count = Field(description="Events of the window before any filter.")
    resolved: ResolvedFilters
    dropped: dict[str, int] = Field(description="Events of the window that each filter removed.")

    @property
    def period(self) -> str:
        """Return the window in words."""
        first, last = map(date.fromisoformat, (self.window_start_on, self.window_end_on))
        if (last - first).days == self.lookback_days:
            return f"the last {self.lookback_days} days"
        return f"{self.window_start_on} to {self.window_end_on}"


class LiveDiscovery(Answer):
    """The search of live sources."""

    status: AnswerStatus | Literal["skipped"]
    message: str
