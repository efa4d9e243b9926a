"""The sentences at the top of a page: chosen and filled here, worded in the phrase file."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.briefs.entities.profiles import DrugProfile
from core.briefs.entities.views import CompanyView, FieldView
from core.briefs.portfolio.catalysts import Catalyst
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark
from core.records.entities import Scope
from core.records.programs import Program
from core.records.stages import STAGE_WORDS, STAGES, Stage
from core.reports.phrases import join_words, load_phrases, show_date
from core.vocabulary.untold import UNTOLD

PHRASES = load_phrases(Path(__file__).with_name("phrases.toml"))
MOST_INDICATIONS = 3
MOST_LEADERS = 4
_VOWELS = "aeiou"
_WORLDWIDE = frozenset({"worldwide", "global", "world"})
_ORIGIN_WORDS = {
    "in-house": "in-house",
    "licensed-in": "in-licensed",
    "acquired": "acquired",
    "licensed-out": "out-licensed",
    "partnered": "partnered",
}


def drug_sentences(drug: DrugProfile, cite: Cite) -> tuple[str, ...]:
    """Return what a drug is and whose, how far it is, and what comes next, with citations."""
    return (_describe(drug, cite), _describe_stage(drug, cite), _describe_next(drug, cite))


def _describe(drug: DrugProfile, cite: Cite) -> str:
    mechanisms = [link.mechanism for link in drug.asset.targets]
    mechanisms += [drug.asset.modality] if drug.asset.modality else []
    ids = [record_id for each in mechanisms for record_id in each.record_ids[:1]]
    roles = [role for role in drug.asset.companies if role.role in {"licensee", "partner"}]
    owners = [unmark(owner) for owner in drug.owners]
    rights = ""
    for role in roles:
        if role.company in drug.owners:
            continue
        ids += role.statement.record_ids[:1]
        company, territory = unmark(role.company), unmark(role.territory)
        if territory.casefold() in _WORLDWIDE:
            rights += PHRASES.part("right_worldwide", company=company)
        elif territory:
            name = "right_without" if territory.startswith("ex-") else "right"
            rights += PHRASES.part(name, company=company, territory=territory)
        else:
            rights += PHRASES.part("right_open", company=company, role=f"a {role.role}")
    ids += [
        record_id
        for role in drug.asset.companies
        if role.company in drug.owners
        for record_id in role.statement.record_ids[:1]
    ]
    kind = drug.modality
    article = "an" if kind[:1].casefold() in _VOWELS else "a"
    targets = join_words([unmark(target) for target in drug.targets])
    text = PHRASES.fill(
        "drug" if kind else "drug_bare",
        name=drug.name,
        kind=f"{article} {kind}",
        targets=f" against {targets}" if targets else "",
        owner=PHRASES.part("owner", companies=join_words(owners)) if owners else "",
        rights=rights,
    )
    return f"{text} {cite.mark(dict.fromkeys(ids))}".strip()


def _describe_stage(drug: DrugProfile, cite: Cite) -> str:
    top = drug.top_program
    if top is None or top.shown_stage == "UNKNOWN":
        return PHRASES.fill("no_stage")
    mark = cite.mark(drug.stage_records())
    if not drug.is_active:
        reason = unmark(top.reason or (top.end.reason if top.end else ""))
        *words, last = (top.state_words or "discontinued").split()
        state = " ".join([*words, show_date(last)])
        text = PHRASES.fill("ended", state=state, reason=f" ({reason})" if reason else "")
        return f"{text} {mark}".strip()
    stage = drug.stage
    lower = [
        program
        for program in drug.programs
        if program.shown_stage != stage and program.state == "live"
    ]
    further = ""
    if lower:
        next_stage = min((program.shown_stage for program in lower), key=STAGES.index)
        names = _indications(program for program in lower if program.shown_stage == next_stage)
        further = PHRASES.part("further", stage=STAGE_WORDS[next_stage], indications=names)
    at_stage = [program for program in drug.programs if program.shown_stage == stage]
    if stage == "APPROVED":
        text = PHRASES.fill(
            "approved", uses=_approved_uses(at_stage), first=_first_approvals(drug), further=further
        )
    else:
        uses = _indications(at_stage)
        text = PHRASES.fill(
            "in_stage",
            stage=STAGE_WORDS[stage],
            uses=f" in {uses}" if uses else "",
            further=further,
        )
    return f"{text} {mark}".strip()


def _approved_uses(programs: Sequence[Program]) -> str:
    """Return approved uses, each with the regions whose approval names it."""
    uses: dict[str, dict[str, None]] = {}
    for program in programs:
        regions = dict.fromkeys(
            approval.region for approval in program.approvals if approval.region
        )
        uses.setdefault(unmark(program.indication) or "uses not reported", {}).update(regions)
    uses_text = [
        f"{use} ({', '.join(regions)})" if regions else use for use, regions in uses.items()
    ]
    more = len(uses_text) - MOST_INDICATIONS
    return join_words([*uses_text[:MOST_INDICATIONS], *([f"{more} more"] if more > 0 else [])])


def _first_approvals(drug: DrugProfile) -> str:
    days = [
        f"{region.region} {show_date(region.first_on)}"
        for region in drug.asset.regions
        if region.stage == "APPROVED" and not region.is_over and region.first_on
    ]
    return PHRASES.part("first_approvals", regions=", ".join(days)) if days else ""


def _describe_next(drug: DrugProfile, cite: Cite) -> str:
    event = drug.catalyst
    if event.category in {"None", "Unknown"}:
        return PHRASES.fill("no_catalyst")
    return f"{_catalyst('catalyst', event)} {cite.mark(event.record_ids[:2])}".strip()


def _catalyst(name: str, event: Catalyst, **slots: object) -> str:
    if event.is_past_due:
        what = ", ".join(filter(None, (str(slots.get("drug", "")), unmark(event.event))))
        return PHRASES.fill("catalyst_overdue", event=what, why="no result reported")
    estimated = "" if event.confidence == "confirmed" else "est. "
    date = f"{estimated}{show_date(event.date)}"
    return PHRASES.fill(name, event=unmark(event.event), date=date, **slots)


def company_sentences(view: CompanyView, cite: Cite) -> tuple[str, ...]:
    """Return how many drugs a company has by stage, where they come from, and what comes next."""
    name = unmark(view.company.name)
    if not view.drugs:
        return (PHRASES.fill("company_none", name=name),)
    counted = PHRASES.part("company", name=name, n=len(view.drugs), stages=_stages(view.drugs))
    origins = Counter(
        _ORIGIN_WORDS.get(drug.provenance.origin or "", "not reported") for drug in view.drugs
    )
    origins_text = ", ".join(f"{n:,} {word}" for word, n in origins.most_common())
    return (
        counted,
        PHRASES.fill("company_origin", origins=origins_text),
        *_next_of(view.drugs, "company_catalyst", cite),
    )


def field_sentences(view: FieldView, scope: Scope, cite: Cite) -> tuple[str, ...]:
    """Return how many drugs a field has by stage, the furthest of them, and what comes next."""
    drugs = view.within(scope)
    if not drugs:
        return (PHRASES.fill("field_none", field=field_name(view)),)
    first = PHRASES.fill("field", n=len(drugs), field=field_name(view), stages=_stages(drugs))
    top = min((drug.stage for drug in drugs), key=STAGES.index)
    leaders = [drug for drug in drugs if drug.stage == top]
    names = [
        f"{leader.name} ({unmark(leader.owners[0])}) "
        f"{cite.mark(leader.stage_records()[:1])}".strip()
        if leader.owners
        else leader.name
        for leader in leaders[:MOST_LEADERS]
    ]
    more = len(leaders) - len(names)
    names += [f"{more:,} more"] if more else []
    leading = f"{STAGE_WORDS[top].capitalize()}: {join_words(names)}."
    return (first, leading, *_next_of(drugs, "field_catalyst", cite))


def field_name(view: FieldView) -> str:
    """Return a field in words: "PD-1 x VEGF in non-small cell lung carcinoma"."""
    target = view.target.name if view.target else ""
    disease = view.disease.name if view.disease else ""
    return " in ".join(filter(None, (target, disease)))


def _next_of(drugs: Sequence[DrugProfile], name: str, cite: Cite) -> Iterable[str]:
    """Yield the earliest dated catalyst of drugs; a regulator's date that passed comes first."""
    dated = [
        (event.date, -event.score, drug.name, event, drug)
        for drug in drugs
        for event in drug.catalysts
        if event.date != "TBD" and event.category != "Commercial"
        if not event.is_past_due or event.category == "Regulatory"
    ]
    if dated:
        *_, event, drug = min(dated, key=lambda entry: entry[:3])
        mark = cite.mark(event.record_ids[:2])
        yield f"{_catalyst(name, event, drug=drug.name)} {mark}".strip()


def count_stages(drugs: Iterable[DrugProfile]) -> dict[Stage, int]:
    """Return how many drugs are at each stage, the furthest first; the one count of a page."""
    counts = Counter(drug.stage for drug in drugs)
    return {stage: counts[stage] for stage in STAGES if counts[stage]}


def _stages(drugs: Iterable[DrugProfile]) -> str:
    words = {**STAGE_WORDS, "UNKNOWN": "stage not reported"}
    return ", ".join(
        f"{number:,} {'in ' if stage.startswith('PHASE') else ''}{words[stage]}"
        for stage, number in count_stages(drugs).items()
    )


def _indications(programs: Iterable[Program]) -> str:
    names = list(
        dict.fromkeys(unmark(program.indication) for program in programs if program.indication)
    )
    names = [name for name in names if name not in UNTOLD] or names
    more = len(names) - MOST_INDICATIONS
    return join_words([*names[:MOST_INDICATIONS], *([f"{more} more"] if more > 0 else [])])
