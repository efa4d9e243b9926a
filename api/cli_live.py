"""`python -m api live check`: whether live sources still answer as their readers expect."""

import argparse
import sys
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from api.cli_accounts import opened
from core.errors import InvalidInput
from core.evidence.sources.sync.sources import SYNCED, find_sources
from core.execution.live_checks import CONNECTED, PATENTS, check_connectors, check_sources
from core.settings import Settings


def add_commands(commands: Any) -> None:
    """Add the parsers of `live`."""
    live = commands.add_parser("live", help="sources on the network").add_subparsers(required=True)
    checked = live.add_parser(
        "check", help="send one request to each source and compare the answer with its known form"
    )
    names = [*(source.name for source in SYNCED), *CONNECTED]
    checked.add_argument("--source", action="append", default=[], choices=names)
    checked.set_defaults(command=check)


def check(chosen: argparse.Namespace, settings: Settings) -> int:
    """Print one line a source; return 0 where all answer in their known form.

    Without names, these are the sources of a sync and those that the instance may ask in a run.
    """
    if settings.offline:
        raise InvalidInput("this instance opens no connections (BPW_OFFLINE)")
    outcomes = set()
    synced = [name for name in chosen.source if name not in CONNECTED]
    allowed = [*settings.live_sources, *(PATENTS if settings.live_patents else ())]
    connected = [name for name in CONNECTED if name in (chosen.source or allowed)]
    sources = find_sources(synced) if synced or not chosen.source else []
    today = datetime.now(UTC).date()
    with opened(settings) as stores:
        for line in chain(
            check_sources(sources, settings, stores.rates),
            check_connectors(connected, settings, stores.rates, today),
        ):
            sys.stdout.write("\t".join(filter(None, line)) + "\n")
            outcomes.add(line[1])
    return 0 if outcomes == {"same"} else 1
