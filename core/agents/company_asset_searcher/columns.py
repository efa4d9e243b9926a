"""The columns of drugs and of their programs: wire tables, page, report and CSV."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.agents.company_asset_searcher.records import DrugRecord, ProgramRow
from core.briefs.columns import UNCONFIRMED, Column, ColumnTable, line_model, source_column
from core.records.catalysts import Category, DateConfidence, Origin, Weight
from core.records.stages import STAGE_WORDS, Stage
from core.vocabulary.stages import Phase
from core.vocabulary.untold import UNTOLD

MOST_INDICATIONS = 2
MOST_TRIALS = 3


def _event(name: str) -> Callable[[DrugRecord], object]:
    """Return what reads a field of the next event."""
    return lambda drug: getattr(drug.next_catalyst, name)


def _until(name: str) -> Callable[[DrugRecord], object]:
    """Return what reads a field of the exclusivity; None where there is none."""
    return lambda drug: getattr(drug.exclusivity, name, None)


def _first_indications(drug: DrugRecord) -> str | None:
    """Return the furthest indications, as many as a narrow column bears."""
    stated = list(dict.fromkeys(program.indication for program in drug.programs))
    names = [name for name in stated if name not in UNTOLD] or stated
    more = f" and {len(names) - MOST_INDICATIONS} more" if len(names) > MOST_INDICATIONS else ""
    return ("; ".join(names[:MOST_INDICATIONS]) + more) or None


def _approved_in(drug: DrugRecord) -> str:
    """Return where a drug is approved, with the first days: "FDA 2019-05-02; EMA"."""
    approvals = [
        approval
        for approval in drug.approvals
        if approval.stage == "APPROVED" and not approval.is_over
    ]
    return "; ".join(f"{approval.region} {approval.first_on}".strip() for approval in approvals)


ASSETS: tuple[Column[DrugRecord], ...] = (
    Column("name", "Drug"),
    Column("code", "Code", str | None),
    Column("phase", "Phase", Phase, cell="stage"),
    Column("origin", "Origin", Origin | None),
    Column("origin_rule"),
    Column("owner", "Owner", str | None, cell="company"),
    Column("originator", "Originator", str | None, cell="company"),
    Column("partner", "Others", str | None, cell="company"),
    Column("target", "Target", str | None, cell="target"),
    Column("modality", "Kind", str | None, cell="modality"),
    Column("indication", "Indications", str | None),
    Column("next_event", "Next event", value=_event("event")),
    Column("next_event_on", "When", value=_event("date")),
    Column("date_confidence", "How sure", DateConfidence, _event("date_confidence")),
    Column("category", "", Category, _event("category")),
    Column("weight", "", Weight, _event("weight")),
    Column("weight_score", "Weight", int, _event("weight_score")),
    Column("rationale", "Why", value=_event("rationale")),
    Column("last_patent_on", "Last patent", str | None, _until("last_patent_on")),
    Column("last_exclusivity_on", "Last exclusivity", str | None, _until("last_exclusivity_on")),
    Column("biologic_until", "Biologic until", str | None, _until("biologic_until")),
    Column("law_until", "By law until", str | None, _until("law_until")),
    Column("law_term", "Term", str | None, _until("law_term")),
    Column("approved_in", "Approved", str, _approved_in),
    Column("state", "State", str),
    Column("note", "Note", str | None),
    Column("aliases"),
    Column("drug_key", "", str | None),
    Column("is_expert_only", "", bool),
    UNCONFIRMED,
    source_column(),
    Column("first_indications", "Indications", None, _first_indications),
    source_column("event_sources", lambda drug: drug.next_catalyst.source_ids, kind=None),
    Column("product", "Product", None, lambda drug: drug.name),
    Column("term_note", "Note", None, _until("note")),
    source_column("term_sources", lambda drug: drug.exclusivity.source_ids, kind=None),
)
EVENT_VIEW = ("next_event_on", "date_confidence", "name", "next_event", "weight_score", "rationale")
TERM_VIEW = (
    *(
        "product",
        "last_patent_on",
        "last_exclusivity_on",
        "biologic_until",
        "law_until",
        "law_term",
    ),
    *("term_note", "term_sources"),
)


class DrugProgram(NamedTuple):
    """A drug in one indication and region."""

    drug: DrugRecord
    part: ProgramRow


def _part(name: str) -> Callable[[DrugProgram], object]:
    """Return what reads a field of the program."""
    return lambda row: getattr(row.part, name)


def programs_of(drugs: Sequence[DrugRecord]) -> list[DrugProgram]:
    """Return the programs by drug, in the order of the drugs."""
    return [DrugProgram(drug, program) for drug in drugs for program in drug.programs]


PROGRAMS: tuple[Column[DrugProgram], ...] = (
    Column("name", "Drug", value=lambda row: row.drug.name),
    Column("indication", "Indication", value=_part("indication")),
    Column("region", "Region", value=_part("region")),
    Column("phase", "", Stage, _part("phase")),
    Column("is_discontinued", "", bool, _part("is_discontinued")),
    Column("reason", "Stopped", value=_part("reason")),
    Column("first_on", "First approved", value=_part("first_on")),
    Column("state", "State", value=_part("state")),
    Column("trial_ids", "Trials", value=_part("trial_ids")),
    Column("as_of", "As of", value=_part("as_of")),
    source_column("sources", lambda row: row.part.source_ids),
    Column(
        "stage",
        "Stage",
        None,
        lambda row: "Discontinued" if row.part.is_discontinued else STAGE_WORDS[row.part.phase],
    ),
    Column("first_trials", "Trials", None, lambda row: ", ".join(row.part.trial_ids[:MOST_TRIALS])),
)
PROGRAM_VIEW = ("name", "indication", "region", "stage", "trial_ids", "as_of", "reason", "sources")


class AssetTable(ColumnTable):
    """Drugs by stage."""

    columns = ASSETS
    row_model = line_model(
        "AssetLine", "One drug, flat: a record of `drugs` as a line of a table.", ASSETS
    )


class ProgramTable(ColumnTable):
    """Programs by drug."""

    columns = PROGRAMS
    row_model = line_model("ProgramLine", "One drug in one indication and region, flat.", PROGRAMS)
