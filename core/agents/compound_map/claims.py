"""Own compounds against the drawings of claims: in, out because of ..., or it cannot be told.

A compound is in the claims of a document that draw it, or of which an R-group drawing has its fixed
part; what R-groups may be stands in words, which are not read. It is out where no drawing of the
claims has its fixed part. Of claims in words alone nothing can be told.

The molecules that the same claims draw test the drawings: where these do not fit them, the drawings
do not tell what is out, and where most have groups at places that the drawings leave bare, such
groups were lost from the drawings.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.agents.compound_map.ranking import Ranked
from core.agents.compound_map.reading import Generic
from core.agents.compound_map.records import ClaimAnswer
from core.chemistry.generic_cores import Answer, Fit, judge_fit

MOST_COMPARED = 500
"""Own compounds that are compared with drawings; each is compared with all."""
MOST_DRAWINGS = 40
"""R-group drawings of one document, the first as they stand."""
MOST_LISTED = 10
MOST_TESTS = 12
"""Claimed molecules of a document that test its drawings."""
MOST_MISSED = 0.1
"""Share of these that may miss the drawings before none is reported as outside."""
LEAST_LOOSE = 0.5
"""Share of these with groups at bare places from which such groups are taken as lost."""
_ORDER: tuple[Answer, ...] = ("in", "cannot tell", "out")
"""By how near a drawing comes."""
_LISTED: tuple[Answer, ...] = ("in", "out", "cannot tell")
"""What is certain comes first."""


@dataclass(frozen=True)
class Claims:
    """What the claims of the sample draw.

    Attributes:
        drawings: R-group drawings by document.
        drawn: Molecules that they draw, as SMILES by key, by document.
        documents: Documents of the sample.
    """

    drawings: Mapping[str, Sequence[str]]
    drawn: Mapping[str, Mapping[str, str]]
    documents: Sequence[str]


@dataclass(frozen=True)
class ClaimsRead:
    """How one compound stands to the claims of all documents.

    Attributes:
        answers: At most ten, "in" first, then "out".
        counts: Documents by answer.
    """

    answers: Sequence[ClaimAnswer] = ()
    counts: Mapping[Answer, int] | None = None


def gather_claims(
    documents: Iterable[str], generics: Sequence[Generic], compounds: Sequence[Ranked]
) -> Claims:
    """Return what the claims draw, by document."""
    drawings: dict[str, list[str]] = {}
    for generic in generics:
        if generic.raw.section == "claims" and generic.kind == "generic":
            drawings.setdefault(generic.raw.publication_number, []).append(generic.smiles)
    drawn: dict[str, dict[str, str]] = {}
    for compound in compounds:
        for number in compound.claimed_in:
            if compound.played.role == "claimed_example":
                key = compound.molecule.structure.inchikey
                drawn.setdefault(number, {})[key] = compound.smiles
    return Claims(
        {number: drawn[:MOST_DRAWINGS] for number, drawn in drawings.items()},
        drawn,
        list(documents),
    )


def judge_claims(smiles: str, inchikey: str, claims: Claims) -> ClaimsRead:
    """Return how one compound stands to the claims of each document."""
    answers = [judge_document(smiles, inchikey, number, claims) for number in claims.documents]
    counts = {word: sum(answer.answer == word for answer in answers) for word in _ORDER}
    answers.sort(key=lambda answer: _LISTED.index(answer.answer))
    return ClaimsRead(answers[:MOST_LISTED], counts)


def judge_document(smiles: str, inchikey: str, number: str, claims: Claims) -> ClaimAnswer:
    """Return how one compound stands to the claims of one document."""
    if inchikey in claims.drawn.get(number, {}):
        return ClaimAnswer(publication_number=number, answer="in", reason="drawn in the claims")
    drawings = claims.drawings.get(number, ())
    if not drawings:
        return ClaimAnswer(
            publication_number=number,
            answer="cannot tell",
            reason="its claims draw no R-groups; claims in words are not read",
        )
    best = _best(drawings, smiles)
    if best.answer == "in":
        return ClaimAnswer(publication_number=number, answer="in", reason=best.reason)
    tests = [text for key, text in claims.drawn.get(number, {}).items() if key != inchikey]
    counts = Counter(_best(drawings, text).answer for text in tests[:MOST_TESTS])
    best = _test(best, counts)
    return ClaimAnswer(publication_number=number, answer=best.answer, reason=best.reason)


def _test(fit: Fit, counts: Counter[Answer]) -> Fit:
    """Return an answer after the molecules of the same claims have tested the drawings."""
    total = sum(counts.values())
    if fit.answer == "out" and counts["out"] > MOST_MISSED * total:
        missed = (
            f"{counts['out']} of {total} molecules of its claims do not fit its drawings either"
        )
        return Fit("cannot tell", missed)
    is_loose = fit.is_loose and total and counts["cannot tell"] >= LEAST_LOOSE * total
    if is_loose:
        return Fit("in", "has the fixed part, with more groups as the molecules of its claims")
    return fit


@lru_cache(maxsize=20_000)
def _judge(drawing: str, smiles: str) -> Fit:
    return judge_fit(drawing, smiles)


def _best(drawings: Sequence[str], smiles: str) -> Fit:
    """Return the answer of the drawing that comes nearest."""
    fits = [_judge(drawing, smiles) for drawing in drawings]
    return min(fits, key=lambda fit: (_ORDER.index(fit.answer), not fit.is_loose))
