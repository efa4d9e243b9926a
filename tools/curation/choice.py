"""Which trials of a drug the starter pack keeps, and which records confirm what it acts on."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.evidence.assets.target_match import matches
from core.evidence.names.modalities import find_modalities
from core.evidence.names.target_tables import TargetNames
from core.evidence.readers.target_expressions import CLASS_WORD, Worded, read_links, spellings
from core.records.programs import Program, ProgramTrial, TargetExpression
from core.records.stages import STAGES

MOST_TRIALS = 12
"""Trials of one drug."""
MOST_OF_INDICATION = 8
ENOUGH_TRIALS = 6
"""With fewer trials of its companies, those of others are kept up to this number."""
MOST_LIKELY = 2
MOST_READ = 80
"""Records of a drug whose words are read for what it acts on."""
RULE = (
    f"at most {MOST_TRIALS} trials a drug and {MOST_OF_INDICATION} an indication, of the drug's "
    "companies; indications in turn, by stage and by how many trials the companies run; within "
    "one the highest phase first, then running ones, then the newest; where the companies have "
    f"fewer than {ENOUGH_TRIALS}, trials of others up to that number in the same order; one more "
    "where no trial kept says what the drug acts on; only trials that for certain test the drug, "
    "by arms, list of interventions, sponsor and title; of a drug that nobody sells and of which "
    f"none of these carries a stage, up to {MOST_LIKELY} that do and name it as tested; in "
    "addition up to four own trials from phase 1/2 on whose copy lists no drug and whose title "
    "names the drug as tested"
)
_PHASES = ("PHASE3", "PHASE2_3", "PHASE2", "PHASE1_2", "PHASE1", "APPROVED", "")


@dataclass(frozen=True)
class ChosenDrug:
    """A drug that the pack names.

    Attributes:
        key: Its key.
        name: As the table of drugs writes it.
        area: Where it stands.
        names: All names that the pack has for it.
        targets: What it acts on.
        is_sold: Whether the curators know of an approval.
    """

    key: str
    name: str
    area: str
    names: tuple[str, ...]
    targets: tuple[TargetExpression, ...]
    is_sold: bool = False


def choose_trials(programs: Sequence[Program], certain: Container[str]) -> list[str]:
    """Return the records of the trials to keep, as `RULE` says.

    Args:
        programs: The drug's programs, the highest stage first.
        certain: Trials that for certain test the drug.
    """
    ordered = sorted(
        programs,
        key=lambda program: (
            STAGES.index(program.stage),
            -sum(line.is_own for line in program.trials),
        ),
    )
    chosen: dict[str, None] = {}
    for is_own, most in ((True, MOST_TRIALS), (False, ENOUGH_TRIALS)):
        lines = [
            [line for line in program.trials if line.record_id in certain] for program in ordered
        ]
        queues = [_queue(line, is_own=is_own) for line in lines]
        for _ in range(MOST_OF_INDICATION):
            for queue in queues:
                next_id = next((x.record_id for x in queue if x.record_id not in chosen), None)
                if next_id and len(chosen) < most:
                    chosen[next_id] = None
    return list(chosen)


def carrying(programs: Sequence[Program]) -> list[str]:
    """Return the trials that carry a stage, the highest first."""
    carrying_trials = [
        (STAGES.index(stage.stage), record_id)
        for program in programs
        for stage in program.stages
        for record_id in stage.statement.record_ids
        if record_id.startswith("ctgov:") and not stage.statement.is_expert
    ]
    return list(dict.fromkeys(record_id for _, record_id in sorted(carrying_trials)))


def _queue(lines: Iterable[ProgramTrial], *, is_own: bool) -> list[ProgramTrial]:
    """Return an indication's trials, the ones to keep first."""
    kept_lines = [line for line in lines if line.phase and line.is_own == is_own]
    kept_lines.sort(key=lambda line: line.number)
    kept_lines.sort(key=lambda line: line.start_on, reverse=True)
    kept_lines.sort(key=lambda line: (_PHASES.index(line.phase), not line.is_active))
    return kept_lines


def confirm_target(
    drug: ChosenDrug,
    texts: Mapping[str, Sequence[str]],
    labels: Mapping[str, Sequence[str]],
    names: TargetNames,
) -> dict[str, tuple[str, str]]:
    """Return by record the drug's label there and, in our own words, what it acts on.

    Only what the pack's table of drugs says too is kept, so that a record confirms a row.

    Args:
        drug: The drug.
        texts: Title and passages by record.
        labels: The drug's labels by record.
        names: Expressions of targets.
    """
    confirmed: dict[str, tuple[str, str]] = {}
    for record_id, record_text in list(texts.items())[:MOST_READ]:
        spelled = {label: spellings(label, drug.names) for label in labels.get(record_id, ())}
        for text in (*record_text, *spelled) if spelled else ():
            for worded in read_links(text, spelled, names, {}):
                if _AGAINST_A_PROTEIN.search(worded.words):
                    continue
                if any(matches(worded.target, target) for target in drug.targets):
                    confirmed.setdefault(record_id, (worded.label, in_own_words(worded)))
    return confirmed


def in_own_words(worded: Worded) -> str:
    """Return target and kind of drug as a record's words tell them: "CLDN18.2 antibody".

    Args:
        worded: Drug and target side by side.
    """
    kinds = [modality for modality in find_modalities(worded.words) if modality not in _OF_TARGETS]
    if kinds:
        return f"{worded.target.text} {kinds[0]}"
    roles = [
        role_word
        for role_word in CLASS_WORD.findall(worded.words)
        if role_word.lower().startswith(_ROLES)
    ]
    role = next((stem for role in roles for stem in _ROLES if role.lower().startswith(stem)), "")
    return f"{worded.target.text} {_WORDS.get(role, 'targeted drug')}"


_AGAINST_A_PROTEIN = re.compile(r"\bgrowth factor\b.*(?:inhibit|antagonis|block)", re.IGNORECASE)
"""Words in which the target would be read as the kind of drug."""
_OF_TARGETS = frozenset({"recombinant protein", "immune globulin", "enzyme"})
"""Kinds of drugs by words that name targets as often: protein kinase, immunoglobulin E."""
_WORDS = {
    "inhibit": "inhibitor",
    "antagonis": "antagonist",
    "agonis": "agonist",
    "co-agonis": "co-agonist",
    "block": "blocker",
    "modulator": "modulator",
    "stimulator": "stimulator",
    "activator": "activator",
    "potentiator": "potentiator",
    "corrector": "corrector",
    "analog": "analog",
    "mimetic": "mimetic",
    "antibod": "antibody",
}
_ROLES = tuple(_WORDS)
