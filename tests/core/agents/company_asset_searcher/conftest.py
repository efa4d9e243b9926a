"""The agent on a small real pack: four drugs of two companies, in the form that importers give."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.agents.company_asset_searcher.pipeline import run
from core.agents.company_asset_searcher.schema import (
    CompanyAssetSearcherData,
    CompanyAssetSearcherRequest,
)
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record
from core.records.evidence_pack import ImportedFile
from core.records.identity import Entity, EntityName
from core.settings import Settings
from storage.stores import open_stores
from tests.contexts import make_context
from tests.core.agents.asthma import asthma_names, asthma_trial
from tests.core.agents.competitive_landscaping.conftest import empty_curators_table

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DRUGS = ("alphamab", "betamab", "gammamab", "deltamab")


def identity_rows() -> Iterator[Entity | EntityName]:
    return asthma_names(DRUGS)


def trial(number: int, drug: str, sponsor: str, **said: str) -> Parsed:
    """Return a trial of a company that tests a drug in asthma."""
    values = {
        "trial_phase": "PHASE2",
        "trial_status": "RECRUITING",
        "trial_sponsor_class": "INDUSTRY",
        "trial_start": "2024-01-10",
        "trial_primary_completion": "2027-01-31",
        **said,
    }
    title = f"{drug} in asthma, trial {number}"
    return asthma_trial(number, drug, sponsor, updated_on="2026-09-01", title=title, **values)


def license_(number: str, drug: str, holder: str, first: str) -> Parsed:
    """Return an original biologic's license in the Purple Book's form."""
    record = Record(
        *("purplebook", f"BLA{number}", "https://purplebooksearch.fda.gov/"),
        *("database_record", f"BLA{number}: {drug}"),
        updated_on="2026-03-01",
        mentions=(
            Mention("drug", drug, relation="ingredient"),
            Mention("company", holder, relation="applicant"),
        ),
    )
    stem = Fact(record.id, f"BLA{number}", "application_holder", holder, as_of="2026-03-01")
    return Parsed(
        record,
        (
            stem,
            replace(stem, predicate="application_type", object="351(a)"),
            replace(
                stem,
                subject=drug,
                predicate="approved_on",
                object=first,
                qualifiers=Qualifiers(region="FDA"),
            ),
        ),
    )


def records() -> list[Parsed]:
    """Return what the pack holds."""
    return [
        trial(1, "alphamab", "Acme Bio, Inc.", trial_phase="PHASE3"),
        trial(2, "betamab", "Acme Bio", trial_status="TERMINATED", trial_stopped="no effect"),
        trial(3, "gammamab", "Acme Bio Inc", trial_status="COMPLETED"),
        trial(4, "deltamab", "Other Pharma"),
        license_("123456", "gammamab", "Acme Bio Inc", "2015-05-04"),
    ]


@pytest.fixture
def ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., CompanyAssetSearcherData]]:
    """Return what runs the agent on the pack; `held` replaces the records.

    Old products are asked for, too, unless a test leaves them out. The curators know no drug.
    """
    empty_curators_table(monkeypatch)
    stores = open_stores(Settings(home=tmp_path / "instance", database_url=None))
    stores.identity.build(identity_rows(), (), "test names")

    def hold(parsed: list[Parsed]) -> None:
        with stores.evidence.next_generation() as writer:
            writer.add(parsed)
            writer.finish_file(ImportedFile("made.json", "test", "0" * 64, NOW.isoformat(), 1, 0))

    def call(
        company: str = "Acme Bio",
        *,
        held: list[Parsed] | None = None,
        settings: Settings | None = None,
        **fields: Any,
    ) -> CompanyAssetSearcherData:
        if held is None and not stores.evidence.version():
            hold(records())
        elif held:
            hold(held)
        fields.setdefault("include_old", True)
        context = make_context(NOW, stores, settings=settings or Settings())
        request = CompanyAssetSearcherRequest.model_validate({"company": company, **fields})
        return run(request, context)

    yield call
    stores.engine.close()
