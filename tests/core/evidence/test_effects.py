"""Effects of trials: read from labels, reports and posted analyses; shown for the right drug."""

import csv
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from core.evidence.assets.figures.effects import holds_none
from core.evidence.sources.files import IMPORTERS
from core.evidence.sources.files.trial_results import Setting, read_results
from core.evidence.sources.pack.reading import load_rows
from core.evidence_ports import Evidence
from core.records.evidence import Fact, Parsed
from core.records.evidence_pack import FactQuery
from core.records.programs import Outcome
from core.tables.rows import SourceFile, read_head
from core.vocabulary.predicates import Predicate
from tests.rows import over_rows

pytestmark = pytest.mark.xdist_group("starter")
FILES = {
    "label-effects": "label_efficacy.csv.gz",
    "trial-reports": "trial_effects_published.csv.gz",
    "registry-effects": "trial_effects_registry_cardio.csv.gz",
}


def read(reference: Path, kind: str) -> list[Parsed]:
    path = reference / FILES[kind]
    importer = next(one for one in IMPORTERS if one.recognizes(path, read_head(path)))
    assert importer.name == kind
    source = SourceFile(path, "", "2026-11-23", lambda line, reason: pytest.fail(reason))
    return list(importer.read(source))


@pytest.mark.parametrize("kind", FILES)
def test_each_file_is_recognized_and_gives_whole_effects(reference, kind) -> None:
    facts = [fact for parsed in read(reference, kind) for fact in parsed.facts]
    assert len(facts) > 100
    for fact in facts:
        assert fact.predicate == Predicate.TRIAL_EFFECT
        assert re.fullmatch(r"NCT\d{8}", fact.subject)
        low, high = map(float, fact.qualifiers.interval.partition(": ")[2].split(", "))
        assert fact.value is not None
        assert low <= fact.value <= high


def test_a_figure_without_endpoint_or_one_among_several_is_none(reference) -> None:
    """Alimta's label has ratios whose endpoint is open beside some that are named."""
    told = {one.record.source_id: one.facts for one in read(reference, "label-effects")}
    named = {fact.object for fact in told["NDA021462-NCT00004881"]}
    assert named
    assert "hazard ratio for " not in named
    for facts in told.values():
        assert len({fact.object for fact in facts}) == len(facts)


def test_posted_analyses_of_two_arms_are_effects() -> None:
    analysis = {
        "groupIds": ["OG000", "OG001"],
        "paramType": "Hazard Ratio (HR)",
        "paramValue": "0.49",
        "ciPctValue": "95",
        "ciLowerLimit": "0.38",
        "ciUpperLimit": "0.64",
    }
    outcome = {
        "type": "PRIMARY",
        "title": "Overall survival",
        "timeFrame": "up to 2 years",
        "groups": [
            {"id": "OG000", "title": "Pembrolizumab"},
            {"id": "OG001", "title": "Placebo"},
        ],
        "denoms": [
            {
                "units": "Participants",
                "counts": [
                    {"groupId": "OG000", "value": "410"},
                    {"groupId": "OG001", "value": "206"},
                ],
            }
        ],
        "analyses": [
            analysis,
            {**analysis, "paramValue": "0.52"},
            {**analysis, "groupIds": ["OG000"]},
            {**analysis, "paramType": "Slope"},
            {**analysis, "ciUpperLimit": "0.40", "groupIds": ["OG001", "OG000"]},
        ],
    }
    results = {"outcomeMeasuresModule": {"outcomeMeasures": [outcome]}}
    facts = read_results(results, Setting("ctgov:NCT1", "NCT1", drugs=("Pembrolizumab",)))
    effects = [one for one in facts if one.predicate == Predicate.TRIAL_EFFECT]
    assert [(one.object, one.value) for one in effects] == [
        ("hazard ratio for Overall survival", 0.49)
    ]
    said = effects[0].qualifiers
    assert (said.arm, said.n, said.interval) == (
        "Pembrolizumab against Placebo",
        "616",
        "95% CI: 0.38, 0.64",
    )


@over_rows(
    ("interval", "unit", "is_none"),
    [
        ("95% CI: 0.71, 1.16", "hazard ratio", True),
        ("95% CI: 0.56, 0.75", "hazard ratio", False),
        ("95% CI: -1, 2", "points", False),
        ("", "hazard ratio", False),
    ],
)
def test_a_ratio_whose_interval_holds_one_shows_nothing(interval, unit, *, is_none) -> None:
    outcome = Outcome("efficacy", "OS", 0.9, unit, "label:1", (1,), interval=interval)
    assert holds_none(outcome) is is_none


@cache
def label_texts(folder: Path) -> dict[str, str]:
    """Return the section on studies of every label at hand, with plain signs."""
    with gzip.open(folder / "labels_full.ndjson.gz", "rt", encoding="utf-8") as file:
        labels = [json.loads(line) for line in file]
    with gzip.open(folder / "labels_raw.ndjson.gz", "rt", encoding="utf-8") as file:
        labels += [json.loads(line) for line in file]
    found: dict[str, str] = {}
    for label in labels:
        words = " ".join(
            " ".join(part if isinstance(part, list) else [str(part)])
            for name, part in label.items()
            if "clinical_studies" in name
        )
        found[label.get("set_id", "")] = found.get(label.get("set_id", ""), "") + _plain(words)
    for path in (folder / "spl").glob("*.xml"):
        text = _plain(re.sub(r"<[^>]+>", " ", path.read_text(encoding="utf-8")))
        found |= dict.fromkeys(re.findall(r'setId root="([^"]+)"', path.read_text()), text)
    return found


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("\u2212", "-").replace("\u2013", "-"))


def rows_of_labels() -> Iterator[dict[str, str]]:
    for row in load_rows("results"):
        yield dict(row) | {"set_id": row["source_url"].partition("setid=")[2]}


@cache
def record_texts(folder: Path) -> dict[str, str]:
    """Return, by address, the numbers of trial reports and of posted primary outcomes at hand."""
    found: dict[str, list[str]] = defaultdict(list)
    with gzip.open(folder / "trial_effects_published.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            address = f"https://pubmed.ncbi.nlm.nih.gov/{row['pmid']}/"
            found[address].append(f"{row['value']} {row['ci_low']} {row['ci_high']}")
    for name in ("trials_raw", "trials_results_2"):
        with gzip.open(folder / f"{name}.ndjson.gz", "rt", encoding="utf-8") as file:
            for record in map(json.loads, file):
                module = record.get("resultsSection", {}).get("outcomeMeasuresModule", {})
                number = record["protocolSection"]["identificationModule"]["nctId"]
                address = f"https://clinicaltrials.gov/study/{number}?tab=results"
                measures = module.get("outcomeMeasures", ())
                primary = [one for one in measures if one.get("type") == "PRIMARY"]
                found[address] += [json.dumps(primary)] if primary else []
    return {address: " | ".join(parts) for address, parts in found.items()}


def test_every_figure_that_a_curator_read_stands_in_its_source(reference) -> None:
    texts, records = label_texts(reference), record_texts(reference)
    rows = list(rows_of_labels())
    assert len(rows) > 340
    for row in rows:
        text = texts[row["set_id"]] if row["set_id"] else records[row["source_url"]]
        if "pubmed" in row["source_url"]:
            together = " ".join((row["value"], *_bounds(row).split(", ")))
            assert together in text.split(" | "), row["drug"]
        numbers = [row["value"], row["comparator_value"], *re.findall(r"-?\d+\.?\d*", _bounds(row))]
        for number in filter(None, numbers):
            assert re.search(rf"(?<![\d.]){re.escape(number.lstrip('-'))}(?![\d])", text), (
                row["drug"],
                number,
            )


def _bounds(row: dict[str, str]) -> str:
    return row["interval"].partition(": ")[2]


def test_figures_of_scripts_are_the_facts_of_their_records(starter) -> None:
    evidence: Evidence = starter.evidence
    rows = load_rows("effects")
    assert len(rows) > 300
    assert all(row["role"] in {"", "primary", "label", "report", "registry"} for row in rows)
    numbers = sorted({row["number"] for row in rows})
    predicates = (Predicate.TRIAL_EFFECT, Predicate.LABEL_RESULT)
    facts = evidence.facts(FactQuery(record_ids=numbers, predicates=predicates))
    said = {(one.fact.record_id, one.fact.object, one.fact.value) for one in facts}
    assert {(row["number"], row["endpoint"], float(row["value"])) for row in rows} <= said


def test_a_first_start_answers_with_figures(starter) -> None:
    subjects = ["lorlatinib", "lecanemab", "asciminib"]
    query = FactQuery(subjects=subjects, predicates=(Predicate.LABEL_RESULT,))
    found: dict[str, Fact] = {one.fact.subject: one.fact for one in starter.evidence.facts(query)}
    assert {name: found[name].value for name in subjects} == {
        "lorlatinib": 0.28,
        "lecanemab": 1.21,
        "asciminib": 25.0,
    }
    assert found["asciminib"].qualifiers.arm == "bosutinib: 13 %"
