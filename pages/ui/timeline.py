"""A timeline of drugs with the rows behind it."""

import pandas as pd

from core.reports.document import Chart
from pages.ui.charts import show_altair


def show_times(chart: Chart | None) -> None:
    """Draw a timeline; nothing without one.

    Args:
        chart: As `core.briefs.timeline` draws it.
    """
    if chart is None:
        return
    rows = [row for layer in chart.spec["layer"][:2] for row in layer["data"]["values"]]
    spec = {**chart.spec, "width": "container"}
    frame = pd.DataFrame(rows)
    show_altair(spec, frame, name="timeline", caption=chart.caption, describe=chart.alt)
