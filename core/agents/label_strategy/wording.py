"""The terms of the draft sentence: drug, class and disease as precedents write them.

Every word comes from the claim's typed slots, from precedents or from tables, none from the text
of the request but the asset's name.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from core.agents.label_strategy.case import LabelCase
from core.agents.label_strategy.claim import LINE_OF
from core.agents.label_strategy.classes import WIDE
from core.agents.label_strategy.gathering import Holdings
from core.agents.label_strategy.question import Question
from core.agents.label_strategy.records import DraftTerms
from core.agents.label_strategy.sentence import write_sentence
from core.agents.label_strategy.stated import name_disease, read_stated, stated_terms
from core.agents.label_strategy.tables import TUMOR, agencies
from core.evidence.readers.label_extents import read_extent
from core.vocabulary.tables import TableRow, load_rows

_CLASS = re.compile(r"\bis an? ([^.;:]{5,110}?),? indicated\b")
_SOURCE = re.compile(r"\b(?:autologous|allogeneic)\b", re.IGNORECASE)
_OTHER_SOURCE = {"autologous": "allogeneic", "allogeneic": "autologous"}
MOSTLY = 0.6
"""How often a name of the disease must appear compared with the commonest one."""
_STAGED = re.compile(r"refractory|relapsed|recurrent", re.IGNORECASE)
_PROPER = frozenset({"Janus", "Bruton", "Bruton's"})
_FACTOR = re.compile(r"[IVX]+a?")
SYMBOL = 3
"""Letters of the longest symbol of a target that is written as a word."""
_ACTIONS = {
    "blocks": re.compile(r"inhibitor|(?<!\w)antagonist|block", re.IGNORECASE),
    "activates": re.compile(r"(?<!ant)agonist|activator|stimulator", re.IGNORECASE),
    "corrects": re.compile(r"corrector", re.IGNORECASE),
    "potentiates": re.compile(r"potentiator", re.IGNORECASE),
    "degrades": re.compile(r"degrad", re.IGNORECASE),
}
"""How drugs act, as mechanisms and pharmacologic classes name it."""
_ACTION = re.compile(
    r"\b(?:partial agonist|inverse agonist|agonist|antagonist|inhibitor|degrader|blocker|"
    r"activator|stimulator|opener|positive allosteric modulator|negative allosteric modulator)s?\b",
    re.IGNORECASE,
)
"""Words of action by which a class of small molecules or peptides is named."""
_BY_ACTION = frozenset({"small molecule", "peptide"})
_HEAD = r"(?: (?:cancer|carcinoma|disease|syndrome|lymphoma|leukemia)\b)?"
NO_SMPC = "form only, no EU precedent"


class PharmacologicClassRow(TableRow):
    """An established pharmacologic class by how requests describe its drugs."""

    pattern: str
    unless: str
    phrase: str


def draft(case: LabelCase, agency: Literal["FDA", "EMA"]) -> str:
    """Return the draft sentence of the claim as an agency words it."""
    return write_sentence(case.claim, find_terms(case, agency), agency)


def find_terms(case: LabelCase, agency: Literal["FDA", "EMA"]) -> DraftTerms:
    """Return drug, class and disease as the sentence writes them."""
    stated, lines = case.claim.stated, case.question.setting.lines
    named = _name_together(case.question.together, agency) or name_disease(stated, agency)
    named = named or (
        case.question.disease_said or disease_words(case.claim.disease, case.findings)
    )
    return DraftTerms.model_validate(
        {
            "agency": agency,
            "drug": case.question.drug,
            "drug_class": class_phrase(case),
            "disease": named,
            "is_tumor": TUMOR.search(case.claim.disease) is not None,
            "is_accelerated": case.claim.is_accelerated,
            "partners": case.question.partners,
            "reference": _follow_reference(case.question, agency),
            "refusal": case.question.refusal,
            "early_sentence": early_sentence(case.question, agency),
            "prefix": "Conditional, no human data yet: " if case.question.is_early else "",
            "prior_line": str(LINE_OF[lines[0]]) if lines else "",
            **stated_terms(stated, named, agency),
        }
    )


def _name_together(names: Sequence[str], agency: Literal["FDA", "EMA"]) -> str:
    """Return the diseases that are claimed together, each as labels write it; "" for one."""
    words = [name_disease(read_stated(name), agency) or name for name in names]
    return " or ".join(dict.fromkeys(words))


def _follow_reference(question: Question, agency: Literal["FDA", "EMA"]) -> str:
    """Return what a biosimilar's label says: the uses of its reference product, none of its own."""
    is_asked = (question.agency.name == "FDA") == (agency == "FDA")
    row = question.agency if is_asked else agencies()[agency]
    words = row.biosimilar if question.reference else ""
    return words.replace("{drug}", question.drug).replace("{reference}", question.reference)


def disease_words(label: str, findings: Holdings) -> str:
    """Return a disease as labels name it: the name that most of their clauses write."""
    texts = tuple(use.row.use.text for use in findings.uses if use.row.is_read)
    return _written(label, tuple(findings.disease_names), texts)


@lru_cache(maxsize=32)
def _written(label: str, written_names: tuple[str, ...], texts: tuple[str, ...]) -> str:
    """Return a disease as most texts write it."""
    least = min(2, len(label.split()))
    names = {
        name.casefold()
        for name in written_names
        if len(name.split()) >= least
        and not read_extent(name)
        and not _STAGED.search(name)
        and bool({*name.casefold().split()} & {*label.casefold().split()})
    }
    folded = [text.casefold() for text in texts]
    counts = {name: sum(name in text for text in folded) for name in names}
    most = max(counts.values(), default=0)
    if not most:
        return label
    best = max(
        (count for count in counts if counts[count] >= MOSTLY * most),
        key=lambda form: (len(form), form),
    )
    written = re.findall(re.escape(best) + _HEAD, " ".join(texts), re.IGNORECASE)
    forms = [str(form) for form in written]
    plain = [form for form in forms if form != form.title()] or forms
    return max(sorted(set(plain)), key=plain.count)


def class_phrase(case: LabelCase) -> str:
    """Return the pharmacologic class: as a precedent on the target has it, else target and kind."""
    kinds = {*case.question.setting.modalities}
    other = _OTHER_SOURCE.get(
        next(iter(_SOURCE.findall(case.question.product_words)), "").casefold()
    )
    uses = [
        use
        for use in case.findings.uses
        if (use.is_own or (case.question.setting.targets and use.parts.get("mechanism") == 1))
        and (not kinds or not use.row.modalities or kinds & {*use.row.modalities})
    ]
    for near_use in uses:
        match = _CLASS.search(near_use.row.use.text)
        if match and not (other and other in match[1].casefold()) and acts_as(match[1], case):
            return match[1]
    for near_use in uses:
        classes = near_use.sheet.classes if near_use.sheet else ()
        if classes and acts_as(classes[0], case):
            return _lower(classes[0])
    product = case.question.product_words
    rows: tuple[PharmacologicClassRow, ...]
    rows = load_rows("pharmacologic_classes", PharmacologicClassRow)
    for row in rows:
        is_other = row.unless and re.search(row.unless, product, re.IGNORECASE)
        if re.search(row.pattern, product, re.IGNORECASE) and not is_other:
            return row.phrase
    targets = " and ".join(target.text for target in case.question.setting.targets[:1])
    first = targets.split(" ", maxsplit=1)[0]
    if first.isalpha() and first.istitle() and len(first) > SYMBOL and first not in _PROPER:
        targets = f"{targets[:1].lower()}{targets[1:]}"
    kind = _singular(_lower(case.question.setting.kind))
    action = _ACTION.search(product)
    if targets and action and kinds & _BY_ACTION:
        return f"{targets} {action[0].lower()}"
    if targets and kind:
        return f"{targets}-directed {kind}"
    return "" if kinds & WIDE else kind


def acts_as(phrase: str, case: LabelCase) -> bool:
    """Return whether a class acts as the request says: no potentiator for a corrector."""
    said, meant = (
        {action for action, words in _ACTIONS.items() if words.search(text)}
        for text in (phrase, case.question.product_words)
    )
    return not said or not meant or bool(said & meant)


def _lower(name: str) -> str:
    """Return a class with small letters, but for those of a symbol."""
    plain = (w if _is_symbol(w) else w.lower() for w in name.split())
    return " ".join(plain)


def _is_symbol(word: str) -> bool:
    """Return whether a word keeps its capitals: "GLP-1", "Bruton", the Xa of a factor."""
    n_capitals = sum(map(str.isupper, word))
    return word in _PROPER or n_capitals > 1 or bool(_FACTOR.fullmatch(word))


def _singular(kind: str) -> str:
    """Return a kind of drug in the singular, as a draft about one product has it.

    >>> _singular("antibodies"), _singular("oligonucleotides"), _singular("vaccine")
    ('antibody', 'oligonucleotide', 'vaccine')
    """
    return f"{kind[:-3]}y" if kind.endswith("ies") else kind.removesuffix("s")


def early_sentence(question: Question, agency: str) -> str:
    """Return the sentence that goes with approval on early evidence, as the agency has it."""
    row = agencies().get(agency, question.agency)
    endpoint = next((name for _, name in question.endpoints if name), "an intermediate endpoint")
    return row.sentence.replace("{endpoint}", endpoint)
