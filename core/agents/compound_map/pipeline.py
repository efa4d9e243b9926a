"""From a target to the compounds that its patents draw, and the map of them."""

import time
from collections.abc import Sequence
from itertools import islice

from core.agents.compound_map.assemble import Found, assemble
from core.agents.compound_map.clinical import choose_clinical, names_of, read_reference
from core.agents.compound_map.finding import Asked, find_sample, understand
from core.agents.compound_map.mapping import chart_compounds, find_series
from core.agents.compound_map.named import (
    DrawnNames,
    deliver_names,
    draw_names,
    look_for_names,
    read_named,
)
from core.agents.compound_map.own import read_own
from core.agents.compound_map.ranking import rank_compounds
from core.agents.compound_map.reading import Reader, Reading
from core.agents.compound_map.sample import Sample
from core.agents.compound_map.schema import CompoundMapData, CompoundMapRequest
from core.agents.compound_map.trust import read_basis
from core.agents.compound_map.uploads import add_uploads
from core.chemistry.keeping import Notebook
from core.code_digest import code_digest
from core.evidence.assets.clinical import clinical_compounds
from core.evidence.patents.pool import open_patents
from core.patent_ports import PatentPool
from core.records.patents import ClinicalCompound
from core.workbench import RunContext

STEP = "Read structures"
TOGETHER = 5
"""Documents whose strings are judged at once: enough for a second process, few for a bar."""


def run(request: CompoundMapRequest, context: RunContext) -> CompoundMapData:
    """Run the agent.

    Args:
        request: The validated request.
        context: Evidence, names, uploads, the clock and progress.
    """
    began = time.monotonic()
    question = understand(request, context)
    pool = open_patents(context.evidence, context.settings, context.now, context.rates)
    sample = find_sample(question, request, pool)
    context.progress("Find patents", 1, 1, f"{len(sample.documents)} of {len(sample.candidates)}")
    sample = add_uploads(sample, request, context)
    chosen = _find_clinical(question, request, context)
    notebook = Notebook(context.notes, code_digest("chemistry", "knowledge"))
    sample, reading, drawn = _read(sample, pool, chosen, notebook, context)
    basis = read_basis(sample, reading.molecules, pool)
    compounds = rank_compounds(reading.molecules, notebook, basis)
    reference = read_reference(chosen, drawn.smiles, drawn.ways)
    own_compounds = read_own(request, context)
    context.progress("Compare", 1, 1, f"{len(reference.compounds)} clinical compounds")
    chart = chart_compounds(compounds)
    series = find_series(compounds, notebook)
    context.progress("Map", 1, 1, f"{len(chart.pairs)} pairs")
    findings = Found(question, sample, reading, compounds, chart, series, reference, own_compounds)
    data = assemble(request, findings, context, time.monotonic() - began)
    context.progress("Write result", 1, 1, f"{len(data.sources)} sources")
    return data


def _find_clinical(
    question: Asked, request: CompoundMapRequest, context: RunContext
) -> list[ClinicalCompound]:
    """Return the clinical compounds that are compared."""
    day = context.now.date()
    reference_compounds = clinical_compounds(
        question.symbol, context.evidence, context.resolver, day
    )
    return choose_clinical(reference_compounds, is_full=request.include_full_clinical_landscape)


def _read(
    sample: Sample,
    pool: PatentPool,
    reference_compounds: Sequence[ClinicalCompound],
    notebook: Notebook,
    context: RunContext,
) -> tuple[Sample, Reading, DrawnNames]:
    """Read the strings of all documents, then names where these told nothing."""
    reader = Reader(sample.families)
    total = max(len(sample.delivered), 1) + 1
    for done, number in enumerate(sample.delivered):
        if done % TOGETHER == 0:
            some = islice(sample.delivered.values(), done, done + TOGETHER)
            reader.prepare(some, notebook)
        reader.read(sample.delivered[number])
        context.progress(STEP, done + 1, total, number)
    places = look_for_names(sample, reader.covered, pool)
    drawn = draw_names(places, names_of(reference_compounds))
    sample = deliver_names(sample, places, drawn)
    read_named(sample, places, reader.read)
    reading = reader.finish()
    context.progress(STEP, total, total, f"{len(reading.molecules)} compounds")
    return sample, reading, drawn
