"""Plans of assays: every combination answers, contrasts differ, limits name their document."""

from collections.abc import Callable
from itertools import product
from typing import Any, get_args

import pytest

from core.agents.assay_development import pipeline
from core.agents.assay_development.case import DEPTHS, understand
from core.agents.assay_development.package import choose
from core.agents.assay_development.planning import plan_weeks
from core.agents.assay_development.schema import (
    AssayDevelopmentData,
    AssayDevelopmentRequest,
    Goal,
    Modality,
    Stage,
)
from core.knowledge.assays.rows import (
    CriterionRow,
    FormatRow,
    NeedRow,
    PlateLegendRow,
    PlateRow,
    ProtocolRow,
    RunOrderRow,
    documents,
    holds_for,
    model_systems,
    protocols,
)
from core.vocabulary.tables import load_rows
from tests.rows import over_rows

Plan = Callable[..., AssayDevelopmentData]
STAGES = get_args(Stage)


@pytest.fixture(scope="module")
def plan(assay_context: Any) -> Plan:
    def make(**fields: Any) -> AssayDevelopmentData:
        given = {"modality": "CAR-T", "indication": "myeloma", "assay_goal": "potency"} | fields
        return pipeline.run(AssayDevelopmentRequest.model_validate(given), assay_context)

    return make


def keys(data: AssayDevelopmentData) -> set[str]:
    return {one.key for entry in data.recommended_assay_package for one in entry.formats}


def shared(first: AssayDevelopmentData, second: AssayDevelopmentData) -> float:
    return len(keys(first) & keys(second)) / len(keys(first) | keys(second))


def test_all_624_combinations_hold_their_mandatory_categories(assay_context) -> None:
    needs = load_rows("needs", NeedRow)
    for modality, goal in product(get_args(Modality), get_args(Goal)):
        depths = []
        for stage in STAGES:
            given = {"modality": modality, "assay_goal": goal, "development_stage": stage}
            request = AssayDevelopmentRequest.model_validate(given | {"indication": "any"})
            case = understand(request, assay_context.resolver)
            package = choose(case)
            must = {
                row.category
                for row in needs
                if row.need == "mandatory"
                and row.goal == goal
                and STAGES.index(row.from_stage) <= STAGES.index(stage)
                and holds_for(row.modalities, modality)
            }
            assert {one.key for one in package.categories if one.need == "mandatory"} == must
            assert all(one.formats for one in package.categories)
            depths.append(case.depth)
            weeks, _ = plan_weeks(package, case)
            ends = {one.activity: one.end_week for one in weeks}
            for step in weeks:
                assert all(ends[name] <= step.start_week for name in step.depends_on)
        assert depths == sorted(depths, key=DEPTHS.index)


@over_rows(
    ("first", "second"),
    [
        ({"modality": "gene therapy"}, {"modality": "RNA therapy"}),
        ({}, {"product_details": {"cell_source": "allogeneic donors"}}),
        (
            {"modality": "antibody", "development_stage": "discovery"},
            {"modality": "antibody", "development_stage": "phase3"},
        ),
        ({}, {"modality": "ADC", "assay_goal": "translational_biomarkers"}),
        (
            {"modality": "small molecule", "assay_goal": "candidate_selection"},
            {"modality": "T cell engager"},
        ),
    ],
)
@over_rows("goal", get_args(Goal))
def test_named_contrasts_share_few_assays(plan, first, second, goal) -> None:
    one = plan(**{"assay_goal": goal} | first)
    other = plan(**{"assay_goal": goal} | second)
    assert shared(one, other) <= 0.4


def test_another_target_changes_lines_controls_and_reagent(plan) -> None:
    """Each target of the table names a positive line, a negative one and a reagent of its own."""
    systems = load_rows("model_systems", type(next(iter(model_systems().values()))))
    assert len(systems) >= 120
    surface = [one for one in systems if one.place == "surface"][:20]
    for row in surface:
        target = row.target.split(";")[0]
        data = plan(target=target, modality="ADC", assay_goal="potency")
        names = {one.name for one in data.controls_and_reagents}
        assert f"{row.negatives}: antigen-negative" in names
        assert any("recombinant" in one for one in names)
        assert {one.name for one in data.model_systems} >= {row.negatives}


def test_a_target_without_a_row_gets_no_line(plan) -> None:
    data = plan(target="QZX-99 receptor")
    assert not [one for one in data.model_systems if one.type == "cell_line"]
    assert any(one.startswith("not_resolved:") for one in data.warnings)


def test_every_criterion_names_document_and_section_or_is_expert() -> None:
    for row in load_rows("criteria", CriterionRow):
        assert row.basis == "expert" or (row.document and row.source_locator), row.parameter
        assert not row.document or row.document in documents()
    for row in load_rows("formats", FormatRow):
        assert row.context in protocols()


def test_ligand_binding_and_chromatography_never_share_a_limit(plan) -> None:
    data = plan(modality="ADC", assay_goal="translational_biomarkers", development_stage="phase3")
    by_assay = {}
    for one in data.validation_plan.parameters:
        by_assay.setdefault(one.assay, {})[one.parameter] = one.criterion
    payload = next(limits for name, limits in by_assay.items() if "Free payload" in name)
    total = next(limits for name, limits in by_assay.items() if "Total antibody" in name)
    assert "15 %" in payload["Calibration"]
    assert "20 %" in total["Calibration"]
    assert "25 %" in total["Calibration"]


@over_rows(
    ("fields", "section"),
    [
        ({"target": "BCMA"}, "controls_and_reagents"),
        ({"mechanism": "allogeneic killing"}, "recommended_assay_package"),
        ({"development_stage": "phase3"}, "validation_plan"),
        ({"product_details": {"cell_source": "allogeneic"}}, "recommended_assay_package"),
        ({"sample_context": {"volume_ul": 20}}, "protocol_skeletons"),
        ({"constraints": {"excluded_formats": ["killing"]}}, "recommended_assay_package"),
        ({"requested_categories": ["potency"]}, "recommended_assay_package"),
        ({"include_qc_release": False}, "qc_release_strategy"),
        ({"include_protocol_skeletons": False}, "protocol_skeletons"),
    ],
)
def test_each_optional_field_changes_a_section(plan, fields, section) -> None:
    assert getattr(plan(), section) != getattr(plan(**fields), section)


@over_rows(
    ("fields", "code"),
    [
        ({"assay_goal": "CMC_release", "development_stage": "discovery"}, "goal_before_stage"),
        ({"requested_categories": ["potency"]}, "mandatory_removed"),
        ({"requested_categories": ["blorb"]}, "not_resolved"),
        ({"constraints": {"weeks": 2}}, "too_long"),
        ({"constraints": {"weeks": "two"}}, "input_not_used"),
        ({"product_details": {"color": "red"}}, "input_not_used"),
        ({"modality": "other"}, "outline"),
        ({"indication": "make a more transmissible influenza"}, "refused"),
    ],
)
def test_what_cannot_be_followed_is_told(plan, fields, code) -> None:
    codes = [one.partition(":")[0] for one in plan(**fields).warnings]
    assert code in codes


def test_a_refused_request_plans_nothing(plan) -> None:
    data = plan(modality="vaccine", mechanism="increase virulence in ferrets")
    assert data.recommended_assay_package == data.protocol_skeletons == data.timeline == []
    assert not data.qc_release_strategy.tests


def test_equal_requests_give_equal_bytes(plan) -> None:
    assert plan(target="BCMA").model_dump_json() == plan(target="BCMA").model_dump_json()


CAR_T = {"CAR expression", "T cell purity", "Vector copy number", "Dose", "Residual beads"}


def test_no_assay_is_validated_against_attributes_of_another_products_lots(plan) -> None:
    for modality in ("NK cell therapy", "TIL therapy", "TCR-T"):
        data = plan(modality=modality, assay_goal="CMC_release", development_stage="phase3")
        assert not CAR_T & {one.parameter for one in data.validation_plan.parameters}
    data = plan(assay_goal="CMC_release", development_stage="phase3")
    of_apheresis = [one for one in data.validation_plan.parameters if "apheresis" in one.assay]
    assert of_apheresis
    assert not CAR_T & {one.parameter for one in of_apheresis}


@over_rows(
    ("details", "has_cap"), [({"format": "GalNAc siRNA"}, False), ({"format": "mRNA"}, True)]
)
def test_a_short_rna_has_no_assay_of_messenger_rna(plan, details, has_cap) -> None:
    """A small interfering RNA has no cap, no tail and no lipid."""
    names = ""
    for goal in ("CMC_release", "IND_enabling"):
        data = plan(
            modality="RNA therapy",
            product_details=details,
            assay_goal=goal,
            development_stage="IND_enabling",
        )
        formats = [one for entry in data.recommended_assay_package for one in entry.formats]
        names += " ".join(one.name for one in formats)
    assert ("cap and tail" in names) == has_cap
    assert ("lipid" in names) == has_cap
    assert "strand purity" in names or has_cap


@over_rows("row", load_rows("protocols", ProtocolRow))
def test_every_protocol_has_a_plate_whose_codes_are_told_or_an_order_of_runs(row) -> None:
    plates = [one for one in load_rows("plates", PlateRow) if one.layout == row.layout]
    orders = [one for one in load_rows("run_orders", RunOrderRow) if one.layout == row.layout]
    assert bool(plates) != bool(orders)
    legends = load_rows("plate_legends", PlateLegendRow)
    told = {one.code for one in legends if one.layout == row.layout}
    for wells in {one.wells for one in plates}:
        lines = [one.codes for one in plates if one.wells == wells]
        assert len(lines) * len(lines[0]) == wells
        assert set("".join(lines)) <= told
        outer = lines[0] + lines[-1] + "".join(line[0] + line[-1] for line in lines)
        assert "E" not in told or set(outer) == {"E"}


@over_rows("modality", ["CAR-T", "TCR-T", "NK cell therapy", "gene therapy"])
def test_protocols_of_cells_and_vectors_ask_for_no_weighing(plan, modality) -> None:
    skeletons = plan(
        modality=modality, assay_goal="CMC_release", development_stage="phase3"
    ).protocol_skeletons
    assert skeletons
    assert not [s.action for one in skeletons for s in one.steps if "weighing" in s.action]


def test_killing_is_titrated_over_effector_to_target_ratios(plan) -> None:
    killing = next(one for one in plan().protocol_skeletons if one.assay.startswith("Killing"))
    assert any("effector-to-target" in step.action for step in killing.steps)
    assert any("effectors without receptor" in one.meaning for one in killing.layout.legend)
