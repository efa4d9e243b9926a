"""Proves claims: every number, name and citation stands in the records that are cited.

What it finds is a list of faults; a text with one is not shown.

A figure names its computation and its inputs; the proof computes it again. A computation of one
agent stands in that agent: `@computation("…")` above its function is all that it takes.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from core.evidence.proof.claims import NEGATION, Claim, Figure
from core.records.evidence import Fact, Record

Proof = Callable[..., float | None]
"""Takes the inputs of a figure, in order; returns its value, None where there is none."""
OneProof = TypeVar("OneProof", bound=Proof)

_PROOFS: dict[str, Proof] = {}


def computation(name: str) -> Callable[[OneProof], OneProof]:
    """Register a function as the proof of a computation.

    Raises:
        ValueError: Another function has the name.
    """

    def register(proof: OneProof) -> OneProof:
        registered = _PROOFS.setdefault(name, proof)
        if (registered.__module__, registered.__qualname__) != (
            proof.__module__,
            proof.__qualname__,
        ):
            raise ValueError(f"computation {name!r} is registered in {registered.__module__}")
        return proof

    return register


def recompute(name: str, inputs: Sequence[str | float]) -> float | None:
    """Return what a computation makes of its inputs; None where it makes nothing of them.

    >>> recompute("share", (41.0, 100.0)), recompute("guess", (1.0,))
    (0.41, None)
    """
    proof = _PROOFS.get(name)
    if proof is None:
        return None
    try:
        return proof(*inputs)
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return None


@computation("count")
def _count(*things: str | float) -> float:
    return float(len({str(item) for item in things}))


@computation("share")
def _share(part: float, whole: float) -> float:
    return part / whole


@computation("sum of squares")
def _sum_of_squares(*numbers: float) -> float:
    return float(sum(number**2 for number in numbers))


FaultKind = Literal[
    "uncited",
    "unknown_record",
    "unbound_number",
    "wrong_number",
    "unknown_name",
    "lost_word",
    "negation",
]
_TRIAL = re.compile(r"\b(?:NCT\d{8}|ChiCTR\w+|CTR\d{8})\b")
_NUMBER = re.compile(r"\d")
_FIRST_NUMBER = re.compile(r"[-+\u2212]?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a claim."""

    kind: FaultKind
    claim: Claim
    about: str


@dataclass(frozen=True)
class Ground:
    """What claims are held against.

    Attributes:
        records: Records by id.
        facts: Facts by their number in the pack.
        names: Records that speak of each drug, company and trial of the answer.
        words: Phrases with digits that are no statement, such as "PD-L1" and "phase 3".
    """

    records: Mapping[str, Record]
    facts: Mapping[int, Fact]
    names: Mapping[str, frozenset[str]]
    words: frozenset[str] = frozenset()


def check_claims(claims: Iterable[Claim], ground: Ground) -> list[Fault]:
    """Return every fault of every claim."""
    facts: dict[str, list[Fact]] = {}
    for fact in ground.facts.values():
        facts.setdefault(fact.record_id, []).append(fact)
    return [fault for claim in claims for fault in _check(claim, ground, facts)]


def _check(claim: Claim, ground: Ground, facts: Mapping[str, Sequence[Fact]]) -> Iterator[Fault]:
    if claim.kind in {"fact", "computed"} and not claim.record_ids:
        yield Fault("uncited", claim, "no record carries it")
    for record_id in claim.record_ids:
        if record_id not in ground.records:
            yield Fault("unknown_record", claim, record_id)
    if len(NEGATION.findall(claim.text)) != claim.n_negations:
        yield Fault("negation", claim, "a negating word was lost or added")
    for words in claim.words:
        if words not in claim.text:
            yield Fault("lost_word", claim, f"{words!r} is not in the text")
    yield from _check_names(claim, ground)
    for figure in claim.figures:
        reason = _weigh(figure, claim, ground, facts)
        if reason:
            yield Fault("wrong_number", claim, f"{figure.shown}: {reason}")
    names = [*claim.names, *(figure.shown for figure in claim.figures)]
    names += [words for figure in claim.figures for words in figure.said]
    left = _cut(claim.text, [*names, *ground.words])
    if _NUMBER.search(left):
        yield Fault("unbound_number", claim, " ".join(left.split()))


def _check_names(claim: Claim, ground: Ground) -> Iterator[Fault]:
    """Yield names that the text does not have, or that no cited record speaks of."""
    cited = frozenset(claim.record_ids)
    for name in claim.names:
        if name not in claim.text:
            yield Fault("unknown_name", claim, f"{name} is not in the text")
        elif name not in ground.names:
            yield Fault("unknown_name", claim, f"{name} is not in the answer")
        elif claim.kind == "fact" and not ground.names[name] & cited:
            yield Fault("unknown_name", claim, f"no cited record speaks of {name}")
    for trial in _TRIAL.findall(claim.text):
        if trial not in claim.names:
            yield Fault("unknown_name", claim, f"{trial} is not declared")
    stated = [words for figure in claim.figures if figure.fact_id for words in figure.said]
    remainder = _cut(claim.text, [*claim.names, *stated])
    for name in ground.names:
        if len(name) > 3 and name not in claim.names and _has_word(remainder, name):
            yield Fault("unknown_name", claim, f"{name} is not declared")


def _has_word(text: str, name: str) -> bool:
    position = text.find(name)
    if position < 0:
        return False
    beside = (
        text[max(0, position - 1) : position]
        + text[position + len(name) : position + len(name) + 1]
    )
    return not any(sign.isalnum() for sign in beside)


def _weigh(
    figure: Figure, claim: Claim, ground: Ground, facts: Mapping[str, Sequence[Fact]]
) -> str:
    """Return what is wrong with a figure; "" where nothing is."""
    if figure.shown not in claim.text:
        return "it is not in the text"
    missing = [words for words in figure.said if words not in claim.text]
    if missing:
        return f"{missing[0]!r} is not in the text"
    if figure.operation:
        value = recompute(figure.operation, figure.inputs)
        if value is None or figure.value is None or abs(value - figure.value) > 1e-6:
            return "its inputs give another value"
        scale = 100 if "%" in figure.shown else 1
        return "" if _shows(figure.shown, value * scale) else "it shows another value"
    if figure.fact_id:
        fact = ground.facts.get(figure.fact_id)
        return _compare(figure, fact) if fact else "its fact is not in the evidence"
    record = ground.records.get(figure.record_id)
    return _look_up(figure, record, facts) if record else "its record is not in the evidence"


def _look_up(figure: Figure, record: Record, facts: Mapping[str, Sequence[Fact]]) -> str:
    """Return whether any fact of a record, or the record itself, states a figure."""
    stated = {record.published_on, record.updated_on, record.copied_on}
    stated |= {record.source_id, record.title}
    stated |= {text for fact in facts.get(record.id, ()) for text in (fact.object, fact.as_of)}
    values = {fact.value for fact in facts.get(record.id, ())}
    if figure.value is not None:
        return "" if figure.value in values else "no fact of its record has this value"
    return "" if any(figure.shown in text for text in stated) else "its record does not say it"


def _compare(figure: Figure, fact: Fact) -> str:
    """Return in what a figure differs from the fact that states it."""
    pairs = (
        ("record", figure.record_id, fact.record_id),
        ("measure", figure.measure, fact.object),
        ("unit", figure.unit, fact.unit),
        ("arm", figure.arm, fact.qualifiers.arm),
        ("time point", figure.time_point, fact.qualifiers.time_point),
    )
    for word, written, stated in pairs:
        if written and written != stated:
            return f"the fact has another {word}"
    if fact.value is None:
        return "" if figure.shown in fact.object else "the fact does not say it"
    if figure.value is None or abs(figure.value - fact.value) > 1e-9:
        return "the fact has another value"
    return "" if _shows(figure.shown, fact.value) else "it is not the value of the fact"


def _shows(shown: str, value: float) -> bool:
    """Return whether a text is a value, rounded to the digits that it has."""
    match = _FIRST_NUMBER.search(shown)
    if match is None:
        return False
    digits = match[0].replace(",", "").replace("\u2212", "-")
    allowed: float = 0.5 / 10 ** len(digits.partition(".")[2])
    return bool(abs(float(digits) - value) <= allowed + 1e-9)


def _cut(text: str, parts: Iterable[str]) -> str:
    """Return a text without these parts, the longest taken out first; "0" is no part of "30"."""
    for phrase in sorted(
        {phrase for phrase in parts if phrase}, key=lambda phrase: (-len(phrase), phrase)
    ):
        before = r"(?<!\d)" if phrase[0].isdigit() else ""
        after = r"(?!\d)" if phrase[-1].isdigit() else ""
        text = re.sub(f"{before}{re.escape(phrase)}{after}", " ", text)
    return text
