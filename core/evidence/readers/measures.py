"""What the words of a measure, an arm and a title tell of a figure."""

import re
from collections.abc import Mapping
from functools import lru_cache

from core.evidence.readers.cues import read_cues
from core.records.evidence import Fact
from core.vocabulary.cues import CueReader
from core.vocabulary.endpoints import MeasureClass, classify_measure

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
