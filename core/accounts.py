"""People and keys: what an administrator, and everybody for oneself, may do.

Pages, API and command line come through here, so that every change is allowed by one rule and
leaves one line in the audit log. To somebody who may not act, a foreign thing does not exist.

A restricted key never gains rights. With the scope `admin` it administers, but makes
no administrator, opens nobody's sign-in, and makes or rotates keys of its own account with its own
scopes or fewer.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from core.errors import InvalidInput, NotAuthenticated, NotFound
from core.ports import Stores
from core.records.runs import ADMIN, READ, ApiKey, Caller, Role, SignOn, User
from core.registry import all_agents

COMMAND_LINE = Caller(user_id=0, name="command line", role="admin")
"""Who acts with access to the instance folder itself."""


LONGEST_SUBJECT = 255
LINK = "/auth/password#token="
"""Where a one-time link leads; its token follows. What stands behind `#` is sent to no server."""


def require_admin(actor: Caller) -> None:
    """Let administrators pass.

    Raises:
        NotFound: For everybody else.
    """
    if not actor.is_admin:
        raise NotFound("there is nothing at this address")


def _require_unrestricted(actor: Caller) -> None:
    """Refuse to a restricted key what would give it more than it has.

    Raises:
        InvalidInput: `not_allowed`.
    """
    if actor.scopes:
        raise InvalidInput(
            "a restricted API key cannot do this; use a key without restrictions",
            code="not_allowed",
        )


def local_administrator(stores: Stores) -> Caller:
    """Return the administrator that the command line acts as when no key is given.

    Raises:
        NotFound: The instance has no administrator yet.
    """
    for user in stores.users.list():
        if user.role == "admin" and user.disabled_at is None:
            return Caller(user_id=user.user_id, name=user.name, role=user.role)
    raise NotFound("this instance has no administrator; run ./run setup first")


def invite(stores: Stores, actor: Caller, name: str, role: Role) -> tuple[User, str]:
    """Add an account that sets its own password.

    Args:
        stores: All stores.
        actor: An administrator.
        name: 3 to 64 of `a-z 0-9 . _ - @`; capitals and surrounding blanks do not matter.
        role: An `api-only` account holds keys and has no use for the link.

    Returns:
        The account, and the token of the link, shown once.

    Raises:
        InvalidInput: The name is taken or malformed.
    """
    require_admin(actor)
    if role == "admin":
        _require_unrestricted(actor)
    user, token = stores.users.invite(name.strip().lower(), role)
    stores.audit.add(actor.name, "user.invite", user.name, role)
    return user, token


def create_user(
    stores: Stores,
    actor: Caller,
    name: str,
    role: Role,
    password: str,
    *,
    is_generated: bool = False,
) -> User:
    """Add an account with a password; a generated one works for seven days.

    Raises:
        InvalidInput: The name or the password is refused.
    """
    require_admin(actor)
    user = stores.users.create(name, password, role, is_generated=is_generated)
    stores.audit.add(actor.name, "user.create", user.name, role)
    return user


def reset_password(
    stores: Stores, actor: Caller, user_id: int, *, is_revoking: bool = False
) -> str:
    """End an account's password and sessions; return the token of a link to a new one.

    Args:
        stores: All stores.
        actor: An administrator.
        user_id: The account.
        is_revoking: Whether its keys end, too: whoever had the password may have made some.

    Raises:
        InvalidInput: The account holds keys only.
    """
    require_admin(actor)
    _require_unrestricted(actor)
    user = stores.users.by_id(user_id)
    token = stores.users.reset(user_id)
    stores.audit.add(actor.name, "user.reset", user.name)
    if is_revoking:
        ended = stores.keys.revoke_all(user_id)
        stores.audit.add(actor.name, "key.revoke", user.name, f"all, {ended}")
    return token


def disable(stores: Stores, actor: Caller, user_id: int) -> None:
    """Shut an account: its sessions end, its keys stop working.

    Raises:
        InvalidInput: It is one's own, or that of the only administrator.
    """
    user = _other_account(stores, actor, user_id)
    stores.users.disable(user_id)
    stores.audit.add(actor.name, "user.disable", user.name)


def enable(stores: Stores, actor: Caller, user_id: int) -> None:
    """Open a disabled account again."""
    user = _other_account(stores, actor, user_id)
    stores.users.enable(user_id)
    stores.audit.add(actor.name, "user.enable", user.name)


def delete(stores: Stores, actor: Caller, user_id: int) -> None:
    """Delete a disabled account with its runs, files, lists, alerts and keys; the log stays.

    Raises:
        InvalidInput: It is one's own, is not disabled, or has runs in progress.
    """
    user = _other_account(stores, actor, user_id)
    stores.users.delete(user_id)
    stores.audit.add(actor.name, "user.delete", user.name)


def set_role(stores: Stores, actor: Caller, user_id: int, role: Role) -> None:
    """Give an account another role.

    Raises:
        InvalidInput: It is one's own, or that of the only administrator.
    """
    user = _other_account(stores, actor, user_id)
    if role == "admin":
        _require_unrestricted(actor)
    stores.users.set_role(user_id, role)
    stores.audit.add(actor.name, "user.role", user.name, f"{user.role} to {role}")


def set_quota(stores: Stores, actor: Caller, user_id: int, runs: int | None) -> None:
    """Give an account its own number of runs a month (None: the instance's)."""
    require_admin(actor)
    user = stores.users.by_id(user_id)
    stores.users.set_quota(user_id, runs)
    quota = "instance's" if runs is None else str(runs)
    stores.audit.add(actor.name, "user.quota", user.name, quota)


def end_all_sessions(stores: Stores, actor: Caller, user_id: int) -> int:
    """End every session of an account and return how many ended."""
    require_admin(actor)
    user = stores.users.by_id(user_id)
    ended = stores.users.end_sessions(user_id)
    stores.audit.add(actor.name, "session.end", user.name, f"all, {ended}")
    return ended


def change_password(stores: Stores, actor: Caller, old: str, new: str, token: str | None) -> None:
    """Change one's own password; every session but that of `token` ends.

    Raises:
        NotAuthenticated: The old password is wrong, or was tried too often.
        InvalidInput: The new password is refused.
    """
    stores.users.change_password(actor.user_id, old, new, token=token)
    stores.audit.add(actor.name, "password.change", actor.name)


def redeem_link(stores: Stores, token: str, password: str) -> User:
    """Set the password that a one-time link asks for.

    Raises:
        NotFound: The link does not work (any more).
        InvalidInput: The password is refused; the link still works.
    """
    user = stores.users.redeem_link(token, password)
    stores.audit.add(user.name, "password.set", user.name, "by one-time link")
    return user


def sign_on(stores: Stores, person: SignOn) -> User:
    """Return the account of a person at the identity provider, made at first sight.

    Raises:
        InvalidInput: The name is malformed or belongs to an account that is not linked.
        NotAuthenticated: The account cannot sign in.
    """
    try:
        user, former = stores.users.sign_on(person)
    except (InvalidInput, NotAuthenticated) as error:
        stores.audit.add("unknown", "signin_failed", person.name, f"single sign-on: {error.word}")
        if error.word == "name_taken":
            raise InvalidInput(
                f"an account named {person.name} exists; an administrator can link it with "
                f"`users link {person.name} {person.subject}`",
                code=error.word,
            ) from error
        raise
    if former is None:
        stores.audit.add(user.name, "user.create", user.name, f"{user.role}, by single sign-on")
    elif former != user.role:
        note = f"{former} to {user.role}, by groups of single sign-on"
        stores.audit.add(user.name, "user.role", user.name, note)
    return user


def link(stores: Stores, actor: Caller, user_id: int, issuer: str, subject: str) -> None:
    """Let a person at the identity provider sign in to an account.

    Raises:
        InvalidInput: The account or the person is linked already, or single sign-on is off.
    """
    require_admin(actor)
    _require_unrestricted(actor)
    if not issuer:
        raise InvalidInput("single sign-on is not set up (BPW_OIDC_ISSUER)")
    if not 0 < len(subject) <= LONGEST_SUBJECT:
        raise InvalidInput("a subject has 1 to 255 signs", field="subject")
    user = stores.users.by_id(user_id)
    stores.users.link(user_id, issuer.rstrip("/"), subject)
    stores.audit.add(actor.name, "user.link", user.name, subject)


def unlink(stores: Stores, actor: Caller, user_id: int) -> None:
    """End single sign-on of an account; a password, where it has one, still works.

    Raises:
        NotFound: The account is not linked.
    """
    require_admin(actor)
    user = stores.users.by_id(user_id)
    stores.users.unlink(user_id)
    stores.audit.add(actor.name, "user.unlink", user.name)


def confirm_factor(stores: Stores, token: str, code: str) -> Sequence[str]:
    """Turn a second factor on with its first code; return the recovery codes, shown once.

    Raises:
        NotFound: The set-up has expired.
        NotAuthenticated: The code is wrong or was tried too often.
        InvalidInput: The account has a second factor.
    """
    codes = stores.factors.confirm(token, code)
    name = stores.factors.find_offer(token).name
    stores.audit.add(name, "factor.on", name)
    return codes


def remove_factor(stores: Stores, actor: Caller, user_id: int) -> None:
    """Turn off a second factor: one's own, or as an administrator that of somebody else."""
    _require_unrestricted(actor)
    if user_id != actor.user_id:
        require_admin(actor)
    user = stores.users.by_id(user_id)
    if stores.factors.remove(user_id):
        stores.audit.add(actor.name, "factor.off", user.name)


def end_session(stores: Stores, actor: Caller, session_id: int, password: str) -> None:
    """End one of one's own sessions.

    Raises:
        InvalidInput: There is no password.
        NotAuthenticated: The password is wrong, or was tried too often.
        NotFound: There is no such session.
    """
    _confirm(stores, actor, password)
    stores.users.end_session(actor.user_id, session_id)
    stores.audit.add(actor.name, "session.end", actor.name)


def end_other_sessions(stores: Stores, actor: Caller, token: str | None, password: str) -> int:
    """End one's own sessions but that of `token`; return how many ended.

    Raises:
        InvalidInput: There is no password.
        NotAuthenticated: The password is wrong, or was tried too often.
    """
    _confirm(stores, actor, password)
    ended = stores.users.end_sessions(actor.user_id, but=token)
    stores.audit.add(actor.name, "session.end", actor.name, f"others, {ended}")
    return ended


def _confirm(stores: Stores, actor: Caller, password: str) -> None:
    """Check the password again; accounts of single sign-on have none."""
    if stores.users.by_id(actor.user_id).password_set_at is not None:
        if not password:
            raise InvalidInput("enter your current password first", field="password")
        stores.users.confirm_password(actor.user_id, password)


def create_key(
    stores: Stores,
    actor: Caller,
    name: str,
    *,
    owner: User | None = None,
    scopes: Sequence[str] = (),
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """Make a key; the second value is the key itself, shown once.

    Args:
        stores: All stores.
        actor: Who makes it.
        name: What will use the key.
        owner: Whose key, made by an administrator; the actor's own when left out.
        scopes: Agents that it may run, `read` to read all runs, `admin` to administer; none means
            everything.
        expires_at: When it stops working.

    Raises:
        InvalidInput: An unknown agent, an empty name, an expiry in the past, or more than the key
            that makes it has.
    """
    if owner is not None and owner.user_id != actor.user_id:
        require_admin(actor)
    agents = all_agents()
    for scope in scopes:
        if scope not in agents and scope not in (READ, ADMIN):
            raise InvalidInput(
                f"there is no agent {scope!r}; known: {', '.join([READ, ADMIN, *agents])}",
                field="scopes",
            )
    if ADMIN in scopes and (owner or actor).role != "admin":
        raise InvalidInput("only administrators have keys with the right admin", field="scopes")
    owner_id = owner.user_id if owner else actor.user_id
    _check_reach(actor, owner_id, scopes)
    ends = stores.keys.get(actor.key_id).expires_at if actor.key_id is not None else None
    if ends is not None and (expires_at is None or expires_at > ends):
        raise InvalidInput(
            f"the key that makes it expires at {ends:%Y-%m-%d %H:%M} UTC; its keys cannot last "
            "longer",
            field="days",
            code="not_allowed",
        )
    made, key = stores.keys.create(owner_id, name, scopes=scopes, expires_at=expires_at)
    stores.audit.add(actor.name, "key.create", shown(made), f"{made.name}, of {made.owner}")
    return made, key


def rotate_key(stores: Stores, actor: Caller, key_id: int, grace: timedelta) -> tuple[ApiKey, str]:
    """Make a key's successor; the old key works until the grace is over.

    Raises:
        NotFound: There is none, or it belongs to somebody else.
        InvalidInput: The key has ended or was rotated already, or the grace is too long.
    """
    old = stores.keys.get(key_id, owner_id=_reach(actor))
    _check_reach(actor, old.owner_id, old.scopes)
    if actor.key_id not in (None, key_id) and stores.keys.get(actor.key_id or 0).expires_at:
        raise InvalidInput("a key that expires rotates itself alone", code="not_allowed")
    made, key = stores.keys.rotate(key_id, grace=grace, owner_id=_reach(actor))
    note = f"{old.name}, of {old.owner}, into {shown(made)}, grace {grace}"
    stores.audit.add(actor.name, "key.rotate", shown(old), note)
    return made, key


def revoke_key(stores: Stores, actor: Caller, key_id: int) -> None:
    """Revoke a key.

    Raises:
        NotFound: There is none, or it belongs to somebody else.
    """
    key = stores.keys.get(key_id, owner_id=_reach(actor))
    stores.keys.revoke(key_id, owner_id=_reach(actor))
    stores.audit.add(actor.name, "key.revoke", shown(key), f"{key.name}, of {key.owner}")


def shown(key: ApiKey) -> str:
    """Return a key as it may be shown."""
    return f"{key.prefix}…{key.last4}"


def _reach(actor: Caller) -> int | None:
    """Return whose keys an actor may touch; None means everybody's."""
    return None if actor.is_admin else actor.user_id


def _check_reach(actor: Caller, owner_id: int, scopes: Sequence[str]) -> None:
    """Refuse to a restricted key the secret of a key that reaches further.

    Raises:
        InvalidInput: `not_allowed`.
    """
    is_narrower = bool(scopes) and set(scopes) <= set(actor.scopes)
    if actor.scopes and not (owner_id == actor.user_id and is_narrower):
        raise InvalidInput(
            "a restricted API key makes keys of its own account with its own rights or fewer",
            field="scopes",
            code="not_allowed",
        )


def _other_account(stores: Stores, actor: Caller, user_id: int) -> User:
    require_admin(actor)
    if user_id == actor.user_id:
        raise InvalidInput("ask another administrator to change your own account")
    return stores.users.by_id(user_id)
