"""The setting of a question: what an agent's free fields come to, and what is not resolved.

A field may say more than its own part: an indication of "second-line EGFR-mutant lung cancer"
names a line and a biomarker, too. What it should name and does not is told, never guessed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from core.briefs.areas import Area, make_area
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.retrieval import Named
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.parsed import ParsedText
from core.records.programs import TargetExpression
from core.records.stages import Stage
from core.vocabulary.lines import AskedLine

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
