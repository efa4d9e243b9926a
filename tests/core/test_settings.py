"""Settings that follow from the machine."""

from pathlib import Path

import pytest

from core import settings as module
from core.errors import InvalidInput
from core.settings import Settings, machine_memory_mb, read_settings


@pytest.mark.parametrize(
    ("machine_mb", "workers", "expected"),
    [(65_536, 2, 8_192), (12_288, 2, 4_096), (12_288, 5, 2_048), (2_048, 2, 1_024)],
)
def test_memory_of_a_run_leaves_room_for_the_others_and_the_app(
    machine_mb: int, workers: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BPW_MEMORY_LIMIT_MB", raising=False)
    monkeypatch.setattr(module, "machine_memory_mb", lambda: machine_mb)
    assert Settings(computing_workers=workers).memory_limit_mb == expected


def test_memory_that_is_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "machine_memory_mb", lambda: 2_048)
    monkeypatch.setenv("BPW_MEMORY_LIMIT_MB", "30000")
    assert Settings().memory_limit_mb == 30_000


def test_memory_of_a_container_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit, none = tmp_path / "memory.max", tmp_path / "none"
    limit.write_text(f"{3 << 30}\n")
    none.write_text("max\n")
    monkeypatch.setattr(module, "_MEMORY_FILES", (none, tmp_path / "absent", limit))
    assert machine_memory_mb() == min(3_072, machine_memory_mb())
    limit.write_text(f"{1 << 30}\n")
    assert machine_memory_mb() == 1_024


@pytest.mark.parametrize(
    "values",
    [
        {"BPW_BACKUP_AT": "03:00"},
        {"BPW_OIDC_ISSUER": "https://login.example.org"},
        {"BPW_OIDC_ROLES": "nobody"},
        {"BPW_CORS_ORIGINS": "https://Intranet.example.org/"},
        {"BPW_PUBLIC_URL": "bench.example.org"},
    ],
    ids=str,
)
def test_a_message_about_settings_holds_no_secret(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, str]
) -> None:
    secret = "hunter2hunter2hunter2"
    for name in ("BPW_OIDC_CLIENT_SECRET", "BPW_METRICS_TOKEN", "BPW_SECRET_KEY"):
        monkeypatch.setenv(name, secret)
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    read_settings.cache_clear()
    with pytest.raises(InvalidInput) as refused:
        read_settings()
    assert secret not in refused.value.message
    read_settings.cache_clear()
