"""What is known before phase 1: programs on record, else that none is, and who files patents."""

from collections.abc import Iterator, Sequence

from core.agents.competitive_landscaping.ranked import Ranked
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.agents.competitive_landscaping.scope import Scope
from core.evidence.names.companies import company_group
from core.evidence.patents.stored import HeldPatents
from core.evidence.proof.claims import unmark
from core.evidence.readers.patents.names import patent_names
from core.records.patents import PatentDocument
from core.workbench import RunContext

EARLY = frozenset({"PRECLINICAL", "DISCOVERY"})
MOST_PATENTS = 40
MOST_OWNERS = 8
STRONG = frozenset({"title", "abstract", "claims"})


def say_early(
    request: CompetitiveLandscapingRequest,
    scope: Scope,
    drugs: Sequence[Ranked],
    context: RunContext,
) -> Iterator[str]:
    """Yield what the preclinical focus found before phase 1, where that is nothing.

    Args:
        request: The focus.
        scope: What was asked.
        drugs: The drugs listed.
        context: Evidence and names.
    """
    if request.query_type == "clinical" or any(_is_early(one) for one in drugs):
        return
    listed = "; what is listed is in the clinic or was" if drugs else ""
    told = [f"{unmark(name)} ({number})" for name, number in owners_of_patents(scope, context)]
    owners = f"; owners of patents held that name the target: {', '.join(told)}" if told else ""
    yield f"no_preclinical: no program before phase 1 was found{listed}{owners}."


def _is_early(drug: Ranked) -> bool:
    return any(one.stage in EARLY and one.state == "live" for one in drug.programs)


def owners_of_patents(scope: Scope, context: RunContext) -> list[tuple[str, str]]:
    """Return who owns the patents held that name the target asked for, with one number each.

    Args:
        scope: What was asked; of a single target only.
        context: Evidence and names.
    """
    asked = scope.parsed.targets
    if len(asked) != 1 or len(asked[0].gene_symbols) != 1:
        return []
    names = patent_names(asked[0].gene_symbols[0], context.resolver)
    if names is None:
        return []
    found: dict[str, str] = {}
    for one in HeldPatents(context.evidence).find(names, MOST_PATENTS):
        if _names_it(one) and one.assignees:
            found.setdefault(company_group(one.assignees[0]), one.publication_number)
    return list(found.items())[:MOST_OWNERS]


def _names_it(document: PatentDocument) -> bool:
    return any(one in STRONG for one in document.mentions)
