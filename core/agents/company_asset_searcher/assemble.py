"""The answer from the drugs: numbered sources, summary, what was asked and what was left out."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.agents.company_asset_searcher.catalysts import past_due
from core.agents.company_asset_searcher.columns import AssetTable, ProgramTable, programs_of
from core.agents.company_asset_searcher.company import Company
from core.agents.company_asset_searcher.drugs import OwnDrug, make_record
from core.agents.company_asset_searcher.records import (
    AliasRow,
    DrugStore,
    ExcludedDrug,
    Narrative,
    SearchUsage,
    SummaryClaim,
    WebSearch,
)
from core.agents.company_asset_searcher.schema import (
    CompanyAssetSearcherData,
    CompanyAssetSearcherRequest,
)
from core.agents.company_asset_searcher.summary import compose
from core.agents.company_asset_searcher.tables import tabulate_behind
from core.evidence.proof.citations import Citations
from core.evidence.proof.claims import Claim, render_claim, unmark
from core.evidence.proof.fact_tables import list_sources, tabulate_sources
from core.records.asset_queries import ExcludedAsset
from core.workbench import RunContext

MOST_EXCLUDED = 200
MOST_CHECKED = 60
MOST_OWN = 3
"""Own trials of a program that a row may cite where no statement carries its stage."""


@dataclass(frozen=True)
class Portfolio:
    """What was found, before it is written down.

    Attributes:
        company: The company.
        drugs: Its drugs, by stage.
        excluded: Candidates not taken.
        is_held: Whether the instance holds evidence at all.
        notice: What the answer must say where it rests on the starter pack alone.
    """

    company: Company
    drugs: Sequence[OwnDrug]
    excluded: Sequence[ExcludedAsset]
    is_held: bool
    notice: str = ""


def assemble(
    request: CompanyAssetSearcherRequest, found: Portfolio, context: RunContext
) -> CompanyAssetSearcherData:
    """Return the answer; the summary is numbered first, then the drugs."""
    shown = list(found.drugs[: request.drugdb_limit])
    records = dict(context.evidence.records(_ids(found.drugs)))
    kept, dropped = compose(found.company, found.drugs, records)
    citations = Citations()
    claims = [_claim(one, citations) for one in kept]
    drugs = [make_record(one, records, citations) for one in shown]
    sources = list_sources(citations, records)
    return CompanyAssetSearcherData(
        as_of=context.now.date().isoformat(),
        company=found.company.name,
        ticker=found.company.ticker,
        summary=" ".join(one.text for one in claims) or "No drug of this company is on record.",
        claims=claims,
        generated_at=context.now.isoformat(),
        model="rules",
        drugs=drugs,
        drug_table=AssetTable.of("drugs", drugs),
        program_table=ProgramTable.of("programs", programs_of(drugs)),
        source_table=tabulate_sources(sources),
        facts=tabulate_behind(shown, records, citations, context.evidence),
        drugdb=_store(found, len(shown)),
        web_search=WebSearch(
            message="No language model is configured, so that no web search was made.",
            status="not_configured",
        ),
        usage=SearchUsage(),
        alias_trail=[
            AliasRow(name=row.name, relation=row.relation, since=row.from_on, basis=row.basis)
            for row in found.company.trail
        ],
        excluded=[
            ExcludedDrug(name=unmark(one.name), reason=unmark(one.reason))
            for one in found.excluded[:MOST_EXCLUDED]
        ],
        query_id=context.query_id,
        run_uuid=context.run_uuid,
        sources=sources,
        narrative=Narrative(),
        warnings=_warn(found, shown, dropped),
    )


def _ids(drugs: Sequence[OwnDrug]) -> list[str]:
    """Return every record that a row or the summary may cite."""
    ids: set[str] = set()
    for one in drugs:
        asset, event, until = one.asset, one.catalyst, one.protection
        ids |= {*asset.record_ids[:1], *event.record_ids, *(until.record_ids if until else ())}
        said = [role.statement for role in asset.companies]
        said += [link.mechanism for link in asset.targets]
        said += [asset.modality] if asset.modality else []
        for program in asset.programs:
            own = [trial.record_id for trial in program.trials if trial.is_own]
            ids |= {*own[:MOST_OWN], *(trial.record_id for trial in program.trials[:1])}
            said += [stated.statement for stated in program.stages]
        ids |= {record_id for statement in said for record_id in statement.record_ids}
    return sorted(ids)


def _claim(claim: Claim, citations: Citations) -> SummaryClaim:
    text = render_claim(claim, citations)
    numbers = sorted({citations.cite(one) for one in claim.record_ids}, key=int)
    return SummaryClaim(text=text, kind=claim.kind, source_ids=numbers)


def _store(found: Portfolio, n_shown: int) -> DrugStore:
    """Return what the store of drugs came to."""
    count = len(found.drugs)
    if not found.is_held:
        message, status = "No evidence is imported on this instance.", "unavailable"
    elif not count:
        message, status = "The store holds no drug of this company.", "empty"
    elif n_shown < count:
        message = f"{n_shown} of {count} drugs are listed; raise drugdb_limit to see the rest."
        status = "partial"
    else:
        message, status = f"All {count} drugs on record are listed.", "ok"
    return DrugStore.model_validate(
        {
            "company_aliases_checked": [
                unmark(name) for name in found.company.checked[:MOST_CHECKED]
            ],
            "count": count,
            "first": True,
            "message": message,
            "status": status,
        }
    )


def _warn(found: Portfolio, shown: Sequence[OwnDrug], dropped: Sequence[Claim]) -> list[str]:
    """Return the warnings, the company's first."""
    warnings = [unmark(one) for one in found.company.warnings]
    if not found.is_held:
        warnings = [
            "no_evidence: this instance holds no evidence; import registers, labels and pipelines "
            "on the Evidence page or with `python -m api evidence import`."
        ]
    if found.notice:
        warnings.insert(0, found.notice)
    warnings += past_due([(unmark(one.asset.name), one.catalyst) for one in shown])
    experts = sum(
        bool(one.asset.targets) and all(link.mechanism.is_expert for link in one.asset.targets)
        for one in shown
    )
    if experts:
        warnings.append(
            f"expert_only: of {experts} drugs the target rests on the curators' own knowledge "
            "alone; they are marked."
        )
    if dropped:
        warnings.append(
            f"claims_dropped: {len(dropped)} sentences of the summary were left out, since the "
            "records cited do not carry them."
        )
    return warnings
