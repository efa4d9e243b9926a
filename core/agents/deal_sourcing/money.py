"""What registers tell of an owner's money, and licences to compare with; no other amounts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

from core.agents.deal_sourcing.lead import Lead
from core.agents.deal_sourcing.records import Comparable
from core.agents.deal_sourcing.signals import Signal
from core.briefs.developments.linking import Linker
from core.evidence.entries.money import (
    Amount,
    DealEntry,
    MoneyEntry,
    read_deals,
    read_money,
    read_raises,
)
from core.evidence.names.companies import company_group
from core.evidence.proof.citations import Cite
from core.evidence.proof.claim_checks import Ground, check_claims
from core.evidence.proof.claims import Claim, Figure, make_claim, unmark
from core.evidence_ports import EvidenceReader
from core.records.events import LinkedDrug
from core.records.evidence import Fact, Record
from core.records.names import fold_name

RECENT_DAYS = 730
"""Days after which money of an owner is no signal any more."""
MOST_SIGNALS = 2
MOST_COMPARED = 3
MOST_FILINGS = 1
MOST_RAISED = 10
OF_OWNERS = frozenset({"company", "academic spin-out"})
"""Deals with the owner itself; elsewhere its money says nothing of the drug."""
NO_PROGRAM = "it raised money (Form D of {}), and no program of it is among the candidates"


def with_money(leads: Sequence[Lead], evidence: EvidenceReader, today: date) -> list[Lead]:
    """Return deals with raises and grants of their owners as signals, the newest first."""
    money = read_money({lead.owner for lead in leads}, evidence)
    since, until = (today - timedelta(days=RECENT_DAYS)).isoformat(), today.isoformat()
    with_entries: list[Lead] = []
    for lead in leads:
        entries = [entry for entry in money.get(lead.owner, ()) if since <= entry.day <= until]
        filings = tuple(entry for entry in entries if entry.kind == "filing")[:MOST_FILINGS]
        own_signals = [_signal_of(entry) for entry in entries if entry.kind != "filing"]
        own_signals = own_signals[:MOST_SIGNALS] if lead.kind in OF_OWNERS else []
        signals = sorted((*lead.signals, *own_signals), key=lambda signal: signal.day, reverse=True)
        with_entries.append(replace(lead, signals=tuple(signals), filings=filings))
    return with_entries


def _signal_of(entry: MoneyEntry) -> Signal:
    number = entry.words[0] if entry.words else ""
    kind = "money raised by its owner" if entry.kind == "raise" else "grant to its owner"
    return Signal(kind, entry.day, entry.record_id, entry.company, "", number, entry.amount)  # type: ignore[arg-type]


def list_raised(
    window: tuple[date, date], companies: Iterable[str], evidence: EvidenceReader
) -> Iterator[tuple[str, str]]:
    """Yield companies that raised money in the window and have no program among the candidates."""
    names = {fold_name(company_group(company)) for company in companies}
    raised: dict[str, MoneyEntry] = {}
    for entry in read_raises(window[0].isoformat(), evidence):
        if entry.day > window[1].isoformat():
            continue
        raised.setdefault(fold_name(company_group(entry.company)), entry)
    others = [entry for group, entry in raised.items() if group not in names]
    for other in others[:MOST_RAISED]:
        yield other.company, NO_PROGRAM.format(other.day)


def link_deals(evidence: EvidenceReader, linker: Linker) -> list[tuple[DealEntry, LinkedDrug]]:
    """Return the deals of the evidence with their drugs, the newest first."""
    deals = read_deals(evidence)
    drugs = linker.links.drugs({deal.asset for deal in deals}) if deals else {}
    return [(deal, drug) for deal in deals for drug in drugs.get(deal.asset, ())[:1]]


def with_comparables(
    leads: Sequence[Lead], deals: Sequence[tuple[DealEntry, LinkedDrug]]
) -> list[Lead]:
    """Return deals with licences of drugs of their target, those with amounts first.

    Without one of the target, a licence of the same kind of drug counts where it tells an amount.
    """
    compared = []
    for lead in leads:
        targets = {link.target.text for link in lead.asset.targets}
        kind = lead.asset.modality.text if lead.asset.modality else ""
        same, alike = [], []
        for deal, drug in deals:
            if drug.key == lead.asset.key:
                continue
            if targets & {target.text for target in drug.targets}:
                same.append(deal)
            elif kind and drug.modality == kind and (deal.upfront or deal.total):
                alike.append(deal)
        chosen = sorted(same, key=lambda deal: not (deal.upfront or deal.total)) or alike
        compared.append(replace(lead, deals=tuple(chosen[:MOST_COMPARED])))
    return compared


def list_comparables(
    lead: Lead, records: Mapping[str, Record], facts: Mapping[int, Fact], cite: Cite
) -> list[Comparable]:
    """Return the comparables whose every word and amount a record carries."""
    return [
        Comparable(
            deal=claim.text,
            upfront_musd=deal.upfront.value if deal.upfront else None,
            total_musd=deal.total.value if deal.total else None,
            source_ids=cite.numbers([deal.record_id]),
        )
        for deal in lead.deals
        if not check_claims([claim := tell_deal(deal)], _ground(deal, records, facts))
    ]


def tell_deal(entry: DealEntry) -> Claim:
    """Return the sentence of a licence: parties, territory, day and the amounts on record."""
    names = [unmark(name) for name in (entry.asset, entry.licensee, entry.licensor)]
    giver = f" from {names[2]}" if entry.licensor else ""
    where = f" for {unmark(entry.territory)}" if entry.territory else ""
    text = f"{names[1]} took rights of {names[0]}{giver}{where} ({entry.day}"
    figures = [Figure(entry.day, None, entry.record_id)]
    for measure, word, amount in (
        ("upfront", "upfront", entry.upfront),
        ("total", "in all", entry.total),
    ):
        if amount:
            figure = _figure(amount, entry.record_id, "USD million")
            figures.append(replace(figure, measure=measure))
            text += f"; {figures[-1].shown} million USD {word}"
    if not entry.is_sure:
        text += "; not confirmed by a source that can be looked up"
    return make_claim(f"{text}).", "fact", [entry.record_id], figures=figures, names=names)


def _ground(entry: DealEntry, records: Mapping[str, Record], facts: Mapping[int, Fact]) -> Ground:
    """Return the record of a licence as all that its sentence may rest on."""
    names = {unmark(name) for name in (entry.asset, entry.licensee, entry.licensor) if name}
    own_records = {entry.record_id: records[entry.record_id]} if entry.record_id in records else {}
    words = frozenset({unmark(entry.territory)} - {""})
    return Ground(own_records, facts, {name: frozenset(own_records) for name in names}, words)


def tell_money(signal: Signal) -> Claim:
    """Return the sentence of a raise or a grant."""
    company = unmark(signal.sponsor)
    figures = [Figure(signal.day, None, signal.record_id)] if signal.day else []
    amount = _figure(signal.amount, signal.record_id, "USD") if signal.amount else None
    figures += [amount] if amount else []
    if signal.type == "money raised by its owner":
        sold = f"{amount.shown} USD sold" if amount else "no amount sold yet"
        text = f"Form D of {company}, filed {signal.day}: {sold}."
        return make_claim(text, "fact", [signal.record_id], figures=figures, names=[company])
    given = f" of {amount.shown} USD" if amount else ""
    number = unmark(signal.number)
    text = f"Grant {number}{given} to {company}{f', {signal.day}' if signal.day else ''}."
    names = [company, number]
    return make_claim(text, "fact", [signal.record_id], figures=figures, names=names)


def _figure(amount: Amount, record_id: str, unit: str) -> Figure:
    shown = f"{amount.value:,.2f}".rstrip("0").rstrip(".")
    return Figure(shown, amount.value, record_id, amount.fact_id, unit=unit)
