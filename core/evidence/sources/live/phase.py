"""The live phase of a run: sources that the instance allows are asked side by side, in time.

The phase takes at most 40 % of the run's allowance and 45 seconds; a source 12 seconds of it.
What a source gave is read in the run alone (`overlay`).
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date

from core.evidence.sources.live import clinicaltrials, european_trials
from core.evidence.sources.live.base import Searchable, SourceAnswer, SourceQuery
from core.evidence.sources.live.crossref import CrossrefConnector
from core.evidence.sources.live.europepmc import EuropePmcConnector
from core.evidence.sources.live.federal_register import FederalRegisterConnector
from core.evidence.sources.live.openfda import OpenFdaConnector
from core.evidence.sources.live.overlay import with_live
from core.evidence.sources.live.replies import RunReplies
from core.evidence.sources.live.reporter import ReporterConnector
from core.evidence.sources.live.sec_filings import FullTextConnector, SubmissionsConnector
from core.evidence.sources.live.web import Site, open_site
from core.evidence_ports import EvidenceReader
from core.ports import Rates
from core.settings import Settings

SHARE_OF_ALLOWANCE = 0.4
LONGEST_PHASE_S = 45.0
LONGEST_SOURCE_S = 12.0
MOST_ASKED_AT_ONCE = 8
MOST_RECORDS = 600
"""Of one source in one run: three pages."""
MOST_NAMES = 8
"""Names of one thing that a question lists."""


@dataclass(frozen=True)
class LiveSource:
    """A source that can be asked during a run.

    Attributes:
        name: Its short name, as `BPW_LIVE_SOURCES` lists it.
        address: Where it is asked.
        pause_s: Least seconds between two requests.
        connect: Makes its connector.
        write: Writes a question in its own language; "" for one that it cannot be asked.
    """

    name: str
    address: str
    pause_s: float
    connect: Callable[[Site, date], Searchable]
    write: Callable[[SourceQuery], str]


LIVE_SOURCES = (
    LiveSource(
        clinicaltrials.NAME,
        clinicaltrials.ADDRESS,
        clinicaltrials.PAUSE_S,
        clinicaltrials.ClinicalTrialsConnector,
        clinicaltrials.write_expression,
    ),
    *(
        LiveSource(source.name, source.address, source.pause_s, source, source.write)
        for source in (
            OpenFdaConnector,
            EuropePmcConnector,
            ReporterConnector,
            CrossrefConnector,
            FederalRegisterConnector,
            FullTextConnector,
            SubmissionsConnector,
        )
    ),
    *(
        LiveSource(name, address, european_trials.PAUSE_S, connect, write)
        for name, address, connect, write in european_trials.REGISTERS
    ),
)


@dataclass(frozen=True)
class LivePhase:
    """What live sources gave a run.

    Attributes:
        evidence: The evidence of the run: the pack with what they gave.
        answers: Their answers, by source.
    """

    evidence: EvidenceReader
    answers: tuple[SourceAnswer, ...] = ()


def ask_live(  # noqa: PLR0913
    query: SourceQuery,
    names: Sequence[str],
    evidence: EvidenceReader,
    settings: Settings,
    today: date,
    *,
    allowance_s: float,
    rates: Rates | None = None,
    kept: RunReplies | None = None,
    sources: Sequence[LiveSource] = LIVE_SOURCES,
) -> LivePhase:
    """Ask live sources and return the evidence of the run.

    Args:
        query: What to ask; names of things alone, never a user's own text.
        names: Sources that the request reads.
        evidence: The pack.
        settings: Which sources the instance allows, and how they are reached.
        today: Day of the run.
        allowance_s: Seconds of the whole run.
        rates: How often hosts may be asked.
        kept: Answers of the day and of the run.
        sources: Sources that there are.
    """
    allowed = [each for each in sources if each.name in settings.live_sources]
    chosen = [each for each in allowed if each.name in names and each.write(query)]
    is_offline = kept.was_offline if kept and kept.is_replay else settings.offline
    if is_offline:
        message = "the instance opens no connections (BPW_OFFLINE)"
        offline = [SourceAnswer(each.name, "offline", message=message) for each in chosen]
        return LivePhase(evidence, tuple(offline))
    if not chosen:
        return LivePhase(evidence)
    end = time.monotonic() + min(SHARE_OF_ALLOWANCE * allowance_s, LONGEST_PHASE_S)

    def ask(source: LiveSource) -> SourceAnswer:
        site = open_site(
            settings,
            source.name,
            source.address,
            LONGEST_SOURCE_S,
            pause_s=source.pause_s,
            rates=rates,
            left=lambda: end - time.monotonic(),
            kept=kept,
        )
        return source.connect(site, today).search(query)

    with ThreadPoolExecutor(MOST_ASKED_AT_ONCE) as pool:
        answers = tuple(pool.map(ask, chosen))
    records = [parsed for answer in answers for parsed in answer.records]
    return LivePhase(with_live(evidence, records), answers)
