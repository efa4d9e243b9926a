"""The columns of compounds, documents and what is told of them: wire table, page and report."""

from collections.abc import Callable
from typing import Any

from core.agents.compound_map.records import (
    AssigneeRow,
    ClinicalRow,
    Compound,
    GenericDrawing,
    MentionedPatent,
    Nearest,
    OwnCompound,
    PatentLeftOut,
    PatentRow,
    ScaffoldRow,
    SourceAnswerRow,
    UploadRow,
)
from core.briefs.columns import Column, ColumnTable, line_model, source_column
from core.records.stages import STAGE_WORDS

LONGEST_SMILES = 90


def show_nearest(nearest: Nearest | None) -> str:
    """Return the most similar compound by id, with its likeness."""
    return f"{nearest.id} {nearest.tanimoto:.2f}" if nearest else ""


def _claims(compound: OwnCompound) -> str:
    """Return in how many claims a compound is, with the first that is told for certain."""
    if not compound.claims:
        return ""
    counts = f"in {compound.n_in}, out {compound.n_out}, cannot tell {compound.n_cannot_tell}"
    answer = next(
        (each for each in compound.claims if each.answer != "cannot tell"), compound.claims[0]
    )
    because = "because it " if answer.answer == "out" else ""
    return f"{counts}; {answer.publication_number}: {answer.answer}, {because}{answer.reason}"


def _property(name: str) -> Callable[[Compound], object]:
    """Return what reads a figure by which chemists sort compounds."""
    return lambda compound: getattr(compound.properties, name)


def _few(texts: list[str], most: int = 2) -> str:
    """Return the first texts, as many as a narrow column bears."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return "; ".join(texts[:most]) + more


def list_documents(compound: Compound) -> list[str]:
    """Return the documents that draw a compound, each once."""
    return list(dict.fromkeys(patent.publication_number for patent in compound.patents))


def list_places(compound: Compound) -> list[str]:
    """Return the places of a compound in words."""
    return [
        " ".join(
            piece
            for piece in (patent.publication_number, patent.location, patent.image_or_block)
            if piece
        )
        for patent in compound.patents
    ]


def cut_smiles(text: str) -> str:
    """Return a structure as long as print bears."""
    return text if len(text) <= LONGEST_SMILES else f"{text[:LONGEST_SMILES]}…"


COMPOUNDS: tuple[Column[Compound], ...] = (
    Column("id", "Id"),
    Column("smiles", "SMILES"),
    Column("inchikey"),
    Column("confidence_score", "Score", int),
    Column("confidence"),
    Column("doubts", value=lambda compound: "; ".join(compound.doubts)),
    Column("extraction_method", "Method"),
    Column("role", "Role", shown=lambda compound: compound.role.replace("_", " ")),
    Column("claimed", "Claims", bool),
    Column("label"),
    Column(
        "documents",
        "Documents",
        value=list_documents,
        shown=lambda compound: ", ".join(list_documents(compound)),
        description="Publication numbers.",
    ),
    Column("places", value=list_places, description="Documents with section and block."),
    Column("assignees", "Owners", shown=lambda compound: ", ".join(compound.assignees)),
    Column("first_disclosed_on", "Disclosed"),
    Column("scaffold"),
    Column("cluster", "", int),
    Column("x", "", float, lambda compound: compound.xy[0]),
    Column("y", "", float, lambda compound: compound.xy[1]),
    Column("molecular_weight", "MW", float, _property("molecular_weight")),
    Column("clogp", "cLogP", float, _property("clogp")),
    Column("tpsa", "", float, _property("tpsa")),
    *(Column[Compound](name, "", int, _property(name)) for name in ("hbd", "hba", "rotors")),
    Column("nearest_clinical", value=lambda compound: getattr(compound.nearest_clinical, "id", "")),
    Column(
        "clinical_tanimoto",
        "",
        float | None,
        lambda compound: getattr(compound.nearest_clinical, "tanimoto", None),
    ),
    Column("same_skeleton", value=lambda compound: " ".join(compound.same_skeleton)),
    source_column(),
    Column(
        "near", "Nearest clinical", None, lambda compound: show_nearest(compound.nearest_clinical)
    ),
    Column("few_documents", "Documents", None, lambda compound: _few(list_documents(compound))),
    Column("weight", "MW", None, lambda compound: f"{compound.properties.molecular_weight:.1f}"),
    Column("log_p", "cLogP", None, lambda compound: f"{compound.properties.clogp:.1f}"),
)
PRINTED = (
    *("id", "role", "confidence_score", "few_documents", "first_disclosed_on"),
    *("weight", "log_p", "near", "sources"),
)
REPAIRS: tuple[Column[Compound], ...] = (
    Column("id", "Id"),
    Column("smiles", "Drawn", shown=lambda compound: cut_smiles(compound.smiles)),
    Column("repair", "May be", value=lambda compound: getattr(compound.repair, "name", "")),
    Column("reason", "Why", value=lambda compound: getattr(compound.repair, "reason", "")),
    source_column(),
)
SCAFFOLDS: tuple[Column[ScaffoldRow], ...] = (
    Column("scaffold", "Scaffold", shown=lambda scaffold: cut_smiles(scaffold.scaffold)),
    Column("state", "State"),
    Column("reason", "Why"),
    Column("n_claimed", "In claims"),
    Column("assignees", "Owners", shown=lambda scaffold: _few(scaffold.assignees)),
    Column("granted", "Granted", shown=lambda scaffold: _few(scaffold.granted)),
    Column("pending", "Pending", shown=lambda scaffold: _few(scaffold.pending)),
    Column("pct", "PCT", shown=lambda scaffold: _few(scaffold.pct)),
    Column("last_expiry_on", "Est. until"),
    source_column(),
)
CLINICAL: tuple[Column[ClinicalRow], ...] = (
    Column("name", "Drug"),
    Column("stage", "Stage", value=lambda clinical: say_stage(clinical.stage)),
    Column("structure_basis", "Structure"),
    Column("match", "Is"),
    Column("nearest", "Nearest", value=lambda clinical: show_nearest(clinical.nearest)),
    Column("n_near", "Near"),
    Column("as_of", "As of"),
    Column("aliases", "Other names", shown=lambda clinical: _few(clinical.aliases, 3)),
    source_column(),
)
OWN: tuple[Column[OwnCompound], ...] = (
    Column("name", "Compound"),
    Column("finding", "Finding"),
    Column("nearest", "Nearest", value=lambda compound: show_nearest(compound.nearest)),
    Column("claims", "Claims", value=_claims),
    Column("match_places", "Drawn in"),
    Column(
        "is_new",
        "No match in the sample",
        shown=lambda compound: {True: "no match", None: "cannot tell"}.get(compound.is_new, ""),
    ),
)
DOCUMENTS: tuple[Column[PatentRow], ...] = (
    Column("publication_number", "Document"),
    Column("title", "Title"),
    Column("assignee", "Owner"),
    Column("action", "Acts as"),
    Column("legal", "State"),
    Column("priority_on", "Priority"),
    Column("estimated_expiry_on", "Expiry est."),
    Column("n_compounds", "Compounds"),
    Column("n_claimed", "Claimed"),
    Column("why_selected", "Why chosen"),
    Column("named_as", "Named by its family as"),
    source_column(),
)
PRINTED_DOCUMENTS = tuple(
    document.name for document in DOCUMENTS if document.name not in {"why_selected", "named_as"}
)
"""In print the reasons have a table of their own: eleven columns leave them no width."""
PRINTED_REASONS = ("publication_number", "why_selected", "named_as")
OWNERS: tuple[Column[AssigneeRow], ...] = (
    Column("assignee", "Owner"),
    Column("patent_count", "Documents"),
    Column("candidate_count", "Candidates"),
    Column("compound_count", "Compounds"),
)
LEFT_OUT: tuple[Column[PatentLeftOut], ...] = (
    Column("publication_number", "Document"),
    Column("title", "Title"),
    Column("assignee", "Owner"),
    Column("reason", "Reason"),
)
_GENE_ROLES = {
    "biomarker": "biomarker",
    "partner": "combination partner's target",
    "other": "mention only",
}
MENTIONED: tuple[Column[MentionedPatent], ...] = (
    Column("publication_number", "Document"),
    Column("title", "Title"),
    Column("assignee", "Owner"),
    Column("role", "Target is a", shown=lambda patent: _GENE_ROLES[patent.role]),
    Column("reason", "Named as"),
    source_column(),
)
ANSWERS: tuple[Column[SourceAnswerRow], ...] = (
    Column("source", "Source"),
    Column("status", "Status", shown=lambda answer: answer.status.replace("_", " ")),
    Column("asked_at", "Asked"),
    Column("count", "Documents", value=lambda answer: answer.count),
    Column("message", "Message"),
)
FILES: tuple[Column[UploadRow], ...] = (
    Column("file", "File"),
    Column("n_pages", "Pages"),
    Column("n_crops", "Drawings"),
    Column("n_read", "Read"),
    Column("n_names", "Names"),
    Column("message", "Left"),
)
GENERICS: tuple[Column[GenericDrawing], ...] = (
    Column("smiles", "SMILES", shown=lambda generic_drawing: cut_smiles(generic_drawing.smiles)),
    Column("kind", "Kind"),
    Column("publication_number", "Document"),
    Column("section", "Section"),
)


def say_stage(stage: str) -> str:
    """Return a stage in words; another word as it is."""
    words: dict[str, Any] = {str(key): word for key, word in STAGE_WORDS.items()}
    return str(words.get(stage, stage))


class CompoundTable(ColumnTable):
    """Compounds by rank."""

    columns = COMPOUNDS
    row_model = line_model(
        "CompoundLine", "One compound, flat: a record of `compounds` as a line.", COMPOUNDS
    )
