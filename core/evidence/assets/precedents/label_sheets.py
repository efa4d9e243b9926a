"""What labels warn of, one sheet a label: whole or part, box, hazards, classes, dates.

Only a whole label says that a warning is absent; of a part, what is missing is unknown.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.evidence.assets.precedents.labels import STUDIES, ingredients_of
from core.evidence.assets.precedents.traits import read_traits
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.evidence import Mention
from core.records.evidence_pack import FactQuery
from core.records.names import fold_name
from core.vocabulary.hazards import find_hazards, hazards_of_coarse
from core.vocabulary.predicates import Predicate

LONGEST_HEADING = 90
_BOX_HEAD = re.compile(
    r"WARNINGS?:?\s+((?:[A-Z0-9][A-Z0-9()/&,'.-]*\s+|and\s+|or\s+|in\s+|of\s+)+)"
)
"""The heading of a boxed warning, in capitals."""
_HEADING = re.compile(r"(?<![\w.,(])5\.(\d{1,2})\s+(?=[A-Z])")
_TITLE_WORD = re.compile(
    r"(?:[A-Z0-9(][\w()/,.;&'\u2019-]*|and|or|of|in|with|to|the|from|for|due|a|an)$"
)
_REMS = re.compile(r"\bREMS\b|Risk Evaluation and Mitigation Strateg")


def read_box(text: str) -> tuple[str, ...]:
    """Return the hazards of a boxed warning: those of its heading, else those of its words.

    >>> read_box("WARNING: SERIOUS INFECTIONS and THROMBOSIS Patients with liver failure died.")
    ('serious infections', 'thrombosis')
    """
    heads = " ".join(match[1] for match in _BOX_HEAD.finditer(text))
    return find_hazards(heads) or find_hazards(text[:600])


def read_headings(text: str) -> tuple[str, ...]:
    """Return the hazards of the numbered headings of the warnings section.

    >>> read_headings("5 WARNINGS 5.1 Hepatotoxicity X can harm the liver. 5.2 Bleeding Cases")
    ('bleeding', 'hepatotoxicity')
    """
    heads = (
        _heading(text[match.end() : match.end() + LONGEST_HEADING])
        for match in _HEADING.finditer(text)
    )
    return tuple(sorted({hazard for head in heads for hazard in find_hazards(head)}))


def _heading(text: str) -> str:
    """Return the words of a heading: those with capitals, before a sentence begins."""
    words: list[str] = []
    for word in text.split():
        if not _TITLE_WORD.match(word):
            words = words[:-1] if len(words) > 1 else words
            break
        words.append(word)
    return " ".join(words)


def has_headings(text: str) -> bool:
    """Return whether a warnings section is numbered, so that its headings can be told."""
    return len(_HEADING.findall(text)) > 0


def names_rems(text: str) -> bool:
    """Return whether a text speaks of a risk evaluation and mitigation strategy."""
    return _REMS.search(text) is not None


SAYING = (
    *(Predicate.LABEL_CARRIES, Predicate.HAS_BOXED_WARNING, Predicate.BOXED_TERM),
    *(Predicate.HAS_CLASS, Predicate.APPLICATION, Predicate.LABEL_ENDPOINT),
    Predicate.APPROVED_LABEL,
)
FATAL = "death"
"""Word of the pack for any box that speaks of deaths."""
PART = "label:part-"
"""Begin of the ids of records that carry single sections of a label."""
BOX, WARNINGS, AGAINST = "boxed_warning", "warnings_and_cautions", "contraindications"
REMS_SECTIONS = (BOX, WARNINGS, "dosage_and_administration")
CUT = "\N{HORIZONTAL ELLIPSIS}"
"""Last sign of a section of which the copy holds the head alone."""
_FORM = re.compile(r"hyaluronidase", re.IGNORECASE)
"""What a subcutaneous form has in addition to the drug itself."""
_CLASS_TAIL = re.compile(r"\s*\[EPC\]$")
Told = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, slots=True)
class LabelSheet:
    """What is known of a label beside its uses.

    Attributes:
        record_id: The label.
        title: Its title.
        drugs: Active substances as written.
        moiety: Folded substances by which labels of one drug are known as such.
        targets: What the drug acts on, as shown.
        modalities: Its kinds.
        classes: Its pharmacologic classes.
        applications: Numbers of its applications.
        endpoints: Endpoint classes of the label as a whole, not of a use.
        as_of: Its day; "" where unknown.
        is_whole: Whether what it lacks is absent.
        box: Whether it has a boxed warning.
        coarse: Of what the box warns, where only the starter pack tells it.
    """

    record_id: str
    title: str
    drugs: tuple[str, ...]
    moiety: frozenset[str]
    targets: tuple[str, ...]
    modalities: tuple[str, ...]
    classes: tuple[str, ...]
    applications: tuple[str, ...]
    endpoints: tuple[str, ...]
    as_of: str
    is_whole: bool
    box: Told
    coarse: tuple[str, ...]

    @property
    def brand(self) -> str:
        """Return the name under which readers know it."""
        return self.title.removeprefix("US label: ").split(",")[0].title()


@dataclass(frozen=True, slots=True)
class LabelText:
    """What the text of a label says; None where its text is not held.

    Attributes:
        boxed: Hazards of the boxed warning.
        warnings: Hazards of the headings of section 5; None where it is not numbered.
        against: The contraindications, as written.
        has_rems: Whether it speaks of a risk evaluation and mitigation strategy.
        is_cut: Whether the copy ends within the studies section: what stands behind is unknown.
    """

    boxed: tuple[str, ...]
    warnings: tuple[str, ...] | None
    against: str
    has_rems: bool | None
    is_cut: bool = False


def read_sheets(evidence: EvidenceReader, resolver: Resolver) -> list[LabelSheet]:
    """Return every label with what is known of it beside its uses."""
    texts_by_label: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for stored in evidence.facts(FactQuery(sources=("label",), predicates=SAYING)):
        fact = stored.fact
        texts_by_label[fact.record_id][fact.predicate].append(fact.object)
    ids = sorted(texts_by_label)
    records, mentions = evidence.records(ids), evidence.mentions(ids)
    drugs = {record_id: moieties_of(mentions.get(record_id, ())) for record_id in ids}
    names = sorted({name for names in drugs.values() for name in names})
    traits = read_traits(names, evidence, resolver)
    sheets: list[LabelSheet] = []
    for record_id in ids:
        label_texts = texts_by_label[record_id]
        targets, kinds = traits.of(drugs[record_id])
        box: Told = "yes" if "yes" in label_texts[Predicate.HAS_BOXED_WARNING] else "no"
        is_told = bool(label_texts[Predicate.HAS_BOXED_WARNING])
        sheets.append(
            LabelSheet(
                record_id=record_id,
                title=records[record_id].title,
                drugs=drugs[record_id],
                moiety=frozenset(map(fold_name, drugs[record_id])),
                targets=targets,
                modalities=kinds,
                classes=tuple(
                    dict.fromkeys(
                        _CLASS_TAIL.sub("", each) for each in label_texts[Predicate.HAS_CLASS]
                    )
                ),
                applications=tuple(dict.fromkeys(label_texts[Predicate.APPLICATION])),
                endpoints=tuple(label_texts[Predicate.LABEL_ENDPOINT]),
                as_of=records[record_id].updated_on,
                is_whole=bool(label_texts[Predicate.LABEL_CARRIES])
                or (is_told and not record_id.startswith(PART)),
                box=box if is_told else "unknown",
                coarse=tuple(label_texts[Predicate.BOXED_TERM]),
            )
        )
    return sheets


def moieties_of(mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Return the active substances without the enzyme of a subcutaneous form."""
    ingredients = ingredients_of(mentions)
    return tuple(name for name in ingredients if not _FORM.search(name)) or ingredients


def newest_sheets(sheets: Iterable[LabelSheet]) -> list[LabelSheet]:
    """Return one label a drug, a whole one first, then the newest; newest first."""
    best: dict[frozenset[str], LabelSheet] = {}
    for sheet in sheets:
        best_sheet = best.setdefault(sheet.moiety, sheet)
        if (sheet.is_whole, sheet.as_of, sheet.record_id) > (
            best_sheet.is_whole,
            best_sheet.as_of,
            best_sheet.record_id,
        ):
            best[sheet.moiety] = sheet
    return sorted(best.values(), key=lambda sheet: (sheet.as_of, sheet.record_id), reverse=True)


def read_label_texts(
    sheets: Iterable[LabelSheet], evidence: EvidenceReader
) -> Mapping[str, LabelText]:
    """Return what the texts of labels say, by record."""
    known_sheets = {sheet.record_id: sheet for sheet in sheets}
    passages = evidence.passages(sorted(known_sheets), (*REMS_SECTIONS, AGAINST, STUDIES))
    label_texts: dict[str, LabelText] = {}
    for record_id, label_sheet in known_sheets.items():
        text: dict[str, str] = defaultdict(str)
        for span in passages.get(record_id, ()):
            text[span.section] += span.text
        boxed = read_box(text[BOX]) if text[BOX] else _of_pack(label_sheet.coarse)
        warns = text[WARNINGS]
        label_texts[record_id] = LabelText(
            boxed=boxed,
            warnings=read_headings(warns) if has_headings(warns) else None,
            against=text[AGAINST],
            has_rems=names_rems(" ".join(text[section] for section in REMS_SECTIONS))
            if warns
            else None,
            is_cut=text[STUDIES].rstrip().endswith(CUT),
        )
    return label_texts


def _of_pack(words: Iterable[str]) -> tuple[str, ...]:
    """Return the hazards for which the pack's words stand; what is fatal says not of what."""
    hazards = hazards_of_coarse()
    return tuple(sorted(hazards.get(word, word) for word in words if word != FATAL))
