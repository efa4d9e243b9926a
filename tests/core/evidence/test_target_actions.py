"""What titles and abstracts say is done to a target, case by case; texts of US patents of 2024."""

import pytest

from core.evidence.readers.patents.names import TargetReader
from core.evidence.readers.target_actions import read_action
from core.records.patents import TargetNames

CASES = [
    (("VAP-1",), "Inhibitors of VAP-1", "inhibitor"),
    (("JAK2",), "6-heteroaryloxy benzimidazoles as JAK2 inhibitors", "inhibitor"),
    (("PDE3",), "Fused tri-cyclic compound as PDE3/PDE4 dual inhibitor", "inhibitor"),
    (("MDM2",), "MDM2 degraders and uses thereof", "degrader"),
    (("IRAK4",), "Compounds for the targeted degradation of IRAK4 polypeptides", "degrader"),
    (("S1P5",), "Compounds having S1P5 receptor agonistic activity", "agonist"),
    (("CD70",), "Anti-CD70 antibody drug conjugates", "antibody"),
    (("VTCN1",), "Anti-VTCN1 antibodies", "antibody"),
    (("alpha-synuclein",), "Alpha-synuclein ligands", "binder"),
    (("EED",), "Macrocyclic derivatives as EED and PRC2 modulators", "modulator"),
    (("ALK2",), "The compounds inhibit RIPK2 and/or ALK2.", "inhibitor"),
    (
        ("KRAS",),
        "Compounds with activity as inhibitors of G12C mutant KRAS protein.",
        "inhibitor",
    ),
    (("HER2",), "Treating a mammal having HER2-expressing cancers with antibodies.", ""),
    (("BCL-2",), "An antibody that binds CD70, in combination with an inhibitor of BCL-2.", ""),
    (("amyloid beta",), "BACE1 ligand molecules against amyloid beta-induced toxicities", ""),
    (("NRF2",), "Small molecule direct inhibitors of KEAP1-NRF2 protein interaction", ""),
    (("NRF2",), "Compositions for activating NRF2-dependent gene expression", ""),
    (("PDE-4",), "A disorder responsive to PDE-4 inhibition is treated.", ""),
    (("proteasome",), "IRAK4 degraders via ubiquitin proteasome pathway", ""),
    (("CD80",), "Methods of antagonizing CD80 and/or CD86 interactions with CD28", ""),
    (("IL-6",), "The treating of DMD and modulating inflammatory inhibitors IL-1, IL-6", ""),
    (("MAO",), "Betahistine and a MAO inhibitor for use in vertigo", ""),
    (("EGFR",), "EGFR inhibitor resistance in lung cancer", ""),
    (("EGF",), "Compounds that inhibit EGF receptor kinase", ""),
    (("sodium channel",), "Inhibitors of the epithelial sodium channel", ""),
]
OTHERS = {"EGF receptor", "epithelial sodium channel"}


@pytest.mark.parametrize(("names", "text", "action"), CASES)
def test_an_action_is_read_where_it_belongs_to_the_target(names, text: str, action: str) -> None:
    reader = TargetReader(TargetNames(names[0], names))
    assert read_action(text, reader, OTHERS.__contains__) == action


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Discovery of potent CDK7 inhibitors", "inhibitor"),
        ("Selective inhibition of CDK7 reveals targets of TFIIH in transcription", ""),
    ],
)
def test_of_papers_only_agents_count(text: str, action: str) -> None:
    reader = TargetReader(TargetNames("CDK7", ("CDK7",)))
    assert read_action(text, reader, OTHERS.__contains__, of_agents=True) == action
