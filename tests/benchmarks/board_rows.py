"""Draws rows as a board deck shows them, and prints how often they are right.

`python -m tests.benchmarks.board_rows HOME [SEED]`: HOME is an instance with names and the starter
pack. Printed: drugs approved in a region by a register or a curator that are shown so; drawn rows
with their owner, for a second reader; drugs of which every trial was stopped, or that a register
has as withdrawn, that are shown live; live assets with a next event; what leads the answers about
ten large companies.
"""

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from core.briefs.exclusivity import find_protections
from core.briefs.portfolio.catalysts import next_catalyst
from core.briefs.portfolio.companies import find_company
from core.briefs.portfolio.holdings import (
    GROUPS,
    OwnDrug,
    count_listed,
    group_of,
    is_protected,
    study_drugs,
)
from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.assets.gather import gather_assets
from core.evidence.assets.roles import originators_of, owners_of
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.files.ema import ENDED
from core.evidence.sources.pack.reading import load_rows
from core.evidence_ports import EvidenceReader
from core.records.asset_queries import AssetQuery
from core.records.programs import Asset
from core.records.stages import STAGES
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.targets import say

SEED = 20_261_123
AS_OF = date(2026, 11, 23)
APPROVALS, OWNERS, STOPPED = 150, 150, 100
BATCH = 2_000
FIRST = 60
LARGE = (
    *("AstraZeneca", "Novartis", "Roche", "Pfizer", "Merck & Co.", "Johnson & Johnson"),
    *("Sanofi", "Bristol-Myers Squibb", "Eli Lilly", "AbbVie"),
)
SMALL = (
    *("VERA", "TVTX", "MDGL", "COGT", "JSPR", "AMLX", "GOSS", "VKTX", "INSM", "SNDX"),
    *("KURA", "CYTK", "IDYA", "RVMD", "ARGX"),
)
LATE = STAGES[: STAGES.index("PHASE2") + 1]
REGION = {"drugsfda": "FDA", "purplebook": "FDA", "pmda": "PMDA", "ema": "EMA"}
GONE = ENDED | {"positive opinion", "tentative"}
STOPS = frozenset({"TERMINATED", "WITHDRAWN", "SUSPENDED"})


def gather_all(evidence: EvidenceReader, resolver: Resolver) -> dict[str, Asset]:
    """Return the drugs of the pack's table by the names of their rows."""
    known = known_by_key(resolver)
    keys, found = sorted(known), {}
    for start in range(0, len(keys), BATCH):
        query = AssetQuery(drug_keys=tuple(keys[start : start + BATCH]), figures=False)
        for asset in gather_assets(query, evidence, resolver, AS_OF).assets:
            for row in known.get(asset.key, ()):
                found[row.drug] = asset
    return found


def _is_gone(row: Mapping[str, str]) -> bool:
    """Return whether the table of ends takes an approval away."""
    return any(
        end["drug"] == row["drug"]
        and end["kind"] != "discontinued"
        and not end["indication"]
        and end["region"] in {"", row["region"]}
        for end in load_rows("ends")
    )


def approved_pairs() -> list[tuple[str, str]]:
    """Return drug and region of every approval that a register or a curator tells."""
    pairs = {
        (row["drug"], REGION[row["register"]])
        for row in load_rows("approvals")
        if row["marketing"] not in GONE and row["approved_on"]
        if not _is_gone({"drug": row["drug"], "region": REGION[row["register"]]})
    }
    over = {row["drug"] for row in load_rows("stages") if row["state"] == "discontinued"}
    pairs = {one for one in pairs if one[0] not in over}
    pairs |= {
        (row["drug"], row["region"])
        for row in load_rows("stages")
        if row["stage"] == "APPROVED" and row["state"] != "discontinued" and row["region"]
        if not _is_gone(row)
    }
    return sorted(pairs)


def tell_approvals(assets: Mapping[str, Asset], chance: random.Random) -> None:
    """Print how many drawn approvals are shown in their region."""
    drawn = chance.sample(approved_pairs(), APPROVALS)
    missed = []
    for drug, region in drawn:
        regions = assets[drug].regions if drug in assets else ()
        if not any(
            one.region == region and one.stage == "APPROVED" and not one.is_over for one in regions
        ):
            missed.append(f"{drug} {region}")
    say(f"approved and shown so in the region: {APPROVALS - len(missed)} of {APPROVALS}")
    say(f"  missed: {', '.join(missed)}")
    held = [
        one
        for asset in {asset.key: asset for asset in assets.values()}.values()
        for one in asset.regions
        if one.stage == "APPROVED" and not one.is_over
    ]
    shown, dated = Counter(one.region for one in held), sum(bool(one.first_on) for one in held)
    say(f"  by region: {dict(shown.most_common(6))}; {dated} of {len(held)} with the first day")


def tell_owners(assets: Mapping[str, Asset], chance: random.Random) -> None:
    """Print drawn live rows with their owner, to be read by somebody who knows."""
    pool = sorted(
        (asset.name, asset.key)
        for asset in assets.values()
        if asset.is_live and asset.highest_stage in LATE and owners_of(asset)
    )
    by_key = {asset.key: asset for asset in assets.values()}
    for name, key in sorted(chance.sample(sorted(set(pool)), OWNERS), key=lambda x: x[0].lower()):
        asset = by_key[key]
        made = ", ".join(originators_of(asset))
        say(f"  {name} | {asset.highest_stage} | {'; '.join(owners_of(asset))} | {made}")


def stopped_drugs() -> list[str]:
    """Return drugs of which the newest late trials were stopped for cause, or that are withdrawn.

    No drug that a register or a curator has as approved, or a curator as active, is among them,
    but for withdrawals.
    """
    trials = defaultdict(list)
    for row in load_rows("trials"):
        if row["phase"] in {"PHASE2", "PHASE2_3", "PHASE3"}:
            trials[row["drug"]].append(row)
    held = {row["drug"] for row in load_rows("approvals")}
    held |= {row["drug"] for row in load_rows("stages") if row["state"] == "active"}
    for_cause = {
        drug
        for drug, rows in trials.items()
        if drug not in held
        and all(row["overall_status"] in STOPS and row["stopped"] for row in rows)
    }
    withdrawn = {
        row["drug"]
        for row in load_rows("ends")
        if row["kind"] != "discontinued" and not row["region"] and not row["indication"]
    }
    left = {row["drug"] for row in load_rows("approvals") if row["marketing"] not in GONE}
    left |= {row["drug"] for row in load_rows("stages") if row["state"] != "discontinued"}
    left |= {row["drug"] for row in load_rows("labels")}
    ended = {row["drug"] for row in load_rows("approvals") if row["marketing"] in ENDED} - left
    return sorted(for_cause | withdrawn | ended)


def tell_stopped(assets: Mapping[str, Asset], chance: random.Random) -> None:
    """Print how many stopped or withdrawn drugs are shown live."""
    pool = [drug for drug in stopped_drugs() if drug in assets]
    drawn = chance.sample(pool, min(STOPPED, len(pool)))
    live = [drug for drug in drawn if assets[drug].is_live]
    say(f"stopped or withdrawn, shown live: {len(live)} of {len(drawn)} (pool {len(pool)})")
    say(f"  live: {', '.join(live)}")


def tell_events(assets: Mapping[str, Asset], evidence: EvidenceReader) -> None:
    """Print how many live assets of phase 2 or later have a next event, and how it is told."""
    late = {
        asset.key: asset
        for asset in assets.values()
        if asset.is_live and asset.highest_stage in LATE
    }
    until = find_protections(late.values(), evidence)
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for key, asset in late.items():
        term = until.get(key)
        found = next_catalyst(asset, None, AS_OF, term.last_on if term else "")
        kind = f"{found.category} {found.confidence}" if found.parts else "none"
        counts[asset.highest_stage == "APPROVED"][kind] += 1
    for is_approved, said in counts.items():
        told = sum(said.values()) - said["none"]
        name = "approved" if is_approved else "phase 2 to filed"
        say(f"live, {name}: {told} of {sum(said.values())} with a next event; {dict(said)}")


def tell_companies(evidence: EvidenceReader, resolver: Resolver) -> None:
    """Print what the first rows of large companies are, and how many small ones are found."""
    for said in LARGE:
        drugs = portfolio(said, evidence, resolver)
        first = drugs[: min(FIRST, count_listed(drugs, AS_OF, with_old=False))]
        counts = Counter(group_of(one, AS_OF) for one in first)
        n_good = sum(_is_clinical_or_protected(one) for one in first)
        share = n_good / max(1, len(first))
        say(f"  {said}: {len(drugs)} drugs, first {len(first)}: {share:.0%} {dict(counts)}")
    empty = [said for said in SMALL if not portfolio(said, evidence, resolver)]
    say(f"small companies by ticker with nothing: {len(empty)} of {len(SMALL)}: {empty}")


def _is_clinical_or_protected(drug: OwnDrug) -> bool:
    """Return whether a drug is in development or protected, whoever holds it now."""
    is_clinical = drug.asset.is_live and drug.stage != "APPROVED"
    return is_clinical or group_of(drug, AS_OF) in GROUPS[:2] or is_protected(drug, AS_OF)


def portfolio(said: str, evidence: EvidenceReader, resolver: Resolver) -> Sequence[OwnDrug]:
    """Return the drugs of a company in the order of its answer."""
    company = find_company(said, (), evidence, resolver)
    if not company.groups:
        return ()
    query = AssetQuery(companies=company.groups, company_names=company.written, figures=False)
    found = gather_assets(query, evidence, resolver, AS_OF).assets
    return study_drugs(found, company, evidence, AS_OF)


def main(home: str, seed: int = SEED) -> None:
    """Print every figure."""
    stores = open_stores(Settings(home=Path(home), database_url=None))
    resolver = Resolver(stores.identity, stores.learned_names)
    chance = random.Random(seed)
    say(f"seed {seed}, {datetime.now(UTC):%Y-%m-%d %H:%M}")
    assets = gather_all(stores.evidence, resolver)
    tell_approvals(assets, chance)
    tell_stopped(assets, chance)
    tell_events(assets, stores.evidence)
    tell_owners(assets, chance)
    tell_companies(stores.evidence, resolver)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
