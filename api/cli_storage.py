"""`python -m api db|backup|restore`: the schema, what is kept, and copies of an instance."""

import argparse
from typing import Any

from api.cli_accounts import opened
from core.settings import Settings


def add_commands(commands: Any) -> None:
    """Add the parsers of `db`."""
    database = commands.add_parser("db", help="the database").add_subparsers(required=True)
    database.add_parser("upgrade", help="bring the schema up to date").set_defaults(command=upgrade)


def upgrade(chosen: argparse.Namespace, settings: Settings) -> int:
    """Bring the schema up to date."""
    with opened(settings):
        return 0
