"""What the evidence holds of the setting: precedents, designs, results, labels, letters."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from core.agents.clinical_trial_design.case import DesignCase, Letter, Subject
from core.agents.clinical_trial_design.question import Question
from core.agents.clinical_trial_design.understanding import EXCLUSIVE
from core.agents.clinical_trial_design.votes import OLD_YEAR, is_for_efficacy
from core.briefs.precedents import PHASES, Precedents, Ranked, find_precedents
from core.evidence.assets.precedents.labels import read_register_uses
from core.evidence.assets.precedents.traits import names_of_diseases
from core.evidence.assets.precedents.trials import read_controls, read_trials
from core.evidence.entries.regulators import read_letters
from core.evidence.entries.reports import read_flows
from core.evidence.proof.claims import unmark
from core.records.asset_queries import ExcludedAsset
from core.records.evidence_pack import TextQuery
from core.records.precedents import LabelUse, SettingTrial
from core.records.stages import STAGES, Stage
from core.vocabulary.lines import asked_by
from core.workbench import RunContext

NEAR = 80
"""Trials whose designs and results are read."""
MOST_ROWS = 40
LEAST_NAME = 4
MOST_NAMED = 12
FEW = 50
"""Participants below which a trial is no model of a late one."""
UNTOLD_POINTS = 6
"""Points of match that each thing that a precedent does not tell takes away in the list."""
MOST_LETTERS = 8
MOST_LABELS = 40
EARLY: tuple[Stage, ...] = ("PHASE1", "PHASE1_2", *PHASES)
OPEN = frozenset({"RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION"})
FRESH_DAYS = 730
"""Days after which a copy of an open state says no longer that a trial recruits."""
NARROW = 12
"""Kinds of a disease up to which a drug for it is care of each kind."""
_RESECTED = re.compile(
    r"adjuvant|perioperative|resect(?!able)|surger|ectomy|muscle[- ]invasive|early|high[- ]risk",
    re.IGNORECASE,
)
SECTIONS = ("boxed_warning", "warnings", "warnings_and_cautions", "adverse_reactions")
NOTHING_KNOWN = (
    "no_precedent: no disease or target of the request was recognized, so there are "
    "no precedents; the strategy uses general rules alone."
)
NO_PRECEDENT = "no_precedent: the evidence has no precedent for this setting."


def gather(question: Question, context: RunContext) -> DesignCase:
    """Return the case with what the evidence holds of the setting; nothing is decided."""
    evidence, is_pivotal = context.evidence, question.may_carry_approval
    precedents = find_precedents(
        question.setting,
        evidence,
        context.resolver,
        own=[question.asset],
        phases=PHASES if is_pivotal else EARLY,
    )
    precedents = _leave_out(precedents, question)
    order = sorted(precedents.trials, key=lambda trial: _telling(trial, is_pivotal=is_pivotal))
    near = tuple([*precedents.own, *order][:NEAR])
    results = tuple(
        trial
        for trial in (*precedents.own, *precedents.trials)
        if trial.row.has_results or bool(trial.row.effects)
    )[:NEAR]
    context.progress("Find precedents", 1, 1, f"{len(precedents.trials)} trials")
    case = DesignCase(
        subjects=(),
        excluded=[
            ExcludedAsset(f"{n:,} trial{'s' if n > 1 else ''}", why)
            for why, n in precedents.left_out.items()
        ],
        words=[
            question.asset,
            question.disease,
            *(unmark(area.label) for area in question.setting.areas),
        ],
        question=question,
        precedents=precedents,
        near=near,
        flows=read_flows([trial.row.record_id for trial in results], evidence),
        results=results,
        controls=tuple(read_controls([trial.row for trial in results], evidence)),
        competing=_competing(precedents.trials, context.now.date()),
        named_trials=_named(question, precedents, context),
        approved=tuple(_read_approvals(question, context)),
        texts=_texts(_class_labels(precedents.uses, question), context),
        letters=_letters(question, context),
    )
    subjects = _subjects(case)
    lines = sum(subject.row is not None for subject in subjects)
    notices = list(_list_unknown(case))
    if not (precedents.trials or precedents.own):
        notices.append(NO_PRECEDENT if question.setting.areas else NOTHING_KNOWN)
    return replace(case, subjects=subjects, most=min(lines, MOST_ROWS), warnings=notices)


def _leave_out(precedents: Precedents, question: Question) -> Precedents:
    """Return precedents without those that say nothing of a trial around surgery, or of a vaccine.

    Left out are trials of metastatic disease, or of treatment of the infection.
    """

    def is_other(trial: SettingTrial) -> bool:
        words = " ; ".join((trial.title, *trial.conditions, *trial.modalities))
        if question.is_around_surgery:
            is_asked = asked_by(trial.line) in question.setting.lines
            return not (is_asked or _RESECTED.search(words))
        return "vaccine" in question.intents and "vaccin" not in words.casefold()

    trials = tuple(trial for trial in precedents.trials if not is_other(trial.row))
    number = len(precedents.trials) - len(trials)
    why = "not around surgery" if question.is_around_surgery else "no vaccine"
    left_out = {**precedents.left_out, why: number} if number else precedents.left_out
    return replace(precedents, trials=trials, left_out=left_out)


def _read_approvals(question: Question, context: RunContext) -> Iterator[LabelUse]:
    """Yield the drugs that registers list for the disease, or for a narrow disease above it.

    Around surgery, and of a vaccine, those that the expected control names: registers tell no line.
    """
    identity, areas = context.resolver.identity, question.setting.areas
    above = {key for area in areas for key in identity.ancestors("disease", area.key)}
    narrow = {key for key in above if len(identity.descendants("disease", key)) <= NARROW}
    keys = narrow.union(*(area.keys for area in areas))
    names = {name.casefold() for name in names_of_diseases(sorted(keys), context.resolver)}
    control = question.expected.control_words.casefold() if question.expected else ""
    takes_all = not (question.is_around_surgery or question.intents & EXCLUSIVE)
    seen = {""}
    for use in read_register_uses(names, context.evidence):
        drug = next(iter(use.title.casefold().split()), "")
        if (takes_all or drug in control) and drug not in seen:
            seen.add(drug)
            yield use


def _telling(ranked: Ranked[SettingTrial], *, is_pivotal: bool) -> tuple[float, int, str]:
    """Return by what precedents stand: match, less what they do not tell, purpose and age.

    Next to a late trial, one of another purpose, of few participants or of long ago tells less.
    """
    row = ranked.row
    reported = (row.n, row.endpoints, row.design.control != "unknown", row.drugs)
    missing = sum(not value for value in reported)
    if is_pivotal:
        missing += 2 * (not is_for_efficacy(row))
        missing += bool(row.n and row.n < FEW)
        missing += bool(row.start_on and row.start_on[:4] < str(OLD_YEAR))
    return (UNTOLD_POINTS * missing - ranked.match.score, -(row.n or 0), row.number)


def _competing(
    trials: Sequence[Ranked[SettingTrial]], today: date
) -> tuple[Ranked[SettingTrial], ...]:
    """Return the trials that recruit the patients meant, by copies that are young enough."""
    oldest = (today - timedelta(days=FRESH_DAYS)).isoformat()
    return tuple(
        trial
        for trial in trials
        if trial.row.status in OPEN
        and trial.row.as_of >= oldest
        and trial.match.parts.get("line", 1.0) == 1.0
        and trial.match.parts.get("biomarker", 1.0) > 0
    )


def _named(
    question: Question, precedents: Precedents, context: RunContext
) -> tuple[SettingTrial, ...]:
    """Return the trials that the request names by number, or whose drug it names."""
    if not question.competitors:
        return ()
    trials = {trial.row.number: trial.row for trial in (*precedents.own, *precedents.trials)}
    numbers = (competitor.strip().upper() for competitor in question.competitors)
    missing = [number for number in numbers if number[:3] == "NCT" and number not in trials]
    if missing:
        read, _ = read_trials(
            frozenset(), context.evidence, context.resolver, STAGES, numbers=missing
        )
        trials |= {trial.number: trial for trial in read}
    named = (
        trial
        for trial in trials.values()
        if any(_is_named(competitor, trial) for competitor in question.competitors)
    )
    return tuple(named)[:MOST_NAMED]


def _is_named(competitor: str, trial: SettingTrial) -> bool:
    """Return whether a competitor is a trial's number, its drug, or a word of its title."""
    name = competitor.strip().casefold()
    if name in {trial.number.casefold(), *(drug.casefold() for drug in trial.drugs)}:
        return True
    word = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
    return len(name) >= LEAST_NAME and bool(re.search(word, trial.title.casefold()))


def _list_unknown(case: DesignCase) -> Iterator[str]:
    """Yield a notice of each competitor that the request names and the evidence does not hold."""
    for competitor in case.question.competitors:
        if not any(_is_named(competitor, trial) for trial in case.named_trials):
            yield (
                f"competitor_unknown: “{unmark(competitor)}” matches no trial, drug or title in "
                "the evidence of this setting; name an NCT number or the drug."
            )


def _class_labels(uses: Sequence[Ranked[LabelUse]], question: Question) -> list[str]:
    """Return the labels of the class: of the same target, else of the same kind of drug."""
    genes = {
        gene for target in question.setting.targets for gene in (target.text, *target.gene_symbols)
    }
    same = [use.row for use in uses if genes & set(use.row.targets)]
    kind = [use.row for use in uses if question.kinds & set(use.row.modalities)]
    rows = [*same, *kind] if same or kind else [use.row for use in uses]
    return list(dict.fromkeys(row.record_id for row in rows))[:MOST_LABELS]


def _texts(label_ids: Sequence[str], context: RunContext) -> dict[str, str]:
    """Return the safety sections of whole labels; a label of which none is held is left out."""
    passages = context.evidence.passages(label_ids, SECTIONS) if label_ids else {}
    texts = {
        record_id: " ".join(span.text for span in spans) for record_id, spans in passages.items()
    }
    return {record_id: text for record_id, text in texts.items() if text.strip()}


def _letters(question: Question, context: RunContext) -> tuple[Letter, ...]:
    """Return complete response letters whose text names the disease."""
    names = sorted(
        {area.label for area in question.setting.areas}
        | {name for area in question.setting.areas for name in area.names if len(name) > 5}
    )
    if not names:
        return ()
    query = TextQuery(groups=[names], sources=("fda-letters",), limit=MOST_LETTERS)
    ids = [hit.record_id for hit in context.evidence.search(query)]
    entries, records = read_letters(ids, context.evidence), context.evidence.records(ids)
    return tuple(
        Letter(record_id, records[record_id].title, entries[record_id])
        for record_id in ids
        if record_id in entries and record_id in records
    )


def _subjects(case: DesignCase) -> list[Subject]:
    """Return the trials that get a line, then all else that may be cited."""
    own_numbers = {ranked.row.number for ranked in case.precedents.own}
    lines = [
        Subject(
            ranked.row.number,
            _ids(ranked.row),
            ranked,
            "own trial" if ranked.row.number in own_numbers else "registered trial",
        )
        for ranked in case.near[:MOST_ROWS]
    ]
    shown = {line.key for line in lines}
    ranked_trials = (*case.near, *case.results, *case.competing[:30])
    further = [*case.named_trials, *(trial.row for trial in ranked_trials)]
    uses, pivotal = case.precedents.uses[:30], case.precedents.pivotal[:60]
    others = [
        *((trial.number, _ids(trial)) for trial in further),
        *((use.row.title, (use.row.record_id,)) for use in uses),
        *((use.title, (use.record_id,)) for use in case.approved[:30]),
        *((trial.row.number, (trial.row.label_id,)) for trial in pivotal),
        *((label_id, (label_id,)) for label_id in case.texts),
        *((letter.title, (letter.record_id,)) for letter in case.letters),
    ]
    return [
        *lines,
        *(Subject(key, ids) for key, ids in others if key not in shown or ids[0][:5] != "ctgov"),
    ]


def _ids(trial: SettingTrial) -> tuple[str, ...]:
    return (trial.record_id, *sorted({effect.record_id for effect in trial.effects}))
