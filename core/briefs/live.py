"""Live sources for an agent's run: the question as names, the run's evidence with the answers."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.agent import Agent
from core.evidence.events.live import with_live_events
from core.evidence.names.aliases import Named
from core.evidence.names.companies import find_entry
from core.evidence.readers.questions.parsed import ParsedText
from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.phase import MOST_NAMES, MOST_RECORDS, ask_live
from core.vocabulary.companies import load_companies
from core.workbench import RunContext

_WRITTEN = ("own name", "short name", "as registers write it", "subsidiary")
TITLES = {
    "crossref": "Crossref (meeting abstracts)",
    "ctgov": "ClinicalTrials.gov",
    "ctis": "EU CTIS",
    "isrctn": "ISRCTN",
    "drugsfda": "Drugs@FDA (openFDA)",
    "europepmc": "Europe PMC",
    "federal-register": "Federal Register",
    "nih-reporter": "NIH RePORTER",
    "sec-filings": "SEC EDGAR (full text)",
    "sec-submissions": "SEC EDGAR (filings of a company)",
}


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


def names_of(company: str) -> list[str]:
    """Return the names by which registers write a company, its own first."""
    rows = [row for row in load_companies() if row.group == company and row.relation in _WRITTEN]
    rows.sort(key=lambda row: _WRITTEN.index(row.relation))
    return list(dict.fromkeys([company, *(row.name for row in rows)]))[:MOST_NAMES]


def numbers_of(companies: Iterable[str], context: RunContext) -> list[str]:
    """Return the numbers at the SEC of companies that its register surely lists."""
    keys = (find_entry(company, (), context.resolver) for company in companies)
    return [key.removeprefix("CIK:") for key in dict.fromkeys(keys) if key]


def read_live(
    query: SourceQuery,
    names: Sequence[str],
    context: RunContext,
    agent: Agent,
    *,
    is_fresh: bool = False,
) -> RunContext:
    """Ask live sources and return the context of the run with what they gave.

    Args:
        query: What to ask.
        names: Sources that the request reads.
        context: Of the run.
        agent: Whose allowance the run has.
        is_fresh: Whether sources are asked again that answered the same question today.
    """
    if context.replies:
        context.replies.is_fresh = is_fresh
    phase = ask_live(
        query,
        names,
        context.evidence,
        context.settings,
        context.now.date(),
        allowance_s=context.settings.allowance_for(agent.name, agent.allowance_s),
        rates=context.rates,
        kept=context.replies,
    )
    evidence = phase.evidence
    if any(answer.records for answer in phase.answers):
        evidence = with_live_events(evidence, context.resolver)
    return replace(context, evidence=evidence, live=phase.answers)


def warn_of_live(answers: Iterable[SourceAnswer]) -> list[str]:
    """Return one warning for each live source that did not answer in full."""
    return [
        f"source_{answer.status}: {TITLES.get(answer.source, answer.source)}: {answer.message}."
        for answer in answers
        if answer.message
    ]
