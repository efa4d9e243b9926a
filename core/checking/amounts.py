"""Amounts of running text to assertions: figures of results, and terms of deals."""

import re
from collections.abc import Iterator
from dataclasses import replace

from core.checking.assertions import Assertion
from core.checking.clauses import Clause
from core.checking.entities import EntitySpan
from core.checking.figure_measures import PATTERNS, find_measures
from core.checking.values import FigureSpan, Money, find_figures, find_money

DEAL = re.compile(
    r"\b(?:(?:out-?|in-?)?licens\w+|rights|deal|option(?:ed)?|up-?front|milestones?|acquir\w+|"
    r"bought|purchas\w+|took|paid|pays|obtained(?! approval)|sold\s+by|went\s+to)\b",
    re.IGNORECASE,
)
_OTHER_ARM = re.compile(r"\b(?:vs\.?|versus|compared (?:with|to)|than|and)\s+$", re.IGNORECASE)
"""What stands before the figure of another arm."""
_MEASURED = re.compile(
    r"respon|surviv|progression|remission|reduction|achiev|median|efficacy|rate|placebo|score",
    re.IGNORECASE,
)
_REPORTING = re.compile(
    r"\b(?:gave|had|achieved|showed|reached|reported|resulted|was|is|with|yielded|"
    r"median|hazard ratio|HR|rate|of patients|a|the|95\s?% CI|confidence interval)\b"
)
_BETTER = re.compile(
    r"\b(?:improv(?:ed|es)|prolong(?:ed|s)|extend(?:ed|s)|reduc(?:ed|es) the risk of|"
    r"cut the risk of|over)\b",
    re.IGNORECASE,
)
"""What a hazard ratio below 1 means, and none above."""


def read_figures(clause: Clause) -> Iterator[Assertion]:
    """Yield the figures that a clause gives as results of a drug."""
    figures = [x for x in find_figures(clause.text) if clause.start <= x.start < clause.end]
    is_measured = any(x.unit == "hazard ratio" for x in figures) or _MEASURED.search(clause.words)
    keys = {drug.key: drug for drug in clause.drugs}
    if not is_measured or not keys or len(keys) > 2:
        return
    trials = clause.of_kind("trial")
    whole = Assertion(
        "figure",
        "",
        clause.drugs[0],
        trial=trials[0].key if trials else "",
        diseases=tuple(clause.of_kind("disease")),
        words=clause.words,
        is_loose=clause.is_carried or len(keys) > 1,
    )
    for before, figure, behind in zip(
        [None, *figures], figures, [*figures[1:], None], strict=False
    ):
        if figure.unit in {"participants", "days"} or _OTHER_ARM.search(
            clause.text[clause.start : figure.start]
        ):
            continue
        near = clause.text[before.end if before else clause.start : figure.start]
        if not find_measures(near):
            near = clause.text[figure.end : behind.start if behind else clause.end]
        yield replace(
            whole,
            stated=f"{clause.drugs[0].said}: {figure.said}",
            value=figure.value,
            unit=figure.unit,
            step=figure.step,
            measure=near,
            spans=tuple(_spans_of(clause, figure)),
        )


def _spans_of(clause: Clause, figure: FigureSpan) -> Iterator[tuple[int, int]]:
    """Yield the places of a figure, its measure and the verbs that say no more than it does."""
    yield figure.start, figure.end
    is_good = figure.unit == "hazard ratio" and figure.value < 1
    for pattern in (*PATTERNS, _REPORTING, *([_BETTER] if is_good else [])):
        for match in pattern.finditer(clause.text, clause.start, clause.end):
            yield match.span()


_VERB = re.compile(
    r"\b(?P<verb>out-?licens\w+|in-?licens\w+|licens(?:ed|es)|acquir(?:ed|es)|bought|buys|"
    r"purchased|took|takes|obtain(?:ed|s)|paid|pays|sold|optioned|went)\b",
    re.IGNORECASE,
)
_TERMS = re.compile(
    r"\b(?:(?:a\s+)?(?:license|licence|deal|agreement|option)|rights?(?:\s+(?:of|to|on))?|up-?front|"
    r"in\s+all|(?:potential(?:ly)?\s+)?total|worth|payment|up\s+to(?=\s+(?:US)?[$\u20ac])|"
    r"valued\s+at)\b",
    re.IGNORECASE,
)
_GIVER = re.compile(r"\b(?:from|by)\s+(?:the\s+)?$", re.IGNORECASE)
_PARTY = re.compile(
    r"(?:^|(?<=\. )|(?<=\] )|\b(?:from|to|by|pa(?:id|ys))\s+)"
    r"(?P<name>[A-Z][\w&.-]*\w(?:\s+(?:&\s+)?[A-Z][\w&-]*\w){0,3})(?!-)"
)
_BOUND = re.compile(
    r"\b(?P<least>more\s+than|over|at\s+least|above)|(?P<most>less\s+than|below|under)\s*$", re.I
)


def read_deals(clause: Clause) -> Iterator[Assertion]:
    """Yield the parties of a deal by what they give or take, its day, and its amounts."""
    if not DEAL.search(clause.words):
        return
    companies = clause.of_kind("company")
    keys = {drug.key: drug for drug in clause.drugs}
    amounts = [x for x in find_money(clause.text) if clause.start <= x.start < clause.end]
    days = clause.days()
    verb = _VERB.search(clause.text, clause.start, clause.end)
    if len(keys) != 1 or not (
        ((companies or verb) and (amounts or days or companies)) or (amounts and days)
    ):
        return
    drug = clause.drugs[0]
    day = days[0] if days else None
    spans = [x.span() for x in _TERMS.finditer(clause.text, clause.start, clause.end)]
    spans += [verb.span()] if verb else []
    deal = Assertion(
        "deal",
        "",
        drug,
        companies=tuple(dict.fromkeys(company.key for company in companies)),
        day=day,
        is_loose=clause.is_carried,
        spans=tuple(spans),
    )
    if day is not None:
        yield replace(deal, stated=f"{drug.said}, deal {day.said}", attribute="day")
    for company in (*companies, *(find_parties(clause) if verb else ())):
        stated = f"{drug.said}, deal with {company.said}"
        words = _side(clause, company, verb)
        each = replace(deal, stated=stated, attribute="party", companies=(company.key,))
        is_loose = deal.is_loose or company not in companies
        place = (company.start, company.end)
        each = replace(each, is_loose=is_loose, spans=(*deal.spans, place))
        yield replace(each, words=words, beside=deal.companies)
    for amount in amounts:
        bound = _BOUND.search(clause.text[max(clause.start, amount.start - 12) : amount.start])
        yield replace(
            deal,
            stated=f"{drug.said}, {amount.said}",
            attribute=_kind_of(clause, amount),
            value=amount.millions,
            unit=amount.currency,
            words=(bound.lastgroup or "") if bound else "",
            spans=(
                *spans,
                (amount.start - (12 if bound else 0), amount.end),
            ),
        )


def find_parties(clause: Clause) -> Iterator[EntitySpan]:
    """Yield names that stand where companies stand, though no table knows them."""
    for match in _PARTY.finditer(clause.text, clause.start, clause.end):
        start, end = match.span("name")
        if not any(x.start < end and start < x.end for x in clause.entities):
            yield EntitySpan("company", start, end, (match["name"],), match["name"], match["name"])


def _side(  # noqa: PLR0911 - one case a preposition
    clause: Clause, company: EntitySpan, verb: re.Match[str] | None
) -> str:
    """Return whether a company gives or takes the drug; "" where the words leave it open."""
    before = clause.text[clause.start : company.start]
    text = clause.text
    has_taker = re.search(r"\bto\s+[A-Z]", text[clause.start : clause.end]) is not None
    if re.match(r"['\u2019]s?\s", text[company.end :]):
        return "giver"
    if re.search(r"\bfrom\s+(?:the\s+)?$", before):
        return "giver"
    if re.search(r"\bto\s+(?:the\s+)?$", before):
        return "taker"
    if re.search(r"\bby\s+(?:the\s+)?$", before):
        return "giver" if has_taker else "taker"
    if verb is None:
        return ""
    word = verb["verb"].casefold()
    if re.search(r"\b(?:paid|pays)\s+$", before):
        return "giver"
    if company.end <= verb.start():
        if word.startswith(("out", "sold")) or (word.startswith("licens") and has_taker):
            return "giver"
        is_taking = not word.startswith("licens") or re.search(r"\bfrom\b", text[verb.end() :])
        is_taking = is_taking or re.search(r"\brights\b|upfront", text[verb.end() :])
        return "taker" if is_taking else ""
    return ""


def _kind_of(clause: Clause, amount: Money) -> str:
    """Return what an amount of a deal is; "" where the words leave it open."""
    before = clause.text[max(clause.start, amount.start - 25) : amount.start]
    behind = re.match(r"[^,;)]{0,40}", clause.text[amount.end : clause.end])
    after = behind[0] if behind else ""
    after = re.split(r"\band\b", after)[0]
    if re.search(r"up-?front", after, re.I):
        return "upfront"
    if re.search(r"milestone|cash|equity|near-term|royalt|warrants", after, re.I):
        return "other"
    if re.search(r"\bin all\b|\btotal\b", after, re.I) or re.search(
        r"up to|worth|total|potential", before, re.I
    ):
        return "total"
    if re.search(r"up-?front(?:\s+\w+){0,2}\s*$", before, re.I):
        return "upfront"
    return ""
