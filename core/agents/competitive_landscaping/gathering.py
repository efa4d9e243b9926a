"""Drugs for a query: which sources are read, what they gave, and what is kept of it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from core.agents.competitive_landscaping.fitting import Fitted, fit
from core.agents.competitive_landscaping.records import SourceLine
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.agents.competitive_landscaping.scope import (
    Asked,
    Scope,
    asset_query,
    cut,
    make_scope,
    unknown_names,
    with_targets_of,
)
from core.agents.competitive_landscaping.survey import unclear
from core.briefs.asking import read_question
from core.briefs.developments.question import held_by
from core.briefs.subjects import Drug
from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.assets.gather import gather_assets
from core.evidence.assets.joined_names import joined_names
from core.evidence.names.aliases import Named
from core.evidence.names.drug_labels import Naming
from core.evidence.names.modalities import modality_of_name
from core.evidence.readers.questions.parsed import ParsedText
from core.evidence.readers.questions.reading import parse_text
from core.evidence.sources.live.base import SourceAnswer
from core.knowledge.source_groups import SourceGroupRow, source_groups
from core.records.asset_queries import ExcludedAsset, Gathered
from core.records.evidence import Fact, Record
from core.records.evidence_pack import SourceCount
from core.records.names import fold_name
from core.records.sources import AnswerStatus
from core.vocabulary.sources import PATENT_SOURCES
from core.workbench import RunContext

_ORDER: tuple[AnswerStatus, ...] = (
    "answered",
    "partial",
    "unchanged",
    "empty",
    "unavailable",
    "over_budget",
    "refused",
    "offline",
    "not_configured",
    "switched_off",
)
_ANSWERED = frozenset({"answered", "partial", "empty"})
"""Statuses of a live source that answered."""


def is_on(group: SourceGroupRow, request: CompetitiveLandscapingRequest) -> bool:
    """Return whether the request reads a group."""
    return not group.flag or bool(getattr(request, group.flag))


def sources_switched_on(request: CompetitiveLandscapingRequest) -> list[str]:
    """Return the sources of all groups that the request reads."""
    return [name for row in source_groups() if is_on(row, request) for name in row.names]


def sources_to_read(
    request: CompetitiveLandscapingRequest, stored_counts: Sequence[SourceCount]
) -> list[str]:
    """Return the sources of the pack that the request reads: all but those switched off.

    Documents of patent offices tell no drug's stage; structures are the compound map's.
    """
    on = set(sources_switched_on(request))
    off = {name for row in source_groups() if not is_on(row, request) for name in row.names}
    unread = (off - on) | {*PATENT_SOURCES}
    return [count.source for count in stored_counts if count.source not in unread]


def report_groups(
    request: CompetitiveLandscapingRequest,
    stored_counts: Sequence[SourceCount],
    hits: Mapping[str, int],
    live: Sequence[SourceAnswer] = (),
) -> list[SourceLine]:
    """Return what became of each group, those that answered first."""
    lines = [_report(group, request, stored_counts, hits, live) for group in source_groups()]
    return sorted(lines, key=lambda line: (_ORDER.index(line.status), -line.n_hits, line.source))


def _report(
    group: SourceGroupRow,
    request: CompetitiveLandscapingRequest,
    stored_counts: Sequence[SourceCount],
    hits: Mapping[str, int],
    live: Sequence[SourceAnswer],
) -> SourceLine:
    counts = [count for count in stored_counts if count.source in group.names]
    answer = next((answer for answer in live if answer.source in group.names), None)
    n_hits = sum(hits.get(name, 0) for name in group.names)
    newest = max((count.newest for count in counts), default="")
    status: AnswerStatus = "answered" if n_hits else "empty"
    if not is_on(group, request):
        status, newest, n_hits, counts = "switched_off", "", 0, []
    elif answer and not (answer.status in _ANSWERED and n_hits):
        status = answer.status
    elif answer and answer.status == "partial":
        status = "partial"
    elif not counts and not answer:
        status = "not_configured"
    origin = "live" if answer and answer.status in _ANSWERED else "local" if counts else ""
    return SourceLine(
        source=group.title,
        flag=group.flag,
        status=status,
        origin=origin,
        as_of=(answer.as_of if answer and origin == "live" else "") or newest,
        n_hits=n_hits,
        n_counted=answer.n_hits if answer else None,
        sent=answer.asked if answer else "",
        message=answer.message if answer else "",
        source_ids=[],
    )


def find_publications(
    request: CompetitiveLandscapingRequest, live: Sequence[SourceAnswer]
) -> list[Record]:
    """Return papers and abstracts of meetings that live sources found, the newest first.

    Abstracts of meetings are left out where they are not asked for, and retractions always; of two
    with one title the first counts.
    """
    found = [
        parsed.record
        for answer in live
        for parsed in answer.records
        if not _RETRACTION.search(parsed.record.title)
    ]
    kinds = {"paper", "preprint"} | ({MEETING} if request.include_conferences else set())
    by_title = {fold_name(each.title): each for each in reversed(found) if each.kind in kinds}
    newest = sorted(by_title.values(), key=lambda each: (each.published_on, each.id), reverse=True)
    papers = [each for each in newest if each.kind != MEETING][:MOST_PUBLICATIONS]
    meetings = [each for each in newest if each.kind == MEETING][:MOST_PUBLICATIONS]
    return [each for each in newest if each in papers or each in meetings]


def warn_of_groups(lines: Collection[SourceLine]) -> list[str]:
    """Return one warning that names every group that is asked for and not configured."""
    missing = [line.source for line in lines if line.status == "not_configured"]
    if not missing:
        return []
    return [
        f"not_configured: {'; '.join(missing)} cannot be asked on this instance, so the answer "
        "uses the sources named in the source report alone.",
    ]


MEETING = "conference_abstract"
_RETRACTION = re.compile(r"^\W*(?:notice of )?(?:retract(?:ion|ed)|withdrawn)\b", re.IGNORECASE)
MOST_PUBLICATIONS = 20
"""Papers, and abstracts of meetings, that are listed."""
MOST_NEAREST = 5
LONGEST_WHOLE = 4
"""Words of a query that may be one drug's name; a sentence that names a drug is none."""
LONGEST_UNCLEAR = 3
"""Signs of a word that is near to too many names."""
MOST_OF_KIND = 200
"""Drugs of a kind that are looked at where a question asks for the kind alone."""
NOTHING = Gathered((), (), ())


@dataclass(frozen=True)
class Taken:
    """Drugs within what was asked.

    Attributes:
        scope: What was asked, with the targets of drugs that the query names.
        fitted: The drugs as conditions of route, owner and patients leave them.
        excluded: Those not taken, with the reason.
        hits: Records read, per source.
        figures: Figures of trials and labels that were read, by their number.
    """

    scope: Scope
    fitted: Fitted
    excluded: list[ExcludedAsset]
    hits: Mapping[str, int]
    figures: Mapping[int, Fact]

    @property
    def drugs(self) -> list[Drug]:
        """Return the drugs."""
        return self.fitted.drugs


def understand(request: CompetitiveLandscapingRequest, context: RunContext) -> Asked:
    """Return the request as it was understood."""
    resolver = context.resolver
    lookup = held_by(context.evidence, resolver)
    drafter = context.model if request.include_llm_reading else None
    query = _with_names(read_question(request.query, resolver, lookup, drafter), context)
    indication = request.indication
    narrowed = read_question(indication, resolver, lookup, drafter) if indication else None
    text = (request.candidate_asset_description or "").strip()
    described = parse_text(text, resolver, lookup) if text else None
    nearest = () if query.names_something else _find_nearest(query.words, context)
    question = Asked(query, make_scope(query, narrowed, resolver), described, nearest)
    return replace(question, warnings=tuple(unclear(question, request)))


def _with_names(query: ParsedText, context: RunContext) -> ParsedText:
    """Return a query with the drugs that no register knows, but records of the evidence do.

    A query that as a whole is a drug's name asks for that drug, whatever its words mean alone:
    "Amylin 355" is no question about the target amylin.
    """
    unknown = [drug.said for drug in query.drugs if not drug.key]
    unknown += [word for word in query.words if any(sign.isdigit() for sign in word)]
    mended = any(change.why == "mended" for change in query.changes)
    is_short = len(query.text.split()) <= LONGEST_WHOLE
    text = query.text if is_short and (query.words or unknown or mended) else ""
    names = list(dict.fromkeys(filter(None, (text, *unknown))))
    if not names:
        return query
    naming = Naming(context.resolver, joined_names(context.evidence, context.resolver))
    read = {name: drugs for name, drugs in naming.read(names).items() if len(drugs) == 1}
    nameds = {
        name: Named("drug", drugs[0].key, drugs[0].name, name, ())
        for name, drugs in read.items()
        if drugs[0].key and _is_held(name, drugs[0].key, context)
    }
    if text in nameds:
        return ParsedText(query.text, drugs=(nameds[text],))
    distinct = {drug.key: drug for drug in (*query.drugs, *nameds.values()) if drug.key}
    words = tuple(word for word in query.words if word not in nameds)
    return replace(query, drugs=tuple(distinct[key] for key in sorted(distinct)), words=words)


def _is_held(name: str, key: str, context: RunContext) -> bool:
    """Return whether a register or a record of the evidence has a drug under this very name."""
    return key.startswith("UNII:") or any(
        fold_name(name) in fold_name(label) for label in context.evidence.names_with("drug", [name])
    )


def find_drugs(
    question: Asked, request: CompetitiveLandscapingRequest, context: RunContext
) -> Taken:
    """Return the drugs within what was asked."""
    names = sources_to_read(request, context.evidence.sources())
    scope = question.scope
    if scope.parsed.drugs and not scope.targets and not scope.areas:
        named = _gather(scope, names, context)
        scope = with_targets_of(scope, named.assets)
    gathered = _gather(scope, names, context)
    drugs, left = cut(gathered.assets, scope)
    fitted = fit(drugs, scope)
    excluded = sorted(
        [*gathered.excluded, *left, *fitted.excluded],
        key=lambda excluded: (excluded.name.casefold(), excluded.reason),
    )
    return Taken(scope, fitted, excluded, dict(gathered.hits), gathered.figures)


def _gather(scope: Scope, names: Sequence[str], context: RunContext) -> Gathered:
    query = asset_query(scope, names)
    if query.modalities and not (
        scope.targets or scope.areas or query.drug_keys or query.companies
    ):
        query = replace(query, drug_keys=_of_kind(query.modalities, context), words=())
    if unknown_names(scope):
        return NOTHING
    asks = query.targets or query.disease_keys or query.drug_keys or query.words
    asks = asks or query.companies
    if not names or not asks:
        return NOTHING
    return gather_assets(query, context.evidence, context.resolver, context.now.date())


def _of_kind(modalities: Sequence[str], context: RunContext) -> tuple[str, ...]:
    """Return the drugs of the curators' table of some kinds, for a question that asks no more.

    Of kinds with too many drugs to look at, none are returned.
    """
    keys = [
        key
        for key, rows in known_by_key(context.resolver).items()
        if any((row.modality or modality_of_name(row.drug)) in modalities for row in rows)
    ]
    return tuple(sorted(keys)) if len(keys) <= MOST_OF_KIND else ()


def _find_nearest(words: Sequence[str], context: RunContext) -> tuple[str, ...]:
    """Return names of drugs in the evidence that are spelled nearly as a word of the query."""
    long_words = [word for word in words if len(fold_name(word)) > LONGEST_UNCLEAR]
    names = [
        name
        for word in long_words
        for name, _ in context.evidence.nearest_names("drug", word, MOST_NEAREST)
    ]
    return tuple(dict.fromkeys(names))[:MOST_NEAREST]
