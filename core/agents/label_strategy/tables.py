"""The curators' tables: classes of drugs, what is known of a class, agencies and their words."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal

from core.evidence.assets.precedents.label_sheets import LabelSheet
from core.records.names import fold_name
from core.vocabulary.tables import TableRow, compile_pattern, load_rows

TUMOR = re.compile(
    r"cancer|carcinoma|sarcoma|melanoma|lymphoma|leukemia|myeloma|glioma|tumor|neoplasm|"
    r"mesothelioma|myelodysplas|mastocytosis|blastoma|myelofibrosis|polycyth|thrombocythemia",
    re.IGNORECASE,
)
"""Names of diseases that an oncology division looks after."""
_SETTINGS = {
    "leukemia": re.compile(r"leukemia|myelodysplas", re.IGNORECASE),
    "arthritis": re.compile(r"arthrit|spondyl", re.IGNORECASE),
    "transplant": re.compile(r"transplant|organ rejection|graft rejection", re.IGNORECASE),
}
ACUTE_INFECTION = re.compile(
    r"^(?!.*(?:HIV|immunodeficiency|hepatitis|chronic|tubercul))"
    r".*(?:infection|vaginosis|pneumonia|influenza|gonorrh|sepsis)",
    re.IGNORECASE,
)
"""Diseases in which no claim waits for earlier treatment to fail."""
DIAGNOSTIC = re.compile(
    r"^(?:\w+ )?(?:PET|SPECT|imaging|detection|visuali[sz]ation|locali[sz]ation)\b|"
    r";.*(?:(?<!companion )\bdiagnostic\b|imaging agent|radiotracer|contrast agent|"
    r"PET (?:tracer|agent|ligand))",
    re.IGNORECASE,
)
"""An indication of imaging, or behind it a product that shows a disease and does not treat it."""
RuleSetting = Literal["", "tumor", "no tumor", "leukemia", "arthritis", "transplant"]
RuleKind = Literal["boxed", "possible", "rems", "no box"]
PAYLOAD, CONJUGATE = "small molecule", "antibody-drug conjugate"
"""What a conjugate carries is no class of it."""
Agency = Literal["FDA", "EMA", "MHRA", "PMDA", "NMPA", "Health Canada", "Other"]


_DENIED = re.compile(r"\b(?:non|not)[- ]\w[\w-]*", re.IGNORECASE)
"""What a mechanism says a drug is not: "non-opioid analgesic"."""


class DrugClassRow(TableRow):
    """A class of drugs whose labels share a warning.

    Attributes:
        name: The class.
        targets: What its drugs act on, joined by "|".
        modalities: Their kinds, joined by "|"; "" where any is meant.
        ending: Ending of their names; beside targets it must hold, too.
        words: How pharmacologic classes and mechanisms write it.
        not_words: Words of a mechanism that is of another class, though the target is the same.
        members: Drugs of it whose records tell too little to know them by, joined by "|".
        diseases: Diseases in which alone an asset is of the class; alone they make the class.
    """

    name: str
    targets: str
    modalities: str
    ending: str
    words: str
    not_words: str
    members: str
    diseases: str

    def holds(
        self,
        targets: Iterable[str],
        modalities: Iterable[str],
        names: Iterable[str],
        words: Iterable[str],
        disease: str = "",
    ) -> bool:
        """Return whether a drug is of the class, by words for it, by target and kind or by use."""
        names, targets = list(names), list(targets)
        words = [_DENIED.sub(" ", word) for word in words]
        is_elsewhere = bool(self.diseases) and not _pattern(self.diseases).search(disease)
        told = (*words, *targets, disease) if self.not_words else ()
        is_other = any(_pattern(self.not_words).search(word) for word in told)
        if is_elsewhere or is_other:
            return False
        if self.diseases and not (self.targets or self.words or self.ending or self.members):
            return True
        members = {fold_name(member) for member in _parts(self.members)}
        if members and members & {fold_name(name) for name in names}:
            return True
        if self.words and any(_pattern(self.words).search(word) for word in words):
            return True
        requested_targets, known_targets = _parts(self.targets), {*targets}
        known_targets |= {
            component for target in known_targets for component in target.split(" x ")
        }
        kinds = {*modalities}
        kinds -= {PAYLOAD} if CONJUGATE in kinds else set()
        is_kind = not self.modalities or bool(kinds & _parts(self.modalities))
        is_named = (
            any(_pattern(self.ending).search(name) for name in names) if self.ending else None
        )
        if requested_targets:
            return bool(known_targets & requested_targets) and is_kind and is_named is not False
        return bool(is_named) and is_kind


class ClassRuleRow(TableRow):
    """What is known of the labels of a class beside those at hand.

    Attributes:
        class_name: The class.
        kind: Of a boxed warning of all or of some labels, of restricted distribution, or that there
            is no boxed warning.
        term: The hazard.
        setting: In what diseases alone its labels have it; "" for any.
        since: Month of a class change; "" where it is not reported.
        valid_to: Day on which it ended; "" of a rule that stands.
    """

    class_name: str
    kind: RuleKind
    term: str
    setting: RuleSetting
    since: str
    valid_to: str

    def holds_on(self, day: str) -> bool:
        """Return whether the rule stands on a day."""
        return self.since <= day and (not self.valid_to or day < self.valid_to)

    def holds_in(self, disease: str) -> bool:
        """Return whether the rule is of a disease."""
        is_tumor = TUMOR.search(disease) is not None
        if self.setting in _SETTINGS:
            return _SETTINGS[self.setting].search(disease) is not None
        return not self.setting or is_tumor == (self.setting == "tumor")


class AgencyRow(TableRow):
    """An agency and its words."""

    name: Agency
    names: str
    document: str
    section: str
    early_pathway: str
    sentence: str
    biosimilar: str
    safety_system: str
    pediatric: str
    diagnostic: str
    duties: str
    depth: Literal["full", "outline"]


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return compile_pattern(words, "drug_classes")


@cache
def _parts(cell: str) -> frozenset[str]:
    return frozenset({part_name for part_name in cell.split("|") if part_name})


def is_label_of_class(sheet: LabelSheet, name: str) -> bool:
    """Return whether a label's drug is of a class."""
    return any(
        row.name == name and row.holds(sheet.targets, sheet.modalities, sheet.drugs, sheet.classes)
        for row in load_rows("drug_classes", DrugClassRow)
    )


def classes_of_asset(
    targets: Iterable[str],
    modalities: Iterable[str],
    name: str,
    words: Iterable[str],
    disease: str,
) -> list[str]:
    """Return the classes of an asset, by target and kind, by words for its mechanism or by use."""
    target_words, kinds, written = list(targets), list(modalities), [name, *words]
    rows = []
    for row in load_rows("drug_classes", DrugClassRow):
        free = row.model_copy(update={"ending": ""}) if row.targets else row
        if free.holds(target_words, kinds, (name,), written, disease):
            rows.append(row.name)
    return rows


def rules_of(classes: Iterable[str], kind: RuleKind, disease: str | None) -> list[ClassRuleRow]:
    """Return what is or was known of some classes in a disease; None: in any."""
    names = set(classes)
    rows = [row for row in load_rows("class_rules", ClassRuleRow) if row.kind == kind]
    return [
        row
        for row in rows
        if row.class_name in names and (disease is None or row.holds_in(disease))
    ]


@cache
def agencies() -> dict[str, AgencyRow]:
    """Return the agencies by name."""
    return {row.name: row for row in load_rows("agencies", AgencyRow)}


def find_agency(text: str) -> AgencyRow | None:
    """Return the agency that a word for it or for its country means; None where none is."""
    folded = fold_name(text)
    for row in agencies().values():
        if folded in {fold_name(name) for name in row.names.split("|")}:
            return row
    words = {fold_name(word) for word in re.findall(r"[A-Za-z]+", text)}
    for row in agencies().values():
        if words & {fold_name(name) for name in row.names.split("|") if " " not in name}:
            return row
    return None
