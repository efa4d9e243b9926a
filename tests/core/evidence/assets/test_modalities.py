"""Modalities: from words, from non-proprietary names, and which of them wins."""

from core.evidence.names.modalities import (
    ModalityClue,
    derive_modality,
    find_stem,
    modality_of_name,
)
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
