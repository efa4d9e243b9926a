"""`python -m api keys|users|db|setup`: accounts, keys and the instance folder."""

import argparse
import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from api.startup import make_password, open_stores, set_up_aloud
from core.errors import NotFound
from core.ports import Stores
from core.records.runs import User
from core.settings import Settings

MOST_DAYS = 36_500


def read_days(text: str) -> int:
    """Return a number of days for `--days`; 0 would be a key that ends at once or never."""
    is_short = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_DAYS))
    if not (is_short and 1 <= int(text) <= MOST_DAYS):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {MOST_DAYS}")
    return int(text)


def add_commands(commands: Any) -> None:
    """Add the parsers of `keys`, `users` and `db`."""
    keys = commands.add_parser("keys", help="API keys").add_subparsers(required=True)
    create = keys.add_parser("create", help="make a key; it is printed once, alone")
    create.add_argument("--name", required=True, help="what the key is for")
    create.add_argument("--user", help="whose key (default: the administrator)")
    create.add_argument("--agent", action="append", default=[], help="allow this agent only")
    create.add_argument("--days", type=read_days, help=f"days until it expires, 1 to {MOST_DAYS}")
    create.set_defaults(command=create_key)
    keys.add_parser("list", help="show all keys").set_defaults(command=list_keys)
    revoke = keys.add_parser("revoke", help="end a key")
    revoke.add_argument("key_id", type=int)
    revoke.set_defaults(command=revoke_key)
    users = commands.add_parser("users", help="accounts").add_subparsers(required=True)
    user = users.add_parser("create", help="add an account; a password is made unless asked for")
    user.add_argument("--name", required=True)
    user.add_argument("--role", choices=["admin", "analyst", "api-only"], default="analyst")
    user.add_argument("--ask", action="store_true", help="ask for the password")
    user.set_defaults(command=create_user)
    users.add_parser("list", help="show all accounts").set_defaults(command=list_users)
    database = commands.add_parser("db", help="the database").add_subparsers(required=True)
    database.add_parser("upgrade", help="bring the schema up to date").set_defaults(command=upgrade)


@contextmanager
def opened(settings: Settings) -> Iterator[Stores]:
    """Open the stores with the newest schema and close them at the end."""
    stores = open_stores(settings)
    try:
        stores.engine.upgrade()
        yield stores
    finally:
        stores.engine.close()


def find_user(stores: Stores, name: str | None) -> User:
    """Return the named account, or the first administrator.

    Raises:
        NotFound: There is none.
    """
    if name is not None:
        return stores.users.by_name(name)
    for user in stores.users.list():
        if user.role == "admin" and user.disabled_at is None:
            return user
    raise NotFound("this instance has no administrator; run ./run setup first")


def create_key(chosen: argparse.Namespace, settings: Settings) -> int:
    """Make a key and print it alone."""
    ends = datetime.now(UTC) + timedelta(days=chosen.days) if chosen.days else None
    set_up_aloud(settings, sys.stderr)
    with opened(settings) as stores:
        owner = find_user(stores, chosen.user)
        made, key = stores.keys.create(
            owner.user_id, chosen.name, scopes=chosen.agent, expires_at=ends
        )
        stores.audit.add(owner.name, "key created", f"{made.prefix}…{made.last4}", made.name)
    sys.stdout.write(f"{key}\n")
    return 0


def list_keys(chosen: argparse.Namespace, settings: Settings) -> int:
    """Print every key's id, owner, name, ends and state."""
    with opened(settings) as stores:
        for key in stores.keys.list():
            state = "revoked" if key.revoked_at else "active"
            ends = key.expires_at.date().isoformat() if key.expires_at else "never"
            shown = f"{key.prefix}…{key.last4}"
            row = (str(key.key_id), key.owner, key.name, shown, f"expires {ends}", state)
            sys.stdout.write("\t".join(row) + "\n")
    return 0


def revoke_key(chosen: argparse.Namespace, settings: Settings) -> int:
    """End a key."""
    with opened(settings) as stores:
        stores.keys.revoke(chosen.key_id)
        stores.audit.add("command line", "key revoked", str(chosen.key_id))
    return 0


def create_user(chosen: argparse.Namespace, settings: Settings) -> int:
    """Add an account and print the password that was made for it."""
    password = getpass.getpass("password: ") if chosen.ask else make_password()
    with opened(settings) as stores:
        user = stores.users.create(chosen.name, password, chosen.role)
        stores.audit.add("command line", "user created", user.name, user.role)
    if not chosen.ask:
        sys.stdout.write(f"{user.role}: {user.name}  password: {password}\n")
    return 0


def list_users(chosen: argparse.Namespace, settings: Settings) -> int:
    """Print every account."""
    with opened(settings) as stores:
        for user in stores.users.list():
            state = "disabled" if user.disabled_at else "active"
            sys.stdout.write(f"{user.user_id}\t{user.name}\t{user.role}\t{state}\n")
    return 0


def upgrade(chosen: argparse.Namespace, settings: Settings) -> int:
    """Bring the schema up to date."""
    with opened(settings):
        return 0


def set_up_instance(chosen: argparse.Namespace, settings: Settings) -> int:
    """Prepare the instance folder and print the administrator of a new one, once."""
    set_up_aloud(settings, sys.stdout)
    return 0
