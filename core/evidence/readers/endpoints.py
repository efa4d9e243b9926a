"""What the words of an endpoint, a measure or an analysis come to: class, kind, direction."""

import re
from collections.abc import Mapping
from functools import lru_cache

from core.evidence.readers.cues import read_cues
from core.records.evidence import Fact
from core.records.precedents import EndpointReading
from core.vocabulary.cues import CueReader
from core.vocabulary.endpoints import (
    EndpointRow,
    EndpointType,
    MeasureClass,
    classify_endpoint,
    classify_measure,
)

AS_INTENDED, PER_PROTOCOL = "intention to treat", "per protocol"
_SETS = (
    (AS_INTENDED, re.compile(r"\bintent(?:ion)?[- ]to[- ]treat|\bm?ITT\b", re.IGNORECASE)),
    (
        "full analysis set",
        re.compile(r"\bfull[- ]analysis[- ](?:set|population)|\bFAS\b", re.IGNORECASE),
    ),
    (
        PER_PROTOCOL,
        re.compile(r"\bper[- ]protocol\b|\bPPS?\b(?= (?:set|population|analys))", re.IGNORECASE),
    ),
)
_MODIFIED = re.compile(r"\bmodified (?:intent|full)|\bmITT\b", re.IGNORECASE)
_ADDED = (
    ("sensitivity", re.compile(r"\bsensitivity analys[ei]s", re.IGNORECASE)),
    ("supportive", re.compile(r"\bsupport(?:ive|ing) analys[ei]s", re.IGNORECASE)),
    ("post hoc", re.compile(r"\bpost[- ]?hoc\b", re.IGNORECASE)),
    ("exploratory", re.compile(r"\bexploratory (?:analys|endpoint|purpose)", re.IGNORECASE)),
    ("secondary", re.compile(r"\bsecondary analys[ei]s", re.IGNORECASE)),
    ("subgroup", re.compile(r"\bsub-?group (?:analys|of|:)", re.IGNORECASE)),
)
INTERIM = "interim"
_INTERIM = re.compile(r"\binterim analys[ei]s", re.IGNORECASE)
"""Counts in a title alone: the final analysis mentions interim ones that affect its level."""


def read_analysis_set(*texts: str) -> str:
    """Return of which patients an analysis is; "" where no text tells, or one tells two sets.

    Args:
        texts: The nearest to the analysis first; the first one that names a set counts.

    >>> read_analysis_set("", "Per-protocol population"), read_analysis_set("ITT and per protocol")
    ('per protocol', '')
    >>> read_analysis_set("mITT: randomized and treated")
    'modified intention to treat'
    """
    for text in texts:
        named = [name for name, pattern in _SETS if pattern.search(text)]
        if not named:
            continue
        if PER_PROTOCOL in named:
            return PER_PROTOCOL if len(named) == 1 else ""
        is_modified = named[0] == AS_INTENDED and _MODIFIED.search(text)
        return f"modified {AS_INTENDED}" if is_modified else named[0]
    return ""


def read_addition(*texts: str) -> str:
    """Return what an analysis is besides the main one of its endpoint; "" where none tells it.

    Args:
        texts: What is said of it; the title of its outcome last.

    >>> read_addition("Sensitivity analysis: missing = failure"), read_addition("chemosensitivity")
    ('sensitivity', '')
    """
    joined = " ".join(texts)
    addition = next((name for name, pattern in _ADDED if pattern.search(joined)), "")
    return addition or (INTERIM if _INTERIM.search(texts[-1] if texts else "") else "")


_STAGE = re.compile(
    r"(?:phase|part|period|stage|step|cohorts?|group|arm|double[- ]blind|open[- ]label|core|"
    r"main|extension|induction|maintenance|dose[- ]\w+)\b[^:]{0,40}: ",
    re.IGNORECASE,
)
"""A part of a trial named before a measure: "Phase 1b: Overall Response Rate"."""
_SAFETY_SET = re.compile(r"\bsafety\b[^.,;]{0,20}\b(?:population|set|evaluable)\b", re.I)
_SEVERE = re.compile(
    r"grade\s*(?:[\u2265>]=?\s*3|3(?:\s*(?:or|to|-|and)\s*(?:higher|above|greater|[45]))|[34]\s*/)|"
    r"(?:[\u2265>]=?\s*|at least )grade 3|grade 3 or",
    re.IGNORECASE,
)
_SAFETY_TRIAL = re.compile(r"\bsafety\b|tolerab|pharmacokinetic|healthy", re.IGNORECASE)
_EFFICACY_TRIAL = re.compile(
    r"efficac|effect|activity|respon|outcome|superior|compar|versus|antitumor|dose-?finding",
    re.IGNORECASE,
)
"""Titles of trials whose primary measures, of no known kind, tell how well a drug works."""
_OTHER_PRESSURE = re.compile(
    r"\b(?:pulmonary|portal|ocular|intracranial)\b(?: \w+){0,2} hypertension", re.IGNORECASE
)
_BARE_PRESSURE = re.compile(r"(?<!arterial )(?<!essential )(?<!systemic )hypertension", re.I)
_DISEASES: Mapping[str, re.Pattern[str]] = {
    "blood pressure": re.compile(r"hypertens|hypotens|blood pressure", re.IGNORECASE),
    "lipids": re.compile(
        r"lipid|cholesterol|triglycerid|atheroscl|cardiovasc|coronary|diabet", re.IGNORECASE
    ),
    "heart function": re.compile(
        r"heart|cardi|ventric|myocard|valv|mitral|aort|fontan|hypertens", re.IGNORECASE
    ),
    "blood counts": re.compile(
        r"an(?:a)?emi|thrombo(?:cyt|pen)|neutrop|ha?emat|leu[ck]|lymph|eosino|myel|bleed|transfus|"
        r"transplant",
        re.IGNORECASE,
    ),
    "semen": re.compile(r"infertil|spermi|hypogonad", re.IGNORECASE),
    "red cells": re.compile(
        r"an(?:a)?emi|thrombo(?:cyt|pen)|neutrop|ha?emat|leu[ck]|lymph|kidney|renal|dialysis|"
        r"eosino|sickle|thalass|myel|bleed|transfus|transplant|ha?emoglobin",
        re.IGNORECASE,
    ),
    "body weight": re.compile(r"obes|overweight|weight|diabet|prader|cachex|anorex", re.IGNORECASE),
}
"""Diseases in which these measures tell efficacy; in others they are watched for safety."""


def kind_of(measure: str) -> MeasureClass:
    """Return the kind of a measure; what follows its title names a row of its table.

    >>> kind_of("Phase 1b: Overall Response Rate: Cohort A").name
    'response rate'
    """
    match = _STAGE.match(measure)
    return classify_measure(measure[match.end() if match else 0 :].partition(": ")[0])


def is_severe(measure: str) -> bool:
    """Return whether a measure counts events of grade 3 or higher.

    >>> is_severe("Patients with grade 3 or higher events"), is_severe("Overall survival")
    (True, False)
    """
    return _SEVERE.search(measure) is not None


def is_of_safety_set(population: str) -> bool:
    """Return whether a set of patients is the one whose safety was watched."""
    return _SAFETY_SET.search(population) is not None


def is_trial_of_safety(diseases: str) -> bool:
    """Return whether title and conditions of a trial tell of safety, and not of efficacy."""
    return bool(_SAFETY_TRIAL.search(diseases)) and not _EFFICACY_TRIAL.search(diseases)


def is_watched_in(kind: MeasureClass, diseases: str) -> bool:
    """Return whether a measure is watched for safety in a trial of these diseases.

    >>> weight = kind_of("Change in body weight")
    >>> is_watched_in(weight, "Obesity"), is_watched_in(weight, "Asthma")
    (False, True)
    """
    disease = _DISEASES.get(kind.name)
    return disease is not None and not disease.search(_own(kind, diseases))


def _own(kind: MeasureClass, diseases: str) -> str:
    """Return the diseases without those of another pressure than that of the blood."""
    plain = _OTHER_PRESSURE.sub(" ", diseases) if kind.name == "blood pressure" else diseases
    # "Hypertension" among the conditions of such a trial is that of the lung, too
    return plain if plain == diseases else _BARE_PRESSURE.sub(" ", plain)


def is_before_treatment(fact: Fact) -> bool:
    """Return whether a figure is of a time before treatment: by its row, its arm or its time."""
    qualifiers = fact.qualifiers
    return (
        _is_measured_before(fact.object)
        or _is_column_before(qualifiers.arm)
        or _is_time_before(qualifiers.time_point)
    )


@lru_cache(maxsize=16_384)
def _is_measured_before(text: str) -> bool:
    measure, _, row = text.partition(": ")
    return _says_before("row", row) or _says_before("measure", measure)


@lru_cache(maxsize=16_384)
def _is_column_before(arm: str) -> bool:
    return _says_before("column", arm)


@lru_cache(maxsize=16_384)
def _is_time_before(time_point: str) -> bool:
    return _says_before("time", time_point)


def _says_before(cue_reader: CueReader, text: str) -> bool:
    return any(read_cues(cue_reader, text).here())


_TYPES = (
    (EndpointType.TIME_TO_EVENT, r"\btime (?:from|to|until)\b|\btime-to-|-free survival\b"),
    (
        EndpointType.RATE,
        r"\bannuali[sz]ed\b|\b(?:events?|episodes?|attacks?|exacerbations?|seizures?) per\b|"
        r"\b(?:incidence|event) rate\b|\brate of (?:\w+ ){0,2}(?:exacerbations|relapses|attacks)",
    ),
    (
        EndpointType.PROPORTION,
        r"\b(?:percentage|percent|proportion|number|rate)s? of (?:\w+ ){0,3}?"
        r"(?:participants|patients|subjects|children|adults|women|men|responders|eyes)\b|"
        r"\bresponse rate\b|\bresponders?\b|\b(?:remission|cure|success|failure) rate\b|"
        r"\bincidence of\b|\b(?:PFS|OS|EFS|DFS|survival) (?:rate )?at \d",
    ),
    (
        EndpointType.MEAN_CHANGE,
        r"\bchanges? (?:in|from|of)\b|\bchange from\b|\bmean\b|\bpercent(?:age)? change\b",
    ),
    (EndpointType.COUNT, r"\bnumber of\b|\bcounts? of\b"),
)
_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _TYPES)
_WORSE = re.compile(
    r"\b(?:worsen|fail|relaps|progress|deteriorat|recurr|lost|loss of|decline|without)", re.I
)


def read_endpoint(text: str, time_point: str = "", *, is_primary: bool = True) -> EndpointReading:
    """Return what an endpoint's words come to.

    A score of which less is better is the other way round where responders are counted.

    >>> read_endpoint("Proportion of patients with HbA1c below 7 %").better
    'higher'
    >>> read_endpoint("Change from baseline in HbA1c").type
    'mean change'
    """
    row = classify_endpoint(text)
    kind = next((str(kind) for kind, pattern in _PATTERNS if pattern.search(text)), "")
    if row is None:
        return EndpointReading(text, "", "", "none", kind, time_point, is_primary)
    kind = kind or row.type
    return EndpointReading(
        text, row.name, row.area, _better(row, kind, text), kind, time_point, is_primary
    )


def _better(row: EndpointRow, kind: str, text: str) -> str:
    is_turned = row.type == EndpointType.MEAN_CHANGE and kind == EndpointType.PROPORTION
    if row.better == "none" or not is_turned:
        return row.better
    return "lower" if _WORSE.search(text) else "higher"
