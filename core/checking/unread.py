"""What a sentence names beside its statements, so that it is not supported as a whole."""

from collections.abc import Iterator, Sequence

from core.checking.assertions import Assertion
from core.checking.entities import Entities, EntitySpan, of_kind
from core.checking.facts import Facts, share_company
from core.checking.results import CheckedAssertion
from core.checking.values import find_days, find_figures, find_money
from core.evidence.assets.target_match import acts_on
from core.evidence.names.target_tables import TargetNames, split_glued
from core.evidence.readers.target_expressions import find_joined
from core.records.programs import Asset

_UNITS = frozenset({"%", "hazard ratio", "odds ratio", "p value"})
"""Figures that are results; weeks and months often only tell when something was measured."""


def find_unread(
    text: str,
    entities: Entities,
    assertions: Sequence[Assertion],
    facts: Facts,
    names: TargetNames,
) -> CheckedAssertion | None:
    """Return what of a sentence no statement covers; None where everything was read.

    Args:
        text: The sentence.
        entities: What it names.
        assertions: The statements that were read.
        facts: The evidence about what it names.
        names: Expressions of targets.
    """
    drugs = {x.drug.key: x.drug for x in assertions if x.drug}
    assets = [facts.assets[key] for key in drugs if key in facts.assets]
    found = [
        *_companies(entities, assertions, assets),
        *(x.said for x in of_kind(entities, "drug") if not _is_read(x, assertions)),
        *_targets(text, entities, assertions, assets, names),
        *_numbers(text, assertions),
    ]
    words = ", ".join(dict.fromkeys(found))
    if not words:
        return None
    return CheckedAssertion(
        kind="remainder",
        subject="",
        stated=words,
        recorded="",
        verdict="not_covered",
        note=f"Not checked: {words}.",
    )


def _is_read(drug: EntitySpan, assertions: Sequence[Assertion]) -> bool:
    """Return whether a statement is about a drug."""
    return any(x.drug is not None and x.drug.key == drug.key for x in assertions)


def _companies(
    entities: Entities, assertions: Sequence[Assertion], assets: Sequence[Asset]
) -> Iterator[str]:
    """Yield the companies of no statement that have nothing to do with the drugs, either."""
    read = {company for x in assertions for company in x.companies}
    roles = [role.company for asset in assets for role in asset.companies]
    for company in of_kind(entities, "company"):
        if company.key not in read and not share_company([company.key], roles):
            yield company.said


def _targets(
    text: str,
    entities: Entities,
    assertions: Sequence[Assertion],
    assets: Sequence[Asset],
    names: TargetNames,
) -> Iterator[str]:
    """Yield the targets of no statement on which the drugs do not act."""
    read = {target.text for x in assertions for target in x.targets}
    inside = [x.said for x in entities if x.kind in {"drug", "company", "disease"}]
    written = " ".join(x.stated for x in assertions if x.targets)
    glued = split_glued(text)
    figures = find_figures(glued)
    for said in find_joined(glued, names):
        words, target = glued[said.start : said.end], said.target
        is_known = any(
            acts_on(asset.targets, [target])
            or {key for link in asset.targets for key in link.target.gene_keys}
            & set(target.gene_keys)
            for asset in assets
        )
        is_part = any(words in each for each in inside) or words in written
        is_part = is_part or any(x.start < said.end and said.start < x.end for x in figures)
        if target.text not in read and not is_known and not is_part:
            yield words


def _numbers(text: str, assertions: Sequence[Assertion]) -> Iterator[str]:
    """Yield the days, results and amounts of no statement."""
    starts = {x.day.start for x in assertions if x.day}
    yield from (day.said for day in find_days(text) if day.start not in starts)
    values = {x.value for x in assertions if x.value is not None}
    for figure in find_figures(text):
        if figure.unit in _UNITS and figure.value not in values:
            yield figure.said
    yield from (x.said for x in find_money(text) if x.millions not in values)
