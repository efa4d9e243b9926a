"""The class of a product, which decides its release attributes, potency and stability."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from core.agents.assay_development.schema import AssayDevelopmentRequest
from core.evidence.proof.claims import unmark
from core.knowledge.assays.rows import ProductClassRow, parts
from core.vocabulary.tables import compile_pattern, load_rows

TELLING = ("format", "vector")
"""Details that say what a product is; words there that name no class are reported."""
LONGEST_SHOWN = 80


@dataclass(frozen=True)
class Classified:
    """The class of a product and how it was read.

    Attributes:
        product_class: Its name; "" where the words name none and none is safe to assume.
        words: The words that named it; "" where it was assumed.
        warnings: Words that name no class, or a class of another modality.
    """

    product_class: str
    words: str
    warnings: tuple[str, ...] = ()


_EDITING = re.compile(
    r"\bCRISPR|\bCas(?:9|12)|\b(?:base|prime|gene|genome)[- ]edit\w*|\bTALEN|\bzinc[- ]finger",
    re.IGNORECASE,
)
"""Editing of genes, whose products have none of the attributes of viral vectors."""


def classify_product(
    request: AssayDevelopmentRequest, details: Mapping[str, JsonValue]
) -> Classified:
    """Return the class of a product by its details, then its mechanism and target."""
    rows = load_rows("product_classes", ProductClassRow)
    ours = [row for row in rows if request.modality in parts(row.modalities)]
    if len(ours) == 1:
        return Classified(ours[0].product_class, request.modality)
    stated = " ; ".join(str(details[key]) for key in TELLING if key in details)
    given = " ; ".join(map(str, details.values()))
    wider = " ; ".join(filter(None, (given, request.mechanism, request.target)))
    if request.modality == "gene therapy" and (edited := _EDITING.search(wider)):
        why = _report_unknown(edited[0], "", request, rows)
        return Classified("", edited[0], (why,))
    named = [row for row in ours if row.assumed != "always"]
    usual = [row for row in ours if row.assumed == "always"]
    searches = [(given, named), (wider, named), (stated, usual)]
    if request.modality == "vaccine":  # "recombinant" says less than influenza or a carrier does
        searches.insert(0, (wider, [row for row in named if not row.assumed]))
    for text, candidates in searches:
        if match := _first_match(text, candidates):
            return Classified(match[0].product_class, match[1])
    assumed = next((row.product_class for row in usual), "")
    if stated:
        return Classified(assumed, "", (_report_unknown(stated, assumed, request, rows),))
    if not assumed:
        assumed = next((row.product_class for row in ours if row.assumed), "")
    return Classified(assumed, "")


def _first_match(text: str, rows: Sequence[ProductClassRow]) -> tuple[ProductClassRow, str] | None:
    """Return the first class that a text names, with the words that name it."""
    for row in rows:
        match = compile_pattern(row.pattern, "product_classes").search(text) if text else None
        if match:
            return row, match[0] or row.product_class
    return None


def _report_unknown(
    stated: str, assumed: str, request: AssayDevelopmentRequest, rows: Sequence[ProductClassRow]
) -> str:
    """Return a warning for words that name no class of the modality."""
    shown = re.sub(r"\s+", " ", unmark(stated))[:LONGEST_SHOWN]
    elsewhere = _first_match(stated, [row for row in rows if row.assumed != "always"])
    what = (
        f"names a product of another modality ({elsewhere[0].product_class})"
        if elsewhere
        else "names no product class"
    )
    result = (
        f"the plan is that of {assumed}"
        if assumed
        else "only general assays are planned and no release attributes are proposed"
    )
    return (
        f"not_resolved: “{shown}” {what} known for {request.modality}, so {result}. Correct the "
        "format or choose another modality."
    )
