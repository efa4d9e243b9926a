"""Which cells of a drug rest on a curator's own knowledge alone: "expert, not confirmed"."""

from collections.abc import Collection, Sequence

from core.records.programs import Asset, Program
from core.records.stages import STAGES

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
