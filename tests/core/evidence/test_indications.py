"""Of a label only the clauses that give a use tell what a drug is for."""

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

from core.evidence.readers.diseases import Diseases
from core.records.names import fold_name
from tests.core.evidence.test_pack_words import Names
from tests.rows import over_rows
from tools.curation.indications import is_named, read_indications, uses


class Alone(Names):
    """A resolver whose diseases are no kinds of each other."""

    def ancestors(self, kind: str, key: str) -> set[str]:
        """Return a disease alone."""
        return {key}


@over_rows(
    ("text", "expected"),
    [
        ("X is indicated for asthma.", ["asthma"]),
        ("X is indicated for asthma in patients who have hypertension", ["asthma"]),
        ("X is indicated for asthma. Studies in hypertension show an effect", ["asthma"]),
        ("X is indicated for asthma. Patients with anemia should be monitored", ["asthma"]),
        ("For the following it is indicated: asthma; lymphoma", ["asthma", "lymphoma"]),
        ("Reduced doses in hypertension", []),
        ("Maintenance treatment of bronchospasm associated with asthma", ["asthma"]),
        (
            "X is indicated with a diet for chronic weight management in: adult patients",
            ["obesity disorder"],
        ),
    ],
)
def test_conditions_studies_and_warnings_are_no_indications(text, expected) -> None:
    resolver: Any = Alone()
    assert read_indications(text, Diseases(resolver)) == expected


def test_what_patients_had_before_is_taken_out_of_a_clause() -> None:
    told = "indicated for post-polycythemia vera myelofibrosis and interferon-refractory leukemia"
    assert [" ".join(one.split()) for one in uses(told)] == [
        "indicated for myelofibrosis and leukemia"
    ]


JOINTS = {
    "rheumatoid arthritis": (),
    "psoriatic arthritis": ("rheumatoid arthritis",),
    "systemic lupus erythematosus": (),
    "lupus nephritis": ("systemic lupus erythematosus",),
    "type 2 diabetes mellitus": (),
    "lymphoma": (),
    "B-cell lymphoma": ("lymphoma",),
    "leukemia": (),
    "candidiasis": (),
    "AIDS": (),
    "skin disorder": (),
    "asthma": ("skin disorder",),
    "malaria": (),
    "chronic myelogenous leukemia, BCR-ABL1 positive": (),
    "chronic myeloid leukemia": (),
    "accelerated-phase chronic myelocytic leukemia": (),
    "chronic myelocytic leukemia": (),
    "acute lymphoblastic leukemia": (),
    "soft tissue": (),
    "blast crisis": (),
    "amyloid": (),
    "von Hippel-Lindau disease": (),
    "irritable bowel syndrome with constipation": (),
    "irritable bowel syndrome": (),
    "constipation": (),
    "malaria and asthma": (),
    "heart failure": (),
    "cirrhosis": (),
    "end stage renal failure": (),
    "end-stage renal disease": (),
    "sinusitis": (),
    "otitis media": (),
    "urinary tract infection": (),
    "staphylococcal infection": (),
    "diabetic nephropathy": (),
    "Gaucher disease type I": (),
    "adenoma": (),
    "deep vein thrombosis": (),
    "pulmonary embolism": (),
}
CHRONIC_MYELOID = "chronic myelogenous leukemia, BCR-ABL1 positive"
WRITTEN = {
    "chronic myeloid leukemia": CHRONIC_MYELOID,
    "chronic myelocytic leukemia": CHRONIC_MYELOID,
    "accelerated-phase chronic myelocytic leukemia": "leukemia, myeloid, accelerated-phase",
    "soft tissue": "soft tissue neoplasm",
    "blast crisis": "blast phase chronic myelogenous leukemia, BCR-ABL1 positive",
    "amyloid": "amyloidosis",
    "Gaucher disease type 1": "Gaucher disease type I",
}
"""Names as written whose entity is called otherwise."""
ELSEWHERE = {
    "irritable bowel syndrome with constipation": "ICD10CM:K58.1",
    "malaria and asthma": "ICD10CM:X1",
}
"""Names that only a list of codes has."""


class Kinds(Names):
    """A resolver that has a disease as a kind of another one as some list has it."""

    def lookup(self, kind: str, names: Iterable[str]) -> Mapping[str, str]:
        """Return the folded names that are known."""
        held = {fold_name(one) for one in JOINTS}
        return {one: one for one in names if one in held}

    def resolve_many(self, kind: str, names: Iterable[str]) -> Mapping[str, Any]:
        """Return each name with its entity."""
        labels = {fold_name(one): WRITTEN.get(one, one) for one in JOINTS}
        keys = {fold_name(one): key for one, key in ELSEWHERE.items()}
        return {
            one: SimpleNamespace(
                key=keys.get(fold_name(one), f"MONDO:{fold_name(labels[fold_name(one)])}"),
                label=labels[fold_name(one)],
                status="resolved",
            )
            for one in names
        }

    def ancestors(self, kind: str, key: str) -> set[str]:
        """Return a disease and what it is a kind of."""
        above = {f"MONDO:{fold_name(one)}": kinds for one, kinds in JOINTS.items()}
        return {key, *(f"MONDO:{fold_name(one)}" for one in above.get(key, ()))}


@over_rows(
    ("text", "expected"),
    [
        (
            "indicated for rheumatoid arthritis and psoriatic arthritis",
            {"rheumatoid arthritis", "psoriatic arthritis"},
        ),
        ("indicated for lymphoma: B-cell lymphoma", {"lymphoma", "B-cell lymphoma"}),
        ("indicated for skin disorder: asthma", {"asthma"}),
        (
            "X is indicated for: \u2022 patients with active systemic lupus erythematosus who are "
            f"{'receiving standard therapy ' * 5}, and \u2022 patients with lupus nephritis",
            {"systemic lupus erythematosus", "lupus nephritis"},
        ),
        (
            "As an adjunct to diet and exercise to improve control in type 2 diabetes mellitus",
            {"type 2 diabetes mellitus"},
        ),
        ("indicated for prophylaxis of candidiasis in patients with leukemia", {"candidiasis"}),
        ("indicated for treatment of candidiasis in patients with AIDS", {"candidiasis"}),
        ("indicated to prevent attacks in patients with asthma", {"asthma"}),
        ("for relief of signs and symptoms of rheumatoid arthritis", {"rheumatoid arthritis"}),
        ("indicated for asthma; Not used for the treatment of lymphoma", {"asthma"}),
        ("For treatment of malaria. It does not prevent B-cell lymphoma", {"malaria"}),
        (
            "indicated for: \u2022 treatment of asthma Limitations of Use: not for AIDS",
            {"asthma"},
        ),
        (
            "indicated for the treatment of adult patients with: Chronic phase (CP) chronic "
            "myeloid leukemia. This indication is approved under accelerated approval. "
            "Acute lymphoblastic leukemia",
            {CHRONIC_MYELOID, "acute lymphoblastic leukemia"},
        ),
        (
            "X is indicated for the treatment of patients with \u2022 lupus nephritis "
            f"{'in adults of any age and weight ' * 4} \u2022 malaria",
            {"lupus nephritis", "malaria"},
        ),
        (
            f"X is indicated for: {'asthma of any kind in adults and children; ' * 70}malaria",
            {"asthma", "malaria"},
        ),
        ("intra-articular or soft tissue use is indicated for asthma", {"asthma"}),
        ("indicated for lymphoma, leukemia and soft tissue use", {"lymphoma", "leukemia"}),
        ("to estimate amyloid plaques; indicated for treatment of asthma", {"asthma"}),
        ("indicated for asthma with complicated malaria", {"asthma", "malaria"}),
        ("indicated for asthma (as defined by studies of malaria) in adults", {"asthma"}),
        ("indicated for asthma as defined in DSM-IV", {"asthma"}),
        (
            "X is indicated for edema associated with heart failure, cirrhosis and leukemia. "
            "X has been found useful in edema due to lupus nephritis",
            {"heart failure", "edema"},
        ),
        (
            "to reduce the risk of end-stage renal disease, death, and hospitalization for heart "
            "failure in adults with asthma",
            {"asthma"},
        ),
        (
            "for the treatment of asthma to reduce mortality and incidence of heart failure",
            {"asthma"},
        ),
        (
            "X is indicated for treatment of infections due to susceptible strains listed below. "
            "Cultures should be taken. Sinusitis caused by Haemophilus influenzae Otitis media "
            "caused by E. coli. NOTE: efficacy is open. Urinary Tract Infection due to Proteus. "
            "They are not the drugs of choice in treatment of staphylococcal infection",
            {"sinusitis", "otitis media", "urinary tract infection"},
        ),
        (
            "X is indicated for the following infections: Sinusitis ( 1.1 ) Skin and soft tissue "
            "infections ( 1.2 ) To reduce the development of resistance X should be used so",
            {"sinusitis", "skin infection"},
        ),
        (
            "X is indicated for: asthma in adults who had others ( 1.1 ) malaria in adults ( 1.2 ) "
            "Limitations of use: not for sinusitis ( 1.3 ) B-cell lymphoma ( 1.4 )",
            {"asthma", "malaria", "B-cell lymphoma"},
        ),
        ("for treatment of osteolytic bone metastases of lymphoma and for asthma", set()),
        ("indicated for treatment of HIV patients with asthma", {"asthma"}),
        ("indicated for treatment of HIV\u20111 infection", {"HIV infectious disease"}),
        (
            "treatment of diabetic nephropathy with an elevated creatinine in patients with asthma",
            {"diabetic nephropathy"},
        ),
        ("treatment of diabetic nephropathy in patients with asthma", {"diabetic nephropathy"}),
        ("to reduce the risk of malaria in adults with established CV disease", {"malaria"}),
        ("for patients with adrenal adenoma for treatment of asthma", {"asthma"}),
        ("indicated for asthma, usually in combination with others", {"asthma"}),
        ("indicated for relief of the symptoms of asthma", {"asthma"}),
        ("indicated for clinically typical asthma", {"asthma"}),
        ("indicated for asthma. It is ineffective for treatment of malaria", {"asthma"}),
        ("indicated for: asthma. Malaria can occur in adults", {"asthma"}),
        ("indicated for asthma. It is the drug of choice for treatment of malaria", {"asthma"}),
        ("for treatment of von Hippel-Lindau (VHL) disease", {"von Hippel-Lindau disease"}),
        (
            "indicated for asthma in adults with one condition (e.g., malaria) or more",
            {"asthma"},
        ),
        ("indicated for irritable bowel syndrome with constipation", {"irritable bowel syndrome"}),
        (
            "X is indicated: for treatment of deep vein thrombosis (DVT) ( 1.2 ) for treatment of "
            "pulmonary embolism after surgery",
            {"deep vein thrombosis", "pulmonary embolism"},
        ),
        (
            "X is indicated: for treatment of asthma after surgery ( 1.2 ) to prevent malaria",
            {"asthma", "malaria"},
        ),
        ("to reduce the risk of malaria in adults. Asthma: risk of candidiasis", {"malaria"}),
        ("to reduce the risk of death associated with malaria", {"malaria"}),
        ("for treatment of pain associated with malaria", {"malaria"}),
        ("for treatment of episodes associated with malaria", {"malaria"}),
        ("for treatment of asthma associated with malaria", {"asthma"}),
        ("for treatment of malaria and asthma", {"malaria", "asthma"}),
        (
            "X is indicated for: asthma in adults who had others ( 1.1 ) Treatment of adults with "
            "malaria",
            {"asthma", "malaria"},
        ),
        (
            "to prevent attacks. This reduces the risk of malaria. For treatment of asthma",
            {"asthma"},
        ),
        ("relief of the nasal and non-nasal symptoms of asthma in adults", {"asthma"}),
        ("To treat asthma may mask or delay the symptoms of malaria", set()),
        (
            "in combination with another as adjuvant treatment after surgery, for the treatment of "
            "adult patients with lymphoma",
            {"lymphoma"},
        ),
        ("Treatment of high LDL-C in primary hypercholesterolemia", {"hypercholesterolemia"}),
        ("for the treatment of chronic stable angina", {"angina pectoris"}),
        ("for the treatment of unstable angina or asthma", {"asthma"}),
        (
            "emergency treatment of severe allergic reactions (Type I) including anaphylaxis",
            {"anaphylaxis"},
        ),
        ("to shorten time to neutrophil recovery; for treatment of asthma", {"asthma"}),
        (
            "indicated to shorten time to neutrophil recovery in adults",
            {"neutropenia"},
        ),
        (
            "prophylaxis of organ rejection in kidney, liver, and heart allogeneic transplants",
            {"transplant rejection"},
        ),
    ],
)
def test_every_use_that_a_text_names_apart_is_kept(text, expected) -> None:
    resolver: Any = Kinds()
    assert set(read_indications(text, Diseases(resolver))) == expected


def test_the_patients_of_a_plain_list_are_no_use() -> None:
    resolver: Any = Kinds()
    text = "prophylaxis of candidiasis in transplantation recipients or patients with leukemia"
    assert read_indications(text, Diseases(resolver), is_plain=True) == ["candidiasis"]


@over_rows(
    ("text", "expected"),
    [
        ("for chronic- or accelerated-phase chronic myelocytic leukaemia", [CHRONIC_MYELOID]),
        ("for lymphoma (including blast crisis)", ["lymphoma"]),
        ("suppression of rejection in lung transplant", ["transplant rejection"]),
        ("visualization of amyloid plaques", []),
        ("indicated for asthma (excluding hypertension)", ["asthma"]),
        ("indicated for asthma (except hypertension)", ["asthma"]),
        ("indicated for asthma (severe and at risk for hypertension)", ["asthma"]),
        ("functional impairment in association with asthma", ["asthma"]),
        ("treatment of patients with a diagnosis of asthma", ["asthma"]),
        ("relief of nausea in patients with a diagnosis of asthma", []),
        ("indicated to mobilize cells in patients with lymphoma", []),
        ("overdosage of drugs used in the treatment of lymphoma", []),
        ("indicated for pain relief at the resection of lymphoma", []),
    ],
)
def test_a_plain_list_tells_the_disease_and_not_its_phase(text, expected) -> None:
    resolver: Any = Kinds()
    assert read_indications(text, Diseases(resolver), is_plain=True) == expected


def test_references_to_sections_are_no_clauses() -> None:
    (clause,) = uses("For treatment of asthma ( 1.1 ) [see Warnings (5.2)]")
    assert clause.strip() == "For treatment of asthma"


@over_rows(
    ("disease", "text", "expected"),
    [
        ("plasma cell myeloma", "for multiple myeloma", True),
        ("hypertensive disorder", "for hypertension", True),
        ("Fanconi anemia complementation group E", "for anxiety with face flushing", False),
        ("rumination disorder", "for rumination", False),
        ("mucopolysaccharidosis type 2", "for mucopolysaccharidosis 2", True),
        ("interstitial lung disease 2", "for interstitial lung disease", False),
        ("Gaucher disease type I", "for Gaucher disease type 1", True),
        ("mucopolysaccharidosis type 4A", "for Mucopolysaccharidosis type IVA", True),
        ("Gaucher disease type I", "for Gaucher disease type 3", False),
        (CHRONIC_MYELOID, "for chronic myeloid leukemia", True),
        ("soft tissue neoplasm", "for soft tissue use", False),
        ("congenital or acquired", "for hypothyroidism, congenital or acquired", False),
    ],
)
def test_a_disease_is_kept_only_where_the_text_has_its_words(disease, text, expected) -> None:
    assert is_named(disease, text) is expected
