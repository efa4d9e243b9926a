"""Verdicts on deals: who took part, when, and for how much."""

from collections.abc import Sequence
from dataclasses import replace

from core.checking.assertions import Assertion
from core.checking.facts import Facts, meets, share_company
from core.checking.results import CheckedAssertion, CheckVerdict
from core.evidence.entries.money import DealEntry

ROUNDING = 0.03
"""Share by which two sources may round one amount differently."""


def judge_deal(assertion: Assertion, facts: Facts) -> CheckedAssertion:
    """Return the verdict on a statement about a deal of a drug."""
    drug = assertion.drug
    asset = facts.assets.get(drug.key) if drug else None
    keys = {drug.key if drug else "", asset.key if asset else ""}
    deals = [deal for key in sorted(keys) for deal in facts.deals.get(key, ())]
    if not deals:
        return facts.judge(assertion, "not_covered")
    if assertion.attribute in {"licensor", "licensee", "party"}:
        judge = _of_party if assertion.attribute == "party" else _of_side
        return judge(assertion, deals, facts)
    matching = [
        deal
        for deal in deals
        if share_company(_parties(deal), assertion.companies)
        or (not assertion.companies and meets(assertion.day, deal.day))
    ]
    chosen = next(iter(matching), None)
    if chosen is None:
        return facts.judge(assertion, "not_covered", note=f"Known: {_describe(deals[0])}.")
    if assertion.attribute == "day":
        days = [deal.day for deal in matching if deal.day]
        if any(meets(assertion.day, day) for day in days):
            return facts.judge(assertion, "supported", chosen.day, [chosen.record_id])
        is_sure = bool(days) and len(matching) == 1
        verdict: CheckVerdict = "differs" if is_sure else "not_covered"
        return facts.judge(assertion, verdict, chosen.day, [chosen.record_id])
    return _of_amount(assertion, matching, facts)


def _of_side(assertion: Assertion, deals: Sequence[DealEntry], facts: Facts) -> CheckedAssertion:
    """Return the verdict on who gives rights, or who takes them from whom."""
    verdicts: tuple[CheckVerdict, ...] = ("supported", "differs")
    for verdict in verdicts:
        for deal in deals:
            sides = [deal.licensor.split(" + "), deal.licensee.split(" + ")]
            own, other = sides if assertion.attribute == "licensor" else sides[::-1]
            first, second = (own, other) if verdict == "supported" else (other, own)
            is_beside = not assertion.beside or share_company(second, assertion.beside)
            if share_company(first, assertion.companies) and is_beside:
                sure = replace(assertion, is_loose=False)
                return facts.judge(sure, verdict, _describe(deal), [deal.record_id])
    known = (name for deal in deals for name in _parties(deal))
    if share_company(known, assertion.companies) or not all(map(_is_whole, deals)):
        return facts.judge(assertion, "not_covered", note=f"Known: {_describe(deals[0])}.")
    return _of_party(assertion, deals, facts)


def _is_whole(deal: DealEntry) -> bool:
    return bool(deal.licensor and deal.licensee) and " + " not in deal.licensor + deal.licensee


def _of_party(assertion: Assertion, deals: Sequence[DealEntry], facts: Facts) -> CheckedAssertion:
    for deal in deals:
        if share_company(_parties(deal), assertion.companies):
            return facts.judge(assertion, "supported", _describe(deal), [deal.record_id])
    drug = assertion.drug
    asset = facts.assets.get(drug.key) if drug else None
    known = [role.company for role in asset.companies] if asset else []
    if share_company(known, assertion.companies):
        return facts.judge(assertion, "not_covered", note="The company has another part in it.")
    return facts.judge(assertion, "differs", _describe(deals[0]), [deals[0].record_id])


def _of_amount(assertion: Assertion, deals: Sequence[DealEntry], facts: Facts) -> CheckedAssertion:
    stated = assertion.value or 0.0
    of_day = [deal for deal in deals if meets(assertion.day, deal.day)]
    deals = of_day or deals
    for deal in deals:
        amount = deal.upfront if assertion.attribute == "upfront" else deal.total
        if amount is None:
            continue
        words = f"{amount.value:,g} million USD, {assertion.attribute}"
        is_same = abs(amount.value - stated) <= ROUNDING * amount.value
        if is_same and assertion.unit == "USD":
            return facts.judge(assertion, "supported", words, [deal.record_id])
        if len(deals) == 1 or is_same:
            return facts.judge(assertion, "differs", words, [deal.record_id])
    return facts.judge(assertion, "not_covered")


def _parties(deal: DealEntry) -> tuple[str, ...]:
    return (deal.licensee, deal.licensor, deal.partner, deal.acquirer)


def _describe(deal: DealEntry) -> str:
    parties = " and ".join(filter(None, (deal.licensor, deal.licensee or deal.partner)))
    return f"deal of {parties}, {deal.day}".strip(", ")
