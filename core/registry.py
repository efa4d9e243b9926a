"""Which agents there are: every folder under `core/agents` that declares one."""

import importlib
import pkgutil
from functools import lru_cache

import core.agents
from core.agent import Agent


@lru_cache(maxsize=1)
def all_agents() -> dict[str, Agent]:
    """Return the declarations by name, sorted.

    Raises:
        RuntimeError: A folder declares no agent or one under another name. Start-up fails by name
            instead of leaving an agent out.
    """
    agents: dict[str, Agent] = {}
    for module in sorted(pkgutil.iter_modules(core.agents.__path__), key=lambda found: found.name):
        declared = getattr(importlib.import_module(f"core.agents.{module.name}"), "AGENT", None)
        if not isinstance(declared, Agent) or declared.slug != module.name:
            raise RuntimeError(f"core/agents/{module.name} does not declare AGENT of that name")
        agents[declared.name] = declared
    return agents


def find_agent(name: str) -> Agent | None:
    """Return the agent of this wire name, if there is one."""
    return all_agents().get(name)
