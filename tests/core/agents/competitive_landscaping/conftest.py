"""The agent on drugs that a test writes itself: gathering is replaced, all else is real."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from core.agents.competitive_landscaping import gathering
from core.agents.competitive_landscaping.pipeline import run
from core.agents.competitive_landscaping.schema import (
    CompetitiveLandscapingData,
    CompetitiveLandscapingRequest,
)
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.asset_queries import AssetQuery, Gathered
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record
from core.records.evidence_pack import FactQuery, ImportedFile
from core.records.identity import Entity, EntityName, IsA
from core.records.names import fold_name
from core.records.programs import (
    Asset,
    CompanyRole,
    Outcome,
    Program,
    StageStatement,
    Statement,
    TargetExpression,
    TargetLink,
    TrialLine,
)
from core.records.runs import Caller
from core.records.stages import Stage
from core.settings import Settings
from core.workbench import RunContext
from storage.stores import open_stores

QUERY = "PD-1/VEGF bispecifics"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DISEASES = {
    "MONDO:1": ("lung cancer", []),
    "MONDO:2": ("non-small cell lung carcinoma", ["NSCLC", "non-small cell lung cancer"]),
    "MONDO:3": ("gastric cancer", ["stomach cancer"]),
    "MONDO:4": ("cancer", []),
}
KINDS = [("MONDO:2", "MONDO:1"), ("MONDO:1", "MONDO:4"), ("MONDO:3", "MONDO:4")]
GENES = {"HGNC:8760": "PDCD1", "HGNC:12680": "VEGFA", "HGNC:2026": "CLDN18"}
PD1 = TargetExpression("PD-1", ("HGNC:8760",), ("PDCD1",))
VEGF = TargetExpression("VEGF", ("HGNC:12680",), ("VEGFA",))
BOTH = TargetExpression(
    "PD-1 x VEGF", ("HGNC:8760", "HGNC:12680"), ("PDCD1", "VEGFA"), relation="both"
)


def identity_rows() -> Iterator[Entity | EntityName | IsA]:
    for key, (label, names) in DISEASES.items():
        yield Entity("disease", key, label)
        for name in (label, *names):
            yield EntityName("disease", fold_name(name), key, 1, name)
    for child, parent in KINDS:
        yield IsA("disease", child, parent)
    for key, symbol in GENES.items():
        yield Entity("target", key, symbol, note="gene with protein product")
        yield EntityName("target", fold_name(symbol), key, 1, symbol)
    for number, name in enumerate(("alphamab", "betamab", "gammamab"), start=1):
        yield Entity("drug", f"UNII:{number}", name)
        yield EntityName("drug", fold_name(name), f"UNII:{number}", 1, name)


def trial(number: int, **changes: Any) -> TrialLine:
    """Return an own phase 3 trial that recruits."""
    stem = TrialLine(
        number=f"NCT{number:08d}",
        record_id=f"ctgov:NCT{number:08d}",
        title=f"A trial, number {number}",
        phase="PHASE3",
        status="recruiting",
        is_active=True,
        is_own=True,
        sponsor="Acme",
        conditions=("Non-small Cell Lung Cancer",),
        primary_completion_on="2027-03-01",
        endpoints=("Overall survival",),
        as_of="2026-08-01",
    )
    return replace(stem, **changes)


def program(key: str, stage: Stage, *trials: TrialLine, **changes: Any) -> Program:
    """Return a program whose stage rests on its trials."""
    ids = tuple(one.record_id for one in trials)
    said = StageStatement(stage, "", "2026-08-01", Statement(stage, ids))
    label = DISEASES[key][0]
    return replace(Program(key, label, stage, "2026-08-01", (said,), trials), **changes)


def asset(name: str, number: int, *programs: Program, **changes: Any) -> Asset:
    """Return a drug on PD-1 and VEGF."""
    pipeline = f"pipeline:{name}"
    ids = {one.record_id for found in programs for one in found.trials} | {pipeline}
    stem = Asset(
        key=f"UNII:{number}",
        name=name,
        aliases=(),
        targets=(TargetLink(BOTH, Statement("binds PD-1 and VEGF", (pipeline,))),),
        modality=Statement("bispecific antibody", (pipeline,)),
        companies=(
            CompanyRole(f"{name} Bio", "originator", "", Statement(f"{name} Bio", (pipeline,))),
        ),
        programs=programs,
        newest_on="2026-08-01",
        record_ids=tuple(sorted(ids)),
    )
    return replace(stem, **changes)


def response(value: float, number: int, **changes: Any) -> Outcome:
    """Return an objective response rate of a trial."""
    stem = Outcome(
        kind="efficacy",
        measure="Objective response rate",
        value=value,
        unit="%",
        record_id=f"ctgov:NCT{number:08d}",
        fact_ids=(),
        arm="Arm A",
        n=124,
        line="first line",
    )
    return replace(stem, **changes)


def field_of_three() -> list[Asset]:
    """Return three drugs: two in phase 3 and one in phase 1, with figures and a stopped trial."""
    stopped = trial(4, is_active=False, status="terminated", why_stopped="Lack of efficacy")
    return [
        asset("alphamab", 1, program("MONDO:2", "PHASE3", trial(1)), outcomes=(response(41, 1),)),
        asset(
            "betamab",
            2,
            program("MONDO:2", "PHASE3", trial(2, primary_completion_on="2028-05")),
            program("MONDO:3", "PHASE2", stopped, is_discontinued=True),
            outcomes=(response(52.5, 2, line="second line", arm="Arm B"),),
        ),
        asset("gammamab", 3, program("MONDO:3", "PHASE1", trial(3, phase="PHASE1"))),
    ]


def _figures(assets: Sequence[Asset], evidence: EvidenceReader) -> dict[int, Fact]:
    """Return the facts of the drugs' figures, as gathering reads them."""
    ids = sorted({one.record_id for each in assets for one in each.outcomes})
    query = FactQuery(record_ids=ids, predicates=("trial_result", "trial_adverse_event"))
    return {one.id: one.fact for one in (evidence.facts(query) if ids else ())}


@dataclass
class Field:
    """Drugs that gathering returns, and the agent run on them.

    Attributes:
        evidence: A real pack that holds the records of the drugs.
        resolver: Real names.
        assets: The drugs.
        asked: Questions that gathering got.
    """

    evidence: Any
    resolver: Resolver
    assets: list[Asset] = field(default_factory=field_of_three)
    asked: list[AssetQuery] = field(default_factory=list)

    def gather(
        self, query: AssetQuery, evidence: EvidenceReader, resolver: Resolver, as_of: date
    ) -> Gathered:
        self.asked.append(query)
        assets = [one for one in self.assets if _fits(one, query)]
        return Gathered(tuple(assets), (), (("ctgov", len(assets)),), _figures(assets, evidence))

    def context(self) -> RunContext:
        return RunContext(
            run_uuid="00000000-0000-0000-0000-000000000001",
            query_id=7,
            caller=Caller(user_id=1, name="analyst"),
            now=NOW,
            seed=1,
            settings=Settings(),
            files=None,
            progress=lambda step, done, total, note: None,
            save_file=lambda name, content, media_type: None,
            evidence=self.evidence,
            resolver=self.resolver,
        )

    def run(
        self, query: str = "PD-1/VEGF bispecifics", **fields: Any
    ) -> CompetitiveLandscapingData:
        self.hold()
        request = CompetitiveLandscapingRequest.model_validate({"query": query, **fields})
        return run(request, self.context())

    def hold(self) -> None:
        """Put records and facts of the drugs into the pack, and their numbers into the drugs."""
        if self.evidence.version():
            return
        with self.evidence.next_generation() as writer:
            writer.add(_records(self.assets))
            writer.finish_file(ImportedFile("made.json", "test", "0" * 64, NOW.isoformat(), 1, 0))
        self.assets = [self._with_facts(one) for one in self.assets]

    def replace_pack(self) -> None:
        """Put the drugs of now into the pack."""
        with self.evidence.next_generation() as writer:
            writer.add(_records(self.assets))
        self.assets = [self._with_facts(one) for one in self.assets]

    def _with_facts(self, one: Asset) -> Asset:
        found = []
        for outcome in one.outcomes:
            query = FactQuery(record_ids=[outcome.record_id], predicates=["trial_result"])
            ids = [fact.id for fact in self.evidence.facts(query)]
            found.append(replace(outcome, fact_ids=tuple(ids[:1])))
        return replace(one, outcomes=tuple(found))


def _fits(one: Asset, query: AssetQuery) -> bool:
    """Return whether a drug is what gathering would return (contract of AssetQuery)."""
    genes = {key for link in one.targets for key in link.target.gene_keys}
    wanted = [set(target.gene_keys) <= genes for target in query.targets]
    kinds = one.modality.text if one.modality else ""
    return (
        (not wanted or any(wanted))
        and (not query.drug_keys or one.key in query.drug_keys)
        and (not query.modalities or kinds in query.modalities)
        and kinds not in query.not_modalities
        and (
            not query.disease_keys
            or any(found.indication_key in query.disease_keys for found in one.programs)
        )
        and (not query.words or any(word in one.name for word in query.words))
    )


def _records(assets: Sequence[Asset]) -> Iterator[Parsed]:
    """Yield a record for every id that the drugs name, with the facts that tests rely on."""
    for one in assets:
        mentions = (Mention("drug", one.name, "investigational"),)
        title = f"Pipeline: {one.name}"
        yield Parsed(Record("pipeline", one.name, "", "company_disclosure", title))
        results = {outcome.record_id: outcome for outcome in one.outcomes}
        for line in {t.record_id: t for found in one.programs for t in found.trials}.values():
            url = f"https://clinicaltrials.gov/study/{line.number}"
            record = Record(
                *("ctgov", line.number, url, "trial_registration", line.title),
                updated_on=line.as_of,
                mentions=mentions,
            )
            yield Parsed(record, tuple(_facts(line, results.get(line.record_id))))


def _facts(line: TrialLine, outcome: Outcome | None) -> Iterator[Fact]:
    stem = Fact(line.record_id, line.number, "trial_primary_completion", line.primary_completion_on)
    yield stem
    yield replace(stem, predicate="trial_stopped", object=line.why_stopped)
    for words in line.endpoints:
        said = Qualifiers(population="primary", time_point="24 months")
        yield replace(stem, predicate="trial_endpoint", object=words, qualifiers=said)
    if outcome:
        yield replace(
            stem,
            predicate="trial_result",
            object=outcome.measure,
            value=outcome.value,
            unit=outcome.unit,
            qualifiers=Qualifiers(
                arm=outcome.arm,
                n=str(outcome.n),
                line=outcome.line,
                time_point=outcome.time_point,
            ),
            locator="outcomeMeasures[0]",
        )


@pytest.fixture
def landscape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Field]:
    """Return three drugs and the agent."""
    settings = Settings(home=tmp_path / "instance", database_url=None)
    stores = open_stores(settings)
    stores.identity.build(identity_rows(), (), "test names")
    found = Field(stores.evidence, Resolver(stores.identity, stores.learned_names))
    monkeypatch.setattr(gathering, "gather_assets", found.gather)
    yield found
    stores.engine.close()


@pytest.fixture
def names() -> Callable[[CompetitiveLandscapingData], list[str]]:
    """Return what lists the drugs of an answer."""
    return lambda data: [one.drug_name for one in data.drugs]
