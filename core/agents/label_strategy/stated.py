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
from core.vocabulary.biomarkers import find_biomarkers
from core.vocabulary.lines import AskedLine
from core.vocabulary.tables import TableRow, compile_pattern, load_rows

Kind = Literal[
    "purpose", "adjective", "patient", "population", "marker", "prior", "agent", "disease"
]
Wording = Literal["FDA", "EMA"]
_CUT: frozenset[Kind] = frozenset({"purpose", "population", "marker", "prior"})
"""Kinds whose words name no disease of the claim, so that it is read from the text without them."""
_NUMBERS = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five"}
MOST_GIVEN = 30
"""Words of a clause that is taken over as given."""
_SHORT_FORM = re.compile(r"^\s*(?:cancer|carcinoma|disease|tumors?)?\s*\([^)]{1,40}\)")
_NOT_GIVEN = re.compile(
    r",? ?as (?:detected|determined) by (?:an? )?FDA[- ]approved tests?|"
    r",? ?as (?:a )?first-line (?:treatment|therapy)|"
    r",? ?(?:used )?in combination with .*$|,? ?as (?:a )?(?:single agent|monotherapy).*$|"
    r",? ?in (?:adults?|women|men|patients)(?= (?:who|whose|with)\b)|"
    r",? ?in (?:adults?|adult|pediatric|paediatric|children|adolescents|patients aged)\b"
    r"(?! (?:who|whose|with)\b).*$|\(\d+$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"^[\s,;]*((?:who|whose|with|without|after|following|that|harbou?ring|expressing|where|"
    r"previously|not|in (?:complete|partial|first|second|remission))\b.*)$",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"(?:[\s,]+(?:and|or|with|who|whose disease|whose|that|is|are|in|of|to|the|has|have))+$"
)
_PLAIN = re.compile(r"[A-Za-z0-9 ,/()\u2264\u2265<>=%+.\u2019'-]+")
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
        drops: Slot whose words it replaces: the stage of disease, or the line of treatment.
    """

    key: str
    kind: Kind
    pattern: str
    fda: str
    ema: str
    line: Literal["", "previously treated", "number"]
    biomarker: str
    drops: Literal["", "extent", "line"]


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
        given: Further words on the patients, as the request has them; "" without any.
    """

    statements: tuple[Statement, ...] = ()
    disease_text: str = ""
    given: str = ""

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
        told = self.of("marker", "adjective")
        return tuple(one.row.biomarker for one in told if one.row.biomarker)

    @property
    def is_specific(self) -> bool:
        """Return whether patients are described so closely that precedents add no restriction."""
        return bool(self.given or self.of("marker", "prior", "population", "purpose"))

    def without(self, *kinds: Kind) -> "Stated":
        """Return what is stated but for some kinds."""
        kept = tuple(one for one in self.statements if one.row.kind not in kinds)
        return replace(self, statements=kept, given="" if "population" in kinds else self.given)

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


def read_given(disease_text: str, said: str) -> str:
    """Return what an indication says of its patients behind the disease, as it is written.

    Only a clause that qualifies patients counts; what slots tell (ages, tests, combinations) does
    not.

    Args:
        disease_text: The indication without the statements of the table.
        said: The disease as it is written there.

    >>> read_given("CRC (mCRC) that is not amenable to surgery in adults", "CRC")
    'that is not amenable to surgery'
    """
    if not said or said not in disease_text:
        return ""
    tail = disease_text.partition(said)[2]
    tail = _NOT_GIVEN.sub(" ", _SHORT_FORM.sub(" ", tail, count=1))
    match = _CLAUSE.match(re.sub(r"\s+", " ", tail))
    clause = match[1].strip(" ,;.") if match else ""
    clause = _DANGLING.sub("", re.sub(r"\s+,", ",", clause))
    is_plain = 2 < len(clause.split()) <= MOST_GIVEN and _PLAIN.fullmatch(clause)
    is_balanced = clause.count("(") == clause.count(")")
    return clause if is_plain and is_balanced else ""


def stated_terms(stated: Stated, disease: str, agency: Wording) -> dict[str, object]:
    """Return the words of the sentence that the request states.

    Args:
        stated: What the indication states.
        disease: The disease as the sentence writes it.
        agency: Whose words.
    """

    def joined(*kinds: Kind) -> str:
        return " ".join(one.words(agency) for one in stated.of(*kinds))

    outside = [
        one
        for one in stated.of("adjective")
        if one.words(agency).casefold() not in disease.casefold()
    ]
    plain = [one.words(agency) for one in outside if not one.row.biomarker]
    chosen = ", ".join(one.words(agency) for one in outside if one.row.biomarker)
    adjectives = " ".join(filter(None, (*plain, chosen)))
    return {
        "purpose": next((one.words(agency) for one in stated.of("purpose")), ""),
        "patient_words": joined("patient"),
        "disease_words": adjectives,
        "population_words": joined("population"),
        "marker_words": joined("marker"),
        "marker_biomarkers": [one.row.biomarker for one in stated.of("marker")],
        "worded_biomarkers": [
            *(one.row.biomarker for one in stated.of("adjective") if one.row.biomarker),
            *(row.name for row in find_biomarkers(stated.given)),
        ],
        "prior_words": _prior(stated, agency),
        "given_words": stated.given,
        "replaces_extent": any(one.row.drops == "extent" for one in stated.statements),
        "replaces_line": any(one.row.drops == "line" for one in stated.statements),
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
    needed = {*filter(None, terms.marker_biomarkers)}
    return bool(terms.marker_words) and (not needed or bool(needed & {*biomarkers}))
