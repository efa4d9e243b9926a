"""Decisions about the uses of single labels: each stands where a rule for one row would."""

import gzip
import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import pytest

from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.diseases import diseases_of
from core.evidence.sources.pack.decisions import BETWEEN, load_decisions
from core.evidence.sources.pack.files import folded_key
from core.evidence.sources.pack.reading import load_rows
from core.evidence.sources.pack.schema import table_of
from tests.rows import over_rows
from tools.curation.indications import read_indications
from tools.curation.register_rows import own_text

SECTION = "indications_and_usage"
DECIDED = [one for one in load_decisions() if (one.table, one.column) == ("labels", "indications")]
REFINED = {
    "label-indications|3617f892cc02ce1a": {"peripheral arterial disease"},
    "label-indications|767bab318dc915ae": {"transthyretin amyloid cardiomyopathy"},
    "label-indications|250c628e46a1a8d9": {"gonorrhea"},
    "label-indications|6852f2d60507621a": {"hypoglycemia"},
    "label-indications|ad42f8da62ffbd3e": {"opioid overdose"},
    "label-indications|b53dff87a13af716": {"gastric ulcer"},
    "label-indications|340db19348a3cf1b": {"painful diabetic neuropathy"},
    "label-indications|62275fddb8e2620e": {"hyperphosphatemia"},
    "label-indications|ba172db5474191c9": {"hyperphosphatemia"},
    "label-indications|bcfdf7fce9009ba9": {"painful diabetic neuropathy"},
    "label-indications|de3c36daded4d8ee": {"hyperphosphatemia"},
    "label-indications|e04c3133ce80597b": {"painful diabetic neuropathy"},
}
"""Uses that a decision names closer than the words of the label are read."""
ROWS = {folded_key(row, table_of("labels")): row for row in load_rows("labels")}


@lru_cache(maxsize=1)
def whole_labels(reference: Path) -> dict[str, str]:
    """Return the uses in the words of labels that the instance does not hold, by set id."""
    with gzip.open(reference / "labels_full.ndjson.gz", "rt", encoding="utf-8") as lines:
        labels = [json.loads(line) for line in lines]
    return {label["set_id"]: "\n".join(label.get(SECTION, ())) for label in labels}


@over_rows("decision", DECIDED)
def test_a_label_has_the_uses_that_were_decided(decision) -> None:
    assert ROWS[decision.key]["indications"] == decision.value


@pytest.mark.reference
@pytest.mark.slow
@pytest.mark.xdist_group("reference")
@pytest.mark.parametrize("decision", DECIDED, ids=lambda one: BETWEEN.join(one.key))
def test_the_words_of_the_label_alone_would_be_read_otherwise(held, reference, decision) -> None:
    row = ROWS[decision.key]
    spans = held.evidence.passages([row["source_id"]], [SECTION]).get(row["source_id"])
    text = spans[0].text if spans else whole_labels(reference)[row["number"]]
    resolver = Resolver(held.identity, held.learned_names)
    read = read_indications(own_text(text, row["drug"]), diseases_of(resolver))
    decided = set(decision.value.split("|")) - REFINED.get(BETWEEN.join(decision.key), set())

    def keys(names: Iterable[str]) -> set[str]:
        return {resolver.resolve("disease", name).key or name for name in names}

    assert keys(read) > keys(decided)
