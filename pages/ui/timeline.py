"""A timeline of drugs with the rows behind it."""

import pandas as pd

from core.reports.document import Chart
from pages.ui.charts import show_chart


def show_times(chart: Chart | None) -> None:
    """Draw a timeline; nothing without one.

    Args:
        chart: As `core.briefs.report` draws it.
    """
    if chart is None:
        return
    rows = [row for layer in chart.spec["layer"][:2] for row in layer["data"]["values"]]
    show_chart(chart, "timeline", frame=pd.DataFrame(rows))
