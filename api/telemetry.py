"""What operators watch: one log line for each request of a program, and figures for Prometheus.

Pages are not logged: their addresses hold questions. `/metrics` is there only with a token in
`BPW_METRICS_TOKEN`; figures of runs and evidence are read from the database when it is asked.
"""

import secrets
import shutil
import time
from collections.abc import Iterator
from datetime import date

import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from api.errors import Exchange
from api.threads import in_thread
from core.execution.backups import read_state
from core.logs import work_for
from core.registry import all_agents
from core.workbench import Workbench, current

PATH = "/metrics"
_PROBES = frozenset({"/healthz", "/readyz", PATH})
_ROOMS = frozenset(
    {"account", "agents", "alerts", "ask", "audit", "documents", "evidence", "files", "health"}
    | {"keys", "lists", "projects", "runs", "users", "openapi.json", "docs"}
)
_BUCKETS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
_REGISTRY = CollectorRegistry()
_REQUESTS = Counter(
    "bpw_requests", "Requests answered.", ["operation", "method", "status"], registry=_REGISTRY
)
_SECONDS = Histogram(
    "bpw_request_seconds", "Time to answer.", ["operation"], registry=_REGISTRY, buckets=_BUCKETS
)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def operation_of(path: str) -> str:
    """Return what a request asked for, without names and numbers; "" for a page.

    >>> operation_of("/v1/runs/5f0c/tables/genes"), operation_of("/v1/agents/alerts")
    ('/v1/runs', '/v1/agents/alerts')
    """
    if path == "/mcp" or path in _PROBES:
        return path
    parts = path.split("/")[1:] or [""]
    if parts[0] == "auth":
        return "/auth"
    if parts[0] != "v1":
        return ""
    room = parts[1] if len(parts) > 1 and parts[1] in _ROOMS else "other"
    agent = parts[2] if room == "agents" and len(parts) > 2 and parts[2] in all_agents() else ""
    return f"/v1/{room}/{agent}".rstrip("/")


class Watch:
    """One request of a program: counted, and written to the log, when its answer has ended."""

    def __init__(self, scope: Scope, operation: str) -> None:
        """Start the clock.

        Args:
            scope: ASGI scope; it gets the exchange of the request.
            operation: What is asked for (`operation_of`).
        """
        self.status = 500
        self._operation = operation
        self._method = scope["method"] if scope["method"] in _METHODS else "other"
        self._began = time.perf_counter()
        self._exchange = None if operation in _PROBES else Exchange()
        self._state = scope.setdefault("state", {})
        self._state["exchange"] = self._exchange
        if self._exchange is not None:
            work_for(self._exchange.ids)

    def end(self) -> None:
        """Count and log."""
        elapsed_s = time.perf_counter() - self._began
        _REQUESTS.labels(self._operation, self._method, str(self.status)).inc()
        _SECONDS.labels(self._operation).observe(elapsed_s)
        exchange = self._exchange
        if exchange is None or not structlog.is_configured():
            return
        user_id = self._state.get("caller_id")
        structlog.get_logger("api").info(
            "request",
            operation=self._operation,
            method=self._method,
            status=self.status,
            **({} if user_id is None else {"user_id": user_id}),
        )


class _Instance(Collector):
    """Figures of runs, evidence and disk, read when they are asked for."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    def collect(self) -> Iterator[Metric]:
        """Yield each figure with its labels."""
        stores = self._workbench.stores
        runs = GaugeMetricFamily("bpw_runs", "Kept runs.", labels=["agent", "status"])
        for (agent, status), number in sorted(stores.runs.counts().items()):
            runs.add_metric([agent, status], number)
        yield runs
        errors = GaugeMetricFamily("bpw_run_errors", "Failed runs.", labels=["agent", "code"])
        for (agent, code), number in sorted(stores.runs.errors().items()):
            errors.add_metric([agent, code], number)
        yield errors
        age = GaugeMetricFamily(
            "bpw_evidence_age_days", "Days since a source's newest record.", labels=["source"]
        )
        records = GaugeMetricFamily("bpw_evidence_records", "Records.", labels=["source"])
        today = self._workbench.now().date()
        for source in stores.evidence.sources():
            records.add_metric([source.source], source.records)
            day = _day(source.newest)
            if day is not None:
                age.add_metric([source.source], max(0, (today - day).days))
        yield records
        yield age
        imported = [_day(file.imported_at) for file in stores.evidence.files()]
        if newest := max((day for day in imported if day), default=None):
            days = max(0, (today - newest).days)
            yield GaugeMetricFamily("bpw_import_age_days", "Days since an import.", value=days)
        alerts = stores.watches.counts()
        watched = GaugeMetricFamily("bpw_alert_queries", "Saved queries.", labels=["state"])
        watched.add_metric(["enabled"], alerts.enabled)
        watched.add_metric(["failing"], alerts.failing)
        yield watched
        disk = shutil.disk_usage(self._workbench.settings.home)
        yield GaugeMetricFamily("bpw_disk_free_bytes", "Free disk space.", value=disk.free)
        yield GaugeMetricFamily("bpw_disk_bytes", "Size of the disk.", value=disk.total)
        yield from self._collect_backups()

    def _collect_backups(self) -> Iterator[Metric]:
        workbench = self._workbench
        if workbench.settings.backup_at is None:
            return
        state = read_state(workbench.settings, workbench.stores)
        failing = int(bool(state.failure))
        yield GaugeMetricFamily("bpw_backup_failing", "The last one failed.", value=failing)
        if state.newest_at:
            age_s = max(0.0, (workbench.now() - state.newest_at).total_seconds())
            yield GaugeMetricFamily("bpw_backup_age_seconds", "Age of the newest.", value=age_s)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


async def show_metrics(request: Request) -> Response:
    """Answer Prometheus with the right token; without one in the settings there is nothing."""
    token = current().settings.metrics_token
    if token is None:
        return PlainTextResponse("there is nothing at this address", 404)
    given = request.headers.get("authorization", "")
    expected = f"Bearer {token.get_secret_value()}"
    if not secrets.compare_digest(given.encode(), expected.encode()):
        headers = {"WWW-Authenticate": "Bearer"}
        return PlainTextResponse("missing or wrong token", 401, headers=headers)
    content = await in_thread(_write_metrics, current())
    return Response(content, media_type=CONTENT_TYPE_LATEST)


def _write_metrics(workbench: Workbench) -> bytes:
    instance = CollectorRegistry()
    instance.register(_Instance(workbench))
    return generate_latest(_REGISTRY) + generate_latest(instance)


ROUTES = [Route(PATH, show_metrics)]
