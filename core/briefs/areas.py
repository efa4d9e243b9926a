"""Diseases with all that is a kind of them, and the programs that lie in them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.retrieval import Named
from core.records.names import fold_name
from core.records.programs import Program
from core.records.stages import STAGES


@dataclass(frozen=True)
class Area:
    """A disease with all that is a kind of it.

    Attributes:
        key: Its key.
        label: Its name.
        keys: Its key and those of its kinds.
        names: Folded names of it, for programs whose disease has no key.
    """

    key: str
    label: str
    keys: frozenset[str]
    names: frozenset[str]

    def holds(self, program: Program) -> bool:
        """Return whether a program lies in the area."""
        if program.indication_key:
            return program.indication_key in self.keys
        return self.names_in(program.indication)

    def names_in(self, text: str) -> bool:
        """Return whether a text names the area."""
        folded = fold_name(text)
        return any(name in folded for name in self.names)


def make_area(named: Named, resolver: Resolver) -> Area:
    """Return a disease with all its kinds."""
    kinds = resolver.identity.descendants("disease", named.key)
    names = {fold_name(name) for name in (named.said, named.label, *named.aliases)}
    return Area(
        named.key,
        named.label,
        frozenset({named.key, *kinds}),
        frozenset(name for name in names if len(name) > 3),
    )


def merge_programs(programs: Iterable[Program]) -> list[Program]:
    """Return programs with those of one disease as one: the furthest, with all trials.

    Registers write one disease in many ways; those that got the name of the area asked for are
    one program.
    """
    found: dict[str, list[Program]] = {}
    for one in programs:
        found.setdefault(one.indication_key or one.indication, []).append(one)
    return [_merge(same) if len(same) > 1 else same[0] for same in found.values()]


def _merge(same: list[Program]) -> Program:
    best = min(same, key=lambda one: (STAGES.index(one.shown_stage), one.as_of))
    trials = {trial.number: trial for one in same for trial in one.trials}
    stages = dict.fromkeys(stage for one in same for stage in one.stages)
    return replace(
        best,
        stages=tuple(sorted(stages, key=lambda one: STAGES.index(one.stage))),
        trials=tuple(sorted(trials.values(), key=lambda one: one.start_on, reverse=True)),
        is_discontinued=all(one.is_discontinued for one in same),
    )
