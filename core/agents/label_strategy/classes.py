"""Classes of labels and how often they warn: whole labels only, one a drug, newest first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.agents.label_strategy.question import Question
from core.agents.label_strategy.tables import is_label_of_class
from core.evidence.assets.precedents.label_sheets import LabelSheet, LabelText

LEAST = 3
"""Labels from which on a share is shown; below it n is too small."""
ON_TARGET = "target and kind of drug"
"""Basis of the class of the asset's own target."""
WIDE = frozenset({"small molecule", "monoclonal antibody", "peptide", "recombinant protein"})
"""Kinds of drugs that say nothing of what a label warns of."""


@dataclass(frozen=True)
class LabelClass:
    """Labels of one class.

    Attributes:
        name: The class.
        basis: By what its labels belong together.
        labels: Whole labels, one a drug, newest first.
        unknown: Labels of drugs of which no whole one is held.
    """

    name: str
    basis: str
    labels: tuple[LabelSheet, ...]
    unknown: tuple[LabelSheet, ...]

    @property
    def is_enough(self) -> bool:
        """Return whether a share may be told."""
        return len(self.labels) >= LEAST


class Count(NamedTuple):
    """How many labels of a class have something.

    Attributes:
        term: What.
        having: Labels with it.
        lacking: Whole labels without it.
    """

    term: str
    having: tuple[LabelSheet, ...]
    lacking: tuple[LabelSheet, ...]

    @property
    def n(self) -> int:
        """Return the labels that could tell."""
        return len(self.having) + len(self.lacking)

    @property
    def share(self) -> float | None:
        """Return the share; None where too few labels could tell."""
        return round(len(self.having) / self.n, 4) if self.n >= LEAST else None

    @property
    def record_ids(self) -> list[str]:
        """Return the labels that it follows from."""
        return [sheet.record_id for sheet in (*self.having, *self.lacking)]


def find_classes(question: Question, sheets: Sequence[LabelSheet]) -> list[LabelClass]:
    """Return the classes of an asset, the most telling first."""
    setting = question.setting
    groups = [
        _make(name, "class of drugs", (sheet for sheet in sheets if is_label_of_class(sheet, name)))
        for name in question.classes
    ]
    nearby_sheets = [
        sheet for sheet in sheets if _on_target(sheet, question) and _of_kind(sheet, question)
    ]
    targets = " or ".join(target.text for target in setting.targets)
    kinds = " or ".join(setting.modalities)
    if targets:
        groups.append(_make(f"{targets}, {kinds or 'any kind'}", ON_TARGET, nearby_sheets))
    shared = [each for sheet in nearby_sheets for each in sheet.classes]
    ranked = sorted(set(shared), key=lambda each: (-shared.count(each), each))
    for name in [name for name in ranked if _is_of(name, nearby_sheets, sheets)][:2]:
        members = (sheet for sheet in sheets if name in sheet.classes)
        groups.append(_make(name, "pharmacologic class", members))
    is_wide = not WIDE.isdisjoint(setting.modalities)  # "antibody" may be one of two targets
    for kind in () if is_wide else setting.modalities:
        members = (sheet for sheet in sheets if kind in sheet.modalities)
        groups.append(_make(kind, "kind of drug", members))
    return [group for group in groups if group.labels or group.unknown]


def too_small(classes: Sequence[LabelClass]) -> list[LabelClass]:
    """Return the classes by target that stand before the leading one and have too few labels."""
    first = leading(classes)
    before = classes[: classes.index(first)] if first in classes else ()
    return [group for group in before if group.labels and group.basis == ON_TARGET]


def _is_of(name: str, nearby_sheets: Sequence[LabelSheet], sheets: Sequence[LabelSheet]) -> bool:
    """Return whether a pharmacologic class is that of a target: half of its labels act on it.

    Antipsychotics block the muscarinic receptor, too; they are no class of a bronchodilator.
    """
    every = sum(name in sheet.classes for sheet in sheets)
    return 2 * sum(name in sheet.classes for sheet in nearby_sheets) >= every


def leading(classes: Sequence[LabelClass]) -> LabelClass | None:
    """Return the first class that is large enough, else the first one; None where none is."""
    return next((group for group in classes if group.is_enough), classes[0] if classes else None)


def _make(name: str, basis: str, members: Iterable[LabelSheet]) -> LabelClass:
    listed = list(members)
    full_sheets = tuple(sheet for sheet in listed if sheet.is_whole)
    return LabelClass(
        name, basis, full_sheets, tuple(sheet for sheet in listed if not sheet.is_whole)
    )


def _on_target(sheet: LabelSheet, question: Question) -> bool:
    requested_targets = {
        symbol
        for target in question.setting.targets
        for symbol in (target.text, *target.gene_symbols)
        if symbol
    }
    known_targets = {
        component for target in sheet.targets for component in (target, *target.split(" x "))
    }
    return bool(requested_targets & known_targets)


def _of_kind(sheet: LabelSheet, question: Question) -> bool:
    kinds = question.setting.modalities
    return not kinds or bool({*kinds} & {*sheet.modalities})


def count_boxes(group: LabelClass) -> Count:
    """Return how many labels of a class have a boxed warning."""
    having = tuple(label for label in group.labels if label.box == "yes")
    return Count(
        "boxed warning", having, tuple(label for label in group.labels if label.box == "no")
    )


def count_terms(group: LabelClass, texts: Mapping[str, LabelText]) -> list[Count]:
    """Return how many labels of a class name each hazard in a box, the commonest first."""
    return _count(
        group.labels, {label.record_id: texts[label.record_id].boxed for label in group.labels}
    )


def count_warnings(group: LabelClass, texts: Mapping[str, LabelText]) -> list[Count]:
    """Return how many labels with a numbered section of warnings have a heading of each hazard."""
    terms_by_label = {
        label.record_id: hazards
        for label in group.labels
        if (hazards := texts[label.record_id].warnings) is not None
    }
    return _count(
        [label for label in group.labels if label.record_id in terms_by_label], terms_by_label
    )


def count_rems(group: LabelClass, texts: Mapping[str, LabelText]) -> Count:
    """Return how many labels whose text is held speak of restricted distribution."""
    with_text = [label for label in group.labels if texts[label.record_id].has_rems is not None]
    having = tuple(sheet for sheet in with_text if texts[sheet.record_id].has_rems)
    return Count("REMS", having, tuple(sheet for sheet in with_text if sheet not in having))


def _count(
    labels: Sequence[LabelSheet], terms_by_label: Mapping[str, Sequence[str]]
) -> list[Count]:
    terms = {term for terms in terms_by_label.values() for term in terms}
    counts = [
        Count(
            term,
            tuple(label for label in labels if term in terms_by_label[label.record_id]),
            tuple(label for label in labels if term not in terms_by_label[label.record_id]),
        )
        for term in terms
    ]
    return sorted(counts, key=lambda count: (-len(count.having), count.term))
