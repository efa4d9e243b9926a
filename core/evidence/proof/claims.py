"""Claims first, prose after: what a text says is bound to records before it is written.

A claim carries its records, the figures in it with the facts that state them, and the names in
it. Prose is rendered from claims; `claim_checks` proves that nothing else is said.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.evidence.proof.citations import Citations
from core.records.programs import Outcome

ClaimKind = Literal["fact", "computed", "rule", "assumption"]
_MARKS = re.compile(r"\[(?=\s*\d)")
NEGATION = re.compile(
    r"\b(?:no|not|none|never|without|nothing|nobody|neither|nor|cannot)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number or date as a claim shows it.

    Attributes:
        shown: As the text has it, such as "41 %" or "2027-03".
        value: The number; None for a date or another word.
        record_id: Record that states it; "" where it is computed.
        fact_id: Fact of the pack that states it; 0 where any fact of the record may.
        measure: What is measured, as the fact has it; "" where it does not apply.
        unit: Its unit, as the fact has it.
        arm: Arm of the trial, as the fact has it.
        time_point: Time frame, as the fact has it.
        said: Words that must stand in the text with it.
        operation: Name of the computation that gave it; "" where a record states it.
        inputs: What it was computed from.
    """

    shown: str
    value: float | None = None
    record_id: str = ""
    fact_id: int = 0
    measure: str = ""
    unit: str = ""
    arm: str = ""
    time_point: str = ""
    said: tuple[str, ...] = ()
    operation: str = ""
    inputs: tuple[str | float, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence with what it rests on.

    Attributes:
        text: The sentence, ending in a full stop, without citation marks.
        kind: A fact of a record, computed from facts, a rule of ours, or an assumption.
        record_ids: Records that carry it.
        figures: Every number in it.
        names: Every drug, company and trial in it.
        words: Words that bear the statement, such as "phase 3" and the indication.
        n_negations: Negating words in it when it was composed.
        needs: Texts of the claims that are shown wherever it is: the caveat of its figures, and
            the sentence that it refers to.
    """

    text: str
    kind: ClaimKind
    record_ids: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    n_negations: int = 0
    needs: tuple[str, ...] = ()


def make_claim(
    text: str,
    kind: ClaimKind,
    record_ids: Iterable[str] = (),
    *,
    figures: Sequence[Figure] = (),
    names: Iterable[str] = (),
    words: Iterable[str] = (),
) -> Claim:
    """Return a claim; the records of its figures are cited too.

    Args:
        text: The sentence; names in it must be written as in `names`.
        kind: What it rests on.
        record_ids: Records that carry it.
        figures: Numbers in it.
        names: Drugs, companies and trials in it.
        words: Words that bear the statement.
    """
    cited = [*record_ids, *(figure.record_id for figure in figures if figure.record_id)]
    return Claim(
        text=text,
        kind=kind,
        record_ids=tuple(dict.fromkeys(cited)),
        figures=tuple(figures),
        names=tuple(dict.fromkeys(name for name in names if name)),
        words=tuple(word for word in words if word),
        n_negations=len(NEGATION.findall(text)),
    )


def with_caveats(claims: Iterable[Claim], caveats: Iterable[Claim]) -> list[Claim]:
    """Return claims and behind them the caveats without which none of them is shown."""
    last = list(caveats)
    texts = tuple(caveat.text for caveat in last)
    return [*(replace(claim, needs=(*claim.needs, *texts)) for claim in claims), *last]


def cut_at_word(text: str, most: int) -> str:
    """Return a text of at most so many signs; one that is cut ends with a word and a mark.

    >>> cut_at_word("Carboplatin plus pemetrexed", 20), cut_at_word("Pemetrexed", 5)
    ('Carboplatin plus\u2026', 'Peme\u2026')
    """
    if len(text) <= most:
        return text
    shortened = text[:most].rpartition(" ")[0].rstrip(" ,;:(/-") or text[: most - 1]
    return f"{shortened[: most - 1]}\u2026"


def shorten(text: str, longest: int) -> str:
    """Return a text cut to a length, with a mark where something is missing.

    >>> shorten("overall survival", 8), shorten("survival", 8)
    ('overall…', 'survival')
    """
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}\u2026"


def unmark(text: str) -> str:
    """Return a text of a record or caller in which nothing looks like a citation or bold type.

    >>> unmark("[177Lu] PSMA **x**")
    '(177Lu] PSMA *x*'
    """
    return _MARKS.sub("(", " ".join(text.split())).replace("**", "*")


def render_claim(claim: Claim, citations: Citations) -> str:
    """Return the sentence with its marks before the full stop."""
    marks = citations.mark(claim.record_ids)
    if not marks:
        return claim.text
    return f"{claim.text.removesuffix('.')} {marks}."


def count_of(shown: int, items: Iterable[str]) -> Figure:
    """Return a number that counts things of the answer."""
    return Figure(str(shown), float(shown), operation="count", inputs=tuple(items))


def figure_of(outcome: Outcome, shown: str, phrases: Iterable[str] = ()) -> Figure:
    """Return a figure that a trial or label reports."""
    return Figure(
        shown=shown,
        value=outcome.value,
        record_id=outcome.record_id,
        fact_id=outcome.fact_ids[0] if outcome.fact_ids else 0,
        measure=outcome.measure,
        unit=outcome.unit,
        arm=outcome.arm,
        time_point=outcome.time_point,
        said=tuple(word for word in phrases if word),
    )
