"""What the indication of a request states beyond its slots, in the words that labels use.

Purpose ("to reduce the risk of stroke"), stage, genetics, history and earlier treatment are read by
the rows of a table, each with its wording by agency. Drafts take the words of the rows, never the
text of the request.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.agents.label_strategy.records import DraftTerms
from core.vocabulary.biomarkers import find_biomarkers
from core.vocabulary.lines import AskedLine
from core.vocabulary.tables import TableRow, compile_pattern, load_rows

Kind = Literal[
    "purpose", "adjective", "patient", "population", "marker", "prior", "agent", "disease", "usual"
]
"""Where words go in the sentence; "usual" is the purpose where the request states none."""
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
    r"previously|not|due to|caused by|associated with|secondary to|"
    r"in (?:complete|partial|first|second|remission))\b.*)$",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"(?:[\s,]+(?:and|or|with|who|whose disease|whose|that|is|are|in|of|to|the|has|have))+$"
)
PLAIN = re.compile(r"[A-Za-z0-9 ,/()\u2264\u2265<>=%+.\u2019'-]+")
_FEW = frozenset({"one"})


class StatedWordRow(TableRow):
    """Words of an indication and how labels write them.

    Attributes:
        key: What is stated.
        kind: Where it stands in the sentence.
        pattern: How requests write it.
        drug_words: Words that the drug must be described by; "" for all.
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
    drug_words: str
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
        for index, number in enumerate(self.numbers, start=1):
            text = text.replace(f"{{{index}}}", number)
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
        return [statement for statement in self.statements if statement.row.kind in kinds]

    @property
    def line(self) -> AskedLine | None:
        """Return the line of treatment that earlier treatment implies."""
        for statement in self.of("prior"):
            if statement.row.line == "number":
                return AskedLine.SECOND if {*statement.numbers} & _FEW else AskedLine.THIRD
            if statement.row.line:
                return AskedLine.SECOND
        return None

    @property
    def biomarkers(self) -> tuple[str, ...]:
        """Return the biomarkers that markers imply."""
        statements = self.of("marker", "adjective")
        return tuple(statement.row.biomarker for statement in statements if statement.row.biomarker)

    @property
    def is_specific(self) -> bool:
        """Return whether patients are described so closely that precedents add no restriction."""
        return bool(self.given or self.of("marker", "prior", "population", "purpose"))

    def without(self, *kinds: Kind) -> "Stated":
        """Return what is stated but for some kinds."""
        kept_statements = tuple(
            statement for statement in self.statements if statement.row.kind not in kinds
        )
        return replace(
            self, statements=kept_statements, given="" if "population" in kinds else self.given
        )

    def describe(self) -> str:
        """Return the statements for a reader, without the words of the disease."""
        kinds: tuple[Kind, ...] = ("patient", "adjective", "population", "marker", "prior")
        return ", ".join(statement.row.key for statement in self.of(*kinds))


def read_stated(indication: str, *further: str, drug: str = "") -> Stated:
    """Return what an indication states, with fields that add to it.

    Args:
        indication: As written.
        further: Biomarker and line of treatment, as written.
        drug: Words on the drug, on which the usual purpose depends.

    >>> read_stated("large B-cell lymphoma after two or more lines of systemic therapy").line
    <AskedLine.THIRD: '3L'>
    """
    remainder, statements, seen = indication, list[Statement](), set[str]()
    for row in load_rows("stated_words", StatedWordRow):
        is_given = any(statement.row.kind in {"purpose", "usual"} for statement in statements)
        if (row.kind == "usual" and is_given) or not re.search(row.drug_words, drug, re.I):
            continue
        pattern = compile_pattern(row.pattern, "stated_words")
        text = indication if row.kind == "usual" else " ; ".join([remainder, *further])
        match = pattern.search(text)
        is_second_prior = row.kind == "prior" and any(
            statement.row.kind == "prior" and statement.row.line == row.line
            for statement in statements
        )
        if match is None or row.key in seen or is_second_prior:
            continue
        seen.add(row.key)
        numbers = [text for text in match.groups() if text]
        if row.kind == "prior":
            numbers = [_NUMBERS.get(number, number) for number in map(str.casefold, numbers)]
        statements.append(Statement(row, tuple(numbers)))
        if row.kind in _CUT:
            remainder = pattern.sub(" ", remainder)
    return Stated(tuple(statements), re.sub(r"\s+", " ", remainder).strip(" ,;") or indication)


def read_given(disease_text: str, text: str) -> str:
    """Return what an indication says of its patients behind the disease, as it is written.

    Only a clause that qualifies patients counts; what slots tell (ages, tests, combinations) does
    not.

    Args:
        disease_text: The indication without the statements of the table.
        text: The disease as it is written there.

    >>> read_given("CRC (mCRC) that is not amenable to surgery in adults", "CRC")
    'that is not amenable to surgery'
    """
    if not text or text not in disease_text:
        return ""
    tail = disease_text.partition(text)[2]
    tail = _NOT_GIVEN.sub(" ", _SHORT_FORM.sub(" ", tail, count=1))
    match = _CLAUSE.match(re.sub(r"\s+", " ", tail))
    clause = match[1].strip(" ,;.") if match else ""
    clause = _DANGLING.sub("", re.sub(r"\s+,", ",", clause))
    is_plain = 2 < len(clause.split()) <= MOST_GIVEN and PLAIN.fullmatch(clause)
    is_balanced = clause.count("(") == clause.count(")")
    return clause if is_plain and is_balanced else ""


def stated_terms(stated: Stated, disease: str, agency: Wording) -> dict[str, object]:
    """Return the words of the sentence that the request states."""

    def joined(*kinds: Kind) -> str:
        return " ".join(statement.words(agency) for statement in stated.of(*kinds))

    outside = [
        statement
        for statement in stated.of("adjective")
        if statement.words(agency).casefold() not in disease.casefold()
    ]
    plain = [statement.words(agency) for statement in outside if not statement.row.biomarker]
    chosen = ", ".join(statement.words(agency) for statement in outside if statement.row.biomarker)
    adjectives = " ".join(filter(None, (*plain, chosen)))
    return {
        "purpose": next((said.words(agency) for said in stated.of("purpose", "usual")), ""),
        "patient_words": joined("patient"),
        "disease_words": adjectives,
        "population_words": joined("population"),
        "marker_words": joined("marker"),
        "marker_biomarkers": [statement.row.biomarker for statement in stated.of("marker")],
        "worded_biomarkers": [
            *(
                statement.row.biomarker
                for statement in stated.of("adjective")
                if statement.row.biomarker
            ),
            *(row.name for row in find_biomarkers(stated.given)),
        ],
        "prior_words": _prior(stated, agency),
        "given_words": stated.given,
        "replaces_extent": any(statement.row.drops == "extent" for statement in stated.statements),
        "replaces_line": any(statement.row.drops == "line" for statement in stated.statements),
    }


def _prior(stated: Stated, agency: Wording) -> str:
    """Return earlier treatment with the agents that it included."""
    prior = ", ".join(statement.words(agency) for statement in stated.of("prior"))
    agents = [statement.words(agency) for statement in stated.of("agent")]
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
    return next((statement.words(agency) for statement in stated.of("disease")), "")


def disease_wordings(stated: Stated) -> list[str]:
    """Return every wording of the diseases that are stated."""
    rows = [statement.row for statement in stated.of("disease", "purpose", "usual")]
    return [words for row in rows for words in (row.fda, row.ema)]


def has_marker(terms: DraftTerms, biomarkers: Sequence[str]) -> bool:
    """Return whether the marker words of a sentence hold for the biomarkers of a claim."""
    needed = {*filter(None, terms.marker_biomarkers)}
    return bool(terms.marker_words) and (not needed or bool(needed & {*biomarkers}))
