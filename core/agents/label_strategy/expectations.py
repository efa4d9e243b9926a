"""What the label will probably warn of: shares of the class with their labels, rules beside."""

from collections.abc import Iterator, Sequence

from core.agents.label_strategy.case import LabelCase
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
from core.evidence.assets.precedents.label_sheets import LabelText
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark

MOST_TERMS = 12
MOST_WARNINGS = 14
MOST_AGAINST = 3
FEW = 0.25
"""Share of boxed labels of a wider class below which a rule that the class has no box holds."""
LONGEST_AGAINST = 240


def tell_expectations(case: LabelCase) -> SafetyExpectations:
    """Return what the label will probably warn of."""
    group = leading(case.findings.classes)
    rules = case.question.rules("boxed")
    return SafetyExpectations(
        boxed_warning=_box(case),
        warnings_and_precautions=[
            _term(warning, case)
            for warning in (count_warnings(group, case.findings.texts) if group else [])[
                :MOST_WARNINGS
            ]
        ],
        contraindications=list(_against(group, case)),
        rems=_rems(case),
        specific_populations=list(_populations(case)),
        class_rules=[_rule(row, case) for row in (*rules, *case.question.rules("rems"))],
    )


def _rule(row: ClassRuleRow, case: LabelCase) -> ClassRule:
    """Return a class rule with the whole labels of its class at hand that bear it out."""
    group = next(
        (
            label_class
            for label_class in case.findings.classes
            if label_class.name == row.class_name
        ),
        None,
    )
    labels = group.labels if group else ()
    having = [label for label in labels if _has(row, case.findings.texts[label.record_id])]
    if row.kind == "boxed":  # the starter pack's wider words cannot deny a hazard
        labels = tuple(label for label in labels if label in having or not label.coarse)
    return ClassRule(
        class_name=row.class_name,
        term=row.term,
        since=row.since,
        basis=row.basis,
        note=row.note,
        n_with=len(having),
        n_labels=len(labels),
        source_ids=case.cite.numbers(sheet.record_id for sheet in having),
    )


def _has(row: ClassRuleRow, text: LabelText) -> bool:
    """Return whether a label says what a rule says of its class."""
    return row.term in text.boxed if row.kind == "boxed" else bool(text.has_rems)


def _box(case: LabelCase) -> BoxedWarning:
    question, group = case.question, leading(case.findings.classes)
    count = count_boxes(group) if group else Count("boxed warning", (), ())
    counted = None if question.boxed_elsewhere else group
    terms = count_terms(counted, case.findings.texts)[:MOST_TERMS] if counted else ()
    rules = (*question.rules("boxed"), *question.rules("no box"))
    return BoxedWarning(
        expected=expect_box(case),
        share=count.share,
        n_labels=count.n,
        n_with=len(count.having),
        n_unknown=len(group.unknown) if group else 0,
        class_name=group.name if group else next((row.class_name for row in rules), ""),
        rationale=explain_box(question, group, count, too_small(case.findings.classes)),
        terms=_merge_terms(
            _terms_of_rules(question),
            [_term(term, case) for term in terms if not _is_vague(term, case)],
        ),
        source_ids=case.cite.numbers(count.record_ids),
    )


def _is_vague(count: Count, case: LabelCase) -> bool:
    """Return whether a hazard is a wider word of the starter pack: bleeding for ARIA."""
    is_coarse = all(label.coarse for label in count.having)
    ruled = {row.term for row in case.question.rules("boxed")}
    return bool(ruled) and is_coarse and count.term not in ruled


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
    if some := question.rules("possible"):
        return f"Class rule ({some[0].basis}): {some[0].term}; {some[0].note}."
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


def expect_box(case: LabelCase) -> Expected:
    """Return whether a boxed warning is to be expected: by class rule, else by share."""
    question = case.question
    if question.rules("boxed"):
        return "likely"
    if question.boxed_elsewhere:
        return "unlikely"
    if question.rules("possible"):
        return "possible"
    group = leading(case.findings.classes)
    count = count_boxes(group) if group else None
    if count is None or count.share is None:
        untold: Expected = "unlikely" if question.rules("no box") else "unknown"
        return "possible" if count and count.having else untold
    if question.rules("no box") and count.share < FEW:
        return "unlikely"
    return "likely" if count.share >= 0.5 else "possible" if count.share > 0 else "unlikely"


def explain_box(
    question: Question,
    group: LabelClass | None,
    count: Count,
    narrower: Sequence[LabelClass] = (),
) -> str:
    """Return in a sentence or two why a boxed warning is expected or not."""
    rules = question.rules("boxed")
    further = _tell_rule(rules) if rules else _tell_unboxed(question)
    if group is None:
        unknown = "No label of the class is available and no class rule is known."
        return f"No label of the class is available. {further}" if rules else further or unknown
    box = (
        f"{len(count.having)} of {count.n} whole labels of the class ({group.name}, by "
        f"{group.basis}) have a boxed warning"
    )
    box += "; n too small for a share." if count.share is None else "."
    if not count.n:
        box = f"No whole label of the class ({group.name}, by {group.basis}) is available."
    elif group.unknown:
        box += f" Of {len(group.unknown)} more no whole label is available."
    for narrower_group in narrower:
        boxes = count_boxes(narrower_group)
        number = f"{len(boxes.having)} of {boxes.n}"
        box += f" On the target itself ({narrower_group.name}) {number} has one."
    return f"{box} {further}".rstrip()


def _term(count: Count, case: LabelCase) -> TermShare:
    own_data = case.question.own
    return TermShare(
        term=count.term,
        share=count.share,
        n_labels=count.n,
        n_with=len(count.having),
        in_own_data=count.term in own_data.hazards if own_data.has_safety else None,
        source_ids=case.cite.numbers(count.record_ids),
    )


def _against(group: LabelClass | None, case: LabelCase) -> Iterator[Contraindication]:
    """Yield what the newest labels of the class exclude, in their own words."""
    n_listed = 0
    for label in group.labels if group else ():
        text = case.findings.texts[label.record_id].against
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
            text=f"{label.brand}: {cut}", source_ids=case.cite.numbers([label.record_id])
        )


def _rems(case: LabelCase) -> RemsExpectation:
    """Return whether restricted distribution is to be expected.

    Labels of a class whose program has ended may be older than its end: they no longer count.
    """
    group = leading(case.findings.classes)
    count = count_rems(group, case.findings.texts) if group else None
    rules, ended = case.question.rules("rems"), case.question.ended_rules("rems")
    why = "No label text of the class is available."
    if count and count.n:
        name = group.name if group else ""
        why = f"{len(count.having)} of {count.n} whole labels of the class ({name}) speak of a REMS"
        why += "; n too small for a share." if count.share is None else "."
    if rules:
        note = f" ({rules[0].note})" if rules[0].note else ""
        why += f" Class rule ({rules[0].basis}): {rules[0].class_name}: {rules[0].term}{note}."
    elif ended:
        when = f"{'on' if ended[0].valid_to.count('-') > 1 else 'in'} {ended[0].valid_to}"
        source = "; ".join(filter(None, (ended[0].note, ended[0].source_title)))
        why += f" The REMS of the class {ended[0].class_name} ended {when} ({source})."
    return RemsExpectation(
        expected=expect_rems(case.question, count),
        share=count.share if count else None,
        n_labels=count.n if count else 0,
        rationale=why,
        source_ids=case.cite.numbers(count.record_ids) if count else [],
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


def _populations(case: LabelCase) -> Iterator[PopulationStatement]:
    """Yield what is to be said of pregnancy and of children, from the class and the rules."""
    group = leading(case.findings.classes)
    counts = count_warnings(group, case.findings.texts) if group else []
    fetal = next((count for count in counts if count.term == "embryo-fetal toxicity"), None)
    if fetal and group:
        yield PopulationStatement(
            population="pregnancy and contraception",
            statement=(
                f"{len(fetal.having)} of {fetal.n} labels of the class ({group.name}) warn of "
                "embryo-fetal toxicity: plan the statement and the advice on contraception."
            ),
            source_ids=case.cite.numbers(fetal.record_ids),
        )
    kids = [use for use in case.findings.uses if use.row.use.age.children]
    n = case.findings.moieties()
    n_kids = len({kid.moiety for kid in kids})
    yield PopulationStatement(
        population="pediatric use",
        statement=(
            f"{n_kids} of {n} drugs with a label in the disease are for children, too. "
            f"Duty: {case.question.agency.pediatric}."
        ),
        source_ids=case.cite.numbers(kid.row.record_id for kid in kids[:6]),
    )


def list_frequencies(case: LabelCase) -> list[FrequencyRow]:
    """Return every share of every class with the labels that it follows from."""
    rows: list[FrequencyRow] = []
    for group in case.findings.classes:
        rows.append(_row(group, "boxed warning", count_boxes(group), case.cite))
        for count in count_terms(group, case.findings.texts)[:MOST_TERMS]:
            rows.append(_row(group, "term of the boxed warning", count, case.cite))
        for count in count_warnings(group, case.findings.texts)[:MOST_WARNINGS]:
            rows.append(_row(group, "heading of warnings", count, case.cite))
        rems = count_rems(group, case.findings.texts)
        if rems.n:
            rows.append(_row(group, "restricted distribution", rems, case.cite))
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
