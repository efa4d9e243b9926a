"""Which categories a goal asks for at a stage, and which assays answer them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.agents.assay_development.case import STAGES, Case
from core.knowledge.assays.rows import (
    AssayCategory,
    FormatRow,
    InstrumentRow,
    NeedRow,
    documents,
    holds_for,
    parts,
)
from core.vocabulary.tables import compile_pattern, load_rows

Level = Literal["high", "medium", "low"]
LETTERS = {
    "candidate_selection": "S",
    "mechanism_of_action": "M",
    "potency": "P",
    "CMC_release": "R",
    "IND_enabling": "I",
    "translational_biomarkers": "B",
}
CATEGORY_NAMES: dict[AssayCategory, str] = {
    "identity": "Identity and binding",
    "potency": "Function and potency",
    "safety": "Safety and off-target",
    "pharmacokinetics": "Exposure",
    "immunogenicity": "Immunogenicity",
    "biomarkers": "Biomarkers",
    "quality": "Quality and release",
}
UNCLASSIFIED = "unclassified"
"""Product class of the assays that are planned where the class of the product is not known."""
MANY_CLASSES = 99
_VIRUS = ("virus", "vector amplification")


@dataclass(frozen=True)
class Chosen:
    """An assay that was chosen.

    Attributes:
        row: Its row.
        name: With target and lines in their places.
        priority: Weight in this plan.
        reasons: Why it was chosen.
    """

    row: FormatRow
    name: str
    priority: Level
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Category:
    """A category with the assays that answer it."""

    key: AssayCategory
    need: Literal["mandatory", "supporting", "requested"]
    why: str
    formats: tuple[Chosen, ...]


@dataclass(frozen=True)
class Package:
    """All categories of a plan, and what was left out."""

    categories: tuple[Category, ...]
    warnings: tuple[str, ...]

    @property
    def chosen(self) -> list[Chosen]:
        """Return the assays of all categories."""
        return [choice for category in self.categories for choice in category.formats]


def choose(case: Case) -> Package:
    """Return the assays of a plan."""
    if case.is_refused:
        return Package((), (REFUSED,))
    needs = _needs(case)
    kept_categories, warnings = [], []
    for key, need in needs.items():
        if case.categories and key not in case.categories:
            if need.need == "mandatory":
                warnings.append(
                    f"mandatory_removed: {CATEGORY_NAMES[key]} was not requested, but {need.why}."
                )
            continue
        formats, notices = _formats(case, key, need.need == "mandatory")
        warnings += notices
        if formats:
            kept_categories.append(Category(key, need.need, need.why, formats))
    for category in case.categories:
        if category in needs:
            continue
        formats, notices = _formats(case, category, False)
        warnings += notices
        if formats:
            kept_categories.append(
                Category(category, "requested", "the request asks for it", formats)
            )
    if not case.product_class:
        warnings.append(
            f"outline: the class of this product ({case.request.modality}) is not known, so the "
            "plan is an outline; state its format, such as phage or radioligand."
        )
    return Package(tuple(kept_categories), tuple(warnings))


REFUSED = (
    "refused: the request describes making a pathogen more dangerous; no assay is planned for it."
)


def _needs(case: Case) -> dict[AssayCategory, NeedRow]:
    """Return the categories that the goal asks for at the stage, mandatory ones first."""
    needs = [
        row
        for row in load_rows("needs", NeedRow)
        if row.goal == case.request.assay_goal
        and case.stage >= STAGES.index(row.from_stage)
        and holds_for(row.modalities, case.request.modality)
    ]
    needs.sort(key=lambda row: row.need != "mandatory")
    return {row.category: row for row in needs}


def _formats(
    case: Case, category: AssayCategory, is_mandatory: bool
) -> tuple[tuple[Chosen, ...], list[str]]:
    """Return the assays of a category, the weightiest first, and what was left out of it."""
    rows = [row for row in _of_product(case) if row.category == category]
    goal = LETTERS[case.request.assay_goal]
    now = [
        row
        for row in rows
        if (STAGES.index(row.from_stage) <= case.stage <= STAGES.index(row.until_stage))
    ]
    on_goal = [row for row in now if goal in parts(row.goals)]
    nearest = not now
    taken = on_goal or now or sorted(rows, key=lambda row: _distance(row, case.stage))[:2]
    left, notices = _without_excluded(taken, case)
    if is_mandatory and taken and not left:
        notices.append(
            f"mandatory_removed: all assays of {CATEGORY_NAMES[category]} are excluded, though "
            "the goal asks for them."
        )
    chosen = [_chosen(row, case, category, nearest) for row in left]
    if case.limits.get("budget_band") == "low":
        first = [choice for choice in chosen if choice.priority != "low"] or chosen[:1]
        late = [choice.name for choice in chosen if choice not in first]
        notices += [f"left_for_later: {', '.join(late)} (budget)."] if late else []
        chosen = first
    order = {"high": 0, "medium": 1, "low": 2}
    chosen.sort(key=lambda choice: (order[choice.priority], _breadth(choice.row)))
    return tuple(chosen), notices


def _breadth(row: FormatRow) -> int:
    """Return how many product classes an assay is for: those of one class come first."""
    return len(parts(row.product_classes)) or MANY_CLASSES


def _of_product(case: Case) -> Iterator[FormatRow]:
    """Yield the assays of a product class that its mechanism does not rule out."""
    words, product_class = case.product_words, case.product_class or UNCLASSIFIED
    for row in load_rows("formats", FormatRow):
        if not holds_for(row.modalities, case.request.modality):
            continue
        if row.product_classes and product_class not in parts(row.product_classes):
            continue
        if row.unless and compile_pattern(row.unless, "formats").search(words):
            continue
        if not row.mechanism or compile_pattern(row.mechanism, "formats").search(words):
            yield row


def _distance(row: FormatRow, stage: int) -> int:
    """Return how many stages an assay is away."""
    first, last = STAGES.index(row.from_stage), STAGES.index(row.until_stage)
    return max(first - stage, stage - last, 0)


def _without_excluded(rows: Sequence[FormatRow], case: Case) -> tuple[list[FormatRow], list[str]]:
    """Return the assays that no word of the request excludes, and a notice of the others."""
    words = case.limits.get("excluded_formats") or []
    excluded_words = [str(word).casefold() for word in words] if isinstance(words, list) else []
    left = [
        row
        for row in rows
        if not any(word in f"{row.name} {row.principle}".casefold() for word in excluded_words)
    ]
    gone = [case.fill(row.name) for row in rows if row not in left]
    return left, [f"excluded: {', '.join(gone)}."] if gone else []


def _chosen(row: FormatRow, case: Case, category: str, nearest: bool) -> Chosen:
    goal = case.request.assay_goal
    is_on_goal = LETTERS[goal] in parts(row.goals)
    level: Level = "high" if row.is_on_target or row.document or row.mechanism else "medium"
    if not is_on_goal or nearest:
        level = "low" if level == "medium" else "medium"
    reasons = [
        f"needs: {goal} at {case.request.development_stage} asks for {category}",
        f"formats, row {row.format}: {row.name if not row.is_on_target else case.fill(row.name)}",
    ]
    if nearest:
        reasons.append(
            f"no assay of the table is set for this stage; this one from {row.from_stage}"
        )
    if row.product_classes and case.product_class:
        reasons.append(f"product_classes: {case.product_class}")
    if row.mechanism:
        reasons.append("mechanism: the request names what this assay measures")
    if row.is_on_target and case.lines:
        reasons.append(f"model_systems: {case.fill('{positive} and {negative}')} (expert)")
    reasons += _limits(row, case)
    asks = documents()[row.document].status if row.document else ""
    reasons.append(f"document: {row.document} ({asks})" if asks else "document: none; expert")
    return Chosen(row, case.fill(row.name), level, tuple(reasons))


def _limits(row: FormatRow, case: Case) -> Iterable[str]:
    """Yield where the request's limits stand in the way of an assay."""
    at_hand = case.limits.get("instruments")
    if isinstance(at_hand, list):
        instruments = {str(instrument).casefold() for instrument in at_hand}
        needed = {
            instrument_row.instrument
            for instrument_row in load_rows("instruments", InstrumentRow)
            if instrument_row.word in f"{row.name} {row.principle}".casefold()
        }
        for instrument in sorted(needed):
            if instrument.casefold() not in instruments:
                yield f"constraint: needs a {instrument}, which is not listed"
    level = case.limits.get("biosafety_level")
    if isinstance(level, int) and level < 2 and any(word in row.name.casefold() for word in _VIRUS):
        yield "constraint: needs biosafety level 2"
