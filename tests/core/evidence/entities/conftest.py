"""Entity pages are read from the starter pack."""

from datetime import date

import pytest

from core.briefs.entities.identifying import Library
from core.briefs.entities.index import EntityIndex, build_index
from core.evidence.names.identity.resolver import Resolver
from core.ports import Stores


@pytest.fixture(scope="session")
def library(starter: Stores, names: Resolver) -> Library:
    """Return evidence and names of an instance with the starter pack."""
    return Library(starter.evidence, names, date(2026, 11, 26))


@pytest.fixture(scope="session")
def index(library: Library) -> EntityIndex:
    """Return the names that the bar suggests."""
    return build_index(library)
