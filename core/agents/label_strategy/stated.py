"""What the indication of a request states beyond its slots, in the words that labels use.

Purpose ("to reduce the risk of stroke"), stage, genetics, history and earlier treatment are read by
the rows of a table, each with its wording by agency. Drafts take the words of the rows, never the
text of the request.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.agents.label_strategy.records import DraftTerms
from core.vocabulary.lines import AskedLine
from core.vocabulary.tables import TableRow, compile_pattern, load_rows

Kind = Literal[
    "purpose", "adjective", "patient", "population", "marker", "prior", "agent", "disease"
]
Wording = Literal["FDA", "EMA"]
_CUT: frozenset[Kind] = frozenset({"purpose", "population", "marker", "prior"})
"""Kinds whose words name no disease of the claim, so that it is read from the text without them."""
_NUMBERS = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five"}
_FEW = frozenset({"one"})


class StatedWordRow(TableRow):
    """Words of an indication and how labels write them.

    Attributes:
        key: What is stated.
        kind: Where it stands in the sentence.
        pattern: How requests write it.
        fda: Words of US labels; {1} is a number of the request, {patients} and {disease} stand
            for the other parts of a purpose.
        ema: Words of EU product information.
        line: Line of treatment that it implies: "number" by its number of earlier lines.
        biomarker: Biomarker that it implies.
        drops: "extent" where its words replace those of the stage of disease.
    """

    key: str
    kind: Kind
    pattern: str
    fda: str
    ema: str
    line: Literal["", "previously treated", "number"]
    biomarker: str
    drops: Literal["", "extent"]


@dataclass(frozen=True)
class Statement:
    """A row that the request states, with the numbers of its text."""

    row: StatedWordRow
    numbers: tuple[str, ...]

    def words(self, agency: Wording) -> str:
        """Return the statement as an agency words it."""
        text = self.row.fda if agency == "FDA" else self.row.ema
        for place, number in enumerate(self.numbers, start=1):
            text = text.replace(f"{{{place}}}", number)
        return text


@dataclass(frozen=True)
class Stated:
    """What an indication states.

    Attributes:
        statements: Each once, in the order of the table.
        disease_text: The indication without words that name no disease of the claim.
    """

    statements: tuple[Statement, ...] = ()
    disease_text: str = ""

    def of(self, *kinds: Kind) -> list[Statement]:
        """Return the statements of some kinds."""
        return [one for one in self.statements if one.row.kind in kinds]

    @property
    def line(self) -> AskedLine | None:
        """Return the line of treatment that earlier treatment implies."""
        for one in self.of("prior"):
            if one.row.line == "number":
                return AskedLine.SECOND if {*one.numbers} & _FEW else AskedLine.THIRD
            if one.row.line:
                return AskedLine.SECOND
        return None

    @property
    def biomarkers(self) -> tuple[str, ...]:
        """Return the biomarkers that markers imply."""
        return tuple(one.row.biomarker for one in self.of("marker") if one.row.biomarker)

    def without(self, *kinds: Kind) -> "Stated":
        """Return what is stated but for some kinds."""
        kept = tuple(one for one in self.statements if one.row.kind not in kinds)
        return replace(self, statements=kept)

    def describe(self) -> str:
        """Return the statements for a reader, without the words of the disease."""
        kinds: tuple[Kind, ...] = ("patient", "adjective", "population", "marker", "prior")
        return ", ".join(one.row.key for one in self.of(*kinds))


def read_stated(indication: str, *further: str) -> Stated:
    """Return what an indication states, with fields that add to it.

    Args:
        indication: As written.
        further: Biomarker and line of treatment, as written.

    >>> read_stated("large B-cell lymphoma after two or more lines of systemic therapy").line
    <AskedLine.THIRD: '3L'>
    """
    rest, statements, seen = indication, list[Statement](), set[str]()
    for row in load_rows("stated_words", StatedWordRow):
        pattern = compile_pattern(row.pattern, "stated_words")
        text = " ; ".join([rest, *further])
        match = pattern.search(text)
        is_second_prior = row.kind == "prior" and any(
            one.row.kind == "prior" and one.row.line == row.line for one in statements
        )
        if match is None or row.key in seen or is_second_prior:
            continue
        seen.add(row.key)
        numbers = [one.casefold() for one in match.groups() if one]
        numbers = [_NUMBERS.get(one, one) for one in numbers] if row.kind == "prior" else numbers
        statements.append(Statement(row, tuple(numbers)))
        if row.kind in _CUT:
            rest = pattern.sub(" ", rest)
    return Stated(tuple(statements), re.sub(r"\s+", " ", rest).strip(" ,;") or indication)


def stated_terms(stated: Stated, disease: str, agency: Wording) -> dict[str, object]:
    """Return the words of the sentence that the request states.

    Args:
        stated: What the indication states.
        disease: The disease as the sentence writes it.
        agency: Whose words.
    """

    def joined(*kinds: Kind) -> str:
        return " ".join(one.words(agency) for one in stated.of(*kinds))

    adjectives = [
        words
        for one in stated.of("adjective")
        if (words := one.words(agency)).casefold() not in disease.casefold()
    ]
    return {
        "purpose": next((one.words(agency) for one in stated.of("purpose")), ""),
        "patient_words": joined("patient"),
        "disease_words": " ".join(adjectives),
        "population_words": joined("population"),
        "marker_words": joined("marker"),
        "marker_biomarkers": list(stated.biomarkers),
        "prior_words": _prior(stated, agency),
        "replaces_extent": any(one.row.drops == "extent" for one in stated.statements),
    }


def _prior(stated: Stated, agency: Wording) -> str:
    """Return earlier treatment with the agents that it included."""
    prior = ", ".join(one.words(agency) for one in stated.of("prior"))
    agents = [one.words(agency) for one in stated.of("agent")]
    if not agents:
        return prior
    listed = _enumerate(agents)
    return f"{prior}, including {listed}" if prior else f"who have received {listed}"


def _enumerate(words: Sequence[str]) -> str:
    """Return words as a list.

    >>> _enumerate(["a", "b", "c"]), _enumerate(["a", "b"]), _enumerate(["a"])
    ('a, b, and c', 'a and b', 'a')
    """
    if len(words) < 3:
        return " and ".join(words)
    return f"{', '.join(words[:-1])}, and {words[-1]}"


def name_disease(stated: Stated, agency: Wording) -> str:
    """Return the disease as labels of an agency write it; "" where no row names it."""
    return next(iter(_disease_words(stated, agency)), "")


def _disease_words(stated: Stated, agency: Wording) -> Iterator[str]:
    yield from (one.words(agency) for one in stated.of("disease"))


def has_marker(terms: DraftTerms, biomarkers: Sequence[str]) -> bool:
    """Return whether the marker words of a sentence hold for the biomarkers of a claim."""
    return bool(terms.marker_words) and (
        not terms.marker_biomarkers or bool({*terms.marker_biomarkers} & {*biomarkers})
    )
