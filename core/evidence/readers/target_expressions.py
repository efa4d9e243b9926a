"""Reads what a text says drugs act on: "PD-1xVEGF", "CLDN18.2", "GLP-1 agonists", "EGFR".

The table of expressions comes first, then symbols and names of genes. A marker of the patients
("HER2-positive", "EGFR-mutant") is no target, and a symbol that is also a plain word (MET, C5)
counts only where a word such as "inhibitor" stands beside it.

Drug and target must stand side by side, with nothing between them but words that describe a
drug; a target that only marks the patients, or that belongs to another drug, links nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from core.evidence.names.identity.drug_names import clean_label, readings
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import (
    TargetNames,
    beginnings,
    both,
    rows_by_alias,
    split_glued,
    target_names,
)
from core.records.names import fold_name
from core.records.programs import TargetExpression

LONGEST_RUN = 9
"""Words of the longest name that is looked for."""
LONGEST_TEXT = 4_000
CLASS_WORD = re.compile(
    r"(?:inhibit\w*|antagonis\w*|agonis\w*|co-?agonis\w*|antibod\w*|mabs?|blocker\w*|blockade|"
    r"blocking|adcs?|conjugates?|degraders?|protacs?|modulator\w*|engagers?|bispecifics?|"
    r"trispecifics?|tkis?|stimulators?|activators?|potentiators?|correctors?|directed|target\w*|"
    r"binding|binders?|nanobod\w*|sirna|rnai|antisense|oligonucleotides?|cars?|chimeric|"
    r"mimetics?|analog(?:ue)?s?|ligands?|traps?|vaccines?|radioligands?|suppress\w*|"
    r"neutrali[sz]\w*|depleting|receptors?|pathway)",
    re.IGNORECASE,
)
MARKER = re.compile(
    r"(?:\+(?![\w\s]*x\b)|\(\+\)|[\s-]*(?:positive|negative|mutant|mutated|mutations?|mutat\w*|"
    r"amplifi\w*|over-?express\w*|express(?:ing|ion)|altered|alterations?|rearrang\w*|fusion"
    r"(?!\s+protein)|deficien\w*|low\b|high\b|ultra-?low|status|wild[- ]?type|skipping|"
    r"delet\w*|translocat\w*|resistan\w*|refractory|na[iï]ve|exposed|pre-?treated|failures?))",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_ENDS = frozenset(
    {"excluding", "without", "except", "not", "no", "other", "besides", "outside", "in", "for"}
)
"""Words after which a class of drugs is said of something else."""
_GAP = re.compile(r"(?!\.\s|,\s|;|:\s)\s?[-\u2010-\u2015./'\u2019()+,]{0,2}\s?")
_JOINED = re.compile(r"\s*(?:[x\u00d7/]|\bx\b)\s*(?:anti-?)?", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?:,|and|&|-|\+|,\s*and)\s*(?:anti-?)?", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\b(?:bi-?specific|tri-?specific|dual|triple|tri-?agonist|co-?agonist)", re.IGNORECASE
)
_BEFORE = re.compile(
    r"(?:\banti-?\s?|\bc-|\btarget(?:s|ing|ed)?(?:\sto|\sat)?\s|\bagainst\s)$", re.I
)
_MODALITIES = frozenset({"cart", "adc", "adcs", "car", "cars", "tce", "mab", "rna", "cell"})
_SYMBOL = re.compile(r"[A-Z][A-Za-z]{0,2}[A-Z0-9][A-Za-z0-9]*")


@dataclass(frozen=True, slots=True)
class Said:
    """A target where a text names it.

    Attributes:
        start: First character in the text read.
        end: One past the last.
        target: What is named.
        is_marker: Whether it tells the patients ("HER2-positive") instead of the drug.
    """

    start: int
    end: int
    target: TargetExpression
    is_marker: bool = False


def read_targets(text: str, resolver: Resolver) -> tuple[list[TargetExpression], str]:
    """Return the targets that a question names, and the words left over.

    Args:
        text: The question; at most 4,000 characters are read.
        resolver: Knows genes, and tells them from diseases and drugs of the same name.
    """
    read = split_glued(text[:LONGEST_TEXT])
    targets = list(find_targets(read, target_names(resolver)))
    targets = join_targets(
        sorted([*targets, *_find_genes(read, targets, resolver)], key=lambda target: target.start),
        read,
    )
    chosen = [target for target in targets if not target.is_marker]
    chosen = chosen or [target for target in targets if target.target.variant]
    left = read
    for named_target in reversed(chosen):
        left = f"{left[: named_target.start]} {left[named_target.end :]}"
    distinct = {named_target.target.text: named_target.target for named_target in chosen}
    return list(distinct.values()), re.sub(r"\s+", " ", left).strip(" -/,)")


def read_mechanism(text: str, names: TargetNames) -> list[TargetExpression]:
    """Return the targets that a record's words for a mechanism name, without gene symbols."""
    read = split_glued(text[:LONGEST_TEXT])
    targets = join_targets(list(find_targets(read, names, is_mechanism=True)), read)
    return list(
        {target.target.text: target.target for target in targets if not target.is_marker}.values()
    )


def find_joined(
    text: str, names: TargetNames, further: Mapping[str, TargetExpression] | None = None
) -> list[Said]:
    """Return the targets that a text names, what stands together as one."""
    return join_targets(list(find_targets(text, names, further)), text)


def find_targets(
    text: str,
    names: TargetNames,
    further: Mapping[str, TargetExpression] | None = None,
    *,
    is_mechanism: bool = False,
) -> Iterator[Said]:
    """Yield the expressions of the table where a text names them, the longest name first.

    Args:
        text: Text as `split_glued` gives it.
        names: The table's expressions.
        further: More expressions by folded name, for genes that the table lacks.
        is_mechanism: Whether the whole text speaks of a mechanism, so that no further word is
            needed beside a symbol.
    """
    rows = rows_by_alias()
    words = list(_WORD.finditer(text))
    known_starts = beginnings(tuple(further or ()))
    position = 0
    while position < len(words):
        for last, folded in reversed(list(_runs(text, words, position, known_starts))):
            row = rows.get(folded) or rows.get(folded.removesuffix("s"))
            target = names.of_row(row) if row else (further or {}).get(folded)
            if target is None:
                continue
            start, end = words[position].start(), words[last].end()
            is_plain = row is not None and folded in row.ambiguous and not is_mechanism
            if is_plain and not has_class(text, start, end):
                continue
            yield Said(start, end, target, MARKER.match(text, end) is not None)
            position = last
            break
        position += 1


def _runs(
    text: str,
    words: Sequence[re.Match[str]],
    start: int,
    known_starts: frozenset[str] | None = None,
) -> Iterator[tuple[int, str]]:
    """Yield the last word and the folded form of each run of words from a place.

    Args:
        text: The text.
        words: Its words.
        start: First word.
        known_starts: What names may begin with, so that no run beyond that is made; None: all runs.
    """
    folded = ""
    for last in range(start, min(start + LONGEST_RUN, len(words))):
        if last > start and not _GAP.fullmatch(text, words[last - 1].end(), words[last].start()):
            return
        folded += fold_name(words[last][0])
        if folded and known_starts is not None and folded not in known_starts:
            return
        yield last, folded


def has_class(text: str, start: int, end: int) -> bool:
    """Return whether words beside a symbol say that a drug acts on it."""
    if _BEFORE.search(text[max(0, start - 16) : start]) or text.strip() == text[start:end]:
        return True
    beside = text[end : end + 2].strip()[:1] + text[max(0, start - 2) : start].strip()[-1:]
    if set(beside) & set("/x\u00d7"):
        return True
    following = _WORD.findall(text[end : end + 40])[:3]
    near = takewhile(lambda word: word.casefold() not in _ENDS, following)
    return any(CLASS_WORD.fullmatch(word) for word in near)


def join_targets(named_targets: list[Said], text: str) -> list[Said]:
    """Return what stands together as one: "PD-1 x VEGF", "GIP/GLP-1", "dual CD19 and CD22"."""
    several = _SEVERAL.search(text) is not None
    joined: list[Said] = []
    for target in named_targets:
        before = joined[-1] if joined else None
        if before and not target.is_marker and not before.is_marker:
            between = text[before.end : target.start]
            if _JOINED.fullmatch(between) or (several and _LISTED.fullmatch(between)):
                joined[-1] = Said(before.start, target.end, both(before.target, target.target))
                continue
        joined.append(target)
    return joined


def _find_genes(text: str, known_named_targets: Sequence[Said], resolver: Resolver) -> list[Said]:
    """Return genes that the table lacks, by symbol or name."""
    words = [
        word
        for word in _WORD.finditer(text)
        if not any(
            known_named_target.start <= word.start() < known_named_target.end
            for known_named_target in known_named_targets
        )
    ]
    runs = {
        (index, last): folded
        for index in range(len(words))
        for last, folded in _runs(text, words, index)
        if len(folded) > 1 and folded not in rows_by_alias()  # the table has had its say
    }
    names = resolver.identity.lookup("target", sorted(set(runs.values())))
    taken: list[Said] = []
    for (first_word, last), folded in sorted(runs.items(), key=lambda run: run[0][0] - run[0][1]):
        start, end = words[first_word].start(), words[last].end()
        if (
            folded not in names
            or folded in _MODALITIES
            or any(named_target.start < end and start < named_target.end for named_target in taken)
        ):
            continue
        match = resolver.resolve("target", text[start:end])
        if match.key and _is_gene(text, (start, end), resolver):
            target = target_names(resolver).of_gene(match.key, match.label)
            taken.append(Said(start, end, target, MARKER.match(text, end) is not None))
    return taken


def _is_gene(text: str, span: tuple[int, int], resolver: Resolver) -> bool:
    """Return whether a name that a gene has is meant as one here."""
    start, end = span
    text_of_gene = text[start:end]
    if " " in text_of_gene and len(text_of_gene) > 10:
        return resolver.resolve("disease", text_of_gene).status == "unresolved"
    if not _SYMBOL.fullmatch(text_of_gene.replace("-", "")):
        return False
    has_cue = has_class(text, start, end)
    if (
        resolver.resolve("disease", text_of_gene).status != "unresolved"
        and text.strip() != text_of_gene
    ):
        return has_cue
    if not any(letter.isdigit() for letter in text_of_gene) and len(text_of_gene) < 4:
        return has_cue
    return resolver.resolve("drug", text_of_gene).status == "unresolved" or has_cue


_DESCRIBES_TEXT = r"""
a|an|the|is|are|as|of|to|that|which|by|its|novel|new|oral|orally|potent|selective|
highly|first|in|class|best|next|generation|second|third|humani[sz]ed|fully|human|recombinant|
investigational|monoclonal|antibod(?:y|ies)|drug|conjugates?|against|target(?:s|ing|ed)?|directed|
inhibit(?:s|ing)?|block(?:s|ing)?|binds?|binding|anti|dual|bi-?specific|tri-?specific|small|
molecule|irreversible|reversible|covalent|long|acting|once|twice|daily|weekly|inhibitors?|agonists?|
antagonists?|engagers?|t|cells?|car|cart|chimeric|antigen|receptors?|modified|engineered|autologous|
allogeneic|product|injections?|tablets?|capsules?|for|igg\d?|fc|optimi[sz]ed|fusion|proteins?|adc|
mab|immunotherapy|immune|checkpoint|blocker|tyrosine|kinase|tki|pan|mutant|wild|type|brain|
penetrant|cns|antisense|oligonucleotide|sirna|rnai|interference|therapeutic|therapy|agent|
degrader|protac|modulator|stimulator|activator|radioligand|peptide|analog(?:ue)?|subcutaneous(?:ly)?|
intravenous(?:ly)?|administered|codrituximab|named|called|code|i\.e\.|e\.g\.|known|specific|
high|affinity|heavy|light|chain|single|domain|nanobody|vhh|biosimilar|candidate|compound|
neutrali[sz]ing|depleting|cytotoxic|topoisomerase|based|payload|pathway|signal(?:ing|ling)?|
transduction|vaccine|gene|replacement|enzyme|liposomal|pegylated|pd|xl|mimetic|trap|ligand
"""
_DESCRIBES = re.compile(rf"(?:{_DESCRIBES_TEXT.replace(chr(10), '')})", re.IGNORECASE)
_TOKENS = re.compile(r"[^\W_]+|[^\w\s]")
_SIGNS = frozenset("-\u2010\u2011\u2012\u2013\u2014()[],:'\"/\u2122\u00ae\u2019.")
_PLURAL_KINDS = re.compile(
    r"\s*(?:inhibitors|agonists|antagonists|blockers|antibodies|activators|modulators)\b", re.I
)
MOST_BETWEEN = 14
"""Words and signs that may stand between a drug and its target."""


@dataclass(frozen=True, slots=True)
class Worded:
    """A drug and a target side by side.

    Attributes:
        label: The drug's label in the record.
        target: The target.
        words: The words from the one to the other, which tell the mechanism.
    """

    label: str
    target: TargetExpression
    words: str


def read_links(
    text: str,
    labels: Mapping[str, Sequence[str]],
    names: TargetNames,
    further: Mapping[str, TargetExpression],
) -> Iterator[Worded]:
    """Yield the drugs that a text puts beside a target."""
    read = split_glued(text)
    named_targets = [
        named_target
        for named_target in find_joined(read, names, further)
        if not named_target.is_marker
    ]
    if not named_targets:
        return
    plain = read.casefold()
    places = [
        (match.start(), match.end(), label)
        for label, spellings in labels.items()
        if (
            matching := [spelling for spelling in spellings if spelling.casefold() in plain]
        )  # few are
        for match in _pattern(matching).finditer(read)
    ]
    for start, end, label in places:
        others = [entry for entry in places if entry[2] != label]
        for target in named_targets:
            words = _beside(read, (start, end), target, others)
            if words:
                yield Worded(label, target.target, words)


def _pattern(spellings: Sequence[str]) -> re.Pattern[str]:
    joined = "|".join(re.escape(spelling) for spelling in sorted(spellings, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{joined})(?!\w)", re.IGNORECASE)


def _beside(
    text: str, drug: tuple[int, int], named_target: Said, others: Sequence[tuple[int, int, str]]
) -> str:
    """Return the words from drug to target where only a description stands between; else ""."""
    start, end = drug
    after = named_target.start >= end
    between = text[end : named_target.start] if after else text[named_target.end : start]
    overlaps = start < named_target.end and named_target.start < end
    is_parted = any(
        min(end, named_target.end) <= other[0] < max(start, named_target.start) for other in others
    )
    if overlaps or is_parted or not _describes(between, after=after):
        return ""
    following = (
        re.split(r"[,;()]|\bin\b|\bfor\b", text[named_target.end : named_target.end + 60])[0]
        if after
        else ""
    )
    if after and between.lstrip().startswith(",") and _PLURAL_KINDS.match(following):
        return ""  # "drugoxib, PD-1 inhibitors and chemotherapy" is a list
    around = f"{text[max(0, named_target.start - 12) : named_target.start]} {between} {following}"
    if not any(
        CLASS_WORD.fullmatch(word) or word.lower() == "anti"
        for word in re.findall(r"[^\W_]+", around)
    ):
        return ""
    first, last = (
        (start, named_target.end + len(following))
        if after
        else (_anti(text, named_target.start), end)
    )
    return text[first:last].strip(" ,;:-(")


def _describes(between: str, *, after: bool) -> bool:
    """Return whether words only describe a drug; before a drug a comma ends the description."""
    tokens = _TOKENS.findall(between)
    if between in {"-", "/"}:  # "metformin-GLP-1 agonist" gives both
        return False
    if len(tokens) > MOST_BETWEEN or ". " in between or ";" in between:
        return False
    if not after and "," in tokens:
        return False
    if after and tokens[:1] == ["to"]:  # "addition of one drug to anti-CD19 cells" gives both
        return False
    return all(token in _SIGNS or _DESCRIBES.fullmatch(token) for token in tokens)


def _anti(text: str, start: int) -> int:
    match = re.search(r"\banti-?\s?$", text[max(0, start - 6) : start], re.IGNORECASE)
    return start - len(match[0]) if match else start


def spellings(label: str, further: Sequence[str] = ()) -> list[str]:
    """Return how a text may write the drug of a label.

    Args:
        label: The label.
        further: A code in it and other names of the drug.
    """
    all_spellings = [*further, *(reading for reading, _ in readings(label)), clean_label(label)]
    return list(dict.fromkeys(spelling for spelling in all_spellings if len(spelling) > 2))
