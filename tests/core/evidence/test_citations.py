"""Every number in a text has a source."""

import pytest

from core.evidence.proof.citations import Citations, UncitedClaim
from core.records.evidence import Record


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
