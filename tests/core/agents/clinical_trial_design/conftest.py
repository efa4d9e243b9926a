"""The agent on a small pack: eight trials in lung cancer and obesity, one label."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from core.agents.clinical_trial_design.pipeline import run
from core.agents.clinical_trial_design.schema import (
    ClinicalTrialDesignData,
    ClinicalTrialDesignRequest,
)
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import Evidence
from core.records.evidence import Fact, Qualifiers
from core.records.identity import Entity, EntityName, IdentityRow, IsA
from core.settings import Settings
from storage.identity import IdentityStore
from storage.stores import open_stores
from tests.contexts import make_context
from tests.core.evidence.assets.conftest import _rows, make_label, make_trial

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
Ask = Callable[..., ClinicalTrialDesignData]
LUNG = {
    "asset_name": "QQ-0001",
    "indication": "NSCLC",
    "modality": "monoclonal antibody",
    "mechanism_of_action": "PD-1 antibody",
    "target": "PD-1",
    "development_stage": "Phase 2",
    "geography": "FDA",
}
USE = (
    "KEYTRUDA is indicated as a single agent for the treatment of adults with metastatic "
    "non-small cell lung cancer (NSCLC) with disease progression on or after chemotherapy."
)


def _fact(predicate: str, said: str, value: float | None = None, **told: str) -> Fact:
    return Fact("", "", predicate, said, value, qualifiers=Qualifiers(**told), as_of="2026-06-01")


def _facts(n: float, ratio: float) -> tuple[Fact, ...]:
    """Return the facts of a trial with a hazard ratio and the median of its control arm."""
    effect = _fact(
        *("trial_effect", "hazard ratio for Overall survival", ratio),
        population="primary",
        interval=f"95% CI: {ratio - 0.1:.2f}, {ratio + 0.1:.2f}",
        arm="Pembrolizumab against Docetaxel",
        n=str(int(n)),
    )
    median = Fact(
        *("", "", "trial_result", "Overall survival", 10.0, "Months (median)"),
        qualifiers=Qualifiers(arm="Docetaxel", n="150", time_point="3 years"),
    )
    survival = _fact("trial_endpoint", "Overall survival", population="primary")
    design = _fact("trial_design", "RANDOMIZED|PARALLEL|NONE")
    return (_fact("trial_enrollment", "ACTUAL", n), effect, median, survival, design)


def records() -> Iterator[Any]:
    tested = {"pembrolizumab": "investigational", "Docetaxel": "comparator"}
    for number, (n, ratio) in enumerate(((300, 0.7), (420, 0.75), (500, 0.8)), start=1):
        title = f"Second-line NSCLC, study {number}"
        yield make_trial(
            number,
            tested,
            title=title,
            phase="PHASE3",
            results=_facts(n, ratio),
            status="COMPLETED",
        )
    for number in (4, 5):
        placebo = {"agonitide": "investigational", "Placebo": "comparator"}
        weight = _fact("trial_endpoint", "Change in body weight", population="primary")
        told = (_fact("trial_enrollment", "ACTUAL", 700.0 + number), weight)
        yield make_trial(number, placebo, phase="PHASE3", conditions=("obesity",), results=told)
    yield make_trial(6, {"agonitide": "investigational"}, title="NSCLC, dose finding")
    yield make_trial(7, {"QQ-0001": "investigational"}, title="QQ-0001 in NSCLC")
    yield make_label("keytruda", "pembrolizumab", USE, {})


def identity_rows() -> Iterator[IdentityRow]:
    """Yield names, with the top of cancers so that the rules of oncology hold for lung cancer."""
    yield from _rows()
    yield Entity("disease", "MONDO:0005070", "neoplasm")
    yield EntityName("disease", "neoplasm", "MONDO:0005070", 2, "neoplasm")
    yield IsA("disease", "MONDO:1", "MONDO:0005070")


@pytest.fixture(scope="session")
def names(tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    """Return names of a few drugs and diseases."""
    identity = IdentityStore(tmp_path_factory.mktemp("design-names") / "identity.db")
    identity.build([*identity_rows()], [], "test")
    return Resolver(identity)


@pytest.fixture(scope="session")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evidence]:
    """Return the pack; tests only read it."""
    home = tmp_path_factory.mktemp("design")
    stores = open_stores(Settings(home=home / "instance", database_url=None))
    with stores.evidence.next_generation() as writer:
        writer.add(records())
    yield stores.evidence
    stores.engine.close()


@pytest.fixture(scope="session")
def ask(evidence: Evidence, names: Resolver) -> Ask:
    """Return what asks; fields add to, or stand for, those of the lung request."""
    context = make_context(NOW, evidence=evidence, resolver=names)

    answers: dict[str, ClinicalTrialDesignData] = {}

    def answer(**fields: object) -> ClinicalTrialDesignData:
        key = json.dumps(fields, sort_keys=True)
        if key not in answers:
            request = ClinicalTrialDesignRequest.model_validate({**LUNG, **fields})
            answers[key] = run(request, context)
        return answers[key]

    return answer
