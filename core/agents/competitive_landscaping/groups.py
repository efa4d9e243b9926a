"""Which sources a request reads, and what became of each of them."""

from collections.abc import Collection, Mapping, Sequence

from core.agents.competitive_landscaping.records import SourceLine
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.evidence.sources.live.base import SourceAnswer
from core.knowledge.source_groups import SourceGroupRow, source_groups
from core.records.evidence_pack import SourceCount
from core.records.sources import AnswerStatus
from core.vocabulary.sources import PATENT_SOURCES

_ORDER: tuple[AnswerStatus, ...] = (
    "answered",
    "partial",
    "unchanged",
    "empty",
    "unavailable",
    "over_budget",
    "refused",
    "offline",
    "not_configured",
    "switched_off",
)
_ANSWERED = frozenset({"answered", "partial", "empty"})
"""Statuses of a live source that answered."""


def is_on(group: SourceGroupRow, request: CompetitiveLandscapingRequest) -> bool:
    """Return whether the request reads a group."""
    return not group.flag or bool(getattr(request, group.flag))


def sources_switched_on(request: CompetitiveLandscapingRequest) -> list[str]:
    """Return the sources of all groups that the request reads."""
    return [name for row in source_groups() if is_on(row, request) for name in row.names]


def sources_to_read(
    request: CompetitiveLandscapingRequest, stored_counts: Sequence[SourceCount]
) -> list[str]:
    """Return the sources of the pack that the request reads: all but those switched off.

    Documents of patent offices tell no drug's stage; structures are the compound map's.
    """
    on = set(sources_switched_on(request))
    off = {name for row in source_groups() if not is_on(row, request) for name in row.names}
    unread = (off - on) | {*PATENT_SOURCES}
    return [count.source for count in stored_counts if count.source not in unread]


def report_groups(
    request: CompetitiveLandscapingRequest,
    stored_counts: Sequence[SourceCount],
    hits: Mapping[str, int],
    live: Sequence[SourceAnswer] = (),
) -> list[SourceLine]:
    """Return what became of each group, those that answered first."""
    lines = [_report(group, request, stored_counts, hits, live) for group in source_groups()]
    return sorted(lines, key=lambda line: (_ORDER.index(line.status), -line.n_hits, line.source))


def _report(
    group: SourceGroupRow,
    request: CompetitiveLandscapingRequest,
    stored_counts: Sequence[SourceCount],
    hits: Mapping[str, int],
    live: Sequence[SourceAnswer],
) -> SourceLine:
    counts = [count for count in stored_counts if count.source in group.names]
    answer = next((answer for answer in live if answer.source in group.names), None)
    n_hits = sum(hits.get(name, 0) for name in group.names)
    newest = max((count.newest for count in counts), default="")
    status: AnswerStatus = "answered" if n_hits else "empty"
    if not is_on(group, request):
        status, newest, n_hits, counts = "switched_off", "", 0, []
    elif answer and not (answer.status in _ANSWERED and n_hits):
        status = answer.status
    elif answer and answer.status == "partial":
        status = "partial"
    elif not counts and not answer:
        status = "not_configured"
    origin = "live" if answer and answer.status in _ANSWERED else "local" if counts else ""
    return SourceLine(
        source=group.title,
        flag=group.flag,
        status=status,
        origin=origin,
        as_of=(answer.as_of if answer and origin == "live" else "") or newest,
        n_hits=n_hits,
        n_counted=answer.n_hits if answer else None,
        sent=answer.asked if answer else "",
        message=answer.message if answer else "",
        source_ids=[],
    )


def warn_of_groups(lines: Collection[SourceLine]) -> list[str]:
    """Return one warning that names every group that is asked for and not configured."""
    missing = [line.source for line in lines if line.status == "not_configured"]
    if not missing:
        return []
    return [
        f"not_configured: {'; '.join(missing)} cannot be asked on this instance, so the answer "
        "uses the sources named in the source report alone.",
    ]
