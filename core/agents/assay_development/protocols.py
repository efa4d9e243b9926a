"""Skeletons of protocols: materials with role, a drawing of the plate, steps, acceptance."""

from core.agents.assay_development.case import Case
from core.agents.assay_development.numbering import Numbering
from core.agents.assay_development.package import CATEGORY_NAMES, Chosen, Package
from core.agents.assay_development.records import (
    Layout,
    Limit,
    Material,
    ProtocolSkeleton,
    ProtocolStep,
    Reduction,
)
from core.agents.assay_development.validation import list_limits
from core.knowledge.assays.rows import ProtocolRow, parts, protocols

_ROWS = "ABCDEFGH"
_MARKS = {
    "dose rows": ["R", "R", "S", "S", "T", "T", "C", "B"],
    "calibrators and controls": ["K", "K", "Q", "Q", "S", "S", "S", "B"],
    "samples and controls": ["N", "P", "S", "S", "S", "S", "S", "B"],
    "standards, samples, no template": ["K", "K", "S", "S", "S", "P", "N", "B"],
}
_LEGENDS = {
    "dose rows": "R reference, S sample 1, T sample 2, C control sample, B blank; "
    "columns 1 to 12 fall in dose",
    "calibrators and controls": "K calibrators, Q controls, S samples, B blank; pairs of columns "
    "are duplicates",
    "samples and controls": "N negative, P positive control, S samples, B blank",
    "standards, samples, no template": "K standards, S samples, P spike control, N no template, "
    "B blank",
}


def write_protocols(package: Package, case: Case, numbering: Numbering) -> list[ProtocolSkeleton]:
    """Return a skeleton of each assay of a plan, one a context and name.

    Args:
        package: The assays.
        case: The request as understood.
        numbering: Gives documents their numbers.
    """
    return [_write(one, case, numbering) for one in package.chosen]


def _write(chosen: Chosen, case: Case, numbering: Numbering) -> ProtocolSkeleton:
    row = protocols()[chosen.row.context]
    wells = 384 if row.wells == 384 and case.depth == "exploratory" else min(row.wells, 96)
    return ProtocolSkeleton(
        assay=chosen.name,
        category=CATEGORY_NAMES[chosen.row.category],
        principle=case.fill(chosen.row.principle),
        materials=list_materials(chosen, case),
        layout=Layout(wells=wells, replicates=_replicates(row, case), text=draw_plate(row.layout)),
        steps=[ProtocolStep(n=n, action=one) for n, one in enumerate(parts(row.steps), start=1)],
        system_suitability=[
            Limit(
                parameter=one.partition(" = ")[0],
                criterion=one.partition(" = ")[2],
                basis="expert",
                source_ids=[],
            )
            for one in parts(row.suitability)
        ],
        data_reduction=Reduction(model=row.model, weighting=row.weighting),
        acceptance=list_limits(chosen, case, numbering),
        safety_notes=[row.safety],
        source_ids=numbering.of_document(row.document),
    )


def _replicates(row: ProtocolRow, case: Case) -> int:
    """Return the replicates; a small sample allows no more than two."""
    volume = case.samples.get("volume_ul")
    is_small = isinstance(volume, int | float) and volume < 50
    return min(row.replicates, 2) if is_small else row.replicates


def list_materials(chosen: Chosen, case: Case) -> list[Material]:
    """Return the controls of an assay as materials, those that the result hangs on marked."""
    return [
        Material(name=name, role=role_of(name), critical=is_critical(name))
        for name in map(case.fill, parts(chosen.row.controls))
    ]


def role_of(name: str) -> str:
    """Return what a material is for.

    >>> role_of("NALM-6: antigen-positive"), role_of("reference standard"), role_of("isotype")
    ('positive control', 'reference', 'negative control')
    """
    said = name.casefold()
    if "antigen-positive" in said or "positive control" in said or said.startswith("spiked"):
        return "positive control"
    if any(word in said for word in ("reference", "standard", "benchmark", "calibrat")):
        return "reference"
    if any(word in said for word in ("recombinant", "idiotype", "reagent", "stable-isotope")):
        return "critical reagent"
    return "negative control"


def is_critical(name: str) -> bool:
    """Return whether a change of a material may change results."""
    return role_of(name) in {"reference", "critical reagent", "positive control"}


def draw_plate(layout: str) -> str:
    """Return a drawing of a plate, one line a row; of assays without a plate the order of runs."""
    marks = _MARKS.get(layout)
    if marks is None:
        return f"{layout}: blank, low, middle, high, samples, low, middle, high"
    lines = [f"{row}  {' '.join(mark * 12)}" for row, mark in zip(_ROWS, marks, strict=True)]
    return "\n".join([*lines, _LEGENDS[layout]])
