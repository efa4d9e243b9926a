"""The report of a run: draft, gaps, claim matrix, scenarios, uses, warnings, shares, history."""

from collections.abc import Sequence

from core.agents.label_strategy.columns import FREQUENCIES, FREQUENCY_VIEW, USE_VIEW, USES
from core.agents.label_strategy.records import ClassRule, TermShare
from core.agents.label_strategy.schema import LabelStrategyData
from core.briefs.columns import list_grid
from core.briefs.report import compose_report, list_doubts, list_lines, make_front
from core.reports.document import (
    About,
    Block,
    Bullets,
    Document,
    Grid,
    Heading,
    Paragraph,
    TableReader,
)
from core.reports.evidence_parts import marks, under

DRAFT, MATRIX, SCENARIOS = "Draft indication", "Claim against evidence", "Scenarios"
COMPARED, WARNS, SHARES = (
    "Uses side by side",
    "What the label will warn of",
    "Shares and their labels",
)
RESTRICTIONS, RISKS, STEPS = "Restrictions and duties", "Regulatory risks", "Next steps"
SCORES, HISTORY = "Scores and gaps", "History of the class"
NOT_APPROVED = "Strategic language composed by rules; it is not approved labeling."
LEGEND = (
    "Against the draft: = same, \u25bc narrower than the draft, \u25b2 broader than the draft, "
    "\u2013 not reported. Slots are those of the use itself; empty where its text is not available."
)
PART_NAMES = {
    "endpoint": "endpoint accepted (0 to 1)",
    "design": "own design (0 to 1)",
    "precedents": "precedents (0 to 1)",
    "match": "population match (0 to 1)",
    "biomarker": "biomarker (0 to 1)",
    "line": "line (0 to 1)",
    "age": "age (0 to 1)",
    "combination": "regimen (0 to 1)",
    "stage": "stage of disease (0 to 1)",
    "boxed_class": "boxed warnings of the class (of 40)",
    "rems": "restricted distribution (of 15)",
    "serious_terms": "serious terms (of 30)",
    "serious_events": "serious events (of 15)",
    "claim_feasibility": "claim feasibility (of 100, weight 0.5)",
    "no_burden": "freedom from safety burden (of 100, weight 0.2)",
    "pathway_fit": "fit of the pathway (of 100, weight 0.2)",
    "cmc": "manufacturing of this kind of drug (of 100, weight 0.1)",
}
"""Parts of the scores in words; 100 less their weighted sum is the regulatory risk."""
MOST_SHARES = 60
MOST_HISTORY = 25
MOST_GAPS = 6


METHOD = (
    "Only whole labels count in a share, one a drug, the newest; below three labels no share is "
    "shown. Weights of votes and scores are our own. Class rules are the curators' own knowledge "
    "where no source is named."
)


def compose(data: LabelStrategyData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run."""
    uses = data.competitor_label_comparison
    return compose_report(
        data,
        tables,
        about,
        front=make_front(
            (
                data.executive_summary.likely_regulatory_positioning,
                *(claim.text for claim in data.claims),
            ),
            _figures(data),
            None,
            list_doubts([() for _ in uses], data.warnings, 0, len(data.excluded)),
        ),
        own_blocks=[
            *_tell_draft(data),
            *_tell_scores(data),
            *_tell_matrix(data),
            *_tell_scenarios(data),
            *list_lines(USES, USE_VIEW, uses, COMPARED),
            Paragraph(LEGEND),
            *_tell_warnings(data),
            *under(
                SHARES,
                list_grid(
                    FREQUENCIES,
                    FREQUENCY_VIEW,
                    data.frequencies,
                    "Each share with the labels that it follows from",
                    MOST_SHARES,
                ),
            ),
            *_tell_restrictions(data),
            *_tell_risks(data),
            *_tell_steps(data),
            *_tell_history(data),
        ],
        method=[Paragraph(METHOD)],
    )


def _is_us(data: LabelStrategyData) -> bool:
    """Return whether the answer is for FDA: what only US labels have is marked in others."""
    return data.proposed_indication_language.terms.agency == "FDA"


def _figures(data: LabelStrategyData) -> tuple[tuple[str, str, str], ...]:
    box, scores = data.safety_warning_expectations.boxed_warning, data.risk_scores
    note = f"{box.n_with} of {box.n_labels} labels" if box.n_labels else "no label of the class"
    draft = data.proposed_indication_language
    return (
        ("Uses compared", str(len(data.competitor_label_comparison)), "the nearest ones"),
        ("Boxed warning" if _is_us(data) else "Boxed in the US", box.expected, note),
        (
            "Feasibility",
            str(scores.claim_feasibility_score),
            f"breadth {scores.label_breadth_score}",
        ),
        ("Confidence", f"{draft.confidence} ({draft.confidence_score})", "the lowest of its parts"),
    )


def _tell_draft(data: LabelStrategyData) -> list[Block]:
    draft = data.proposed_indication_language
    slots = tuple(
        (
            slot.slot,
            slot.worded or slot.value or "not restricted",
            slot.basis,
            slot.rationale,
            marks(slot.source_ids),
        )
        for slot in draft.slots
    )
    return [
        Heading(DRAFT),
        Paragraph(f"**{draft.language}**"),
        Paragraph(f"{NOT_APPROVED} {data.executive_summary.expected_label_scope}"),
        Grid(("Part", "Draft", "From", "Why", "Sources"), slots, "Parts of the draft"),
    ]


def _tell_scores(data: LabelStrategyData) -> list[Block]:
    scores = data.risk_scores
    values = {
        "claim_feasibility": ("Claim feasibility", scores.claim_feasibility_score),
        "label_breadth": ("Label breadth", scores.label_breadth_score),
        "safety_burden": ("Safety burden", scores.safety_burden_score),
        "regulatory_risk": ("Regulatory risk", scores.regulatory_risk_score),
    }
    rows = tuple(
        (
            name,
            value,
            "; ".join(
                f"{PART_NAMES.get(component, component.replace('_', ' '))} {number:g}"
                for component, number in scores.components[key].items()
            ),
        )
        for key, (name, value) in values.items()
    )
    gaps: list[Block] = [
        Paragraph("Evidence gaps, most serious first:"),
        Bullets(tuple(scores.gaps[:MOST_GAPS])),
    ]
    return [
        Heading(SCORES),
        *(gaps if scores.gaps else []),
        Grid(("Score", "0 to 100", "Parts"), rows, "Rule-based scores; weights our own"),
    ]


def _tell_matrix(data: LabelStrategyData) -> list[Block]:
    rows = tuple(
        (
            row.claim_element,
            row.proposed,
            row.required_evidence,
            row.have,
            row.gap,
            row.how_to_close,
            marks(row.source_ids),
        )
        for row in data.evidence_to_claim_mapping
    )
    figures = [
        Paragraph(
            f"Precedent: {row.precedent_figure or 'no reported figure'}. "
            f"Own: {row.own_figure or 'not given'}."
        )
        for row in data.evidence_to_claim_mapping
        if row.precedent_figure or row.own_figure
    ]
    columns = ("Part", "Proposed", "Required", "Have", "Gap", "How to close", "Sources")
    return [Heading(MATRIX), Grid(columns, rows, "The claim, part by part"), *figures]


def _tell_scenarios(data: LabelStrategyData) -> list[Block]:
    blocks: list[Block] = [Heading(SCENARIOS)]
    for scenario in data.label_scenarios:
        feasibility, breadth = scenario.claim_feasibility_score, scenario.label_breadth_score
        scores = f"feasibility {feasibility}, breadth {breadth}"
        blocks += [
            Heading(f"{scenario.name.capitalize()}: {scores}", 2),
            *([Paragraph(f"FDA: {scenario.wording.FDA}")] if _is_us(data) else []),
            Paragraph(f"EMA: {scenario.wording.EMA}"),
            *([Paragraph(scenario.note)] if scenario.note else []),
            Bullets(tuple(scenario.requires)),
        ]
    return blocks


def _terms(rows: Sequence[TermShare], caption: str) -> list[Block]:
    cells = tuple(
        (
            row.term,
            f"{row.n_with} of {row.n_labels}" if row.n_labels else "class rule",
            None if row.share is None else f"{row.share:.0%}",
            {True: "yes", False: "no", None: None}[row.in_own_data],
            marks(row.source_ids),
        )
        for row in rows
    )
    return (
        [Grid(("Term", "Labels", "Share", "In own data", "Sources"), cells, caption)]
        if cells
        else []
    )


def _tell_rules(rules: Sequence[ClassRule]) -> list[Block]:
    rows = tuple(
        (
            rule.class_name,
            rule.term,
            f"{rule.n_with} of {rule.n_labels}" if rule.n_labels else "no label available",
            rule.since or None,
            rule.basis,
            rule.note or None,
            marks(rule.source_ids),
        )
        for rule in rules
    )
    columns = ("Class", "Term", "Labels at hand", "Since", "Basis", "Note", "Sources")
    caption = "Class rules, with the labels that support them"
    return [Grid(columns, rows, caption)] if rows else []


def _tell_warnings(data: LabelStrategyData) -> list[Block]:
    expectations = data.safety_warning_expectations
    box, rems = expectations.boxed_warning, expectations.rems
    against = tuple(
        f"{contraindication.text} {marks(contraindication.source_ids)}"
        for contraindication in expectations.contraindications
    )
    people = tuple(
        f"{population.population.capitalize()}: {population.statement} "
        f"{marks(population.source_ids)}"
        for population in expectations.specific_populations
    )
    excluded: list[Block] = [
        Paragraph("Contraindications of the newest labels of the class:"),
        Bullets(against),
    ]
    boxed, restricted = "Boxed warning", "REMS"
    if not _is_us(data):
        boxed, restricted = "Warning in a box of US labels alone", "US program (REMS) of the class"
    return [
        Heading(WARNS),
        Paragraph(f"{boxed} **{box.expected}**: {box.rationale} {marks(box.source_ids)}"),
        *_terms(box.terms, f"Of what boxed warnings of the class warn ({box.class_name})"),
        *_tell_rules(expectations.class_rules),
        *_terms(
            expectations.warnings_and_precautions,
            f"Headings of warnings and precautions ({box.class_name})",
        ),
        *(excluded if against else []),
        Paragraph(f"{restricted} **{rems.expected}**: {rems.rationale}"),
        Bullets(people),
    ]


def _tell_restrictions(data: LabelStrategyData) -> list[Block]:
    rows = tuple(
        (
            restriction.restriction,
            restriction.likelihood,
            None if restriction.share is None else f"{restriction.share:.0%}",
            restriction.rationale,
            marks(restriction.source_ids),
        )
        for restriction in data.likely_label_restrictions
    )
    return [
        Heading(RESTRICTIONS),
        Grid(
            ("Restriction", "Likelihood", "Share", "Why", "Sources"),
            rows,
            "What will restrict the label",
        ),
    ]


def _tell_risks(data: LabelStrategyData) -> list[Block]:
    rows = tuple(
        (risk.severity, risk.risk, risk.mitigation, marks(risk.source_ids))
        for risk in data.regulatory_risks
    )
    return under(
        RISKS,
        [Grid(("Severity", "Risk", "Mitigation", "Sources"), rows, "Most serious first")]
        if rows
        else [],
    )


def _tell_steps(data: LabelStrategyData) -> list[Block]:
    rows = tuple(
        (step.priority, step.step, step.why, step.timing) for step in data.recommended_next_steps
    )
    return under(
        STEPS, [Grid(("Priority", "Step", "Why", "When"), rows, "By priority")] if rows else []
    )


def _tell_history(data: LabelStrategyData) -> list[Block]:
    rows = tuple(
        (
            row.date,
            row.asset,
            f"of the {row.relation}",
            row.event,
            row.detail or None,
            marks(row.source_ids),
        )
        for row in data.label_history
    )
    grid = Grid(
        ("Date", "Label", "Why here", "Event", "Detail", "Sources"),
        rows,
        "Changes that labels list, and complete response letters",
        most=MOST_HISTORY,
    )
    return under(HISTORY, [grid] if rows else [])
