"""Which model a run may ask, by the settings of the instance."""

import hashlib
import json
import time
from typing import get_args

from core.drafting.anthropic_model import ADDRESS, MODELS, AnthropicModel
from core.drafting.drafter import DEFAULT_FAMILY, PART, Drafter
from core.drafting.ledger import RESERVE_S, Budget, Payer
from core.drafting.local_model import LocalModel
from core.evidence.sources.live.replies import RunReplies
from core.model_ports import LanguageModel, ModelCalls
from core.ports import Notes
from core.records.model import Family
from core.settings import Settings

UNNAMED = "default"
"""Name under which a local server is asked where the settings give none."""


def name_of(family: Family, settings: Settings) -> str:
    """Return the identifier of the model that a family stands for."""
    if settings.model_provider == "local":
        names = settings.model_names
        return names.get(DEFAULT_FAMILY) or names.get(family) or UNNAMED
    return settings.model_names.get(family) or MODELS[family]


def open_model(family: Family, settings: Settings) -> LanguageModel:
    """Return a model; nothing is imported or connected before its first question."""
    name, bundle = name_of(family, settings), settings.ca_bundle or ""
    if settings.model_provider == "local":
        key = settings.model_api_key.get_secret_value() if settings.model_api_key else ""
        return LocalModel(name, settings.model_base_url or "", key, bundle)
    key = settings.anthropic_api_key.get_secret_value() if settings.anthropic_api_key else ""
    return AnthropicModel(name, key, settings.model_base_url or ADDRESS, bundle)


def model_version(settings: Settings) -> str:
    """Return what answers depend on besides code and evidence; "" where only rules answer."""
    searched = [*settings.web_searchers, *settings.web_hosts] if settings.web_searchers else []
    if settings.model_provider is None and not searched:
        return ""
    names = [name_of(family, settings) for family in get_args(Family)]
    told = json.dumps([*names, *sorted(settings.model_tasks), settings.model_base_url, *searched])
    digest = hashlib.blake2b(told.encode(), digest_size=4).hexdigest()
    return f"{settings.model_provider or 'rules'} {digest}"


def open_drafter(  # noqa: PLR0913 - what differs by run
    settings: Settings,
    payer: Payer,
    left_s: float,
    *,
    calls: ModelCalls | None = None,
    notes: Notes | None = None,
    replies: RunReplies | None = None,
) -> Drafter | None:
    """Return what a run may ask a model with; None where none is configured.

    Args:
        settings: Of the instance.
        payer: Who pays.
        left_s: Seconds that are left of the run's allowance.
        calls: The ledger.
        notes: Answers of earlier runs.
        replies: Where the run stores what it asked; of a replay, what the run was answered.
    """
    if replies is not None and replies.stored is not None:
        if not any(name.startswith(f"{PART} ") for name in replies.stored):
            return None
    elif settings.model_provider is None:
        return None
    return Drafter(
        open_model=lambda family: open_model(family, settings),
        budget=Budget(payer, time.monotonic() + left_s - RESERVE_S, calls),
        tasks=frozenset(settings.model_tasks),
        notes=notes,
        replies=replies,
    )
