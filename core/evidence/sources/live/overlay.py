"""The evidence of one run: the pack, with records that live sources gave in their newest state.

Nothing is written into the pack while a run goes on. A live record takes the place of the pack's
copy of it; what the copy alone tells and what stays true (posted results, the sponsor) is kept,
as between two copies in the pack.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from core.evidence_ports import EvidenceReader
from core.records.events import State, Told
from core.records.evidence import Mention, MentionKind, Parsed, Record, Role, Span
from core.records.evidence_pack import FactQuery, Hit, SourceCount, StoredFact, TextQuery
from core.records.names import fold_name
from core.vocabulary.predicates import Predicate, lasting

FIRST_ID = 1_000_000_000
"""Number of the first live fact; a pack holds fewer."""
LIVE_VERSION = 1_000_000
_WORDS = re.compile(r"\w+")


def with_live(evidence: EvidenceReader, live: Iterable[Parsed]) -> EvidenceReader:
    """Return the evidence of a run with records of live sources, or as it is without any."""
    by_id = {parsed.record.id: parsed for parsed in live}
    stored = evidence.records(list(by_id))
    fresh = {
        record_id: parsed
        for record_id, parsed in by_id.items()
        if record_id not in stored or stored[record_id].told_on <= parsed.record.told_on
    }
    return cast("EvidenceReader", _Overlay(evidence, fresh)) if fresh else evidence


class _Overlay:
    """Reads live records before those of the pack; all that they do not change is the pack's."""

    def __init__(self, pack: EvidenceReader, live: Mapping[str, Parsed]) -> None:
        """Number the facts of the live records, in the order of their ids."""
        self._pack = pack
        self._live = dict(sorted(live.items()))
        self._facts: dict[str, list[StoredFact]] = {}
        number = FIRST_ID
        for record_id, parsed in self._live.items():
            self._facts[record_id] = [
                StoredFact(number + index, LIVE_VERSION, fact)
                for index, fact in enumerate(parsed.facts)
            ]
            number += len(parsed.facts)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - every other question is the pack's
        return getattr(self._pack, name)

    def version(self, without: Collection[str] = ()) -> str:
        """Return the pack's version with a digest of the live records."""
        parts = [
            repr(parsed) for parsed in self._live.values() if parsed.record.source not in without
        ]
        digest = hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:12]
        return f"{self._pack.version(without)} live {digest}"

    def sources(self) -> Sequence[SourceCount]:
        """Return what is held of each source, live records counted."""
        counts = {count.source: count for count in self._pack.sources()}
        known = self._pack.records(list(self._live))
        for record_id, parsed in self._live.items():
            name, day = parsed.record.source, parsed.record.told_on
            count = counts.get(name, SourceCount(name, 0, day, day))
            n_records = count.records + (record_id not in known)
            oldest, newest = min(count.oldest, day), max(count.newest, day)
            counts[name] = SourceCount(name, n_records, oldest, newest)
        return [counts[name] for name in sorted(counts)]

    def record(self, record_id: str, version: int | None = None) -> Record | None:
        """Return a record; its live state when no version of the pack is named."""
        if record_id in self._live and version in {None, LIVE_VERSION}:
            return self._live[record_id].record
        return self._pack.record(record_id, version)

    def records(self, record_ids: Sequence[str]) -> Mapping[str, Record]:
        """Return the newest states of these records."""
        live = {key: self._live[key].record for key in record_ids if key in self._live}
        return {**self._pack.records([key for key in record_ids if key not in live]), **live}

    def fact(self, fact_id: int) -> StoredFact | None:
        """Return one fact by its number."""
        if fact_id < FIRST_ID:
            return self._pack.fact(fact_id)
        every = (fact for facts in self._facts.values() for fact in facts)
        return next((fact for fact in every if fact.id == fact_id), None)

    def facts(self, query: FactQuery) -> Sequence[StoredFact]:
        """Return facts of newest states, the pack's first."""
        if query.known_by:
            return self._pack.facts(query)
        kept = lasting()
        stored = [
            fact
            for fact in self._pack.facts(query)
            if fact.fact.record_id not in self._live
            or (
                fact.fact.predicate in kept
                and not self._tells(fact.fact.record_id, fact.fact.predicate)
            )
        ]
        subjects = {fold_name(subject) for subject in query.subjects}
        ids = set(query.record_ids)
        fresh = [
            fact
            for record_id, facts in self._facts.items()
            if (not ids or record_id in ids)
            and (not query.sources or self._live[record_id].record.source in query.sources)
            for fact in facts
            if (not query.predicates or fact.fact.predicate in query.predicates)
            and (not subjects or fold_name(fact.fact.subject) in subjects)
        ]
        return [*stored, *fresh]

    def _tells(self, record_id: str, predicate: str) -> bool:
        return any(fact.fact.predicate == predicate for fact in self._facts[record_id])

    def histories(
        self, sources: Sequence[str], predicates: Sequence[str], compared: Sequence[str], after: int
    ) -> Iterator[Sequence[State]]:
        """Yield all states of each live record, its live one the last, as if imported after all."""
        generation = after + 1
        named = (*predicates, *compared)
        ids = [key for key, parsed in self._live.items() if parsed.record.source in sources]
        if not ids:
            return
        stored = {
            states[0].record_id: states
            for states in self._pack.histories(sources, named, (), -1, ids)
        }
        for record_id in ids:
            record = self._live[record_id].record
            facts = self._facts[record_id]
            told = [_told(fact) for fact in facts if fact.fact.predicate in named]
            phases = [fact.fact for fact in facts if fact.fact.predicate == Predicate.TRIAL_PHASE]
            fresh = State(
                record_id=record_id,
                source=record.source,
                source_id=record.source_id,
                version=LIVE_VERSION,
                is_current=True,
                generation=generation,
                kind=record.kind,
                updated_on=record.updated_on,
                copied_on=record.copied_on,
                published_on=record.published_on,
                detail=record.detail,
                phase=phases[0].object if phases else "",
                origin=record.origin,
                told=tuple(told),
            )
            if told or not predicates:
                earlier = stored.get(record_id, ())
                yield [*(replace(state, is_current=False) for state in earlier), fresh]

    def mentions(self, record_ids: Sequence[str]) -> Mapping[str, Sequence[Mention]]:
        """Return what these records mention; a live one without drugs keeps the pack's."""
        stored = self._pack.mentions(record_ids)
        live = {key: self._named(key, stored) for key in record_ids if key in self._live}
        return {**stored, **{key: mentions for key, mentions in live.items() if mentions}}

    def _named(self, record_id: str, stored: Mapping[str, Sequence[Mention]]) -> Sequence[Mention]:
        mentions = self._live[record_id].record.mentions
        if any(mention.kind == "drug" for mention in mentions):
            return mentions
        return (*mentions, *(m for m in stored.get(record_id, ()) if m.kind == "drug"))

    def mentioning(
        self, kind: MentionKind, names: Sequence[str], record_kinds: Sequence[str] = ()
    ) -> Mapping[str, Sequence[Mention]]:
        """Return the records that mention one of the names, and how."""
        folded = {fold_name(name) for name in names}
        stored = self._pack.mentioning(kind, names, record_kinds)
        mentions = {key: value for key, value in stored.items() if key not in self._live}
        for record_id, parsed in self._live.items():
            if not record_kinds or parsed.record.kind in record_kinds:
                named = [
                    mention
                    for mention in self._named(record_id, stored)
                    if mention.kind == kind and fold_name(mention.name) in folded
                ]
                mentions |= {record_id: named} if named else {}
        return mentions

    def passages(
        self, record_ids: Sequence[str], sections: Sequence[str]
    ) -> Mapping[str, Sequence[Span]]:
        """Return the passages of these records that are of one of the sections."""
        spans = dict(self._pack.passages(record_ids, sections))
        for record_id in record_ids:
            if record_id in self._live:
                passages = self._live[record_id].record.spans
                fresh = [span for span in passages if span.section in sections]
                spans |= {record_id: fresh} if fresh else {}
        return spans

    def search(self, query: TextQuery) -> Sequence[Hit]:
        """Return the best records for the words: live ones that have them all, then the pack's."""
        live = [
            Hit(record_id, parsed.record.title, parsed.record.kind, parsed.record.updated_on, 0.0)
            for record_id, parsed in self._live.items()
            if _meets(parsed, query)
        ]
        stored = [hit for hit in self._pack.search(query) if hit.record_id not in self._live]
        return [*live, *stored][: query.limit]

    def spellings(self, kind: MentionKind) -> Sequence[str]:
        """Return every folded name once, sorted."""
        return sorted({*self._pack.spellings(kind), *map(fold_name, self._names(kind))})

    def names(self, kind: MentionKind) -> Iterator[tuple[str, str, int]]:
        """Yield each folded name, one spelling of it and the number of records with it."""
        counted = {folded: (name, count) for folded, name, count in self._pack.names(kind)}
        stored = self._pack.mentions(list(self._live))
        for record_id, parsed in self._live.items():
            known = {fold_name(m.name) for m in stored.get(record_id, ()) if m.kind == kind}
            fresh = {fold_name(m.name): m.name for m in parsed.record.mentions if m.kind == kind}
            for folded, name in fresh.items():
                spelling, count = counted.get(folded, (name, 0))
                counted[folded] = (spelling, count + (folded not in known))
        yield from ((folded, *counted[folded]) for folded in sorted(counted))

    def names_with(self, kind: MentionKind, parts: Sequence[str]) -> Sequence[str]:
        """Return names whose folded form contains one of the parts, sorted."""
        folded = {fold_name(part) for part in parts} - {""}
        live = {
            name for name in self._names(kind) if any(part in fold_name(name) for part in folded)
        }
        return sorted({*self._pack.names_with(kind, parts), *live})

    def all_mentions(self, kind: MentionKind) -> Iterator[tuple[str, str, str, Role]]:
        """Yield record, its kind, folded name and role of every mention."""
        yield from (row for row in self._pack.all_mentions(kind) if row[0] not in self._live)
        for record_id, parsed in self._live.items():
            for mention in parsed.record.mentions:
                if mention.kind == kind:
                    yield record_id, parsed.record.kind, fold_name(mention.name), mention.role

    def _names(self, kind: MentionKind) -> set[str]:
        records = (parsed.record for parsed in self._live.values())
        return {m.name for record in records for m in record.mentions if m.kind == kind}


def _told(stored: StoredFact) -> Told:
    """Return a fact as the states of a record have it."""
    fact, qualifiers = stored.fact, stored.fact.qualifiers
    return Told(
        stored.id,
        fact.subject,
        fact.predicate,
        fact.object,
        fact.value,
        fact.unit,
        qualifiers.region,
        qualifiers.population,
        qualifiers.time_point,
        fact.as_of,
    )


def _meets(parsed: Parsed, query: TextQuery) -> bool:
    """Return whether a live record meets the words and filters of a search."""
    record = parsed.record
    phases = {fact.object for fact in parsed.facts if fact.predicate == Predicate.TRIAL_PHASE}
    companies = {fold_name(m.name) for m in record.mentions if m.kind == "company"}
    filters = (
        not query.kinds or record.kind in query.kinds,
        not query.sources or record.source in query.sources,
        not query.phases or bool(phases & set(query.phases)),
        not query.companies or bool(companies & set(query.companies)),
        not query.since or record.updated_on >= query.since,
        not query.until or record.told_on <= query.until,
    )
    if not all(filters):
        return False
    words = [record.title, *(m.name for m in record.mentions), *(s.text for s in record.spans)]
    text = f" {' '.join(_WORDS.findall(' '.join(words).casefold()))} "
    return all(
        any((f" {' '.join(_WORDS.findall(name.casefold()))} ") in text for name in group)
        for group in query.groups
    )
