"""Finds the drugs in which a company may have a part, by the names under which records write it.

A company acts under many names: its own, those it had, those of companies it bought. The table of
companies joins them; records are then asked for every spelling that counts under the group.
"""

from collections.abc import Collection, Iterator, Sequence

from core.evidence.assets.candidates import Finder
from core.evidence.assets.own_knowledge import known_by_key
from core.evidence.companies import company_group
from core.evidence_ports import EvidenceReader
from core.records.evidence import Mention


def spellings_of(groups: Collection[str], evidence: EvidenceReader) -> dict[str, str]:
    """Return the folded names of the pack that count under one of the groups, as written."""
    wanted = frozenset(groups)
    named = evidence.names("company")
    return {folded: name for folded, name, _ in named if company_group(name) in wanted}


def read_owned(groups: Collection[str], finder: Finder) -> frozenset[str]:
    """Take the drugs of records in which a company takes part; return their keys.

    Whether the company really has a role is told later, by what the records say of each drug.

    Args:
        groups: Companies.
        finder: Collects candidates.
    """
    names = sorted(spellings_of(groups, finder.evidence))
    ids = sorted(finder.evidence.mentioning("company", names)) if names else []
    mentions = finder.evidence.mentions(ids)
    labels = sorted({label for said in mentions.values() for label in _own(said)})
    named = finder.naming.read(labels)
    added = (finder.add(drug) for label in labels for drug in named[label])
    keys = frozenset(candidate.key for candidate in added if candidate)
    return keys | _originated(groups, finder)


def _own(mentions: Sequence[Mention]) -> Iterator[str]:
    """Yield the drugs that a trial tests, or that a register, label or pipeline is about."""
    for one in mentions:
        if one.kind == "drug" and one.role in {"investigational", ""}:
            yield one.name


def _originated(groups: Collection[str], finder: Finder) -> frozenset[str]:
    """Return the drugs found that the curators' table gives to one of the companies."""
    wanted = frozenset(groups)
    return frozenset(
        key
        for key, rows in known_by_key(finder.naming.resolver).items()
        if key in finder.found and any(company_group(row.originator) in wanted for row in rows)
    )
