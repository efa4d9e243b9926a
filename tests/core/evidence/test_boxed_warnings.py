"""Boxed warnings of two classes, drawn from what whole reference labels say of themselves."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from core.evidence.sources.importing import find_files, import_files
from core.evidence_ports import Evidence
from core.records.evidence_pack import FactQuery
from core.settings import Settings
from storage.stores import open_stores
from tests.core.evidence.conftest import NOW

pytestmark = [
    pytest.mark.reference,
    pytest.mark.slow,
]
CLASSES = {
    "JAK inhibitors": re.compile(r"\b(?:Janus kinase(?: \(JAK\))?|JAK) inhibitor", re.IGNORECASE),
    "CD3 bispecifics": re.compile(
        r"\bCD3[ -](?:directed|receptor|T[ -]cell engager)|bispecific\b.{0,80}\bCD3\b",
        re.IGNORECASE,
    ),
}
Said = Mapping[str, set[str]]


@pytest.fixture(scope="module")
def evidence(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evidence]:
    """Return a pack of the reference labels."""
    stores = open_stores(Settings(home=tmp_path_factory.mktemp("home"), database_url=None))
    files = find_files([reference / "labels_raw.ndjson.gz", reference / "spl"])
    import_files(stores.evidence, files, now=NOW)
    yield stores.evidence
    stores.engine.close()


@pytest.fixture(scope="module")
def labels(evidence: Evidence) -> Mapping[str, Said]:
    """Return what each label says, by predicate."""
    ids = sorted({one for one, _, _, _ in evidence.all_mentions("drug")})
    said: dict[str, dict[str, set[str]]] = {one: {} for one in ids}
    for one in evidence.facts(FactQuery(record_ids=ids)):
        said[one.fact.record_id].setdefault(one.fact.predicate, set()).add(one.fact.object)
    return said


def in_class(evidence: Evidence, record_id: str, said: Said, words: re.Pattern[str]) -> bool:
    """Return whether class facts, or the label's own indication, put a drug into a class."""
    facts = " ; ".join(sorted(said.get("has_class", set()) | said.get("acts_on", set())))
    record = evidence.record(record_id)
    spans = record.spans if record else ()
    own = " ".join(one.text[:300] for one in spans if one.section == "indications_and_usage")
    named = " ".join(one.text[:400] for one in spans if one.section == "mechanism_of_action")
    return bool(words.search(f"{facts} {own} {named}"))


@pytest.mark.parametrize(("name", "least"), [("JAK inhibitors", 2), ("CD3 bispecifics", 3)])
def test_every_whole_label_of_the_class_has_its_boxed_warning(
    evidence, labels, name, least
) -> None:
    """A part of a label counts in no numerator and no denominator."""
    in_the_class = [
        facts
        for record_id, facts in labels.items()
        if "whole" in facts.get("label_carries", ())
        and in_class(evidence, record_id, facts, CLASSES[name])
    ]
    assert len(in_the_class) >= least
    assert all("yes" in facts.get("has_boxed_warning", ()) for facts in in_the_class)


def test_a_label_that_points_to_its_boxed_warning_has_one(evidence, labels) -> None:
    """The other sections are an independent witness: "[see Boxed Warning]"."""
    pointing = []
    for record_id, said in labels.items():
        record = evidence.record(record_id)
        others = (
            [one.text for one in record.spans if one.section != "boxed_warning"] if record else ()
        )
        if "label_carries" in said and re.search(
            r"\[\s*see\s+Boxed Warnings?", " ".join(others), re.I
        ):
            pointing.append((record_id, said["has_boxed_warning"]))
    print(f"{len(pointing)} whole labels point to their boxed warning")  # noqa: T201
    assert len(pointing) >= 20
    assert [one for one in pointing if one[1] != {"yes"}] == []
