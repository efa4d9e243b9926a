"""Recall of companies' assets: the ten companies of the pipeline file, with it and without it.

    python -m tests.benchmarks.company_assets [folder of a pack with it [folder of one without]]

Expected are the assets that a company shows at phase 2 or later. An asset is found when one of its
names or codes resolves to a drug of the answer, or is written like one of its names. Without
folders two packs are built first (six minutes; BPW_IDENTITY_PACKAGES names the folder of the
identity packages); the second lacks the pipeline file.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.agents.company_asset_searcher.pipeline import run
from core.agents.company_asset_searcher.schema import (
    CompanyAssetSearcherData,
    CompanyAssetSearcherRequest,
)
from core.evidence.names.identity.resolver import Resolver
from core.ports import Stores
from core.records.names import fold_name
from core.settings import Settings
from storage.stores import open_stores
from tests.contexts import make_context
from tests.live import ROOT

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")).resolve()
PIPELINES = "pipelines_10_companies.json"
LEAST_PHASE = 2
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def expected() -> dict[str, list[dict[str, Any]]]:
    """Return the assets at phase 2 or later by company."""
    content = json.loads((REFERENCE / "evidence" / PIPELINES).read_text(encoding="utf-8"))
    return {
        company: [one for one in told["assets"] if (one.get("max_phase") or 0) >= LEAST_PHASE]
        for company, told in content["companies"].items()
    }


def ask(company: str, stores: Stores, resolver: Resolver) -> CompanyAssetSearcherData:
    """Return the answer about a company, as many drugs as it has."""
    context = make_context(NOW, stores, resolver=resolver)
    return run(
        CompanyAssetSearcherRequest(company=company, drugdb_limit=150, include_old=True), context
    )


def is_found(asset: Mapping[str, Any], data: CompanyAssetSearcherData, resolver: Resolver) -> bool:
    """Return whether a drug of the answer is the asset."""
    names = [asset["asset"], *(asset.get("synonyms") or [])]
    keys = {match.key for name in names for match in resolver.resolve_combination(name)} - {""}
    folded = {fold_name(name) for name in names}
    return any(
        drug.drug_key in keys or folded & {fold_name(name) for name in (drug.name, *drug.aliases)}
        for drug in data.drugs
    )


def show(home: Path) -> None:
    """Print recall by company on the pack of an instance."""
    stores = open_stores(Settings(home=home, database_url=None))
    resolver = Resolver(stores.identity, stores.learned_names)
    hits = total = 0
    for company, assets in expected().items():
        data = ask(company, stores, resolver)
        found = [one for one in assets if is_found(one, data, resolver)]
        hits, total = hits + len(found), total + len(assets)
        missed = [one["asset"] for one in assets if one not in found]
        say(
            f"{company:<24}{len(found):>4} of {len(assets):<4}{len(found) / len(assets):>7.0%}   "
            f"{data.drugdb.count:>4} listed   missed: {', '.join(missed[:8])}"
        )
    say(f"{'all':<24}{hits:>4} of {total:<4}{hits / total:>7.0%}")
    stores.engine.close()


@contextmanager
def packs(folders: list[str]) -> Iterator[list[Path]]:
    """Give instances with and without the pipeline file, built where none is named."""
    if folders:
        yield [Path(one) for one in folders]
        return
    with tempfile.TemporaryDirectory() as name:
        made = []
        for word, left_out in (("with", ""), ("without", PIPELINES)):
            files = [one for one in (REFERENCE / "evidence").iterdir() if one.name != left_out]
            home = Path(name) / word
            for command in (
                ["setup"],
                ["evidence", "build"],
                ["evidence", "import", *map(str, files)],
            ):
                subprocess.run(
                    [sys.executable, "-m", "api", *command],
                    cwd=ROOT,
                    env={**os.environ, "BPW_HOME": str(home)},
                    capture_output=True,
                    check=True,
                )
            made.append(home)
        yield made


def main(folders: list[str]) -> None:
    """Print recall with the pipeline file and without it."""
    with packs(folders) as homes:
        for title, home in zip(("with the pipeline file", "without it"), homes, strict=False):
            say(f"recall of assets at phase 2 or later, {title}")
            show(home)


if __name__ == "__main__":
    main(sys.argv[1:])
