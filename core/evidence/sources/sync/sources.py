"""The sources that are synced, and how each is reached: a row of `synced_sources.csv` each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from pydantic import BaseModel

from core.errors import InvalidInput
from core.evidence.sources.live.web import Site, open_site
from core.evidence.sources.sync.labels import DailyMedWalk, LabelWalk, LetterWalk, ShortageWalk
from core.evidence.sources.sync.lists import LARGEST_FILE, ListedFile, sync_list
from core.evidence.sources.sync.reports import Announce, SyncReport
from core.evidence.sources.sync.trials import TrialWalk
from core.evidence.sources.sync.walking import Walked, sync_walk
from core.evidence_ports import Evidence
from core.ports import Rates
from core.settings import Settings
from core.vocabulary.tables import load_rows

LONGEST_SYNC_S = 6 * 3_600.0
WALKS: dict[str, type[Walked]] = {
    walk.name: walk for walk in (TrialWalk, DailyMedWalk, LabelWalk, LetterWalk, ShortageWalk)
}


class SourceRow(BaseModel):
    """A source, or a part of the file that it publishes (see `ListedFile`)."""

    name: str
    title: str
    address: str
    page_address: str
    pause_s: float
    path: str
    member: str
    origin: str
    kind: str


@dataclass(frozen=True)
class SyncedSource:
    """A source that is synced: how it is reached, and its file or how its changes are walked."""

    name: str
    title: str
    addresses: tuple[str, ...]
    pause_s: float
    how: ListedFile | type[Walked]

    def sites(self, settings: Settings, rates: Rates | None) -> list[Site]:
        """Return how it is asked from an instance."""
        return [
            open_site(
                settings,
                f"{self.name}-page" if index else self.name,
                address,
                LONGEST_SYNC_S,
                pause_s=self.pause_s,
                rates=rates,
                largest=LARGEST_FILE,
            )
            for index, address in enumerate(self.addresses)
        ]

    def sync(
        self,
        sites: Sequence[Site],
        evidence: Evidence,
        now: datetime,
        announce: Announce,
        since: str = "",
    ) -> SyncReport:
        """Bring mirror and pack up to date (see `sync_walk` and `sync_list`)."""
        if isinstance(self.how, ListedFile):
            return sync_list(self.how, sites, evidence, now, announce)
        walk = self.how(sites[0], now.date())
        return sync_walk(walk, evidence, now, announce, since=since)


def _read_sources() -> Iterator[SyncedSource]:
    for name, rows in groupby(load_rows("synced_sources", SourceRow), key=lambda row: row.name):
        first, *others = rows
        parts = {row.member: (row.origin, row.kind) for row in (first, *others)}
        how = WALKS.get(name) or ListedFile(name, first.title, first.path, parts)
        addresses = tuple(filter(None, (first.address, first.page_address)))
        yield SyncedSource(name, first.title, addresses, first.pause_s, how)


SYNCED = tuple(_read_sources())
ORIGINS = frozenset(
    {walk.origin for walk in WALKS.values()}
    | {row.origin for row in load_rows("synced_sources", SourceRow) if row.origin}
)
"""Origins of states in the pack that syncs bring."""


def find_sources(names: Sequence[str]) -> list[SyncedSource]:
    """Return sources by their short names, all where none is named. Raises InvalidInput."""
    known = {source.name: source for source in SYNCED}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InvalidInput(f"{unknown[0][:40]!r} is no source; choose among {', '.join(known)}")
    return [source for source in SYNCED if not names or source.name in names]
