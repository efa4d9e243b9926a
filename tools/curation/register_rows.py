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
    biomarkers = {read_biomarker(use) for use in _uses(text)}
    return biomarkers.pop() if len(biomarkers) == 1 else ""


def _lines(text: str) -> list[str]:
    """Return the different lines of a label's uses, "" for those that name none."""
    return list(dict.fromkeys(map(read_line, _uses(text))))


def _uses(text: str) -> list[str]:
    """Return what a label says of each use; the whole text where no use stands apart."""
    uses = [
        use
        for use in _USES.split(_REFERENCE.sub(" ", text))
        if len(use.strip()) >= LEAST_USE and _USE.search(use) and not _NO_USE.search(use)
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


def choose_approvals(facts: Sequence[Held], alone: Mapping[str, bool]) -> list[Held]:
    """Return the original applications of a drug, the earliest first and the newest one.

    Combinations are taken only where the drug has no application of its own. Of a drug that is
    older than the register, or whose original is gone from it, the earliest generic is taken;
    applications without a date, whose products stand on the list, where no other is dated.

    Args:
        facts: Its records of FDA's registers.
        alone: Whether a record names no other active substance.
    """
    stored_facts = [fact for fact in facts if fact.said(Predicate.APPROVED_ON)]
    listed = [fact for fact in facts if fact.said(Predicate.MARKETING_STATUS) in ON_THE_LIST]
    dated = [fact for fact in stored_facts if _is_original(fact)] or [
        stored for stored in listed if _is_original(stored)
    ]
    copies = {
        fact.record.source_id.removeprefix("BLA")
        for fact in facts
        if fact.said(Predicate.APPLICATION_TYPE).startswith(_BIOSIMILAR)
    }
    dated = [stored for stored in dated if stored.record.source_id not in copies]
    kept_facts = [stored for stored in dated if alone[stored.record.id]] or dated
    kept_facts.sort(key=lambda fact: (fact.said(Predicate.APPROVED_ON), fact.record.id))
    if not kept_facts:
        generic = [
            fact for fact in stored_facts or listed if alone[fact.record.id] and _is_generic(fact)
        ]
        return sorted(
            generic, key=lambda stored: (stored.said(Predicate.APPROVED_ON), stored.record.id)
        )[:1]
    return (
        kept_facts
        if len(kept_facts) <= MOST_APPROVALS
        else [*kept_facts[: MOST_APPROVALS - 1], kept_facts[-1]]
    )


def _is_original(stored: Held) -> bool:
    return stored.said(Predicate.APPLICATION_TYPE).startswith(_ORIGINAL)


def _is_generic(stored: Held) -> bool:
    return stored.said(Predicate.APPLICATION_TYPE).startswith(_GENERIC)


def choose_of_pmda(facts: Sequence[Held], alone: Mapping[str, bool]) -> list[Held]:
    """Return the Japanese approvals of a drug, the earliest first; else those of changes.

    A drug that is older than the list stands there only with its later uses.
    """
    for is_alone in (True, False):
        for predicate in (Predicate.APPROVED_ON, Predicate.APPROVAL_CHANGED_ON):
            kept_facts = [
                fact
                for fact in facts
                if fact.said(predicate)
                and alone[fact.record.id] == is_alone
                and not _FOLLOW_ON.search(fact.record.id)
            ]
            if kept_facts:
                kept_facts.sort(key=lambda fact: (fact.record.published_on, fact.record.id))
                return kept_facts[: MOST_OF_PMDA if is_alone else 1]
    return []


def choose_of_ema(facts: Sequence[Held], alone: Mapping[str, bool]) -> list[Held]:
    """Return the European medicines of a drug that are authorized, the earliest first.

    Those that ended stand for it only where none is left; combinations only where it has no
    medicine of its own.
    """
    for is_alone in (True, False):
        kept_facts = [fact for fact in facts if alone[fact.record.id] == is_alone]
        stored_facts = [
            fact for fact in kept_facts if fact.said(Predicate.MARKETING_STATUS) not in ENDED
        ]
        chosen = stored_facts or kept_facts
        if chosen:
            chosen.sort(
                key=lambda stored: (stored.said(Predicate.APPROVED_ON) or "9", stored.record.id)
            )
            return chosen[: MOST_OF_EMA if is_alone else 1]
    return []


def approval_row(drug: str, stored: Held, text: str, diseases: Diseases) -> dict[str, str]:
    """Return the row of an application.

    Args:
        drug: The drug.
        stored: Its record.
        text: What it is for, as written; "" where the register does not say.
        diseases: Reads diseases.
    """
    brands, ingredients = stored.names("brand"), stored.names("ingredient")
    return {
        "register": stored.record.source,
        "number": stored.record.source_id,
        "drug": drug,
        "ingredients": join(ingredients[:4]),
        "brands": join([brand for brand in brands if brand not in ingredients][:4]),
        "company": next(iter(stored.names("applicant")), ""),
        "approved_on": stored.said(Predicate.APPROVED_ON)
        or stored.said(Predicate.APPROVAL_CHANGED_ON),
        "kind": CHANGE
        if stored.said(Predicate.APPROVAL_CHANGED_ON)
        else stored.said(Predicate.APPLICATION_TYPE),
        "marketing": stored.said(Predicate.MARKETING_STATUS),
        "indications": join(read_indications(text, diseases, is_plain=True)),
        **origin(stored, "list of applications"),
    }


def choose_labels(
    facts: Sequence[Held], alone: Mapping[str, bool], *, has_own: bool = False
) -> list[Held]:
    """Return a drug's labels: the newest that tells indications, one that tells of a box.

    Args:
        facts: The labels that name it.
        alone: Whether a record names no other active substance.
        has_own: Whether the drug is sold alone, so that labels of combinations say nothing of it.
    """
    kept_facts = [fact for fact in facts if alone[fact.record.id]] or (
        [] if has_own else list(facts)
    )
    kept_facts.sort(key=lambda fact: fact.record.id)
    kept_facts.sort(key=lambda fact: fact.record.told_on, reverse=True)
    telling = [fact for fact in kept_facts if fact.said(Predicate.APPROVED_LABEL)]
    full_facts = [stored for stored in telling if stored.said(Predicate.LABEL_CARRIES)]
    boxed = [fact for fact in kept_facts if fact.said(Predicate.HAS_BOXED_WARNING)]
    chosen = [*(full_facts or telling)[:1], *boxed[:1]]
    return list({stored.record.id: stored for stored in chosen}.values())[:MOST_LABELS]


def label_row(
    drug: ChosenDrug, stored: Held, spans: Iterable[Span], diseases: Diseases, names: TargetNames
) -> dict[str, str]:
    """Return the row of a label: diseases, line, biomarker, age, hazards and endpoints as classes.

    Args:
        drug: The drug.
        stored: The label.
        spans: Its passages.
        diseases: Reads diseases.
        names: Expressions of targets.
    """
    texts = {span.section: span.text for span in spans}
    text = own_text(texts.get("indications_and_usage", ""), drug.name)
    classes = [drug_class.partition(" [")[0] for drug_class in stored.all_said(Predicate.HAS_CLASS)]
    ingredients = stored.names("ingredient") or stored.names("generic")
    indications = read_indications(text, diseases)
    # line and biomarker of one use are not those of another, and are words of oncology
    is_one = len(indications) == 1 and len(list(uses(text))) <= MOST_USES
    is_one = is_one and bool(_TUMOR.search(indications[0]))
    return {
        "register": stored.record.source,
        "number": stored.record.source_id,
        "drug": drug.name,
        "ingredients": join(ingredients[:4]),
        "brands": join([name for name in stored.names("brand") if name not in ingredients][:3]),
        "company": next(iter(stored.names("labeler")), ""),
        "indications": join(indications),
        "line": read_line_of_label(text) if is_one else "",
        "biomarker": read_biomarker_of_label(text)[:200] if is_one else "",
        "age": age_word(text),
        "boxed": stored.said(Predicate.HAS_BOXED_WARNING),
        "boxed_terms": join(all_words("boxed", texts.get("boxed_warning", ""))),
        "classes": join(
            [drug_class for drug_class in classes if _agrees(drug_class, drug, names)][:4]
        ),
        "mechanism": _mechanism(texts.get("mechanism_of_action", ""), drug, names),
        "endpoints": join(list(_endpoints(texts.get("clinical_studies", "")))[:4]),
        "applications": join(stored.all_said(Predicate.APPLICATION)[:4]),
        **origin(stored, "label sections"),
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


def _agrees(text: str, drug: ChosenDrug, names: TargetNames) -> bool:
    """Return whether a label's class does not contradict what the drug acts on."""
    read = read_mechanism(text, names)
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


def event_rows(drug: str, facts: Sequence[Held], since: str) -> Iterator[dict[str, str]]:
    """Yield the newest decisions about a drug.

    Args:
        drug: The drug.
        facts: Records of decisions.
        since: The day from which decisions are kept.
    """
    kept_facts = [stored for stored in facts if stored.record.published_on >= since]
    kept_facts.sort(key=lambda stored: (stored.record.published_on, stored.record.id), reverse=True)
    for fact in kept_facts[:MOST_EVENTS]:
        yield {
            "number": fact.record.source_id.partition("-")[0],
            "drug": drug,
            "brand": next(iter(fact.names("brand")), ""),
            "happened_on": fact.record.published_on,
            "outcome": fact.said(Predicate.EVENT).lower(),
            **origin(fact, "decision"),
        }
