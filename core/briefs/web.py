"""Findings of the web in an answer: behind all else, each with its quote, never confirmed."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from core.briefs.columns import Column, list_all
from core.records.accepted import PageStatement
from core.reports.document import Block
from core.reports.evidence_parts import under

WEB_FINDINGS = "Web, not confirmed"
QUOTED = "What web pages state"
MOST_PRINTED = 60
NOT_CONFIRMED: Literal["web, not confirmed"] = "web, not confirmed"


def is_empty(rows: object) -> bool:
    """Return whether an answer has no findings, so that it is as it was without a search."""
    return not rows


class WebFindingRow(PageStatement):
    """A statement of a page in an answer."""

    status: Literal["web, not confirmed"] = NOT_CONFIRMED
    drug_key: str | None = Field(description='"UNII:\u2026" where a register has it.')
    amount: str = Field(description="As the page writes it.")
    is_stated: bool = Field(
        description="Whether a record of the evidence states it already, so that the page is only "
        "a further source."
    )


def describe(row: WebFindingRow) -> str:
    """Return a statement in a few words: what, by whom, with whom."""
    return " \u00b7 ".join(filter(None, [*row.words, row.indication, row.amount, row.date]))


def _tell_status(row: WebFindingRow) -> str:
    """Return whether other sources state it."""
    return "in the evidence" if row.is_stated else row.status


WEB_COLUMNS: tuple[Column[WebFindingRow], ...] = (
    Column("statement", "Statement", shown=describe),
    Column("quote", "Quote"),
    Column("url", "Page"),
    Column("published_on", "Published"),
    Column("status", "Status", shown=_tell_status),
)


def list_web(rows: Sequence[WebFindingRow]) -> list[Block]:
    """Return findings as a section of a report; nothing without any."""
    return under(WEB_FINDINGS, list_all(WEB_COLUMNS, rows, QUOTED, most=MOST_PRINTED))
