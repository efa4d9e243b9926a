"""What kind of drug something is: words of a table, and stems of non-proprietary names.

Words and stems stand in the vocabulary.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from core.evidence.names.identity.drug_names import strip_suffix
from core.evidence.names.identity.salts import IONS, SALTS
from core.records.names import fold_name
from core.vocabulary.modalities import Stem, load_modalities, load_stems, modality_words

LONGEST_WORDS = 6
_WORD = re.compile(r"[^\W_]+")
_ANTIBODY = re.compile(r"(?:mab|tug|bart|mig)$")
_NOT_CONJUGATED = re.compile(r"(?:alfa|beta|gamma|pegol|hyaluronidase|fc|and|biosimilar)$")


def normalize_modality(text: str) -> str:
    """Return the modality that a word stands for; "" when the table does not have it.

    >>> normalize_modality("ADCs"), normalize_modality("CAR-T"), normalize_modality("Biologic")
    ('antibody-drug conjugate', 'cell therapy', '')
    """
    return modality_words().get(fold_name(text), "")


def find_modalities(text: str) -> list[str]:
    """Return the modalities that a text names, the more telling first.

    >>> find_modalities("bispecific fusion of two antibodies"), find_modalities("CAR-T cells")
    (['bispecific antibody', 'monoclonal antibody'], ['cell therapy'])
    """
    synonyms = modality_words()
    words = _WORD.findall(text[:2_000])
    modalities: set[str] = set()
    start = 0
    while start < len(words):
        for length in range(min(LONGEST_WORDS, len(words) - start), 0, -1):
            folded = fold_name("".join(words[start : start + length]))
            if folded in synonyms:
                modalities.add(synonyms[folded])
                start += length - 1
                break
        start += 1
    return [modality for modality in load_modalities() if modality in modalities]


@lru_cache(maxsize=20_000)
def find_stem(name: str) -> Stem | None:
    """Return the longest stem on which a non-proprietary name ends; None for other names.

    >>> stem = find_stem("Sitagliptin phosphate")
    >>> (stem.stem, stem.target) if stem else None
    ('gliptin', 'DPP-4')
    """
    for word in _name_words(name):
        for stem in load_stems():
            if word in stem.exceptions or len(word) < len(stem.stem) + 2:
                continue
            if word.endswith(stem.stem):
                return stem
    return None


def modality_of_name(name: str) -> str:
    """Return the modality that a non-proprietary name tells; "" when it tells none.

    An antibody's name followed by another word is a conjugate: sacituzumab govitecan.
    """
    words = _name_words(name)
    antibodies = [word for word in words if _ANTIBODY.search(word)]
    others = [word for word in words if word not in antibodies and not _NOT_CONJUGATED.search(word)]
    if antibodies and others and len(words) == 2:
        payload = others[0]
        if "tide" in payload:
            return "antibody-peptide conjugate"
        return "radioligand" if payload.endswith("xetan") else "antibody-drug conjugate"
    stem = find_stem(antibodies[0] if antibodies else name)
    return stem.modality if stem else ""


def _name_words(name: str) -> list[str]:
    """Return the words of a name that carry a stem, the last first."""
    plain = " ".join(strip_suffix(word) for word in name.casefold().split())
    words = [word for word in re.findall(r"[a-z]+", plain) if len(word) > 4]
    return [word for word in reversed(words) if word not in SALTS and word not in IONS]


@dataclass(frozen=True, slots=True)
class ModalityClue:
    """Words from which a drug's modality may be told.

    Attributes:
        text: The words.
        weight: 4 a curator's word, 3 a regulator's or the company's class, 2 words beside the
            drug's name.
        record_id: Record that has them; "" for a name.
        fact_id: Fact that has them; 0 for none.
    """

    text: str
    weight: int
    record_id: str = ""
    fact_id: int = 0


def derive_modality(
    names: Iterable[str], clues: Iterable[ModalityClue]
) -> tuple[str, str, tuple[ModalityClue, ...]]:
    """Return a drug's modality, the rule that told it and the clues that say so.

    A name with a telling stem says most; "antibody" in a clue then only adds whether it is
    bispecific or conjugated. Clues that contradict the name are left out.
    """
    by_name = next(filter(None, map(modality_of_name, names)), "")
    counts: dict[str, int] = {}
    modality_clues: dict[str, list[ModalityClue]] = {}
    for clue in clues:
        modalities = find_modalities(clue.text)
        if modalities:
            counts[modalities[0]] = counts.get(modalities[0], 0) + clue.weight**2
            modality_clues.setdefault(modalities[0], []).append(clue)
    refined = [count for count in counts if count in _REFINES.get(by_name, ())]
    if by_name and not refined:
        return by_name, "stem", tuple(modality_clues.get(by_name, ())[:3])
    chosen = refined or list(counts)
    if not chosen:
        return "", "", ()
    ranks = load_modalities()
    best = max(chosen, key=lambda modality: (counts[modality], -ranks[modality]))
    return best, "words", tuple(modality_clues[best][:3])


_REFINES: Mapping[str, tuple[str, ...]] = {
    "monoclonal antibody": ("bispecific antibody", "diagnostic agent", "radioligand"),
    "small molecule": ("degrader",),
    "peptide": ("radioligand", "diagnostic agent", "fusion protein"),
    "recombinant protein": ("fusion protein",),
    "fusion protein": ("bispecific antibody",),
}
