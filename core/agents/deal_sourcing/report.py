"""The report of a run: thesis, feed, mini-memos, map of stage and kind, what was rejected."""

from collections import Counter
from collections.abc import Collection, Sequence

from core.agents.deal_sourcing.columns import DEALS, FEED_VIEW, PART_VIEW, REJECTED
from core.agents.deal_sourcing.records import Deal
from core.agents.deal_sourcing.schema import DealSourcingData
from core.briefs.columns import list_grid
from core.briefs.report import (
    Placed,
    as_text,
    compose_report,
    draw_pipeline,
    list_doubts,
    list_lines,
    make_front,
)
from core.reports.document import (
    About,
    Block,
    Bullets,
    Chart,
    Document,
    Grid,
    Heading,
    Paragraph,
    TableReader,
)
from core.reports.evidence_parts import marks, under
from core.vocabulary.stages import PHASES

THESIS, FEED, MEMOS, DROPPED = "Search criteria", "Candidates", "Mini-memos", "Excluded"
PARTS = "How scores are calculated"
MOST_PRINTED = 25
MOST_MEMOS = 10
FORMULA = (
    "Score = 30 thesis fit + 20 science + 15 stage fit + 15 availability + 10 recency + 10 room, "
    "each from 0 to 1, rounded half up; a part without data counts 0. Recency "
    "halves in 30 days and is 0 before the window; science is the authority of the sources times "
    "their number, full at 3; room is 1 less the share of targets with as many drugs or fewer."
)


def compose(data: DealSourcingData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run."""
    none = "No asset matches these criteria. Near matches are listed under Excluded."
    return compose_report(
        data,
        tables,
        about,
        front=make_front(
            [claim.text for claim in data.claims],
            _figures(data),
            draw_deals(data.deals),
            list_doubts([], data.warnings, 0, len(data.rejected)),
        ),
        own_blocks=[
            *under(THESIS, _list_thesis(data)),
            *list_lines(DEALS, FEED_VIEW, data.deals, FEED, none, MOST_PRINTED),
            *_list_memos(data.deals),
            *under(DROPPED, list_grid(REJECTED, ("entity", "reason"), data.rejected, DROPPED, 60)),
        ],
        method=[
            Paragraph(
                f"Window: {data.window.start_on} to {data.window.end_on}; newest event found: "
                f"{data.window.newest_event_on or 'none'}. {data.n_candidates:,} drugs have a "
                "signal that the thesis asks for."
            ),
            Paragraph(FORMULA),
            *list_grid(DEALS, PART_VIEW, data.deals, PARTS, MOST_PRINTED),
        ],
    )


def _figures(data: DealSourcingData) -> tuple[tuple[str, str, str], ...]:
    owners = {deal.entities.company.casefold() for deal in data.deals} - {""}
    best = max((deal.deal_score for deal in data.deals), default=0)
    return (
        ("Candidates", f"{len(data.deals):,}", f"of {data.n_candidates:,} screened"),
        ("Best score", f"{best}", "of 100"),
        ("With recent news", f"{data.window.n_in_window:,}", f"since {data.window.start_on}"),
        ("Owners", f"{len(owners):,}", "to contact"),
    )


def draw_deals(deals: Sequence[Deal]) -> Chart | None:
    """Return the map of kind and stage of drugs; None where there is one row alone."""
    phases = {phase.casefold(): phase for phase in PHASES}
    drugs = [deal for deal in deals if deal.entities.asset]

    def place(deal: Deal, group: str) -> Placed:
        stage = deal.entities.stage
        phase = phases.get(stage) or phases.get(stage.split("/")[0]) or ""
        return Placed(group, phase, deal.entities.asset, deal.entities.company)

    return draw_pipeline(
        {
            "kind": [place(deal, deal.entities.modality) for deal in drugs],
            "home": [place(deal, deal.entities.geography) for deal in drugs],
        }
    )


def _list_thesis(data: DealSourcingData) -> list[Block]:
    parsed_thesis = data.parsed_thesis
    rows = [
        (criterion.field.capitalize(), criterion.op, criterion.value, "must")
        for criterion in parsed_thesis.hard
    ]
    rows += [("Word", "is", criterion.term, "preferred") for criterion in parsed_thesis.soft]
    grid = Grid(("Criterion", "", "Value", "Weight"), tuple(rows), "As interpreted")
    blocks: list[Block] = [Paragraph(as_text(data.thesis)), *([grid] if rows else [])]
    if parsed_thesis.conflicts:
        blocks.append(
            Bullets(tuple(f"Contradiction: {conflict}." for conflict in parsed_thesis.conflicts))
        )
    return blocks


def _list_memos(deals: Sequence[Deal]) -> list[Block]:
    """List the memos; a sentence that most of them share is said once, above them."""
    shown = deals[:MOST_MEMOS]
    counts = Counter(
        text
        for deal in shown
        for text in dict.fromkeys(
            x.text for x in (claim for section in deal.memo_parts for claim in section.claims)
        )
    )
    shared = {text: n for text, n in counts.items() if n > max(1, len(shown) / 2)}
    blocks: list[Block] = []
    if shared:
        lines = tuple(f"{_plain(text)} ({n} of {len(shown)})" for text, n in shared.items())
        blocks += [Heading("Common to most candidates", 2), Bullets(lines)]
    for deal in shown:
        blocks += [
            Heading(f"{deal.title} ({deal.deal_score})", 2),
            Bullets(_memo_lines(deal, shared)),
        ]
    return [Heading(MEMOS), *blocks] if blocks else []


def _memo_lines(deal: Deal, shared: Collection[str]) -> tuple[str, ...]:
    """Return what is specific to a deal, part by part, with comparable deals and the next step."""
    lines = []
    for section in deal.memo_parts:
        sentences = [_plain(claim.text) for claim in section.claims if claim.text not in shared]
        if sentences:
            lines.append(f"**{section.title}.** {' '.join(sentences)}")
    if deal.comparables:
        like = " ".join(
            f"{comparable.deal} {marks(comparable.source_ids)}".strip()
            for comparable in deal.comparables
        )
        lines.append(f"**Comparable deals.** {_plain(like)}")
    return (*lines, f"**Next.** {deal.suggested_next_action.text}.")


def _plain(text: str) -> str:
    return text.replace("**", "*")
