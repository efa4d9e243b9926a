"""Thirty design requests with what an expert in the field would accept as their answer.

Sizes are the range of pivotal programs of the class; an answer within a factor of 1.5 of the range
counts. The table was written before the expectations that it tests.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.agents.clinical_trial_design.schema import ClinicalTrialDesignData

SLACK = 1.5
_PLACEBO = frozenset({"placebo", "add_on_placebo"})
_ACTIVE = frozenset({"active"})
_SINGLE = frozenset({"single_arm"})


@dataclass(frozen=True)
class Accepted:
    """A request with the answers that count as right.

    Attributes:
        name: Short name.
        request: What is asked for.
        endpoint: Pattern that the first primary endpoint has to match.
        controls: Kinds of control that count.
        sizes: Range of participants of pivotal programs.
        control_words: Pattern that the control arm has to match; "" for any.
        refused: Pattern that the control arm must not match; "" for none.
    """

    name: str
    request: Mapping[str, Any]
    endpoint: str
    controls: frozenset[str]
    sizes: tuple[int, int]
    control_words: str = ""
    refused: str = ""

    def has_endpoint(self, data: ClinicalTrialDesignData) -> bool:
        """Return whether the first primary endpoint is acceptable."""
        first = next((one for one in data.endpoint_strategy if one.role == "primary"), None)
        return first is not None and bool(re.search(self.endpoint, first.endpoint, re.IGNORECASE))

    def has_control(self, data: ClinicalTrialDesignData) -> bool:
        """Return whether the control is acceptable by kind and by name."""
        control = data.comparator_strategy
        words = control.recommended
        is_named = bool(re.search(self.control_words, words, re.IGNORECASE))
        is_refused = bool(self.refused and re.search(self.refused, words, re.IGNORECASE))
        return control.type in self.controls and is_named and not is_refused

    def has_size(self, data: ClinicalTrialDesignData) -> bool:
        """Return whether the participants are shown and lie within the range."""
        n = size_of(data)
        low, high = self.sizes
        return n is not None and low / SLACK <= n <= high * SLACK


def size_of(data: ClinicalTrialDesignData) -> int | None:
    """Return the participants to enroll; None where they are withheld."""
    return data.statistical_design_recommendations.sample_size.planned_total


def _ask(
    indication: str, modality: str, mechanism: str, target: str, stage: str = "Phase 2", **more: Any
) -> dict[str, Any]:
    return {
        "asset_name": "QQ-0001",
        "indication": indication,
        "modality": modality,
        "mechanism_of_action": mechanism,
        "target": target,
        "development_stage": stage,
        "geography": "FDA",
        **more,
    }


ACCEPTED = (
    Accepted(
        "RSV vaccine, 60 and older",
        _ask(
            "respiratory syncytial virus prevention in adults 60 years and older",
            *("vaccine", "prefusion F protein vaccine", "RSV F protein"),
            target_patient_population="adults 60 years and older",
        ),
        r"RSV|respiratory syncytial",
        _PLACEBO,
        (25_000, 37_000),
    ),
    Accepted(
        "Lp(a) siRNA with a MACE claim",
        _ask(
            "elevated lipoprotein(a) with atherosclerotic cardiovascular disease",
            *("siRNA", "silences LPA", "LPA"),
            intended_label_claim="reduces MACE",
        ),
        r"MACE|major adverse cardiovascular|cardiovascular events",
        _PLACEBO,
        (7_000, 12_500),
    ),
    Accepted(
        "wet AMD gene therapy",
        _ask(
            "neovascular age-related macular degeneration",
            *("gene therapy", "intravitreal AAV that expresses a VEGF inhibitor", "VEGF"),
        ),
        r"BCVA|best[- ]corrected visual acuity",
        _ACTIVE,
        (360, 660),
        "aflibercept|ranibizumab",
    ),
    Accepted(
        "adalimumab biosimilar, EMA",
        _ask(
            "plaque psoriasis",
            *("biosimilar monoclonal antibody", "biosimilar of adalimumab", "TNF", "Phase 1"),
            geography="EMA",
        ),
        r"PASI|ACR20",
        _ACTIVE,
        (300, 600),
        "adalimumab|reference product",
    ),
    Accepted(
        "GPRC5D CAR-T, first in human",
        _ask(
            "relapsed or refractory multiple myeloma",
            *("CAR-T cell therapy", "GPRC5D-directed CAR-T", "GPRC5D", "Preclinical"),
            line_of_therapy="fourth line or later",
            manufacturing_constraints={"slots_per_month": 4, "vein_to_vein_days": 28},
        ),
        r"dose|toxicit",
        _SINGLE,
        (18, 60),
    ),
    Accepted(
        "Fabry AAV with RMAT",
        _ask(
            "Fabry disease",
            *("gene therapy", "AAV that expresses alpha-galactosidase A", "GLA", "Phase 1/2"),
            regulatory_designations=["RMAT"],
        ),
        r"eGFR",
        _SINGLE,
        (15, 50),
    ),
    Accepted(
        "MASH F2-F3",
        _ask(
            "metabolic dysfunction-associated steatohepatitis with fibrosis stage F2-F3",
            *("protein", "FGF21 analog", "FGF21"),
        ),
        r"resolution|fibrosis improvement|histolog",
        _PLACEBO,
        (900, 2_000),
    ),
    Accepted(
        "early Alzheimer disease, anti-amyloid",
        _ask(
            "early Alzheimer's disease",
            *("monoclonal antibody", "anti-amyloid beta antibody", "amyloid beta"),
        ),
        r"CDR-SB|iADRS",
        _PLACEBO,
        (1_500, 2_000),
    ),
    Accepted(
        "NSCLC 2L, TROP2 conjugate",
        _ask(
            "non-small cell lung cancer",
            *("antibody-drug conjugate", "TROP2-directed antibody-drug conjugate", "TROP2"),
            line_of_therapy="second line",
        ),
        r"overall survival|progression-free survival",
        _ACTIVE,
        (500, 650),
        "docetaxel",
        "adagrasib|telisotuzumab",
    ),
    Accepted(
        "NSCLC 1L, PD-1 x VEGF",
        _ask(
            "non-small cell lung cancer",
            *("bispecific antibody", "PD-1 and VEGF bispecific antibody", "PD-1 x VEGF"),
            line_of_therapy="first line",
        ),
        r"overall survival|progression-free survival",
        _ACTIVE,
        (400, 1_100),
        "pembrolizumab",
        "dacomitinib|lazertinib|gefitinib",
    ),
    Accepted(
        "HER2-low breast cancer, 2L",
        _ask(
            "metastatic breast cancer",
            *("antibody-drug conjugate", "HER2-directed antibody-drug conjugate", "HER2"),
            line_of_therapy="second line",
            biomarker_strategy="HER2-low",
        ),
        r"progression-free survival",
        _ACTIVE,
        (500, 900),
        "trastuzumab deruxtecan|chemotherapy",
        "capivasertib|alpelisib",
    ),
    Accepted(
        "type 2 diabetes, GIP/GLP-1",
        _ask(
            "type 2 diabetes",
            *("peptide", "dual GIP and GLP-1 receptor agonist", "GIPR and GLP1R"),
        ),
        r"HbA1c|A1C",
        _PLACEBO | _ACTIVE,
        (300, 1_900),
    ),
    Accepted(
        "sickle cell disease, CRISPR-edited CD34",
        _ask(
            "sickle cell disease",
            *("gene-edited cell therapy", "CRISPR-edited autologous CD34+ cells", "BCL11A"),
            stage="Preclinical",
        ),
        r"vaso-occlusive|engraftment|dose|safety",
        _SINGLE,
        (20, 60),
    ),
    Accepted(
        "SMA, 2 months to 12 years",
        _ask(
            "spinal muscular atrophy",
            *("gene therapy", "AAV9 SMN1 gene replacement", "SMN1"),
            target_patient_population="children 2 months to 12 years",
        ),
        r"HINE|CHOP|HFMSE|Hammersmith|Bayley|sitting|motor milestone",
        _SINGLE | _ACTIVE,
        (20, 130),
    ),
    Accepted(
        "neuroblastoma, GD2, orphan",
        _ask(
            "relapsed or refractory neuroblastoma",
            *("monoclonal antibody", "anti-GD2 antibody", "GD2"),
            regulatory_designations=["orphan"],
        ),
        r"objective response|overall response|event-free survival",
        _SINGLE,
        (50, 130),
    ),
    Accepted(
        "complicated urinary tract infection",
        _ask(
            "complicated urinary tract infection",
            *("small molecule", "beta-lactam with beta-lactamase inhibitor", "PBP3"),
        ),
        r"(?:clinical cure|clinical).*(?:microbiolog|eradicat)",
        _ACTIVE,
        (600, 1_400),
    ),
    Accepted(
        "Duchenne, AAV micro-dystrophin",
        _ask(
            "Duchenne muscular dystrophy",
            *("gene therapy", "AAV micro-dystrophin", "dystrophin"),
        ),
        r"dystrophin|NSAA|North Star",
        _PLACEBO | _SINGLE,
        (40, 130),
    ),
    Accepted(
        "hemophilia A, AAV factor VIII",
        _ask("hemophilia A", "gene therapy", "AAV5 factor VIII gene transfer", "F8"),
        r"bleeding rate|ABR",
        _SINGLE,
        (60, 140),
    ),
    Accepted(
        "SOD1 ALS, antisense",
        _ask(
            "amyotrophic lateral sclerosis with SOD1 mutation",
            *("antisense oligonucleotide", "lowers SOD1", "SOD1"),
        ),
        r"ALSFRS-R|neurofilament",
        _PLACEBO,
        (70, 160),
    ),
    Accepted(
        "HCC 2L, NMPA",
        _ask(
            "hepatocellular carcinoma",
            *("small molecule", "VEGFR2 inhibitor", "VEGFR2"),
            geography="NMPA",
            line_of_therapy="second line",
        ),
        r"overall survival",
        _PLACEBO | _ACTIVE,
        (390, 710),
    ),
    Accepted(
        "major depressive disorder",
        _ask("major depressive disorder", "small molecule", "orexin-2 antagonist", "HCRTR2"),
        r"MADRS|HAM-?D",
        _PLACEBO,
        (220, 700),
    ),
    Accepted(
        "rheumatoid arthritis, EMA",
        _ask(
            "rheumatoid arthritis",
            *("small molecule", "TYK2 and JAK1 inhibitor", "JAK1"),
            geography="EMA",
        ),
        r"ACR ?20|ACR ?50|DAS28",
        _PLACEBO | _ACTIVE,
        (400, 1_800),
    ),
    Accepted(
        "plaque psoriasis, oral IL-23",
        _ask("moderate to severe plaque psoriasis", "peptide", "IL-23 receptor blocker", "IL23R"),
        r"PASI|IGA",
        _PLACEBO | _ACTIVE,
        (400, 1_100),
    ),
    Accepted(
        "stroke prevention, factor XI",
        _ask(
            "stroke prevention in atrial fibrillation",
            *("small molecule", "factor XIa inhibitor", "F11"),
        ),
        r"stroke",
        _ACTIVE,
        (14_000, 20_500),
        "apixaban",
    ),
    Accepted(
        "ulcerative colitis, TL1A",
        _ask("ulcerative colitis", "monoclonal antibody", "TL1A antibody", "TNFSF15"),
        r"clinical remission",
        _PLACEBO,
        (300, 1_100),
    ),
    Accepted(
        "ATTR cardiomyopathy, siRNA",
        _ask("transthyretin amyloid cardiomyopathy", "siRNA", "silences transthyretin", "TTR"),
        r"mortality|cardiovascular",
        _PLACEBO,
        (430, 1_450),
    ),
    Accepted(
        "severe asthma, TSLP",
        _ask("severe asthma", "monoclonal antibody", "TSLP antibody", "TSLP"),
        r"exacerbation",
        _PLACEBO,
        (700, 1_250),
    ),
    Accepted(
        "HFpEF, aldosterone synthase",
        _ask(
            "heart failure with preserved ejection fraction",
            *("small molecule", "aldosterone synthase inhibitor", "CYP11B2"),
        ),
        r"cardiovascular|heart failure",
        _PLACEBO,
        (4_500, 6_500),
    ),
    Accepted(
        "CLL, BTK degrader, relapsed",
        _ask(
            "chronic lymphocytic leukemia",
            *("protein degrader", "BTK degrader", "BTK"),
            line_of_therapy="second line",
        ),
        r"progression-free survival",
        _ACTIVE,
        (200, 700),
    ),
    Accepted(
        "mCRPC, PSMA radioligand",
        _ask(
            "metastatic castration-resistant prostate cancer",
            *("radioligand", "PSMA-directed radioligand", "PSMA"),
            line_of_therapy="second line",
        ),
        r"radiographic progression-free survival|overall survival|progression-free survival",
        _ACTIVE,
        (400, 850),
    ),
)
