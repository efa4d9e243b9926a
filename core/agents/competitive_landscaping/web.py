"""What web pages say about the drugs of a landscape, behind all that records say."""

from collections.abc import Iterator, Sequence
from typing import get_args

from core.agents.competitive_landscaping.gathering import warn_of_groups
from core.agents.competitive_landscaping.records import SourceLine
from core.agents.competitive_landscaping.rows import show_spent
from core.agents.competitive_landscaping.schema import (
    CompetitiveLandscapingData,
    CompetitiveLandscapingRequest,
)
from core.briefs.entities.identifying import Library
from core.checking.web_findings import (
    WebFindings,
    key_of,
    list_findings,
    search_web,
    warn_of_web,
    with_model,
)
from core.drafting.findings import Focus
from core.drafting.web.visits import MOST_SEARCHES
from core.records.web import SearchKind
from core.workbench import RunContext

MOST_DRUGS = 8
TOPICS = ("pipeline", "clinical trial", "license agreement", "results")


def add_web(
    data: CompetitiveLandscapingData, request: CompetitiveLandscapingRequest, context: RunContext
) -> CompetitiveLandscapingData:
    """Return an answer with the findings of the web; its rows stay as they are."""
    every: tuple[SearchKind, ...] = get_args(SearchKind)
    kinds = [kind for kind in every if getattr(request, kind)]
    queries = list(dict.fromkeys(write_queries(data)))
    found = search_web(queries, kinds, MOST_SEARCHES, find_focus(data, context), context)
    groups = [_report(line, found) for line in data.source_report]
    kept = [each for each in data.warnings if not each.startswith("not_configured: ")]
    warnings = [*kept, *warn_of_groups(groups), *warn_of_web(found, context)]
    library = Library(context.evidence, context.resolver, context.now.date())
    fields: dict[str, object] = {"usage": data.usage}
    if context.model is not None:
        fields = show_spent({"runs": data.runs}, context.model.spend)
    usage = {"web_search_requests": found.requests}
    return data.model_copy(
        update={
            **fields,
            "usage": fields["usage"].model_copy(update=usage),  # type: ignore[attr-defined]
            "web_findings": list_findings(found, library),
            "source_report": groups,
            "narrative": with_model(data.narrative, context),
            "warnings": list(dict.fromkeys(warnings)),
        }
    )


def write_queries(data: CompetitiveLandscapingData) -> Iterator[str]:
    """Yield queries of names that were recognized, and of the drugs that rank first."""
    query = data.parsed_query
    asked = [*query.targets[:2], *query.indications[:1]]
    named = " ".join(asked or query.drugs[:1])
    if named:
        yield from (f"{named} {topic}" for topic in TOPICS)
    yield from (f"{drug.drug_name} {drug.company}".strip() for drug in data.drugs[:MOST_DRUGS])


def find_focus(data: CompetitiveLandscapingData, context: RunContext) -> Focus:
    """Return what findings must be about: a drug of the landscape, or one in its disease."""
    resolver = context.resolver
    matches = [resolver.resolve("disease", label) for label in data.parsed_query.indications]
    keys = {match.key for match in matches if match.key}
    diseases = keys | {x for key in keys for x in resolver.identity.descendants("disease", key)}
    drugs = frozenset(key_of(drug.drug_name, drug.drug_key) for drug in data.drugs)
    unlisted = tuple(drug.drug_name for drug in data.drugs if not drug.drug_key)
    return Focus(drugs=drugs, diseases=frozenset(diseases), unlisted=unlisted)


def _report(line: SourceLine, found: WebFindings) -> SourceLine:
    """Return what became of a group of sources, where it is a search of the web."""
    answers = [answer for kind, answer in found.answers if line.flag == kind]
    if not answers:
        return line
    used = [answer for answer in answers if answer.status == "used"]
    n_hits = sum(len(answer.hits) for answer in used)
    status = "answered" if n_hits else "empty" if used else _STATUS[answers[0].status]
    messages: Sequence[str] = [answer.message for answer in answers if answer.message]
    if used:
        messages = [found.message]
    return line.model_copy(
        update={"status": status, "n_hits": n_hits, "message": next(iter(messages), "")}
    )


_STATUS = {"failed": "failed", "not_configured": "not_configured", "skipped": "not_configured"}
"""Status of a group of sources where its search was not made."""
