"""One record a drug of the company, with its programs, partners, next event and exclusivity."""

from collections.abc import Iterable

from core.agents.company_asset_searcher.records import (
    CompanyPart,
    DrugRecord,
    Exclusivity,
    NextCatalyst,
    ProgramRow,
    RegionRow,
)
from core.briefs.board import Protection
from core.briefs.portfolio.catalysts import Catalyst
from core.briefs.portfolio.holdings import OwnDrug
from core.evidence.assets.roles import originators_of, owners_of
from core.evidence.names.drug_labels import code_in
from core.evidence.proof.cells import unconfirmed_cells
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark
from core.records.programs import Asset, Program
from core.records.stages import STAGE_WORDS, STAGES

MOST_TRIALS = 12
MOST_CITED = 12


def make_record(drug: OwnDrug, cite: Cite) -> DrugRecord:
    """Return the record of a drug."""
    asset = drug.asset
    cited = _cited(drug)
    names = [unmark(name) for name in asset.aliases]
    modality = asset.modality
    parts = []
    if drug.stage in {"PHASE2_3", "PHASE1_2", "DISCOVERY"}:
        parts.append(f"exact stage: {STAGE_WORDS[drug.stage].lower()}")
    reasons = dict.fromkeys(
        unmark(program.reason) for program in drug.asset.programs if program.reason
    )
    parts += [f"stopped: {reason}" for reason in list(reasons)[:2]]
    return DrugRecord(
        name=drug.name,
        aliases=names,
        code=next((code for name in (asset.name, *asset.aliases) if (code := code_in(name))), None),
        indication=drug.indications or None,
        modality=modality.text if modality else None,
        target="; ".join(dict.fromkeys(link.target.text for link in asset.targets)) or None,
        partner="; ".join(drug.provenance.partners) or None,
        note="; ".join(parts) or None,
        source=cite.address(cited),
        origin=drug.provenance.origin,
        origin_rule=unmark(drug.provenance.rule),
        phase=drug.phase,
        next_catalyst=_catalyst(drug.catalyst, cite),
        drug_key=asset.key if asset.key.startswith("UNII:") else None,
        programs=[row for program in asset.programs for row in _programs(program, cite)],
        parts=_parts(asset, cite),
        owner="; ".join(owners_of(asset)) or None,
        originator="; ".join(originators_of(asset)) or None,
        approvals=_approvals(asset, cite),
        state="live" if asset.is_live else _state(asset),
        exclusivity=_exclusivity(drug.protection, cite),
        is_expert_only=drug.is_expert_only,
        unconfirmed=unconfirmed_cells(asset, asset.programs, drug.provenance.partners),
        source_ids=cite.numbers(cited),
    )


def _cited(drug: OwnDrug) -> list[str]:
    """Return the records that a drug's row rests on, those of its stage first."""
    asset = drug.asset
    ids = [
        record_id
        for program in asset.programs
        for stated in program.stages
        if stated.stage == program.stage
        for record_id in stated.statement.record_ids[:2]
    ]
    ids += [record_id for role in asset.companies for record_id in role.statement.record_ids[:2]]
    ids += [record_id for link in asset.targets for record_id in link.mechanism.record_ids[:1]]
    ids += asset.modality.record_ids[:1] if asset.modality else ()
    return list(dict.fromkeys(ids))[:MOST_CITED] or list(asset.record_ids[:1])


def _catalyst(catalyst: Catalyst, cite: Cite) -> NextCatalyst:
    return NextCatalyst(
        category=catalyst.category,
        date=catalyst.date,
        date_confidence=catalyst.confidence,
        event=unmark(catalyst.event),
        rationale=unmark(catalyst.rationale),
        source=cite.address(catalyst.record_ids),
        weight=catalyst.weight,
        weight_score=catalyst.score,
        weight_parts=catalyst.parts,
        is_past_due=catalyst.is_past_due,
        source_ids=cite.numbers(catalyst.record_ids[:3]),
    )


def _programs(program: Program, cite: Cite) -> Iterable[ProgramRow]:
    """Yield the stage of a program in each region that a record names, or of none."""
    own_trials = [trial for trial in program.trials if trial.is_own]
    regions = {stage.region for stage in program.stages if stage.region}
    for region in sorted(regions) or [""]:
        stated = [stage for stage in program.stages if stage.region == region] or list(
            program.stages
        )
        best = min(
            (statement.stage for statement in stated), key=STAGES.index, default=program.stage
        )
        carrying = [statement for statement in stated if statement.stage == best]
        ids = [
            record_id for statement in carrying for record_id in statement.statement.record_ids[:2]
        ]
        ids = ids or [trial.record_id for trial in own_trials[:2]]
        yield ProgramRow(
            indication=unmark(program.indication),
            region=region,
            phase=best,
            trial_ids=[trial.number for trial in own_trials[:MOST_TRIALS]],
            as_of=max((statement.as_of for statement in carrying), default=program.as_of),
            is_discontinued=program.is_discontinued,
            reason=unmark(program.reason),
            first_on=min(
                (statement.first_on for statement in carrying if statement.first_on), default=""
            ),
            state=program.state_words or program.state,
            source_ids=cite.numbers(ids[:4]),
        )


def _parts(asset: Asset, cite: Cite) -> list[CompanyPart]:
    return [
        CompanyPart(
            company=unmark(role.company),
            role=role.role,
            territory=role.territory,
            from_on=role.from_on,
            is_expert=role.statement.is_expert,
            source_ids=cite.numbers(role.statement.record_ids[:3]),
        )
        for role in asset.companies
    ]


def _approvals(asset: Asset, cite: Cite) -> list[RegionRow]:
    return [
        RegionRow(
            region=region.region,
            stage=region.stage,
            first_on=region.first_on,
            is_over=region.is_over,
            is_expert=region.statement.is_expert,
            source_ids=cite.numbers(region.statement.record_ids[:2]),
        )
        for region in asset.regions
    ]


def _state(asset: Asset) -> str:
    """Return in words why nothing of a drug is under way."""
    return next((program.state_words for program in asset.programs if program.state_words), "")


def _exclusivity(protection: Protection | None, cite: Cite) -> Exclusivity | None:
    if protection is None:
        return None
    return Exclusivity(
        last_patent_on=protection.last_patent_on or None,
        last_exclusivity_on=protection.last_exclusivity_on or None,
        biologic_until=protection.biologic_until or None,
        law_until=protection.law_until or None,
        law_term=protection.law_term or None,
        note=protection.note,
        source_ids=cite.numbers(protection.record_ids[:4]),
    )
