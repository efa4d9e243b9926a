"""The summary: claims about what the company has, proved before they are shown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.agents.company_asset_searcher.schema import CompanyAssetSearcherRequest
from core.briefs.memo import tell_counts
from core.briefs.portfolio.companies import Company
from core.briefs.portfolio.holdings import OwnDrug
from core.briefs.recent import Recent
from core.briefs.skeleton import Dossier, Found
from core.evidence.proof.claims import Claim, count_of, make_claim, unmark
from core.vocabulary.stages import PHASES


@dataclass(frozen=True)
class Holdings(Found[OwnDrug]):
    """The drugs of a company, and what happened to those that are listed within a year."""

    recent: Sequence[Recent] = ()


Portfolio = Dossier[CompanyAssetSearcherRequest, Company, Holdings]
MOST_NAMED = 5
LATE = ("Phase 3", "Filed", "Approved")


def say(dossier: Portfolio) -> Iterator[Claim]:
    """Yield what the company has, what comes next, and how it came by it.

    Args:
        dossier: The company and its drugs, by stage.
    """
    company, drugs = dossier.asked, dossier.found.subjects
    if not drugs:
        return
    yield _count(company, drugs)
    for phase in LATE[::-1]:
        found = [one for one in drugs if one.phase == phase]
        if found:
            yield _name(phase, found)
    ahead = [one for one in drugs if one.catalyst.score > 0 and one.catalyst.date != "TBD"]
    if ahead:
        best = max(ahead, key=lambda one: (one.catalyst.score, one.asset.name))
        yield _next(best)
    if any(one.provenance.origin for one in drugs):
        yield _origins(drugs)


def _count(company: Company, drugs: Sequence[OwnDrug]) -> Claim:
    by_phase: dict[str, list[str]] = {phase: [] for phase in PHASES}
    for one in drugs:
        by_phase[one.phase].append(one.asset.key)
    text, figures = tell_counts({name.lower(): keys for name, keys in by_phase.items() if keys})
    return make_claim(
        f"{company.name}: {len(drugs)} {'drug' if len(drugs) == 1 else 'drugs'} found ({text}).",
        "computed",
        [one.asset.record_ids[0] for one in drugs[:MOST_NAMED] if one.asset.record_ids],
        figures=[count_of(len(drugs), (one.asset.key for one in drugs)), *figures],
        names=[company.name],
    )


def _name(phase: str, drugs: Sequence[OwnDrug]) -> Claim:
    shown = drugs[:MOST_NAMED]
    names = [one.name for one in shown]
    more = len(drugs) - len(shown)
    rest = f" and {more} more" if more else ""
    figures = [count_of(more, (one.asset.key for one in drugs[MOST_NAMED:]))] if more else []
    ids = [
        record_id
        for one in shown
        for program in one.asset.programs[:1]
        for stated in program.stages[:1]
        for record_id in stated.statement.record_ids[:1]
    ]
    ids += [
        trial.record_id
        for one in shown
        for program in one.asset.programs[:1]
        for trial in program.trials[:1]
        if not program.stages
    ]
    text = f"{phase}: {', '.join(names)}{rest}."
    return make_claim(text, "fact", ids, figures=figures, names=names)


def _next(drug: OwnDrug) -> Claim:
    name, catalyst = drug.name, drug.catalyst
    text = (
        f"Next catalyst: {name}, {unmark(catalyst.event)}, {catalyst.date} ({catalyst.confidence})."
    )
    trials = [trial for one in drug.asset.programs for trial in one.trials]
    named = [trial for trial in trials if trial.number in text]
    return make_claim(
        text,
        "rule",
        catalyst.record_ids,
        names=[name, *(trial.number for trial in named[:1])],
    )


def _origins(drugs: Sequence[OwnDrug]) -> Claim:
    known: dict[str, list[str]] = {}
    for one in drugs:
        known.setdefault(one.provenance.origin or "", []).append(one.asset.key)
    left = known.pop("", [])
    order = sorted(known, key=lambda one: (-len(known[one]), one))
    text, figures = tell_counts({origin: known[origin] for origin in order})
    rest = f"; {len(left)} not reported" if left else ""
    figures += [count_of(len(left), left)] if left else []
    return make_claim(f"Origin: {text}{rest}.", "rule", figures=figures)
