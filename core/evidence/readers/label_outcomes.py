"""Outcome figures in label text: a response rate, a hazard ratio, the common reactions.

A figure is taken only where measure, value and unit stand together in one sentence; a hazard ratio
only where the sentence names its endpoint alone. Of flattened tables, whose cells cannot be told
apart, two things are taken: a hazard ratio with its interval, which is of both arms together, and
the response rate of a single-arm trial with its interval, both only when no second figure follows.
The interval must hold the figure. Whom a figure is of (disease, subgroup, combination) is told in
the label's own words; a figure that leaves its study or its subgroup open is not taken.
"""

import re
from collections.abc import Iterator

from core.evidence.readers.label_changes import Place, cut_to_words, find_place
from core.evidence.readers.trial_settings import read_biomarker, read_line
from core.records.evidence import Fact, Qualifiers, Span
from core.vocabulary.predicates import Predicate

_COMMON = re.compile(
    r"most common(?:ly reported)? adverse (?:reactions|events)\s*"
    r"\((?P<bound>[^)]{0,120}?(?:≥|>|at least)\s*\d+\s?%[^)]{0,120})\)"
    r"(?P<setting>[^.:]{0,160}?)\s*\b(?:were|are|include|included|is|was)\b\s*:?\s+"
    r"(?:\(\s*\d+(?:\.\d+)?\s*\)\s*:?\s*)?(?P<list>(?:[^.]|\.(?=\d)){3,700})\.(?!\d)",
    re.IGNORECASE,
)
_VERB = re.compile(r"^(?P<setting>.{0,200})\b(?:were|are)\b\s*:?\s*", re.IGNORECASE)
_SETTING = re.compile(r"\(|(?:in|with|of|among|for|increased|population|pooled)\b", re.IGNORECASE)
"""How words begin that tell of whom a list is, and are not the list."""
_WHOM = re.compile(
    r"\b(?:study|arm|combination|plus|monotherapy|single|adults?|p(?:a)?ediatric|cohort|"
    r"patients with)\b|\+",
    re.IGNORECASE,
)
_HEAD = re.compile(r"[\s\u2022]*(?P<whom>[A-Za-z][^:,;]{1,60}?)\s*:\s+")
"""Words that open a list and tell of whom it is: "Adult patients with solid tumors: edema"."""
_PATIENTS = re.compile(
    rf"{_WHOM.pattern}|cancer|tumou?r|neoplasm|metasta|oma\b|l[ae]uk|disease|syndrome|disorder",
    re.IGNORECASE,
)
_NO_LIST = re.compile(r"^summari[sz]ed|^(?:listed|shown|presented|described)\b", re.IGNORECASE)
_CHANGED_TREATMENT = re.compile(
    r"discontinu|interrupt|dos(?:e|age) (?:reduc|modif|delay)|reductions? of|withdraw",
    re.IGNORECASE,
)
"""Reactions that made patients stop or change treatment are not the common ones."""
_TAIL = re.compile(
    r"\s*(?:\(\s*(?:see )?(?:Table )?\d+(?:\.\d+)?\s*\)|To report SUSPECTED).*$",
    re.IGNORECASE | re.DOTALL,
)
"""What follows a list whose full stop is missing: a reference, the address for reports."""
_BELOW = re.compile(r"\b6\.1 [A-Z]")
"""Where the opening of the section ends."""
_ANAPHORA = re.compile(r"\b(?:this|these|those)\b", re.IGNORECASE)
_BREAK = re.compile(
    r"\.\s+|\]\s+|(?<!\([A-Z]{2})(?<!\([A-Z]{3})(?<!\([A-Z]{4})(?<!\([A-Z]{5})\)\s+"
)
"""End of a sentence or reference; not that of a disease's short name: "Arthritis (RA) "."""
_INCLUDING = re.compile(r"\W*including laboratory abnormalities\W*", re.IGNORECASE)
"""What a list holds, no setting of it."""
MOST_LEAD = 160
"""Characters before a list of reactions in which its heading is looked for."""


def read_reactions(span: Span, record_id: str, drug: str, as_of: str) -> Iterator[Fact]:
    """Yield the lists of a section."""
    below = _BELOW.search(span.text)
    end = below.start() if below else len(span.text)
    lists = [
        (match, *readings)
        for match in _COMMON.finditer(span.text)
        if (readings := _read(span, match))
    ]
    opening = [entry for entry in lists if entry[0].start() < end]
    for match, setting, reactions in opening or [
        entry for entry in lists if _WHOM.search(entry[1])
    ]:
        yield Fact(
            record_id,
            drug,
            Predicate.LABEL_ADVERSE_REACTIONS,
            reactions,
            qualifiers=Qualifiers(
                region="FDA", population=setting, interval=match["bound"].strip()
            ),
            as_of=as_of,
            locator=f"adverse_reactions[{match.start()}:{match.end()}]",
            confidence=85,
        )


def _read(span: Span, match: re.Match[str]) -> tuple[str, str] | None:
    """Return of whom a list is and the list; None where it is none, or cut."""
    setting, reactions = match["setting"].strip(" ,;"), match["list"].strip()
    setting = "" if _INCLUDING.fullmatch(setting) else setting
    setting = " ".join(filter(None, (_lead(span.text, match.start()), setting)))
    later = _VERB.match(reactions)
    if later and not _SETTING.match(reactions):
        return None
    if later:
        setting = f"{setting} {later['setting']}".strip()
        reactions = reactions[later.end() :]
    reactions = _TAIL.sub("", reactions)
    if (head := _HEAD.match(reactions)) and _tells_whom(head["whom"]):
        setting, reactions = f"{setting} {head['whom']}".strip(), reactions[head.end() :]
    if reactions.count("(") != reactions.count(")"):  # cut in the middle
        return None
    if _NO_LIST.search(reactions) or _CHANGED_TREATMENT.search(f"{setting} {reactions}"):
        return None
    return None if _ANAPHORA.search(setting) or not reactions else (setting, reactions)


def _tells_whom(words: str) -> bool:
    """Return whether words name patients, a disease or its short name, or a way of treatment."""
    return bool(_PATIENTS.search(words)) or (words.isalpha() and words.isupper())


def _lead(text: str, position: int) -> str:
    """Return the words that stand before a list in its own line: "In DTC", "as a single agent"."""
    sentences = _BREAK.split(text[max(0, position - MOST_LEAD) : position])
    lead = re.sub(r"(?:\bthe\b|[\s:\u2022,])+$", "", sentences[-1], flags=re.IGNORECASE)
    lead = re.sub(r"^(?:[\s\u2022]|ADVERSE REACTIONS|EXCERPT\b:?)+", "", lead)
    return lead.strip() if len(sentences) > 1 else ""


_CI = (
    r"(?:\s*[,;]?\s*[(\[]?\s*(?P<ci>9[05](?:\.\d+)?% "
    r"(?:CI|confidence interval(?: \[CI\])?)[:;,=]?\s*\(?\s*"
    r"\d[\d.]*%?\s*(?:,|to|-|–)\s*\d[\d.]*%?))?"
)
_RATE = re.compile(
    r"(?P<measure>\b(?:objective|overall|complete|confirmed objective) response rate\b"
    r"(?:\s*\([A-Z]{2,4}\))?|\bORR\b)\s+(?:was|of)\s+(?P<value>\d{1,3}(?:\.\d+)?)\s?%" + _CI,
    re.IGNORECASE,
)
_RATIO = re.compile(
    r"(?P<measure>\bhazard ratio\b(?:\s*[(\[]HR[)\]])?|\bHR\b)\s*(?:\(?\s*(?:of|was|=|:)\s*)"
    r"(?P<value>[0-2]\.\d+)" + _CI,
    re.IGNORECASE,
)
_PAIR = (
    r"\(\s*(?P<low>\d{1,3}(?:\.\d+)?)\s?%?\s*(?:,|to|-|\u2013)"
    r"\s*(?P<high>\d{1,3}(?:\.\d+)?)\s?%?\s*\)"
)
_TABLE_RATIO = re.compile(
    r"(?P<measure>\bhazard ratio\b|\bHR\b)(?:(?!hazard ratio|\bHR\b)[^.\d]){0,40}"
    r"(?:\(?95\s?% (?:CI|confidence interval)\)?)?[^.\d]{0,12}(?P<value>[0-2]\.\d+)\s*"
    + _PAIR
    + r"(?!\s*[a-z]?\s*[0-2]\.\d+\s*[a-z]?\s*\()"
    r"(?!(?:\s*[<=]?\s*0?\.\d+){1,2}\s*[a-z]?\s*[0-2]\.\d+\s*[a-z]?\s*\()",
    re.IGNORECASE,
)
_TABLE_RATE = re.compile(
    r"(?P<measure>\b(?:objective|overall|confirmed overall|confirmed objective) response rate\b|"
    r"\bORR\b)[^.\d%]{0,40}(?:\(?95\s?% (?:CI|confidence interval)\)?)?[^.\d%]{0,12}"
    r"(?P<value>\d{1,2}(?:\.\d+)?)\s?%\s*" + _PAIR + r"(?!\s*\d)",
    re.IGNORECASE,
)
_ENDPOINT = re.compile(
    r"(?:modified )?(?:overall survival|(?:progression|disease|event|relapse|recurrence|invasive "
    r"disease|metastasis)\s?[-\u2013\u2011]?\s?free survival|"
    r"\b(?:OS|PFS|DFS|EFS|RFS|iDFS)\b)(?!\s+(?:(?:primary|final|interim|updated)\s+)?analysis)",
    re.IGNORECASE,
)
_OF_AN_ANALYSIS = re.compile(r"\b(?:analys[ie]s|time|curves?|plot) (?:of|for) $", re.IGNORECASE)
_SHORT = {"os": "overall survival", "pfs": "progression", "dfs": "disease", "efs": "event"}
_NO_RESULT = re.compile(
    r"non-?inferiority|criteri(?:on|a) |assum|hypothes|\bpower\b|\bmargin\b|\bwould\b|boundary",
    re.IGNORECASE,
)
"""Sentences of how a trial was planned, which name figures that nobody observed."""
_SITE = re.compile(r"intracranial|\bCNS\b|\bbrain\b", re.IGNORECASE)
_SUBSET = re.compile(r"\b(?:subsets?|subgroups?|cohorts? with|exploratory)\b", re.IGNORECASE)
_TELLS_WHOM = re.compile(
    r"\b(?:subsets?|subgroups?|cohorts?|patients (?:with|who|whose|randomized)|population|"
    r"tumors)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"(?:\(?\s*\bN\s?=\s?[\d,]+\s*\)?\s*){3,}|\bPopulation\b.{0,60}\bPopulation\b", re.IGNORECASE
)
"""Heads of a table with more than two columns, or with two populations."""
_OPENER = re.compile(
    r"(?<=[\w%)*\u2020]) (?=(?:At the|In an?|In the|In patients|For the|Among|An exploratory|"
    r"With an?|Investigator-assessed|Of the|Results for|Exploratory|Overall survival was|"
    r"The (?:confirmed|median|observed|stratified)) |The confirmed, )"
)
"""Where a sentence begins after the remains of a table, which have no full stop."""
MOST_SENTENCE = 320
"""Characters of a sentence that are kept before the end of the figure."""
NEAREST = 400
"""Characters before a hazard ratio in which its endpoint must stand."""
BESIDE = 16
"""Characters between an endpoint and its hazard ratio where a sentence names two endpoints."""
SUBSET_BEFORE = 900
"""Characters before a sentence in which it is looked whether a subgroup is spoken of."""
_N = re.compile(r"\bn\s*=\s*(\d{1,3}(?:,\d{3})|\d{1,5})\b", re.IGNORECASE)


def read_label_outcomes(span: Span, record_id: str, drug: str, as_of: str) -> Iterator[Fact]:
    """Yield the figures of a section."""
    if span.section == "adverse_reactions":
        yield from read_reactions(span, record_id, drug, as_of)
        return
    for match, measure, unit, qualifiers in (*_read_tables(span.text), *_read_sentences(span.text)):
        yield Fact(
            record_id,
            drug,
            Predicate.LABEL_RESULT,
            measure,
            value=float(match["value"]),
            unit=unit,
            qualifiers=qualifiers,
            as_of=as_of,
            locator=f"clinical_studies[{match.start()}:{match.end()}]",
            confidence=75,
        )


_Figure = tuple[re.Match[str], str, str, Qualifiers]


def _read_sentences(text: str) -> Iterator[_Figure]:
    """Yield the figures that stand in sentences."""
    for pattern, unit in ((_RATE, "%"), (_RATIO, "hazard ratio")):
        for match in pattern.finditer(text):
            first, last = _sentence(text, match.start(), match.end())
            before, sentence = text[first : match.start()], text[first:last]
            measure = match["measure"] if unit == "%" else _measure_of_ratio(before)
            is_open = unit == "%" and (_SITE.search(sentence) or "respectively" in sentence)
            if (
                not measure
                or is_open
                or _NO_RESULT.search(sentence)
                or _is_of_a_subset(text, first, sentence)
            ):
                continue
            location = find_place(text, match.start(), sentence)
            if location is None:
                continue
            start = max(first, match.end() - MOST_SENTENCE)
            quote = cut_to_words(text, start, min(last, match.end() + 160))
            patients = _N.findall(sentence)
            n = patients[0].replace(",", "") if len(patients) == 1 else ""
            yield match, measure, unit, _whom(location, quote, match["ci"] or "", n)


def _measure_of_ratio(before: str) -> str:
    """Return the measure of a hazard ratio in a sentence; "" where none or several are named."""
    endpoints = list(_ENDPOINT.finditer(before))
    if not endpoints:
        return ""
    last = endpoints[-1]
    is_alone = len({_endpoint_class(endpoint[0]) for endpoint in endpoints}) == 1
    is_beside = len(before) - last.end() <= BESIDE
    return f"hazard ratio for {last[0]}" if is_alone or is_beside else ""


def _endpoint_class(text: str) -> str:
    word = text.casefold()
    return _SHORT.get(word, re.split(r"[\s\u2011\u2013-]", word)[0] if "free" in word else word)


def _is_of_a_subset(text: str, first: int, sentence: str) -> bool:
    """Return whether a sentence goes on about a subgroup that it does not name itself."""
    before = text[max(0, first - SUBSET_BEFORE) : first]
    start = max((match.end() for match in re.finditer(r"\b14\.\d+ [A-Z]", before)), default=0)
    return bool(_SUBSET.search(before[start:])) and not _TELLS_WHOM.search(sentence)


def _read_tables(text: str) -> Iterator[_Figure]:
    """Yield what flattened tables tell without doubt."""
    taken: set[tuple[str, str]] = set()
    for pattern, unit in ((_TABLE_RATIO, "hazard ratio"), (_TABLE_RATE, "%")):
        for match in pattern.finditer(text):
            location = find_place(text, match.start())
            value, low, high = (float(match[name]) for name in ("value", "low", "high"))
            if location is None or not low <= value <= high or _SEVERAL.search(location.table):
                continue
            n = ""
            if unit == "%":
                measure, n = _rate_of_table(match["measure"], location)
            else:
                measure = _ratio_of_table(location.text[-NEAREST:])
            if not measure or (location.caption, measure) in taken:
                continue
            taken.add((location.caption, measure))
            yield (
                match,
                measure,
                unit,
                _whom(location, "", f"95% CI: {match['low']}, {match['high']}", n),
            )


def _ratio_of_table(before: str) -> str:
    """Return the measure of a ratio in a table by the endpoint named last before it.

    With another ratio between the two, that one was the endpoint's.
    """
    endpoints = [
        match
        for match in _ENDPOINT.finditer(before)
        if not _OF_AN_ANALYSIS.search(before[: match.start()])
    ]
    if not endpoints:
        return ""
    between = re.sub(r"\bhazard ratio\s*[(\[]$", "", before[endpoints[-1].end() :], flags=re.I)
    other = re.search(r"\b(?:hazard ratio|HR)\b(?!\s*[=:]\s*[a-z])", between, re.IGNORECASE)
    return "" if other else f"hazard ratio for {endpoints[-1][0]}"


def _rate_of_table(measure: str, location: Place) -> tuple[str, str]:
    """Return measure and participants of a rate; "" where it may be of one group among several."""
    is_single = re.search(r"single[- ]arm", location.text, re.IGNORECASE)
    sizes = _N.findall(location.table)
    is_split = re.search(
        r"\bResults by (?:[A-Z]\w+ )?\w+ (?:Alteration|Status|Type|Group)", location.caption
    )
    if not is_single or is_split or len(sizes) > 1:
        return "", ""
    return measure, sizes[0].replace(",", "") if sizes else ""


def _whom(location: Place, text: str, interval: str, n: str) -> Qualifiers:
    """Return of whom a figure is, with its interval and participants."""
    caption = text or location.caption
    settings = (location.head,) if text else (location.caption, location.head)
    return Qualifiers(
        region="FDA",
        interval=interval,
        n=n,
        population="; ".join(filter(None, (location.trial, location.head, caption))),
        line=read_line(*reversed(settings)),
        biomarker=read_biomarker(*settings),
    )


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of the sentence around a passage."""
    first = text.rfind(". ", 0, start) + 1
    openers = [match.end() for match in _OPENER.finditer(text, first, start)]
    last = text.find(". ", end)
    return openers[-1] if openers else first, last if last >= 0 else len(text)
