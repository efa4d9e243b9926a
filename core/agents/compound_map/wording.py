"""What the answer says in sentences: the summary, and warnings with their codes."""

from collections.abc import Sequence

from core.agents.compound_map.clinical import Reference
from core.agents.compound_map.finding import Asked, Sample
from core.agents.compound_map.mapping import MOST_PAIRS, Chart
from core.agents.compound_map.named import SOURCE
from core.agents.compound_map.ranking import MOST_COMPOUNDS, Ranked, is_sure
from core.agents.compound_map.reading import MOST_STRINGS, Reading
from core.agents.compound_map.records import FreedomToOperate
from core.agents.compound_map.schema import CompoundMapRequest
from core.chemistry import names, recognition
from core.evidence.proof.citations import Citations
from core.evidence.proof.claims import unmark

MOST_NAMED = 5
_IMPORT = (
    "import weekly USPTO chemistry (evidence import uspto-chem FILE), Red Book documents (evidence "
    "import uspto-redbook FILE), or upload patent PDFs with the request"
)


def warn(
    request: CompoundMapRequest,
    question: Asked,
    sample: Sample,
    reading: Reading,
    chart: Chart,
    reference: Reference,
) -> list[str]:
    """Return the warnings of a run, the gravest first."""
    warnings = []
    if request.candidate_pool < request.max_patents:
        warnings.append(
            f"pool_raised: candidate_pool was raised from {request.candidate_pool} to max_patents, "
            f"{request.max_patents}."
        )
    failed = [answer for answer in sample.answers if answer.status in {"unavailable", "partial"}]
    for answer in failed:
        warnings.append(
            f"source_unavailable: {unmark(answer.source)}, asked {answer.asked_at or 'now'}: "
            f"{unmark(answer.message) or answer.status}."
        )
    if question.names is not None and not sample.selection.chosen:
        details = "; ".join(
            f"{unmark(answer.source)}: {answer.status.replace('_', ' ')}"
            for answer in sample.answers
        )
        warnings.append(
            f"no_patents: no patents on {unmark(question.symbol)} were found"
            f"{f' ({details})' if details else ''}; {_IMPORT}."
        )
    warnings += _warn_of_mentions(question, sample)
    warnings += _warn_of_family(question, sample)
    bare = [
        chosen.document.publication_number
        for chosen in sample.selection.chosen
        if not sample.delivered.get(chosen.document.publication_number)
    ]
    if bare:
        warnings.append(
            f"no_structures: {len(bare)} of {len(sample.selection.chosen)} documents came without "
            f"structures ({_name_some(bare)})."
        )
    return [
        *_warn_of_target(request, question),
        *warnings,
        *_warn_of_structures(reading, chart),
        *_warn_of_tools(sample, reference),
        *_warn_of_reach(sample),
    ]


def _warn_of_reach(sample: Sample) -> list[str]:
    """Say which years and offices were searched."""
    searched = [
        f"{unmark(answer.source)} ({unmark(answer.message)})"
        for answer in sample.answers
        if answer.status in {"answered", "partial"} and answer.message and answer.source != SOURCE
    ]
    if not searched or not sample.selection.chosen:
        return []
    offices = sorted({chosen.document.country for chosen in sample.selection.chosen})
    return [
        f"patents_searched: {', '.join(searched)}. The documents chosen are from "
        f"{', '.join(offices)}; other years and offices were not searched."
    ]


def _warn_of_target(request: CompoundMapRequest, question: Asked) -> list[str]:
    text = unmark(request.target)
    if not question.has_names:
        return [
            f"names_missing: this instance holds no names of genes, so only “{text}” itself was "
            "searched for; run the set-up to build them."
        ]
    if question.names is None:
        hint = f"; known and near are {', '.join(map(unmark, question.nearest))}"
        return [
            f"unknown_target: “{text}” is no symbol or name of a gene that is known"
            f"{hint if question.nearest else ''}."
        ]
    read = (
        [f"target_read: “{text}” was read as {unmark(question.read_as)}."]
        if question.read_as
        else []
    )
    if question.names.ambiguous:
        others = ", ".join(map(unmark, question.names.ambiguous[:MOST_NAMED]))
        return [
            *read,
            f"ambiguous_symbol: “{text}” is also a name of {others}; {unmark(question.symbol)} was "
            "searched for.",
        ]
    return read


def _warn_of_mentions(question: Asked, sample: Sample) -> list[str]:
    """Count the documents that name the target and are not on it."""
    mentioned = sample.mentioned
    if not mentioned:
        return []
    verb, were = ("names", "is") if len(mentioned) == 1 else ("name", "are")
    numbers = _name_some([mention.document.publication_number for mention in mentioned])
    return [
        f"mentioned_only: {count_of(len(mentioned), 'document')} {verb} {unmark(question.symbol)} "
        f"only as a biomarker, as a combination partner or in passing and {were} listed apart, "
        f"without compounds ({numbers})."
    ]


def _warn_of_family(question: Asked, sample: Sample) -> list[str]:
    """Count the documents that name only the target's family, and those of relatives alone."""
    symbol, warnings = unmark(question.symbol), []
    kin = [chosen.document for chosen in sample.selection.chosen if chosen.document.named_as]
    if kin:
        named = ", ".join(
            unmark(named) for named in dict.fromkeys(document.named_as for document in kin)
        )
        write = "writes" if len(kin) == 1 else "write"
        warnings.append(
            f"family_named: {len(kin)} of {count_of(len(sample.selection.chosen), 'document')} "
            f"{write} only the family's name ({named}) and not {symbol} itself; they are marked, "
            "and may be of a relative."
        )
    left = {number: name for answer in sample.answers for number, name in answer.relatives}
    if left:
        named = ", ".join(unmark(owner) for owner in dict.fromkeys(left.values()))
        name = "names" if len(left) == 1 else "name"
        warnings.append(
            f"relatives_left_out: {count_of(len(left), 'document')} {name} only relatives of "
            f"{symbol} ({named}) and {'was' if len(left) == 1 else 'were'} excluded "
            f"({_name_some(sorted(left))})."
        )
    return warnings


def _warn_of_structures(reading: Reading, chart: Chart) -> list[str]:
    warnings = []
    if reading.over_cap:
        named = _name_some([f"{number} has {n:,}" for number, n in reading.over_cap.items()])
        warnings.append(
            f"strings_cut: of one document {MOST_STRINGS:,} strings are read, claims first "
            f"({named})."
        )
    if len(reading.molecules) > MOST_COMPOUNDS:
        warnings.append(
            f"compounds_cut: the {MOST_COMPOUNDS:,} best ranked of {len(reading.molecules):,} "
            "compounds are mapped."
        )
    if chart.n_pairs > len(chart.pairs):
        warnings.append(
            f"pairs_cut: the {MOST_PAIRS:,} most similar of {chart.n_pairs:,} pairs are listed."
        )
    return warnings


def _warn_of_tools(sample: Sample, reference: Reference) -> list[str]:
    warnings = []
    n_drawn = sum(upload.n_crops > 0 for upload in sample.uploads)
    if n_drawn and not recognition.has_osra():
        warnings.append(
            f"osra_missing: drawings of {count_of(n_drawn, 'document')} were found but not read. "
            f"{recognition.MISSING}."
        )
    warnings += _warn_of_names(sample, reference)
    warnings += [
        f"file_not_read_whole: {unmark(upload.file)}: {unmark(upload.message)}."
        for upload in sample.uploads
        if upload.message
    ]
    return warnings


def _warn_of_names(sample: Sample, reference: Reference) -> list[str]:
    name_counts = sample.names
    if not names.has_java():
        parts = []
        if name_counts.n_documents:
            parts.append(
                f"systematic names of {count_of(name_counts.n_documents, 'document')} were skipped"
            )
        if reference.needs_java:
            clinical = count_of(reference.needs_java, "clinical compound")
            parts.append(f"{clinical} with a name got no structure")
        listing = " and ".join(parts)
        return [f"java_missing: {listing}. {names.MISSING}."] if parts else []
    if not name_counts.is_read:
        return [
            f"names_unread: systematic names of {count_of(name_counts.n_documents, 'document')} "
            "were not read, for the program that reads them failed or ran out of time."
        ]
    if name_counts.n_cut:
        return [
            f"names_cut: {names.MOST_NAMES:,} ways to read systematic names were tried, "
            f"{name_counts.n_cut:,} more are not shown."
        ]
    return []


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count_of(1, "owner"), count_of(1200, "owner")
    ('1 owner', '1,200 owners')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _name_some(texts: Sequence[str]) -> str:
    """Return the first few, and how many more there are."""
    more = f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
    return ", ".join(unmark(text) for text in texts[:MOST_NAMED]) + more


def _are(number: int) -> str:
    return f"{number} {'is' if number == 1 else 'are'}"


def _say_claimed(number: int, sample: Sample) -> str:
    """Say how many are in the claims; of pages that are pictures nothing tells it."""
    chosen = sample.selection.chosen or sample.knows_claims
    return f"{number:,} are in the claims" if chosen else "none is known to be in the claims"


def _describe_confirmed(compounds: Sequence[Ranked]) -> str:
    """Return how many structures a second witness confirms, and how many are in doubt."""
    sure = sum(is_sure(compound.score) for compound in compounds)
    doubted = sum(bool(compound.trust.doubts) for compound in compounds)
    single = len(compounds) - sure - doubted
    return (
        f"A second witness (a known drug, a reported mass or a systematic name) confirms {sure:,} "
        f"{'structure' if sure == 1 else 'structures'}; {single:,} "
        f"{'is a single reading' if single == 1 else 'are single readings'} and {doubted:,} "
        f"{'has' if doubted == 1 else 'have'} signs of error, such as heteroatoms lost to carbon."
    )


def _say_shown(compounds: Sequence[Ranked], n_documents: int) -> str:
    """Return what documents do with their molecules: they draw them, or write their names."""
    ending = "s" if n_documents == 1 else ""
    methods = {compound.best.raw.method for compound in compounds}
    if methods == {"name"}:
        return f"name{ending}"
    return f"draw{ending} or name{ending}" if "name" in methods else f"draw{ending}"


def summarize(
    question: Asked,
    sample: Sample,
    compounds: Sequence[Ranked],
    freedom: FreedomToOperate,
    reference: Reference,
    citations: Citations,
) -> list[str]:
    """Return what was found in a few sentences, with the documents cited."""
    if not sample.documents:
        return []
    marks = citations.mark(
        sample.source_of(document.publication_number) for document in sample.documents
    )
    owners = sample.owners_of(document.publication_number for document in sample.documents)
    full_compounds = [compound for compound in compounds if compound.played.role != "piece"]
    claimed = sum(compound.is_claimed for compound in full_compounds)
    chosen = f", chosen among {len(sample.candidates)}" if sample.candidates else ""
    n_own = len(sample.uploaded)
    parts = []
    if len(sample.documents) > n_own:
        of_owners = f" of {count_of(len(owners), 'owner')}" if owners else ""
        parts.append(f"{count_of(len(sample.documents) - n_own, 'document')}{of_owners}{chosen}")
    if n_own:
        parts.append(f"{count_of(n_own, 'document')} of your own")
    were = "was" if len(sample.documents) == 1 else "were"
    they = "It" if len(sample.documents) == 1 else "They"
    pieces = len(compounds) - len(full_compounds)
    open_text = (
        f"{pieces:,} are R-group pieces with an open end; of the {len(full_compounds):,} others "
    )
    shown = _say_shown(compounds, len(sample.documents))
    sentences = [
        f"{', and '.join(parts)} {were} read for {unmark(question.symbol)} {marks}.",
        f"{they} {shown} {count_of(len(compounds), 'molecule')}. "
        f"{open_text if pieces else 'Of these '}"
        f"{_say_claimed(claimed, sample)}.",
        _describe_confirmed(full_compounds),
    ]
    if freedom.scaffolds:
        sentences.append(
            f"Of the {len(freedom.scaffolds)} largest scaffolds {_are(len(freedom.crowded))} "
            f"drawn in crowded claims; {_are(len(freedom.not_drawn))} of no known drug and drawn "
            "in no claim of this sample."
        )
    inchikeys = {structure.inchikey for structure in reference.structures if structure.inchikey}
    drawn = {compound.molecule.structure.inchikey for compound in compounds} & inchikeys
    if reference.compounds:
        sentences.append(
            f"{len(reference.compounds)} clinical compounds of the target are known, "
            f"{len(inchikeys)} with a structure; {len(drawn)} of these are drawn in the sample."
        )
    return sentences
