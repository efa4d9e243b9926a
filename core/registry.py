"""Which agents there are: every folder under `core/agents` that declares one."""

import gc
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache

import core.agents
from core.agent import Agent
from core.errors import NotFound


@contextmanager
def _without_collections() -> Iterator[None]:
    """Keep the garbage collector away: it costs a fifth of making hundreds of record classes."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@lru_cache(maxsize=1)
def all_agents() -> dict[str, Agent]:
    """Return the declarations by name, sorted.

    Raises:
        RuntimeError: A folder declares no agent or one under another name. Start-up fails by name
            instead of leaving an agent out.
    """
    agents: dict[str, Agent] = {}
    modules = sorted(pkgutil.iter_modules(core.agents.__path__), key=lambda module: module.name)
    with _without_collections():
        for module in modules:
            importlib.import_module(f"core.agents.{module.name}")
    for module in modules:
        declared = getattr(importlib.import_module(f"core.agents.{module.name}"), "AGENT", None)
        if not isinstance(declared, Agent) or declared.slug != module.name:
            raise RuntimeError(f"core/agents/{module.name} does not declare AGENT of that name")
        agents[declared.name] = declared
    return agents


def find_agent(name: str) -> Agent | None:
    """Return the agent of this wire name, if there is one."""
    return all_agents().get(name)


def watchable(agents: Mapping[str, Agent]) -> tuple[str, ...]:
    """Return the names of the agents whose requests can be watched."""
    return tuple(name for name, agent in agents.items() if agent.watched)


def agent_of(name: str) -> Agent:
    """Return the agent that made a stored run.

    Raises:
        NotFound: The workbench has no agent of this name any more.
    """
    agent = find_agent(name)
    if agent is None:
        raise NotFound(f"the workbench has no agent {name!r} any more, so its runs cannot be read")
    return agent
