"""Findings of the web in an answer: behind all else, each with its quote, never confirmed."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from core.briefs.columns import Column, list_all
from core.records.stages import STAGE_WORDS, Stage
from core.records.wire import Answer
from core.reports.document import Block
from core.reports.evidence_parts import under

WEB_FINDINGS = "Web, not confirmed"
QUOTED = "What web pages state"
MOST_PRINTED = 60
NOT_CONFIRMED: Literal["web, not confirmed"] = "web, not confirmed"


def is_empty(rows: object) -> bool:
    """Return whether an answer has no findings, so that it is as it was without a search."""
    return not rows


class WebFindingRow(Answer):
    """What a page states, proved by its quote alone."""

    status: Literal["web, not confirmed"] = NOT_CONFIRMED
    relation: str = Field(description="What it states.", examples=["licensed_from"])
    statement: str = Field(description="It in words.", examples=["licensed from"])
    drug_name: str = Field(description='As the page writes it; "" where it names none.')
    drug_key: str | None = Field(description='"UNII:\u2026" where a register has it.')
    company: str
    partner: str
    indication: str
    stage: Stage | Literal[""] = Field(description="Never above phase 3.")
    date: str = Field(description="Day or period of the event, as the page writes it.")
    amount: str = Field(description="As the page writes it.")
    quote: str = Field(description="The sentence of the page, in its own characters.")
    url: str = Field(description='"" for text that a person gave.')
    title: str = Field(description="Title of the page.")
    published_on: str = Field(description='Day of the page; "" where it states none.')
    is_suspicious: bool = Field(
        default=False, description="Whether the page gives orders to a language model."
    )
    is_stated: bool = Field(
        description="Whether a record of the evidence states it already, so that the page is only "
        "a further source."
    )


def describe(row: WebFindingRow) -> str:
    """Return a statement in a few words: what, by whom, with whom."""
    stage = STAGE_WORDS[row.stage] if row.stage else ""
    if row.relation == "acquired":
        parts = [row.company, row.statement, row.partner]
    elif row.relation in {"licensed_from", "licensed_to", "partnered"}:
        parts = [row.company, row.drug_name, row.statement, row.partner]
    elif row.relation == "develops":
        parts = [row.company, row.statement, row.drug_name]
    else:
        parts = [row.drug_name or row.company, row.statement, stage, row.partner]
    return " \u00b7 ".join(filter(None, [*parts, row.indication, row.amount, row.date]))


def _tell_status(row: WebFindingRow) -> str:
    """Return whether other sources state it, and whether its page is to be mistrusted."""
    status = "in the evidence" if row.is_stated else row.status
    return f"{status}; gives orders to language models" if row.is_suspicious else status


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
