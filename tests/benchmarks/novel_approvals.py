"""How many novel approvals of 2015 to 2026 the landscape finds, and shows approved, in their use.

`python -m tests.benchmarks.novel_approvals HOME REFERENCE`: HOME is an instance with names and the
starter pack, REFERENCE the folder `fda_novel_approvals`. Every row is asked by the disease that its
approved use names; rows whose use names no disease that is known are asked by the drug.
"""

import csv
import gzip
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from core.evidence.readers.diseases import Diseases
from core.settings import Settings
from tests.benchmarks.frozen_answers import ask, make_context
from tests.benchmarks.targets import say


def main(home: str, reference: str) -> int:
    """Print the figures and every row that is missing; return how many are."""
    context = make_context(Settings(home=Path(home), database_url=None))
    with gzip.open(Path(reference) / "novel_approvals.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    diseases = Diseases(context.resolver)
    read = diseases.in_texts([row["approved_use"] for row in rows])
    asked: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        named = read[row["approved_use"]]
        asked[named[0].name if named else row["brand"]].append(row)
    counts: Counter[str] = Counter()
    for query, same in sorted(asked.items()):
        data = ask("competitive-landscaping", {"query": query}, context)
        shown = {
            key.casefold(): drug
            for drug in data.drugs
            for key in (drug.drug_name, *drug.aliases, drug.drug_key or "", drug.brand)
        }
        for row in same:
            parts = re.split(r" and |, | \+ |/|;", row["ingredient"])
            plain = [re.sub(r"-[a-z]{4}$", "", part.strip()).casefold() for part in parts]
            matches = context.resolver.resolve_many("drug", [*plain, row["brand"]])
            keys = [*plain, row["brand"].casefold()]
            keys += [
                each
                for match in matches.values()
                for each in (match.key.casefold(), match.label.casefold())
            ]
            drug = next((shown[key] for key in keys if key and key in shown), None)
            is_approved = drug is not None and drug.stage in {"APPROVED", "DISCONTINUED"}
            counts.update(rows=1, found=drug is not None, approved=is_approved)
            if not is_approved:
                stage = drug.stage if drug else "missing"
                name = f"{row['brand']} ({row['ingredient']})"
                say(f"{stage:12} {row['approved_on']} {name} in {query}")
    say(f"{counts['rows']} novel approvals: {counts['found']} found, {counts['approved']} approved")
    return counts["rows"] - counts["approved"]


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:3])))
