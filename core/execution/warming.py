"""Compiling numeric code before the first user needs it, by running an example once."""

import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from core.code_digest import code_digest
from core.evidence.names.identity.resolver import Resolver
from core.execution.child import OPENER, OwnFiles, open_child_stores
from core.records.runs import Caller
from core.registry import all_agents
from core.settings import Settings
from core.workbench import RunContext

COMPILED_AGENT = "differential-expression"
"""The one agent with compiled code (core/stats/compiled.py)."""


def is_compiled() -> bool:
    """Return whether this environment has compiled the present code."""
    return _stamp().exists()


def compile_numeric_code(settings: Settings) -> None:
    """Run the example of the agent with compiled code; nothing of the run is stored.

    Args:
        settings: Settings of the instance, whose names the example may read.
    """
    agent, stores = all_agents()[COMPILED_AGENT], open_child_stores(OPENER, settings)
    try:
        context = RunContext(
            run_uuid="",
            query_id=0,
            caller=Caller(user_id=0, name="setup"),
            now=datetime.now(UTC),
            seed=1,
            settings=settings,
            files=OwnFiles(stores, 0),
            progress=lambda *_: None,
            save_file=lambda *_: None,
            evidence=stores.evidence,
            resolver=Resolver(stores.identity, stores.learned_names),
        )
        agent.load()(agent.request.model_validate(agent.examples[0].request), context)
    finally:
        stores.engine.close()
    with suppress(OSError):  # an environment that cannot be written compiles at each start
        _stamp().touch()


def _stamp() -> Path:
    code = code_digest("stats", "agents/differential_expression")
    return Path(sys.prefix) / f".compiled-{code}"
