"""Starting runs and turning to their addresses."""

import streamlit as st

from core.agent import Agent
from core.errors import WorkbenchError
from core.records.runs import Caller, RunRecord
from core.records.wire import Request
from core.runner import start_run
from core.workbench import current
from pages.ui.plain import plain


def open_run(run_uuid: str | None) -> None:
    """Turn to a run's address, or to the empty form, and draw anew."""
    if run_uuid is None:
        st.query_params.clear()
    else:
        st.query_params.from_dict({"run": run_uuid})
    st.rerun()


def begin(agent: Agent, caller: Caller, request: Request) -> None:
    """Start a run and turn to its address, or say why it cannot start."""
    try:
        run = start_run(agent, request, caller, current())
    except WorkbenchError as error:
        st.error(plain(error.message), icon=":material/error:")
        return
    open_run(run.run_uuid)


def stored_request(agent: Agent, run: RunRecord) -> Request:
    """Return the request of a stored run."""
    with current().stores.blobs.open(run.input_sha256) as body:
        return agent.request.model_validate_json(body.read())


def uncached(request: Request) -> Request:
    """Return the request so that it really runs."""
    has_cache = "use_cache" in type(request).model_fields
    return request.model_copy(update={"use_cache": False}) if has_cache else request
