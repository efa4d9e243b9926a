"""The run of an agent on evidence: understand, gather, prove, number, assemble.

The agent gives six hooks; what they return is typed, and how it is cited, proved, tabulated and
warned of is the same for all.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from core.briefs.columns import ColumnTable
from core.briefs.drafts import arrange
from core.briefs.memo import (
    Memo,
    Section,
    as_markdown,
    compose,
    list_sections,
    make_ground,
    prove,
)
from core.briefs.notices import claims_dropped, expert_only, not_held
from core.briefs.records import NOTHING, ExcludedDrug, MemoSection, Narrative
from core.briefs.subjects import Subject
from core.drafting.drafter import DEFAULT_FAMILY
from core.evidence.proof.cells import Cell
from core.evidence.proof.citations import Cite
from core.evidence.proof.claim_checks import Ground
from core.evidence.proof.claims import unmark
from core.evidence.proof.fact_tables import (
    list_sources,
    read_facts,
    tabulate_facts,
    tabulate_sources,
)
from core.records.asset_queries import ExcludedAsset
from core.records.evidence import Fact, Record
from core.records.evidence_sheets import FactTable
from core.records.model import Spend
from core.workbench import RunContext

MOST_EXCLUDED = 2_000


class Understood(Protocol):
    """A request as it was understood; an agent's own type has further fields."""

    @property
    def names(self) -> Sequence[str]:
        """Names that any record of the answer may carry, such as the company's."""

    @property
    def warnings(self) -> Sequence[str]:
        """What is unclear, refused or not found."""


Ask = TypeVar("Ask", bound=BaseModel)
Asked = TypeVar("Asked", bound=Understood)
About = TypeVar("About", bound=Subject)
Data = TypeVar("Data", bound=BaseModel)


@dataclass(frozen=True)
class Found(Generic[About]):
    """What the evidence gave; an agent's own type has further fields.

    Attributes:
        subjects: What the lines are about, in their order.
        excluded: Candidates not taken.
        most: Lines that are shown at most; None: all.
        warnings: The agent's own notices.
        facts: Figures that were read, by their number.
        words: Phrases with digits that state nothing, such as the question.
        further_ids: Records that are cited although no subject has them.
    """

    subjects: Sequence[About]
    excluded: Sequence[ExcludedAsset] = ()
    most: int | None = None
    warnings: Sequence[str] = ()
    facts: Mapping[int, Fact] = field(default_factory=dict)
    words: Sequence[str] = ()
    further_ids: Sequence[str] = ()

    @property
    def shown(self) -> Sequence[About]:
        """Return what gets a line."""
        return self.subjects[: self.most]


Holding = TypeVar("Holding", bound=Found[Any])


@dataclass(frozen=True)
class Dossier(Generic[Ask, Asked, Holding]):
    """All that an answer is written from.

    Attributes:
        request: As asked.
        asked: As understood.
        found: What the evidence gave.
        records: Every record that the answer may cite, by id.
        facts: Their facts, and the figures that were read, by number.
        as_of: The run's day.
        run_uuid: The run.
        is_held: Whether the instance holds any evidence.
    """

    request: Ask
    asked: Asked
    found: Holding
    records: Mapping[str, Record]
    facts: Mapping[int, Fact]
    as_of: date
    run_uuid: str
    is_held: bool

    @property
    def ground(self) -> Ground:
        """Return what claims are held against."""
        findings, names = self.found, self.asked.names
        return make_ground(findings.subjects, self.records, names, findings.words, self.facts)


@dataclass(frozen=True)
class Written:
    """What is written already, and what gives further parts their numbers."""

    sections: Sequence[MemoSection]
    rows: Sequence[Any]
    cite: Cite


@dataclass(frozen=True)
class Brief(Generic[Ask, Asked, Holding, Data]):
    """How an agent answers.

    Attributes:
        data: Its answer; the fields of `records.BriefData` that it declares are filled in.
        steps: Three of its declared steps: they end understanding, gathering and writing.
        understand: Reads the request.
        gather: Finds what the lines are about.
        rows: Returns the line of a subject, as the wire has it; None where lines need more than
            their subject, and `extra` makes them.
        sections: What is said of them.
        columns: The flat table of the lines.
        extra: Returns the agent's own fields.
        rows_in: Fields of the lines and of their flat table.
        spent: Returns the fields that say what was used of a language model, given the others.
    """

    data: type[Data]
    steps: tuple[str, ...]
    understand: Callable[[Ask, RunContext], Asked]
    gather: Callable[[Ask, Asked, RunContext], Holding]
    rows: Callable[[Any, Cite], BaseModel] | None
    sections: Sequence[Section]
    columns: type[ColumnTable]
    extra: Callable[[Dossier[Ask, Asked, Holding], Written], Mapping[str, object]] = lambda *_: {}
    rows_in: tuple[str, str] = ("drugs", "drug_table")
    spent: Callable[[Mapping[str, Any], Spend], Mapping[str, object]] = lambda *_: {}

    def run(self, request: Ask, context: RunContext) -> Data:
        """Run the agent; what a language model adds, it adds to an answer that is complete."""
        if context.model is not None:
            context.model.family = getattr(request, "model", DEFAULT_FAMILY)
        dossier = self.study(request, context)
        fields, memo = self.write(dossier, context)
        if context.model is not None:
            fixed = {section.title for section in self.sections if section.is_fixed}
            fields |= arrange(fields, memo, request, context.model, fixed)
            fields |= self.spent(fields, context.model.spend)
        context.progress(self.steps[2], 1, 1, f"{len(fields['sources'])} sources")
        return self.data(
            **{name: fields[name] for name in self.data.model_fields if name in fields}
        )

    def study(self, request: Ask, context: RunContext) -> Dossier[Ask, Asked, Holding]:
        """Return what an answer is written from."""
        question, evidence = self.understand(request, context), context.evidence
        context.progress(self.steps[0], 1, 1, ", ".join(question.names)[:80])
        findings = self.gather(request, question, context)
        context.progress(self.steps[1], 1, 1, f"{len(findings.subjects)} found")
        ids = sorted(
            {
                record_id
                for subject in (*findings.subjects, *findings.shown)
                for record_id in subject.record_ids()
            }
        )
        cited_ids = [*ids, *findings.further_ids]
        facts = dict(sorted({**read_facts(ids, evidence), **findings.facts}.items()))
        return Dossier(
            request,
            question,
            findings,
            dict(evidence.records(cited_ids)),
            facts,
            context.now.date(),
            context.run_uuid,
            bool(evidence.version()),
        )

    def write(
        self, dossier: Dossier[Ask, Asked, Holding], context: RunContext
    ) -> tuple[dict[str, Any], Memo]:
        """Return every field that an answer may have, and its claims.

        Claims are numbered first, then lines.
        """
        findings, cite = dossier.found, Cite(dossier.records)
        memo = prove(compose(self.sections, dossier), dossier.ground)
        sections = list_sections(memo, cite)
        claims = [claim for section in sections for claim in section.claims]
        rows = [self.rows(subject, cite) for subject in findings.shown] if self.rows else []
        extra = self.extra(dossier, Written(sections, rows, cite))
        sources = list_sources(cite.citations, cite.records)
        fields = {
            "as_of": context.now.date().isoformat(),
            "generated_at": context.now.isoformat(),
            "model": "rules",
            "query_id": context.query_id,
            "run_id": context.run_uuid,
            "run_uuid": context.run_uuid,
            "memo": sections,
            "pipeline_summary": as_markdown(sections),
            "summary": " ".join(claim.text for claim in claims) or NOTHING,
            "claims": claims,
            self.rows_in[0]: rows,
            self.rows_in[1]: self.columns.of(self.rows_in[0], rows),
            "facts": tabulate_behind(findings.shown, cite, dossier.facts),
            "excluded": list_excluded(findings.excluded),
            "sources": sources,
            "source_table": tabulate_sources(sources),
            "narrative": Narrative(),
            "warnings": list(_warn(dossier, memo, context)),
            **extra,
        }
        return fields, memo


def _warn(dossier: Dossier[Ask, Asked, Holding], memo: Memo, context: RunContext) -> Iterator[str]:
    """Yield the notices: what is not held or understood, the agent's own, what is not sure."""
    yield from not_held(context.evidence, context.resolver.identity, dossier.asked.warnings)
    yield from dossier.found.warnings
    yield from expert_only(dossier.found.subjects[: dossier.found.most])
    yield from claims_dropped(memo.dropped)


def list_excluded(excluded: Sequence[ExcludedAsset]) -> list[ExcludedDrug]:
    """Return the candidates that were not taken, as many as a reader may go through."""
    return [
        ExcludedDrug(name=unmark(asset.name), reason=unmark(asset.reason))
        for asset in excluded[:MOST_EXCLUDED]
    ]


def tabulate_behind(
    subjects: Sequence[Subject], cite: Cite, facts: Mapping[int, Fact]
) -> FactTable:
    """Return the facts behind the lines, one line a fact."""
    stated: dict[str, list[int]] = {}
    for number, fact in facts.items():
        stated.setdefault(fact.record_id, []).append(number)

    def with_facts(cell: Cell) -> Cell:
        numbers = [number for record_id in cell.record_ids for number in stated.get(record_id, ())]
        ids = [number for number in numbers if facts[number].predicate in cell.predicates]
        return replace(cell, fact_ids=tuple(ids)) if cell.predicates else cell

    cells = {subject.name: [with_facts(cell) for cell in subject.cells()] for subject in subjects}
    return tabulate_facts(cells, facts, cite.records, cite.citations)
