"""A hundred drawn deals, read by hand against raw records: owner, reason of the stop, still idle.

Run with `python -m tests.benchmarks.deals_read HOME`, HOME an instance that holds all reference
files. The deals of the theses below are gathered, a hundred are drawn by a printed seed, and each
is held against the verdict of its reader in `deals_read.csv`; a deal without a verdict is printed
with its raw records, to be read. With `--all` every drawn deal is printed so.
"""

import csv
import random
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.agents.deal_sourcing.pipeline import run
from core.agents.deal_sourcing.records import Deal
from core.agents.deal_sourcing.schema import DealSourcingRequest
from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery
from core.records.names import fold_name
from core.workbench import RunContext
from tests.benchmarks.deal_theses import context_of, say

SEED, DRAWN = 28, 100
FLOORS = {"owner_right": 0.97, "reason": 0.95, "idle": 0.9}
AREAS = (
    *("cancer", "viral infection", "bacterial infection", "neurological disease", "diabetes"),
    *("cardiovascular disease", "autoimmune disease", "rare disease", "kidney disease", "asthma"),
    *("leukemia", "lymphoma", "breast cancer", "lung cancer", "psoriasis", "schizophrenia"),
    *("depression", "pain", "Alzheimer disease", "obesity", "hepatitis", "cystic fibrosis"),
)
KINDS = (
    "antibodies",
    "small molecules",
    "cell therapies",
    "bispecific antibodies",
    "siRNA",
    "ADCs",
)
READ = (
    *("trial_status", "trial_start", "trial_stopped", "trial_sponsor", "trial_phase"),
    "trial_primary_completion",
)


def theses() -> Iterator[str]:
    """Yield the theses whose deals are drawn from."""
    yield from (f"{area} programs stopped for business reasons" for area in AREAS)
    yield from (f"{kind} stopped for business reasons" for kind in KINDS)
    yield from (f"Chinese {kind} without a Western partner" for kind in KINDS)
    yield from (f"Japanese {kind} without a partner" for kind in KINDS[:2])
    yield from (f"private companies in the United States and Europe with {one}" for one in KINDS)


def gather(context: RunContext) -> Mapping[str, Deal]:
    """Return every deal of the theses once, by its identifier."""
    found: dict[str, Deal] = {}
    for thesis in theses():
        for deal in run(DealSourcingRequest(thesis=thesis), context).deals:
            found.setdefault(deal.deal_uuid, deal)
    return found


def measure(home: Path, *, show_all: bool) -> bool:
    """Print the shares of right owners, reasons and idle programs; return whether they reach."""
    context = context_of(home)
    found = gather(context)
    ids = sorted(found)
    drawn = random.Random(SEED).sample(ids, min(DRAWN, len(ids)))  # noqa: S311 - a drawn set
    say(f"{len(found)} deals of {len(list(theses()))} theses, {len(drawn)} drawn by seed {SEED}")
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        verdicts = {(one["asset"], one["owner"]): one for one in csv.DictReader(file)}
    counts = {name: [0, 0] for name in FLOORS}
    unread = 0
    for key in drawn:
        deal = found[key]
        verdict = verdicts.get((deal.entities.asset, deal.entities.company))
        if verdict is None or show_all:
            unread += verdict is None
            _print(deal, context.evidence)
        for name in FLOORS if verdict else ():
            said = verdict[name] if verdict else ""
            counts[name][1] += said in {"yes", "no"}
            counts[name][0] += said == "yes"
    for name, (right, read) in counts.items():
        say(f"{name}: {right} of {read} read ({right / read if read else 0:.3f})")
    say(f"{unread} drawn deals without a verdict")
    return not unread and all(
        right >= FLOORS[name] * read for name, (right, read) in counts.items()
    )


def _print(deal: Deal, evidence: EvidenceReader) -> None:
    """Print a deal with what the register tells of every trial that names its drug."""
    told = deal.entities
    say(f"\n## {told.asset} | {told.company} | {deal.deal_kind} | {told.geography} | {told.target}")
    for signal in deal.signals:
        say(f"   signal {signal.text}")
    named = evidence.mentioning("drug", [fold_name(told.asset)], ("trial_registration",))
    for record_id in sorted(named)[-12:]:
        facts = evidence.facts(FactQuery(record_ids=(record_id,), predicates=READ))
        held = {one.fact.predicate.removeprefix("trial_"): one.fact.object for one in facts}
        sponsor = next(
            (
                one.name
                for one in evidence.mentions([record_id]).get(record_id, ())
                if one.relation == "sponsor"
            ),
            "",
        )
        say(f"   {record_id} {sponsor} {held}")
    for one in evidence.mentioning("drug", [fold_name(told.asset)], ()):
        if not one.startswith("ctgov"):
            record = evidence.record(one)
            companies = [
                f"{m.relation} {m.name}"
                for m in evidence.mentions([one]).get(one, ())
                if m.kind == "company"
            ]
            say(f"   {one} {record.title[:70] if record else ''} {companies[:3]}")


if __name__ == "__main__":
    sys.exit(0 if measure(Path(sys.argv[1]), show_all="--all" in sys.argv) else 1)
