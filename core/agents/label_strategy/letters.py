"""Complete response letters of drugs of the class and of the disease, with what they found."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.evidence.assets.precedents.label_sheets import LabelSheet
from core.evidence.entries.regulators import read_letters
from core.evidence_ports import EvidenceReader
from core.records.events import EventQuery
from core.records.names import fold_name

LETTERS = ("complete_response",)
MOST_LETTERS = 30


@dataclass(frozen=True)
class ClassLetter:
    """A letter that refused a drug whose label is a precedent.

    Attributes:
        day: Its day, as far as it is told.
        asset: Name of the drug's label.
        deficiencies: Parts of the file in which it found any; () where it is not reported.
        record_ids: Where it stands.
        is_of_class: Whether the drug is of the class; else it is one of the disease.
    """

    day: str
    asset: str
    deficiencies: tuple[str, ...]
    record_ids: tuple[str, ...]
    is_of_class: bool


def find_letters(
    members: Iterable[LabelSheet],
    others: Iterable[LabelSheet],
    every: Iterable[LabelSheet],
    evidence: EvidenceReader,
) -> list[ClassLetter]:
    """Return the letters to drugs of the class, then to those of the disease, newest first.

    A letter is known by the number of its application, for few of them name the drug as its label
    does; where it names the drug, by that.
    """
    is_member_by_moiety = {other.moiety: False for other in others} | {
        member.moiety: True for member in members
    }
    names: dict[str, LabelSheet] = {}
    for sheet in every:
        if sheet.moiety in is_member_by_moiety:
            sheet_names = (*sheet.applications, sheet.brand, *sheet.drugs)
            names |= {fold_name(sheet_name): sheet for sheet_name in sheet_names}
    events = evidence.events(EventQuery(types=LETTERS)) if names else []
    entries = read_letters(sorted({key for event in events for key in event.records}), evidence)
    matches: list[ClassLetter] = []
    for event in events:
        letters = [entries[key] for key in event.records if key in entries]
        sheet_names = (
            *event.drugs,
            *(number for entry in letters for number in entry.applications),
        )
        fitting = [
            names[key] for sheet_name in sheet_names if (key := fold_name(sheet_name)) in names
        ]
        for label in fitting[:1]:
            matches.append(
                ClassLetter(
                    event.day,
                    label.brand,
                    tuple(
                        dict.fromkeys(
                            deficiency for entry in letters for deficiency in entry.deficiencies
                        )
                    ),
                    tuple(event.records),
                    is_member_by_moiety[label.moiety],
                )
            )
    matches.sort(key=lambda letter: (letter.day, letter.asset), reverse=True)
    return sorted(matches, key=lambda letter: not letter.is_of_class)[:MOST_LETTERS]
