"""Verdicts on drugs: approvals, stages, companies, targets, kinds, dates and warnings."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from core.checking.accounting import says
from core.checking.approval_days import judge_approval_day
from core.checking.assertions import Assertion
from core.checking.brands import Brand
from core.checking.facts import BROAD, Facts, meets, share_company
from core.checking.results import AssertionKind, CheckedAssertion, CheckVerdict
from core.checking.values import span_of
from core.evidence.assets.roles import ORIGINATOR, owners_of
from core.evidence.assets.target_match import acts_on
from core.evidence.names.companies import row_of
from core.records.programs import (
    Asset,
    CompanyRole,
    Program,
    RegionStage,
    StageStatement,
    TargetExpression,
    TargetLink,
)
from core.records.stages import STAGE_WORDS, STAGES, Stage, region_words
from core.vocabulary.predicates import Predicate
from core.vocabulary.untold import NOT_STATED

NO_DRUG = "No record of this drug."
_EMA_LIST = (re.compile(r"EMA|EC|European (?:Medicines Agency|Commission)"), "2010", "2025")
"""Names of the agency, and first approvals of drugs that its list of 2026-03-14 would name.

Older drugs may have national licenses, and younger ones may have been approved since.
"""
_PHASES: Mapping[Stage, frozenset[str]] = {
    "PHASE3": frozenset("3"),
    "PHASE2_3": frozenset("23"),
    "PHASE2": frozenset("2"),
    "PHASE1_2": frozenset("12"),
    "PHASE1": frozenset("1"),
}
_ALIKE = (
    frozenset({"small molecule", "degrader", "antisense oligonucleotide", "peptide"}),
    frozenset(
        {"monoclonal antibody", "bispecific antibody", "antibody-drug conjugate", "antibody"}
    ),
    frozenset({"fusion protein", "recombinant protein", "peptide", "enzyme", "protein"}),
    frozenset({"cell therapy", "CAR-T", "TCR-T", "gene therapy", "TIL therapy"}),
)
"""Kinds of drugs that sources tell apart in different ways."""


_UP = re.compile(r"\b(?:agoni|activat|stimulat)", re.IGNORECASE)
_DOWN = re.compile(r"\b(?:inhibit|antagoni|block|degrad)", re.IGNORECASE)
_PREVENTION = re.compile(r"prophyla|prevent", re.IGNORECASE)
_FINDING = frozenset({"discovered", "originated", "invented"})
_SOLD = frozenset({"marketed", "sold"})
_SELLING = _SOLD | {"owned"}


def judge_drug(assertion: Assertion, facts: Facts) -> CheckedAssertion:
    """Return the verdict on a statement about a drug."""
    asset = facts.assets.get(assertion.drug.key) if assertion.drug else None
    if assertion.is_tentative:
        return facts.judge(assertion, "not_checkable", note="An expectation or a plan.")
    if asset is None:
        return facts.judge(assertion, "not_covered", note=NO_DRUG)
    return _JUDGES[assertion.kind](assertion, asset, facts)


def says_same_phase(stated: Stage | None, recorded: str) -> bool:
    """Return whether two phases are one, or one of them is part of a combined phase."""
    if stated == recorded:
        return True
    first, second = (_PHASES.get(stage, frozenset()) for stage in (stated, recorded))  # type: ignore[call-overload]
    return bool(first & second)


def _approved(asset: Asset, region: str = "") -> Iterator[tuple[Program, StageStatement]]:
    """Yield the approvals of a drug, those that are over too, with their uses."""
    for program in asset.programs:
        for stage in program.stages:
            if stage.stage == "APPROVED" and (not region or stage.region == region):
                yield program, stage


def _licenses(asset: Asset) -> dict[str, RegionStage]:
    return {region.region: region for region in asset.regions if region.stage == "APPROVED"}


def _is_of_brand(license: RegionStage, brand: Brand) -> bool:
    """Return whether the records of an approval may be those of a brand."""
    ids = license.statement.record_ids
    return license.region in brand.regions or not brand.record_ids.isdisjoint(ids)


def _is_use_of(brand: Brand, stage: StageStatement, asset: Asset, facts: Facts) -> bool:
    """Return whether a use is a brand's: its records say so alone, or give the use's day as its."""
    if stage.region in brand.regions or brand.is_only(stage.region, stage.statement.record_ids):
        return True
    own = (x.fact.object for x in facts.dates.get(asset.key, ()) if brand.names(x.fact.record_id))
    return bool(stage.first_on) and stage.first_on in own


def _describe(license: RegionStage) -> str:
    over = ", withdrawn" if license.is_over else ""
    return (
        f"{region_words(license.region)}{f' {license.first_on}' if license.first_on else ''}{over}"
    )


def _records_of(asset: Asset, licenses: Iterable[RegionStage]) -> list[str]:
    ids = [record_id for each in licenses for record_id in each.statement.record_ids]
    return ids or list(asset.record_ids)


def _of_approval(  # noqa: PLR0911 - one case a verdict
    assertion: Assertion, asset: Asset, facts: Facts
) -> CheckedAssertion:
    licenses = _licenses(asset)
    chosen = [licenses[assertion.region]] if assertion.region in licenses else []
    if not assertion.region:
        chosen = list(licenses.values())
    holding = [license for license in chosen if not license.is_over]
    words = "approved: " + "; ".join(map(_describe, licenses.values()))
    ids = _records_of(asset, holding or chosen or licenses.values())
    brand = facts.brand(assertion.drug, asset)
    if brand and not any(_is_of_brand(license, brand) for license in chosen):
        return facts.judge(assertion, "not_covered", note=f"No approval names {brand.said}.")
    if assertion.is_negated:
        is_whole = assertion.is_status or _is_of_own_day(assertion, asset, facts)
        if not holding or not is_whole:
            note = "The denial may be of one use, time or form alone." if holding else ""
            return facts.judge(assertion, "not_covered", note=note)
        return facts.judge(assertion, "differs", words, ids)
    if holding:
        return facts.judge(assertion, "supported", words, ids)
    if chosen:
        verdict: CheckVerdict = "supported" if assertion.is_past else "older"
        return facts.judge(assertion, verdict, words, ids)
    if licenses:
        is_sure = _is_in_whole_register(assertion, asset)
        note = f"No approval by {region_words(assertion.region)} in the evidence."
        return facts.judge(
            assertion, "differs" if is_sure else "not_covered", words, ids, note=note
        )
    program = _top(asset.programs)
    if program is None or program.shown_stage not in _PHASES:
        return facts.judge(assertion, "not_covered")
    recorded = f"{STAGE_WORDS[program.shown_stage]} in {program.indication}"
    return facts.judge(
        assertion, "differs", recorded, _stage_records(program, asset), as_of=program.as_of
    )


def _is_in_whole_register(assertion: Assertion, asset: Asset) -> bool:
    """Return whether the evidence has a regulator's register whole for a drug of this age and kind.

    A vaccine has other names in the lists of the FDA and the EMA, a part of a combination may be
    approved with its partner alone, and a drug without an approval by the FDA is often on its way.
    """
    if assertion.region != "EMA":
        return assertion.region == "FDA"
    agency, first, last = _EMA_LIST
    regions = {region.region for region in asset.regions}
    is_vaccine = asset.modality is not None and asset.modality.text == "vaccine"
    is_listed = any(record_id.startswith("ema:") for record_id in asset.record_ids)
    is_open = is_vaccine or is_listed or "EMA" in regions or assertion.is_past
    is_of_time = first <= asset.first_approved_on < last and "FDA" in _licenses(asset)
    return is_of_time and agency.fullmatch(assertion.attribute) is not None and not is_open


def _is_of_own_day(assertion: Assertion, asset: Asset, facts: Facts) -> bool:
    """Return whether a denial names a use and the very day of its approval."""
    first = [x.first_on for x in asset.regions if x.region == assertion.region]
    return any(
        meets(assertion.day, day)
        for program, stage in _approved(asset, assertion.region)
        if not stage.is_over
        and any(facts.means(disease, program.indication_key) for disease in assertion.diseases)
        for day in (stage.first_on, *first)
    )


MANY_LABELS_BEFORE = "1990"
"""Drugs first approved before this year have many labels, of which few are in the evidence."""


def _of_use(assertion: Assertion, asset: Asset, facts: Facts) -> CheckedAssertion:
    [disease] = assertion.diseases
    brand, is_of_other = facts.brand(assertion.drug, asset), False
    approved = list(_approved(asset, assertion.region))
    uses = ", ".join(dict.fromkeys(program.indication for program, x in approved if not x.is_over))
    for program, stage in sorted(
        approved, key=lambda pair: (pair[1].is_over, pair[0].indication_key not in disease.keys)
    ):
        words = f"approved for {program.indication} ({region_words(stage.region)})"
        words += ", no longer" if stage.is_over else ""
        words = "; ".join((words, *(use for use in stage.uses if use != program.indication)))
        is_in = facts.covers(disease, program.indication_key) or says(words, disease.said)
        is_in = is_in and (_PREVENTION.search(program.indication) is None or bool(assertion.words))
        if is_in and facts.means(disease, program.indication_key):
            if brand and not _is_use_of(brand, stage, asset, facts):
                is_of_other = True
                continue
            is_outdated = stage.is_over and not assertion.is_past
            verdict: CheckVerdict = "older" if is_outdated else "supported"
            return facts.judge(
                assertion, verdict, words, stage.statement.record_ids, as_of=stage.as_of
            )
    keys = [program.indication_key for program, _ in approved if program.indication_key]
    if is_of_other and assertion.drug:
        note = f"Approved for another brand; no record of {assertion.drug.said} gives this use."
        return facts.judge(assertion, "not_covered", note=note)
    if not keys:
        return facts.judge(assertion, "not_covered")
    ids = [record_id for _, stage in approved for record_id in stage.statement.record_ids]
    is_far = not any(facts.are_near(each, key) for each in disease.keys for key in keys)
    is_far = is_far and not any(says(use, disease.said) for _, x in approved for use in x.uses)
    is_open = any(program.indication == NOT_STATED for program, _ in approved)
    is_open |= "" < asset.first_approved_on < MANY_LABELS_BEFORE
    if (
        not is_far or is_open or asset.has_generics
    ):  # labels of old drugs are many, and rarely all there
        return facts.judge(assertion, "not_covered")
    tested = next((x for x in asset.programs if facts.means(disease, x.indication_key)), None)
    note = f"{STAGE_WORDS[tested.shown_stage]} in {tested.indication}" if tested else ""
    return facts.judge(assertion, "differs", f"approved for {uses}", ids, note=note)


def _top(programs: Sequence[Program]) -> Program | None:
    live = [program for program in programs if not program.is_discontinued] or list(programs)
    return min(live, key=lambda program: STAGES.index(program.shown_stage), default=None)


def _stage_records(program: Program, asset: Asset) -> list[str]:
    stated = [
        record_id
        for stage in program.stages
        if stage.stage == program.stage
        for record_id in stage.statement.record_ids
    ]
    trials = [trial.record_id for trial in program.trials if trial.phase == program.stage]
    return [*stated, *trials, *asset.record_ids]


def _of_stage(  # noqa: PLR0911 - one case a verdict
    assertion: Assertion, asset: Asset, facts: Facts
) -> CheckedAssertion:
    stage = assertion.stage
    programs = [
        program
        for program in asset.programs
        if not assertion.diseases
        or any(facts.means(disease, program.indication_key) for disease in assertion.diseases)
    ]
    keys = {key for disease in assertion.diseases for key in disease.keys}
    if keys.isdisjoint(BROAD):
        programs = [program for program in programs if program.indication_key in keys] or programs
    if not programs:
        return _of_other_disease(assertion, asset, facts)
    if assertion.is_past or assertion.day is not None:
        return _of_past_stage(assertion, programs, facts)
    top = _top(programs)
    is_row = not assertion.spans  # which may name the disease in a column that is not read
    current = programs if assertion.diseases or is_row else [top] if top else []
    same = next((x for x in current if says_same_phase(stage, x.shown_stage)), None)
    if stage == "FILED":
        same = next((x for x in programs if any(y.stage == stage for y in x.stages)), same)
    trial = next((t for x in programs for t in x.trials if says_same_phase(stage, t.phase)), None)
    if same is not None and not assertion.is_negated:
        words = f"{STAGE_WORDS[same.shown_stage]} in {same.indication}"
        key = same.indication_key
        if assertion.diseases and not any(facts.covers(x, key) for x in assertion.diseases):
            note = f"Known in the wider {same.indication}."
            return facts.judge(assertion, "not_covered", note=note)
        return facts.judge(
            assertion, "supported", words, _stage_records(same, asset), as_of=same.as_of
        )
    if not assertion.is_status or assertion.is_negated:
        if assertion.is_negated or trial is None:
            return facts.judge(assertion, "not_covered")
        words = f"{trial.number}, {STAGE_WORDS[trial.phase or 'UNKNOWN']}"
        return facts.judge(assertion, "supported", words, [trial.record_id], as_of=trial.as_of)
    if top is None or stage is None:
        return facts.judge(assertion, "not_covered")
    words = f"{STAGE_WORDS[top.shown_stage]} in {top.indication}"
    ids = _stage_records(top, asset)
    if top.shown_stage == "DISCONTINUED":
        return facts.judge(assertion, "older", words, ids, as_of=top.as_of, note=top.state_words)
    if STAGES.index(top.shown_stage) > STAGES.index(stage):
        return facts.judge(assertion, "differs", words, ids, as_of=top.as_of)
    if trial is not None:
        note = f"Phase of {trial.number}; the program went on since."
        return facts.judge(assertion, "older", words, ids, as_of=top.as_of, note=note)
    return facts.judge(assertion, "older", words, ids, as_of=top.as_of)


def _of_past_stage(
    assertion: Assertion, programs: Sequence[Program], facts: Facts
) -> CheckedAssertion:
    """Return the verdict on an earlier stage: a trial of that phase in that year bears it out."""
    year = assertion.day
    for trial in (trial for program in programs for trial in program.trials):
        span = span_of(trial.start_on)
        is_then = year is not None and span is not None and span.first <= year.last
        is_then = is_then and (trial.primary_completion_on or "9999") >= str(year and year.first)
        if is_then and says_same_phase(assertion.stage, trial.phase) and not assertion.is_negated:
            words = f"{trial.number}, {STAGE_WORDS[trial.phase or 'UNKNOWN']}, {trial.start_on}"
            return facts.judge(assertion, "supported", words, [trial.record_id], as_of=trial.as_of)
    return facts.judge(assertion, "not_covered", note="A stage of the past.")


def _of_other_disease(assertion: Assertion, asset: Asset, facts: Facts) -> CheckedAssertion:
    """Return the verdict on a stage in a disease in which the evidence has no program."""
    keys = [program.indication_key for program in asset.programs if program.indication_key]
    is_far = keys and not any(
        facts.are_near(each, key)
        for disease in assertion.diseases
        for each in disease.keys
        for key in keys
    )
    top = _top(asset.programs)
    is_row = not assertion.spans
    if not is_far or top is None or not assertion.is_status or not is_row:
        return facts.judge(assertion, "not_covered", note="No program in this disease is known.")
    words = f"{STAGE_WORDS[top.shown_stage]} in {top.indication}"
    return facts.judge(assertion, "differs", words, _stage_records(top, asset), as_of=top.as_of)


def _of_company(assertion: Assertion, asset: Asset, facts: Facts) -> CheckedAssertion:
    names, owners = assertion.companies, owners_of(asset)
    roles = [x for x in asset.companies if share_company(names, (x.company, x.statement.text))]
    role = next((x for x in roles if _has_part(x, assertion, owners, asset)), None)
    if assertion.is_negated:
        is_owner = role is not None and role.company in owners
        is_wrong = is_owner and assertion.is_status and assertion.attribute in _SELLING
        if role is None or not is_wrong or _is_over(asset):
            return facts.judge(assertion, "not_covered", note="A denied company.")
        words = f"{role.company}, {role.role}"
        return facts.judge(assertion, "differs", words, role.statement.record_ids)
    if role is not None and _is_of_bought(assertion, role):
        words = f"{role.company}, which acquired the company"
        ids = [*role.statement.record_ids, *asset.record_ids]
        return facts.judge(assertion, "older", words, ids)
    if role is not None:
        is_outdated = assertion.is_status and assertion.attribute in _SOLD and _is_over(asset)
        words = f"{role.company}, {role.role}{'; approvals withdrawn' if is_outdated else ''}"
        ids = [*role.statement.record_ids, *asset.record_ids]
        return facts.judge(assertion, "older" if is_outdated else "supported", words, ids)
    note = _part_in_trials(names, asset)
    is_beside = bool(assertion.beside) and share_company(
        assertion.beside, (name for x in asset.companies for name in (x.company, x.statement.text))
    )
    is_mentioned = bool(roles) or share_company(names, facts.mentioned.get(asset.key, ()))
    if not owners or is_beside or note or is_mentioned or asset.has_generics:
        return facts.judge(assertion, "not_covered", note=note)
    stating = [role for role in asset.companies if role.company in owners]
    ids = [record_id for role in stating for record_id in role.statement.record_ids]
    words = ", ".join(owners)
    return facts.judge(assertion, "differs", words, [*ids, *asset.record_ids])


def _is_of_bought(assertion: Assertion, role: CompanyRole) -> bool:
    """Return whether a company that another one bought is said to own or sell what it found."""
    named = re.split(r" by |: ", assertion.stated)[-1]
    row = row_of(named)
    is_bought = row is not None and row.relation == "acquired"
    return is_bought and assertion.attribute in _SELLING and role.role == ORIGINATOR


def _has_part(role: CompanyRole, assertion: Assertion, owners: Sequence[str], asset: Asset) -> bool:
    """Return whether a company's part in a drug is what the document says of it.

    Tests alone make nobody the developer or the owner; a holder need not have found the drug.
    """
    if assertion.attribute in _SELLING:
        return role.company in owners or role.role in {"holder", "licensee"}
    if role.role == ORIGINATOR:
        return assertion.attribute not in _FINDING or bool(role.statement.record_ids)
    is_known = any(x.role == ORIGINATOR for x in asset.companies)
    if assertion.attribute in _FINDING or (assertion.attribute == "developed" and is_known):
        return False
    is_of_trials = all(record_id.startswith("ctgov:") for record_id in role.statement.record_ids)
    return role.company in owners or not is_of_trials


def _is_over(asset: Asset) -> bool:
    """Return whether a drug was approved, and every approval of it is over."""
    licenses = _licenses(asset).values()
    return bool(licenses) and all(license.is_over for license in licenses)


def _part_in_trials(names: Sequence[str], asset: Asset) -> str:
    """Return of which trial a company is sponsor or collaborator, in words; "" of none."""
    for program in asset.programs:
        for trial in program.trials:
            if share_company(names, (*trial.companies, trial.sponsor_group, trial.sponsor)):
                return f"Sponsor or collaborator of {trial.number}, which makes it no owner."
    return ""


def _of_target(assertion: Assertion, asset: Asset, facts: Facts) -> CheckedAssertion:
    if not asset.targets:
        return facts.judge(assertion, "not_covered")
    genes = {key for link in asset.targets for key in link.target.gene_keys}
    texts = {link.target.text for link in asset.targets}
    stated = {key for target in assertion.targets for key in target.gene_keys}
    is_same = (
        acts_on(asset.targets, assertion.targets)
        or bool(genes & stated)
        or bool(texts & {target.text for target in assertion.targets})
    )
    words = ", ".join(sorted(texts))
    ids = [record_id for link in asset.targets for record_id in link.mechanism.record_ids]
    ids += _pack_first(asset)
    is_known = bool(genes and stated) or not (genes or stated)
    if _is_open_target(assertion, asset, is_same=is_same):
        return facts.judge(assertion, "not_covered", note=f"Its targets: {words}.")
    if is_same == assertion.is_negated:
        is_sure = is_known or is_same
        return facts.judge(assertion, "differs" if is_sure else "not_covered", words, ids)
    return facts.judge(assertion, "supported" if is_same else "not_covered", words, ids)


def _is_open_target(assertion: Assertion, asset: Asset, *, is_same: bool) -> bool:
    """Return whether the targets of a drug neither bear out nor refute what the document says.

    Drugs act on more than their targets, and by way of them; one variant is not another.
    """
    links = [[x for x in asset.targets if _is_of(target, x.target)] for target in assertion.targets]
    if is_same and not assertion.is_negated and not all(links):
        return True
    variants = {x.variant for x in assertion.targets if x.variant}
    if is_same and not all(
        any(variant in link.target.variant for link in asset.targets) for variant in variants
    ):
        return True
    if is_same and assertion.attribute and assertion.is_negated and not assertion.is_status:
        return True
    if is_same and not _acts_so(assertion.words, [link for each in links for link in each]):
        return True
    return not is_same and assertion.attribute == "effect" and not assertion.is_negated


def _acts_so(verb: str, links: Sequence[TargetLink]) -> bool:
    """Return whether a drug acts on its targets the way a verb says.

    Many records name a target alone: what acts on a receptor may block or activate it, and what
    acts on anything else most often blocks it.
    """
    mechanisms = " ".join(link.mechanism.text for link in links)
    if _UP.search(verb):
        return _UP.search(mechanisms) is not None
    if not _DOWN.search(verb) or _DOWN.search(mechanisms):
        return True
    is_receptor = any("receptor" in link.target.text.casefold() for link in links)
    return not is_receptor and not _UP.search(mechanisms)


def _is_of(target: TargetExpression, recorded: TargetExpression) -> bool:
    """Return whether two targets are one by name, or share a gene."""
    stated, genes = set(target.gene_keys), set(recorded.gene_keys)
    is_shared = stated <= genes if target.relation == "both" else not stated.isdisjoint(genes)
    return (bool(stated) and is_shared) or target.text == recorded.text


def _pack_first(asset: Asset) -> list[str]:
    return sorted(asset.record_ids, key=lambda record_id: not record_id.startswith("pack:"))


def _of_modality(assertion: Assertion, asset: Asset, facts: Facts) -> CheckedAssertion:
    if asset.modality is None:
        return facts.judge(assertion, "not_covered")
    recorded, stated = asset.modality.text, assertion.words
    ids = [*asset.modality.record_ids, *_pack_first(asset)]
    if recorded == stated:
        verdict: CheckVerdict = "differs" if assertion.is_negated else "supported"
        return facts.judge(assertion, verdict, recorded, ids)
    is_alike = "|" in stated or any({recorded, stated} <= kinds for kinds in _ALIKE)
    is_open = is_alike or assertion.is_negated
    return facts.judge(assertion, "not_covered" if is_open else "differs", recorded, ids)


def _of_target_date(assertion: Assertion, asset: Asset, facts: Facts) -> CheckedAssertion:
    for target_date in asset.target_dates:
        if meets(assertion.day, target_date.due_on):
            return facts.judge(assertion, "supported", target_date.due_on, [target_date.record_id])
    for stored in facts.dates.get(asset.key, ()):
        if stored.fact.predicate == Predicate.DECIDED_ON and meets(
            assertion.day, stored.fact.object
        ):
            words = f"decided {stored.fact.object}"
            return facts.judge(assertion, "supported", words, [stored.fact.record_id])
    if not asset.target_dates:
        return facts.judge(assertion, "not_covered")
    chosen = asset.target_dates[0]
    words = "; ".join(dict.fromkeys(each.due_on for each in asset.target_dates))
    return facts.judge(assertion, "differs", words, [chosen.record_id], as_of=chosen.as_of)


def _of_exclusivity(assertion: Assertion, asset: Asset, facts: Facts) -> CheckedAssertion:
    term = facts.protections.get(asset.key)
    if term is None or not term.last_on:
        return facts.judge(assertion, "not_covered")
    days = (
        *(term.last_on, term.last_patent_on, term.last_exclusivity_on),
        *(term.biologic_until, term.law_until),
    )
    ids = [*term.record_ids, *asset.record_ids]
    for day in days:
        if day and meets(assertion.day, day):
            return facts.judge(assertion, "supported", day, ids)
    if not assertion.is_status:  # patents are many, and terms of other countries are not listed
        return facts.judge(assertion, "not_covered", note=f"Last listed: {term.last_on}.")
    return facts.judge(assertion, "differs", f"last listed {term.last_on}", ids, note=term.note)


def _of_boxed_warning(assertion: Assertion, asset: Asset, facts: Facts) -> CheckedAssertion:
    if not asset.boxed_warnings:
        return facts.judge(assertion, "not_covered")
    ids = [record_id for each in asset.boxed_warnings for record_id in each.record_ids]
    verdict: CheckVerdict = "differs" if assertion.is_negated else "supported"
    return facts.judge(assertion, verdict, "boxed warning", ids)


_JUDGES: Mapping[AssertionKind, Callable[[Assertion, Asset, Facts], CheckedAssertion]] = {
    "approval": _of_approval,
    "approved use": _of_use,
    "approval date": judge_approval_day,
    "stage": _of_stage,
    "company": _of_company,
    "target": _of_target,
    "modality": _of_modality,
    "target action date": _of_target_date,
    "exclusivity": _of_exclusivity,
    "boxed warning": _of_boxed_warning,
}
