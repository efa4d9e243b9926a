"""Release tests by product class and stage: what must be tested, and what is foreign to the class.

The attributes are those that an expert in manufacturing names first for the class. They were
written before the tables that answer.
"""

import re
from typing import Any, NamedTuple, get_args

import pytest

from core.agents.assay_development import pipeline
from core.agents.assay_development.package import UNCLASSIFIED
from core.agents.assay_development.schema import AssayDevelopmentRequest, Stage
from core.knowledge.assays.rows import (
    FormatRow,
    PotencyRow,
    ProductClassRow,
    ReleaseAttributeRow,
    StabilityRow,
    documents,
    parts,
)
from core.vocabulary.tables import load_rows
from tests.rows import over_rows

STAGE_ORDER = get_args(Stage)
STAGES = ("preclinical", "phase1", "phase3", "commercial")
METHOD_CHARACTERISTICS = (
    r"^(specificity|accuracy|repeatability|reproducibility|linearity|range|robustness)\b"
    r"|^(intermediate )?precision|detection (and quantitation )?limit|system suitability"
)
CELL_LIMITS = "car expression|vector cop|receptor expression"
LIPID = "encapsulation|lipid|particle size|polydispersity"
CARRIER = "encapsulation|lipid|polydispersity"
"""Of lipid carriers alone: a powder has a particle size, too."""
PROTEIN_ONLY = "glycan|protein a\\b|host cell protein|charge variants"
MICROBIAL = ("sterility", "endotoxin")


class Lot(NamedTuple):
    """A product whose lots are released.

    Attributes:
        fields: Of the request.
        needed: Words of which each appears in an attribute, at every stage.
        late: The same from phase 3 on.
        foreign: Attributes that no lot of the class has.
    """

    fields: dict[str, Any]
    needed: tuple[str, ...]
    foreign: str
    late: tuple[str, ...] = ()


def product(modality: str, target: str = "", mechanism: str = "", **details: str) -> dict[str, Any]:
    """Return the fields of a request on a product."""
    fields: dict[str, Any] = {"modality": modality, "product_details": details}
    return fields | {k: v for k, v in {"target": target, "mechanism": mechanism}.items() if v}


LOTS = {
    "antibody": Lot(
        product("antibody", "TNF", "neutralizes TNF", format="IgG1"),
        (
            *("appearance", "ph", "osmolality", "protein content", "identity", "size variants"),
            *("charge variants", "host cell protein", "host cell dna", "protein a", "potency"),
            *("particles", *MICROBIAL),
        ),
        f"{CELL_LIMITS}|{LIPID}|dissolution|drug-to-antibody|titer",
        late=("glycan",),
    ),
    "bispecific": Lot(
        product("T cell engager", "BCMA", "redirects T cells"),
        ("identity", "size variants", "mispair|homodimer", "host cell protein", "potency")
        + MICROBIAL,
        f"{CELL_LIMITS}|{LIPID}|dissolution|drug-to-antibody",
    ),
    "ADC": Lot(
        product("ADC", "HER2", "delivers a payload", payload="topoisomerase I inhibitor"),
        ("drug-to-antibody", "free drug", "size variants", "potency", "identity", *MICROBIAL),
        f"{CELL_LIMITS}|{LIPID}|dissolution",
    ),
    "cytokine": Lot(
        product("protein biologic", "IL2", "cytokine", format="recombinant interleukin"),
        ("identity", "potency", "host cell protein", "protein content", *MICROBIAL),
        f"{CELL_LIMITS}|{LIPID}|dissolution|protein a\\b",
    ),
    "enzyme": Lot(
        product("protein biologic", "GAA", "enzyme replacement", format="lysosomal enzyme"),
        ("specific activity", "uptake|mannose-6", "glycan", "host cell protein", "potency")
        + MICROBIAL,
        f"{CELL_LIMITS}|{LIPID}|dissolution|protein a\\b",
    ),
    "collagenase": Lot(
        product("protein biologic", "", "collagenase Clostridium histolyticum"),
        ("specific activity", "identity", "host cell protein", "potency", *MICROBIAL),
        f"{CELL_LIMITS}|{LIPID}|dissolution|protein a\\b|mannose-6|uptake|virus|mycoplasma",
    ),
    "hyaluronidase": Lot(
        product("protein biologic", "", "recombinant human hyaluronidase from CHO cells"),
        ("specific activity", "virus", "mycoplasma", "potency", *MICROBIAL),
        f"{CELL_LIMITS}|{LIPID}|dissolution|protein a\\b|mannose-6|uptake",
    ),
    "C5 biosimilar": Lot(
        product("antibody", "C5", "eculizumab biosimilar, IgG2/4"),
        ("protein content", "identity", "glycan", "mycoplasma", "potency", *MICROBIAL),
        f"{CELL_LIMITS}|{LIPID}|dissolution|afucosylated",
    ),
    "toxin": Lot(
        product("protein biologic", "SNAP25", "botulinum toxin type A cleaves SNAP-25"),
        ("identity", "potency", "specific", "nucleic acid|host cell dna", *MICROBIAL),
        f"{CELL_LIMITS}|{LIPID}|dissolution|protein a\\b|glycan",
    ),
    "small molecule": Lot(
        product("small molecule", "EGFR", "kinase inhibitor", dose_form="tablet"),
        ("description", "identification", "assay", "impurities", "dissolution", "uniformity"),
        f"{CELL_LIMITS}|{CARRIER}|{PROTEIN_ONLY}|sterility|endotoxin|titer",
    ),
    "degrader": Lot(
        product("small molecule", "AR", "PROTAC that degrades AR through cereblon"),
        ("description", "identification", "assay", "impurities", "stereo|chiral", "dissolution"),
        f"{CELL_LIMITS}|{CARRIER}|{PROTEIN_ONLY}|sterility|endotoxin",
    ),
    "GalNAc siRNA": Lot(
        product("RNA therapy", "PCSK9", "RNA interference", format="GalNAc siRNA"),
        ("identity|sequence", "duplex", "strand", "assay|content", "impurities", "osmolality")
        + MICROBIAL,
        f"{CELL_LIMITS}|{LIPID}|{PROTEIN_ONLY}|double-stranded rna|cap|tail|dissolution",
    ),
    "lipid siRNA": Lot(
        product("RNA therapy", "TTR", "RNA interference", format="siRNA in lipid nanoparticles"),
        ("duplex", "encapsulation", "lipid", "particle size", "assay|content", *MICROBIAL),
        f"{CELL_LIMITS}|{PROTEIN_ONLY}|5' cap|capping|poly\\(a\\)|tail|dissolution",
    ),
    "antisense": Lot(
        product("RNA therapy", "HTT", "antisense", format="antisense oligonucleotide"),
        ("identity|sequence", "assay|content", "impurities", "counter|sodium", *MICROBIAL),
        f"{CELL_LIMITS}|{LIPID}|{PROTEIN_ONLY}|duplex|double-stranded|cap|tail|dissolution",
    ),
    "mRNA therapy": Lot(
        product("RNA therapy", "PAH", "expresses the enzyme", format="mRNA"),
        ("integrity", "cap", "tail", "double-stranded rna", "encapsulation", "potency", "content")
        + MICROBIAL,
        f"{CELL_LIMITS}|protein a\\b|glycan|dissolution|duplex",
    ),
    "mRNA vaccine": Lot(
        product("vaccine", "spike", "expresses the antigen", format="mRNA"),
        (
            *("identity", "content", "integrity", "cap", "tail", "lipid", "particle size"),
            *("encapsulation", "double-stranded rna", "residual dna", "potency", *MICROBIAL),
        ),
        f"{CELL_LIMITS}|protein a\\b|glycan|dissolution|adjuvant",
    ),
    "protein vaccine": Lot(
        product("vaccine", "F protein", "subunit", format="recombinant subunit"),
        ("identity", "antigen content", "potency", "host cell", *MICROBIAL),
        f"{CELL_LIMITS}|{LIPID}|dissolution|cap\\b|tail|neutralization titer",
    ),
    "AAV": Lot(
        product("gene therapy", "FIX", "AAV gene transfer", vector="AAV8"),
        (
            *("capsid identity|serotype", "genome titer", "infectious", "full", "aggregat"),
            *("host cell dna", "host cell protein", "plasmid", "replication-competent aav"),
            *("potency", *MICROBIAL),
        ),
        "car expression|cd3|lipid|dissolution|lentivir|viability|drug-to-antibody",
    ),
    "lentiviral HSC": Lot(
        product("gene therapy", "HBB", "adds beta-globin", vector="lentiviral", format="ex vivo"),
        ("viability", "cd34", "vector cop", "replication-competent lenti", "mycoplasma", "dose")
        + ("potency", *MICROBIAL),
        "car expression|cd3\\+|capsid|lipid|dissolution|genome titer",
    ),
    "CAR-T": Lot(
        product("CAR-T", "BCMA", "kills BCMA-positive cells"),
        (
            *("viability", "car expression", "vector cop", "replication-competent", "purity"),
            *("mycoplasma", "dose", "potency", *MICROBIAL),
        ),
        f"{LIPID}|dissolution|glycan|capsid|protein a\\b",
    ),
    "TCR-T": Lot(
        product("TCR-T", "MAGE-A4", "recognizes the peptide on HLA"),
        ("viability", "receptor expression", "vector cop", "replication-competent", "mycoplasma")
        + ("potency", *MICROBIAL),
        f"car expression|{LIPID}|dissolution",
    ),
    "TIL": Lot(
        product("TIL therapy", "", "autologous tumor-infiltrating lymphocytes"),
        (
            "viability",
            "cd3",
            "tumor cells",
            "dose|cell number",
            "mycoplasma",
            "potency",
            *MICROBIAL,
        ),
        f"{CELL_LIMITS}|replication-competent|{LIPID}|dissolution",
    ),
    "NK": Lot(
        product("NK cell therapy", "CD19", "kills tumor cells", cell_source="cord blood"),
        ("viability", "cd56", "t cell", "mycoplasma", "dose|cell number", "potency", *MICROBIAL),
        f"car expression|>= 80 % cd3|t cell purity|{LIPID}|dissolution",
    ),
    "phage": Lot(
        product("other", "", "lyses bacteria", format="bacteriophage cocktail"),
        ("identity", "titer", "host range|lytic", "toxin|lysogen", "endotoxin", "potency"),
        f"{CELL_LIMITS}|{LIPID}|{PROTEIN_ONLY}|dissolution",
    ),
    "radioligand": Lot(
        product("other", "PSMA", "radioligand", format="177Lu-labeled ligand"),
        (
            *("radiochemical purity", "radionuclid", "radioactiv", "specific activity|molar"),
            *("ph", *MICROBIAL),
        ),
        f"{CELL_LIMITS}|{LIPID}|{PROTEIN_ONLY}|dissolution|titer",
    ),
    "insulin": Lot(
        product("protein biologic", "INSR", "long-acting insulin analog"),
        ("identity", "assay|content", "related", "high-molecular", "zinc", "potency", *MICROBIAL),
        f"{CELL_LIMITS}|{LIPID}|glycan|protein a\\b|dissolution",
    ),
    "factor VIII, Fc": Lot(
        product("protein biologic", "F8", "recombinant factor VIII Fc fusion protein"),
        (
            *("identity", "specific activity", "aggregates", "activated factor", "moisture"),
            *("host cell protein", "potency", *MICROBIAL),
        ),
        f"{CELL_LIMITS}|{LIPID}|protein a\\b|dissolution|70 to 143",
        ("von willebrand",),
    ),
    "live cholera vaccine": Lot(
        product("vaccine", "Vibrio cholerae", "live attenuated oral vaccine"),
        ("identity", "viable count", "attenuation", "microbial purity", "moisture", "potency"),
        f"{CELL_LIMITS}|{LIPID}|sterility|infectious titer|host cell|extractable volume",
    ),
    "microbiome capsule": Lot(
        product("other", "", "live biotherapeutic bacterial spores capsule"),
        ("identity", "viable count", "spore", "microbial purity", "disintegration", "potency"),
        f"{CELL_LIMITS}|{LIPID}|sterility|plaque|host range|osmolality",
        ("uniformity",),
    ),
    "eye drops": Lot(
        product("small molecule", "ROCK1", "ROCK inhibitor", dose_form="eye drops"),
        ("sterility", "ph", "osmolality", "particulate", "preservative", "assay"),
        "dissolution|disintegration|uniformity of dosage",
    ),
    "inhalation powder": Lot(
        product("small molecule", "CHRM3", "antagonist", dose_form="dry powder inhaler"),
        ("aerodynamic", "delivered dose", "moisture", "assay"),
        "dissolution|disintegration|water content|uniformity of dosage",
    ),
    "oral suspension": Lot(
        product("small molecule", "EGFR", "inhibitor", dose_form="oral suspension"),
        ("resuspend", "particle size", "dissolution of the suspension", "uniformity"),
        "^dissolution$|disintegration",
    ),
    "transdermal": Lot(
        product("small molecule", "OPRM1", "opioid agonist", dose_form="transdermal patch"),
        ("drug release", "adhesion", "uniformity"),
        "^dissolution|disintegration",
        late=("residual drug",),
    ),
    "lyophilized antibody": Lot(
        product("antibody", "TNF", "neutralizes TNF", formulation="lyophilized powder"),
        ("residual moisture", "reconstitution", "cake", *MICROBIAL),
        "dissolution|water content",
    ),
    "split influenza vaccine": Lot(
        product("vaccine", "hemagglutinin", "split inactivated influenza", format="split virus"),
        ("hemagglutinin content", "neuraminidase", "ovalbumin", "inactivation", "splitting")
        + MICROBIAL,
        f"{CELL_LIMITS}|{LIPID}|adsorption|antigen content",
    ),
    "conjugate vaccine": Lot(
        product("vaccine", "pneumococcal polysaccharides", "conjugated to CRM197"),
        ("polysaccharide content", "free polysaccharide", "carrier", "molecular size", *MICROBIAL),
        f"{CELL_LIMITS}|{LIPID}|ovalbumin",
    ),
}


def check(lot: Lot, stage: str, tests: dict[str, str]) -> tuple[list[str], list[str]]:
    """Return what is missing and what is foreign among release tests, as attribute and limit."""
    needed = (*lot.needed, *(lot.late if stage in STAGES[2:] else ()))
    names = [name.casefold() for name in tests]
    missing = [word for word in needed if not any(re.search(word, name) for name in names)]
    foreign = re.compile(f"{METHOD_CHARACTERISTICS}|{lot.foreign}")
    alien = [n for n, limit in tests.items() if foreign.search(f"{n}: {limit}".casefold())]
    return missing, alien


@over_rows("stage", STAGES)
@over_rows("name", list(LOTS))
def test_release_tests_are_those_of_the_product_class(plan, name: str, stage: str) -> None:
    lot = LOTS[name]
    data = plan(**{"target": None, "mechanism": None} | lot.fields, development_stage=stage)
    listed = data.qc_release_strategy.tests
    missing, foreign = check(lot, stage, {one.attribute: one.criterion for one in listed})
    assert (missing, foreign) == ([], [])
    assert len(listed) >= 8


@over_rows("stage", STAGES)
@over_rows("name", list(LOTS))
def test_every_lot_has_one_potency_test_that_grows_with_the_stage(plan, name, stage) -> None:
    data = plan(**{"target": None, "mechanism": None} | LOTS[name].fields, development_stage=stage)
    release = data.qc_release_strategy
    potency = [one for one in release.tests if one.attribute == "Potency"]
    assert len(potency) == 1
    assert potency[0].limit_type in {"range", "minimum"}
    assert STAGE_ORDER.index(potency[0].from_stage) <= STAGE_ORDER.index(stage)
    assert release.potency_strategy
    assert release.stability
    assert not [one for one in data.warnings if one.startswith(("release_gap", "stability_gap"))]


@over_rows(
    ("fields", "documents"),
    [
        (LOTS["antibody"].fields, {"ICH Q5C"}),
        (LOTS["CAR-T"].fields, {"ICH Q5C"}),
        (LOTS["mRNA vaccine"].fields, {"WHO mRNA 2021"}),
        (LOTS["small molecule"].fields, {"ICH Q1A(R2)"}),
        (LOTS["phage"].fields, {"Ph. Eur. 5.31"}),
    ],
)
def test_stability_follows_the_document_of_the_class(plan, fields, documents) -> None:
    data = plan(**fields)
    titles = {one.id: one.title for one in data.sources}
    cited = {
        titles[number].split(",")[0]
        for one in data.qc_release_strategy.stability
        for number in one.source_ids
    }
    assert cited == documents


@over_rows(
    ("modality", "details"),
    [
        ("other", {"format": "engineered exosome"}),
        ("RNA therapy", {"format": "aptamer"}),
        ("gene therapy", {"vector": "transposon"}),
        ("vaccine", {"format": "dendritic cell"}),
        ("protein biologic", {"format": "wumpus"}),
    ],
)
def test_words_of_no_known_class_never_become_another_class(plan, modality, details) -> None:
    data = plan(modality=modality, product_details=details)
    assert data.qc_release_strategy.tests == []
    (word,) = details.values()
    assert any(one.startswith("not_resolved: ") and word in one for one in data.warnings)
    assert any(one.startswith("release_gap: ") for one in data.warnings)


def test_a_vector_given_for_an_antibody_is_reported(plan) -> None:
    data = plan(modality="antibody", product_details={"vector": "AAV9"})
    assert any("another modality (AAV)" in one for one in data.warnings)
    assert any(one.attribute == "Charge variants" for one in data.qc_release_strategy.tests)


@over_rows(
    ("fields", "goal", "named", "absent"),
    [
        (
            LOTS["degrader"].fields,
            "candidate_selection",
            "DC50, Dmax and hook",
            "Inhibition of pur",
        ),
        (
            LOTS["degrader"].fields,
            "mechanism_of_action",
            "Ternary complex",
            "Inhibition of purified",
        ),
        (LOTS["toxin"].fields, "potency", "SNAP-25 cleavage", "Receptor activation"),
        (LOTS["enzyme"].fields, "potency", "Uptake into deficient cells", "Receptor activation"),
        (
            LOTS["antibody"].fields | {"mechanism": "depletes B cells by ADCC"},
            "potency",
            "(ADCC)",
            "protein A",
        ),
        (LOTS["antibody"].fields, "potency", "Ligand block", "(ADCC)"),
        (LOTS["antisense"].fields, "translational_biomarkers", "cerebrospinal fluid", "lipid"),
        (
            product("small molecule", "KRAS", "KRAS G12D inhibitor"),
            "translational_biomarkers",
            "Circulating tumor DNA",
            "hERG",
        ),
        (LOTS["insulin"].fields, "CMC_release", "high-molecular-weight", "glycans|protein A"),
        (LOTS["radioligand"].fields, "potency", "labeled ligand", "Affinity"),
        (
            product("small molecule", "GLP1R", "GLP-1 receptor agonist"),
            *("potency", "Activation of", "Inhibition of purified|Block of"),
        ),
        (
            product("small molecule", "EDNRA", "endothelin receptor antagonist"),
            *(
                "potency",
                "antagonist concentration",
                "Activation of|agonist concentration response$",
            ),
        ),
        (
            product("protein biologic", "IL1R1", "IL-1 receptor antagonist", format="recombinant"),
            *("potency", "Block of the response", "Receptor activation"),
        ),
        (
            product("gene therapy", "HTT", "AAV miRNA knockdown", vector="AAV5"),
            *("potency", "Knockdown of", "expression of HTT"),
        ),
        (LOTS["split influenza vaccine"].fields, "CMC_release", "SRID", "functional epitopes"),
        (LOTS["conjugate vaccine"].fields, "CMC_release", "free saccharide", "Relative potency in"),
        (
            product("vaccine", "hemagglutinin", "influenza", format="live attenuated virus"),
            *("CMC_release", "Infectious titer", "SRID"),
        ),
        (LOTS["phage"].fields, "potency", "plaque assay", "Affinity"),
        (LOTS["collagenase"].fields, "potency", "natural substrate", "Uptake into deficient"),
        (LOTS["C5 biosimilar"].fields, "CMC_release", "lots of the reference product", "(ADCC)"),
        (LOTS["antibody"].fields, "CMC_release", "Charge and size", "reference product"),
        (
            product("vaccine", "", "MVA-BN live non-replicating vaccine"),
            *("CMC_release", "Infectious titer", "adjuvant|adsorption|Relative potency in vitro"),
        ),
    ],
)
def test_assays_follow_the_format(plan, fields, goal, named, absent) -> None:
    data = plan(**fields, assay_goal=goal, development_stage="preclinical")
    names = " | ".join(
        one.name for entry in data.recommended_assay_package for one in entry.formats
    )
    assert re.search(named.replace("(ADCC)", r"\(ADCC\)"), names), names
    assert not re.search(absent.replace("(ADCC)", r"\(ADCC\)"), names), names
    skeletons = {one.assay: one for one in data.protocol_skeletons}
    assert all(one.steps for one in skeletons.values())


@over_rows(
    ("fields", "goal", "name", "kind"),
    [
        (LOTS["small molecule"].fields, "IND_enabling", "dofetilide", "positive"),
        (LOTS["small molecule"].fields, "IND_enabling", "known mutagens", "positive"),
        (LOTS["antibody"].fields, "IND_enabling", "agonist anti-CD28", "positive"),
        (LOTS["antibody"].fields, "IND_enabling", "isotype", "negative"),
        (
            LOTS["C5 biosimilar"].fields,
            *("CMC_release", "sheep red cells with human serum: responsive", "positive"),
        ),
        (
            LOTS["C5 biosimilar"].fields,
            *("CMC_release", "C5-depleted serum: not responsive", "negative"),
        ),
    ],
)
def test_a_control_that_must_respond_is_positive(plan, fields, goal, name, kind) -> None:
    data = plan(**fields, assay_goal=goal, development_stage="IND_enabling")
    kinds = {one.kind for one in data.controls_and_reagents if one.name == name}
    assert kinds == {kind}


@over_rows(
    ("fields", "assay"),
    [
        (
            product("gene therapy", "GM-CSF", "oncolytic HSV-1 expressing GM-CSF"),
            "Genome identity and infectious titer",
        ),
        (
            product("vaccine", "", "MVA-BN live non-replicating vaccine"),
            "Infectious titer and antigen expression",
        ),
    ],
)
def test_a_virus_is_titrated_by_plaques_on_cells(plan, fields, assay) -> None:
    data = plan(
        **{"target": None} | fields, assay_goal="CMC_release", development_stage="preclinical"
    )
    skeleton = next(one for one in data.protocol_skeletons if one.assay == assay)
    steps = " ".join(step.action for step in skeleton.steps)
    assert "plaques" in steps
    assert "monolayer" in steps
    assert not re.search("desorb|strain to mid-log|template", steps)
    models = " ".join(f"{one.name} {one.limits}" for one in data.model_systems)
    assert "capsid" not in models


@over_rows("name", list(LOTS))
def test_no_attribute_of_a_lot_has_two_limits(plan, name) -> None:
    tests = plan(**LOTS[name].fields, development_stage="phase3").qc_release_strategy.tests
    names = [one.attribute.casefold() for one in tests]
    assert len(names) == len(set(names))
    limits = {one.attribute: one.criterion for one in tests}
    if name in {"live cholera vaccine", "microbiome capsule"}:  # the dose is the potency
        assert limits["Viable count"] == "as specified for Potency"
    assert limits.get("Assay") is None or limits["Potency"] == "as specified for Assay"


def test_a_biomarker_plan_releases_no_lot(plan) -> None:
    data = plan(modality="antibody", assay_goal="translational_biomarkers")
    assert not data.qc_release_strategy.applies
    assert data.qc_release_strategy.tests == []


@over_rows("target", ["TNF", "PCSK9"])
def test_no_cell_line_carries_a_soluble_target(plan, target) -> None:
    data = plan(modality="antibody", target=target, assay_goal="potency")
    texts = [one.name for one in data.controls_and_reagents]
    texts += [one.fit_for for one in data.model_systems]
    assert not [one for one in texts if "-positive" in one or "medium" in one]


@pytest.fixture(scope="module")
def plan(assay_context) -> Any:
    """Return a function that plans the release of a product."""

    def make(**changes: Any) -> Any:
        given = {"indication": "a disease", "assay_goal": "CMC_release"} | changes
        return pipeline.run(AssayDevelopmentRequest.model_validate(given), assay_context)

    return make


@over_rows(
    ("table", "model"),
    [
        ("release_attributes", ReleaseAttributeRow),
        ("potency_expectations", PotencyRow),
        ("stability", StabilityRow),
        ("formats", FormatRow),
    ],
)
def test_every_row_names_known_classes_and_documents(table, model) -> None:
    classes = {row.product_class for row in load_rows("product_classes", ProductClassRow)}
    for row in load_rows(table, model):
        assert {*parts(row.product_classes)} <= classes | {UNCLASSIFIED}, row
        assert not row.document or row.document in documents(), row.document
        assert row.basis == "expert" or (row.source_url and row.retrieved_on), row
