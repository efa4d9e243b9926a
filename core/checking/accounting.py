"""Accounts for every word of a clause: what no statement read may change what it means.

A statement says which characters it read. Whatever else stands in its clause is neutral, or it is
unread: then the statement is not all that the sentence says, and no correction is safe.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from core.checking.assertions import Assertion
from core.checking.clauses import Clause
from core.checking.results import CheckedAssertion

_NEUTRAL_WORDS = """
    a an the this that these those it its itself which who whose there
    and or as also both each all any
    is are was were be been being has have had does do did
    of in on at by to for from with into under per within through via among about around
    approximately since so then where when during
    drug drugs agent agents medicine medicines product products compound molecule treatment
    treatments treating treat treats treated therapy therapies use uses indication indications
    indicated patient patients people subjects participants individuals person persons
    disease diseases condition conditions
    trial trials study studies clinical test tests tested testing studied investigated evaluated
    company companies agency agencies regulator regulators authority
    according currently now today year month day date dated announced
    """
_NEUTRAL = frozenset(_NEUTRAL_WORDS.split())
"""Words that leave what a clause states as it is."""
_FRAME = re.compile(
    r"\[\d+\](?!\w)|https?://\S+|[*\u2022\u201c\u201d]|\bas of today\b|"
    r"\(?\bcurator-entered(?:, not yet verified)?\)?|\bnot confirmed by a source that can be "
    r"looked up|\bHighest stage:|\bOwner:|\bAsset[.:]|\bComparable deals\.|\bNext catalyst:|"
    r"\b(?:regulatory|trial|approval)[_ ](?:notice|registration|package)\b|"
    r"\(estimated\)|, application\b|"
    r"\bTo beat in\b|\bthe lowest found for\b|\b(?:first )?primary completion\b|"
    r"\bpossible in-licensing target|\bno licensee found\b|\bnot found to have been licensed\b|"
    r"\bits result is not given\b|\bwas found(?: and)?|\bis relevant\b|\bPopulation:|"
    r"\ball patients\b|"
    r"\b(?:US )?Food and Drug Administration(?=\s*\()|\b(?:NDA|BLA|sNDA|sBLA)\b",
    re.IGNORECASE,
)
"""Phrases of our own reports, numbers of sources, and forms of address."""
_OPERATOR = re.compile(
    r"\?|\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|\w+n't|"
    r"unlike|except\w*|exclu\w+|instead|rather|than|besides|despite|although|though|whereas|while|"
    r"but|however|unless|if|whether|until|till|before|after|between|prior|early|earlier|late|later|"
    r"mid|half|once|formerly|previously|again|still|yet|already|soon|follow(?:ed|s|ing)|"
    r"by(?=\s+(?:(?:early|late|mid)\W)?(?:\w+\s)?(?:19|20)\d\d)|years?\s+(?:ago|old)|1[89]\d0s|20\d0s|"
    r"almost|nearly|narrowly|barely|hardly|far|partly|partial\w*|"
    r"more|less|fewer|over|above|below|exceed\w*|least|most|maximum|minimum|up\s+to|"
    r"only|sole\w*|first|second|third|last|best|exclusive\w*|alone|dual|triple|selective\w*|"
    r"mono\w*|combin\w+|plus|together|added|adjunct|add-on|respectively|"
    r"may|might|could|would|should|will|seek\w*|sought|plan\w*|expect\w*|pending|await\w*|"
    r"refus\w+|withh\w+|den(?:y|ied|ies)|declin\w+|reject\w*|terminat\w+|amend\w+|withdr\w+|"
    r"revok\w+|fail\w*|miss(?:ed|es)|collaps\w+|returned|discontinu\w+|halted|suspend\w+|stopped|"
    r"turned\s+down|lost|lapsed|rescind\w+|"
    r"generic|biosimilars?|reference|emergency|accelerated|conditional\w*|tentative\w*|full\w*)\b",
    re.IGNORECASE,
)
"""Words that turn a statement round, bound it, or make it one of some time, condition or rank."""
_WORD = re.compile(r"[^\W_](?:(?:[\w'\u2019+./-]|,(?=\d))*\w)?|[%\u20ac$\u00a3?<>\u2264\u2265]")
_NAME = re.compile(
    r"^\W*[a-z][\w-]* \((?P<owner>[A-Z][\w .&-]*)\)|\bby (?P<first>[A-Z][\w.&-]*) and [A-Z]"
)
"""A company that is not known by name, behind a drug of our reports or next to another company."""
_GENE_STATE = re.compile(
    r"(?P<gene>[A-Z][\w-]*?)[- ](?:mutated|mutant|mutations?|positive|altered)"
)


def account(
    clause: Clause,
    assertions: Sequence[Assertion],
    judged: Sequence[CheckedAssertion],
    genes: Collection[str] = (),
) -> Iterator[CheckedAssertion]:
    """Yield the verdicts that stand with all words of a clause, and what of it was not read.

    Args:
        clause: The clause.
        assertions: The statements that were read in it.
        judged: Their verdicts, in the same order.
        genes: The only targets of the drugs, whose patients are those with the gene's mutation.
    """
    compared = [x for x in judged if x.verdict in {"supported", "differs", "older"}]
    runs = list(_unread(clause, assertions, compared))
    states = {run: _GENE_STATE.fullmatch(run) for run in runs}
    runs = [run for run, state in states.items() if not (state and state["gene"] in genes)]
    named = {match[match.lastgroup or 0] for match in _NAME.finditer(clause.text)}
    blocking = [run for run in runs if run not in named]
    operators = [match[0] for run in runs for match in _OPERATOR.finditer(run)]
    if clause.text.rstrip().endswith("?"):
        operators.append("?")
    for checked in judged:
        if checked.verdict not in {"supported", "differs", "older"}:
            yield checked
        elif operators:
            yield _unsaid(checked, operators)
        elif blocking and checked.verdict != "supported":
            yield _unsaid(checked, blocking)
        else:
            yield checked
    if runs:
        yield leave_unread(", ".join(dict.fromkeys(runs)))


def leave_unread(words: str) -> CheckedAssertion:
    """Return the words of a clause or the cell of a row that nothing was compared with."""
    return CheckedAssertion(
        kind="remainder",
        subject="",
        stated=words,
        recorded="",
        verdict="not_covered",
        note=f"Not checked: {words}.",
    )


def _unsaid(checked: CheckedAssertion, words: Iterable[str]) -> CheckedAssertion:
    """Return a statement without a verdict: other words may change its meaning."""
    note = f"Not compared: {', '.join(dict.fromkeys(words))} may change what it means."
    update = {"verdict": "not_covered", "recorded": "", "note": note, "source": None}
    return checked.model_copy(update=update)


def _unread(
    clause: Clause, assertions: Sequence[Assertion], compared: Sequence[CheckedAssertion]
) -> Iterator[str]:
    """Yield the runs of words of a clause that no statement and no record covers."""
    is_free = bytearray(b"\1" * len(clause.text))
    for start, end in (*_read_spans(clause, assertions), *_frames(clause)):
        is_free[start:end] = bytes(end - start)
    recorded = " ; ".join(checked.recorded for checked in compared)
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(clause.text, clause.start, clause.end):
        rest = "".join(
            x for x, free in zip(word[0], is_free[word.start() : word.end()], strict=True) if free
        )
        is_read = rest.strip("-./+\u2019'").casefold() in {"", "s"}
        is_new = not is_read and word[0].casefold() not in _NEUTRAL
        gap = clause.text[run[-1].end() : word.start()] if run else ""
        if run and (not is_new or re.search(r"[,;:()]", gap)):
            yield from _not_recorded(clause, run, recorded)
            run = []
        if is_new:
            run.append(word)
    if run:
        yield from _not_recorded(clause, run, recorded)


def _not_recorded(clause: Clause, run: Sequence[re.Match[str]], recorded: str) -> Iterator[str]:
    """Yield the words of a run, unless the record says them, too."""
    words = clause.text[run[0].start() : run[-1].end()]
    if not says(recorded, words):
        yield words


def says(recorded: str, words: str) -> bool:
    """Return whether a record has some words, as they are or with a gene's state in its own form.

    >>> says("adults with EGFR exon 19 deletions", "EGFR-mutated")
    True
    >>> says("non-metastatic prostate cancer", "metastatic")
    False
    """
    if _OPERATOR.search(words) and not re.search(r"\bplus\b|-line\b|relapsed|refractory", words):
        return False
    plain = re.escape(words.casefold().rstrip("s"))
    if re.search(rf"(?<![\w-]){plain}s?(?![\w-])", recorded.casefold()):
        return True
    state = _GENE_STATE.fullmatch(words)
    return (
        state is not None
        and re.search(rf"(?<![\w-]){state['gene']}\b(?!-neg)", recorded) is not None
    )


def _frames(clause: Clause) -> Iterator[tuple[int, int]]:
    for match in _FRAME.finditer(clause.text, clause.start, clause.end):
        yield match.span()


def _read_spans(clause: Clause, assertions: Sequence[Assertion]) -> Iterator[tuple[int, int]]:
    """Yield the places of what the statements are about and of the words they were read from."""
    keys = {x.drug.key for x in assertions if x.drug}
    keys |= {company for x in assertions for company in (*x.companies, *x.beside)}
    keys |= {x.trial for x in assertions if x.trial} | {x.region for x in assertions if x.region}
    for entity in clause.entities:
        if entity.key in keys:
            yield entity.start, entity.end
    for assertion in assertions:
        yield from assertion.spans
        yield from ((x.start, x.end) for x in assertion.diseases)
        if assertion.day is not None and assertion.day.end:
            yield assertion.day.start, assertion.day.end
