"""Designs on the starter pack: what experts accept, and each kind of fault once."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from core.agents.clinical_trial_design.expectations import load_expectations
from core.agents.clinical_trial_design.pipeline import run
from core.agents.clinical_trial_design.planning import PlanningRow
from core.agents.clinical_trial_design.records import Calculation
from core.agents.clinical_trial_design.schema import (
    ClinicalTrialDesignData,
    ClinicalTrialDesignRequest,
)
from core.settings import Settings
from core.vocabulary.endpoints import classify_endpoint
from core.vocabulary.tables import load_rows
from storage.stores import open_stores
from tests.contexts import make_context
from tests.core.agents.clinical_trial_design.accepted_designs import ACCEPTED, Accepted
from tests.instances import NOW, link, starter_home
from tests.rows import drawn

pytestmark = pytest.mark.xdist_group("starter")
Design = Callable[..., ClinicalTrialDesignData]
_BY_NAME: Mapping[str, Accepted] = {case.name: case for case in ACCEPTED}
WARFARIN = {"effect": 0.60, "ci_low": 0.45, "ci_high": 0.80}


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Design]:
    """Return what designs a case of the table on the starter pack; fields add to its request."""
    home = link(starter_home(), tmp_path_factory.mktemp("designs") / "instance")
    settings = Settings(home=home, database_url=None)
    stores = open_stores(settings)
    context = make_context(NOW, stores, settings=settings)

    def ask(name: str, **fields: Any) -> ClinicalTrialDesignData:
        request = {**_BY_NAME[name].request, **fields}
        return run(ClinicalTrialDesignRequest.model_validate(request), context)

    yield ask
    stores.engine.close()


@pytest.mark.parametrize("case", drawn(ACCEPTED, 10), ids=lambda case: case.name)
def test_endpoint_control_and_size_are_those_that_experts_accept(
    case: Accepted, design: Design
) -> None:
    data = design(case.name)
    hits = case.has_endpoint(data), case.has_control(data), case.has_size(data)
    assert hits == (True, True, True)


def primary(data: ClinicalTrialDesignData) -> str:
    return next(one.endpoint for one in data.endpoint_strategy if one.role == "primary")


def calculation(data: ClinicalTrialDesignData, word: str) -> Calculation:
    made = data.statistical_design_recommendations.calculations
    return next(one for one in made if word in one.method)


def test_a_claim_of_an_outcome_decides_the_endpoint(design: Design) -> None:
    plain = {"indication": "hypercholesterolemia", "intended_label_claim": None}
    lowered = design("Lp(a) siRNA with a MACE claim", **plain)
    claimed = design("Lp(a) siRNA with a MACE claim", indication="hypercholesterolemia")
    assert "LDL" in primary(lowered)
    assert "MACE" in primary(claimed)


def test_two_agencies_give_two_pathways(design: Design) -> None:
    told = design("severe asthma, TSLP", geography="FDA, EMA")
    pathway = told.regulatory_pathway
    assert {one.agency for one in pathway.options} == {"FDA", "EMA"}
    assert pathway.agency == "FDA and EMA"
    assert [one.agency for one in told.regulatory_expectations] == ["FDA", "EMA"]
    assert not any(one.startswith("geography_unknown") for one in told.warnings)


def test_a_designation_is_no_route_and_an_orphan_needs_no_pediatric_plan(design: Design) -> None:
    orphan = design("neuroblastoma, GD2, orphan")
    other = design("neuroblastoma, GD2, orphan", regulatory_designations=None)
    assert orphan.regulatory_pathway.likely.startswith("accelerated approval")
    fired = [
        {one.pathway for one in data.regulatory_pathway.options if one.fired}
        for data in (orphan, other)
    ]
    assert "pediatric plan (PREA)" in fired[1] - fired[0]


def test_a_biosimilar_is_shown_to_be_equivalent(design: Design) -> None:
    told = design("adalimumab biosimilar, EMA")
    statistics = told.statistical_design_recommendations
    assert statistics.framework == "equivalence"
    assert told.regulatory_pathway.likely.startswith("similar biological medicinal product")
    assert sum(one.fired for one in told.regulatory_pathway.options) == 1


def test_fourth_line_stays_fourth_line_and_slots_set_the_pace(design: Design) -> None:
    told = design("GPRC5D CAR-T, first in human")
    assert told.target_patient_population.line_of_therapy == "fourth line or later"
    criteria = [one.criterion for one in told.target_patient_population.inclusion]
    assert not any(word in one for one in criteria for word in ("2L", "3L"))
    months = told.operational_feasibility_analysis.enrollment_months
    n = told.statistical_design_recommendations.sample_size.planned_total
    assert months is not None
    assert n is not None
    assert months >= n / 4
    terms = {one.term for one in told.safety_monitoring_recommendations.special_interest}
    assert {"dysgeusia", "cerebellar events", "skin and nail toxicity"} <= terms


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("after two or more lines of systemic therapy", "3L"),
        ("at least one prior line", "2L"),
        ("two prior therapies", "3L"),
        ("three or more prior lines", "fourth line or later"),
        ("5L", "fourth line or later"),
        ("second line", "2L"),
    ],
)
def test_lines_are_read_as_labels_write_them(design: Design, said: str, line: str) -> None:
    told = design("mCRPC, PSMA radioligand", line_of_therapy=said)
    assert told.target_patient_population.line_of_therapy == line
    assert not any(one.startswith("not_resolved") for one in told.warnings)


def test_sites_grow_with_participants(design: Design) -> None:
    sites = [
        design(
            "type 2 diabetes, GIP/GLP-1", preliminary_efficacy_data=data
        ).operational_feasibility_analysis.planned_sites
        for data in (None, {"measure": "HbA1c", "value": -0.2, "control_value": 0.0})
    ]
    assert sites[0] is not None
    assert sites[1] is not None
    assert sites[1] > 2 * sites[0]


def test_given_deviation_and_control_are_used_without_a_result_of_the_drug(
    design: Design,
) -> None:
    given = {"measure": "MADRS total score", "standard_deviation": 9.0, "control_value": -12.0}
    told = design("major depressive disorder", preliminary_efficacy_data=given)
    statistics = told.statistical_design_recommendations
    assert (statistics.variance.value, statistics.variance.basis) == (324.0, "request")
    assert (statistics.control.value, statistics.control.basis) == (-12.0, "request")
    assert statistics.effect.basis == "planning"
    assert not any(one.startswith("value_not_used") for one in told.warnings)
    plain = design("major depressive disorder").statistical_design_recommendations
    assert {plain.variance.basis, plain.control.basis, plain.effect.basis} == {"planning"}


@pytest.mark.parametrize(
    "name",
    [
        "RSV vaccine, 60 and older",
        "wet AMD gene therapy",
        "adalimumab biosimilar, EMA",
        "Fabry AAV with RMAT",
        "MASH F2-F3",
        "NSCLC 1L, PD-1 x VEGF",
    ],
)
def test_own_data_equal_to_the_planning_values_give_their_size(design: Design, name: str) -> None:
    planned = design(name)
    statistics = planned.statistical_design_recommendations
    effect, control = statistics.effect.value, statistics.control.value
    assert effect is not None
    assert control is not None
    is_ratio = "ratio" in statistics.effect.unit
    own: dict[str, object] = {
        "measure": f"hazard ratio for {primary(planned)}" if is_ratio else primary(planned),
        "value": effect if is_ratio else round(control + effect, 6),
        "control_value": control,
    }
    if statistics.endpoint_type == "mean change":
        own["standard_deviation"] = statistics.variance.inputs["standard deviation"]
    again = design(name, preliminary_efficacy_data=own).statistical_design_recommendations
    assert again.effect.basis == "request"
    assert again.sample_size.inflated_total == statistics.sample_size.inflated_total


def test_own_control_of_a_hazard_ratio_is_planned_with(design: Design) -> None:
    own = {"measure": "overall survival hazard ratio", "value": 0.75, "control_value": 10.0}
    told = design("NSCLC 2L, TROP2 conjugate", preliminary_efficacy_data=own)
    statistics = told.statistical_design_recommendations
    assert (statistics.control.value, statistics.control.basis) == (10.0, "request")
    assert (statistics.effect.value, statistics.effect.basis) == (0.75, "request")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("plaque psoriasis, oral IL-23", "proportion"),
        ("severe asthma, TSLP", "rate"),
        ("major depressive disorder", "mean change"),
        ("RSV vaccine, 60 and older", "time to event"),
    ],
)
def test_type_of_the_endpoint_follows_its_measure(design: Design, name: str, kind: str) -> None:
    assert design(name).statistical_design_recommendations.endpoint_type == kind


def test_history_gives_the_margin_that_its_inputs_give_by_hand(design: Design) -> None:
    own = {
        "measure": "hazard ratio for stroke",
        "value": 1.0,
        "historical_trials": [WARFARIN],
        "preserved_fraction": 0.5,
    }
    told = design("stroke prevention, factor XI", preliminary_efficacy_data=own)
    fixed, mean = calculation(told, "M1, M2").results
    assert (mean["M1"], mean["M2"], mean["margin"]) == (0.5108, 0.2554, 1.291)
    assert mean["events"] == math.ceil(4 * (1.959964 + 1.281552) ** 2 / 0.2554128**2)
    assert float(str(fixed["margin"])) < 1.291
    margin = told.comparator_strategy.non_inferiority.margin
    assert margin == pytest.approx(fixed["margin"], abs=1e-4)
    assert told.statistical_design_recommendations.framework == "non_inferiority"


@pytest.mark.parametrize(
    ("name", "drug", "fields"),
    [
        ("GPRC5D CAR-T, first in human", "panobinostat", {"development_stage": "Phase 2"}),
        ("sickle cell disease, CRISPR-edited CD34", "voxelotor", {}),
    ],
)
def test_a_withdrawn_drug_is_no_standard_of_care(
    design: Design, name: str, drug: str, fields: dict[str, Any]
) -> None:
    control = design(name, **fields).comparator_strategy
    options = [control.recommended, *(one.regimen for one in control.standard_of_care)]
    assert not any(drug in one.casefold() for one in options)


def test_competitors_that_are_not_held_are_reported(design: Design) -> None:
    named = ["NCT99999999", "NCT05089734"]
    told = design("NSCLC 2L, TROP2 conjugate", competitor_trials=named)
    notices = [one for one in told.warnings if one.startswith("competitor_unknown")]
    assert len(notices) == 1
    assert "NCT99999999" in notices[0]


def test_traits_and_events_are_those_of_disease_and_class(design: Design) -> None:
    diabetes = design("type 2 diabetes, GIP/GLP-1")
    factors = diabetes.proposed_trial_schema.randomization
    assert factors is not None
    assert "earlier biologic" not in factors.stratification
    lung = design("NSCLC 1L, PD-1 x VEGF").safety_monitoring_recommendations.special_interest
    terms = {one.term for one in lung}
    assert "cytokine release syndrome" not in terms
    assert {"hypertension", "proteinuria", "immune-mediated reactions"} <= terms


def test_expectations_lead_to_diseases_classes_plans_and_guidances(design: Design) -> None:
    rows = load_expectations()
    assert len({name for row in rows for name in row.diseases.split("|") if name}) >= 70
    assert all(classify_endpoint(row.endpoint_class) for row in rows)
    assert all(row.n_low <= row.n_high for row in rows)
    assert all(row.guidances or not row.guidance for row in rows)
    planned = {row.key for row in load_rows("planning_values", PlanningRow)}
    assert planned <= {row.key for row in rows}
    told = design("early Alzheimer disease, anti-amyloid").regulatory_expectations[0]
    assert [one.document for one in told.guidances] == ["2024-05178"]


LIVE = "live microbiome product"
PSMA = "PSMA-targeted actinium-225 radioligand"
TRACER = {"mechanism_of_action": "PSMA PET tracer, dosimetry known", "target": "PSMA"}
ACTIVIN_A = {"modality": "antibody", "mechanism_of_action": "activin A antibody"}
CD123 = {"modality": "CAR-T", "mechanism_of_action": "CD123 CAR-T", "development_stage": "Phase 1"}
TNK = {"mechanism_of_action": "plasminogen activator, thrombolytic"}
LSD = {"mechanism_of_action": "5-HT2A agonist"}
FIRST = {"modality": "gene therapy", "development_stage": "Preclinical"}
IN_CHILDREN = {"target_patient_population": "children 2 to 5 years with one F508del"}
SETTINGS: list[tuple[str, str, str, dict[str, Any], str, str, str]] = [
    (
        "C. difficile infection, prevention of recurrence",
        "other",
        LIVE,
        {},
        "recurr",
        "placebo",
        "",
    ),
    (
        "prevention of malaria",
        "antibody",
        "CSP antibody",
        {},
        "first clinical malaria",
        "placebo",
        "",
    ),
    (
        *("metastatic castration-resistant prostate cancer", "radioligand", PSMA),
        *({"line_of_therapy": "after lutetium PSMA"}, "progression-free", "active", "cabazitaxel"),
    ),
    (
        *("relapsed large B-cell lymphoma after two or more lines", "CAR-T", "CD19 CAR T cell"),
        *({}, "progression-free", "active", "axicabtagene.*epcoritamab"),
    ),
    (
        *("relapsed large B-cell lymphoma after two or more lines", "CAR-T", "CD22 CAR T cell"),
        *({"line_of_therapy": "after CD19 CAR-T"}, "response", "single_arm", "after CAR-T"),
    ),
    (
        *("cystic fibrosis", "small molecule", "CFTR corrector"),
        *(IN_CHILDREN, "pharmacokinetics", "single_arm", ""),
    ),
    (
        *(
            "prevention of invasive pneumococcal disease in infants",
            "vaccine",
            "24-valent conjugate",
        ),
        *({}, "IgG responders", "active", "20-valent"),
    ),
    (
        "venous thromboembolism prophylaxis",
        "antibody",
        "factor XI",
        {},
        "deep vein",
        "active",
        "enox",
    ),
    (
        *("vasomotor symptoms in women on adjuvant therapy for breast cancer", "small molecule"),
        *("NK3 antagonist", {}, "vasomotor", "placebo", ""),
    ),
    (
        *("delay of stage 3 type 1 diabetes in patients with stage 2", "antibody", "CD3 antibody"),
        *({}, "time to clinical", "placebo", ""),
    ),
    (
        *("multidrug-resistant pulmonary tuberculosis", "small molecule", "DprE1 inhibitor", {}),
        *("unfavorable", "active", "bedaquiline"),
    ),
    (
        *("obesity in adolescents 12 to 17 years", "peptide", "GLP-1 agonist", {}),
        *("body mass index", "placebo", ""),
    ),
    (
        *("systemic lupus erythematosus", "cell therapy", "CD19 CAR-T cell", {}),
        *("DORIS", "single_arm", "blinded"),
    ),
    (
        *("myasthenia gravis", "cell therapy", "BCMA chimeric antigen receptor T cell", {}),
        *("MG-ADL", "active", "without placebo"),
    ),
    (
        *("neonatal opioid withdrawal syndrome", "small molecule", "partial mu opioid agonist", {}),
        *("days of opioid treatment", "active", "morphine"),
    ),
    (
        *("acute ischemic stroke", "protein", "plasminogen activator thrombolytic", {}),
        *("Rankin", "active", "alteplase"),
    ),
    (
        *("chronic lymphocytic leukemia", "small molecule", "BTK degrader"),
        *({"target_patient_population": "after a BTK inhibitor and a BCL2 inhibitor"},),
        *("progression-free", "active", "idelalisib"),
    ),
    (
        *("renal cell carcinoma", "small molecule", "HIF-2alpha inhibitor"),
        *({"target_patient_population": "after a PD-1 inhibitor"},),
        *("progression-free", "active", "everolimus"),
    ),
    (
        *("BRCA-mutated ovarian cancer", "small molecule", "PARP1 inhibitor"),
        *({"line_of_therapy": "first-line maintenance"}, "progression-free", "active", "olaparib"),
    ),
    (
        *("spinal muscular atrophy in infants", "small molecule", "SMN2 splicing modifier", {}),
        *("HINE-2", "single_arm", "natural history"),
    ),
    (
        *("infantile spasms", "small molecule", "GABA transaminase inhibitor", {}),
        *("hypsarrhythmia", "active", "corticotropin"),
    ),
    (
        *("status epilepticus", "small molecule", "GABA-A modulator", {}),
        *("seizures stopped", "active", "lorazepam"),
    ),
    (
        *("geographic atrophy", "small molecule", "complement factor B inhibitor"),
        *({"route_of_administration": "oral"}, "growth of the area", "placebo", "^placebo$"),
    ),
    (
        *("Crohn's disease in children", "antibody", "IL-23 antibody", {}),
        *("PCDAI", "dose_control", "no placebo"),
    ),
    (
        *("acute myeloid leukemia", "small molecule", "menin inhibitor"),
        *({"combination_partners": ["azacitidine", "venetoclax"]},),
        *("overall survival", "add_on_placebo", "^placebo with azacitidine and venetoclax$"),
    ),
    (
        *("adjuvant pancreatic cancer", "small molecule", "KRAS inhibitor", {}),
        *("disease-free", "active", "FOLFIRINOX"),
    ),
    (
        *("newly diagnosed glioblastoma", "vaccine", "dendritic cell vaccine", {}),
        *("overall survival", "active", "temozolomide"),
    ),
    (
        *("multiple myeloma after daratumumab", "bispecific antibody", "GPRC5D x CD3", {}),
        *("progression-free", "active", "not refractory"),
    ),
    (
        *("venous thromboembolism with cancer", "antibody", "factor XI antibody", {}),
        *("recurrent", "active", "apixaban 10 mg"),
    ),
    (
        *("rabies post-exposure prophylaxis", "antibody", "rabies virus antibody", {}),
        *("neutralizing activity", "active", "HRIG.*vaccine"),
    ),
    (
        *("tetanus prophylaxis after injury", "antibody", "tetanus toxin antibody", {}),
        *("neutralizing activity", "active", "HTIG"),
    ),
    (
        *("prevention of hepatitis B after liver transplant", "antibody", "HBsAg antibody", {}),
        *("recurrence", "active", "HBIG"),
    ),
    (
        *("measles post-exposure prophylaxis", "antibody", "measles virus antibody", {}),
        *("infection", "active", "recommended post-exposure"),
    ),
    (
        *("prostate cancer", "diagnostic agent", "PSMA PET tracer", {}),
        *("detection rate.*blinded independent", "single_arm", "no control"),
    ),
    (
        *("blastic plasmacytoid dendritic cell neoplasm", "CAR-T", "CD123 CAR-T"),
        *({"line_of_therapy": "second line", "development_stage": "Phase 1"},),
        *("complete remission", "single_arm", "no control"),
    ),
    (
        *("CMV prevention after kidney transplant", "small molecule", "terminase inhibitor", {}),
        *("CMV disease", "active", "valganciclovir"),
    ),
    (
        *("recurrent glioblastoma", "CAR-T", "IL13RA2 CAR-T", {"development_stage": "Phase 1"}),
        *("objective response", "single_arm", "no control"),
    ),
    (
        *("cytomegalovirus disease prevention in kidney transplant", "small molecule"),
        *("terminase inhibitor", {}, "CMV disease", "active", "valganciclovir"),
    ),
    (
        *("CMV prevention after stem cell transplant", "small molecule", "terminase inhibitor"),
        *({}, "clinically significant", "placebo", "^placebo$"),
    ),
    (
        *("inhalational anthrax", "antibody", "protective antigen antibody", {}),
        *("survival in animals", "placebo", "human safety study"),
    ),
    (
        *("acute ischemic stroke 4.5 to 24 hours after onset", "enzyme", "thrombolytic", {}),
        *("Rankin", "placebo", "on top of standard"),
    ),
    (
        *("adjuvant urothelial carcinoma", "small molecule", "FGFR inhibitor", {}),
        *("disease-free", "active", "nivolumab"),
    ),
    (
        *("acute intermittent porphyria", "RNA therapy", "ALAS1 siRNA", {}),
        *("porphyria attacks", "placebo", "hemin"),
    ),
    (
        *("prevention of mpox", "vaccine", "modified vaccinia Ankara vaccine", {}),
        *("neutralizing antibody", "active", "MVA-BN"),
    ),
    (
        *("fibrodysplasia ossificans progressiva", "antibody", "activin A antibody", {}),
        *("heterotopic bone", "placebo", "placebo"),
    ),
    (
        *("generalized anxiety disorder", "small molecule", "5-HT2A agonist", {}),
        *("HAM-A", "placebo", "functional unblinding"),
    ),
    (
        *("mucopolysaccharidosis type 2", "enzyme", "crosses the blood-brain barrier", {}),
        *("heparan sulfate", "active", "idursulfase"),
    ),
]
"""Indication, kind and mechanism, further fields; endpoint, kind of control, its words."""


@pytest.mark.parametrize(
    ("indication", "modality", "mechanism", "fields", "endpoint", "control", "words"),
    drawn(SETTINGS, 16),
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_intent_age_and_earlier_treatment_decide_the_design(
    design: Design,
    indication: str,
    modality: str,
    mechanism: str,
    fields: dict[str, Any],
    endpoint: str,
    control: str,
    words: str,
) -> None:
    data = design(
        "type 2 diabetes, GIP/GLP-1",
        indication=indication,
        modality=modality,
        mechanism_of_action=mechanism,
        target=mechanism.split(maxsplit=1)[0],
        **fields,
    )
    assert re.search(endpoint, primary(data))
    assert data.comparator_strategy.type == control
    assert re.search(words, data.comparator_strategy.recommended)
    assert data.statistical_design_recommendations.sample_size.planned_total
    assert any(entry.role == "key_secondary" for entry in data.endpoint_strategy)


@pytest.mark.parametrize(
    ("indication", "fields", "answer", "right", "wrong"),
    [
        ("opioid use disorder", {}, "exclusion", "detoxification", "^substance use disorder"),
        ("follicular lymphoma", {}, "exclusion", "nervous system", "brain metastases"),
        ("glioblastoma", {}, "exclusion", "organ function", "brain metastases"),
        ("contraception", {}, "summary", "Women at risk of pregnancy.*from 16", "confirmed"),
        ("Duchenne muscular dystrophy", {"modality": "gene therapy"}, "summary", "4 .*7 ", "18"),
        ("chikungunya", {"modality": "vaccine", "target": "E2"}, "positions", "recruit", "DLAT"),
        ("ulcerative colitis in children", {}, "exposure", "^$", "ICH E1"),
        (
            *("prevention of RSV lower respiratory tract disease in infants", {}, "precedents"),
            *("(?i)syncytial", "(?i)lung|asthma|obstructive"),
        ),
        ("sickle cell disease", {"modality": "gene therapy"}, "stopping", "dosing", "Hy's law"),
        ("ovarian cancer", {"line_of_therapy": "maintenance"}, "scenarios", "80%", "objective"),
        (
            *("multiple myeloma", {"line_of_therapy": "fourth line or later"}, "scenarios"),
            *("randomized.*progression-free", "single-arm[^;]*overall survival"),
        ),
        *(
            ("inhalational anthrax", {}, "pathways", "Animal Rule", "unmet"),
            ("asthma", {"modality": "antibody"}, "pathways", "PREA", "bispecific"),
            ("acute intermittent porphyria", {}, "care", "givosiran", "tecovirimat"),
            (
                "prostate cancer",
                {"modality": "diagnostic agent", **TRACER},
                "terms",
                "dosi",
                "mouth",
            ),
            ("fibrodysplasia ossificans progressiva", ACTIVIN_A, "terms", "death", "erythrocyt"),
            ("fibrodysplasia ossificans progressiva", {}, "rationale", "requested", "precedent"),
            ("adjuvant urothelial carcinoma", {}, "strata", "nodal", "earlier lines"),
            ("adjuvant urothelial carcinoma", {}, "pathways", "PREA", "no approved use"),
            ("adjuvant urothelial carcinoma", {}, "precedents", "Muscle-invasive", "Metastatic"),
            ("BPDCN, second line", CD123, "exclusion", "nervous system", "brain"),
            ("acute myeloid leukemia", CD123, "steps", "meeting", "two doses"),
            ("prevention of mpox", {"modality": "vaccine"}, "summary", "HIV", "confirmed"),
            ("acute ischemic stroke, late window", TNK, "alpha", "shift", "hemorrhage"),
            ("generalized anxiety disorder", LSD, "exclusion", "psychosis", "^substance"),
            ("hemophilia B", FIRST, "exclusion", "antibodies to the capsid", "inadequate"),
            ("hemophilia B", FIRST, "first study", "treated.*no arms.*none", "randomized|False"),
        ),
    ],
)
def test_parts_of_a_design_fit_the_disease_and_each_other(
    design: Design, indication: str, fields: dict[str, str], answer: str, right: str, wrong: str
) -> None:
    plain = {"modality": "small molecule", "mechanism_of_action": "unknown", "target": "unknown"}
    data = design("type 2 diabetes, GIP/GLP-1", **{**plain, "indication": indication, **fields})
    people, safety = data.target_patient_population, data.safety_monitoring_recommendations
    numbers, control = data.statistical_design_recommendations, data.comparator_strategy
    randomization = data.proposed_trial_schema.randomization
    options = data.regulatory_pathway.options
    ways = data.strategy_scenarios
    texts = {
        "exclusion": [entry.criterion for entry in people.exclusion],
        "summary": [people.summary, *(entry.criterion for entry in people.inclusion)],
        "positions": data.executive_summary.competitive_positioning_considerations,
        "precedents": [row.indication for row in data.precedents],
        "pathways": [one.pathway + one.trigger for one in options if one.fired],
        "care": [one.regimen for one in control.standard_of_care],
        "terms": [one.term + one.monitoring for one in safety.special_interest],
        "rationale": [entry.rationale for entry in people.inclusion],
        "strata": randomization.stratification if randomization else [],
        "steps": [one.step for one in data.recommended_next_steps],
        "alpha": numbers.multiplicity.family,
        "first study": [
            f"{numbers.estimand.summary} {control.non_inferiority.basis} "
            f"{data.endpoint_strategy[0].supports} {safety.dmc.needed}"
        ],
        "exposure": [safety.safety_database.expected],
        "stopping": [rule.rule + rule.event for rule in safety.stopping_rules],
        "scenarios": ["; ".join(way.design_type + way.primary_endpoint for way in ways)],
    }[answer]
    assert any(re.search(right, text) for text in texts)
    assert not any(re.search(wrong, text) for text in texts)


@pytest.mark.parametrize(
    "population",
    [
        "HER2-positive and HER2-negative breast cancer",
        "EGFR mutant, EGFR wild-type",
        "first line and fourth line",
        "children older than 80 years",
        "treatment-naive, second line",
        "17 to 12 years",
        "newly diagnosed, relapsed or refractory",
        "newborns with Parkinson disease",
        "neonatal sepsis in adults",
        "prostate cancer in women",
        "ovarian cancer in men",
    ],
)
def test_populations_that_exclude_each_other_are_reported(design: Design, population: str) -> None:
    data = design("HER2-low breast cancer, 2L", target_patient_population=population)
    assert any(text.startswith("contradiction:") for text in data.warnings)
    assert data.executive_summary.confidence == "low"
    assert not re.search(r"HER2-\w+, HER2-", data.target_patient_population.summary)


def test_a_population_without_contradiction_is_not_reported(design: Design) -> None:
    population = "HR-positive, HER2-negative, progressed after first-line therapy, second line"
    data = design("HER2-low breast cancer, 2L", target_patient_population=population)
    assert not any(text.startswith("contradiction:") for text in data.warnings)
