"""One row a drug, every cell with the records that it rests on."""

from collections.abc import Iterable, Iterator

from core.agents.competitive_landscaping.ranked import Ranked
from core.agents.competitive_landscaping.records import DrugRow, ProgramLine
from core.briefs.board import approved_for
from core.briefs.citing import Cite
from core.briefs.compared import ComparedFigure, find_compared
from core.briefs.subjects import Drug
from core.evidence.assets.roles import partners_of
from core.evidence.assets.stages.unconfirmed import unconfirmed_cells
from core.evidence.proof.cells import Cell
from core.evidence.proof.claims import unmark
from core.records.stages import STAGES, Stage

BOARD = (
    *("brand", "line", "biomarker", "trial", "enrolled", "next_readout", "ended"),
    *("licensor", "licensee", "protected_until", "is_off_patent"),
)
"""Fields of a row that a board deck shows next to the stage."""
MOST_TRIALS = 12
MOST_CITED = 25
"""Records that a row cites at most: those of its cells come first."""


def make_row(drug: Ranked, cite: Cite) -> DrugRow:
    """Return the row of a drug."""
    asset, cells, owners = drug.asset, drug.cells(), drug.owners
    ids = list(dict.fromkeys(record_id for cell in drug.cells() for record_id in cell.record_ids))
    ids = ids[:MOST_CITED] or list(drug.asset.record_ids[:1])
    return DrugRow(
        drug_name=drug.name,
        target=_join(cell.text for cell in cells if cell.name == "target"),
        modality=asset.modality.text if asset.modality else "",
        stage=drug.stage,
        label_use=drug.label_use,
        match=drug.match,
        company=_join(owners),
        indication=drug.indications,
        efficacy=_figures("efficacy", cells, cite),
        toxicity=_figures("toxicity", cells, cite),
        compared=_compared(drug, cite),
        drug_key=asset.key if asset.key.startswith("UNII:") else None,
        aliases=[unmark(name) for name in asset.aliases],
        mechanism=_join(unmark(link.mechanism.text) for link in asset.targets),
        partners=partners_of(asset),
        regions=regions(drug),
        trial_ids=[trial.number for trial in drug.trials],
        n_active_trials=len(drug.active_trials),
        n_other_trials=sum(not trial.is_own for trial in drug.trials),
        highest_stage=asset.highest_stage,
        is_expert_only=drug.is_expert_only,
        unconfirmed=unconfirmed_cells(asset, drug.programs, owners),
        standing=drug.standing,
        not_known=[unmark(criterion) for criterion in drug.not_known],
        **{name: getattr(drug.board, name) for name in BOARD},
        approved_in=approved_for(drug.programs, asset),
        modes=sorted(drug.modes),
        rank_score=drug.score,
        score_components=drug.components,
        as_of=drug.programs[0].as_of,
        source_ids=cite.numbers(dict.fromkeys((*ids, *drug.board.record_ids))),
    )


def _compared(drug: Ranked, cite: Cite) -> list[ComparedFigure]:
    """Return the figures by which the drug may be compared."""
    return [
        ComparedFigure(
            **vars(by),
            value=outcome.value,
            n=outcome.n,
            source_ids=cite.numbers([outcome.record_id]),
        )
        for by, outcome in find_compared(drug.outcomes)
    ]


def regions(drug: Drug) -> dict[str, Stage]:
    """Return the highest stage stated per region, regions in order; approvals that ended do not."""
    over = {region.region for region in drug.asset.regions if region.is_over}
    stages: dict[str, Stage] = {}
    for program in drug.programs:
        for stage in program.stages:
            if stage.region and stage.region not in over:
                current = stages.get(stage.region, "UNKNOWN")
                stages[stage.region] = min(current, stage.stage, key=STAGES.index)
    return dict(sorted(stages.items()))


def _join(names: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(name for name in names if name))


def _figures(kind: str, cells: Iterable[Cell], cite: Cite) -> str:
    """Return the figures of a kind with their citations."""
    shown = [cell for cell in cells if cell.name == kind]
    return "; ".join(f"{cell.text} {cite.mark(cell.record_ids)}".strip() for cell in shown)


def make_lines(drug: Ranked, cite: Cite) -> Iterator[ProgramLine]:
    """Yield a drug's programs within what was asked, one line each."""
    for program in drug.programs:
        own_trials = [trial for trial in program.trials if trial.is_own]
        carrying = [stage for stage in program.stages if stage.stage == program.stage]
        ids = [record_id for stated in carrying for record_id in stated.statement.record_ids[:2]]
        approvals = {
            stage.region: stage.first_on
            for stage in reversed(program.stages)
            if stage.stage == "APPROVED" and stage.region and not stage.is_over
        }
        yield ProgramLine(
            drug_name=drug.name,
            company=_join(drug.owners),
            target=_join(link.target.text for link in drug.asset.targets),
            indication=unmark(program.indication),
            stage=program.shown_stage,
            state=program.state_words or program.state,
            reason=unmark(program.reason),
            approved_in="; ".join(
                f"{name} {day}".strip() for name, day in sorted(approvals.items())
            ),
            trial_ids=[trial.number for trial in own_trials[:MOST_TRIALS]],
            as_of=program.as_of,
            source_ids=cite.numbers((ids or [trial.record_id for trial in own_trials[:2]])[:4]),
        )
