"""Systematic names in claims and example headings, and the ways in which each may be read.

A document breaks names over lines, hyphenates them, puts a label behind them and words before
them. What stands here finds the places; whether a text is a name, OPSIN alone decides: it reads a
name as a whole or not at all, so a wrong cut costs a name and never makes a compound.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from core.records.patents import PatentText, Section, TextLine

LONGEST_NAME = 600
FEWEST_SIGNS = 12
MOST_BREAKS = 3
"""Hyphens at ends of lines that may be a printer's."""
LABEL = re.compile(
    r"[(\[]\s*((?:compound|example|intermediate|cpd|ex)s?\.?\s*(?:no\.?\s*)?"
    r"[A-Z]{0,3}-?\d{1,4}[a-z]?(?:[-.]\d{1,4})?)\s*[)\]]",
    re.IGNORECASE,
)
_END = ""
_STOPS = frozenset(
    """
    a an the of or and is are was were be being wherein which said compound compounds according
    to claim claims formula salt salts thereof pharmaceutically acceptable selected from group
    consisting in with having named by for as its any one more following represented structure
    synthesis preparation title product stereoisomer stereoisomers tautomer tautomers solvate
    solvates hydrate enantiomer enantiomers diastereomer mixture form crystalline free base
    example intermediate step comprising comprises consists composition method use that has
    substantially pure isomer isomers prodrug deuterated at least respectively i.e e.g namely
    called known also chosen
    """.split()  # noqa: SIM905 - words read better than quotes
)
_CHEMICAL = re.compile(
    r"\d[,'\u2032]?\d*-|-\d|\)-|-\(|\[\d|\]|\bN-|yl|ane\b|ene\b|ine\b|one\b|amide|ate\b|acid|nitrile"
    r"|ol\b|ide\b|urea",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"\d\s*(?:g|mg|ml|l|mmol|mol|eq|equiv|%)\b", re.IGNORECASE)
_LOCANT = re.compile(r"\d|\(|\[|\b[NOS]-")
_BREAK = re.compile(r"(?<=[a-z])-\s*\n\s*(?=[a-z])")
_ENUMERATED = re.compile(r"^\s*(?:\(?(?:[ivx]{1,5}|[a-z]{1,2}|\d{1,4})[.)]\s+|[\u2022*\u2013-]\s+)")
_SPACES = re.compile(r"(?<=[-(\[{])\s+|\s+(?=[-)\]},])")
_DASHES = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2212": "-"})
_GONE = dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
EDGES = ' \t,;:.\u3001"\u201c\u201d'


def split_words(text: str) -> Iterator[tuple[str, str]]:
    """Yield the stretches of a text between English words that look like chemistry, with labels."""
    match = LABEL.search(text)
    label = " ".join(match[1].split()) if match else ""
    stretch: list[str] = []
    plain = _ENUMERATED.sub("", LABEL.sub(" ", text))
    for word in [*re.findall(r"\S+|\n", plain), _END]:
        if word.endswith(":"):
            stretch = []
        elif word is not _END and (not is_stop(word) or "".join(stretch).endswith("-")):
            stretch.append(word)
        else:
            phrase = " ".join(stretch).strip(EDGES + "\n")
            if is_chemical(phrase):
                yield phrase, label
            stretch = []


def is_stop(word: str) -> bool:
    """Return whether a word is English and no part of a name."""
    return word.strip("(),;:.\n ").casefold() in _STOPS


def is_chemical(text: str) -> bool:
    """Return whether a stretch may be a name; OPSIN decides."""
    return (
        FEWEST_SIGNS <= len(text) <= LONGEST_NAME * 20
        and _CHEMICAL.search(text) is not None
        and _LOCANT.search(text) is not None
        and _AMOUNT.search(text) is None
    )


def without_ends(name: str) -> str:
    """Return a stretch without words at its ends that are no chemistry."""
    words = re.findall(r"\S+|\n", name)
    chemical = [at for at, word in enumerate(words) if _CHEMICAL.search(word)]
    return " ".join(words[chemical[0] : chemical[-1] + 1]) if chemical else ""


def write_forms(name: str) -> list[str]:
    """Return the ways to read a stretch: hyphens at ends of lines belong to the name, or not."""
    text = name.translate(_GONE).translate(_DASHES)
    pieces = _BREAK.split(text, maxsplit=MOST_BREAKS)
    forms = []
    for joints in product(("-", ""), repeat=len(pieces) - 1):
        ends = [*joints, ""]
        joined = "".join(piece + end for piece, end in zip(pieces, ends, strict=True))
        forms.append(clean_name(joined))
    return [form for form in dict.fromkeys(forms) if FEWEST_SIGNS <= len(form) <= LONGEST_NAME]


def clean_name(text: str) -> str:
    r"""Return a name on one line, without blanks at hyphens and brackets.

    >>> clean_name("4-amino-N-(4- chlorophenyl)- \n benzamide hydrochloride")
    '4-amino-N-(4-chlorophenyl)-benzamide hydrochloride'
    """
    return _SPACES.sub("", " ".join(text.split())).strip(EDGES)


MOST_A_DOCUMENT = 800
"""Names asked of one document; claims come first."""
MOST_LINES = 5
"""Lines of a page over which one name may run."""
LEAST_SHARE = 0.6
"""Share of a heading, or of the line below it, that its name makes up; less is prose."""
_NUMBER = r"(?:No\.?\s*)?\(?([A-Z]{0,3}-?\d{1,4}[A-Za-z]?(?:[-.]\d{1,4})?|[IVX]{1,5})\)?"
_HEADING = re.compile(
    r"^\W{0,3}((?:(?:Synthesis|Synthetic|Comparative|Comparison|Reference|Preparation|Preparative|"
    r"Preparatory|Working)\s+)?(?:Example|Compound|Intermediate|Preparation|Cpd|Ex)\.?)\s+"
    rf"{_NUMBER}(?![\w])(?!\s*(?:to|and|or|through|[,&~])\s)\s*[:.,;\-\u2013\u2014)\]]*\s*(.*)$",
    re.IGNORECASE | re.DOTALL,
)
_STEP = re.compile(
    r"^\W{0,3}(Step|Stage)\s+([\dA-Za-z]{1,3})\b\s*[:.\-\u2013\u2014)]*\s*(.*)$", re.I
)
_CLAIM = re.compile(r"^\s*(?:claim\s+)?(\d{1,3})\s*[.)]\s+(?=\S)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[a-z\])])\.\s+(?=[A-Z][a-z]+\s)")
_MARGIN = re.compile(r"^\s*\d{1,3}\s*$")


@dataclass(frozen=True, slots=True)
class WrittenName:
    """A place at which a document seems to write a name.

    Attributes:
        section: Part of the document.
        location: The place in words.
        label: Example or compound number; "" where none is told.
        forms: Ways to read it, the likeliest first; each may be no name.
        parts: What it may be a list of, where no form is a name.
    """

    section: Section
    location: str
    label: str
    forms: tuple[str, ...]
    parts: tuple["WrittenName", ...] = ()


@dataclass(frozen=True, slots=True)
class ReadName:
    """A name that became a structure."""

    section: Section
    location: str
    label: str
    name: str
    smiles: str


def find_names(texts: Sequence[PatentText]) -> list[WrittenName]:
    """Return the places of names in texts of one document, claims first, at most 800."""
    names: list[WrittenName] = []
    for text in sorted(texts, key=lambda text: text.section != "claims"):
        lines = [line for line in text.lines if not _MARGIN.match(line.text)]
        if text.section == "claims":
            names += _read_claims(lines)
        elif text.section == "description":
            names += _read_headings(lines)
    return names[:MOST_A_DOCUMENT]


def list_forms(names: Sequence[WrittenName]) -> Iterator[str]:
    """Yield all forms that are to be asked."""
    for name in names:
        yield from name.forms
        yield from list_forms(name.parts)


def settle(names: Sequence[WrittenName], drawn: Mapping[str, str]) -> list[ReadName]:
    """Return what was read: the likeliest form of each place, else the parts of its list.

    Args:
        names: Places.
        drawn: SMILES by form; a form without a structure is left out.
    """
    read: list[ReadName] = []
    for written_name in names:
        name = next((form for form in written_name.forms if form in drawn), "")
        if name:
            read.append(
                ReadName(
                    written_name.section,
                    written_name.location,
                    written_name.label,
                    name,
                    drawn[name],
                )
            )
        else:
            read += settle(written_name.parts, drawn)
    return read


def _read_claims(lines: Sequence[TextLine]) -> Iterator[WrittenName]:
    """Yield the names of each claim, list by list."""
    for number, page, parts in _split_claims(lines):
        location = f"claims, claim {number}" if number else "claims"
        location = f"{location}, page {page}" if page else location
        for text in " \n".join(parts).split(";"):
            for name, label in split_words(text):
                yield from _offer(name, WrittenName("claims", location, label, ()))


def _split_claims(lines: Sequence[TextLine]) -> Iterator[tuple[str, int, list[str]]]:
    """Yield number, page and lines of each claim; numbers rise, so a locant is none."""
    number, page, parts = 0, 0, list[str]()
    for line in lines:
        match = _CLAIM.match(line.text)
        if match and number < int(match[1]) <= number + 3:
            if parts:
                yield str(number or ""), page, parts
            number, page, parts = int(match[1]), line.page, [line.text[match.end() :]]
        else:
            page = page if parts else line.page
            parts.append(line.text)
    if parts:
        yield str(number or ""), page, parts


def _read_headings(lines: Sequence[TextLine]) -> Iterator[WrittenName]:
    """Yield the name of each heading: on its line, or alone on one of the lines below.

    The product of the last step stands for its example where the heading itself names none.
    """
    example, is_named, steps = "", False, list[WrittenName]()
    for index, line in enumerate(lines):
        match = _HEADING.match(line.text)
        step = None if match else _STEP.match(line.text)
        if match:
            yield from _end_example("" if is_named else example, steps)
            example = " ".join(f"{match[1]} {match[2]}".split())
            named = _name_below(match[3], lines[index + 1 :], _at(example, example, line))
            is_named, steps = bool(named), []
            yield from named
        elif step:
            heading = f"{step[1]} {step[2]}"
            at = _at(f"{heading} of {example}" if example else heading, "", line)
            steps += _name_below(step[3], lines[index + 1 :], at)
    yield from _end_example("" if is_named else example, steps)


def _end_example(example: str, steps: Sequence[WrittenName]) -> Iterator[WrittenName]:
    """Yield the steps of an example; the last one's product is that of an unnamed example."""
    for number, step in enumerate(steps, start=1):
        if example and number == len(steps):
            location = re.sub(
                r"(?<=description, )(.+?) of (.+?)(?=$|, page)", r"\2, \1", step.location
            )
            yield replace(step, location=location, label=example)
        else:
            yield step


def _at(location: str, label: str, line: TextLine) -> WrittenName:
    page = f", page {line.page}" if line.page else ""
    return WrittenName("description", f"description, {location}{page}", label, ())


def _name_below(remainder: str, below: Sequence[TextLine], at: WrittenName) -> list[WrittenName]:
    """Return the name behind a heading, or on the lines below it; nothing where prose begins."""
    following = []
    for line in below[: MOST_LINES + 1]:
        if _HEADING.match(line.text) or _STEP.match(line.text):
            break
        following.append(line.text)
    names = (
        _name_of_lines([remainder, *following[: MOST_LINES - 1]], at) if remainder.strip() else []
    )
    for start in range(min(2, len(following))):
        names = names or _name_of_lines(following[start : start + MOST_LINES], at)
    return names


def _name_of_lines(lines: Sequence[str], at: WrittenName) -> list[WrittenName]:
    """Return the name with which the first line begins; it may run on over the others."""
    first = _SENTENCE_END.split(lines[0], maxsplit=1)[0]
    label = LABEL.search(first)
    name = next((text for text, _ in split_words(LABEL.sub(" ", first))), "")
    if len(name) < LEAST_SHARE * _weigh(first) or len(first) > LONGEST_NAME * 2:
        return []
    at = replace(at, label=at.label or " ".join((label[1] if label else "").split()))
    runs_on = first.strip(EDGES).endswith(name) and label is None
    forms: list[str] = []
    for number in range(len(lines) if runs_on else 1, 1, -1):
        joined = " \n".join([name, *lines[1:number]])
        forms += write_forms(_SENTENCE_END.split(joined, maxsplit=1)[0])
    forms += write_forms(name)
    return [replace(at, forms=tuple(dict.fromkeys(forms)))] if forms else []


def _weigh(line: str) -> int:
    """Return the length of what a line says besides its label and words of a synthesis."""
    return len(" ".join(word for word in LABEL.sub(" ", line).split() if not is_stop(word)))


def _offer(text: str, at: WrittenName) -> Iterator[WrittenName]:
    """Yield a stretch as one name, or as a list of names with commas between them."""
    pieces = [segment.strip(EDGES) for segment in re.split(r",\s+", text)]
    parts = tuple(
        replace(at, forms=tuple(write_forms(piece)))
        for piece in pieces
        if len(pieces) > 1 and is_chemical(piece)
    )
    forms = dict.fromkeys((*write_forms(text), *write_forms(without_ends(text))))
    if forms or parts:
        yield replace(at, forms=tuple(forms), parts=parts)
