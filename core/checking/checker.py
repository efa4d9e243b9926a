"""A document to its check: read, find what is named, gather the facts, judge each sentence."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from core.briefs.entities.identifying import Library
from core.checking.accounting import account, leave_unread
from core.checking.assertions import Assertion
from core.checking.clauses import split_clauses
from core.checking.deal_verdicts import judge_deal
from core.checking.drug_verdicts import judge_drug
from core.checking.entities import EntitySpan, find_entities, of_kind
from core.checking.facts import Facts, gather_facts
from core.checking.figure_verdicts import judge_figure
from core.checking.results import (
    VERDICTS,
    CheckedAssertion,
    CheckedSentence,
    CheckVerdict,
    DocumentCheck,
    gravest,
)
from core.checking.running_text import is_opinion, read_clause
from core.checking.table_rows import read_row
from core.checking.trial_verdicts import judge_trial
from core.documents.reading import read_document
from core.documents.sentences import Sentence
from core.evidence.names.target_tables import TargetNames, target_names

NO_EVIDENCE = "The instance holds no evidence; load the starter pack with `setup --evidence`."
_GOES_ON = re.compile(
    r"^(?:It|Its|Highest stage:|Owner:|"
    r"The (?:drug|company|agent|compound|molecule|antibody|product|trial|study|agency)|"
    r"This (?:drug|agent|compound|molecule|antibody|product))\b"
)
_OTHERS = re.compile(r"\b(?:competit|alternativ|compar|versus|vs\b)", re.IGNORECASE)
"""Words of a heading below which other drugs than the one it names stand."""


def check_document(name: str, content: bytes, context: Library) -> DocumentCheck:
    """Compare what a document states with the evidence, sentence by sentence.

    Args:
        name: Name of the file.
        content: The file: docx, pptx, pdf, Markdown or text.
        context: Evidence, names and the day of which statuses are told.

    Returns:
        The same check for the same file, evidence and day.

    Raises:
        InvalidInput: The file is empty, too large or long, encrypted, damaged, or of another form.
    """
    document = read_document(name, content)
    entities = find_entities(document.sentences, context)
    facts = gather_facts((entity for each in entities for entity in each), context)
    names = target_names(context.resolver)
    sentences = list(_judged(document.sentences, entities, facts, names))
    counts: Counter[CheckVerdict] = Counter(sentence.verdict for sentence in sentences)
    notices = list(document.notices)
    if not context.evidence.version():
        notices.append(NO_EVIDENCE)
    return DocumentCheck(
        name=name,
        form=document.form,
        pages=document.n_pages,
        checked_on=context.as_of.isoformat(),
        counts={verdict: counts[verdict] for verdict in VERDICTS},
        n_assertions=sum(x.kind != "remainder" for each in sentences for x in each.assertions),
        sentences=sentences,
        notices=notices,
    )


def _judged(
    sentences: Sequence[Sentence],
    entities: Sequence[Sequence[EntitySpan]],
    facts: Facts,
    names: TargetNames,
) -> Iterator[CheckedSentence]:
    """Yield the sentences with their verdicts; a drug named alone before is carried over.

    That of a heading counts until one of its level or above, also below those within it.
    """
    heading: EntitySpan | None = None
    headings: dict[int, EntitySpan | None] = {}
    before: EntitySpan | None = None
    for sentence, named in zip(sentences, entities, strict=True):
        drugs = {drug.key: drug for drug in of_kind(named, "drug")}
        only = next(iter(drugs.values())) if len(drugs) == 1 else None
        if sentence.is_heading:
            of_others = _OTHERS.search(sentence.text) is not None
            headings = {x: drug for x, drug in headings.items() if x < sentence.level}
            headings[sentence.level] = None if of_others else only
            heading = next((x for x in reversed(headings.values()) if x), None)
            heading = None if of_others or len(drugs) > 1 else heading
            before = None if of_others else only
            yield _sentence(sentence, [])
            continue
        if sentence.cells:
            judged = [_judge(x, facts) for x in read_row(sentence, named, names)]
        else:
            goes_on = _GOES_ON.match(sentence.text) is not None
            is_weak = before is None or not goes_on
            carried = heading if is_weak else before
            judged = []
            for clause in split_clauses(sentence.text, named, carried, is_weak=is_weak):
                read = list(read_clause(clause, names))
                judged += account(
                    clause, read, [_judge(x, facts) for x in read], facts.genes(clause.drugs)
                )
            if all(each.kind == "remainder" for each in judged):
                judged = []
            before = only or (before if goes_on and not drugs else None)
        yield _sentence(sentence, judged)


def _judge(assertion: Assertion, facts: Facts) -> CheckedAssertion:
    if assertion.kind == "remainder":
        return leave_unread(assertion.stated)
    if assertion.kind == "trial":
        return judge_trial(assertion, facts)
    if assertion.kind == "figure":
        return judge_figure(assertion, facts)
    if assertion.kind == "deal":
        return judge_deal(assertion, facts)
    return judge_drug(assertion, facts)


def _sentence(sentence: Sentence, assertions: list[CheckedAssertion]) -> CheckedSentence:
    location = sentence.location
    distinct = list({(x.kind, x.stated): x for x in assertions}.values())
    if (
        not distinct
        and not sentence.is_heading
        and not sentence.cells
        and is_opinion(sentence.text)
    ):
        note = "An opinion, a comparison or an expectation."
        distinct = [
            CheckedAssertion(
                kind="opinion",
                subject="",
                stated=sentence.text[:200],
                recorded="",
                verdict="not_checkable",
                note=note,
            )
        ]
    return CheckedSentence(
        number=sentence.number,
        text=sentence.text,
        page=location.page,
        heading=location.heading,
        paragraph=location.paragraph,
        table=location.table,
        row=location.row,
        start=location.start,
        end=location.end,
        verdict=gravest(distinct),
        assertions=distinct,
    )
