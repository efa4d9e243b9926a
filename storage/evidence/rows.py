"""Records of the evidence as rows of its tables, and back."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, select

from core.records.evidence import (
    NO_QUALIFIERS,
    UNSEARCHED_SECTIONS,
    Fact,
    Mention,
    Parsed,
    Qualifiers,
    Record,
    Span,
)
from core.records.evidence_pack import StoredFact
from core.records.names import fold_name
from core.vocabulary.predicates import Predicate
from storage.evidence.schema import FACTS, MENTIONS, RECORDS, SPANS

QUALIFIERS = tuple(Qualifiers.__dataclass_fields__)
FACT_COLUMNS = (
    ("record_pk", "subject", "folded", "predicate", "object", "value", "unit")
    + QUALIFIERS
    + ("as_of", "locator", "method", "basis", "status", "confidence", "supersedes")
)
MENTION_COLUMNS = ("record_pk", "kind", "name", "folded", "role", "relation")
SPAN_COLUMNS = ("record_pk", "section", "start", "end", "text")
RECORD_WORDS = (
    "source",
    "source_id",
    "url",
    "kind",
    "title",
    "published_on",
    "updated_on",
    "fetched_at",
    "licence",
    "origin",
    "raw_ref",
    "copied_on",
)
RECORD_COLUMNS = (
    ("pk", "record_id", "version", "current", "text_pk")
    + RECORD_WORDS
    + ("detail", "quote_allowed", "phase", "digest")
)
Values = tuple[Any, ...]
_METHOD, _BASIS, _STATUS = "parsed", "published", "verified"
"""What most facts say of themselves; their cells are empty."""
_FIRST = list(Fact.__dataclass_fields__).index("qualifiers")
_LAST = _FIRST + len(QUALIFIERS)


def digest(parsed: Parsed) -> str:
    """Return what tells two states of a record apart; when and where it was read does not.

    It begins with the number of facts, so that of two states of one day the one that tells more
    comes last in the order of their digests.
    """
    record = parsed.record
    content = (
        tuple(getattr(record, word) for word in RECORD_WORDS if word not in _OF_THE_COPY),
        record.spans,
        record.mentions,
        parsed.facts,
    )
    mark = hashlib.sha256(repr(content).encode("utf-8", "replace")).hexdigest()
    return f"{len(parsed.facts):06d}-{mark}"


_OF_THE_COPY = ("fetched_at", "origin", "raw_ref")


def record_values(
    parsed: Parsed, pk: int, version: int, *, text_pk: int, mark: str, is_current: bool
) -> Values:
    """Return the row of a record, in the order of `RECORD_COLUMNS`."""
    record = parsed.record
    words = tuple(getattr(record, word) for word in RECORD_WORDS)
    phase = next(
        (fact.object for fact in parsed.facts if fact.predicate == Predicate.TRIAL_PHASE), ""
    )
    state = (pk, record.id, version, int(is_current), text_pk)
    return (*state, *words, record.detail, int(record.quote_allowed), phase, mark)


def fact_values(fact: Fact, record_pk: int) -> Values:
    """Return the row of a fact, in the order of `FACT_COLUMNS`."""
    qualifiers = fact.qualifiers
    return (
        record_pk,
        fact.subject,
        fold_name(fact.subject),
        fact.predicate,
        fact.object,
        fact.value,
        fact.unit,
        *(getattr(qualifiers, name) for name in QUALIFIERS),
        fact.as_of,
        fact.locator,
        "" if fact.method == _METHOD else fact.method,
        "" if fact.basis == _BASIS else fact.basis,
        "" if fact.status == _STATUS else fact.status,
        fact.confidence,
        fact.supersedes,
    )


def mention_values(mention: Mention, record_pk: int) -> Values:
    """Return the row of a mention, in the order of `MENTION_COLUMNS`."""
    folded = fold_name(mention.name)
    return (record_pk, mention.kind, mention.name, folded, mention.role, mention.relation)


def span_values(span: Span, record_pk: int) -> Values:
    """Return the row of a passage, in the order of `SPAN_COLUMNS`."""
    return (record_pk, span.section, span.start, span.end, span.text)


def searched_text(record: Record) -> tuple[str, str]:
    """Return what a record is searched by: its title, and its names and words."""
    names = "\n".join(mention.name for mention in record.mentions)
    words = "\n".join(span.text for span in record.spans if span.section not in UNSEARCHED_SECTIONS)
    return record.title, f"{names}\n{words}"


def fact_query() -> Select[Any]:
    """Return the query for facts with number, version and state, as `read_fact` reads them."""
    of_record = (RECORDS.c.version, RECORDS.c.current, RECORDS.c.record_id)
    columns = [FACTS.c[name] for name in FACT_COLUMNS if name not in ("record_pk", "folded")]
    return select(FACTS.c.pk, *of_record, *columns).join(RECORDS, RECORDS.c.pk == FACTS.c.record_pk)


def read_record(
    row: Mapping[Any, Any], spans: tuple[Span, ...] = (), mentions: tuple[Mention, ...] = ()
) -> Record:
    """Return the record of a row."""
    words = {word: row[word] for word in RECORD_WORDS}
    return Record(**words, quote_allowed=bool(row["quote_allowed"]), spans=spans, mentions=mentions)


def read_full_record(connection: Connection, row: Mapping[Any, Any]) -> Record:
    """Return the record of a row with its text and mentions."""
    spans = select(SPANS.c.section, SPANS.c.text, SPANS.c.start, SPANS.c.end).where(
        SPANS.c.record_pk == row["text_pk"]
    )
    mentions = select(MENTIONS.c.kind, MENTIONS.c.name, MENTIONS.c.role, MENTIONS.c.relation).where(
        MENTIONS.c.record_pk == row["text_pk"]
    )
    return read_record(
        row,
        tuple(Span(*span) for span in connection.execute(spans.order_by(SPANS.c.pk))),
        tuple(
            Mention(*mention) for mention in connection.execute(mentions.order_by(MENTIONS.c.pk))
        ),
    )


def read_fact(row: Sequence[Any]) -> StoredFact:
    """Return the fact of a row of `fact_query`, whose columns are in the order of its fields.

    Tens of thousands of rows are read for one answer, hence by position and not by name.
    """
    pk, version, _, *cells = row
    qualifiers = cells[_FIRST:_LAST]
    read_qualifiers = Qualifiers(*qualifiers) if any(qualifiers) else NO_QUALIFIERS
    as_of, locator, method, basis, status, *others = cells[_LAST:]
    told = [as_of, locator, method or _METHOD, basis or _BASIS, status or _STATUS, *others]
    values = [*cells[:_FIRST], read_qualifiers, *told]
    return StoredFact(pk, version, Fact(*values))
