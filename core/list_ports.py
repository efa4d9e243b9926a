"""What the store of saved lists must offer; nobody reaches another's."""

from collections.abc import Sequence
from typing import Protocol

from core.records.lists import ListKind, SavedList


class Lists(Protocol):
    """Lists of drugs or companies that a person keeps."""

    def of(self, owner_id: int) -> Sequence[SavedList]:
        """Return the owner's lists by name."""
        ...

    def make(self, owner_id: int, name: str, kind: ListKind) -> SavedList:
        """Make an empty list; one of this name and kind is that list.

        Raises InvalidInput (field `name`): blank, too long, of the other kind, or too many lists.
        """
        ...

    def change(
        self,
        owner_id: int,
        list_id: int,
        *,
        name: str | None = None,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
    ) -> SavedList:
        """Rename a list, add names that it does not have yet, take names out; all or nothing.

        Raises NotFound, and InvalidInput (field `name`, or `entries`: one is blank, too long or no
        name, or the list would grow too long).
        """
        ...

    def delete(self, owner_id: int, list_id: int) -> None:
        """Delete a list. Raises NotFound."""
        ...
