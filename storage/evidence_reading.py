"""What the evidence store asks, apart from the store itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select

from core.records.evidence import Mention, Record, Span
from core.vocabulary.predicates import Predicate
from storage.evidence_rows import FACT_COLUMNS, read_record
from storage.evidence_tables import FACTS, MENTIONS, RECORDS, SPANS

MENTION = (MENTIONS.c.kind, MENTIONS.c.name, MENTIONS.c.role, MENTIONS.c.relation)


def fact_query() -> Any:
    """Return the question for facts with number, version and state, as `read_fact` reads them."""
    of_record = (RECORDS.c.version, RECORDS.c.current, RECORDS.c.record_id)
    columns = [FACTS.c[name] for name in FACT_COLUMNS if name not in ("record_pk", "folded")]
    return select(FACTS.c.pk, *of_record, *columns).join(RECORDS, RECORDS.c.pk == FACTS.c.record_pk)


def alias_query(sources: Sequence[str]) -> Any:
    """Return the question for the names that current records of sources give to drugs."""
    return (
        select(FACTS.c.subject, FACTS.c.object)
        .join(RECORDS, RECORDS.c.pk == FACTS.c.record_pk)
        .where(
            FACTS.c.predicate == Predicate.HAS_ALIAS,
            RECORDS.c.current == 1,
            RECORDS.c.source.in_(list(sources)),
        )
        .distinct()
        .order_by(FACTS.c.subject, FACTS.c.object)
    )


def read_whole(connection: Connection, row: Mapping[Any, Any]) -> Record:
    """Return a record with its text and mentions."""
    pk = row["pk"]
    spans = connection.execute(select(SPANS).where(SPANS.c.record_pk == pk).order_by(SPANS.c.pk))
    mentions = connection.execute(
        select(MENTIONS).where(MENTIONS.c.record_pk == pk).order_by(MENTIONS.c.pk)
    )
    return read_record(
        row,
        tuple(Span(span.section, span.text, span.start, span.end) for span in spans),
        tuple(
            Mention(mention.kind, mention.name, mention.role, mention.relation)
            for mention in mentions
        ),
    )
