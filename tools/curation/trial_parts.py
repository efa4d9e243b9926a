"""Reads the interventions of a trial as parts, with all names by which its title may call them."""

import re
from collections.abc import Iterable, Iterator, Mapping

from core.evidence.assets.roles import sponsor_of
from core.evidence.assets.shelf import Shelf, drug_names
from core.evidence.names.drug_labels import NO_DRUG, NamedDrug, Naming
from core.evidence.names.identity.drug_names import clean_label, is_no_drug
from core.records.evidence import Mention, Role
from core.records.names import fold_name
from tools.curation.certain_roles import Part, is_certain, is_likely
from tools.curation.own_comparators import find_compared

_MIXED = re.compile(r"\b(?:plus|and|(?:in )?combin\w+ with|added to)\b|[+;]", re.IGNORECASE)
_CODES = re.compile(r"\([\w-]+(?:;\s*[\w-]+)+\)")
"""Codes of one drug behind its name."""
_NOTE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_SLASH = re.compile(r"(?<=\w)\s*/\s*(?=\w)")
_MEASURE = re.compile(
    r"\d ?(?:mg|ml|g|iu|mcg|\u00b5g|%)|\b(?:mg|kg|ml|day|week|dose)\b", re.IGNORECASE
)
"""Words of labels in which a slash stands between units."""
_GRAFT = re.compile(r"\w*transplant\w*|\bgrafts?\b", re.IGNORECASE)
"""Words of what is planted and is not the hormone that it makes."""
_MEASURED = re.compile(
    r"\b(?:analys[ei]s|biomarkers?|questionnaires?|quality|assessments?|assay|sampling|imaging|mri|"
    r"tests?|pharmacological study|studies|administration|follow-up|monitoring)\b",
    re.IGNORECASE,
)
"""Words of interventions that measure and do not treat."""


MARKETED = ("label", "label-indications", "drugsfda", "purplebook", "pmda")


class TrialParts:
    """Parts of the trials on a shelf."""

    def __init__(self, shelf: Shelf, naming: Naming) -> None:
        """Keep what is read.

        Args:
            shelf: What the sources hold about some drugs.
            naming: Reads labels.
        """
        self.shelf = shelf
        self.naming = naming
        self._names: dict[str, list[str]] = {}

    def certain(self, key: str, owners: Iterable[str], trials: Iterable[str]) -> list[str]:
        """Return the trials that for certain test a drug.

        Args:
            key: The drug.
            owners: Groups with a role for it.
            trials: Records in which it stands as tested.
        """
        folded = frozenset(fold_name(owner) for owner in owners)
        certain = []
        is_marketed = bool(self.shelf.of(key, *MARKETED))
        for record_id in trials:
            sponsor = sponsor_of(record_id, self.shelf)
            is_own = bool(sponsor) and fold_name(sponsor) in folded
            parts = list(self._parts(key, record_id))
            title = self.shelf.records[record_id].title
            if not title and not sponsor and len(parts) == 1:
                continue  # a list of outcomes that names one drug of the trial, whichever
            if self.labels_of(key, record_id) <= self.compared(key, record_id).keys():
                continue
            if is_certain(title, parts, is_own=is_own, is_marketed=is_marketed):
                certain.append(record_id)
        return certain

    def likely(self, key: str, trials: Iterable[str]) -> list[str]:
        """Return the trials that test a drug that nobody sells: such a one is seldom compared with.

        Args:
            key: The drug.
            trials: Records in which it stands as tested.
        """
        likely = []
        for record_id in trials:
            title = self.shelf.records[record_id].title
            if is_likely(title, list(self._parts(key, record_id))):
                likely.append(record_id)
        return likely

    def compared(self, key: str, record_id: str) -> Mapping[str, Role]:
        """Return the role of those labels of a drug that a trial does not for certain test."""
        labels = self.labels_of(key, record_id)
        names = [label.name for label in self._labels(record_id) if label.name in labels]
        read = self.naming.read(names)
        keys = {name: {drug.key for drug in read[name] if drug.key} for name in names}
        mixed = {
            name: len(keys[name]) > 1 or self.is_mixed(clean_label(name), keys[name])
            for name in names
        }
        return find_compared(self.shelf.records[record_id].title, mixed, self._known(key))

    def labels_of(self, key: str, record_id: str) -> frozenset[str]:
        """Return the labels by which a trial names a drug."""
        labels = self._labels(record_id)
        read = self.naming.read([label.name for label in labels])
        return frozenset(
            label.name for label in labels if key in {drug.key for drug in read[label.name]}
        )

    def _labels(self, record_id: str) -> list[Mention]:
        return [mention for mention in self.shelf.mentions[record_id] if mention.kind == "drug"]

    def _parts(self, key: str, record_id: str) -> Iterator[Part]:
        labels = self._labels(record_id)
        read = self.naming.read([mention.name for mention in labels])
        for label in labels:
            drugs = read[label.name]
            keys = {drug.key for drug in drugs if drug.key}
            is_placebo = is_no_drug(label.name) and not keys
            if _is_measure(label.name, drugs) and not keys:
                continue
            yield Part(
                label.role,
                self._names_of(label.name, _only(drugs, key) or drugs),
                is_mine=key in keys and not _GRAFT.search(label.name),
                is_placebo=is_placebo,
                is_mixed=len(keys) > 1 or self.is_mixed(clean_label(label.name), keys),
            )

    def is_mixed(self, label: str, keys: set[str]) -> bool:
        """Return whether a label names something else, too, be it known or not."""
        if _MIXED.search(_CODES.sub("", label)):
            return True
        labels = [] if _MEASURE.search(label) else _SLASH.split(_NOTE.sub(" ", label))
        read = self.naming.read(labels) if len(labels) > 1 else {}
        return any(keys.isdisjoint(drug.key for drug in drugs) for drugs in read.values())

    def _names_of(self, label: str, drugs: Iterable[NamedDrug]) -> list[str]:
        """Return a label and every name of the drugs that it names."""
        names = [] if _MIXED.search(label) else [label, clean_label(label)]
        for drug in drugs:
            if drug.key:
                names += [drug.said, drug.name, *self._known(drug.key)]
        return list(dict.fromkeys(names))

    def _known(self, key: str) -> list[str]:
        if key not in self._names:
            name = self.shelf.names.get(key) or drug_names(key, (), self.naming.resolver)
            self._names[key] = list(name)
        return self._names[key]


def _only(drugs: Iterable[NamedDrug], key: str) -> list[NamedDrug]:
    """Return a drug alone of those that a label names."""
    return [drug for drug in drugs if drug.key == key]


def _is_measure(label: str, drugs: Iterable[NamedDrug]) -> bool:
    """Return whether a label tells of what is measured."""
    return bool(_MEASURED.search(label)) and all(drug.reason == NO_DRUG for drug in drugs)
