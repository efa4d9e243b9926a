"""Checks documents in a child: what somebody uploads is never parsed in the app's process."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import structlog

from core.briefs.entities.identifying import Library
from core.checking.checker import check_document
from core.checking.renderings import CheckFormat, render_check
from core.checking.results import DocumentCheck
from core.documents.guard import refuse
from core.errors import AgentTimeout, OutOfMemory, WorkerCrashed
from core.evidence.names.identity.resolver import Resolver
from core.execution.child import OPENER, open_child_stores
from core.records.runs import Caller
from core.settings import Settings
from core.workbench import Workbench

SCOPE = "document-check"
"""What a key must allow; one that is bound to agents does not."""
LONGEST_S = 180.0
MEMORY_MB = 2_048


def check_for(caller: Caller, name: str, content: bytes, workbench: Workbench) -> DocumentCheck:
    """Check a document for somebody: it costs one run of the quota, and the audit log notes it.

    Nothing of the document is kept.

    Args:
        caller: Who asks.
        name: Name of the file.
        content: The file.
        workbench: Of this process.

    Raises:
        InvalidInput: The document cannot be read, or ended the process that read it.
        QuotaExceeded: The quota is used up.
        AgentTimeout: It took longer than three minutes.
        OutOfMemory: It needed more memory than a check may use.
    """
    refuse_spent(caller, workbench)
    check: DocumentCheck = _call(workbench, _check, workbench.settings, name, content)
    stores, settings = workbench.stores, workbench.settings
    stores.quotas.charge(caller.user_id, limit=settings.quota_runs, at=workbench.now())
    stores.audit.note(caller.name, "document.check", check.form, f"{check.pages} pages")
    return check


def render_for(check: DocumentCheck, form: CheckFormat, workbench: Workbench) -> bytes:
    """Return a check as a file, made in a child."""
    content: bytes = _call(workbench, render_check, check, form)
    return content


def refuse_spent(caller: Caller, workbench: Workbench) -> None:
    """Refuse before a document is read where the quota is used up. Raises QuotaExceeded."""
    quotas, limit = workbench.stores.quotas, workbench.settings.quota_runs
    state = quotas.state(caller.user_id, limit=limit, at=workbench.now())
    if state.limit is not None and state.used >= state.limit:  # charging raises with the reset day
        quotas.charge(caller.user_id, limit=limit, at=workbench.now())


def _call(workbench: Workbench, function: Callable[..., Any], *arguments: object) -> Any:
    memory = min(MEMORY_MB, workbench.settings.memory_limit_mb)
    try:
        return workbench.executor.call(
            function,
            *arguments,
            timeout_s=LONGEST_S,
            memory_mb=memory,
        )
    except AgentTimeout:
        raise AgentTimeout(
            "The check took longer than three minutes; check the document in parts."
        ) from None
    except OutOfMemory:
        raise OutOfMemory(
            "The document needs more memory than a check may use; remove pictures, or check it in "
            "parts."
        ) from None
    except WorkerCrashed as failure:
        structlog.get_logger("check").error("document not read", exc_info=failure)
        raise refuse(
            "The document ended the process that read it: a page may unpack to more than a check "
            "can use, or the file may be damaged. Save it anew, for example as docx or text, or "
            "check it in parts.",
            "document_damaged",
        ) from None


def _check(settings: Settings, name: str, content: bytes) -> DocumentCheck:
    stores = open_child_stores(OPENER, settings)
    resolver = Resolver(stores.identity, stores.learned_names)
    library = Library(stores.evidence, resolver, datetime.now(UTC).date())
    return check_document(name, content, library)
