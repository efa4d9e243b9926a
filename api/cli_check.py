"""`python -m api check`: a document in, its statements compared with the evidence out."""

import argparse
import sys
from pathlib import Path

from api.cli_run import find_caller, open_output, read_input, read_key, write_error
from api.errors import Exchange
from api.startup import open_workbench, set_up_aloud
from core.checking.renderings import FORMATS
from core.errors import WorkbenchError
from core.execution.document_checks import SCOPE, check_for, render_for
from core.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `check`."""
    parser.add_argument("file", help="docx, pptx, pdf, md or txt")
    parser.add_argument(
        "--format",
        choices=("json", *FORMATS),
        default="json",
        help="json (default); docx or md: the marked document; csv or xlsx: a table",
    )
    parser.set_defaults(command=check)


def check(chosen: argparse.Namespace, settings: Settings) -> int:
    """Check a document and write the result."""
    exchange = Exchange()
    set_up_aloud(settings, sys.stderr)
    with open_output(chosen.output) as target, open_workbench(settings) as workbench:
        try:
            caller = find_caller(read_key(chosen, settings), SCOPE, workbench)
            content = read_input(chosen.file)
            checked = check_for(caller, Path(chosen.file).name, content, workbench)
            if chosen.format == "json":
                target.write(checked.model_dump_json().encode() + b"\n")
            else:
                target.write(render_for(checked, chosen.format, workbench))
        except WorkbenchError as failure:
            return write_error(failure.record(), exchange, target)
    return 0
