"""Request and answer of the letter count."""

from pydantic import BaseModel, Field

from core.records.table import Table
from core.records.wire import Answer, Request, RunEcho


class LetterCountRequest(Request):
    """A text."""

    text: str = Field(min_length=1, max_length=1000, description="What to count.")
    notes: list[str] = Field(default_factory=list, max_length=5, description="Not used.")
    use_cache: bool = Field(default=False, description="Take a stored result.")


class LetterRow(BaseModel):
    """One letter."""

    letter: str
    count: int


class LetterTable(Table):
    """Letters, most frequent first."""

    row_model = LetterRow


class LetterSource(Answer):
    """Where the text came from."""

    id: str
    title: str


class LetterCountData(RunEcho):
    """The counts, and a sentence that cites the text."""

    letters: LetterTable
    summary: str
    sources: list[LetterSource]
    warnings: list[str]
