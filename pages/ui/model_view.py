"""The language model of the instance: mode, tasks, what leaves the machine, budget and prices."""

from typing import get_args
from urllib.parse import urlsplit

import pandas as pd
import streamlit as st

from core.drafting.anthropic_model import ADDRESS
from core.drafting.ledger import begin_of_month
from core.drafting.opening import name_of
from core.drafting.web.search import FORMS
from core.records.model import Family, ModelTotal, TaskName
from core.records.runs import Caller
from core.settings import Searcher, Settings
from core.workbench import Workbench
from pages.ui.plain import plain, show_count

MILLION = 1_000_000
TASKS: dict[TaskName, tuple[str, str]] = {
    "select": (
        "Chooses which sentences lead and their order",
        "Text fields of the request; the sentences of the answer",
    ),
    "read": (
        "Reads words of a question that the rules leave over",
        "The question; names that the words may mean",
    ),
    "web": (
        "Points at quotes about drugs on fetched web pages",
        "Names and aliases of what was asked about; text of public pages",
    ),
    "ask": (
        "Chooses the agents that answer a question, and which of their sentences and rows",
        "The question; sentences and first rows of the answers",
    ),
}
"""What a model does, and the words that leave this machine for it."""
SEARCHES: dict[Searcher, str] = {
    "anthropic": "Web search of the language model (Anthropic)",
    "exa": "Neural web search (Exa)",
    "searxng": "Open web search (SearXNG)",
    "brave": "Open web search (Brave)",
}
HOSTS: dict[Searcher, str] = {"anthropic": ADDRESS} | {
    name: form.address for name, form in FORMS.items()
}
NEVER = (
    "Uploads, lists, documents and the names of people are never sent. Every sentence, number and "
    "name in an answer is written by rules from records."
)


def show_model(caller: Caller, workbench: Workbench) -> None:
    """Draw how answers are drafted, what is sent for it, and what this month has cost."""
    settings = workbench.settings
    st.subheader("Language model", anchor=False)
    if settings.model_provider is None:
        st.caption(
            "No language model is configured: answers are composed by rules, and no model is sent "
            "anything."
        )
        _show_searches(settings)
        return
    st.markdown(plain(_describe(settings)))
    rows = [
        (does, "on" if task in settings.model_tasks else "off", words)
        for task, (does, words) in TASKS.items()
        if task != "web" or settings.web_searchers
    ]
    tasks = pd.DataFrame(rows, columns=["Task", "Status", "What the model is sent"])
    st.table(tasks.set_index("Task"), border="horizontal")
    st.caption(NEVER)
    _show_searches(settings)
    now = workbench.now()
    totals = workbench.stores.model_calls.totals_since(caller.user_id, begin_of_month(now))
    used = sum(total.input_tokens + total.output_tokens for total in totals)
    limit = settings.model_tokens_month
    st.progress(
        min(1.0, used / limit) if limit else 1.0,
        f"{show_count(used)} of {show_count(limit)} tokens in {now:%B %Y}",
        width=820,
    )
    if totals:
        st.table(_tabulate(list(totals), settings).set_index("Task"), border="horizontal")
    _show_prices(settings)


def _show_searches(settings: Settings) -> None:
    """Draw which web searches are asked, and what they are sent."""
    if not settings.web_searchers:
        st.caption("No web search is configured (BPW_WEB_SEARCH): nothing is searched or fetched.")
        return
    rows = [
        (SEARCHES[name], urlsplit(settings.web_search_url.get(name) or HOSTS[name]).netloc)
        for name in settings.web_searchers
    ]
    searches = pd.DataFrame(rows, columns=["Web search", "Host"])
    st.table(searches.set_index("Web search"), border="horizontal")
    hosts = ", ".join(settings.web_hosts)
    st.caption(
        "A search is sent names and aliases of the drugs, companies, targets and diseases asked "
        "about, with a topic such as pipeline. Pages are fetched without cookies or keys"
        f"{f', from {plain(hosts)} alone' if hosts else ''}."
    )


def _describe(settings: Settings) -> str:
    """Return who is asked, and for what model."""
    host = urlsplit(settings.model_base_url or ADDRESS).netloc
    if settings.model_provider == "local":
        return f"A server of your own, {host}, runs {name_of('sonnet', settings)}."
    names = ", ".join(f"{family}: {name_of(family, settings)}" for family in get_args(Family))
    return f"Anthropic, {host} ({names})."


def _tabulate(totals: list[ModelTotal], settings: Settings) -> pd.DataFrame:
    """Return what was used this month, with its cost where a price is set."""
    rows = []
    for total in totals:
        price = settings.model_prices.get(total.model)
        cost = "no price set"
        if price:
            dollars = total.input_tokens * price.input + total.output_tokens * price.output
            cost = f"${dollars / MILLION:,.2f}"
        counts = map(show_count, (total.calls, total.input_tokens, total.output_tokens))
        rows.append((total.task, plain(total.model), *counts, cost))
    columns = ["Task", "Model", "Calls", "Tokens read", "Tokens written", "Cost"]
    return pd.DataFrame(rows, columns=columns)


def _show_prices(settings: Settings) -> None:
    if not settings.model_prices:
        st.caption("No prices are set (BPW_MODEL_PRICES), so costs are not computed.")
        return
    rows = [
        (plain(model), f"${price.input:,.2f}", f"${price.output:,.2f}", price.as_of)
        for model, price in sorted(settings.model_prices.items())
    ]
    columns = ["Model", "Per million tokens read", "Per million tokens written", "As of"]
    st.table(pd.DataFrame(rows, columns=columns).set_index("Model"), border="horizontal")
