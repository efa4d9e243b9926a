"""The forms in which a register's systematic name of a drug is tried: as written, repaired, flat.

Registers write names in capitals, with Greek letters spelled, with water and typing errors; axial
stereo is written in ways that no program reads. Each form is tried only where those before it are
no structure, and the last tells no stereo, which the answer says.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from core.vocabulary.name_repairs import name_repairs

Way = Literal["written", "repaired", "flat"]
WAYS: tuple[Way, ...] = ("written", "repaired", "flat")
_ROUNDS = 2
"""One repair may lay open another, such as water before a mark that ends the name."""
_CENTER = r"\d*'*[A-Za-z]?[RSEZ]\*?"
_FACE = r"\d+'*[A-Za-z]?(?:alpha|beta)"
_STEREO = re.compile(
    rf"\((?:[RS]-)?\({_CENTER}(?:,{_CENTER})*\)\)-?|\({_CENTER}(?:,{_CENTER})*\)-?"
    rf"|\({_FACE}(?:,{_FACE})*\)-?|\(\d+-(?:endo|exo)\)-|\([+-]\)-"
    r"|\b(?:cis|trans|endo|exo|anti|syn)-",
    re.IGNORECASE,
)


def list_name_forms(name: str) -> tuple[str, ...]:
    """Return the forms of a name by way: as written, repaired, without stereo.

    >>> list_name_forms("(1M)-2-(P-CHLOROPHENYL)-(2S)-OXOLANE HYDRATE")[1:]
    ('2-(p-CHLOROPHENYL)-(2S)-OXOLANE', '2-(p-CHLOROPHENYL)-OXOLANE')
    """
    repaired = name
    for _ in range(_ROUNDS):
        for pattern, replacement in name_repairs():
            repaired = pattern.sub(replacement, repaired)
    return name, repaired, _STEREO.sub("", repaired)


def all_forms(names: Iterable[str]) -> list[str]:
    """Return every form of names once, the forms as written first."""
    forms = [list_name_forms(name) for name in names]
    return list(dict.fromkeys(form for way in zip(*forms, strict=True) for form in way))


def settle_forms(names: Iterable[str], drawn: Mapping[str, str]) -> Mapping[str, tuple[str, Way]]:
    """Return the structure of each name with the way in which it was read; none is left out.

    Args:
        names: As written.
        drawn: SMILES by form.
    """
    settled: dict[str, tuple[str, Way]] = {}
    for name in names:
        forms = zip(WAYS, list_name_forms(name), strict=True)
        read = next(((drawn[form], way) for way, form in forms if drawn.get(form)), None)
        if read is not None:
            settled[name] = read
    return settled
