"""New developments against registers: types, duplicates, noise, letters, changes, links, time.

Run with `python -m tests.benchmarks.developments HOME`, HOME an instance that holds all reference
files. The clock is set into 2019 for the submissions of Drugs@FDA. Each figure is printed with its
count and its Wilson interval; a figure below its floor ends with 1.
"""

import csv
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from core.briefs.developments.question import Fields, Wanted, read_fields
from core.briefs.developments.records import Development
from core.briefs.developments.scanning import (
    Scan,
    Scored,
    Window,
    find_developments,
    scan,
)
from core.briefs.developments.wording import title_of
from core.evidence.events.preparing import prepare_events
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.ports import Stores
from core.records.events import EventQuery
from core.records.evidence_pack import FactQuery
from core.settings import Settings
from core.vocabulary.predicates import Predicate
from storage.stores import open_stores

SEED = 20261123
TOP = 20
NOISE = frozenset({"supplement_labeling", "supplement_manufacturing", "supplement_other"})
APPROVALS = frozenset({"original_approval", "biosimilar_approval"})
CHANGES = (
    *("trial_status_change", "trial_stop", "trial_completion_change", "trial_enrollment_change"),
    *("trial_primary_completion_change", "trial_primary_endpoint_change"),
)
COMPARED = (
    *(Predicate.TRIAL_STATUS, Predicate.TRIAL_COMPLETION, Predicate.TRIAL_ENROLLMENT),
    Predicate.TRIAL_PRIMARY_COMPLETION,
)
YEAR = Window(date(2019, 12, 31), 364)
TODAY = Window(date(2026, 11, 23), 365)


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def share(name: str, good: int, n: int, floor: float) -> bool:
    """Print a share with its Wilson interval; return whether it reaches its floor."""
    if not n:
        say(f"{name}: nothing to measure")
        return True
    z, part = 1.96, good / n
    middle = (part + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(part * (1 - part) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    say(f"{name}: {good} of {n} = {part:.3f} ({middle - half:.3f} to {middle + half:.3f})")
    return part >= floor


def approvals_of_2019(evidence: EvidenceReader, resolver: Resolver) -> bool:
    """Measure original approvals of Drugs@FDA in 2019: typed, once, no supplement among them."""
    submissions = evidence.facts(
        FactQuery(sources=("drugsfda",), predicates=(Predicate.SUBMISSION,))
    )
    kinds = evidence.facts(
        FactQuery(sources=("drugsfda",), predicates=(Predicate.APPLICATION_TYPE,))
    )
    is_copy = {one.fact.record_id for one in kinds if one.fact.object == "ANDA"}
    of_year = [one.fact for one in submissions if one.fact.qualifiers.time_point[:4] == "2019"]
    firsts = {
        (one.record_id, one.qualifiers.time_point)
        for one in of_year
        if one.object.lower().startswith("orig")
        and "tentative" not in one.object.lower()
        and one.record_id not in is_copy
    }
    query = EventQuery(since="2018-12-01", until="2019-12-31", limit=1_000_000)
    told = find_developments(query, evidence, resolver)
    typed = {
        (record_id, event.day): one
        for one in told
        if one.type in APPROVALS
        for event in one.events
        for telling in event.told
        for record_id in (telling.record_id,)
    }
    records = {record_id for record_id, _ in typed}
    right = sum(record_id in records for record_id, _ in firsts)
    good = share("original approvals of 2019 typed rightly", right, len(firsts), 0.95)
    for record_id, day in sorted(firsts):
        if record_id not in records:
            say(f"  missed: {record_id} {day}")
    doubles = Counter(
        record_id
        for one in told
        if one.type in APPROVALS and one.event.lead.region == "FDA"
        for record_id in {key for key in one.record_ids if key.startswith("drugsfda:")}
    )
    twice = [key for key, count in doubles.items() if count > 1]
    say(f"duplicates: {len(twice)} {twice[:5]}")
    small = [one for one in of_year if one.object.lower().startswith("suppl")]
    noisy = {(f.record_id, f.qualifiers.time_point) for f in small if _is_noise(f.unit)}
    wrong = [
        telling
        for one in told
        if one.type in APPROVALS
        for event in one.events
        for telling in event.told
        if (telling.record_id, telling.day) in noisy
        and (telling.record_id, telling.day) not in firsts
    ]
    say(f"labeling, manufacturing, REMS supplements: {len(noisy)}; as approval: {len(wrong)}")
    return good and not twice and not wrong


def _is_noise(unit: str) -> bool:
    return unit.lower().startswith(("labeling", "manuf", "rems"))


def noise_in_the_top(found: Scan) -> bool:
    """Measure how many supplements without weight stand among the first twenty of 2019."""
    first = found.catalysts[:TOP]
    noise = [one for one in first if one.what.type in NOISE]
    say(f"top {TOP} of 2019: {Counter(one.what.type.value for one in first)}; noise {len(noise)}")
    return not noise


def letters(evidence: EvidenceReader, resolver: Resolver) -> bool:
    """Measure complete response letters with a day: typed, with application and day."""
    dated = evidence.facts(FactQuery(sources=("fda-letters",), predicates=(Predicate.LETTER_ON,)))
    query = EventQuery(types=("complete_response",), limit=1_000_000)
    told = find_developments(query, evidence, resolver)
    days = {
        (telling.record_id, telling.day)
        for one in told
        for event in one.events
        for telling in event.told
    }
    right = sum((one.fact.record_id, one.fact.object) in days for one in dated)
    return share("complete response letters: type, application, day", right, len(dated), 0.95)


def real_changes(evidence: EvidenceReader) -> tuple[set[tuple[str, str]], int]:
    """Return what differs between the states of a trial, and how many have several days.

    A second reading, apart from the rules of events: trial and predicate.
    """
    real: set[tuple[str, str]] = set()
    several = 0
    for states in evidence.histories(("ctgov",), COMPARED, COMPARED, -1):
        days: dict[str, dict[str, str]] = {}
        for state in sorted(states, key=lambda one: (one.detail, one.version)):
            day = state.updated_on or state.copied_on
            held = days.setdefault(day, {}) if len(day) == len("2026-11-23") else {}
            held |= {
                one.predicate: one.object if one.value is None else str(one.value)
                for one in state.told
            }
        several += len(days) > 1
        for predicate in COMPARED:
            values = [held[predicate] for _, held in sorted(days.items()) if predicate in held]
            for before, after in zip(values, values[1:], strict=False):
                if _differ(before, after):
                    real.add((states[0].source_id, predicate))
    return real, several


def changes(evidence: EvidenceReader) -> bool:
    """Measure changes of trials against the second reading."""
    real, several = real_changes(evidence)
    query = EventQuery(types=CHANGES, limit=1_000_000)
    rules = {
        (telling.subject, telling.rule.split(":")[2])
        for event in evidence.events(query)
        for telling in event.told
        if telling.rule.startswith("change:")
    }
    found = share("changes of trials found", len(real & rules), len(real), 1)
    for missed in sorted(real - rules)[:5]:
        say(f"  missed: {missed}")
    false = {one for one in rules - real if one[1] in COMPARED}
    say(
        f"changes that the second reading has not: {len(false)} of {several} trials of several days"
    )
    return found and len(false) <= 0.02 * max(1, several)


def _differ(before: str, after: str) -> bool:
    if "UNKNOWN" in {before, after} or not before or not after:
        return False
    return not before.startswith(after) and not after.startswith(before)


def second_import(stores: Stores) -> bool:
    """Measure that events prepared anew from the same records are the same."""
    query = EventQuery(limit=1_000_000)
    before = {one.id for one in stores.evidence.events(query)}
    began = time.perf_counter()
    read = prepare_events(stores.evidence, stores.identity, stores.learned_names)
    seconds = time.perf_counter() - began
    after = {one.id for one in stores.evidence.events(query)}
    say(f"prepared again: {read} tellings read, {len(after - before)} new events, {seconds:.1f} s")
    return after == before


def draw_links(found: Sequence[Scored], path: Path) -> None:
    """Write 200 drawn events with company and ticker, to be judged by hand."""
    rng = random.Random(SEED)
    linked = [one for one in found if one.what.company]
    drawn = rng.sample(linked, min(200, len(linked)))
    with path.open("w", newline="", encoding="utf-8") as text:
        writer = csv.writer(text)
        writer.writerow(("record", "day", "title", "as written", "company", "ticker", "right"))
        writer.writerows(_line(one.what) for one in drawn)
    say(f"drawn for judging by hand: {path}")


def _line(one: Development) -> Iterable[str]:
    written = "; ".join(one.event.companies[:2])
    return (one.event.lead.record_id, one.day, title_of(one), written, one.company, one.ticker, "")


def seconds_of(wanted: Wanted, evidence: EvidenceReader, resolver: Resolver) -> float:
    """Return how long a warm scan of a year takes; the best of three."""
    best = math.inf
    for _ in range(3):
        began = time.perf_counter()
        scan(wanted, TODAY, evidence, resolver)
        best = min(best, time.perf_counter() - began)
    return best


def main(home: str) -> int:
    """Print every figure; return 1 where one is below its floor."""
    stores = open_stores(Settings(home=Path(home), database_url=None))
    evidence, resolver = stores.evidence, Resolver(stores.identity, stores.learned_names)
    good = [approvals_of_2019(evidence, resolver), letters(evidence, resolver), changes(evidence)]
    year = scan(Wanted(), YEAR, evidence, resolver)
    good.append(noise_in_the_top(year))
    last = scan(Wanted(), TODAY, evidence, resolver)
    draw_links([*year.catalysts, *last.catalysts], Path("developments_links.csv"))
    approved = scan(replace(Wanted(), stages=("APPROVED",)), TODAY, evidence, resolver).catalysts
    licenses = [
        place
        for place, one in enumerate(approved, start=1)
        if one.what.type in APPROVALS and "purplebook" in one.what.event.lead.record_id
    ]
    leading = next(
        (place for place, one in enumerate(approved) if one.what.type not in APPROVALS), 0
    )
    say(f"approved, 365 days: {leading} approvals lead; licenses of the Purple Book at {licenses}")
    for query in ("bispecific antibodies in oncology", "non-small cell lung cancer", None):
        wanted = read_fields(Fields(query=query), evidence, resolver)
        say(
            f"{query or 'no filter'}, 365 days: {seconds_of(wanted, evidence, resolver):.2f} s warm"
        )
    good.append(second_import(stores))
    stores.engine.close()
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
