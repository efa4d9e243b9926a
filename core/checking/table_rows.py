"""Rows of tables to assertions: the header of a column tells what its cells state."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.checking.assertions import Assertion
from core.checking.clauses import Clause
from core.checking.entities import AGENCIES, EntitySpan, of_kind
from core.checking.running_text import read_dates, read_trial_days
from core.checking.values import find_days, find_phases
from core.documents.sentences import Sentence
from core.evidence.names.target_tables import TargetNames, split_glued
from core.evidence.readers.target_expressions import find_joined
from core.records.stages import Stage
from core.vocabulary.query_words import take_words

_COLUMNS = (
    (
        "drug",
        r"drugs?|assets?|candidates?|products?|compounds?|molecules?|(?:brand|generic) names?|"
        r"medicines?|competitors?|agents?|programs?|therap(?:y|ies)",
    ),
    (
        "company",
        r"compan(?:y|ies)|owners?|sponsors?|developers?|originators?|manufacturers?|"
        r"holders?|licensees?|licensors?|partners?|others|marketers?",
    ),
    ("stage", r"(?:highest |development |current |clinical )?(?:stage|phase|status)"),
    ("disease", r"indications?|diseases?|conditions?|uses?|approved (?:uses?|for)"),
    ("target", r"targets?|mechanisms?(?: of action)?|moa"),
    ("modality", r"kind|modalit(?:y|ies)|class|type|format"),
    ("trial", r"trials?|nct(?: number| id)?|stud(?:y|ies)|registration"),
    ("region", r"regions?|agenc(?:y|ies)|regulators?|authorit(?:y|ies)"),
    ("endpoint", r"(?:primary )?endpoints?|outcomes?|comparators?|controls?|arms?|masking"),
    ("participants", r"n|participants|enrol?lment|patients|size"),
    ("primary completion", r"(?:estimated )?primary completion(?: date)?"),
    ("start", r"start(?: date)?"),
    ("approved on", r"(?:fda |first |us )?approv(?:ed(?: on)?|al(?: date)?)|approval"),
    ("target action date", r"pdufa(?: date)?|(?:fda )?target (?:action )?date"),
    (
        "exclusivity",
        r"loe|(?:last )?exclusivity|loss of exclusivity|product patent|by law until|"
        r"biologic until",
    ),
    ("boxed warning", r"boxed warning"),
)
_PATTERNS = tuple((kind, re.compile(rf"(?:{words})$", re.IGNORECASE)) for kind, words in _COLUMNS)
_TRIAL_COLUMNS = frozenset({"endpoint", "participants", "primary completion", "start"})
"""Columns next to which a phase is that of a trial."""
_MORE = re.compile(r"\band \d+ more\b")
PROSE = 5
"""Words of a cell that is running text."""
_WORDS: Mapping[str, Stage] = {
    "filed": "FILED",
    "preclinical": "PRECLINICAL",
    "discontinued": "DISCONTINUED",
}
_EMPTY = frozenset({"", "-", "\u2013", "\u2014", "n/a", "na", "none", "nr", "tbd", "not reported"})


@dataclass(frozen=True, slots=True)
class _Column:
    """A cell with what it names."""

    header: str
    text: str
    start: int
    end: int
    entities: tuple[EntitySpan, ...]

    def of_kind(self, kind: str) -> list[EntitySpan]:
        return of_kind(self.entities, kind)  # type: ignore[arg-type]


def read_row(
    sentence: Sentence, entities: Sequence[EntitySpan], names: TargetNames
) -> Iterator[Assertion]:
    """Yield what a row states; a row of several drugs tells only what belongs to all of them."""
    columns = _columns(sentence, entities)
    subject = columns.get("drug")
    drugs = {drug.key: drug for drug in subject.of_kind("drug")} if subject else {}
    trials = columns["trial"].of_kind("trial") if "trial" in columns else []
    named = {trial.key: trial for trial in of_kind(entities, "trial")}
    if not trials and len(named) == 1:
        trials = list(named.values())
    if len(trials) == 1:
        yield from _of_trial(columns, trials[0].key, list(drugs.values()))
    if len(drugs) != 1 or subject is None:
        return
    drug = next(iter(drugs.values()))
    if _is_combination(subject.text):
        return
    yield from _of_stage(columns, drug, is_trial=len(trials) == 1)
    for company in columns["company"].of_kind("company") if "company" in columns else ():
        yield Assertion("company", f"{drug.said}: {company.said}", drug, companies=(company.key,))
    yield from _of_kind_and_target(columns, drug, names)
    yield from _of_days(columns, drug)
    yield from _of_prose(sentence, entities, drug)


def _of_prose(
    sentence: Sentence, entities: Sequence[EntitySpan], drug: EntitySpan
) -> Iterator[Assertion]:
    """Yield the days that a cell of running text gives to the drug or the trial of its row."""
    numbers = {trial.key for trial in of_kind(entities, "trial")}
    position = 0
    for cell in sentence.cells:
        start, position = position, position + len(cell.text) + 3
        end = start + len(cell.text)
        if len(cell.text.split()) < PROSE:
            continue
        inside = [entity for entity in entities if start <= entity.start < end]
        clause = Clause(sentence.text, start, end, inside, (drug,), is_carried=True)
        yield from read_dates(clause)
        if len(numbers) == 1:
            yield from read_trial_days(clause, next(iter(numbers)))


def _columns(sentence: Sentence, entities: Sequence[EntitySpan]) -> dict[str, _Column]:
    """Return the cells of a row that a known header names, the first of each sort."""
    columns: dict[str, _Column] = {}
    position = 0
    for cell in sentence.cells:
        start, position = position, position + len(cell.text) + 3
        kind = next((kind for kind, pattern in _PATTERNS if pattern.match(cell.header)), "")
        if not kind or kind in columns or cell.text.casefold().strip(" *") in _EMPTY:
            continue
        inside = tuple(x for x in entities if start <= x.start < start + len(cell.text))
        columns[kind] = _Column(cell.header, cell.text, start, start + len(cell.text), inside)
    return columns


def _is_combination(text: str) -> bool:
    return re.search(r"\s\+\s|\bplus\b|\bwith\b|\bvs\b", text) is not None


def _of_stage(
    columns: dict[str, _Column], drug: EntitySpan, *, is_trial: bool
) -> Iterator[Assertion]:
    stage = columns.get("stage")
    if stage is None or (is_trial and "phase" in stage.header.casefold()):
        return
    is_of_trial = "phase" in stage.header.casefold() and bool(columns.keys() & _TRIAL_COLUMNS)
    diseases = tuple(columns["disease"].of_kind("disease")) if "disease" in columns else ()
    regions = [x.key for x in columns["region"].of_kind("region")] if "region" in columns else []
    region = regions[0] if len(regions) == 1 and regions[0] in AGENCIES else ""
    phase = next(find_phases(stage.text), None)
    words = stage.text.strip(" *")
    if re.match(r"approved\b", words, re.IGNORECASE):
        where = f" ({region})" if region else ""
        yield Assertion("approval", f"{drug.said} approved{where}", drug, region=region)
        is_only = len(diseases) == 1 and not _MORE.search(columns["disease"].text)
        for disease in diseases if is_only else ():
            stated = f"{drug.said} approved for {disease.said}"
            yield Assertion("approved use", stated, drug, region=region, diseases=(disease,))
    stated_stage = phase.stage if phase else _WORDS.get(words.casefold())
    if stated_stage is not None:
        is_one = len(diseases) == 1
        stated = f"{drug.said} {words}" + (f" in {diseases[0].said}" if is_one else "")
        yield Assertion(
            "stage",
            stated,
            drug,
            stage=stated_stage,
            diseases=diseases[:1] if is_one else (),
            is_status=not is_of_trial,
        )


def _of_kind_and_target(
    columns: dict[str, _Column], drug: EntitySpan, names: TargetNames
) -> Iterator[Assertion]:
    target = columns.get("target")
    if target is not None:
        said = [x.target for x in find_joined(split_glued(target.text), names) if not x.is_marker]
        if said:
            targets = tuple({each.text: each for each in said}.values())
            yield Assertion("target", f"{drug.said}: {target.text}", drug, targets=targets)
    kind = columns.get("modality")
    if kind is not None:
        words = take_words("modality", kind.text)[0]
        if len(words) == 1:
            yield Assertion("modality", f"{drug.said}: {words[0]}", drug, words=words[0])


def _of_days(columns: dict[str, _Column], drug: EntitySpan) -> Iterator[Assertion]:
    approved = columns.get("approved on")
    if approved is not None:
        region = "FDA" if re.search(r"fda|us", approved.header, re.IGNORECASE) else ""
        regions = columns["region"].of_kind("region") if "region" in columns else []
        region = regions[0].key if len(regions) == 1 else region
        diseases = tuple(columns["disease"].of_kind("disease")) if "disease" in columns else ()
        for day in find_days(f"in {approved.text}")[:1]:
            stated = f"{drug.said} approved {day.said}"
            yield Assertion(
                "approval date",
                stated,
                drug,
                region=region,
                diseases=diseases,
                day=day,
                is_status="first" in approved.header.casefold(),
            )
    target_date = columns.get("target action date")
    for day in find_days(f"in {target_date.text}")[:1] if target_date else ():
        stated = f"{drug.said}, target action date {day.said}"
        yield Assertion("target action date", stated, drug, day=day)
    term = columns.get("exclusivity")
    for day in find_days(f"in {term.text}")[:1] if term else ():
        stated = f"{drug.said}, exclusivity {day.said}"
        yield Assertion("exclusivity", stated, drug, day=day)
    boxed = columns.get("boxed warning")
    if boxed is not None and boxed.text.casefold()[:2] in {"ye", "no"}:
        is_negated = boxed.text.casefold().startswith("no")
        stated = f"{drug.said}: {'no ' if is_negated else ''}boxed warning"
        yield Assertion("boxed warning", stated, drug, is_negated=is_negated)


def _of_trial(
    columns: dict[str, _Column], number: str, drugs: Sequence[EntitySpan]
) -> Iterator[Assertion]:
    stage = columns.get("stage")
    phase = next(find_phases(stage.text), None) if stage else None
    if stage is not None and phase is not None and "phase" in stage.header.casefold():
        stated = f"{number}: {phase.said}"
        yield Assertion("trial", stated, trial=number, attribute="phase", stage=phase.stage)
    participants = columns.get("participants")
    if participants is not None and re.fullmatch(r"[\d,]+", participants.text.strip()):
        value = float(participants.text.replace(",", ""))
        yield Assertion(
            "trial",
            f"{number}: N {participants.text}",
            trial=number,
            attribute="participants",
            value=value,
            is_status=True,
        )
    for attribute in ("primary completion", "start"):
        column = columns.get(attribute)
        for day in find_days(f"in {column.text}")[:1] if column else ():
            stated = f"{number}, {attribute} {day.said}"
            yield Assertion("trial", stated, trial=number, attribute=attribute, day=day)
    for drug in drugs if len(drugs) == 1 else ():
        yield Assertion("trial", f"{number}: {drug.said}", drug, trial=number, attribute="drug")
    diseases = columns["disease"].of_kind("disease") if "disease" in columns else []
    for disease in diseases if len(diseases) == 1 else ():
        stated = f"{number}: {disease.said}"
        yield Assertion("trial", stated, trial=number, attribute="condition", diseases=(disease,))
