"""The daily clearing of a served instance."""

import time
from typing import Any

from api.upkeep import DailyUpkeep
from core.errors import StorageUnavailable


class Stores:
    """Stores whose clearing fails the first time."""

    def __init__(self) -> None:
        self.times: list[object] = []
        self.upkeep = self

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
