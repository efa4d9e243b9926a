"""How a question was understood, as chips that the analyst takes away or swaps, and asks again."""

from collections.abc import Collection, Sequence

import streamlit as st

from core.agent import Agent
from core.agents.competitive_landscaping.records import ParsedQuery, WordChange, WordRead
from core.records.runs import RunRecord
from pages.ui.plain import plain
from pages.ui.session import signed_in_caller
from pages.ui.starting import begin, stored_request

_SILENT = frozenset({"plain", "left over"})
_LONGEST = 48


def show_chips(agent: Agent, run: RunRecord, parsed: ParsedQuery) -> None:
    """Draw what became of each word, and ask again without or with another meaning of some.

    Args:
        agent: Whose question it is.
        run: The run that answered it.
        parsed: How it was understood.
    """
    by_model = {change.said: change for change in parsed.changes if change.why == "model"}
    chips = {
        _label(word, is_by_model=word.said in by_model): word
        for word in parsed.words
        if word.became not in _SILENT
    }
    swaps = {
        _swap_label(change): change
        for change in parsed.changes
        if change.why in {"ambiguous", "offered"}
    }
    if not chips and not swaps:
        return
    picked = st.pills(
        "Understood as",
        list(chips),
        selection_mode="multi",
        default=list(chips),
        key=f"chips:{run.run_uuid}",
        help="Take a chip away to ask again without these words.",
    )
    if by_model:
        _offer_undo(agent, run, list(by_model.values()))
    taken: Sequence[str] = ()
    if swaps:
        taken = st.pills(
            "May also mean",
            list(swaps),
            selection_mode="multi",
            key=f"swaps:{run.run_uuid}",
            help="Take another meaning to ask again with it.",
        )
    left = [word.said for word in parsed.words if word.became == "left over"]
    if left:
        st.caption(f"Not understood: {plain(', '.join(left))}")
    dropped = [word for label, word in chips.items() if label not in picked]
    chosen = [swaps[label] for label in taken]
    query = rewrite(parsed.words, dropped, chosen)
    if (dropped or chosen) and query and st.button("Ask again", icon=":material/replay:"):
        request = stored_request(agent, run).model_copy(update={"query": query})
        begin(agent, signed_in_caller(), request)


def _offer_undo(agent: Agent, run: RunRecord, changes: Sequence[WordChange]) -> None:
    """Draw what a language model read, and the button that asks again by rules alone."""
    readings = "; ".join(
        f"“{change.said}” read as {change.meant} by the model" for change in changes
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(plain(readings), width="content")
        if st.button("Undo", icon=":material/undo:", key=f"undo-model:{run.run_uuid}"):
            request = stored_request(agent, run).model_copy(update={"include_llm_reading": False})
            begin(agent, signed_in_caller(), request)


def rewrite(
    words: Sequence[WordRead], dropped: Collection[WordRead], chosen: Sequence[WordChange]
) -> str:
    """Return the question without some words and with another meaning of others.

    Args:
        words: The question's words in order.
        dropped: Words that were taken away.
        chosen: Meanings that were taken instead.
    """
    meant = {change.said: change.meant.partition(" (")[0] for change in chosen}
    return " ".join(meant.get(word.said, word.said) for word in words if word not in dropped)


def _label(word: WordRead, *, is_by_model: bool = False) -> str:
    meant = word.meant if word.meant.casefold() != word.said.casefold() else ""
    text = f"{word.said} = {meant}" if meant else word.said
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}\u2026"
    return plain(f"{text} ({word.became}{', by the model' if is_by_model else ''})")


def _swap_label(change: WordChange) -> str:
    return plain(f"{change.said} = {change.meant}")
