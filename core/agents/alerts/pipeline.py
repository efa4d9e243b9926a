"""The four actions on the caller's own list."""

from core.agents.alerts.schema import AlertQuotaRecord, AlertsData, AlertsRequest, QueryRecord
from core.alert_ports import Subscriptions
from core.briefs.watching.asked import drug_to_watch
from core.evidence.proof.claims import unmark
from core.records.alerts import Subscription
from core.workbench import RunContext


def run(request: AlertsRequest, context: RunContext) -> AlertsData:
    """Run the agent.

    Raises:
        InvalidInput: The caller has no such query, or the name is not that of a drug.
        QuotaExceeded: As many as may be are watched.
    """
    context.progress("Read request", 1, 1, "")
    subscriptions = context.subscriptions
    if subscriptions is None:
        raise RuntimeError("the context has no subscriptions")
    query_id, warnings = _act(request, subscriptions, context)
    queries = [make_record(subscription) for subscription in subscriptions.list()]
    quota = subscriptions.quota()
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
    request: AlertsRequest, subscriptions: Subscriptions, context: RunContext
) -> tuple[int | None, list[str]]:
    """Do what is asked and return which query it was about, and what was not understood."""
    level, query_id = request.signal_level, request.query_id or 0
    generations = context.evidence.generations()
    generation = generations[-1][0] if generations else -1
    match request.action:
        case "enable_from_query":
            return subscriptions.enable(query_id, level, generation=generation).query_id, []
        case "remove":
            return subscriptions.remove(query_id).query_id, []
        case "add_manual":
            drug = drug_to_watch(request.drug_name or "", context.evidence, context.resolver)
            added = subscriptions.add_manual(drug.name, drug.key, level, generation=generation)
            return added.query_id, list(drug.warnings)
    return None, []


def make_record(subscription: Subscription) -> QueryRecord:
    """Return a saved query as the wire has it."""
    return QueryRecord(
        id=subscription.query_id,
        query=unmark(subscription.query),
        alerts_enabled=subscription.is_enabled,
        agent=subscription.agent,
        signal_level=subscription.signal_level,
        hits_since_seen=subscription.unseen,
        last_evaluated_at=subscription.evaluated_at.isoformat()
        if subscription.evaluated_at
        else None,
        last_seen_at=subscription.seen_at.isoformat() if subscription.seen_at else None,
        muted_until=subscription.muted_until.isoformat() if subscription.muted_until else None,
        error=subscription.error,
    )
