"""The sample of patents: one of a family, spread over assignees, the same with the same seed."""

from dataclasses import replace
from random import Random
from typing import Any

from core.agents.compound_map.finding import collapse_families, select_patents
from core.records.patents import PatentDocument, Selection
from tests.rows import over_rows


def make(number: int, **said: Any) -> PatentDocument:
    """Return a granted US patent of a family, assignee and year of its own."""
    document = PatentDocument(
        publication_number=f"US{12000000 + number}B2",
        kind="B2",
        country="US",
        title="KRAS inhibitors",
        assignees=(f"Company {number} Inc",),
        priority_on="2020-01-01",
        published_on="2024-01-02",
        family=f"US{17000000 + number}",
        cpc=("C07D401/04",),
        legal="granted",
        mentions=("title",),
        n_attachments=10,
    )
    return replace(document, **said)


def chosen(selection: Selection) -> list[str]:
    """Return the numbers chosen."""
    return [one.document.publication_number for one in selection.chosen]


def test_of_a_family_one_document_stays() -> None:
    """Before the application, before WO and EP; what was dropped is told with its reason."""
    family = [
        make(1, publication_number="EP1234567B1", country="EP", kind="B1", family="f"),
        make(1, publication_number="WO2020123456A1", country="WO", kind="A1", family="f"),
        make(1, publication_number="US20200000001A1", kind="A1", legal="pending", family="f"),
        make(1, publication_number="US12000001B2", family="f"),
        make(1, publication_number="JP1234567B1", country="JP", kind="B1", family="f"),
    ]
    (one,) = select_patents(family, 20, "s").chosen
    assert one.document.publication_number == "US12000001B2"
    assert "US B2 of a family of 5" in one.why_selected
    assert [dropped.publication_number for dropped in one.members_dropped] == [
        "US20200000001A1",
        "WO2020123456A1",
        "EP1234567B1",
        "JP1234567B1",
    ]
    assert "US B2 goes before WO A1" in one.members_dropped[1].reason
    bare = make(1, publication_number="US12000001B2", family="f", n_attachments=0)
    full = make(1, publication_number="US20200000001A1", kind="A1", legal="pending", family="f")
    (one,) = select_patents([bare, full], 20, "s").chosen
    assert one.document.kind == "A1"
    assert "drawings" in one.members_dropped[0].reason


def test_naming_each_other_makes_a_family() -> None:
    """Also through a third publication, whatever kind is written."""
    first = make(1, family_members=("US20200000001A1",))
    second = make(2, publication_number="US20200000001A1", kind="A1")
    third = make(3, family_members=("US20200000001",))
    (family,) = collapse_families([first, second, third], "s")
    assert family.family_size == 3
    assert len(collapse_families([make(1), make(2)], "s")) == 2


def test_the_order_of_the_pool_changes_nothing() -> None:
    """Same seed, same sample, same words; another seed breaks ties otherwise."""
    pool = [make(at, assignees=(f"Company {at % 7}",)) for at in range(60)]
    shuffled = Random(7).sample(pool, len(pool))
    assert select_patents(pool, 10, "seed") == select_patents(shuffled, 10, "seed")
    others = {tuple(chosen(select_patents(pool, 10, f"seed {at}"))) for at in range(5)}
    assert len(others) > 1


def test_one_assignee_gets_a_quarter_while_there_are_others() -> None:
    """Spellings and legal forms are one company."""
    spelled = ("AMGEN INC.", "Amgen Inc.")
    pool = [make(at, assignees=(spelled[at % 2],)) for at in range(10)]
    weak = {"mentions": ("abstract",), "n_attachments": 0, "cpc": ()}
    pool += [make(20 + at, **weak) for at in range(15)]
    sample = select_patents(pool, 8, "s")
    assert sum("mgen" in one.document.assignees[0].lower() for one in sample.chosen) == 2
    dropped = next(one for one in sample.dropped if "AMGEN" in one.document.assignees[0].upper())
    assert "Amgen has 2 of its documents" in dropped.reason
    alone = select_patents(pool[:10], 8, "s")
    assert len(alone.chosen) == 8


def test_documents_that_say_less_follow() -> None:
    """However new their assignee is."""
    pool = [make(at, assignees=("One",)) for at in range(3)]
    pool += [make(10 + at, mentions=("description",)) for at in range(3)]
    sample = select_patents(pool, 4, "s")
    assert {one.document.mentions for one in sample.chosen[:3]} == {("title",)}
    assert "fill up" in sample.chosen[3].why_selected
    assert "description only" in sample.dropped[0].reason
    own, kin = make(1), make(2, named_as="RAS")
    selection = select_patents([kin, own], 1, "seed")
    assert [one.document for one in selection.chosen] == [own]
    (taken,) = select_patents([kin], 1, "seed").chosen
    assert taken.why_selected.startswith("the family's name (RAS) in title")
    pool = [make(1, assignees=("One",)), make(2, assignees=("One",)), make(3, assignees=("Two",))]
    sample = select_patents(pool, 2, "s")
    assert {one.document.assignees for one in sample.chosen} == {("One",), ("Two",)}
    assert all("new assignee" in one.why_selected for one in sample.chosen)


@over_rows(
    ("title", "kind"),
    [
        ("Combination therapy with a KRAS inhibitor", "combination"),
        ("Pharmaceutical formulations of a KRAS inhibitor", "formulation"),
        ("Use of BI853520 in cancer treatment", "use"),
        ("Method for treating KRAS-mutant cancer", "use"),
        ("Inhibitor of ATR kinase for use in a method of treating a disease", "use"),
        ("Process for preparing a KRAS inhibitor", "process"),
        ("Crystalline forms of a KRAS inhibitor", "solid form"),
    ],
)
def test_patents_on_others_drugs_rank_lower_and_say_so(title: str, kind: str) -> None:
    """A plain compound patent goes first, though it names the target in its abstract only."""
    pool = [make(1, title=title), make(2, mentions=("abstract",))]
    sample = select_patents(pool, 2, "s")
    assert chosen(sample) == ["US12000002B2", "US12000001B2"]
    assert f"announces a {kind} patent, ranked lower" in sample.chosen[1].why_selected


@over_rows(
    "title",
    [
        "KRAS G12C inhibitors and methods of using the same",
        "Fused pyridone compound, and preparation method therefor and use thereof",
        "Substituted pyridinyl azetidinone derivatives for use in treating cancer",
    ],
)
def test_compounds_with_uses_are_compounds(title: str) -> None:
    """Such titles announce new structures."""
    assert (
        "ranked lower" not in select_patents([make(1, title=title)], 1, "s").chosen[0].why_selected
    )


def test_every_document_is_chosen_dropped_or_a_member() -> None:
    """Nothing is lost, and an empty pool has no sample."""
    pool = [make(at, family=f"family {at % 12}") for at in range(30)]
    sample = select_patents(pool, 5, "s")
    members = [one.publication_number for two in sample.chosen for one in two.members_dropped]
    assert len(sample.chosen) == 5
    assert len(sample.dropped) == 7
    assert len(set(chosen(sample)) | set(members)) == len(chosen(sample)) + len(members)
    assert select_patents([], 5, "s") == Selection()
