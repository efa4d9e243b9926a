"""Which evidence an answer rests on: names, records and starter pack, in one word."""

import hashlib
from collections.abc import Collection

from core.evidence.sources.pack.reading import starter_version
from core.evidence_ports import EvidenceReader
from core.identity_ports import Identity


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
