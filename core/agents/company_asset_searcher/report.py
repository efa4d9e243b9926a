"""The report of a run: summary, drugs, next events, programs, exclusivity, sources."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from core.agents.company_asset_searcher.columns import (
    ASSETS,
    EVENT_VIEW,
    PROGRAM_VIEW,
    PROGRAMS,
    TERM_VIEW,
    programs_of,
)
from core.agents.company_asset_searcher.records import DrugRecord
from core.agents.company_asset_searcher.schema import CompanyAssetSearcherData
from core.briefs.columns import list_grid
from core.briefs.records import list_happened, points_of
from core.briefs.report import (
    Placed,
    compose_report,
    draw_pipeline,
    draw_timeline,
    further_figures,
    list_doubts,
    list_lines,
    make_front,
)
from core.briefs.web import list_web
from core.reports.document import About, Block, Chart, Document, Grid, Paragraph, TableReader
from core.reports.evidence_parts import under

MOST_PROGRAMS = 120
EVENTS, STAGED, PROTECTED = "Next events", "Programs", "Loss of exclusivity"
DRUG_VIEW = (
    *("name", "phase", "first_indications", "target"),
    *("modality", "origin", "partner", "sources"),
)


def compose(data: CompanyAssetSearcherData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run."""
    drugs, figures = data.drugs, _key_figures(data)
    view = (*EVENT_VIEW, "event_sources")
    protected = [drug for drug in drugs if drug.exclusivity]
    caption = "As the registers list it"
    trail = tuple(
        (row.name, row.relation, row.since or None, row.basis) for row in data.alias_trail
    )
    blocks: list[Block] = [
        Paragraph(f"{data.drugdb.message} {data.web_search.message}"),
        Paragraph(f"Names searched: {', '.join(data.drugdb.company_aliases_checked)}."),
    ]
    if trail:
        blocks.append(Grid(("Name", "Relation", "Since", "Basis"), trail, "Names of the company"))
    return compose_report(
        data,
        tables,
        about,
        front=make_front(
            [claim.text for claim in data.claims],
            figures,
            draw_drugs(drugs),
            list_doubts([drug.unconfirmed for drug in drugs], data.warnings, 0, len(data.excluded)),
        ),
        own_blocks=[
            *list_lines(ASSETS, DRUG_VIEW, drugs, "Drugs by stage", data.summary),
            *under(EVENTS, list_grid(ASSETS, view, _ahead(drugs), "Next events by weight")),
            *list_happened(data.recent),
            *_list_programs(drugs),
            *under(PROTECTED, list_grid(ASSETS, TERM_VIEW, protected, caption)),
            *list_web(data.web_findings),
        ],
        method=[*blocks, *further_figures(figures)],
    )


def _key_figures(data: CompanyAssetSearcherData) -> tuple[tuple[str, str, str], ...]:
    """Return the figures, those shown large first, with a note each."""
    phases = Counter(drug.phase for drug in data.drugs)
    dated = sum(drug.next_catalyst.date != "TBD" for drug in _ahead(data.drugs))
    late = phases["Phase 3"] + phases["Filed"]
    listed, total = len(data.drugs), data.drugdb.count
    return (
        ("Drugs", (f"{listed:,}" if listed == total else f"{listed:,} of {total:,}"), "listed"),
        ("Approved", f"{phases['Approved']:,}", "in any region"),
        ("Phase 3 or filed", f"{late:,}", "highest stage"),
        (
            "Events dated",
            f"{dated:,}",
            "own trials",
        ),
        ("Origin known", f"{sum(drug.origin is not None for drug in data.drugs):,}", "by rule"),
        ("Ticker", data.ticker or "–", "of the company"),
    )


def draw_times(data: CompanyAssetSearcherData) -> Chart | None:
    """Return the picture of what happened, what lies ahead and until when drugs are protected."""
    ahead = [
        {
            "drug": drug.name,
            "day": drug.next_catalyst.date,
            "kind": "ahead",
            "what": drug.next_catalyst.event,
        }
        for drug in data.drugs
        if drug.next_catalyst.date != "TBD" and drug.next_catalyst.weight_score > 0
    ]
    terms = {drug.name: _last_term(drug) for drug in data.drugs}
    return draw_timeline([*points_of(data.recent), *ahead], terms, data.as_of)


def _last_term(drug: DrugRecord) -> str:
    """Return the last day of any term of protection; "" without one."""
    exclusivity = drug.exclusivity
    if exclusivity is None:
        return ""
    days = (
        exclusivity.last_patent_on,
        exclusivity.last_exclusivity_on,
        exclusivity.biologic_until,
        exclusivity.law_until,
    )
    return max((day for day in days if day), default="")


def draw_drugs(drugs: Sequence[DrugRecord]) -> Chart | None:
    """Return the picture of drugs by phase and by kind or target."""
    return draw_pipeline(
        {
            noun: [
                Placed(group, drug.phase, drug.name, drug.owner or "")
                for drug in drugs
                for group in (tell(drug) or "").split("; ")
            ]
            for noun, tell in _GROUPS.items()
        }
    )


_GROUPS: Mapping[str, Callable[[DrugRecord], str | None]] = {
    "kind": lambda row: row.modality,
    "target": lambda row: row.target,
}


def _ahead(drugs: Sequence[DrugRecord]) -> list[DrugRecord]:
    ahead = [drug for drug in drugs if drug.next_catalyst.weight_score > 0]
    return sorted(ahead, key=lambda drug: (-drug.next_catalyst.weight_score, drug.name.casefold()))


def _list_programs(drugs: Sequence[DrugRecord]) -> list[Block]:
    """List the programs by indication and region."""
    view = ["first_trials" if name == "trial_ids" else name for name in PROGRAM_VIEW]
    caption = "Programs by indication and region"
    return under(STAGED, list_grid(PROGRAMS, view, programs_of(drugs), caption, MOST_PROGRAMS))
