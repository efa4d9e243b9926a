"""First three sentences of 100 drawn questions, and their approvals against the reference files.

`python -m tests.benchmarks.first_sentences HOME REFERENCE [SEED] [FILE]`: HOME is an instance with
names and the starter pack, REFERENCE the folder of reference data. Approvals by FDA and EMA that a
sentence dates are looked up in the registers as files, by no code of the product; what cannot be
found there is printed to be read. FILE takes all sentences as CSV for readers.
"""

import csv
import gzip
import io
import random
import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.evidence.sources.pack.reading import load_rows
from core.settings import Settings
from tests.benchmarks.frozen_answers import ask, make_context
from tests.benchmarks.targets import say

SEED = 20_261_127
LANDSCAPE, COMPANY, SCAN = (
    *("competitive-landscaping", "company-asset-searcher", "new-developments"),
)
_APPROVED = re.compile(
    r"^(?P<drug>.+?)(?: \([^()]*(?:\([^()]*\))?[^()]*\))? is approved in .*\((?P<days>[^()]*)\)"
)
_DAY = re.compile(r"(FDA|EMA) (\d{4}(?:-\d\d(?:-\d\d)?)?)")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def draw(seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield 100 requests: diseases, targets in diseases, kinds of drugs, companies, scans."""
    chance = random.Random(seed)
    stages, drugs = load_rows("stages"), {row["drug"]: row for row in load_rows("drugs")}
    counted: dict[str, set[str]] = defaultdict(set)
    for row in stages:
        counted[row["indication"]].add(row["drug"])
    diseases = sorted(disease for disease, names in counted.items() if disease and len(names) > 2)
    pairs = sorted(
        {
            f"{drugs[row['drug']]['target']} in {row['indication']}"
            for row in stages
            if row["indication"] and drugs.get(row["drug"], {}).get("target")
        }
    )
    kinds = sorted(
        {f"{row['target']} {row['modality']}" for row in drugs.values() if row["target"]}
    )
    owners = sorted({row["originator"] for row in drugs.values() if row["originator"]})
    queries = [*chance.sample(diseases, 35), *chance.sample(pairs, 25), *chance.sample(kinds, 15)]
    yield from ((LANDSCAPE, {"query": query, "query_type": "clinical"}) for query in queries)
    yield from ((COMPANY, {"company": name}) for name in chance.sample(owners, 15))
    scans = chance.sample(diseases, 10)
    yield from ((SCAN, {"query": query, "lookback_days": 365}) for query in scans)


def first_three(data: Any) -> list[str]:
    """Return the first three sentences that say something of drugs."""
    sections = getattr(data, "memo", [data])
    claims = [claim.text for section in sections for claim in section.claims]
    return [text for text in claims if not text.startswith("Interpreted as")][:3]


def read_registers(reference: Path) -> dict[str, dict[str, set[str]]]:
    """Return the days of FDA and EMA by name of a drug or brand in small letters."""
    days: dict[str, dict[str, set[str]]] = {"FDA": defaultdict(set), "EMA": defaultdict(set)}

    def note(agency: str, day: str, *names: str) -> None:
        for name in names:
            for part in (name, *re.split(r"[;,/+]| and ", name)):
                plain = re.sub(r"-[a-z]{4}$", "", part.strip().casefold())
                if plain and day:
                    days[agency][plain].add(day)

    lists = reference / "deals_dates_arms"
    for path, day, *names in (
        ("fda_novel_approvals/novel_approvals", "approved_on", "brand", "ingredient"),
        (
            "fda_accelerated_approvals/accelerated_approvals",
            "accelerated_on",
            "brand",
            "ingredient",
        ),
        ("fda_submissions_2024/submissions", "status_on", "brand", "generic"),
        ("fda_actions_2025_2026/actions", "action_on", "brand", "ingredient"),
        ("fda_target_dates/target_dates", "decision_date", "drug", "drug"),
    ):
        for row in _rows(lists / f"{path}.csv.gz"):
            note("FDA", row[day], *(row[name] for name in names))
    for row in _rows(reference / "evidence" / "ema_medicines.csv.gz"):
        names = (row["Name of medicine"], row["Active substance"])
        note("EMA", row["Marketing authorisation date"], *names)
        note("EMA", row["European Commission decision date"], *names)
    with zipfile.ZipFile(next((reference / "evidence" / "drugsfda").glob("*.zip"))) as file:
        products = _table(file, "Products.txt")
        names_of = defaultdict(set)
        for row in products:
            names_of[row["ApplNo"]] |= {row["DrugName"], row["ActiveIngredient"]}
        for row in _table(file, "Submissions.txt"):
            if row["SubmissionStatus"] == "AP":
                note("FDA", row["SubmissionStatusDate"][:10], *names_of[row["ApplNo"]])
    book = (reference / "evidence" / "purple_book" / "pb_2026_03.csv").read_text("utf-8-sig")
    for cells in csv.reader(io.StringIO(book)):
        day = next((cell for cell in cells if re.fullmatch(r"\d\d-[A-Z][a-z]{2}-\d\d", cell)), "")
        if day:
            number, month, year = day.split("-")
            century = 19 if int(year) > 26 else 20
            note("FDA", f"{century}{year}-{_MONTHS.index(month) + 1:02}-{number}", *cells[3:6])
    return days


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def _table(file: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    text = file.read(name).decode("utf-8", "replace")
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def main(home: str, reference: str, seed: str = str(SEED), target: str = "") -> int:
    """Print what no register confirms; return how many approvals that are."""
    context = make_context(Settings(home=Path(home), database_url=None))
    registers = read_registers(Path(reference))
    rows, dated, missed = [], 0, 0
    for number, (agent, request) in enumerate(draw(int(seed)), start=1):
        for text in first_three(ask(agent, request, context)):
            rows.append((number, agent, next(iter(request.values())), text))
            match = _APPROVED.match(text)
            for agency, day in _DAY.findall(match["days"]) if match else ():
                dated += 1
                names = {match["drug"].casefold(), *re.split(r"[ /+]", match["drug"].casefold())}
                known = {
                    each
                    for name, stated in registers[agency].items()
                    if name in names or name.split(" ")[0] in names
                    for each in stated
                }
                if not any(each.startswith(day) for each in known):
                    missed += 1
                    say(
                        f"{number:3} {agency} {day} not in a register ({sorted(known)[:6]}): {text}"
                    )
    say(f"{len(rows)} sentences; {dated} dated approvals, {missed} in no register at hand")
    if target:
        with Path(target).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("question", "agent", "asked", "sentence"), *rows])
    return missed


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:])))
