"""One row a drug, every cell with the records that it rests on."""

from collections.abc import Iterable, Sequence

from core.agents.competitive_landscaping.compared import ComparedFigure, find_compared
from core.agents.competitive_landscaping.figures import choose, figure_text
from core.agents.competitive_landscaping.ranking import Ranked
from core.agents.competitive_landscaping.records import DrugRow
from core.agents.competitive_landscaping.scope import Candidate, Scope, outcomes_in
from core.evidence.assets.roles import owners_of
from core.evidence.assets.stages.approvals import UNTOLD
from core.evidence.assets.stages.unconfirmed import unconfirmed_cells
from core.evidence.proof.cells import Cell, cells_of_asset, state
from core.evidence.proof.citations import Citations
from core.evidence.proof.claims import unmark
from core.records.programs import Asset, Outcome, Program, Statement
from core.records.stages import STAGES, Stage

MOST_INDICATIONS = 6
MOST_CITED = 25
"""Records that a row cites at most: those of its cells come first."""


def cells_of(candidate: Candidate, scope: Scope) -> list[Cell]:
    """Return the cells of a drug's row with what they rest on.

    Args:
        candidate: The drug.
        scope: What was asked for.
    """
    asset = candidate.asset
    cells = cells_of_asset(asset, candidate.programs)
    outcomes = list(outcomes_in(candidate, scope))
    for kind in ("efficacy", "toxicity"):
        cells += [_of_outcome(kind, one) for one in choose(outcomes, kind, scope.parsed.lines)]
    warning = boxed_warning(asset)
    return [*cells, *([state("toxicity", "boxed warning", warning)] if warning else [])]


def _of_outcome(kind: str, outcome: Outcome) -> Cell:
    return Cell(kind, figure_text(outcome), (outcome.record_id,), outcome.fact_ids)


def boxed_warning(asset: Asset) -> Statement | None:
    """Return the statement of a boxed warning, where a whole label has one."""
    found: Statement | None = next(iter(asset.boxed_warnings), None)
    return found


def make_row(ranked: Ranked, scope: Scope, cells: Sequence[Cell], citations: Citations) -> DrugRow:
    """Return the row of a drug.

    Args:
        ranked: The drug with its rank.
        scope: What was asked for.
        cells: Its cells.
        citations: Gives records their numbers.
    """
    candidate = ranked.candidate
    asset = candidate.asset
    targets = [cell for cell in cells if cell.name == "target"]
    return DrugRow(
        drug_name=asset.name,
        target=_join(cell.text for cell in targets),
        modality=asset.modality.text if asset.modality else "",
        stage=candidate.stage,
        company=_join(owners_of(asset)),
        indication=_indications(candidate),
        efficacy=_figures("efficacy", cells, citations),
        toxicity=_figures("toxicity", cells, citations),
        compared=_compared(candidate, scope, citations),
        drug_key=asset.key if asset.key.startswith("UNII:") else None,
        aliases=[unmark(name) for name in asset.aliases],
        mechanism=_join(unmark(link.mechanism.text) for link in asset.targets),
        partners=sorted({one.company for one in asset.companies} - set(owners_of(asset))),
        regions=regions(candidate.programs),
        trial_ids=[trial.number for trial in candidate.trials],
        n_active_trials=len(candidate.active_trials),
        n_other_trials=sum(not trial.is_own for trial in candidate.trials),
        highest_stage=asset.highest_stage,
        is_expert_only=bool(targets) and all(cell.is_expert for cell in targets),
        unconfirmed=unconfirmed_cells(asset, candidate.programs, owners_of(asset)),
        modes=sorted(ranked.modes),
        rank_score=ranked.score,
        score_components=ranked.components,
        as_of=candidate.programs[0].as_of,
        source_ids=_cite(cells, asset, citations),
    )


def _compared(candidate: Candidate, scope: Scope, citations: Citations) -> list[ComparedFigure]:
    """Return the figures by which the drug may be compared."""
    return [
        ComparedFigure(
            **vars(by),
            value=outcome.value,
            n=outcome.n,
            source_ids=[citations.cite(outcome.record_id)],
        )
        for by, outcome in find_compared(outcomes_in(candidate, scope))
    ]


def regions(programs: Iterable[Program]) -> dict[str, Stage]:
    """Return the highest stage stated per region, regions in order."""
    found: dict[str, Stage] = {}
    for program in programs:
        for one in program.stages:
            if one.region:
                known = found.get(one.region, "UNKNOWN")
                found[one.region] = min(known, one.stage, key=STAGES.index)
    return dict(sorted(found.items()))


def _indications(candidate: Candidate) -> str:
    names = list(dict.fromkeys(unmark(one.indication) for one in candidate.programs))
    named = [name for name in names if name]
    named = [name for name in named if name not in UNTOLD] or named
    more = f" and {len(named) - MOST_INDICATIONS} more" if len(named) > MOST_INDICATIONS else ""
    return "; ".join(named[:MOST_INDICATIONS]) + more


def _join(names: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(name for name in names if name))


def _figures(kind: str, cells: Sequence[Cell], citations: Citations) -> str:
    """Return the figures of a kind with their citations."""
    shown = [
        f"{cell.text} {citations.mark(cell.record_ids)}".strip()
        for cell in cells
        if cell.name == kind
    ]
    return "; ".join(shown)


def _cite(cells: Sequence[Cell], asset: Asset, citations: Citations) -> list[str]:
    """Return the sources of a row: those of its cells, else of the drug."""
    ids = list(dict.fromkeys(one for cell in cells for one in cell.record_ids))
    ids = ids[:MOST_CITED] or list(asset.record_ids[:1])
    return sorted({citations.cite(one) for one in ids}, key=int)
