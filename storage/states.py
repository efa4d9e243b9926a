"""Small states that all processes of an instance see: an import under way, who syncs."""

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from storage.base import Store
from storage.tables import SharedStateRow


class StateStore(Store):
    """Texts by name (core.ports.States)."""

    def read(self, name: str) -> str:
        """Return a state; "" where none was written."""
        with self._database.read() as session:
            row = session.get(SharedStateRow, name)
            return row.content if row else ""

    def write(self, name: str, content: str, *, expected: str | None = None) -> bool:
        """Replace a state.

        Args:
            name: At most 64 characters.
            content: What is kept.
            expected: What the caller has read; None replaces whatever is there.

        Returns:
            False, with nothing changed, when the state is not the expected one any more.
        """
        try:
            with self._database.write(essential=True) as session:
                return _write(session, name, content, expected)
        except IntegrityError:  # another process wrote the first one
            return expected is None and self.write(name, content)


def _write(session: Session, name: str, content: str, expected: str | None) -> bool:
    row = session.get(SharedStateRow, name, with_for_update=True)
    if expected is not None and expected != (row.content if row else ""):
        return False
    if row is None:
        row = SharedStateRow(name=name, content=content)
    row.content = content
    session.add(row)
    return True
