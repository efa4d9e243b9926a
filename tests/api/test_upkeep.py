"""The daily clearing of a served instance."""

import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from api.upkeep import Daily, DailyUpkeep
from core.errors import StorageUnavailable
from core.settings import Settings


class Stores:
    """Stores whose clearing fails the first time."""

    def __init__(self) -> None:
        self.times: list[object] = []
        self.upkeep = self.sharing = self

    def join(self) -> None:
        """Check nothing."""

    def retain(self, *, at: object) -> "Stores":
        self.times.append(at)
        if len(self.times) == 1:
            raise StorageUnavailable("away")
        return self

    def model_dump(self) -> dict[str, Any]:
        return {"runs": 0}


def test_clearing_goes_on_after_a_failure_and_ends_when_told() -> None:
    stores = Stores()
    upkeep = DailyUpkeep(stores, first_s=0.01, every_s=0.01)  # type: ignore[arg-type]
    end = time.monotonic() + 10
    while len(stores.times) < 3:
        assert time.monotonic() < end
        time.sleep(0.01)
    upkeep.stop()
    done = len(stores.times)
    time.sleep(0.05)
    assert len(stores.times) == done


def test_daily_work_is_done_at_its_time_and_only_where_one_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = threading.Event()
    monkeypatch.setattr("api.upkeep.seconds_until", lambda at, now: 0.01)
    at = f"{datetime.now(UTC) + timedelta(hours=1):%H:%M}"
    daily = [Daily("backup", at, done.set), Daily("sync", None, pytest.fail)]
    assert done.wait(10)
    for work in daily:
        work.stop()


def test_a_backup_needs_its_folder() -> None:
    with pytest.raises(ValidationError, match="BPW_BACKUP_TO"):
        Settings(backup_at="03:00")
