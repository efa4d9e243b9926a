"""Which sources a request reads, and what became of each of them."""

from collections.abc import Collection, Mapping, Sequence

from core.agents.competitive_landscaping.records import SourceLine
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.knowledge.source_groups import SourceGroupRow, source_groups
from core.records.evidence_pack import SourceCount
from core.vocabulary.sources import PATENT_SOURCES


def is_on(group: SourceGroupRow, request: CompetitiveLandscapingRequest) -> bool:
    """Return whether the request reads a group."""
    return not group.flag or bool(getattr(request, group.flag))


def sources_to_read(
    request: CompetitiveLandscapingRequest, stored_counts: Sequence[SourceCount]
) -> list[str]:
    """Return the sources of the pack that the request reads: all but those switched off.

    Documents of patent offices tell no drug's stage; structures are the compound map's.
    """
    off = {name for row in source_groups() if not is_on(row, request) for name in row.names}
    on = {name for row in source_groups() if is_on(row, request) for name in row.names}
    unread = (off - on) | {*PATENT_SOURCES}
    return [count.source for count in stored_counts if count.source not in unread]


def report_groups(
    request: CompetitiveLandscapingRequest,
    stored_counts: Sequence[SourceCount],
    hits: Mapping[str, int],
) -> list[SourceLine]:
    """Return what became of each group, those that answered first.

    Args:
        request: Its flags.
        stored_counts: What the pack holds of each source.
        hits: Records read, per source.
    """
    lines = [_report(group, request, stored_counts, hits) for group in source_groups()]
    order = ("answered", "empty", "not_configured", "switched_off")
    return sorted(lines, key=lambda line: (order.index(line.status), -line.n_hits, line.source))


def _report(
    group: SourceGroupRow,
    request: CompetitiveLandscapingRequest,
    stored_counts: Sequence[SourceCount],
    hits: Mapping[str, int],
) -> SourceLine:
    mine = [count for count in stored_counts if count.source in group.names]
    n_hits = sum(hits.get(name, 0) for name in group.names)
    if not is_on(group, request):
        status, newest, n_hits = "switched_off", "", 0
    elif not mine:
        status, newest = "not_configured", ""
    else:
        status = "answered" if n_hits else "empty"
        newest = max(count.newest for count in mine)
    return SourceLine.model_validate(
        {
            "source": group.title,
            "flag": group.flag,
            "status": status,
            "origin": "local" if mine and status != "switched_off" else "",
            "as_of": newest,
            "n_hits": n_hits,
            "source_ids": [],
        }
    )


def warn_of_groups(lines: Collection[SourceLine]) -> list[str]:
    """Return one warning that names every group that is asked for and not configured."""
    missing = [line.source for line in lines if line.status == "not_configured"]
    if not missing:
        return []
    return [
        f"not_configured: {'; '.join(missing)} cannot be asked on this instance, so the answer "
        "uses the sources named in the source report alone."
    ]
