"""Outcome figures in label text: a response rate, a hazard ratio, the common reactions.

A figure is taken only where measure, value and unit stand together in one sentence; a hazard ratio
only where the sentence names its endpoint. Of flattened tables, whose cells cannot be told apart,
two things are taken: a hazard ratio with its interval, which is of both arms together, and the
response rate of a single-arm trial with its interval, both only when no second figure follows. The
interval must hold the figure. Whom a figure is of (disease, subgroup, combination) is told in the
label's own words: trial, head of the subsection, caption of the table or the sentence.
"""

import re
from collections.abc import Iterator

from core.evidence.settings_of_trials import read_biomarker, read_line
from core.records.evidence import Fact, Qualifiers, Span

_CI = (
    r"(?:\s*[,;]?\s*[(\[]?\s*(?P<ci>9[05](?:\.\d+)?% "
    r"(?:CI|confidence interval(?: \[CI\])?)[:,]?\s*\(?\s*"
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
_NO_LIST = re.compile(r"^summari[sz]ed|^(?:listed|shown|presented|described)\b", re.IGNORECASE)
_CHANGED_TREATMENT = re.compile(
    r"discontinu|interrupt|dos(?:e|age) (?:reduc|modif|delay)|reductions? of|withdraw",
    re.IGNORECASE,
)
"""Reactions that made patients stop or change treatment are not the common ones."""
_PAIR = (
    r"\(\s*(?P<low>\d{1,3}(?:\.\d+)?)\s?%?\s*(?:,|to|-|\u2013)"
    r"\s*(?P<high>\d{1,3}(?:\.\d+)?)\s?%?\s*\)"
)
_TABLE_RATIO = re.compile(
    r"(?P<measure>\bhazard ratio\b|\bHR\b)[^.\d]{0,40}(?:\(?95\s?% (?:CI|confidence interval)\)?)?"
    r"[^.\d]{0,12}(?P<value>[0-2]\.\d+)\s*" + _PAIR + r"(?!\s*[a-z]?\s*[0-2]\.\d+\s*[a-z]?\s*\()",
    re.IGNORECASE,
)
_TABLE_RATE = re.compile(
    r"(?P<measure>\b(?:objective|overall|confirmed overall|confirmed objective) response rate\b|"
    r"\bORR\b)[^.\d%]{0,40}(?:\(?95\s?% (?:CI|confidence interval)\)?)?[^.\d%]{0,12}"
    r"(?P<value>\d{1,2}(?:\.\d+)?)\s?%\s*" + _PAIR + r"(?!\s*\d)",
    re.IGNORECASE,
)
_ENDPOINT = re.compile(
    r"overall survival|progression[- ]free survival|(?:disease|event|relapse|recurrence|invasive "
    r"disease|metastasis)[- ]free survival|"
    r"\b(?:OS|PFS|DFS|EFS|RFS|iDFS)\b(?!\s+(?:(?:primary|final|interim|updated)\s+)?analysis)",
    re.IGNORECASE,
)
_SUBSECTION = re.compile(r"\b14\.\d+ (?=[A-Z])")
_HEAD = re.compile(
    r"14\.\d+ (.{3,120}?)\s+(?:(?:The|This|A|An|In|Efficacy|Study|Studies|Trial|Two|Three|Four|"
    r"Patients|Adults?|Table|Figure)\b|[A-Z]{4,} (?:was|is|has|plus|as|in combination)\b)"
)
_CAPTION = re.compile(r"\bTable\s+\d+\s?[.:]\s+(?=[A-Z])")
_COLUMN = re.compile(
    r"[A-Z][A-Za-z]+ (?:\+|plus|with|in combination with|and) [A-Za-z/ ]{3,40}?\s?\(?[Nn]\s?=\s?\d+"
)
"""Head of a column that tells a combination: "CYRAMZA + Paclitaxel N=330"."""
MOST_CAPTION = 240
"""Characters of a table's caption that are kept."""
MOST_SENTENCE = 320
"""Characters of a sentence that are kept before the end of the figure."""
MOST_LEAD = 160
"""Characters before a list of reactions in which its heading is looked for."""
NEAREST = 400
"""Characters before a hazard ratio in which its endpoint must stand."""
_TRIAL = re.compile(r"NCT\d{8}")
_N = re.compile(r"\bn\s*=\s*(\d{1,3}(?:,\d{3})|\d{1,5})\b", re.IGNORECASE)


def read_label_outcomes(span: Span, record_id: str, drug: str, as_of: str) -> Iterator[Fact]:
    """Yield the figures of a section.

    Args:
        span: "clinical_studies" or "adverse_reactions".
        record_id: The label's record.
        drug: The drug.
        as_of: Date of the label.
    """
    if span.section == "adverse_reactions":
        yield from _read_reactions(span, record_id, drug, as_of)
        return
    yield from _read_tables(span, record_id, drug, as_of)
    for pattern, unit in ((_RATE, "%"), (_RATIO, "hazard ratio")):
        for found in pattern.finditer(span.text):
            first, last = _sentence(span.text, found.start(), found.end())
            measure = found["measure"]
            if unit == "hazard ratio":
                measure = _ratio_measure(span.text[first : found.start()])
            if not measure:
                continue
            patients = _N.findall(span.text[first:last])
            start = max(first, found.end() - MOST_SENTENCE)
            yield Fact(
                record_id,
                drug,
                "label_result",
                measure,
                value=float(found["value"]),
                unit=unit,
                qualifiers=Qualifiers(
                    region="FDA",
                    interval=found["ci"] or "",
                    n=patients[0].replace(",", "") if len(patients) == 1 else "",
                    population=_whom(
                        span.text,
                        found.start(),
                        _from_a_word(span.text, start, min(last, found.end() + 160)),
                    ),
                ),
                as_of=as_of,
                locator=f"clinical_studies[{found.start()}:{found.end()}]",
                confidence=75,
            )


def _ratio_measure(before: str) -> str:
    """Return the measure of a hazard ratio by the endpoint named last before it; "" if none is."""
    endpoints = _ENDPOINT.findall(before)
    return f"hazard ratio for {endpoints[-1]}" if endpoints else ""


def _read_tables(span: Span, record_id: str, drug: str, as_of: str) -> Iterator[Fact]:
    """Yield what a flattened table tells without doubt of its arm."""
    taken: set[tuple[str, str]] = set()
    for pattern, unit in ((_TABLE_RATIO, "hazard ratio"), (_TABLE_RATE, "%")):
        for found in pattern.finditer(span.text):
            place = _subsection(span.text, found.start())
            measure = found["measure"]
            if unit == "hazard ratio":
                before = span.text[max(0, found.start() - NEAREST) : found.start()]
                measure = _ratio_measure(before)
            elif "single-arm" not in place.casefold() and "single arm" not in place.casefold():
                continue
            value, low, high = (float(found[name]) for name in ("value", "low", "high"))
            if not measure or not low <= value <= high or (measure, found["value"]) in taken:
                continue
            taken.add((measure, found["value"]))
            yield Fact(
                record_id,
                drug,
                "label_result",
                measure,
                value=value,
                unit=unit,
                qualifiers=Qualifiers(
                    region="FDA",
                    interval=f"95% CI: {found['low']}, {found['high']}",
                    population=_whom(span.text, found.start(), _caption(place)),
                    line=read_line(_introduction(place)),
                    biomarker=read_biomarker(_introduction(place)),
                ),
                as_of=as_of,
                locator=f"clinical_studies[{found.start()}:{found.end()}]",
                confidence=70,
            )


def _whom(text: str, place: int, said: str) -> str:
    """Return of whom a figure is: trial, head of the subsection, and what is said of it."""
    subsection = _subsection(text, place)
    head = _HEAD.match(subsection) if len(set(_TRIAL.findall(subsection))) <= 1 else None
    return "; ".join(filter(None, (_trial_before(text, place), head[1] if head else "", said)))


def _caption(place: str) -> str:
    """Return the beginning of the caption of the table in which a subsection stands last."""
    starts = [found.end() for found in _CAPTION.finditer(place)]
    if not starts:
        return ""
    said = _from_a_word(place, starts[-1], starts[-1] + MOST_CAPTION)
    columns = [found[0] for found in _COLUMN.finditer(place, starts[-1])]
    return f"{said}; {columns[0]}" if columns and columns[0] not in said else said


def _from_a_word(text: str, start: int, end: int) -> str:
    """Return a passage without torn words, its cuts marked."""
    said = text[start:end]
    if start and text[start - 1].isalnum():
        said = f"\u2026 {said.partition(' ')[2]}"
    if end < len(text) and text[end].isalnum():
        said = f"{said.rpartition(' ')[0]} \u2026"
    return said.strip()


def _introduction(place: str) -> str:
    """Return the words that introduce the study of which a subsection speaks last."""
    numbers = [found.start() for found in _TRIAL.finditer(place)]
    start = max(0, numbers[-1] - 250) if numbers else 0
    return place[start : start + 650]


def _subsection(text: str, place: int) -> str:
    """Return the subsection ("14.2 …") up to a place."""
    starts = [found.start() for found in _SUBSECTION.finditer(text, 0, place)]
    return text[starts[-1] if starts else 0 : place]


def _read_reactions(span: Span, record_id: str, drug: str, as_of: str) -> Iterator[Fact]:
    for found in _COMMON.finditer(span.text):
        setting, reactions = found["setting"].strip(), found["list"].strip()
        setting = " ".join(filter(None, (_lead(span.text, found.start()), setting)))
        later = _VERB.match(reactions)
        if later and not _SETTING.match(reactions):
            continue
        if later:
            setting = f"{setting} {later['setting']}".strip()
            reactions = reactions[later.end() :]
        if reactions.count("(") != reactions.count(")"):  # cut in the middle
            continue
        if _NO_LIST.search(reactions) or _CHANGED_TREATMENT.search(f"{setting} {reactions}"):
            continue
        yield Fact(
            record_id,
            drug,
            "label_adverse_reactions",
            reactions,
            qualifiers=Qualifiers(
                region="FDA", population=setting, interval=found["bound"].strip()
            ),
            as_of=as_of,
            locator=f"adverse_reactions[{found.start()}:{found.end()}]",
            confidence=85,
        )


def _lead(text: str, place: int) -> str:
    """Return the words that stand before a list in its own line: "In DTC", "as a single agent"."""
    said = re.split(r"[.\])]\s+", text[max(0, place - MOST_LEAD) : place])
    lead = re.sub(r"(?:\bthe\b|[\s:\u2022,])+$", "", said[-1], flags=re.IGNORECASE)
    return lead.strip() if len(said) > 1 else ""


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of the sentence around a passage."""
    last = text.find(". ", end)
    return text.rfind(". ", 0, start) + 1, last if last >= 0 else len(text)


def _trial_before(text: str, place: int) -> str:
    """Return the trial named last before a place, when it is near."""
    numbers = _TRIAL.findall(text[max(0, place - 4_000) : place])
    return numbers[-1] if numbers else ""
