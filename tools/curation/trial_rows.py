"""Rows of the tables of trials and pipelines, from the records of the sources at hand."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.records.evidence import Mention, Record, Role
from core.records.evidence_pack import StoredFact
from core.vocabulary.endpoints import UNKNOWN, classify_measure
from core.vocabulary.predicates import Predicate
from tools.curation.certain_roles import is_given_with, is_of_patients
from tools.curation.own_words import reason_word
from tools.curation.sources import source_named

MOST_NAMES = 12
MOST_CONDITIONS = 8
MOST_ENDPOINTS = 4
LONGEST_NAME = 120
LONGEST_MEASURE = 60
MOST_WORDS = 4
"""Words of a kind of drug."""
OF_LISTED = "highest: of the programs that the company lists"
"""A drug approved for a use that its company no longer lists stands higher than this."""
TRIALS = "trials"
TESTED = "investigational"
Rows = dict[tuple[str, str], list[dict[str, str]]]
_STOPPED = frozenset({"TERMINATED", "WITHDRAWN", "SUSPENDED"})
_BEFORE_THE_END = frozenset({"RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION"})
_NO_DRUG = re.compile(
    r"^(?:(?:laboratory )?biomarker analysis|questionnaire(?: administration)?|surgery|diet|"
    r"exercise|pharmacological study|protein expression analysis|quality[ -]of[ -]life assessment|"
    r"computed tomography|magnetic resonance imaging|positron emission tomography|dexa scan|"
    r"radiation therapy|radiotherapy|(?:total )?mesorectal excision|radical surgery|"
    r"(?:surgery|diet) (?:\(.*\)|only)|.*\b(?:infusion procedure|behaviou?r therapy|access device|"
    r"restricted diet))$",
    re.IGNORECASE,
)
"""Names of what is done and measured, where a copy does not tell the kinds of interventions."""
_PAIRS = {"PHASE1_2": ("PHASE1", "PHASE2"), "PHASE2_3": ("PHASE2", "PHASE3")}
"""Phases of which some copies have only one."""
_FIELDS = {
    "phase": Predicate.TRIAL_PHASE,
    "overall_status": Predicate.TRIAL_STATUS,
    "sponsor_class": Predicate.TRIAL_SPONSOR_CLASS,
    "design": Predicate.TRIAL_DESIGN,
    "start_on": Predicate.TRIAL_START,
    "primary_completion_on": Predicate.TRIAL_PRIMARY_COMPLETION,
    "completion_on": Predicate.TRIAL_COMPLETION,
    "has_results": Predicate.TRIAL_HAS_RESULTS,
}


@dataclass(frozen=True)
class Held:
    """A record with all that is held of it."""

    record: Record
    mentions: Sequence[Mention]
    facts: Sequence[StoredFact]

    def said(self, predicate: Predicate) -> str:
        """Return the first object of a predicate."""
        return next((x.fact.object for x in self.facts if x.fact.predicate == predicate), "")

    def all_said(self, predicate: Predicate) -> list[str]:
        """Return the objects of a predicate, each once."""
        return list(
            dict.fromkeys(x.fact.object for x in self.facts if x.fact.predicate == predicate)
        )

    def names(self, *relations: str) -> list[str]:
        """Return what is mentioned in one of the relations."""
        names = (plain(mention.name) for mention in self.mentions if mention.relation in relations)
        return [name for name in dict.fromkeys(names) if name and len(name) <= LONGEST_NAME]


def plain(name: str) -> str:
    """Return a name that can stand among others in one cell."""
    return " ".join(name.replace("|", "/").split())


def join(values: Sequence[str]) -> str:
    """Return the cell of several values."""
    return "|".join(values)


def origin(stored: Held, locator: str, as_of: str = "") -> dict[str, str]:
    """Return the columns that tell where a row comes from."""
    source = source_named(stored.record.source)
    day = as_of or stored.record.told_on or source.as_of
    return {
        "source_id": stored.record.id,
        "source_url": stored.record.url,
        "source_title": f"{source.title}, as of {day}",
        "source_locator": locator,
        "as_of": day,
        "basis": "published",
        "status": "verified",
    }


def trial_row(
    drug: str,
    stored: Held,
    words: str,
    stopped: str,
    tested: Container[str],
    compared: Mapping[str, Role] = {},
    phase: str = "",
) -> dict[str, str]:
    """Return the row of a trial.

    Args:
        drug: The drug for which it was chosen.
        stored: Its record.
        words: What the record says the drug acts on, in our words; "" if nothing.
        stopped: Why it was stopped, as written.
        tested: Labels of the drug, which for certain is tested; of others nothing is said.
        compared: Roles of those of its labels that are not.
        phase: Its phase as the list of stopped trials has it; "" if it is not on it.
    """
    enrolled = next(
        (x for x in stored.facts if x.fact.predicate == Predicate.TRIAL_ENROLLMENT), None
    )
    number = enrolled.fact.value if enrolled else None
    as_of = next(
        (x.fact.as_of for x in stored.facts if x.fact.predicate == Predicate.TRIAL_STATUS), ""
    )
    cells = {column: stored.said(predicate) for column, predicate in _FIELDS.items()}
    if cells["phase"] in _PAIRS.get(phase, ()):
        cells["phase"] = phase
    if cells["overall_status"] not in _STOPPED:
        stopped = ""  # the list of reasons is of another day than the record
    if (
        cells["overall_status"] != "WITHDRAWN"
        and cells["start_on"] == (cells["primary_completion_on"])
    ):  # one of two columns was filled from the other; which one, nobody can tell
        cells |= {"start_on": "", "primary_completion_on": ""}
    if cells["overall_status"] in _BEFORE_THE_END and cells["completion_on"][:7] < as_of[:7]:
        cells |= {"primary_completion_on": "", "completion_on": ""}  # of an older copy
    return cells | {
        "nct_id": stored.record.source_id,
        "drug": drug,
        "drugs": join(list(_drugs(stored, tested, compared))[:MOST_NAMES]),
        "conditions": join(stored.names("condition")[:MOST_CONDITIONS]),
        "sponsor": next(iter(stored.names("sponsor")), ""),
        "collaborators": join(stored.names("collaborator")[:4]),
        "enrollment": str(int(number)) if number is not None else "",
        "endpoints": join(list(_endpoints(stored))[:MOST_ENDPOINTS]),
        "stopped": reason_word(stored.said(Predicate.TRIAL_STOPPED) or stopped),
        "words": words,
        "updated_on": stored.record.updated_on if stored.record.updated_on != as_of else "",
        **origin(stored, "protocol section", as_of),
    }


def _drugs(stored: Held, tested: Container[str], compared: Mapping[str, Role]) -> Iterator[str]:
    """Yield the drugs with their roles, what is tested first."""
    roles: dict[str, str] = {}
    for mention in stored.mentions:
        name = plain(mention.name)
        if (
            mention.kind == "drug"
            and name
            and len(name) <= LONGEST_NAME
            and not _NO_DRUG.search(name)
        ):
            is_open = not mention.role or (mention.role == TESTED and mention.name not in tested)
            is_open |= mention.role == "comparator" and _is_in_all_arms(
                stored.record.title, mention.name
            )
            roles[name] = compared.get(mention.name) or ("unclear" if is_open else mention.role)
    for name, role in sorted(roles.items(), key=lambda drug: drug[1] != TESTED):
        yield f"{role}:{name}"


def _is_in_all_arms(title: str, label: str) -> bool:
    if is_of_patients(title, label):
        return True
    return "placebo" not in label.casefold() and is_given_with(title, label)


def join_rows(rows: Rows) -> Rows:
    """Return rows by table and area, a trial of several drugs once: all of them are tested there.

    Args:
        rows: Rows as the drugs of the pack brought them.
    """
    first: dict[str, dict[str, str]] = {}
    joined: Rows = {}
    for (table, area), area_rows in rows.items():
        joined_rows = joined[table, area] = []
        for row in area_rows:
            if table == TRIALS and row["nct_id"] in first:
                _add_drug(first[row["nct_id"]], row)
            else:
                joined_rows.append(row)
                if table == TRIALS:
                    first[row["nct_id"]] = row
    return {key: key_rows for key, key_rows in joined.items() if key_rows}


def _add_drug(row: dict[str, str], other: Mapping[str, str]) -> None:
    """Write into a trial's row what the row of another drug of it says."""
    also = {drug for drug in other["drugs"].split("|") if drug.startswith(TESTED)}
    names = {drug.partition(":")[2] for drug in also}
    left = [drug for drug in row["drugs"].split("|") if drug.partition(":")[2] not in names]
    tested = [drug for drug in left if drug.startswith(TESTED)]
    others = [drug for drug in left if not drug.startswith(TESTED)]
    row["drugs"] = join([*tested, *sorted(also), *others][:MOST_NAMES])
    words = [*row["words"].split("|"), *other["words"].split("|")]
    row["words"] = join([word for word in dict.fromkeys(words) if word])


def _endpoints(stored: Held) -> Iterator[str]:
    """Yield the kinds of the primary endpoints; a short name where it is of no known kind."""
    seen: set[str] = set()
    for fact in stored.facts:
        if (
            fact.fact.predicate != Predicate.TRIAL_ENDPOINT
            or fact.fact.qualifiers.population != "primary"
        ):
            continue
        kind = classify_measure(fact.fact.object)
        name = plain(fact.fact.object) if kind is UNKNOWN else kind.name
        if name not in seen and len(name) <= LONGEST_MEASURE:
            seen.add(name)
            yield name


def plain_mechanism(text: str) -> str:
    """Return a mechanism without what a table's next column left behind its brackets.

    >>> plain_mechanism("CD38 antibody (injection) Transglutaminase 2")
    'CD38 antibody (injection)'
    """
    match = re.match(r".*?\((?:injection|oral|infusion|inhaled|topical)[^()]*\)", text)
    return match[0] if match else text


def plain_modality(text: str) -> str:
    """Return a company's word for a kind of drug; "" where two rows of its table ran together.

    >>> plain_modality("Biologic and other Small"), plain_modality("Small Molecule")
    ('', 'Small Molecule')
    """
    words = [word.casefold() for word in re.findall(r"[^\W_]+", text)]
    is_torn = len(set(words)) < len(words) or {"biologic", "small"} <= set(words)
    return "" if is_torn or len(words) > MOST_WORDS or words[-1:] == ["and"] else text


def pipeline_rows(drug: str, stored: Held) -> Iterator[dict[str, str]]:
    """Yield one row an indication of a company's asset."""
    trials: Mapping[str, str] = {
        x.fact.qualifiers.indication: x.fact.object
        for x in stored.facts
        if x.fact.predicate == Predicate.PROGRAM_TRIAL
    }
    stem = {
        "company": stored.said(Predicate.DEVELOPED_BY),
        "asset": plain(next(iter(stored.names("asset")), "")),
        "drug": drug,
        "synonyms": join(stored.names("synonym")[:8]),
        "mechanism": plain_mechanism(stored.said(Predicate.ACTS_ON))[:200],
        "modality": plain_modality(stored.said(Predicate.HAS_MODALITY)),
        "highest": stored.said(Predicate.HIGHEST_STAGE),
        **origin(stored, "pipeline table"),
        "note": OF_LISTED if stored.said(Predicate.HIGHEST_STAGE) else "",
    }
    stages = {
        x.fact.qualifiers.indication: x.fact.object
        for x in stored.facts
        if x.fact.predicate == Predicate.IN_STAGE
    }
    for indication, stage in stages.items() or (("", ""),):
        if stem["asset"] and len(indication) <= 200:
            yield stem | {
                "indication": indication,
                "stage": stage,
                "nct_id": trials.get(indication, ""),
            }
