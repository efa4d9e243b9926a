"""Records inside the answer: drugs, density, concentration, white space, sources read."""

from typing import Annotated, Literal

from pydantic import Field

from core.agents.competitive_landscaping.standing import Standing
from core.briefs.figures import ComparedFigure
from core.briefs.records import BiomarkerResult, EndpointResult, PatientSubset, SourceIds
from core.records.evidence import SourceType
from core.records.programs import UseMatch
from core.records.sources import AnswerStatus, Source
from core.records.stages import Stage
from core.records.wire import Answer
from core.vocabulary.stages import PhaseBand

Count = Annotated[int, Field(ge=0)]


class ScoreComponents(Answer):
    """The parts of a rank, each from 0 to 1; their weights are in the table of weights."""

    mechanism: float
    phase: float
    evidence: float
    recency: float
    active_trials: float = Field(description="1 where clinical focus lifts a drug under test.")


class DrugRow(Answer):
    """One drug that competes."""

    drug_name: str
    target: str = Field(description='What it acts on; "" if not reported.')
    modality: str = Field(description='Kind of drug; "" where it is not known.')
    stage: Stage = Field(description="Highest stage within what was asked.")
    label_use: str = Field(
        description="Approved use as label, register or starter pack list it; the pack "
        'may list it more broadly than the label words it. "" where not approved.'
    )
    match: UseMatch = Field(
        description="How that use relates to the requested disease: the same, a wider or a "
        'narrower one; "" where no disease was requested or the drug is not approved for it.'
    )
    company: str = Field(description='Owner; "" if not reported.')
    indication: str = Field(description="Its programs within what was asked, furthest first.")
    efficacy: str = Field(description='Figures with n, line and source; "" where there are none.')
    toxicity: str = Field(description='Figures and boxed warning; "" where there are none.')
    compared: list[ComparedFigure] = Field(
        description="Figures of efficacy that may put drugs in order, one a way of comparing."
    )
    drug_key: str | None = Field(description='"UNII:…" where a register has it.')
    aliases: list[str]
    mechanism: str = Field(description="How it acts, in the words of its records.")
    partners: list[str]
    regions: dict[str, Stage] = Field(description="Highest stage stated per region.")
    trial_ids: list[str]
    n_active_trials: Count = Field(description="Trials under way that count as its own.")
    n_other_trials: Count = Field(
        description="Trials of investigators and others; they never raise a stage."
    )
    highest_stage: Stage = Field(description="Highest stage in any indication.")
    is_expert_only: bool = Field(
        description="Whether its target is curator-entered and not verified."
    )
    unconfirmed: list[str] = Field(
        description="Cells that are curator-entered: expert, not verified."
    )
    standing: Standing = Field(
        description="Whether it is under way within what was asked. An early asset, read from a "
        "title or abstract, counts apart from the drugs."
    )
    not_known: list[str] = Field(
        description="Conditions of the query, such as a route, that no record of it states."
    )
    brand: str = Field(description='Names of its own products; "" where no register has one.')
    line: str = Field(description="Line of treatment of its furthest trial or first figure.")
    biomarker: str = Field(description="Biomarker of the patients, from the same.")
    trial: str = Field(description="Number of its furthest own trial.")
    enrolled: int | None = Field(description="Participants of that trial.")
    approved_in: str = Field(description="Regions of approval with the first days.")
    next_readout: str = Field(description="Next primary completion of an own trial, its number.")
    ended: str = Field(description="What ended it, when and why, where nothing is under way.")
    licensor: str = Field(description="Who gave a license that another company has.")
    licensee: str = Field(description="Who has a license, where and since when.")
    protected_until: str = Field(description="Latest listed loss of exclusivity.")
    is_off_patent: bool = Field(description="Whether every listed term has ended.")
    modes: list[Literal["clinical", "preclinical"]] = Field(description="Runs that list it.")
    rank_score: Annotated[int, Field(ge=0, le=100)]
    score_components: ScoreComponents
    as_of: str = Field(description="Date of what carries the stage.")
    source_ids: SourceIds


class ProgramLine(Answer):
    """One drug in one indication."""

    drug_name: str
    company: str
    target: str
    indication: str
    stage: Stage
    state: str = Field(description='"live", or since when nothing happened and what ended it.')
    reason: str = Field(description='Why it was stopped; "" if not reported.')
    approved_in: str = Field(description="Regions of approval in this use with the first days.")
    trial_ids: list[str]
    as_of: str
    source_ids: SourceIds


class IndicationResults(Answer):
    """What the trials in the indication measure, and in whom."""

    indication: str
    biomarkers: list[BiomarkerResult]
    clinical_endpoints: list[EndpointResult]
    patient_subsets: list[PatientSubset]
    sources: list[Source]
    warnings: list[str]


class RelevanceCriteria(Answer):
    """What makes a drug relevant, per mode."""

    clinical: str
    preclinical: str


class ModeRun(Answer):
    """One mode; zeros where it was not run or no language model took part."""

    drug_count: Count = Field(description="Rows of `drugs`, early assets among them.")
    input_tokens: Count = 0
    output_tokens: Count = 0
    total_tokens: Count = 0
    run_id: str = Field(description='The run; "" where the mode was not run.')


class ModeRuns(Answer):
    """Both modes."""

    clinical: ModeRun
    preclinical: ModeRun


class TokenCounts(Answer):
    """Tokens of a language model."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    total_tokens: Count = 0


class ModeUsage(Answer):
    """Tokens per mode."""

    clinical: TokenCounts = TokenCounts()
    preclinical: TokenCounts = TokenCounts()


def _is_none(value: object) -> bool:
    return value is None


class ProviderUsage(TokenCounts):
    """What one provider of language models was asked."""

    calls: Count


class UsageReport(Answer):
    """What the run used; a language model's provider is named only where one was asked."""

    anthropic: ProviderUsage | None = Field(default=None, exclude_if=_is_none)
    local: ProviderUsage | None = Field(default=None, exclude_if=_is_none)
    by_mode: ModeUsage = ModeUsage()
    pipeline: str = "competitive-landscaping"
    schema_version: int = 1
    web_search_requests: Count = 0


class WordChange(Answer):
    """A word that was read as another one, or that another one may be meant by."""

    said: str
    meant: str
    why: Literal["translated", "mended", "ambiguous", "offered", "model"]


class WordRead(Answer):
    """Words of the query and what they were understood as."""

    said: str
    became: str = Field(description='"target", "disease", "plain", "left over", …')
    meant: str = Field(description='What they mean; "" for plain speech.')


class ParsedQuery(Answer):
    """How the query was understood."""

    targets: list[str]
    mechanisms: list[str]
    indications: list[str]
    modalities: list[str]
    lines: list[str]
    stages: list[Stage]
    unparsed: str = Field(description="Words that were not understood.")
    drugs: list[str]
    biomarkers: list[str]
    not_modalities: list[str]
    not_drugs: list[str]
    nearest: list[str] = Field(description="Known names near to words not understood.")
    adjacent_targets: list[str] = Field(description="The other end of a target's axis.")
    families: list[str] = Field(description="Families among the targets, with their members.")
    routes: list[str]
    populations: list[str] = Field(description="Patients by age, earlier treatment or extent.")
    regions: list[str] = Field(description="Regions of owners.")
    companies: list[str]
    intents: list[str] = Field(description='What is asked about the drugs: "competitors", …')
    unknown_indications: list[str] = Field(description="Diseases not known here.")
    not_targets: list[str]
    not_indications: list[str]
    not_stages: list[Stage]
    not_routes: list[str]
    not_companies: list[str]
    not_regions: list[str]
    changes: list[WordChange] = Field(description="Words translated, corrected or ambiguous.")
    words: list[WordRead] = Field(description="What became of each word, in order.")


class DensityCell(Answer):
    """How many drugs stand at one place."""

    target: str
    phase_band: PhaseBand
    indication: str
    count: Annotated[int, Field(ge=1)]
    drugs: list[str]
    source_ids: SourceIds


class SponsorShare(Answer):
    """A company's part of the field."""

    company: str
    n: Count
    source_ids: SourceIds


class Concentration(Answer):
    """How few companies hold the field."""

    hhi: float | None = Field(
        description="Sum of squared shares of drugs, 0 to 1; null where no company is known."
    )
    n_companies: Count
    top_sponsors: list[SponsorShare]


class Completeness(Answer):
    """How many drugs are expected, from two lists and what they have in common (Chapman)."""

    n_found: Count = Field(description="Drugs in the answer.")
    n_registered: Count = Field(description="Drugs that a registered trial tests in scope.")
    n_listed: Count = Field(description="Drugs to which the other list gives a stage in scope.")
    listed_in: str = Field(description="What the other list is, in words.")
    n_both: Count = Field(description="Drugs on both lists.")
    n_neither: Count
    n_expected: int | None = Field(
        description="Drugs expected on either list; null where no estimate can be made."
    )
    n_expected_low: int | None = Field(description="Lower end of the 95 % interval.")
    n_expected_high: int | None = Field(description="Upper end of the 95 % interval.")
    reason: str = Field(description='Why there is no estimate; "" where there is one.')
    limits: str = Field(description='What the estimate cannot know; "" without one.')


class WhiteSpace(Answer):
    """An indication that is open."""

    indication: str
    reason: str
    source_ids: SourceIds


class ReadoutRow(Answer):
    """A readout that an active trial may give."""

    drug_name: str
    company: str
    trial_id: str
    phase: str
    expected_on: str = Field(description="Primary completion as registered.")
    endpoint: str
    indication: str
    source_ids: SourceIds


class ExcludedRow(Answer):
    """A candidate that was not taken."""

    drug_name: str
    reason: str
    source_ids: SourceIds


class StandingCount(Answer):
    """How many drugs are under way, off patent, of no activity or over; how many early assets."""

    standing: Standing
    n: Count


class LeftOutCount(Answer):
    """How many candidates were not taken for one reason; `excluded` names them."""

    reason: str
    n: Annotated[int, Field(ge=1)]


class PublicationRow(Answer):
    """A paper, preprint or abstract of a meeting that a live source found by its words."""

    title: str
    kind: SourceType
    published_on: str = Field(description='Day, month or year; "" if not reported.')
    url: str = Field(description="Address; for works of Crossref the DOI.")
    source_ids: SourceIds


class SourceLine(Answer):
    """What became of a group of sources."""

    source: str
    flag: str = Field(description='Request field that switches it; "" if always on.')
    status: AnswerStatus
    origin: Literal["live", "local", ""]
    as_of: str
    n_hits: Count
    n_counted: Count | None = Field(
        default=None, description="Hits that the live source counts; null if it was not asked."
    )
    sent: str = Field(default="", description="The words that were sent to the live source.")
    message: str = Field(default="", description="Why an answer is missing or partial.")
    source_ids: SourceIds
