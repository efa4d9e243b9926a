"""A watched question, or a watched drug, as events are compared with it."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from core.briefs.developments.focus import read_focus
from core.briefs.developments.question import Fields, Wanted, read_fields, why_not
from core.briefs.developments.records import Development
from core.briefs.notices import no_match
from core.errors import InvalidInput
from core.evidence.assets.joined_names import joined_names
from core.evidence.names.companies import company_group
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.claims import unmark
from core.evidence_ports import EvidenceReader
from core.records.alerts import WatchQuestion
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
    warnings = []
    if not all(keys):
        message = no_match("drug", unmark(name), evidence).removesuffix(".")
        warnings.append(f"{message}; it is watched as it was written.")
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


@dataclass(frozen=True)
class Asked:
    """What a watched question asks for.

    Attributes:
        wanted: Filters of events.
        drug: The drug that was typed in; None where none was.
    """

    wanted: Wanted
    drug: NamedDrug | None = None

    def meets(self, development: Development) -> bool:
        """Return whether a development is what is asked for."""
        if self.drug is not None and not _is_of(development, self.drug):
            return False
        return why_not(development, self.wanted) is None

    def told(self) -> Iterator[str]:
        """Yield the filters in words."""
        criteria = self.wanted
        sections = (
            ("Drug", [self.drug.name] if self.drug else []),
            ("Target", criteria.target_names),
            ("Disease", criteria.area_names),
            ("Kind of drug", [kind for group in criteria.modalities for kind in group]),
            ("Drug", [name for _, name in criteria.drugs]),
            ("Company", list(criteria.companies)),
            ("Stage", list(criteria.stages)),
            ("Type", [event_type.value for event_type in criteria.types]),
        )
        for label, names in sections:
            if names:
                yield f"{label}: {', '.join(dict.fromkeys(names))}"


def read_question(question: WatchQuestion, evidence: EvidenceReader, resolver: Resolver) -> Asked:
    """Return what a question asks for, by the names that are known now."""
    fields = Fields(
        question.query,
        question.indication,
        question.modality,
        question.target or question.known_target,
        read_focus(question.stage_focus),
    )
    criteria = read_fields(fields, evidence, resolver)
    if question.known_target and criteria.nothing:  # the setting alone
        criteria = read_fields(replace(fields, target=question.target), evidence, resolver)
    if question.company:
        names = (question.company, company_group(question.company))
        criteria = replace(criteria, companies=tuple(dict.fromkeys((*criteria.companies, *names))))
    drug = name_drug(question.drug, evidence, resolver) if question.drug else None
    return Asked(criteria, drug)


def _is_of(development: Development, drug: NamedDrug) -> bool:
    """Return whether a development is of a drug, or of all drugs of a combination."""
    if drug.keys and len(drug.keys) == len(drug.key.split(" + ")):
        return all(
            any(key in each.key.split(" + ") for each in development.drugs) for key in drug.keys
        )
    written = fold_name(drug.name)
    shown = (each.name for each in development.drugs)  # what a record writes, without dose and form
    return any(fold_name(name) == written for name in (*development.said("drugs"), *shown))
