"""Themes: what happened to one target or mechanism in one disease, with its momentum."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.briefs.developments.records import Development
from core.knowledge.event_materiality import CatalystType
from core.vocabulary.words import plural

MOST_TARGETS = 2
UNTOLD = "not reported"
ONE_WORDS: dict[CatalystType, str] = {
    "trial_readout": "trial result",
    "trial_start": "trial start",
    "trial_status_change": "change of a trial",
    "regulatory_decision": "regulatory decision",
    "regulatory_designation": "designation",
    "label_change": "label change",
    "safety_signal": "safety signal",
    "publication": "paper",
    "conference": "conference",
    "patent": "patent",
    "financing": "financing",
    "deal": "deal",
    "other": "other event",
}
"""How a reader calls one of each type of catalyst."""
TYPE_WORDS: dict[CatalystType, str] = {kind: plural(word) for kind, word in ONE_WORDS.items()} | {
    "trial_status_change": "changes of trials",
    "financing": "financing",
}
"""How a reader calls several."""


@dataclass(frozen=True)
class Theme:
    """Developments of one target or mechanism, disease and type.

    Attributes:
        key: Target or mechanism, disease and type, joined by bars.
        label: The same for a reader.
        ids: Developments of the window, the best first.
        scores: Their scores.
        previous: How many there were in the window before.
    """

    key: str
    label: str
    ids: tuple[str, ...]
    scores: tuple[int, ...]
    previous: int

    @property
    def change(self) -> int:
        """Return how many more there are than in the window before."""
        return len(self.ids) - self.previous

    @property
    def mean(self) -> float:
        """Return the mean score."""
        return round(sum(self.scores) / len(self.scores), 1)


def theme_of(development: Development) -> tuple[str, str]:
    """Return the key and the label of the theme that a development belongs to."""
    targets = development.drugs[0].targets[:MOST_TARGETS] if development.drugs else ()
    acts = " + ".join(target.text for target in targets)
    about = acts or development.modality or UNTOLD
    disease = development.diseases[0].name if development.diseases else UNTOLD
    key = "|".join((about.casefold(), disease.casefold(), development.catalyst_type))
    parts = [label for label in (about, disease) if label != UNTOLD]
    named = ", ".join(parts) or "target and disease not given"
    return key, f"{named}: {TYPE_WORDS[development.catalyst_type]}"


def find_themes(
    scored: Iterable[tuple[Development, int]], previous: Sequence[Development]
) -> list[Theme]:
    """Return the themes, those of most developments first, then by mean score.

    Args:
        scored: Developments of the window with their scores, the best first.
        previous: Those of the window before, under the same filters.
    """
    before = Counter(theme_of(development)[0] for development in previous)
    among: dict[str, list[tuple[Development, int]]] = {}
    labels: dict[str, str] = {}
    for development, points in scored:
        key, label = theme_of(development)
        among.setdefault(key, []).append((development, points))
        labels.setdefault(key, label)
    themes = [
        Theme(
            key,
            labels[key],
            tuple(development.id for development, _ in scored),
            tuple(points for _, points in scored),
            before[key],
        )
        for key, scored in among.items()
    ]
    return sorted(themes, key=lambda theme: (-len(theme.ids), -theme.mean, theme.label, theme.key))
