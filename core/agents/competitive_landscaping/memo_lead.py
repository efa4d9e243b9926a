"""Memo: what was asked, who is ahead, and where the candidate asset stands."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.agents.competitive_landscaping.ranking import Ranked
from core.agents.competitive_landscaping.standing import NO_DRUG, STANDINGS, Standing, count_listed
from core.agents.competitive_landscaping.survey import (
    Survey,
    by_stage,
    carrying_records,
    listed,
    shares_modality,
    shares_target,
    with_owner,
)
from core.briefs.memo import tell_counts
from core.evidence.assets.target_match import acts_on
from core.evidence.proof.claims import Claim, Figure, count_of, make_claim, unmark
from core.evidence.readers.designs import is_extension
from core.evidence.readers.questions.parsed import ParsedText
from core.records.names import fold_name
from core.records.programs import Program, StageStatement
from core.records.stages import STAGE_WORDS, STAGES, region_words
from core.vocabulary.routes import INTERVAL
from core.vocabulary.untold import UNTOLD
from core.vocabulary.words import plural

MOST_LEADERS = 4
MOST_NAMED = 8
LATER = "9999"
READOUT = "first primary completion"
BY_INVITATION = "ENROLLING_BY_INVITATION"
"""Status of trials that go on with the patients of earlier ones."""
COMPETITORS = "competitors"
"""What a question asks for that names a drug to be beaten."""
UNDER_WAY: Standing = "under way"
STANDING_WORDS: Mapping[Standing, str] = {
    UNDER_WAY: "active",
    "established": "established (off patent or over twenty years on the market by the dates "
    "listed, with no further program)",
    "no activity": "with no recent activity",
    "over": "discontinued",
}
LINE_WORDS = {"1L": "first line", "2L": "second line", "3L": "third line or later"}
MOST_KINDS = 3
"""Kinds of drugs to name in the question; more of them go in parentheses."""
_REGIONS = "FDA EMA PMDA NMPA"
"""Agencies in the order in which they are named."""


def say_understood(survey: Survey) -> list[Claim]:
    """Say how the query and the candidate asset were understood, and how many drugs there are."""
    scope, drugs = survey.found.scope, survey.found.subjects
    parsed = scope.parsed
    text = f"Interpreted as: {_describe(parsed)}"
    if scope.label and len(scope.areas) + bool(scope.words) > bool(parsed.diseases):
        text += f", limited to {scope.label}"
    named = [name for drug in drugs for name in (drug.name, *drug.owners) if name in text]
    claims = [make_claim(f"{text}.", "rule", names=list(dict.fromkeys(named)))]
    if survey.asked.described is not None:
        described = _describe(survey.asked.described)
        text = f"Candidate asset interpreted as: {described}."
        named = [drug.name for drug in drugs if drug.name in text]
        claims.append(make_claim(text, "assumption", names=named))
    return [*claims, *_say_beside(drugs, parsed), *_count(survey)]


def _say_beside(drugs: Sequence[Ranked], parsed: ParsedText) -> Iterator[Claim]:
    """Yield which drugs that a question names act on something else than the target it names."""
    asked = (*parsed.targets, *parsed.adjacent)
    named = {drug.key for drug in parsed.drugs}
    for drug in drugs:
        own = [link.target.text for link in drug.asset.targets]
        if asked and own and drug.asset.key in named and not acts_on(drug.asset.targets, asked):
            text = f"{drug.name} is listed with {listed(own)}, not with {listed([asked[0].text])}."
            yield make_claim(text, "rule", carrying_records(drug), names=[drug.name])


def _describe(parsed: ParsedText) -> str:
    """Return a text as it was interpreted, as a reader of the field would say it."""
    names = [target.text for target in parsed.targets]
    names += [disease.label for disease in parsed.diseases]
    named = " ".join(names).casefold()
    refused = [target.text for target in parsed.not_targets]
    refused += [drug.label for drug in parsed.not_drugs]
    refused += [*parsed.not_companies, *parsed.not_regions, *parsed.not_routes]
    refused += [STAGE_WORDS[stage] for stage in parsed.not_stages]
    refused += [f"{agency} approval" for agency in parsed.not_agencies]
    parts = [
        (" from ", list(parsed.companies)),
        (", excluding ", [*map(plural, parsed.not_modalities), *refused]),
        (" in ", [disease.label for disease in parsed.diseases]),
        (", outside ", [disease.label for disease in parsed.not_diseases]),
        (", ", [LINE_WORDS.get(line, line) for line in parsed.lines]),
        (", ", _stages(parsed)),
        (" in " if parsed.stage_words else ", from or filed in ", list(parsed.regions)),
        (", ", [name for name in parsed.biomarkers if name.casefold() not in named]),
        (", ", parsed.populations),
    ]
    qualifiers = "".join(f"{words}{listed(names)}" for words, names in parts if names)
    return (
        f"{_what(parsed)}{qualifiers}"
        if qualifiers or parsed.names_something
        else "words of records only"
    )


def _stages(parsed: ParsedText) -> list[str]:
    """Return the stages that a text asks for: "phase 2 or later", "in clinical development"."""
    stages = parsed.stages
    if set(stages) == set(STAGES[STAGES.index("FILED") : STAGES.index("PHASE1") + 1]):
        return ["in clinical development"]
    if len(stages) > 2 and set(stages) >= set(STAGES[: len(stages) - 1]):
        return [f"{STAGE_WORDS[parsed.stage_words[-1]]} or later"]
    return [STAGE_WORDS[stage] for stage in parsed.stage_words]


def _what(parsed: ParsedText) -> str:
    """Return the drugs that a text asks for: "PD-1 x VEGF bispecific antibodies"."""
    kinds = [plural(kind) for kind in parsed.modalities]
    acting = [plural(mechanism) for mechanism in parsed.mechanisms]
    targets = listed([target.text for target in parsed.targets])
    beside = [target.text for target in parsed.adjacent]
    targets += f" (and {listed(beside)})" if beside else ""
    nouns = listed(acting) or (listed(kinds) if len(kinds) <= MOST_KINDS else "") or "drugs"
    also = listed(kinds) if kinds and nouns != listed(kinds) else ""
    routes = listed([route for route in parsed.routes if route != INTERVAL])
    text = " ".join(filter(None, (routes, targets, nouns))) + (f" ({also})" if also else "")
    if not parsed.drugs:
        return text
    names = listed(  # as the question writes it, where the register differs in signs alone
        [
            drug.said if fold_name(drug.said) == fold_name(drug.label) else drug.label
            for drug in parsed.drugs
        ]
    )
    if COMPETITORS in parsed.intents:
        return f"competitors of {names}"
    if parsed.targets or parsed.diseases:
        return f"{names} among {text}" if parsed.targets else names
    return f"{names} and drugs with the same target"


def _count(survey: Survey) -> Iterator[Claim]:
    """Say how many drugs there are, by stage, and how many early assets."""
    early = survey.found.early
    early_keys = [asset.asset.key for asset in early]
    early_count = [count_of(len(early), early_keys)] if early else []
    if not survey.found.subjects:
        if early:
            verb = "is" if len(early) == 1 else "are"
            text = f"No drug is listed; {count_listed(0, len(early))} {verb}."
            early_ids = [asset.asset.record_ids[0] for asset in early[:MOST_LEADERS]]
            yield make_claim(text, "computed", dict.fromkeys(early_ids), figures=early_count)
        else:
            yield make_claim(NO_DRUG, "rule")
        if survey.found.excluded:
            text = "Candidates were excluded; the list of exclusions gives each reason."
            yield make_claim(text, "rule")
        return
    drugs = by_stage(survey.found.subjects)
    stages: dict[str, list[str]] = {STAGE_WORDS[stage]: [] for stage in STAGES}
    for drug in drugs:
        stages[STAGE_WORDS[drug.stage]].append(drug.name)
    approved = STAGE_WORDS["APPROVED"]
    wider = [x.name for x in drugs if x.stage == "APPROVED" and x.match == "wider"]
    which = f"{len(wider)} of them" if len(wider) < len(stages[approved]) else "all"
    noted = {approved: f"{approved} ({which} for a broader use)"} if wider else {}
    groups = {noted.get(words, words): names for words, names in stages.items() if names}
    parts, figures = tell_counts(groups)
    figures += [count_of(len(wider), wider)] if wider else []
    total = count_of(len(drugs), [drug.asset.key for drug in drugs])
    adjacent = drugs[0].scope.parsed.adjacent
    asked = drugs[0].scope.parsed.targets
    beside = [x.asset.key for x in drugs if adjacent and not acts_on(x.asset.targets, asked)]
    acting = f", {len(beside)} of them acting on {listed([x.text for x in adjacent])}"
    also = acting if beside else ""
    text = f"{count_listed(len(drugs), 0)} listed{also}: {parts}."
    if early:
        text = f"{count_listed(len(drugs), len(early))} listed{also}. Drugs: {parts}."
    ids = carrying_records(drugs[0])
    beside_count = [count_of(len(beside), beside)] if beside else []
    figures = [total, *early_count, *beside_count, *figures]
    yield make_claim(text, "computed", ids, figures=figures)
    yield from _name_approved(drugs)
    yield from _count_standings(drugs, ids)


def _name_approved(drugs: Sequence[Ranked]) -> Iterator[Claim]:
    """Name the first approved drugs, where there are more than the leaders told one by one.

    Those whose listed use is broader, or of which a condition is not known, are counted alone.
    """
    listed_approved = [drug for drug in drugs if drug.stage == "APPROVED"]
    approved = [drug for drug in listed_approved if drug.match != "wider" and not drug.not_known]
    if len(approved) <= MOST_LEADERS:
        return
    broader = [drug for drug in listed_approved if drug.match == "wider"]
    unclear = [drug for drug in listed_approved if drug.match != "wider" and drug.not_known]
    shown, rest = approved[:MOST_NAMED], approved[MOST_NAMED:]
    names = [drug.name for drug in shown]
    more = f" and {len(rest)} more" if rest else ""
    counted = (
        (rest, ""),
        (
            broader,
            f"; {len(broader)} {'others' if len(broader) > 1 else 'other'} for a broader use",
        ),
        (unclear, f"; for {len(unclear)} others a condition of the question is not known"),
    )
    figures = [
        count_of(len(group), [drug.asset.key for drug in group]) for group, _ in counted if group
    ]
    others = "".join(words for group, words in counted if group)
    ids = [record_id for drug in shown for record_id in carrying_records(drug)[:1]]
    text = f"Approved: {', '.join(names)}{more}{others}."
    yield make_claim(text, "computed", ids, figures=figures, names=names)


def _count_standings(drugs: Sequence[Ranked], ids: Sequence[str]) -> Iterator[Claim]:
    """Say how many are under way, where not all of them are.

    Approved drugs of which no day is listed may be new or old; they are counted apart.
    """
    groups: dict[str, list[str]] = {}
    for standing in STANDINGS:
        among = [drug for drug in drugs if drug.standing == standing]
        undated = [drug.asset.key for drug in among if standing == UNDER_WAY and _is_undated(drug)]
        if names := [drug.asset.key for drug in among if drug.asset.key not in undated]:
            groups[STANDING_WORDS[standing]] = names
        if undated:
            groups["approved on a day not listed"] = undated
    if set(groups) != {STANDING_WORDS[UNDER_WAY]}:
        parts, figures = tell_counts(groups)
        yield make_claim(f"Status: {parts}.", "computed", ids, figures=figures)


def _is_undated(drug: Ranked) -> bool:
    """Return whether a drug is approved, no day of it is listed, and nothing further goes on."""
    live = [program.stage for program in drug.programs if program.state == "live"]
    is_further = any(stage != "APPROVED" for stage in live)
    return not (drug.asset.first_approved_on or drug.active_trials or is_further)


def say_ahead(survey: Survey) -> list[Claim]:
    """Say who is ahead, the drugs that the question names first.

    Not by how many months: the evidence rarely holds every trial of two drugs. Where only what was
    given up is asked for, nobody is.
    """
    parsed = survey.found.scope.parsed
    named = {drug.key for drug in parsed.drugs if COMPETITORS not in parsed.intents}
    is_over = parsed.stages == ("DISCONTINUED",)
    moving = [
        ranked
        for ranked in by_stage(survey.found.subjects)
        if ranked.stage not in _IDLE and (not is_over or ranked.asset.key in named)
    ]
    moving.sort(key=lambda ranked: ranked.asset.key not in named)
    leaders = moving[:MOST_LEADERS]
    return [*(_stand(leader, survey) for leader in leaders), *_stand_against(survey)]


_IDLE = frozenset({"DISCONTINUED", "UNKNOWN"})


def _stand(drug: Ranked, survey: Survey) -> Claim:
    """Say how far a drug has come; one of decades, which many make, without a company."""
    is_old = drug.stage == "APPROVED" and drug.board.is_long_approved
    program = drug.programs[0]
    of_one_use = len(survey.asked.query.diseases) != 1  # other uses have other regions and days
    approvals = _first_approvals(drug.programs[: 1 if of_one_use else None])
    regions = {approval.region for approval in approvals if approval.region}
    named, names = (drug.name, [drug.name]) if is_old else with_owner(drug, regions)
    what, figures = _approved_in(approvals, survey)
    if drug.stage != "APPROVED":
        day, record_id = _readout(drug)
        what = f"{READOUT} {day}" if day else ""
        figures = [Figure(day, record_id=record_id)] if day else []
    where = unmark(program.indication)
    dated = f" ({what})" if what else ""
    stage = STAGE_WORDS[drug.stage]
    is_wider = drug.match == "wider"
    stands = f"is {stage}; its listed use is broader:" if is_wider else f"is {stage} in"
    text, words = f"{named} {stands} {where}{dated}.", (stands, where)
    if where in {"", *UNTOLD}:
        stands = f"is {stage}"
        text, words = f"{named} {stands}{dated}; the record states no indication.", (stands, "")
    ids = dict.fromkeys([*carrying_records(drug), *(figure.record_id for figure in figures)])
    return make_claim(text, "fact", [*ids], figures=figures, names=names, words=words)


def _first_approvals(programs: Iterable[Program]) -> list[StageStatement]:
    """Return the first approval of a region for the uses asked about, in the order of regions."""
    first: dict[str, StageStatement] = {}
    for program in programs:
        for statement in program.approvals if program.stage == "APPROVED" else ():
            earlier = first.setdefault(statement.region, statement)
            if statement.first_on and statement.first_on < (earlier.first_on or LATER):
                first[statement.region] = statement
    return sorted(
        first.values(), key=lambda statement: (_REGIONS.find(statement.region), statement.region)
    )


def _approved_in(approvals: Iterable[StageStatement], survey: Survey) -> tuple[str, list[Figure]]:
    """Return where a drug is approved, with the first days stated."""
    phrases: list[str] = []
    figures: list[Figure] = []
    for approval in approvals:
        facts = [
            survey.facts[fact_id]
            for fact_id in approval.statement.fact_ids
            if fact_id in survey.facts
        ]
        day = approval.first_on
        stated = [fact for fact in facts if day and (day in fact.object or day in fact.as_of)]
        if approval.region:
            name = region_words(approval.region)
            phrases.append(f"{name} {day}" if stated else name)
            figures += [Figure(day, record_id=fact.record_id) for fact in stated[:1]]
    return ", ".join(phrases), figures


def _readout(drug: Ranked) -> tuple[str, str]:
    """Return date and record of the first primary completion at a drug's stage."""
    program = drug.programs[0]
    trials = [
        trial
        for trial in program.trials
        if trial.is_own
        and trial.phase == program.stage
        and trial.primary_completion_on
        and trial.status != BY_INVITATION
        and not is_extension(trial.title)
    ]
    first = min(trials, key=lambda trial: (trial.primary_completion_on, trial.number), default=None)
    return (first.primary_completion_on, first.record_id) if first else ("", "")


def _stand_against(survey: Survey) -> Iterator[Claim]:
    """Say where the described asset stands: who shares its target and kind, who is before it."""
    described = survey.asked.described
    if described is None or not survey.found.subjects:
        return
    same = [subject for subject in survey.found.subjects if shares_target(subject, described)]
    target = listed([target.text for target in described.targets])
    if described.targets and not same:
        ids = carrying_records(survey.found.subjects[0])
        text = f"None of these drugs is known to act on {target}, as the candidate asset does."
        yield make_claim(text, "computed", ids)
    elif same:
        yield _nearest(same, described, target)
    if described.stage_words:
        yield from _count_before(survey, described)


def _nearest(same: list[Ranked], described: ParsedText, target: str) -> Claim:
    """Name the drugs nearest to the candidate asset."""
    alike = [ranked for ranked in same if shares_modality(ranked, described)]
    chosen = by_stage(alike or same)[:MOST_LEADERS]
    names = [ranked.name for ranked in chosen]
    kind = f" and are of its kind ({listed(described.modalities)})" if alike else ""
    shown = len(alike or same)
    ids = [record_id for ranked in chosen for record_id in carrying_records(ranked)[:1]]
    noun = "drugs share" if shown > 1 else "drug shares"
    text = f"{shown} {noun} the candidate asset's target ({target}){kind}: {listed(names)}."
    if shown > len(names):
        text = text.replace(f": {listed(names)}", f"; the furthest are {listed(names)}")
    figure = count_of(shown, [drug.asset.key for drug in alike or same])
    return make_claim(text, "computed", ids, figures=[figure], names=names)


def _count_before(survey: Survey, described: ParsedText) -> Iterator[Claim]:
    """Say how many drugs stand at a later stage than the candidate asset."""
    own_stage = described.stage_words[0]
    later = [
        subject
        for subject in survey.found.subjects
        if STAGES.index(subject.stage) < STAGES.index(own_stage)
    ]
    ids = carrying_records(by_stage(survey.found.subjects)[0])
    word = STAGE_WORDS[own_stage]
    if not later:
        text = f"None of these drugs is at a later stage than the candidate asset ({word})."
        yield make_claim(text, "computed", ids)
        return
    figure = count_of(len(later), [drug.asset.key for drug in later])
    verb = "stand" if len(later) > 1 else "stands"
    text = f"{len(later)} of these {verb} at a later stage than the candidate asset ({word})."
    yield make_claim(text, "computed", ids, figures=[figure])
