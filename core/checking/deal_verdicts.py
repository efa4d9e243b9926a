"""Verdicts on deals: who took part, when, and for how much."""

from collections.abc import Sequence
from dataclasses import replace

from core.checking.assertions import Assertion
from core.checking.facts import Facts, meets, share_company
from core.checking.results import CheckedAssertion, CheckVerdict
from core.checking.values import span_of
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
        of_day = next((deal for deal in matching if meets(assertion.day, deal.day)), None)
        recorded = span_of(of_day.day) if of_day else None
        if of_day is not None and assertion.day and recorded:
            is_exact = assertion.day.holds(recorded)
            note = "" if is_exact else f"The record gives {of_day.day} only."
            sure: CheckVerdict = "supported" if is_exact else "not_covered"
            return facts.judge(assertion, sure, of_day.day, [of_day.record_id], note=note)
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
    """Return the verdict on a company that gives or takes the drug in one of its deals.

    A company may take part in several deals; only one that is on the other side of a deal with the
    same partner is on the wrong one.
    """
    others = [name for name in assertion.beside if name not in assertion.companies]
    mine = [x for x in deals if share_company(_parties(x), assertion.companies)]
    mine = [x for x in mine if not others or share_company(_parties(x), others)] or mine
    of_day = [x for x in mine if assertion.day is None or meets(assertion.day, x.day)]
    for deal in of_day or mine:
        if assertion.words and share_company(_side(deal, assertion.words), assertion.companies):
            return facts.judge(assertion, "supported", _describe(deal), [deal.record_id])
    if mine:
        opposite = "taker" if assertion.words == "giver" else "giver"
        is_turned = assertion.words and all(
            share_company(_side(deal, opposite), assertion.companies)
            and bool(others)
            and share_company(_side(deal, assertion.words), others)
            for deal in mine
        )
        verdict: CheckVerdict = "differs" if is_turned else "not_covered"
        return facts.judge(assertion, verdict, _describe(mine[0]), [mine[0].record_id])
    drug = assertion.drug
    asset = facts.assets.get(drug.key) if drug else None
    known = [role.company for role in asset.companies] if asset else []
    if share_company(known, assertion.companies):
        return facts.judge(assertion, "not_covered", note="The company has another part in it.")
    is_same = any(share_company(_parties(x), others) for x in deals if others) and all(
        meets(assertion.day, x.day) for x in deals
    )
    is_sure = is_same and bool(assertion.words) and len(deals) == 1
    verdict = "differs" if is_sure else "not_covered"
    return facts.judge(assertion, verdict, _describe(deals[0]), [deals[0].record_id])


def _side(deal: DealEntry, side: str) -> tuple[str, ...]:
    """Return the companies on one side of a deal."""
    if side == "giver":
        return (deal.licensor, "" if deal.acquirer or deal.licensee else deal.partner)
    return (deal.licensee, deal.acquirer, deal.partner)


def _of_amount(assertion: Assertion, deals: Sequence[DealEntry], facts: Facts) -> CheckedAssertion:
    """Return the verdict on an amount: of the same deal, kind and currency, or of none."""
    stated = assertion.value or 0.0
    deals = [deal for deal in deals if meets(assertion.day, deal.day)] or deals
    for deal in deals:
        amount = deal.upfront if assertion.attribute == "upfront" else deal.total
        if amount is None or assertion.attribute not in {"upfront", "total", ""}:
            continue
        words = f"{amount.value:,g} million USD {assertion.attribute or 'total'}"
        words = ", ".join(filter(None, (words, deal.territory, deal.day)))
        is_same = abs(amount.value - stated) <= ROUNDING * amount.value
        if assertion.unit == "USD" and assertion.words:
            is_within = (
                amount.value > stated if assertion.words == "least" else amount.value < stated
            )
            verdict: CheckVerdict = "supported" if is_within else "differs"
            return facts.judge(assertion, verdict, words, [deal.record_id])
        if is_same and assertion.unit == "USD":
            return facts.judge(assertion, "supported", words, [deal.record_id])
        is_comparable = assertion.unit == "USD" and len(deals) == 1 and assertion.attribute
        if is_comparable or (is_same and assertion.attribute):
            return facts.judge(assertion, "differs", words, [deal.record_id])
    return facts.judge(assertion, "not_covered")


def _parties(deal: DealEntry) -> tuple[str, ...]:
    return (deal.licensee, deal.licensor, deal.partner, deal.acquirer)


def _describe(deal: DealEntry) -> str:
    parties = " and ".join(filter(None, (deal.licensor, deal.licensee or deal.partner)))
    return ", ".join(filter(None, (f"deal of {parties}", deal.territory, deal.day)))
