"""Both agents say the same of a drug: asked for by its name, and as one of its company's.

Fourteen drugs are drawn by a printed seed, eight of companies in the pipeline file and six of
others. Name, target, modality, owners and highest stage over all programs must be identical.
"""

import random
from datetime import UTC, datetime
from typing import NamedTuple

import pytest

from core.agents.company_asset_searcher.pipeline import run as list_assets
from core.agents.company_asset_searcher.records import DrugRecord
from core.agents.company_asset_searcher.schema import CompanyAssetSearcherRequest
from core.agents.competitive_landscaping.pipeline import run as survey
from core.agents.competitive_landscaping.records import DrugRow
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.evidence.readers.questions.reading import parse_text
from core.ports import Stores
from core.records.evidence_pack import FactQuery
from core.vocabulary.companies import load_companies
from core.vocabulary.stages import phase_of
from core.workbench import RunContext
from tests.contexts import make_context

SEED = 20_261_121
BIG, SMALL = 2, 3
"""Companies of the pipeline file, and others, whose drugs are drawn."""
OF_BIG, OF_SMALL = 8, 6
pytestmark = [
    pytest.mark.reference,
    pytest.mark.slow,
    pytest.mark.timeout(1200),
]


class Said(NamedTuple):
    """What an agent says of a drug."""

    name: str
    target: str
    modality: str
    owners: str
    phase: str


def of_company(drug: DrugRecord) -> Said:
    return Said(drug.name, drug.target or "", drug.modality or "", drug.owner or "", drug.phase)


def of_landscape(row: DrugRow) -> Said:
    phase = phase_of(row.highest_stage)
    return Said(row.drug_name, row.target, row.modality, row.company, phase)


@pytest.fixture(scope="module")
def context(held: Stores) -> RunContext:
    return make_context(datetime(2026, 11, 21, 12, tzinfo=UTC), held)


def drugs_of(company: str, context: RunContext) -> list[DrugRecord]:
    request = CompanyAssetSearcherRequest(company=company, drugdb_limit=150, include_old=True)
    return list_assets(request, context).drugs


def draw(context: RunContext, chance: random.Random) -> list[DrugRecord]:
    """Return drugs of companies drawn among those with a pipeline and among the others."""
    told = context.evidence.facts(FactQuery(sources=("pipeline",), predicates=("developed_by",)))
    big = sorted({one.fact.object for one in told})
    others = sorted({row.group for row in load_companies()} - set(big))
    chance.shuffle(others)
    of_big = [one for name in chance.sample(big, BIG) for one in drugs_of(name, context)]
    of_small: list[DrugRecord] = []
    taken = 0
    for name in others:
        found = drugs_of(name, context)
        taken += bool(found)
        of_small += found
        if taken >= SMALL and len(of_small) >= 2 * OF_SMALL:
            break
    named = [one for one in of_big if is_named(one, context)]
    few = [one for one in of_small if is_named(one, context)]
    return [*chance.sample(named, OF_BIG), *chance.sample(few, OF_SMALL)]


def find(drug: DrugRecord, context: RunContext) -> DrugRow | None:
    """Return the row of a drug in the landscape that its name asks for."""
    request = CompetitiveLandscapingRequest(query=drug.name, query_type="clinical")
    rows = survey(request, context).drugs
    same = (one for one in rows if one.drug_name == drug.name or _is_same(one, drug))
    return next(same, None)


def is_named(drug: DrugRecord, context: RunContext) -> bool:
    """Return whether a drug has a name; some pipelines say "T-cell engager" or name the gene."""
    read = parse_text(drug.name, context.resolver)
    return not (read.modalities or read.targets) or bool(read.drugs)


def _is_same(row: DrugRow, drug: DrugRecord) -> bool:
    return row.drug_key is not None and row.drug_key == drug.drug_key


def test_both_agents_say_the_same_of_a_drug(context: RunContext) -> None:
    drawn = draw(context, random.Random(SEED))
    found = [(drug, find(drug, context)) for drug in drawn]
    missing = [drug.name for drug, row in found if row is None]
    different = [
        (of_company(drug), of_landscape(row))
        for drug, row in found
        if row is not None and of_company(drug) != of_landscape(row)
    ]
    print(f"seed {SEED}: {len(drawn)} drugs, missing {missing}, different {different}")  # noqa: T201
    assert len(drawn) == OF_BIG + OF_SMALL
    assert missing == []
    assert different == []
