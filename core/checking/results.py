"""What a check answers: verdicts with the records that carry them."""

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from core.documents.sentences import DocumentForm

CheckVerdict = Literal["differs", "older", "supported", "not_covered", "not_checkable"]
VERDICTS: tuple[CheckVerdict, ...] = get_args(CheckVerdict)
"""What a reader has to look at comes first."""
VERDICT_WORDS: dict[CheckVerdict, str] = {
    "differs": "differs",
    "older": "outdated",
    "supported": "supported",
    "not_covered": "not covered",
    "not_checkable": "not checkable",
}
AssertionKind = Literal[
    "approval",
    "approved use",
    "approval date",
    "stage",
    "company",
    "target",
    "modality",
    "trial",
    "figure",
    "deal",
    "target action date",
    "exclusivity",
    "boxed warning",
    "opinion",
    "remainder",
]


class _Wire(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_serialization_defaults_required=True
    )


class CitedRecord(_Wire):
    """The record of the evidence on which a verdict rests."""

    record_id: str = Field(description="Identifies the record on this instance.")
    title: str = Field(description="Title of the source.")
    url: str = Field(description='Address of the source; "" where it has none.')
    as_of: str = Field(description='Day of the source, YYYY-MM-DD; "" if unknown.')


class CheckedAssertion(_Wire):
    """One statement that was read in a sentence, with its verdict."""

    kind: AssertionKind = Field(description="What is stated.")
    subject: str = Field(description="The drug, trial or company that the statement is about.")
    stated: str = Field(description="What the document states.")
    recorded: str = Field(description='What the evidence has; "" where it has nothing.')
    verdict: CheckVerdict = Field(description="How the two compare.")
    note: str = Field(default="", description="Why the verdict is what it is, where that helps.")
    source: CitedRecord | None = Field(
        default=None, description="The record that says so; null where there is none."
    )


class CheckedSentence(_Wire):
    """A sentence or a table row of the document, with its verdict."""

    number: int = Field(description="Number in the document, counted from 1.")
    text: str = Field(description="The sentence as read.")
    page: int = Field(description="Page or slide; 0 where the form of the file has none.")
    heading: str = Field(description="The heading above it.")
    paragraph: int = Field(description="Paragraph, counted from 1; 0 in a table.")
    table: int = Field(description="Table, counted from 1; 0 in running text.")
    row: int = Field(description="Row of the table below its header; 0 in running text.")
    start: int = Field(description="First character within the paragraph or row.")
    end: int = Field(description="One past the last character.")
    verdict: CheckVerdict = Field(
        description="The gravest verdict of its statements; supported only if all of them are."
    )
    assertions: list[CheckedAssertion] = Field(description="The statements read in it.")

    @property
    def place(self) -> str:
        """Return where it stands, in words."""
        parts = [f"page {self.page}"] if self.page else []
        if self.table:
            parts.append(f"table {self.table}, row {self.row}")
        else:
            parts.append(f"paragraph {self.paragraph}")
        return ", ".join(parts)


class DocumentCheck(_Wire):
    """A document, sentence by sentence, compared with the evidence of the instance."""

    ok: Literal[True] = True
    name: str = Field(description="Name of the file.")
    form: DocumentForm = Field(description="Kind of file, by its content.")
    pages: int = Field(description="Pages or slides; an estimate where the form has none.")
    checked_on: str = Field(description="Day on which statuses are compared, YYYY-MM-DD.")
    counts: dict[CheckVerdict, int] = Field(description="Sentences by verdict.")
    n_assertions: int = Field(description="Statements that were read in all sentences.")
    sentences: list[CheckedSentence] = Field(description="The sentences in reading order.")
    notices: list[str] = Field(description="What to know about how the file was read.")

    def of_verdict(self, *verdicts: CheckVerdict) -> list[CheckedSentence]:
        """Return the sentences of some verdicts, in reading order."""
        return [sentence for sentence in self.sentences if sentence.verdict in verdicts]


def gravest(assertions: list[CheckedAssertion]) -> CheckVerdict:
    """Return the verdict of a sentence: one that says too little about a part is not supported."""
    verdicts = {assertion.verdict for assertion in assertions}
    for verdict in ("differs", "older", "not_covered", "supported"):
        if verdict in verdicts:
            return verdict
    return "not_checkable"
