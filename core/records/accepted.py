"""Statements of pages, as answers show them and as a person brings them into the evidence."""

from typing import Literal

from pydantic import AliasChoices, Field

from core.records.stages import STAGE_WORDS, Stage
from core.records.wire import Answer


class PageStatement(Answer):
    """What a page states, proved by its quote alone; its parts are the page's words."""

    relation: str = Field(description="What it states.", examples=["licensed_from"])
    statement: str = Field(
        validation_alias=AliasChoices("statement", "says"),
        description="It in words.",
        examples=["licensed from"],
    )
    drug_name: str = Field(
        default="",
        validation_alias=AliasChoices("drug_name", "drug"),
        description='As the page writes it; "" where it names none.',
    )
    company: str = ""
    partner: str = Field(default="", description="The other company.")
    indication: str = ""
    stage: Stage | Literal[""] = Field(default="", description="Never above phase 3.")
    date: str = Field(default="", description="Day or period of the event, as the page writes it.")
    quote: str = Field(min_length=1, description="The sentence of the page, in its own characters.")
    url: str = Field(default="", description='"" for text that a person gave.')
    title: str = Field(default="", description="Title of the page or name of the file.")
    published_on: str = Field(default="", description='Day of the page; "" where it states none.')

    @property
    def words(self) -> list[str]:
        """Return its parts in the order in which people say them; empty ones are left out."""
        if self.relation == "acquired":
            words = [self.company, self.statement, self.partner]
        elif self.relation in {"licensed_from", "licensed_to", "partnered"}:
            words = [self.company, self.drug_name, self.statement, self.partner]
        elif self.relation == "develops":
            words = [self.company, self.statement, self.drug_name]
        else:
            stage = STAGE_WORDS[self.stage] if self.stage else ""
            words = [self.drug_name or self.company, self.statement, stage, self.partner]
        return [word for word in words if word]


class AcceptedFinding(PageStatement):
    """A statement that a person took over.

    Attributes:
        amount: Amount in millions.
        currency: Its currency.
        by: Who accepted or removed it.
        at: When, as an ISO instant.
        is_removed: Whether it was taken back.
        number: Number of the record that is taken back; "" for a new one.
    """

    amount: float | None = None
    currency: str = ""
    by: str = ""
    at: str = ""
    is_removed: bool = False
    number: str = ""


class AcceptedFile(Answer):
    """The file in which they are imported."""

    accepted_findings: list[AcceptedFinding]
