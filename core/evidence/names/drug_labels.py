"""Which drug a label of an intervention names, and why some labels name none.

A name that resolves counts under its moiety. What resolves to nothing becomes a "name:" key when
it looks like a code or a drug's name; placebo, classes of drugs, devices, diets and procedures
are dropped with the reason.

Records often name the part that acts where they mean the ester that is given. The part counts
under the ester when it has one known ester only and no product of its own in a register:
cefuroxime, which is injected, stays apart from cefuroxime axetil, and tenofovir, which has two
esters, from both.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.evidence.names.identity.drug_names import (
    AS_WRITTEN,
    IN_BRACKETS,
    clean_label,
    is_no_drug,
    readings,
    split_combination,
    split_list,
    strip_suffix,
)
from core.evidence.names.identity.resolver import WEAKLY, Resolver
from core.evidence.names.modalities import find_stem, modality_of_name
from core.evidence_ports import EvidenceReader
from core.records.identity import UNRESOLVED, Match
from core.records.names import fold_name
from core.vocabulary.label_words import alternatives

_LISTED_INSIDE = re.compile(r"[^();]+\(([^();]+(?:;[^();]+)+)\)")
"""A list of several drugs behind a name for the whole of it."""


def is_whole(match: Match) -> bool:
    """Return whether a label was read as one drug, not only what stands in its brackets."""
    return bool(match.key) and match.how != IN_BRACKETS


def parts_of(text: str, match: Match) -> list[str]:
    """Return a part of a list as it is where it is one drug, else what is joined in it."""
    return [text] if is_whole(match) else split_combination(text)


def tells_drugs(label: str, matches: Iterable[Match]) -> bool:
    """Return whether a list is one of drugs; behind a name it must tell two at least.

    Brackets behind a name hold other things, too: "Avonex (interferon beta-1a; Biogen)".
    """
    least = 1 if len(split_list(label)) > 1 else 2
    return len({match.key for match in matches if is_whole(match)}) >= least


def split_all(listed: Sequence[str]) -> Iterator[str]:
    """Yield what is joined in the parts of a list."""
    for name in listed:
        yield from split_combination(name)


def listed_in(label: str) -> list[str]:
    """Return the parts of a list, also of one in brackets behind a name for the whole of it.

    >>> listed_in("TRIPLE SULFA (SULFABENZAMIDE;SULFACETAMIDE;SULFATHIAZOLE)")
    ['SULFABENZAMIDE', 'SULFACETAMIDE', 'SULFATHIAZOLE']
    """
    inside = _LISTED_INSIDE.fullmatch(label)
    parts = split_list(inside[1] if inside else label)
    return parts if len(parts) > 1 else []


_LONG_NUMBER = r"[A-Z][A-Za-z]{0,5}[- ]?\d{2,7}[A-Za-z]{0,3}\d?"
_LONG_PREFIX = r"[A-Z]{2,6}[- ]?[A-Z]?\d{1,6}[A-Z]{0,2}"
CODE = re.compile(
    rf"(?<![\w-])(?=[A-Z0-9-]*\d)(?:{_LONG_NUMBER}|{_LONG_PREFIX})(?:-\d{{1,3}})?(?![\w])"
)
"""A developer's code, such as MK-3475, SHR-A1811 or CT-P13."""
_NO_CODE = re.compile(rf"(?:{alternatives('gene or virus')})-?\d+[A-Z]?(?:\.\d)?$")
_PROTEINS = ("mab", "cept", "tug", "bart", "mig", "ase", "kin", "gene", "cel")
_NO_DRUG = re.compile(rf"\b(?:{alternatives('no drug')})\b", re.IGNORECASE)
_ASIDE = re.compile(rf"(?:{alternatives('aside')})", re.IGNORECASE)
_AS_WORD = rf"(?:^|\W|\s\S*)(?:{alternatives('class as a word')})"
_CLASS = re.compile(rf"(?:{alternatives('class of drugs')}|{_AS_WORD})$", re.IGNORECASE)


MOST_WORDS = 3
"""Words of a name; what is longer describes a regimen."""
_VAGUE = re.compile(r"\bunspecified\b", re.IGNORECASE)
"""A substance for which no abbreviation stands: "PEG" is rarely macrogol."""
NO_DRUG = "a device, procedure, diet or way of care"
_TEST = re.compile(r"\b(?:test|tests|testing|assay|screening|questionnaire)\s*$", re.IGNORECASE)
"""How a label ends that names what is measured: "MAGE-A3/A6 screening test"."""
UNKNOWN = "resolves to no known drug"


@dataclass(frozen=True, slots=True)
class NamedDrug:
    """A drug as a label names it.

    Attributes:
        key: "UNII:…" or "name:…"; "" for what is none.
        name: Its name for display.
        said: The part of the label.
        reason: Why it is no drug; "" where it is one.
    """

    key: str
    name: str
    said: str
    reason: str = ""


class Naming:
    """Reads labels, with the names that the pack's own records join."""

    def __init__(self, resolver: Resolver, joined: Mapping[str, tuple[str, str]]) -> None:
        """Keep what is known.

        Args:
            resolver: Knows names.
            joined: Key and name by folded name, for names that records put beside a known drug.
        """
        self.resolver = resolver
        self.joined = joined
        self.under: dict[str, tuple[str, str]] = {}
        self._read: dict[str, tuple[NamedDrug, ...]] = {}

    def read(self, labels: Iterable[str]) -> Mapping[str, tuple[NamedDrug, ...]]:
        """Return the drugs that each label names."""
        distinct = dict.fromkeys(labels)
        left = self._read_plain([label for label in distinct if label not in self._read])
        parts = {label: split_combination(label) for label in left}
        parts |= {f"inside {label}": _joined_inside(label) for label in left}
        parts |= {f"listed {label}": listed_in(label) for label in left}
        names = [*left, *(component for split in parts.values() for component in split)]
        names += [component for label in left for component in split_all(parts[f"listed {label}"])]
        codes = {name: code for name in names if (code := code_in(name))}
        plain = [plain_name for name in names if (plain_name := _plain(name))]
        matches = self.resolver.resolve_many("drug", [*names, *codes.values(), *plain])
        open_ = [name for name in names if not matches[name].key]
        self.resolver.resolve_many("drug", [word for name in open_ for word in _long_words(name)])
        for label in left:
            match = matches[label]
            if not match.key and _TEST.search(label):
                self._read[label] = (NamedDrug("", label, label, NO_DRUG),)
                continue
            chosen = [label] if is_whole(match) or len(parts[label]) < 2 else parts[label]
            chosen = parts[f"inside {label}"] or chosen
            listed = parts[f"listed {label}"]
            if not is_whole(match) and tells_drugs(label, [matches[name] for name in listed]):
                chosen = [
                    component for name in listed for component in parts_of(name, matches[name])
                ]
            self._read[label] = tuple(
                self._counted(drug)
                for component in chosen
                for drug in self._name(component, matches[component])
            )
        return {label: self._read[label] for label in distinct}

    def _read_plain(self, labels: Sequence[str]) -> list[str]:
        """Read the labels that are a drug's name and nothing more; return the others."""
        matches = self.resolver.resolve_many("drug", labels)
        left: list[str] = []
        for label in labels:
            if matches[label].key and matches[label].how == AS_WRITTEN and "(" not in label:
                self._read[label] = (self._counted(_known(matches[label], label)),)
            else:
                left.append(label)
        return left

    def count_under(self, under: Mapping[str, tuple[str, str]]) -> None:
        """Let drugs count under others from now on.

        Args:
            under: Key and name of the other drug, by key.
        """
        self.under |= under
        for label, drugs in self._read.items():
            if any(drug.key in under for drug in drugs):
                self._read[label] = tuple(self._counted(drug) for drug in drugs)

    def _counted(self, drug: NamedDrug) -> NamedDrug:
        """Return a drug under that as which it counts."""
        if drug.key not in self.under:
            return drug
        key, name = self.under[drug.key]
        return NamedDrug(key, name, drug.said)

    def _name(self, label: str, match: Match) -> list[NamedDrug]:
        if is_no_drug(label):
            return [NamedDrug("", label, label, "placebo or standard of care, not a drug")]
        if match.key and match.how != WEAKLY:
            return [_known(match, label)]
        for folded in (fold_name(label) for label, _ in readings(label)):
            if folded in self.joined:
                return [NamedDrug(*self.joined[folded], label)]
        if match.key and not _VAGUE.search(match.label):
            return [_known(match, label)]
        return self._unresolved(label)

    def _unresolved(self, label: str) -> list[NamedDrug]:
        """Return drugs under their own name where the label looks like a code or a name."""
        code = code_in(label)
        if code:
            match = self.resolver.resolve_many("drug", [code])[code]
            if match.key:
                return [_known(match, label)]
            folded = fold_name(code)
            return [NamedDrug(*self.joined.get(folded, (f"name:{folded}", code)), label)]
        inside = self._drugs_inside(label)
        if inside:
            return inside
        plain = _plain(label)
        match = self.resolver.resolve_many("drug", [plain])[plain] if plain else UNRESOLVED
        is_known = match.key and not (match.how == WEAKLY and _VAGUE.search(match.label))
        return [_known(match, label) if is_known else _by_looks(label)]

    def _drugs_inside(self, label: str) -> list[NamedDrug]:
        """Return the drugs among a label's words, where the other words only tell of their use."""
        words = _WORD.findall(label)
        long_words = _long_words(label)
        matches = self.resolver.resolve_many("drug", long_words)
        known_matches = {word: matches[word] for word in long_words if matches[word].key}
        aside = [word for word in words if word not in known_matches]
        if not all(_ASIDE.fullmatch(word) or _is_use(word, known_matches) for word in aside):
            return []
        distinct = {match.key: match for match in known_matches.values()}
        return [_known(match, label) for match in distinct.values()]


def _known(match: Match, label: str) -> NamedDrug:
    return NamedDrug(match.key, match.label, label)


def _by_looks(label: str) -> NamedDrug:
    """Return a drug under a name that ends like one, or why a label names none."""
    plain = clean_label(re.sub(r"\([^()]*\)", "", label))
    if _NO_DRUG.search(plain) or not plain:
        return NamedDrug("", label, label, NO_DRUG)
    if _CLASS.search(plain):
        return NamedDrug("", label, label, "names a class of drugs, not one drug")
    words = strip_suffix(plain).split()
    if len(words) <= 2 and find_stem(plain) and len(words[0]) > 5:
        return NamedDrug(f"name:{fold_name(strip_suffix(plain))}", plain, label)
    return NamedDrug("", label, label, "resolves to no known drug")


_WORD = re.compile(r"[^\W_]+")
_TRAILING = re.compile(r"(?:\s+(?:for|in|with|of|to|by|plus|and|or))+$", re.IGNORECASE)
_OTHER_DRUG = re.compile(r"(?:peg|nab|des|nor|lipo|18f|68ga|177lu)", re.IGNORECASE)


def _is_use(word: str, known_matches: Mapping[str, Match]) -> bool:
    """Return whether an unknown word beside known drugs may be a form or a device.

    Beside an antibody it may be a payload, and a word such as "pegylated" makes another drug.
    """
    if any(
        modality_of_name(match) != "small molecule" and match.endswith(_PROTEINS)
        for match in known_matches
    ):
        return False
    return not _OTHER_DRUG.match(word) and not find_stem(word)


def _plain(label: str) -> str:
    """Return a label without what stands in brackets, doses, forms and words that trail."""
    return _TRAILING.sub("", clean_label(re.sub(r"\([^()]*\)", "", label)))


def _joined_inside(label: str) -> list[str]:
    """Return the drugs of "ABBV-166 (SKYRIZI + lutikizumab)"; nothing where none are joined."""
    match = re.search(r"\(([^()]+\s\+\s[^()]+)\)", label)
    return split_combination(match[1]) if match and code_in(label) else []


def is_plain_name(label: str) -> bool:
    """Return whether a label is a name and nothing more: no dose, form, note or sentence.

    >>> is_plain_name("MK-3475"), is_plain_name("MK-3475 200 mg"), is_plain_name("FTC (Emtriva)")
    (True, False, False)
    """
    is_short = len(label.split()) <= MOST_WORDS and not re.search(r"[(),;:]|^\d+ ", label)
    return is_short and clean_label(label) == label.strip()


def _long_words(label: str) -> list[str]:
    """Return the words of a label that are long enough to be a drug's name by themselves."""
    return [word for word in _WORD.findall(label) if len(word) > 6 and not _ASIDE.fullmatch(word)]


def code_in(label: str) -> str:
    """Return the one developer's code in a label, or before its brackets; "" for none or several.

    >>> code_in("anti-PD-1 antibody SHR-1210 injection"), code_in("CD19 CAR-T cells")
    ('SHR-1210', '')
    """
    outside = re.sub(r"\s*\([^()]*\)", "", label).strip()
    codes = [code for code in CODE.findall(label) if not _NO_CODE.match(code.replace(" ", ""))]
    distinct: dict[str, str] = {fold_name(code): code for code in reversed(codes)}
    if len(distinct) == 1:
        return next(iter(distinct.values()))
    return outside if outside in codes and CODE.fullmatch(outside) else ""


_ESTERS_TEXT = """
axetil cilexetil dipivoxil disoproxil alafenamide etexilate etabonate marboxil medoxomil mofetil
pivoxil proxetil soproxil tipivoxil
"""
ESTERS = tuple(_ESTERS_TEXT.split())
OF_PRODUCTS = "ingredient"
REGISTERS = frozenset({"drugsfda", "purplebook"})
"""Where an ingredient is named as it is; labels often name the part that acts."""


class Ester(NamedTuple):
    """A marketed ester."""

    key: str
    name: str


def find_esters(
    names: Mapping[str, str], naming: Naming, evidence: EvidenceReader
) -> dict[str, Ester]:
    """Return the ester under which a drug counts, by the drug's key."""
    resolver = naming.resolver
    stems = {_stem(name) for name in names.values()}
    parts = resolver.resolve_many("drug", sorted(stems))
    spelled = {stem: [f"{stem} {ester}" for ester in ESTERS] for stem in stems if parts[stem].key}
    matches = resolver.resolve_many(
        "drug", [name for labels in spelled.values() for name in labels]
    )
    esters_by_key: dict[str, Ester] = {}
    for stem, labels in spelled.items():
        esters = {
            matches[label].key: matches[label].label for label in labels if matches[label].key
        }
        esters.pop(parts[stem].key, None)
        if len(esters) == 1:
            (ester,) = esters.items()
            esters_by_key[parts[stem].key] = Ester(*ester)
    return {
        key: ester
        for key, ester in esters_by_key.items()
        if not _has_product(key, next(s for s in spelled if parts[s].key == key), naming, evidence)
    }


def _stem(name: str) -> str:
    """Return a name without the word for its ester.

    >>> _stem("adefovir dipivoxil"), _stem("adefovir")
    ('adefovir', 'adefovir')
    """
    first, _, last = name.rpartition(" ")
    return first if first and last.casefold() in ESTERS else name


def _has_product(key: str, name: str, naming: Naming, evidence: EvidenceReader) -> bool:
    """Return whether a register has a product of which a drug is an ingredient."""
    labels = evidence.names_with("drug", [name])
    read = naming.read(labels)
    own_labels = [label for label in labels if [drug.key for drug in read[label]] == [key]]
    mentions = evidence.mentioning("drug", own_labels) if own_labels else {}
    return any(
        mention.relation == OF_PRODUCTS
        for record_id, record_mentions in mentions.items()
        for mention in record_mentions
        if record_id.partition(":")[0] in REGISTERS
    )
