"""The agent from documents to the answer: counts, places, map, claims, warnings."""

import json

import pytest

from core.agents.compound_map import AGENT, reading
from core.agents.compound_map.clinical import read_reference
from core.agents.compound_map.exports import export
from core.agents.compound_map.freedom import Drugs
from core.agents.compound_map.records import Nearest
from core.chemistry.structures import find_scaffold, read_structure
from core.records.patents import ClinicalCompound, SourceAnswer
from tests.contract.form import loose_citations, wrong_warnings
from tests.core.agents.compound_map.conftest import (
    ASPIRIN_AMIDES,
    KINASE_LIKE,
    PIECE,
    Bench,
    document,
    drawn,
)

OTHER_SCAFFOLD = "Cc1ccc(NC(=O)c2ccc(CN3CCN(C)CC3)nc2)cc1"


def plain(data, *left_out: str) -> str:
    """Return an answer as JSON without the seconds it took."""
    return data.model_dump_json(exclude={"elapsed_s", *left_out})


def by_smiles(data, smiles: str):
    key = read_structure(smiles).inchikey
    return next(one for one in data.compounds if one.inchikey == key)


def test_every_string_is_counted_and_every_place_listed(two_documents: Bench) -> None:
    data = two_documents.run()
    funnel = data.funnel
    assert data.n_smiles_raw == funnel.raw == 15
    assert funnel.raw == funnel.over_cap + funnel.unreadable + funnel.parsed
    assert (funnel.unreadable, funnel.generic, funnel.small, funnel.repeated) == (2, 1, 1, 2)
    assert funnel.parsed == 13
    assert funnel.unique == len(data.compounds) == 9
    assert [one.kind for one in data.generic] == ["generic"]
    assert all("*" not in one.smiles for one in data.compounds)
    assert len({one.inchikey for one in data.compounds}) == len(data.compounds)
    found = by_smiles(two_documents.run(), ASPIRIN_AMIDES[1])
    assert [(one.publication_number, one.section) for one in found.patents] == [
        ("US1000001B2", "claims"),
        ("US20240000002A1", "description"),
    ]
    assert (found.claimed, found.role) == (True, "claimed_example")
    assert found.assignees == ["Acme Bio, Inc.", "Beta Pharma Ltd"]
    assert (found.first_disclosed_on, found.first_disclosed_in) == (
        "2019-01-15",
        "US20240000002A1",
    )
    found = by_smiles(data, PIECE.split(" ")[0])
    assert (found.role, found.confidence) == ("piece", "low")
    assert found.confidence_score < min(
        one.confidence_score for one in data.compounds if one.id != found.id
    )
    assert found.id == data.compounds[-1].id


def test_same_request_gives_the_same_bytes_with_and_without_a_seed(two_documents: Bench) -> None:
    first = two_documents.run(seed="one")
    again = two_documents.run(seed="one")
    assert plain(again) == plain(first)
    for name in AGENT.exports:
        assert export(again, name) == export(first, name)
    assert first.seed == "one"
    first = two_documents.run()
    assert first.seed
    assert plain(two_documents.run()) == plain(first)


def test_answer_tells_likeness_documents_claims_and_time(two_documents: Bench) -> None:
    data = two_documents.run()
    rows = data.similarity.pairs.rows()
    values = [row["tanimoto"] for row in rows]
    assert values == sorted(values, reverse=True)
    assert data.n_similarity_pairs == len(rows)
    paired = {row[side] for row in rows for side in ("a", "b")}
    assert paired == {one.id for one in data.compounds}
    assert any(value >= 0.7 for value in values)
    rows = {one.publication_number: one for one in two_documents.run().patents}
    assert rows["US1000001B2"].estimated_expiry_on == "2041-03-01"
    assert rows["US1000001B2"].legal == "granted"
    assert (rows["US20240000002A1"].legal, rows["US20240000002A1"].n_claimed) == ("pending", 4)
    assert rows["US1000001B2"].why_selected
    found = two_documents.run().freedom_to_operate
    assert "not legal advice" in found.notice
    assert "drawn or named in the claims" in found.basis
    assert "not checked" in found.basis
    states = {one.scaffold: one for one in found.scaffolds}
    granted = [one for one in states.values() if one.granted]
    assert granted[0].last_expiry_on == "2041-03-01"
    assert {tuple(one.pending) for one in states.values()} == {(), ("US20240000002A1",)}
    rows = two_documents.run().timeline
    assert [one.publication_number for one in rows] == ["US20240000002A1", "US1000001B2"]
    assert [(one.n_compounds, one.n_first) for one in rows] == [(5, 5), (4, 3)]
    data = json.loads(plain(two_documents.run()))
    assert loose_citations(data) == []
    assert wrong_warnings(data) == []
    assert [one["source_type"] for one in data["sources"]] == ["patent", "patent"]


def test_scaffold_that_only_descriptions_show_is_not_drawn_in_claims(bench: Bench) -> None:
    number = "US1000001B2"
    bench.pool.add(
        document(number),
        drawn(number, "claims", *KINASE_LIKE),
        drawn(number, "description", OTHER_SCAFFOLD),
    )
    found = bench.run().freedom_to_operate
    assert len(found.not_drawn) == 1
    row = next(one for one in found.scaffolds if one.scaffold == found.not_drawn[0])
    assert (row.n_claimed, row.source_ids) == (0, [])
    assert "not drawn in this sample's claims" in row.reason


def test_scaffolds_of_known_drugs_are_told_apart() -> None:
    drug = ClinicalCompound("knownib", (), "APPROVED", OTHER_SCAFFOLD, "smiles")
    drugs = Drugs(read_reference([drug], {}))
    assert drugs.say(find_scaffold(OTHER_SCAFFOLD), None) == "scaffold of knownib"
    assert drugs.say("O=C(Nc1ccccc1)c1cccnc1", None) == "a part of knownib"
    assert drugs.say("c1ccc2[nH]ncc2c1", Nearest(id="knownib", tanimoto=0.82)) == (
        "very like knownib (0.82)"
    )
    assert drugs.say("c1ccccc1", Nearest(id="knownib", tanimoto=0.3)) == ""


def test_scaffold_that_fits_a_generic_claim_is_occupied(bench: Bench) -> None:
    number = "US1000001B2"
    core = "Cc1ccc(NC(=O)c2ccc(C[*:1])nc2)cc1"
    bench.pool.add(
        document(number),
        drawn(number, "claims", *KINASE_LIKE, core),
        drawn(number, "description", OTHER_SCAFFOLD),
    )
    found = bench.run().freedom_to_operate
    assert found.not_drawn == []
    assert any("R-group drawings of US1000001B2" in one.reason for one in found.scaffolds)


def test_owners_of_one_name_are_one(bench: Bench) -> None:
    for number, name in (("US1000001B2", "ACME BIO INC."), ("US1000002B2", "Acme Bio, Inc.")):
        bench.pool.add(
            document(number, assignees=(name,), applicants=("Somebody Else",)),
            drawn(number, "claims", ASPIRIN_AMIDES[0]),
        )
    (row,) = bench.run().assignees
    assert (row.assignee, row.patent_count, row.compound_count) == ("Acme Bio, Inc.", 2, 1)
    assert row.raw_names == ["ACME BIO INC.", "Acme Bio, Inc."]


def test_owners_of_one_document_that_share_a_word_of_their_own_are_one(bench: Bench) -> None:
    owners = (
        ("Bayer Aktiengesellschaft", "Bayer Pharma Aktiengesellschaft"),
        ("JIANGXI JEMINCARE GROUP CO., LTD", "SHANGHAI JEMINCARE PHARMACEUTICALS CO., LTD"),
        ("University of Kansas", "University of South Florida"),
        ("Shanghai One Cancer Pharma Co., Ltd.", "Shanghai Two Cancer Pharma Co., Ltd."),
        (),
    )
    for place, names in enumerate(owners, start=1):
        number = f"US100000{place}B2"
        bench.pool.add(document(number, assignees=names), drawn(number, "claims", *ASPIRIN_AMIDES))
    rows = bench.run().assignees
    assert [len(row.raw_names) for row in rows].count(2) == 2
    assert len(rows) == 6
    assert all(row.patent_count == 1 for row in rows)


def test_without_documents_the_answer_says_why(bench: Bench) -> None:
    data = bench.run("KRASS")
    assert (data.compounds, data.patents, data.n_selected) == ([], [], 0)
    assert data.target == "KRASS"
    assert data.warnings[0].startswith("unknown_target: “KRASS”")
    assert "KRAS" in data.warnings[0].replace("KRASS", "")
    assert bench.pool.asked == []
    data = bench.run()
    (warning,) = [text for text in data.warnings if text.startswith("no_patents")]
    assert "evidence import uspto-chem" in warning
    assert "test: empty" in warning
    bench.pool.add(document("US1000001B2"))
    data = bench.run()
    assert any("no_structures: 1 of 1" in text for text in data.warnings)
    assert data.patents[0].n_structures == 0


def test_pool_smaller_than_the_sample_is_raised(two_documents: Bench) -> None:
    data = two_documents.run(max_patents=30, candidate_pool=5)
    assert two_documents.pool.asked[0][1] == 30
    assert any(text.startswith("pool_raised") for text in data.warnings)


def test_strings_beyond_the_cap_of_a_document_are_counted(bench: Bench, monkeypatch) -> None:
    monkeypatch.setattr(reading, "MOST_STRINGS", 3)
    number = "US1000001B2"
    bench.pool.add(
        document(number),
        drawn(number, "description", *KINASE_LIKE),
        drawn(number, "claims", *ASPIRIN_AMIDES[:2]),
    )
    data = bench.run()
    assert (data.funnel.raw, data.funnel.over_cap) == (6, 3)
    assert sum(one.claimed for one in data.compounds) == 2
    assert any(text.startswith("strings_cut") for text in data.warnings)


def test_reaction_drawings_are_no_compounds(bench: Bench) -> None:
    number = "US1000001B2"
    bench.pool.add(
        document(number),
        drawn(number, "claims", ASPIRIN_AMIDES[0]),
        drawn(number, "description", KINASE_LIKE[0], part="reaction"),
    )
    data = bench.run()
    assert len(data.compounds) == 1
    assert [one.kind for one in data.generic] == ["reaction"]


def test_molecule_that_everybody_draws_is_a_reagent(bench: Bench) -> None:
    for place in range(1, 7):
        number = f"US100000{place}B2"
        bench.pool.add(
            document(number, assignees=(f"Owner {place}",)),
            drawn(number, "claims", ASPIRIN_AMIDES[place % 4]),
            drawn(number, "description", KINASE_LIKE[0]),
        )
    data = bench.run()
    keys = {one.inchikey for one in data.compounds}
    assert read_structure(KINASE_LIKE[0]).inchikey not in keys
    assert data.funnel.reagent == 6
    assert data.funnel.parsed == 6 + data.funnel.unique + data.funnel.repeated


def test_salts_are_one_compound_and_stereo_variants_two(bench: Bench) -> None:
    number = "US1000001B2"
    base = "C[C@H](N)c1ccc(-c2ccc(F)cc2)cc1"
    bench.pool.add(
        document(number),
        drawn(number, "claims", base, f"{base}.Cl", "C[C@@H](N)c1ccc(-c2ccc(F)cc2)cc1"),
    )
    data = bench.run()
    assert [one.same_skeleton for one in data.compounds] == [["C2"], ["C1"]]


@pytest.mark.parametrize("text", ["[1] KRAS **x**", "<script>KRAS</script>"])
def test_words_of_a_document_are_data(bench: Bench, text: str) -> None:
    number = "US1000001B2"
    bench.pool.add(
        document(number, title=text, assignees=(text,)), drawn(number, "claims", *ASPIRIN_AMIDES)
    )
    data = json.loads(plain(bench.run()))
    assert loose_citations(data) == []


def test_what_names_only_the_family_or_a_relative_is_counted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader learns how many documents may be of a relative, and which were left out."""
    pool = bench.pool
    pool.add(document("US1000001B2"), drawn("US1000001B2", "claims", *KINASE_LIKE))
    pool.add(document("US1000002B2", named_as="RAS", assignees=("Other",)))
    left = SourceAnswer("test", "local", "answered", "", 2, "", (("US1000003B2", "NRAS"),))
    monkeypatch.setattr(pool, "answers", lambda: (left,))
    data = bench.run()
    assert [one.named_as for one in data.patents] == ["", "RAS"]
    said = "\n".join(data.warnings)
    assert "family_named: 1 of 2 documents writes only the family's name (RAS)" in said
    assert "relatives_left_out: 1 document names only relatives of KRAS (NRAS)" in said
