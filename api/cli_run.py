"""`python -m api run|replay|ask|check`: a request, question or document in, the answer out."""

import argparse
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, cast, get_origin

from api.errors import Exchange, envelope_of
from api.startup import open_workbench, set_up_aloud
from api.strict_json import read_object
from api.validation import read_request
from core import results
from core.accounts import local_administrator
from core.agent import Agent
from core.asking.answering import Asking
from core.asking.records import AskRequest
from core.errors import InvalidInput, NotAuthenticated, WorkbenchError
from core.execution.document_checks import SCOPE, check_for, render_for
from core.execution.warming import compile_numeric_code
from core.records.failure import ErrorRecord
from core.records.runs import Caller, RunRecord
from core.records.wire import JsonObject
from core.registry import all_agents, find_agent
from core.runner import await_run, replay_run, start_run
from core.settings import MEGABYTE, Settings
from core.workbench import Workbench

EXIT = {400: 2, 404: 2, 401: 3, 402: 3, 500: 4, 504: 5}
_POLL_S = 0.5


def run(chosen: argparse.Namespace, settings: Settings) -> int:
    """Run an agent and write its envelope."""
    exchange = Exchange()
    try:
        output = open_output(chosen.output)
    except OSError as failure:
        sys.stderr.write(f"{chosen.output} cannot be written: {failure.strerror}\n")
        return EXIT[400]
    set_up_aloud(settings, sys.stderr)
    with output as target, open_workbench(settings) as workbench:
        try:
            record = _run(chosen, exchange, workbench)
        except WorkbenchError as failure:
            return write_error(failure.record(), exchange, target)
        if record.error is not None:
            return write_error(record.error, exchange, target)
        for chunk in results.answer_body(record, exchange.elapsed_s, workbench):
            target.write(chunk)
        target.write(b"\n")
    return 0


def replay(chosen: argparse.Namespace, settings: Settings) -> int:
    """Compute a run again and write its envelope; return 1 where the answer is another one."""
    exchange = Exchange()
    set_up_aloud(settings, sys.stderr)
    with open_output(chosen.output) as target, open_workbench(settings) as workbench:
        caller = find_caller(read_key(chosen, settings), None, workbench)
        run = workbench.stores.runs.get(caller.user_id, chosen.run_id)
        if not caller.may_read(run.agent):
            raise NotAuthenticated("missing or invalid API key")
        replayed = replay_run(run, caller, workbench)
        for chunk in results.answer_body(replayed.run, exchange.elapsed_s, workbench):
            target.write(chunk)
        target.write(b"\n")
    if replayed.is_equal:
        sys.stderr.write("The answer equals the stored one in every byte.\n")
        return 0
    is_newer = not replayed.is_same_version
    reason = ": program or evidence changed since the run" if is_newer else ""
    sys.stderr.write(f"The answer differs from the stored one{reason}.\n")
    return 1


def ask(chosen: argparse.Namespace, settings: Settings) -> int:
    """Answer a question and write the answer as JSON."""
    exchange = Exchange()
    set_up_aloud(settings, sys.stderr)
    with open_output(chosen.output) as target, open_workbench(settings) as workbench:
        try:
            caller = find_caller(read_key(chosen, settings), None, workbench)
            question = cast("AskRequest", read_request(AskRequest, {"query": chosen.query}))
            answer = Asking(question, caller, workbench).answer_now()
            target.write(answer.model_dump_json().encode() + b"\n")
        except WorkbenchError as failure:
            return write_error(failure.record(), exchange, target)
    return 0


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


def _run(chosen: argparse.Namespace, exchange: Exchange, workbench: Workbench) -> RunRecord:
    agent = find_agent(chosen.agent)
    if agent is None:
        options = ", ".join(all_agents())
        raise InvalidInput(f"there is no agent {chosen.agent!r}; known: {options}")
    exchange.agent = agent.name
    caller = find_caller(read_key(chosen, workbench.settings), agent.name, workbench)
    body = read_object(read_input(chosen.input))
    body.update(upload_files(chosen.file, agent, caller, workbench))
    record = start_run(agent, read_request(agent.request, body), caller, workbench)
    exchange.run_id = record.run_uuid
    with show_progress(record, workbench):
        return await_run(record, caller, workbench)


def read_key(chosen: argparse.Namespace, settings: Settings) -> str | None:
    """Return the API key of the call: an argument, the content of a file, or `BPW_KEY`.

    Raises:
        InvalidInput: The file cannot be read.
    """
    if chosen.key is not None:
        return str(chosen.key)
    if chosen.key_file is None:
        return settings.key
    try:
        return str(chosen.key_file.read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError):
        raise InvalidInput(f"{chosen.key_file} holds no key that can be read") from None


def find_caller(key: str | None, scope: str | None, workbench: Workbench) -> Caller:
    """Return the holder of the key, or the local administrator without one.

    Args:
        key: The API key.
        scope: What the key must allow: the name of an agent, or of another operation; None where
            the command itself looks.
        workbench: Of this process.
    """
    if key is None:
        return local_administrator(workbench.stores)
    caller = workbench.stores.keys.find_caller(key)
    if scope is not None and not caller.may_run(scope):
        raise NotAuthenticated("missing or invalid API key")
    return caller


def read_input(name: str) -> bytes:
    """Return the request body from a file or, for `-`, from standard input.

    Raises:
        InvalidInput: The file cannot be read.
    """
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as failure:
        raise InvalidInput(f"{name} cannot be read: {failure.strerror}", field="input") from None


def upload_files(
    pairs: list[str], agent: Agent, caller: Caller, workbench: Workbench
) -> JsonObject:
    """Upload the files of `--file NAME=PATH` and return the request fields that take their ids.

    Raises:
        InvalidInput: The agent takes no such file, or it cannot be read.
    """
    fields: JsonObject = {}
    for pair in pairs:
        name, _, path = pair.partition("=")
        if name not in agent.file_fields or not path:
            options = ", ".join(f"{file_field}=PATH" for file_field in agent.file_fields) or "none"
            raise InvalidInput(f"--file {pair!r} is not one of: {options}", field="file")
        field = agent.file_fields[name]
        file_id = upload(Path(path), caller, workbench)
        if get_origin(agent.request.model_fields[field].annotation) is list:
            fields.setdefault(field, []).append(file_id)
        else:
            fields[field] = file_id
    return fields


def upload(path: Path, caller: Caller, workbench: Workbench) -> str:
    """Store a file for the caller and return its id."""

    def chunks(source: BinaryIO) -> Iterator[bytes]:
        while chunk := source.read(MEGABYTE):
            yield chunk

    limit = workbench.settings.upload_limit_mb * MEGABYTE
    try:
        with path.open("rb") as source:
            blob = workbench.stores.blobs.put_stream(chunks(source), limit=limit)
    except OSError as failure:
        raise InvalidInput(f"{path} cannot be read: {failure.strerror}", field="file") from None
    return workbench.stores.files.add(caller.user_id, path.name, blob).file_id


@contextmanager
def show_progress(run: RunRecord, workbench: Workbench) -> Iterator[None]:
    """Write each step to standard error while the run goes on, on a terminal only."""
    if run.is_final or not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()

    def watch() -> None:
        last_line = ""
        while not ended.wait(_POLL_S):
            steps = workbench.stores.runs.get(run.owner_id, run.run_uuid).steps
            line = " · ".join(f"{s.step} {s.done}/{s.total}" for s in steps[-1:])
            if line != last_line:
                sys.stderr.write(f"{time.strftime('%H:%M:%S')} {line}\n")
                last_line = line

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def open_output(path: str | None) -> AbstractContextManager[BinaryIO]:
    """Open where the envelope goes, before the run: hours of work must not end in the void."""
    return nullcontext(sys.stdout.buffer) if path is None else Path(path).open("wb")


def write_error(record: ErrorRecord, exchange: Exchange, target: BinaryIO) -> int:
    """Write a failure as the API would answer it and return the exit code."""
    target.write(envelope_of(record, exchange).model_dump_json().encode() + b"\n")
    return EXIT.get(record.status, 4)


def warm(chosen: argparse.Namespace, settings: Settings) -> None:
    """Compile numeric code once, so that no run waits for it."""
    compile_numeric_code(settings)
