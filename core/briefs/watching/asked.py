"""A watched question as events can be held against it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.briefs.developments.filters import why_not
from core.briefs.developments.focus import read_focus
from core.briefs.developments.question import Fields, Wanted, read_fields
from core.briefs.developments.records import Development
from core.briefs.watching.drugs import NamedDrug, name_drug
from core.evidence.names.companies import company_group
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.alerts import WatchQuestion
from core.records.names import fold_name


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
