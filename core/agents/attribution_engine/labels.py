"""What a request is called: its dates, events and benchmark, or its stocks."""

from core.agents.attribution_engine.schema import AttributionEngineRequest


def label_request(request: AttributionEngineRequest) -> str:
    """Name a request by its dates, events and benchmark."""
    against = " and ".join(
        " ".join(label.split()) for label in (request.benchmark, request.second_benchmark) if label
    )
    days = [row.date for row in request.returns]
    span = f"{min(days)} to {max(days)}" if days else "no returns"
    own_assets = {event.asset for event in request.events if event.relationship == "own"}
    assets = ", ".join(" ".join(asset.split())[:40] for asset in sorted(own_assets)[:2])
    events = f"{len(request.events)} events" if len(request.events) != 1 else "1 event"
    stocks = sorted({row.ticker for row in request.returns if row.ticker})
    if len(stocks) > 1:
        first = f"{', '.join(stocks[:6])}{' and others' if len(stocks) > 6 else ''}"
        label = f"{len(stocks)} stocks ({first}), {span}, {len(request.events)} events"
        return f"{label}, against {against}"[:200]
    named = f" of {assets}{' and others' if len(own_assets) > 2 else ''}" if assets else ""
    return f"{span}, {events}{named}, against {against}"[:200]
