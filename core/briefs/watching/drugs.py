"""A drug that somebody watches: its names are one question."""

import unicodedata
from typing import NamedTuple

from core.briefs.notices import no_match
from core.errors import InvalidInput
from core.evidence.assets.joined_names import joined_names
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.claims import unmark
from core.evidence_ports import EvidenceReader
from core.records.evidence import MentionKind
from core.records.names import fold_name
from core.vocabulary.query_words import take_words

MOST_NAMES = 30
_OTHERS: tuple[MentionKind, ...] = ("target", "disease", "company")


class NamedDrug(NamedTuple):
    """A drug as it was written.

    Attributes:
        name: On one line.
        key: The same for every name of a drug, or of a combination; the folded text where no
            drug of that name is known.
        keys: Keys of its parts that are known.
        warnings: What was not understood, with the names that are near.
    """

    name: str
    key: str
    keys: tuple[str, ...]
    warnings: tuple[str, ...]


def name_drug(text: str, evidence: EvidenceReader, resolver: Resolver) -> NamedDrug:
    """Return what a drug's name stands for."""
    signs = unicodedata.normalize("NFKC", text)
    plain = "".join(sign if sign.isprintable() else " " for sign in signs)
    name = " ".join(plain.split())
    keys = tuple(match.key for match in resolver.resolve_combination(name))
    if keys == ("",):  # a code or name that only pipelines or the starter pack have
        keys = (joined_names(evidence, resolver).get(fold_name(name), ("", ""))[0],)
    parts = sorted({key or f"name:{fold_name(name)}" for key in keys})
    warnings = [] if all(keys) else [_not_known(name, evidence)]
    routes, _ = take_words("route", name)
    if routes and all(keys):
        warnings.append(
            f"not_filtered: {', '.join(routes)} (route): understood, but events of the drug by "
            "every route count."
        )
    return NamedDrug(name, " + ".join(parts), tuple(filter(None, keys)), tuple(warnings))


def drug_to_watch(text: str, evidence: EvidenceReader, resolver: Resolver) -> NamedDrug:
    """Return the drug that somebody wants to watch; an unknown name is one with a warning.

    Raises:
        InvalidInput: The name is that of a target, disease or company, and no record has a drug
            of this name: such a query would never fire.
    """
    drug = name_drug(text, evidence, resolver)
    names = [name.name for key in drug.keys for name in resolver.identity.names("drug", key)]
    if evidence.mentioning("drug", names[:MOST_NAMES] or [drug.name]):
        return drug
    kind = next(
        (kind for kind in _OTHERS if (resolver.resolve(kind, drug.name).status != "unresolved")),
        None,
    )
    if kind is None:
        return drug
    raise InvalidInput(
        f"{unmark(drug.name)} is a {kind}, not a drug: write the name of a drug, or run a "
        f"landscape for this {kind} and turn its alert on",
        field="drug_name",
    )


def _not_known(name: str, evidence: EvidenceReader) -> str:
    message = no_match("drug", unmark(name), evidence).removesuffix(".")
    return f"{message}; it is watched as it was written."
