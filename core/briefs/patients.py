"""What the trials in an indication measure, in whom, and by which biomarkers they choose."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.briefs.records import BiomarkerResult, EndpointResult, PatientSubset
from core.briefs.subjects import Drug
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark
from core.evidence.readers.trial_settings import read_line
from core.records.programs import ProgramTrial
from core.records.trials import TrialEndpoint
from core.vocabulary.biomarkers import BiomarkerRow, find_biomarkers
from core.vocabulary.endpoints import classify_endpoint
from core.vocabulary.lines import AskedLine, asked_by

MOST_ROWS = 12
MOST_CITED = 3
MOST_DRUGS = 12
LONGEST_TIME = 60
_LINES: Mapping[str, str] = {
    AskedLine.FIRST: "first line: title or conditions say previously untreated or first-line",
    AskedLine.SECOND: "second line or later: title or conditions say previously treated",
    AskedLine.THIRD: "third line or later",
    AskedLine.ADJUVANT: "adjuvant treatment",
    AskedLine.NEOADJUVANT: "treatment before surgery",
    AskedLine.MAINTENANCE: "maintenance treatment",
}


@dataclass
class _Group:
    """Trials that have something in common."""

    trials: dict[str, ProgramTrial] = field(default_factory=dict)
    drugs: set[str] = field(default_factory=set)
    times: Counter[str] = field(default_factory=Counter)

    def add(self, drug: str, trial: ProgramTrial, time: str = "") -> None:
        if trial.number not in self.trials and time:
            self.times[time] += 1
        self.trials.setdefault(trial.number, trial)
        self.drugs.add(drug)

    def number(self, cite: Cite) -> list[str]:
        newest = sorted(
            self.trials.values(), key=lambda trial: (trial.as_of, trial.number), reverse=True
        )
        return cite.numbers(trial.record_id for trial in newest[:MOST_CITED])

    @property
    def names(self) -> list[str]:
        return sorted(self.drugs)[:MOST_DRUGS]


def own_trials(drugs: Iterable[Drug]) -> Iterator[tuple[str, ProgramTrial]]:
    """Yield each drug with its own trials in scope."""
    for drug in drugs:
        yield from ((drug.name, trial) for trial in drug.trials if trial.is_own)


def list_biomarkers(
    trials: Sequence[tuple[str, ProgramTrial]], cite: Cite
) -> list[BiomarkerResult]:
    """Return the biomarkers by which trials choose patients, the most used first."""
    groups: dict[str, _Group] = defaultdict(_Group)
    rows: dict[str, BiomarkerRow] = {}
    for drug, trial in trials:
        for row in find_biomarkers(f"{trial.title} ; {' ; '.join(trial.conditions)}"):
            rows[row.name] = row
            groups[row.name].add(drug, trial)
    return [
        BiomarkerResult(
            name=name,
            role=rows[name].role,
            n_trials=len(group.trials),
            drugs=group.names,
            source_ids=group.number(cite),
        )
        for name, group in _largest(groups)
    ]


def list_endpoints(
    trials: Sequence[tuple[str, ProgramTrial]],
    endpoints: Mapping[str, Sequence[TrialEndpoint]],
    cite: Cite,
) -> list[EndpointResult]:
    """Return what trials measure: primary endpoints first, then those most used."""
    groups: dict[tuple[str, str, str], _Group] = defaultdict(_Group)
    for drug, trial in trials:
        for key, time in _endpoints(trial, endpoints.get(trial.record_id, ())):
            groups[key].add(drug, trial, time)
    results = [
        EndpointResult(
            endpoint=name,
            endpoint_class=area,
            role="primary" if role == "primary" else "secondary",
            n_trials=len(group.trials),
            timepoint=group.times.most_common(1)[0][0] if group.times else None,
            drugs=group.names,
            source_ids=[],
        )
        for (name, area, role), group in groups.items()
    ]
    results.sort(key=lambda result: (result.role != "primary", -result.n_trials, result.endpoint))
    return [
        result.model_copy(
            update={
                "source_ids": groups[(result.endpoint, result.endpoint_class, result.role)].number(
                    cite
                )
            }
        )
        for result in results[:MOST_ROWS]
    ]


def _endpoints(
    trial: ProgramTrial, listed: Sequence[TrialEndpoint]
) -> Iterator[tuple[tuple[str, str, str], str]]:
    """Yield class, field and role of each endpoint of a trial, with its time frame."""
    for endpoint in listed:
        endpoint_row = classify_endpoint(endpoint.text)
        role = "primary" if endpoint.is_primary else "secondary"
        if endpoint_row:
            time = unmark(endpoint.time_point)
            yield (
                (endpoint_row.name, endpoint_row.area, role),
                time if len(time) <= LONGEST_TIME else "",
            )
    for words in () if listed else trial.primary_measures:
        endpoint_row = classify_endpoint(words)
        if endpoint_row:
            yield (endpoint_row.name, endpoint_row.area, "primary"), ""


def list_subsets(trials: Sequence[tuple[str, ProgramTrial]], cite: Cite) -> list[PatientSubset]:
    """Return the lines of treatment and biomarker groups that trials choose, the largest first."""
    groups: dict[tuple[str, str], _Group] = defaultdict(_Group)
    for drug, trial in trials:
        text = f"{trial.title} ; {' ; '.join(trial.conditions)}"
        line = asked_by(read_line(trial.title, *trial.conditions)) or ""
        if line:
            groups[(line, line)].add(drug, trial)
        for row in find_biomarkers(text):
            groups[(f"{row.name}, {line}" if line else row.name, line)].add(drug, trial)
    return [
        PatientSubset(
            subset=name,
            line=line or None,
            definition=_define(name, line),
            n_trials=len(group.trials),
            n_recruiting=sum(trial.state == "recruiting" for trial in group.trials.values()),
            drugs=group.names,
            source_ids=group.number(cite),
        )
        for (name, line), group in _largest(groups)
    ]


def _define(name: str, line: str) -> str:
    """Return by which words of a trial its patients count to a subset."""
    if name == line:
        return _LINES.get(line, line)
    biomarker = name.removesuffix(f", {line}") if line else name
    suffix = f"; {_LINES.get(line, line)}" if line else ""
    return f"title or conditions name {biomarker}{suffix}"


def _largest(groups: Mapping) -> list:  # type: ignore[type-arg]
    return sorted(groups.items(), key=lambda group: (-len(group[1].trials), group[0]))[:MOST_ROWS]
