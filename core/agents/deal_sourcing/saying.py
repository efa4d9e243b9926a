"""The mini-memo of a deal as claims: asset, why now, difference, rights, what is missing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.agents.deal_sourcing.lead import UNLISTED, Lead, Score, quote
from core.agents.deal_sourcing.money import tell_money
from core.agents.deal_sourcing.openings import Opening, say_openings
from core.agents.deal_sourcing.records import DealKind
from core.agents.deal_sourcing.schema import DealSourcingRequest
from core.agents.deal_sourcing.signals import Signal
from core.agents.deal_sourcing.thesis import Thesis
from core.briefs.memo import Section
from core.briefs.skeleton import Dossier, Found
from core.evidence.proof.claims import Claim, Figure, count_of, make_claim, unmark
from core.evidence.readers.stop_reasons import UNCLEAR, stop_class
from core.records.stages import STAGE_WORDS

MOST_CITED = 3
MOST_LEADS = 3
UNVERIFIED = "curator-entered, not yet verified"


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
class Sourced(Found[Lead | Opening]):
    """What a search found.

    Attributes:
        scored: The deals, the best first.
        openings: Grants, raises, papers and offers on the thesis, the best first.
        rejected: What came near, with the reason.
        n_candidates: Drugs with a signal, before any check.
        newest: Newest day of an event on record; "" without any.
    """

    scored: tuple[Scored, ...] = ()
    openings: tuple[Opening, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    n_candidates: int = 0
    newest: str = ""


Scene = Dossier[DealSourcingRequest, Thesis, Sourced]


def _stated(text: str, record_ids: Sequence[str], *names: str) -> Claim:
    """Return a fact of its records; without any, an assumption that is marked as one."""
    if record_ids:
        return make_claim(f"{text}.", "fact", record_ids, names=names)
    return make_claim(f"{text} ({UNVERIFIED}).", "assumption", names=names)


def _say_what(scored: Scored) -> Iterator[Claim]:
    lead = scored.lead
    kind = lead.asset.modality.text if lead.asset.modality else ""
    links = lead.asset.targets[:1]
    acts = f" targeting {unmark(links[0].target.text)}" if links else ""
    words = f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}" if kind else "a drug"
    statements = [lead.asset.modality] if lead.asset.modality else []
    statements += [link.mechanism for link in links]
    ids = [record for statement in statements for record in statement.record_ids][:MOST_CITED]
    text = f"{lead.name} is {words}{acts}"
    cited = ids if statements and all(statement.record_ids for statement in statements) else []
    record_ids = [*dict.fromkeys((*ids, *lead.asset.record_ids[:1]))] if cited else []
    yield _stated(text, record_ids[:MOST_CITED], lead.name)
    program = next((program for program in lead.programs if program.stage == lead.top), None)
    if program is None:
        return
    stated = next((stage for stage in program.stages if stage.stage == program.stage), None)
    ids = list(stated.statement.record_ids[:MOST_CITED]) if stated else []
    where = unmark(program.indication)
    text = f"Highest stage: {STAGE_WORDS[program.stage]}{f' in {where}' if where else ''}"
    yield _stated(text, ids)


def _say_why(scored: Scored) -> Iterator[Claim]:
    for signal in scored.lead.signals[:2]:
        yield tell_signal(scored.lead, signal)


def tell_signal(lead: Lead, signal: Signal) -> Claim:
    """Return the sentence of a signal."""
    if signal.type == "no licensee found":
        text = "No licensee found; undisclosed partners cannot be ruled out."
        return make_claim(text, "assumption")
    if signal.type in {"money raised by its owner", "grant to its owner"}:
        return tell_money(signal)
    ids, day = [signal.record_id], signal.day
    figures = [Figure(day, None, signal.record_id)]
    sponsor = unmark(signal.sponsor)
    names = [name for name in (signal.number, sponsor) if name]
    if signal.type == "stopped for business reasons":
        why = quote(signal.reason)
        text = f"{sponsor} stopped trial {signal.number} (known by {day}): \u201c{why}\u201d."
    elif signal.type == "dropped from a pipeline":
        text, names = f"No longer listed in the pipeline of {sponsor} (as of {day}).", [sponsor]
    else:
        text = f"Trial {signal.number} of {sponsor} began {day}."
    return make_claim(text, "fact", ids, figures=figures, names=names)


def _say_competition(scored: Scored) -> Iterator[Claim]:
    lead = scored.lead
    if scored.rivals is None:
        text = "Number of competitors unknown: its target is not in the curated table."
        yield make_claim(text, "assumption")
        return
    target = unmark(lead.asset.targets[0].target.text)
    if not scored.rivals:
        yield make_claim(f"No other drug on {target} in the curated table.", "assumption")
        return
    figure = count_of(scored.rivals, [f"{target} {index}" for index in range(scored.rivals)])
    drugs = "drug" if scored.rivals == 1 else "drugs"
    text = f"{scored.rivals} other {drugs} on {target} in the curated table."
    yield make_claim(text, "assumption", figures=[figure])


def _say_rights(scored: Scored) -> Iterator[Claim]:
    lead = scored.lead
    where = f" ({lead.home})" if lead.home else ""
    if lead.owner_ids:
        text, ids = f"{lead.owner}{where} owns it", lead.owner_ids[:MOST_CITED]
        yield _stated(text, ids, lead.owner)
    else:
        yield _stated(f"Owner: {lead.owner}{where}", [], lead.owner)
    for role in lead.partners[:2]:
        where = f" for {unmark(role.territory)}" if role.territory else ""
        name = unmark(role.company)
        ids = role.statement.record_ids[:MOST_CITED]
        yield _stated(f"{name} is its {role.role}{where}", ids, name)
    for filing in lead.filings:
        # the drug of the deal is not read
        company, items = unmark(filing.company), ", ".join(filing.words)
        text = (
            f"{company} filed item {items} on {filing.day}; whether it concerns {lead.name} is an "
            "assumption to check."
        )
        figures = [Figure(filing.day, None, filing.record_id)]
        figures += [Figure(word.split()[0], None, filing.record_id) for word in filing.words]
        names = [company, lead.name]
        yield make_claim(text, "assumption", [filing.record_id], figures=figures, names=names)
    listed = f"listed in the United States ({lead.ticker})" if lead.ticker else UNLISTED
    yield make_claim(f"Owner: {listed}.", "rule")


def _say_missing(scored: Scored) -> Iterator[Claim]:
    """Yield what the first call has to clear up."""
    lead = scored.lead
    if lead.kind == "shelved asset":
        trials = {
            trial.number: trial for program in lead.asset.programs for trial in program.trials
        }
        vague = [trial for trial in trials.values() if stop_class(trial.why_stopped) == UNCLEAR]
        for trial in vague[:1]:
            yield make_claim(
                f"Trial {trial.number} was stopped by its sponsor; no reason given.",
                "fact",
                [trial.record_id],
                names=[trial.number],
            )
    if not lead.partners:
        text = "Rights appear available; contract terms are not public."
        yield make_claim(text, "assumption")
    yield make_claim(_ASK[lead.kind], "assumption")


SECTIONS = (
    Section("Asset", _say_what),
    Section("Why now", _say_why),
    Section("What sets it apart", _say_competition),
    Section("Owner and rights", _say_rights),
    Section("Missing", _say_missing),
)
"""The parts of a mini-memo: what is specific to the deal first."""
_ASK: Mapping[DealKind, str] = {
    "shelved asset": "A business reason may hide weak data: ask for the data package, supplies "
    "and an option on the rights.",
    "licence": "Ongoing talks are not public: ask which rights outside the home market are free.",
    "company": "Funding and runway are not public: ask whether it raises money or seeks a partner.",
    "academic spin-out": "Ask the technology-transfer office whether the rights are free.",
}
"""What to ask first, by kind of drug deal."""


_OFFER: Mapping[DealKind, str] = {
    "shelved asset": "shelved asset",
    "licence": "possible in-licensing target",
    "company": "small company with an active program",
    "academic spin-out": "academic program",
}
"""What a deal is called in a sentence."""


def say(scene: Scene) -> Iterator[Claim]:
    """Yield how many deals there are, and the first of them."""
    findings = scene.found
    shown = findings.scored
    if not shown:
        if scene.is_held:
            yield make_claim("No asset matches these criteria.", "rule")
        yield from say_openings(findings.openings, has_drugs=False)
        return
    ids = [
        record for scored in shown[:MOST_LEADS] for record in sorted(scored.lead.record_ids())[:1]
    ]
    n = len(shown)
    fresh = [scored.lead.asset.key for scored in shown if scored.in_window]
    yield make_claim(
        f"{n} matching asset{'s' if n > 1 else ''}; {len(fresh)} with news in the "
        f"last {scene.request.lookback_days} days.",
        "computed",
        ids,
        figures=[
            count_of(n, (f"{scored.lead.asset.key}|{scored.lead.owner}" for scored in shown)),
            count_of(len(fresh), fresh),
        ],
    )
    for scored in shown[:MOST_LEADS]:
        lead = scored.lead
        record = sorted(lead.owner_ids or lead.record_ids())[:1]
        names = [lead.name, *([lead.owner] if lead.owner != lead.name else [])]
        why = lead.signals[0].type.replace("on record", "found")
        text = f"{lead.name} ({lead.owner}): {_OFFER[lead.kind]}; {why}"
        is_fact = lead.owner_ids and lead.asset.record_ids
        yield _stated(text, [*record, *lead.asset.record_ids[:1]] if is_fact else [], *names)
    yield from say_openings(findings.openings, has_drugs=True)
