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

    def add(self, owner_id: int, list_id: int, entries: Sequence[str]) -> SavedList:
        """Add names that the list does not hold yet.

        Raises NotFound, and InvalidInput (field `entries`): one is blank, too long or no name, or
        the list would grow too long. Nothing is added then.
        """
        ...

    def take(self, owner_id: int, list_id: int, entries: Sequence[str]) -> SavedList:
        """Take names away; those that it does not hold are left alone. Raises NotFound."""
        ...

    def rename(self, owner_id: int, list_id: int, name: str) -> SavedList:
        """Give a list another name. Raises NotFound and InvalidInput (field `name`)."""
        ...

    def delete(self, owner_id: int, list_id: int) -> None:
        """Delete a list. Raises NotFound."""
        ...
