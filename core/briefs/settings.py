"""The setting of a question: what an agent's free fields come to, and what is not resolved.

A field may say more than its own part: an indication of "second-line EGFR-mutant lung cancer"
names a line and a biomarker, too. What it should name and does not is told, never guessed.

Decision of 2026-11-26: a drug that is approved for a wider disease than the one asked for is shown
as approved, with the words of that use. How much wider is limited twice: at most `MOST_LEVELS`
steps up the disease tree, and a disease with at most `MOST_KINDS_OF_A_DISEASE` kinds. Acute
leukemia (148 kinds) counts for acute myeloid leukemia, and amyloidosis (54, two steps up) for
transthyretin amyloid cardiomyopathy; leukemia (191), dermatitis (219), kidney disorder, cancer
and infection do not.
Where the tree puts a disease below another one that is treated by other drugs, such as pulmonary
hypertension below hypertension, or keeps apart what labels and trials do not, such as bladder
cancer and urothelial carcinoma, a row of `wider_uses.csv` says so.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeVar

from core.evidence.names.aliases import Named
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.parsed import ParsedText
from core.records.names import fold_name
from core.records.programs import Program, TargetExpression
from core.records.stages import STAGES, Stage
from core.vocabulary.lines import AskedLine
from core.vocabulary.tables import TableRow, load_rows

MOST_LEVELS = 2
"""Steps up the disease tree that an approved use may lie above the disease asked for."""
MOST_KINDS_OF_A_DISEASE = 150
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
            if len(identity.descendants("disease", key)) <= MOST_KINDS_OF_A_DISEASE
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


Part = Literal["target", "disease", "line", "biomarker", "modality", "region", "stage"]
Said = TypeVar("Said")
_NAMED: Mapping[Part, Callable[[ParsedText], Iterable[object]]] = {
    "target": lambda text: text.targets,
    "disease": lambda text: text.diseases,
    "line": lambda text: text.lines,
    "biomarker": lambda text: text.biomarkers,
    "modality": lambda text: text.modalities,
    "region": lambda text: text.regions,
    "stage": lambda text: text.stages,
}
_WORDS: Mapping[Part, str] = {
    "modality": "kind of drug",
    "line": "line of treatment",
    "stage": "stage of development",
}

MOST_KINDS = 3
"""Kinds of drug that a word may mean where it is said of one product: "antibody" means two."""


@dataclass(frozen=True)
class Setting:
    """What free fields come to; every list is in the order of the fields.

    Attributes:
        targets: What drugs act on.
        areas: Diseases with their kinds.
        lines: Lines of treatment.
        biomarkers: Biomarkers by which patients are chosen.
        modalities: Kinds of drugs.
        kind: The kind of a product for a sentence: as given where the word leaves it open.
        regions: Regions, such as "China".
        stages: Stages of development.
        unresolved: Parts that a field should name and does not, with its text.
        too_general: Texts that name no one kind of drug, as "protein biologic".
    """

    targets: tuple[TargetExpression, ...] = ()
    areas: tuple[Area, ...] = ()
    lines: tuple[AskedLine, ...] = ()
    biomarkers: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ()
    kind: str = ""
    regions: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()
    unresolved: tuple[tuple[Part, str], ...] = ()
    too_general: tuple[str, ...] = ()

    @property
    def notices(self) -> Iterator[str]:
        """Yield a notice for each part that is not resolved."""
        for field, text in self.unresolved:
            yield (
                f"not_resolved: “{unmark(text)}” names no {_WORDS.get(field, field)} known here, "
                "so that it narrows nothing."
            )
        for text in self.too_general:
            yield (
                f"not_resolved: “{unmark(text)}” is too general to name a kind of drug; "
                "precedents and class rules need one, such as monoclonal antibody."
            )


def read_setting(fields: Mapping[Part, ParsedText], resolver: Resolver) -> Setting:
    """Return what an agent's free fields come to.

    Args:
        fields: The fields that were filled in, as understood, by the part that each should name.
        resolver: Knows kinds of diseases.
    """
    texts = list(fields.values())
    stated = fields.get("modality")
    general = [stated] if stated and not stated.modalities and _kinds_said(stated) else []
    diseases: dict[str, Named] = {
        disease.key: disease for text in texts for disease in text.diseases
    }
    return Setting(
        targets=_gather(text.targets for text in texts),
        areas=tuple(make_area(named, resolver) for named in diseases.values()),
        lines=_gather(text.lines for text in texts),
        biomarkers=_gather(text.biomarkers for text in texts),
        modalities=_gather(text.modalities for text in texts),
        kind=_kind_of(texts),
        regions=_gather(text.regions for text in texts),
        stages=_gather(text.stages for text in texts),
        unresolved=tuple(
            (field, text.text)
            for field, text in fields.items()
            if not _NAMED[field](text) and text not in general
        ),
        too_general=tuple(text.text for text in general),
    )


def _kind_of(texts: Iterable[ParsedText]) -> str:
    """Return the one kind that a word means; else the first word as given, never one of its kinds.

    An "antibody" may be bispecific or not.
    """
    words = [
        (kinds, piece.said)
        for text in texts
        for piece in text.pieces
        if piece.became == "modality"
        and (kinds := piece.meant.split("|"))
        and {*kinds} <= {*text.modalities}
    ]
    certain = [kinds[0] for kinds, _ in words if len(kinds) == 1]
    return next(iter([*certain, *(kind for _, kind in words)]), "")


def of_one_product(text: ParsedText) -> ParsedText:
    """Return a text about one product without kinds of drug that it leaves open.

    A list of drugs may be narrowed to biologics; one "protein biologic" is not known to be any of
    the eight kinds that the word means.
    """
    kinds = _kinds_said(text)
    if all(len(kinds) <= MOST_KINDS for kinds in kinds):
        return text
    named = {kind for kinds in kinds if len(kinds) <= MOST_KINDS for kind in kinds}
    return replace(
        text, modalities=tuple(modality for modality in text.modalities if modality in named)
    )


def _kinds_said(text: ParsedText) -> list[list[str]]:
    """Return the kinds of drug that each word of a text stands for."""
    return [piece.meant.split("|") for piece in text.pieces if piece.became == "modality"]


def _gather(parts: Iterable[Iterable[Said]]) -> tuple[Said, ...]:
    """Return what several texts name, each once."""
    return tuple(dict.fromkeys(value for values in parts for value in values))
