"""Clinical compounds of a target: how far each has come, and from what it can be drawn."""

from collections.abc import Sequence
from datetime import date

from core.evidence.assets.gather import gather_assets
from core.evidence.names.identity.drug_structures import read_systematic_names
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.target_expressions import read_targets
from core.evidence_ports import EvidenceReader
from core.records.asset_queries import AssetQuery
from core.records.patents import ClinicalCompound
from core.records.programs import Asset, TargetExpression
from core.records.stages import STAGES, Stage

NOT_CLINICAL: frozenset[Stage] = frozenset({"PRECLINICAL", "DISCOVERY", "UNKNOWN"})


def clinical_compounds(
    target: str, evidence: EvidenceReader, resolver: Resolver, as_of: date
) -> list[ClinicalCompound]:
    """Return the clinical compounds of a target, the most advanced first.

    Structures are texts, not drawn here: a run draws all its names in one process. A biologic,
    and a drug without a systematic name, has none.

    Args:
        target: Symbol, alias or expression ("KRAS G12C").
        evidence: The pack.
        resolver: Knows names.
        as_of: Day for which stages are told.
    """
    targets = _targets(target, resolver)
    if not targets:
        return []
    gathered = gather_assets(AssetQuery(targets=targets, figures=False), evidence, resolver, as_of)
    compounds = [
        _describe(asset, resolver)
        for asset in gathered.assets
        if asset.highest_stage not in NOT_CLINICAL
    ]
    return sorted(
        compounds,
        key=lambda compound: (_order(compound.stage), compound.name.casefold(), compound.key),
    )


def _targets(target: str, resolver: Resolver) -> tuple[TargetExpression, ...]:
    """Return what is asked for; a symbol that is also a word needs no context here."""
    targets, _ = read_targets(target, resolver)
    return tuple(targets or read_targets(f"{target} inhibitor", resolver)[0])


def _order(stage: str) -> int:
    names: Sequence[str] = STAGES
    return names.index(stage)


def _describe(asset: Asset, resolver: Resolver) -> ClinicalCompound:
    """Return a drug with the program that carries its highest stage."""
    best = next(program for program in asset.programs if program.shown_stage == asset.highest_stage)
    name, *further = read_systematic_names(asset.key, resolver.identity, asset.name) or ("",)
    stated = [
        record_id
        for stage in best.stages
        if stage.stage == best.stage
        for record_id in stage.statement.record_ids
    ]
    trials = [trial.record_id for trial in best.trials if trial.is_own]
    return ClinicalCompound(
        asset.name,
        asset.aliases,
        asset.highest_stage,
        name,
        "systematic_name" if name else "none",
        tuple(dict.fromkeys(stated or trials)),
        best.as_of,
        asset.key,
        asset.modality.text if asset.modality else "",
        best.is_expert,
        tuple(further),
    )
