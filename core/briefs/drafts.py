"""What a language model adds to a complete answer: which sentences lead it, and their order."""

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import BaseModel

from core.briefs.memo import Memo, as_markdown
from core.briefs.records import MemoSection, ModelNarrative, SummaryClaim
from core.drafting.drafter import Drafter
from core.drafting.selecting import Selection, join_sentences, select

_NO_WORDS = frozenset({"model"})
"""Fields of requests that ask nothing."""


def arrange(
    fields: Mapping[str, Any],
    memo: Memo,
    request: BaseModel,
    drafter: Drafter,
    fixed: Collection[str],
) -> dict[str, Any]:
    """Return the fields of an answer that differ with a language model.

    Sources keep the numbers that the rules gave them, and every sentence stays.

    Args:
        fields: The answer by rules.
        memo: Its proved claims.
        request: As asked.
        drafter: Asks the model.
        fixed: Titles of sections whose order is the rules'.
    """
    sections: list[MemoSection] = fields["memo"]
    told = [(title, claims) for title, claims in memo.sections if claims]
    selection = select(describe_request(request), told, drafter, fixed)
    changed: dict[str, Any] = {}
    lead: list[SummaryClaim] = []
    if selection is not None:
        claims = [claim for section in sections for claim in section.claims]
        lead = [claims[number] for number in selection.lead]
        changed = _reorder(sections, claims, selection)
    if drafter.used:
        provider, name = drafter.author
        spend = drafter.spend
        changed["model"] = name
        changed["narrative"] = ModelNarrative.model_validate(
            {
                "model": name,
                "provider": provider,
                "tasks": list(drafter.used),
                "lead": lead,
                "calls": spend.calls,
                "input_tokens": spend.input_tokens,
                "output_tokens": spend.output_tokens,
            }
        )
    return {**changed, "warnings": [*fields["warnings"], *drafter.warnings]}


def describe_request(request: BaseModel) -> str:
    """Return the words of a request: its texts by field; no lists, files or open objects."""
    return "; ".join(
        f"{name}: {value}"
        for name, value in request.model_dump(mode="json").items()
        if isinstance(value, str) and value.strip() and name not in _NO_WORDS
    )


def _reorder(
    sections: list[MemoSection], claims: list[SummaryClaim], selection: Selection
) -> dict[str, Any]:
    """Return memo, claims and summary in the order of a selection."""
    memo = [
        section.model_copy(update={"claims": [claims[number] for number in order]})
        for section, order in zip(sections, selection.order, strict=True)
    ]
    paragraphs = [_write_prose(order, claims, selection) for order in selection.order]
    return {
        "memo": memo,
        "pipeline_summary": as_markdown(memo),
        "claims": [claim for section in memo for claim in section.claims],
        "summary": " ".join(paragraphs),
    }


def _write_prose(order: tuple[int, ...], claims: list[SummaryClaim], selection: Selection) -> str:
    """Return the sentences of a section as one text."""
    text = claims[order[0]].text
    for number in order[1:]:
        text = join_sentences(text, claims[number].text, selection.joins.get(number, ""))
    return text
