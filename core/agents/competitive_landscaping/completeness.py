"""How complete the answer is: two lists of drugs, and what they have in common.

Registers of trials are one list: they hold a drug because a trial of it was registered. Labels,
approval registers and company pipelines are together the other: a regulator or the company itself
lists the drug. They are kept by different bodies for different ends, which is as near to
independent as the evidence comes; labels, approval registers and pipelines among themselves are
not, since a company's pipeline names what its labels say. A list counts only where the drugs were
looked for in it: a query by disease looks in trials and pipelines, labels are read of the drugs
found, so that its other list is pipelines alone.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from core.agents.competitive_landscaping.records import Completeness
from core.agents.competitive_landscaping.scope import Scope
from core.briefs.subjects import Drug
from core.evidence.proof.claim_checks import computation
from core.evidence.proof.claims import Claim, Figure, count_of, make_claim
from core.records.evidence import Record
from core.stats.recapture import FEWEST_IN_BOTH, Recapture, estimate_total

MOST_CITED = 2
REGISTERS = "registers of trials"
LISTINGS = "labels, approval registers or company pipelines"
PIPELINES = "company pipelines"
INTERVAL = "95 % interval"
NEEDED = f"an estimate needs {FEWEST_IN_BOTH} drugs on both"
WITHIN = "one list holds the other, so that neither shows what the other misses"
LIMITS = (
    "The lists are not fully independent (what is approved or in a pipeline was mostly in "
    "registered trials, and the pipelines are those of some companies), so that the true "
    "number is likely higher, and what no body lists yet, such as an undisclosed preclinical "
    "asset, is beyond it."
)
_PIPELINE = frozenset({"company_disclosure"})
_LISTING = _PIPELINE | {
    *("regulatory_label", "approval_package", "regulatory_notice", "database_record")
}
OPERATIONS = {
    "estimate": "capture-recapture",
    "low": "capture-recapture low",
    "high": "capture-recapture high",
}
"""Name of the computation of each end of the estimate."""


@dataclass(frozen=True)
class Lists:
    """Drugs by the list that has them within what was asked.

    Attributes:
        found: Keys of all drugs.
        registered: Drugs that a registered trial tests, with the trials.
        listed: Drugs to which the other list gives a stage, with the records.
        listings: What the other list is, in words.
    """

    found: tuple[str, ...]
    registered: Mapping[str, tuple[str, ...]]
    listed: Mapping[str, tuple[str, ...]]
    listings: str = LISTINGS

    @property
    def both(self) -> list[str]:
        """Return the drugs on both lists."""
        return [key for key in self.registered if key in self.listed]

    @property
    def neither(self) -> int:
        """Return how many drugs are on no list."""
        return len(set(self.found) - self.registered.keys() - self.listed.keys())

    @property
    def estimate(self) -> Recapture | None:
        """Return how many drugs are expected; None where too few are on both lists."""
        return estimate_total(len(self.registered), len(self.listed), len(self.both))


def read_lists(scope: Scope, drugs: Iterable[Drug], records: Mapping[str, Record]) -> Lists:
    """Return which list has each drug.

    Args:
        scope: What was asked for; without a target or disease only trials are looked through.
        drugs: The drugs.
        records: Records by id: those of the trials and of what carries a stage.
    """
    taken = list(drugs)
    kinds = _LISTING if scope.targets else _PIPELINE if scope.areas else frozenset()
    registered: dict[str, tuple[str, ...]] = {}
    listed: dict[str, tuple[str, ...]] = {}
    for drug in taken:
        trials = tuple(trial.record_id for trial in drug.trials)
        carrying = {
            record_id: records[record_id].kind
            for program in drug.programs
            for stage in program.stages
            for record_id in stage.statement.record_ids
            if record_id in records and not record_id.startswith("pack:")  # no list of a body
        }
        others = tuple(key for key, kind in carrying.items() if kind in kinds)
        if trials:
            registered[drug.asset.key] = trials
        if others:
            listed[drug.asset.key] = others
    listings = LISTINGS if scope.targets else PIPELINES
    return Lists(tuple(drug.asset.key for drug in taken), registered, listed, listings)


def show_completeness(lists: Lists) -> Completeness:
    """Return the estimate as the answer has it."""
    estimate = lists.estimate
    return Completeness(
        n_found=len(lists.found),
        n_registered=len(lists.registered),
        n_listed=len(lists.listed),
        listed_in=lists.listings,
        n_both=len(lists.both),
        n_neither=lists.neither,
        n_expected=round(estimate.estimate) if estimate else None,
        n_expected_low=round(estimate.low) if estimate else None,
        n_expected_high=round(estimate.high) if estimate else None,
        reason="" if estimate else _why_none(lists),
        limits=LIMITS if estimate else "",
    )


def in_words(completeness: Completeness) -> str:
    """Return the estimate as a reader's line."""
    if completeness.n_expected is None:
        return f"no estimate, since {completeness.reason}."
    return (
        f"found {completeness.n_found}, about {completeness.n_expected} expected ({INTERVAL} "
        f"{completeness.n_expected_low} to {completeness.n_expected_high}; "
        f"{completeness.n_registered} in {REGISTERS}, "
        f"{completeness.n_listed} in {completeness.listed_in}, {completeness.n_both} in both). "
        f"{completeness.limits}"
    )


def _why_none(lists: Lists) -> str:
    if not lists.found:
        return "no drug was found"
    if len(lists.both) >= FEWEST_IN_BOTH:
        return WITHIN
    number = len(lists.both) or "no"
    return f"{number} drug{'' if number == 1 else 's'} on both lists; {NEEDED}"


def say_complete(lists: Lists) -> list[Claim]:
    """Say how many drugs are expected, or why nobody can tell."""
    if not lists.found:
        return []
    counts = (
        f"Found {len(lists.found)}: {len(lists.registered)} in {REGISTERS}, {len(lists.listed)} in "
        f"{lists.listings}, {len(lists.both)} in both"
    )
    counted = (lists.found, list(lists.registered), list(lists.listed), lists.both)
    figures = [count_of(len(keys), keys) for keys in counted]
    estimate = lists.estimate
    if estimate is None:
        why = WITHIN if len(lists.both) >= FEWEST_IN_BOTH else f"{NEEDED} lists"
        text = f"{counts}; how many there are cannot be estimated, since {why}."
        return [make_claim(text, "rule", figures=figures)]
    text = (
        f"{counts}; about {estimate.estimate:.0f} on either list are expected by capture and "
        f"recapture ({INTERVAL} {estimate.low:.0f} to {estimate.high:.0f}). {LIMITS}"
    )
    sizes = (len(lists.registered), len(lists.listed), len(lists.both))
    figures += [
        Figure(f"{value:.0f}", value, operation=operation, inputs=sizes)
        for part, operation in OPERATIONS.items()
        for value in [getattr(estimate, part)]
    ]
    examples = [  # one record of either list for the first drugs on both
        record_id
        for key in lists.both[:MOST_CITED]
        for record_id in (lists.registered[key][0], lists.listed[key][0])
    ]
    return [make_claim(text, "computed", examples, figures=figures)]


def _end_of(part: str) -> Callable[..., float | None]:
    """Return what computes one end of the estimate, or its middle."""

    def recapture(*counts: float) -> float | None:
        total = estimate_total(*map(int, counts))
        return getattr(total, part) if total else None

    return recapture


for _part, _operation in OPERATIONS.items():
    computation(_operation)(_end_of(_part))
