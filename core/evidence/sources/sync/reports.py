"""What every sync has: a report, a mirror of its own while it runs, doubts about lost records."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.evidence.sources.live.web import NoAnswer
from core.evidence_ports import Evidence, Mirror
from core.records.sources import AnswerStatus

MOST_MISSING = 0.1
FEWEST_DOUBTED = 5
"""More missing records than these at once are a fault of the source, not believed."""
WHOLE: frozenset[AnswerStatus] = frozenset({"answered", "empty", "unchanged"})
"""What became of a sync that left nothing unread."""
PORTION = 2_000
"""States offered to the pack at once: as many as it takes in place."""
Announce = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync came to.

    Attributes:
        source: Short name of the source.
        status: What became of it.
        counted: Records that the source counts as changed, or lists.
        read: Records that were read.
        changed: Those of them whose state is new to the mirror.
        promoted: States that the pack was offered and took or knew.
        withdrawn: Records that the source no longer lists, missing twice in a row.
        as_of: The source's name of its data.
        message: One sentence about a status other than "answered".
    """

    source: str
    status: AnswerStatus
    counted: int = 0
    read: int = 0
    changed: int = 0
    promoted: int = 0
    withdrawn: tuple[str, ...] = ()
    as_of: str = ""
    message: str = ""


@dataclass
class Work:
    """A sync under way: its mirror, and what it has come to."""

    mirror: Mirror
    report: SyncReport = field(default_factory=lambda: SyncReport("", "unavailable"))


@contextmanager
def syncing(
    name: str, evidence: Evidence, now: datetime, origins: Collection[str]
) -> Iterator[Work]:
    """Be the one sync of a source; on leaving, the cursor keeps what it came to.

    A pack that was lost or replaced since it was last offered anything is offered all anew.

    Args:
        name: Short name of the source.
        evidence: The pack, with its mirrors.
        now: Instant of the sync.
        origins: Origins of its records in the pack.

    Raises:
        InvalidInput: A sync of the source is already running.
    """
    mirror = evidence.mirror(name)
    with mirror.alone():
        before = mirror.cursor()
        mirror.keep((), replace(before, status="interrupted", message=""))
        is_brought = any(origin in origins for _, origin, _ in evidence.origins())
        if evidence.info().generation < before.generation or (before.generation and not is_brought):
            mirror.forget_promotions()
        work = Work(mirror)
        yield work
        reached = replace(
            mirror.cursor(),
            status=work.report.status,
            message=work.report.message,
            generation=evidence.info().generation,
        )
        if work.report.status in {*WHOLE, "partial"}:
            reached = replace(reached, synced_at=now.isoformat(timespec="seconds"))
        mirror.keep((), reached)


def check_missing(
    title: str, noun: str, missing: Collection[str], known: Mapping[str, tuple[str, bool]]
) -> None:
    """Refuse to believe a source that lists far fewer records than it did. Raises NoAnswer."""
    before = {number for number, (_, is_withdrawn) in known.items() if not is_withdrawn}
    lost = before & set(missing)
    if len(lost) > max(FEWEST_DOUBTED, MOST_MISSING * len(before)):
        listed = f"{title} lists {len(before) - len(lost):,} of {len(before):,} {noun}"
        raise NoAnswer("partial", f"{listed} that it listed before, which is not believed")
