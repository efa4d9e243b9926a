"""The claim as typed slots, and its sentence as two agencies word it: pure grammar, no evidence.

Strategic language, not approved labeling. Every word comes from the slots and the terms.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from core.agents.label_strategy.records import DraftTerms
from core.agents.label_strategy.stated import Stated, has_marker
from core.records.precedents import AgeGroup, Regimen, word_age
from core.vocabulary.biomarkers import adjectives
from core.vocabulary.lines import Line

Basis = Literal["request", "precedents", "trials", "rule", "none"]
_OF_PATIENTS: Mapping[str, str] = {
    "Body mass index": "and a body mass index above a set bound",
    "Eosinophils": "with an eosinophilic phenotype",
    "HbA1c": "",
}
_IN_FRONT: Mapping[str, str] = {
    Line.ADJUVANT: "adjuvant treatment",
    Line.NEOADJUVANT: "neoadjuvant treatment",
    Line.PERIOPERATIVE: "neoadjuvant treatment, continued as adjuvant treatment,",
    Line.MAINTENANCE: "maintenance treatment",
    Line.FIRST: "first-line treatment",
}
_BEHIND: Mapping[str, str] = {
    Line.SECOND: "who have received prior systemic therapy",
    Line.THIRD: "who have received at least two prior lines of systemic therapy",
    Line.TREATED: "who have received prior systemic therapy",
    Line.UNTREATED: "who have not been treated before",
}
_BEHIND_ELSEWHERE: Mapping[str, str] = {
    Line.TREATED: "whose disease is not adequately controlled with other therapy",
    Line.SECOND: "whose disease is not adequately controlled with other therapy",
    Line.THIRD: "whose disease is not adequately controlled with at least two other therapies",
    Line.UNTREATED: "who have not been treated before",
}
_REGIMEN = {
    "monotherapy": "as monotherapy",
    "combination": "in combination with {partners}",
    "add-on": "as an adjunct to {partners}",
    "either": "as monotherapy or in combination",
}
_REGIMEN_EU = _REGIMEN | {
    "add-on": "as add-on to {partners}",
    "either": "as monotherapy or in combination with other medicinal products",
}
_USUAL_PARTNERS = {
    "combination": "the regimen of the pivotal trial",
    "add-on": "standard therapy",
}
ADOLESCENT = 12.0
ROUTINE = frozenset({"HR-positive", "HER2-negative", "CD19", "CD20", "Triple-negative"}) | {
    "CD19-positive",
    "CD20-positive",
    "triple-negative",
}
"""Biomarkers of routine pathology, for which labels ask for no test approved with the drug."""
_SPELLED = re.compile(r"HIV|Lp\(|m[A-Z]|[FHLMNRSX](?:[B-DF-HJ-NP-TV-Z]|\d)")
_TELLS_EARLIER = re.compile(r"prior|previous|progress|received|refractory|after", re.IGNORECASE)
"""Words on the patients that tell earlier treatment, so that the usual ones would repeat it."""
JOINED = ", "
"""Between the biomarkers of a claim."""
NAMES = ("line", "biomarker", "age", "regimen", "stage of disease")
"""The slots of a claim, in the order in which they are chosen."""


@dataclass(frozen=True)
class Slot:
    """A part of the claim.

    Attributes:
        name: Which part.
        value: Its words; "" where the claim does not narrow it.
        basis: What it rests on.
        having: Labels or trials that have it.
        n: Drugs or trials that tell anything.
        share: Those of them that have the value; the value itself is chosen by weight.
        why: Why it is so.
    """

    name: str
    value: str
    basis: Basis
    having: tuple[str, ...] = ()
    n: int = 0
    share: float | None = None
    why: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim as typed slots.

    Attributes:
        disease: Its name as labels write it.
        extent: How far the disease has come; "" for all.
        line: Line of treatment; "" for any.
        biomarkers: By which patients are chosen.
        age: For what ages.
        regimen: Alone or with others.
        is_accelerated: Whether the design supports no more.
        slots: Where each part comes from.
        stated: What the request states beyond the slots.
    """

    disease: str
    extent: str
    line: str
    biomarkers: tuple[str, ...]
    age: AgeGroup
    regimen: Regimen
    is_accelerated: bool
    slots: tuple[Slot, ...] = ()
    stated: Stated = Stated()


def write_sentence(claim: Claim, terms: DraftTerms, agency: Literal["FDA", "EMA"]) -> str:
    """Return the draft sentence of a claim as an agency words it; none where none can hold."""
    if terms.refusal:
        return f"No claim is drafted: {terms.refusal}"
    if terms.reference:
        return terms.reference
    phrase = _phrase(claim, terms, with_test=agency == "FDA")
    where = phrase if phrase.startswith(("to ", "as ", "in ")) else f"for {phrase}"
    drug = _sentence_start(terms.drug)
    if agency == "FDA":
        group = terms.drug_class
        kind = f" is {_article(group)} {group}" if group else " is"
        sentence = f"{drug}{kind} indicated {where}."
    else:
        words = word_regimen(claim, terms, agency)
        sentence = f"{drug} {words and f'{words} '}is indicated {where}."
    return f"{sentence} {terms.early_sentence}".strip() if claim.is_accelerated else sentence


def _sentence_start(name: str) -> str:
    """Return a name as it begins a sentence; one with a capital or a figure keeps its letters.

    >>> _sentence_start("a PD-1 antibody"), _sentence_start("mRNA-1273")
    ('A PD-1 antibody', 'mRNA-1273')
    """
    first = name.split(" ", maxsplit=1)[0]
    return f"{name[:1].upper()}{name[1:]}" if first.isalpha() and first.islower() else name


def _phrase(claim: Claim, terms: DraftTerms, *, with_test: bool) -> str:
    """Return whom and what the claim is for: treatment, patients, disease, line, regimen."""
    is_marked = has_marker(terms, claim.biomarkers)
    worded = {*terms.marker_biomarkers} if is_marked else set()
    marks = [
        "" if biomarker in _OF_PATIENTS else adjectives().get(biomarker) or biomarker
        for biomarker in claim.biomarkers
        if biomarker not in {*worded, *terms.worded_biomarkers}
    ]
    name = terms.disease
    is_named = bool(claim.extent) and claim.extent.replace("-", " ") in name.replace("-", " ")
    is_staged = terms.replaces_extent or is_named
    stage = "" if is_staged else claim.extent
    marks = [mark for mark in marks if mark.casefold() not in name.casefold()]
    disease = " ".join(filter(None, (stage, terms.disease_words, *marks, name)))
    patients = _word_patients(claim, terms, "FDA" if with_test else "EMA")
    kind = "treatment" if terms.replaces_line else _IN_FRONT.get(claim.line, "treatment")
    use = f"the {kind} of {{patients}} with {{disease}}"
    use = (terms.purpose or use).replace("{patients}", patients).replace("{disease}", disease)
    parts = [use, *(_OF_PATIENTS.get(biomarker, "") for biomarker in claim.biomarkers)]
    parts += [terms.population_words, terms.marker_words if is_marked else "", terms.given_words]
    has_test = (
        with_test
        and terms.is_tumor
        and bool({*filter(None, marks), *worded, *terms.worded_biomarkers} - ROUTINE)
    )
    sentence = " ".join(filter(None, parts)) + (
        ", as determined by an FDA-approved test" * has_test
    )
    if treated := _earlier(claim, terms):
        sentence += f", {treated}" if has_test else f" {treated}"
    regimen = word_regimen(claim, terms, "FDA") if with_test else ""
    return f"{sentence}, {regimen}" if regimen else sentence


def word_regimen(claim: Claim, terms: DraftTerms, agency: Literal["FDA", "EMA"]) -> str:
    """Return with what the drug is given, the partners that the request names among it."""
    partners = terms.partners or _USUAL_PARTNERS.get(claim.regimen, "")
    words = _REGIMEN if agency == "FDA" else _REGIMEN_EU
    return words.get(claim.regimen, "").replace("{partners}", partners)


def word_slot(name: str, claim: Claim, terms: DraftTerms) -> str:
    """Return the words by which the sentence has a slot; "" where it has its value or none."""
    is_unsaid = name == "age" and terms.purpose and "{patients}" not in terms.purpose
    if terms.refusal or terms.reference or is_unsaid:
        return ""
    if name == "line":
        front = terms.disease_words if terms.replaces_line else ""
        return _earlier(claim, terms) or front
    if name == "biomarker":
        return terms.marker_words if has_marker(terms, claim.biomarkers) else ""
    if name == "age":
        return _word_patients(claim, terms, terms.agency)
    if name == "regimen":
        return word_regimen(claim, terms, terms.agency)
    staged = (terms.disease_words, "" if terms.replaces_extent else claim.extent)
    return ", ".join(filter(None, (*staged, terms.population_words, terms.given_words)))


def _earlier(claim: Claim, terms: DraftTerms) -> str:
    """Return earlier treatment: in the words stated for the line, else the usual ones of it."""
    if terms.prior_words and claim.line == terms.prior_line:
        return terms.prior_words
    if terms.replaces_line or _TELLS_EARLIER.search(terms.given_words):
        return ""
    return (_BEHIND if terms.is_tumor else _BEHIND_ELSEWHERE).get(claim.line, "")


def _word_patients(claim: Claim, terms: DraftTerms, agency: Literal["FDA", "EMA"]) -> str:
    """Return whom the claim is for by age and by what the request states of them."""
    patients = _patients(claim.age, agency)
    if terms.patient_words == "female" and "patients" in patients:
        return patients.replace("patients", "female patients")
    return " ".join(filter(None, (terms.patient_words, patients)))


def _patients(age: AgeGroup, agency: Literal["FDA", "EMA"]) -> str:
    """Return whom the claim is for by age, as an agency writes it."""
    if age.children and agency == "EMA":
        low, high = word_age(age.from_years), word_age(age.to_years)
        young = "adolescents" if (age.from_years or 0.0) >= ADOLESCENT else "children"
        both = f"adults and {young}" if age.adults else young
        if high and not age.adults:
            same = low.removesuffix(" years") if low.endswith("years") else low
            return f"{both} aged {f'{same} to ' if same else 'up to '}{high}"
        return f"{both} aged {low} and older" if low else both
    if age.children:
        low, high = word_age(age.from_years), word_age(age.to_years)
        both = "adult and pediatric" if age.adults else "pediatric"
        if high and not age.adults:
            same = low.removesuffix(" years") if low.endswith("years") else low
            return f"{both} patients {same and f'{same} to '}{high} of age"
        return f"{both} patients {low} of age and older" if low else f"{both} patients"
    return "adult patients"


def _article(words: str) -> str:
    """Return the article before words; letters that are spelled out sound as vowels.

    >>> _article("Lp(a)-directed siRNA"), _article("mTOR inhibitor"), _article("URAT1 inhibitor")
    ('an', 'an', 'a')
    """
    is_vowel = words[:1].lower() in "aeiou" and not (words[:1] == "U" and words[:2].isupper())
    return "an" if is_vowel or _SPELLED.match(words) else "a"


def put_slot(claim: Claim, name: str, value: str) -> Claim:
    """Return a claim with another value of a slot."""
    if name == "line":
        return replace(claim, line=value)
    if name == "biomarker":
        return replace(claim, biomarkers=tuple(filter(None, value.split(JOINED))))
    if name == "age":
        return replace(claim, age=read_age(value))
    if name == "regimen":
        return replace(claim, regimen=value)  # type: ignore[arg-type]
    return replace(claim, extent=value)


def build_claim(values: Mapping[str, str], terms: DraftTerms) -> Claim:
    """Return the claim of slots by name."""
    claim = Claim(terms.disease, "", "", (), AgeGroup(adults=True), "", terms.is_accelerated)
    for name, value in values.items():
        claim = put_slot(claim, name, value)
    return claim


def read_age(words: str) -> AgeGroup:
    """Return the ages for which words stand.

    >>> read_age("adults and children from 12 years").from_years
    12.0
    >>> read_age("children from 6 months to 5 years").to_years
    5.0
    """
    if not words:
        return AgeGroup(adults=True)
    limits = {
        name: float(number) / (12 if unit else 1)
        for name, number, unit in re.findall(r"\b(from|to) ([\d.]+)( months)?", words)
    }
    limits = {name: round(years, 2) for name, years in limits.items()}
    named = ("adults" in words, "children" in words)
    return AgeGroup(*named, limits.get("from"), limits.get("to"))
