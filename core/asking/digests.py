"""Stored runs as an answer shows them: sentences and rows, each with its name and its run.

Everything is taken from the report of a run as it is stored; nothing is written here.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.asking.records import AskedLine, AskedTable, CitedSource
from core.evidence.proof.cells import MARK, NOTE
from core.execution.rendering import StoredTables, compose_report
from core.records.runs import RunRecord
from core.reports.document import About, Document, Grid, Heading, SourceLine, Sources

MOST_ROWS = 20
"""Rows of a table that an answer may show."""
LEAD_ROWS = 8
_FILTERS = ("filtered:", "not_filtered:")
"""Notices of what narrowed an answer, and of what did not."""
"""Rows that the answer by rules shows."""
MOST_CLAIMS = 24
_CITED = re.compile(r"\[(\d+)\]")
_CITES, _DRUG, _COMPANY = "Sources", "Drug", "Company"
_READ_AS = "Interpreted as"
_LAST = frozenset({"Methods", "Method"})
_CAVEATS = frozenset({"rule", "assumption"})


@dataclass(frozen=True)
class StoredAnswer:
    """Where the parts of a completed run lie.

    Attributes:
        run: The run.
        about: What its report says of it.
        view: Path of its view.
        tables: Paths of its tables by name.
    """

    run: RunRecord
    about: About
    view: str
    tables: Mapping[str, str]


@dataclass(frozen=True)
class Claim:
    """A sentence of a run.

    Attributes:
        id: Its name in the answer.
        text: The sentence.
        section: Part of the run that it stands in.
        is_caveat: Whether it limits the others of its section.
    """

    id: str
    text: str
    section: str
    is_caveat: bool


@dataclass(frozen=True)
class Digest:
    """What of a run an answer may show.

    Attributes:
        id: Name of the run in the answer.
        run: The run.
        claims: Its sentences, those that lead first.
        n_lead: How many of them lead.
        grid: Its main table; None where it has none.
        sources: Its sources by number.
        warnings: What a reader of the run must know, without what is folded away.
        url: Its page.
    """

    id: str
    run: RunRecord
    claims: tuple[Claim, ...]
    n_lead: int
    grid: Grid | None
    sources: Mapping[str, SourceLine]
    warnings: tuple[str, ...]
    url: str

    @property
    def lead(self) -> list[str]:
        """Return the sentences that lead by rules, by their names."""
        return [claim.id for claim in self.claims[: self.n_lead or 3]]

    @property
    def rows(self) -> dict[str, Sequence[str | int | float | None]]:
        """Return the first rows of the table by their names."""
        rows = self.grid.rows[:MOST_ROWS] if self.grid else ()
        return {f"{self.id}.{number}": row for number, row in enumerate(rows, 1)}


def read_digest(number: int, stored: StoredAnswer) -> Digest:
    """Return what of a completed run an answer may show."""
    view = Path(stored.view).read_bytes()
    document = compose_report(stored.run.agent, view, StoredTables(stored.tables), stored.about)
    return make_digest(number, stored.run, document, json.loads(view))


def make_digest(number: int, run: RunRecord, document: Document, view: Mapping[str, Any]) -> Digest:
    """Return what an answer may show of a report and the view that it is composed from."""
    kinds = {text: (section, kind) for text, section, kind in _list_claims(view)}
    lead = document.front.sentences
    claims = []
    for count, text in enumerate([*dict.fromkeys((*lead, *kinds))][:MOST_CLAIMS], 1):
        section, kind = kinds.get(text, ("", ""))
        claims.append(Claim(f"r{number}.c{count}", text, section, kind in _CAVEATS))
    listed = (block.sources for block in document.blocks if isinstance(block, Sources))
    return Digest(
        f"r{number}",
        run,
        tuple(claims),
        len(lead),
        _find_grid(document),
        {source.id: source for each in listed for source in each},
        tuple(
            warning
            for warning in document.warnings
            if warning not in document.notices or warning.startswith(_FILTERS)
        ),
        page_of(run),
    )


def tell_of(digest: Digest, drugs: Sequence[str], without: str = "") -> Digest:
    """Return what a run tells of some drugs alone, or of all but a company's.

    Args:
        digest: A run that lists them among others.
        drugs: Names of the drugs; none: all. Of the sentences those stay that begin with them.
        without: The company; "" for none.
    """
    if not (drugs or without):
        return digest
    names, grid, rows = tuple(drugs), digest.grid, list[tuple[str | float | int | None, ...]]()
    told = [x for x in digest.claims if x.text.startswith(names) or not names]
    told = [x for x in told if not without or without not in x.text]
    n_lead = (
        len(told[: 2 * len(names)]) if names else len({*told} & {*digest.claims[: digest.n_lead]})
    )
    told += [x for x in digest.claims if x not in told and x.text.startswith(_READ_AS)]
    if grid is not None and {_DRUG, _COMPANY} <= {*grid.columns}:
        drug, company = grid.columns.index(_DRUG), grid.columns.index(_COMPANY)
        rows = [x for x in grid.rows if not names or str(x[drug]).removesuffix(f" {MARK}") in names]
        rows = [x for x in rows if not without or without not in str(x[company])]
        grid = replace(grid, rows=tuple(rows), total=grid.total or len(grid.rows))
    listed = " ".join(str(cell) for row in rows for cell in row)
    missing = " and ".join(name for name in names if name not in listed)
    warnings = [f"not_listed: {missing}: no such drug meets the question."] if missing else []
    return replace(
        digest,
        claims=tuple(told),
        n_lead=n_lead or 1,
        grid=grid if rows else None,
        warnings=(*digest.warnings, *warnings),
    )


def page_of(run: RunRecord) -> str:
    """Return the address of a run's page."""
    return f"/{run.agent}?run={run.run_uuid}"


def _list_claims(view: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield text, section and kind of the proved sentences of an answer."""
    sections = view.get("memo") or [{"title": "", "claims": view.get("claims") or []}]
    for section in sections:
        for claim in section["claims"]:
            yield claim["text"], section["title"], claim["kind"]


def _find_grid(document: Document) -> Grid | None:
    """Return the first table whose rows cite sources, else the first that there is."""
    grids: list[Grid] = []
    for block in document.blocks:
        if isinstance(block, Heading) and block.text in _LAST:
            break
        if isinstance(block, Grid) and block.rows:
            grids.append(block)
    cited = (grid for grid in grids if _CITES in grid.columns)
    return next(cited, next(iter(grids), None))


def render_lines(digest: Digest, ids: Iterable[str]) -> list[AskedLine]:
    """Return sentences of a run with their sources, each followed by the caveats of its section."""
    claims = {claim.id: claim for claim in digest.claims}
    chosen = [claims[each] for each in ids]
    sections = {claim.section for claim in chosen}
    caveats = [each for each in digest.claims if each.is_caveat and each.section in sections]
    shown = dict.fromkeys((*chosen, *caveats))
    return [
        AskedLine(
            id=claim.id,
            text=claim.text,
            run_id=digest.run.run_uuid,
            url=digest.url,
            sources=_sources_of(claim.text, digest),
        )
        for claim in shown
    ]


def render_table(
    digest: Digest, row_ids: Sequence[str], columns: Sequence[str] = ()
) -> AskedTable | None:
    """Return rows of a run's table; the first column and the sources always stay.

    Args:
        digest: The run.
        row_ids: Names of the rows.
        columns: Columns; none: all.
    """
    grid = digest.grid
    if grid is None or not row_ids:
        return None
    kept = {grid.columns[0], _CITES, *(columns or grid.columns)}
    places = [place for place, column in enumerate(grid.columns) if column in kept]
    rows = [[digest.rows[row_id][place] for place in places] for row_id in row_ids]
    texts = [cell for row in rows for cell in row if isinstance(cell, str)]
    return AskedTable(
        title=grid.caption,
        run_id=digest.run.run_uuid,
        url=digest.url,
        columns=[grid.columns[place] for place in places],
        row_ids=list(row_ids),
        rows=rows,
        total=grid.total or len(grid.rows),
        note=NOTE if any(cell.endswith(f" {MARK}") for cell in texts) else "",
        sources=_sources_of(" ".join(texts), digest),
    )


def _sources_of(text: str, digest: Digest) -> list[CitedSource]:
    numbers = dict.fromkeys(_CITED.findall(text))
    cited = (digest.sources[number] for number in numbers if number in digest.sources)
    return [CitedSource(id=each.id, title=each.title, url=each.url) for each in cited]
