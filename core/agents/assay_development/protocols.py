"""Skeletons of protocols: materials with role, plate or run order, steps, acceptance."""

from core.agents.assay_development.case import Case
from core.agents.assay_development.numbering import Numbering
from core.agents.assay_development.package import CATEGORY_NAMES, Chosen, Package
from core.agents.assay_development.records import (
    Layout,
    Limit,
    Material,
    PlateLine,
    ProtocolSkeleton,
    ProtocolStep,
    Reduction,
    WellKind,
)
from core.agents.assay_development.validation import list_limits
from core.knowledge.assays.rows import (
    ControlRoleRow,
    PlateLegendRow,
    PlateRow,
    ProtocolRow,
    RunOrderRow,
    find_protocol,
    parts,
)
from core.vocabulary.tables import compile_pattern, load_rows

_ROLES = ("positive control", "reference", "critical reagent")
"""Roles of materials, the first that their name means; all others are negative controls."""


def write_protocols(package: Package, case: Case, numbering: Numbering) -> list[ProtocolSkeleton]:
    """Return a skeleton of each assay of a plan, one a context and name."""
    return [_write(chosen, case, numbering) for chosen in package.chosen]


def _write(chosen: Chosen, case: Case, numbering: Numbering) -> ProtocolSkeleton:
    row = find_protocol(chosen.row)
    return ProtocolSkeleton(
        assay=chosen.name,
        category=CATEGORY_NAMES[chosen.row.category],
        principle=case.fill(chosen.row.principle),
        materials=list_materials(chosen, case),
        layout=lay_out(row, case),
        steps=[ProtocolStep(n=n, action=step) for n, step in enumerate(parts(row.steps), start=1)],
        system_suitability=[
            Limit(
                parameter=criterion.partition(" = ")[0],
                criterion=criterion.partition(" = ")[2],
                basis="expert",
                source_ids=[],
            )
            for criterion in parts(row.suitability)
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
    rows: tuple[ControlRoleRow, ...] = load_rows("control_roles", ControlRoleRow)
    roles = {row.role for row in rows if compile_pattern(row.pattern, "control_roles").search(name)}
    return next((role for role in _ROLES if role in roles), "negative control")


def is_critical(name: str) -> bool:
    """Return whether a change of a material may change results."""
    return role_of(name) in {"reference", "critical reagent", "positive control"}


def lay_out(row: ProtocolRow, case: Case) -> Layout:
    """Return the plate of a protocol, or the order of its runs."""
    wells = 384 if row.wells == 384 and case.depth == "exploratory" else min(row.wells, 96)
    plate = [
        line
        for line in load_rows("plates", PlateRow)
        if line.layout == row.layout and line.wells == wells
    ]
    codes = {code for line in plate for code in line.codes}
    return Layout(
        wells=wells,
        replicates=_replicates(row, case),
        rows=[PlateLine(row=line.row, wells=list(line.codes)) for line in plate],
        legend=[
            WellKind(code=legend.code, meaning=legend.meaning)
            for legend in load_rows("plate_legends", PlateLegendRow)
            if legend.layout == row.layout and legend.code in codes
        ],
        order=next(
            (
                order.steps
                for order in load_rows("run_orders", RunOrderRow)
                if order.layout == row.layout
            ),
            "",
        ),
    )
