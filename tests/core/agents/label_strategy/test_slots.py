"""What a claim must keep: line, stage, prevention, age and genetics, in words that labels use.

Written from labels of products approved for like uses, before the tables that answer.
"""

import re
from collections.abc import Callable

import pytest

from core.agents.label_strategy.schema import LabelStrategyData
from tests.rows import drawn, over_rows

Draft = Callable[..., LabelStrategyData]
AB, SM, CAR, GT, ADC = (
    "monoclonal antibody",
    "small molecule",
    "CAR-T",
    "gene therapy",
    "antibody-drug conjugate",
)
SLOTS = [
    # indication, target, modality, mechanism, geography, kept, never
    ("early Alzheimer disease (mild cognitive impairment or mild dementia) with confirmed amyloid "
     "pathology", "amyloid beta", AB, "anti-amyloid antibody", "FDA",
     ["mild cognitive impairment or mild dementia", "amyloid"], "pediatric"),
    ("prevention of stroke and systemic embolism in adults with nonvalvular atrial fibrillation",
     "factor XI", SM, "factor XI inhibitor", "FDA",
     ["reduce the risk of stroke and systemic embolism", "nonvalvular atrial fibrillation"],
     "pediatric|the treatment of"),
    ("relapsed or refractory large B-cell lymphoma after two or more lines of systemic therapy",
     "CD19", CAR, "CD19-directed CAR-T", "FDA",
     ["relapsed or refractory large B-cell lymphoma", "two or more lines of systemic therapy"],
     "non-Hodgkin|pediatric"),
    ("relapsed or refractory multiple myeloma after four or more prior lines of therapy, including "
     "an immunomodulatory agent, a proteasome inhibitor and an anti-CD38 antibody", "BCMA", CAR,
     "BCMA-directed CAR-T", "FDA",
     ["multiple myeloma", "four or more prior lines of therapy", "anti-CD38"], "plasma cell myel"),
    ("first-line metastatic non-small cell lung cancer with PD-L1 >= 50 % and no EGFR or ALK "
     "aberrations", "PD-1", AB, "PD-1 antibody", "FDA",
     ["first-line", "metastatic", "PD-L1", "50", "no EGFR or ALK"], "pediatric"),
    ("adjuvant treatment after tumor resection of non-small cell lung cancer with EGFR exon 19 "
     "deletions or exon 21 L858R mutations", "EGFR", SM, "EGFR kinase inhibitor", "FDA",
     ["adjuvant", "after tumor resection", "exon 19 deletions", "L858R"], "pediatric"),
    ("FR-alpha positive, platinum-resistant ovarian cancer after one to three prior systemic "
     "regimens", "folate receptor alpha", ADC, "FR-alpha conjugate", "FDA",
     ["FRα|folate receptor", "platinum-resistant", "one to three prior systemic"], "pediatric"),
    ("unresectable or metastatic HER2-low breast cancer after prior chemotherapy in the metastatic "
     "setting", "HER2", ADC, "HER2 conjugate", "FDA",
     ["HER2-low", "unresectable or metastatic", "prior chemotherapy in the metastatic setting"],
     "pediatric"),
    ("unresectable hepatocellular carcinoma, second line", "VEGFR2", SM, "VEGFR2 inhibitor",
     "NMPA", ["adult patients", "unresectable", "prior systemic therapy"], "pediatric"),
    ("moderately to severely active rheumatoid arthritis with an inadequate response to "
     "methotrexate", "IL-6 receptor", AB, "IL-6 receptor antibody", "EMA",
     ["moderate to severe|moderately to severely|moderate-to-severe", "active",
      "inadequate response|responded inadequately", "methotrexate"], "pediatric|juvenile"),
    ("5q spinal muscular atrophy with bi-allelic mutations in SMN1 in children less than 2 years "
     "of age", "SMN1", GT, "AAV9 SMN1", "EMA",
     ["spinal muscular atrophy", "bi-allelic", "less than 2 years"], "adult"),
    ("chronic weight management in adults with obesity, or overweight with at least one "
     "weight-related comorbidity", "GLP-1 receptor", "peptide", "GLP-1 receptor agonist", "FDA",
     ["obesity", "overweight", "comorbid"], "obesity disorder|pediatric"),
    ("moderate to severe atopic dermatitis in patients 12 years and older not adequately "
     "controlled with topical therapies", "IL-4R alpha", AB, "IL-4 receptor antibody", "FDA",
     ["atopic dermatitis", "12 years", "topical", "moderate-to-severe|moderate to severe"],
     "eczema"),
    ("sickle cell disease in patients 12 years and older with a history of vaso-occlusive events",
     "beta-globin", GT, "lentiviral gene addition", "FDA",
     ["sickle cell disease", "12 years", "vaso-occlusive"], "polymerization"),
    ("preventive treatment of migraine in adults", "CGRP", AB, "CGRP antibody", "FDA",
     ["preventive treatment of migraine", "adult"], "pediatric|the treatment of"),
    ("HIV-1 pre-exposure prophylaxis in adults and adolescents weighing at least 35 kg", "HIV "
     "capsid", SM, "capsid inhibitor", "FDA",
     ["pre-exposure prophylaxis", "35 kg"], "the treatment of"),
    # further
    ("Duchenne muscular dystrophy in ambulatory patients 4 years and older with a confirmed "
     "mutation in the DMD gene", "dystrophin", GT, "AAV micro-dystrophin", "FDA",
     ["ambulatory", "confirmed mutation in the DMD gene", "4 years"], "adult patients with"),
    ("relapsing forms of multiple sclerosis", "alpha-4 integrin", AB, "alpha-4 integrin antibody",
     "FDA", ["relapsing forms of multiple sclerosis"], "pediatric"),
    ("third-line metastatic colorectal cancer", "VEGFR2", SM, "VEGFR inhibitor", "FDA",
     ["metastatic colorectal cancer|metastatic carcinoma", "two prior lines|two or more"], "pedia"),
    ("MASH with moderate to advanced liver fibrosis (stages F2 to F3)", "THR-beta", SM,
     "THR-beta agonist", "FDA", ["F2 to F3", "steatohepatitis"], "pediatric"),
    # ages with an upper limit, below one year, and as EU product information writes them
    ("prevention of migraine in adolescents 12 to 17 years", "CGRP", AB, "CGRP antibody", "FDA",
     ["preventive treatment of migraine", "patients 12 to 17 years of age"], "adult|older"),
    ("prevention of migraine in adolescents 12 to 17 years", "CGRP", AB, "CGRP antibody", "EMA",
     ["adolescents aged 12 to 17 years"], "adult|older|pediatric"),
    ("moderate-to-severe atopic dermatitis in children 6 months to 5 years", "IL-4R alpha", AB,
     "IL-4 receptor alpha antibody", "FDA", ["6 months to 5 years of age"], "0\\.5|older"),
    ("plaque psoriasis in patients aged 6 through 17 years", "IL-23", AB, "IL-23 antibody", "FDA",
     ["pediatric patients 6 to 17 years of age"], "adult|older"),
    ("asthma in adults and adolescents 12 years and older, as an add-on maintenance treatment",
     "TSLP", AB, "TSLP antibody", "EMA",
     ["as add-on to", "adults and adolescents aged 12 years and older"], "pediatric|adjunct"),
    ("delay of stage 3 type 1 diabetes in patients 8 years and older with stage 2 type 1 diabetes",
     "CD3", AB, "anti-CD3 antibody", "FDA",
     ["to delay the onset of stage 3", "8 years of age and older with stage 2"],
     "severe|treatment"),
    ("adjuvant treatment of HR-positive HER2-negative early breast cancer at high risk of "
     "recurrence in combination with letrozole", "CDK4", SM, "CDK4 inhibitor", "FDA",
     ["adjuvant", "early hormone receptor", "in combination with letrozole"],
     "early-stage early|FDA-approved test"),
    ("vasomotor symptoms due to menopause", "NK3 receptor", SM, "NK3 receptor antagonist", "EMA",
     ["moderate to severe vasomotor"], "moderate-to-severe moderate"),
    # partners, stages, genotype, and what the drug does
    ("locally advanced or metastatic urothelial carcinoma, first line, in combination with "
     "pembrolizumab", "Nectin-4", ADC, "Nectin-4-directed conjugate", "FDA",
     ["first-line", "in combination with pembrolizumab"], "regimen of the pivotal trial|pediatric"),
    ("adjuvant treatment of resected stage IB to IIIA non-small cell lung cancer with ALK "
     "rearrangement", "ALK", SM, "ALK inhibitor", "FDA", ["adjuvant", "stage IB to IIIA"],
     "pediatric"),
    ("early Alzheimer disease with amyloid pathology in ApoE4 noncarriers or heterozygotes",
     "amyloid beta", AB, "anti-amyloid antibody", "EMA", ["ApoE ε4", "non-carriers"], "pediatric"),
    ("cystic fibrosis in children 2 to 5 years with at least one F508del mutation", "CFTR", SM,
     "CFTR corrector", "FDA", ["2 to 5 years of age", "F508del"], "potentiator|adult"),
    ("uncomplicated urinary tract infection in women", "DNA gyrase", SM, "fluoroquinolone", "FDA",
     ["uncomplicated urinary"], r"\bcomplicated urinary"),
    ("anemia due to chronic kidney disease in adults on dialysis", "EGLN1", SM,
     "HIF prolyl hydroxylase inhibitor", "FDA", ["dialysis"], "pediatric"),
    ("osteoporosis in postmenopausal women at high risk of fracture", "SOST", AB,
     "sclerostin inhibitor", "EMA", ["postmenopausal", "high risk of fracture"], "pediatric"),
    ("acute treatment of agitation associated with dementia due to Alzheimer disease", "5-HT2A", SM,
     "atypical antipsychotic", "FDA", ["agitation"], "pediatric"),
    # the purpose that labels of a disease state where the request states none
    ("type 2 diabetes", "SGLT2", SM, "SGLT2 inhibitor", "FDA",
     ["adjunct to diet and exercise to improve glycemic control", "co-transporter 2"],
     "treatment of"),
    ("severe acute pain", "mu opioid receptor", SM, "mu opioid agonist", "FDA",
     ["opioid agonist", "severe enough to require an opioid", "alternative treatments"],
     "directed"),
    ("atrial fibrillation", "factor XI", SM, "factor XIa inhibitor", "EMA",
     ["prevention of stroke", "non-valvular"], "the treatment of"),
    ("contraception", "progesterone receptor", SM, "progestin", "FDA", ["to prevent pregnancy"],
     "treatment|with contraception"),
    ("pulmonary arterial hypertension", "endothelin receptor", SM, "endothelin receptor antagonist",
     "FDA", ["WHO Group 1"], "directed"),
    ("obesity due to POMC deficiency", "MC4R", "peptide", "MC4R agonist", "FDA",
     ["due to POMC deficiency"], "overweight"),
    # prevention is no treatment
    ("prevention of chemotherapy-induced nausea and vomiting", "NK1 receptor", SM,
     "NK1 receptor antagonist", "FDA",
     ["in combination with other antiemetic agents", "prevention of nausea and vomiting"],
     "treatment of|monotherapy"),
    ("prevention of postoperative nausea and vomiting", "dopamine D2 receptor", SM,
     "D2 antagonist", "EMA", ["prevention of postoperative nausea"], "treatment of"),
    ("prevention of gout flares", "IL-1 beta", AB, "IL-1 beta antibody", "FDA",
     ["prevention of gout flares"], "treatment of"),
    ("prevention of CMV disease after kidney transplant", "CMV terminase", SM,
     "CMV terminase inhibitor", "FDA",
     ["prophylaxis of cytomegalovirus", "kidney transplant recipients"], "treatment of"),
    # a diagnostic agent treats nothing
    ("PET imaging of PSMA-positive lesions in men with prostate cancer", "PSMA",
     "radiopharmaceutical", "68Ga PSMA-11", "FDA",
     ["positron emission tomography", "PSMA.{0,3}-positive lesions", "in men"],
     "treatment|FDA-approved test|previously|metastatic"),
    ("recurrent breast cancer", "estrogen receptor", "diagnostic radiopharmaceutical",
     "18F estrogen receptor imaging agent", "FDA", ["No claim is drafted"], "treatment of"),
    # two diseases claimed together, and what the patients have besides
    ("hemophilia A or B with inhibitors, on-demand treatment of bleeding episodes", "Factor VII",
     "recombinant protein", "recombinant activated factor VII", "FDA",
     ["bleeding episodes", "hemophilia A or B with inhibitors"], "severe"),
    ("moderately to severely active Crohn's disease or ulcerative colitis", "IL-23", AB,
     "IL-23 p19 antibody", "FDA", ["Crohn's disease", "or ulcerative colitis"], "pediatric"),
    ("seizures associated with tuberous sclerosis complex", "mTOR", SM, "mTOR inhibitor", "FDA",
     ["a kinase inhibitor", "tuberous sclerosis complex", "seizures"], "transplant"),
    ("subependymal giant cell astrocytoma associated with tuberous sclerosis complex", "mTOR", SM,
     "mTOR inhibitor", "EMA", ["SEGA", "not amenable to surgery", "aged 1 year"], "add-on"),
    ("hypereosinophilic syndrome", "IL-5", AB, "IL-5 antibody", "EMA",
     ["as an add-on treatment", "inadequately controlled", "non-haematologic secondary cause"],
     "monotherapy"),
    ("bacterial vaginosis", "", SM, "nitroimidazole antimicrobial", "FDA",
     ["a nitroimidazole antimicrobial", "female patients 12 years"], "small molecule"),
    # what no label can say
    ("zorblaxian fever", "IL-6", AB, "IL-6 antibody", "FDA", ["No claim is drafted"],
     "indicated"),
    ("relapsed or refractory newly diagnosed multiple myeloma", "BCMA", CAR, "CAR-T", "FDA",
     ["No claim is drafted"], "indicated"),
    ("Alzheimer disease in children", "amyloid beta", AB, "anti-amyloid antibody", "EMA",
     ["No claim is drafted"], "indicated"),
    ("rheumatoid arthritis", "TNF", AB, "adalimumab biosimilar", "FDA", ["labeling of adalimumab"],
     "treatment of"),
]  # fmt: skip


@over_rows(
    ("indication", "target", "modality", "mechanism", "geography", "kept", "never"),
    drawn(SLOTS, 12),
)
def test_what_the_request_claims_survives_into_the_draft(
    draft: Draft, indication, target, modality, mechanism, geography, kept, never
) -> None:
    data = draft(
        asset_name="XYZ-101",
        indication=indication,
        target=target or "unknown",
        modality=modality,
        mechanism_of_action=mechanism,
        geography=geography,
    )
    language = data.proposed_indication_language.language
    missing = [one for one in kept if not re.search(one, language, re.IGNORECASE)]
    assert not missing, (missing, language)
    assert not re.search(never, language, re.IGNORECASE), language
    words = re.sub(r"\\W+", " ", language).casefold()
    for slot in data.proposed_indication_language.slots:
        assert all(word in words for word in re.findall(r"[a-z0-9]+", slot.worded.casefold()))


@pytest.mark.parametrize("marker", ["ESR1-mutated", "BRCA-mutated"])
def test_markers_asked_for_stay_in_every_breadth_of_the_claim(draft: Draft, marker: str) -> None:
    data = draft(
        asset_name="XYZ-101",
        indication=f"{marker} HR-positive HER2-negative metastatic breast cancer",
        target="ESR1",
        modality=SM,
        mechanism_of_action="estrogen receptor degrader",
    )
    assert all(marker in scenario.language for scenario in data.label_scenarios)


@over_rows(
    ("indication", "target", "modality", "mechanism"),
    [
        ("bacterial vaginosis", "unknown", SM, "nitroimidazole antimicrobial"),
        ("Stargardt disease", "unknown", GT, "AAV optogenetic gene therapy"),
        ("ROS1-positive metastatic non-small cell lung cancer, TKI-naive", "ROS1", SM,
         "ROS1 inhibitor"),
    ],
)  # fmt: skip
def test_no_breadth_waits_for_a_treatment_that_the_setting_has_not(
    draft: Draft, indication, target, modality, mechanism
) -> None:
    fields = {"target": target, "modality": modality, "mechanism_of_action": mechanism}
    data = draft(asset_name="XYZ-101", indication=indication, **fields)
    pattern = "not adequately controlled|received prior"
    assert not [row for row in data.label_scenarios if re.search(pattern, row.language)]


@over_rows(
    ("indication", "population", "is_regular"),
    [
        ("ROS1-positive metastatic non-small cell lung cancer, TKI-naive",
         "ROS1 NSCLC, TKI-naive", True),
        ("EGFR-mutated metastatic non-small cell lung cancer", "EGFR-mutated NSCLC", False),
    ],
)  # fmt: skip
def test_a_single_arm_in_a_rare_driver_may_carry_regular_approval(
    draft: Draft, indication, population, is_regular
) -> None:
    data = draft(
        asset_name="XYZ-101",
        indication=indication,
        target=population.split()[0].removesuffix("-mutated"),
        modality=SM,
        mechanism_of_action="kinase inhibitor",
        clinical_trial_data={
            "trials": [{"design": "single-arm", "population": population, "n": 120}]
        },
    )
    language = data.proposed_indication_language.language
    assert ("accelerated approval" not in language) == is_regular, language
    have = {row.claim_element: row.have for row in data.evidence_to_claim_mapping}
    assert have["biomarker"] == "yes"
    assert not is_regular or have["line"] == "yes"


LUNG = ("EGFR", SM, "EGFR kinase inhibitor", "FDA")
GIVEN = [
    # no restriction is added to patients whom the request describes, none is lost
    ("metastatic non-small cell lung cancer harboring MET exon 14 skipping alterations", *LUNG,
     ["harboring MET exon 14 skipping alterations"], "EGFR-mutated|adjuvant|first-line"),
    ("metastatic HER2-positive breast cancer who previously received trastuzumab and a taxane",
     "HER2", ADC, "HER2 conjugate", "FDA", ["previously received trastuzumab and a taxane"],
     "prior systemic therapy"),
    ("colorectal cancer that is not amenable to surgery in adults", "VEGFR2", SM, "inhibitor",
     "FDA", ["that is not amenable to surgery"], "pediatric"),
    ("gastric cancer in adults whose tumors express CLDN18.2", "CLDN18.2", AB, "antibody", "FDA",
     ["whose tumors express CLDN18.2"], "pediatric"),
    ("unresectable or metastatic HER2-low breast cancer with recurrence within 6 months of "
     "completing adjuvant chemotherapy", "HER2", ADC, "HER2 conjugate", "FDA",
     ["within 6 months of completing adjuvant chemotherapy"], "the adjuvant treatment"),
    ("newly diagnosed acute myeloid leukemia", "FLT3", SM, "FLT3 inhibitor", "FDA",
     ["newly diagnosed acute myeloid leukemia"], "first-line|previously treated"),
    ("hormone receptor (HR)-positive, human epidermal growth factor receptor 2 (HER2)-negative "
     "advanced breast cancer following progression on or after endocrine therapy", "PIK3CA", SM,
     "PI3K alpha inhibitor", "FDA",
     [r"\\(HR\\)-positive, human epidermal growth factor receptor 2 \\(HER2\\)-negative breast",
      "endocrine-based therapy"], "prior systemic therapy"),
    ("gastrointestinal stromal tumors and other malignant tumors", "KIT", SM, "KIT inhibitor",
     "FDA", ["gastrointestinal stromal tumor"], "malignancy"),
]  # fmt: skip
FIRST = [
    ("CD19", CAR, "CD19-directed CAR-T", "large B-cell lymphoma, third line",
     "Yescarta|Breyanzi|Kymriah"),
    ("BCMA", CAR, "BCMA-directed CAR-T", "multiple myeloma", "Abecma|Carvykti"),
    ("folate receptor alpha", ADC, "FR-alpha conjugate", "platinum-resistant ovarian cancer",
     "Elahere"),
    ("EGFR", SM, "EGFR kinase inhibitor",
     "adjuvant treatment of EGFR-mutated non-small cell lung cancer", "Tagrisso"),
    ("alpha-4 integrin", AB, "alpha-4 integrin antibody", "relapsing multiple sclerosis",
     "Tysabri|Tyruko|Natalizumab"),
    ("SMN1", GT, "AAV9 SMN1 gene replacement", "spinal muscular atrophy", "Zolgensma|Itvisma"),
    ("factor IX", GT, "AAV factor IX", "hemophilia B", "Hemgenix|Beqvez|Etranacogene"),
    ("factor VIII", GT, "AAV factor VIII", "hemophilia A", "Roctavian|Valoctocogene"),
    ("dystrophin", GT, "AAV micro-dystrophin", "Duchenne muscular dystrophy", "Elevidys"),
    ("beta-globin", GT, "lentiviral gene addition", "sickle cell disease", "Lyfgenia|Casgevy"),
    ("tumor antigens", "cell therapy", "tumor-infiltrating lymphocytes", "melanoma", "Amtagvi"),
    ("RSV F protein", "vaccine", "RSV prefusion F vaccine",
     "prevention of RSV lower respiratory tract disease in adults 60 years and older",
     "Arexvy|Abrysvo|Mresvia"),
    ("PD-1", AB, "PD-1 antibody", "melanoma", "Keytruda|Opdivo"),
    ("NK3 receptor", SM, "NK3 receptor antagonist", "vasomotor symptoms due to menopause",
     "Veozah|Lynkuet"),
    ("IL-4R alpha", AB, "IL-4 receptor alpha antibody", "atopic dermatitis", "Dupixent|Dupilumab"),
]  # fmt: skip


@over_rows(("target", "modality", "mechanism", "indication", "named"), drawn(FIRST, 5))
def test_the_first_precedent_is_of_the_class(
    draft: Draft, target, modality, mechanism, indication, named
) -> None:
    data = draft(
        asset_name="XYZ-101",
        indication=indication,
        target=target,
        modality=modality,
        mechanism_of_action=mechanism,
    )
    listed = [one.asset for one in data.precedents[:5]]
    assert listed, "no precedent"
    assert re.search(named, listed[0], re.IGNORECASE), listed


@pytest.fixture(scope="module")
def draft(starter_draft: Draft) -> Draft:
    """Return a function that drafts a label on the starter pack."""
    return starter_draft
