"""What the evidence held tells of a target's assays: what trials measured, what labels warn of."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.agents.assay_development.case import Case
from core.briefs.patients import own_trials
from core.briefs.subjects import Drug
from core.evidence.assets.gather import gather_assets
from core.evidence.entries import endpoints_of
from core.evidence.proof.claims import unmark
from core.evidence.proof.fact_tables import read_facts
from core.records.asset_queries import AssetQuery
from core.records.evidence import Record
from core.records.trials import TrialEndpoint
from core.workbench import RunContext

MEASURED: Mapping[str, tuple[str, ...]] = {
    "exposure": ("pharmacokinetic", "cmax", "auc", "serum concentration", "plasma concentration"),
    "antidrug antibodies": ("antidrug", "anti-drug", "immunogenicity", "neutralizing antibod"),
    "persistence of cells or vector": (
        "persistence",
        "vector copy",
        "transgene",
        "car-t cell level",
    ),
    "cytokines": ("cytokine", "interleukin-6", "il-6"),
    "circulating DNA": ("ctdna", "circulating tumor dna", "minimal residual"),
    "biomarkers": ("biomarker", "pharmacodynamic", "receptor occupancy"),
}
MOST_CITED = 3


@dataclass(frozen=True)
class FieldEvidence:
    """What was found.

    Attributes:
        n_drugs: Drugs on the target.
        n_trials: Their own trials whose endpoints are held.
        measured: By kind of measurement the trials, those named first cited first.
        records: Records by id.
        warnings: What was not found.
    """

    n_drugs: int = 0
    n_trials: int = 0
    measured: Mapping[str, Sequence[str]] = field(default_factory=dict)
    records: Mapping[str, Record] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def read_evidence(case: Case, context: RunContext) -> FieldEvidence:
    """Return what trials of drugs on the target measured beside efficacy."""
    evidence = context.evidence
    if not case.expressions or not evidence.version() or case.is_refused:
        return FieldEvidence()
    query = AssetQuery(targets=case.expressions, figures=False)
    assets = gather_assets(query, evidence, context.resolver, context.now.date())
    drugs = [Drug(asset, asset.programs) for asset in assets.assets]
    trials = dict.fromkeys(trial.record_id for _, trial in own_trials(drugs))
    listed = endpoints_of(read_facts(sorted(trials), evidence))
    measured = {
        kind: [key for key in trials if _measures(listed.get(key, ()), words)]
        for kind, words in MEASURED.items()
    }
    measured_ids = {kind: ids for kind, ids in measured.items() if ids}
    cited = {record_id for ids in measured_ids.values() for record_id in ids[:MOST_CITED]}
    warnings = () if drugs else (f"no_match: no drug on {unmark(case.target)} found.",)
    n = sum(bool(listed.get(key)) for key in trials)
    return FieldEvidence(
        len(drugs), n, measured_ids, dict(evidence.records(sorted(cited))), warnings
    )


def _measures(endpoints: Sequence[TrialEndpoint], words: Sequence[str]) -> bool:
    return any(word in endpoint.text.casefold() for endpoint in endpoints for word in words)


def count_measured(evidence: FieldEvidence) -> list[tuple[str, int]]:
    """Return how many trials measured what, the most common first."""
    return Counter({kind: len(ids) for kind, ids in evidence.measured.items()}).most_common()
