"""A small pack and identity of our own, so that every rule can be seen at work."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date

import pytest

from core.evidence.assets.gather import gather_assets
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.target_expressions import read_targets
from core.evidence_ports import Evidence
from core.records.asset_queries import AssetQuery
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record, Role, Span
from core.records.identity import Entity, EntityName, IdentityRow, IsA
from core.records.names import fold_name
from core.records.programs import Outcome
from core.vocabulary.targets import load_targets
from storage.identity import IdentityStore

DRUGS = {
    "UNII:PEMBRO": ("pembrolizumab", ("Keytruda", "MK-3475")),
    "UNII:ADA": ("adalimumab", ("Humira", "ABP 501", "adalimumab-atto")),
    "UNII:CARBO": ("carboplatin", ()),
    "UNII:SITA": ("sitagliptin", ("Januvia",)),
    "UNII:MET": ("metformin", ()),
    "UNII:TRASTU": ("trastuzumab", ("Herceptin",)),
    "UNII:TDXD": ("trastuzumab deruxtecan", ("DS-8201",)),
    "UNII:AGONI": ("agonitide", ("AGO-100",)),
}
DISEASES = {
    "MONDO:1": ("lung cancer", ()),
    "MONDO:2": ("non-small cell lung cancer", ("non-small cell lung cancer", "NSCLC")),
    "MONDO:3": ("type 2 diabetes mellitus", ()),
    "MONDO:4": ("obesity", ("obesity",)),
    "MONDO:5": ("gastric cancer", ()),
    "MONDO:6": ("Niemann-Pick disease, type C1", ("NPC", "NPC1")),
}
Trial = Callable[..., Parsed]
PEMBROLIZUMAB: dict[str, Role] = {"pembrolizumab": "investigational", "placebo": "comparator"}


def _rows() -> Iterator[IdentityRow]:
    for key, (label, names) in DRUGS.items():
        yield Entity("drug", key, label)
        for level, name in ((1, label), *((2, one) for one in names)):
            yield EntityName("drug", fold_name(name), key, 1 if level == 1 else 2, name)
    for key, (label, names) in DISEASES.items():
        yield Entity("disease", key, label)
        for name in (label, *names):
            yield EntityName("disease", fold_name(name), key, 2, name)
    yield IsA("disease", "MONDO:2", "MONDO:1")
    for symbol in sorted({gene for row in load_targets() for gene in row.genes} | {"MST1R"}):
        yield Entity("target", f"HGNC:{symbol}", symbol, note="gene with protein product")
        yield EntityName("target", fold_name(symbol), f"HGNC:{symbol}", 1, symbol)


@pytest.fixture(scope="session")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    """Return a resolver that knows eight drugs, six diseases and the table's genes.

    One for all tests, which only read: the curators' drugs are looked up once.
    """
    identity = IdentityStore(tmp_path_factory.mktemp("names") / "identity.db")
    identity.build(_rows(), [], "test")
    return Resolver(identity)


def make_trial(
    number: int,
    drugs: dict[str, Role],
    *,
    title: str = "",
    phase: str = "PHASE2",
    sponsor: str = "Acme Pharma",
    conditions: tuple[str, ...] = ("NSCLC",),
    status: str = "RECRUITING",
    stopped: str = "",
    results: tuple[Fact, ...] = (),
) -> Parsed:
    """Return a trial with its drugs' roles; results are facts without a record."""
    record_id = f"ctgov:NCT{number:08d}"
    mentions = [Mention("drug", name, role, "intervention") for name, role in drugs.items()]
    mentions += [Mention("disease", name, relation="condition") for name in conditions]
    mentions += [Mention("company", sponsor, relation="sponsor")] if sponsor else []
    said = {
        "trial_phase": phase,
        "trial_status": status,
        "trial_sponsor_class": sponsor and ("OTHER" if "University" in sponsor else "INDUSTRY"),
        "trial_start": "2025-01-01",
        "trial_primary_completion": "2027-01-01",
        "trial_stopped": stopped,
        "trial_has_results": "true" if results else "false",
    }
    facts = [
        Fact(record_id, record_id[6:], predicate, words, as_of="2026-06-01")
        for predicate, words in said.items()
        if words
    ]
    endpoint = Qualifiers(population="primary")
    facts.append(Fact(record_id, record_id[6:], "trial_endpoint", "Response", qualifiers=endpoint))
    facts += [replace(one, record_id=record_id, subject=record_id[6:]) for one in results]
    record = Record(
        source="ctgov",
        source_id=record_id[6:],
        url=f"https://clinicaltrials.gov/study/{record_id[6:]}",
        kind="trial_registration",
        title=title or f"{', '.join(drugs)} in {conditions[0]}",
        updated_on="2026-06-01",
        mentions=tuple(mentions),
    )
    return Parsed(record, tuple(facts))


def make_label(
    set_id: str, drug: str, indications: str, said: dict[str, str], *, company: str = "Acme Pharma"
) -> Parsed:
    """Return a whole US label of one drug."""
    record_id = f"label:{set_id}"
    facts = [
        Fact(record_id, drug, predicate, words, as_of="2026-01-01")
        for predicate, words in {"approved_label": "yes", **said}.items()
    ]
    record = Record(
        source="label",
        source_id=set_id,
        url="",
        kind="regulatory_label",
        title=f"US label: {drug}",
        updated_on="2026-01-01",
        spans=(Span("indications_and_usage", indications, 0, len(indications)),),
        mentions=(
            Mention("drug", drug, relation="ingredient"),
            Mention("company", company, relation="labeler"),
        ),
    )
    return Parsed(record, tuple(facts))


@pytest.fixture
def hold(pack: Evidence) -> Callable[..., None]:
    """Return what writes records as the next generation."""

    def write(*parsed: Parsed) -> None:
        with pack.next_generation() as writer:
            writer.add(parsed)

    return write


def result(
    measure: str, value: float, arm: str, unit: str = "%", n: str = "100", place: int = 0
) -> Fact:
    """Return a posted result."""
    return Fact(
        "",
        "",
        "trial_result",
        measure,
        value,
        unit,
        Qualifiers(arm=arm, n=n, time_point="24 months"),
        locator=f"outcomeMeasures[{place}].measurements[0]",
    )


@pytest.fixture
def figures(
    pack: Evidence, resolver: Resolver, hold: Callable[..., None]
) -> Callable[..., tuple[Outcome, ...]]:
    """Return what gives the figures of pembrolizumab in one trial."""

    def run(
        *results: Fact, drugs: dict[str, Role] = PEMBROLIZUMAB, design: str = "", title: str = ""
    ) -> tuple[Outcome, ...]:
        said = Fact("", "", "trial_design", design, as_of="2026-09-01", locator="design")
        hold(make_trial(1, drugs, results=(*results, *((said,) if design else ())), title=title))
        targets, _ = read_targets("PD-1", resolver)
        (asset,) = gather_assets(
            AssetQuery(targets=tuple(targets)), pack, resolver, date(2026, 11, 21)
        ).assets
        return asset.outcomes

    return run
