"""How far a structure is trusted: lost labels, flaws, masses told in the text."""

from collections.abc import Sequence
from dataclasses import replace

from rdkit import Chem

from core.agents.compound_map.finding import Sample
from core.agents.compound_map.ranking import NO_BASIS
from core.agents.compound_map.reading import Delivered, Molecule, Reader
from core.agents.compound_map.trust import Basis, Trust, judge_trust, read_basis
from core.chemistry.lost_labels import find_flaws
from core.evidence.readers.patents.masses import number_of, read_masses
from core.records.patents import PatentText, RawStructure, TextLine
from tests.core.agents.compound_map.conftest import KINASE_LIKE, Bench, Pool, document
from tests.rows import over_rows

NUMBER = "US1000001B2"
MASSES = {NUMBER: {"12": (324.2,)}}  # of KINASE_LIKE[0]: C20H25N3O, [M+H]+ 324.21


def raw(text: str, block: str = "C1.CDX", **changes: object) -> RawStructure:
    made = RawStructure(NUMBER, text, "claims", "claims", block, "cdx")
    return replace(made, **changes)  # type: ignore[arg-type]


def molecule(*places: RawStructure) -> Molecule:
    reader = Reader({})
    reader.read([Delivered(one) for one in places])
    (found,) = reader.finish().molecules
    return found


def trust(one: Molecule, basis: Basis = NO_BASIS) -> Trust:
    return judge_trust(one, find_flaws(Chem.MolFromSmiles(one.structure.smiles)), basis)


def test_a_label_apart_lowers_a_drawing_unless_another_is_clean() -> None:
    assert trust(molecule(raw(KINASE_LIKE[0]))) == Trust(65, ("drawing",), ())
    one = molecule(raw(KINASE_LIKE[0]))
    found = trust(one, Basis(apart=frozenset({(NUMBER, "C1.CDX")})))
    assert (found.score, len(found.doubts)) == (60, 1)
    one = molecule(raw(KINASE_LIKE[0]), raw(KINASE_LIKE[0], "C2.CDX"))
    assert trust(one, Basis(apart=frozenset({(NUMBER, "C1.CDX")}))).score == 65
    found = trust(molecule(raw(KINASE_LIKE[0])), Basis(lossy=frozenset({NUMBER})))
    assert found == Trust(65, ("drawing",), ("many drawings of its document lost a label",))


@over_rows(
    ("text", "score"),
    [("C=CC[C@H]1OC(C)(C)O[C@H]1CCCC[C]=O", 20), ("Cc1ccc(CC(=O)[C+](C)CCc2ccccc2)cc1", 60)],
)
def test_an_atom_that_lacks_bonds_and_a_charge_that_stays_lower_it(text: str, score: int) -> None:
    assert trust(molecule(raw(text))).score == score


@over_rows(
    ("label", "score", "witnesses"),
    [("Example 12", 99, 2), ("Example 13", 65, 1), ("", 65, 1)],
)
def test_a_mass_told_for_its_example_confirms_it(label: str, score: int, witnesses: int) -> None:
    basis = Basis(lossy=frozenset({NUMBER}), masses=MASSES)
    found = trust(molecule(raw(KINASE_LIKE[0], label=label)), basis)
    assert (found.score, len(found.witnesses)) == (score, witnesses)


def test_another_mass_told_for_its_example_is_a_doubt() -> None:
    found = trust(molecule(raw(KINASE_LIKE[1], label="Example 12")), Basis(masses=MASSES))
    assert (found.score, found.doubts) == (40, ("the text reports another mass for its example",))


def described(*lines: str) -> Sequence[PatentText]:
    return (PatentText("description", tuple(TextLine(line) for line in lines)),)


@over_rows(
    "said",
    [
        "MS (ESI) m/z: 324.2 [M+H]+.",
        "LC-MS: [M + H]+ = 324.2",
        "LCMS m/z found 324.2 [M+1]+",
        "MS (ESI): calcd for C20H25N3O (M+H)+ found 324.2",
    ],
)
def test_masses_are_read_below_their_example(said: str) -> None:
    told = read_masses(described("Example 11: a compound", "mp 120", "Example 12", said))
    assert told == {"12": (324.2,)}


def test_numbers_without_a_proton_are_no_masses() -> None:
    assert read_masses(described("Example 12", "in 324.2 mg (1 mmol), m/z 324.2")) == {}
    assert read_masses(described("LC-MS 324.2 [M+H]+")) == {}
    assert (number_of("Example 12a"), number_of("page")) == ("12A", "")


def test_the_basis_is_read_from_what_documents_of_a_process_deliver() -> None:
    texts = [raw(KINASE_LIKE[0], f"C{place}.CDX") for place in range(10)]
    lost = raw("*.* |$;R$|", "C3.CDX")
    sample = Sample(
        uploaded=[document(NUMBER, title="Process for preparing a KRAS inhibitor")],
        delivered={NUMBER: [Delivered(one) for one in (*texts, lost)]},
    )
    basis = read_basis(sample, [], Pool())
    assert basis == Basis(
        frozenset({(NUMBER, "C3.CDX")}), frozenset({NUMBER}), {}, frozenset({NUMBER})
    )
    drawings = [raw(KINASE_LIKE[0], f"C{place}.CDX") for place in range(10)]
    sample = Sample(
        uploaded=[document(NUMBER)],
        delivered={NUMBER: [Delivered(one) for one in (*drawings, raw("C", "C3.CDX"))]},
    )
    assert read_basis(sample, [], Pool()) == Basis()


def test_a_doubtful_structure_is_told_in_the_answer(bench: Bench) -> None:
    drawn = [raw(KINASE_LIKE[0]), raw("*.* |$;R$|"), raw(KINASE_LIKE[1], "C2.CDX")]
    bench.pool.add(document(NUMBER), drawn)
    data = bench.run()
    by_score = {one.confidence_score: one for one in data.compounds}
    assert by_score[60].doubts == ["a label stands apart from it in its drawing"]
    assert (by_score[65].doubts, by_score[65].witnesses, data.n_sure) == ([], ["drawing"], 0)
