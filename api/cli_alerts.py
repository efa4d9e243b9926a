"""`python -m api alerts list|add|enable|remove|evaluate|preview`: watched questions.

The first four go through the agent and come out as the API answers: 0 ok, 2 invalid (400),
3 authentication or quota (401, 402).
"""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from api.cli_accounts import opened
from api.cli_run import EXIT, find_caller, read_key
from api.startup import open_workbench, set_up_aloud
from api.validation import read_request
from core.alert_ports import Subscriptions
from core.briefs.watching.firing import PREVIEW_DAYS
from core.errors import InvalidInput, WorkbenchError
from core.execution.identity import worker_name
from core.execution.watching import evaluate, preview_question
from core.records.alerts import SignalLevel, WatchQuestion
from core.records.failure import ErrorRecord
from core.records.runs import Caller
from core.records.wire import JsonObject
from core.registry import agent_of
from core.results import load_view
from core.runner import run_agent, subscriptions_of
from core.settings import Settings
from core.workbench import Workbench

AGENT = "alerts"
MOST_DAYS = 365
_MOST_LINES = 20


def add_commands(commands: Any) -> None:
    """Add the parsers of `alerts`."""
    alerts = commands.add_parser("alerts", help="watched questions").add_subparsers(required=True)
    listed = alerts.add_parser("list", help="saved queries, one a line, and the quota")
    added = alerts.add_parser("add", help="watch a drug")
    added.add_argument("drug_name", metavar="DRUG")
    enabled = alerts.add_parser("enable", help="watch a saved query")
    removed = alerts.add_parser("remove", help="end the alert of a saved query")
    for parser in (enabled, removed):
        parser.add_argument("query_id", metavar="ID", type=int)
    enabled.add_argument(
        "--catch-up", action="store_true", help="fire for what came while it was off, too"
    )
    previewed = alerts.add_parser("preview", help="how often a query would have fired")
    previewed.add_argument("query", metavar="ID|DRUG", help="a saved query, or a drug")
    previewed.add_argument("--days", type=int, default=PREVIEW_DAYS)
    for parser in (added, enabled, previewed):
        parser.add_argument("--level", choices=get_args(SignalLevel), default="medium")
    for parser in (listed, added, enabled, removed, previewed):
        parser.add_argument("--key", help="act as the holder of this API key")
        parser.add_argument("--key-file", type=Path, help="file that holds the API key")
    listed.set_defaults(command=act, action="list")
    added.set_defaults(command=act, action="add_manual")
    enabled.set_defaults(command=act, action="enable_from_query")
    removed.set_defaults(command=act, action="remove")
    previewed.set_defaults(command=show_preview)
    alerts.add_parser(
        "evaluate", help="hold what was imported against watched queries"
    ).set_defaults(command=run_evaluation)


def act(chosen: argparse.Namespace, settings: Settings) -> int:
    """Do one of the agent's actions and write the list after it."""
    set_up_aloud(settings, sys.stderr)
    with open_workbench(settings) as workbench:
        try:
            return _act(chosen, _caller(chosen, workbench), workbench)
        except WorkbenchError as failure:
            return _tell(failure.record())


def _act(chosen: argparse.Namespace, caller: Caller, workbench: Workbench) -> int:
    agent = agent_of(AGENT)
    words = {"query_id": "query_id", "drug_name": "drug_name", "level": "signal_level"}
    body: JsonObject = {"action": chosen.action}
    body |= {field: getattr(chosen, name) for name, field in words.items() if hasattr(chosen, name)}
    request = read_request(agent.request, body)
    if getattr(chosen, "catch_up", False):
        subscriptions = subscriptions_of(caller, workbench)
        subscriptions.enable(chosen.query_id, chosen.level, generation=-1, catch_up=True)
    record = run_agent(agent, request, caller, workbench)
    if record.error is not None:
        return _tell(record.error)
    view = load_view(record, workbench).model_dump(mode="json")
    for warning in view["warnings"]:
        sys.stderr.write(f"{warning}\n")
    for query in view["queries"]:
        state = query["signal_level"] if query["alerts_enabled"] else "off"
        sys.stdout.write(f"{query['id']}\t{state}\t{query['hits_since_seen']}\t{query['query']}\n")
    quota = view["quota"]
    sys.stdout.write(f"watched\t{quota['enabled_count']} of {quota['max_enabled']}\n")
    return 0


def _tell(error: ErrorRecord) -> int:
    sys.stderr.write(f"{error.message}\n")
    return EXIT.get(error.status, 4)


def _caller(chosen: argparse.Namespace, workbench: Workbench) -> Caller:
    return find_caller(read_key(chosen, workbench.settings), AGENT, workbench)


def run_evaluation(chosen: argparse.Namespace, settings: Settings) -> int:
    """Evaluate every query that is due; nothing due is no failure."""
    with opened(settings) as stores:
        done = evaluate(stores, settings, worker_name(), datetime.now(UTC))
    if done.is_busy:
        sys.stdout.write("another process evaluates\n")
        return 0
    summary = f"{done.queries} queries\t{done.hits} new hits\t{done.failed} not evaluated"
    sys.stdout.write(f"{summary}\n" if done.queries or done.failed else "nothing is due\n")
    if done.note:
        sys.stdout.write(f"{done.note}\n")
    return 0


def show_preview(chosen: argparse.Namespace, settings: Settings) -> int:
    """Write how often a saved query, or a drug, would have fired."""
    set_up_aloud(settings, sys.stderr)
    if not 1 <= chosen.days <= MOST_DAYS:
        sys.stderr.write(f"--days must be a whole number from 1 to {MOST_DAYS}\n")
        return EXIT[400]
    with open_workbench(settings) as workbench:
        try:
            subscriptions = subscriptions_of(_caller(chosen, workbench), workbench)
            question = _question(chosen.query, subscriptions)
        except WorkbenchError as failure:
            return _tell(failure.record())
        preview = preview_question(
            question, chosen.level, workbench.stores, workbench.now(), days=chosen.days
        )
    times = len(preview.hits)
    sys.stdout.write(f"would have fired {times} times in {preview.days} days\n")
    for hit in preview.hits[:_MOST_LINES]:
        sys.stdout.write(f"{hit.event_day}\t{hit.score}\t{hit.title}\n")
    n_more = len(preview.on_record) - times
    if n_more > 0:
        sys.stdout.write(f"{n_more} more came with the first import of their source\n")
    return 0


def _question(drug: str, subscriptions: Subscriptions) -> WatchQuestion:
    if not drug.isdigit():
        return WatchQuestion(drug=drug)
    question = subscriptions.get(int(drug)).question
    if question is None:
        raise InvalidInput("what this query asks was not noted; run it once more")
    return question
