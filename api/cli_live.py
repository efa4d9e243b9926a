"""`python -m api live check`: whether live sources still answer as their readers expect."""

import argparse
import sys
from typing import Any

from api.cli_accounts import opened
from core.errors import InvalidInput
from core.evidence.sources.sync.sources import SYNCED, find_sources
from core.execution.live_checks import check_sources
from core.settings import Settings


def add_commands(commands: Any) -> None:
    """Add the parsers of `live`."""
    live = commands.add_parser("live", help="sources on the network").add_subparsers(required=True)
    checked = live.add_parser(
        "check", help="send one request to each source and compare the answer with its known form"
    )
    names = [source.name for source in SYNCED]
    checked.add_argument("--source", action="append", default=[], choices=names)
    checked.set_defaults(command=check)


def check(chosen: argparse.Namespace, settings: Settings) -> int:
    """Print one line a source; return 0 where all answer in their known form."""
    if settings.offline:
        raise InvalidInput("this instance opens no connections (BPW_OFFLINE)")
    outcomes = set()
    with opened(settings) as stores:
        for line in check_sources(find_sources(chosen.source), settings, stores.rates):
            sys.stdout.write("\t".join(filter(None, line)) + "\n")
            outcomes.add(line[1])
    return 0 if outcomes == {"same"} else 1
