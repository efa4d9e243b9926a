"""Held patents are found by what names the target, not by words that look like it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.evidence.names.identity.resolver import Resolver
from core.evidence.patents.stored import HeldPatents
from core.evidence.readers.patents.names import TargetReader, nearest_symbols, patent_names
from core.records.identity import Entity, EntityName
from core.records.names import fold_name
from core.records.patents import PatentDocument, TargetNames
from storage.identity import IdentityStore
from tests.core.evidence.conftest import Import
from tests.core.evidence.patent_files import make_patent, make_redbook

GENES = {
    "KRAS": ("KRAS2", "K-Ras4B"),
    "HRAS": (),
    "NRAS": (),
    "MET": ("HGFR",),
    "KIT": ("SCFR",),
    "CAT": ("catalase",),
    "NLRP1": (),
    "NLRP3": ("AVP", "NALP3"),
    "PDCD1": ("PD1",),
    "SNCA": ("PD1",),
}


def gene_rows(genes: Mapping[str, Sequence[str]]) -> list[Any]:
    """Return the rows of genes by symbol with their aliases."""
    rows: list[Any] = []
    for number, (symbol, aliases) in enumerate(genes.items()):
        key = f"HGNC:{number}"
        rows.append(Entity("target", key, symbol, note="gene with protein product"))
        rows.append(EntityName("target", fold_name(symbol), key, 1, symbol))
        rows += [EntityName("target", fold_name(one), key, 2, one) for one in aliases]
    return rows


@pytest.fixture
def resolver(tmp_path: Path) -> Resolver:
    """Return what knows some genes."""
    store = IdentityStore(tmp_path / "identity.db")
    store.build(gene_rows(GENES), [], "1")
    return Resolver(store)


def names_of(target: str, resolver: Resolver) -> TargetNames:
    """Return the names of a target that is known."""
    found = patent_names(target, resolver)
    assert found is not None
    return found


def test_names_come_from_the_table_and_from_long_aliases(resolver) -> None:
    """A short alias of HGNC is most often the name of a disease or of another thing."""
    names = names_of("NLRP3", resolver)
    assert {"NLRP3", "NALP3"} <= set(names.names)
    assert "AVP" not in names.names
    assert names.relatives == ("NLRP1",)


@pytest.mark.parametrize("asked", ["MET", "met", "c-Met", "HGFR"])
def test_an_alias_leads_to_the_approved_symbol(resolver, asked) -> None:
    """Whatever was asked, symbol and names are the same."""
    assert names_of(asked, resolver) == names_of("MET", resolver)
    assert "MET" in names_of(asked, resolver).contextual


def test_an_alias_of_several_genes_tells_the_others(resolver) -> None:
    """The table decides that PD-1 is PDCD1; SNCA bears the alias, too."""
    names = names_of("PD-1", resolver)
    assert (names.symbol, names.ambiguous) == ("PDCD1", ("SNCA",))


def test_a_variant_has_names_of_its_own(resolver) -> None:
    """KRAS G12C does not stand for all of KRAS."""
    names = names_of("KRAS G12C", resolver)
    assert names.symbol == "KRAS"
    assert "KRAS" not in names.names


def test_an_unknown_symbol_has_no_names_but_near_ones(resolver) -> None:
    """One sign away, and nothing invented."""
    assert patent_names("KRASS", resolver) is None
    assert nearest_symbols("KRASS", resolver.identity) == ["KRAS"]
    assert nearest_symbols("NLPR3", resolver.identity) == ["NLRP3"]
    assert nearest_symbols("", resolver.identity) == []


@pytest.mark.parametrize(
    ("target", "text", "is_named"),
    [
        ("KRAS", "Inhibitors of K-Ras", True),
        ("KRAS", "KRASG12C inhibitors", True),
        ("KRAS", "pan-KRAS degraders", True),
        ("KRAS", "HRAS inhibitors", False),
        ("KRAS", "a SKRASH barrier", False),
        ("MET", "Inhibitors of MET kinase activity", True),
        ("MET", "c-Met modulators", True),
        ("MET", "the conditions were met by an inhibitor", False),
        ("MET", "CONDITIONS ARE MET BY THE DEVICE", False),
        ("MET", "METHOD OF TREATMENT WITH A KINASE INHIBITOR", False),
        ("MET", "CRITERIA MET WITH A KINASE INHIBITOR", False),
        ("MET", "MET INHIBITORS AND USES THEREOF", True),
        ("KIT", "KIT FOR MEASURING AN INHIBITOR", False),
        ("KIT", "INHIBITORS OF KIT AND PDGFR", True),
        ("KIT", "a kit with a tyrosine kinase inhibitor", False),
        ("KIT", "mutant KIT receptor", True),
        ("CAT", "CAT scan of the patient", False),
        ("CAT", "the catalase enzyme", True),
        ("NLRP3", "NLRP3-dependent disease", True),
        ("NLRP3", "NLRP31", False),
    ],
)
def test_symbols_that_are_words_need_capitals_and_context(resolver, target, text, is_named) -> None:
    """In a title all in capitals the context word stands beside the symbol."""
    assert TargetReader(names_of(target, resolver)).names_target(text) is is_named


def bring_patents(bring: Import, *entries: dict[str, Any]) -> None:
    """Import a weekly file."""
    bring("week.json", json.dumps(entries))


def numbers(found: "list[PatentDocument] | Any") -> list[str]:
    """Return publication numbers in their order."""
    return [one.publication_number for one in found]


def test_title_goes_before_abstract_before_description(pack, bring, resolver) -> None:
    """Claims lie between title and abstract."""
    bring_patents(
        bring,
        make_patent("12000001", title="Compounds"),
        make_patent("12000002", abstract="Compounds."),
    )
    text = make_redbook().replace("Inhibitors of KRAS", "Compounds").replace("for KRAS", "new")
    bring("a.xml", text.replace("1. A compound", "1. A compound that inhibits KRAS"))
    described = text.replace("09000001", "09000002").replace("so far", "for KRAS so far")
    bring("b.xml", described)
    found = HeldPatents(pack).find(names_of("KRAS", resolver), 10)
    assert [(one.publication_number, one.mentions) for one in found] == [
        ("US12000002B2", ("title",)),
        ("US9000001B2", ("claims",)),
        ("US12000001B2", ("abstract",)),
        ("US9000002B2", ("description",)),
    ]
    assert numbers(HeldPatents(pack).find(names_of("KRAS", resolver), 2)) == numbers(found[:2])


def test_documents_of_relatives_only_are_left_out(pack, bring, resolver) -> None:
    """One about HRAS that mentions KRAS in passing, and one about both."""
    passing = make_redbook().replace("Inhibitors of KRAS", "Inhibitors of HRAS")
    bring("a.xml", passing.replace("for KRAS", "for HRAS").replace("so far", "for KRAS so far"))
    bring_patents(
        bring,
        make_patent("12000001", title="HRAS inhibitors", abstract="Compounds for NRAS."),
        make_patent("12000002", title="HRAS and KRAS inhibitors", abstract=""),
    )
    assert numbers(HeldPatents(pack).find(names_of("KRAS", resolver), 10)) == ["US12000002B2"]


def test_two_copies_of_a_document_are_one(pack, bring, resolver) -> None:
    """The one with texts is told; structures come from whichever has them."""
    bring("a.xml", make_redbook())
    publication = {"country": "US", "doc_number": "9000001", "kind": "B2", "date": "20150407"}
    bring_patents(bring, make_patent(publication=publication))
    pool = HeldPatents(pack)
    (document,) = pool.find(names_of("KRAS", resolver), 10)
    assert document.source == "uspto_redbook"
    assert len(pool.structures([document.publication_number])["US9000001B2"]) == 3


def test_a_document_tells_what_the_file_tells(pack, bring, resolver) -> None:
    """And no more: the file has no claims."""
    bring_patents(bring, make_patent())
    (found,) = HeldPatents(pack).find(names_of("KRAS", resolver), 10)
    assert found.mentions == ("title", "abstract")
    assert (found.legal, found.country, found.kind) == ("granted", "US", "B2")
    assert (found.filed_on, found.published_on) == ("2020-08-20", "2024-06-11")
    assert (found.family, found.cpc) == ("US17000001", ("C07D401/04", "A61P35/00"))
    assert (found.assignees, found.n_attachments) == (("Some Inventor Ltd",), 2)
    assert found.record_id == "uspto_chem:US12000001B2"


def test_each_source_says_what_it_holds(pack, bring, resolver) -> None:
    """What is not imported says by which command it would be."""
    pool = HeldPatents(pack)
    assert not pool.find(names_of("KRAS", resolver), 10)
    assert {one.status for one in pool.answers()} == {"not_configured"}
    assert "evidence import uspto-chem FILE" in pool.answers()[0].message
    bring_patents(bring, make_patent())
    pool = HeldPatents(pack)
    pool.find(names_of("MET", resolver), 10)
    assert [one.status for one in pool.answers()] == ["empty", "not_configured"]
    assert pool.answers()[0].asked_at.startswith("2026-11-21")
    assert pool.structures(["US1B2", "no number"]) == {}


def test_a_damaged_packing_gives_no_structures(pack) -> None:
    """A carried pack may hold anything."""
    from core.evidence.sources.files.patent_packing import unpack_structures  # noqa: PLC0415 - beside its use

    assert list(unpack_structures("US1B2", "no packing at all \u00e9")) == []
    assert list(unpack_structures("US1B2", "")) == []
