"""What the evidence holds for a label: uses of labels in the setting, labels of the class."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from core.agents.label_strategy.classes import LabelClass, find_classes, leading
from core.agents.label_strategy.curated_labels import find_curated
from core.agents.label_strategy.letters import ClassLetter, find_letters
from core.agents.label_strategy.question import Question, biomarkers_of
from core.agents.label_strategy.schema import LabelStrategyRequest
from core.briefs.precedents import CARRIED, Precedents, Ranked, find_precedents, match_use
from core.briefs.skeleton import Found
from core.evidence.assets.precedents.label_sheets import (
    LabelSheet,
    LabelText,
    newest_sheets,
    read_label_texts,
    read_sheets,
)
from core.evidence.assets.precedents.labels import read_eu_uses
from core.evidence.assets.precedents.traits import names_of_diseases
from core.evidence.entries.regulators import LabelChange, read_changes
from core.evidence.proof.cells import Cell
from core.evidence.readers.label_extents import read_extent
from core.evidence.readers.trial_settings import read_line
from core.knowledge.withdrawn_drugs import find_withdrawn
from core.records.names import fold_name
from core.records.precedents import LabelUse, PivotalTrial, SettingTrial, UseReading
from core.vocabulary.lines import asked_by
from core.workbench import RunContext

MOST_USES = 24
MANY = 3
"""Diseases of a use that is of none of them above all."""
MOST_NAMED = 8
MOST_SHOWN = 14
MOST_HISTORY = 30
MOST_TRIALS = 25
"""Trials that a line may cite, the nearest."""
SUBCUTANEOUS = "hyaluronidase"
_SYMBOL = re.compile(r"\b[A-Z][A-Z0-9-]*[A-Z0-9]\b")


@dataclass(frozen=True)
class Use:
    """A use of a label as the subject of a line.

    Attributes:
        row: The use; slots of a label whose text is not held are empty.
        match: How near it is, 0 to 100.
        parts: Parts of the match.
        extent: How far the disease has come.
        sheet: What is known of its label beside.
        text: What its label says.
        pivotal: Trials that its label names for the disease.
        trials: Those of them that were found.
        keys: Keys and folded names of its drugs.
        is_competitor: Whether the request names its drug.
        is_expert_only: Whether curators alone tell it.
        is_own: Whether it is of the asset's own label.
        trial_names: Names of its pivotal trials, where curators tell them.
        geography: Agency whose product information it is.
    """

    row: LabelUse
    match: int
    parts: Mapping[str, float]
    extent: str
    sheet: LabelSheet | None
    text: LabelText | None
    pivotal: tuple[PivotalTrial, ...] = ()
    trials: tuple[SettingTrial, ...] = ()
    keys: frozenset[str] = frozenset()
    is_competitor: bool = False
    is_expert_only: bool = False
    is_own: bool = False
    trial_names: tuple[str, ...] = ()
    geography: Literal["FDA", "EMA"] = "FDA"

    @property
    def name(self) -> str:
        """Return the name under which readers know its label."""
        title = self.row.title.removeprefix("US label indications: ")
        return title.removeprefix("US label: ").split(",")[0].strip().title()

    @property
    def moiety(self) -> frozenset[str]:
        """Return its active substances."""
        other_drugs = [drug for drug in self.row.drugs if SUBCUTANEOUS not in drug.casefold()]
        return frozenset(map(fold_name, other_drugs or self.row.drugs))

    @property
    def endpoint(self) -> str:
        """Return the class of the endpoint that carried it; "" where its label names none."""
        return next((end for precedent in self.pivotal for end in precedent.endpoints), "")

    def cells(self) -> list[Cell]:
        """Return what its line rests on."""
        return [Cell("use", self.row.use.text[:200], (self.row.record_id,))]

    def record_ids(self) -> set[str]:
        """Return its label and its trials."""
        return {self.row.record_id, *(trial.record_id for trial in self.trials)}

    def names(self) -> dict[str, set[str]]:
        """Return its name and the numbers of its trials."""
        named = {self.name: {self.row.record_id}}
        return named | {trial.number: {trial.record_id} for trial in self.trials}

    def words(self) -> Iterator[str]:
        """Yield the names of its diseases, its biomarkers and its endpoint."""
        use = self.row.use
        yield from (*self.row.diseases, use.biomarker, use.age.words, self.endpoint)


@dataclass(frozen=True)
class ClassLabel:
    """A label or record of the class, which claims may cite and which gets no line."""

    name: str
    ids: tuple[str, ...]
    is_expert_only: bool = False

    def cells(self) -> list[Cell]:
        """Return nothing: it has no line."""
        return []

    def record_ids(self) -> set[str]:
        """Return its records."""
        return {*self.ids}

    def names(self) -> dict[str, set[str]]:
        """Return its name."""
        return {self.name: {*self.ids}}

    def words(self) -> Iterable[str]:
        """Return nothing."""
        return ()


@dataclass(frozen=True)
class Holdings(Found["Use | ClassLabel"]):
    """What was found.

    Attributes:
        uses: Uses in the setting, the nearest first, one label a drug.
        own: Trials of the asset on record.
        trials: Trials of the setting.
        pivotal: Trials that labels name.
        classes: Classes of the asset, the most telling first.
        texts: What the labels of the classes say.
        changes: Changes that labels of the class list, with those labels.
        letters: Complete response letters of drugs of the class and of the disease.
        class_ids: Labels of the narrowest class and of the first that is large enough.
        disease_names: Names of the disease, as records write them.
    """

    uses: Sequence[Use] = ()
    own: Sequence[SettingTrial] = ()
    trials: Sequence[Ranked[SettingTrial]] = ()
    pivotal: Sequence[Ranked[PivotalTrial]] = ()
    classes: Sequence[LabelClass] = ()
    texts: Mapping[str, LabelText] = field(default_factory=dict)
    changes: Mapping[LabelChange, tuple[str, ...]] = field(default_factory=dict)
    letters: Sequence[ClassLetter] = ()
    class_ids: frozenset[str] = frozenset()
    disease_names: Sequence[str] = ()

    @property
    def best(self) -> int:
        """Return the match of the nearest use."""
        return self.uses[0].match if self.uses else 0

    @property
    def cut_studies(self) -> int:
        """Return the labels in the disease whose studies section is cut at the copy's end."""
        return len({use.row.record_id for use in self.uses if use.text and use.text.is_cut})

    def moieties(self, least: int = 0) -> int:
        """Return the number of drugs with a use that is at least so near."""
        return len({use.moiety for use in self.uses if use.match >= least})


def gather(_: LabelStrategyRequest, question: Question, context: RunContext) -> Holdings:
    """Return what the evidence holds for a label."""
    evidence, resolver = context.evidence, context.resolver
    precedents = find_precedents(question.setting, evidence, resolver, own=question.own_names)
    every = read_sheets(evidence, resolver)
    sheets = newest_sheets(every)
    classes = find_classes(question, sheets)
    members = {
        label.record_id: label for group in classes for label in (*group.labels, *group.unknown)
    }
    by_id = {sheet.record_id: sheet for sheet in every}
    uses = list(_uses(precedents, question, by_id, context))
    withdrawn = [
        use
        for use in uses
        if (find_withdrawn(use.row.drugs, use.row.diseases, "US", question.as_of) is not None)
    ]
    kind = {"diagnostic agent"} if question.is_diagnostic else set[str]()
    uses = [use for use in uses if use not in withdrawn and kind <= {*use.row.modalities}]
    labels = {use.row.record_id for use in uses if use.row.record_id in by_id}
    read = [*members.values(), *(by_id[label] for label in sorted(labels))]
    texts = read_label_texts(read, evidence)
    uses = [replace(use, text=use.text or texts.get(use.row.record_id)) for use in uses]
    own_labels = [sheet for sheet in sheets if _is_own(sheet.drugs, sheet.brand, question)]
    close = {sheet.record_id: sheet for group in _close(classes) for sheet in group}
    changes = read_changes(sorted({*close, *labels}), evidence)
    others = [by_id[label] for label in sorted(labels)]
    letters = find_letters(close.values(), others, every, evidence)
    subjects: list[Use | ClassLabel] = [*uses]
    subjects += _beside(precedents, members.values(), letters, by_id)
    return Holdings(
        subjects,
        most=min(MOST_SHOWN, len(uses)),
        warnings=[
            *_warn(question, uses, members.values()),
            *_warn_of_withdrawn(withdrawn, question),
            *_tell_own_label(own_labels, uses),
        ],
        words=_words(question, classes),
        uses=uses,
        own=[ranked.row for ranked in precedents.own],
        trials=precedents.trials,
        pivotal=precedents.pivotal,
        classes=classes,
        texts=texts,
        changes=dict(list(changes.items())[:400]),
        letters=letters,
        class_ids=frozenset(close),
        disease_names=names_of_diseases(
            [area.key for area in question.setting.areas[:1]], resolver
        ),
    )


def _beside(
    precedents: Precedents,
    members: Iterable[LabelSheet],
    letters: Iterable[ClassLetter],
    by_id: Mapping[str, LabelSheet],
) -> Iterator[ClassLabel]:
    """Yield what claims may cite beside the uses: labels of the class, letters, trials."""
    for member in members:
        yield ClassLabel(member.brand, (member.record_id,))
    for letter in letters:
        yield ClassLabel(f"letter {letter.day}", letter.record_ids)
    for trial in (*precedents.own, *precedents.trials[:MOST_TRIALS]):
        yield ClassLabel(trial.row.number, (trial.row.record_id,))
    for label_id in sorted({precedent.row.label_id for precedent in precedents.pivotal}):
        if label_id in by_id:
            yield ClassLabel(by_id[label_id].brand, (label_id,))


def _close(classes: Sequence[LabelClass]) -> Iterator[Sequence[LabelSheet]]:
    """Yield the labels of the narrowest class and of the first that is large enough."""
    first = leading(classes)
    for group in dict.fromkeys(filter(None, (*classes[:1], first))):
        yield (*group.labels, *group.unknown)


def _uses(
    precedents: Precedents,
    question: Question,
    sheets: Mapping[str, LabelSheet],
    context: RunContext,
) -> Iterator[Use]:
    """Yield the uses, those that are shown first; of each drug those of one label."""
    carried = {
        trial.row.number: trial.row for trial in precedents.trials if trial.row.outcome == CARRIED
    }
    competitors = set(question.competitors.values())
    drugs = sorted({name for use in precedents.uses for name in use.row.drugs})
    keys = {name: match.key for name, match in context.resolver.resolve_many("drug", drugs).items()}
    listed: list[Use] = []
    for ranked in precedents.uses:
        row = ranked.row
        if not row.is_read:
            row = replace(row, use=replace(row.use, line="", biomarker=""))
        named = {keys.get(name, "") for name in row.drugs} | {fold_name(x) for x in row.drugs}
        pivotal = [
            precedent.row
            for precedent in precedents.pivotal
            if precedent.row.label_id == row.record_id
            and {*precedent.row.disease_keys} & {*row.disease_keys}
        ]
        listed.append(
            Use(
                row,
                ranked.match.score,
                ranked.match.parts,
                read_extent(row.use.text),
                sheets.get(row.record_id),
                None,
                tuple(pivotal),
                tuple(carried[trial.number] for trial in pivotal if trial.number in carried),
                frozenset(named),
                bool(named & competitors),
                is_own=_is_own(row.drugs, row.title, question),
            )
        )
    listed += _curated(listed, question, context)
    if question.agency.name == "EMA":
        eu_uses = list(_eu_uses(question, context))
        eu_drugs = {use.moiety for use in eu_uses}
        listed = [*(use for use in listed if use.moiety not in eu_drugs), *eu_uses]
    targets = {target.text for target in question.setting.targets}
    listed.sort(
        key=lambda use: (
            not use.is_own,
            -use.match,
            not use.is_competitor,
            use.geography != question.agency.name,
            len(use.row.diseases) >= MANY,
            not targets & {*use.row.targets[:1]},
            not {*question.setting.modalities} & {*use.row.modalities},
            *_order(use),
        )
    )
    chosen: dict[frozenset[str], str] = {}
    for use in sorted(listed, key=_order):
        chosen.setdefault(use.moiety, use.row.record_id)
    kept_uses = [use for use in listed if chosen[use.moiety] == use.row.record_id]
    distinct = [_of_use(use, kept_uses) for use in _distinct(kept_uses)]
    first = [use for use in distinct if use.is_competitor][:MOST_NAMED]
    near_uses = [use for use in distinct if use not in first][: MOST_SHOWN - len(first)]
    shown = sorted([*first, *near_uses], key=lambda use: (not use.is_own, -use.match))
    yield from (*shown, *(use for use in distinct if use not in shown))


def _curated(listed: Sequence[Use], question: Question, context: RunContext) -> Iterator[Use]:
    """Yield curated uses of drugs of which no label text is held."""
    read = {use.moiety for use in listed if use.row.is_read}
    sheets = {use.moiety: use.sheet for use in listed if use.sheet}
    competitors = set(question.competitors.values())
    for curated in find_curated(question.setting, context.evidence, context.resolver):
        use = curated.use
        match = context.resolver.resolve_drug(curated.row.drug)
        keys = frozenset(filter(None, (match.key, fold_name(curated.row.drug))))
        moiety = frozenset(map(fold_name, use.drugs))
        if moiety in read:
            continue
        yield Use(
            use,
            curated.match.score,
            curated.match.parts,
            read_extent(use.use.text),
            sheets.get(moiety),
            curated.row.label_text(question.as_of),
            keys=keys,
            is_competitor=bool(keys & competitors),
            is_expert_only=True,
            is_own=_is_own(use.drugs, use.title, question),
            trial_names=tuple(filter(None, curated.row.trials.split("|"))),
        )


def _eu_uses(question: Question, context: RunContext) -> Iterator[Use]:
    """Yield the uses of EU product information in the setting."""
    competitors = set(question.competitors.values())
    diseases = frozenset(key for area in question.setting.areas for key in area.keys)
    for row in read_eu_uses(diseases, context.evidence, context.resolver):
        match, keys = match_use(row, question.setting), frozenset(map(fold_name, row.drugs))
        yield Use(
            row,
            match.score,
            match.parts,
            read_extent(row.use.text),
            None,
            None,
            keys=keys,
            is_competitor=bool(keys & competitors),
            is_own=_is_own(row.drugs, row.title, question),
            geography="EMA",
        )


def _is_own(drugs: Iterable[str], title: str, question: Question) -> bool:
    """Return whether a label is of the asset itself, by a name that stands for a whole word."""
    own_names = {fold_name(name) for name in question.own_names} - {""}
    brand = title.removeprefix("US label: ").split(",")[0]
    return bool(own_names & {fold_name(name) for name in (*drugs, brand)})


def _warn_of_withdrawn(uses: Sequence[Use], question: Question) -> Iterator[str]:
    """Yield which precedents are left out because their approval ended."""
    for use in {use.moiety: use for use in uses}.values():
        row = find_withdrawn(use.row.drugs, use.row.diseases, "US", question.as_of)
        if row:
            where = f" in {row.disease}" if row.disease else ""
            yield (
                f"withdrawn: {use.name} lost its US approval{where} on {row.valid_to} and is "
                "neither a precedent nor a standard of care."
            )


def _tell_own_label(labels: Sequence[LabelSheet], uses: Sequence[Use]) -> Iterator[str]:
    """Yield that the asset has a label, to which the claim would add."""
    names = [use.name for use in uses if use.is_own] or [label.brand for label in labels]
    if names:
        has_use = any(use.is_own for use in uses)
        what = "already has a use in this disease" if has_use else "has uses in other diseases"
        yield f"own_label: {names[0]} has a US label and {what}; the claim would supplement it."


def _distinct(uses: Sequence[Use]) -> Iterator[Use]:
    """Yield uses without those that say again, with less, what another of the label says."""
    for use in uses:
        reading = use.row.use
        again = (
            other
            for other in uses
            if other is not use
            and other.row.record_id == use.row.record_id
            and (other.row.use.line, other.extent) == (reading.line, use.extent)
            and {*other.row.disease_keys} & {*use.row.disease_keys}
        )
        if not any(_tells_more(other.row.use, reading) for other in again):
            yield use


def _tells_more(other: UseReading, reading: UseReading) -> bool:
    """Return whether a use has all slots of another and one more, or the same in more words."""
    pairs = [
        (other.regimen, reading.regimen),
        (_markers(other), _markers(reading)),
        (other.age.words, reading.age.words),
    ]
    if any(value and value != other for other, value in pairs):
        return False
    more = [bool(other) > bool(value) for other, value in pairs]
    return any(more) or len(other.text) > len(reading.text)


def _markers(use: UseReading) -> str:
    """Return the biomarkers of a use by the words of the table, else as they are written."""
    biomarkers = biomarkers_of(use.biomarker) or _SYMBOL.findall(use.biomarker)
    return " | ".join(sorted(set(biomarkers))) or fold_name(use.biomarker)


def _of_use(use: Use, uses: Sequence[Use]) -> Use:
    """Return a use with those trials of its label that are of this use, as far as it is told.

    A label names its trials by part of the studies section; where it has several uses in the
    disease, a part counts by its line alone, and parts that differ in their endpoint for none.
    """
    others = [other for other in uses if other.row.record_id == use.row.record_id]
    lines = {other.row.use.line for other in others}
    if len(others) == 1 or not use.pivotal:
        return use
    line = asked_by(use.row.use.line)
    kept_trials = [
        each
        for each in use.pivotal
        if len(lines) == 1 or (line and asked_by(read_line(each.heading)) == line)
    ]
    if len({each.endpoints[:1] for each in kept_trials}) > 1:
        kept_trials = []
    numbers = {each.number for each in kept_trials}
    trials = tuple(each for each in use.trials if each.number in numbers)
    return replace(use, pivotal=tuple(kept_trials), trials=trials)


def _order(use: Use) -> tuple[object, ...]:
    """Return which label stands for a drug: whole, with text, no subcutaneous form, newest."""
    is_whole = use.sheet is not None and use.sheet.is_whole
    is_form = any(SUBCUTANEOUS in name.casefold() for name in use.row.drugs)
    newest = "".join(chr(255 - ord(sign)) for sign in use.row.as_of)
    return (not is_whole, not use.row.is_read, is_form, newest or "\xff", use.row.title)


def _words(question: Question, classes: Sequence[LabelClass]) -> list[str]:
    """Return phrases with digits that state nothing: names of targets, diseases and classes."""
    setting = question.setting
    return [
        *(label_class.name for label_class in classes),
        *(target.text for target in setting.targets),
        *(area.label for area in setting.areas),
        *setting.biomarkers,
        *setting.lines,
        *(text for text, _ in question.endpoints),
    ]


def _warn(
    question: Question,
    uses: Sequence[Use],
    members: Iterable[LabelSheet],
) -> Iterator[str]:
    """Yield what a reader must know: no precedent, competitors without a label, cut labels."""
    if not uses:
        brands = sorted({member.brand for member in members})[:6]
        hint = f"; labels of its class: {', '.join(brands)}" if brands else ""
        yield f"no_precedent: no label found has a use in this disease{hint}."
    for name, key in question.competitors.items():
        if not any(key in use.keys for use in uses):
            yield f"competitor_unknown: no label found for “{name}” has a use in this disease."
    if uses and not any(use.row.is_read for use in uses):
        yield (
            "labels_not_held: full label text is not loaded for this disease; line, biomarker and "
            "regimen of precedents are unknown."
        )
