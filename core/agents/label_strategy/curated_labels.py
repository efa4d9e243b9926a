"""Uses of labels that curators wrote, for products whose label text no source at hand has.

Cell and gene therapies, vaccines and some other biologics have no label among the sources. Their
license is on record, so that each row cites the record of its license. Drugs whose approval ended
are no precedents and no standard of care.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from core.briefs.precedents import match_use
from core.briefs.settings import Setting
from core.evidence.assets.precedents.label_sheets import LabelText
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.diseases import diseases_of
from core.evidence.readers.label_uses import read_label_uses, read_use
from core.evidence_ports import EvidenceReader
from core.records.evidence import Record
from core.records.precedents import LabelUse, Match
from core.vocabulary.tables import TableRow, load_rows


class CuratedLabelRow(TableRow):
    """A use of a licensed product.

    Attributes:
        record_id: Record of its license or application.
        brand: Its brand.
        drug: Active substance.
        modality: Kind of drug.
        targets: What it acts on, joined by "|".
        diseases: Diseases of the use, joined by "|".
        indication: The use as its label has it.
        boxed: Hazards of the boxed warning, joined by "|".
        rems: "yes" where a REMS was required at some time.
        rems_ended_on: Day on which it ended; "" where it stands.
        trials: Names of the pivotal trials, joined by "|".
    """

    record_id: str
    brand: str
    drug: str
    modality: str
    targets: str
    diseases: str
    indication: str
    boxed: str
    rems: Literal["yes", ""]
    rems_ended_on: str
    trials: str

    def label_text(self, day: str) -> LabelText:
        """Return what the label warns of on a day."""
        has_rems = bool(self.rems) and not (self.rems_ended_on and self.rems_ended_on <= day)
        return LabelText(tuple(_split(self.boxed)), None, "", has_rems)


@dataclass(frozen=True)
class CuratedUse:
    """A curated use in a setting.

    Attributes:
        row: Its row.
        use: The use as uses of other labels are.
        match: How near it is to the setting.
    """

    row: CuratedLabelRow
    use: LabelUse
    match: Match


def find_curated(
    setting: Setting, evidence: EvidenceReader, resolver: Resolver
) -> Iterator[CuratedUse]:
    """Yield the curated uses in a setting whose license is on record."""
    keys = {key for area in setting.areas for key in area.keys}
    rows = load_rows("curated_labels", CuratedLabelRow)
    records = evidence.records(sorted({row.record_id for row in rows})) if keys else {}
    diseases = diseases_of(resolver)
    for row in rows:
        if row.record_id not in records:
            continue
        named_diseases = [
            condition for condition in diseases.of_conditions(_split(row.diseases)) if condition.key
        ]
        if keys & {disease.key for disease in named_diseases}:
            names = tuple(disease.name for disease in named_diseases)
            use = _as_use(
                row, records[row.record_id], tuple(disease.key for disease in named_diseases), names
            )
            yield CuratedUse(row, use, match_use(use, setting))


def _as_use(
    row: CuratedLabelRow, record: Record, keys: tuple[str, ...], names: tuple[str, ...]
) -> LabelUse:
    reading = next(iter(read_label_uses(row.indication)), None) or read_use(row.indication)
    return LabelUse(
        record_id=row.record_id,
        title=f"US label: {row.brand}, {row.drug}",
        drugs=(row.drug,),
        disease_keys=keys,
        diseases=names,
        use=reading,
        is_read=True,
        as_of=row.curated_on,
        targets=tuple(_split(row.targets)),
        modalities=(row.modality,),
        approved_on=record.published_on,
    )


def _split(cell: str) -> list[str]:
    return [text for text in cell.split("|") if text]
