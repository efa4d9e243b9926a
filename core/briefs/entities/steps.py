"""From a drug, company or field to the next question: requests of agents, filled from the page."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from core.briefs.developments.records import Development
from core.briefs.developments.wording import title_of
from core.briefs.entities.profiles import DrugProfile
from core.evidence.proof.claims import unmark
from core.records.programs import Program
from core.records.stages import STAGE_WORDS, Stage

MOST_EVENTS = 40
DAY = len("2026-11-26")
_ASSAY_MODALITY = {
    "antibody-drug conjugate": "ADC",
    "antibody-peptide conjugate": "ADC",
    "monoclonal antibody": "antibody",
    "bispecific antibody": "antibody",
    "small molecule": "small molecule",
    "degrader": "small molecule",
    "gene therapy": "gene therapy",
    "siRNA": "RNA therapy",
    "mRNA": "RNA therapy",
    "antisense oligonucleotide": "RNA therapy",
    "oligonucleotide": "RNA therapy",
    "vaccine": "vaccine",
    "fusion protein": "protein biologic",
    "recombinant protein": "protein biologic",
    "enzyme": "protein biologic",
}
_ASSAY_STAGE: dict[Stage, str] = {
    "APPROVED": "commercial",
    "FILED": "phase3",
    "PHASE3": "phase3",
    "PHASE2_3": "phase3",
    "PHASE2": "phase2",
    "PHASE1_2": "phase1",
    "PHASE1": "phase1",
    "PRECLINICAL": "preclinical",
    "DISCOVERY": "discovery",
}


class Step(NamedTuple):
    """A question that follows.

    Attributes:
        agent: Who answers it.
        label: What the link says.
        asked: Fields of its request; what the page does not know is left to the person.
    """

    agent: str
    label: str
    asked: Mapping[str, object]


def drug_steps(
    drug: DrugProfile, program: Program | None, events: Iterable[Development] = ()
) -> list[Step]:
    """Return what can be asked next about a drug: every agent, filled in.

    Args:
        drug: The drug.
        program: The program that is meant, where a question is about one indication.
        events: What happened to the drug, for the study of stock moves.
    """
    name, owner = drug.name, unmark(drug.owners[0]) if drug.owners else ""
    indication = unmark(program.indication) if program else ""
    target = "; ".join(unmark(target) for target in drug.targets)
    stage = program.shown_stage if program else drug.stage
    setting = {
        "asset_name": name,
        "indication": indication,
        "modality": drug.modality,
        "mechanism_of_action": _mechanism(drug),
        "target": target,
        "development_stage": STAGE_WORDS[stage],
        "geography": "United States",
    }
    assay = {
        "modality": _ASSAY_MODALITY.get(drug.modality, "other"),
        "indication": indication,
        "target": target,
        "mechanism": _mechanism(drug),
        "development_stage": _ASSAY_STAGE.get(stage, ""),
    }
    rivals = f"{target} in {indication}" if target and indication else target or name
    return [
        Step("competitive-landscaping", "Scan competitors", {"query": rivals}),
        Step("clinical-trial-design", "Design the next trial", setting),
        Step("label-strategy", "Draft the label", setting),
        Step("assay-development", "Plan assays", assay),
        Step("compound-map", "Map patented compounds", {"target": _first(target)}),
        Step("new-developments", "Read the news", {"query": name}),
        Step("deal-sourcing", "Find similar assets", {"thesis": _thesis(drug, indication)}),
        Step("company-asset-searcher", "Profile the owner", {"company": owner}),
        Step(
            "attribution-engine",
            "Explain stock moves",
            {"companies": [{"name": owner}] if owner else [], "events": _events(name, events)},
        ),
        Step(
            "differential-expression",
            "Analyze RNA-seq",
            {
                "condition_column": "treatment",
                "reference_group": "vehicle",
                "comparison_group": name,
            },
        ),
        Step("alerts", "Set an alert", {"action": "add_manual", "drug_name": name}),
    ]


def company_steps(name: str, ticker: str | None) -> list[Step]:
    """Return what can be asked next about a company."""
    return [
        Step("company-asset-searcher", "Freeze as an answer", {"company": name}),
        Step("new-developments", "Read the news", {"query": name}),
        Step(
            "deal-sourcing",
            "Find assets to license",
            {"thesis": f"assets of {name} without a licensee"},
        ),
        Step(
            "attribution-engine",
            "Explain stock moves",
            {"companies": [{"name": name, "ticker": ticker}]},
        ),
    ]


def field_steps(target: str, disease: str) -> list[Step]:
    """Return what can be asked next about a field."""
    query = " in ".join(filter(None, (target, disease)))
    steps = [
        Step("competitive-landscaping", "Freeze as an answer", {"query": query}),
        Step("new-developments", "Read the news", {"target": target, "indication": disease}),
        Step("deal-sourcing", "Find assets to license", {"thesis": f"{query} without a partner"}),
    ]
    if target:
        steps.append(Step("compound-map", "Map patented compounds", {"target": _first(target)}))
    return steps


def _mechanism(drug: DrugProfile) -> str:
    """Return how a drug acts, in the words of its best source."""
    words = dict.fromkeys(unmark(link.mechanism.text) for link in drug.asset.targets)
    return next(iter(words), "")


def _thesis(drug: DrugProfile, indication: str) -> str:
    kind = f"{drug.modality}s" if drug.modality else "drugs"
    targets = " or ".join(unmark(target) for target in drug.targets[:2])
    where = f" in {indication}" if indication else ""
    return " ".join(filter(None, (targets, kind))) + f"{where} without a partner"


def _first(target: str) -> str:
    return target.partition("; ")[0].partition(" x ")[0]


def _events(name: str, events: Iterable[Development]) -> list[dict[str, object]]:
    """Return dated events of a drug as rows of the study of stock moves."""
    rows: list[dict[str, object]] = [
        {
            "date": event.day,
            "asset": name,
            "event_type": title_of(event)[:200],
            "relationship": "own",
            "confirmed": True,
        }
        for event in events
        if len(event.day) == DAY and event.precision == "day"
    ]
    return rows[:MOST_EVENTS]
