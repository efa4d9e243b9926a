"""What the label will probably warn of: shares of the class with their labels, rules beside."""

from collections.abc import Iterator, Sequence

from core.agents.label_strategy.classes import (
    Count,
    LabelClass,
    count_boxes,
    count_rems,
    count_terms,
    count_warnings,
    leading,
    too_small,
)
from core.agents.label_strategy.gathering import Holdings
from core.agents.label_strategy.question import Question
from core.agents.label_strategy.records import (
    BoxedWarning,
    ClassRule,
    Contraindication,
    Expected,
    FrequencyRow,
    PopulationStatement,
    RemsExpectation,
    SafetyExpectations,
    TermShare,
)
from core.agents.label_strategy.tables import ClassRuleRow
from core.briefs.citing import Cite
from core.evidence.assets.precedents.label_sheets import LabelText
from core.evidence.proof.claims import unmark

MOST_TERMS = 12
MOST_WARNINGS = 14
MOST_AGAINST = 3
FEW = 0.25
"""Share of boxed labels of a wider class below which a rule that the class has no box holds."""
LONGEST_AGAINST = 240


def tell_expectations(question: Question, findings: Holdings, cite: Cite) -> SafetyExpectations:
    """Return what the label will probably warn of.

    Args:
        question: The request as understood.
        findings: What the evidence holds.
        cite: Numbers of records.
    """
    group = leading(findings.classes)
    rules = question.rules("boxed")
    return SafetyExpectations(
        boxed_warning=_box(question, findings, cite),
        warnings_and_precautions=[
            _term(warning, question, cite)
            for warning in (count_warnings(group, findings.texts) if group else [])[:MOST_WARNINGS]
        ],
        contraindications=list(_against(group, findings, cite)),
        rems=_rems(question, findings, cite),
        specific_populations=list(_populations(question, findings, cite)),
        class_rules=[_rule(row, findings, cite) for row in (*rules, *question.rules("rems"))],
    )


def _rule(row: ClassRuleRow, findings: Holdings, cite: Cite) -> ClassRule:
    """Return a class rule with the whole labels of its class at hand that bear it out."""
    group = next(
        (label_class for label_class in findings.classes if label_class.name == row.class_name),
        None,
    )
    labels = group.labels if group else ()
    having = [label for label in labels if _has(row, findings.texts[label.record_id])]
    return ClassRule(
        class_name=row.class_name,
        term=row.term,
        since=row.since,
        basis=row.basis,
        note=row.note,
        n_with=len(having),
        n_labels=len(labels),
        source_ids=cite.numbers(sheet.record_id for sheet in having),
    )


def _has(row: ClassRuleRow, text: LabelText) -> bool:
    """Return whether a label says what a rule says of its class."""
    return row.term in text.boxed if row.kind == "boxed" else bool(text.has_rems)


def _box(question: Question, findings: Holdings, cite: Cite) -> BoxedWarning:
    group = leading(findings.classes)
    if group is None:
        return _box_by_rule(question)
    count = count_boxes(group)
    terms = [
        _term(term, question, cite) for term in count_terms(group, findings.texts)[:MOST_TERMS]
    ]
    return BoxedWarning(
        expected=expect_box(question, findings),
        share=count.share,
        n_labels=count.n,
        n_with=len(count.having),
        n_unknown=len(group.unknown),
        class_name=group.name,
        rationale=explain_box(question, group, count, too_small(findings.classes)),
        terms=_merge_terms(_terms_of_rules(question), terms),
        source_ids=cite.numbers(count.record_ids),
    )


def _box_by_rule(question: Question) -> BoxedWarning:
    """Return what class rules say of a box where no label of the class is at hand."""
    rules, unboxed = question.rules("boxed"), _tell_unboxed(question)
    unknown = "No label of the class is available and no class rule is known."
    return BoxedWarning(
        expected=expect_box(question, None),
        share=None,
        n_labels=0,
        n_with=0,
        n_unknown=0,
        class_name=next((row.class_name for row in (*rules, *question.rules("no box"))), ""),
        rationale=f"No label of the class is available. {_tell_rule(rules)}"
        if rules
        else unboxed or unknown,
        terms=_terms_of_rules(question),
        source_ids=[],
    )


def _terms_of_rules(question: Question) -> list[TermShare]:
    """Return the hazards that class rules name, of which no label at hand tells."""
    has_own = question.own.has_safety
    return [
        TermShare(
            term=term,
            share=None,
            n_labels=0,
            n_with=0,
            in_own_data=term in question.own.hazards if has_own else None,
            source_ids=[],
        )
        for term in dict.fromkeys(row.term for row in question.rules("boxed"))
    ]


def _merge_terms(ruled: Sequence[TermShare], counted: Sequence[TermShare]) -> list[TermShare]:
    """Return the hazards that rules name, with the labels that have them, then further ones."""
    by_term = {term.term: term for term in counted}
    ruled_terms = [by_term.pop(term.term, term) for term in ruled]
    return [*ruled_terms, *by_term.values()][:MOST_TERMS]


def _tell_unboxed(question: Question) -> str:
    """Return in a sentence why a class has no box in the disease; "" where that is not known."""
    if rules := question.rules("no box"):
        return f"Class rule ({rules[0].basis}): {rules[0].class_name} labels have no boxed warning."
    if elsewhere := question.boxed_elsewhere:
        return (
            f"Class rule ({elsewhere[0].basis}): {elsewhere[0].class_name} labels have their boxed "
            f"warning in other diseases ({elsewhere[0].note or elsewhere[0].setting})."
        )
    return ""


def _tell_rule(rules: Sequence[ClassRuleRow]) -> str:
    """Return in a sentence what the rules of the first class say of its box."""
    terms = ", ".join(dict.fromkeys(row.term for row in rules))
    return f"Class rule ({rules[0].basis}): {rules[0].class_name} labels warn of {terms}."


def expect_box(question: Question, findings: Holdings | None) -> Expected:
    """Return whether a boxed warning is to be expected: by class rule, else by share.

    Args:
        question: The request as understood.
        findings: What the evidence holds; None where no label of the class is at hand.
    """
    if question.rules("boxed"):
        return "likely"
    if question.boxed_elsewhere:
        return "unlikely"
    group = leading(findings.classes) if findings else None
    count = count_boxes(group) if group else None
    if count is None or count.share is None:
        if count and count.having:
            return "possible"
        return "unlikely" if question.rules("no box") else "unknown"
    if question.rules("no box") and count.share < FEW:
        return "unlikely"
    return "likely" if count.share >= 0.5 else "possible" if count.share > 0 else "unlikely"


def explain_box(
    question: Question, group: LabelClass, count: Count, narrower: Sequence[LabelClass] = ()
) -> str:
    """Return in a sentence or two why a boxed warning is expected or not.

    Args:
        question: The request as understood.
        group: The class that counts.
        count: Its labels with a boxed warning.
        narrower: Classes that are nearer and too small.
    """
    box = (
        f"{len(count.having)} of {count.n} whole labels of the class ({group.name}, by "
        f"{group.basis}) have a boxed warning"
    )
    box += "; n too small for a share." if count.share is None else "."
    if group.unknown:
        box += f" Of {len(group.unknown)} more no whole label is available."
    for narrower_group in narrower:
        boxes = count_boxes(narrower_group)
        number = f"{len(boxes.having)} of {boxes.n}"
        box += f" On the target itself ({narrower_group.name}) {number} has one."
    rules = question.rules("boxed")
    further = _tell_rule(rules) if rules else _tell_unboxed(question)
    return f"{box} {further}".rstrip()


def _term(count: Count, question: Question, cite: Cite) -> TermShare:
    own_data = question.own
    return TermShare(
        term=count.term,
        share=count.share,
        n_labels=count.n,
        n_with=len(count.having),
        in_own_data=count.term in own_data.hazards if own_data.has_safety else None,
        source_ids=cite.numbers(count.record_ids),
    )


def _against(
    group: LabelClass | None, findings: Holdings, cite: Cite
) -> Iterator[Contraindication]:
    """Yield what the newest labels of the class exclude, in their own words."""
    n_listed = 0
    for label in group.labels if group else ():
        text = findings.texts[label.record_id].against
        plain = unmark(text.removeprefix("4 CONTRAINDICATIONS").strip())
        if not plain or plain.casefold().strip(" .").startswith("none") or n_listed >= MOST_AGAINST:
            continue
        n_listed += 1
        cut = (
            plain
            if len(plain) <= LONGEST_AGAINST
            else f"{plain[:LONGEST_AGAINST].rsplit(' ', 1)[0]} \u2026"
        )
        yield Contraindication(
            text=f"{label.brand}: {cut}", source_ids=cite.numbers([label.record_id])
        )


def _rems(question: Question, findings: Holdings, cite: Cite) -> RemsExpectation:
    """Return whether restricted distribution is to be expected.

    Labels of a class whose program has ended may be older than its end: they no longer count.
    """
    group = leading(findings.classes)
    count = count_rems(group, findings.texts) if group else None
    rules, ended = question.rules("rems"), question.ended_rules("rems")
    why = "No label text of the class is available."
    if count and count.n:
        name = group.name if group else ""
        why = f"{len(count.having)} of {count.n} whole labels of the class ({name}) speak of a REMS"
        why += "; n too small for a share." if count.share is None else "."
    if rules:
        note = f" ({rules[0].note})" if rules[0].note else ""
        why += f" Class rule ({rules[0].basis}): {rules[0].class_name}: {rules[0].term}{note}."
    elif ended:
        why += (
            f" The REMS of {ended[0].class_name} ended on {ended[0].valid_to} ({ended[0].note}; "
            f"{ended[0].source_title})."
        )
    return RemsExpectation(
        expected=expect_rems(question, count),
        share=count.share if count else None,
        n_labels=count.n if count else 0,
        rationale=why,
        source_ids=cite.numbers(count.record_ids) if count else [],
    )


def expect_rems(question: Question, count: Count | None) -> Expected:
    """Return whether a REMS is to be expected: by class rule, else by the share of labels."""
    if question.rules("rems"):
        return "likely"
    if question.ended_rules("rems"):
        return "unlikely"
    if count is None or not count.n or (count.share is None and not count.having):
        return "unlikely" if question.rules("no box") else "unknown"
    share = len(count.having) / count.n
    return "likely" if share >= 0.5 else "possible" if share > 0 else "unlikely"


def _populations(
    question: Question, findings: Holdings, cite: Cite
) -> Iterator[PopulationStatement]:
    """Yield what is to be said of pregnancy and of children, from the class and the rules."""
    group = leading(findings.classes)
    counts = count_warnings(group, findings.texts) if group else []
    fetal = next((count for count in counts if count.term == "embryo-fetal toxicity"), None)
    if fetal and group:
        yield PopulationStatement(
            population="pregnancy and contraception",
            statement=(
                f"{len(fetal.having)} of {fetal.n} labels of the class ({group.name}) warn of "
                "embryo-fetal toxicity: plan the statement and the advice on contraception."
            ),
            source_ids=cite.numbers(fetal.record_ids),
        )
    kids = [use for use in findings.uses if use.row.use.age.children]
    n = findings.moieties()
    n_kids = len({kid.moiety for kid in kids})
    yield PopulationStatement(
        population="pediatric use",
        statement=(
            f"{n_kids} of {n} drugs with a label in the disease are for children, too. "
            f"Duty: {question.agency.pediatric}."
        ),
        source_ids=cite.numbers(kid.row.record_id for kid in kids[:6]),
    )


def list_frequencies(question: Question, findings: Holdings, cite: Cite) -> list[FrequencyRow]:
    """Return every share of every class with the labels that it follows from."""
    rows: list[FrequencyRow] = []
    for group in findings.classes:
        rows.append(_row(group, "boxed warning", count_boxes(group), cite))
        for count in count_terms(group, findings.texts)[:MOST_TERMS]:
            rows.append(_row(group, "term of the boxed warning", count, cite))
        for count in count_warnings(group, findings.texts)[:MOST_WARNINGS]:
            rows.append(_row(group, "heading of warnings", count, cite))
        rems = count_rems(group, findings.texts)
        if rems.n:
            rows.append(_row(group, "restricted distribution", rems, cite))
    return rows


def _row(group: LabelClass, measure: str, count: Count, cite: Cite) -> FrequencyRow:
    def names(labels: Sequence[object]) -> list[str]:
        return sorted(label.brand for label in labels)  # type: ignore[attr-defined]

    return FrequencyRow(
        class_name=group.name,
        measure=measure,
        term=count.term,
        n_with=len(count.having),
        n_labels=count.n,
        n_unknown=len(group.unknown),
        share=count.share,
        labels_with=names(count.having),
        labels_without=names(count.lacking),
        source_ids=cite.numbers(count.record_ids),
    )
