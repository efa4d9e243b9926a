"""What the cells of a drug's row say, what each rests on, and which rest on curators alone."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from core.evidence.proof.claims import unmark
from core.records.programs import Asset, Program, Statement
from core.records.stages import STAGE_WORDS, STAGES
from core.vocabulary.predicates import Predicate

MARK = "*"
NOTE = f"{MARK} expert, not confirmed: curator-entered, not yet verified"


def unconfirmed_cells(
    asset: Asset, programs: Sequence[Program], companies: Collection[str]
) -> list[str]:
    """Return the names of the cells that no record of a source carries."""
    running = [program for program in programs if not program.is_discontinued] or list(programs)
    best = min((program.stage for program in running), key=STAGES.index, default="UNKNOWN")
    expert_flags = {
        "target": [link.mechanism.is_expert for link in asset.targets],
        "modality": [asset.modality.is_expert] if asset.modality else [],
        "stage": [program.is_expert for program in running if program.stage == best],
        "company": [
            company.statement.is_expert
            for company in asset.companies
            if company.company in companies
        ],
    }
    return [name for name, experts in expert_flags.items() if experts and all(experts)]


def mark(text: str, cell: str, unconfirmed: Collection[str]) -> str:
    """Return the text of a cell with the mark where nothing confirms it.

    >>> mark("PD-1", "target", ["target"]), mark("PD-1", "target", [])
    ('PD-1 *', 'PD-1')
    """
    return f"{text} {MARK}" if text and cell in unconfirmed else text


@dataclass(frozen=True)
class Cell:
    """What a cell says and what it rests on.

    Attributes:
        name: Column of the row.
        text: As shown, without citation.
        record_ids: Records that say it.
        fact_ids: Facts that say it.
        rule: Rule that derived it.
        is_expert: Whether only a curator's knowledge carries it.
        predicates: Kinds of facts of its records that say it, where `fact_ids` does not list them.
    """

    name: str
    text: str
    record_ids: tuple[str, ...] = ()
    fact_ids: tuple[int, ...] = ()
    rule: str = ""
    is_expert: bool = False
    predicates: frozenset[Predicate] = frozenset()


def state(name: str, text: str, statement: Statement) -> Cell:
    """Return the cell of a statement."""
    return Cell(
        name, text, statement.record_ids, statement.fact_ids, statement.rule, statement.is_expert
    )


def cells_of_asset(asset: Asset, programs: Iterable[Program]) -> list[Cell]:
    """Return the cells that every list of drugs has: target, kind, companies, stages."""
    cells = [state("target", link.target.text, link.mechanism) for link in asset.targets]
    if asset.modality:
        cells.append(state("modality", asset.modality.text, asset.modality))
    cells += [state("company", role.company, role.statement) for role in asset.companies]
    return cells + [cell for program in programs for cell in _of_program(program)]


def _of_program(program: Program) -> list[Cell]:
    """Return what a stage rests on: the statements that carry it, else the own trials."""
    name = unmark(program.indication) or "indication not named"
    carrying = [stage for stage in program.stages if stage.stage == program.stage]
    stage_text = f"{STAGE_WORDS[program.shown_stage]} in {name}"
    cells = [state("stage", stage_text, statement.statement) for statement in carrying]
    own_trials = [
        trial for trial in program.trials if trial.is_own and trial.phase == program.stage
    ]
    if not cells and own_trials:
        ids = tuple(trial.record_id for trial in own_trials[:3])
        cells.append(Cell("stage", stage_text, ids))
    return cells
