"""The command line: exit codes, the envelope it writes, uploads, keys, accounts, the database."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from api.cli import main
from api.startup import open_workbench
from core.accounts import local_administrator
from core.execution.identity import worker_name
from core.registry import all_agents
from core.runner import start_run
from core.settings import Settings, read_settings

ROOT = Path(__file__).resolve().parents[2]
KEY = re.compile(r"bpw_live_[0-9a-f]{32}\n")
ENVELOPE = {"ok", "agent", "data", "elapsed_s", "run_id"}
ERROR = {"ok", "agent", "error", "elapsed_s", "run_id", "request_id"}
Run = Callable[..., tuple[int, dict[str, Any]]]


class Shown(NamedTuple):
    """What a command wrote."""

    out: str
    err: str


Screen = Callable[[], Shown]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, extra_agents: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let every command act on an instance in an empty folder."""
    folder = tmp_path / "instance"
    monkeypatch.setenv("BPW_HOME", str(folder))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)
    read_settings.cache_clear()
    yield folder
    read_settings.cache_clear()


@pytest.fixture
def run(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Return what runs an agent on a body and gives exit code and answer."""

    def execute(
        body: object, *options: str, agent: str = "fault-probe"
    ) -> tuple[int, dict[str, Any]]:
        source = tmp_path / "request.json"
        source.write_bytes(body if isinstance(body, bytes) else json.dumps(body).encode())
        code = main(["run", agent, "--input", str(source), *options])
        answer: dict[str, Any] = json.loads(capsysbinary.readouterr().out)
        return code, answer

    return execute


@pytest.fixture
def screen(capsysbinary: pytest.CaptureFixture[bytes]) -> Screen:
    """Return what gives the text that a command has written since it was last asked."""

    def read() -> Shown:
        out, err = capsysbinary.readouterr()
        return Shown(out.decode(), err.decode())

    return read


@pytest.fixture
def key(screen: Screen) -> str:
    """Return a key of the administrator."""
    assert main(["keys", "create", "--name", "fixture"]) == 0
    return screen().out.strip()


def test_good_run_writes_the_envelope_and_exits_0(run: Run) -> None:
    code, body = run({"count": 3})
    assert code == 0
    assert set(body) == ENVELOPE
    assert (body["ok"], body["agent"]) == (True, "fault-probe")
    assert [row["number"] for row in body["data"]["squares"]] == [1, 2, 3]
    assert body["data"]["run_uuid"] == body["run_id"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"count": 0}, "value_out_of_range"),
        ({"cuont": 3}, "unknown_field"),
        ({"count": "3"}, "wrong_type"),
        (b"{", "malformed_json"),
        (b'{"count": 1, "count": 2}', "malformed_json"),
        ({"action": "refuse"}, "value_not_allowed"),
        ({"upload_id": "file_nowhere"}, "unknown_file"),
    ],
)
def test_invalid_input_exits_2_with_the_error_body(run: Run, body: object, code: str) -> None:
    exit_code, answer = run(body)
    assert exit_code == 2
    assert set(answer) == ERROR
    assert (answer["ok"], answer["error"]["code"]) == (False, code)


def test_unknown_agent_exits_2(run: Run) -> None:
    code, answer = run({}, agent="no-such-agent")
    assert code == 2
    assert answer["agent"] is None
    assert "fault-probe" in answer["error"]["message"]


def test_input_that_cannot_be_read_exits_2(capsysbinary, tmp_path: Path) -> None:
    assert main(["run", "fault-probe", "--input", str(tmp_path / "none.json")]) == 2
    assert json.loads(capsysbinary.readouterr().out)["error"]["type"] == "invalid_request"


def test_wrong_key_exits_3(run: Run) -> None:
    for wrong in ("bpw_live_" + "0" * 32, "sesame", ""):
        code, answer = run({}, "--key", wrong)
        assert (code, answer["error"]["type"]) == (3, "authentication")


def test_used_up_quota_exits_3(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BPW_QUOTA_RUNS", "0")
    read_settings.cache_clear()
    code, answer = run({})
    assert (code, answer["error"]["type"]) == (3, "quota_exceeded")


class Idle(NamedTuple):
    """Takes runs under a worker's name and does nothing with them."""

    worker: str

    @property
    def holder(self) -> str:
        """Return who has a new run."""
        return self.worker

    def submit(self, *_run: object) -> None:
        """Leave the run queued."""


def leave_run(home: Path, worker: str) -> str:
    """Leave a queued run of the administrator under a worker, equal to the one asked for next."""
    with open_workbench(Settings(home=home, database_url=None)) as workbench:
        agent = workbench.agents["fault-probe"]
        request = agent.request.model_validate({"count": 3, "use_cache": True})
        caller = local_administrator(workbench.stores)
        elsewhere = replace(workbench, executor=Idle(worker))
        return start_run(agent, request, caller, elsewhere).run_uuid


def test_a_run_whose_process_was_killed_is_gone_on_with(
    run: Run, home: Path, screen: Screen
) -> None:
    assert main(["setup"]) == 0
    host, started = worker_name().rsplit("/", 2)[0], "1"
    left = leave_run(home, f"{host}/{2**22 - 1}/{started}")
    screen()
    code, answer = run({"count": 3, "use_cache": True})
    assert (code, answer["run_id"]) == (0, left)
    assert set(answer) == ENVELOPE


def test_an_equal_run_of_another_process_is_waited_for(
    run: Run, home: Path, screen: Screen
) -> None:
    assert main(["setup"]) == 0
    other = subprocess.Popen(["sleep", "300"])
    host = worker_name().rsplit("/", 2)[0]
    started = Path(f"/proc/{other.pid}/stat").read_text().rpartition(")")[2].split()[19]
    left = leave_run(home, f"{host}/{other.pid}/{started}")
    killer = threading.Timer(3, other.kill)
    killer.start()
    screen()
    code, answer = run({"count": 3, "use_cache": True})
    other.wait()
    assert (code, answer["run_id"], set(answer)) == (0, left, ENVELOPE)


@pytest.mark.parametrize(
    ("action", "code"), [("raise", "agent_failed"), ("exit", "worker_crashed")]
)
def test_failed_agent_exits_4(run: Run, action: str, code: str) -> None:
    exit_code, answer = run({"action": action})
    assert (exit_code, answer["error"]["code"]) == (4, code)
    assert answer["run_id"]
    assert "/etc/secret" not in json.dumps(answer)


def test_run_over_its_allowance_exits_5(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BPW_ALLOWANCES", '{"fault-probe": 1}')
    read_settings.cache_clear()
    code, answer = run({"action": "spin"})
    assert (code, answer["error"]["code"]) == (5, "timed_out")


def test_key_decides_who_runs(run: Run, key: str, screen: Screen) -> None:
    assert run({"count": 2}, "--key", key)[0] == 0
    assert main(["keys", "create", "--name", "one", "--agent", "differential-expression"]) == 0
    scoped = screen().out.strip()
    assert run({"count": 2}, "--key", scoped)[0] == 3


def test_input_comes_from_standard_input(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"count": 1}')))
    assert main(["run", "fault-probe", "--input", "-"]) == 0
    assert len(json.loads(capsysbinary.readouterr().out)["data"]["squares"]) == 1


def test_output_goes_to_a_file(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    source, target = tmp_path / "r.json", tmp_path / "envelope.json"
    source.write_text('{"count": 1}')
    command = ["run", "fault-probe", "--input", str(source), "--output", str(target)]
    assert main(command) == 0
    assert capsysbinary.readouterr().out == b""
    assert json.loads(target.read_bytes())["ok"] is True


def test_output_that_cannot_be_written_is_told_before_the_run(
    tmp_path: Path, screen: Screen
) -> None:
    source = tmp_path / "r.json"
    source.write_text("{}")
    target = tmp_path / "no-such-folder" / "envelope.json"
    assert main(["run", "fault-probe", "--input", str(source), "--output", str(target)]) == 2
    assert str(target) in screen().err


def test_file_option_uploads_and_fills_in_the_id(run: Run, tmp_path: Path) -> None:
    upload = tmp_path / "word.txt"
    upload.write_text("uploaded")
    code, answer = run({"count": 1}, "--file", f"upload={upload}")
    assert (code, answer["data"]["squares"][0]["word"]) == (0, "uploaded")


@pytest.mark.parametrize("option", ["word={}", "upload", "upload={}/none", "upload="])
def test_wrong_file_option_exits_2(run: Run, tmp_path: Path, option: str) -> None:
    code, answer = run({}, "--file", option.format(tmp_path))
    assert (code, answer["error"]["type"]) == (2, "invalid_request")


def test_file_option_may_come_again_where_a_list_is_taken(run: Run, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("first.pdf", "second.pdf")]
    for path in paths:
        path.write_bytes(b"no pdf")
    options = [part for path in paths for part in ("--file", f"patents={path}")]
    code, answer = run({"target": "KRAS"}, *options, agent="compound-map")
    assert (code, [row["file"] for row in answer["data"]["uploads"]]) == (0, ["first", "second"])


def test_differential_expression_reads_compressed_uploads(run: Run, tmp_path: Path) -> None:
    body = dict(all_agents()["differential-expression"].examples[2].request)
    counts, metadata = tmp_path / "counts.tsv.gz", tmp_path / "metadata.tsv"
    counts.write_bytes(gzip.compress(body.pop("counts_csv").encode()))
    metadata.write_text(body.pop("metadata_csv"))
    options = ("--file", f"counts={counts}", "--file", f"metadata={metadata}")
    code, answer = run(body, *options, agent="differential-expression")
    assert (code, answer["ok"]) == (0, True)
    assert answer["data"]["input"]["counts_csv"]["name"] == "counts.tsv.gz"


def test_list_names_one_agent_a_line(screen: Screen) -> None:
    assert main(["list"]) == 0
    assert screen().out.splitlines() == list(all_agents())


def test_example_is_a_request_that_validates(screen: Screen) -> None:
    for agent in all_agents().values():
        assert main(["example", agent.name]) == 0
        agent.request.model_validate(json.loads(screen().out))


def test_example_of_an_unknown_agent_exits_1(screen: Screen) -> None:
    assert main(["example", "no-such-agent"]) == 1
    shown = screen()
    assert shown.out == ""
    assert "fault-probe" in shown.err


def test_new_key_is_printed_alone(screen: Screen) -> None:
    assert main(["keys", "create", "--name", "pipeline"]) == 0
    assert KEY.fullmatch(screen().out)


def test_keys_are_listed_without_their_secret_and_revoked(
    run: Run, key: str, screen: Screen
) -> None:
    main(["keys", "list"])
    (line,) = screen().out.splitlines()
    number, owner, name, shown, _, state, scopes, used = line.split("\t")
    assert (owner, name, state) == ("admin", "fixture", "active")
    assert (scopes, used) == ("all agents", "used never")
    assert key not in line
    assert shown.endswith(key[-4:])
    assert main(["keys", "revoke", number]) == 0
    main(["keys", "list"])
    assert "\trevoked\t" in screen().out
    assert run({}, "--key", key)[0] == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ["keys", "revoke", "999"],
        ["keys", "create", "--name", ""],
        ["keys", "create", "--name", "x", "--user", "nobody"],
        ["users", "create", "--name", "!"],
        ["users", "create", "--name", "admin"],
    ],
)
def test_command_that_cannot_be_done_exits_1_and_says_why(
    key: str, arguments: list[str], screen: Screen
) -> None:
    assert main(arguments) == 1
    shown = screen()
    assert shown.out == ""
    assert len(shown.err.strip()) > 10


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dance"],
        ["run"],
        ["run", "fault-probe"],
        ["keys"],
        ["keys", "create"],
        ["keys", "create", "--name", "x", "--days", "0"],
        ["keys", "create", "--name", "x", "--days", "-1"],
        ["keys", "create", "--name", "x", "--days", "99999999999"],
        ["keys", "create", "--name", "x", "--days", "000000001999999"],
        ["keys", "revoke", "one"],
        ["users", "create", "--name", "x", "--role", "king"],
        ["db"],
        ["list", "more"],
    ],
)
def test_wrong_use_exits_2_with_the_usage(arguments: list[str], screen: Screen) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert "usage: python -m api" in screen().err


def test_account_is_made_with_a_password_that_signs_in(key: str, screen: Screen) -> None:
    assert main(["users", "create", "--name", "carla", "--role", "api-only"]) == 0
    told = re.fullmatch(r"api-only: carla  password: (\S{20})\n", screen().out)
    assert told
    assert main(["users", "list"]) == 0
    rows = [line.split("\t")[1:] for line in screen().out.splitlines()]
    assert rows == [["admin", "admin", "active"], ["carla", "api-only", "active"]]
    assert main(["keys", "create", "--name", "hers", "--user", "carla"]) == 0
    assert KEY.fullmatch(screen().out)


def test_database_is_made_and_upgraded_again(home: Path, screen: Screen) -> None:
    for _ in range(2):
        assert main(["db", "upgrade"]) == 0
        assert screen().out == ""
    assert (home / "workbench.db").is_file()


def test_setup_tells_the_administrator_once(screen: Screen) -> None:
    assert main(["setup"]) == 0
    assert re.fullmatch(r"administrator: \S+  password: \S{20}\n", screen().out)
    assert main(["setup"]) == 0
    assert screen().out == ""


def in_shell(
    home: Path, *arguments: str, stdin: bytes = b""
) -> "subprocess.CompletedProcess[bytes]":
    """Run the command line as a program of its own."""
    return subprocess.run(
        [sys.executable, "-m", "api", *arguments],
        cwd=ROOT,
        env={**os.environ, "BPW_HOME": str(home), "BPW_PRELOAD": "0"},
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )


def test_program_passes_exit_code_and_envelope_on(home: Path) -> None:
    done = in_shell(home, "run", "differential-expression", "--input", "-", stdin=b"{}")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "missing_field"
    assert re.fullmatch(rb"administrator: \S+  password: \S+\n", done.stderr)


def test_program_survives_a_reader_that_leaves(home: Path) -> None:
    command = f"{sys.executable} -m api list | true"
    done = subprocess.run(
        ["sh", "-c", command], cwd=ROOT, capture_output=True, check=False, timeout=60
    )
    assert done.stderr == b""


def test_document_is_checked_and_a_wrong_one_exits_as_invalid(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    document = tmp_path / "note.txt"
    document.write_text("We believe in it.")
    assert main(["check", str(document)]) == 0
    assert json.loads(capsysbinary.readouterr().out)["counts"]["not_checkable"] == 1
    marked = tmp_path / "marked.docx"
    assert main(["check", str(document), "--format", "docx", "--output", str(marked)]) == 0
    assert marked.read_bytes().startswith(b"PK")
    capsysbinary.readouterr()
    document.write_bytes(b"")
    assert main(["check", str(document)]) == 2
    assert json.loads(capsysbinary.readouterr().out)["error"]["code"] == "empty_file"
