"""An agent that misbehaves as it is told: crashes, spins, eats memory, leaves children."""

from typing import Annotated, Literal

import pandas as pd
from pydantic import BaseModel, Field

from core.agent import Agent, Example
from core.records.table import Table
from core.records.wire import WHOLE, Request, RunEcho

Action = Literal[
    "answer",
    "sleep",
    "spin",
    "spin_stubborn",
    "exit",
    "kill",
    "leave",
    "allocate",
    "spawn",
    "run_tool",
    "raise",
    "refuse",
    "fill_disk",
    "slow_disk",
    "describe",
]


class FaultRequest(Request):
    """What the agent is to do."""

    action: Action = Field(default="answer", description="What to do.")
    seconds: float = Field(default=1.0, ge=0, le=60, description="How long, where it matters.")
    count: Annotated[int, Field(ge=1, le=30, description="Rows of the table."), WHOLE] = 12
    repeat: Annotated[int, Field(ge=1, le=1000, description="Times so many rows."), WHOLE] = 1
    word: str = Field(default="", max_length=100, description="Echoed in the table.")
    upload_id: str | None = Field(default=None, description="An upload to read.")
    use_cache: bool = Field(default=False, description="Take a stored result.")


class FaultRow(BaseModel):
    """A row of the table."""

    number: int
    square: float | None
    word: str


class FaultTable(Table):
    """Numbers and their squares."""

    row_model = FaultRow

    @classmethod
    def of(cls, count: int, word: str) -> "FaultTable":
        numbers = range(1, count + 1)
        squares = [float(n * n) if n % 5 else None for n in numbers]
        return cls(
            "squares",
            pd.DataFrame({"number": list(numbers), "square": squares, "word": word or "none"}),
        )


class FaultData(RunEcho):
    """The table, and what the child saw of itself."""

    squares: FaultTable
    facts: dict[str, str]
    warnings: list[str]


AGENT = Agent(
    name="fault-probe",
    title="Fault probe",
    summary="Misbehaves as it is told.",
    icon="science",
    group="Data",
    request=FaultRequest,
    data=FaultData,
    pipeline="fault_pipeline",
    report="fault_report",
    label=lambda request: f"{request.action} {request.count}",
    steps=("Work",),
    examples=(Example(name="answer", title="Squares", request={"count": 3}),),
    lane="computing",
    file_fields={"upload": "upload_id"},
)
