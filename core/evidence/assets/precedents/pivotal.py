"""Trials that the studies sections of labels name: those that carried an approval."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.evidence.assets.precedents.labels import ingredients_of
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.diseases import diseases_of
from core.evidence.readers.label_studies import read_studies
from core.evidence_ports import EvidenceReader
from core.records.precedents import PivotalTrial, TrialDesign

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
