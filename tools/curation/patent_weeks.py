"""Weekly files of US patent chemistry, cut to what finds and maps a document, for the pack.

What is left out: persons, addresses, and whatever the reader of these files does not read
(`sources.files.uspto_chem`). Same input, same bytes.
"""

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.evidence.sources.files.uspto_chem import PERSON
from core.evidence.sources.pack.patents import FOLDER, NAME

_KEPT = (
    "publication",
    "application",
    "title",
    "abstract",
    "ipc_classes",
    "cpc_classes",
    "related_docs",
    "pct_data",
    "n_external_files",
)
_OWNERS = ("applicants", "assignees")


def cut_weeks(source: Path, target: Path = FOLDER) -> Iterator[tuple[str, int]]:
    """Write the weekly files of a folder in their cut form; yield name and documents of each.

    Args:
        source: Folder with files such as `grants_I20240220.json.gz`.
        target: Folder of the pack.
    """
    target.mkdir(exist_ok=True)
    for path in sorted(source.glob(NAME)):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            documents = [_cut(document) for document in json.load(file)]
        text = json.dumps(documents, ensure_ascii=False, separators=(",", ":"))
        packed = gzip.compress(text.encode("utf-8"), 9, mtime=0)
        (target / path.name).write_bytes(packed)
        yield path.name, len(documents)


def _cut(document: Mapping[str, Any]) -> dict[str, Any]:
    cut = {name: document[name] for name in _KEPT if document.get(name)}
    for role in _OWNERS:
        named = [party.get("organization") for party in document.get(role) or ()]
        cut[role] = [{"organization": name} for name in named if name and name != PERSON]
    cut["external_files"] = [
        {name: file[name] for name in ("file", "section", "compounds") if name in file}
        for file in document.get("external_files") or ()
    ]
    return cut
