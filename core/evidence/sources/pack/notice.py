"""What an answer must say where it rests on the starter pack alone."""

from core.evidence.sources.pack.own_records import ORIGIN
from core.evidence.sources.pack.reading import starter_size
from core.evidence_ports import EvidenceReader
from core.vocabulary.sources import PATENT_KINDS


def starter_notice(evidence: EvidenceReader) -> str:
    """Return the banner; "" where other files were imported, too, or nothing is held.

    Patents tell no drug's stage and do not count.
    """
    names = {file.name for file in evidence.files() if file.format not in PATENT_KINDS}
    if names != {ORIGIN}:
        return ""
    day, rows = starter_size()
    return (
        f"starter_pack: starter pack of {day}, {rows:,} rows, not complete. The answer uses it "
        "alone; import registers, labels and pipelines to go beyond it."
    )
