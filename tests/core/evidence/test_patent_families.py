"""A patent that writes only a family's name is found for its members, and told apart."""

from pathlib import Path

import pytest

from core.evidence.names.identity.resolver import Resolver
from core.evidence.patents.stored import HeldPatents
from core.evidence.readers.patents.names import FamilyReader, join_family, patent_names
from core.records.patents import TargetNames
from storage.identity import IdentityStore
from tests.core.evidence.patent_files import make_patent
from tests.core.evidence.test_patent_pool import bring_patents, gene_rows

GENES = {
    "JAK1": (),
    "JAK2": (),
    "JAK3": (),
    "TYK2": ("JTK1",),
    "PARP1": ("PARP",),
    "PARP2": (),
    "MAP2K1": ("MEK1",),
    "MAP2K2": ("MEK2",),
    "PIK3CA": ("PI3K",),
    "PIK3CD": (),
    "KRAS": (),
    "NRAS": (),
}


@pytest.fixture(scope="module")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    """Return what knows the members of some families."""
    store = IdentityStore(Path(tmp_path_factory.mktemp("families")) / "identity.db")
    store.build(gene_rows(GENES), [], "1")
    return Resolver(store)


def names_of(target: str, resolver: Resolver) -> TargetNames:
    """Return the names of a known target with those of its family."""
    found = patent_names(target, resolver)
    assert found is not None
    return join_family(found, target, resolver)


@pytest.mark.parametrize(
    ("target", "text", "family"),
    [
        ("JAK1", "Bipyrazole derivatives as JAK inhibitors", "JAK"),
        ("JAK1", "A novel compound able to inhibit JAK is disclosed", "JAK"),
        ("JAK1", "the activity of Janus kinase (JAK)", "Janus kinase"),
        ("JAK1", "Selective JAK2 ligands", ""),
        ("JAK1", "Selective JAK 2 inhibitors", ""),
        ("JAK1", "Janus kinase 3 inhibitors", ""),
        ("JAK1", "a yellow jak inhibitor", ""),
        ("JAK1", "the JAK of the machine", ""),
        ("PARP1", "PARP inhibitors", "PARP"),
        ("PARP1", "PARP-2 inhibitors", ""),
        ("MAP2K1", "a MEK inhibitor", "MEK"),
        ("MAP2K1", "a MEK2 inhibitor", ""),
        ("PIK3CD", "PI3K inhibitors", "PI3K"),
        ("PIK3CD", "PI3K\u03b3 inhibitors", ""),
        ("PIK3CD", "PI3K alpha inhibitors", ""),
    ],
)
def test_a_text_names_the_family_as_a_whole(resolver, target, text, family) -> None:
    """A member's own name, spelled with or without a blank, is not the family's."""
    assert FamilyReader(names_of(target, resolver)).names_family(text) == family


def test_a_variant_has_no_family(resolver) -> None:
    """What acts on all of RAS is not told to act on KRAS G12C."""
    assert names_of("KRAS G12C", resolver).family == ()
    assert names_of("KRAS", resolver).family


def test_a_family_that_is_asked_for_stands_for_its_members(resolver) -> None:
    """JAK is not JAK1."""
    names = names_of("JAK", resolver)
    assert names.symbol == "JAK"
    assert {"JAK", "Janus kinase", "JAK1", "JAK2", "TYK2"} <= set(names.names)


def test_relatives_alone_are_left_out_and_counted(pack, bring, resolver) -> None:
    """The target's own documents go first, the family's next; those of TYK2 are no JAK1."""
    bring_patents(
        bring,
        make_patent("12000001", title="JAK inhibitors", abstract="New JAK inhibitors."),
        make_patent("12000002", title="Compounds", abstract="JAK1 kinase inhibitors."),
        make_patent("12000003", title="TYK2 inhibitors", abstract=""),
        make_patent("12000004", title="JAK kinase inhibitors", abstract="They inhibit JAK2."),
        make_patent("12000005", title="JAK1 and JAK2 inhibitors", abstract=""),
        make_patent("12000006", title="Compounds", abstract="Able to inhibit JAK is disclosed."),
    )
    pool = HeldPatents(pack)
    found = pool.find(names_of("JAK1", resolver), 10)
    assert [(one.publication_number, one.named_as) for one in found] == [
        ("US12000005B2", ""),
        ("US12000002B2", ""),
        ("US12000001B2", "JAK"),
        ("US12000006B2", "JAK"),
    ]
    left = [pair for answer in pool.answers() for pair in answer.relatives]
    assert left == [("US12000003B2", "TYK2"), ("US12000004B2", "JAK2")]
