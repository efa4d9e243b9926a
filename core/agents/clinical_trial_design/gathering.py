"""What the evidence holds of the setting: precedents, designs, results, labels, letters."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from core.agents.clinical_trial_design.asked import Asked
from core.agents.clinical_trial_design.votes import OLD_YEAR, is_for_efficacy
from core.briefs.precedents import PHASES, Precedents, Ranked, find_precedents
from core.briefs.skeleton import Found
from core.evidence.assets.precedents.results import ControlResult, read_controls
from core.evidence.assets.precedents.trials import read_trials
from core.evidence.entries.regulators import LetterEntry, read_letters
from core.evidence.entries.reports import DesignEntry, FlowEntry, read_designs, read_flows
from core.evidence.proof.cells import Cell
from core.evidence.proof.claims import unmark
from core.records.asset_queries import ExcludedAsset
from core.records.evidence_pack import TextQuery
from core.records.precedents import LabelUse, SettingTrial
from core.records.stages import STAGES, Stage
from core.workbench import RunContext

NEAR = 80
"""Trials whose designs and results are read."""
MOST_ROWS = 40
LEAST_NAME = 4
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
SECTIONS = ("boxed_warning", "warnings", "warnings_and_cautions", "adverse_reactions")


@dataclass(frozen=True)
class Subject:
    """A precedent, label or letter with its record.

    Attributes:
        key: Its number or title.
        ids: Records that may be cited for it.
        row: The trial, with its match; None for a label or letter.
        kind: "registered trial", "own trial" or "named in the request".
    """

    key: str
    ids: tuple[str, ...]
    row: Ranked[SettingTrial] | None = None
    kind: str = "registered trial"
    is_expert_only: bool = False

    @property
    def name(self) -> str:
        """Return its name."""
        return unmark(self.key)

    def cells(self) -> list[Cell]:
        """Return what its line rests on."""
        return [Cell("precedent", self.name, self.ids[:1])] if self.row else []

    def record_ids(self) -> tuple[str, ...]:
        """Return the records that may be cited."""
        return self.ids

    def names(self) -> dict[str, set[str]]:
        """Return its number and the records that speak of it."""
        return {self.name: set(self.ids)} if self.row else {}

    def words(self) -> Iterable[str]:
        """Return phrases with digits: none."""
        return ()


@dataclass(frozen=True)
class Letter:
    """A complete response letter."""

    record_id: str
    title: str
    entry: LetterEntry


@dataclass(frozen=True)
class Holding(Found[Subject]):
    """What the evidence holds.

    Attributes:
        precedents: Trials, uses and pivotal trials of the setting.
        near: The nearest trials, those of the drug asked for among them.
        designs: Their designs by record.
        flows: How participants went through them, by record.
        results: The nearest trials that tell results.
        controls: What their control arms came to.
        competing: Trials that recruit now.
        asked_for: Trials that the request names.
        texts: Sections of the labels of the class, by record.
        letters: Complete response letters of the indication.
    """

    precedents: Precedents = field(default_factory=Precedents)
    near: tuple[Ranked[SettingTrial], ...] = ()
    designs: Mapping[str, DesignEntry] = field(default_factory=dict)
    flows: Mapping[str, tuple[FlowEntry, ...]] = field(default_factory=dict)
    results: tuple[Ranked[SettingTrial], ...] = ()
    controls: tuple[ControlResult, ...] = ()
    competing: tuple[Ranked[SettingTrial], ...] = ()
    asked_for: tuple[SettingTrial, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    letters: tuple[Letter, ...] = ()


def gather(_request: object, question: Asked, context: RunContext) -> Holding:
    """Return what the evidence holds of the setting."""
    evidence, phases = context.evidence, PHASES if _is_late(question) else EARLY
    precedents = find_precedents(
        question.setting, evidence, context.resolver, own=[question.asset], phases=phases
    )
    order = sorted(precedents.trials, key=lambda trial: _telling(trial, is_late=_is_late(question)))
    near_trials = tuple([*precedents.own, *order][:NEAR])
    results = tuple(
        trial
        for trial in (*precedents.own, *precedents.trials)
        if (trial.row.has_results or bool(trial.row.effects))
    )
    ids = [trial.row.record_id for trial in near_trials]
    context.progress("Find precedents", 1, 1, f"{len(precedents.trials)} trials")
    competing = _competing(precedents.trials, context.now.date())
    named = _named(question, precedents, context)
    texts = _texts(_class_labels(precedents.uses, question), context)
    letters = _letters(question, precedents, context)
    others = [*named, *(trial.row for trial in (*near_trials, *results[:NEAR], *competing[:30]))]
    subjects = _subjects(precedents, near_trials, others, [*texts], letters)
    rows = sum(subject.row is not None for subject in subjects)
    return Holding(
        subjects=subjects,
        most=min(rows, MOST_ROWS),
        excluded=[
            ExcludedAsset(f"{n:,} trial{'s' if n > 1 else ''}", why)
            for why, n in precedents.left_out.items()
        ],
        words=[
            question.asset,
            question.disease,
            *(unmark(area.label) for area in question.setting.areas),
        ],
        warnings=list_unknown(question, named),
        precedents=precedents,
        near=near_trials,
        designs=read_designs(ids, evidence),
        flows=read_flows([result.row.record_id for result in results[:NEAR]], evidence),
        results=results[:NEAR],
        controls=tuple(read_controls([result.row for result in results[:NEAR]], evidence)),
        competing=competing,
        asked_for=named,
        texts=texts,
        letters=letters,
    )


def _telling(ranked: Ranked[SettingTrial], *, is_late: bool) -> tuple[float, int, str]:
    """Return by what precedents stand: match, less what they do not tell, purpose and age.

    Next to a late trial, one of another purpose, of few participants or of long ago tells less.
    """
    row = ranked.row
    reported = (row.n, row.endpoints, row.design.control != "unknown", row.drugs)
    missing = sum(not value for value in reported)
    if is_late:
        missing += 2 * (not is_for_efficacy(row))
        missing += bool(row.n and row.n < FEW)
        missing += bool(row.start_on and row.start_on[:4] < str(OLD_YEAR))
    return (UNTOLD_POINTS * missing - ranked.match.score, -(row.n or 0), row.number)


def _is_late(question: Asked) -> bool:
    return question.study in {"pivotal", "confirmatory"}


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
    question: Asked, precedents: Precedents, context: RunContext
) -> tuple[SettingTrial, ...]:
    """Return the trials that the request names by number, or whose drug it names."""
    if not question.competitors:
        return ()
    numbers = [competitor.strip().upper() for competitor in question.competitors]
    trials_by_number = {
        trial.row.number: trial.row for trial in (*precedents.own, *precedents.trials)
    }
    missing_numbers = [
        number for number in numbers if number.startswith("NCT") and number not in trials_by_number
    ]
    if missing_numbers:
        read, _ = read_trials(
            frozenset(), context.evidence, context.resolver, STAGES, numbers=missing_numbers
        )
        trials_by_number |= {trial.number: trial for trial in read}
    drugs = {competitor.casefold() for competitor in question.competitors}
    return tuple(
        trial
        for trial in trials_by_number.values()
        if trial.number in numbers
        or drugs & {name.casefold() for name in trial.drugs}
        or any(_says(trial.title, name) for name in drugs)
    )[:12]


def _says(title: str, name: str) -> bool:
    """Return whether a title names a trial or drug as a word of its own."""
    return len(name) >= LEAST_NAME and bool(
        re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", title.casefold())
    )


def list_unknown(question: Asked, named: Sequence[SettingTrial]) -> list[str]:
    """Return a notice of each competitor that the request names and the evidence does not hold."""
    missing = [
        unmark(competitor)
        for competitor in question.competitors
        if not any(_is_named(competitor.strip(), trial) for trial in named)
    ]
    return [
        f"competitor_unknown: “{competitor}” matches no trial, drug or title in the evidence of "
        "this setting; name an NCT number or the drug."
        for competitor in missing
    ]


def _is_named(competitor: str, trial: SettingTrial) -> bool:
    name = competitor.casefold()
    return (
        trial.number == competitor.upper()
        or name in {drug.casefold() for drug in trial.drugs}
        or _says(trial.title, name)
    )


def _class_labels(uses: Sequence[Ranked[LabelUse]], question: Asked) -> list[str]:
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


def _letters(question: Asked, precedents: Precedents, context: RunContext) -> tuple[Letter, ...]:
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


# noqa: PLR2004


def _subjects(
    precedents: Precedents,
    near_trials: Sequence[Ranked[SettingTrial]],
    further: Sequence[SettingTrial],
    label_ids: Sequence[str],
    letters: Sequence[Letter],
) -> list[Subject]:
    """Return the trials that get a line, then all else that may be cited."""
    own_numbers = {ranked.row.number for ranked in precedents.own}
    lines = [
        Subject(
            ranked.row.number,
            _ids(ranked.row),
            ranked,
            "own trial" if ranked.row.number in own_numbers else "registered trial",
        )
        for ranked in near_trials[:MOST_ROWS]
    ]
    shown = {line.key for line in lines}
    others = [Subject(trial.number, _ids(trial)) for trial in further]
    others += [Subject(use.row.title, (use.row.record_id,)) for use in precedents.uses[:30]]
    others += [
        Subject(precedent.row.number, (precedent.row.label_id,))
        for precedent in precedents.pivotal[:60]
    ]
    others += [Subject(label_id, (label_id,)) for label_id in label_ids]
    others += [Subject(letter.title, (letter.record_id,)) for letter in letters]
    return [
        *lines,
        *(other for other in others if other.key not in shown or other.ids[0][:5] != "ctgov"),
    ]


def _ids(trial: SettingTrial) -> tuple[str, ...]:
    return (trial.record_id, *sorted({effect.record_id for effect in trial.effects}))
