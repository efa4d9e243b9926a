"""Controls, critical reagents and model systems of the chosen assays."""

from typing import Literal

from core.agents.assay_development.case import Case
from core.agents.assay_development.package import Package
from core.agents.assay_development.protocols import is_critical, role_of
from core.agents.assay_development.records import ControlOrReagent, ModelSystem
from core.knowledge.assays.rows import GeneralModelRow, parts
from core.vocabulary.tables import load_rows

Kind = Literal["positive", "negative", "reference", "critical_reagent"]
_KINDS: dict[str, Kind] = {
    "positive control": "positive",
    "negative control": "negative",
    "reference": "reference",
    "critical reagent": "critical_reagent",
}
_QUALIFIED: dict[Kind, str] = {
    "positive": "identity, response in 3 runs, storage and passage limits",
    "negative": "no response above background in 3 runs",
    "reference": "value assigned in 6 or more runs, stability followed",
    "critical_reagent": "identity, purity, activity; two lots bridged before the first is used up",
}
_PURPOSE: dict[Kind, str] = {
    "positive": "shows that the assay can respond",
    "negative": "shows what is not due to the target or product",
    "reference": "unit of the result",
    "critical_reagent": "what the signal hangs on",
}


def list_controls(package: Package, case: Case) -> list[ControlOrReagent]:
    """Return the controls and reagents of all assays, each once with the assays that use it."""
    used: dict[str, list[str]] = {}
    for chosen in package.chosen:
        for name in map(case.fill, parts(chosen.row.controls)):
            used.setdefault(name, []).append(chosen.name)
    if case.target and any(choice.row.is_on_target for choice in package.chosen):
        name = case.fill("{reagent}")
        used.setdefault(name, [choice.name for choice in package.chosen if choice.row.is_on_target])
    controls = [_control(name, assays) for name, assays in used.items()]
    return sorted(
        controls,
        key=lambda control: (list(_QUALIFIED).index(control.kind), control.name.casefold()),
    )


def _control(name: str, assays: list[str]) -> ControlOrReagent:
    kind = _KINDS[role_of(name)]
    return ControlOrReagent(
        name=name,
        kind=kind,
        assays=list(dict.fromkeys(assays)),
        purpose=_PURPOSE[kind],
        qualification=_QUALIFIED[kind] if is_critical(name) or kind == "negative" else "",
        cost_band=None,
        source_ids=[],
    )


def list_models(case: Case) -> list[ModelSystem]:
    """Return the model systems of the target and of the kind of product."""
    rows: tuple[GeneralModelRow, ...] = load_rows("general_models", GeneralModelRow)
    general = [
        ModelSystem(
            name=row.name,
            type=row.type,
            fit_for=row.fit_for,
            limits=row.limits,
            target_expression=None,
            basis="expert",
            source_ids=[],
        )
        for row in rows
        if case.request.modality in parts(row.modalities)
        and (not row.product_classes or case.product_class in parts(row.product_classes))
    ]
    return [*_lines(case), *general]


def _lines(case: Case) -> list[ModelSystem]:
    if case.lines is None:
        return []
    row = case.lines
    limits = f"antigen density to be measured; {row.species}"
    if row.place == "soluble":
        limits = f"response to the target to be shown; {row.species}"
    elif row.place != "surface":
        limits = f"dependence on the target to be shown; {row.species}"
    systems = [
        ModelSystem(
            name=name,
            type="cell_line",
            fit_for=f"cells that respond to {case.target}"
            if row.place == "soluble"
            else f"{case.target}-positive cells",
            limits=limits,
            target_expression="positive",
            basis="expert",
            source_ids=[],
        )
        for name in parts(row.positives)
    ]
    negative = ModelSystem(
        name=row.negatives,
        type="cell_line",
        fit_for=f"negative control of {case.target}",
        limits="absence of the target to be shown in each bank",
        target_expression="negative",
        basis="expert",
        source_ids=[],
    )
    return [*systems, negative]
