"""What a report is composed of: the tables of a result in memory, and what is known of a run."""

from datetime import UTC, datetime
from typing import Any

import pandas as pd

from core.records.table import find_tables
from core.registry import all_agents
from core.reports.document import About


class Frames:
    """The tables of a result in memory."""

    def __init__(self, data: Any) -> None:
        self.frames = {table.name: table.frame for table in find_tables(data)}

    def names(self) -> list[str]:
        return list(self.frames)

    def read(self, name: str) -> pd.DataFrame:
        return self.frames[name]


def make_about(agent: str, label: str = "x") -> About:
    """Return what is known of a run of an agent."""
    title = all_agents()[agent].title
    return About("u", agent, title, label, datetime(2024, 5, 2, tzinfo=UTC), 1.0, {})
