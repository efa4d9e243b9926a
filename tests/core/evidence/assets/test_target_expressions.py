"""Targets in questions, and kinds of drugs: expressions, joined ones, markers, plain words."""

import pytest

from core.evidence.names.modalities import (
    ModalityClue,
    derive_modality,
    find_stem,
    modality_of_name,
)
from core.evidence.readers.target_expressions import read_targets
from core.vocabulary.modalities import load_modalities, load_stems
from core.vocabulary.targets import load_targets
from tests.rows import over_rows


@over_rows(
    ("name", "modality"),
    [
        ("pembrolizumab", "monoclonal antibody"),
        ("trastuzumab deruxtecan", "antibody-drug conjugate"),
        ("ibritumomab tiuxetan", "radioligand"),
        ("maridebart cafraglutide", "antibody-peptide conjugate"),
        ("certolizumab pegol", "monoclonal antibody"),
        ("adalimumab-aaty", "monoclonal antibody"),
        ("volrustomig", "bispecific antibody"),
        ("sitagliptin phosphate", "small molecule"),
        ("semaglutide", "peptide"),
        ("inclisiran", "siRNA"),
        ("nusinersen", "antisense oligonucleotide"),
        ("axicabtagene ciloleucel", "cell therapy"),
        ("etranacogene dezaparvovec", "gene therapy"),
        ("etanercept", "fusion protein"),
        ("MK-3475", ""),
    ],
)
def test_a_name_tells_the_modality(name, modality) -> None:
    assert modality_of_name(name) == modality


def test_the_longest_stem_wins_and_exceptions_are_none() -> None:
    stem = find_stem("brexpiprazole")
    assert stem is not None
    assert (stem.stem, stem.target) == ("piprazole", "Dopamine D2 receptor")
    other = find_stem("teduglutide")
    assert other is not None
    assert (other.stem, other.target) == ("tide", "")
    assert find_stem("cholesterol") is None


def test_words_only_refine_what_a_name_tells() -> None:
    clues = [ModalityClue("bispecific antibody", 3, "r"), ModalityClue("small molecule", 1, "r")]
    assert derive_modality(["zanidatamab"], clues)[0] == "bispecific antibody"
    assert derive_modality(["olaparib"], clues)[0] == "small molecule"
    assert derive_modality(["XYZ-1"], [ModalityClue("CD19 CAR-T", 2, "r")])[0] == "cell therapy"
    assert derive_modality(["XYZ-1"], []) == ("", "", ())


def test_the_more_telling_source_wins_over_more_of_the_others() -> None:
    clues = [ModalityClue("antibody-drug conjugate", 4)] + [ModalityClue("antibody", 2, "r")] * 3
    assert derive_modality(["XYZ-1"], clues)[0] == "antibody-drug conjugate"


def test_the_tables_agree() -> None:
    targets = {row.expression for row in load_targets()}
    modalities = set(load_modalities())
    assert {stem.modality for stem in load_stems()} <= modalities | {""}
    assert {stem.target for stem in load_stems()} <= targets | {""}


@pytest.mark.parametrize(
    ("text", "found", "left"),
    [
        ("PD-1/VEGF bispecifics in NSCLC", ["PD-1 x VEGF"], "bispecifics in NSCLC"),
        ("PD-1xVEGF", ["PD-1 x VEGF"], ""),
        ("PD-(L)1 in melanoma", ["PD-(L)1"], "in melanoma"),
        ("GLP-1 agonists in obesity", ["GLP-1 receptor"], "agonists in obesity"),
        ("claudin 18.2 ADC, include Chinese", ["CLDN18.2"], "ADC, include Chinese"),
        ("KRAS G12C inhibitors", ["KRAS G12C"], "inhibitors"),
        ("EGFR exon 20", ["EGFR exon 20"], ""),
        ("FGFR2b antibody", ["FGFR2b"], "antibody"),
        ("MST1R inhibitor", ["MST1R"], "inhibitor"),
        (
            "GIP/GLP-1/glucagon agonist",
            ["GIP receptor x GLP-1 receptor x Glucagon receptor"],
            "agonist",
        ),
        ("TROP2 ADC in EGFR-mutant NSCLC", ["TROP2"], "ADC in EGFR-mutant NSCLC"),
        ("HER2-positive breast cancer", [], "HER2-positive breast cancer"),
        ("KRAS G12C-mutated NSCLC", ["KRAS G12C"], "mutated NSCLC"),
        ("PD-1 refractory melanoma", [], "PD-1 refractory melanoma"),
        ("GD2 antibody", ["GD2"], "antibody"),
        ("", [], ""),
    ],
)
def test_targets_are_read_and_the_rest_is_left(text, found, left, resolver) -> None:
    targets, rest = read_targets(text, resolver)
    assert ([one.text for one in targets], rest) == (found, left)


@over_rows(
    ("text", "is_target"),
    [
        ("MET inhibitors", True),
        ("patients who MET criteria", False),
        ("KIT", True),
        ("a test KIT for asthma", False),
        ("C5 inhibitor in PNH", True),
        ("C5 vertebra fracture", False),
        ("ACE inhibitors", True),
        ("EGFR/MET bispecific", True),
        ("anti-APRIL antibody", True),
        ("results in APRIL 2026", False),
    ],
)
def test_a_symbol_that_is_a_plain_word_needs_a_word_beside_it(text, *, is_target, resolver) -> None:
    targets, _ = read_targets(text, resolver)
    assert bool(targets) == is_target


def test_a_joined_target_carries_the_genes_of_both(resolver) -> None:
    (found,), _ = read_targets("BCMAxCD3", resolver)
    assert found.relation == "both"
    assert set(found.gene_symbols) == {"TNFRSF17", "CD3E"}
    assert set(found.gene_keys) == {"HGNC:TNFRSF17", "HGNC:CD3E"}


def test_reading_a_question_twice_gives_the_same(resolver) -> None:
    text = "PD-1 x VEGF and TIGIT"
    assert read_targets(text, resolver) == read_targets(text, resolver)


def test_the_table_is_sorted_without_repeats_and_claims_no_source() -> None:
    rows = load_targets()
    names = [row.expression for row in rows]
    assert names == sorted(names)
    assert len(names) == len(set(names))
    assert all(row.aliases for row in rows)
    assert all(len(row.genes) > 1 for row in rows if row.relation != "single")
