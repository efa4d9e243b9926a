"""Saved queries: every run belongs to one of its caller (same agent, same canonical input)."""

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from core.records.runs import NewRun
from storage.tables import SavedQueryRow


def find_or_create_query(session: Session, run: NewRun) -> SavedQueryRow:
    """Return the saved query of a run, made now if its caller had none like it.

    Args:
        session: An open write transaction.
        run: Caller, agent and fingerprint decide; the title names a query made now.
    """
    row = _find(session, run) or _create(session, run)
    row.used_at = max(row.used_at, run.created_at)
    if row.question is None and run.question is not None:
        row.question = run.question.model_dump(exclude_defaults=True)
    session.flush()
    return row


def _create(session: Session, run: NewRun) -> SavedQueryRow:
    row = SavedQueryRow(
        owner_id=run.owner_id,
        agent=run.agent,
        fingerprint=run.fingerprint,
        query=run.title,
        created_at=run.created_at,
        used_at=run.created_at,
    )
    try:
        with session.begin_nested():
            session.add(row)
    except IntegrityError:
        made_meanwhile = _find(session, run)
        if made_meanwhile is None:
            raise
        return made_meanwhile
    return row


def _find(session: Session, run: NewRun) -> SavedQueryRow | None:
    return session.exec(
        select(SavedQueryRow).where(
            col(SavedQueryRow.owner_id) == run.owner_id,
            col(SavedQueryRow.agent) == run.agent,
            col(SavedQueryRow.fingerprint) == run.fingerprint,
        )
    ).first()
