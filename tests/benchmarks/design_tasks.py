"""Trial-design tasks of statisticians: `python -m tests.benchmarks.design_tasks HOME`.

Reads `regulatory_facts/trial_design_tasks.json` of the reference data. A task becomes a request by
the rules of `read_request`; `design_tasks.csv` gives for each assertion the check of the answer, or
what the request cannot express. Prints met, not met and not expressible by task.
"""

import csv
import json
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm

from core.agents.clinical_trial_design.records import Statistics
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignData
from core.settings import Settings
from tests.benchmarks.frozen_answers import ask, make_context
from tests.benchmarks.targets import say

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
TABLE = Path(__file__).with_name("design_tasks.csv")
NAMES = {"OS": "overall survival", "PFS": "progression-free survival"}
LINES = ("first", "second", "third")
N_TRIALS = 4_000
_DISEASE = re.compile(
    r"\b((?:[\w/-]+ ){0,4}(?:adenocarcinoma|carcinoma|cancer|NSCLC|atrial fibrillation))", re.I
)
_LEADING = re.compile(
    r"^.*?\b(?:in (?:an? )?|Phase 3 )|\b(?:first|second|third)-line\s+", re.IGNORECASE
)
_RATIO = re.compile(
    r"(?:target )?(?:hazard ratios?|HR)\b(?: assumptions)?[^.\d]{0,40}?(0?\.\d+)", re.IGNORECASE
)
_MEDIAN = re.compile(r"median[^.\d]{0,40}?(\d+(?:\.\d+)?)(?: months)?", re.IGNORECASE)
_ALL_RATIO = re.compile(r"\bITT(?: HR)?:? (0\.\d+)")
_ALL_MEDIAN = re.compile(r"\bITT: ([\d.]+) months|([\d.]+) months ITT")
"""Figures of all randomized patients, where a task gives those of subgroups, too."""
_HISTORY = re.compile(r"HR vs placebo = ([\d.]+) \(95% CI: ([\d.]+), ([\d.]+)\)")
_YEARLY = re.compile(r"arm event rate: ([\d.]+)% per year \(=")
_EXPECTED = re.compile(r"Expected HR [^:]*: ([\d.]+)")


def read_request(prompt: str) -> dict[str, Any]:
    """Return the request that a task's words become."""
    text = " ".join(prompt.split())
    disease = _DISEASE.search(text)
    indication = _LEADING.sub("", disease[1]) if disease else "solid tumors"
    if indication == "atrial fibrillation":
        indication = "stroke prevention in non-valvular atrial fibrillation"
    line = next((word for word in LINES if re.search(rf"\b{word}[- ]line\b", text, re.I)), "")
    delays = "delayed treatment effect" in text
    markers = re.findall(r"RAS wild-type|PD-L1|biomarker-positive|Biomarker-high|ESR1", text)
    request: dict[str, Any] = {
        "asset_name": "QQ-0001",
        "indication": indication,
        "modality": "monoclonal antibody" if delays else "small molecule",
        "mechanism_of_action": "PD-1 antibody" if delays else "not stated",
        "target": "PD-1" if delays else "not stated",
        "development_stage": "Phase 3",
        "geography": "FDA",
        "preliminary_efficacy_data": _read_figures(text),
    }
    names = [name for name in NAMES if re.search(rf"\b{name}\b", text)]
    if line:
        request["line_of_therapy"] = f"{line} line"
    if markers:
        marker = "PD-L1 positive" if markers[0].casefold().startswith("biomarker") else markers[0]
        adaptive = "; adaptive enrichment at the interim analysis" * ("restrict enrollment" in text)
        request["biomarker_strategy"] = f"{marker}{adaptive}"
    if re.search("co-primary", text, re.IGNORECASE):
        request["preferred_endpoint"] = " and ".join(NAMES[name] for name in names)
    elif names:
        primary = re.search(r"primary endpoint[^.]{0,30}?\b(OS|PFS)\b", text, re.IGNORECASE)
        request["preferred_endpoint"] = NAMES[primary[1].upper() if primary else "OS"]
    return request


def _read_figures(text: str) -> dict[str, Any]:
    """Return hazard ratio and control median: of each endpoint that the task names, OS first."""
    history, yearly, expected = (rule.search(text) for rule in (_HISTORY, _YEARLY, _EXPECTED))
    if history and yearly and expected:
        keys = ("effect", "ci_low", "ci_high")
        return {
            "measure": "hazard ratio for stroke or systemic embolism",
            "value": float(expected[1]),
            "control_value": round(12 * math.log(2) / (float(yearly[1]) / 100), 1),
            "historical_trials": [dict(zip(keys, map(float, history.groups()), strict=True))],
        }
    figures = []
    for name, endpoint in NAMES.items():
        ratio = _figure_of(name, r"0?\.\d+", text, "(?:HR|hazard ratio)")
        median = _figure_of(name, r"\d+(?:\.\d+)?", text, "median")
        if ratio and median:
            measure = f"{endpoint} hazard ratio"
            figures.append({"measure": measure, "value": ratio, "control_value": median})
    if figures:
        leads = re.search(r"(?<!co-)primary endpoints?: PFS\b", text, re.IGNORECASE)
        first, *others = figures[::-1] if leads else figures
        return {**first, "other_measures": others} if others else first
    ratios = _ALL_RATIO.search(text) or _RATIO.search(text)
    medians = _ALL_MEDIAN.search(text) or _MEDIAN.search(text)
    if ratios is None or medians is None:
        return {}
    return {
        "measure": "overall survival hazard ratio",
        "value": float(ratios[1]),
        "control_value": float(next(filter(None, medians.groups()))),
    }


def _figure_of(name: str, number: str, text: str, noun: str) -> float | None:
    """Return the figure of an endpoint that follows a noun within a sentence."""
    rules = (
        rf"{noun}s?\b(?: {name})? ?(?:is|:)? ?{name} (?:is )?({number})",
        rf"{noun} {name}[^.\d]{{0,30}}({number})",
        rf"{name} {noun}[^.\d]{{0,10}}({number})",
        rf"{noun}s?: PFS [\d.]+(?: months)?[;,] {name} ({number})",
    )
    matches = (re.search(rule, text, re.IGNORECASE) for rule in rules)
    return next((float(match[1]) for match in matches if match), None)


@dataclass(frozen=True)
class Answer:
    """An answer with what its checks read."""

    data: ClinicalTrialDesignData
    request: Mapping[str, Any]

    @property
    def statistics(self) -> Statistics:
        """Return the statistical design."""
        return self.data.statistical_design_recommendations

    @property
    def text(self) -> str:
        """Return all text of the statistical design with the warnings."""
        return f"{self.statistics.model_dump_json()} {' '.join(self.data.warnings)}"

    def rows(self, method: str) -> list[dict[str, Any]]:
        """Return the rows of a calculation; none where it is not made."""
        calculations = self.statistics.calculations
        return next((x.results for x in calculations if x.applies and method in x.method), [])

    @property
    def months(self) -> list[float]:
        """Return the months of the looks."""
        looks = self.statistics.interim.looks if self.statistics.interim else []
        return [look.month or 0.0 for look in looks]

    def has(self, *words: str) -> bool:
        """Return whether the statistical design has every word."""
        return all(word.casefold() in self.text.casefold() for word in words)


@lru_cache(maxsize=32)
def simulate(figures: tuple[float, ...], looks: tuple[tuple[float, ...], ...]) -> float:
    """Return the share of simulated trials that a log-rank test wins at one of its looks.

    Args:
        figures: N, control median, ratio, months without effect, accrual, follow-up, yearly loss.
        looks: Events, z and z of futility of each look; events 0 is the end of follow-up.
    """
    n, median, ratio, delay, accrual, follow_up, loss = figures
    draw, size = np.random.default_rng(11), int(n) // 2 * 2
    hazard, lost = math.log(2) / median, -math.log(1 - loss) / 12
    arm, won = np.repeat([0, 1], size // 2), 0
    for _ in range(N_TRIALS):
        entry = draw.uniform(0, accrual, size)
        need = draw.exponential(1, size) / hazard
        time = np.where((arm == 1) & (need > delay), delay + (need - delay) / ratio, need)
        left = draw.exponential(1, size) / lost
        calendar = np.sort((entry + time)[time <= left])
        for events, bound, *futility in looks:
            end = accrual + follow_up
            if events:
                end = calendar[min(int(events), len(calendar)) - 1]
            seen = np.minimum(left, np.maximum(end - entry, 0.0))
            z = _log_rank(np.minimum(time, seen), time <= seen, arm)
            won += z >= bound
            if z >= bound or any(z <= low for low in futility):
                break
    return won / N_TRIALS


def _log_rank(time: Any, event: Any, arm: Any) -> float:
    order = np.argsort(time)
    event, arm = event[order], arm[order]
    share = np.cumsum(arm[::-1])[::-1] / np.arange(len(time), 0, -1)
    return float(((share - arm) * event).sum() / math.sqrt((share * (1 - share) * event).sum()))


def _simulated(answer: Answer, ratio: float | None = None) -> float:
    """Return the power of the headline by simulation, or at a ratio, with futility ignored."""
    size, interim = answer.statistics.sample_size, answer.statistics.interim
    inputs, effect = size.inputs, answer.statistics.effect.value
    names = ("A, months", "F, months", "loss")
    accrual, follow_up, loss = (float(str(inputs[name])) for name in names)
    looks = tuple(
        (look.events or 0, look.z, *([look.futility_z] if look.futility_z and not ratio else []))
        for look in (interim.looks if interim else ())
    )
    median = float(answer.statistics.control.value or 0)
    figures = (size.inflated_total or 0, median, ratio or effect or 1.0, 0.0)
    return simulate((*figures, accrual, follow_up, loss), looks)


def _simulated_delay(answer: Answer) -> bool:
    calculation = next(x for x in answer.statistics.calculations if x.method == "delayed effect")
    inputs, row = calculation.inputs, answer.rows("delayed effect")[2]
    names = (
        *("N, two arms without looks", "control median, months", "hazard ratio after the delay"),
        *("months of accrual", "months of follow-up", "loss a year"),
    )
    n, median, ratio, *rest = (float(str(inputs[name])) for name in names)
    figures = (n, median, ratio, float(row["months without effect"]), *rest)
    power = simulate(figures, ((0, float(norm.isf(0.025))),))
    return abs(power - row["power, log-rank"]) <= 0.02  # noqa: PLR2004


def _is_flagged(answer: Answer, rule: Callable[[list[float]], bool], words: str) -> bool:
    """Return whether the months keep a rule, or the answer says that they do not."""
    months = answer.months
    return bool(months) and (rule(months) or answer.has(words))


def _gaps(months: list[float]) -> list[float]:
    return [later - month for month, later in zip(months, months[1:], strict=False)]


def _accrual(answer: Answer) -> float:
    return float(str(answer.statistics.sample_size.inputs["A, months"]))


def _further(answer: Answer) -> dict[str, Any]:
    return next(iter(answer.rows("further endpoints")), {})


def _mean_margin(answer: Answer) -> dict[str, Any]:
    return next((row for row in answer.rows("M1") if row["M1 by"] == "pooled mean"), {})


def _pairs(answer: Answer) -> bool:
    """Return whether both endpoints start with a level, and each passes it to the other."""
    steps = {x.hypothesis: x for x in answer.statistics.multiplicity.alpha_map if x.alpha}
    names = set(NAMES.values())
    return set(steps) == names and all(
        step.passes_to.startswith(next(iter(names - {name}))) for name, step in steps.items()
    )


def _events_by_margin(answer: Answer) -> bool:
    row = _mean_margin(answer)
    exact = 4 * (norm.isf(0.025) + norm.ppf(0.9)) ** 2 / math.log(1.2910) ** 2
    return bool(row) and abs(row["events"] - exact) <= 2  # noqa: PLR2004


CHECKS: Mapping[str, Callable[[Answer], bool]] = {
    "overpowered": lambda a: (
        bool(_further(a)) and (_further(a)["power"] <= 0.95 or "move" in _further(a)["note"])
    ),
    "simulated power": lambda a: abs(_simulated(a) - 0.9) <= 0.02,
    "simulated level": lambda a: (
        abs(_simulated(a, 1.0) - a.statistics.alpha / 2 * _part(a)) <= 0.005
    ),
    "graph of two": _pairs,
    "bounds of both": lambda a: bool(_further(a).get("z at its tests") and a.statistics.interim),
    "follow-up flagged": lambda a: _is_flagged(
        a, lambda months: months[0] >= _accrual(a) + 3, "after enrollment ends"
    ),
    "gap flagged": lambda a: _is_flagged(a, lambda m: min(_gaps(m)) >= 6, "months apart"),
    "long gap flagged": lambda a: _is_flagged(a, lambda m: max(_gaps(m)) <= 18, "another look"),
    "average ratios": lambda a: "average ratio at 100%" in (a.rows("delayed") or [{}])[-1],
    "power planned": lambda a: a.statistics.power >= 0.9 and bool(a.statistics.sample_size.total),
    "options under delay": lambda a: (a.rows("delayed") or [{}])[-1].get("N, weighted") is not None,
    "simulated delay": _simulated_delay,
    "delay in report": lambda a: len(a.rows("delayed")) > 1,
    "scope warning": lambda a: any("adaptive_enrichment" in text for text in a.data.warnings),
    "enrichment words": lambda a: a.has("adaptive enrichment", "combination test"),
    "enrichment reason": lambda a: a.has("do not apply", "population change"),
    "enrichment software": lambda a: a.has("rpact"),
    "enrichment guidance": lambda a: a.has("November 2019") or a.has("ICH E20"),
    "combination weights": lambda a: a.has("w1 = sqrt(n1 / (n1 + n2))"),
    "events 300 to 340": lambda a: 300 <= (a.statistics.sample_size.events or 0) <= 340,
    "information at looks": lambda a: (
        all(
            look.events == math.ceil((a.statistics.sample_size.events or 0) * look.information)
            or abs((look.events or 0) / (a.statistics.sample_size.events or 1) - look.information)
            < 0.01
            for look in (a.statistics.interim.looks if a.statistics.interim else [])
        )
        and a.months == sorted(a.months)
    ),
    "one bound of PFS": lambda a: (
        _further(a).get("endpoint") == NAMES["PFS"] and "," not in _further(a)["z at its tests"]
    ),
    "three bounds of OS": lambda a: len(a.months) == 3,
    "power of both": lambda a: _further(a).get("power", 0) >= 0.9 and a.statistics.power >= 0.9,
    "nested": lambda a: bool(a.rows("nested")),
    "strategies": lambda a: all(
        any(name in key for key in (a.rows("nested") or [{}])[0])
        for name in ("subgroup first", "all first", "split")
    ),
    "strategy reason": lambda a: a.has("behind a failed", "strategy"),
    "looks in full": lambda a: bool(a.months) and a.has('"ratio":', '"information":', '"p":'),
    "level over populations": lambda a: a.has("a split gives each its part", "spending"),
    "unstable subgroup": lambda a: a.has("unstable", "95% limits"),
    "correlation": lambda a: a.has("correlate by", "correlation"),
    "level over endpoints": lambda a: (
        abs(sum(x.alpha for x in a.statistics.multiplicity.alpha_map) - 0.025) < 1e-9
    ),
    "further endpoint weighed": lambda a: (
        _further(a).get("endpoint") == NAMES["OS"]
        and (_further(a)["power"] >= 0.9 or "underpowered" in _further(a)["note"])
    ),
    "M1": lambda a: _mean_margin(a).get("M1") == 0.5108,
    "M2": lambda a: _mean_margin(a).get("M2") == 0.2554 and a.has("share to keep"),
    "margin": lambda a: _mean_margin(a).get("margin") == 1.291,
    "interval rule": lambda a: a.has("non-inferior where the 95% interval"),
    "constancy": lambda a: a.has("constancy"),
    "assay sensitivity": lambda a: a.has("assay sensitivity"),
    "biocreep": lambda a: a.has("biocreep"),
    "margin guidance": lambda a: a.has("ICH E10", "non-inferiority trials, 2016"),
    "margin is null": _events_by_margin,
    "no difference planned": lambda a: a.statistics.effect.value == 1.0,
    "level .025": lambda a: a.statistics.alpha / a.statistics.sides == 0.025,
    "events by margin": _events_by_margin,
    "margin fields": lambda a: (
        {"M1", "M2", "margin"} <= _mean_margin(a).keys() and a.has("constancy", "assay sensitivity")
    ),
    "events, N and month": lambda a: bool(
        a.statistics.sample_size.events and a.statistics.sample_size.total and any(a.months)
    ),
    "superiority": lambda a: _mean_margin(a).get("power to show superiority") is not None,
    "margin reason": lambda a: all(
        1.2 <= row["margin"] <= 1.5 or "reason" in row["note"] for row in a.rows("M1")
    ),
}


def _part(answer: Answer) -> float:
    """Return the share of the level that the headline has."""
    level = answer.statistics.sample_size.inputs["one-sided level of a comparison"]
    return float(str(level)) / (answer.statistics.alpha / answer.statistics.sides)


def main(home: Path) -> None:
    """Print each assertion and the figures."""
    source = REFERENCE / "regulatory_facts" / "trial_design_tasks.json"
    tasks = {task["id"].rpartition("-")[2]: task for task in json.loads(source.read_text())}
    with TABLE.open() as file:
        rows = list(csv.DictReader(file))
    context = make_context(Settings(home=home, database_url=None))
    answers: dict[str, Answer] = {}
    counts: Counter[str] = Counter()
    for row in rows:
        task = row["task"]
        if row["check"] and task not in answers:
            request = read_request(tasks[task]["prompt"])
            say(f"task {task}: {json.dumps(request)}")
            answers[task] = Answer(ask("clinical-trial-design", request, context), request)
        verdict = "not expressible"
        if row["check"]:
            verdict = "met" if CHECKS[row["check"]](answers[task]) else "not met"
        counts[verdict] += 1
        assertion = tasks[task]["assertions"][int(row["assertion"]) - 1]
        say(f"{verdict:16}{task}.{row['assertion']} {assertion[:90]} | {row['why_not']}")
    met, missed = counts["met"], counts["not met"]
    say(f"{dict(counts)}; met of those that can be expressed: {met / (met + missed):.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
