"""What a figure measures, by the words next to it."""

import re

_MEASURES = (
    ("overall survival", r"\boverall survival\b|\bm?OS\b"),
    ("progression-free survival", r"\bprogression[- ]free survival\b|\bm?PFS\b"),
    ("disease-free survival", r"\b(?:invasive )?disease[- ]free survival\b|\bi?DFS\b"),
    ("event-free survival", r"\bevent[- ]free survival\b|\bEFS\b"),
    ("complete response", r"\bcomplete (?:response|remission)s?\b|\bCRR?\b"),
    ("duration of response", r"\bduration of response\b|\bm?DOR\b"),
    ("response", r"\b(?:objective |overall )?response rate\b|\bORR\b|\brespon(?:se|ders?)\b"),
)
_PATTERNS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _MEASURES)
PATTERNS = tuple(pattern for _, pattern in _PATTERNS)


def find_measures(text: str) -> set[str]:
    """Return the measures that a text names.

    >>> sorted(find_measures("median PFS and the overall response rate"))
    ['progression-free survival', 'response']
    """
    return {name for name, pattern in _PATTERNS if pattern.search(text)}
