"""Running text to assertions: which cue stands next to which thing of a clause."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.checking.amounts import DEAL, find_parties, read_deals, read_figures
from core.checking.assertions import Assertion
from core.checking.clauses import Clause
from core.checking.entities import AGENCIES, EntitySpan
from core.checking.values import DaySpan, StageSpan, find_phases
from core.evidence.names.target_tables import TargetNames, split_glued
from core.evidence.readers.target_expressions import find_joined
from core.records.programs import TargetExpression
from core.vocabulary.query_words import take_words

_APPROVED = re.compile(
    r"\b(?:(?:is|are|was|were|been|be|being|gets?|got|gain(?:s|ed)|receiv(?:es|ed)|w[io]ns?|"
    r"grant(?:s|ed)|obtain(?:s|ed)|first)\s+(?:(?:a|its|FDA|EMA|EU|US|marketing)\s+)*)?"
    r"(?:FDA-)?(?:approv(?:ed|al|als|es)|authori[sz](?:ed|ation)|licensed\s+by\s+(?=the\s+FDA))\b",
    re.IGNORECASE,
)
_NO_APPROVAL = re.compile(
    r"ethic|review board|\bIRB\b|protocol|committee|approved the (?:study|trial)|consent|"
    r"approved (?:tests?|assays?|companion|drugs|therap|treatment|agents|uses|products|medicines|"
    r"indications|labels?)|"
    r"approvals? (?:process|pathway|package|letter|rate)",
    re.IGNORECASE,
)
_AWAITED = re.compile(r"\s+(?:of|for)?\s*(?:is|was)?\s*(?:expected|pending|sought)")
_PAST = re.compile(r"\b(?:was|were|on|in|since)\b")
_NO_USE = re.compile(r"\b(?:after|than|history of|phase)\b", re.IGNORECASE)
_MIXED = re.compile(r"\s?[/+]\s?\w")
_MIXED_BEFORE = re.compile(r"\w\s?[/+]\s?$")
_FIRST = re.compile(
    r"\b(?:(?<!the )first|the first(?=\s+(?:\w+\s+)?approval)|initial(?:ly)?|original(?:ly)?)\s+"
    r"(?:(?:received|granted|got|gained)\s+)?(?:(?:FDA|EMA|EU|US|marketing)[\s-]+)?approv",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\b(?:withdr\w+|revok\w+|lost|lapsed|rescind\w+|no longer|discontinu\w+)\b", re.IGNORECASE
)
_ONE = re.compile(r"(?:is|was|been)\b", re.IGNORECASE)
"""A verb of one thing: drugs listed before it are parts of one product."""
_NOT = re.compile(
    r"\b(?P<word>not|never|no longer|yet to be|isn't|wasn't|neither|nor|without|unapproved|"
    r"lacks?|no)\b(?:\s+\w+){0,3}\s*$",
    re.IGNORECASE,
)
_TENTATIVE = re.compile(
    r"\b(?:may|might|could|would|should|will|expect(?:s|ed)?|potential(?:ly)?|seek(?:s|ing)?|"
    r"submit(?:s|ted)?|filed? for|pending|plan(?:s|ned)?|possib\w+|likely|if|until|unless|hop\w+|"
    r"aim\w*|toward|anticipat\w+|forecast\w*|project(?:s|ed)|await\w*|before|assum\w+|once|"
    r"(?:trial|stud(?:y|ies)|application|submission|filing|request|path\w*|bid)s?\s+(?:\w+\s+)?for|"
    r"support(?:s|ing)?|to be|goal|propos\w+|recommend\w*|under review|appl(?:y|ied|ication))\b",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"\b(?:plus|combin\w+|together|with|versus|vs\.?|compared|against|than|added|followed)\b|[+/]",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"^[\W\d]*(approved|filed|preclinical|phases?\s+[1-4I]+(?:\s?/\s?[2-3I]+)?)\s*:\s",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"(?:\b(?:is|are|was|were|now|currently|remains?|entered|reached|stage:|highest stage:)\s+"
    r"(?:now\s+|currently\s+|still\s+)?(?:in\s+|at\s+|a\s+)?)$",
    re.IGNORECASE,
)
_ACRONYM = re.compile(
    r"\b(?!(?:RECIST|ECOG|NYHA|HbA1c|PASI|EASI|ACR|mRNA|siRNA|COVID|MACE|GLP)\b)"
    r"(?:[A-Z]{4,}[A-Za-z]*|[A-Z][a-z]+[A-Z]+[a-z]*[A-Z]?|IM[a-z]{3,}|[a-z]{4,}[A-Z])"
    r"(?:[- ]?(?:[A-Z][a-z]+)?\d{1,4})?\b"
)
"""Names of trials: KEYNOTE-189, FLAURA2, CheckMate 227, DESTINY-Breast04, IMpower150, monarchE."""
_OF_TRIAL = re.compile(r"^\s*(?:clinical\s+)?(?:trial|stud(?:y|ies)|readout|data|results)\b", re.I)
_USE = re.compile(r"\b(?:in|for|with|of|against|to treat|treating|treat)\b", re.IGNORECASE)
_BY = re.compile(
    r"(?P<now>\b(?:is|are|currently|now|still)\s+(?:not\s+)?(?:currently\s+|now\s+)?)?"
    r"\b(?P<verb>developed|marketed|made|manufactured|owned|sold|discovered|originated|invented|"
    r"held)\s+by\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_FROM = re.compile(r"(?:,|\)|[a-z])\s+(?:from|of)\s+(?:[A-Z][\w&.-]*\s+(?:[A-Z]\w+\s+)?and\s+)?$")
"""What stands before the company from which a drug comes: "an IL-5 antibody from GSK and X"."""
_AND_COMPANY = re.compile(r"(?<=by )(?:[A-Z][\w&.-]*\s+){1,4}(?:and|&)\s+$")
_KIND = re.compile(
    r"(?:\bis|\bwas|,|\bare)\s+(?:also\s+|(?P<denied>not)\s+)?(?:an?|the)\s+(?P<words>(?:[^,;.]|\.(?=\d)){0,90}?"
    r"\b(?:inhibitor|agonist|antagonist|blocker|antibody(?!-drug)|degrader|modulator|activator|conjugate|"
    r"bispecific|ADC|small molecule|radioligand|vaccine|therapy|oligonucleotide|siRNA|protein|"
    r"peptide|T[ -]cells?)\b(?:[^,;.]{0,20}?\b(?:targeting|against|directed (?:at|against)|of|"
    r"binding|that binds)\b(?:[^,;.(]|\.(?=\d)){0,50})?)",
    re.IGNORECASE,
)
_KIND_WORDS = re.compile(
    r"\b(?:inhibitors?|agonists?|antagonists?|blockers?|antibod(?:y|ies)(?:-drug conjugate)?|"
    r"degraders?|modulators?|activators?|targeting|targeted|directed|against|binding|that binds|"
    r"anti(?=-)|kinase|receptor)\b",
    re.IGNORECASE,
)
"""Words of what a drug is that its targets, its kind or its action cover."""
_ACTS = re.compile(
    r"(?P<denied>\b(?:does\s+not|doesn't|do\s+not)\s+)?(?:\b(?:selectively|potently|specifically|"
    r"directly|covalently|irreversibly|also)\s+)*\b(?P<verb>inhibits?|targets?|blocks?|activates?|"
    r"antagoni[sz]es?|agoni[sz]es?|degrades?|binds?(?:\s+to)?|acts?\s+on)\s+(?:the\s+)?(?P<words>[^,;.()]{2,60})",
    re.IGNORECASE,
)
_BEYOND = re.compile(
    r"\b(?:signal\w*|path\w*|cells?|growth|expression|downstream|production|activity|patients?)\b",
    re.IGNORECASE,
)
"""What a drug acts on by way of its targets."""
_SUBJECT = re.compile(r"\s*(?:\([^()]*\))?\s*(?:It|This \w+|The \w+)?\s*")
"""What may stand between a drug and the verb of what it does."""
_TARGET_DATE = re.compile(
    r"\b(?:PDUFA|target action|(?:FDA )?target|goal|action|decision) dates?\b|\bPDUFA\b", re.I
)
_LOE = re.compile(
    r"\b(?:loss of exclusivity|LOE|exclusivity|patents?(?: protection)?)\b[^.;]{0,80}?"
    r"\b(?:expir\w+|ends?|until|through|runs?|lapses?|lost|\(LOE\))\b|\(LOE\)",
    re.IGNORECASE,
)
_BOXED = re.compile(
    r"\b(?:(?:carries|carried)\s+an?\s+)?(?:boxed|black[- ]box) warnings?\b", re.IGNORECASE
)
_OPINION = re.compile(
    r"\b(?:first|only|best|leading|superior|most|highest|lowest|largest|fastest|greatest|unique|"
    r"promising|attractive|strong(?:est|er)?|better|believe|think|view|should|could|expect\w*|"
    r"likely|may|might|will|would|opportunit\w+|recommend\w*)\b",
    re.IGNORECASE,
)


def read_clause(clause: Clause, names: TargetNames) -> Iterator[Assertion]:
    """Yield what a clause states."""
    for assertion in _read(clause, names):
        is_guess = clause.is_weak and not assertion.trial
        yield replace(assertion, is_loose=True) if is_guess else assertion


def _read(clause: Clause, names: TargetNames) -> Iterator[Assertion]:
    if clause.of_kind("trial"):
        yield from _of_trials(clause)
    if not clause.drugs:
        return
    is_list = _LIST.match(clause.words) is not None
    if is_list:
        yield from _of_list(clause)
    else:
        yield from _of_approvals(clause)
        yield from _of_stages(clause, names)
    yield from _of_companies(clause)
    yield from _of_targets(clause, names)
    yield from _of_acts(clause, names)
    yield from read_dates(clause)
    yield from read_figures(clause)
    yield from read_deals(clause)


def is_opinion(text: str) -> bool:
    """Return whether a sentence ranks, expects or recommends instead of telling a fact."""
    return _OPINION.search(text) is not None


def _span(clause: Clause, match: re.Match[str], group: int | str = 0) -> tuple[int, int]:
    """Return where a match within the words of a clause is in its sentence."""
    return clause.start + match.start(group), clause.start + match.end(group)


def _of_list(clause: Clause) -> Iterator[Assertion]:
    """Yield the stage that a list such as "Phase 3: A, B" gives to each drug."""
    match = _LIST.match(clause.words)
    assert match is not None
    phase = next(find_phases(match[1]), None)
    spans = (_span(clause, match),)
    for drug in clause.of_kind("drug"):
        if clause.text[drug.end : drug.end + 2] == " (" and "licensed" in clause.words:
            continue
        if match[1].casefold() == "approved":
            yield Assertion("approval", f"{drug.said}: approved", drug, spans=spans)
        elif phase is not None:
            stated = f"{drug.said}: {phase.said}"
            yield Assertion("stage", stated, drug, stage=phase.stage, is_status=True, spans=spans)


def _nearest(clause: Clause, start: int, end: int) -> tuple[list[EntitySpan], bool]:
    """Return the drugs that a cue is about, and whether more than they may be meant.

    Those right behind the cue count ("approved X"), else the nearest before it with those to which
    a comma or "and" joins it.
    """
    text, drugs = clause.text, list(clause.drugs)
    if clause.is_carried:
        return drugs, False
    mixed = [x for x in drugs if _MIXED.match(text, x.end) or _MIXED_BEFORE.search(text[: x.start])]
    if len({drug.key for drug in mixed}) > 1:
        return [], True  # a product of several drugs is none of them
    behind = [drug for drug in drugs if drug.start >= end]
    before = [drug for drug in drugs if drug.end <= start]
    if behind and behind[0].start - end <= 25:
        between = text[end : behind[0].start]
        if not re.search(r"\b(?:for|in|with|to|by|after|than|over)\b|[,;(:]", between):
            following = text[behind[0].end : behind[0].end + 25]
            return behind[:1], bool(_JOINED.match(following.strip()))
    if not before:
        return behind[:1], len(behind) > 1
    chosen = [before[-1]]
    for drug in reversed(before[:-1]):
        between = text[drug.end : chosen[0].start]
        if not re.fullmatch(r"\s*(?:\([^)]*\))?\s*(?:,|and|,\s*and)\s*", between):
            break
        chosen.insert(0, drug)
    others = {drug.key for drug in before} - {drug.key for drug in chosen}
    window = text[max(clause.start, chosen[0].start - 25) : start]
    return chosen, bool(others) and bool(_JOINED.search(window))


def _of_approvals(clause: Clause) -> Iterator[Assertion]:
    match = next(
        (
            cue
            for cue in _APPROVED.finditer(clause.text, clause.start, clause.end)
            if not _NO_APPROVAL.search(clause.text[max(0, cue.start() - 40) : cue.end() + 30])
        ),
        None,
    )
    if match is None or _ENDED.search(clause.words):
        return
    start, end = match.span()
    drugs, is_loose = _nearest(clause, start, end)
    is_loose = is_loose or (len(drugs) > 1 and _ONE.match(match[0]) is not None)
    before = clause.text[max(clause.start, start - 60) : start]
    denied = _NOT.search(before)
    is_negated = denied is not None or clause.text[end:].lstrip().startswith("not ")
    cues = (*_APPROVED.finditer(clause.text, clause.start, clause.end),)
    spans = [x.span() for x in (*cues, *_FIRST.finditer(clause.text, clause.start, clause.end))]
    if is_negated:
        at, word = max(clause.start, start - 60), denied.span("word") if denied else (0, 0)
        spans.append((at + word[0], at + word[1]) if denied else (end, end + 5))
    spans += [(x.start, x.end) for x in clause.of_kind("region") if x.key in AGENCIES]
    is_tentative = bool(_TENTATIVE.search(before)) and not is_negated
    is_tentative = is_tentative or bool(_AWAITED.match(clause.text[end:]))
    days = [day for day in clause.days() if day.start >= start or day.end >= start - 30]
    uses = _approved_uses(clause, end)
    prevention = re.search(r"prophyla\w+|prevent\w+|pre-exposure|PrEP", clause.words, re.I)
    for drug in drugs:
        approval = Assertion(
            "approval",
            f"{drug.said} {'not approved' if is_negated else 'approved'}",
            drug,
            diseases=uses,
            is_negated=is_negated,
            is_status=is_negated and not uses and not clause.days(),
            spans=tuple(spans),
            words=prevention[0] if prevention else "",
            is_tentative=is_tentative,
            is_past=bool(_PAST.search(match[0])) or bool(days),
            is_loose=is_loose or len(uses) > 1,
        )
        yield from _parts_of_approval(approval, clause, days)


def _is_own_day(clause: Clause, day: DaySpan) -> bool:
    """Return whether parentheses give a day as that of a denied approval: "(FDA 2024, EMA)"."""
    start = clause.text.rfind("(", clause.start, day.start)
    end = clause.text.find(")", day.start, clause.end)
    if start < 0 or end < 0:
        return False
    rest = list(clause.text)
    said = [(x.start, x.end) for x in clause.days()]
    for first, last in (*said, *((x.start, x.end) for x in clause.of_kind("region"))):
        rest[first:last] = " " * (last - first)
    return not "".join(rest[start:end]).strip(" (,;")


def _approved_uses(clause: Clause, end: int) -> tuple[EntitySpan, ...]:
    """Return the diseases behind an approval that words such as "for" make its uses."""
    between = {x: clause.text[end : x.start] for x in clause.of_kind("disease") if x.start >= end}
    return tuple(
        disease
        for disease, words in between.items()
        if _USE.search(words) and not _NO_USE.search(words)
    )


def _parts_of_approval(
    approval: Assertion, clause: Clause, days: Sequence[DaySpan]
) -> Iterator[Assertion]:
    """Yield an approval by each regulator, its day, and each of its uses."""
    regions = _dated_regions(clause, days)
    said = {each.key: each.said for each in clause.of_kind("region")}
    is_first = _FIRST.search(clause.words) is not None
    for region, day in regions or [("", days[0] if len(days) == 1 else None)]:
        stated = f"{approval.stated} ({region})" if region else approval.stated
        own = day if approval.is_negated and day and _is_own_day(clause, day) else None
        named = said.get(region, "")
        yield replace(approval, stated=stated, attribute=named, region=region, day=own)
        if day is not None and not approval.is_negated:
            before = clause.text[: day.start]
            is_inside = before.count("(") > before.count(")")
            yield replace(
                approval,
                kind="approval date",
                stated=f"{stated} {day.said}",
                region=region,
                day=day,
                is_status=is_inside or is_first,
                is_first=is_first,
            )
    region = regions[0][0] if len(regions) == 1 else ""
    for use in () if approval.is_negated else approval.diseases:
        stated = f"{approval.stated} for {use.said}"
        yield replace(approval, kind="approved use", stated=stated, region=region, diseases=(use,))


def _dated_regions(clause: Clause, days: Sequence[DaySpan]) -> list[tuple[str, DaySpan | None]]:
    """Return the regulators of a clause, each with the day that stands next to it."""
    regions = [region for region in clause.of_kind("region") if region.key in AGENCIES]
    pairs: list[tuple[str, DaySpan | None]] = []
    for region in regions:
        day = next(
            (
                day
                for day in days
                if 0 <= day.start - region.end <= 12
                and not re.search(r"[;)]", clause.text[region.end : day.start])
            ),
            None,
        )
        pairs.append((region.key, day))
    if len(pairs) == 1 and pairs[0][1] is None and len(days) == 1:
        pairs = [(pairs[0][0], days[0])]
    distinct: dict[str, DaySpan | None] = {}
    for key, day in pairs:
        distinct[key] = distinct.get(key) or day
    return list(distinct.items())


def _of_stages(clause: Clause, names: TargetNames) -> Iterator[Assertion]:
    if clause.of_kind("trial") or _APPROVED.search(clause.words):
        return
    for phase in find_phases(clause.text):
        if not clause.start <= phase.start < clause.end or phase.is_phase4:
            continue
        at = max(clause.start, phase.start - 40)
        before = clause.text[at : phase.start]
        status, denied = _STATUS.search(before), _NOT.search(before)
        is_status = status is not None and not _OF_TRIAL.match(clause.text[phase.end :])
        drugs, is_loose = _nearest(clause, phase.start, phase.end)
        uses = _uses_behind(clause, phase)
        spans = [(phase.start, phase.end)]
        spans += [(at + x.start(), at + x.end()) for x in (status, denied) if x]
        if trial := _named_trial(clause, names):
            stated, drug = f"{trial}: {phase.said}", drugs[0] if drugs else None
            yield Assertion("trial", stated, drug, attribute="phase", stage=phase.stage)
            continue
        completion = re.search(r"primary completion\s+", clause.text[phase.end : clause.end])
        days = clause.days()
        for drug in drugs[:1]:
            stated = f"{drug.said} {phase.said}"
            stated += f" in {uses[0].said}" if uses else ""
            yield Assertion(
                "stage",
                stated,
                drug,
                stage=phase.stage,
                diseases=uses,
                day=days[0] if len(days) == 1 and not completion else None,
                is_status=is_status,
                is_tentative=_TENTATIVE.search(before) is not None,
                is_past=re.search(r"\b(?:was|were|entered|reached)\b", before) is not None,
                is_loose=is_loose,
                is_negated=denied is not None,
                spans=tuple(spans),
            )
        day = next((day for day in days if day.start > phase.end), None)
        if completion and day is not None and drugs and is_status:
            yield Assertion(
                "trial",
                f"{drugs[0].said}, primary completion {day.said}",
                drugs[0],
                attribute="primary completion",
                stage=phase.stage,
                diseases=uses,
                day=day,
            )


def _named_trial(clause: Clause, names: TargetNames) -> str:
    """Return the acronym of a trial in a clause: capitals that name no drug, disease or target."""
    for match in _ACRONYM.finditer(clause.text, clause.start, clause.end):
        is_other = any(x.start < match.end() and match.start() < x.end for x in clause.entities)
        if not is_other and not find_joined(split_glued(match[0]), names):
            return match[0]
    return ""


def _uses_behind(clause: Clause, phase: StageSpan) -> tuple[EntitySpan, ...]:
    diseases = [x for x in clause.of_kind("disease") if 0 <= x.start - phase.end <= 60]
    return tuple(
        x for x in diseases[:1] if re.search(r"\b(?:in|for)\b", clause.text[phase.end : x.start])
    )


def _of_companies(clause: Clause) -> Iterator[Assertion]:
    known = clause.of_kind("company")
    companies = [*known, *find_parties(clause)]
    for drug in clause.of_kind("drug"):
        match = re.compile(r"\s*\(([^()]{2,80})\)").match(clause.text, drug.end)
        if match is not None:
            inside = [x for x in companies if match.start(1) <= x.start < match.end(1)]
            remainder = match[1]
            for company in inside:
                remainder = remainder.replace(company.said, "")
            if inside and not re.search(r"[A-Za-z]{4,}|\bnot?\b", remainder):
                for company in inside:
                    stated = f"{drug.said} ({company.said})"
                    yield Assertion("company", stated, drug, companies=(company.key,))
    for company in () if DEAL.search(clause.words) else companies:
        behind = clause.text[company.end : company.end + 30]
        owned = next((x for x in clause.of_kind("drug") if 0 <= x.start - company.end <= 25), None)
        if owned and re.match(r"['\u2019]s?\s+", behind):
            between = clause.text[company.end + 2 : owned.start]
            is_denied = _NOT.search(clause.text[clause.start : company.start]) is not None
            if re.fullmatch(r"\s*(?:[\w-]+\s+){0,2}", between) and not is_denied:
                stated = f"{company.said}'s {owned.said}"
                spans = ((company.end, company.end + 2),)
                yield Assertion("company", stated, owned, companies=(company.key,), spans=spans)
        before = clause.text[clause.start : company.start]
        if made := _BY.search(_AND_COMPANY.sub("", before)):
            drugs, is_loose = _nearest(clause, company.start, company.end)
            first = next((x for x in known if _is_first(x, company, before, clause)), None)
            is_negated = _NOT.search(before[: made.start("verb")]) is not None
            is_whole = not clause.text[company.end : clause.end].strip(" .")
            for drug in drugs[:1]:
                stated = f"{drug.said} {'not ' if is_negated else ''}by {company.said}"
                yield Assertion(
                    "company",
                    stated,
                    drug,
                    attribute=made["verb"].casefold(),
                    companies=(company.key,),
                    beside=(first.key,) if first else (),
                    is_status=made["now"] is not None and (is_whole or not is_negated),
                    is_negated=is_negated,
                    is_loose=is_loose or company not in known,
                    spans=(_span(clause, made), (company.start, company.end)),
                )
        elif source := _FROM.search(before):
            for drug in {x.key: x for x in clause.drugs}.values():
                yield Assertion(
                    "company",
                    f"{drug.said} from {company.said}",
                    drug,
                    companies=(company.key,),
                    spans=(_span(clause, source),),
                    is_loose=True,
                )


def _is_first(company: EntitySpan, other: EntitySpan, before: str, clause: Clause) -> bool:
    """Return whether a company stands right before another one, joined to it by "and"."""
    between = clause.text[company.end : other.start]
    is_joined = re.fullmatch(r"\s*(?:and|&)\s+", between) is not None
    return is_joined and _BY.search(before[: company.start - clause.start]) is not None


def _of_targets(clause: Clause, names: TargetNames) -> Iterator[Assertion]:
    match = _KIND.search(clause.text, clause.start, clause.end)
    if match is None or len({drug.key for drug in clause.drugs}) != 1:
        return
    drug = clause.drugs[0]
    if not clause.is_carried and not 0 <= match.start() - drug.end <= 60:
        return
    words = match["words"]
    cues = [
        *([match.span("denied")] if match["denied"] else []),
        *(_inside(match, x) for x in _KIND_WORDS.finditer(words)),
    ]
    is_negated = match["denied"] is not None
    targets, spans = _targets_in(match, names)
    if targets:
        yield Assertion(
            "target",
            f"{drug.said}: {words}",
            drug,
            targets=targets,
            words=words,
            is_negated=is_negated,
            spans=(*cues, *spans),
        )
    modalities, rest = take_words("modality", words)
    if len(modalities) == 1:
        left = set(rest.split())
        kinds = [x for x in re.finditer(r"[\w-]+", words) if x[0] not in left]
        yield Assertion(
            "modality",
            f"{drug.said}: {modalities[0]}",
            drug,
            words=modalities[0],
            is_negated=is_negated,
            spans=(*cues, *(_inside(match, x) for x in kinds)),
        )


def _inside(match: re.Match[str], part: re.Match[str]) -> tuple[int, int]:
    """Return where a match within the words of another is in the sentence."""
    return match.start("words") + part.start(), match.start("words") + part.end()


def _targets_in(
    match: re.Match[str], names: TargetNames
) -> tuple[tuple[TargetExpression, ...], list[tuple[int, int]]]:
    """Return the targets that the words of a match name, with their places."""
    glued = split_glued(match["words"])
    said = [x for x in find_joined(glued, names) if not x.is_marker]
    spans = [
        _inside(match, part)
        for x in said
        for word in re.split(r" x |\s", glued[x.start : x.end])
        for part in re.finditer(rf"{re.escape(word)}", match["words"])
        if word
    ]
    spans += [_inside(match, x) for x in re.finditer(r"(?<=\d)x(?=[A-Z])", match["words"])]
    return tuple({x.target.text: x.target for x in said}.values()), spans


def _of_acts(clause: Clause, names: TargetNames) -> Iterator[Assertion]:
    """Yield the targets on which a drug right before a verb acts: "X inhibits KRAS"."""
    match = _ACTS.search(clause.text, clause.start, clause.end)
    if match is None or len({drug.key for drug in clause.drugs}) != 1:
        return
    drug = clause.drugs[0]
    between = clause.text[clause.start if clause.is_carried else drug.end : match.start()]
    if not _SUBJECT.fullmatch(between):
        return
    targets, spans = _targets_in(match, names)
    if targets:
        is_aim = re.match(r"targets?\b", match["verb"], re.IGNORECASE) is not None
        is_whole = _BEYOND.search(match["words"]) is None
        yield Assertion(
            "target",
            f"{drug.said}: {match[0].strip()}",
            drug,
            attribute="target" if is_aim and is_whole else "effect",
            words=match["verb"].casefold(),
            targets=targets,
            is_status=match["words"].strip().casefold() == targets[0].text.casefold(),
            is_negated=match["denied"] is not None,
            spans=((match.start(), match.start("words")), *spans),
        )


def read_dates(clause: Clause) -> Iterator[Assertion]:
    """Yield target action dates, ends of exclusivity and boxed warnings."""
    days, drugs = clause.days(), {drug.key: drug for drug in clause.drugs}
    if len(drugs) != 1:
        return
    drug = clause.drugs[0]
    target = _TARGET_DATE.search(clause.words)
    if target and len(days) == 1:
        stated = f"{drug.said}, target action date {days[0].said}"
        uses = tuple(clause.of_kind("disease"))
        spans = (_span(clause, target),)
        yield Assertion("target action date", stated, drug, day=days[0], diseases=uses, spans=spans)
    elif (cue := _LOE.search(clause.words)) and days:
        behind = [x for x in days if x.start >= clause.start + cue.start()]
        day = (behind or days)[0]
        stated = f"{drug.said}, exclusivity {day.said}"
        is_listed = re.search(r"\blisted\b", clause.words) is not None
        yield Assertion(
            "exclusivity",
            stated,
            drug,
            day=day,
            is_status=is_listed,
            is_loose=len(days) > 1,
            spans=(_span(clause, cue),),
        )
    boxed = _BOXED.search(clause.words)
    if boxed:
        denied = _NOT.search(clause.words[: boxed.start()])
        words = "no boxed warning" if denied else "boxed warning"
        yield Assertion(
            "boxed warning",
            f"{drug.said}: {words}",
            drug,
            is_negated=denied is not None,
            spans=tuple(_span(clause, x) for x in (boxed, denied) if x),
        )


_TRIAL_STATUS = (
    ("RECRUITING", r"\b(?<!not )(?<!not yet )(?:is|are|now|currently)\s+(?:still\s+)?recruiting\b"),
    ("NOT_YET_RECRUITING", r"\bnot yet recruiting\b"),
    ("ACTIVE_NOT_RECRUITING", r"\bactive, not recruiting\b"),
    ("COMPLETED", r"\b(?:(?:is|was|has been|were|status:?)\s+|is a )completed\b"),
    (
        "STOPPED",
        r"\b(?:is|was|has been|were)\s+(?:stopped|terminated|withdrawn|suspended|halted)\b|"
        r"\bPhase \d trial terminated\b",
    ),
)
_N = re.compile(
    r"\b[nN]\s?=\s?(\d[\d,]*)|\b(?:enroll?(?:s|ed|ing|ment of)?|randomi[sz]ed|with|of|in)\s+"
    r"(\d[\d,]*)\s+(?:adult\s+)?(?:patients|participants|subjects|people)\b"
)
_SPONSOR = re.compile(r"\bsponsor(?:ed\s+by|:|\s+is)\s+(?:the\s+)?$", re.IGNORECASE)


def _of_trials(clause: Clause) -> Iterator[Assertion]:
    trials = clause.of_kind("trial")
    numbers = list(dict.fromkeys(trial.key for trial in trials))
    if len(numbers) != 1:
        return
    number, trial = numbers[0], trials[0]
    bare = Assertion("trial", number, trial=number)
    phases = [x for x in find_phases(clause.text) if clause.start <= x.start < clause.end]
    between = clause.text[phases[0].end : trial.start] if phases else ""
    between = re.sub(r"\(trial[_ ]registration\)|https?://\S*/", "", between)
    is_near = bool(phases) and phases[0].start - trial.start <= 60 and len(between) <= 60
    if len(phases) == 1 and is_near:
        [phase] = phases
        stated, spans = f"{number}: {phase.said}", ((phase.start, phase.end),)
        yield replace(bare, stated=stated, attribute="phase", stage=phase.stage, spans=spans)
    for status, pattern in _TRIAL_STATUS:
        if match := re.search(pattern, clause.words, re.IGNORECASE):
            stated, spans = f"{number}: {match[0]}", (_span(clause, match),)
            yield replace(bare, stated=stated, attribute="status", words=status, spans=spans)
    if match := _N.search(clause.words):
        value = float((match[1] or match[2]).replace(",", ""))
        stated, spans = f"{number}: {match[0]}", (_span(clause, match),)
        yield replace(bare, stated=stated, attribute="participants", value=value, spans=spans)
    yield from read_trial_days(clause, number)
    drugs = {drug.key: drug for drug in clause.of_kind("drug")}
    for drug in drugs.values() if len(drugs) == 1 else ():
        yield replace(bare, stated=f"{number}: {drug.said}", drug=drug, attribute="drug")
    for disease in clause.of_kind("disease"):
        is_near = 0 <= disease.start - trial.end <= 30
        if is_near or re.search(r"\b(?:in|for)\s+(?:\w+\s+){0,3}$", clause.text[: disease.start]):
            stated = f"{number}: {disease.said}"
            yield replace(bare, stated=stated, attribute="condition", diseases=(disease,))
    known = clause.of_kind("company")
    for company in (*known, *find_parties(clause)):
        if match := _SPONSOR.search(clause.text[clause.start : company.start]):
            stated = f"{number}: {company.said}"
            places = (_span(clause, match), (company.start, company.end))
            is_loose = company not in known
            each = replace(
                bare, stated=stated, attribute="sponsor", is_loose=is_loose, spans=places
            )
            yield replace(each, companies=(company.key,), words=company.said)


def read_trial_days(clause: Clause, number: str) -> Iterator[Assertion]:
    """Yield the start and the primary completion of a trial."""
    days = clause.days()
    cues = (
        ("primary completion", r"primary completion"),
        ("start", r"\b(?:start(?:s|ed|ing)?|began|begun|first patient)\b"),
    )
    for attribute, pattern in cues:
        cue = re.search(pattern, clause.words, re.IGNORECASE)
        if cue is None or not days:
            continue
        at = clause.start + cue.end()
        near = [day for day in days if 0 <= day.start - at <= 15] or (
            days if len(days) == 1 else []
        )
        for day in near[:1]:
            stated = f"{number}, {attribute} {day.said}"
            spans = (_span(clause, cue),)
            yield Assertion(
                "trial", stated, trial=number, attribute=attribute, day=day, spans=spans
            )
