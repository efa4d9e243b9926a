"""The draft sentence by grammar, as two agencies word it: strategic, not approved labeling.

Every word comes from the claim's typed slots, from precedents or from tables, none from the text
of the request but the asset's name.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from core.agents.label_strategy.claim import Claim
from core.agents.label_strategy.gathering import Holdings
from core.agents.label_strategy.question import Question
from core.agents.label_strategy.tables import TUMOR, agencies
from core.evidence.readers.label_extents import read_extent
from core.records.precedents import AgeGroup
from core.vocabulary.lines import Line

_CLASS = re.compile(r"\bis an? ([^.;:]{5,110}?),? indicated\b")
_ADJECTIVE: Mapping[str, str] = {
    "ALK": "ALK-positive",
    "BRAF V600": "BRAF V600-mutated",
    "BRCA": "BRCA-mutated",
    "CD19": "CD19-positive",
    "CD20": "CD20-positive",
    "CLDN18.2": "CLDN18.2-positive",
    "EGFR exon 20": "EGFR exon 20 insertion-mutated",
    "EGFR mutation": "EGFR-mutated",
    "FGFR2b": "FGFR2b-positive",
    "FLT3 mutation": "FLT3-mutated",
    "HRD": "HRD-positive",
    "IDH mutation": "IDH-mutated",
    "KRAS G12C": "KRAS G12C-mutated",
    "KRAS G12D": "KRAS G12D-mutated",
    "MET exon 14": "MET exon 14 skipping-positive",
    "MSI-H or dMMR": "MSI-H or dMMR",
    "NTRK fusion": "NTRK fusion-positive",
    "PD-L1": "PD-L1-expressing",
    "PIK3CA mutation": "PIK3CA-mutated",
    "Philadelphia chromosome": "Philadelphia chromosome-positive",
    "RET fusion": "RET fusion-positive",
    "ROS1": "ROS1-positive",
    "TMB-high": "TMB-high",
    "Triple-negative": "triple-negative",
}
"""Biomarkers of a tumor as they stand before its name."""
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
    "combination": "in combination with the regimen of the pivotal trial",
    "add-on": "as an adjunct to standard therapy",
    "either": "as monotherapy or in combination",
}
MOSTLY = 0.6
"""How often a name of the disease must stand beside the commonest one."""
_PROPER = frozenset({"Janus", "Bruton", "Bruton's"})
_HEAD = r"(?: (?:cancer|carcinoma|disease|syndrome|lymphoma|leukemia)\b)?"
NO_DISEASE = "a disease that is not known here"
NO_SMPC = "form only, no EU precedent"


def draft(claim: Claim, question: Question, found: Holdings, agency: str) -> str:
    """Return the draft sentence of a claim as an agency words it.

    Args:
        claim: The claim.
        question: The request as understood.
        found: What the evidence holds.
        agency: Whose words.
    """
    where = _phrase(claim, found, with_test=agency == "FDA")
    drug = _sentence_start(question.drug)
    if agency == "FDA":
        group = class_phrase(question, found)
        kind = f" is {_article(group)} {group}" if group else " is"
        said = f"{drug}{kind} indicated for {where}."
    else:
        alone = f"{_REGIMEN[claim.regimen]} " if claim.regimen else ""
        said = f"{drug} {alone}is indicated for {where}."
    if claim.is_accelerated:
        said = f"{said} {early_sentence(question, agency)}".strip()
    return said


def _sentence_start(name: str) -> str:
    """Return a name as it begins a sentence; one with a capital or a figure keeps its letters.

    >>> _sentence_start("a PD-1 antibody"), _sentence_start("mRNA-1273")
    ('A PD-1 antibody', 'mRNA-1273')
    """
    first = name.split(" ", maxsplit=1)[0]
    return f"{name[:1].upper()}{name[1:]}" if first.isalpha() and first.islower() else name


def _phrase(claim: Claim, found: Holdings, *, with_test: bool) -> str:
    """Return whom and what the claim is for: treatment, patients, disease, line, regimen."""
    name = disease_words(claim.disease, found) or NO_DISEASE
    is_tumor = TUMOR.search(claim.disease) is not None
    marks = [_ADJECTIVE.get(one, "" if one in _OF_PATIENTS else one) for one in claim.biomarkers]
    stage = "" if claim.extent and claim.extent in name else claim.extent
    disease = " ".join(filter(None, (stage, *marks, name)))
    treated = (_BEHIND if is_tumor else _BEHIND_ELSEWHERE).get(claim.line, "")
    test = (
        ", as determined by an FDA-approved test" if with_test and any(marks) and is_tumor else ""
    )
    parts = [
        f"the {_IN_FRONT.get(claim.line, 'treatment')} of {_patients(claim.age)} with {disease}"
    ]
    parts += [_OF_PATIENTS.get(one, "") for one in claim.biomarkers]
    whole = " ".join(filter(None, parts)) + test
    whole += f", {treated}" if treated and test else f" {treated}" if treated else ""
    return f"{whole}, {_REGIMEN[claim.regimen]}" if claim.regimen and with_test else whole


def _patients(age: AgeGroup) -> str:
    if age.children:
        least = "" if age.from_years is None else f" {age.from_years:g} years of age and older"
        both = "adult and pediatric" if age.adults else "pediatric"
        return f"{both} patients{least}"
    return "adult patients"


def disease_words(label: str, found: Holdings) -> str:
    """Return a disease as labels name it: the name that most of their clauses write.

    Args:
        label: Its name in the identity pack.
        found: What the evidence holds.
    """
    texts = tuple(one.row.use.text for one in found.uses if one.row.is_read)
    return _written(label, tuple(found.disease_names), texts)


@lru_cache(maxsize=32)
def _written(label: str, known: tuple[str, ...], texts: tuple[str, ...]) -> str:
    """Return a disease as most texts write it."""
    least = min(2, len(label.split()))
    names = {
        one.casefold()
        for one in known
        if len(one.split()) >= least and not read_extent(one) and _shares(one, label)
    }
    folded = [text.casefold() for text in texts]
    counts = {name: sum(name in text for text in folded) for name in names}
    most = max(counts.values(), default=0)
    if not most:
        return label
    best = max(
        (one for one in counts if counts[one] >= MOSTLY * most), key=lambda one: (len(one), one)
    )
    written = re.findall(re.escape(best) + _HEAD, " ".join(texts), re.IGNORECASE)
    forms = [str(one) for one in written]
    plain = [one for one in forms if one != one.title()] or forms
    return max(sorted(set(plain)), key=plain.count)


def _shares(name: str, label: str) -> bool:
    """Return whether two names of a disease have a word: "allergic" is not atopic eczema."""
    return bool({*name.casefold().split()} & {*label.casefold().split()})


def class_phrase(question: Question, found: Holdings) -> str:
    """Return the pharmacologic class: as a precedent on the target has it, else target and kind."""
    near = [one for one in found.uses if one.parts.get("mechanism") == 1]
    for one in near:
        if told := _CLASS.search(one.row.use.text):
            return told[1]
    for one in near:
        classes = one.sheet.classes if one.sheet else ()
        if classes:
            return _lower(classes[0])
    targets = " and ".join(one.text for one in question.setting.targets[:1])
    kind = _singular(_lower(question.setting.kind))
    if targets and kind:
        return f"{targets}-directed {kind}"
    return kind


def _lower(name: str) -> str:
    """Return a class with small letters, but for those of a symbol."""
    plain = (w if w in _PROPER or sum(map(str.isupper, w)) > 1 else w.lower() for w in name.split())
    return " ".join(plain)


def _singular(kind: str) -> str:
    """Return a kind of drug in the singular, as a draft about one product has it.

    >>> _singular("antibodies"), _singular("oligonucleotides"), _singular("vaccine")
    ('antibody', 'oligonucleotide', 'vaccine')
    """
    return f"{kind[:-3]}y" if kind.endswith("ies") else kind.removesuffix("s")


def _article(words: str) -> str:
    is_spelled = words[:3].upper() in {"HIV", "HMG", "LDL"}
    return "an" if words[:1].lower() in "aeiou" or is_spelled else "a"


def early_sentence(question: Question, agency: str) -> str:
    """Return the sentence that goes with approval on early evidence, as the agency has it."""
    row = agencies().get(agency, question.agency)
    endpoint = next((name for _, name in question.endpoints if name), "an intermediate endpoint")
    return row.sentence.replace("{endpoint}", endpoint)
