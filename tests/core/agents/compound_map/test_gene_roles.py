"""A gene that a document mentions is not its target: such documents are listed apart."""

import pytest

from core.evidence.readers.patents.gene_roles import RoleReader
from core.records.patents import PatentText, TargetNames, TextLine
from tests.core.agents.compound_map.conftest import ASPIRIN_AMIDES, Bench, document, drawn

NUMBER = "US1000001B2"
GENES = "APC, ATM, BRAF, BRCA1, CDK12, EGFR, KRAS, MYC, PTEN and/or WRN"


READER = RoleReader(TargetNames("KRAS", ("KRAS",)), lambda name: "receptor" in name)


def run(bench: Bench, title: str, abstract: str, claim: str = ""):
    one = document(NUMBER, title=title, abstract=abstract, mentions=("abstract",))
    bench.pool.add(one, drawn(NUMBER, "claims", *ASPIRIN_AMIDES))
    if claim:
        lines = (TextLine(f"1. {claim}"), TextLine("2. The method of claim 1."))
        bench.pool.written[NUMBER] = [PatentText("claims", lines)]
    return bench.run()


@pytest.mark.parametrize(
    ("title", "abstract", "role"),
    [
        (
            "Inhibitor of ATR kinase for use in treating a hyper-proliferative disease",
            f"The subject has one or more functional mutations in genes selected from {GENES}.",
            "biomarker",
        ),
        (
            "Biomarkers for graft-versus-host disease",
            "Biomarkers predictive of responsiveness to a therapy comprising a KRAS inhibitor.",
            "biomarker",
        ),
        (
            "Methods of treating cancer with an mTOR inhibitor",
            "Methods for delaying acquired resistance to KRAS inhibitors.",
            "biomarker",
        ),
        (
            "Hypoxia-inducible factor inhibitors",
            "The invention relates to treating KRAS-mutated leukemia.",
            "biomarker",
        ),
        (
            "Use of BI853520 in cancer treatment",
            "A method for treating a tumor with a KRAS mutation, alone or in combination with a "
            "KRAS inhibitor and/or an MEK inhibitor.",
            "partner",
        ),
        (
            "Drug combination",
            "The combination of IN10018 and a KRAS tyrosine kinase inhibitor.",
            "partner",
        ),
        ("Combination of a CD70 antibody and a KRAS inhibitor", "", "partner"),
        (
            "Pharmaceutical combinations",
            "A combination comprising a KRAS inhibitor and a compound of formula I.",
            "partner",
        ),
        ("Agents", "Administering (i) betahistine, and (ii) a KRAS inhibitor.", "partner"),
        (
            "AR inhibitors",
            "A second therapeutically active agent, such as a KRAS inhibitor",
            "partner",
        ),
        ("Methods based on KRAS mutation status", "", "biomarker"),
        ("Fusion protein", "It has a KRAS-cleavable linker.", "other"),
        ("Inhibitors of KRAS-binding protein 2", "", "other"),
        ("KRAS receptor inhibitors", "", "other"),
        ("Compounds", "4-(KRAS-butoxyamino)-pyridine, a solid form.", "other"),
        (
            "Activators of T cells",
            "They increase the production of cytokines such as KRAS.",
            "other",
        ),
        ("Epitopes", "They are known of KRAS+ T cells.", "other"),
        ("Kinase activators", "Use in KRAS deficiency and other diseases.", "other"),
        ("Probes", "The probe does not bind to KRAS.", "other"),
        ("S1P5 agonists", "They are selective for S1P5 relative to KRAS.", "other"),
        ("Uses of SIK inhibitors", "Down-regulating the expression of KRAS.", "other"),
        ("IRE1 modulators", "For conditions that are mediated by KRAS.", "other"),
        ("PKR activators", "For kidney retardation syndrome (KRAS), and thalassemia.", "other"),
        ("Cbl-b inhibition", "The enzyme in the KRAS pathway.", "other"),
        ("Degraders of KRAS-associated kinases", "They degrade IRAK4.", "other"),
        (
            "Treating cancers overexpressing KRAS with EZH2 inhibitors",
            "A dose of an enhancer of zeste homolog 2 (EZH2) inhibitor is given.",
            "biomarker",
        ),
        (
            "Azetidinones",
            "For cancers, including resistant pancreatic cancer or KRAS dependent tumors.",
            "other",
        ),
    ],
)
def test_a_document_that_mentions_the_gene_is_not_on_it(
    title: str, abstract: str, role: str
) -> None:
    played = READER.read(document(NUMBER, title=title, abstract=abstract))
    assert (played.role, bool(played.reason)) == (role, True)


def test_a_document_that_mentions_the_gene_is_listed_apart(bench: Bench) -> None:
    data = run(bench, "Biomarkers", "Resistance to KRAS inhibitors.")
    assert [(one.publication_number, one.role, one.reason) for one in data.mentioned_in] == [
        (NUMBER, "biomarker", "responsiveness")
    ]
    assert (data.patents, data.compounds, data.n_candidates) == ([], [], 0)
    warnings = " ".join(data.warnings)
    assert "no_patents: no patents on KRAS were found" in warnings
    assert "mentioned_only: 1 document names KRAS only as a biomarker" in warnings


@pytest.mark.parametrize(
    ("title", "abstract", "action"),
    [
        ("KRAS G12C inhibitors", "Given in combination with a KRAS inhibitor.", "inhibitor"),
        (
            "Heterocyclic compounds",
            "Methods of using them in inhibiting KRAS G12C in a cell.",
            "inhibitor",
        ),
        ("Substituted heteroaryls for treating cancers with KRAS mutations", "", ""),
        ("Kinase inhibitors", "Compounds that inhibit kinases such as " + GENES + ".", ""),
        ("Azetidinones for use in treating cancer", "They treat KRAS dependent tumors.", ""),
        ("Combinations", "A combination therapy of a KRAS inhibitor of Formula (I).", ""),
        ("Antibody conjugates", "The oligonucleotide inhibits expression or activity of KRAS.", ""),
        ("Compounds", "They are useful in diseases that are mediated by KRAS.", ""),
        ("Antibodies", "They deplete KRAS-expressing cells in patients given an inhibitor.", ""),
        ("KRAS activators", "They increase phosphorylation of KRAS.", "activator"),
    ],
)
def test_a_document_on_the_gene_says_what_is_done_to_it(
    title: str, abstract: str, action: str
) -> None:
    one = document(NUMBER, title=title, abstract=abstract)
    assert READER.read(one).role == "target"
    assert READER.read_action(one) == action


def test_a_document_on_the_gene_stays_in_the_map(bench: Bench) -> None:
    data = run(bench, "KRAS G12C inhibitors", "Given in combination with a KRAS inhibitor.")
    assert [(one.publication_number, one.action) for one in data.patents] == [(NUMBER, "inhibitor")]
    assert data.mentioned_in == []


def test_the_first_claim_decides_where_title_and_abstract_do_not(bench: Bench) -> None:
    abstract = "Given together with a KRAS inhibitor."
    claim = "A compound of formula (I) that inhibits KRAS."
    assert [one.publication_number for one in run(bench, "Therapy", abstract, claim).patents] == [
        NUMBER
    ]
