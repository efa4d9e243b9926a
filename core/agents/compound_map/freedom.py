"""What is drawn in the claims of the sample, scaffold by scaffold: a reference, not advice."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rdkit import Chem

from core.agents.compound_map.clinical import Reference
from core.agents.compound_map.finding import Sample, legal_word
from core.agents.compound_map.ranking import Ranked
from core.agents.compound_map.reading import Generic
from core.agents.compound_map.records import (
    ClaimAnswer,
    Disclosure,
    FreedomToOperate,
    MatrixCell,
    Nearest,
    ScaffoldRow,
    State,
)
from core.chemistry.generic_cores import Answer, Fit, fits_generic, judge_fit
from core.chemistry.similarity import THRESHOLD
from core.chemistry.structures import find_scaffold, parse_smiles
from core.evidence.proof.citations import Citations
from core.evidence.proof.claims import unmark
from core.knowledge.score_weights import weight
from core.records.patents import PatentDocument

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
        n_open: Documents with R-group drawings that it fits, or may fit.
    """

    answers: Sequence[ClaimAnswer] = ()
    counts: Mapping[Answer, int] | None = None
    n_open: int = 0


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
    n_open = sum(
        answer.answer != "out" and answer.publication_number in claims.drawings
        for answer in answers
    )
    answers.sort(key=lambda answer: _LISTED.index(answer.answer))
    return ClaimsRead(answers[:MOST_LISTED], counts, n_open)


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
def _judge_drawing(drawing: str, smiles: str) -> Fit:
    return judge_fit(drawing, smiles)


def _best(drawings: Sequence[str], smiles: str) -> Fit:
    """Return the answer of the drawing that comes nearest."""
    fits = [_judge_drawing(drawing, smiles) for drawing in drawings]
    return min(fits, key=lambda fit: (_ORDER.index(fit.answer), not fit.is_loose))


MOST_DRUGS = 3
FEWEST_ATOMS = 12
"""A smaller scaffold is a part of half of all drugs and says nothing about one."""


class Drugs:
    """The clinical compounds of a target, asked by scaffold."""

    def __init__(self, reference: Reference) -> None:
        """Read the scaffolds of those with a structure."""
        self._names: dict[str, list[str]] = {}
        self._molecules: list[tuple[str, Chem.Mol]] = []
        for compound, structure in zip(reference.compounds, reference.structures, strict=True):
            molecule = parse_smiles(structure.smiles) if structure.smiles else None
            if molecule is None:
                continue
            self._molecules.append((unmark(compound.name), molecule))
            scaffold = find_scaffold(structure.smiles)
            if scaffold:
                self._names.setdefault(scaffold, []).append(unmark(compound.name))

    def say(self, scaffold: str, nearest: Nearest | None) -> str:
        """Say of which drugs a scaffold is; "" for none.

        `nearest`: clinical compound that is most like a compound of this scaffold.
        """
        if names := self._names.get(scaffold):
            return f"scaffold of {_name(names)}"
        if parts := self._holders(scaffold):
            return f"a part of {_name(parts)}"
        if nearest is not None and nearest.tanimoto >= THRESHOLD:
            return f"very like {nearest.id} ({nearest.tanimoto:.2f})"
        return ""

    def _holders(self, scaffold: str) -> list[str]:
        """Return the drugs that have the scaffold within theirs."""
        query = parse_smiles(scaffold)
        if query is None or query.GetNumHeavyAtoms() < FEWEST_ATOMS:
            return []
        return [name for name, molecule in self._molecules if molecule.HasSubstructMatch(query)]


def _name(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_DRUGS])


NOTICE = (
    "A reference to what is drawn, not legal advice and no opinion on freedom to operate: have a "
    "patent attorney read the claims."
)
EXPIRY = (
    "Estimated expiry is the earliest non-provisional filing + 20 years; adjustment, extension "
    "and lapse are not checked."
)
MOST_SCAFFOLDS = 40
MOST_IDS = 50
MOST_FITTED = 3
"""Compounds of a scaffold that are compared with the R-group drawings of claims."""
_TERM_YEARS = 20
_LEAP_DAY = "02-29"


def estimate_expiry(document: PatentDocument) -> str:
    """Return the earliest non-provisional filing + 20 years; "" where it is not known.

    Adjustment, extension, disclaimer and lapse are not checked.
    """
    filed = document.earliest_nonprovisional_on
    if not filed or len(filed) != len("2000-01-01"):
        return ""
    year, day = int(filed[:4]) + _TERM_YEARS, filed[5:]
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return f"{year}-{'02-28' if day == _LEAP_DAY and not is_leap else day}"


@dataclass(frozen=True)
class _Drawn:
    """The compounds of one scaffold."""

    scaffold: str
    members: Sequence[Ranked]

    @property
    def claimed(self) -> list[Ranked]:
        return [member for member in self.members if member.is_claimed]

    @property
    def claimed_in(self) -> list[str]:
        return list(
            dict.fromkeys(number for compound in self.claimed for number in compound.claimed_in)
        )


def _by_scaffold(compounds: Sequence[Ranked]) -> list[_Drawn]:
    """Return the scaffolds of what the documents disclose, the largest first.

    A scaffold of which every drawing has signs of error is most likely one that nobody made.
    """
    members_by_scaffold: dict[str, list[Ranked]] = {}
    for compound in compounds:
        if compound.is_disclosed and compound.scaffold:
            members_by_scaffold.setdefault(compound.scaffold, []).append(compound)
    sound = {
        scaffold: members
        for scaffold, members in members_by_scaffold.items()
        if any(not member.trust.doubts for member in members)
    }
    ordered = sorted(sound.items(), key=lambda item: (-len(item[1]), item[0]))
    return [_Drawn(scaffold, members) for scaffold, members in ordered[:MOST_SCAFFOLDS]]


def describe_freedom(
    compounds: Sequence[Ranked],
    generics: Sequence[Generic],
    nearest: Mapping[str, Nearest | None],
    reference: Reference,
    sample: Sample,
    citations: Citations,
) -> FreedomToOperate:
    """Return the scaffolds with owners, claims and estimated expiry.

    `generics`: drawings with R-groups; those of claims may reach a scaffold. `nearest`: nearest
    clinical compound by id. `reference`: clinical compounds, whose scaffolds are never called free.
    """
    claimed = [
        generic
        for generic in generics
        if generic.raw.section == "claims" and generic.kind == "generic"
    ]
    drugs = Drugs(reference)
    rows = [
        _row(scaffold_group, claimed, nearest, drugs, sample, citations)
        for scaffold_group in _by_scaffold(compounds)
    ]
    return FreedomToOperate(
        notice=NOTICE,
        basis=(
            f"Based only on the {len(sample.documents)} "
            f"document{'' if len(sample.documents) == 1 else 's'} of this sample. Only "
            "molecules drawn or named in the claims are counted, and R-group drawings that fit "
            "them; what R-groups may be is described in words, which are not read, so claims "
            f"may reach further. {EXPIRY}"
        ),
        scaffolds=rows,
        crowded=[row.scaffold for row in rows if row.state == "crowded"],
        not_drawn=[row.scaffold for row in rows if row.state == "not drawn"],
    )


def _row(
    scaffold_group: _Drawn,
    generics: Sequence[Generic],
    nearest: Mapping[str, Nearest | None],
    drugs: Drugs,
    sample: Sample,
    citations: Citations,
) -> ScaffoldRow:
    owners = sample.owners_of(
        number for each in scaffold_group.members for number in each.molecule.documents
    )
    claimants = sample.owners_of(scaffold_group.claimed_in)
    reached = [] if scaffold_group.claimed else _find_reaching(scaffold_group, generics)
    state, reason = _judge(scaffold_group, claimants, reached)
    if scaffold_group.claimed_in and all(
        number in sample.knows_claims for number in scaffold_group.claimed_in
    ):
        reason = f"{reason.partition(' of ')[0]} of your own document"
    closest = [hit for each in scaffold_group.members if (hit := nearest.get(each.id)) is not None]
    closest_match = max(closest, key=lambda nearest: nearest.tanimoto, default=None)
    drug_text = drugs.say(scaffold_group.scaffold, closest_match) if state == "not drawn" else ""
    if drug_text:
        state, reason = "known drug", f"{drug_text}; not drawn in this sample's claims"
    elif state == "not drawn" and not _knows_claims(scaffold_group, sample):
        state, reason = "occupied", "drawn in your own document; its claims are not distinguished"
    legal = {
        word: [
            number
            for number in scaffold_group.claimed_in
            if legal_word(sample.document(number)) == word
        ]
        for word in ("granted", "pending", "pct")
    }
    days = (
        sample.document(number).priority_on or ""
        for each in scaffold_group.members
        for number in each.molecule.documents
    )
    return ScaffoldRow(
        scaffold=scaffold_group.scaffold,
        state=state,
        reason=reason,
        n_compounds=len(scaffold_group.members),
        n_claimed=len(scaffold_group.claimed),
        assignees=owners,
        **legal,
        first_disclosed_on=min((day for day in days if day), default=""),
        last_expiry_on=max(
            (estimate_expiry(sample.document(number)) for number in legal["granted"]), default=""
        ),
        nearest_clinical=closest_match,
        compound_ids=[each.id for each in scaffold_group.members[:MOST_IDS]],
        source_ids=[
            citations.cite(sample.source_of(number))
            for number in (*scaffold_group.claimed_in, *reached)
        ],
    )


def _knows_claims(scaffold_group: _Drawn, sample: Sample) -> bool:
    """Return whether the sources tell what stands in claims; a page that is a picture does not."""
    return all(
        legal_word(sample.document(number)) != "unknown" or number in sample.knows_claims
        for each in scaffold_group.members
        for number in each.molecule.documents
    )


def _find_reaching(scaffold_group: _Drawn, generics: Sequence[Generic]) -> list[str]:
    """Return the documents with an R-group drawing in the claims that a member fits."""
    shown = [each.smiles for each in scaffold_group.members[:MOST_FITTED]]
    numbers = (
        each.raw.publication_number
        for each in generics
        if any(fits_generic(each.smiles, smiles) for smiles in shown)
    )
    return list(dict.fromkeys(numbers))


def _judge(
    scaffold_group: _Drawn, claimants: Sequence[str], reached: Sequence[str]
) -> tuple[State, str]:
    """Return whether a scaffold is crowded, occupied or not drawn in claims, and why."""
    number = len(scaffold_group.claimed)
    if reached:
        named = ", ".join(reached[:3])
        return "occupied", f"no compound drawn in the claims, but R-group drawings of {named} fit"
    if not number:
        return "not drawn", "shown in descriptions; not drawn in this sample's claims"
    drawn = f"{number} compound{'s' if number > 1 else ''} drawn in the claims"
    if len(claimants) >= weight("compound_map.crowded.owners"):
        return "crowded", f"{drawn} of {len(claimants)} owners"
    if number >= weight("compound_map.crowded.compounds"):
        return "crowded", f"{drawn} of one owner"
    return "occupied", drawn


def cross_owners(compounds: Sequence[Ranked], sample: Sample) -> list[MatrixCell]:
    """Return compounds by scaffold and owner, for the largest scaffolds."""
    cells = []
    for scaffold_group in _by_scaffold(compounds):
        drawn: Counter[str] = Counter()
        claimed: Counter[str] = Counter()
        for each in scaffold_group.members:
            drawn.update(sample.owners_of(each.molecule.documents))
            claimed.update(sample.owners_of(each.claimed_in))
        cells += [
            MatrixCell(
                scaffold=scaffold_group.scaffold,
                assignee=owner,
                n_compounds=number,
                n_claimed=claimed[owner],
            )
            for owner, number in sorted(drawn.items())
        ]
    return cells


def tell_time(
    compounds: Sequence[Ranked], sample: Sample, citations: Citations
) -> list[Disclosure]:
    """Return the documents by priority date, with the compounds that each disclosed first."""
    dated = sorted(
        (document for document in sample.documents if document.priority_on),
        key=lambda document: (document.priority_on or "", document.publication_number),
    )
    disclosed = [compound for compound in compounds if compound.is_disclosed]
    seen: set[str] = set()
    rows = []
    for document in dated:
        number = document.publication_number
        ids = {compound.id for compound in disclosed if number in compound.molecule.documents}
        rows.append(
            Disclosure(
                publication_number=number,
                priority_on=document.priority_on or "",
                assignee=next(iter(sample.owners_of([number])), ""),
                legal=legal_word(document),
                n_compounds=len(ids),
                n_first=len(ids - seen),
                source_ids=[citations.cite(sample.source_of(number))],
            )
        )
        seen |= ids
    return rows
