"""Uploaded results: a table of concentration and signal, fitted and held against the plan."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import exp, isfinite, log
from pathlib import PurePath
from statistics import median

from core.agents.assay_development.case import Case
from core.agents.assay_development.records import ContextUsed, FileResult
from core.errors import InvalidInput, UnreadableTable
from core.evidence.proof.claims import unmark
from core.tables.text import read_rows
from core.tables.workbooks import read_sheet
from core.workbench import RunContext

LARGEST_FILE = 20_000_000
MOST_ROWS = 20_000
LONGEST_NAME = 80
_TABLES, _TEXTS = (".csv", ".tsv", ".txt", ".xlsx"), (".md", ".pdf")
_DOSE = ("concentration", "conc", "dose", "x")
_SIGNAL = ("signal", "response", "value", "y")
_SAMPLE = ("sample", "group", "material", "lot", "curve")
_REFERENCES = ("reference", "ref", "standard", "rs")
_HIGH, _LOW = ("high", "max", "positive"), ("low", "min", "negative", "blank")
LEAST_PARALLEL_P = 0.05
LEAST_Z = 0.5


@dataclass(frozen=True)
class Uploaded:
    """What the uploads came to.

    Attributes:
        results: One record a sample.
        used: One line a file.
        gcv: Geometric CV in percent between replicates of a level; None without replicates.
        warnings: What was not read.
    """

    results: tuple[FileResult, ...] = ()
    used: tuple[ContextUsed, ...] = ()
    gcv: float | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Point:
    """A row of a table."""

    sample: str
    dose: float
    signal: float


def read_uploads(case: Case, context: RunContext) -> Uploaded:
    """Return what the uploaded files of a request came to.

    Raises:
        InvalidInput: A file is another caller's, too large, or no text, table or PDF.
    """
    results: list[FileResult] = []
    used, warnings, spreads = [], [], []
    for file_id in dict.fromkeys(case.request.uploaded_files):
        name, content = _open(file_id, context)
        points, notice = _points(name, content)
        shown = unmark(name)[:LONGEST_NAME]
        if not points:
            used.append(_used(shown, notice))
            warnings.append(f"no_results: {shown} holds no table with concentration and signal.")
            continue
        used.append(_used(shown, f"{len(points)} results fitted and judged"))
        results += _judge(shown, points)
        spreads += _log_spreads(points)
    gcv = 100 * (exp(median(spreads)) - 1) if spreads else None
    return Uploaded(tuple(results), tuple(used), gcv, tuple(warnings))


def _used(name: str, effect: str) -> ContextUsed:
    return ContextUsed(input="uploaded_files", value=name, effect=effect, source_ids=[])


def _open(file_id: str, context: RunContext) -> tuple[str, bytes]:
    upload = context.files.get(file_id)
    suffix = PurePath(upload.name).suffix.lower()
    if suffix not in (*_TABLES, *_TEXTS):
        raise InvalidInput(
            f"{upload.name[:LONGEST_NAME]!r} is no CSV, TSV, XLSX, text or PDF; upload one",
            field="uploaded_files",
            code="file_unreadable",
        )
    if upload.size > LARGEST_FILE:
        raise InvalidInput(
            f"{upload.name[:LONGEST_NAME]!r} is larger than 20 MB; upload the results alone",
            field="uploaded_files",
            code="file_too_large",
        )
    with context.files.open(file_id) as body:
        return upload.name, body.read()


def _points(name: str, content: bytes) -> tuple[list[Point], str]:
    """Return the results of a file, and what else it is."""
    suffix = PurePath(name).suffix.lower()
    if suffix in _TEXTS:
        return [], f"kept as a text of {len(content):,} bytes; no number is taken from it"
    try:
        if suffix == ".xlsx":
            rows = read_sheet(content, MOST_ROWS)
        else:
            rows = list(islice(read_rows(content.decode("utf-8-sig")), MOST_ROWS))
    except (UnreadableTable, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"{name[:LONGEST_NAME]!r} cannot be read as a table: {type(error).__name__}; save it "
            "as CSV with a header line",
            field="uploaded_files",
            code="file_unreadable",
        ) from error
    return list(_read_rows(rows)), "no table of results"


def _read_rows(rows: Sequence[Sequence[str]]) -> Iterator[Point]:
    """Yield the results below a header that names concentration and signal."""
    if not rows:
        return
    header = [cell.strip().casefold().partition(" ")[0].partition("_")[0] for cell in rows[0]]
    places = {column: _place(header, names) for column, names in _COLUMNS.items()}
    dose, signal, sample = places["dose"], places["signal"], places["sample"]
    if dose is None or signal is None:
        return
    for row in rows[1:]:
        numbers = [_number(row[at]) if at < len(row) else None for at in (dose, signal)]
        name = row[sample].strip() if sample is not None and sample < len(row) else ""
        if numbers[0] is not None and numbers[1] is not None:
            yield Point(name or "sample", numbers[0], numbers[1])


_COLUMNS = {"dose": _DOSE, "signal": _SIGNAL, "sample": _SAMPLE}


def _place(header: Sequence[str], names: Sequence[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _number(cell: str) -> float | None:
    try:
        value = float(cell.replace(",", ".") if cell.count(",") == 1 else cell)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _by_sample(points: Sequence[Point]) -> dict[str, list[Point]]:
    points_by_sample: dict[str, list[Point]] = {}
    for point in points:
        points_by_sample.setdefault(point.sample, []).append(point)
    return points_by_sample


def _judge(file: str, points: Sequence[Point]) -> Iterator[FileResult]:
    """Yield a record a sample; the reference is the sample of that name, else none."""
    samples = _by_sample(points)
    window = _window(samples)
    reference = next((sample for sample in samples if sample.casefold() in _REFERENCES), None)
    for name, sample_points in samples.items():
        if name.casefold() not in (*_HIGH, *_LOW):
            yield _result(file, name, sample_points, samples.get(reference or ""), window)


def _window(samples: Mapping[str, Sequence[Point]]) -> float | None:
    """Return Z' of the wells named as high and low controls."""
    from core.stats.assays.windows import z_prime

    high = [
        p.signal for name, points in samples.items() if name.casefold() in _HIGH for p in points
    ]
    low = [p.signal for name, points in samples.items() if name.casefold() in _LOW for p in points]
    return z_prime(high, low) if len(high) > 1 and len(low) > 1 else None


def _result(
    file: str,
    name: str,
    own_points: Sequence[Point],
    reference: Sequence[Point] | None,
    window: float | None,
) -> FileResult:
    from core.stats.assays.curves import compare_curves, fit_curve

    used = [point for point in own_points if point.dose > 0]
    curve = potency = p = None
    try:
        x, y = [point.dose for point in used], [point.signal for point in used]
        curve = fit_curve(x, y)
        if reference and reference is not own_points:
            base = [point for point in reference if point.dose > 0]
            parallelism = compare_curves(
                [point.dose for point in base], [point.signal for point in base], x, y
            )
            potency, p = parallelism.relative_potency, parallelism.p
    except ValueError:
        pass  # fewer than five concentrations: the spread is judged alone
    cv = _median_cv(own_points)
    return FileResult(
        file=file,
        sample=unmark(name)[:LONGEST_NAME],
        n=len(own_points),
        lower=curve.lower if curve else None,
        upper=curve.upper if curve else None,
        slope=curve.slope if curve else None,
        midpoint=curve.midpoint if curve else None,
        relative_potency=potency,
        parallel_p=p,
        percent_cv=cv,
        z_prime=window,
        verdict=_verdict(potency, p, cv, window),
        source_ids=[],
    )


def _verdict(potency: float | None, p: float | None, cv: float | None, window: float | None) -> str:
    """Return in words what holds and what does not."""
    sentences = []
    if cv is not None:
        sentences.append(
            f"replicates {'agree' if cv <= 20 else 'spread'} (CV {cv:.1f} %, limit 20 %)"
        )
    if window is not None:
        sentences.append(
            f"window {'holds' if window >= LEAST_Z else 'is too small'} (Z' {window:.2f})"
        )
    if p is not None and potency is not None:
        if p >= LEAST_PARALLEL_P:
            sentences.append(f"parallel (p {p:.2f}): relative potency {potency:.1f} %")
        else:
            sentences.append(f"not parallel (p {p:.3f}): no relative potency is to be reported")
    return "; ".join(sentences) or "too few concentrations for a curve and no replicates"


def _levels(points: Sequence[Point]) -> list[list[float]]:
    signals_by_level: dict[tuple[str, float], list[float]] = {}
    for point in points:
        signals_by_level.setdefault((point.sample, point.dose), []).append(point.signal)
    return [level_signals for level_signals in signals_by_level.values() if len(level_signals) > 1]


def _median_cv(points: Sequence[Point]) -> float | None:
    from core.stats.assays.windows import percent_cv

    cvs = [percent_cv(level) for level in _levels(points) if sum(level)]
    return median(cvs) if cvs else None


def _log_spreads(points: Sequence[Point]) -> list[float]:
    """Return the standard deviations of logarithms between replicates, by level."""
    spreads = []
    for level in _levels(points):
        if min(level) > 0:
            logs = [log(signal) for signal in level]
            mean = sum(logs) / len(logs)
            spreads.append((sum((value - mean) ** 2 for value in logs) / (len(logs) - 1)) ** 0.5)
    return spreads
