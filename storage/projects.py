"""Projects; every statement begins with the caller's membership.

Writers lock the project's row first, so that two at once see each other on PostgreSQL, too.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from sqlalchemy import func
from sqlmodel import Session, col, select

from core.errors import ChangedMeanwhile, InvalidInput, NotFound
from core.records.projects import (
    ROLES,
    BlockComment,
    BlockContent,
    Project,
    ProjectBlock,
    ProjectLine,
    ProjectRole,
)
from storage.base import DatedStore
from storage.columns import record_of
from storage.tables import BlockRow, CommentRow, ProjectMemberRow, ProjectRow, UserRow

MOST_PROJECTS = 200
"""Projects of one person."""
MOST_BLOCKS = 100
MOST_MEMBERS = 50
MOST_COMMENTS = 200
"""Comments on one block."""
LONGEST_NAME = 120
LONGEST_COMMENT = 4_000
LARGEST_BLOCK = 2_000_000
"""Bytes of a block's content as JSON."""
_EDITS: frozenset[ProjectRole] = frozenset({"owner", "editor"})
_OWNS: frozenset[ProjectRole] = frozenset({"owner"})
_READS: frozenset[ProjectRole] = frozenset(ROLES)


class ProjectStore(DatedStore):
    """The projects of all people (core.project_ports.Projects)."""

    def of(self, user_id: int) -> Sequence[ProjectLine]:
        """Return the projects of which a person is a member, those changed last first."""
        query = (
            select(ProjectRow, ProjectMemberRow.role, func.count(col(BlockRow.id)))
            .join(ProjectMemberRow, col(ProjectMemberRow.project_id) == ProjectRow.id)
            .outerjoin(BlockRow, col(BlockRow.project_id) == ProjectRow.id)
            .where(col(ProjectMemberRow.user_id) == user_id)
            .group_by(col(ProjectRow.id), col(ProjectMemberRow.role))
        )
        with self._database.read() as session:
            rows = session.exec(query).all()
        lines = [
            record_of(row, ProjectLine, project_id=row.id, role=_role(role), n_blocks=n_blocks)
            for row, role, n_blocks in rows
        ]
        return sorted(lines, key=lambda line: (line.updated_at, line.project_id), reverse=True)

    def make(self, user_id: int, name: str) -> Project:
        """Make an empty project, owned by its maker.

        Raises:
            InvalidInput: The name is blank or too long, or there are too many projects.
        """
        text = _check_text(name, "name", LONGEST_NAME)
        with self._database.write() as session:
            user = session.exec(
                select(UserRow).where(col(UserRow.id) == user_id).with_for_update()
            ).one()
            count = select(func.count()).where(col(ProjectMemberRow.user_id) == user.id)
            if session.exec(count).one() >= MOST_PROJECTS:
                raise InvalidInput(
                    f"you are a member of {MOST_PROJECTS} projects, the most that are possible; "
                    "delete or leave one first",
                    field="name",
                )
            now = self._now()
            row = ProjectRow(name=text, created_at=now, updated_at=now)
            session.add(row)
            session.flush()
            session.add(ProjectMemberRow(user_id=user_id, project_id=row.id or 0, role="owner"))
            session.flush()
            return _read(session, row, "owner")

    def get(self, user_id: int, project_id: int) -> Project:
        """Return a project with its blocks and comments.

        Raises:
            NotFound: There is none, or the person is not a member.
        """
        with self._database.read() as session:
            row, role = _find(session, user_id, project_id, _READS)
            return _read(session, row, role)

    def rename(self, user_id: int, project_id: int, name: str) -> Project:
        """Rename a project; owners only.

        Raises:
            NotFound: The person is not a member.
            InvalidInput: The name is blank or too long, or the person is not an owner.
        """
        text = _check_text(name, "name", LONGEST_NAME)
        with self._database.write() as session:
            row, role = self._lock(session, user_id, project_id, _OWNS)
            row.name = text
            return _read(session, row, role)

    def delete(self, user_id: int, project_id: int) -> None:
        """Delete a project with all its blocks; owners only.

        Raises:
            NotFound: The person is not a member.
            InvalidInput: The person is not an owner.
        """
        with self._database.write(essential=True) as session:
            row, _ = self._lock(session, user_id, project_id, _OWNS)
            session.delete(row)

    def share(self, user_id: int, project_id: int, name: str, role: ProjectRole | None) -> Project:
        """Give a person a role, or take it away with None.

        Raises:
            NotFound: The caller is not a member.
            InvalidInput: The caller is not an owner (everybody may leave), there is no such
                person, no owner would be left, or there are too many members.
        """
        with self._database.write() as session:
            person = session.exec(select(UserRow).where(col(UserRow.name) == name)).first()
            leaves = person is not None and person.id == user_id and role is None
            row, role_of_caller = self._lock(
                session, user_id, project_id, _READS if leaves else _OWNS
            )
            if person is None or (role is not None and person.disabled_at is not None):
                raise InvalidInput(f"nobody here is called {name!r}", field="name")
            members = _members(session, project_id)
            member_row = next((member for member in members if member.user_id == person.id), None)
            others = [
                member for member in members if member is not member_row and member.role == "owner"
            ]
            if (
                member_row is not None
                and member_row.role == "owner"
                and role != "owner"
                and not others
            ):
                raise InvalidInput(
                    "a project needs an owner; make somebody else an owner first", field="role"
                )
            if role is None and member_row is not None:
                session.delete(member_row)
            elif member_row is not None and role is not None:
                member_row.role = role
            elif role is not None:
                if len(members) >= MOST_MEMBERS:
                    raise InvalidInput(f"a project has at most {MOST_MEMBERS} members")
                session.add(
                    ProjectMemberRow(user_id=person.id or 0, project_id=project_id, role=role)
                )
            session.flush()
            return _read(
                session, row, role or role_of_caller if person.id == user_id else role_of_caller
            )

    def add(self, user_id: int, project_id: int, content: BlockContent) -> Project:
        """Add a block at the end.

        Raises:
            NotFound: The person is not a member.
            InvalidInput: The person may only read, or the project or the block is too large.
        """
        text = _dump(content)
        with self._database.write() as session:
            row, role = self._lock(session, user_id, project_id, _EDITS)
            blocks = _blocks(session, project_id)
            if len(blocks) >= MOST_BLOCKS:
                raise InvalidInput(
                    f"a project has at most {MOST_BLOCKS} blocks; delete one or start another"
                )
            last = max((block.position for block in blocks), default=0)
            session.add(
                BlockRow(
                    project_id=project_id,
                    position=last + 1,
                    author=_name(session, user_id),
                    content=text,
                    updated_at=self._now(),
                )
            )
            session.flush()
            return _read(session, row, role)

    def edit(
        self, user_id: int, project_id: int, block_id: int, content: BlockContent, version: int
    ) -> Project:
        """Replace the content of the version that was read.

        Raises:
            NotFound: The person is not a member, or there is no such block.
            ChangedMeanwhile: Somebody else has saved a newer version; nothing is saved.
            InvalidInput: The person may only read, or the block is too large.
        """
        text = _dump(content)
        with self._database.write() as session:
            row, role = self._lock(session, user_id, project_id, _EDITS)
            block = _block(session, project_id, block_id)
            if block.version != version:
                raise ChangedMeanwhile(
                    f"{block.author} has saved a newer version of this block; compare both and "
                    "save again"
                )
            block.content, block.version = text, version + 1
            block.author, block.updated_at = _name(session, user_id), self._now()
            session.flush()
            return _read(session, row, role)

    def move(self, user_id: int, project_id: int, block_id: int, by: int) -> Project:
        """Move a block up (negative) or down by some places; at an end it stays there.

        Raises:
            NotFound: The person is not a member, or there is no such block.
            InvalidInput: The person may only read.
        """
        with self._database.write() as session:
            row, role = self._lock(session, user_id, project_id, _EDITS)
            block, blocks = _block(session, project_id, block_id), _blocks(session, project_id)
            index = blocks.index(block)
            blocks.insert(max(0, min(len(blocks) - 1, index + by)), blocks.pop(index))
            for position, block_row in enumerate(blocks, start=1):
                block_row.position = position
            session.flush()
            return _read(session, row, role)

    def remove(self, user_id: int, project_id: int, block_id: int) -> Project:
        """Delete a block with its comments.

        Raises:
            NotFound: The person is not a member, or there is no such block.
            InvalidInput: The person may only read.
        """
        with self._database.write(essential=True) as session:
            row, role = self._lock(session, user_id, project_id, _EDITS)
            session.delete(_block(session, project_id, block_id))
            session.flush()
            return _read(session, row, role)

    def comment(self, user_id: int, project_id: int, block_id: int, text: str) -> Project:
        """Add a comment to a block.

        Raises:
            NotFound: The person is not a member, or there is no such block.
            InvalidInput: The text is blank or too long, or there are too many comments.
        """
        cleaned = _check_text(text, "text", LONGEST_COMMENT)
        with self._database.write() as session:
            row, role = self._lock(session, user_id, project_id, _READS)
            block = _block(session, project_id, block_id)
            count = select(func.count()).where(col(CommentRow.block_id) == block.id)
            if session.exec(count).one() >= MOST_COMMENTS:
                raise InvalidInput(f"a block has at most {MOST_COMMENTS} comments", field="text")
            author = _name(session, user_id)
            comment = CommentRow(block_id=block_id, user_id=user_id, author=author, text=cleaned)
            comment.created_at = self._now()
            session.add(comment)
            session.flush()
            return _read(session, row, role)

    def uncomment(self, user_id: int, project_id: int, comment_id: int) -> Project:
        """Delete a comment of one's own; owners delete any.

        Raises:
            NotFound: The person is not a member, or there is no such comment.
            InvalidInput: It is somebody else's.
        """
        with self._database.write(essential=True) as session:
            row, role = self._lock(session, user_id, project_id, _READS)
            comment = session.get(CommentRow, comment_id)
            if comment is None:
                raise NotFound("Comment not found")
            _block(session, project_id, comment.block_id)
            if role != "owner" and comment.user_id != user_id:
                _refuse(role)
            session.delete(comment)
            session.flush()
            return _read(session, row, role)

    def _lock(
        self, session: Session, user_id: int, project_id: int, roles: frozenset[ProjectRole]
    ) -> tuple[ProjectRow, ProjectRole]:
        """Return a locked project and the caller's role, and note that it changes."""
        query = select(ProjectRow).where(col(ProjectRow.id) == project_id).with_for_update()
        session.exec(query).first()
        row, role = _find(session, user_id, project_id, roles)
        row.updated_at = self._now()
        return row, role


def leave_projects(session: Session, user_id: int) -> None:
    """Take an account out of its projects: one without anybody goes, one without an owner gets one.

    Args:
        session: An open write transaction.
        user_id: The account.
    """
    memberships = select(ProjectMemberRow).where(col(ProjectMemberRow.user_id) == user_id)
    for membership in session.exec(memberships).all():
        project = session.get_one(ProjectRow, membership.project_id, with_for_update=True)
        members = _members(session, membership.project_id)
        others = [member for member in members if member is not membership]
        if others:
            heir = min(others, key=partial(_rank, session))
            heir.role = "owner"
            session.delete(membership)
        else:
            session.delete(project)
    session.flush()


def _rank(session: Session, member: ProjectMemberRow) -> tuple[bool, int, int | None]:
    """Return what orders heirs of a project: whoever can act, then by role."""
    is_disabled = session.get_one(UserRow, member.user_id).disabled_at is not None
    return is_disabled, ROLES.index(_role(member.role)), member.id


def _find(
    session: Session, user_id: int, project_id: int, roles: frozenset[ProjectRole]
) -> tuple[ProjectRow, ProjectRole]:
    query = (
        select(ProjectRow, ProjectMemberRow.role)
        .join(ProjectMemberRow, col(ProjectMemberRow.project_id) == ProjectRow.id)
        .where(col(ProjectRow.id) == project_id, col(ProjectMemberRow.user_id) == user_id)
    )
    match = session.exec(query).first()
    if match is None:
        raise NotFound("Project not found")
    row, role = match[0], _role(match[1])
    if role not in roles:
        _refuse(role)
    return row, role


def _refuse(role: ProjectRole) -> NoReturn:
    raise InvalidInput(
        f"your role in this project is {role}, which does not allow this; ask an owner",
        code="not_allowed",
    )


def _role(text: str) -> ProjectRole:
    return next(role for role in ROLES if role == text)


def _members(session: Session, project_id: int) -> Sequence[ProjectMemberRow]:
    query = select(ProjectMemberRow).where(col(ProjectMemberRow.project_id) == project_id)
    return session.exec(query).all()


def _blocks(session: Session, project_id: int) -> list[BlockRow]:
    query = (
        select(BlockRow)
        .where(col(BlockRow.project_id) == project_id)
        .order_by(col(BlockRow.position), col(BlockRow.id))
    )
    return list(session.exec(query))


def _block(session: Session, project_id: int, block_id: int) -> BlockRow:
    query = select(BlockRow).where(
        col(BlockRow.id) == block_id, col(BlockRow.project_id) == project_id
    )
    row = session.exec(query).first()
    if row is None:
        raise NotFound("Block not found")
    return row


def _name(session: Session, user_id: int) -> str:
    return session.exec(select(UserRow.name).where(col(UserRow.id) == user_id)).one()


def _read(session: Session, row: ProjectRow, role: ProjectRole) -> Project:
    project_id = row.id or 0
    blocks = _blocks(session, project_id)
    comments = defaultdict(list)
    query = (
        select(CommentRow)
        .where(col(CommentRow.block_id).in_([block.id for block in blocks]))
        .order_by(col(CommentRow.id))
    )
    for comment in session.exec(query):
        comments[comment.block_id].append(record_of(comment, BlockComment, comment_id=comment.id))
    members = session.exec(
        select(UserRow.name, ProjectMemberRow.role)
        .join(ProjectMemberRow, col(ProjectMemberRow.user_id) == UserRow.id)
        .where(col(ProjectMemberRow.project_id) == project_id)
    ).all()
    return record_of(
        row,
        Project,
        project_id=project_id,
        role=role,
        n_blocks=len(blocks),
        members=tuple(
            sorted(
                ((name, _role(role)) for name, role in members),
                key=lambda pair: (ROLES.index(pair[1]), pair[0]),
            )
        ),
        blocks=tuple(
            record_of(
                block,
                ProjectBlock,
                block_id=block.id,
                content=BlockContent.model_validate_json(block.content),
                comments=tuple(comments[block.id or 0]),
            )
            for block in blocks
        ),
    )


def _dump(content: BlockContent) -> str:
    text = content.model_dump_json(exclude_defaults=True)
    if len(text.encode()) > LARGEST_BLOCK:
        raise InvalidInput(
            f"a block has at most {LARGEST_BLOCK // 1_000_000} MB; filter the table, or add "
            "fewer rows"
        )
    return text


def _check_text(text: str, field: str, longest: int) -> str:
    """Return a text without blanks at its ends."""
    stripped = text.strip()
    if not stripped:
        raise InvalidInput(f"{field} is blank; write something", field=field)
    if len(stripped) > longest:
        raise InvalidInput(
            f"{field} has at most {longest:,} characters; this has {len(stripped):,}", field=field
        )
    return stripped
