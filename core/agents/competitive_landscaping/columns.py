"""The columns of drugs and of what is told around them: wire table, page, report and CSV."""

from typing import Any

from core.agents.competitive_landscaping.records import (
    DrugRow,
    LeftOutCount,
    ProgramLine,
    PublicationRow,
    ReadoutRow,
    SourceLine,
    SponsorShare,
    StandingCount,
    WhiteSpace,
)
from core.briefs.columns import UNCONFIRMED, Column, ColumnTable, line_model, source_column
from core.briefs.records import BiomarkerResult, EndpointResult, PatientSubset
from core.records.stages import STAGE_WORDS, Stage, phase_words


def use_words(row: DrugRow) -> str:
    """Return for what a drug is approved; of a wider use it is told."""
    return f"{WIDER}: {row.label_use}" if row.match == "wider" else row.label_use


def stage_words(row: DrugRow) -> str:
    """Return a drug's stage; of one that is approved for a wider use, that use."""
    return use_words(row) if row.match == "wider" else STAGE_WORDS[row.stage]


WIDER = "Approved; listed use is wider"
DRUGS: tuple[Column[DrugRow], ...] = (
    Column("rank_score", "Rank", int),
    Column("drug_name", "Drug"),
    Column("stage", "Stage", Stage, shown=stage_words, cell="stage"),
    Column("company", "Company", cell="company"),
    Column("target", "Target", cell="target"),
    Column("mechanism"),
    Column("modality", "Kind", cell="modality"),
    Column("indication", "Indications"),
    Column("efficacy", "Efficacy"),
    Column("toxicity", "Toxicity"),
    Column("partners"),
    Column(
        "regions",
        value=lambda row: [f"{name}: {stage}" for name, stage in row.regions.items()],
        description="Highest stage stated per region.",
    ),
    Column("n_active_trials", "Active trials", int),
    Column("n_other_trials", "", int),
    Column("trial_ids"),
    Column("aliases"),
    Column("drug_key", value=lambda row: row.drug_key or ""),
    Column("standing", "Standing"),
    Column("not_known", "Not known"),
    Column("is_expert_only", "", bool),
    UNCONFIRMED,
    Column("as_of", "As of"),
    source_column(),
    Column("brand", "Brand"),
    Column("line", "Line"),
    Column("biomarker", "Biomarker"),
    Column("trial", "Furthest trial"),
    Column("enrolled", "N", int | None),
    Column("approved_in", "First approved"),
    Column("next_readout", "Next primary completion"),
    Column("ended", "Ended"),
    Column("licensor", "Licensor"),
    Column("licensee", "Licensee"),
    Column("protected_until", "Protected until"),
    Column("is_off_patent", "", bool),
    Column("label_use", "Approved use", shown=use_words),
    Column("match"),
)
BOARD_VIEW = (
    *("drug_name", "brand", "company", "stage", "line", "biomarker", "trial", "enrolled"),
    *("approved_in", "label_use", "next_readout", "ended", "licensor", "licensee"),
    "protected_until",
)
"""The columns of a board deck, in their order."""
PROGRAMS: tuple[Column[ProgramLine], ...] = (
    Column("drug_name", "Drug"),
    Column("indication", "Indication"),
    Column("stage", "Stage", Stage, shown=lambda row: STAGE_WORDS[row.stage]),
    Column("state", "State"),
    Column("company", "Company"),
    Column("target", "Target"),
    Column("approved_in", "First approved"),
    Column("reason", "Why it ended"),
    Column("trial_ids", "Trials"),
    Column("as_of", "As of"),
    source_column(),
)
DRUG_VIEW = ("rank_score", "drug_name", "company", "stage", "target", "modality", "indication")
FIGURE_VIEW = ("drug_name", "efficacy", "toxicity")
_TRIALS: Column[Any] = Column("n_trials", "Trials")
_DRUGS: Column[Any] = Column("drugs", "Drugs", shown=lambda row: ", ".join(row.drugs))
SPONSORS: tuple[Column[SponsorShare], ...] = (
    Column("company", "Company"),
    Column("n", "Drugs"),
    source_column(),
)
SPACES: tuple[Column[WhiteSpace], ...] = (
    Column("indication", "Indication"),
    Column("reason", "Why it counts as open"),
    source_column(),
)
READOUTS: tuple[Column[ReadoutRow], ...] = (
    Column("expected_on", "Primary completion"),
    Column("drug_name", "Drug"),
    Column("company", "Company"),
    Column("trial_id", "Trial"),
    Column("phase", "Phase", value=lambda row: phase_words(row.phase)),
    Column("indication", "Indication"),
    Column("endpoint", "Endpoint"),
    source_column(),
)
PUBLICATIONS: tuple[Column[PublicationRow], ...] = (
    Column("published_on", "Published"),
    Column("kind", "Kind", value=lambda row: row.kind.replace("_", " ")),
    Column("title", "Title"),
    Column("url", "Address"),
    source_column(),
)
ENDPOINTS: tuple[Column[EndpointResult], ...] = (
    Column("endpoint", "Endpoint"),
    Column("role", "Role"),
    _TRIALS,
    Column("timepoint", "Time frame"),
    _DRUGS,
    source_column(),
)
BIOMARKERS: tuple[Column[BiomarkerResult], ...] = (
    Column("name", "Biomarker"),
    Column("role", "Role"),
    _TRIALS,
    _DRUGS,
    source_column(),
)
SUBSETS: tuple[Column[PatientSubset], ...] = (
    Column("subset", "Patients"),
    Column("definition", "Chosen by"),
    _TRIALS,
    Column("n_recruiting", "Recruiting"),
    _DRUGS,
    source_column(),
)
GROUPS: tuple[Column[SourceLine], ...] = (
    Column("source", "Source"),
    Column("status", "Status", shown=lambda row: row.status.replace("_", " ")),
    Column("as_of", "As of"),
    Column("n_hits", "Records read"),
    Column("n_counted", "Hits counted live"),
    Column("sent", "Words sent"),
    Column("flag", "Request option"),
)

STANDINGS: tuple[Column[StandingCount], ...] = (
    Column("standing", "Standing"),
    Column("n", "Number"),
)
LEFT_OUT: tuple[Column[LeftOutCount], ...] = (
    Column("reason", "Reason"),
    Column("n", "Candidates"),
)


class DrugTable(ColumnTable):
    """Drugs by rank."""

    columns = DRUGS
    row_model = line_model(
        "DrugLine", "One drug, flat: a record of `drugs` as a line of a table.", DRUGS
    )


class ProgramTable(ColumnTable):
    """Drugs by indication: one line a drug and indication, in the order of the drugs."""

    columns = PROGRAMS
    row_model = line_model("LandscapeProgramLine", "One drug in one indication, flat.", PROGRAMS)
