"""The pipeline without stores, and simulated series on which a test plants what it needs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from core.agents.attribution_engine.pipeline import run
from core.agents.attribution_engine.schema import AttributionEngineData, AttributionEngineRequest
from tests.contexts import make_context

Answer = Callable[..., AttributionEngineData]


@pytest.fixture(scope="session")
def answer() -> Answer:
    """Return what runs a request body through model and pipeline."""

    def compute(body: dict[str, object] | None = None, **fields: object) -> AttributionEngineData:
        context = make_context(datetime(2024, 5, 2, 12, tzinfo=UTC))
        request = AttributionEngineRequest.model_validate({**(body or {}), **fields})
        return run(request, context)

    return compute


@dataclass
class Story:
    """A simulated stock on weekdays from 2019-01-07, beta 1.2, noise 1 %."""

    n_rows: int = 500
    seed: int = 4
    events: list[dict[str, object]] = field(default_factory=list)

    def __post_init__(self):
        draw = np.random.default_rng(self.seed)
        self.market = draw.normal(0, 0.01, self.n_rows).round(6)
        noise = np.clip(draw.normal(0, 0.01, self.n_rows), -0.022, 0.022)
        self.stock = (1.2 * self.market + noise).round(6)
        start = date(2019, 1, 7)
        self.days = [start + timedelta(days=7 * (i // 5) + i % 5) for i in range(self.n_rows)]

    def jump(self, row, size):
        """Let the stock move by exactly this much beyond beta, apart from the estimate."""
        self.stock[row] = round(1.2 * self.market[row] + size, 6)
        return self

    def event(self, row, *, days=0, **fields):
        day = self.days[row] + timedelta(days=days)
        self.events.append(
            {
                "date": day.isoformat(),
                "asset": "ASSET",
                "event_type": "readout",
                "relationship": "own",
                "confirmed": True,
                **fields,
            }
        )
        return self

    def returns(self):
        return [
            {"date": day.isoformat(), "stock": float(s), "market": float(m)}
            for day, s, m in zip(self.days, self.stock, self.market, strict=True)
        ]

    def body(self, **fields):
        return {"returns": self.returns(), "events": self.events, **fields}


@pytest.fixture
def story() -> type[Story]:
    return Story
