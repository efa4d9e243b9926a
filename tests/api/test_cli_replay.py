"""A live run over the command line, and its replay after the source is gone."""

import json
from pathlib import Path

import pytest

from api.cli import main
from core.settings import read_settings
from tests.core.evidence.loopback import serving
from tests.core.evidence.register_server import make_study, register
from tests.instances import link, names_home

STUDY = make_study("NCT09999901", "Deltamab", "Delta Bio", "Non-small Cell Lung Cancer")


def _without_time(path: Path) -> bytes:
    return path.read_bytes().rpartition(b',"elapsed_s":')[0]


def test_a_replay_gives_the_bytes_of_the_stored_answer_without_a_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BPW_HOME", str(link(names_home(), tmp_path / "instance")))
    request, live, again = (tmp_path / f"{name}.json" for name in ("request", "live", "again"))
    request.write_text(json.dumps({"query": "non-small cell lung cancer"}))
    with serving(register([STUDY])) as server:
        monkeypatch.setenv("BPW_LIVE_SOURCES", "ctgov")
        monkeypatch.setenv("BPW_LIVE_ADDRESSES", json.dumps({"ctgov": server.address}))
        read_settings.cache_clear()
        arguments = ["run", "competitive-landscaping", "--input", str(request)]
        assert main([*arguments, "--output", str(live)]) == 0
        assert len(server.asked) == 1
        run_id = json.loads(live.read_bytes())["run_id"]
        for variable in ("BPW_LIVE_SOURCES", "BPW_LIVE_ADDRESSES"):
            monkeypatch.delenv(variable)
        read_settings.cache_clear()
        assert main(["replay", run_id, "--output", str(again)]) == 0
        assert len(server.asked) == 1
    assert b"deltamab" in live.read_bytes().lower()
    assert _without_time(again) == _without_time(live)
    assert main(["replay", "no-such-run"]) == 1
    assert capsys.readouterr().err.splitlines()
    read_settings.cache_clear()
