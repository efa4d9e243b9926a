"""Finds the drugs in which a company may have a part, by the names under which records write it.

A company acts under many names: its own, those it had, those of companies it bought. The table of
companies joins them; records are then asked for every spelling that counts under the group.
"""

from collections.abc import Collection, Iterator, Sequence

from core.evidence.assets.candidates import Finder
from core.evidence.companies import company_group
from core.evidence_ports import EvidenceReader
from core.records.evidence import Mention
from core.records.programs import AssetQuery, ExcludedAsset


def spellings_of(groups: Collection[str], evidence: EvidenceReader) -> dict[str, str]:
    """Return the folded names of the pack that count under one of the groups, as written."""
    wanted = frozenset(groups)
    named = evidence.names("company")
    return {folded: name for folded, name, _ in named if company_group(name) in wanted}


def read_owned(query: AssetQuery, finder: Finder) -> tuple[list[str], list[ExcludedAsset]]:
    """Take the drugs of records in which a company takes part; return the records.

    Whether the company really has a role is told later, by what the records say of each drug.

    Args:
        query: Names the companies.
        finder: Collects candidates.
    """
    names = sorted(spellings_of(query.companies, finder.evidence))
    ids = sorted(finder.evidence.mentioning("company", names)) if names else []
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
