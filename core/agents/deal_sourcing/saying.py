"""The mini-memo of a deal: what, why now, stage, rights, competition, ask and risks, as claims."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.agents.deal_sourcing.lead import UNLISTED, Lead, quote
from core.agents.deal_sourcing.money import tell_money
from core.agents.deal_sourcing.schema import DealSourcingRequest
from core.agents.deal_sourcing.scoring import Score
from core.agents.deal_sourcing.signals import Signal
from core.agents.deal_sourcing.thesis import Thesis
from core.briefs.memo import Section
from core.briefs.skeleton import Dossier, Found
from core.evidence.entries.money import MoneyEntry
from core.evidence.proof.claims import Claim, Figure, count_of, make_claim, unmark
from core.evidence.readers.stop_reasons import UNCLEAR, stop_class
from core.records.stages import STAGE_WORDS

MOST_CITED = 3
MOST_LEADS = 3


@dataclass(frozen=True)
class Scored:
    """A deal with its score.

    Attributes:
        lead: The deal.
        score: Its score.
        in_window: Whether its newest signal fell into the window.
        rivals: Other drugs of its target by the curators' table; None where it has no target there.
    """

    lead: Lead
    score: Score
    in_window: bool
    rivals: int | None


@dataclass(frozen=True)
class Sourced(Found[Lead]):
    """What a search found.

    Attributes:
        scored: The deals, the best first.
        rejected: What came near, with the reason.
        n_candidates: Drugs with a signal, before any check.
        newest: Newest day of an event on record; "" without any.
    """

    scored: tuple[Scored, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    n_candidates: int = 0
    newest: str = ""


Scene = Dossier[DealSourcingRequest, Thesis, Sourced]


def sections_of() -> tuple[Section, ...]:
    """Return the parts of a mini-memo."""
    return (
        Section("What", _say_what),
        Section("Why now", _say_why),
        Section("Stage", _say_stage),
        Section("Rights", _say_rights),
        Section("Competition", _say_competition),
        Section("Ask", _say_ask),
        Section("Risks", _say_risks),
    )


def _say_what(one: Scored) -> Iterator[Claim]:
    lead = one.lead
    kind = lead.asset.modality.text if lead.asset.modality else ""
    links = lead.asset.targets[:1]
    acts = f" that acts on {unmark(links[0].target.text)}" if links else ""
    words = f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}" if kind else "a drug"
    said = [lead.asset.modality] if lead.asset.modality else []
    said += [link.mechanism for link in links]
    ids = [record for one in said for record in one.record_ids][:MOST_CITED]
    told = f"{lead.name} is {words}{acts}"
    cited = ids if said and all(one.record_ids for one in said) else []
    known = [*ids, *lead.asset.record_ids[:1]]
    yield (
        make_claim(f"{told}.", "fact", [*dict.fromkeys(known)][:MOST_CITED], names=[lead.name])
        if cited
        else make_claim(
            f"{told}: an assumption, by the curators' own knowledge or its name alone.",
            "assumption",
            names=[lead.name],
        )
    )
    yield _own(lead)


def _own(lead: Lead) -> Claim:
    where = f" ({lead.home})" if lead.home else ""
    names = [lead.name, lead.owner]
    if lead.owner_ids:
        ids = lead.owner_ids[:MOST_CITED]
        return make_claim(f"On record it is {lead.owner}'s{where}.", "fact", ids, names=names[1:])
    text = f"That {lead.name} is {lead.owner}'s{where} is an assumption: curators' own knowledge."
    return make_claim(text, "assumption", names=names)


def _say_why(one: Scored) -> Iterator[Claim]:
    for signal in one.lead.signals[:2]:
        yield tell_signal(one.lead, signal)


def tell_signal(lead: Lead, signal: Signal) -> Claim:
    """Return the sentence of a signal."""
    if signal.type == "no licensee on record":
        text = f"No licensee, partner or other owner of {lead.name} is on record"
        return make_claim(
            f"{text}; whether one exists that no source here tells is an assumption to check.",
            "assumption",
            names=[lead.name],
        )
    if signal.type in {"money raised by its owner", "grant to its owner"}:
        return tell_money(signal)
    ids, day = [signal.record_id], signal.day
    figures = [Figure(day, None, signal.record_id)]
    sponsor = unmark(signal.sponsor)
    names = [name for name in (signal.number, sponsor) if name]
    if signal.type == "stopped for business reasons":
        why = quote(signal.reason)
        text = f"Known by {day}: trial {signal.number} of {sponsor} was stopped: “{why}”."
    elif signal.type == "dropped from a pipeline":
        text, names = f"By {day} it is no longer listed in the pipeline of {sponsor}.", [sponsor]
    else:
        text = f"Trial {signal.number} of {sponsor} began {day}."
    return make_claim(text, "fact", ids, figures=figures, names=names)


def _say_stage(one: Scored) -> Iterator[Claim]:
    lead = one.lead
    program = next((part for part in lead.programs if part.stage == lead.top), None)
    if program is None:
        return
    stated = next((part for part in program.stages if part.stage == program.stage), None)
    ids = list(stated.statement.record_ids[:MOST_CITED]) if stated else []
    where = unmark(program.indication)
    told = f"Furthest: {STAGE_WORDS[program.stage]}{f' in {where}' if where else ''}"
    if ids:
        yield make_claim(f"{told}.", "fact", ids)
    else:
        yield make_claim(f"{told}: an assumption, by the curators' own knowledge.", "assumption")


def _say_rights(one: Scored) -> Iterator[Claim]:
    lead = one.lead
    for role in lead.partners[:2]:
        where = f" for {unmark(role.territory)}" if role.territory else ""
        name = unmark(role.company)
        ids = role.statement.record_ids[:MOST_CITED]
        text = f"{name} is on record as its {role.role}{where}"
        if ids:
            yield make_claim(f"{text}.", "fact", ids, names=[name])
        else:
            yield make_claim(f"{text}: an assumption of the curators.", "assumption", names=[name])
    if not lead.partners:
        yield make_claim(
            "No other company has a part of it on record; contracts are not in registers, so that "
            "free rights are an assumption.",
            "assumption",
        )
    for filing in lead.filings:
        yield _tell_filing(lead, filing)
    listed = f"listed in the United States ({lead.ticker})" if lead.ticker else UNLISTED
    names = [lead.owner]
    yield make_claim(f"By rule, on the listing of {lead.owner}: {listed}.", "rule", names=names)


def _tell_filing(lead: Lead, filing: MoneyEntry) -> Claim:
    """Return that the owner filed on a deal, whose drug is not read."""
    company, items = unmark(filing.company), ", ".join(filing.words)
    text = (
        f"A filing of {company} of {filing.day} has item {items}; whether it is about "
        f"{lead.name} is an assumption to check."
    )
    figures = [Figure(filing.day, None, filing.record_id)]
    figures += [Figure(one.split()[0], None, filing.record_id) for one in filing.words]
    names = [company, lead.name]
    return make_claim(text, "assumption", [filing.record_id], figures=figures, names=names)


def _say_competition(one: Scored) -> Iterator[Claim]:
    lead = one.lead
    if one.rivals is None:
        yield make_claim(
            "How crowded its target is, is not known here; that it matters is an assumption.",
            "assumption",
        )
        return
    target = unmark(lead.asset.targets[0].target.text)
    figure = count_of(one.rivals, [f"{target} {place}" for place in range(one.rivals)])
    drugs = "drug" if one.rivals == 1 else "drugs"
    text = f"{one.rivals} other {drugs} of {target} in the curators' table, an assumption of scope."
    yield make_claim(text, "assumption", figures=[figure])


def _say_ask(one: Scored) -> Iterator[Claim]:
    asks = {
        "shelved asset": "ask for an option on data package, supplies and rights",
        "licence": "ask for rights outside the owner's home market",
        "company": "ask for a first meeting and whether it raises money or seeks a partner",
        "academic spin-out": "ask the technology-transfer office whether rights are free",
    }
    text = f"Assumption, by the type of deal: {asks[one.lead.kind]}."
    yield make_claim(text, "assumption")


def _say_risks(one: Scored) -> Iterator[Claim]:
    lead = one.lead
    if lead.kind == "shelved asset":
        trials = {trial.number: trial for part in lead.asset.programs for trial in part.trials}
        vague = [one for one in trials.values() if stop_class(one.why_stopped) == UNCLEAR]
        for trial in vague[:1]:
            yield make_claim(
                f"Trial {trial.number} was stopped by its sponsor with no ground given.",
                "fact",
                [trial.record_id],
                names=[trial.number],
            )
        text = "A business reason may hide weak data: an assumption to test against the results."
    elif lead.kind == "licence":
        text = "Talks under way are not on record: an assumption to test in the first call."
    else:
        text = "Money and runway are not on record: an assumption to test in the first call."
    yield make_claim(text, "assumption")


def say(scene: Scene) -> Iterator[Claim]:
    """Yield how many deals there are, and the first of them.

    Args:
        scene: The search.
    """
    found = scene.found
    shown = found.scored
    if not shown:
        if scene.is_held:
            yield make_claim("No asset on record is a deal by this thesis.", "rule")
        return
    ids = [record for one in shown[:MOST_LEADS] for record in sorted(one.lead.record_ids())[:1]]
    n = len(shown)
    fresh = [one.lead.asset.key for one in shown if one.in_window]
    yield make_claim(
        f"{n} asset{'s' if n > 1 else ''} worth a look, {len(fresh)} with a signal in the window.",
        "computed",
        ids,
        figures=[
            count_of(n, (f"{one.lead.asset.key}|{one.lead.owner}" for one in shown)),
            count_of(len(fresh), fresh),
        ],
    )
    for one in shown[:MOST_LEADS]:
        lead = one.lead
        record = sorted(lead.owner_ids or lead.record_ids())[:1]
        names = [lead.name, *([lead.owner] if lead.owner != lead.name else [])]
        why = lead.signals[0].type
        text = f"{lead.name} of {lead.owner}: {lead.kind}, by the signal “{why}”."
        kind = "fact" if lead.owner_ids and lead.asset.record_ids else "assumption"
        ids = [*record, *lead.asset.record_ids[:1]] if kind == "fact" else []
        if kind == "assumption":
            text = f"Assumption, by the curators: {text}"
        yield make_claim(text, "fact" if kind == "fact" else "assumption", ids, names=names)
