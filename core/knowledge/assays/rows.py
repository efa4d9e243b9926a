"""The tables of assays: documents, needs, formats, criteria, protocols, materials, plans.

Cells of several parts are joined by "|". A row names its document where one asks for it; what
nobody could open at its source is `basis` expert.
"""

from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, load_rows

AssayCategory = Literal[
    "identity",
    "potency",
    "safety",
    "pharmacokinetics",
    "immunogenicity",
    "biomarkers",
    "quality",
]
Depth = Literal["exploratory", "qualified", "validated"]


class DocumentRow(TableRow):
    """A guideline, compendial chapter or paper.

    Attributes:
        document: Its short name, by which other tables name it.
        title: Its title, or what it is.
        year: Of this version; "" where not known.
        status: Whether it stands, is a draft, or was replaced.
        replaced_by: Short name of what replaces it.
    """

    document: str
    title: str
    year: str
    status: Literal[
        "final", "draft", "replaced", "to be replaced", "compendium", "manual", "paper", "guidance"
    ]
    replaced_by: str


class NeedRow(TableRow):
    """A category that a goal asks for."""

    goal: str
    category: AssayCategory
    need: Literal["mandatory", "supporting"]
    from_stage: str
    modalities: str
    why: str


class FormatRow(TableRow):
    """An assay.

    Attributes:
        format: Its key.
        category: What it answers.
        modalities: Kinds of products that it fits.
        variant: Kind of such a product, as "allogeneic"; "" for all.
        goals: Letters of the goals: S candidate selection, M mechanism, P potency, R release,
            I IND, B translational biomarkers.
        from_stage: First stage at which it is worth its cost.
        until_stage: Last one.
        name: With places for {target}.
        principle: How it measures.
        readouts: What it gives.
        controls: With places for {target}, {positive}, {negative}, {reagent}.
        context: Which criteria and which protocol hold.
        fit: "4PL", "linear", "qPCR" or "".
        weeks: To develop it.
        is_on_target: "yes" where target and lines matter.
        document: What asks for it.
    """

    format: str
    category: AssayCategory
    modalities: str
    variant: str
    goals: str
    from_stage: str
    until_stage: str
    name: str
    principle: str
    readouts: str
    controls: str
    context: str
    fit: Literal["4PL", "linear", "qPCR", ""]
    weeks: int
    is_on_target: Literal["yes", ""]
    document: str


class CriterionRow(TableRow):
    """An acceptance criterion, from a depth of validation on.

    Attributes:
        context: Which assays it holds for.
        depth: First depth of validation at which it holds.
        parameter: What is measured.
        design: How.
        criterion: What is accepted.
        products: Of an attribute of lots, the only products that it holds for; "" for a
            characteristic of a method.
        document: What asks for it.
    """

    context: str
    depth: Depth
    parameter: str
    design: str
    criterion: str
    products: str
    document: str

    def holds_for_lots_of(self, modality: str, variant: str) -> bool:
        """Return whether it is an attribute of lots of a kind of product."""
        return is_of_product(self.products, modality, variant)


class ProtocolRow(TableRow):
    """The skeleton of a protocol of a context.

    Attributes:
        context: Of the assays that it is for.
        formats: Keys of the assays of the context that need steps of their own; "" for the others.
        layout: The plate, or the order of runs where there is no plate.
    """

    context: str
    formats: str
    model: str
    weighting: str
    wells: int
    replicates: int
    layout: str
    steps: str
    suitability: str
    safety: str
    document: str


class PlateRow(TableRow):
    """A row of a plate: one code a well."""

    layout: str
    wells: int
    row: str
    codes: str


class PlateLegendRow(TableRow):
    """What a code on a plate means."""

    layout: str
    code: str
    meaning: str


class RunOrderRow(TableRow):
    """The order of runs, vessels or groups of an assay without a plate."""

    layout: str
    steps: str


class ModelSystemRow(TableRow):
    """Cells that have a target and cells that lack it.

    Attributes:
        target: Gene symbols or names, joined by ";".
        positives: Lines that have it, the best known first.
        negatives: A line that lacks it.
        species: Whether animals can stand for patients.
        place: Where the target lies.
    """

    target: str
    positives: str
    negatives: str
    species: str
    place: Literal["surface", "intracellular", "soluble"]


class RiskRow(TableRow):
    """What may go wrong; "*" stands for every kind of product."""

    category: AssayCategory
    modalities: str
    risk: str
    severity: Literal["high", "medium", "low"]
    likelihood: Literal["high", "medium", "low"]
    mitigation: str
    early_sign: str
    document: str


class GateRow(TableRow):
    """A decision at the end of a stage."""

    stage: str
    gate: str
    question: str
    metric: str
    go: str
    no_go: str
    if_between: str
    context: str
    document: str


class StabilityRow(TableRow):
    """A condition of storage with its months and tests, for some products alone."""

    products: str
    condition: str
    months: str
    tests: str
    document: str


class InstrumentRow(TableRow):
    """A word of a principle and the instrument that it needs."""

    word: str
    instrument: str


class CategoryWordRow(TableRow):
    """A word by which a category is asked for."""

    category: AssayCategory
    word: str


class RefusedRow(TableRow):
    """Words of a purpose for which no assay is planned."""

    words: str


class VariantRow(TableRow):
    """Words of a product's details that tell its variant; one variant is assumed without any."""

    modality: str
    variant: str
    words: str
    is_default: Literal["yes", ""]


@cache
def documents() -> dict[str, DocumentRow]:
    """Return the documents by short name."""
    return {row.document: row for row in load_rows("documents", DocumentRow)}


@cache
def protocols() -> dict[str, ProtocolRow]:
    """Return the protocol skeletons by context."""
    return {row.context: row for row in load_rows("protocols", ProtocolRow) if not row.formats}


def find_protocol(chosen: FormatRow) -> ProtocolRow:
    """Return the skeleton of an assay: its own, else that of its context."""
    rows = load_rows("protocols", ProtocolRow)
    specific = (row for row in rows if chosen.format in parts(row.formats))
    return next(specific, protocols()[chosen.context])


@cache
def model_systems() -> dict[str, ModelSystemRow]:
    """Return the model systems by the folded names of their targets."""
    rows = load_rows("model_systems", ModelSystemRow)
    return {name.casefold(): row for row in rows for name in row.target.split(";")}


def parts(cell: str) -> list[str]:
    """Return the parts of a cell."""
    return [one for one in cell.split("|") if one]


def holds_for(modalities: str, modality: str) -> bool:
    """Return whether a row holds for a kind of product."""
    return modalities == "*" or modality in parts(modalities)


def is_of_product(products: str, modality: str, variant: str) -> bool:
    """Return whether a product is among those of a row.

    >>> is_of_product("ADC|RNA therapy/lnp", "RNA therapy", "sirna")
    False
    """
    return bool({modality, f"{modality}/{variant}"} & {*parts(products)})
