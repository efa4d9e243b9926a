"""The claim that is proposed, the options of its slots, and three breadths of it."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from core.agents.label_strategy.gathering import MOST_TRIALS, Holdings, Use
from core.agents.label_strategy.question import Question, biomarkers_of
from core.agents.label_strategy.sentence import NAMES, Claim, Slot, put_slot, read_age
from core.agents.label_strategy.tables import ACUTE_INFECTION, TUMOR
from core.evidence.readers.label_extents import ADVANCED, drop_denied
from core.records.precedents import AgeGroup, SettingTrial
from core.vocabulary.lines import AskedLine, Line

ON_TARGET, OF_KIND, OTHER = 20.0, 2.0, 1.0
"""Weight of a precedent's vote by mechanism: our own."""
ON_TARGET_AGE = 8.0
"""The same for ages, which depend on the disease more than on the target."""
OF_SUBTYPE = 0.5
"""By what a vote counts less that is of a kind of the disease asked for."""
PRIOR = 2.0
"""Weight of "no restriction" and of "adults" before any precedent: two drugs off the target."""
FAR = 0.5
EGFR = "EGFR mutation"
_AROUND_SURGERY = frozenset({Line.ADJUVANT, Line.NEOADJUVANT, Line.PERIOPERATIVE})
_NAMES_GENETICS = re.compile(
    r"mutat|fusion|rearrange|amplif|deficien|deletion|-positive|wild[- ]type|aberration|skipping",
    re.IGNORECASE,
)
"""Words by which an indication chooses patients itself, so that precedents add no biomarker."""
LEAST_YOUNG = 0.2
"""Share of drugs for children, too, from which on a broad claim names them."""
LINE_OF: Mapping[AskedLine, Line] = {
    AskedLine.FIRST: Line.FIRST,
    AskedLine.SECOND: Line.TREATED,
    AskedLine.THIRD: Line.THIRD,
    AskedLine.ADJUVANT: Line.ADJUVANT,
    AskedLine.NEOADJUVANT: Line.NEOADJUVANT,
    AskedLine.MAINTENANCE: Line.MAINTENANCE,
}
MOST_MARKERS = 4
MOST_OPTIONS = 8
"""Values of a slot that are offered, the commonest first."""
ADULTS = AgeGroup(adults=True)
AS_WRITTEN = "As asked: the request describes its patients and does not restrict this."
IMAGED = "A diagnostic agent: the label says what is imaged and in whom."
APART = frozenset({"gene therapy", "cell therapy", "CAR-T", "vaccine", "diagnostic agent"})
"""Kinds of products whose patients are chosen unlike those of other kinds."""
NAIVE = "have not previously received"
"""Words of a population that rule out a claim after earlier treatment."""
LABELED = "drugs with a label in the disease"


def propose(question: Question, findings: Holdings, *, is_accelerated: bool) -> Claim:
    """Return the base claim: what the request says, else what precedents have."""
    alike = replace(findings, uses=[use for use in findings.uses if _is_alike(use, question)])
    age = _age(question, alike)
    if question.is_diagnostic:
        unrestricted = (Slot(name, "", "request", why=IMAGED) for name in NAMES if name != "age")
        line, marker, regimen, extent = unrestricted
    else:
        line = _line(question, findings)
        marker = _biomarker(question, findings)
        extent = _extent(question, alike, line.value)
        regimen = _regimen(question, findings)
    return Claim(
        disease=question.disease,
        extent=extent.value,
        line=line.value,
        biomarkers=tuple(filter(None, marker.value.split(" | "))),
        age=read_age(age.value),
        regimen=regimen.value,  # type: ignore[arg-type]
        is_accelerated=is_accelerated,
        slots=(line, marker, age, regimen, extent),
        stated=question.stated,
    )


def _is_alike(use: Use, question: Question) -> bool:
    """Return whether a use may set age and severity: no gene therapy's for another drug."""
    ours, theirs = set(question.setting.modalities), set(use.row.modalities)
    return not ours or not theirs or bool(ours & theirs) or not (ours ^ theirs) & APART


def vote(
    uses: Iterable[Use],
    tell: Callable[[Use], str | None],
    on_target: float = ON_TARGET,
    default: str | None = None,
) -> Slot:
    """Return the value that precedents have most, each drug with one vote, by mechanism.

    Args:
        uses: The precedents.
        tell: Returns the value of a use; None where it does not tell it.
        on_target: Weight of a drug on the target.
        default: What holds until the weight of precedents exceeds `PRIOR`; None: nothing does.
    """
    by_drug: dict[frozenset[str], list[tuple[str, float, str]]] = defaultdict(list)
    for use in uses:
        value = tell(use)
        if value is not None:
            by_drug[use.moiety].append((value, _weight(use, on_target), use.row.record_id))
    totals: dict[str, float] = defaultdict(float)
    ids: dict[str, list[str]] = defaultdict(list)
    for entries in by_drug.values():
        for value, weight, record_id in entries:
            totals[value] += weight / len(entries)
            ids[value].append(record_id)
    if not totals:
        return Slot("", "", "none")
    weights = dict(totals)
    if default is not None:
        weights[default] = weights.get(default, 0.0) + PRIOR
    best = min(weights, key=lambda value: (-weights[value], value == "", value))
    having = tuple(dict.fromkeys(ids[best]))
    n_having = sum(any(value == best for value, *_ in entries) for entries in by_drug.values())
    share = round(n_having / len(by_drug), 4)
    slot = Slot("", best, "precedents", having, len(by_drug), share)
    leaning = min(totals, key=lambda value: (-totals[value], value == "", value))
    if leaning == best:
        return slot
    why = (
        f"Of {len(by_drug)} drugs with a label in the disease most weight lies on "
        f"{_quoted(leaning)}, too little to outweigh {_quoted(default or '')} by rule."
    )
    return replace(slot, basis="rule", why=why)


def _quoted(value: str) -> str:
    return f"\u201c{value.replace(' | ', ', ')}\u201d" if value else "no restriction"


def _weight(use: Use, on_target: float) -> float:
    """Return the weight of a vote: nearer by mechanism, and by line and biomarker where asked."""
    mechanism = use.parts.get("mechanism", 0.0)
    weight = on_target if mechanism == 1 else OF_KIND if mechanism >= FAR else OTHER
    for slot_name in ("line", "biomarker"):
        weight *= 0.25 + 0.75 * use.parts.get(slot_name, 1.0)
    return weight * (1.0 if use.parts.get("indication", 1.0) == 1 else OF_SUBTYPE)


def _line(question: Question, findings: Holdings) -> Slot:
    if question.setting.lines:
        line = LINE_OF[question.setting.lines[0]]
        return _asked("line", str(line), findings, lambda use: use.row.use.line == line)
    if question.stated.is_specific:
        return Slot("line", "", "request", why=AS_WRITTEN)
    fitting = [use for use in findings.uses if _fits_stage(use.row.use.line, question.extent)]
    slot = vote(fitting, lambda use: use.row.use.line if use.row.is_read else None, default="")
    if slot.basis == "none":
        slot = _of_trials(
            findings, lambda trial: trial.line if _fits_stage(trial.line, question.extent) else ""
        )
    return _voted(slot, "line")


def _fits_stage(line: str, extent: str) -> bool:
    """Return whether a line goes with the stage asked for: none before or after surgery does."""
    return extent not in ADVANCED or line not in _AROUND_SURGERY


def _biomarker(question: Question, findings: Holdings) -> Slot:
    biomarkers = question.setting.biomarkers
    if biomarkers:
        return _asked(
            "biomarker",
            " | ".join(biomarkers[:MOST_MARKERS]),
            findings,
            lambda use: bool({*biomarkers} & {*markers_of(use)}),
        )
    is_chosen = _NAMES_GENETICS.search(question.stated.disease_text) is not None
    if is_chosen or question.stated.is_specific:
        return Slot("biomarker", "", "request", why=AS_WRITTEN)
    slot = vote(
        findings.uses,
        lambda use: " | ".join(markers_of(use)[:1]) if use.row.is_read else None,
        default="",
    )
    if slot.basis == "none":
        slot = _of_trials(findings, lambda trial: " | ".join(trial.biomarkers[:1]))
    return _voted(slot, "biomarker")


def _age(question: Question, findings: Holdings) -> Slot:
    if question.age.words:
        words = question.age.words
        return _asked("age", words, findings, lambda use: use.row.use.age.words == words)
    has_adults = any(use.row.use.age.adults for use in findings.uses)

    def age_of(use: Use) -> AgeGroup:
        age = use.row.use.age
        if not use.row.is_read and age.adults and age.children:
            return AgeGroup()  # told of the label, not of this use
        return replace(age, adults=True) if age.children and has_adults else age

    def kind_of(use: Use) -> str | None:
        return replace(age_of(use), from_years=None).words or None

    kind = vote(findings.uses, kind_of, ON_TARGET_AGE, ADULTS.words)
    if kind.basis == "none":
        labels = "Labels in the disease cover children, but do not say for which use"
        has_young = any(use.row.use.age.children for use in findings.uses)
        why = f"{labels if has_young else 'No precedent states an age'}; adults by rule."
        return Slot("age", ADULTS.words, "rule", why=why)
    if kind.value == ADULTS.words:
        return _voted(kind, "age")
    same = [use for use in findings.uses if kind_of(use) == kind.value]
    from_years = vote(same, lambda use: age_of(use).words, ON_TARGET_AGE)
    return replace(_voted(kind, "age"), value=from_years.value)


def _regimen(question: Question, findings: Holdings) -> Slot:
    regimen = question.regimen
    if regimen:
        return _asked("regimen", regimen, findings, lambda use: use.row.use.regimen == regimen)
    if question.stated.is_specific or question.stated.of("usual"):
        return Slot("regimen", "", "request", why=AS_WRITTEN)
    slot = vote(findings.uses, lambda use: use.row.use.regimen if use.row.is_read else None)
    return _voted(slot, "regimen")


def _extent(question: Question, findings: Holdings, line: str) -> Slot:
    if question.extent:
        extent = question.extent
        return _asked("stage of disease", extent, findings, lambda use: use.extent == extent)
    if question.stated.is_specific or question.stated.of("usual"):
        return Slot("stage of disease", "", "request", why=AS_WRITTEN)
    same = [use for use in findings.uses if use.row.is_read and use.row.use.line == line]
    slot = vote(same or findings.uses, lambda use: use.extent if use.row.is_read else None)
    what = "drugs with a label of this line" if same else LABELED
    return _voted(slot, "stage of disease", what)


def _asked(name: str, value: str, findings: Holdings, fits: Callable[[Use], bool]) -> Slot:
    """Return a slot that the request fills, with the precedents that have it."""
    uses = [use for use in findings.uses if use.row.is_read or name == "age"]
    having = tuple(dict.fromkeys(use.row.record_id for use in uses if fits(use)))
    n = len({use.moiety for use in uses})
    n_having = len({use.moiety for use in uses if fits(use)})
    share = round(n_having / n, 4) if n else None
    why = (
        f"As asked; {n_having} of {n} drugs with a label in the disease have it."
        if n
        else ("As asked; no label text for the disease is loaded.")
    )
    return Slot(name, value, "request", having, n, share, why)


def _voted(slot: Slot, name: str, of: str = LABELED) -> Slot:
    if slot.basis == "none":
        return replace(slot, name=name, why="No precedent states it.")
    if slot.basis == "rule":
        return replace(slot, name=name)
    what = "trials" if slot.basis == "trials" else of
    how = "no restriction" if not slot.value else f"“{slot.value}”"
    why = (
        f"Precedents favor {how}: {len(slot.having)} of {slot.n} {what}; those on the same target "
        "weigh more."
    )
    return replace(slot, name=name, why=why)


def _of_trials(findings: Holdings, tell: Callable[[SettingTrial], str]) -> Slot:
    """Return the commonest value of the nearest trials, where no label tells one."""
    near_trials = [trial.row for trial in findings.trials[:MOST_TRIALS]]
    values = [(tell(trial), trial.record_id) for trial in near_trials]
    counts: dict[str, list[str]] = defaultdict(list)
    for value, record_id in values:
        counts[value].append(record_id)
    if not counts:
        return Slot("", "", "none")
    best = min(counts, key=lambda value: (-len(counts[value]), value))
    having = tuple(counts[best])
    return Slot("", best, "trials", having, len(values), round(len(having) / len(values), 4))


def markers_of(use: Use) -> tuple[str, ...]:
    """Return the biomarkers of a use by the words of the table."""
    reading = use.row.use
    text = drop_denied(reading.text)
    biomarkers_read = biomarkers_of(reading.biomarker) if text == reading.text else ()
    markers = biomarkers_read or biomarkers_of(text)
    if not markers and text == reading.text and "EGFR" in reading.biomarker:
        return (EGFR,)  # written by its exons: "(EGFR) exon 19 deletions"
    return markers


def list_options(claim: Claim, findings: Holdings) -> dict[str, list[tuple[Claim, Slot]]]:
    """Return what precedents have in each slot other than the claim, as the claim would be then."""
    tell: Mapping[str, Callable[[Use], str]] = {
        "line": lambda use: use.row.use.line,
        "biomarker": lambda use: " | ".join(markers_of(use)[:1]),
        "age": lambda use: use.row.use.age.words,
        "regimen": lambda use: use.row.use.regimen,
        "stage of disease": lambda use: use.extent,
    }
    options = {name: list(_options_of(name, claim, tell[name], findings)) for name in NAMES}
    trials: Mapping[str, Callable[[SettingTrial], str]] = {
        "line": lambda trial: trial.line,
        "biomarker": lambda trial: " | ".join(trial.biomarkers[:1]),
    }
    for name, read in trials.items():
        if not any(slot.value for _, slot in options[name]):
            options[name] += _options_of_trials(name, claim, read, findings)
    return options


def _options_of(
    name: str, claim: Claim, tell: Callable[[Use], str], findings: Holdings
) -> Iterator[tuple[Claim, Slot]]:
    counts = Counter(tell(use) for use in findings.uses if use.row.is_read or name == "age")
    wide = [] if name == "age" else [""]
    for value in [*wide, *(value for value, _ in counts.most_common() if value)][
        : MOST_OPTIONS + 1
    ]:
        changed = put_slot(claim, name, value)
        if replace(changed, slots=()) == replace(claim, slots=()):
            continue
        slot = _asked(name, value, findings, partial(_has, tell, value))
        slots = tuple(slot if other.name == name else other for other in claim.slots)
        yield replace(changed, slots=slots), slot


def _options_of_trials(
    name: str, claim: Claim, tell: Callable[[SettingTrial], str], findings: Holdings
) -> Iterator[tuple[Claim, Slot]]:
    """Yield the values of the nearest trials, where no label tells one."""
    near_trials = [trial.row for trial in findings.trials[:MOST_TRIALS]]
    counts = Counter(filter(None, map(tell, near_trials)))
    for value, n in counts.most_common(MOST_OPTIONS):
        changed = put_slot(claim, name, value)
        if replace(changed, slots=()) == replace(claim, slots=()):
            continue
        having = tuple(trial.record_id for trial in near_trials if tell(trial) == value)
        why = f"{n} of the {len(near_trials)} nearest trials have it; no label text is loaded."
        slot = Slot(
            name, value, "trials", having, len(near_trials), round(n / len(near_trials), 4), why
        )
        slots = tuple(slot if other.name == name else other for other in claim.slots)
        yield replace(changed, slots=slots), slot


def _has(tell: Callable[[Use], str], value: str, use: Use) -> bool:
    return tell(use) == value


def narrow(claim: Claim, findings: Holdings) -> Claim:
    """Return the claim with every restriction that a near precedent has.

    Line and stage go together: what is adjuvant is not unresectable.
    """
    near_uses = [
        use for use in findings.uses if use.row.is_read and use.parts.get("mechanism", 0) >= FAR
    ]
    same = [use for use in near_uses if claim.extent in {"", use.extent}]
    line = claim.line or _commonest(use.row.use.line for use in same)
    markers = claim.biomarkers or markers_of(near_uses[0])[:1] if near_uses else claim.biomarkers
    of_line = [use for use in near_uses if use.row.use.line == line]
    extent = claim.extent or _commonest(use.extent for use in of_line)
    is_open = claim.regimen in {"", "either"} and not claim.stated.of("purpose", "usual")
    is_open = is_open and bool(findings.uses)
    regimen = "monotherapy" if is_open else claim.regimen
    age = claim.age if claim.age.children and not claim.age.adults else ADULTS
    told = any(use.row.use.line for use in findings.uses) or not claim.stated.is_specific
    is_by_line = told or TUMOR.search(claim.disease) is not None
    is_naive = any(NAIVE in statement.row.fda for statement in claim.stated.statements)
    is_acute = ACUTE_INFECTION.search(claim.disease) is not None
    is_by_line = is_by_line and bool(findings.uses) and not is_naive and not is_acute
    if line in {"", Line.UNTREATED} and not claim.stated.of("purpose", "usual") and is_by_line:
        line = str(Line.TREATED)
    return replace(claim, line=line, biomarkers=markers, extent=extent, regimen=regimen, age=age)


def broaden(claim: Claim, findings: Holdings) -> Claim:
    """Return the claim without line, and for the ages that any precedent has.

    A biomarker stays where the request chooses patients by it: no trial shows more.
    """
    is_chosen = any(slot.name == "biomarker" and slot.basis == "request" for slot in claim.slots)
    ages = [use for use in findings.uses if use.row.use.age.children]
    young = [use for use in ages if use.row.is_read or not use.row.use.age.adults]
    is_told = len({use.moiety for use in young}) >= LEAST_YOUNG * max(1, findings.moieties())
    kids = [use.row.use.age for use in young] if is_told else []
    age = max(kids, key=lambda kid: -(kid.from_years or 0), default=claim.age)
    asked = claim.age if claim.age.children else age
    wide = AgeGroup(True, asked.children, asked.from_years)
    keeps = claim.line in {Line.ADJUVANT, Line.NEOADJUVANT, Line.MAINTENANCE, Line.PERIOPERATIVE}
    return replace(
        claim,
        line=claim.line if keeps else "",
        biomarkers=claim.biomarkers if is_chosen else (),
        age=wide,
        regimen="either" if claim.regimen else "",
        extent=claim.extent if keeps else "",
        is_accelerated=False,
        stated=claim.stated if keeps else claim.stated.without("population"),
    )


def _commonest(values: Iterable[str]) -> str:
    filled = [value for value in values if value]
    return max(sorted(set(filled)), key=filled.count, default="")
