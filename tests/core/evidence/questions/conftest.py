"""Questions are read with the names and the assets of a new instance."""

from collections.abc import Callable

import pytest

from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.questions.named import Held
from core.evidence.readers.questions.parsed import ParsedText
from core.evidence.readers.questions.reading import parse_text
from core.ports import Stores

Read = Callable[[str], ParsedText]


@pytest.fixture(scope="session")
def read(starter: Stores, names: Resolver) -> Read:
    """Return what reads a question; drugs are those of which the starter pack has an asset."""
    assets = {one.key for one in starter.learned_names.all_names("starter")}
    return lambda question: parse_text(question, names, Held(assets.__contains__))
