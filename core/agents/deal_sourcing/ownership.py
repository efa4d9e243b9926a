"""Whose a drug is today where its owner was bought: by takeovers on record, with their day."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.agents.deal_sourcing.lead import Lead
from core.agents.deal_sourcing.thesis import Thesis
from core.evidence.entries.money import TakeoverEntry, read_takeovers
from core.evidence.entries.standing import taking_in
from core.evidence.names.companies import company_group, row_of
from core.evidence.proof.claims import unmark
from core.evidence_ports import EvidenceReader
from core.records.names import fold_name
from core.vocabulary.company_homes import home_of

MOST_NAMES = 12
"""Names of a drug by which its trials are looked for."""
SMALL = frozenset({"company", "academic spin-out"})


def with_buyers(
    leads: Sequence[Lead], thesis: Thesis, evidence: EvidenceReader
) -> tuple[list[Lead], list[tuple[str, str]]]:
    """Return deals under the owner of today, and those whose small owner was bought since.

    Args:
        leads: The deals.
        thesis: One of owners that are not listed asks for them as they were.
        evidence: The pack.
    """
    bought = read_takeovers(evidence) if leads else {}
    kept: list[Lead] = []
    dropped: list[tuple[str, str]] = []
    for lead in leads:
        buyer = bought.get(fold_name(company_group(lead.owner)))
        is_small = lead.kind in SMALL or "unlisted" in thesis.owners
        told = _why_bought(lead, thesis) or (_tell(lead.owner, buyer) if buyer else "")
        if is_small and told:
            dropped.append((lead.name, told))
        else:
            kept.append(_of_buyer(lead, buyer, bought) if buyer else lead)
    return kept, dropped


def without_used(
    leads: Sequence[Lead], evidence: EvidenceReader
) -> tuple[list[Lead], list[tuple[str, str]]]:
    """Return deals but for shelved drugs that their owner still gives in a trial, of whatever drug.

    Args:
        leads: The deals.
        evidence: The pack.
    """
    shelved = [lead for lead in leads if lead.kind == "shelved asset"]
    spelled = {fold_name(name): lead.asset.key for lead in shelved for name in _names(lead)}
    named = evidence.mentioning("drug", sorted(spelled), ("trial_registration",))
    running = taking_in(sorted(named), evidence)
    sponsors = evidence.mentions(running)
    used: dict[str, str] = {}
    for record_id in running:
        owners = {
            fold_name(company_group(one.name))
            for one in sponsors.get(record_id, ())
            if one.relation == "sponsor"
        }
        keys = {spelled[fold_name(one.name)] for one in named[record_id]}
        for lead in shelved:
            if lead.asset.key in keys and fold_name(lead.owner) in owners:
                used.setdefault(lead.asset.key, record_id.partition(":")[2])
    reason = "its owner still gives it in trial {}"
    kept = [one for one in leads if one.kind != "shelved asset" or one.asset.key not in used]
    return kept, [
        (one.name, reason.format(used[one.asset.key])) for one in leads if one not in kept
    ]


def _names(lead: Lead) -> list[str]:
    return [lead.asset.name, *lead.asset.aliases][:MOST_NAMES]


def _of_buyer(lead: Lead, buyer: TakeoverEntry, bought: Mapping[str, TakeoverEntry]) -> Lead:
    """Return a deal of the company that bought its owner; of its last buyer."""
    last, records = buyer, [buyer.record_id]
    while next_one := bought.get(fold_name(company_group(last.buyer))):
        if next_one.record_id in records:
            break
        last = next_one
        records.append(last.record_id)
    owner = company_group(last.buyer)
    return replace(
        lead,
        owner=unmark(owner),
        owner_then=lead.owner,
        home=home_of(owner),
        owner_ids=(last.record_id, *lead.owner_ids),
    )


def _tell(owner: str, buyer: TakeoverEntry) -> str:
    return f"its owner {owner} was bought by {unmark(company_group(buyer.buyer))} ({buyer.day})"


def _why_bought(lead: Lead, thesis: Thesis) -> str:
    """Return that an owner counts under another group, with the day; "" where it does not."""
    owner = lead.signals[0].sponsor
    row = row_of(owner)
    if "unlisted" not in thesis.owners or row is None or row.relation != "acquired":
        return ""
    return f"{unmark(owner)} is part of {row.group} ({row.from_on or 'day not known'})"
