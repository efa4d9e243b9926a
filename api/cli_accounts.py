"""`python -m api keys|users|setup`: accounts, keys and the instance folder."""

import argparse
import getpass
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from api.startup import FIRST_PASSWORD, make_password, open_stores, set_up_aloud
from core import accounts
from core.accounts import COMMAND_LINE
from core.evidence.preparing import is_prepared, prepare_evidence
from core.ports import Stores
from core.records.runs import Role
from core.settings import Settings

MOST_DAYS = 36_500


def read_days(text: str) -> int:
    """Return a number of days for `--days`; 0 would be a key that ends at once or never."""
    is_short = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_DAYS))
    if not (is_short and 1 <= int(text) <= MOST_DAYS):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {MOST_DAYS}")
    return int(text)


def add_commands(commands: Any) -> None:
    """Add the parsers of `keys` and `users`."""
    add_key_commands(commands.add_parser("keys", help="API keys").add_subparsers(required=True))
    add_user_commands(commands.add_parser("users", help="accounts").add_subparsers(required=True))


def add_key_commands(keys: Any) -> None:
    """Add `keys create|list|rotate|revoke`."""
    create = keys.add_parser("create", help="make a key; it is printed once, alone")
    create.add_argument("--name", required=True, help="what the key is for")
    create.add_argument("--user", help="whose key (default: the administrator)")
    create.add_argument(
        "--agent",
        action="append",
        default=[],
        help="allow this agent only; `read`: read all runs; `admin`: administer the instance",
    )
    create.add_argument("--days", type=read_days, help=f"days until it expires, 1 to {MOST_DAYS}")
    create.set_defaults(command=create_key)
    listed = keys.add_parser("list", help="show all keys")
    listed.add_argument("--user", help="keys of this account only")
    listed.set_defaults(command=list_keys)
    rotate = keys.add_parser("rotate", help="make a key's successor; it is printed once, alone")
    rotate.add_argument("key_id", type=int, help="see `keys list`")
    rotate.add_argument(
        "--grace-hours", type=float, default=24, help="the old key still works so long (24)"
    )
    rotate.set_defaults(command=rotate_key)
    revoke = keys.add_parser("revoke", help="end a key")
    revoke.add_argument("key_id", type=int, help="see `keys list`")
    revoke.set_defaults(command=revoke_key)


def add_user_commands(users: Any) -> None:
    """Add `users create|invite|list|disable|enable|delete|reset|remove-factor|link|unlink`."""
    create = users.add_parser(
        "create", help="add an account; a password is generated unless --ask is given"
    )
    create.add_argument("--name", required=True)
    create.add_argument("--role", choices=get_args(Role), default="analyst")
    create.add_argument("--ask", action="store_true", help="ask for the password")
    create.set_defaults(command=create_user)
    invite = users.add_parser("invite", help="add an account; print the link that sets a password")
    invite.add_argument("--name", required=True)
    invite.add_argument("--role", choices=["admin", "analyst"], default="analyst")
    invite.set_defaults(command=invite_user)
    users.add_parser("list", help="show all accounts").set_defaults(command=list_users)
    for name, text, act in (
        ("disable", "shut an account: its sessions end, its keys stop working", accounts.disable),
        ("enable", "open a disabled account again", accounts.enable),
        ("delete", "delete a disabled account with its runs, files and lists", accounts.delete),
        ("remove-factor", "turn off two-factor authentication", accounts.remove_factor),
        ("unlink", "end single sign-on of an account; its password works", accounts.unlink),
    ):
        parser = users.add_parser(name, help=text)
        parser.add_argument("name")
        parser.set_defaults(command=change_user, act=act)
    reset = users.add_parser("reset", help="end a password; print the link that sets a new one")
    reset.add_argument("name")
    reset.add_argument("--revoke-keys", action="store_true", help="end its keys, too")
    reset.set_defaults(command=reset_user)
    link = users.add_parser(
        "link", help="let a person at the identity provider sign in to an account"
    )
    link.add_argument("name")
    link.add_argument("subject", help="the person's `sub` at the provider")
    link.set_defaults(command=link_user)


@contextmanager
def opened(settings: Settings) -> Iterator[Stores]:
    """Open the stores with the newest schema and close them at the end."""
    stores = open_stores(settings)
    try:
        stores.engine.upgrade()
        yield stores
    finally:
        stores.engine.close()


def create_key(chosen: argparse.Namespace, settings: Settings) -> None:
    """Make a key and print it alone."""
    ends = datetime.now(UTC) + timedelta(days=chosen.days) if chosen.days else None
    set_up_aloud(settings, sys.stderr)
    with opened(settings) as stores:
        name = chosen.user or accounts.local_administrator(stores).name
        owner = stores.users.by_name(name)
        _, key = accounts.create_key(
            stores, COMMAND_LINE, chosen.name, owner=owner, scopes=chosen.agent, expires_at=ends
        )
    sys.stdout.write(f"{key}\n")


def list_keys(chosen: argparse.Namespace, settings: Settings) -> None:
    """Print every key's id, owner, name, ends, state, agents and last use."""
    with opened(settings) as stores:
        owner_id = stores.users.by_name(chosen.user).user_id if chosen.user else None
        for key in stores.keys.list(owner_id):
            ends = key.expires_at.date().isoformat() if key.expires_at else "never"
            used = f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never"
            row = (
                str(key.key_id),
                key.owner,
                key.name,
                accounts.shown(key),
                f"expires {ends}",
                key.state(datetime.now(UTC)),
                ",".join(key.scopes) or "all agents",
                f"used {used}",
            )
            sys.stdout.write("\t".join(row) + "\n")


def rotate_key(chosen: argparse.Namespace, settings: Settings) -> None:
    """Make a key's successor and print it alone."""
    with opened(settings) as stores:
        grace = timedelta(hours=chosen.grace_hours)
        _, key = accounts.rotate_key(stores, COMMAND_LINE, chosen.key_id, grace)
    sys.stdout.write(f"{key}\n")


def revoke_key(chosen: argparse.Namespace, settings: Settings) -> None:
    """End a key."""
    with opened(settings) as stores:
        accounts.revoke_key(stores, COMMAND_LINE, chosen.key_id)


def create_user(chosen: argparse.Namespace, settings: Settings) -> None:
    """Add an account and print the password that was made for it."""
    password = getpass.getpass("password: ") if chosen.ask else make_password()
    with opened(settings) as stores:
        user = accounts.create_user(
            stores, COMMAND_LINE, chosen.name, chosen.role, password, is_generated=not chosen.ask
        )
    if not chosen.ask:
        sys.stdout.write(f"{user.role}: {user.name}  password: {password}\n")
        sys.stderr.write(FIRST_PASSWORD if user.role != "api-only" else "")


def invite_user(chosen: argparse.Namespace, settings: Settings) -> None:
    """Add an account and print the link with which it sets its password."""
    with opened(settings) as stores:
        _, token = accounts.invite(stores, COMMAND_LINE, chosen.name, chosen.role)
    sys.stdout.write(f"{link_address(settings, token)}\n")


def list_users(chosen: argparse.Namespace, settings: Settings) -> None:
    """Print every account."""
    with opened(settings) as stores:
        for user in stores.users.list():
            sys.stdout.write(f"{user.user_id}\t{user.name}\t{user.role}\t{user.state}\n")


def change_user(chosen: argparse.Namespace, settings: Settings) -> None:
    """Do to an account what the command's name says."""
    with opened(settings) as stores:
        chosen.act(stores, COMMAND_LINE, stores.users.by_name(chosen.name).user_id)


def reset_user(chosen: argparse.Namespace, settings: Settings) -> None:
    """End an account's password and print the link with which it sets a new one."""
    with opened(settings) as stores:
        user = stores.users.by_name(chosen.name)
        token = accounts.reset_password(
            stores, COMMAND_LINE, user.user_id, is_revoking=chosen.revoke_keys
        )
    sys.stdout.write(f"{link_address(settings, token)}\n")


def link_user(chosen: argparse.Namespace, settings: Settings) -> None:
    """Link an account with a person at the identity provider."""
    with opened(settings) as stores:
        user = stores.users.by_name(chosen.name)
        issuer = settings.oidc_issuer or ""
        accounts.link(stores, COMMAND_LINE, user.user_id, issuer, chosen.subject)


def link_address(settings: Settings, token: str) -> str:
    """Return the address of a one-time link: as people reach the instance, else as it is served."""
    if settings.public_url:
        return f"{settings.public_url.rstrip('/')}{accounts.LINK}{token}"
    if settings.secure_cookie and settings.allowed_hosts:
        return f"https://{settings.allowed_hosts[0]}{accounts.LINK}{token}"
    from api.connections import served_address

    served = served_address(settings) or f"{settings.host}:{settings.port}"
    return f"http://{served}{accounts.LINK}{token}"


def set_up_instance(chosen: argparse.Namespace, settings: Settings) -> None:
    """Prepare the instance folder and print the administrator of a new one, once."""
    if set_up_aloud(settings, sys.stdout):
        sys.stderr.write(FIRST_PASSWORD)
    if chosen.evidence:
        with opened(settings) as stores:
            now = datetime.now(UTC)
            stores.sharing.join()
            stores.sharing.follow(is_strict=True)
            if not is_prepared(stores, now):
                with stores.sharing.writing():
                    prepare_evidence(stores, now, announce_step)


def announce_step(words: str) -> None:
    """Write one line of progress."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {words}\n")
    sys.stderr.flush()
