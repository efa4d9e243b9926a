"""First fill of the mirror from a synthetic register: CPU, disk, search.

    python -m tests.benchmarks.register_fill [--studies 577000] [--promote]

Studies are made of the reference's raw ones: each takes sponsors, arms, conditions, design and
outcomes from studies chosen by a seeded generator, under a number of its own. Results are left
out, as the walk leaves them out. The register runs in a process of its own; CPU is that of the
sync alone. Without `--promote` the evidence is not offered the studies.
"""

import argparse
import gzip
import json
import os
import random
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from core.evidence.sources.live.clinicaltrials import PAGE
from core.evidence.sources.live.web import Site
from core.evidence.sources.sync.trials import TrialWalk
from core.evidence.sources.sync.walking import sync_walk
from core.records.evidence import Parsed
from core.settings import Settings
from storage.evidence import open_evidence
from tests.core.evidence.loopback import Asked, Sent, serving

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
RAW = REFERENCE / "evidence" / "trials_raw.ndjson.gz"
MIXED = (
    *("sponsorCollaboratorsModule", "armsInterventionsModule", "conditionsModule"),
    *("designModule", "outcomesModule", "eligibilityModule", "contactsLocationsModule"),
)
NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
SEARCHES = 200


class MirrorWalk(TrialWalk):
    """The register's changes, of which the evidence needs none."""

    def is_needed(self, parsed: Parsed) -> bool:
        """Return that it is not."""
        del parsed
        return False

    def read(self, copies: Any) -> Any:
        """Read nothing."""
        return [None] * len(copies)


def make_study(raw: list[dict[str, Any]], index: int) -> bytes:
    """Return a study of the synthetic register as JSON."""
    chance = random.Random(index)
    protocol = dict(chance.choice(raw)["protocolSection"])
    for module in MIXED:
        other = chance.choice(raw)["protocolSection"]
        if module in other:
            protocol[module] = other[module]
    number = {"nctId": f"NCT{10_000_000 + index:08d}"}
    protocol["identificationModule"] = {**protocol["identificationModule"], **number}
    day = f"2026-{1 + index * 10 // 577_000:02d}-{1 + index % 28:02d}"
    changed = {"lastUpdatePostDateStruct": {"date": day}}
    protocol["statusModule"] = {**protocol["statusModule"], **changed}
    derived = {"miscInfoModule": {"versionHolder": "2026-11-26"}}
    study = {"protocolSection": protocol, "derivedSection": derived, "hasResults": False}
    return json.dumps(study).encode()


def serve_register(count: int, pipe: Connection) -> None:
    """Serve a register of so many studies until the pipe is closed; runs in a child."""
    with gzip.open(RAW, "rt", encoding="utf-8") as lines:
        raw = [json.loads(line) for line in lines]
    sizes: list[int] = []

    def answer(asked: Asked) -> Sent:
        kind = {"Content-Type": "application/json"}
        if asked.path.endswith("version"):
            return Sent(b'{"dataTimestamp": "2026-11-27T09:00:00"}', headers=kind)
        first = int(asked.query.get("pageToken", "0"))
        studies = [make_study(raw, index) for index in range(first, min(first + PAGE, count))]
        sizes.extend(map(len, studies))
        ends: dict[str, Any] = {} if asked.query.get("pageToken") else {"totalCount": count}
        ends |= {"nextPageToken": str(first + PAGE)} if first + PAGE < count else {}
        tail = "".join(f', "{name}": {json.dumps(value)}' for name, value in ends.items())
        return Sent(b'{"studies": [%b]%b}' % (b", ".join(studies), tail.encode()), headers=kind)

    with serving(answer) as server:
        pipe.send(server.address)
        pipe.recv()
        pipe.send(statistics.mean(sizes))


def main() -> None:
    """Fill a mirror and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=20_000)
    parser.add_argument("--promote", action="store_true", help="offer the studies to the evidence")
    chosen = parser.parse_args()
    ours, theirs = get_context("fork").Pipe()
    work = (chosen.studies, theirs)
    register = get_context("fork").Process(target=serve_register, args=work)
    register.start()
    site = Site("ctgov", ours.recv(), budget_s=86_400, pause_s=0.0)
    walk = (TrialWalk if chosen.promote else MirrorWalk)(site, NOW.date())
    with tempfile.TemporaryDirectory() as folder:
        evidence = open_evidence(Settings(home=Path(folder)))
        began, cpu = time.perf_counter(), time.process_time()
        report = sync_walk(walk, evidence, NOW, since="2026-01-01")
        wall, cpu = time.perf_counter() - began, time.process_time() - cpu
        ours.send("end")
        mean = ours.recv()
        register.join()
        mirror = evidence.mirror("ctgov")
        words = ("lung cancer", "pembrolizumab", "asthma placebo", "diabetes insulin", "melanoma")
        times: list[float] = []
        for index in range(SEARCHES):
            start = time.perf_counter()
            mirror.search(words[index % len(words)])
            times.append(1_000 * (time.perf_counter() - start))
        disk = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    share = 577_000 / chosen.studies
    sys.stdout.write(
        f"studies {report.read:,} ({report.status}), mean {mean / 1_000:.1f} kB\n"
        f"first fill: {cpu:.0f} CPU s, {wall:.0f} s wall; of 577,000: {cpu * share / 60:.0f} min\n"
        f"disk: {disk / 10**6:.0f} MB; of 577,000: {disk * share / 10**9:.2f} GB\n"
        f"search: {statistics.median(times):.1f} ms p50, {max(times):.0f} ms longest\n"
    )


if __name__ == "__main__":
    main()
