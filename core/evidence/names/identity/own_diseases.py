"""The identity pack with the diseases and the words for diseases of the curators' own tables.

They lie before the pack and are read beside it: a row counts at once, and records and questions
read one table. What a row means is a name of the pack or a disease of our own, whose key is
"own:" and its name.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.identity_ports import Identity
from core.records.evidence import MentionKind
from core.records.identity import Entity, EntityName, IdentityRow, NameKind
from core.records.names import fold_name
from core.vocabulary.diseases import (
    DiseaseCorrectionRow,
    load_corrections,
    load_disease_words,
    load_own_diseases,
)
from core.vocabulary.query_words import take_words

_CANCER = re.compile(r"carcinomas?|neoplasms?|cancers?|tumou?rs?|malignant|malignancy")
_OF_DISEASES = re.compile(r"disorders?|diseases?|of|the|and")
_NO_DISEASE = re.compile(r"susceptib|tumor suppressor gene|, type \d+$| type \d+$| \d+$")
_BRITISH = (
    ("aemi", "emi"),
    ("oedema", "edema"),
    ("oesoph", "esoph"),
    ("tumour", "tumor"),
    ("haem", "hem"),
    ("diarrhoea", "diarrhea"),
    ("paed", "ped"),
    ("anaem", "anem"),
    ("leucaem", "leukem"),
    ("gynaec", "gynec"),
    ("coeliac", "celiac"),
    ("caemia", "cemia"),
)
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7"}
_NUMBERS = {arabic: roman.upper() for roman, arabic in _ROMAN.items()}
_TYPE = re.compile(r"\btype ([ivx]+|\d)\b", re.IGNORECASE)
_TYPE_LAST = re.compile(r"(?P<name>.+?),? (?P<type>type (?:\d|[IV]+)[a-z]?)$", re.IGNORECASE)
_TYPE_FIRST = re.compile(r"(?P<type>type (?:\d|[IV]+)[a-z]?) (?P<name>.+)$", re.IGNORECASE)
_OF_SITE = re.compile(r"(?P<head>cancer|carcinoma|neoplasm)s? of (?:the )?(?P<site>.+)$", re.I)
_HEAD_FIRST = re.compile(
    r"(?P<head>lymphomas?|leuk[ae]*mia|carcinoma|cancer|sarcoma|arthritis)[, ]+(?P<rest>.+)$",
    re.IGNORECASE,
)
"""Names as lists invert them: "Lymphoma Diffuse Large B-Cell"."""
_HEADS = (
    (re.compile(r"\bcancers?$", re.IGNORECASE), ("carcinoma", "neoplasm")),
    (re.compile(r"\bcarcinomas?$", re.IGNORECASE), ("cancer",)),
    (re.compile(r"\btumors?$", re.IGNORECASE), ("neoplasm", "cancer")),
    (re.compile(r"\bneoplasms?$", re.IGNORECASE), ("cancer", "tumor")),
    (re.compile(r"\bmalignanc(?:y|ies)$", re.IGNORECASE), ("cancer",)),
    (re.compile(r"\bdiseases?$", re.IGNORECASE), ("syndrome", "disorder")),
    (re.compile(r"\bsyndrome$", re.IGNORECASE), ("disease",)),
    (re.compile(r"\bdisorders?$", re.IGNORECASE), ("disease",)),
    (re.compile(r"\binfections?$", re.IGNORECASE), ("infectious disease",)),
)
"""Head nouns that name the same disease where the name as written is none."""
_NAMED_AFTER = re.compile(r"([A-Z][a-z]{3,}(?:-[A-Z][a-z]+)*)['\u2019]s")


def disease_readings(name: str) -> Iterator[str]:
    """Yield ways to read a disease's name, as written first; none is wider than the name.

    >>> list(disease_readings("bladder cancers"))
    ['bladder cancers', 'bladder cancer', 'bladder carcinoma', 'bladder neoplasm']
    >>> list(disease_readings("diabetes type II"))[1:]
    ['type II diabetes', 'diabetes type 2', 'type 2 diabetes']
    >>> list(disease_readings("Fabry's"))
    ["Fabry's", 'Fabry disease', 'Fabry syndrome']
    """
    text = " ".join(name.split())
    seen: dict[str, None] = {}
    for spelling in _spellings(text):
        for other in (spelling, *_other_heads(spelling)):
            seen.setdefault(other)
    person = _NAMED_AFTER.fullmatch(text)
    if person:
        for head in (" disease", " syndrome"):
            seen.setdefault(person[1] + head)
    yield from seen


def _spellings(name: str) -> Iterator[str]:
    yield name
    plain = name.casefold()
    for british, other in _BRITISH:
        plain = plain.replace(british, other)
    american = name if plain == name.casefold() else plain
    singular = _singular(american)
    for spelling in dict.fromkeys((american, singular)):
        yield spelling
        yield from _turned(spelling)
        numbered = _TYPE.sub(_renumber, spelling)
        if numbered != spelling:
            yield numbered
            yield from _turned(numbered)


def _singular(name: str) -> str:
    """Return a name whose last word is no plural: "sarcomas", "neuropathies"."""
    if re.search(r"[a-z]{3}ies$", name):
        return f"{name[:-3]}y"
    return name[:-1] if re.search(r"[a-z]{3}(?<![sui])s$", name) else name


def _renumber(match: re.Match[str]) -> str:
    number = match[1].casefold()
    return f"type {_ROMAN.get(number) or _NUMBERS.get(number, match[1])}"


def _turned(name: str) -> Iterator[str]:
    """Yield a name with its type, its site or its head noun at the other end."""
    for pattern in (_TYPE_LAST, _TYPE_FIRST):
        match = pattern.match(name)
        if match:
            is_last = pattern is _TYPE_LAST
            parts = (match["type"], match["name"]) if is_last else (match["name"], match["type"])
            yield " ".join(parts)
    listed = name.split(", ")
    if len(listed) > 1:
        yield " ".join(reversed(listed))
    inverted = _HEAD_FIRST.match(name)
    if inverted:
        yield f"{inverted['rest']} {inverted['head']}"
    site = _OF_SITE.match(name)
    if site:
        yield f"{site['site']} {site['head']}"


def _other_heads(name: str) -> Iterator[str]:
    for pattern, others in _HEADS:
        if " " in name and pattern.search(name):
            yield from (pattern.sub(other, name) for other in others)


def closest(name: str, labels: Mapping[str, str]) -> list[str]:
    """Return which of several diseases a name means where their own names tell it.

    A name of MONDO counts before one that only MeSH has; of two in MONDO the one that is made of
    the same words ("non-small cell lung cancer", "… carcinoma"); a susceptibility never counts.
    """
    in_mondo = [key for key in labels if key.startswith("MONDO:")]
    plain = [key for key in in_mondo if not _NO_DISEASE.search(labels[key])]
    for group in (in_mondo, plain):
        if len(group) == 1:
            return group
    same = [key for key in in_mondo if _words(labels[key]) == _words(name)]
    return same if len(same) == 1 else list(labels)


def widest(keys: list[str], above: Callable[[str], frozenset[str]]) -> list[str]:
    """Return the one disease of which the others are kinds; all of them where there is none."""
    over = [key for key in keys if all(key == other or key in above(other) for other in keys)]
    return over if len(over) == 1 else keys


def _words(name: str) -> frozenset[str]:
    """Return a disease's words, whatever their order and the word for cancer or disease."""
    words = re.findall(r"[^\W_]+", name.casefold())
    main_words = (word for word in words if not _OF_DISEASES.fullmatch(word))
    return frozenset("cancer" if _CANCER.fullmatch(word) else word for word in main_words)


OWN = "own:"


@dataclass
class _Tables:
    """What the tables say, in keys.

    Attributes:
        names: Names of the tables by their folded form.
        of: Names of the tables by key.
        entities: Diseases of our own by key.
        parents: What a disease is a kind of, by the tables.
        children: What is a kind of a disease, by the tables.
        labels: What the field calls a disease of the pack.
        same: Disease of the pack that stands for another one.
        cuts: What a disease of the pack is no kind of, although the pack says so.
        doubtful: Diseases of which the pack may say too much: those that are cut, and their kinds.
        above: What the pack has a disease as a kind of, as remembered.
        reached: What is reached from a disease upward (True) or downward, as remembered.
    """

    names: dict[str, list[EntityName]] = field(default_factory=lambda: defaultdict(list))
    of: dict[str, list[EntityName]] = field(default_factory=lambda: defaultdict(list))
    entities: dict[str, Entity] = field(default_factory=dict)
    parents: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    children: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    labels: dict[str, str] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    cuts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    doubtful: set[str] = field(default_factory=set)
    above: dict[str, frozenset[str]] = field(default_factory=dict)
    reached: dict[tuple[str, bool], frozenset[str]] = field(default_factory=dict)


def own_key(label: str) -> str:
    """Return the key of a disease of our own.

    >>> own_key("solid tumor")
    'own:solid-tumor'
    """
    return OWN + "-".join(re.findall(r"[^\W_]+", label.casefold()))


class OwnDiseases:
    """An identity pack that knows our own diseases, too (core.identity_ports.Identity)."""

    def __init__(self, pack: Identity) -> None:
        """Keep the pack; the tables are read with the first question about a disease."""
        self.pack = pack
        self._made: _Tables | None = None

    @property
    def _own(self) -> _Tables:
        if self._made is None:
            self._made = _read_tables(self.pack)
        return self._made

    def version(self) -> str:
        """Return what the pack was built from; "" when there is none."""
        return self.pack.version()

    def lookup(
        self, kind: MentionKind, folded: Sequence[str]
    ) -> Mapping[str, Sequence[EntityName]]:
        """Return the entities of folded names; a row of the tables counts before the pack."""
        if kind != "disease":
            return self.pack.lookup(kind, folded)
        names = self._own.names
        missing = [text for text in folded if text not in names]
        names_by_text = dict(self.pack.lookup(kind, missing)) if missing else {}
        for text, stored_names in names_by_text.items():
            names_by_text[text] = [
                replace(name, key=self._own.same.get(name.key, name.key)) for name in stored_names
            ]
        return names_by_text | {text: names[text] for text in folded if text in names}

    def entities(self, kind: MentionKind, keys: Sequence[str]) -> Mapping[str, Entity]:
        """Return the entities of keys; unknown keys are left out."""
        entities = dict(self.pack.entities(kind, [key for key in keys if not key.startswith(OWN)]))
        if kind == "disease":
            own_entities, labels = self._own.entities, self._own.labels
            entities |= {key: own_entities[key] for key in keys if key in own_entities}
            for key in entities.keys() & labels.keys():
                entities[key] = replace(entities[key], label=labels[key])
        return entities

    def names(self, kind: MentionKind, key: str) -> Sequence[EntityName]:
        """Return the names of an entity, official ones first, those of the tables last."""
        if kind != "disease":
            return self.pack.names(kind, key)
        tables = self._own
        stored_names = [
            name for name in self.pack.names(kind, key) if name.folded not in tables.names
        ]
        return [*stored_names, *tables.of.get(key, ())]

    def all_names(self, kind: NameKind) -> Sequence[EntityName]:
        """Return every name of the pack of a kind, by folded name."""
        return self.pack.all_names(kind)

    def ancestors(self, kind: MentionKind, key: str) -> frozenset[str]:
        """Return every entity that this one is a kind of."""
        is_own = kind == "disease"
        return self._reached(key, is_up=True) if is_own else self.pack.ancestors(kind, key)

    def descendants(self, kind: MentionKind, key: str) -> frozenset[str]:
        """Return every entity that is a kind of this one."""
        is_own = kind == "disease"
        return self._reached(key, is_up=False) if is_own else self.pack.descendants(kind, key)

    def _above(self, key: str) -> frozenset[str]:
        """Return what the pack has a disease as a kind of, without what the tables alone cut."""
        remembered = self._own.above
        if key in remembered:
            return remembered[key]
        above = self.pack.ancestors("disease", key) - {key}
        for node in ({key} | above) & self._own.cuts.keys():
            cut = self._own.cuts[node] & above
            lost = cut.union(*(self.pack.ancestors("disease", name) for name in cut))
            others = (self.pack.ancestors("disease", name) for name in above - lost - {node})
            kept = {name for higher in others if node not in higher for name in higher}
            above -= lost - (kept - cut)
        remembered[key] = above
        return above

    def _below(self, key: str) -> frozenset[str]:
        """Return what the pack has as kinds of a disease, without what the tables cut."""
        below = self.pack.descendants("disease", key) - {key}
        doubtful = self._own.doubtful
        if not doubtful:
            doubtful |= self._own.cuts.keys()
            doubtful |= {
                name for node in self._own.cuts for name in self.pack.descendants("disease", node)
            }
        return below - {name for name in doubtful & below if key not in self._above(name)}

    def _reached(self, key: str, *, is_up: bool) -> frozenset[str]:
        """Return what is reached from a key by the tables' steps and by those of the pack."""
        remembered = self._own.reached
        if (key, is_up) in remembered:
            return remembered[key, is_up]
        steps = self._own.parents if is_up else self._own.children
        climb = self._above if is_up else self._below
        reached, taken = set(climb(key)), {key}
        left = [key, *reached]
        while left:
            for step in sorted(steps.get(left.pop(), set()) - taken):
                taken.add(step)
                new = {step, *climb(step)}
                left += new - reached
                reached |= new
        remembered[key, is_up] = frozenset(reached - {key})
        return remembered[key, is_up]

    def references(self, kind: MentionKind, scheme: str, code: str) -> Sequence[str]:
        """Return the keys that carry a code of another scheme."""
        return self.pack.references(kind, scheme, code)

    def labels_of_codes(
        self, kind: MentionKind, scheme: str, codes: Sequence[str]
    ) -> Mapping[str, str]:
        """Return the entity's label by code; codes that none or several carry are left out."""
        return self.pack.labels_of_codes(kind, scheme, codes)

    def systematic_names(self, key: str) -> Sequence[str]:
        """Return a drug's systematic names, its own before its salts'."""
        return self.pack.systematic_names(key)

    def build(
        self, rows: Iterable[IdentityRow], systematic: Iterable[tuple[str, str]], version: str
    ) -> None:
        """Write a new pack and read the tables anew."""
        self.pack.build(rows, systematic, version)
        self._made = None


def _read_tables(pack: Identity) -> _Tables:
    """Return the tables in keys; what names nothing that the pack has is left out."""
    made = _Tables()
    own_keys: dict[str, str] = {}
    for row in load_own_diseases():
        key = own_key(row.label)
        made.entities[key] = Entity("disease", key, row.label)
        for name in dict.fromkeys((row.label, *row.also)):
            own_keys.setdefault(fold_name(name), key)
            _add(made, name, [own_keys[fold_name(name)]])
    keys = _meant_keys(pack, own_keys)
    for word in load_disease_words():
        known_keys = [keys[fold_name(name)] for name in word.meant if fold_name(name) in keys]
        _add(made, word.said, known_keys)
    for row in load_own_diseases():
        key = own_key(row.label)
        steps = [(key, name) for name in row.parents] + [(name, key) for name in row.kinds]
        for child, parent in steps:
            below, above = keys.get(fold_name(child), child), keys.get(fold_name(parent), parent)
            if ":" in below and ":" in above and below != above:
                made.parents[below].add(above)
                made.children[above].add(below)
    for correction in load_corrections():
        _correct(made, correction, keys)
    return made


def _correct(made: _Tables, row: DiseaseCorrectionRow, keys: Mapping[str, str]) -> None:
    """Add what a row of the corrections says, where the pack has the diseases."""
    key, other = keys.get(fold_name(row.disease), ""), keys.get(fold_name(row.value), "")
    if key and row.relation == "shown as":
        made.labels[key] = row.value
    elif not key or not other or key == other:
        return
    elif row.relation == "same as":
        made.same[key] = other
    elif row.relation == "not a kind of":
        made.cuts[key].add(other)
    else:
        made.parents[key].add(other)
        made.children[other].add(key)


def _meant_keys(pack: Identity, own_keys: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of all names that the tables mean, folded.

    A name that begins with the state of the patients is looked for without it, where it is none
    as a whole: "metastatic colorectal cancer".
    """
    meant = {name for word in load_disease_words() for name in word.meant}
    meant |= {name for row in load_own_diseases() for name in (*row.parents, *row.kinds)}
    meant |= {row.disease for row in load_corrections()}
    meant |= {row.value for row in load_corrections() if row.relation != "shown as"}
    plain = {name: take_words("population", name)[1] for name in meant}
    unread = {name for pair in plain.items() for name in pair if fold_name(name) not in own_keys}
    keys = {**own_keys, **_keys_of(pack, sorted(unread))}
    for name, shorter in plain.items():
        if fold_name(name) not in keys and fold_name(shorter) in keys:
            keys[fold_name(name)] = keys[fold_name(shorter)]
    return keys


def _add(made: _Tables, spelling: str, keys: Sequence[str]) -> None:
    folded = fold_name(spelling)
    if folded in made.names:
        return  # a name of one of our own counts before a word for it
    for key in dict.fromkeys(keys):
        name = EntityName("disease", folded, key, 1, spelling)
        made.names[folded].append(name)
        made.of[key].append(name)


def _keys_of(pack: Identity, names: Sequence[str]) -> dict[str, str]:
    """Return the one key of each folded name that the pack itself has one for."""
    readings = {name: list(disease_readings(name)) for name in names}
    folded = sorted({fold_name(name) for read in readings.values() for name in read})
    lookup = pack.lookup("disease", folded)
    labels = {
        key: entity.label
        for key, entity in pack.entities(
            "disease", sorted({name.key for names in lookup.values() for name in names})
        ).items()
    }
    keys: dict[str, str] = {}
    for name, read in readings.items():
        stored_names = next(
            (lookup[fold_name(name)] for name in read if fold_name(name) in lookup), ()
        )
        chosen = _choose(name, stored_names, labels, pack)
        if chosen:
            keys[fold_name(name)] = chosen
    return keys


def _choose(
    name: str, stored_names: Sequence[EntityName], labels: Mapping[str, str], pack: Identity
) -> str:
    best = min((stored_name.level for stored_name in stored_names), default=0)
    keys = sorted(
        {
            stored_name.key
            for stored_name in stored_names
            if stored_name.level == best and stored_name.key in labels
        }
    )
    if len(keys) > 1:
        keys = closest(name, {key: labels[key] for key in keys})
        keys = widest(keys, lambda key: pack.ancestors("disease", key))
    return keys[0] if len(keys) == 1 else ""
