"""Fills the starter pack's tables of sources for the drugs that its table of drugs names."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

from core.evidence.assets.candidates import TELLING
from core.evidence.assets.curators_drugs import known_by_key, known_names
from core.evidence.assets.joined_names import joined_names
from core.evidence.assets.roles import find_roles
from core.evidence.assets.shelf import Shelf, drug_names, fill_shelf
from core.evidence.assets.stages.programs import Programs, tested_in
from core.evidence.names.companies import company_group
from core.evidence.names.drug_labels import Naming
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import target_names
from core.evidence.readers.diseases import Diseases, diseases_of
from core.evidence.sources.files.trial_results import BETWEEN
from core.evidence.sources.pack.files import Row
from core.evidence.sources.pack.reading import load_rows
from core.evidence_ports import EvidenceReader
from core.records.evidence import Record
from core.records.evidence_pack import FactQuery, StoredFact
from core.records.names import fold_name
from core.vocabulary.predicates import Predicate
from tools.curation.choice import (
    MOST_LIKELY,
    ChosenDrug,
    carrying,
    choose_trials,
    confirm_target,
)
from tools.curation.register_rows import (
    EVENT_YEARS,
    approval_row,
    choose_approvals,
    choose_labels,
    choose_of_ema,
    choose_of_pmda,
    event_rows,
    label_row,
)
from tools.curation.sources import source_named
from tools.curation.titled_trials import Titled, choose_titled, find_titled, mark_titled
from tools.curation.trial_parts import MARKETED, TrialParts
from tools.curation.trial_rows import Held, join_rows, pipeline_rows, trial_row

PORTION = 400
MOST_OF_A_RECORD = 4
LATE = ("PHASE3", "PHASE2_3", "PHASE2", "PHASE4")
LABEL = "label"
_ROLES = frozenset({"primary", "label", "report", "registry"})
_LONGEST = 190
_TRIAL = re.compile(r"NCT\d{8}")
MOST_HEADS = 2
"""Heads before a label's table that may name the disease: the trial's number, the section's."""


def effect_rows(
    trials: Sequence[Row], labels: Sequence[Row], evidence: EvidenceReader, diseases: Diseases
) -> Iterator[dict[str, str]]:
    """Yield the rows of figures, at most four of a record.

    Args:
        trials: Rows of the pack's trials.
        labels: Rows of its labels.
        evidence: Records of the sources that may fill rows.
        diseases: Reads the disease of a label's study.
    """
    of_trial = {row["nct_id"]: row["drug"] for row in trials if row["phase"] in LATE}
    query = FactQuery(subjects=sorted(of_trial), predicates=(Predicate.TRIAL_EFFECT,))
    facts = [fact for fact in evidence.facts(query) if fact.fact.qualifiers.population in _ROLES]
    yield from _rows(facts, of_trial, evidence, diseases)
    of_label = {f"label:{row['number']}": row["drug"] for row in labels if row["register"] == LABEL}
    ids = sorted(of_label)
    for start in range(0, len(ids), PORTION):
        portion = ids[start : start + PORTION]
        query = FactQuery(record_ids=portion, predicates=(Predicate.LABEL_RESULT,))
        yield from _rows(evidence.facts(query), of_label, evidence, diseases)


def _rows(
    facts: Sequence[StoredFact],
    drugs: dict[str, str],
    evidence: EvidenceReader,
    diseases: Diseases,
) -> Iterator[dict[str, str]]:
    by_record: dict[str, list[StoredFact]] = defaultdict(list)
    for stored in facts:
        by_record[stored.fact.record_id].append(stored)
    records = evidence.records(sorted(by_record))
    for record_id in sorted(by_record):
        for stored in by_record[record_id][:MOST_OF_A_RECORD]:
            fact = stored.fact
            drug = drugs.get(fact.subject) or drugs.get(record_id, "")
            if drug and record_id in records:
                yield {**_row(stored, drug, records[record_id]), **_setting(stored, diseases)}


def _setting(fact: StoredFact, diseases: Diseases) -> dict[str, str]:
    """Return of whom a figure is, in names and numbers: no words of a label are copied."""
    qualifiers = fact.fact.qualifiers
    setting = {"indication": "", "line": qualifiers.line, "biomarker": qualifiers.biomarker}
    if fact.fact.predicate == Predicate.TRIAL_EFFECT:
        return setting
    number = _TRIAL.search(qualifiers.population)
    heads = "; ".join(qualifiers.population.split("; ")[:MOST_HEADS])
    diseases_named = diseases.in_texts([heads])[heads]
    setting["indication"] = diseases_named[0].name if diseases_named else ""
    return {**setting, "comparator": "", "arm": number[0] if number else ""}


def _row(stored: StoredFact, drug: str, record: Record) -> dict[str, str]:
    fact, qualifiers = stored.fact, stored.fact.qualifiers
    is_of_trial = fact.predicate == Predicate.TRIAL_EFFECT
    arm, _, against = qualifiers.arm.partition(BETWEEN)
    cells = {
        "number": record.id,
        "drug": drug,
        "trial": fact.subject if is_of_trial else "",
        "endpoint": fact.object,
        "value": f"{fact.value:g}",
        "unit": fact.unit,
        "arm": arm if is_of_trial else "",
        "comparator": against if is_of_trial else "",
        "n": qualifiers.n,
        "interval": qualifiers.interval,
        "time_point": qualifiers.time_point,
        "role": qualifiers.population if is_of_trial else "",
        "source_id": record.id,
        "source_url": record.url,
        "source_title": record.title,
        "source_locator": fact.locator,
        "as_of": record.told_on or record.published_on or source_named(record.source).as_of,
        "basis": "published",
        "status": "verified",
    }
    return {name: _short(words) for name, words in cells.items()}


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1].rstrip() + "\u2026"


BATCH = 40
SECTIONS = ("indications_and_usage", "boxed_warning", "mechanism_of_action", "clinical_studies")
SAYING = ("indications", "boxed", "classes", "mechanism")
"""Columns of which a label's row must have one, unless nothing else tells of an approval."""
Rows = dict[str, list[dict[str, str]]]
Progress = Callable[[str, int, int], None]


def choose_drugs(resolver: Resolver) -> list[ChosenDrug]:
    """Return the drugs of the pack's table, each once under its key."""
    areas = {row["drug"]: row["area"] for row in load_rows("drugs")}
    others: dict[str, list[str]] = defaultdict(list)
    for drug, name in known_names():
        others[drug].append(name)
    expressions = target_names(resolver)
    sold = {row["drug"] for row in load_rows("stages") if row["stage"] == "APPROVED"}
    chosen = []
    for key, rows in known_by_key(resolver).items():
        names = list(dict.fromkeys(row.drug for row in rows))
        targets = (expressions.of_text(row.target) for row in rows if row.target)
        further = [name for drug in names for name in others[drug]]
        chosen.append(
            ChosenDrug(
                key,
                names[0],
                areas[names[0]],
                tuple([*names, *further]),
                tuple(target for target in targets if target),
                not sold.isdisjoint(names),
            )
        )
    return sorted(chosen, key=lambda drug: (drug.name.casefold(), drug.name))


class Curator:
    """Reads the sources at hand, some drugs at a time."""

    def __init__(self, evidence: EvidenceReader, resolver: Resolver, today: date) -> None:
        """Keep what is read.

        Args:
            evidence: Records of the sources that may fill rows.
            resolver: Knows names.
            today: Day for which statuses are told.
        """
        self.evidence = evidence
        self.resolver = resolver
        self.today = today
        self.naming = Naming(resolver, joined_names(evidence, resolver))
        self.names = target_names(resolver)
        self.diseases = diseases_of(resolver)
        self.titled: Titled | None = None

    def rows_of(self, drugs: Sequence[ChosenDrug]) -> Iterator[tuple[str, str, dict[str, str]]]:
        """Yield table, area and row for some drugs."""
        shelf = fill_shelf({drug.key: drug.names for drug in drugs}, self.evidence, self.naming)
        programs = Programs(shelf, self.diseases, self.today)
        parts = TrialParts(shelf, self.naming)
        chosen = {drug.key: self._trials(drug, shelf, programs, parts) for drug in drugs}
        others = [
            record_id
            for drug in drugs
            for record_id in shelf.of(drug.key)
            if not record_id.startswith("ctgov")
        ]
        trials = [record_id for record_ids in chosen.values() for record_id in record_ids]
        stored_facts = self._hold([*trials, *others])
        stopped = self._of_stops(trials, Predicate.TRIAL_STOPPED)
        phases = self._of_stops(trials, Predicate.TRIAL_PHASE)
        for drug in drugs:
            for record_id, words in chosen[drug.key].items():
                why = stopped.get(record_id, "")
                tested = parts.labels_of(drug.key, record_id)
                compared = parts.compared(drug.key, record_id)
                phase = phases.get(record_id, "")
                row = trial_row(
                    drug.name, stored_facts[record_id], words, why, tested, compared, phase
                )
                yield "trials", drug.area, row
            for row in self._titled(drug, shelf):
                yield "trials", drug.area, row
            for table, row in self._others(drug, shelf, stored_facts):
                yield table, drug.area, row

    def _titled(self, drug: ChosenDrug, shelf: Shelf) -> Iterator[dict[str, str]]:
        """Yield rows of own trials that list no drug and name the drug in their title."""
        if self.titled is None:
            names = self._names_of_drugs()
            self.titled = find_titled(self.evidence, names)
        titled_trials = self.titled.get(drug.key, ())
        owners = self._owners(drug, shelf) | {
            company_group(row["company"])
            for row in load_rows("company_roles")
            if row["drug"] in drug.names
        }
        chosen = dict(choose_titled(titled_trials, owners, self.evidence))
        stored_facts = self._hold(list(chosen))
        for record_id, mention in chosen.items():
            fact = stored_facts[record_id]
            named = Held(fact.record, (*fact.mentions, mention), fact.facts)
            yield mark_titled(trial_row(drug.name, named, "", "", {mention.name}))

    def _names_of_drugs(self) -> dict[str, str]:
        """Return the keys of the pack's drugs by every folded name of theirs."""
        return {
            fold_name(name): drug.key
            for drug in reversed(choose_drugs(self.resolver))
            for name in drug_names(drug.key, drug.names, self.resolver)
        }

    def _owners(self, drug: ChosenDrug, shelf: Shelf) -> set[str]:
        """Return the groups with a role for a drug that is more than a partner's."""
        known_drugs = known_by_key(self.resolver).get(drug.key, ())
        roles = find_roles(drug.key, shelf, tested_in(drug.key, shelf), known_drugs)
        return {role.company for role in roles if role.role != "partner"}

    def _trials(
        self, drug: ChosenDrug, shelf: Shelf, programs: Programs, parts: TrialParts
    ) -> dict[str, str]:
        """Return the trials to keep, with what each says its drug acts on."""
        tested = tested_in(drug.key, shelf)
        owners = sorted(self._owners(drug, shelf))
        certain = parts.certain(drug.key, owners, tested)
        programs_found = programs.of(drug.key, owners, is_known=True)
        chosen = choose_trials(programs_found, frozenset(certain))
        telling = carrying(programs_found)
        if not drug.is_sold and not shelf.of(drug.key, *MARKETED) and {*telling}.isdisjoint(chosen):
            chosen += parts.likely(drug.key, telling)[:MOST_LIKELY]
        confirmed = self._confirm(
            drug, shelf, [*chosen, *(record_id for record_id in certain if record_id not in chosen)]
        )
        if confirmed and not any(record_id in confirmed for record_id in chosen):
            chosen.append(next(iter(confirmed)))
        words_by_trial = {
            record_id: ": ".join(confirmed[record_id]) if record_id in confirmed else ""
            for record_id in chosen
        }
        return {record_id: words.replace("|", "/") for record_id, words in words_by_trial.items()}

    def _confirm(
        self, drug: ChosenDrug, shelf: Shelf, trials: Sequence[str]
    ) -> dict[str, tuple[str, str]]:
        passages = self.evidence.passages(trials, TELLING)
        texts = {
            trial: [
                shelf.records[trial].title,
                *(span.text[:600] for span in passages.get(trial, ())),
            ]
            for trial in trials
        }
        labels = {
            trial: [
                mention.name
                for mention in shelf.mentions[trial]
                if mention.kind == "drug"
                and [x.key for x in shelf.labels.get(mention.name, ())] == [drug.key]
            ]
            for trial in trials
        }
        return confirm_target(drug, texts, labels, self.names)

    def _hold(self, record_ids: Sequence[str]) -> dict[str, Held]:
        """Return records with all that is held of them."""
        ids = list(dict.fromkeys(record_ids))
        facts = defaultdict(list)
        for fact in self.evidence.facts(FactQuery(record_ids=ids)) if ids else ():
            facts[fact.fact.record_id].append(fact)
        mentions = self.evidence.mentions(ids)
        return {
            record_id: Held(record, mentions.get(record_id, ()), facts[record_id])
            for record_id, record in self.evidence.records(ids).items()
        }

    def _of_stops(self, trials: Sequence[str], predicate: str) -> Mapping[str, str]:
        """Return what the list of stopped trials says, by trial."""
        ids = [trial.replace("ctgov:", "ctgov-stops:") for trial in trials]
        query = FactQuery(record_ids=ids, predicates=(predicate,))
        return {
            fact.fact.record_id.replace("ctgov-stops:", "ctgov:"): fact.fact.object
            for fact in (self.evidence.facts(query) if ids else ())
        }

    def _others(
        self, drug: ChosenDrug, shelf: Shelf, stored_facts: Mapping[str, Held]
    ) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield a drug's rows of approvals, labels, pipelines and events."""
        ids = {
            source: [stored_facts[record_id] for record_id in shelf.of(drug.key, source)]
            for source in ("drugsfda", "purplebook", "pmda", "ema", "label", "label-indications")
        }
        alone = {
            fact.record.id: shelf.is_alone(fact.record.id)
            for facts in ids.values()
            for fact in facts
        }
        registers = choose_approvals([*ids["purplebook"], *ids["drugsfda"]], alone)
        pmda = choose_of_pmda(ids["pmda"], alone)
        ema = choose_of_ema(ids["ema"], alone)
        has_own = any(alone.values())
        labels = [
            *choose_labels(ids["label"], alone, has_own=has_own),
            *choose_labels(ids["label-indications"], alone, has_own=has_own)[:1],
        ]
        spans = self.evidence.passages(
            [stored.record.id for stored in (*pmda, *ema, *labels)], (*SECTIONS, "indications")
        )
        for register in (*registers, *pmda, *ema):
            text = " ".join(span.text for span in spans.get(register.record.id, ()))
            yield "approvals", approval_row(drug.name, register, text, self.diseases)
        for label in labels:
            passages = spans.get(label.record.id, ())
            row = label_row(drug, label, passages, self.diseases, self.names)
            if any(row[column] for column in SAYING) or not registers:
                yield "labels", row
        for record_id in shelf.of(drug.key, "pipeline"):
            if shelf.is_alone(record_id):
                yield from (
                    ("pipelines", row) for row in pipeline_rows(drug.name, stored_facts[record_id])
                )
        events = [stored_facts[record_id] for record_id in shelf.of(drug.key, "fda-decisions")]
        since = self.today.replace(year=self.today.year - EVENT_YEARS).isoformat()
        yield from (("events", row) for row in event_rows(drug.name, events, since))


def curate(
    evidence: EvidenceReader,
    resolver: Resolver,
    today: date,
    progress: Progress = lambda _step, _done, _total: None,
) -> dict[tuple[str, str], list[dict[str, str]]]:
    """Return the rows of every table of sources, by table and area.

    Args:
        evidence: Records of the sources that may fill rows.
        resolver: Knows names.
        today: Day of curation.
        progress: `progress(drug, done, total)`.
    """
    drugs = choose_drugs(resolver)
    curator = Curator(evidence, resolver, today)
    filled: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for start in range(0, len(drugs), BATCH):
        progress(drugs[start].name, start, len(drugs))
        for table, area, row in curator.rows_of(drugs[start : start + BATCH]):
            filled[table, area].append(row)
    rows = join_rows(filled)
    for area in sorted({area for _, area in rows}):
        trials, labels = rows.get(("trials", area), []), rows.get(("labels", area), [])
        rows["effects", area] = list(effect_rows(trials, labels, evidence, curator.diseases))
    return rows
