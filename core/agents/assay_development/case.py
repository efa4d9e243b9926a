"""A request as it was understood: the class of the product, its lines, its limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from pydantic import JsonValue

from core.agents.assay_development.product_class import Classified, classify_product
from core.agents.assay_development.records import ContextUsed
from core.agents.assay_development.schema import AssayDevelopmentRequest, Stage
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.reading import parse_text
from core.knowledge.assays.rows import (
    AssayCategory,
    CategoryWordRow,
    Depth,
    DosageFormRow,
    ModelSystemRow,
    RefusedRow,
    model_systems,
    parts,
)
from core.records.free_fields import read_known
from core.records.programs import TargetExpression
from core.vocabulary.tables import compile_pattern, load_rows

STAGES: tuple[str, ...] = get_args(Stage)
DEPTHS: tuple[Depth, ...] = ("exploratory", "qualified", "validated")
DETAILS = dict.fromkeys(
    (
        *("format", "payload", "linker", "vector", "cell_source", "formulation", "platform"),
        *("dose_form", "dosage_form"),
    ),
    str,
)
SAMPLES = {"matrix": str, "species": str, "n_samples": int, "volume_ul": float, "fresh": bool}
LIMITS = {
    "budget_band": str,
    "weeks": int,
    "biosafety_level": int,
    "instruments": list,
    "excluded_formats": list,
}
BANDS = ("low", "medium", "high")
_EARLY_RELEASE = ("discovery", "lead_optimization")
LONGEST_SAID = 80


@dataclass(frozen=True)
class Case:
    """A request as it was understood.

    Attributes:
        request: As asked.
        product_class: Class of the product, such as "allogeneic CAR-T"; "" where none is known.
        target: Its name for texts; "" where none is given.
        expressions: What the target names, for the evidence.
        lines: Its model systems; None where no table has them.
        depth: How far assays are validated.
        categories: Categories asked for; empty: all.
        details: Known keys of the product's details.
        samples: Of the samples.
        limits: Of the constraints.
        used: Inputs that changed the plan.
        is_refused: Whether no assay is planned.
        warnings: What is unclear or not used.
    """

    request: AssayDevelopmentRequest
    product_class: str
    target: str
    expressions: tuple[TargetExpression, ...]
    lines: ModelSystemRow | None
    depth: Depth
    categories: tuple[AssayCategory, ...] = ()
    details: Mapping[str, JsonValue] = field(default_factory=dict)
    samples: Mapping[str, JsonValue] = field(default_factory=dict)
    limits: Mapping[str, JsonValue] = field(default_factory=dict)
    used: tuple[ContextUsed, ...] = ()
    is_refused: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def product_words(self) -> str:
        """Return what the request says of product, mechanism and target."""
        request = self.request
        details = [*map(str, self.details.values()), request.mechanism or "", request.target or ""]
        return " ; ".join(filter(None, details))

    @property
    def dosage_forms(self) -> tuple[DosageFormRow, ...]:
        """Return the dosage forms that the details or the mechanism name."""
        text = " ; ".join([*map(str, self.details.values()), self.request.mechanism or ""])
        rows: tuple[DosageFormRow, ...] = load_rows("dosage_forms", DosageFormRow)
        return tuple(
            row for row in rows if compile_pattern(row.pattern, "dosage_forms").search(text)
        )

    @property
    def stage(self) -> int:
        """Return the place of the stage among the stages."""
        return STAGES.index(self.request.development_stage)

    def fill(self, text: str) -> str:
        """Return a text of the tables with the target and its lines in their places."""
        positive = parts(self.lines.positives)[0] if self.lines else "antigen-positive line"
        negative = self.lines.negatives if self.lines else "antigen-negative line"
        name = self.target or "the target"
        made = "purified" if "saccharide" in self.target.casefold() else "recombinant"
        reagent = f"{made} {self.target or 'target'}"
        if self.lines and self.lines.place == "soluble":
            # No cell carries a soluble target: cells respond to it or do not.
            text = (
                text.replace("antigen-positive", "responsive")
                .replace("{target}-positive", ("{target}-responsive"))
                .replace("antigen-negative", "not responsive")
            )
        names_by_role = {
            "target": name,
            "positive": positive,
            "negative": negative,
            "reagent": reagent,
        }
        for word, meant in names_by_role.items():
            text = text.replace(f"{{{word}}}", meant)
        return text


def understand(request: AssayDevelopmentRequest, resolver: Resolver) -> Case:
    """Return a request as it was understood."""
    details, first = read_known("product_details", request.product_details, DETAILS)
    samples, second = read_known("sample_context", request.sample_context, SAMPLES)
    limits, third = read_known("constraints", request.constraints, LIMITS)
    warnings = [*first, *second, *third]
    if limits.get("budget_band", "low") not in BANDS:
        warnings.append("input_not_used: constraints.budget_band must be low, medium or high.")
        limits.pop("budget_band")
    classified = classify_product(request, details)
    target, expressions, lines, notices = _target(request, resolver)
    categories, unknown = _categories(request.requested_categories)
    used = [*_use_class(classified), *_used(details, samples, limits)]
    return Case(
        request,
        classified.product_class,
        target,
        expressions,
        lines,
        _depth(request.development_stage),
        categories,
        details,
        samples,
        limits,
        tuple(used),
        _is_refused(request, details),
        (*warnings, *classified.warnings, *notices, *unknown, *_against_stage(request)),
    )


def _depth(stage: str) -> Depth:
    """Return how far assays are validated at a stage."""
    if stage == "discovery":
        return "exploratory"
    return "validated" if stage in {"phase3", "commercial"} else "qualified"


def _use_class(classified: Classified) -> list[ContextUsed]:
    """Return how the class of the product was read."""
    if not classified.product_class:
        return []
    how = "planned as" if classified.words else "assumed, state the format otherwise:"
    return [_use("product_details", classified.words, f"{how} {classified.product_class}")]


def _target(
    request: AssayDevelopmentRequest, resolver: Resolver
) -> tuple[str, tuple[TargetExpression, ...], ModelSystemRow | None, list[str]]:
    """Return the target for texts and for the evidence, its lines, and what is not known."""
    text = unmark(" ".join((request.target or "").split()))[:LONGEST_SAID]
    if not text:
        return "", (), None, []
    expressions = parse_text(text, resolver).targets
    systems = model_systems()
    names = [
        text,
        *(expression.text for expression in expressions),
        *(symbol for expression in expressions for symbol in expression.gene_symbols),
    ]
    lines = next((systems[name.casefold()] for name in names if name.casefold() in systems), None)
    notices = []
    if not expressions and lines is None:
        notices.append(
            f"not_resolved: “{text}” names no recognized target; no cell line is proposed."
        )
    elif lines is None:
        notices.append(f"no_model: no cell line for {text} is in the tables; name your own.")
    name = expressions[0].text if len(expressions) == 1 else text
    return name, expressions, lines, notices


def _categories(names_given: Sequence[str]) -> tuple[tuple[AssayCategory, ...], list[str]]:
    """Return the categories that words ask for, and a notice of words that name none."""
    rows = load_rows("category_words", CategoryWordRow)
    categories_by_word = {row.word: row.category for row in rows}
    categories = {
        categories_by_word[key]: None
        for word in names_given
        if (key := word.casefold().strip()) in categories_by_word
    }
    missed = [
        unmark(word) for word in names_given if word.casefold().strip() not in categories_by_word
    ]
    words = ", ".join(dict.fromkeys(row.category for row in rows))
    notices = [
        f"not_resolved: “{word}” is no category of assays; known are {words}." for word in missed
    ]
    return tuple(categories), notices


def _used(
    details: Mapping[str, JsonValue],
    samples: Mapping[str, JsonValue],
    limits: Mapping[str, JsonValue],
) -> list[ContextUsed]:
    """Return what the free fields change."""
    effects = {
        "payload": "analyte of the free-drug assay",
        "linker": "stability of the conjugate is measured",
        "vector": "decides identity and safety tests",
        "matrix": "matrix of calibrators and selectivity",
        "species": "matrix of calibrators; surrogate where it is rare",
        "n_samples": "number of incurred samples",
        "volume_ul": "replicates that a sample allows",
        "fresh": "stability before freezing",
        "weeks": "the timeline is checked against it",
        "budget_band": "low leaves assays of low priority for later",
        "instruments": "assays that need others are marked",
        "biosafety_level": "assays that need more are marked",
        "excluded_formats": "these assays are skipped",
    }
    given = {**details, **samples, **limits}
    return [
        _use(key, value, effects.get(key, "read for the class of the product"))
        for key, value in given.items()
    ]


def _use(name: str, value: object, effect: str) -> ContextUsed:
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return ContextUsed(input=name, value=unmark(shown)[:LONGEST_SAID], effect=effect, source_ids=[])


def _is_refused(request: AssayDevelopmentRequest, details: Mapping[str, JsonValue]) -> bool:
    """Return whether the purpose is to make a pathogen worse."""
    text = " ".join(
        [request.indication, request.mechanism or "", *map(str, details.values())]
    ).casefold()
    return any(row.words in text for row in load_rows("refused", RefusedRow))


def _against_stage(request: AssayDevelopmentRequest) -> list[str]:
    """Return a notice where the goal comes too early or too late for the stage."""
    goal, stage = request.assay_goal, request.development_stage
    if goal == "CMC_release" and stage in _EARLY_RELEASE:
        return [
            "goal_before_stage: no lot is released at this stage; the plan prepares the methods "
            "that release will need."
        ]
    if goal == "candidate_selection" and STAGES.index(stage) >= STAGES.index("phase1"):
        return ["goal_after_stage: the candidate is in the clinic; the plan ranks back-ups."]
    if goal == "IND_enabling" and STAGES.index(stage) >= STAGES.index("phase2"):
        return ["goal_after_stage: the IND is past; the plan shows what is to be brought to date."]
    return []
