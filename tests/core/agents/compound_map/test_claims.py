"""Own compounds against the drawings of claims: in, out because of ..., or it cannot be told."""

from core.agents.compound_map.freedom import Claims, judge_document
from core.chemistry.generic_cores import fits_generic, judge_fit
from tests.core.agents.compound_map.conftest import KINASE_LIKE, Bench, document, drawn
from tests.rows import over_rows

CORE = "[*:1]Nc1ccc(NC(=O)c2ccc([*:2])cc2)cc1"
INSIDE, MORE, OTHER = (
    "CNc1ccc(NC(=O)c2ccc(CN3CCNCC3)cc2)cc1",
    "CNc1ccc(NC(=O)c2ccc(CN3CCNCC3)cc2F)cc1",
    "CNc1ccc(NC(=O)c2ccncc2)cc1",
)


@over_rows(
    ("smiles", "answer", "because"),
    [
        (INSIDE, "in", "fixed part as drawn"),
        (MORE, "cannot tell", "more where the drawing shows no group"),
        ("CC(C)CCNC1CCC(CC1)C(=O)NC1CCCCC1", "out", "lacks the ring system c1ccccc1"),
        ("CNc1ccc(CC(=O)c2ccccc2)cc1", "out", "not joined or substituted as drawn"),
    ],
)
def test_answer_names_its_reason(smiles: str, answer: str, because: str) -> None:
    found = judge_fit(CORE, smiles)
    assert found.answer == answer
    assert because in found.reason


@over_rows("drawing", ["[*:1]c1ccccc1[*:2]", "no structure", "CC(C)CCCCCCCCCC[*:1]"])
def test_a_drawing_that_fixes_too_little_tells_nothing(drawing: str) -> None:
    assert judge_fit(drawing, INSIDE).answer == "cannot tell"
    assert not fits_generic(drawing, INSIDE)


@over_rows("ring", ["*1ccc(NC(=O)c2ccc([*:2])cc2)cc1", "C1=CC(NC(=O)c2ccccc2)=CC=[Y]1"])
def test_a_variable_atom_of_a_ring_may_be_any_and_aromatic(ring: str) -> None:
    assert judge_fit(ring, "O=C(Nc1ccncc1)c1ccc(Cl)cc1").answer != "out"
    assert judge_fit(ring, "O=C(NC1CCCC1)c1ccc(Cl)cc1").answer == "out"


def test_a_variable_chain_between_two_parts_may_have_any_length() -> None:
    drawing = "c1ccc2ncccc2c1[*:1]c1ccncc1"
    assert fits_generic(drawing, "c1ccc2ncccc2c1OCCc1ccncc1")
    assert fits_generic(drawing, "c1ccc2ncccc2c1-c1ccncc1")
    assert not fits_generic(drawing, "c1ccc2ncccc2c1OCCc1ccccc1")


def judged(smiles: str, *claimed: str) -> str:
    drawn_there = {text: text for text in claimed}
    return judge_document(
        smiles, "", "US1B2", Claims({"US1B2": [CORE]}, {"US1B2": drawn_there}, [])
    ).answer


def test_molecules_of_the_claims_test_the_drawings() -> None:
    """Drawings that the claims' own molecules miss tell nothing to be out."""
    far = "CC(C)CCNC1CCC(CC1)C(=O)NC1CCCCC1"
    assert judged(far, INSIDE) == "out"
    assert judged(far, INSIDE, "Cc1ccc2[nH]ccc2c1CCN1CCCC1") == "cannot tell"
    assert judged(MORE, INSIDE) == "cannot tell"
    assert judged(MORE, MORE.replace("F", "Cl"), INSIDE) == "in"


def test_claims_without_drawings_tell_nothing() -> None:
    found = judge_document(INSIDE, "", "US1B2", Claims({}, {}, []))
    assert (found.answer, "not read" in found.reason) == ("cannot tell", True)


def test_own_compounds_learn_in_which_claims_they_are(bench: Bench) -> None:
    first, second, third = "US1000001B2", "US1000002B2", "US1000003B2"
    bench.pool.add(document(first), drawn(first, "claims", CORE, *KINASE_LIKE))
    bench.pool.add(
        document(second, assignees=("Other",)),
        drawn(second, "claims", "[*:1]c1ccc2[nH]ncc2c1C(=O)N"),
    )
    bench.pool.add(document(third, assignees=("Third",)), drawn(third, "claims", INSIDE))
    bench.uploads.files["f1"] = ("own.csv", f"name,smiles\nmine,{INSIDE}\nnew,{OTHER}\n".encode())
    mine, new = bench.run(compounds_file_id="f1").own_compounds
    told = {one.publication_number: one.answer for one in mine.claims}
    assert told == {first: "in", third: "in", second: "out"}
    assert (mine.n_in, mine.n_cannot_tell, mine.n_out) == (2, 0, 1)
    assert mine.finding.startswith("the same molecule")
    assert (new.n_in, {one.answer for one in new.claims}) == (0, {"cannot tell", "out"})
