"""Rows of the tables of trials and pipelines, from the records of the sources at hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.evidence.measures import UNKNOWN, classify_measure
from core.evidence.starter.own_words import reason_word
from core.evidence.starter.sources import source_named
from core.records.evidence import Mention, Record
from core.records.evidence_pack import StoredFact

MOST_NAMES = 12
MOST_CONDITIONS = 8
MOST_ENDPOINTS = 4
LONGEST_NAME = 120
LONGEST_MEASURE = 60
_FIELDS = {
    "phase": "trial_phase",
    "overall_status": "trial_status",
    "sponsor_class": "trial_sponsor_class",
    "design": "trial_design",
    "start_on": "trial_start",
    "primary_completion_on": "trial_primary_completion",
    "completion_on": "trial_completion",
    "has_results": "trial_has_results",
}


@dataclass(frozen=True)
class Held:
    """A record with all that is held of it."""

    record: Record
    mentions: Sequence[Mention]
    facts: Sequence[StoredFact]

    def said(self, predicate: str) -> str:
        """Return the first object of a predicate."""
        return next((x.fact.object for x in self.facts if x.fact.predicate == predicate), "")

    def all_said(self, predicate: str) -> list[str]:
        """Return the objects of a predicate, each once."""
        return list(
            dict.fromkeys(x.fact.object for x in self.facts if x.fact.predicate == predicate)
        )

    def names(self, *relations: str) -> list[str]:
        """Return what is mentioned in one of the relations."""
        found = (plain(one.name) for one in self.mentions if one.relation in relations)
        return [one for one in dict.fromkeys(found) if one and len(one) <= LONGEST_NAME]


def plain(name: str) -> str:
    """Return a name that can stand among others in one cell."""
    return " ".join(name.replace("|", "/").split())


def join(values: Sequence[str]) -> str:
    """Return the cell of several values."""
    return "|".join(values)


def origin(held: Held, locator: str, as_of: str = "") -> dict[str, str]:
    """Return the columns that tell where a row comes from."""
    known = source_named(held.record.source)
    day = as_of or held.record.updated_on or known.as_of
    return {
        "source_id": held.record.id,
        "source_url": held.record.url,
        "source_title": f"{known.title}, as of {day}",
        "source_locator": locator,
        "as_of": day,
        "basis": "published",
        "status": "verified",
    }


def trial_row(drug: str, held: Held, words: str, stopped: str) -> dict[str, str]:
    """Return the row of a trial.

    Args:
        drug: The drug for which it was chosen.
        held: Its record.
        words: What the record says the drug acts on, in our words; "" if nothing.
        stopped: Why it was stopped, as written.
    """
    enrolled = next((x for x in held.facts if x.fact.predicate == "trial_enrollment"), None)
    number = enrolled.fact.value if enrolled else None
    as_of = next((x.fact.as_of for x in held.facts if x.fact.predicate == "trial_status"), "")
    cells = {column: held.said(predicate) for column, predicate in _FIELDS.items()}
    return cells | {
        "nct_id": held.record.source_id,
        "drug": drug,
        "drugs": join(list(_drugs(held))[:MOST_NAMES]),
        "conditions": join(held.names("condition")[:MOST_CONDITIONS]),
        "sponsor": next(iter(held.names("sponsor")), ""),
        "collaborators": join(held.names("collaborator")[:4]),
        "enrollment": str(int(number)) if number is not None else "",
        "endpoints": join(list(_endpoints(held))[:MOST_ENDPOINTS]),
        "stopped": reason_word(held.said("trial_stopped") or stopped),
        "words": words,
        "updated_on": held.record.updated_on,
        **origin(held, "protocol section", as_of),
    }


def _drugs(held: Held) -> Iterator[str]:
    """Yield the drugs with their roles, what is tested first."""
    found = [one for one in held.mentions if one.kind == "drug"]
    for one in sorted(found, key=lambda one: one.role != "investigational"):
        name = plain(one.name)
        if name and len(name) <= LONGEST_NAME:
            yield f"{one.role or 'unclear'}:{name}"


def _endpoints(held: Held) -> Iterator[str]:
    """Yield the kinds of the primary endpoints; a short name where it is of no known kind."""
    seen: set[str] = set()
    for one in held.facts:
        if one.fact.predicate != "trial_endpoint" or one.fact.qualifiers.population != "primary":
            continue
        kind = classify_measure(one.fact.object)
        name = plain(one.fact.object) if kind is UNKNOWN else kind.name
        if name not in seen and len(name) <= LONGEST_MEASURE:
            seen.add(name)
            yield name


def pipeline_rows(drug: str, held: Held) -> Iterator[dict[str, str]]:
    """Yield one row an indication of a company's asset."""
    trials: Mapping[str, str] = {
        x.fact.qualifiers.indication: x.fact.object
        for x in held.facts
        if x.fact.predicate == "program_trial"
    }
    stem = {
        "company": held.said("developed_by"),
        "asset": plain(next(iter(held.names("asset")), "")),
        "drug": drug,
        "synonyms": join(held.names("synonym")[:8]),
        "mechanism": held.said("acts_on")[:200],
        "modality": held.said("has_modality")[:200],
        "highest": held.said("highest_stage"),
        **origin(held, "pipeline table"),
    }
    stages = {
        x.fact.qualifiers.indication: x.fact.object
        for x in held.facts
        if x.fact.predicate == "in_stage"
    }
    for indication, stage in stages.items() or (("", ""),):
        if stem["asset"] and len(indication) <= 200:
            yield stem | {
                "indication": indication,
                "stage": stage,
                "nct_id": trials.get(indication, ""),
            }
