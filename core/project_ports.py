"""What the store of projects must offer; only members reach a project."""

from collections.abc import Sequence
from typing import Protocol

from core.records.projects import BlockContent, Project, ProjectLine, ProjectRole


class Projects(Protocol):
    """Projects of the instance.

    Every method raises NotFound to whoever is not a member, and InvalidInput (`not_allowed`) to a
    member whose role does not allow it.
    """

    def of(self, user_id: int) -> Sequence[ProjectLine]:
        """Return the projects of which a person is a member, those changed last first."""
        ...

    def make(self, user_id: int, name: str) -> Project:
        """Make an empty project. Raises InvalidInput (field `name`)."""
        ...

    def get(self, user_id: int, project_id: int) -> Project:
        """Return a project with its blocks and comments."""
        ...

    def rename(self, user_id: int, project_id: int, name: str) -> Project:
        """Rename a project; owners only. Raises InvalidInput (field `name`)."""
        ...

    def delete(self, user_id: int, project_id: int) -> None:
        """Delete a project with all its blocks; owners only."""
        ...

    def share(self, user_id: int, project_id: int, name: str, role: ProjectRole | None) -> Project:
        """Give a person a role, or take it away with None; owners only.

        Anybody may leave. Raises InvalidInput: no such person, or no owner would be left.
        """
        ...

    def add(self, user_id: int, project_id: int, content: BlockContent) -> Project:
        """Add a block at the end. Raises InvalidInput: too many, or too large."""
        ...

    def edit(
        self, user_id: int, project_id: int, block_id: int, content: BlockContent, version: int
    ) -> Project:
        """Replace the content of the version that was read.

        Raises ChangedMeanwhile: somebody else has saved a newer one; nothing is saved.
        """
        ...

    def move(self, user_id: int, project_id: int, block_id: int, by: int) -> Project:
        """Move a block up (negative) or down by some places."""
        ...

    def remove(self, user_id: int, project_id: int, block_id: int) -> Project:
        """Delete a block with its comments."""
        ...

    def comment(self, user_id: int, project_id: int, block_id: int, text: str) -> Project:
        """Add a comment; readers may, too. Raises InvalidInput (field `text`)."""
        ...

    def uncomment(self, user_id: int, project_id: int, comment_id: int) -> Project:
        """Delete a comment of one's own; owners delete any."""
        ...
