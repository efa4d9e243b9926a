"""Boxed warnings by class and disease: classes whose labels have one, and classes without.

Written from labels as of 2026, before the rules that answer. Read on the starter pack.
"""

from collections.abc import Callable
from typing import Any

import pytest

from core.agents.label_strategy.schema import LabelStrategyData
from tests.rows import drawn, over_rows

Draft = Callable[..., LabelStrategyData]


def case(
    name: str, target: str, modality: str, mechanism: str, indication: str, term: str = ""
) -> tuple[str, dict[str, str], str]:
    """Return the fields of a request, and what its box warns of; "" for a class without one."""
    fields = {
        "asset_name": "XYZ-101",
        "target": target,
        "modality": modality,
        "mechanism_of_action": mechanism,
        "indication": indication,
    }
    return name, fields, term


AB, SM, CAR, GT = "monoclonal antibody", "small molecule", "CAR-T", "gene therapy"
BOXED = [
    case("GLP-1", "GLP-1 receptor", "peptide", "GLP-1 receptor agonist", "type 2 diabetes",
         "thyroid C-cell tumors"),
    case("JAK", "JAK1", SM, "JAK1 inhibitor", "rheumatoid arthritis", "serious infections"),
    case("opioid", "mu opioid receptor", SM, "mu opioid receptor agonist", "acute pain",
         "respiratory depression"),
    case("IMiD", "cereblon", SM, "thalidomide analog", "multiple myeloma",
         "embryo-fetal toxicity"),
    case("C5", "C5", AB, "C5 complement inhibitor", "paroxysmal nocturnal hemoglobinuria",
         "meningococcal infections"),
    case("amyloid", "amyloid beta", AB, "anti-amyloid antibody", "Alzheimer disease", "ARIA"),
    case("SMA AAV", "SMN1", GT, "AAV9 gene replacement of SMN1", "spinal muscular atrophy",
         "hepatotoxicity"),
    case("FR-alpha conjugate", "folate receptor alpha", "antibody-drug conjugate",
         "FR-alpha-directed maytansinoid conjugate", "ovarian cancer", "ocular toxicity"),
    case("CD19 CAR-T", "CD19", CAR, "CD19-directed CAR-T", "large B-cell lymphoma",
         "cytokine release syndrome"),
    case("BCMA CAR-T", "BCMA", CAR, "BCMA-directed CAR-T", "multiple myeloma",
         "cytokine release syndrome"),
    case("fluoroquinolone", "DNA gyrase", SM, "fluoroquinolone antibacterial",
         "community-acquired bacterial pneumonia", "tendon rupture"),
    case("endothelin", "endothelin A receptor", SM, "endothelin receptor antagonist",
         "IgA nephropathy", "embryo-fetal toxicity"),
    case("botulinum", "SNAP-25", "protein biologic", "botulinum toxin type A",
         "cervical dystonia", "distant spread of toxin effect"),
    case("alpha-4 integrin", "alpha-4 integrin", AB, "alpha-4 integrin antibody",
         "relapsing multiple sclerosis", "progressive multifocal leukoencephalopathy"),
    case("depression, NMDA", "NMDA receptor", SM, "NMDA receptor antagonist",
         "major depressive disorder", "suicidality"),
    case("DMD AAV", "dystrophin", GT, "AAV micro-dystrophin", "Duchenne muscular dystrophy",
         "hepatotoxicity"),
    case("oral testosterone", "androgen receptor", SM, "oral testosterone prodrug",
         "hypogonadism", "hypertension"),
    case("lentiviral HSC", "beta-globin", GT, "lentiviral beta-globin gene addition to CD34+ cells",
         "sickle cell disease", "malignancies"),
    case("NK3", "NK3 receptor", SM, "NK3 receptor antagonist",
         "vasomotor symptoms due to menopause", "hepatotoxicity"),
    # further ways into the same rules, and further classes
    case("depression, kappa", "kappa opioid receptor", SM, "kappa opioid receptor antagonist",
         "major depressive disorder", "suicidality"),
    case("depression, 5-HT2A", "5-HT2A receptor", SM, "5-HT2A agonist",
         "treatment-resistant depression", "suicidality"),
    case("depression, SV2A", "SV2A", SM, "SV2A modulator", "bipolar depression", "suicidality"),
    case("CD19 CAR-T in lupus", "CD19", CAR, "autologous CD19 CAR-T",
         "systemic lupus erythematosus", "T-cell malignancies"),
    case("CD3 bispecific", "CD20 x CD3", "bispecific antibody", "CD20xCD3 T cell engager",
         "follicular lymphoma", "cytokine release syndrome"),
    case("factor Xa", "factor Xa", SM, "factor Xa inhibitor", "atrial fibrillation",
         "spinal hematoma"),
    case("TIL", "tumor antigens", "cell therapy", "autologous tumor-infiltrating lymphocytes",
         "melanoma", "mortality"),
    case("antipsychotic in dementia", "M1 and M4 receptor", SM, "atypical antipsychotic",
         "schizophrenia", "dementia-related mortality"),
    case("antipsychotic by what it blocks", "DRD2", SM, "dopamine D2 and 5-HT2A antagonist",
         "schizophrenia", "dementia-related mortality"),
    case("D2 partial agonist", "DRD2", SM, "dopamine D2 partial agonist", "bipolar I disorder",
         "dementia-related mortality"),
    case("ADHD, NET", "norepinephrine transporter", SM, "norepinephrine reuptake inhibitor",
         "attention deficit hyperactivity disorder", "suicidality"),
    case("buprenorphine depot", "mu opioid receptor", SM,
         "mu opioid receptor partial agonist, long-acting injection", "opioid use disorder",
         "serious harm or death if given into a vein"),
    case("BCMA conjugate", "BCMA", "antibody-drug conjugate", "BCMA-directed conjugate",
         "multiple myeloma", "ocular toxicity"),
    case("factor VIII mimetic", "Factor IXa x Factor X", "bispecific antibody",
         "factor VIII mimetic", "hemophilia A", "thrombotic microangiopathy"),
    case("sclerostin", "sclerostin", AB, "sclerostin antibody", "osteoporosis",
         "major adverse cardiovascular events"),
    case("activated factor VII", "Factor VII", "recombinant protein",
         "recombinant activated factor VII", "hemophilia A with inhibitors", "thrombosis"),
    case("mTOR against rejection", "mTOR", SM, "mTOR inhibitor",
         "prophylaxis of organ rejection after kidney transplant", "serious infections"),
    case("HIF-PH", "HIF prolyl hydroxylase", SM, "HIF prolyl hydroxylase inhibitor",
         "anemia of chronic kidney disease", "thrombosis"),
]  # fmt: skip
UNBOXED = [
    case("CD3 antibody", "CD3", AB, "anti-CD3 antibody", "type 1 diabetes"),
    case("mTOR in tuberous sclerosis", "mTOR", SM, "mTOR inhibitor",
         "seizures associated with tuberous sclerosis complex"),
    case("secnidazole", "unknown", SM, "nitroimidazole, secnidazole", "bacterial vaginosis"),
    case("NK1 and NK3", "NK3 receptor", SM, "NK1 and NK3 receptor antagonist",
         "vasomotor symptoms due to menopause"),
    case("TSLP", "TSLP", AB, "TSLP antibody", "asthma"),
    case("CFTR", "CFTR", SM, "CFTR corrector", "cystic fibrosis"),
    case("PD-1", "PD-1", AB, "PD-1 antibody", "non-small cell lung cancer"),
    case("IL-17", "IL-17A", AB, "IL-17A antibody", "plaque psoriasis"),
    case("IL-23", "IL-23", AB, "IL-23 p19 antibody", "Crohn's disease"),
    case("IL-4R", "IL-4R alpha", AB, "IL-4 receptor alpha antibody", "atopic dermatitis"),
    case("PCSK9", "PCSK9", "siRNA", "PCSK9 siRNA", "hypercholesterolemia"),
    case("CGRP", "CGRP", AB, "CGRP antibody", "migraine"),
    case("SGLT2", "SGLT2", SM, "SGLT2 inhibitor", "type 2 diabetes"),
    case("EGFR kinase", "EGFR", SM, "EGFR kinase inhibitor", "non-small cell lung cancer"),
    case("VEGF, eye", "VEGF", AB, "VEGF inhibitor, intravitreal", "neovascular age-related macular "
         "degeneration"),
    case("FcRn", "FcRn", AB, "FcRn blocker", "myasthenia gravis"),
    case("alpha4beta7", "alpha-4 beta-7 integrin", AB, "alpha4beta7 integrin antibody",
         "ulcerative colitis"),
    case("CD20 outside tumors", "CD20", AB, "CD20 antibody", "relapsing multiple sclerosis"),
]  # fmt: skip


@over_rows(("name", "fields", "term"), drawn(BOXED, 10))
def test_a_class_with_a_box_is_expected_to_have_it(draft: Draft, name, fields, term) -> None:
    data = draft(**fields)
    box = data.safety_warning_expectations.boxed_warning
    assert box.expected == "likely", box.rationale
    assert term in {one.term for one in box.terms}, box.terms
    assert "no class rule is known" not in box.rationale
    assert "boxed" in {one.kind for one in data.likely_label_restrictions}


@over_rows(("name", "fields", "term"), drawn(UNBOXED, 6))
def test_a_class_without_a_box_is_not_expected_to_have_one(
    draft: Draft, name, fields, term
) -> None:
    box = draft(**fields).safety_warning_expectations.boxed_warning
    assert box.expected == "unlikely", box.rationale


@over_rows(
    ("name", "fields", "term"),
    [
        case(
            "oral nitroimidazole", "unknown", SM, "nitroimidazole antimicrobial", "trichomoniasis"
        ),
        case(
            "antiemetic", "DRD2", SM, "dopamine D2 antagonist", "postoperative nausea and vomiting"
        ),
    ],
)
def test_a_class_of_which_some_drugs_have_a_box_may_have_one(
    draft: Draft, name, fields, term
) -> None:
    box = draft(**fields).safety_warning_expectations.boxed_warning
    assert box.expected == "possible", box.rationale


DENIED = [
    case("no opioid", "SCN10A", SM, "non-opioid analgesic, NaV1.8 inhibitor", "acute pain"),
    case("no benzodiazepine", "GABRA1", SM, "GABA-A agonist, non-benzodiazepine", "insomnia"),
    case("of bacteria", "GyrB", SM, "topoisomerase inhibitor", "uncomplicated gonorrhea"),
    case("a gene of it", "IFNAR1", GT, "adenovirus delivering interferon alfa-2b",
         "BCG-unresponsive non-muscle-invasive bladder cancer"),
]  # fmt: skip


@over_rows(("name", "fields", "term"), DENIED)
def test_a_class_that_a_drug_is_not_of_lends_it_no_box(draft: Draft, name, fields, term) -> None:
    box = draft(**fields).safety_warning_expectations.boxed_warning
    assert box.expected != "likely", box.rationale


@over_rows(
    ("fields", "expected"),
    [
        (BOXED[8][1], "unlikely"),
        (BOXED[9][1], "unlikely"),
        (BOXED[13][1], "likely"),
        (BOXED[4][1], "likely"),
        (UNBOXED[0][1], "unlikely"),
    ],
)
def test_restricted_distribution_is_dated(draft: Draft, fields: dict[str, Any], expected) -> None:
    assert draft(**fields).safety_warning_expectations.rems.expected == expected


@pytest.fixture(scope="module")
def draft(starter_draft: Draft) -> Draft:
    """Return a function that drafts a label on the starter pack."""
    return starter_draft


@over_rows(
    ("target", "modality", "mechanism", "indication", "expected", "words"),
    [
        ("BCMA", CAR, "BCMA-directed CAR-T", "multiple myeloma", "unlikely", "2025-06-26"),
        ("BCMA x CD3", "bispecific antibody", "BCMA x CD3 bispecific", "multiple myeloma",
         "likely", "restricted"),
        ("endothelin A receptor", SM, "endothelin receptor antagonist",
         "pulmonary arterial hypertension", "unlikely", "ended in 2025"),
        ("mu opioid receptor", SM, "mu opioid receptor partial agonist, monthly depot injection",
         "opioid use disorder", "likely", "vein"),
        ("mu opioid receptor", SM, "mu opioid receptor antagonist", "opioid-induced constipation",
         "unknown", ""),
    ],
)  # fmt: skip
def test_a_program_of_restricted_distribution_is_told_with_its_end(
    draft: Draft, target, modality, mechanism, indication, expected, words
) -> None:
    fields = {"target": target, "modality": modality, "mechanism_of_action": mechanism}
    data = draft(asset_name="XYZ-101", indication=indication, **fields)
    rems = data.safety_warning_expectations.rems
    assert rems.expected == expected, rems.rationale
    assert words in rems.rationale


@over_rows(
    ("target", "mechanism", "indication"),
    [
        ("JAK1", "JAK1 inhibitor", "rheumatoid arthritis"),
        ("amyloid beta", "anti-amyloid antibody", "early Alzheimer disease"),
    ],
)
def test_hazards_of_a_box_are_those_of_the_rule_not_wider_words(
    draft: Draft, target, mechanism, indication
) -> None:
    fields = {"target": target, "modality": SM if "JAK" in target else AB}
    data = draft(asset_name="X-1", indication=indication, mechanism_of_action=mechanism, **fields)
    terms = {term.term for term in data.safety_warning_expectations.boxed_warning.terms}
    assert not terms & {"heart and vessels", "bleeding", "bowel", "breathing"}
