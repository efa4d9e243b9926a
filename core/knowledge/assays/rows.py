"""The tables of assays: product classes, release, documents, formats, protocols, materials, plans.

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
LimitType = Literal["range", "minimum", "maximum", "absent", "conforms", "report"]


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
        product_classes: Classes of such products; "" for all.
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
        mechanism: Words of target, mechanism or product that call for it; "" for none.
        unless: Words of these that rule it out, such as an agonist for an inhibition assay.
    """

    format: str
    category: AssayCategory
    modalities: str
    product_classes: str
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
    mechanism: str
    unless: str


class CriterionRow(TableRow):
    """A characteristic of a method with its criterion, from a depth of validation on.

    Attributes:
        context: Which assays it holds for.
        depth: First depth of validation at which it holds.
        parameter: What is measured.
        design: How.
        criterion: What is accepted.
        document: What asks for it.
    """

    context: str
    depth: Depth
    parameter: str
    design: str
    criterion: str
    document: str


class ProductClassRow(TableRow):
    """A class of products that share release attributes; classes are tried in file order.

    Attributes:
        product_class: Its name for readers.
        modalities: Modalities of a request that it belongs to.
        pattern: Words of product details, mechanism or target that name it.
        assumed: "always" where its modality means it unless other words match, "unstated" where
            it is meant only when neither format nor vector is given, "" where it must be named.
    """

    product_class: str
    modalities: str
    pattern: str
    assumed: Literal["always", "unstated", ""]


class ReleaseAttributeRow(TableRow):
    """An attribute of a lot that is tested for release.

    Attributes:
        product_classes: Classes whose lots have it.
        dosage_forms: Forms whose lots have it; "" for all.
        attribute: What is tested.
        kind: Which question it answers.
        method: How.
        limit_type: How the limit binds.
        criterion: Typical limit.
        from_stage: First stage at which it is a release test.
        document: What asks for it or states the limit.
    """

    product_classes: str
    dosage_forms: str
    attribute: str
    kind: Literal["general", "identity", "content", "purity", "impurity", "safety"]
    method: str
    limit_type: LimitType
    criterion: str
    from_stage: str
    document: str


class DosageFormRow(TableRow):
    """A dosage form, or a trait that lots share, by the words that name it.

    Attributes:
        dosage_form: Its name.
        pattern: Words of product details and mechanism that name it.
        drops: Attributes that its lots do not have, such as dissolution of eye drops.
    """

    dosage_form: str
    pattern: str
    drops: str


class ControlRoleRow(TableRow):
    """What a control or reagent is for, by the words of its name."""

    role: Literal["positive control", "reference", "critical reagent"]
    pattern: str


class PotencyRow(TableRow):
    """What is expected of the potency test of a class from a stage on.

    Attributes:
        product_classes: Classes that it holds for.
        from_stage: First stage; a later row replaces it.
        measure: What is measured.
        criterion: Typical limit.
        expectation: Why, and what changes at this stage.
        document: What asks for it or states the limit.
    """

    product_classes: str
    from_stage: str
    measure: str
    criterion: str
    expectation: str
    document: str


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


class GeneralModelRow(TableRow):
    """A model system of a kind of product, whatever its target; "" for all classes of it."""

    modalities: str
    product_classes: str
    name: str
    type: Literal["primary", "animal", "ex_vivo"]
    fit_for: str
    limits: str


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
    """A condition of storage with its months and tests, for some product classes."""

    product_classes: str
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
    return [word for word in cell.split("|") if word]


def holds_for(modalities: str, modality: str) -> bool:
    """Return whether a row holds for a kind of product."""
    return modalities == "*" or modality in parts(modalities)
