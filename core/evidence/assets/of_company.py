"""Finds the drugs in which a company may have a part, by the names under which records write it.

A company acts under many names: its own, those it had, those of companies it bought. The table of
companies joins them; records are then asked for every spelling that counts under the group.
"""

from collections.abc import Collection, Iterator, Sequence

from core.evidence.assets.candidates import Finder
from core.evidence.assets.record_facts import without_generics
from core.evidence.names.companies import company_group, starts_of
from core.evidence_ports import EvidenceReader
from core.records.asset_queries import AssetQuery, ExcludedAsset
from core.records.evidence import Mention


def spellings_of(groups: Collection[str], evidence: EvidenceReader) -> list[str]:
    """Return the names of the pack that count under one of the groups, as written."""
    wanted = frozenset(groups)
    starts = tuple(start for group in groups for start in starts_of(group))
    return [
        name
        for folded, name, _ in evidence.names("company")
        if folded.startswith(starts) and company_group(name) in wanted
    ]


def read_owned(query: AssetQuery, finder: Finder) -> tuple[list[str], list[ExcludedAsset]]:
    """Take the drugs of records in which a company takes part; return the records.

    Whether the company really has a role is told later, by what the records say of each drug.

    Args:
        query: Names the companies.
        finder: Collects candidates.
    """
    names = query.company_names or spellings_of(query.companies, finder.evidence)
    found = sorted(finder.evidence.mentioning("company", sorted(names))) if names else []
    ids = without_generics(found, finder.evidence)
    mentions = finder.evidence.mentions(ids)
    labels = sorted({label for said in mentions.values() for label in _own(said)})
    named = finder.naming.read(labels)
    for label in labels:
        for drug in named[label]:
            finder.add(drug)
    return ids, []


def _own(mentions: Sequence[Mention]) -> Iterator[str]:
    """Yield the drugs that a trial tests, or that a register, label or pipeline is about."""
    for one in mentions:
        if one.kind == "drug" and one.role in {"investigational", ""}:
            yield one.name
