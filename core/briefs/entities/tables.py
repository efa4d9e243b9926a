"""The tables of a page: columns over the records that the page reads, declared once."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.briefs.columns import Column, Scalar
from core.briefs.developments.wording import title_of
from core.briefs.entities.profiles import DrugProfile
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark
from core.records.programs import StageStatement
from core.records.stages import STAGE_WORDS, phase_words
from core.reports.document import Grid
from core.reports.phrases import show_date
from core.vocabulary.event_types import event_types

MOST_NAMES = 3
MOST_CITED = 3
UNVERIFIED = "Curator-entered, not yet verified"
SOURCE = "Source"
"""Heading of the column that leads to the first source of a row."""


@dataclass(frozen=True)
class Use:
    """An approved use in a region.

    Attributes:
        indication: The disease.
        said: The approval with the use in the source's words.
    """

    indication: str
    said: StageStatement


@dataclass(frozen=True)
class PageTable:
    """A table of a page.

    Attributes:
        columns: Its columns, in order.
        ids: Returns the records that a row rests on.
    """

    columns: Sequence[Column[Any]]
    ids: Callable[[Any], Sequence[str]]

    def rows(self, records: Iterable[Any], cite: Cite) -> list[dict[str, Scalar]]:
        """Return rows as a page shows them, each with the address of its first source."""
        return [
            {column.heading: column.show(row) for column in self.columns}
            | {SOURCE: cite.address(self.ids(row))}
            for row in records
        ]

    def grid(self, records: Sequence[Any], cite: Cite, caption: str) -> Grid:
        """Return the table as a report prints it, with the marks of its sources."""
        cells = tuple(
            (*(column.show(row) for column in self.columns), cite.mark(self.ids(row)[:MOST_CITED]))
            for row in records
        )
        headings = (*(column.heading for column in self.columns), "Sources")
        return Grid(headings, cells, caption)


def stage_words(drug: DrugProfile) -> str:
    """Return the stage of a drug as a table shows it."""
    return "stage not reported" if drug.stage == "UNKNOWN" else STAGE_WORDS[drug.stage]


def _few(names: Iterable[str], most: int = MOST_NAMES) -> str:
    """Return the first names, with how many more there are."""
    distinct = list(dict.fromkeys(unmark(name) for name in names if name))
    more = len(distinct) - most
    return "; ".join([*distinct[:most], *([f"{more} more"] if more > 0 else [])])


def _rights(drug: DrugProfile) -> str:
    """Return other companies with a part, each with its territory."""
    parts = (company for company in drug.asset.companies if company.role in {"licensee", "partner"})
    return _few(
        f"{role.company} ({role.territory})" if role.territory else role.company
        for role in parts
        if role.company not in drug.owners
    )


def _verified(is_expert: bool) -> str:
    return UNVERIFIED if is_expert else ""


NAME = Column[DrugProfile]("drug", "Drug", value=lambda row: row.name)
DRUGS = PageTable(
    (
        NAME,
        Column("stage", "Stage", value=stage_words),
        Column("owner", "Owner", value=lambda row: _few(row.owners)),
        Column("rights", "Other rights", value=_rights),
        Column("target", "Target", value=lambda row: _few(row.targets)),
        Column("modality", "Modality", value=lambda row: row.modality),
        Column(
            "indications", "Indications", value=lambda row: _few(x.indication for x in row.programs)
        ),
        Column(
            "next",
            "Next catalyst",
            value=lambda row: (
                unmark(row.catalyst.event)
                if row.catalyst.category not in {"None", "Unknown"}
                else ""
            ),
        ),
        Column(
            "date",
            "Date",
            value=lambda row: (
                "Overdue" if row.catalyst.is_past_due else row.catalyst.date.replace("TBD", "")
            ),
        ),
        Column("approved", "Approved in", value=lambda row: row.board.approved_in),
        Column("loe", "LOE", value=lambda row: row.protection.last_on if row.protection else ""),
        Column("trials", "Active trials", int, value=lambda row: len(row.active_trials)),
        Column("origin", "Origin", value=lambda row: row.provenance.origin or ""),
        Column("why", "Scope", value=lambda row: row.why),
    ),
    DrugProfile.stage_records,
)
TRIALS = PageTable(
    (
        Column("number", "Trial", value=lambda row: row.number),
        Column("phase", "Phase", value=lambda row: phase_words(row.phase)),
        Column("status", "Status", value=lambda row: row.state),
        Column("conditions", "Conditions", value=lambda row: _few(row.conditions)),
        Column("n", "N", int, value=lambda row: row.n),
        Column("endpoint", "Primary endpoint", value=lambda row: _few(row.primary_measures, 2)),
        Column("start", "Start", value=lambda row: row.start_on),
        Column("completion", "Primary completion", value=lambda row: row.primary_completion_on),
        Column("sponsor", "Sponsor", value=lambda row: row.sponsor_group),
        Column("stopped", "Why stopped", value=lambda row: unmark(row.why_stopped)),
    ),
    lambda row: (row.record_id,),
)
RESULTS = PageTable(
    (
        Column("measure", "Endpoint", value=lambda row: unmark(row.measure)),
        Column("value", "Result", value=lambda row: f"{row.value:g} {row.unit}"),
        Column("interval", "Interval", value=lambda row: unmark(row.interval)),
        Column("n", "n", int, value=lambda row: row.n),
        Column("comparator", "Comparator", value=lambda row: unmark(row.comparator)),
        Column("arm", "Arm", value=lambda row: unmark(row.arm)),
        Column("indication", "Indication", value=lambda row: unmark(row.indication)),
        Column("population", "Population", value=lambda row: unmark(row.population)),
        Column("time", "Time point", value=lambda row: unmark(row.time_point)),
        Column("cut_off", "Data cut-off", value=lambda row: row.data_cut_off),
        Column("trial", "Trial", value=lambda row: row.trial_id.rpartition(":")[2]),
    ),
    lambda row: (row.record_id, *([row.trial_id] if row.trial_id else [])),
)
REGIONS = PageTable(
    (
        Column("region", "Region", value=lambda row: row.region),
        Column(
            "stage",
            "Stage",
            value=lambda row: f"{STAGE_WORDS[row.stage]}{' (ended)' if row.is_over else ''}",
        ),
        Column("first", "First approval", value=lambda row: show_date(row.first_on)),
        Column("basis", "Verification", value=lambda row: _verified(row.statement.is_expert)),
    ),
    lambda row: row.statement.record_ids,
)
RIGHTS = PageTable(
    (
        Column("company", "Company", value=lambda row: unmark(row.company)),
        Column("role", "Role", value=lambda row: row.role),
        Column("territory", "Territory", value=lambda row: row.territory or "not reported"),
        Column("since", "Since", value=lambda row: show_date(row.from_on)),
        Column("basis", "Verification", value=lambda row: _verified(row.statement.is_expert)),
    ),
    lambda row: row.statement.record_ids,
)
EVENTS = PageTable(
    (
        Column("day", "Date", value=lambda row: row.day),
        Column("type", "Type", value=lambda row: event_types()[row.type].title),
        Column("title", "Event", value=title_of),
    ),
    lambda row: row.record_ids,
)
CATALYSTS = PageTable(
    (
        Column("date", "Date", value=lambda row: "Overdue" if row.is_past_due else row.date),
        Column("event", "Event", value=lambda row: unmark(row.event)),
        Column("category", "Type", value=lambda row: row.category),
        Column("score", "Weight", int, value=lambda row: row.score),
        Column("why", "How the date was estimated", value=lambda row: unmark(row.rationale)),
    ),
    lambda row: row.record_ids,
)
USES = PageTable(
    (
        Column("region", "Region", value=lambda row: row.said.region or "not reported"),
        Column("indication", "Indication", value=lambda row: unmark(row.indication)),
        Column("use", "Use as listed", value=lambda row: unmark("; ".join(row.said.uses))),
        Column("first", "First approval", value=lambda row: show_date(row.said.first_on)),
        Column("as_of", "As of", value=lambda row: row.said.as_of),
        Column("basis", "Verification", value=lambda row: _verified(row.said.statement.is_expert)),
    ),
    lambda row: row.said.statement.record_ids,
)
FACTS = PageTable(
    (
        Column("name", "Field", value=lambda row: row.name.capitalize()),
        Column("text", "Value", value=lambda row: row.text),
        Column("rule", "Derived by", value=lambda row: row.rule),
        Column("basis", "Verification", value=lambda row: _verified(row.is_expert)),
    ),
    lambda row: row.record_ids,
)


def uses_of(drug: DrugProfile) -> list[Use]:
    """Return the approved uses of a drug by region and indication."""
    uses = (
        Use(program.indication, approval)
        for program in drug.programs
        for approval in program.approvals
    )
    return sorted(uses, key=lambda use: (use.said.region, use.indication))
