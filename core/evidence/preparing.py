"""Makes an instance ready to answer: names, starter pack, and what is derived from records."""

import hashlib
from collections.abc import Callable, Collection
from datetime import datetime

from core.evidence.assets.joined_names import is_learned, learn
from core.evidence.events.preparing import are_events_current, prepare_events
from core.evidence.names.identity.dictionary import dictionary_version, load_dictionary
from core.evidence.sources.pack.loading import is_loaded, load_starter
from core.evidence.sources.pack.patents import find_due_patents, load_patents
from core.evidence.sources.pack.reading import starter_version
from core.evidence_ports import EvidenceReader
from core.identity_ports import Identity
from core.ports import Stores

Announce = Callable[[str], None]


def prepare_evidence(
    stores: Stores, now: datetime, announce: Announce, *, force: bool = False
) -> bool:
    """Bring an instance up to date with the data that ships with the product.

    Args:
        stores: Stores of the instance.
        now: Instant of the work.
        announce: Called with one line before each step that has something to do.
        force: Load the name dictionary even if it is there.

    Returns:
        Whether anything had to be done.
    """
    due = _due_steps(stores, now, force=force)
    for words, load in due:
        announce(words)
        load()
    return derive_names_and_events(stores, announce) or bool(due)


def _due_steps(
    stores: Stores, now: datetime, *, force: bool
) -> list[tuple[str, Callable[[], object]]]:
    """Return what is to be loaded, each with its line of progress."""
    steps: list[tuple[bool, str, Callable[[], object]]] = [
        (
            force or stores.identity.version() != dictionary_version(),
            "loading names of drugs, targets, diseases and companies",
            lambda: load_dictionary(stores.identity, force=force),
        ),
        (
            not is_loaded(stores.evidence),
            "loading the starter pack",
            lambda: load_starter(stores.evidence, now),
        ),
        (
            bool(find_due_patents(stores.evidence)),
            "loading patents of the starter pack",
            lambda: load_patents(stores.evidence, now),
        ),
    ]
    return [(words, load) for is_due, words, load in steps if is_due]


def is_prepared(stores: Stores, now: datetime) -> bool:
    """Return whether nothing of `prepare_evidence` is due; cheap."""
    return (
        not _due_steps(stores, now, force=False)
        and is_learned(stores.evidence, stores.identity, stores.learned_names)
        and are_events_current(stores.evidence, stores.identity)
    )


def derive_names_and_events(stores: Stores, announce: Announce = lambda _words: None) -> bool:
    """Bring learned names and events up to date with the records, after every import.

    Returns:
        Whether anything had to be done.
    """
    sources = (stores.evidence, stores.identity, stores.learned_names)
    is_due = False
    if not is_learned(*sources):
        announce("learning the names that records use")
        is_due = learn(*sources)
    if not are_events_current(stores.evidence, stores.identity):
        announce("dating events")
        prepare_events(*sources)
        is_due = True
    return is_due


def evidence_version(
    evidence: EvidenceReader,
    identity: Identity,
    learned: Identity,
    without: Collection[str] = (),
) -> str:
    """Return one word that changes whenever names, records or the starter pack change.

    Args:
        evidence: The evidence pack.
        identity: The identity pack.
        learned: Names learned from the records.
        without: Sources whose records do not count.
    """
    parts = (identity.version(), learned.version(), evidence.version(without), starter_version())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
