"""The four actions on the caller's own list."""

from core.agents.alerts.schema import (
    AlertQuotaRecord,
    AlertsData,
    AlertsRequest,
    QueryRecord,
)
from core.alert_ports import Subscriptions
from core.briefs.watching.drugs import name_drug
from core.evidence.proof.claims import unmark
from core.records.alerts import Subscription
from core.workbench import RunContext


def run(request: AlertsRequest, context: RunContext) -> AlertsData:
    """Run the agent.

    Args:
        request: The validated request.
        context: The caller's subscriptions, names and evidence.

    Raises:
        InvalidInput: The caller has no such query.
        QuotaExceeded: As many as may be are watched.
    """
    context.progress("Read request", 1, 1, "")
    own = context.subscriptions
    if own is None:
        raise RuntimeError("the context has no subscriptions")
    query_id, warnings = _act(request, own, context)
    queries = [make_record(one) for one in own.list()]
    quota = own.quota()
    context.progress("Read list", 1, 1, f"{len(queries)} saved queries")
    return AlertsData(
        action=request.action,
        queries=queries,
        quota=AlertQuotaRecord(
            enabled_count=quota.enabled_count, max_enabled=quota.max_enabled, at_cap=quota.at_cap
        ),
        query_id=query_id,
        warnings=warnings,
    )


def _act(
    request: AlertsRequest, own: Subscriptions, context: RunContext
) -> tuple[int | None, list[str]]:
    """Do what is asked and return which query it was about, and what was not understood."""
    level, query_id = request.signal_level, request.query_id or 0
    generations = context.evidence.generations()
    generation = generations[-1][0] if generations else -1
    match request.action:
        case "enable_from_query":
            return own.enable(query_id, level, generation=generation).query_id, []
        case "remove":
            return own.remove(query_id).query_id, []
        case "add_manual":
            drug = name_drug(request.drug_name or "", context.evidence, context.resolver)
            added = own.add_manual(drug.name, drug.key, level, generation=generation)
            return added.query_id, list(drug.warnings)
    return None, []


def make_record(one: Subscription) -> QueryRecord:
    """Return a saved query as the wire has it."""
    return QueryRecord(
        id=one.query_id,
        query=unmark(one.query),
        alerts_enabled=one.is_enabled,
        agent=one.agent,
        signal_level=one.signal_level,
        hits_since_seen=one.unseen,
        last_evaluated_at=one.evaluated_at.isoformat() if one.evaluated_at else None,
        last_seen_at=one.seen_at.isoformat() if one.seen_at else None,
        muted_until=one.muted_until.isoformat() if one.muted_until else None,
        error=one.error,
    )
