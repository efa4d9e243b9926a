"""What a caller may mean whose words are no company's name: another language, a typo, a product."""

import re
from collections.abc import Iterable
from datetime import date

from core.evidence.assets.gather import gather_assets
from core.evidence.assets.roles import owners_of
from core.evidence.names.companies import company_group, is_known
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.questions.foreign import translate
from core.evidence.readers.questions.spelling import mend
from core.evidence_ports import EvidenceReader
from core.records.asset_queries import AssetQuery
from core.records.names import fold_name
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
