"""Live sources for an agent's run: the question as names, the run's evidence with the answers."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.agent import Agent
from core.evidence.names.aliases import Named
from core.evidence.readers.questions.parsed import ParsedText
from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.phase import MOST_NAMES, MOST_RECORDS, ask_live
from core.workbench import RunContext

TITLES = {"ctgov": "ClinicalTrials.gov"}


def live_query(parsed: ParsedText, areas: Sequence[str]) -> SourceQuery:
    """Return what live sources are asked: names of things that were recognized, no other words."""
    return SourceQuery(
        groups=[[target.text, *target.gene_symbols] for target in parsed.targets],
        limit=MOST_RECORDS,
        drugs=_names(parsed.drugs),
        diseases=list(dict.fromkeys([*_names(parsed.diseases), *areas])),
        companies=list(parsed.companies),
    )


def _names(things: Iterable[Named]) -> list[str]:
    """Return names of things, each thing by its first few."""
    return list(
        dict.fromkeys(
            name
            for thing in things
            for name in dict.fromkeys((thing.label, thing.said, *thing.aliases[:MOST_NAMES]))
        )
    )


def read_live(
    query: SourceQuery, names: Sequence[str], context: RunContext, agent: Agent
) -> RunContext:
    """Ask live sources and return the context of the run with what they gave."""
    phase = ask_live(
        query,
        names,
        context.evidence,
        context.settings,
        context.now.date(),
        allowance_s=context.settings.allowance_for(agent.name, agent.allowance_s),
        rates=context.rates,
    )
    return replace(context, evidence=phase.evidence, live=phase.answers)


def warn_of_live(answers: Iterable[SourceAnswer]) -> list[str]:
    """Return one warning for each live source that did not answer in full."""
    return [
        f"source_{answer.status}: {TITLES.get(answer.source, answer.source)}: {answer.message}."
        for answer in answers
        if answer.message
    ]
