"""A statement of a page that a person brought into the evidence."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from core.records.stages import Stage


class AcceptedFinding(BaseModel):
    """A statement with the quote that proves it, and who took it over.

    Attributes:
        relation: What it states.
        says: It in words.
        drug: Drug as the page writes it.
        company: Company as the page writes it.
        partner: The other company.
        indication: Disease as the page writes it.
        stage: Stage, never above phase 3.
        date: Day or period as the page writes it.
        amount: Amount in millions.
        currency: Its currency.
        quote: The page's characters.
        url: Address; "" where none was given.
        title: Title of the page or name of the file.
        published_on: Day of the page; "" where it states none.
        by: Who accepted or removed it.
        at: When, as an ISO instant.
        is_removed: Whether it was taken back.
        number: Number of the record that is taken back; "" for a new one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    relation: str
    says: str
    drug: str = ""
    company: str = ""
    partner: str = ""
    indication: str = ""
    stage: Stage | Literal[""] = ""
    date: str = ""
    amount: float | None = None
    currency: str = ""
    quote: str = Field(min_length=1)
    url: str = ""
    title: str = ""
    published_on: str = ""
    by: str = ""
    at: str = ""
    is_removed: bool = False
    number: str = ""


class AcceptedFile(BaseModel):
    """The file in which they are imported."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    accepted_findings: list[AcceptedFinding]
