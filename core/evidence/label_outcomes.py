"""Outcome figures in label text: a response rate, a hazard ratio, the common reactions.

A figure is taken only where measure, value and unit stand together in one sentence. Of flattened
tables, whose cells cannot be told apart, two things are taken: a hazard ratio with its interval,
which is of both arms together, and the response rate of a single-arm trial with its interval,
when no second figure follows. The interval must hold the figure.
"""

import re
from collections.abc import Iterator

from core.evidence.settings_of_trials import read_biomarker, read_line
from core.records.evidence import Fact, Qualifiers, Span

_CI = (
    r"(?:\s*[(\[]?\s*(?P<ci>9[05](?:\.\d+)?% (?:CI|confidence interval)[:,]?\s*\(?\s*"
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
    r"(?P<setting>[^.:]{0,160}?)\s*(?:were|are|include|included|is|was)\s*:?\s+(?P<list>[^.]{3,700})\.",
    re.IGNORECASE,
)
_PAIR = (
    r"\(\s*(?P<low>\d{1,3}(?:\.\d+)?)\s?%?\s*(?:,|to|-|\u2013)"
    r"\s*(?P<high>\d{1,3}(?:\.\d+)?)\s?%?\s*\)"
)
_TABLE_RATIO = re.compile(
    r"(?P<measure>\bhazard ratio\b|\bHR\b)[^.\d]{0,40}(?:\(?95\s?% (?:CI|confidence interval)\)?)?"
    r"[^.\d]{0,12}(?P<value>[0-2]\.\d+)\s*" + _PAIR,
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
    r"disease|metastasis)[- ]free survival|\bOS\b|\bPFS\b|\bDFS\b|\bEFS\b|\bRFS\b|\biDFS\b",
    re.IGNORECASE,
)
_SUBSECTION = re.compile(r"\b14\.\d+ (?=[A-Z])")
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
            sentence = _sentence(span.text, found.start(), found.end())
            patients = _N.findall(sentence)
            yield Fact(
                record_id,
                drug,
                "label_result",
                found["measure"],
                value=float(found["value"]),
                unit=unit,
                qualifiers=Qualifiers(
                    region="FDA",
                    interval=found["ci"] or "",
                    n=patients[0].replace(",", "") if len(patients) == 1 else "",
                    population=_trial_before(span.text, found.start()),
                ),
                as_of=as_of,
                locator=f"clinical_studies[{found.start()}:{found.end()}]",
                confidence=75,
            )


def _read_tables(span: Span, record_id: str, drug: str, as_of: str) -> Iterator[Fact]:
    """Yield what a flattened table tells without doubt of its arm."""
    taken: set[tuple[str, str]] = set()
    for pattern, unit in ((_TABLE_RATIO, "hazard ratio"), (_TABLE_RATE, "%")):
        for found in pattern.finditer(span.text):
            place = _subsection(span.text, found.start())
            measure = found["measure"]
            if unit == "hazard ratio":
                before = span.text[max(0, found.start() - NEAREST) : found.start()]
                endpoints = _ENDPOINT.findall(before)
                measure = f"hazard ratio for {endpoints[-1]}" if endpoints else ""
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
                    population=_trial_before(span.text, found.start()),
                    line=read_line(_introduction(place)),
                    biomarker=read_biomarker(_introduction(place)),
                ),
                as_of=as_of,
                locator=f"clinical_studies[{found.start()}:{found.end()}]",
                confidence=70,
            )


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
        yield Fact(
            record_id,
            drug,
            "label_adverse_reactions",
            found["list"].strip(),
            qualifiers=Qualifiers(
                region="FDA", population=found["setting"].strip(), interval=found["bound"].strip()
            ),
            as_of=as_of,
            locator=f"adverse_reactions[{found.start()}:{found.end()}]",
            confidence=85,
        )


def _sentence(text: str, start: int, end: int) -> str:
    """Return the sentence around a passage."""
    first = text.rfind(". ", 0, start) + 1
    last = text.find(". ", end)
    return text[first : last if last >= 0 else len(text)]


def _trial_before(text: str, place: int) -> str:
    """Return the trial named last before a place, when it is near."""
    numbers = _TRIAL.findall(text[max(0, place - 4_000) : place])
    return numbers[-1] if numbers else ""
