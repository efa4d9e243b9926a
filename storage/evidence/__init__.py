"""The evidence pack of an instance: records, facts, mentions and events in SQLite files.

Accounts, runs, keys, alerts and lists may be in PostgreSQL; the evidence is one SQLite file on
every instance, so that a version can be checked, copied and published as a whole.
"""

from storage.evidence.store import EvidenceStore, open_evidence

__all__ = ["EvidenceStore", "open_evidence"]
