"""A checked deal as the wire has it: memo, criteria, signals, score parts and the next action."""

from collections.abc import Iterator, Sequence
from uuid import NAMESPACE_URL, uuid5

from core.agents.deal_sourcing.lead import UNLISTED, Lead
from core.agents.deal_sourcing.money import list_comparables
from core.agents.deal_sourcing.records import (
    TYPE_OF,
    Deal,
    DealEntities,
    DealSignal,
    DealSource,
    MemoPart,
    MetCriterion,
    NextAction,
    ScoreComponents,
)
from core.agents.deal_sourcing.saying import SECTIONS, Scene, Scored, tell_signal
from core.agents.deal_sourcing.thesis import Thesis
from core.briefs.memo import compose, list_sections, make_ground, prove
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark
from core.evidence.proof.fact_tables import list_sources
from core.knowledge.event_materiality import publisher_of
from core.records.stages import STAGE_WORDS

CROWDED = 10
"""Other drugs of a target from which on its field is crowded."""
LONGEST_TARGET = 100
LONGEST_COMPANY = 200


def make_deal(scored: Scored, scene: Scene, cite: Cite) -> Deal:
    """Return the line of a deal; its memo holds only what its own records carry."""
    lead = scored.lead
    ground = make_ground([lead], scene.records, (), scene.found.words, scene.facts)
    memo = prove(compose(SECTIONS, scored), ground)
    parts = [
        MemoPart(title=section.title, claims=section.claims)
        for section in list_sections(memo, cite)
    ]
    cited = {number for section in parts for claim in section.claims for number in claim.source_ids}
    entities = DealEntities(
        company=lead.owner,
        geography=lead.home,
        modality=lead.asset.modality.text if lead.asset.modality else "",
        stage=STAGE_WORDS[lead.top],
        asset=lead.name,
        target=", ".join(unmark(link.target.text) for link in lead.asset.targets[:3]),
        indication=lead.indications,
        owner_kind=f"listed in the United States ({lead.ticker})" if lead.ticker else UNLISTED,
    )
    entity = f"{lead.owner.casefold()}|{lead.asset.key}|{TYPE_OF[lead.kind]}"
    days = sorted(signal.day for signal in lead.signals if signal.day)
    return Deal(
        deal_uuid=str(uuid5(NAMESPACE_URL, entity)),
        title=f"{lead.name} ({lead.owner})",
        deal_type=TYPE_OF[lead.kind],
        deal_kind=lead.kind,
        deal_score=scored.score.total,
        memo="\n".join(
            f"{section.title}: {' '.join(claim.text for claim in section.claims)}"
            for section in parts
        ),
        entities=entities,
        suggested_next_action=_next(scored),
        source_ids=sorted(cited, key=int),
        score_components=ScoreComponents(**dict(scored.score.parts)),
        unknown_parts=list(scored.score.unknown),
        criteria=list(_criteria(lead, entities, scene.asked)),
        signals=[
            DealSignal(
                type=signal.type,
                date=signal.day or None,
                text=tell_signal(lead, signal).text,
                source_ids=cite.numbers([signal.record_id] if signal.record_id else []),
            )
            for signal in lead.signals
        ],
        first_seen_on=days[0] if days else None,
        newest_signal_on=days[-1] if days else None,
        in_window=scored.in_window,
        comparables=list_comparables(lead, scene.records, scene.facts, cite),
        memo_parts=parts,
    )


def _criteria(lead: Lead, entities: DealEntities, thesis: Thesis) -> Iterator[MetCriterion]:
    """Yield each criterion: a deal that is shown meets the hard ones."""
    evidence_texts = {
        "target": entities.target,
        "disease": entities.indication,
        "drug": entities.asset,
        "modality": entities.modality,
        "kind": "named so in a record",
        "route": ", ".join(route.text for route in lead.asset.routes) or "not reported",
        "stage": entities.stage,
        "geography": entities.geography,
        "owner": entities.owner_kind,
        "company": entities.company,
        "partner": "none found" if not lead.partners else "none outside the home market",
        "stop": lead.signals[0].reason or lead.signals[0].type,
        "signal": lead.signals[0].type,
        "signal date": lead.newest,
    }
    for criterion in thesis.hard:
        is_open = criterion.field == "signal" or (
            criterion.field == "owner" and criterion.value == "unlisted"
        )
        yield MetCriterion(
            criterion=f"{criterion.field} {criterion.op} {criterion.value}",
            hard=True,
            met="unknown" if is_open else "yes",
            evidence=unmark(evidence_texts[criterion.field]),
        )
    for word in (*thesis.soft, *thesis.parsed.words):
        yield MetCriterion(criterion=unmark(word), hard=False, met="unknown", evidence="")


def _next(scored: Scored) -> NextAction:
    """Return what to do next: a crowded field first, then the structure, then the owner."""
    lead = scored.lead
    target = lead.asset.targets[0].target if lead.asset.targets else None
    kind = lead.asset.modality.text if lead.asset.modality else ""
    if target and scored.rivals is not None and scored.rivals >= CROWDED:
        return NextAction(
            text=f"See who else is on {unmark(target.text)}, and how far",
            agent_key="competitive_landscaping",
            inputs={"query": f"{target.text} {kind}".strip()[:1000], "query_type": "clinical"},
        )
    if lead.kind == "shelved asset" and target and kind == "small molecule":
        gene = (target.gene_symbols or (target.text,))[0]
        return NextAction(
            text=f"See patents and structures of {unmark(gene)}",
            agent_key="compound_map",
            inputs={"target": gene[:LONGEST_TARGET]},
        )
    return NextAction(
        text=f"See what else {lead.owner} has",
        agent_key="company_asset_searcher",
        inputs={"company": lead.owner[:LONGEST_COMPANY]},
    )


def list_deal_sources(cite: Cite) -> Sequence[DealSource]:
    """Return the numbered sources with publisher and date."""
    records = [cite.records[record_id] for record_id in cite.citations.cited]
    return [
        DealSource(
            **source.model_dump(),
            publisher=publisher_of(record.id),
            date=(record.updated_on or record.published_on or record.copied_on)[:7],
        )
        for source, record in zip(list_sources(cite.citations, cite.records), records, strict=True)
    ]
