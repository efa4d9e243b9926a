"""The web search of a run: queries that code writes, pages, findings, and what they come to."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from core.briefs.entities.identifying import Library
from core.briefs.records import AnyNarrative, ModelNarrative
from core.briefs.web import WebFindingRow
from core.checking.page_names import PageNames
from core.drafting.findings import Finding, Focus, PageFindings, find_on_page
from core.evidence.names.companies import company_group
from core.evidence.proof.claims import unmark
from core.model_ports import PageRefused
from core.records.evidence_pack import FactQuery
from core.records.names import fold_name
from core.records.web import SearchAnswer, SearchKind, SearchStatus, WebHit
from core.vocabulary.predicates import Predicate
from core.vocabulary.sources import is_accepted
from core.workbench import RunContext, Web

MOST_HITS = 10
MOST_PAGES = 20
LONGEST_QUERY = 12
"""Words of a query."""
_PREDICATES: Mapping[str, tuple[Predicate, ...]] = {
    "acquired": (Predicate.ACQUIRED_BY,),
    "develops": (Predicate.DEVELOPED_BY, Predicate.TRIAL_SPONSOR),
    "licensed_from": (Predicate.LICENSED_BY,),
    "licensed_to": (Predicate.LICENSED_TO,),
    "stage": (Predicate.IN_STAGE, Predicate.HIGHEST_STAGE),
    "stopped": (Predicate.ENDED,),
}
"""Facts by which a record states the same."""


@dataclass
class WebFindings:
    """What the web search of a run came to.

    Attributes:
        status: Whether the web was searched.
        message: One sentence for a reader.
        requests: Searches that were sent.
        answers: What each search answered.
        pages: Pages that were read.
        left_out: Pages that were not, by reason.
    """

    status: SearchStatus = "not_configured"
    message: str = ""
    requests: int = 0
    answers: list[tuple[SearchKind, SearchAnswer]] = field(default_factory=list)
    pages: list[PageFindings] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def refused(self) -> Counter[str]:
        """Return the proposals that failed their proof, by reason."""
        return sum((page.refused for page in self.pages), Counter())

    @property
    def findings(self) -> Iterator[tuple[PageFindings, Finding]]:
        """Yield what is proved, page by page; of one fact the first quote."""
        taken: set[tuple[str, ...]] = set()
        for page in self.pages:
            for finding in page.findings:
                if finding.identity not in taken:
                    taken.add(finding.identity)
                    yield page, finding


def search_web(
    queries: Sequence[str],
    kinds: Sequence[SearchKind],
    most_searches: int,
    focus: Focus,
    context: RunContext,
) -> WebFindings:
    """Return what pages say about what is asked for; whatever fails is counted.

    Args:
        queries: Names and aliases from the evidence, the most telling first.
        kinds: Searches that the request allows.
        most_searches: Most searches of the run.
        focus: What is asked for.
        context: Of the run.
    """
    web, result = context.web, WebFindings()
    if web is None:
        return result
    if not kinds:
        return WebFindings("skipped", "The request allows no web search, so that none was made.")
    result.answers = list(_search(queries, kinds, most_searches, web))
    answers = [answer for _, answer in result.answers]
    result.status, result.requests = _status_of(answers), web.requests
    names = PageNames(Library(context.evidence, context.resolver, context.now.date()))
    for hit in _distinct(answers)[:MOST_PAGES]:
        try:
            page = web.fetch(hit.url)
        except PageRefused as refused:
            result.left_out[refused.reason] += 1
        else:
            result.pages.append(find_on_page(page, focus, names, context.model))
    result.message = _tell(result, answers)
    return result


def _search(
    queries: Sequence[str], kinds: Sequence[SearchKind], most: int, web: Web
) -> Iterator[tuple[SearchKind, SearchAnswer]]:
    """Yield the answers to queries, of every search in turn, as long as any may be sent."""
    dead: set[SearchKind] = set()
    for query in queries:
        for kind in kinds:
            if kind in dead:
                continue
            if web.requests >= most:
                return
            answer = web.search(kind, " ".join(query.split()[:LONGEST_QUERY]), MOST_HITS)
            if answer.status != "used":
                dead.add(kind)
            yield kind, answer


def _status_of(answers: Sequence[SearchAnswer]) -> SearchStatus:
    statuses = {answer.status for answer in answers}
    order: tuple[SearchStatus, ...] = ("used", "failed", "skipped")
    return next((status for status in order if status in statuses), "not_configured")


def _distinct(answers: Sequence[SearchAnswer]) -> list[WebHit]:
    """Return hits by rank, the searches in turn, each address once."""
    turns = zip_longest(*(answer.hits for answer in answers))
    hits = [hit for turn in turns for hit in turn if hit is not None]
    return list({hit.url: hit for hit in reversed(hits)}.values())[::-1]


def _tell(result: WebFindings, answers: Sequence[SearchAnswer]) -> str:
    """Return in one sentence what the search came to."""
    if result.status != "used":
        messages = [answer.message for answer in answers if answer.message]
        return messages[0] if messages else "No web search was made."
    found, pages = len(list(result.findings)), len(result.pages)
    return (
        f"{result.requests} web {_plural('search', result.requests, 'es')}, {pages} "
        f"{_plural('page', pages)} read, {found} {_plural('statement', found)} quoted"
        f"{', not confirmed' if found else ''}."
    )


def _plural(noun: str, number: int, ending: str = "s") -> str:
    return noun if number == 1 else noun + ending


def warn_of_web(result: WebFindings, context: RunContext) -> Iterator[str]:
    """Yield which pages and statements were left out, and why, and what a model came to."""
    yield from context.model.warnings if context.model else ()
    if result.status == "failed":
        yield f"web_search_failed: {result.message}"
    if result.left_out:
        yield f"pages_left_out: {_count(result.left_out)}."
    if result.refused:
        yield f"web_statements_refused: {_count(result.refused)}."
    if any(page.page.is_suspicious for page in result.pages):
        yield (
            "suspicious_source: a page gives orders to a language model, or shows its letters in "
            "another order than it has them; nothing was taken from it."
        )


def _count(reasons: Mapping[str, int]) -> str:
    listed = sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{number} {reason.replace('_', ' ')}" for reason, number in listed)


def with_model(narrative: AnyNarrative, context: RunContext) -> AnyNarrative:
    """Return which language model took part, with what it was asked about pages."""
    drafter = context.model
    if drafter is None or not isinstance(narrative, ModelNarrative):
        return narrative
    spend = drafter.spend
    return narrative.model_copy(
        update={
            "tasks": list(drafter.used),
            "calls": spend.calls,
            "input_tokens": spend.input_tokens,
            "output_tokens": spend.output_tokens,
        }
    )


def list_findings(result: WebFindings, library: Library) -> list[WebFindingRow]:
    """Return the findings as rows, those that the evidence states already last."""
    rows = [make_row(page, finding, library) for page, finding in result.findings]
    return sorted(rows, key=lambda row: row.is_stated)


def make_row(page: PageFindings, finding: Finding, library: Library) -> WebFindingRow:
    """Return a finding as a row; its words are the page's."""
    drug, published_on = finding.part("drug"), page.page.published_on
    return WebFindingRow.model_validate(
        {
            "relation": finding.relation,
            "statement": finding.says,
            "drug_name": unmark(drug.text),
            "drug_key": drug.key if drug.key.startswith("UNII:") else None,
            "company": unmark(finding.part("company").text),
            "partner": unmark(finding.part("partner").text),
            "indication": unmark(finding.part("indication").text),
            "stage": finding.part("stage").key,
            "date": unmark(finding.part("date").text),
            "amount": unmark(finding.part("amount").text),
            "quote": unmark(" ".join(finding.quote.split())),
            "url": page.page.url,
            "title": unmark(page.page.title),
            "published_on": published_on.isoformat() if published_on else "",
            "is_stated": _is_stated(finding, library),
        }
    )


def _is_stated(finding: Finding, library: Library) -> bool:
    """Return whether a record states the same, beyond what pages state that a person accepted."""
    predicates = _PREDICATES.get(finding.relation, ())
    subject = finding.part("partner" if finding.relation == "acquired" else "drug")
    if not predicates or not subject.text:
        return False
    names = [subject.text, subject.name]
    if subject.key.startswith("UNII:"):
        identity = library.resolver.identity
        names += [name.name for name in identity.names("drug", subject.key)]
    query = FactQuery(subjects=sorted(filter(None, {*names})), predicates=predicates)
    wanted = {
        "stage": finding.part("stage").key,
        "licensed_from": finding.part("partner").key,
        "licensed_to": finding.part("partner").key,
    }.get(finding.relation, finding.part("company").key)
    return any(
        finding.relation == "stopped"
        or wanted in {stored.fact.object, company_group(stored.fact.object)}
        for stored in library.evidence.facts(query)
        if not is_accepted(stored.fact.record_id)
    )


def key_of(name: str, key: str | None) -> str:
    """Return the key of a drug of an answer, also of one that no register has."""
    return key or f"name:{fold_name(name)}"
