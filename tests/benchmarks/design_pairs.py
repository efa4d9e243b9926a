"""Pairs of design requests, and N worked out again: `python -m tests.benchmarks.design_pairs HOME`.

First, 30 pairs of requests that differ in one field: the sections of the answer that differ are
printed for each, the echo of the request left aside. Then 20 requests drawn by a seed whose answer
gives an N: it is worked out again from the effect, level and other inputs that the answer prints,
by formulas written here anew. The time of the power grid is told. The module ends with an error
where a pair differs in no section, or where an N is another than the printed one.
"""

import math
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import binom, nct, norm, t

from core.agents.clinical_trial_design import sizing, statistical
from core.agents.clinical_trial_design.examples import EXAMPLES
from core.agents.clinical_trial_design.pipeline import run
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignRequest
from core.agents.clinical_trial_design.statistical_records import Cell, Statistics
from core.workbench import RunContext
from tests.benchmarks.design_masked import open_context
from tests.benchmarks.targets import say

SEED = 20_261_208
DRAWN, MOST_TRIED = 20, 60
ECHO = frozenset(
    {"input", "facts", "source_table", "sources", "precedent_table", "narrative", "summary"}
)
"""The request itself, and what repeats other sections in another form."""
Fields = dict[str, Any]
LUNG, OBESITY = (dict(one.request) for one in EXAMPLES)
STOMATITIS = {"events": [{"term": "stomatitis", "rate": 0.5, "grade3_rate": 0.3}], "n": 60}
LOSS = {"measure": "change in body weight", "value": -9.0, "control_value": -2.0, "n": 100}
RESPONSE = {"measure": "objective response rate", "value": 0.45, "n": 60, "control_value": 0.14}
PAIRS: tuple[tuple[Fields, Fields], ...] = (
    (LUNG, {"asset_name": "ABC-102"}),
    (LUNG, {"indication": "urothelial carcinoma"}),
    (LUNG, {"modality": "monoclonal antibody"}),
    (LUNG, {"mechanism_of_action": "EGFR-directed antibody-drug conjugate", "target": "unknown"}),
    (LUNG, {"target": "HER2"}),
    (LUNG, {"development_stage": "Preclinical"}),
    (LUNG, {"development_stage": "Phase 1"}),
    (LUNG, {"geography": "EMA"}),
    (LUNG, {"geography": "PMDA"}),
    (LUNG, {"intended_label_claim": "longer overall survival"}),
    (LUNG, {"line_of_therapy": "first line"}),
    (LUNG, {"biomarker_strategy": "EGFR wild-type"}),
    (LUNG, {"target_patient_population": "adults after platinum, PD-L1 positive"}),
    (LUNG, {"safety_profile": STOMATITIS}),
    (LUNG, {"preliminary_efficacy_data": RESPONSE}),
    (LUNG, {"competitor_trials": ["NCT04656652"]}),
    (LUNG, {"preferred_endpoint": "overall survival"}),
    (LUNG, {"combination_partners": ["pembrolizumab"]}),
    (LUNG, {"route_of_administration": "intravenous"}),
    (LUNG, {"dosing_schedule": "4 mg/kg or 6 mg/kg every 3 weeks"}),
    (LUNG, {"regulatory_designations": ["breakthrough"]}),
    (LUNG, {"manufacturing_constraints": {"slots_per_month": 5}}),
    (OBESITY, {"geography": "FDA"}),
    (OBESITY, {"development_stage": "Phase 1"}),
    (OBESITY, {"route_of_administration": "subcutaneous"}),
    (OBESITY, {"dosing_schedule": "12 mg or 24 mg or 36 mg once daily"}),
    (OBESITY, {"preliminary_efficacy_data": LOSS}),
    (OBESITY, {"target_patient_population": "adolescents"}),
    (OBESITY, {"preferred_endpoint": "HbA1c"}),
    (OBESITY, {"regulatory_designations": ["PRIME"]}),
)
_SETTINGS = (
    ("breast cancer", "HER2", "antibody-drug conjugate", "second line"),
    ("hepatocellular carcinoma", "PD-1", "monoclonal antibody", "first line"),
    ("multiple myeloma", "BCMA", "bispecific antibody", "third line"),
    ("plaque psoriasis", "IL-23", "monoclonal antibody", None),
    ("rheumatoid arthritis", "JAK1", "small molecule", None),
    ("type 2 diabetes", "GLP1R", "peptide", None),
    ("obesity", "GLP1R", "small molecule", None),
    ("asthma", "TSLP", "monoclonal antibody", None),
    ("heart failure", "SGLT2", "small molecule", None),
    ("ulcerative colitis", "IL-23", "monoclonal antibody", None),
    ("migraine", "CGRP", "monoclonal antibody", None),
    ("non-small cell lung cancer", "PD-1", "monoclonal antibody", "second line"),
)
_OWN: tuple[Fields | None, ...] = (
    None,
    RESPONSE,
    {"measure": "overall survival, hazard ratio", "value": 0.72, "n": 120, "control_value": 12.0},
)
_DOSES = ("every 3 weeks", "once daily", "5 mg or 10 mg once daily", "2, 4 or 8 mg once weekly")


def list_changes(context: RunContext) -> int:
    """Print the sections in which each pair differs; return how many pairs differ in none."""
    base = {id(one): _ask(one, context) for one in (LUNG, OBESITY)}
    empty = 0
    for start, change in PAIRS:
        first, other = base[id(start)], _ask({**start, **change}, context)
        changed = [name for name in first if name not in ECHO and first[name] != other[name]]
        empty += not changed
        name, value = next(iter(change.items()))
        say(f"{start['indication'][:10]:10} {name} = {str(value)[:44]}: {len(changed)} changed")
        say(f"    {', '.join(changed) or 'NONE'}")
    return empty


def _ask(fields: Fields, context: RunContext) -> dict[str, Any]:
    request = ClinicalTrialDesignRequest.model_validate(fields)
    return run(request, context).model_dump(mode="json")


def draw_requests() -> Iterator[Fields]:
    """Yield requests of the seed."""
    draw = random.Random(SEED)
    for number in range(MOST_TRIED):
        indication, target, modality, line = draw.choice(_SETTINGS)
        yield {
            "asset_name": f"QQ-{number:04}",
            "indication": indication,
            "modality": modality,
            "mechanism_of_action": "unknown",
            "target": target,
            "development_stage": draw.choice(("Phase 1", "Phase 2", "Phase 3")),
            "geography": draw.choice(("FDA", "EMA", "PMDA")),
            "line_of_therapy": line,
            "preliminary_efficacy_data": draw.choice(_OWN) if line else None,
            "dosing_schedule": draw.choice(_DOSES),
        }


def check_sizes(context: RunContext) -> int:
    """Print the N of drawn requests and as worked out again; return how many differ."""
    wrong = checked = withheld = 0
    for fields in draw_requests():
        request = ClinicalTrialDesignRequest.model_validate(fields)
        design = run(request, context).statistical_design_recommendations
        told = design.sample_size
        if told.inflated_total is None:
            withheld += 1
            continue
        again, kind = work_out(design)
        wrong += again != told.inflated_total
        checked += 1
        say(
            f"{fields['indication'][:26]:26} {kind:10} arms {told.inputs['arms']}  "
            f"printed {told.inflated_total:6}  again {again:6}"
            + ("" if again == told.inflated_total else "  DIFFERS")
        )
        if checked == DRAWN:
            break
    say(f"{checked - wrong} of {checked} equal, {withheld} drawn before whose N is withheld")
    return wrong + (checked < DRAWN)


def work_out(design: Statistics) -> tuple[int, str]:
    """Return N from the printed inputs alone, and by which way."""
    told, of = design.sample_size, design.sample_size.inputs
    if "A, months" in of:
        pair, kind = _from_events(of), "events"
    elif "p0" in of and of["arms"] == 1:
        pair, kind = 1.0 * _exact(of), "exact"
    elif "p0" in of:
        pair, kind = 2 * _rates(of), "rates"
    elif "t test" in told.formula:
        pair, kind = 2 * _t_test(of, _distance(design)), "t test"
    else:
        pair, kind = 2 * _normal(of, _distance(design)), "normal"
    arms = int(_number(of, "arms"))
    left = 1.0 if kind == "events" else 1 - _number(of, "loss")
    total = pair * _number(of, "inflation by looks") * max(arms / 2, 1.0 if arms == 1 else 0) / left
    return arms * math.ceil(total / arms - 1e-9), kind


def _number(of: dict[str, Cell], name: str) -> float:
    return float(str(of[name]))


def _z(of: dict[str, Cell]) -> tuple[float, float]:
    level = _number(of, "one-sided level of a comparison")
    return float(norm.isf(level)), float(norm.ppf(_number(of, "power")))


def _from_events(of: dict[str, Cell]) -> float:
    """Return participants of two arms: the chance of an event by integration over entry."""
    ratio, accrual, after = (_number(of, one) for one in ("effect", "A, months", "F, months"))
    control = math.log(2) / _number(of, "control median")
    lost = -math.log(1 - _number(of, "loss")) / 12

    def seen(hazard: float) -> float:
        both = hazard + lost
        total = quad(lambda s: hazard / both * (1 - math.exp(-both * s)), after, after + accrual)[0]
        return float(total) / accrual

    events = 4 * (sum(_z(of)) / math.log(ratio)) ** 2
    return events / ((seen(control) + seen(control * ratio)) / 2)


def _exact(of: dict[str, Cell]) -> int:
    """Return the least number of one arm with level and power."""
    level, power = _number(of, "one-sided level of a comparison"), _number(of, "power")
    null, wanted = _number(of, "p0"), _number(of, "p1")
    for n in range(1, 2000):
        least = next(r for r in range(n + 2) if binom.sf(r - 1, n, null) <= level)
        if binom.sf(least - 1, n, wanted) >= power:
            return n
    raise AssertionError("no such design")


def _rates(of: dict[str, Cell]) -> float:
    low, high = _number(of, "p0"), _number(of, "p1")
    mean, (level, power) = (low + high) / 2, _z(of)
    spread = level * math.sqrt(2 * mean * (1 - mean))
    spread += power * math.sqrt(low * (1 - low) + high * (1 - high))
    return (spread / (high - low)) ** 2


def _distance(design: Statistics) -> float:
    """Return the distance between the arms: of a ratio its logarithm."""
    effect = _number(design.sample_size.inputs, "effect")
    return math.log(effect) if "ratio" in design.effect.unit else effect


def _t_test(of: dict[str, Cell], distance: float) -> float:
    deviation = math.sqrt(_number(of, "variance")) / 2
    size = abs(distance) / deviation
    level, power = _number(of, "one-sided level of a comparison"), _number(of, "power")

    def lack(n: float) -> float:
        free = 2 * n - 2
        return float(nct.sf(t.isf(level, free), free, size * math.sqrt(n / 2))) - power

    most = 3.0
    while lack(most) < 0:
        most *= 2
    return float(brentq(lack, 1.5, most))


def _normal(of: dict[str, Cell], distance: float) -> float:
    deviation = math.sqrt(_number(of, "variance")) / 2
    return 2 * (sum(_z(of)) * deviation / distance) ** 2


def main(home: Path) -> None:
    """Print both parts and the time of the grid."""
    context = open_context(home)
    seconds: list[float] = []
    make = sizing.grid_of

    def timed(*args: Any) -> Any:
        began = time.perf_counter()
        made = make(*args)
        seconds.append(time.perf_counter() - began)
        return made

    with patch.object(statistical, "grid_of", timed):
        empty = list_changes(context)
        say(f"{len(PAIRS) - empty} of {len(PAIRS)} pairs differ in a section beside the request")
        wrong = check_sizes(context)
    seconds.sort()
    middle = seconds[len(seconds) // 2]
    say(f"grid: {len(seconds)} times, median {middle:.3f} s, longest {seconds[-1]:.3f} s")
    if empty or wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
