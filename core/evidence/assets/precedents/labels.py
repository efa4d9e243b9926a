"""Uses of US and EU labels as rows, and the trials that carried their approvals."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from core.evidence.assets.precedents.traits import names_of_diseases, read_traits
from core.evidence.entries.records import facts_of_records
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.diseases import Disease, Diseases, diseases_of
from core.evidence.readers.label_studies import read_studies
from core.evidence.readers.label_uses import read_label_uses, read_use
from core.evidence_ports import EvidenceReader
from core.records.evidence import Mention, Span
from core.records.evidence_pack import FactQuery, StoredFact
from core.records.names import fold_name
from core.records.precedents import AgeGroup, LabelUse, PivotalTrial, TrialDesign, UseReading
from core.vocabulary.predicates import Predicate

LABELS = ("label", "label-indications")
REGISTERS = ("ema", "pmda", "purplebook")
"""Lists of approved drugs that name diseases."""
USES = "indications_and_usage"
_SHORT_FORM = re.compile(r"\b([A-Za-z][\w-]*(?: [\w-]+){1,6}) \(([A-Z][A-Za-z-]{1,7})\)")
"""A name with its short form: "non-small cell lung cancer (NSCLC)"."""
LEAST_NAME = 3
LEAST_TEXT = 60
"""Characters of a section that is a label's own text; names of diseases alone are shorter."""


def read_uses(
    passages: Mapping[str, Sequence[Span]],
    evidence: EvidenceReader,
    resolver: Resolver,
) -> list[LabelUse]:
    """Return the uses of labels, one row each, without what their drugs act on."""
    ids = sorted(passages)
    records, mentions = evidence.records(ids), evidence.mentions(ids)
    diseases = diseases_of(resolver)
    readings = {
        record_id: _read_text(" ".join(span.text for span in passages[record_id]))
        for record_id in ids
    }
    read = {record_id: [use for use, _ in readings[record_id]] for record_id in ids}
    written = {record_id: [text for _, text in readings[record_id]] for record_id in ids}
    named = diseases.in_texts(text for texts in written.values() for text in texts)
    stated = facts_of_records(ids, (Predicate.INDICATED_FOR,), evidence)
    rows: list[LabelUse] = []
    for record_id in ids:
        record = records[record_id]
        stem = LabelUse(
            record_id=record_id,
            title=record.title,
            drugs=ingredients_of(mentions.get(record_id, ())),
            disease_keys=(),
            diseases=(),
            use=UseReading(""),
            is_read=bool(read[record_id]),
            as_of=record.updated_on,
        )
        uses = zip(read[record_id], written[record_id], strict=True)
        own_uses = [_of_text(stem, use, named[text]) for use, text in uses]
        rows += merge_uses(use for use in own_uses if use.disease_keys)
        rows += [] if own_uses else _of_facts(stem, stated.get(record_id, ()), diseases)
    return rows


def uses_in(
    disease_keys: frozenset[str],
    rows: Iterable[LabelUse],
    evidence: EvidenceReader,
    resolver: Resolver,
) -> list[LabelUse]:
    """Return those uses that lie in diseases, of one substance those of one label."""
    kept_rows = [row for row in rows if set(row.disease_keys) & disease_keys]
    uses = choose_labels(kept_rows)
    traits = read_traits(sorted({name for use in uses for name in use.drugs}), evidence, resolver)
    approved = _approvals(sorted({use.record_id for use in uses}), evidence)
    made: list[LabelUse] = []
    for use in uses:
        targets, kinds = traits.of(use.drugs)
        day = approved.get(use.record_id, "")
        made.append(replace(use, targets=targets, modalities=kinds, approved_on=day))
    return made


def only_diseases(rows: Iterable[LabelUse]) -> dict[str, tuple[str, ...]]:
    """Return the diseases of labels that have one use alone: of it all their studies speak."""
    diseases_by_drug: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for row in rows:
        diseases_by_drug[row.record_id].add(row.disease_keys)
    return {label: keys.pop() for label, keys in diseases_by_drug.items() if len(keys) == 1}


@lru_cache(maxsize=1_024)
def _read_text(text: str) -> tuple[tuple[UseReading, str], ...]:
    """Return the uses of a section, each with its clause in full.

    A clause in full has the names for which its short forms stand in the label.
    """
    if len(text) < LEAST_TEXT or "ndicat" not in text:
        return ()
    short = {match[2]: match[1] for match in _SHORT_FORM.finditer(text)}
    patterns = {form: re.compile(rf"\b{re.escape(form)}\b") for form in short}
    return tuple(
        (
            use,
            "; ".join(
                [use.text, *(short[form] for form in short if patterns[form].search(use.text))]
            ),
        )
        for use in read_label_uses(text)
    )


def _of_text(stem: LabelUse, use: UseReading, named: Sequence[Disease]) -> LabelUse:
    keys, names = tuple(disease.key for disease in named), tuple(disease.name for disease in named)
    return replace(stem, disease_keys=keys, diseases=names, use=use)


def choose_labels(uses: Sequence[LabelUse]) -> list[LabelUse]:
    """Return the uses of one label a substance: one whose text is held first, then the newest."""
    best: dict[frozenset[str], LabelUse] = {}
    for use in uses:
        made_of = frozenset(map(fold_name, use.drugs))
        best_use = best.setdefault(made_of, use)
        if (use.is_read, use.as_of, use.record_id) > (
            best_use.is_read,
            best_use.as_of,
            best_use.record_id,
        ):
            best[made_of] = use
    chosen = {use.record_id for use in best.values()}
    return [use for use in uses if use.record_id in chosen]


def labels_of(
    disease_keys: frozenset[str], evidence: EvidenceReader, resolver: Resolver
) -> dict[str, Sequence[Span]]:
    """Return the sections of indications that have a name of one of the diseases, by label."""
    names = _shortest(names_of_diseases(sorted(disease_keys), resolver))
    passages = evidence.passages(labels_held(evidence), (USES,))
    texts = {key: " ".join(span.text for span in spans) for key, spans in passages.items()}
    folded = {key: text.casefold() for key, text in texts.items()}
    return {
        key: spans for key, spans in passages.items() if any(name in folded[key] for name in names)
    }


def _shortest(names: Iterable[str]) -> list[str]:
    """Return names without those that hold another one: where they stand, it stands, too."""
    shortest: list[str] = []
    for name in sorted({name.casefold() for name in names if len(name) >= LEAST_NAME}, key=len):
        if not any(short in name for short in shortest):
            shortest.append(name)
    return shortest


def labels_held(evidence: EvidenceReader) -> list[str]:
    """Return the labels that tell of uses."""
    query = FactQuery(
        sources=LABELS, predicates=(Predicate.APPROVED_LABEL, Predicate.INDICATED_FOR)
    )
    return sorted({fact.fact.record_id for fact in evidence.facts(query)})


_AGES = {
    "adults": AgeGroup(adults=True),
    "children": AgeGroup(children=True),
    "adults and children": AgeGroup(adults=True, children=True),
}


def _of_facts(
    stem: LabelUse, facts: Sequence[StoredFact], diseases: Diseases
) -> Iterator[LabelUse]:
    """Yield the uses that rows of the starter pack state."""
    for fact in facts:
        qualifiers = fact.fact.qualifiers
        matches = diseases.of_conditions([fact.fact.object])
        use = UseReading(
            fact.fact.object,
            qualifiers.line,
            qualifiers.biomarker,
            age=_AGES.get(qualifiers.population, AgeGroup()),
        )
        yield replace(
            stem,
            disease_keys=tuple(two.key for two in matches if two.key),
            diseases=tuple(two.name for two in matches),
            use=use,
        )


def merge_uses(uses: Iterable[LabelUse]) -> list[LabelUse]:
    """Return the uses of one label, each once: highlights say again what stands below."""
    merged: dict[tuple[object, ...], LabelUse] = {}
    for label_use in uses:
        use = label_use.use
        key = (
            frozenset(label_use.disease_keys),
            use.line,
            fold_name(use.biomarker),
            use.regimen,
            fold_name(use.partners)[:12],
        )
        merged_use = merged.get(key)
        merged[key] = (
            label_use if merged_use is None else replace(merged_use, use=_both(merged_use.use, use))
        )
    return list(merged.values())


def _both(reading: UseReading, other: UseReading) -> UseReading:
    """Return what two clauses of one use tell together."""
    age = reading.age if reading.age.words else other.age
    return replace(
        reading,
        needs_test=reading.needs_test or other.needs_test,
        age=age,
        is_accelerated=reading.is_accelerated or other.is_accelerated,
        limitation=reading.limitation or other.limitation,
    )


def ingredients_of(mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Return the active substances of a label as written."""
    drugs = [mention for mention in mentions if mention.kind == "drug"]
    made_of = [drug.name for drug in drugs if drug.relation == "ingredient"]
    return tuple(dict.fromkeys(made_of or [drug.name for drug in drugs[:1]]))


def _approvals(label_ids: Sequence[str], evidence: EvidenceReader) -> dict[str, str]:
    """Return the first approval of each label's applications, where a register tells it."""
    applied: dict[str, list[str]] = defaultdict(list)
    query = FactQuery(record_ids=label_ids, predicates=(Predicate.APPLICATION,))
    for fact in evidence.facts(query) if label_ids else ():
        digits = re.sub(r"\D", "", fact.fact.object)
        applied[fact.fact.record_id].append(f"drugsfda:{digits}")
    ids = sorted({number for numbers in applied.values() for number in numbers})
    days: dict[str, str] = {}
    told_on = FactQuery(record_ids=ids, predicates=(Predicate.APPROVED_ON,))
    for fact in evidence.facts(told_on) if ids else ():
        day = days.get(fact.fact.record_id, fact.fact.object)
        days[fact.fact.record_id] = min(day, fact.fact.object)
    return {
        label: min(days_listed)
        for label, numbers in applied.items()
        if (days_listed := [days[number] for number in numbers if number in days])
    }


SECTION = "indications"
_AUTHORIZED = "authorised"
_SENTENCE = re.compile(r"\n+|(?<=[.;])\s+(?=[A-Z])")
_IS_USE = re.compile(
    r"indicat|treatment|prevent|prophyla|immuni[sz]|patients|adults", re.IGNORECASE
)
LEAST_CLAUSE = 40
"""Characters of a clause that states a use; the starter pack has names of diseases alone."""


def read_register_uses(names: Collection[str], evidence: EvidenceReader) -> Iterator[LabelUse]:
    """Yield the uses that lists of approved drugs name, in diseases of these names.

    `names`: in small letters.
    """
    query = FactQuery(sources=REGISTERS, predicates=(Predicate.INDICATED_FOR,))
    for fact in (stored.fact for stored in evidence.facts(query)):
        if fact.object.casefold() in names:
            yield LabelUse(
                record_id=fact.record_id,
                title=fact.subject,
                drugs=(fact.subject,),
                disease_keys=(),
                diseases=(fact.object,),
                use=UseReading(fact.object),
                is_read=False,
            )


def read_eu_uses(
    keys: frozenset[str], evidence: EvidenceReader, resolver: Resolver
) -> Iterator[LabelUse]:
    """Yield the uses of authorized medicines of the EMA's list that lie in some diseases."""
    clauses = list(_read_clauses(keys, evidence, resolver))
    named = diseases_of(resolver).in_texts(text for _, text in clauses)
    found = [
        (record_id, text, [one for one in named[text] if one.key])
        for record_id, text in clauses
        if keys & {one.key for one in named[text]}
    ]
    ids = sorted({record_id for record_id, *_ in found})
    records, mentions = evidence.records(ids), evidence.mentions(ids)
    drugs = {one: ingredients_of(mentions.get(one, ())) for one in ids}
    traits = read_traits(
        sorted({name for each in drugs.values() for name in each}), evidence, resolver
    )
    for record_id, text, diseases in found:
        targets, kinds = traits.of(drugs[record_id])
        record = records[record_id]
        yield LabelUse(
            record_id=record_id,
            title=_title(record.title),
            drugs=drugs[record_id],
            disease_keys=tuple(one.key for one in diseases),
            diseases=tuple(one.name for one in diseases),
            use=replace(read_use(text), text=text),
            is_read=True,
            targets=targets,
            modalities=kinds,
            approved_on=record.published_on,
            as_of=record.updated_on or record.copied_on,
        )


def _read_clauses(
    keys: frozenset[str], evidence: EvidenceReader, resolver: Resolver
) -> Iterator[tuple[str, str]]:
    """Yield the clauses of authorized medicines that name one of the diseases, by record."""
    query = FactQuery(sources=("ema",), predicates=(Predicate.MARKETING_STATUS,))
    ids = sorted(
        {one.fact.record_id for one in evidence.facts(query) if one.fact.object == _AUTHORIZED}
    )
    names = [name.casefold() for name in names_of_diseases(sorted(keys), resolver) if len(name) > 2]
    for record_id, spans in evidence.passages(ids, (SECTION,)).items():
        text = " ".join(span.text for span in spans)
        if not any(name in text.casefold() for name in names):
            continue
        lead = ""
        for clause in filter(None, map(str.strip, _SENTENCE.split(text))):
            if len(clause) >= LEAST_CLAUSE and _IS_USE.search(clause):
                yield record_id, clause
            elif _IS_USE.search(lead + clause):
                yield record_id, f"{lead} {clause}".strip()
            lead = clause if len(clause) < LEAST_CLAUSE else ""


def _title(title: str) -> str:
    """Return brand and substances of a record's title.

    >>> _title("EMA EMEA/H/C/000603: Tysabri (natalizumab)")
    'Tysabri, natalizumab'
    """
    return title.partition(": ")[2].replace(" (", ", ").rstrip(")")


STUDIES = "clinical_studies"


def read_pivotal(
    disease_keys: frozenset[str],
    labels: Sequence[str],
    only: Mapping[str, tuple[str, ...]],
    evidence: EvidenceReader,
    resolver: Resolver,
) -> list[PivotalTrial]:
    """Return the trials that studies sections of labels name under a heading of the diseases."""
    passages = evidence.passages(labels, (STUDIES,))
    records, mentions = evidence.records(list(passages)), evidence.mentions(list(passages))
    trials: dict[tuple[str, str], PivotalTrial] = {}
    for record_id, spans in sorted(passages.items()):
        stem = PivotalTrial(
            number="",
            label_id=record_id,
            drugs=ingredients_of(mentions.get(record_id, ())),
            heading="",
            disease_keys=(),
            endpoints=(),
            design=TrialDesign(),
            is_on_record=False,
            as_of=records[record_id].updated_on,
        )
        for study in read_studies(" ".join(span.text for span in spans)):
            trial = trials.get((record_id, study.number))
            if trial is None or not trial.endpoints:
                trials[record_id, study.number] = replace(
                    stem,
                    number=study.number,
                    heading=study.heading,
                    endpoints=study.endpoints,
                    design=study.design,
                )
    return _in_diseases(list(trials.values()), disease_keys, only, evidence, resolver)


def _in_diseases(
    trials: Sequence[PivotalTrial],
    disease_keys: frozenset[str],
    only: Mapping[str, tuple[str, ...]],
    evidence: EvidenceReader,
    resolver: Resolver,
) -> list[PivotalTrial]:
    """Return those trials whose heading, or label of one use, names one of the diseases."""
    records = evidence.records([f"ctgov:{trial.number}" for trial in trials]) if trials else {}
    named = diseases_of(resolver).in_texts({trial.heading for trial in trials})
    made = (
        replace(
            trial,
            disease_keys=tuple(two.key for two in named[trial.heading])
            or only.get(trial.label_id, ()),
            is_on_record=f"ctgov:{trial.number}" in records,
        )
        for trial in trials
    )
    return [trial for trial in made if set(trial.disease_keys) & disease_keys]
