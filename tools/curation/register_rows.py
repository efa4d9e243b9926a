"""Rows of the tables of approvals, labels and events, from the records of the sources at hand."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.evidence.assets.stages.approvals import ON_THE_LIST
from core.evidence.assets.target_match import matches
from core.evidence.names.target_tables import TargetNames
from core.evidence.readers.diseases import Diseases
from core.evidence.readers.target_expressions import read_mechanism
from core.evidence.readers.trial_settings import read_biomarker, read_line
from core.evidence.sources.files.ema import ENDED
from core.evidence.sources.pack.schema import CHANGE
from core.records.evidence import Span
from core.vocabulary.endpoints import UNKNOWN, classify_measure
from core.vocabulary.predicates import Predicate
from tools.curation.choice import ChosenDrug
from tools.curation.indications import read_indications, uses
from tools.curation.own_words import age_word, all_words
from tools.curation.trial_rows import Held, join, origin

_USES = re.compile(
    r"\(\s*\d+(?:\.\d+)?\s*\)|\s\d\.\d\s|[\u2022\u25cf\u25cb]|(?<!vs)\.\s+(?=[A-Z])|;\s|"
    r":\s(?=First)|\b(?=as a single agent(?! or\b))",
    re.IGNORECASE,
)
"""What stands between two uses, or before the second part of one."""
_USE = re.compile(
    r"\b(?:treatment (?:of|for)|maintenance|first[- ]line|"
    r"indicated (?:for|in|as|to) (?!the following\b))|^\s*(?:acute|relapsed|newly)\b",
    re.IGNORECASE,
)
_NO_USE = re.compile(
    r"limitations? of use|not (?:been )?(?:for|indicated|recommended|established|effective)|"
    r"accelerated approval|contingent|randomi[sz]ed|\btrials?\b|select patients",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\[\s*see[^\]]*\]")
LEAST_USE = 25
"""Characters of a use; less is a heading."""


def read_line_of_label(text: str) -> str:
    """Return the line of treatment that all uses of a label name; "" where they differ.

    >>> read_line_of_label("X is for first-line treatment of NSCLC. Treatment of NSCLC in adults")
    ''
    >>> read_line_of_label("X is for first-line treatment of gout. Not for treatment of lymphoma")
    'first line'
    """
    lines = _lines(text)
    return str(lines[0]) if len(lines) == 1 else ""


def read_biomarker_of_label(text: str) -> str:
    """Return the biomarkers of a label; of uses of several lines those that all of them name.

    >>> text = "first-line treatment of EGFR-mutated NSCLC. Treatment of squamous NSCLC in adults"
    >>> read_biomarker_of_label(text), read_biomarker_of_label("treatment of EGFR-mutated NSCLC")
    ('', 'EGFR-mutated')
    """
    if len(_lines(text)) == 1:
        return read_biomarker(text)
    said = {read_biomarker(one) for one in _uses(text)}
    return said.pop() if len(said) == 1 else ""


def _lines(text: str) -> list[str]:
    """Return the different lines of a label's uses, "" for those that name none."""
    return list(dict.fromkeys(map(read_line, _uses(text))))


def _uses(text: str) -> list[str]:
    """Return what a label says of each use; the whole text where no use stands apart."""
    uses = [
        one
        for one in _USES.split(_REFERENCE.sub(" ", text))
        if len(one.strip()) >= LEAST_USE and _USE.search(one) and not _NO_USE.search(one)
    ]
    return uses or [text]


MOST_APPROVALS = 3
MOST_OF_PMDA = 3
MOST_OF_EMA = 2
MOST_LABELS = 2
MOST_USES = 2
"""Clauses of a label that speaks of one use: some say it twice."""
MOST_EVENTS = 4
EVENT_YEARS = 2
_BIOSIMILAR = "351(k)"
"""Drugs@FDA has biosimilars as any other BLA; the Purple Book tells them apart."""
_ORIGINAL = ("NDA", "BLA", "351(a)")
_GENERIC = "ANDA"


def choose_approvals(found: Sequence[Held], alone: Mapping[str, bool]) -> list[Held]:
    """Return the original applications of a drug, the earliest first and the newest one.

    Combinations are taken only where the drug has no application of its own. Of a drug that is
    older than the register, or whose original is gone from it, the earliest generic is taken;
    applications without a date, whose products stand on the list, where no other is dated.

    Args:
        found: Its records of FDA's registers.
        alone: Whether a record names no other active substance.
    """
    held = [one for one in found if one.said(Predicate.APPROVED_ON)]
    listed = [one for one in found if one.said(Predicate.MARKETING_STATUS) in ON_THE_LIST]
    dated = [one for one in held if _is_original(one)] or [
        one for one in listed if _is_original(one)
    ]
    copies = {
        one.record.source_id.removeprefix("BLA")
        for one in found
        if one.said(Predicate.APPLICATION_TYPE).startswith(_BIOSIMILAR)
    }
    dated = [one for one in dated if one.record.source_id not in copies]
    kept = [one for one in dated if alone[one.record.id]] or dated
    kept.sort(key=lambda one: (one.said(Predicate.APPROVED_ON), one.record.id))
    if not kept:
        generic = [one for one in held or listed if alone[one.record.id] and _is_generic(one)]
        return sorted(generic, key=lambda one: (one.said(Predicate.APPROVED_ON), one.record.id))[:1]
    return kept if len(kept) <= MOST_APPROVALS else [*kept[: MOST_APPROVALS - 1], kept[-1]]


def _is_original(one: Held) -> bool:
    return one.said(Predicate.APPLICATION_TYPE).startswith(_ORIGINAL)


def _is_generic(one: Held) -> bool:
    return one.said(Predicate.APPLICATION_TYPE).startswith(_GENERIC)


def choose_of_pmda(found: Sequence[Held], alone: Mapping[str, bool]) -> list[Held]:
    """Return the Japanese approvals of a drug, the earliest first; else those of changes.

    A drug that is older than the list stands there only with its later uses.
    """
    for is_alone in (True, False):
        for told in (Predicate.APPROVED_ON, Predicate.APPROVAL_CHANGED_ON):
            kept = [
                one
                for one in found
                if one.said(told)
                and alone[one.record.id] == is_alone
                and not _FOLLOW_ON.search(one.record.id)
            ]
            if kept:
                kept.sort(key=lambda one: (one.record.published_on, one.record.id))
                return kept[: MOST_OF_PMDA if is_alone else 1]
    return []


def choose_of_ema(found: Sequence[Held], alone: Mapping[str, bool]) -> list[Held]:
    """Return the European medicines of a drug that are authorized, the earliest first.

    Those that ended stand for it only where none is left; combinations only where it has no
    medicine of its own.
    """
    for is_alone in (True, False):
        kept = [one for one in found if alone[one.record.id] == is_alone]
        held = [one for one in kept if one.said(Predicate.MARKETING_STATUS) not in ENDED]
        chosen = held or kept
        if chosen:
            chosen.sort(key=lambda one: (one.said(Predicate.APPROVED_ON) or "9", one.record.id))
            return chosen[: MOST_OF_EMA if is_alone else 1]
    return []


def approval_row(drug: str, held: Held, text: str, diseases: Diseases) -> dict[str, str]:
    """Return the row of an application.

    Args:
        drug: The drug.
        held: Its record.
        text: What it is for, as written; "" where the register does not say.
        diseases: Reads diseases.
    """
    brands, ingredients = held.names("brand"), held.names("ingredient")
    return {
        "register": held.record.source,
        "number": held.record.source_id,
        "drug": drug,
        "ingredients": join(ingredients[:4]),
        "brands": join([brand for brand in brands if brand not in ingredients][:4]),
        "company": next(iter(held.names("applicant")), ""),
        "approved_on": held.said(Predicate.APPROVED_ON) or held.said(Predicate.APPROVAL_CHANGED_ON),
        "kind": CHANGE
        if held.said(Predicate.APPROVAL_CHANGED_ON)
        else held.said(Predicate.APPLICATION_TYPE),
        "marketing": held.said(Predicate.MARKETING_STATUS),
        "indications": join(read_indications(text, diseases, is_plain=True)),
        **origin(held, "list of applications"),
    }


def choose_labels(
    found: Sequence[Held], alone: Mapping[str, bool], *, has_own: bool = False
) -> list[Held]:
    """Return a drug's labels: the newest that tells indications, one that tells of a box.

    Args:
        found: The labels that name it.
        alone: Whether a record names no other active substance.
        has_own: Whether the drug is sold alone, so that labels of combinations say nothing of it.
    """
    kept = [one for one in found if alone[one.record.id]] or ([] if has_own else list(found))
    kept.sort(key=lambda one: one.record.id)
    kept.sort(key=lambda one: one.record.told_on, reverse=True)
    telling = [one for one in kept if one.said(Predicate.APPROVED_LABEL)]
    whole = [one for one in telling if one.said(Predicate.LABEL_CARRIES)]
    boxed = [one for one in kept if one.said(Predicate.HAS_BOXED_WARNING)]
    chosen = [*(whole or telling)[:1], *boxed[:1]]
    return list({one.record.id: one for one in chosen}.values())[:MOST_LABELS]


def label_row(
    drug: ChosenDrug, held: Held, spans: Iterable[Span], diseases: Diseases, names: TargetNames
) -> dict[str, str]:
    """Return the row of a label: diseases, line, biomarker, age, hazards and endpoints as classes.

    Args:
        drug: The drug.
        held: The label.
        spans: Its passages.
        diseases: Reads diseases.
        names: Expressions of targets.
    """
    told = {span.section: span.text for span in spans}
    text = own_text(told.get("indications_and_usage", ""), drug.name)
    classes = [one.partition(" [")[0] for one in held.all_said(Predicate.HAS_CLASS)]
    ingredients = held.names("ingredient") or held.names("generic")
    indications = read_indications(text, diseases)
    # line and biomarker of one use are not those of another, and are words of oncology
    is_one = len(indications) == 1 and len(list(uses(text))) <= MOST_USES
    is_one = is_one and bool(_TUMOR.search(indications[0]))
    return {
        "register": held.record.source,
        "number": held.record.source_id,
        "drug": drug.name,
        "ingredients": join(ingredients[:4]),
        "brands": join([name for name in held.names("brand") if name not in ingredients][:3]),
        "company": next(iter(held.names("labeler")), ""),
        "indications": join(indications),
        "line": read_line_of_label(text) if is_one else "",
        "biomarker": read_biomarker_of_label(text)[:200] if is_one else "",
        "age": age_word(text),
        "boxed": held.said(Predicate.HAS_BOXED_WARNING),
        "boxed_terms": join(all_words("boxed", told.get("boxed_warning", ""))),
        "classes": join([one for one in classes if _agrees(one, drug, names)][:4]),
        "mechanism": _mechanism(told.get("mechanism_of_action", ""), drug, names),
        "endpoints": join(list(_endpoints(told.get("clinical_studies", "")))[:4]),
        "applications": join(held.all_said(Predicate.APPLICATION)[:4]),
        **origin(held, "label sections"),
    }


def own_text(text: str, drug: str) -> str:
    """Return what a label tells of a drug, without its prodrug, which a list may have beside it.

    >>> own_text("Cream is for gout. Predrugoxib, a prodrug of drugoxib, is for x", "Drugoxib")
    'Cream is for gout. '
    """
    of_prodrug = (
        rf"(?:^|(?<=[.] ))[A-Z][\w -]{{1,40}},? (?:is )?a pro-?drug of {re.escape(drug)}\b.*"
    )
    return re.sub(of_prodrug, "", text, flags=re.IGNORECASE | re.DOTALL)


def _agrees(said: str, drug: ChosenDrug, names: TargetNames) -> bool:
    """Return whether a label's class does not contradict what the drug acts on."""
    read = read_mechanism(said, names)
    return not read or any(matches(expression, two) for expression in read for two in drug.targets)


def _mechanism(text: str, drug: ChosenDrug, names: TargetNames) -> str:
    """Return, in our words, what the label's passage on the mechanism confirms; "" if nothing."""
    read = read_mechanism(text[:400], names)
    confirmed = [
        two.text for expression in read for two in drug.targets if matches(expression, two)
    ]
    return f"{confirmed[0]} targeted drug" if confirmed else ""


_TUMOR = re.compile(
    r"cancer|carcinoma|sarcoma|melanoma|lymphoma|leukemia|myeloma|glioma|tumor|neoplasm|"
    r"mesothelioma|myelodysplas|macroglobulinemia|mastocytosis|blastoma|cholangio",
    re.IGNORECASE,
)
_FOLLOW_ON = re.compile(r"\bBS\b|\bbiosimilar\b")
"""How a Japanese list marks a biosimilar, which is no approval of the drug's own makers."""
_OF_RESULTS = re.compile(r"\bend ?-?points?\b|\boutcome measures?\b|\befficacy was\b", re.I)


def _endpoints(text: str) -> Iterator[str]:
    """Yield the kinds of measures that the studies of a label report."""
    seen: set[str] = set()
    for sentence in filter(_OF_RESULTS.search, text.split(". ")):
        kind = classify_measure(sentence[:400])
        if kind is not UNKNOWN and kind.side == "efficacy" and kind.name not in seen:
            seen.add(kind.name)
            yield kind.name


def event_rows(drug: str, found: Sequence[Held], since: str) -> Iterator[dict[str, str]]:
    """Yield the newest decisions about a drug.

    Args:
        drug: The drug.
        found: Records of decisions.
        since: The day from which decisions are kept.
    """
    kept = [one for one in found if one.record.published_on >= since]
    kept.sort(key=lambda one: (one.record.published_on, one.record.id), reverse=True)
    for one in kept[:MOST_EVENTS]:
        yield {
            "number": one.record.source_id.partition("-")[0],
            "drug": drug,
            "brand": next(iter(one.names("brand")), ""),
            "happened_on": one.record.published_on,
            "outcome": one.said(Predicate.EVENT).lower(),
            **origin(one, "decision"),
        }
