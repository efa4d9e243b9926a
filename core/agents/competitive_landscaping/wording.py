"""Sentences around the table: what makes a drug relevant, and what was not understood."""

from collections.abc import Iterator, Sequence

from core.agents.competitive_landscaping.ranking import Ranked
from core.agents.competitive_landscaping.records import RelevanceCriteria
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.agents.competitive_landscaping.scope import Asked, unknown_names
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.parsed import notices_of


def relevance(question: Asked) -> RelevanceCriteria:
    """Return in a sentence per mode what makes a drug relevant."""
    parsed, scope = question.query, question.scope
    parts = [
        ("acts on ", [target.text for target in parsed.targets], " or "),
        ("shares a target with ", [drug.label for drug in parsed.drugs], " or "),
        ("is a ", list(parsed.modalities), " or "),
        ("is not a ", list(parsed.not_modalities), " or "),
        ("has a program in ", [scope.label] if scope.label else [], ", "),
    ]
    phrases = [f"{words}{joint.join(names)}" for words, names, joint in parts if names]
    core = " and ".join(phrases) or "has a record with the words of the query (low relevance)"
    return RelevanceCriteria(
        clinical=f"A drug that {core}; drugs with active trials and later phases come first.",
        preclinical=f"A drug that {core}; preclinical and discovery assets come first.",
    )


def unclear(question: Asked, request: CompetitiveLandscapingRequest) -> Iterator[str]:
    """Yield what was not understood of a request, or narrows nothing."""
    yield from map(unmark, notices_of(question.query))
    yield from _of_names(question)
    for area in (area for areas in question.scope.areas for area in areas):
        kinds = len(area.keys) - 1
        if kinds > 0:
            noun = "subtype" if kinds == 1 else "subtypes"
            yield (
                f"kinds_counted: programs in {area.label} and its {kinds:,} {noun} count; trials "
                "registered under a broader disease do not."
            )
    if question.scope.words:
        yield (
            f"indication_unknown: {_quote(question.scope.words)} is no disease known here; "
            "programs are kept whose indication has these words."
        )
    if question.query.lines:
        yield (
            f"line_not_filtered: {', '.join(question.query.lines)} chooses figures; records rarely "
            "say the line of a program, so that it leaves out no drug."
        )
    described = question.described
    if described is not None and not described.names_something and not described.modalities:
        yield (
            "candidate_not_understood: the description names no known target, drug, disease or "
            "kind of drug; the memo cannot be written against it."
        )
    if request.skip_drug_cache:
        yield "no_drug_cache: nothing is cached per drug between runs; every drug was read again."


def warn_of_wider(drugs: Sequence[Ranked]) -> Iterator[str]:
    """Say how many drugs are shown for a use wider than the disease asked for."""
    wider = sum(drug.match == "wider" for drug in drugs)
    if wider:
        drug = "1 drug is" if wider == 1 else f"{wider:,} drugs are"
        yield (
            f"wider_use: {drug} approved, with a listed use that is broader than the requested "
            "disease; the label itself may name a narrower one, so check it."
        )


def _of_names(question: Asked) -> Iterator[str]:
    query = question.query
    if unknown := unknown_names(question.scope):
        yield (
            f"no_match: {_quote(unknown)} is no target, drug or disease known here, so nothing was "
            "selected; correct the name or leave it out."
        )
        return
    if query.names_something:
        if query.words:
            yield f"not_understood: {_quote(query.words)} narrowed nothing."
        return
    if query.modalities:
        yield (
            f"kind_alone: no target, drug or disease is named; drugs of this type "
            f"{', '.join(query.modalities)} are those of the curators' table, and none where it "
            "has too many of them to look at."
        )
        return
    hint = (
        f"; nearest known names: {', '.join(map(unmark, question.nearest))}"
        if question.nearest
        else ""
    )
    words = _quote(query.words) or "the query"
    yield (
        f"no_match: {words} is no target, drug or disease known here, so that only the words of "
        f"records were searched and relevance is low{hint}."
    )


def _quote(words: Sequence[str]) -> str:
    return ", ".join(f"“{unmark(word)}”" for word in words[:12])
