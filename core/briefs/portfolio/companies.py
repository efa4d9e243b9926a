"""Which company is meant: name, former name or ticker, another language, a typo, a product."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from core.briefs.notices import no_match
from core.evidence.assets.gather import gather_assets
from core.evidence.assets.roles import owners_of
from core.evidence.names.companies import (
    company_group,
    company_of_ticker,
    find_ticker,
    group_of_key,
    is_known,
    row_of,
    sharing_name,
    starts_of,
)
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.questions.spelling import mend, translate
from core.evidence_ports import EvidenceReader
from core.records.asset_queries import AssetQuery
from core.records.names import fold_name
from core.vocabulary.companies import CompanyName, load_companies
from core.vocabulary.drug_words import load_drug_words

SHORTEST = 5
"""Letters of the beginning of a name that may stand for it."""
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def in_english(text: str) -> str:
    """Return a name in English; legal forms of the other language fall away.

    >>> in_english("恒瑞医药股份有限公司"), in_english("Pfizer")
    ('Jiangsu Hengrui', 'Pfizer')
    """
    english, changes = translate(text)
    if not changes:
        return text
    return " ".join(word for word in english.split() if not _UNSPACED.search(word)) or text


def mended(text: str, resolver: Resolver) -> str:
    """Return the company of the table whose name is one or two signs away; "" where none is."""
    spelled = text
    for change in mend(text.split(), resolver):
        if change.why == "mended":
            spelled = re.sub(rf"\b{re.escape(change.said)}\b", change.meant, spelled)
    return company_group(spelled) if spelled != text and is_known(spelled) else ""


def completed(text: str, names: Iterable[tuple[str, str, int]]) -> str:
    """Return the one company of which records name only a longer name; "" where none is.

    Args:
        text: The beginning of a name.
        names: Folded name, name and number of records of every company of the pack.
    """
    folded = fold_name(text)
    begins = re.compile(rf"{re.escape(text)}\b", re.IGNORECASE)
    groups = {
        fold_name(group): group
        for start, name, _ in names
        if start.startswith(folded) and begins.match(name) and (group := company_group(name))
    }
    return next(iter(groups.values())) if len(groups) == 1 and len(folded) >= SHORTEST else ""


def owner_of(
    text: str, evidence: EvidenceReader, resolver: Resolver, as_of: date
) -> tuple[str, str]:
    """Return the drug that a brand, code or name stands for, and whose it is today."""
    names = load_drug_words().get(fold_name(text), (text,))
    keys = [key for name in names if (key := resolver.resolve_drug(name).key)]
    if not keys:
        return "", ""
    query = AssetQuery(drug_keys=tuple(keys), figures=False)
    assets = gather_assets(query, evidence, resolver, as_of).assets
    return next(
        ((asset.name, owners[0]) for asset in assets if (owners := owners_of(asset))), ("", "")
    )


@dataclass(frozen=True)
class Company:
    """A company as it was understood.

    Attributes:
        name: Name under which it counts.
        groups: Every spelling of it in the pack, as groups; empty where nothing is held.
        ticker: Its ticker; None where no register of tickers has it.
        trail: Names that count under it, with the relation: "own name", "acquired", …
        checked: Every name that was looked up, as written.
        written: Names under which the pack writes it.
        warnings: What is unclear, refused or not found.
        acquired: The acquired company whose name was asked for; None for any other name.
    """

    name: str
    groups: tuple[str, ...]
    ticker: str | None
    trail: tuple[CompanyName, ...]
    checked: tuple[str, ...]
    written: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    acquired: CompanyName | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the name that any record of the answer may carry."""
        return (self.name, *([self.acquired.name] if self.acquired else ()))


class _Reading:
    """Names of the pack, and what is to be said."""

    def __init__(self, evidence: EvidenceReader) -> None:
        self.names = list(evidence.names("company"))
        self.warnings: list[str] = []
        self._known: dict[str, tuple[Counter[str], list[str]]] = {}

    def spelled(self, group: str) -> tuple[Counter[str], list[str]]:
        """Return the spellings of a group by number of records, and its names as written."""
        folded = fold_name(group)
        if folded not in self._known:
            groups: Counter[str] = Counter()
            written: list[str] = []
            starts = starts_of(group)
            for start, name, count in self.names:
                if (
                    start.startswith(starts)
                    and fold_name(company_name := company_group(name)) == folded
                ):
                    groups[company_name] += count
                    written.append(name)
            self._known[folded] = (groups, written)
        return self._known[folded]

    def has(self, group: str) -> bool:
        """Return whether a record names a group."""
        return bool(self.spelled(group)[0])


def find_company(
    text: str, aliases: Iterable[str], evidence: EvidenceReader, resolver: Resolver
) -> Company:
    """Return the company that a request means.

    Args:
        text: Name, former name or ticker.
        aliases: Further names that the caller gives; those of another company are refused.
        evidence: The pack, whose spellings are searched.
        resolver: Knows tickers and legal names.
    """
    reading = _Reading(evidence)
    name = _read(text, reading, resolver)
    folded = [fold_name(name)]
    checked = [text]
    for alias in aliases:
        checked.append(alias)
        other = company_of_ticker(alias, resolver) or company_group(alias)
        if fold_name(other) in folded:
            continue
        if _is_known(other):
            reading.warnings.append(
                f"alias_refused: {alias!r} counts under {other}, another company, and was not "
                "searched."
            )
        else:
            folded.append(fold_name(other))
    groups = sorted({group for key in folded for group in reading.spelled(key)[0]})
    if not groups:
        reading.warnings.append(no_match("company", text, evidence))
    trail = tuple(row for row in load_companies() if fold_name(row.group) == folded[0])
    written = [spelling for key in folded for spelling in reading.spelled(key)[1]]
    return Company(
        name=_shown(name, reading),
        groups=tuple(groups),
        ticker=find_ticker(name, written, resolver),
        trail=trail,
        checked=tuple(dict.fromkeys([*checked, *(row.name for row in trail), *written])),
        written=tuple(written),
        warnings=tuple(reading.warnings),
        acquired=_acquired(text, folded[0]),
    )


def _acquired(name: str, folded: str) -> CompanyName | None:
    row = row_of(name)
    is_bought = row is not None and row.relation == "acquired" and fold_name(row.group) == folded
    return row if is_bought else None


def _read(text: str, reading: _Reading, resolver: Resolver) -> str:
    """Return the group that is meant by a name, in whatever language or spelling."""
    english = in_english(text)
    if english != text:
        reading.warnings.append(f"translated: {text!r} was read as {english}.")
    name = _choose(english, reading, resolver)
    if _is_known(name) or reading.has(name):
        return name
    corrected = mended(english, resolver)
    if corrected and reading.has(corrected):
        reading.warnings.append(f"mended: {text!r} was read as {corrected}.")
        return corrected
    full_name = completed(english, reading.names)
    if full_name:
        reading.warnings.append(f"completed: {text!r} was read as {full_name}.")
    return full_name or name


def _choose(text: str, reading: _Reading, resolver: Resolver) -> str:
    """Return the group that a name stands for; where two share it, say so."""
    ticker = company_of_ticker(text, resolver)
    group = company_group(text)
    if ticker and not (_is_known(group) or reading.has(group)):
        return ticker
    if _is_known(group):
        return group
    sharing = sharing_name(text)
    if len(sharing) > 1:
        chosen = ticker or _legal(text, resolver) or sharing[0]
        reading.warnings.append(
            f"ambiguous_company: {text!r} is a name of {' and of '.join(sharing)}; "
            f"{chosen} was searched. Enter the full name to choose another."
        )
        return chosen
    if reading.has(group):
        return group
    return ticker or _legal(text, resolver) or group


def _is_known(group: str) -> bool:
    return any(row.group == group for row in load_companies())


def _legal(text: str, resolver: Resolver) -> str:
    """Return the group of a legal name; "" where no company has it, or two have."""
    match = resolver.resolve("company", text)
    return group_of_key({match.key} if match.key else set(), resolver)


def _shown(name: str, reading: _Reading) -> str:
    """Return a name as the pack writes it most often; one of the table as the table has it."""
    if _is_known(name):
        return name
    spelled = reading.spelled(name)[0]
    return spelled.most_common(1)[0][0] if spelled else name
