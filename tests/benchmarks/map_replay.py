"""The compound map replayed on the records of the reference data, in the figures of the targets.

The instance is a new one in a temporary folder: names of genes by hand, the weekly records imported
through the command that users have. Twenty documents are the eighteen at hand and two of them under
other numbers.
"""

import json
import os
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from core.agents.compound_map.pipeline import run
from core.agents.compound_map.schema import CompoundMapData, CompoundMapRequest
from core.chemistry.structures import read_structure
from core.evidence.identity.resolver import Resolver
from core.evidence.importing import find_files, import_files
from core.records.identity import Entity, EntityName
from core.records.names import fold_name
from core.records.runs import Caller
from core.settings import Settings
from core.workbench import RunContext
from storage.stores import open_stores

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
GENES = {"HGNC:6407": "KRAS", "HGNC:16400": "NLRP3"}
NOW = datetime(2026, 11, 21, tzinfo=UTC)


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    """Print what the maps of both targets hold, and how long they take."""
    if not REFERENCE.is_dir():
        say("no reference data: the map is not replayed")
        return
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        settings = Settings(home=home, offline=True)
        stores = open_stores(settings)
        stores.engine.upgrade()
        rows = [Entity("target", key, symbol) for key, symbol in GENES.items()]
        names = [
            EntityName("target", fold_name(symbol), key, 1, symbol) for key, symbol in GENES.items()
        ]
        stores.identity.build([*rows, *names], (), "names of the benchmark")
        files = [*sorted((REFERENCE / "patents").glob("us_2024_*.json")), write_twenty(home)]
        import_files(stores.evidence, find_files(files, "uspto-chem"), now=NOW)
        resolver = Resolver(stores.identity, stores.learned_names)
        saved: dict[str, bytes] = {}
        context = RunContext(
            run_uuid="",
            query_id=1,
            caller=Caller(user_id=1, name="benchmark"),
            now=NOW,
            seed=1,
            settings=settings,
            files=None,
            progress=lambda *_: None,
            save_file=lambda name, content, kind: saved.update({name: content}),
            evidence=stores.evidence,
            resolver=resolver,
        )
        for symbol in GENES.values():
            show_map(symbol, context, saved)
        stores.engine.close()


def write_twenty(home: Path) -> Path:
    """Write two documents of the records under other numbers, so that there are twenty."""
    documents = json.loads((REFERENCE / "patents" / "us_2024_NLRP3.json").read_text())[:2]
    for place, one in enumerate(documents):
        one["publication"] |= {"doc_number": f"9000000{place}"}
        one["application"] |= {"doc_number": f"9000000{place}"}
        one |= {"related_docs": [], "pct_data": [], "title": f"KRAS and {one['title']}"}
    path = home / "twenty.json"
    path.write_text(json.dumps(documents))
    return path


def claimed_keys(symbol: str) -> set[str]:
    """Return the InChIKeys that the claims of the records draw."""
    documents = json.loads((REFERENCE / "patents" / f"us_2024_{symbol}.json").read_text())
    found = (
        read_structure(text)
        for document in documents
        for file in document["external_files"]
        if file["section"] == "claims"
        for text in file["compounds"]
    )
    return {one.inchikey for one in found if one.verdict == "molecule"}


def show_map(symbol: str, context: RunContext, saved: dict[str, bytes]) -> None:
    """Run a target twice and print what its map holds."""
    request = CompoundMapRequest(target=symbol, seed="benchmark")
    began, cpu = time.perf_counter(), time.process_time()
    data = run(request, context)
    took_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu
    files = dict(saved)
    again = run(request, context)
    keys = [one.inchikey for one in data.compounds]
    claimed = claimed_keys(symbol)
    families = Counter(one.family for one in data.patents)
    say(
        f"{symbol}: {data.n_selected} documents in {took_s:.1f} s ({cpu_s:.1f} s of one core), "
        f"{data.n_smiles_raw} strings, {len(keys)} molecules, claimed kept "
        f"{len(claimed & set(keys))} of {len(claimed)}, dummy atoms "
        f"{sum('*' in one.smiles for one in data.compounds)}, InChIKeys twice "
        f"{len(keys) - len(set(keys))}, families twice {sum(n > 1 for n in families.values())}"
    )
    say(f"{symbol}: roles {dict(Counter(one.role for one in data.compounds))}, sure {data.n_sure}")
    say(f"{symbol}: same seed, same bytes: {plain(data) == plain(again) and saved == files}")


def plain(data: CompoundMapData) -> str:
    """Return an answer without the seconds it took."""
    return data.model_dump_json(exclude={"elapsed_s"})


if __name__ == "__main__":
    main()
