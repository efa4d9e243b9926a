"""The uses of a label, one by one, as its section of indications tells them.

The section says most uses twice, in its highlights and below; a sentence on accelerated approval
speaks of the use before it, a limitation of use of the uses before it. What stands before a list
("for the treatment of adults with:") holds for its entries; where an entry tells a line or regimen
alone ("as monotherapy after ..."), it is read with what stands before it. The name of a disease
above its uses is no use.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.evidence.readers.trial_settings import read_biomarker, read_line
from core.records.precedents import AgeGroup, Regimen, UseReading
from core.vocabulary.biomarkers import find_biomarkers
from core.vocabulary.lines import Line

PART = "\u00b6"
"""Where a numbered part of the section begins."""
ENTRY, OPENING = "\u204b", "\u2982"
"""Behind an entry that ends with its number, and behind what ends with a colon."""
LEAST_USE = 15
LONGEST_HEADING = 12
"""Words of the name of a disease above its uses."""
MOST_LIMITED = 3
"""Uses of which a limitation speaks; of a longer list it is said of the last one."""
LONGEST_SECTION = 20_000
_REFERENCE = re.compile(r"\[\s*see\b[^\]]*\]|\(\s*see [^()]*(?:\([^()]*\)[^()]*)*\)", re.IGNORECASE)
_NUMBER = re.compile(r"\(\s*\d+(?:\.\d+)*(?:\s*[,;]\s*\d+(?:\.\d+)*)*\s*\)")
_HEAD = re.compile(r"^\s*(?:\d+\.?\s*)?INDICATIONS?\s*(?:AND|&)\s*USAGE:?\s*", re.IGNORECASE)
_SECTION = re.compile(r"(?<![\w.,(])1\.\d+\s+(?=[A-Z(])")
_PIECES = re.compile(
    r"\u00b6|[\u2022\u25cf\u25cb\u25aa\u00b7]|;\s|"
    r"(?<!vs)(?<!e\.g)(?<!i\.e)(?<!\bspp)(?<!\b[A-Z])\.\s+"
    r"(?=[A-Z\u2022(*\u2020\u2021])|(?<=\u2982)\s+(?=[A-Z\u2022])|"
    r"(?:(?<=\bof\u2982)|(?<=\bfor\u2982)|(?<=indicated\u2982)|"
    r"(?<=\bwith\u2982)(?<!combination with\u2982))\s+"
)
_COLON = re.compile(r"\s*:(?=\s)")
_LEAD = re.compile(
    r"\bindicated(?: (?:for|in|as|to|by))?$|\b(?:treatment|risk) of$|\bfollowing$|\b(?:with|for)$|"
    r"\bindicated\b.*\b(?:of|in|as|to)$"
)
_ALONE_TOLD = re.compile(
    r"^(?:in combination|as (?:a |an )?(?:first|second|mono|single|adjunct|initial)|alone\b|"
    r"(?:first|second)[- ]line\b|following disease|after (?:prior|failure)|previously\b|who\b)",
    re.IGNORECASE,
)
"""An entry that names a line or a regimen and leaves the disease to what stands above it."""
_USE = re.compile(
    r"\bindicated\b|\b(?:treatment|management|prevention|prophylaxis|relief|reduction|therapy|"
    r"maintenance|induction|control) (?:of|for|in)\b|\bto (?:treat|prevent|reduce|improve|lower|"
    r"slow|delay|increase)\b|\b(?:in combination with|as (?:a )?(?:single agent|monotherapy|"
    r"adjunct))\b|\bfirst[- ]line\b|\b(?:patients?|adults?|women|men|children) (?:\w+ ){0,3}with\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\blimitations? of use|\bnot (?:indicated|recommended|intended|a substitute)\b|"
    r"\b(?:has|have) not been (?:evaluated|studied|established|demonstrated)|\bshould not be used|"
    r"\bnot (?:be )?used (?:for|in)\b|\bnot for (?:the )?(?:treatment|use)\b",
    re.IGNORECASE,
)
_ACCELERATED = re.compile(r"\baccelerated approval\b|\bcontinued approval\b", re.IGNORECASE)
_SIGNS = "*\u2020\u2021\u00a7"
"""Signs of notes: "* This indication is approved under accelerated approval"."""
_OF_SEVERAL = re.compile(r"\bthese indications\b", re.IGNORECASE)
_NO_USE = re.compile(
    r"\bselect patients\b|\bclinical (?:trials?|studies)\b|\befficacy (?:was|of)\b|"
    r"\b(?:effectiveness|safety) (?:of|is|was|and)\b|\bcontinued\b|\bcultures?\b|"
    r"\bsusceptib|\b(?:can|may|must) be\b|\bshould (?:have |be|not|only)|\bbecause of\b|"
    r"\blower(?:s|ing) (?:the|blood)|\bis defined\b|\b(?:has|have|was|were) (?:been )?shown\b|"
    r"\breduces the\b|\bmany patients\b|^patients with (?:EGFR|ALK)|^test|^see\b|"
    r"\bpublished guidelines\b|\bappear to\b|\bis recommended\b|^unlike\b|^there (?:is|are) no\b|"
    r"\bis characterized\b|\bcauses\b|\bhas been used\b",
    re.IGNORECASE,
)
_TEST = re.compile(
    r"\b(?:FDA[- ](?:approved|authorized|cleared)|approved|validated|companion)\b[^.;]{0,40}"
    r"\b(?:test|assay|diagnostic)\b",
    re.IGNORECASE,
)
_BRACKET = re.compile(
    r"\(([A-Za-z][\w./-]{1,9})\)[- ](?=(?:positive|negative|low|high|mutat|mutant))"
)
_LOOSE = re.compile(r"(?<=[A-Z\d]) ?- ?(?=(?:positive|negative|low|high|mutat|mutant))")
_GENES = re.compile(
    r"\bno (?:known )?EGFR(?:,|"
    r" or) (?:[A-Z0-9]+,? (?:or )?)*(?:genomic )?(?:tumor )?(?:aberrations|"
    r"mutations)|(?:\(?\b(?:EGFR|MET|KIT)\)? )?\bexon \d+ (?:deletions?|insertions?|"
    r"skipping)(?: mutations?)?|"
    r"\bexon 21 \(?L858R\)?|"
    r"\bT790M|\bdeletion 5q\b|\bdel\(?5q\)?|\b17p deletion|\balpha[- ]fetoprotein|\bpMMR\b|"
    r"(?-i:\b[A-Z][A-Z0-9]{2,6})\)? (?:gene )?(?:fusions?|re-?arrangements?)|"
    r"(?-i:\b[A-Z][A-Z0-9]{2,6})(?: \(?(?-i:[A-Z0-9]{3,6})\)?)?[- ](?:activating )?mutations?\b|"
    r"\bsomatostatin receptor[- ]positive|"
    r"\bwild[- ]type (?:K|N)?RAS\b|\baquaporin-4 \(AQP4\) antibody positive|"
    r"\bmutations? (?:of|in) the [\w ]{2,20} gene\b|\b(?:PD-L1|HER2|CLDN18\.2|CD\d+)"
    r"(?: \([^()]{1,40}\))? expression\b|\bexpress(?:ing|es)? (?:PD-L1|CD\d+|HER2)\b",
    re.IGNORECASE,
)
_TWICE = re.compile(r"^([A-Z][A-Z0-9]+) [A-Z][A-Z0-9]+(?=-(?:activating )?mutation)")
"""A gene with its symbol from brackets: "HER2 (ERBB2) mutations"."""
_MARKER = re.compile(
    r"\b(?:[A-Z]{2}[A-Z0-9-]*\d*|estrogen receptor|hormone receptor|Philadelphia chromosome|"
    r"androgen receptor|acetylcholine receptor|aquaporin-4|anti-[\w-]+ antibody)"
    r"(?: \([A-Za-z0-9-]+\))?[- ](?:positive|negative|mutated|mutant|mutation|low|rearranged|"
    r"amplified)\b",
)
_SEVERAL_LINES = re.compile(
    r"\b(?:two|three|four|five|2|3|4|5) or more (?:\w+ ){0,3}(?:prior|previous|lines|therap|"
    r"systemic|"
    r"regimens|treatments|inhibitors|tyrosine)|\bat least (?:two|three|four|five|2|3|4|"
    r"5) (?:\w+ ){0,3}(?:prior|"
    r"previous|"
    r"lines|therap|regimens|classes)|\b(?:third|fourth)[- ]line",
    re.IGNORECASE,
)
_UNTREATED = re.compile(
    r"\b(?:not|never) (?:been )?(?:previously |yet )?(?:received|been treated|treated)\b|"
    r"\bno prior (?:systemic|chemo|treat|therap)|\buntreated\b",
    re.IGNORECASE,
)
_REFRACTORY = re.compile(r"\brefractory\b|\brelapsed\b|\bfailure of\b", re.IGNORECASE)
_NOT_LINE = re.compile(
    r"\b(?:has|have) not progressed\b[^.;]*|\bfirst[- ]line (?=maintenance\b)|"
    r"\b(?:after|following) (?:[\w-]+ ){0,3}neoadjuvant\b[^.;]*|"
    r"\bmaintenance of (?:[\w-]+ ){0,2}(?:therapy|an(?:a)?esthesia)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\binitial (?:endocrine|systemic|hormonal)[\w-]* (?:\w+ )?therapy\b|"
    r"\binitial treatment of (?:(?:adult|pediatric) )?patients\b",
    re.IGNORECASE,
)
_EARLIER_LINE = re.compile(
    r"\b(?:response|responding|respond|after|following|on) (?:\w+ ){0,3}?(?:first|"
    r"second)[- ]line[^.;]*",
    re.IGNORECASE,
)
_EARLIER_SETTING = re.compile(
    r"\b(?:in|within|of|after|following|completing) [^.;]{0,40}\b(?:neo)?adjuvant[^.;]*", re.I
)
"""What patients had before: "treated with chemotherapy in the adjuvant setting"."""
_TREATED = re.compile(
    r"\bpreviously (?:been )?(?:treated|received)|\b(?:have|has|had|were|been) (?:previously )?"
    r"(?:been )?(?:treated with|received|failed)|\bprogress(?:ed|ion)\b[^.;]{0,40}\b(?:on|after|"
    r"following|during|despite|with)\b|\b(?:on|after|following) (?:disease )?progression|"
    r"\b(?:after|following|to) (?:at least (?:one|1) |one or more |one |(?:a |an )?)?(?:prior|"
    r"previous|"
    r"failure|unsuccessful)|\brefractory\b|\brelapsed\b|\binadequate(?:ly)? (?:response|respon|"
    r"controlled)|\bnot adequately (?:controlled|respon)|\bintoleran(?:t|ce) (?:of|to)\b|"
    r"\bunresponsive\b|\b(?:after|following) (?:\w+ ){0,3}(?:treatment|therapy|chemotherapy)\b|"
    r"\bfailed\b|\bresistant to\b|\b(?:platinum|treatment|multi-?drug)-resistant\b|"
    r"\bplatinum-sensitive (?:recurrent|relapsed)|"
    r"\breceived (?:no more than |at least )?\w+ prior\b|\bwho (?:have )?received\b|"
    r"\binsufficient response",
    re.IGNORECASE,
)
_ADULT = re.compile(r"\badults?\b|\bwom[ae]n\b|\bm[ae]n with\b|\bpostmenopausal\b|\bmen\b", re.I)
_CHILD = re.compile(
    r"\bp(?:a)?ediatric\b|\bchild(?:ren)?\b(?!-Pugh)|\badolescents?\b|\binfants?\b|"
    r"\bneonat",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"(\d+(?:\.\d+)?)[- ](years?|months?|weeks?|days?)(?:[- ]old)?(?: of age)?(?:,? (?:and|or|&) "
    r"(?:older|above|over|up)|[^.;]{0,14}\b(?:older|above)|(?: of age)? (?:to|through)\b)|"
    r"\bat least (\d+(?:\.\d+)?) (years?|months?|weeks?)(?= (?:old|of age))|"
    r"\baged? (\d+)(?! (?:months|weeks|days))|(?:\u2265|>=) ?(\d+) years|"
    r"\bolder than (\d+) years|\b(\d+) to (?:less than )?\d+ years",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"\b(?P<low>\d+(?:\.\d+)?)(?: (?P<unit>years?|months?|weeks?)(?: of age)?)? ?"
    r"(?:to|through|-|\u2013) ?(?P<less>less than |under |<)?(?P<high>\d{1,2})(?P<years> years)?\b"
    r"(?! ?(?:%|mg|kg|days|weeks|months|hours|lines|prior|cycles))",
    re.IGNORECASE,
)
_NUMERALS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}
_NUMERALS |= {"eight": "8", "ten": "10", "twelve": "12"}
_NUMERAL = re.compile(rf"\b(?:{'|'.join(_NUMERALS)})(?= (?:years|months|weeks)\b)", re.IGNORECASE)
_PARTS = {"year": 1.0, "month": 12.0, "week": 52.0, "day": 365.0}
_WITH = re.compile(
    r"\bin combination (?:regimens? )?with (.{3,140}?)(?=,? (?:for (?:the|first|use|treat|"
    r"patients|adults?|pediatric|wom[ae]n|men)\b|"
    r"(?:is|are) indicated|in (?:adult|patients|pediatric)|as (?:first|a |the|adjuv)|followed|"
    r"with or)\b|"
    r"[;.]|$)|\bused with (.{3,60}?)(?=,? for\b|[;.]|$)",
    re.IGNORECASE,
)
_COMBINED = re.compile(
    r"\bin combination\b|\bcombination regimen\b|\bcombined with\b|\bconcurrent(?:ly)? with\b", re.I
)
_NOT_COMBINED = re.compile(
    r"\bseparately or in combination\b|\bcombination (?:of|treatment with intravenous)\b", re.I
)
"""What was taken before, and drugs within one product."""
_WITH_DIET = re.compile(r"\bin combination with (?:an? )?(?:[\w-]+ )?calorie diet", re.IGNORECASE)
_ALONE = re.compile(r"\bsingle[- ]agent\b|\bmonotherapy\b|\b(?:used )?alone\b", re.IGNORECASE)
_ADDED = re.compile(
    r"\badjunct(?:ive)?\b|\badd-?on\b|\bin addition to\b|\bas an? (?:adjunct|supplement)", re.I
)
ADULT = 18


def read_label_uses(section: str) -> list[UseReading]:
    """Return the uses that a label's section of indications tells, in its order.

    >>> text = "X is indicated in combination with yoxib for adults with relapsed gout. ( 1.1 )"
    >>> [(one.line, one.regimen, one.partners) for one in read_label_uses(text)]
    [('previously treated', 'combination', 'yoxib')]
    """
    uses: list[UseReading] = []
    top = lead = UseReading("")
    first, is_limit = 0, False
    for piece in _without_headings(list(_pieces(section))):
        if piece == PART:
            first, is_limit, lead = len(uses), False, UseReading("")
        elif _ACCELERATED.search(piece):
            _mark(uses, piece, first)
        elif _LIMIT.search(piece) or (is_limit and not _USE.search(piece)):
            first = first if len(uses) - first <= MOST_LIMITED else len(uses) - 1
            uses[first:] = [
                replace(use, limitation=f"{use.limitation} {piece}".strip()) for use in uses[first:]
            ]
            is_limit = True
        elif _NO_USE.search(piece):
            continue
        elif _LEAD.search(piece):
            is_new = "indicated" in piece
            top = read_use(piece) if is_new else top if lead.text else UseReading("")
            lead = top if is_new else _under(top, read_use(piece))
            first, is_limit = len(uses), False
        elif _USE.search(piece) or lead.text:
            is_limit = False
            if len(piece) >= LEAST_USE:
                uses.append(_under(lead, read_use(piece)))
    return uses or ([lead] if lead.text else [])


def _pieces(section: str) -> Iterator[str]:
    """Yield sentences and entries of lists, and a mark where a numbered part begins."""
    text = _HEAD.sub("", _REFERENCE.sub(" ", section[:LONGEST_SECTION]))
    parts = _SECTION.split(text)
    for number, text_piece in enumerate(parts):
        if number:
            yield PART
        marked = _COLON.sub(OPENING, _NUMBER.sub(f" {ENTRY} {PART} ", text_piece))
        for piece in _PIECES.split(marked):
            plain = " ".join(piece.split()).strip(" .,;:")
            if plain.strip(f" .,;:{ENTRY}{OPENING}"):
                yield plain


def _without_headings(pieces: Sequence[str]) -> Iterator[str]:
    """Yield pieces without names of diseases that stand above uses, and entries made whole."""
    opening = ""
    for index, piece in enumerate(pieces):
        plain = piece.strip(f" .,;:{ENTRY}{OPENING}").replace(OPENING, ":")
        following = next(iter(pieces[index + 1 : index + 2]), PART)
        is_told_alone = _ALONE_TOLD.search(plain) is not None
        if opening and is_told_alone:
            yield f"{opening}: {plain}"
            continue
        opens = piece.endswith(OPENING) and "indicated" in piece and not _LEAD.search(plain)
        opening = plain if opens and _ALONE_TOLD.search(following) else ""
        if not opening and not (
            ENTRY not in piece and _is_name(plain) and _USE.search(following) is not None
        ):
            yield plain


def _is_name(piece: str) -> bool:
    """Return whether a piece is but the name of a disease as headings write it.

    >>> _is_name("Hepatocellular Carcinoma"), _is_name("active psoriatic arthritis (PsA)")
    (True, False)
    """
    words = [word for word in re.findall(r"[A-Za-z][\w'-]*", piece) if len(word) > 3]  # noqa: PLR2004
    is_short = 0 < len(words) <= LONGEST_HEADING and not _USE.search(piece)
    return is_short and sum(word[0].isupper() for word in words) == len(words)


def _mark(uses: list[UseReading], piece: str, first: int) -> None:
    """Note the uses of which a sentence on accelerated approval speaks."""
    sign = piece[0] if piece[0] in _SIGNS else ""
    for index, use in enumerate(uses):
        is_of_part = _OF_SEVERAL.search(piece) and index >= first
        is_last = index == len(uses) - 1
        if sign in use.text if sign else is_of_part or is_last:
            uses[index] = replace(use, is_accelerated=True)


def _under(lead: UseReading, use: UseReading) -> UseReading:
    """Return a use with what the opening of its list says of all entries."""
    if not lead.text:
        return use
    is_silent = use.age == AgeGroup()
    return replace(
        use,
        age=lead.age if is_silent else use.age,
        regimen=use.regimen or lead.regimen,
        partners=use.partners or lead.partners,
    )


def read_use(text: str) -> UseReading:
    """Return what the clause of one use tells.

    >>> read_use("for adults with HER2-positive cancer after two or more prior regimens").line
    'third line'
    """
    plain = _LOOSE.sub("-", _BRACKET.sub(r"\1-", text))
    partner = next(reversed(list(_WITH.finditer(plain))), None)
    return UseReading(
        text,
        line=_line(plain),
        biomarker=_biomarker(plain),
        needs_test=_TEST.search(plain) is not None,
        age=read_age(plain),
        regimen=_regimen(plain),
        partners=(partner[1] or partner[2]).strip(" ,") if partner else "",
        is_accelerated=False,
    )


def _line(text: str) -> str:
    text = _EARLIER_LINE.sub(" ", _NOT_LINE.sub(" ", text))
    is_treated = _TREATED.search(text) is not None
    line = read_line(_EARLIER_SETTING.sub(" ", text) if is_treated else text)
    if not line and _FIRST.search(text):
        return str(Line.FIRST)
    is_refractory = _REFRACTORY.search(text) is not None
    if _UNTREATED.search(text) and line in {"", Line.TREATED} and not is_refractory:
        return str(Line.UNTREATED)
    if line in {"", Line.TREATED} and _SEVERAL_LINES.search(text):
        return str(Line.THIRD)
    return str(line) or (str(Line.TREATED) if is_treated else "")


def _biomarker(text: str) -> str:
    biomarker = read_biomarker(text)
    genes = [
        match[0]
        for match in _GENES.finditer(text)
        if match[0].casefold() not in biomarker.casefold()
    ]
    markers = genes if biomarker else [*genes, *(match[0] for match in _MARKER.finditer(text))]
    plain = (marker if "(" in marker else marker.replace(")", "") for marker in markers)
    plain = (_TWICE.sub(r"\1", marker) for marker in plain)
    distinct = list(dict.fromkeys(filter(None, (biomarker, *plain))))[:3]
    return ", ".join(distinct or [row.name for row in find_biomarkers(text)][:3])


def _regimen(text: str) -> Regimen:
    text = _WITH_DIET.sub("as an adjunct to diet", _NOT_COMBINED.sub(" ", text))
    is_combined, is_alone = _COMBINED.search(text), _ALONE.search(text)
    if is_combined and is_alone:
        return "either"
    if is_combined:
        return "combination"
    if is_alone:
        return "monotherapy"
    return "add-on" if _ADDED.search(text) else ""


def read_age(text: str) -> AgeGroup:
    """Return for what ages a text says that a drug is.

    >>> read_age("pediatric patients 6 months and older").from_years
    0.5
    >>> read_age("patients 12 years of age and older").words
    'adults and children from 12 years'
    """
    text = _NUMERAL.sub(lambda match: _NUMERALS[match[0].casefold()], text)
    ages = [_years(match) for match in _YEARS.finditer(text)]
    least = min(ages, default=None)
    is_child = _CHILD.search(text) is not None
    is_adult = _ADULT.search(text) is not None
    if least is not None and least < ADULT and not is_child:
        is_child = is_adult = True
    if least is not None and least >= ADULT:
        is_adult, least = True, None if not is_child else least
    if is_child and least is not None and re.search(r"patients? (?:aged )?\d+ years", text):
        is_adult = is_adult or not re.search(r"(?i)p(?:a)?ediatric patients? (?:aged )?\d+", text)
    for match in () if _ADULT.search(text) else _RANGE.finditer(text):
        high = float(match["high"]) - bool(match["less"])
        is_age = match["years"] or _CHILD.search(text[max(0, match.start() - 25) : match.start()])
        if is_age and high < ADULT:
            low = float(match["low"]) / _PARTS[(match["unit"] or "years").casefold().rstrip("s")]
            return AgeGroup(children=True, from_years=round(low, 2), to_years=high)
    return AgeGroup(is_adult, is_child, least)


def _years(match: re.Match[str]) -> float:
    for number, unit in (match.group(1, 2), match.group(3, 4)):
        if number:
            return round(float(number) / _PARTS[unit.casefold().rstrip("s")], 2)
    return float(next(number for number in match.groups()[4:] if number))
