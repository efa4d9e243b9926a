"""The compound map replayed on the records of the reference data, in the figures of the targets.

The instance is a new one in a temporary folder: names of genes by hand, the weekly records imported
through the command that users have. Twenty documents are the eighteen at hand and two of them, all
under other numbers and of a target that the records do not hold.
"""

import copy
import hashlib
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.agents.compound_map import AGENT
from core.agents.compound_map.exports import export
from core.agents.compound_map.pipeline import run
from core.agents.compound_map.schema import CompoundMapData, CompoundMapRequest
from core.chemistry.structures import read_structure
from core.evidence.assets.joined_names import learn
from core.evidence.sources.importing import find_files, import_files
from core.records.identity import Entity, EntityName
from core.records.names import fold_name
from core.settings import Settings
from core.workbench import RunContext
from storage.stores import open_stores
from tests.benchmarks.targets import say
from tests.contexts import make_context

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
TWENTY = "MALT1"
GENES = {"HGNC:6407": "KRAS", "HGNC:16400": "NLRP3", "HGNC:6819": TWENTY}
NOW = datetime(2026, 11, 21, tzinfo=UTC)


@dataclass(frozen=True)
class Replayed:
    """What the map of one target came to."""

    took_s: float
    cpu_s: float
    again_s: float
    again_cpu_s: float
    compounds: int
    kept: int
    claimed: int
    dummies: int
    repeated: int
    is_same: bool


def replay() -> dict[str, Replayed]:
    """Print what the maps of both targets hold, and how long they and a map of twenty take."""
    found = {}
    files = sorted((REFERENCE / "patents").glob("us_2024_*.json"))
    with tempfile.TemporaryDirectory() as folder, open_bench(Path(folder), files) as context:
        for symbol in ("KRAS", "NLRP3"):
            found[symbol] = show_map(symbol, context)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with open_bench(home, [write_twenty(home)]) as context:
            found[TWENTY] = show_map(TWENTY, context)
    return found


@contextmanager
def open_bench(home: Path, files: Sequence[Path]) -> Iterator[RunContext]:
    """Open a new instance with names of genes and weekly records imported."""
    settings = Settings(home=home, offline=True)
    stores = open_stores(settings)
    stores.engine.upgrade()
    rows = [Entity("target", key, symbol) for key, symbol in GENES.items()]
    names = [
        EntityName("target", fold_name(symbol), key, 1, symbol) for key, symbol in GENES.items()
    ]
    stores.identity.build([*rows, *names], (), "names of the benchmark")
    import_files(stores.evidence, find_files(list(files), "uspto-chem"), now=NOW)
    learn(stores.evidence, stores.identity, stores.learned_names)
    yield make_context(NOW, stores, settings=settings, notes=stores.notes)
    stores.engine.close()


def write_twenty(home: Path) -> Path:
    """Write twenty documents of one target that the records do not hold: all, and two again."""
    paths = sorted((REFERENCE / "patents").glob("us_2024_*.json"))
    held = [document for path in paths for document in json.loads(path.read_text())]
    documents = [copy.deepcopy(one) for one in (*held, *held[:2])]
    for place, one in enumerate(documents):
        one["publication"] |= {"doc_number": f"{90_000_000 + place}"}
        one["application"] |= {"doc_number": f"{90_000_000 + place}"}
        one |= {"related_docs": [], "pct_data": [], "title": f"{TWENTY} inhibitors {place}"}
    path = home / "twenty.json"
    path.write_text(json.dumps(documents))
    return path


def claimed_keys(symbol: str, apart: Collection[str]) -> set[str]:
    """Return the InChIKeys that claims of the records draw, but for documents listed apart."""
    name = "*" if symbol == TWENTY else symbol
    paths = sorted((REFERENCE / "patents").glob(f"us_2024_{name}.json"))
    documents = [document for path in paths for document in json.loads(path.read_text())]
    found = (
        read_structure(text)
        for document in documents
        if document["publication"]["doc_number"] not in {number[2:-2] for number in apart}
        for file in document["external_files"]
        if file["section"] == "claims"
        for text in file["compounds"]
    )
    return {one.inchikey for one in found if one.verdict == "molecule"}


def show_map(symbol: str, context: RunContext) -> Replayed:
    """Run a target three times and print what its map holds, how long it took, and if it is one."""
    request = CompoundMapRequest(target=symbol, seed="benchmark")
    times = []
    for _ in range(2):
        began, cpu = time.perf_counter(), time.process_time()
        data = run(request, context)
        times.append((time.perf_counter() - began, time.process_time() - cpu))
    keys = [one.inchikey for one in data.compounds]
    apart = [one.publication_number for one in data.mentioned_in]
    claimed = claimed_keys(symbol, apart)
    families = Counter(one.family for one in data.patents)
    say(
        f"{symbol}: {data.n_selected} documents in {times[0][0]:.1f} s ({times[0][1]:.1f} s of one "
        f"core), again {times[1][0]:.1f} s, {data.n_smiles_raw} strings, {len(keys)} molecules, "
        f"claimed kept {len(claimed & set(keys))} of {len(claimed)}, {len(apart)} apart, "
        f"dummy atoms {sum('*' in one.smiles for one in data.compounds)}, InChIKeys twice "
        f"{len(keys) - len(set(keys))}, families twice {sum(n > 1 for n in families.values())}"
    )
    say(f"{symbol}: roles {dict(Counter(one.role for one in data.compounds))}, sure {data.n_sure}")
    digest = hashlib.sha256(plain(data).encode()).hexdigest()[:16]
    again = run(request, context)
    files = {name: export(data, name) for name in AGENT.exports}
    same = plain(data) == plain(again) and all(
        export(again, name) == content for name, content in files.items()
    )
    say(f"{symbol}: same seed, same bytes: {same} ({digest})")
    return Replayed(
        took_s=times[0][0],
        cpu_s=times[0][1],
        again_s=times[1][0],
        again_cpu_s=times[1][1],
        compounds=len(keys),
        kept=len(claimed & set(keys)),
        claimed=len(claimed),
        dummies=sum("*" in one.smiles for one in data.compounds),
        repeated=len(keys) - len(set(keys)),
        is_same=same,
    )


def plain(data: CompoundMapData) -> str:
    """Return an answer without the seconds it took."""
    return data.model_dump_json(exclude={"elapsed_s"})


if __name__ == "__main__":
    replay()
