"""Phases, stages and bands: how a register's phase becomes a stage, and how stages are shown.

A combined phase is shown under the phase that it has surely reached: phase 1/2 under phase 1,
phase 2/3 under phase 2. The exact stage stands beside it wherever a band is shown.
"""

from collections.abc import Mapping
from typing import Literal, get_args

from core.records.stages import Stage

OF_PHASE: Mapping[str, Stage] = {
    "PHASE4": "APPROVED",
    "PHASE3": "PHASE3",
    "PHASE2_3": "PHASE2_3",
    "PHASE2": "PHASE2",
    "PHASE1_2": "PHASE1_2",
    "PHASE1": "PHASE1",
    "EARLY_PHASE1": "PHASE1",
}
"""Stage that a trial's phase shows; a phase 4 trial follows an approval."""
PhaseBand = Literal["Approved", "Filed", "Phase 3", "Phase 2", "Phase 1", "Preclinical"]
PHASE_BANDS: tuple[PhaseBand, ...] = get_args(PhaseBand)
"""Bands of what is in development or beyond, highest first."""
Phase = Literal[
    "Approved", "Filed", "Phase 3", "Phase 2", "Phase 1", "Preclinical", "Discontinued", "Unknown"
]
PHASES: tuple[Phase, ...] = get_args(Phase)
"""The bands, then what is not in development."""
_BANDS: Mapping[Stage, PhaseBand] = {
    "APPROVED": "Approved",
    "FILED": "Filed",
    "PHASE3": "Phase 3",
    "PHASE2_3": "Phase 2",
    "PHASE2": "Phase 2",
    "PHASE1_2": "Phase 1",
    "PHASE1": "Phase 1",
    "PRECLINICAL": "Preclinical",
    "DISCOVERY": "Preclinical",
}


def band_of(stage: Stage) -> PhaseBand | None:
    """Return the band of a stage; None for what is not in development.

    >>> band_of("PHASE1_2"), band_of("DISCONTINUED")
    ('Phase 1', None)
    """
    return _BANDS.get(stage)


def phase_of(stage: Stage) -> Phase:
    """Return the phase under which a stage is shown.

    >>> phase_of("PHASE2_3"), phase_of("DISCONTINUED")
    ('Phase 2', 'Discontinued')
    """
    return _BANDS.get(stage) or ("Discontinued" if stage == "DISCONTINUED" else "Unknown")
