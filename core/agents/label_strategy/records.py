"""Inner records of the answer."""

from typing import Literal

from pydantic import Field

from core.briefs.records import SourceIds
from core.records.sources import Source
from core.records.wire import Answer

Level = Literal["high", "medium", "low"]
Expected = Literal["likely", "possible", "unlikely", "unknown"]
Have = Literal["yes", "partial", "no", "unknown"]
Element = Literal["population", "line", "biomarker", "regimen", "endpoint", "age"]
ApprovalType = Literal["full", "accelerated", "conditional", "unknown"]
RestrictionKind = (
    Literal["line", "biomarker", "age", "regimen", "accelerated", "rems", "contraindication"]
    | Literal["boxed", "limitation", "diagnostic", "pediatric", "postmarketing", "dosage"]
)
Share = float | None


class LabelSource(Source):
    """A source and what it is cited for."""

    relevance: str = Field(
        default="evidence",
        description='What it is cited for; "background" where it is not.',
        examples=["precedent label"],
    )


class ExecutiveSummary(Answer):
    """Where the label will probably stand."""

    likely_regulatory_positioning: str
    expected_label_scope: str
    source_ids: SourceIds


class ProposedIndication(Answer):
    """The draft of the indication: strategic, not approved labeling."""

    language: str = Field(description="Draft sentence, composed by grammar.")
    confidence: Level
    confidence_score: int = Field(ge=0, le=100)
    source_ids: SourceIds
    confidence_parts: dict[str, int] = Field(description="The lowest one is the score.")
    slots: list["SlotRow"] = Field(description="Where each part of the sentence comes from.")
    terms: "DraftTerms" = Field(description="The fixed words of the sentence.")


class SlotRow(Answer):
    """A part of the draft sentence."""

    slot: str
    value: str
    worded: str = Field(default="", description="How the draft words it, with what is stated.")
    basis: Literal["request", "precedents", "trials", "rule", "none"]
    share: Share = Field(description="Of the precedents that report it; null where too few do.")
    n_precedents: int
    rationale: str
    source_ids: SourceIds
    options: list["SlotOption"] = Field(description="Other values that precedents have.")


class DraftTerms(Answer):
    """The fixed words of the draft sentence; with the slots they give the sentence."""

    agency: Literal["FDA", "EMA"] = Field(description="Whose wording is used.")
    drug: str
    drug_class: str = Field(description='Pharmacologic class; "" where not known.')
    disease: str = Field(description="As labels write it.")
    is_tumor: bool
    is_accelerated: bool = Field(description="Whether the design supports no more.")
    early_sentence: str = Field(description="What the agency adds to an early approval.")
    prefix: str = Field(description='What stands before the sentence; "" as a rule.')
    purpose: str = Field(default="", description="What the use is for, where it is no treatment.")
    patient_words: str = Field(default="", description='Such as "ambulatory".')
    disease_words: str = Field(default="", description="What stands before the disease.")
    population_words: str = Field(default="", description="Stage, genetics, history and age.")
    marker_words: str = Field(default="", description="Markers in the words of labels.")
    marker_biomarkers: list[str] = Field(
        default_factory=list, description="Biomarkers of the claim for which those words hold."
    )
    worded_biomarkers: list[str] = Field(
        default_factory=list, description="Biomarkers that other words of the sentence name."
    )
    prior_words: str = Field(default="", description="Earlier treatment in the words of labels.")
    prior_line: str = Field(default="", description="Line of the claim for which they hold.")
    given_words: str = Field(default="", description="Words on the patients as the request has.")
    partners: str = Field(default="", description="What the drug is given with, as requested.")
    reference: str = Field(
        default="", description="Sentence of a biosimilar, which takes over its reference's uses."
    )
    refusal: str = Field(default="", description="Why no claim can be drafted.")
    replaces_line: bool = Field(
        default=False, description="Whether the words before the disease name its line."
    )
    replaces_extent: bool = Field(
        default=False, description="Whether the words before the disease name its stage."
    )


class SlotOption(Answer):
    """Another value of a slot that precedents have, with the cards that would change."""

    value: str = Field(description='Its words; "" for no restriction.')
    basis: Literal["precedents", "trials"] = Field(description="What has it: labels or trials.")
    n_having: int = Field(description="Labels or trials that have it.")
    rationale: str
    rows: list["ClaimRow"] = Field(description="Cards of the claim that differ from the base.")
    source_ids: SourceIds


class LabelRestriction(Answer):
    """What will probably restrict the label."""

    restriction: str
    kind: RestrictionKind
    likelihood: Level
    share: Share
    n_labels: int
    rationale: str
    source_ids: SourceIds


class TermShare(Answer):
    """How many labels of a class name a hazard."""

    term: str
    share: Share = Field(description="null where fewer than three labels count.")
    n_labels: int = Field(description="Labels with enough text to tell.")
    n_with: int
    in_own_data: bool | None = Field(default=None, description="Whether the request states it.")
    source_ids: SourceIds


class BoxedWarning(Answer):
    """Whether a boxed warning is to be expected, and of what."""

    expected: Expected
    share: Share
    n_labels: int
    n_with: int
    n_unknown: int = Field(description="Drugs without a whole label.")
    class_name: str
    rationale: str
    terms: list[TermShare]
    source_ids: SourceIds


class Contraindication(Answer):
    """What a label of the class excludes."""

    text: str
    source_ids: SourceIds


class RemsExpectation(Answer):
    """Whether a risk evaluation and mitigation strategy is to be expected."""

    expected: Expected
    share: Share
    n_labels: int
    rationale: str
    source_ids: SourceIds


class PopulationStatement(Answer):
    """What is to be said of a specific population."""

    population: str
    statement: str
    source_ids: SourceIds


class ClassRule(Answer):
    """A class warning that is known beside what labels at hand show."""

    class_name: str
    term: str
    since: str
    basis: str
    note: str
    n_with: int = Field(description="Whole labels of the class that say so.")
    n_labels: int = Field(description="Whole labels of the class.")
    source_ids: SourceIds


class SafetyExpectations(Answer):
    """What the label will probably warn of."""

    boxed_warning: BoxedWarning
    warnings_and_precautions: list[TermShare]
    contraindications: list[Contraindication]
    rems: RemsExpectation
    specific_populations: list[PopulationStatement]
    class_rules: list[ClassRule]


class FrequencyRow(Answer):
    """A share with the labels that it follows from."""

    class_name: str
    measure: str
    term: str
    n_with: int
    n_labels: int
    n_unknown: int
    share: Share
    labels_with: list[str]
    labels_without: list[str]
    source_ids: SourceIds


class LabelDifference(Answer):
    """In what a use differs from the draft."""

    section: str
    kind: Literal["same", "narrower", "broader", "absent"]
    text: str
    source_ids: SourceIds


class ComparedUse(Answer):
    """A use of a label beside the draft."""

    asset: str
    application_number: str | None
    version_on: str | None
    geography: str
    indication_summary: str
    line: str | None
    population: str
    biomarker: str | None
    endpoint_class: str | None
    effect: str | None
    approval_type: ApprovalType
    boxed_terms: list[str]
    differences: list[LabelDifference]
    source_ids: SourceIds
    age: str | None
    regimen: str | None
    stage_of_disease: str | None
    limitation_of_use: str | None
    is_of_a_use: bool = Field(
        description="Whether the slots are of this use; false where only the label as a whole "
        "is known, so that they are empty."
    )
    is_named_competitor: bool
    match_score: int


class ClaimRow(Answer):
    """A part of the claim against the evidence at hand."""

    claim_element: Element
    proposed: str
    required_evidence: str
    have: Have
    gap: str
    how_to_close: str
    precedent_figure: str | None
    own_figure: str | None
    source_ids: SourceIds


class RegionalWording(Answer):
    """The same claim as two agencies word it."""

    FDA: str
    EMA: str | None


class LabelScenario(Answer):
    """A narrow, base or broad claim."""

    name: Literal["narrow", "base", "broad"]
    language: str
    requires: list[str]
    claim_feasibility_score: int
    label_breadth_score: int
    wording: RegionalWording
    note: str = Field(default="", description="Why it does not differ from the base claim.")
    source_ids: SourceIds


class RegulatoryRisk(Answer):
    """What may stand against the claim."""

    risk: str
    severity: Level
    mitigation: str
    source_ids: SourceIds


class RiskScores(Answer):
    """Four scores with their parts; weights and rules are our own."""

    claim_feasibility_score: int
    regulatory_risk_score: int
    label_breadth_score: int
    safety_burden_score: int
    source_ids: SourceIds
    components: dict[str, dict[str, float]]
    gaps: list[str] = Field(description="What is missing, the gravest first.")


class NextStep(Answer):
    """What to do next."""

    step: str
    why: str
    timing: str
    priority: Level
    source_ids: SourceIds


class PrecedentRow(Answer):
    """A use of a label as a precedent."""

    asset: str
    application_number: str | None
    approved_on: str | None = Field(description="First approval of the product, not of the use.")
    indication: str
    line: str | None
    biomarker: str | None
    endpoint_class: str | None
    design_type: str | None
    approval_type: ApprovalType
    match_score: int
    trials: list[str]
    source_ids: SourceIds


class HistoryRow(Answer):
    """A change that a label of the class lists, or a letter that refused a drug of it."""

    date: str
    asset: str
    event: str
    detail: str
    relation: Literal["class", "disease"] = Field(
        description="Whether the label is of the class, or another one of the disease."
    )
    source_ids: SourceIds
