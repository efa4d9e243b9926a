"""Pathways of masked approvals: `python -m tests.benchmarks.design_pathways HOME [COUNT]`.

Trials that the studies section of a label names are asked for by their setting while the labels of
their drug are left out. What the label tells is the truth: whether the use that it states for the
trial's disease stands under accelerated approval. A label tells neither priority nor breakthrough,
so that these are not judged. The line beside is what one gets who always says "not accelerated";
hits among accelerated and among other uses are told apart, as the first are few.
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from scipy.stats import binomtest

from core.agents.clinical_trial_design import gathering
from core.agents.clinical_trial_design.asked import understand
from core.agents.clinical_trial_design.decisions import decide
from core.agents.clinical_trial_design.drafting import Draft
from core.agents.clinical_trial_design.gathering import gather
from core.agents.clinical_trial_design.pathways import make_pathway
from core.agents.clinical_trial_design.success import wilson
from core.briefs.citing import Cite
from core.evidence.assets.coverage import load_areas
from core.evidence.assets.precedents.labels import USES, labels_held, only_diseases, read_uses
from core.evidence.assets.precedents.pivotal import read_pivotal
from core.evidence.assets.precedents.trials import read_trials
from core.records.precedents import LabelUse, PivotalTrial, SettingTrial
from core.workbench import RunContext
from tests.benchmarks.design_masked import NOW, SEED, mask, open_context, request_of
from tests.benchmarks.targets import say

COUNT = 160
PHASES = ("PHASE2", "PHASE2_3", "PHASE3")
ACCELERATED = "accelerated approval"


def draw_cases(context: RunContext, count: int) -> list[tuple[SettingTrial, bool]]:
    """Return trials that a label names, each with whether its use is an accelerated one.

    A trial whose label states both kinds of uses of its diseases tells nothing and is left out.
    """
    truths: dict[str, set[bool]] = {}
    for use, trial in _pairs(context):
        truths.setdefault(trial.number, set()).add(use.use.is_accelerated)
    numbers = sorted(number for number, told in truths.items() if len(told) == 1)
    trials, _ = read_trials(
        frozenset(), context.evidence, context.resolver, PHASES, numbers=numbers
    )
    told = [one for one in trials if one.conditions and one.drugs and one.disease_keys]
    random.Random(SEED).shuffle(told)
    return [(one, truths[one.number] == {True}) for one in told[:count]]


def _pairs(context: RunContext) -> Iterator[tuple[LabelUse, PivotalTrial]]:
    """Yield uses with the trials that their label names for the same disease."""
    evidence, resolver = context.evidence, context.resolver
    keys = frozenset(
        key
        for _, top in load_areas()
        for key in (top, *resolver.identity.descendants("disease", top))
    )
    labels = evidence.passages(labels_held(evidence), (USES,))
    uses = read_uses(labels, evidence, resolver)
    by_label: dict[str, list[LabelUse]] = {}
    for use in uses:
        by_label.setdefault(use.record_id, []).append(use)
    for trial in read_pivotal(keys, sorted(labels), only_diseases(uses), evidence, resolver):
        for use in by_label.get(trial.label_id, ()):
            if use.is_read and set(use.disease_keys) & set(trial.disease_keys):
                yield use, trial


def answer(one: SettingTrial, context: RunContext) -> bool:
    """Return whether the answer to a trial's setting has accelerated approval as the likely way."""
    asked = understand(request_of(one), context)
    with patch.object(gathering, "find_precedents", mask(one)):
        found = gather(None, asked, context)
    draft = Draft(asked, found, decide(asked, found), Cite({}), NOW.date())
    return make_pathway(draft).likely.startswith(ACCELERATED)


def main(home: Path, count: int = COUNT) -> None:
    """Print the share of right answers beside that of who always says the commoner one."""
    context = open_context(home)
    cases = draw_cases(context, count)
    say(f"{len(cases)} trials named by labels, seed {SEED}")
    told = [(truth, answer(one, context)) for one, truth in cases]
    right = sum(truth == said for truth, said in told)
    low, high = wilson(right / len(told), len(told))
    plain = sum(not truth for truth, _ in told)
    won = sum(truth and said for truth, said in told)
    lost = sum(said and not truth for truth, said in told)
    p = binomtest(won, won + lost, 0.5, "greater").pvalue if won + lost else 1.0
    share, other = right / len(told), plain / len(told)
    say(f"right {share:.3f} ({low:.2f} to {high:.2f}), always not: {other:.3f}")
    say(f"accelerated uses {won} of {len(told) - plain} told, other uses {plain - lost} of {plain}")
    say(f"against always not: won {won} lost {lost}, p {p:.4f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(one) for one in sys.argv[2:]))
