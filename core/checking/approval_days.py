"""Verdicts on days of approval: of the drug, of a use, of a brand, or the first of all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.checking.assertions import Assertion
from core.checking.facts import Facts
from core.checking.results import CheckedAssertion
from core.checking.values import TOLERANCE, DaySpan, span_of
from core.records.evidence_pack import StoredFact
from core.records.programs import Asset
from core.records.stages import region_words


@dataclass(frozen=True, slots=True)
class _Day:
    """A day of an approval in the evidence.

    Attributes:
        on: As recorded.
        span: The same as a span.
        region: Regulator.
        record_ids: The records that say so.
        indication: Key of the use; "" where it is not of one.
        is_license: Whether it is the first of the drug in the region.
    """

    on: str
    span: DaySpan
    region: str
    record_ids: Sequence[str]
    indication: str = ""
    is_license: bool = False

    @property
    def order(self) -> tuple[int, bool, str]:
        """Return its place in time; a day comes before the year that has it."""
        return self.span.first.year, not self.span.is_day, self.on


def judge_approval_day(  # noqa: PLR0911 - one case a verdict
    assertion: Assertion, asset: Asset, facts: Facts
) -> CheckedAssertion:
    """Return the verdict on a day of approval."""
    day, region = assertion.day, assertion.region
    if day is None:
        return facts.judge(assertion, "not_covered")
    brand = facts.brand(assertion.drug, asset)
    every = [each for each in _days(asset, facts) if not region or each.region == region]
    own = [x for x in every if brand is None or brand.is_only(x.region, x.record_ids)]
    uses = [x for x in own if _is_of_use(x, assertion, facts)]
    if assertion.is_first:
        compared = sorted(uses if assertion.diseases else own, key=lambda each: each.order)[:1]
    else:
        compared = [x for x in own if _may_support(x, assertion, day, own, uses)]
        compared.sort(key=lambda each: (not each.span.is_day, each.on))
    n_uses = max((each.n_uses for each in asset.regions), default=0)
    if assertion.diseases and n_uses > 1 and assertion.spans:
        dated = {x.region for x in uses}
        starts = {x.on for x in every if x.is_license}
        compared = [x for x in compared if x in uses or (x.region in dated and x.on not in starts)]
    for each in compared:
        begun = [x.span.first for x in every if x.is_license and x.region == each.region]
        if begun and each.span.last + TOLERANCE < min(begun):
            note = f"Two records disagree: {each.on} and {min(begun)}."
            return facts.judge(assertion, "not_covered", note=note)
        if day.holds(each.span):
            return facts.judge(assertion, "supported", each.on, each.record_ids)
    rough = next((each for each in compared if each.span.holds(day)), None)
    if rough is not None:
        unit = "year" if rough.span.is_rough else "month"
        return facts.judge(assertion, "not_covered", note=f"The record gives the {unit} only.")
    is_part = brand is not None and len(own) < len(every)
    is_known = bool(assertion.region) or any(x.region == "FDA" for x in own)
    if assertion.is_first and compared and not assertion.diseases and is_known and not is_part:
        return facts.judge(assertion, "differs", compared[0].on, compared[0].record_ids)
    if not every:
        return _of_other_region(assertion, day, asset, facts)
    return _of_unknown_day(assertion, every, () if is_part else uses, asset, facts)


def _days(asset: Asset, facts: Facts) -> Iterator[_Day]:
    """Yield the days of approval that the evidence has."""
    found: list[tuple[str, str, Sequence[str], str, bool]] = [
        (stage.first_on, stage.region, stage.statement.record_ids, program.indication_key, False)
        for program in asset.programs
        for stage in program.stages
        if stage.stage == "APPROVED"
    ]
    found += [
        (each.first_on, each.region, each.statement.record_ids, "", True)
        for each in asset.regions
        if each.stage == "APPROVED"
    ]
    found += [
        (stored.fact.object, _region_of(stored), (stored.fact.record_id,), "", False)
        for stored in facts.dates.get(asset.key, ())
    ]
    for on, region, ids, indication, is_license in found:
        span = span_of(on)
        if span is not None:
            yield _Day(on, span, region, ids, indication, is_license)


def _region_of(stored: StoredFact) -> str:
    if stored.fact.qualifiers.region:
        return stored.fact.qualifiers.region
    source = stored.fact.record_id.partition(":")[0]
    return {"ema": "EMA", "pmda": "PMDA"}.get(source, "FDA")


def _is_of_use(each: _Day, assertion: Assertion, facts: Facts) -> bool:
    return bool(each.indication) and any(
        facts.means(disease, each.indication) for disease in assertion.diseases
    )


def _may_support(
    each: _Day, assertion: Assertion, day: DaySpan, days: Sequence[_Day], uses: Sequence[_Day]
) -> bool:
    """Return whether a day of the evidence tells of the approval that the document means.

    Where the document names a use, the day of another use tells nothing; where it names no
    regulator, only the first approval by one does.
    """
    if each in uses:
        return True
    if assertion.diseases and any(x.region == each.region for x in uses):
        return not each.indication and day.is_day and each.span.is_day and not each.is_license
    if assertion.diseases and each.indication:
        return False
    is_first = each.span.first <= min(x.span.last for x in days if x.region == each.region)
    return each.is_license or is_first or (bool(assertion.region) and not day.is_rough)


def _of_other_region(
    assertion: Assertion, day: DaySpan, asset: Asset, facts: Facts
) -> CheckedAssertion:
    """Return the verdict on a day in a region without an approval: it may be another region's."""
    is_licensed = any(x.stage == "APPROVED" and x.region == assertion.region for x in asset.regions)
    for each in asset.regions if not is_licensed else ():
        span = span_of(each.first_on)
        if each.stage == "APPROVED" and span and day.holds(span) and day.is_day and span.is_day:
            words = f"{region_words(each.region)} {each.first_on}"
            return facts.judge(assertion, "differs", words, each.statement.record_ids)
    return facts.judge(assertion, "not_covered")


def _of_unknown_day(
    assertion: Assertion, every: Sequence[_Day], uses: Sequence[_Day], asset: Asset, facts: Facts
) -> CheckedAssertion:
    """Return the verdict on a day of approval that no record has.

    Later approvals of one use are common, so that a later day is wrong only where the document
    gives it as that of the approval; nothing is approved before its first approval.
    """
    day = assertion.day
    licenses = sorted((each for each in every if each.is_license), key=lambda each: each.on)
    if day is None or not licenses:
        return facts.judge(assertion, "not_covered")
    first = licenses[0]
    if not assertion.region and not any(x.region == "FDA" for x in licenses):
        note = "The evidence may lack the day of another agency."
        return facts.judge(assertion, "not_covered", note=note)
    if assertion.is_status and uses:
        return facts.judge(assertion, "differs", uses[0].on, uses[0].record_ids)
    n_uses = max(each.n_uses for each in asset.regions)
    is_only = assertion.is_status and len(licenses) == 1 and n_uses <= 1
    if day.last + TOLERANCE < first.span.first or is_only:
        return facts.judge(assertion, "differs", first.on, first.record_ids)
    note = "The evidence has other days of approval; this may be a later one."
    return facts.judge(assertion, "not_covered", note=note)
