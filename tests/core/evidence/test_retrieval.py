"""Questions are understood by names, and every number in a text has a source."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.retrieval import find_records, understand
from core.evidence.proof.citations import Citations, UncitedClaim
from core.evidence_ports import Evidence
from core.records.evidence import Mention, Parsed, Record
from core.records.evidence_pack import TextQuery
from core.records.identity import Entity, EntityName, IdentityRow
from core.records.names import fold_name
from core.vocabulary.synonyms import load_synonyms
from storage.identity import IdentityStore


@pytest.fixture
def resolver(tmp_path: Path) -> Resolver:
    """Return a resolver that knows a drug and a disease."""
    rows: list[IdentityRow] = [
        Entity("drug", "UNII:A", "pembrolizumab"),
        Entity("disease", "MONDO:1", "non-small cell lung carcinoma"),
    ]
    rows += [
        EntityName("drug", fold_name(name), "UNII:A", level, name)
        for name, level in (("PEMBROLIZUMAB", 1), ("KEYTRUDA", 2), ("MK-3475", 3))
    ]
    rows += [
        EntityName("disease", fold_name(name), "MONDO:1", 2, name)
        for name in ("NSCLC", "non-small cell lung cancer")
    ]
    store = IdentityStore(tmp_path / "identity.db")
    store.build(rows, (), "1")
    return Resolver(store)


@pytest.fixture
def fill(pack: Evidence) -> Callable[..., None]:
    """Return what writes records with the given titles, numbered from 1."""

    def write(*titles: str) -> None:
        records = [
            Record(
                source="ctgov",
                source_id=f"NCT{number:08d}",
                url="",
                kind="trial_registration",
                title=title,
                mentions=(Mention("disease", "x"),),
            )
            for number, title in enumerate(titles, start=1)
        ]
        with pack.next_generation() as writer:
            writer.add(Parsed(record) for record in records)

    return write


def test_the_longest_name_in_a_question_is_one_group(resolver: Resolver) -> None:
    found = understand("What about keytruda in non-small cell lung cancer, phase 3?", resolver)
    assert [(one.label, one.said) for one in found.named] == [
        ("pembrolizumab", "keytruda"),
        ("non-small cell lung carcinoma", "non-small cell lung cancer"),
    ]
    assert found.words == ("phase", "3")
    assert found.groups[0] == ["keytruda", "PEMBROLIZUMAB", "MK-3475"]


def test_a_record_is_found_under_another_name_of_its_drug(
    pack: Evidence, resolver: Resolver, fill: Callable[..., None]
) -> None:
    fill("MK-3475 in NSCLC", "Nivolumab in NSCLC", "MK-3475 in melanoma")
    found = find_records("Keytruda non-small cell lung cancer", pack, resolver)
    assert found.is_exact
    best, *others = found.hits
    assert best.record_id == "ctgov:NCT00000001"
    assert all(hit.score < best.score for hit in others)


def test_where_nothing_meets_all_the_best_that_meets_some_is_shown(
    pack: Evidence, resolver: Resolver, fill: Callable[..., None]
) -> None:
    fill("MK-3475 in melanoma", "Aspirin for headache")
    found = find_records("keytruda glioma", pack, resolver)
    assert not found.is_exact
    assert [hit.record_id for hit in found.hits] == ["ctgov:NCT00000001"]


@pytest.mark.parametrize(
    "question", ["CAR T cells", "T cells in NSCLC", "cell", "keytruda versus placebo"]
)
def test_words_of_methods_are_no_names(tmp_path: Path, question: str) -> None:
    rows: list[IdentityRow] = [Entity("target", "HGNC:1", "CARTPT")]
    rows += [EntityName("target", name, "HGNC:1", 2, name) for name in ("cart", "cell", "versus")]
    other = IdentityStore(tmp_path / "targets.db")
    other.build(rows, (), "1")
    named = understand(question, Resolver(other)).named
    assert named == ()


def test_a_name_of_two_diseases_is_asked_for_under_both(tmp_path: Path) -> None:
    rows: list[IdentityRow] = []
    for key, label in (("MONDO:1", "first made disease"), ("MONDO:2", "second made disease")):
        rows += [
            Entity("disease", key, label),
            EntityName("disease", "qw", key, 2, "QW"),
            EntityName("disease", fold_name(label), key, 1, label),
        ]
    store = IdentityStore(tmp_path / "two.db")
    rows.append(EntityName("disease", "xqv", "MONDO:1", 2, "XQV"))
    store.build([*rows, EntityName("disease", "xqv", "MONDO:2", 2, "XQV")], (), "1")
    (named,) = understand("XQV", Resolver(store)).named
    assert named.key == ""
    assert set(named.aliases) == {"first made disease", "second made disease"}


def test_a_word_for_a_kind_of_record_puts_that_kind_first(
    pack: Evidence, resolver: Resolver
) -> None:
    kinds = ("trial_registration", "regulatory_label")
    records = [
        Record(source=kind, source_id="1", url="", kind=kind, title="Keytruda") for kind in kinds
    ]
    with pack.next_generation() as writer:
        writer.add(Parsed(record) for record in records)
    for question, first in (("keytruda label", kinds[1]), ("keytruda label NSCLC", kinds[1])):
        found = find_records(question, pack, resolver)
        assert found.question.kinds == ("regulatory_label",)
        assert found.hits[0].kind == first


def test_abbreviations_ask_for_what_records_write_out(
    pack: Evidence, resolver: Resolver, fill: Callable[..., None]
) -> None:
    fill("Drug A in heart failure with preserved ejection fraction", "Drug A in gout")
    assert find_records("drug HFpEF", pack, resolver).hits[0].record_id == "ctgov:NCT00000001"
    rows = [(one.said, also) for one in load_synonyms() for also in one.also]
    assert rows == sorted(rows, key=lambda row: (row[0].casefold(), row[1].casefold()))
    assert len(set(rows)) == len(rows)


def test_filters_are_kept(pack: Evidence, resolver: Resolver, fill: Callable[..., None]) -> None:
    fill("MK-3475 in melanoma")
    kept = TextQuery((), kinds=["paper"])
    assert find_records("keytruda", pack, resolver, kept).hits == []


@pytest.mark.parametrize("question", ["", "?", "what is the", '"" :: --'])
def test_a_question_of_nothing_finds_nothing(
    pack: Evidence, resolver: Resolver, question: str
) -> None:
    assert list(find_records(question, pack, resolver).hits) == []


def test_sources_are_numbered_by_first_citation() -> None:
    record = Record("ctgov", "NCT1", "https://x.example", "trial_registration", "One")
    other = Record("label", "2", "", "regulatory_label", "Two")
    citations = Citations()
    assert citations.mark([other.id]) == "[1]"
    assert citations.mark([record.id, other.id]) == "[1][2]"
    sources = citations.sources({record.id: record, other.id: other})
    assert [(one.id, one.title) for one in sources] == [("1", "Two"), ("2", "One")]


def test_a_source_without_a_title_is_called_by_its_identifier() -> None:
    record = Record("ctgov", "NCT1", "https://x.example", "trial_registration", "")
    citations = Citations()
    citations.cite(record.id)
    assert citations.sources({record.id: record})[0].title == "NCT1"


def test_a_citation_of_nothing_is_refused() -> None:
    citations = Citations()
    citations.cite("ctgov:NCT9")
    with pytest.raises(UncitedClaim, match="ctgov:NCT9"):
        citations.sources({})
