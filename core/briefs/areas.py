"""Diseases with all that is a kind of them, and the programs that lie in them.

Decision of 2026-11-26: a drug that is approved for a wider disease than the one asked for is shown
as approved, with the words of that use. How much wider is limited twice: at most `MOST_LEVELS`
steps up the disease tree, and a disease with at most `MOST_KINDS` kinds. Acute leukemia (148 kinds)
counts for acute myeloid leukemia, and amyloidosis (54, two steps up) for transthyretin amyloid
cardiomyopathy; leukemia (191), dermatitis (219), kidney disorder, cancer and infection do not.
Where the tree puts a disease below another one that is treated by other drugs, such as pulmonary
hypertension below hypertension, or keeps apart what labels and trials do not, such as bladder
cancer and urothelial carcinoma, a row of `wider_uses.csv` says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from core.evidence.names.aliases import Named
from core.evidence.names.identity.resolver import Resolver
from core.records.names import fold_name
from core.records.programs import Program
from core.records.stages import STAGES
from core.vocabulary.tables import TableRow, load_rows

MOST_LEVELS = 2
"""Steps up the disease tree that an approved use may lie above the disease asked for."""
MOST_KINDS = 150
"""Kinds that the disease of such a use may have."""


ANY = "*"
Counts = Literal["yes", "no", "same"]


class WiderUseRow(TableRow):
    """A disease that counts for some others, or does not, whatever the tree says.

    Attributes:
        use: The disease of a use or program.
        diseases: These diseases, their kinds included, joined by "|"; "*" for all.
        counts: Whether its approved uses count as wider ones; "same": all of its programs count.
    """

    use: str
    diseases: str
    counts: Counts


@lru_cache(maxsize=4)
def wider_uses(resolver: Resolver, counts: Counts) -> dict[str, frozenset[str]]:
    """Return the diseases of the table's rows by the use's key; `ANY` for all diseases."""
    rows = [row for row in load_rows("wider_uses", WiderUseRow) if row.counts == counts]
    names = {name for row in rows for name in (row.use, *row.diseases.split("|"))}
    matches = resolver.resolve_many("disease", sorted(names - {ANY}))
    keys = {name: match.key for name, match in matches.items()} | {ANY: ANY}
    return {
        keys[row.use]: frozenset(keys[name] for name in row.diseases.split("|"))
        for row in rows
        if keys[row.use]
    }


@dataclass(frozen=True)
class Area:
    """A disease with all that is a kind of it.

    Attributes:
        key: Its key.
        label: Its name.
        keys: Its key and those of its kinds.
        names: Folded names of it, for programs whose disease has no key.
        wider: Keys of the wider diseases of which an approved use counts; empty unless a question
            takes them.
    """

    key: str
    label: str
    keys: frozenset[str]
    names: frozenset[str]
    wider: frozenset[str] = frozenset()

    def holds(self, program: Program) -> bool:
        """Return whether a program lies in the area."""
        if program.indication_key:
            return program.indication_key in self.keys
        return self.names_in(program.indication)

    def names_in(self, text: str) -> bool:
        """Return whether a text names the area."""
        folded = fold_name(text)
        return any(name in folded for name in self.names)

    def widen(self, resolver: Resolver) -> "Area":
        """Return the area with the wider diseases of which an approved use counts."""
        identity = resolver.identity
        above = {self.key: identity.ancestors("disease", self.key) - {self.key}}
        higher = {
            key: identity.ancestors("disease", key) & above[self.key] for key in above[self.key]
        }
        above |= higher
        level, wider = {self.key}, set[str]()
        for _ in range(MOST_LEVELS):
            reached = {key for kind in level for key in above[kind]} & above.keys()
            level = reached - {key for kind in reached for key in above[kind]}
            wider |= level
        family = {self.key, ANY, *above[self.key]}
        taken, refused = (
            {use for use, keys in wider_uses(resolver, counts).items() if keys & family}
            for counts in ("yes", "no")
        )
        few = {
            key
            for key in wider - refused
            if len(identity.descendants("disease", key)) <= MOST_KINDS
        }
        return replace(self, wider=frozenset(few | taken - self.keys))


def make_area(named: Named, resolver: Resolver) -> Area:
    """Return a disease with all its kinds."""
    roots = {named.key}
    roots |= {use for use, keys in wider_uses(resolver, "same").items() if named.key in keys}
    kinds = {kind for root in roots for kind in resolver.identity.descendants("disease", root)}
    names = {fold_name(name) for name in (named.said, named.label, *named.aliases)}
    return Area(
        named.key,
        named.label,
        frozenset(roots | kinds),
        frozenset(name for name in names if len(name) > 3),
    )


def merge_programs(programs: Iterable[Program]) -> list[Program]:
    """Return programs with those of one disease as one: the furthest, with all trials.

    Registers write one disease in many ways; those that got the name of the area asked for are
    one program.
    """
    programs_by_use: dict[str, list[Program]] = {}
    for program in programs:
        programs_by_use.setdefault(program.indication_key or program.indication, []).append(program)
    return [_merge(same) if len(same) > 1 else same[0] for same in programs_by_use.values()]


def _merge(same: list[Program]) -> Program:
    best = min(same, key=lambda program: (STAGES.index(program.shown_stage), program.as_of))
    trials = {trial.number: trial for program in same for trial in program.trials}
    stages = dict.fromkeys(stage for program in same for stage in program.stages)
    return replace(
        best,
        stages=tuple(sorted(stages, key=lambda stage: STAGES.index(stage.stage))),
        trials=tuple(sorted(trials.values(), key=lambda trial: trial.start_on, reverse=True)),
        is_discontinued=all(program.is_discontinued for program in same),
    )
