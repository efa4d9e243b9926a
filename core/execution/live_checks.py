"""Compares the first real answers of live sources with the shapes that their readers need.

The shapes are rows of `live_shapes.csv`: fields with their types, as recorded answers have them.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from core.evidence.patents.pool import patent_connectors
from core.evidence.sources.live.base import Searchable, SourceQuery
from core.evidence.sources.live.phase import LIVE_SOURCES
from core.evidence.sources.live.web import NoAnswer, Reply, changed, open_site
from core.evidence.sources.sync.lists import newest_purple_book
from core.evidence.sources.sync.sources import SyncedSource
from core.ports import Rates
from core.settings import Settings
from core.vocabulary.tables import TableRow, load_rows

LONGEST_S = 30.0
PROBE = SourceQuery([["pembrolizumab"]], limit=1, drugs=["pembrolizumab"])
"""A question to which every source has an answer."""
PATENTS = ("epo_ops", "surechembl", "uspto_odp")
CONNECTED = (
    *("crossref", "ctis", "europepmc", "federal-register", "isrctn", "nih-reporter", "sec-filings"),
    *PATENTS,
)
"""Sources that are not synced: their connectors are asked, which refuse what has another form."""
KINDS = {str: "text", int: "number", float: "number", list: "list", dict: "object"}


class ShapeRow(TableRow):
    """A field of a source's answer, by its names from the outside in, and its type."""

    source: str
    request: str
    field: str
    kind: str


def check_sources(
    sources: Sequence[SyncedSource], settings: Settings, rates: Rates | None
) -> Iterator[tuple[str, str, str]]:
    """Send one request to each source; yield its name, what its answer is, and what differs."""
    for source in sources:
        rows = [row for row in load_rows("live_shapes", ShapeRow) if row.source == source.name]
        try:
            reply = source.sites(settings, rates)[-1].ask("GET", rows[0].request)
            document = _read(reply)
        except NoAnswer as failure:
            words = "not configured" if failure.status == "not_configured" else "not reachable"
            yield source.name, words, failure.message
        except (ValueError, RecursionError, zipfile.BadZipFile):
            yield source.name, "changed", "the answer is of another form"
        else:
            differences = [words for row in rows if (words := _compare(document, row))]
            yield source.name, "changed" if differences else "same", "; ".join(differences)


def check_connectors(
    names: Sequence[str], settings: Settings, rates: Rates | None, day: date
) -> Iterator[tuple[str, str, str]]:
    """Ask sources that are read by a connector for one record, and yield as `check_sources`."""
    connectors: dict[str, Searchable] = {
        each.name: each for each in patent_connectors(settings, day, rates)
    }
    for source in LIVE_SOURCES:
        site = open_site(
            settings, source.name, source.address, LONGEST_S, pause_s=source.pause_s, rates=rates
        )
        connectors[source.name] = source.connect(site, day)
    for name in names:
        answer = connectors[name].search(PROBE)
        if answer.status in {"answered", "partial"}:
            yield name, "same", ""
        elif answer.status == "not_configured":
            yield name, "not configured", answer.message
        elif answer.status == "empty" or answer.message.startswith(changed(name).message):
            yield name, "changed", answer.message or f"it lists nothing on {PROBE.drugs[0]}"
        else:
            yield name, "not reachable", answer.message


def _read(reply: Reply) -> Any:  # noqa: ANN401 - of whatever form it is
    """Return an answer as names and values; of tables in a zip, the columns are the names."""
    if reply.content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(reply.content)) as archive:
            heads = {name: archive.open(name).readline(10_000) for name in archive.namelist()}
        columns = {name: re.split(r"[\t~]", head.decode().strip()) for name, head in heads.items()}
        return {name: dict.fromkeys(names, "") for name, names in columns.items()}
    text = reply.content.decode("utf-8", "replace")
    newest = newest_purple_book(text)
    return {"newest file": newest} if newest else json.loads(text)


def _compare(document: object, row: ShapeRow) -> str:
    """Return how an answer differs from a row; "" where it does not."""
    value = document
    for name in row.field.split(" / "):
        value = value[0] if isinstance(value, list) and value else value
        value = value.get(name) if isinstance(value, dict) else None
    kind = KINDS.get(type(value), "missing")
    return "" if kind == row.kind else f"field {row.field}: {kind} instead of {row.kind}"
