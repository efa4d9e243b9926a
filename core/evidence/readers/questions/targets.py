"""Targets of a question: what the table of targets has, and symbols and names of genes.

A symbol that is also a word or a disease (MET, AR, ALS) is read by its neighbors: "inhibitors" and
"anti-" make a gene of it, "patients" and "in" a disease; alone it is what analysts mean mostly.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import TargetNames, rows_by_alias, rows_by_name, target_names
from core.evidence.readers.disease_phrases import PLAIN_WORDS, first_words, own_words
from core.evidence.readers.questions.parsed import WORD, Change, Sheet, is_earlier
from core.evidence.readers.target_expressions import (
    MARKER,
    Said,
    find_targets,
    has_class,
    join_targets,
)
from core.records.names import fold_name
from core.records.programs import TargetExpression
from core.vocabulary.class_words import load_class_words
from core.vocabulary.query_words import spellings
from core.vocabulary.target_axes import load_axes

LONGEST_CLASS = 3
"""Words of the longest word for a class."""
LONGEST_NAME = 8
"""Words of the longest name of a gene."""
SHORT_QUESTION = 6
"""Words of a question in which a symbol in small letters is no word of speech."""
LONG_NAME = 10
LEAST_LETTERS = 5
"""Of a name in small letters that only the table's own column gives."""
SHORTEST_SYMBOL = 3
"""Signs of a symbol that needs no word next to it in a long question."""
LONG_WORD = 8
"""Letters of a word in small letters that is a gene's name and no word of speech."""
_NOT_AFTER = frozenset({"patients", "disease", "syndrome", "treatment", "treatments"})
_NO_GENE = re.compile(r"[ivx]+|cart|adcs?|cars?|tce|mab|rna|cells?")
"""Numbers and words of methods that are also aliases of genes."""


def find_long_targets(text: str, resolver: Resolver) -> list[tuple[int, int]]:
    """Return the places of targets of several words, of which no part names something else.

    So "growth hormone receptor" names no hormone, and "SARS-CoV-2 spike" no infection.
    """
    said = find_targets(text, target_names(resolver), symbols(resolver), is_mechanism=True)
    return [(each.start, each.end) for each in said if " " in text[each.start : each.end]]


def take_targets(sheet: Sheet, resolver: Resolver) -> tuple[list[TargetExpression], list[str]]:
    """Mark the targets of a question; return them, and what they say of the patients instead."""
    names = target_names(resolver)
    targets = [
        target
        for target in find_targets(sheet.text, names, symbols(resolver), is_mechanism=True)
        if sheet.is_free(target.start, target.end) and _is_target(sheet, target)
    ]
    classes, targets = _take_classes(sheet, names, targets)
    targets += _genes(sheet, targets, resolver, names)
    joined = join_targets(sorted(targets, key=lambda target: target.start), sheet.text)
    earlier = [
        named_target
        for named_target in joined
        if is_earlier(sheet, named_target.start, named_target.end)
    ]
    for named_target in earlier:
        sheet.take(
            named_target.start,
            named_target.end,
            "population",
            f"after {sheet.text[named_target.start : named_target.end]}",
        )
    joined = [named_target for named_target in joined if named_target not in earlier]
    chosen = [named_target for named_target in joined if not named_target.is_marker]
    chosen = chosen or [named_target for named_target in joined if named_target.target.variant]
    markers: list[str] = []
    for named_target in joined:
        if named_target in chosen:
            sheet.take(named_target.start, named_target.end, "target", named_target.target.text)
            continue
        marker = MARKER.match(sheet.text, named_target.end)
        if marker is not None:
            markers.append(sheet.text[named_target.start : marker.end()])
            sheet.take(named_target.start, marker.end(), "biomarker", markers[-1])
    all_targets = [*classes, *(named_target.target for named_target in chosen)]
    return list({target.text: target for target in all_targets}.values()), markers


def _take_classes(
    sheet: Sheet, names: TargetNames, named_targets: list[Said]
) -> tuple[list[TargetExpression], list[Said]]:
    """Mark the classes of drugs that a question names; return what they act on, and the rest.

    The longer name counts: "cardiac myosin" before "myosin", "checkpoint inhibitors" as a whole.
    """
    targets: list[TargetExpression] = []
    for start, end, word in sheet.runs(LONGEST_CLASS):
        expressions = load_class_words().get(fold_name(word), ())
        if not expressions:
            continue
        over = [target for target in named_targets if target.start < end and start < target.end]
        is_longest = all(
            named_target.end - named_target.start <= end - start for named_target in over
        )
        following = sheet.text[end : end + 1] == " " and any(
            x.start == end + 1 for x in named_targets
        )
        if is_longest and not following and sheet.is_free(start, end):
            known_targets = [names.of_text(expression) for expression in expressions]
            targets += [target for target in known_targets if target is not None]
            named_targets = [target for target in named_targets if target not in over]
            sheet.take(start, end, "target", ", ".join(expressions))
    return targets, named_targets


@lru_cache(maxsize=4)
def symbols(resolver: Resolver) -> Mapping[str, TargetExpression]:
    """Return the expressions of the genes of the table of targets by folded symbol."""
    return target_names(resolver).by_symbol()


def names_target(text: str, *, is_whole: bool = False) -> bool:
    """Return whether a text begins with a name of the table of targets, or is one as a whole."""
    first = WORD.search(text)
    named_text = text if is_whole or first is None else first[0]
    return fold_name(named_text) in rows_by_alias()


def targets_of_markers(sheet: Sheet, resolver: Resolver) -> list[TargetExpression]:
    """Return the targets that markers of patients name, where a question names nothing else."""
    targets: dict[str, TargetExpression] = {}
    for piece in sheet.pieces:
        first = WORD.search(piece.said)
        if piece.became == "biomarker" and first is not None:
            row = rows_by_alias().get(fold_name(first[0]))
            target = target_names(resolver).of_row(row) if row else None
            target = target or symbols(resolver).get(fold_name(first[0]))
            if target is not None:
                targets[target.text] = target
    return list(targets.values())


def other_readings(sheet: Sheet, resolver: Resolver) -> list[Change]:
    """Return what else the names of one word may mean: a gene for a disease, and the reverse.

    Where words beside a name say which it is, nothing is in doubt.
    """
    changes: list[Change] = []
    for piece in sheet.pieces:
        folded, other = fold_name(piece.said), ""
        is_told = is_asked_as_gene(sheet, piece.start, piece.end)
        if piece.became == "disease" and folded in symbols(resolver):
            other = f"{symbols(resolver)[folded].text} (target)"
        if piece.became == "target" and folded in own_words() and not is_told:
            other = f"{resolver.resolve('disease', piece.said).label} (disease)"
        if other:
            changes.append(Change(piece.said, other, "ambiguous"))
    return changes


def adjacent_to(targets: list[TargetExpression], resolver: Resolver) -> list[TargetExpression]:
    """Return the other ends of the axes of targets: the receptor of a ligand, and the reverse."""
    texts = {target.text for target in targets}
    other = dict.fromkeys(name for text in sorted(texts) for name in load_axes().get(text, ()))
    neighbors = [target_names(resolver).of_text(name) for name in other if name not in texts]
    return [target for target in neighbors if target is not None]


def is_asked_as_gene(sheet: Sheet, start: int, end: int) -> bool:
    """Return whether words beside a name say that drugs act on it."""
    return has_class(f"{sheet.text} |", start, end)


def _is_target(sheet: Sheet, named_target: Said) -> bool:
    """Return whether a name of the table is meant as a target here."""
    text = sheet.text[named_target.start : named_target.end]
    folded = fold_name(text)
    is_speech = " " in text and all(fold_name(word) in spellings() for word in text.split())
    is_disease = folded in first_words() and not (
        folded in rows_by_name()
        and (_is_gene_before_disease(sheet, named_target) or _is_spelled_as_target(text))
    )
    if is_speech or is_disease:
        return False  # "I do not want" is no IDO
    if has_class(sheet.text, named_target.start, named_target.end):
        return True
    if len(folded) < SHORTEST_SYMBOL and not _is_short(sheet):
        return False  # "F2" of a long question is a degree of fibrosis
    row = rows_by_name().get(folded) or rows_by_name().get(folded.removesuffix("s"))
    is_plain = row is not None and folded in row.ambiguous
    is_own_alone = len(text) < LEAST_LETTERS and folded in rows_by_name().keys() - rows_by_alias()
    if text.islower() and (is_own_alone or text in PLAIN_WORDS or folded in spellings()):
        return False  # "a bet on oncology" is no BET
    has_digit = any(sign.isdigit() for sign in text)
    if is_plain:
        is_short_name = _is_short(sheet) and (has_digit or len(text) <= 5)
        return " " in text or text.isupper() or is_short_name
    return not text.islower() or has_digit or row is not None or len(text) > 4 or _is_short(sheet)


def _is_spelled_as_target(text: str) -> bool:
    """Return whether a name in small and large letters is written as the table does: "IgE"."""
    row = rows_by_name().get(fold_name(text))
    is_mixed = not (text.isupper() or text.islower() or text.istitle())
    return is_mixed and row is not None and text in {row.expression, *row.aliases}


def _is_gene_before_disease(sheet: Sheet, named_target: Said) -> bool:
    """Return whether a word that is also a disease's is meant as a gene."""
    return is_asked_as_gene(sheet, named_target.start, named_target.end) and not (
        set(sheet.before(named_target.start)) & {"in", "for"}
        or set(sheet.after(named_target.end)) & _NOT_AFTER
    )


def _is_short(sheet: Sheet) -> bool:
    return len(sheet.words) <= SHORT_QUESTION


def _genes(
    sheet: Sheet, known_named_targets: list[Said], resolver: Resolver, names: TargetNames
) -> list[Said]:
    """Return genes that the table lacks, by symbol or name."""
    covered = {
        index
        for known_named_target in known_named_targets
        for index in range(known_named_target.start, known_named_target.end)
    }
    runs = [
        (start, end, text)
        for start, end, text in sheet.runs(LONGEST_NAME)
        if covered.isdisjoint(range(start, end))
        and (folded := fold_name(text)) not in rows_by_alias()
        and len(folded) > 1
        and not folded.isdigit()
        and not _NO_GENE.fullmatch(folded)
        and folded not in spellings()
        and text.casefold() not in PLAIN_WORDS
    ]
    names_by_text = resolver.identity.lookup(
        "target", sorted({fold_name(text) for _, _, text in runs})
    )
    taken: list[Said] = []
    for start, end, text in runs:
        official = [name for name in names_by_text.get(fold_name(text), ()) if name.level == 1]
        if fold_name(text) not in names_by_text or any(
            x.start < end and start < x.end for x in taken
        ):
            continue
        match = resolver.resolve("target", text)
        if match.key and _is_gene(sheet, (start, end), resolver, is_official=bool(official)):
            target = names.of_gene(match.key, match.label)
            is_marker = MARKER.match(sheet.text, end) is not None
            taken.append(Said(start, end, target, is_marker))
    return taken


def _is_gene(sheet: Sheet, span: tuple[int, int], resolver: Resolver, *, is_official: bool) -> bool:
    """Return whether a name that a gene has is meant as one here."""
    text = sheet.text[span[0] : span[1]]
    if " " in text:
        return len(text) > LONG_NAME and resolver.resolve("disease", text).status == "unresolved"
    has_cue = is_asked_as_gene(sheet, *span)
    folded = fold_name(text)
    if folded in first_words() or resolver.resolve("disease", text).status != "unresolved":
        return has_cue and not set(sheet.before(span[0])) & {"in", "for"}
    has_digit = any(sign.isdigit() for sign in text)
    if len(folded) < SHORTEST_SYMBOL and not has_cue and not _is_short(sheet):
        return False
    if has_cue:
        return is_official or text.isupper() or has_digit
    if text.islower():
        return (is_official and has_digit) or len(text) >= LONG_WORD
    is_symbol = sum(sign.isupper() for sign in text) > 1 or has_digit
    is_shouted = sheet.text.isupper() and not _is_short(sheet)
    return is_symbol and (has_digit or len(text) > 3) and (is_official or not is_shouted)
