"""The summary: claims about what the company has, proved before they are shown."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.agents.company_asset_searcher.company import Company
from core.agents.company_asset_searcher.drugs import OwnDrug
from core.agents.company_asset_searcher.records import Origin
from core.evidence.proof.claim_checks import Ground, check_claims
from core.evidence.proof.claims import Claim, count_of, make_claim, unmark
from core.records.evidence import Fact, Record
from core.records.stages import STAGE_WORDS
from core.vocabulary.stages import PHASES, phase_of

MOST_NAMED = 5
LATE = ("Phase 3", "Filed", "Approved")


def compose(
    company: Company, drugs: Sequence[OwnDrug], records: Mapping[str, Record]
) -> tuple[list[Claim], list[Claim]]:
    """Return the claims that hold, and those that failed the check.

    Args:
        company: The company.
        drugs: Its drugs, by stage.
        records: Records by id.
    """
    claims = list(_say(company, drugs))
    faulty = {id(fault.claim) for fault in check_claims(claims, _ground(company, drugs, records))}
    kept = [claim for claim in claims if id(claim) not in faulty]
    return kept, [claim for claim in claims if id(claim) in faulty]


def _say(company: Company, drugs: Sequence[OwnDrug]) -> Iterator[Claim]:
    if not drugs:
        return
    yield _count(company, drugs)
    for phase in LATE[::-1]:
        found = [one for one in drugs if phase_of(one.stage) == phase]
        if found:
            yield _name(phase, found)
    ahead = [one for one in drugs if one.catalyst.score > 0 and one.catalyst.date != "TBD"]
    if ahead:
        best = max(ahead, key=lambda one: (one.catalyst.score, one.asset.name))
        yield _next(best)
    origins = Counter(one.provenance.origin for one in drugs if one.provenance.origin)
    if origins:
        yield _origins(drugs, origins)


def _count(company: Company, drugs: Sequence[OwnDrug]) -> Claim:
    counts = Counter(phase_of(one.stage) for one in drugs)
    order = [phase for phase in PHASES if counts[phase]]
    text = ", ".join(f"{counts[phase]} {phase.lower()}" for phase in order)
    figures = [count_of(len(drugs), (one.asset.key for one in drugs))]
    figures += [
        count_of(counts[phase], (one.asset.key for one in drugs if phase_of(one.stage) == phase))
        for phase in order
    ]
    return make_claim(
        f"The evidence held names {len(drugs)} drugs in which {company.name} has a part: {text}.",
        "computed",
        [one.asset.record_ids[0] for one in drugs[:MOST_NAMED] if one.asset.record_ids],
        figures=figures,
        names=[company.name],
    )


def _name(phase: str, drugs: Sequence[OwnDrug]) -> Claim:
    shown = drugs[:MOST_NAMED]
    names = [unmark(one.asset.name) for one in shown]
    more = len(drugs) - len(shown)
    rest = f" and {more} more" if more else ""
    figures = [count_of(more, (one.asset.key for one in drugs[MOST_NAMED:]))] if more else []
    ids = [
        record_id
        for one in shown
        for program in one.asset.programs[:1]
        for stated in program.stages[:1]
        for record_id in stated.statement.record_ids[:1]
    ]
    ids += [
        trial.record_id
        for one in shown
        for program in one.asset.programs[:1]
        for trial in program.trials[:1]
        if not program.stages
    ]
    text = f"{phase}: {', '.join(names)}{rest}."
    return make_claim(text, "fact", ids, figures=figures, names=names)


def _next(drug: OwnDrug) -> Claim:
    name, catalyst = unmark(drug.asset.name), drug.catalyst
    text = (
        f"The weightiest event ahead is {unmark(catalyst.event)} ({name}), expected "
        f"{catalyst.date}, {catalyst.confidence}."
    )
    trials = [trial for one in drug.asset.programs for trial in one.trials]
    named = [trial for trial in trials if trial.number in text]
    return make_claim(
        text,
        "rule",
        catalyst.record_ids,
        names=[name, *(trial.number for trial in named[:1])],
    )


def _origins(drugs: Sequence[OwnDrug], origins: Counter[Origin]) -> Claim:
    order = sorted(origins, key=lambda one: (-origins[one], str(one)))
    text = ", ".join(f"{origins[one]} {one}" for one in order)
    left = [one.asset.key for one in drugs if one.provenance.origin is None]
    rest = f"; of {len(left)} no record tells it" if left else ""
    figures = [
        count_of(origins[one], (d.asset.key for d in drugs if d.provenance.origin == one))
        for one in order
    ]
    figures += [count_of(len(left), left)] if left else []
    return make_claim(f"How they came to the company: {text}{rest}.", "rule", figures=figures)


def _ground(company: Company, drugs: Sequence[OwnDrug], records: Mapping[str, Record]) -> Ground:
    names: dict[str, set[str]] = {company.name: set(records)}
    for one in drugs:
        asset = one.asset
        trials = {trial.record_id for part in asset.programs for trial in part.trials}
        names.setdefault(unmark(asset.name), set()).update({*asset.record_ids, *trials})
        for part in asset.programs:
            for trial in part.trials:
                names.setdefault(trial.number, set()).add(trial.record_id)
    facts: dict[int, Fact] = {}
    return Ground(
        records=records,
        facts=facts,
        names={name: frozenset(found) for name, found in names.items()},
        words=frozenset(_words(drugs)),
    )


def _words(drugs: Iterable[OwnDrug]) -> Iterator[str]:
    """Yield phrases with digits that state nothing: stages, diseases, days reckoned by rule."""
    yield from PHASES
    yield from (phase.lower() for phase in PHASES)
    yield from STAGE_WORDS.values()
    for one in drugs:
        yield from (unmark(part.indication) for part in one.asset.programs)
        yield one.catalyst.date
