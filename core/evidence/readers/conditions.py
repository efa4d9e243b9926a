"""How a trial's register writes a condition, and the plainer names that are tried for it."""

import re
from functools import lru_cache

_MODIFIER = re.compile(
    r"\b(?:recurrent|refractory|relapsed?|relapsing or refractory|advanced|metastatic|locally|"
    r"unresectable|resectable|adult|childhood|pediatric|stage [ivx0-9]+[abc]?|anatomic|ajcc|v\d|"
    r"unspecified|protocol specific|previously treated|untreated|newly diagnosed|early[- ]stage|"
    r"moderate[- ]to[- ]severe|moderate|severe|mild|malignant(?= solid)|extensive[- ]stage|"
    r"and/or)\b",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\s*\(([^()]*)\)")


@lru_cache(maxsize=20_000)
def readings(condition: str) -> list[str]:
    """Return readings of a condition, the plainest first: without notes, then without its state.

    >>> readings("Metastatic Breast Cancer (MBC)")
    ['Metastatic Breast Cancer (MBC)', 'Metastatic Breast Cancer', 'Breast Cancer']
    """
    outside = _BRACKETS.sub("", condition).strip()
    plain = re.sub(r"[\s,;/|]+", " ", _MODIFIER.sub(" ", outside)).strip(" -")
    plain = re.sub(r"^(?:or|and|of|with)\s+", "", plain, flags=re.IGNORECASE)
    parts = re.split(r"\s+[-\u2013]\s+", outside)
    inside = [one for one in _BRACKETS.findall(condition) if len(one) > 3]
    return list(dict.fromkeys(one for one in (condition, outside, *parts, *inside, plain) if one))
