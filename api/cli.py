"""The command line: the same door as the API, without a server.

`run` writes exactly the JSON that the API would answer and tells by its exit code how it went:
0 ok, 2 invalid (400), 3 authentication or quota (401, 402), 4 agent failed (500), 5 timed out
(504). Other commands exit 1 on failure and 2 on wrong use.
"""

import argparse
import importlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from api import cli_accounts, cli_run, cli_storage
from api.startup import refuse_misfit, refuse_unwritable
from core.checking.renderings import FORMATS
from core.errors import NotFound, WorkbenchError
from core.registry import all_agents, find_agent
from core.settings import Settings, read_settings

Command = Callable[[argparse.Namespace, Settings], int | None]
"""Does what was asked; returns the exit code where that may be another one than 0."""
GROUPS = {
    "evidence": ("api.cli_evidence", "what the instance knows"),
    "structures": ("api.cli_structures", "drawn structures"),
    "alerts": ("api.cli_alerts", "watched questions"),
    "live": ("api.cli_live", "sources on the network"),
}
"""Commands whose modules are loaded when they are called: a second less for all others."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    argv = sys.argv[1:] if arguments is None else arguments
    chosen = make_parser(argv).parse_args(argv)
    command: Command = chosen.command
    try:
        settings = read_settings()
        if command not in (list_agents, show_example):
            refuse_unwritable(settings)
        code = command(chosen, settings) or 0
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has left, as in `list | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as failure:
        sys.stderr.write(f"{failure.filename or 'the instance'}: {failure.strerror}\n")
        return 1
    except WorkbenchError as failure:
        sys.stderr.write(f"{failure.message}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return code


def make_parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of every command, of those in groups whole where one is called."""
    parser = argparse.ArgumentParser(prog="python -m api", description="Biopharma Workbench.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_run(commands.add_parser("run", help="run an agent and write its envelope"))
    again = commands.add_parser(
        "replay", help="compute a run again, with the answers that live sources gave it then"
    )
    again.add_argument("run_id", metavar="RUN_ID", help="`run_id` of its envelope")
    again.set_defaults(command=cli_run.replay)
    add_output(again)
    checked = commands.add_parser("check", help="compare a document with the evidence")
    checked.add_argument("file", help="docx, pptx, pdf, md or txt")
    checked.add_argument(
        "--format",
        choices=("json", *FORMATS),
        default="json",
        help="json (default); docx or md: the marked document; csv or xlsx: a table",
    )
    checked.set_defaults(command=cli_run.check)
    add_output(checked)
    asked = commands.add_parser("ask", help="answer a question by runs of agents")
    asked.add_argument("query", help="the question, in quotes")
    asked.set_defaults(command=cli_run.ask)
    add_output(asked)
    listed = commands.add_parser("list", help="name the agents, one a line")
    listed.set_defaults(command=list_agents)
    example = commands.add_parser("example", help="write an agent's first example request")
    example.add_argument("agent", help="agent name (see `list`)")
    example.set_defaults(command=show_example)
    serve = commands.add_parser("serve", help="serve the API alone, without pages")
    serve.add_argument("--port", type=int, help="port (default: BPW_PORT)")
    serve.set_defaults(command=serve_api)
    worker = commands.add_parser(
        "worker", help="execute runs of an instance that several hosts share"
    )
    worker.set_defaults(command=work)
    setup = commands.add_parser("setup", help="prepare the instance folder")
    setup.add_argument(
        "--evidence", action="store_true", help="load names and the starter pack, too, where due"
    )
    setup.set_defaults(command=cli_accounts.set_up_instance)
    warm = commands.add_parser("warm", help="compile numeric code once, so that no run waits")
    warm.set_defaults(command=cli_run.warm)
    cli_accounts.add_commands(commands)
    cli_storage.add_commands(commands)
    for name, (module, words) in GROUPS.items():
        if name in arguments[:1]:
            importlib.import_module(module).add_commands(commands)
        else:
            commands.add_parser(name, help=words)
    return parser


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `run`."""
    parser.add_argument("agent", help="agent name (see `list`)")
    parser.add_argument(
        "--input", required=True, help="request body as JSON; - reads it from stdin"
    )
    add_output(parser)
    parser.add_argument(
        "--file",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="upload a file for the request, e.g. counts=counts.csv.gz",
    )
    parser.set_defaults(command=cli_run.run)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add where an envelope is written, and for whom."""
    parser.add_argument("--output", help="write the envelope here instead of standard output")
    parser.add_argument(
        "--key",
        help="act as the owner of this API key; set BPW_KEY or use a file instead, because other "
        "accounts on the machine can see a program's arguments",
    )
    parser.add_argument("--key-file", type=Path, help="file that holds the API key")


def list_agents(chosen: argparse.Namespace, settings: Settings) -> None:
    """Write the names of the agents."""
    sys.stdout.writelines(f"{name}\n" for name in all_agents())


def show_example(chosen: argparse.Namespace, settings: Settings) -> None:
    """Write a request body that runs as it stands."""
    agent = find_agent(chosen.agent)
    if agent is None:
        raise NotFound(f"there is no agent {chosen.agent!r}; known: {', '.join(all_agents())}")
    sys.stdout.write(json.dumps(agent.examples[0].request) + "\n")


def serve_api(chosen: argparse.Namespace, settings: Settings) -> None:
    """Serve `/v1` without the pages."""
    from api.connections import serve
    from api.service import make_service

    refuse_misfit(settings)
    serve(make_service(), settings, chosen.port)


def work(chosen: argparse.Namespace, settings: Settings) -> int:
    """Execute runs that servers of the instance accept."""
    from api.worker import serve_runs

    return serve_runs(chosen, settings)
