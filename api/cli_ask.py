"""`python -m api ask`: a question in, sentences and rows of runs out."""

import argparse
import sys
from typing import cast

from api.cli_run import open_output, read_key, write_error
from api.errors import Exchange
from api.startup import open_workbench, set_up_aloud
from api.validation import read_request
from core.accounts import local_administrator
from core.asking.answering import Asking
from core.asking.records import AskRequest
from core.errors import WorkbenchError
from core.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `ask`."""
    parser.add_argument("query", help="the question, in quotes")
    parser.set_defaults(command=ask)


def ask(chosen: argparse.Namespace, settings: Settings) -> int:
    """Answer a question and write the answer as JSON."""
    exchange = Exchange()
    set_up_aloud(settings, sys.stderr)
    with open_output(chosen.output) as target, open_workbench(settings) as workbench:
        try:
            caller = local_administrator(workbench.stores)
            if key := read_key(chosen, settings):
                caller = workbench.stores.keys.find_caller(key)
            question = cast("AskRequest", read_request(AskRequest, {"query": chosen.query}))
            answer = Asking(question, caller, workbench).answer_now()
            target.write(answer.model_dump_json().encode() + b"\n")
        except WorkbenchError as failure:
            return write_error(failure.record(), exchange, target)
    return 0
