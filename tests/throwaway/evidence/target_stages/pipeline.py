"""From a target to its drugs, furthest first."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.agents.target_stages import AGENT, schema

from core.briefs.memo import Section, tell_counts
from core.briefs.notices import no_match
from core.briefs.skeleton import Brief, Dossier, Found
from core.briefs.subjects import Drug
from core.evidence.assets.gather import gather_assets
from core.evidence.proof.cells import unconfirmed_cells
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import Claim, make_claim
from core.evidence.readers.target_expressions import read_targets
from core.records.asset_queries import AssetQuery
from core.records.programs import TargetExpression
from core.records.stages import STAGES
from core.workbench import RunContext


@dataclass(frozen=True)
class Asked:
    """The target as it was understood."""

    targets: tuple[TargetExpression, ...]
    names: tuple[str, ...]
    warnings: tuple[str, ...]


def understand(request: schema.TargetStagesRequest, context: RunContext) -> Asked:
    """Return the target that is meant."""
    targets, _ = read_targets(request.target, context.resolver)
    unknown = () if targets else (no_match("target", request.target, context.evidence),)
    return Asked(tuple(targets), tuple(one.text for one in targets), unknown)


def gather(_: schema.TargetStagesRequest, asked: Asked, context: RunContext) -> Found[Drug]:
    """Return the drugs of the target, furthest first."""
    if not asked.targets:
        return Found(())
    query = AssetQuery(targets=asked.targets, figures=False)
    found = gather_assets(query, context.evidence, context.resolver, context.now.date())
    assets = sorted(found.assets, key=lambda one: (STAGES.index(one.highest_stage), one.name))
    return Found([Drug(one, one.programs) for one in assets], found.excluded)


def make_line(drug: Drug, cite: Cite) -> schema.DrugLine:
    """Return the line of a drug."""
    asset = drug.asset
    companies = sorted({role.company for role in asset.companies})
    return schema.DrugLine(
        name=drug.name,
        phase=drug.phase,
        companies=companies,
        unconfirmed=unconfirmed_cells(asset, asset.programs, companies),
        source_ids=cite.numbers(one for cell in drug.cells() for one in cell.record_ids[:2]),
    )


def say(dossier: Dossier[schema.TargetStagesRequest, Asked, Found[Drug]]) -> Iterator[Claim]:
    """Say how many drugs stand at which phase."""
    phases: dict[str, list[str]] = {}
    for one in dossier.found.subjects:
        phases.setdefault(one.phase.lower(), []).append(one.asset.key)
    if phases:
        text, figures = tell_counts(phases)
        ids, name = dossier.found.subjects[0].asset.record_ids[:3], dossier.asked.names[0]
        yield make_claim(f"On {name}: {text}.", "computed", ids, figures=figures, names=[name])


SAID = (Section("How far they are", say),)
BRIEF = Brief(
    schema.TargetStagesData, AGENT.steps, understand, gather, make_line, SAID, schema.DrugTable
)


def run(request: schema.TargetStagesRequest, context: RunContext) -> schema.TargetStagesData:
    """Run the agent."""
    return BRIEF.run(request, context)
