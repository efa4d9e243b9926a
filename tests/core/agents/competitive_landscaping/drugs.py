"""Drugs and trials as a test describes them, and the records that importers make of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from core.evidence.sources.files.companies import read_pipelines
from core.evidence.sources.files.trial_results import Setting, read_results
from core.evidence.sources.files.trials import Endpoint, Trial, describe_trial
from core.records.evidence import Parsed
from core.tables.rows import SourceFile
from core.vocabulary.lines import Line

TOLD_ON = "2026-08-01"
READ_ON = "2026-11-21"
LUNG = "Non-small Cell Lung Cancer"
GASTRIC = "Gastric Cancer"
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu")


@dataclass(frozen=True)
class Figure:
    """A result that a trial posted, as the register has it.

    Attributes:
        value: The number.
        measure: What was measured.
        unit: Its unit of measure.
        arm: Title of its arm.
        n: Participants analyzed.
        time_point: Time frame.
    """

    value: float
    measure: str = "Objective response rate"
    unit: str = "%"
    arm: str = "Arm A"
    n: int = 124
    time_point: str = ""


@dataclass(frozen=True)
class Study:
    """A trial of one drug by its company: phase 3 and recruiting unless a test says otherwise.

    Attributes:
        number: Digits of its number in the register.
        disease: Its condition.
        phase: The register's word.
        status: The register's word.
        line: Line of treatment that its title tells.
        title: Its title; "" for one that names drug, line and disease.
        primary_completion_on: YYYY-MM-DD or YYYY-MM.
        stopped_why: Why it was stopped.
        figure: What it posted; None where it posted nothing.
    """

    number: int
    disease: str = LUNG
    phase: str = "PHASE3"
    status: str = "RECRUITING"
    line: Line | Literal[""] = ""
    title: str = ""
    primary_completion_on: str = "2027-03-01"
    stopped_why: str = ""
    figure: Figure | None = None


@dataclass(frozen=True)
class Drug:
    """A drug of the company that bears its name.

    Attributes:
        name: Its name.
        studies: Trials that test it.
        shown: Stages in the company's words by indication; a pipeline may show a drug without.
        mechanism: What it acts on, in the company's words.
        modality: What it is, in the company's words.
        is_in_pipeline: Whether the company's pipeline shows it; what is in none tells its
            mechanism in the titles of its trials.
    """

    name: str
    studies: tuple[Study, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    mechanism: str = "PD-1/VEGF"
    modality: str = "Bispecific antibody"
    is_in_pipeline: bool = True

    @property
    def company(self) -> str:
        """Return the company that has it."""
        return f"{self.name} Bio"


def antibody(number: int) -> str:
    """Return a name for each number of four digits that no register has: "bacedifomab".

    Registers of trials tell an unknown drug by the stem of its name, which has no digits.
    """
    return "".join(_SYLLABLES[int(digit)] for digit in f"{number:04d}") + "mab"


def drug(name: str, *studies: Study, **changes: Any) -> Drug:
    """Return a drug on PD-1 and VEGF with its trials."""
    return Drug(name, studies, **changes)


def stopped(number: int, why: str, **changes: Any) -> Study:
    """Return a trial that was stopped."""
    return Study(number, status="TERMINATED", stopped_why=why, **changes)


def field_of_three() -> list[Drug]:
    """Return three drugs: two in phase 3 and one in phase 1, with figures and a stopped trial."""
    later = Study(2, line=Line.SECOND, figure=Figure(52.5, arm="Arm B"))
    return [
        drug("alphamab", Study(1, line=Line.FIRST, figure=Figure(41))),
        drug(
            "betamab",
            replace(later, primary_completion_on="2028-05"),
            stopped(4, "Lack of efficacy", disease=GASTRIC),
        ),
        drug("gammamab", Study(3, disease=GASTRIC, phase="PHASE1")),
    ]


def records_of(drugs: Sequence[Drug], folder: Path) -> Iterator[Parsed]:
    """Yield what importers make of the pipelines and trials of drugs.

    Args:
        drugs: The drugs.
        folder: Where the file of pipelines is put that the importer reads.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pipelines = folder / "pipelines.json"
    listed = {one.company: _page(one) for one in drugs if one.is_in_pipeline}
    pipelines.write_text(json.dumps({"companies": listed}), encoding="utf-8")
    yield from read_pipelines(_source(pipelines))
    register = _source(folder / "studies.json")
    for one in drugs:
        for line, study in enumerate(one.studies, start=1):
            yield _registered(one, study, register, line)


def _source(path: Path) -> SourceFile:
    def refuse(line: int, reason: str) -> None:
        raise AssertionError(f"{path.name} line {line}: {reason}")

    return SourceFile(path, TOLD_ON, READ_ON, refuse)


def _page(one: Drug) -> dict[str, object]:
    """Return the pipeline of a drug's company."""
    asset = {
        "asset": one.name,
        "mechanism": one.mechanism,
        "modality": one.modality,
        "programs": [{"indication": name, "phase": word} for name, word in one.shown.items()],
    }
    return {"as_of": TOLD_ON, "source_url": "https://example.com/pipeline", "assets": [asset]}


def _registered(one: Drug, study: Study, source: SourceFile, line: int) -> Parsed:
    """Return record and facts of a trial, with its posted results."""
    trial = Trial(
        number=f"NCT{study.number:08d}",
        title=study.title or _title(one, study),
        phase=study.phase,
        status=study.status,
        study_type="INTERVENTIONAL",
        sponsor=one.company,
        sponsor_class="INDUSTRY",
        conditions=(study.disease,),
        interventions=(("DRUG", one.name),),
        endpoints=(Endpoint("Overall survival", "24 months"),),
        primary_completion_on=study.primary_completion_on,
        updated_on=TOLD_ON,
        stopped_why=study.stopped_why,
        has_results=str(study.figure is not None).lower(),
        as_of=TOLD_ON,
        detail=2,
    )
    parsed = describe_trial(trial, source, line)
    if study.figure is None:
        return parsed
    setting = Setting(parsed.record.id, trial.number, (trial.title,), (one.name,))
    return replace(parsed, facts=(*parsed.facts, *read_results(_results(study.figure), setting)))


def _title(one: Drug, study: Study) -> str:
    """Return a title that tells the line of treatment as titles do."""
    name = one.name if one.is_in_pipeline else f"{one.name}, a {one.mechanism} {one.modality},"
    if not study.line:
        return f"{name} in {study.disease}"
    if study.line in {Line.UNTREATED, Line.TREATED}:
        return f"{name} in {study.line} {study.disease}"
    return f"{name} as {study.line} treatment of {study.disease}"


def _results(figure: Figure) -> dict[str, object]:
    """Return the results section of a trial that posted one figure of one arm."""
    group = "OG000"
    measured = {"groupId": group, "value": str(figure.value)}
    outcome = {
        "type": "SECONDARY",
        "title": figure.measure,
        "timeFrame": figure.time_point,
        "paramType": "NUMBER" if figure.unit == "%" else "MEDIAN",
        "unitOfMeasure": figure.unit,
        "groups": [{"id": group, "title": figure.arm}],
        "denoms": [
            {"units": "Participants", "counts": [{"groupId": group, "value": str(figure.n)}]}
        ],
        "classes": [{"categories": [{"measurements": [measured]}]}],
    }
    return {"outcomeMeasuresModule": {"outcomeMeasures": [outcome]}}
