"""The number of this release, as CHANGELOG.md describes it."""

import tomllib
from functools import cache
from pathlib import Path

_PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


@cache
def product_version() -> str:
    """Return the version of this product.

    The first number changes with the API's contract, the second with each release, the third with
    corrections to a release.
    """
    return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
