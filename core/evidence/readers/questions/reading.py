"""Reads a question: targets, diseases, drugs, kinds, stages, patients, routes, negations.

Every word ends as one of: understood, plain speech, left over. A word is a gene first, then a
disease, then a drug of which the evidence has an asset; the same reading serves the query, the
indication and the description of a candidate.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise

from core.evidence.names.aliases import Named
from core.evidence.names.cleaning import clean_text
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import split_glued
from core.evidence.readers.disease_phrases import find_diseases, own_words
from core.evidence.readers.questions.named import (
    WHATEVER,
    Diseases,
    Held,
    take_companies,
    take_diseases,
    take_drug_words,
    take_drugs,
    take_short_words,
)
from core.evidence.readers.questions.parsed import (
    WORD,
    Change,
    ParsedText,
    Piece,
    Sheet,
    is_earlier,
)
from core.evidence.readers.questions.spelling import mend, translate
from core.evidence.readers.questions.targets import (
    adjacent_to,
    find_long_targets,
    names_target,
    other_readings,
    take_targets,
    targets_of_markers,
)
from core.evidence.readers.target_expressions import CLASS_WORD, MARKER
from core.records.names import fold_name
from core.records.programs import TargetExpression
from core.records.stages import STAGES, Stage
from core.vocabulary.amounts import find_bound
from core.vocabulary.biomarkers import find_spans
from core.vocabulary.class_words import class_mechanisms, load_class_words
from core.vocabulary.event_types import EventType
from core.vocabulary.event_words import take_event_words
from core.vocabulary.lines import AskedLine
from core.vocabulary.phrase_words import phrase_pattern, phrase_words
from core.vocabulary.query_words import QueryWordRow, WordKind, fold_word, spellings
from core.vocabulary.regulators import agencies_of

LONGEST = 6
"""Words of the longest spelling."""
Taken = dict[WordKind, list[str]]


def _take(sheet: Sheet, *, says_something: bool) -> Taken:
    """Mark the words of the table that say something, or else plain speech; return them by kind.

    One spelling may be a word of two kinds: a PROTAC is a modality and a way of acting.
    """
    rows_by_position: list[tuple[int, QueryWordRow]] = []
    for start, end, text in sheet.runs(LONGEST):
        rows = [
            row
            for row in spellings().get(fold_word(text), ())
            if (row.kind != "plain") == says_something and _is_meant(row, text)
        ]
        if rows and sheet.is_free(start, end):
            kind = "left over" if rows[0].kind == "unread" else rows[0].kind
            if kind == "modality" and is_earlier(sheet, start, end):  # "who failed biologics"
                sheet.take(start, end, "population", f"after {text}")
                continue
            sheet.take(start, end, kind, rows[0].word if says_something else "")
            rows_by_position += [(start, row) for row in rows]
    by_kind: Taken = defaultdict(list)
    for _, row in sorted(rows_by_position, key=lambda entry: entry[0]):
        by_kind[row.kind].append(row.word)
    return by_kind


def _is_meant(row: QueryWordRow, text: str) -> bool:
    """Return whether case tells a word from another: "US" is a country, "us" is none."""
    others = spellings()[fold_word(text)]
    is_short = len(text) < 3 and any(other.kind == "plain" for other in others)
    return not is_short or row.kind == "plain" or row.said == text


MOST_WORDS = 600
"""Words that are read; what follows is left over, and said so."""
MOST_MENDED = 6
"""Words of a question that are tried with another spelling."""
LONGEST_REFUSAL = 150
"""Characters of what one negation refuses."""
MOST_REFUSALS = 12
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_NOT = phrase_pattern("refuses what follows") + r"|other \w+ than|"
_NOT += r"(?:(?:do|does|did|has|have)(?: not|n['\u2019]t)(?: yet)?|yet to) "
_NOT += r"(?:gain(?:ed)?|get|got|have|had|hold|obtain(?:ed)?|receive[d]?|secured?|win|won)"
_ON_MARKET = r"(?:approved|authori[sz]ed|available|launched|licensed|marketed)"
_IN = r"(?<!approved )(?<!available )(?<!launched )(?<!marketed )in"
_CLAUSE = rf"\b(?:but|{_IN}|for|with|against|is|are|was|has|have|that|who|which)\b"
_SAID = rf"(?:(?!{_CLAUSE}|\b(?:and|or)\s+(?:{_NOT})[\s-])[^,;:()?])+?"
_LIST = rf"{_SAID}(?:, {_SAID})*,? (?:and|or|nor) (?!(?:{_NOT})[\s-]){_SAID}"
_ENDING = rf"\s+(?:(?:and|or)\s+(?:{_NOT})[\s-]|{_CLAUSE})|[,;:()?]|\.(?!\d)|$"
_GLUED = re.compile(r"(?<=\d)[x\u00d7](?=[a-z]{2,6}-?\d)", re.IGNORECASE)
"""Two targets in small letters: "cd20xcd3"."""
_PREFIX = re.compile(r"\b(?:non|ex)-(?P<said>\S+(?: [^\s,;()?]+)?)", re.IGNORECASE)
"""A negation of one name: "non-opioid", "ex-China", "non-Rho kinase"."""
_BEHIND = re.compile(
    r"(?<![^\s,;()?])(?P<said>(?<=[,;(] )[^,;()?]+?|[^\s,;()?]+)\s+"
    rf"{phrase_pattern('refuses what precedes')}\b",
    re.IGNORECASE,
)
_TAKEN_OUT = re.compile(
    r"\b(?:with|cut|filter|hav(?:e|ing)|keep(?:ing)?|leav(?:e|ing)|put(?:ting)?|rule|screen|"
    r"set(?:ting)?|strip|tak(?:e|ing)|weed) (?:the |all )?"
    r"(?P<said>(?:(?!\b(?:that|which|who)\b)[^,;()?]){2,60}?) "
    rf"(?:alone|out(?: of(?: it| this)?)?|{phrase_pattern('refuses what precedes')})(?![\w-])",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:(?:that|which)\s+(?P<said>[^,;()?]{2,40}?)(?<! is)(?<! are)(?<! was)(?<! were)|"
    r"(?P<agency>(?:the\s+)?(?:FDA|EMA|PMDA|NMPA)))"
    r"\s+(?:(?:do|does|did|has|have)(?:\s+not|n['\u2019]t|\s+never)|never)(?:\s+yet)?\s+"
    r"(?:approved?|authori[sz]ed?|cleared?|developed?|have|hold|launch(?:ed)?|licensed?|"
    r"market(?:ed)?|own|sell|sponsor(?:ed)?)\b",
    re.IGNORECASE,
)
"""What somebody does not own or has not approved."""
_ALL_BUT = re.compile(
    r"\b((?:all|any(?:one|thing|where)?|every(?:one|thing|where)?)\b[^,;.?]*?)"
    r"\b(?:bar|but|save)\b(?! not| for)",
    re.IGNORECASE,
)
_FILLER = r"the|any|all|any(?:one|thing)|every(?:one|thing)|those|from"
_VERBS = r"consider|include|need|want|(?:based|developed|domiciled|headquartered|held|invented|"
_VERBS += r"licensed|made|originat\w+|owned|partnered|sold|sponsored) (?:by|from|in|to|with)"
_NEGATION = re.compile(
    rf"\b(?:{_NOT})[\s-]+(?:(?:{_FILLER}|in|for|{_VERBS})\s+)*(?P<said>{_LIST}|{_SAID})(?={_ENDING})",
    re.IGNORECASE,
)
_LEAVE = re.compile(r"\b(?:approv|authori[sz]|clear|licen[cs])\w*", re.IGNORECASE)
_APPROVED = re.compile(rf"\b{_ON_MARKET}\b", re.IGNORECASE)
_ALONE = r"(?:only|exclusively|solely)"
_EITHER = re.compile(r",|/|\b(?:and|or)\b", re.IGNORECASE)
_BOTH = re.compile(r"\bboth\b(?=.*\band\b)", re.IGNORECASE)
_APPROVED_ALONE = re.compile(rf"\b(?:{_ON_MARKET} {_ALONE}|{_ALONE} {_ON_MARKET})\b", re.I)
_JOINED = re.compile(r"\s*(?:,|,? and|&|\+|,? as well as)\s*(?:also )?(?:by )?(?:the )?")
_BOUND = re.compile(
    r"\b(?:(?P<least>(?:at least|from|minimum(?: of)?|no earlier than)\s+)"
    r"|(?P<most>(?:at most|before|below|(?:earlier|less|lower) than|max(?:imum)?(?: of)?|up to|"
    r"(?:no|not|nothing)(?: (?:further|later|more advanced))? (?:above|after|beyond|past|than))\s+)"
    r"|(?P<past>(?:beyond|past)\s+))?"
    r"p(?:h(?:ase)?)?[.\s-]*(?P<phase>[1-3]|I{1,3})[ab]?\b"
    r"(?P<later>\s*\+|(?:,?\s+(?:and|or)|\s*/)\s+(?:above|beyond|further|greater|higher|later|up)\b"
    r"|\s+(?:onwards?|plus|upwards?)\b)?"
    r"(?P<earlier>\s+(?:and|or)\s+(?:below|earlier|lower|younger)\b)?",
    re.IGNORECASE,
)
"""A phase as the first or the last one that counts: "at least phase 2", "phase II and up"."""


_FREE = re.compile(r"(?<![\w-])(?P<said>[\w+]+)-(?:free|sparing)\b", re.IGNORECASE)
_PHASE = r"(?:1/2|2/3|[1-3]|I{1,3})[ab]?(?![\w/])"
_PHASES = re.compile(
    rf"\bph(?:ase)?s?[.\s-]*(?P<phases>{_PHASE}"
    rf"(?:(?:\s*(?:,|&|-)\s*|,?\s+(?:and|or|through|to)\s+)(?:ph(?:ase)?s?[.\s-]*)?{_PHASE})+)",
    re.IGNORECASE,
)
"""Several phases: "phase 1 or 2", "phases I-III"."""
_ON_SALE = re.compile(
    r"\b(?:anything|everything|those|what(?:ever)?)(?:\s+that)?(?:\s+(?:is|are)|['\u2019](?:s|re))?"
    rf"(?:\s+already)?\s+(?:on the market|sold|{_ON_MARKET})\b",
    re.IGNORECASE,
)
"""What is approved, as a clause: "whatever is already on the market"."""
_PLACE = r"(?:the )?(?:China|Chinese|EMA|EU|Europe(?:an)?|FDA|Japan(?:ese)?|NMPA|PMDA|U\.?S\.?)"
_SOLD_IN = re.compile(rf"\bavailable (?=in {_PLACE}\b)", re.IGNORECASE)
_CAPITAL = re.compile(
    r"\bmarket cap(?:itali[sz]ation)?s?\b(?: (?:above|at|below|between|least|less|more|of|over|"
    r"than|to|under|up)\b| ?[<>]| ?[$\u20ac\u00a3]? ?\d[\d.,]* ?(?:bn|billion|b|mn|million|m)\b)*",
    re.IGNORECASE,
)
_SPLIT = re.compile(
    rf"\b(?:an? )?(?P<has>{_PLACE}) but (?:no|not an?|without an?) (?P<lacks>{_PLACE}) "
    r"(?:approvals?|authori[sz]ations?|clearances?|licen[cs]es?)\b",
    re.IGNORECASE,
)
"""One approval and not the other: "with a US but no EU approval"."""


def _read_bound(match: re.Match[str]) -> str:
    """Return a bound of stages in the words of the table: "phase 2 or later"."""
    phase = len(match["phase"]) if match["phase"][0] in "iI" else int(match["phase"])
    word = (match["most"] or "").strip().casefold()
    if match["past"]:
        return f"phase {phase + 1} or later" if phase < 3 else "filed or approved"
    if match["least"] or match["later"]:
        return f"phase {phase} or later"
    if word in {"before", "below", "earlier than", "less than", "lower than"}:
        return f"phase {phase - 1} or earlier" if phase > 1 else "preclinical"
    if match["most"] or match["earlier"]:
        return f"phase {phase} or earlier"
    return match[0]


def _read_free(match: re.Match[str]) -> str:
    """Return what a drug is free of as a refusal, where it is a class of drugs: "opioid-free"."""
    is_class = fold_name(match["said"]) in load_class_words()
    return f"non-{match['said']}" if is_class else match[0]


def _read_phases(match: re.Match[str]) -> str:
    """Return several phases one by one; of a range those between, too."""
    said = re.findall(r"1/2|2/3|[1-3]|I{1,3}", match["phases"], re.IGNORECASE)
    phases = [str(len(phase)) if phase[0] in "iI" else phase for phase in said]
    if re.search(r"-|\bto\b|through", match["phases"], re.IGNORECASE):
        phases = list(map(str, range(int(min(phases)[0]), int(max(phases)[-1]) + 1)))
    return " or ".join(f"phase {phase}" for phase in phases)


@dataclass
class _Read:
    """What the readers found in one question."""

    targets: list[TargetExpression] = field(default_factory=list)
    diseases: Diseases = field(default_factory=Diseases)
    drugs: list[Named] = field(default_factory=list)
    companies: list[str] = field(default_factory=list)
    biomarkers: list[str] = field(default_factory=list)
    taken: Taken = field(default_factory=dict)


def parse_text(text: str, resolver: Resolver, lookup: Held = WHATEVER) -> ParsedText:
    """Return what a text asks for."""
    tidied = _DASHES.sub("-", clean_text(unicodedata.normalize("NFKC", text)))
    first, unread = _cut(tidied)
    english, changes = translate(first)
    english, more = _cut(english)
    parsed = _parse(english, resolver, lookup)
    unread_words = {x.said for x in parsed.pieces if x.became == "left over" and x.meant}
    mended = mend([word for word in parsed.words if word not in unread_words], resolver)
    parsed, mended = _respell(english, parsed, mended, lambda text: _parse(text, resolver, lookup))
    all_changes = (*changes, *mended, *parsed.changes)
    return replace(parsed, text=tidied, changes=all_changes, unread=f"{more} {unread}".strip())


def split_events(text: str, resolver: Resolver) -> tuple[tuple[EventType, ...], str]:
    """Return the types of events that a question names, and the question without their words.

    Words inside the name of a disease name no event: "kidney transplant rejection".
    """
    types, remainder = take_event_words(text)
    if not types:
        return types, remainder
    names = [disease.said for disease in find_diseases(text, resolver, shortest=2)]
    return take_event_words(text, names) if names else (types, remainder)


def _cut(text: str) -> tuple[str, str]:
    """Return as much of a text as is read, and the rest."""
    ends = (match.end() for match in WORD.finditer(text))
    last = next(islice(ends, MOST_WORDS - 1, None), len(text))
    return text[:last], text[last:].strip()


def _respell(
    text: str, parsed: ParsedText, changes: Iterable[Change], read: Callable[[str], ParsedText]
) -> tuple[ParsedText, list[Change]]:
    """Return a text as it reads with its words mended, the longest first, and what was mended.

    A word that is understood once another one is mended stays: "myastenia gravis".
    """
    respelled: list[Change] = []
    for change in sorted(changes, key=lambda change: -len(change.said)):
        if change.why != "mended":
            respelled.append(change)
            continue
        if not any(change.said in word.split() for word in parsed.words):
            continue
        spelled = _spell(text, [change])
        better = read(spelled) if len(respelled) < MOST_MENDED else parsed
        if len(better.words) < len(parsed.words):
            text, parsed = spelled, better
            respelled.append(change)
        else:
            respelled.append(replace(change, why="offered"))
    return parsed, respelled


def _spell(text: str, changes: Iterable[Change]) -> str:
    for change in changes:
        if change.why == "mended":
            text = re.sub(rf"\b{re.escape(change.said)}\b", change.meant, text)
    return text


def _parse(text: str, resolver: Resolver, lookup: Held, *, refuses: bool = True) -> ParsedText:
    """Read a text; what is refused is read as a text of its own, in which nothing is refused."""
    text = _BOUND.sub(_read_bound, _PHASES.sub(_read_phases, text))
    text = _ON_SALE.sub("approved", _SOLD_IN.sub("marketed ", text))
    text = _FREE.sub(_read_free, _CAPITAL.sub("market capitalization", text))
    text = _SPLIT.sub(r"approved in \g<has>, not approved in \g<lacks>", text)
    text = _ALL_BUT.sub(r"\1except", text)
    sheet = Sheet(split_glued(_GLUED.sub(" x ", text)))
    read = _Read()
    markers = list(_markers(sheet))
    places = {index for start, end, _ in markers for index in range(start, end)}
    if amount := find_bound(sheet.text):
        sheet.take(amount.start, amount.end, "left over", "amount of a deal")
    denied = _take_negations(sheet, resolver, lookup) if refuses else ParsedText("")
    sheet.reserved = find_long_targets(sheet.text, resolver)
    take_diseases(sheet, resolver, read.diseases, shortest=2, markers=places)
    read.drugs = take_drug_words(sheet, resolver)
    read.biomarkers = _take_biomarkers(sheet, markers)
    read.drugs += take_drugs(sheet, resolver, lookup, shortest=2)
    read.targets, target_changes = take_targets(sheet, resolver)
    sheet.reserved = []
    read.biomarkers += target_changes
    read.companies, sharing = take_companies(sheet)
    read.diseases.changes += sharing
    read.taken = _take(sheet, says_something=True)
    take_diseases(sheet, resolver, read.diseases)
    read.drugs += take_drugs(sheet, resolver, lookup)
    take_short_words(sheet, resolver, read.diseases)
    _take(sheet, says_something=False)
    if not (read.targets or read.diseases.named or read.drugs):
        read.targets = targets_of_markers(sheet, resolver)
    return _parsed(sheet, read, denied, resolver)


def _markers(sheet: Sheet) -> Iterator[tuple[int, int, str]]:
    """Yield the biomarkers that tell the patients.

    "HER2-low breast cancer" tells the patients, "KRAS G12C inhibitors" the drugs.
    """
    for start, end, name in find_spans(sheet.text):
        following = sheet.after(end)
        is_marker = any(MARKER.match(sheet.text, index) for index in range(start + 2, end))
        text = sheet.text[start:end]
        is_marker = is_marker or text.endswith(("+", "-")) or not names_target(text)
        if is_marker and not (following and CLASS_WORD.fullmatch(following[0])):
            yield start, end, name


def _take_biomarkers(sheet: Sheet, markers: Iterable[tuple[int, int, str]]) -> list[str]:
    """Mark the biomarkers that tell the patients; return all that the question speaks of."""
    for start, end, name in markers:
        if sheet.is_free(start, end) and fold_name(sheet.text[start:end]) not in own_words():
            sheet.take(start, end, "biomarker", name)
    return list(dict.fromkeys(name for _, _, name in find_spans(sheet.text)))


_NOT_REFUSED = frozenset({"line", "population", "biomarker", "intent"})
"""Qualifiers by which no drug can be excluded; the answer says so."""


def _take_negations(sheet: Sheet, resolver: Resolver, lookup: Held) -> ParsedText:
    """Mark the negated parts of a question and return what they refuse.

    A negated part in which nothing is understood stays in the question; so does "non-small".
    """
    refused = ParsedText("")
    named = find_diseases(sheet.text, resolver)
    patterns = (_DENIED, _TAKEN_OUT, _PREFIX, _BEHIND, _NEGATION)
    places = [match for pattern in patterns for match in pattern.finditer(sheet.text)]
    for match in [match for match in places if len(_said(match)) <= LONGEST_REFUSAL][
        :MOST_REFUSALS
    ]:
        is_name = match.re is not _BEHIND and any(
            named_disease.start <= match.start() < named_disease.end
            for named_disease in named
            if named_disease.match.key or named_disease.match.candidates
        )
        if is_name or not sheet.is_free(match.start(), match.end()):
            continue
        refused_text = _said(match)
        if match.re is _PREFIX:
            refused_text = _first_name(refused_text, resolver, lookup)
        parsed = _parse(refused_text, resolver, lookup, refuses=False)
        first = parsed.pieces[0] if parsed.pieces else None
        if first and first.became in _NOT_REFUSED:  # "not first-line melanoma" refuses no melanoma
            sheet.take(match.start(), match.start("said") + first.end, "left over", "")
            continue
        if agencies := _without_approval(sheet, match, parsed):
            sheet.take(match.start(), match.end(), "refused", refused_text)
            refused = _add_refused(refused, ParsedText("", agencies=agencies))
            continue
        if first and first.became == "stage" and first.end < len(refused_text):
            refused_text = refused_text[
                : first.end
            ]  # "not approved PARP inhibitors" refuses no PARP inhibitor
            parsed = _parse(refused_text, resolver, lookup, refuses=False)
        if (
            "," in refused_text
            and parsed.stages
            and any((parsed.routes, parsed.companies, parsed.regions))
        ):
            refused_text = refused_text.partition(",")[0]  # "not given by injection, phase 2 and 3"
            parsed = _parse(refused_text, resolver, lookup, refuses=False)
        if parsed.unknown_diseases or not _says_something(parsed):
            continue
        is_whole = match.re in {_BEHIND, _DENIED, _TAKEN_OUT}
        end = match.end() if is_whole else match.start("said") + len(refused_text)
        sheet.take(match.start(), end, "refused", refused_text)
        refused = _add_refused(refused, parsed)
    return refused


def _first_name(text: str, resolver: Resolver, lookup: Held) -> str:
    """Return both words of a text where they are one name, else the first."""
    parsed = _parse(text, resolver, lookup, refuses=False)
    is_one = len(parsed.pieces) == 1 and _says_something(parsed)
    return text if is_one else text.partition(" ")[0]


def _said(match: re.Match[str]) -> str:
    """Return what a negated part refuses."""
    return match["said"] or match["agency"]


def _without_approval(sheet: Sheet, match: re.Match[str], parsed: ParsedText) -> tuple[str, ...]:
    """Return the agencies without whose approval drugs shall be.

    So "not approved in the US", "but not by the FDA", "approved in Europe, not in Japan".
    """
    is_in = re.match(r"(?:but\s+)?not(?:\s+\(?yet\)?)?\s+in\b", match[0], re.IGNORECASE)
    is_in_turn = is_in and _APPROVED.search(sheet.text, 0, match.start())
    is_approval = parsed.stages == ("APPROVED",) or is_in_turn or _LEAVE.search(_said(match))
    return parsed.agencies or (agencies_of(parsed.regions) if is_approval else ())


def _says_something(parsed: ParsedText) -> bool:
    named = (parsed.targets, parsed.diseases, parsed.drugs, parsed.companies, parsed.regions)
    return any((*named, parsed.modalities, parsed.stages, parsed.routes))


def _add_refused(before: ParsedText, parsed: ParsedText) -> ParsedText:
    return replace(
        before,
        not_modalities=_sorted((*before.not_modalities, *parsed.modalities)),
        not_drugs=(*before.not_drugs, *parsed.drugs),
        not_targets=(*before.not_targets, *parsed.targets),
        not_diseases=(*before.not_diseases, *parsed.diseases),
        not_stages=tuple(x for x in STAGES if x in {*before.not_stages, *parsed.stages}),
        not_routes=_sorted((*before.not_routes, *parsed.routes)),
        not_companies=_sorted((*before.not_companies, *parsed.companies)),
        not_regions=_sorted((*before.not_regions, *parsed.regions)),
        not_agencies=_sorted((*before.not_agencies, *parsed.agencies)),
    )


def _left_over(pieces: Iterable[Piece], text: str) -> Iterator[str]:
    """Yield what is left over; codes and negated words stay whole: "QZX-9911", "non-steroidal"."""
    code, end = "", -1
    for piece in pieces:
        if piece.became != "left over":
            continue
        word = piece.said.strip("'\u2019+")
        is_code = any(sign.isdigit() for sign in f"{code}{word}") or code.casefold() == "non"
        if code and is_code and text[end : piece.start] == "-":
            code, end = f"{code}-{word}", piece.end
            continue
        yield code
        code, end = word, piece.end
    yield code


def _parsed(sheet: Sheet, read: _Read, denied: ParsedText, resolver: Resolver) -> ParsedText:
    """Return the fields of what was read; what nobody has understood is left over."""
    taken = read.taken
    pieces = sheet.finished()
    left = list(_left_over(pieces, sheet.text))
    treated = [piece.meant for piece in pieces if piece.became == "population"]
    earlier = [words for words in treated if words.startswith("after ")]
    stages = [
        (piece.meant, sheet.text.rfind("(", 0, piece.start) > sheet.text.rfind(")", 0, piece.start))
        for piece in pieces
        if piece.became == "stage"
        and not set(sheet.before(piece.start)) & phrase_words("before more")
    ]
    exact = [word for word in stages if word[1]]
    stages = exact or stages  # "late-stage (phase 3 / filed)"
    over = [word for word in stages if word[0] == "DISCONTINUED"]
    if over and not _EITHER.search(sheet.text):  # "discontinued in phase 3" is under way nowhere
        left += [x.said for x in pieces if x.became == "stage" and x.meant != "DISCONTINUED"]
        stages = over
    return replace(
        denied,
        text=sheet.text,
        targets=tuple(sorted(read.targets, key=lambda target: target.text)),
        adjacent=tuple(adjacent_to(read.targets, resolver)),
        mechanisms=_sorted([*taken.get("mechanism", ()), *_class_mechanisms(pieces)]),
        diseases=_distinct(read.diseases.named),
        is_in_all_diseases=_BOTH.search(sheet.text) is not None and len(read.diseases.named) > 1,
        drugs=_distinct(read.drugs),
        biomarkers=tuple(dict.fromkeys(read.biomarkers)),
        modalities=_sorted(
            [component for word in taken.get("modality", ()) for component in word.split("|")]
        ),
        lines=tuple(sorted({AskedLine(line) for line in taken.get("line", ())})),
        stages=_read_stages(word for word, _ in stages),
        stage_words=_read_stages(word.partition("|")[0] for word, _ in stages),
        routes=_sorted(taken.get("route", ())),
        populations=_sorted((*taken.get("population", ()), *read.diseases.populations, *earlier)),
        regions=_sorted(taken.get("region", ())),
        territories=_sorted(_territories(sheet)),
        agencies=_sorted(taken.get("agency", ())),
        is_approved_alone=_APPROVED_ALONE.search(sheet.text) is not None,
        is_approved_by_all=_are_joined(
            sheet, [piece for piece in pieces if piece.became == "agency"]
        ),
        companies=tuple(read.companies),
        intents=_sorted(taken.get("intent", ())),
        unknown_diseases=tuple(read.diseases.unknown),
        words=tuple(sorted(dict.fromkeys(filter(None, left)), key=str.casefold)),
        changes=(*read.diseases.changes, *other_readings(sheet, resolver)),
        pieces=pieces,
    )


def _class_mechanisms(pieces: Iterable[Piece]) -> Iterator[str]:
    """Yield how drugs of the classes act that a question names: SERDs are degraders."""
    for piece in pieces:
        if piece.became == "target" and (word := class_mechanisms().get(fold_name(piece.said))):
            yield word


def _are_joined(sheet: Sheet, agencies: Sequence[Piece]) -> bool:
    """Return whether every one of several regulators is asked for: "both the FDA and the EMA"."""
    between = [
        sheet.text[first.end : second.start].casefold()
        for first, second in pairwise(sorted(agencies, key=lambda piece: piece.start))
    ]
    return bool(between) and all(_JOINED.fullmatch(words) for words in between)


def _territories(sheet: Sheet) -> Iterator[str]:
    """Yield the regions in which a drug shall be sold: "in Europe or Japan", "China rights"."""
    is_before = False
    for piece in sorted(sheet.pieces, key=lambda piece: piece.start):
        if piece.became != "region":
            continue
        before, after = set(sheet.before(piece.start)), set(sheet.after(piece.end))
        if set(sheet.before(piece.start, 3)) & phrase_words("before home"):
            continue
        is_joined = is_before and bool(before & {"and", "or"})
        is_before = is_joined or bool(
            before & phrase_words("before territory") or after & phrase_words("behind territory")
        )
        if is_before:
            yield piece.meant


def _sorted(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(words)))


def _distinct(named: Iterable[Named]) -> tuple[Named, ...]:
    first = {entry.key or entry.said: entry for entry in reversed(list(named))}
    return tuple(sorted(first.values(), key=lambda named: named.key))


def _read_stages(words: Iterable[str]) -> tuple[Stage, ...]:
    """Return the stages that words stand for, the highest first."""
    stages = {stage for word in words for stage in word.split("|")}
    return tuple(stage for stage in STAGES if stage in stages)
