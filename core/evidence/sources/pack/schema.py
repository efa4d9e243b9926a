"""Which tables the starter pack has, their columns, keys and the words that they allow.

A table is one CSV of `core/evidence/pack`, sorted by drug; `area` says where a drug belongs. Tables
of people hold what a person knows (`basis=expert`) or read at an address that the row names
(`basis=published`); the others are written by `python -m tools.curation fill` from downloaded
sources (`basis=published`) and are never edited: a decision in the table of overrides corrects a
wrong row of theirs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from core.records.stages import STAGES
from core.vocabulary.event_types import DealType
from core.vocabulary.modalities import load_modalities

AREAS = (
    *("lung", "breast", "gi", "gu", "melanoma_solid", "lymphoma", "leukemia", "myeloma"),
    *("dermatology", "rheumatology", "ibd", "respiratory", "neurology", "psychiatry"),
    *("diabetes_obesity", "lipids_heart", "kidney", "liver", "infectious", "vaccines"),
    *("ophthalmology", "rare", "other"),
    *("adc", "bispecific", "cell_therapy", "gene_therapy", "rna", "peptide", "radioligand"),
    "degrader",
)
"""Areas of disease, then modalities that cut across them; a drug belongs to one."""
TAIL = (
    *("source_id", "source_url", "source_title", "source_locator", "as_of", "basis", "status"),
    *("curated_on", "verified_on", "note"),
)
"""What every row ends in."""
EXPERT = ("expert", "unverified")
"""Basis and status of what a person knows."""
PUBLISHED = ("published", "verified")
"""Basis and status of what a source says, be it read by a script or by a person."""
NAMED_IN_TITLE = "drug named in the title; the copy lists no drug"
"""Note of a trial's row whose drugs were found so."""
CHANGE = "partial change"
"""What the Japanese list calls the approval of a further use of a product that is approved."""


@dataclass(frozen=True)
class Table:
    """A table of the pack.

    Attributes:
        name: Name of its file without ending.
        columns: Its own columns, before those of its tail.
        key: Columns that tell a row from every other one of the table.
        needed: Columns that must be filled.
        is_of_people: Whether people write it.
        words: Words that a column allows, by column; "" where it may be empty.
        tail: Columns that its rows end in.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    needed: tuple[str, ...]
    is_of_people: bool
    words: Mapping[str, frozenset[str]]
    tail: tuple[str, ...] = TAIL

    @property
    def header(self) -> tuple[str, ...]:
        """Return all its columns in their order."""
        return (*self.columns, *self.tail)


END_KINDS = ("discontinued", "withdrawn from market", "merged into another code")
"""What an end is: development given up, a product taken off the market, a code that is another."""
END_REASONS = ("", "efficacy", "safety", "business", "regulatory", "quality", "other")
"""Why, in a word; "" where it is not known."""
OUTCOMES = {
    "approved": "approval",
    "supplement approved": "efficacy supplement approved",
    "complete response": "complete response",
    "advisory committee": "advisory committee meeting",
    "priority review voucher": "priority review voucher",
    "priority review voucher redeemed": "priority review voucher redeemed",
    "approval withdrawn": "approval withdrawn",
}
"""Outcomes of the FDA's table with the words that their fact has."""
_STAGES = frozenset(STAGES) - {"DISCONTINUED", "UNKNOWN"}
_REGIONS = frozenset({"", "FDA", "EMA", "PMDA", "NMPA", "MFDS", "MHRA", "other"})
_PHASES = frozenset({"", "EARLY_PHASE1", "PHASE1", "PHASE1_2", "PHASE2", "PHASE2_3"}) | {
    "PHASE3",
    "PHASE4",
}


def _of_people(
    name: str,
    columns: str,
    key: str,
    needed: str,
    words: Mapping[str, frozenset[str]] | None = None,
) -> Table:
    return _table(name, columns, key, needed, words, is_of_people=True)


def _of_script(
    name: str,
    columns: str,
    key: str,
    needed: str,
    words: Mapping[str, frozenset[str]] | None = None,
) -> Table:
    return _table(name, columns, key, needed, words, is_of_people=False)


def _table(
    name: str,
    columns: str,
    key: str,
    needed: str,
    words: Mapping[str, frozenset[str]] | None,
    *,
    is_of_people: bool,
) -> Table:
    return Table(
        name,
        tuple(columns.split()),
        tuple(key.split()),
        tuple(needed.split()),
        is_of_people,
        {"area": frozenset(AREAS), **(words or {})},
    )


TABLES: tuple[Table, ...] = (
    _of_people(
        "drugs",
        "drug area target mechanism modality originator",
        "drug target",
        "drug mechanism",
        {"modality": frozenset({"", *load_modalities()})},
    ),
    _of_people("drug_names", "drug area name", "drug name", "drug name"),
    _of_people(
        "company_roles",
        "drug area company role territory from_on to_on",
        "drug company role territory",
        "drug company role",
        {"role": frozenset({"originator", "holder", "licensee", "partner"})},
    ),
    _of_people(
        "stages",
        "drug area indication region stage year state reason",
        "drug indication region",
        "drug indication stage state",
        {
            "stage": _STAGES,
            "region": _REGIONS,
            "state": frozenset({"active", "discontinued", "unknown"}),
        },
    ),
    _of_people(
        "ends",
        "drug area indication kind region ended_on reason into",
        "drug indication kind region",
        "drug kind",
        {
            "kind": frozenset(END_KINDS),
            "region": _REGIONS,
            "reason": frozenset(END_REASONS),
        },
    ),
    _of_people(
        "results",
        "drug area indication endpoint value unit n comparator comparator_value interval "
        "time_point population trial",
        "drug indication endpoint population",
        "drug indication endpoint value",
    ),
    _of_people(
        "deals",
        "drug area type licensor licensee partner territory day upfront total royalty",
        "drug licensee partner territory day",
        "drug type day",
        {"type": frozenset(get_args(DealType))},
    ),
    _of_people(
        "fda_dates",
        "drug area brand company indication diseases application due_on outcome decided_on",
        "drug indication due_on decided_on",
        "drug",
        {"outcome": frozenset({"", *OUTCOMES})},
    ),
    _of_script(
        "effects",
        "number drug area trial indication endpoint value unit arm comparator n interval "
        "time_point line biomarker role",
        "number trial indication endpoint arm line biomarker",
        "number drug endpoint value unit",
        {"role": frozenset({"", "primary", "secondary", "label", "report", "registry"})},
    ),
    _of_script(
        "trials",
        "nct_id drug area drugs conditions phase overall_status sponsor sponsor_class "
        "collaborators enrollment design start_on primary_completion_on completion_on endpoints "
        "stopped has_results words updated_on",
        "nct_id",
        "nct_id drug drugs",
        {"phase": _PHASES},
    ),
    _of_script(
        "approvals",
        "register number drug area ingredients brands company approved_on kind marketing "
        "indications",
        "register number",
        "register number drug ingredients",
        {"register": frozenset({"drugsfda", "purplebook", "pmda", "ema"})},
    ),
    _of_script(
        "labels",
        "register number drug area ingredients brands company indications line biomarker age boxed "
        "boxed_terms classes mechanism endpoints applications",
        "register number",
        "register number drug ingredients",
        {
            "register": frozenset({"label", "label-indications"}),
            "boxed": frozenset({"", "yes", "no"}),
        },
    ),
    _of_script(
        "pipelines",
        "company asset drug area synonyms indication stage nct_id mechanism modality highest",
        "company asset indication",
        "company asset drug",
        {"stage": frozenset({"", *STAGES})},
    ),
    _of_script(
        "events",
        "number drug area brand happened_on outcome",
        "number drug happened_on outcome",
        "number drug happened_on outcome",
    ),
)
"""Every table, those of people first."""
OVERRIDES = Table(
    "overrides",
    (
        *("table", "key", "column", "value", "decision", "curator"),
        *("source_url", "source_title", "decided_on", "note"),
    ),
    ("table", "key", "column"),
    ("table", "key", "decision", "curator", "decided_on"),
    is_of_people=True,
    words={},
    tail=(),
)
"""What curators decided about single rows of the other tables; read last."""


def is_published(row: Mapping[str, str]) -> bool:
    """Return whether a row states what a source says."""
    return row["basis"] == PUBLISHED[0]


def table_of(name: str) -> Table:
    """Return a table by its name."""
    return next(table for table in TABLES if table.name == name)
