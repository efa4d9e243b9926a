"""Stages that labels, registers and companies' pipelines state, per indication and region."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from core.evidence.assets.shelf import Shelf
from core.evidence.assets.stages.truth import StageClaim, is_regulatory
from core.evidence.entries import ApprovalEntry, Stated
from core.evidence.proof.claims import shorten
from core.evidence.readers.diseases import Disease, Diseases
from core.evidence.sources.files.ema import ENDED, EXPECTED
from core.records.programs import TargetDate
from core.records.stages import STAGES, Stage
from core.vocabulary.sources import ACCEPTED
from core.vocabulary.untold import NOT_READ, NOT_STATED, UNTOLD

LABELS = ("label", "label-indications")
REGISTERS = ("drugsfda", "purplebook")
FDA_DATES = ("fda-actions", "fda-dates")
PAST_DAYS = 365
NOT_SHOWN = "indication not stated by the company"
OFF_THE_LIST = frozenset({"discontinued", "Disc"})
"""What the registers say of an application of which no product is sold any more."""
BY_CURATORS = "the register names no use; the use is that of the curators' table"
BY_ANOTHER = "the register names no use; the use is that of another register or label"
FEW_USES = 1
"""Uses elsewhere that may stand for the use of a register which names none: of two, either."""
_MARKETED = frozenset({"NDA", "BLA"})
ON_THE_LIST = frozenset({"prescription", "over the counter", "discontinued"})
"""What the register says of the products of an application that was approved, sold today or not."""
LONGEST_USE = 240
"""Characters of a label's sentence on a use that are kept."""
_SENTENCE = re.compile(r"(?:[^.;]|\.(?=\d))+")
_HEADING = re.compile(r"^\s*(?:\d+(?:\.\d+)*\s+)?(?:INDICATIONS AND USAGE\s+)?")


@dataclass(frozen=True)
class Use:
    """A disease for which a record says that a drug is approved.

    Attributes:
        disease: The disease.
        words: The record's own words for it; "" where it has none.
    """

    disease: Disease
    words: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A stage stated for a drug in a disease.

    Attributes:
        disease: The disease.
        stage: Stage, region, date, record and fact.
        is_current: Whether the company still shows the program.
        is_over: Whether the source says that it was given up.
        reason: Why it was given up, in a word; "" where the source does not say.
        is_active: Whether a curator says that it is under way or on a market.
    """

    disease: Disease
    stage: StageClaim
    is_current: bool = False
    is_over: bool = False
    reason: str = ""
    is_active: bool = False


def find_page_claims(key: str, shelf: Shelf, diseases: Diseases) -> Iterator[Claim]:
    """Yield stages that pages state which a person accepted; no second source confirms them."""
    for record_id in shelf.of(key, ACCEPTED):
        for line in shelf.entries.pipeline(record_id).stages:
            told = line.told
            claim = StageClaim(
                *(_stage(told.text), "", told.as_of, record_id),
                is_expert=True,
                fact_id=told.fact_id,
                use=line.indication,
            )
            yield Claim(_named(line.indication or NOT_SHOWN, diseases), claim)


def find_claims(key: str, shelf: Shelf, diseases: Diseases, as_of: date) -> list[Claim]:
    """Return every stage that a label, a register, a filing or a pipeline states for a drug."""
    claims = [
        *_of_pipelines(key, shelf, diseases),
        *_of_curators(key, shelf, diseases),
        *_of_target_dates(key, shelf, diseases, as_of),
        *_of_decisions(key, shelf, diseases),
    ]
    n_dated = len(claims)  # a decision may be that of a combination
    for is_alone in (True, False):  # a combination tells of its parts where nothing else does
        claims += _of_labels(key, shelf, diseases, is_alone=is_alone)
        claims += _of_pmda(key, shelf, diseases, is_alone=is_alone)
        claims += _of_ema(key, shelf, diseases, is_alone=is_alone)
        approved = [
            claim.stage.first_on
            for claim in claims
            if claim.stage.stage == "APPROVED"
            and claim.stage.region == "FDA"
            and not claim.stage.is_expert
        ]
        if all(approved):  # of no approval, or of decisions alone: registers may list a later one
            listed = [
                claim
                for claim in _of_registers(key, shelf, is_alone=is_alone)
                if claim.stage.as_of > max(approved, default="")
            ]
            claims += _without_products(listed, claims, shelf)
        if not approved and not listed:
            claims += _of_unread_labels(key, shelf, is_alone=is_alone)
        registered = (claim.stage for claim in claims[n_dated:])
        if any(stage.stage == "APPROVED" and not stage.is_expert for stage in registered):
            break
    return list(join_untold(claims))


def _of_labels(key: str, shelf: Shelf, diseases: Diseases, *, is_alone: bool) -> Iterator[Claim]:
    """Yield approvals of the diseases that a label's indications name."""
    for record_id, uses in _uses(key, shelf, LABELS, diseases, is_alone=is_alone).items():
        approved = shelf.entries.label(record_id).approved
        as_of = approved.as_of if approved else shelf.records[record_id].told_on
        number = approved.fact_id if approved else 0
        claim = StageClaim("APPROVED", "FDA", as_of, record_id, fact_id=number)
        yield from (Claim(use.disease, replace(claim, use=use.words)) for use in uses)


def _of_unread_labels(key: str, shelf: Shelf, *, is_alone: bool) -> Iterator[Claim]:
    """Yield the approval that a label tells where no disease is read from any: "for pain"."""
    for record_id in shelf.of(key, *LABELS):
        approved = shelf.entries.label(record_id).approved
        if approved and shelf.is_alone(record_id) == is_alone:
            claim = StageClaim(
                "APPROVED", "FDA", approved.as_of, record_id, fact_id=approved.fact_id
            )
            yield Claim(Disease("", NOT_READ), claim)
            return


def _of_pmda(key: str, shelf: Shelf, diseases: Diseases, *, is_alone: bool) -> Iterator[Claim]:
    """Yield approvals of the Japanese list, and of changes: a further use of what is approved."""
    record_ids = [
        record_id for record_id in shelf.of(key, "pmda") if shelf.is_alone(record_id) == is_alone
    ]
    uses = _uses(key, shelf, ("pmda",), diseases, is_alone=is_alone)
    for record_id in record_ids:
        entry = shelf.entries.approval(record_id)
        stated = entry.approved or entry.changed
        if stated:
            claim = StageClaim("APPROVED", "PMDA", stated.text, record_id, fact_id=stated.fact_id)
            yield from (
                Claim(use.disease, replace(claim, use=use.words, first_on=stated.text))
                for use in uses.get(record_id, ())
            )
            if not uses.get(record_id):
                yield Claim(Disease("", NOT_STATED), claim)


def _of_ema(key: str, shelf: Shelf, diseases: Diseases, *, is_alone: bool) -> Iterator[Claim]:
    """Yield European approvals, those that ended as such, and positive opinions as filed."""
    uses = _uses(key, shelf, ("ema",), diseases, is_alone=is_alone)
    for record_id in shelf.of(key, "ema"):
        entry = shelf.entries.approval(record_id)
        status = entry.marketing
        if status is None or shelf.is_alone(record_id) != is_alone:
            continue
        is_over, statement = status.text in ENDED, entry.approved or status
        listed_uses = uses.get(record_id) or (Use(Disease("", NOT_STATED)),)
        claim = StageClaim(
            "FILED" if status.text == EXPECTED else "APPROVED",
            "EMA",
            status.as_of,
            record_id,
            fact_id=statement.fact_id,
            first_on=entry.approved.text if entry.approved and len(listed_uses) == 1 else "",
            is_over=is_over,
        )
        yield from (
            Claim(use.disease, replace(claim, use=use.words), is_over=is_over)
            for use in listed_uses
        )


def _uses(
    key: str, shelf: Shelf, sources: tuple[str, ...], diseases: Diseases, *, is_alone: bool
) -> dict[str, Sequence[Use]]:
    """Return the uses of each record about this drug alone, or in a combination.

    What a record states one by one is taken as it is; elsewhere its text is read.
    """
    texts: dict[str, str] = {}
    uses: dict[str, Sequence[Use]] = {}
    for record_id in shelf.of(key, *sources):
        if shelf.is_alone(record_id) != is_alone:
            continue
        of_label = record_id.partition(":")[0] in LABELS
        entries = shelf.entries
        stated = (entries.label if of_label else entries.approval)(record_id).uses
        if stated:
            words = {_named(name, diseases): name for name in reversed(stated)}
            uses[record_id] = [Use(word, words[word]) for word in reversed(words)]
        elif record_id in shelf.indications:
            texts[record_id] = " ".join(span.text for span in shelf.indications[record_id])
    read = diseases.in_texts(texts.values())
    return uses | {
        record_id: [Use(disease, _sentence_on(disease.name, text)) for disease in read[text]]
        for record_id, text in texts.items()
    }


def _sentence_on(name: str, text: str) -> str:
    """Return the first sentence that has a name, cut to a length; "" where none has it.

    >>> _sentence_on("asthma", "Limited data. Add-on maintenance treatment of severe Asthma.")
    'Add-on maintenance treatment of severe Asthma'
    >>> _sentence_on("gout", "1 INDICATIONS AND USAGE X is for: 1.1 Asthma 1.2 Gout.")
    'X is for: 1.1 Asthma 1.2 Gout'
    """
    sentences = (_HEADING.sub("", match[0]).strip() for match in _SENTENCE.finditer(text))
    words = next((sentence for sentence in sentences if name.casefold() in sentence.casefold()), "")
    return shorten(words, LONGEST_USE)


def _of_registers(key: str, shelf: Shelf, *, is_alone: bool) -> Iterator[Claim]:
    """Yield the first approvals of FDA's registers, which tell no indication.

    Of a drug that is older than the register, or whose original is gone from it, the earliest
    generic tells that it is approved; where the register gives an original no date, the day of
    the list on which its products stand.
    """
    approvals = [
        (entry, record_id, entry.kind.text.split()[0])
        for record_id in shelf.of(key, *REGISTERS)
        if (entry := shelf.entries.approval(record_id)).kind and _approval(entry)
    ]
    marketed = [approval for approval in approvals if approval[2] in {*_MARKETED, "351(a)"}]
    marketed = [approval for approval in marketed if approval[0].approved] or marketed
    generic = [
        approval for approval in approvals if approval[2] == "ANDA" and shelf.is_alone(approval[1])
    ]
    marketed = (
        marketed or sorted(generic, key=lambda approval: (_day_of(approval[0]), approval[1]))[:1]
    )
    for entry, record_id, _ in marketed:
        approval = _approval(entry)
        if approval and shelf.is_alone(record_id) == is_alone:
            day = _day_of(entry)
            claim = StageClaim("APPROVED", "FDA", day, record_id, fact_id=approval.fact_id)
            yield Claim(Disease("", NOT_STATED), claim)


def _without_products(
    listed: Sequence[Claim], claims: Sequence[Claim], shelf: Shelf
) -> list[Claim]:
    """Return FDA's approvals; as over where no product is sold and curators say that it is gone.

    The register alone does not tell: it has the brand as discontinued while generics are sold.
    """
    statuses = [shelf.entries.approval(claim.stage.record_id).marketing for claim in listed]
    is_sold = any(status is None or status.text not in OFF_THE_LIST for status in statuses)
    own_claims = [
        claim for claim in claims if claim.stage.is_expert and claim.stage.stage == "APPROVED"
    ]
    if is_sold or not own_claims or not all(claim.is_over for claim in own_claims):
        return list(listed)
    return [
        replace(claim, stage=replace(claim.stage, is_over=True), is_over=True) for claim in listed
    ]


def _approval(entry: ApprovalEntry) -> Stated | None:
    """Return what says that an application was approved."""
    listed = entry.marketing
    is_listed = listed is not None and listed.text in ON_THE_LIST
    return entry.approved or (listed if is_listed else None)


def _day_of(entry: ApprovalEntry) -> str:
    if entry.approved:
        return entry.approved.text
    return entry.marketing.as_of if entry.marketing else ""


def _of_pipelines(key: str, shelf: Shelf, diseases: Diseases) -> Iterator[Claim]:
    for record_id in shelf.of(key, "pipeline"):
        if not shelf.is_alone(record_id):
            continue
        for name, stage, statement in _stages_shown(record_id, shelf):
            claim = StageClaim(stage, "", statement.as_of, record_id, fact_id=statement.fact_id)
            yield Claim(_named(name, diseases), claim, is_current=True)


def _stages_shown(record_id: str, shelf: Shelf) -> Iterator[tuple[str, Stage, Stated]]:
    """Yield indication, stage and fact of each program that a company shows.

    A program whose own word for its stage was not understood is the one that carries the asset's
    highest stage; of several such programs, each is at least filed where the highest is approved.
    """
    entry = shelf.entries.pipeline(record_id)
    indications = {line.indication for line in entry.stages}
    for line in entry.stages:
        yield line.indication or NOT_SHOWN, _stage(line.told.text), line.told
    highest = entry.highest
    named = [
        mention.name for mention in shelf.mentions[record_id] if mention.relation == "indication"
    ]
    untold = [name for name in dict.fromkeys(named) if name not in indications]
    if highest is None:
        return
    stage = _stage(highest.text)
    for name in untold:
        is_one_of_several = stage == "APPROVED" and len(untold) > 1
        yield name, "FILED" if is_one_of_several else stage, highest


def _of_curators(key: str, shelf: Shelf, diseases: Diseases) -> Iterator[Claim]:
    """Yield the stages that the starter pack's own rows state."""
    for record_id in shelf.of(key, "pack"):
        for line in shelf.entries.pipeline(record_id).stages:
            statement, as_of, stage = line.told, line.told.as_of, _stage(line.told.text)
            is_over = line.kind == "discontinued"
            first_on = as_of if stage == "APPROVED" and len(as_of) == len("2026") else ""
            claim = StageClaim(
                stage,
                statement.region,
                as_of,
                record_id,
                line.is_expert,
                statement.fact_id,
                first_on,
                use=line.indication,
            )
            yield Claim(
                _named(line.indication, diseases),
                replace(claim, is_over=is_over and is_regulatory(stage)),
                is_over=is_over,
                reason=line.reason,
                is_active=line.kind == "active",
            )


def list_target_dates(key: str, shelf: Shelf, as_of: date) -> tuple[TargetDate, ...]:
    """Return the days by which a regulator means to decide on a drug, the soonest first.

    A day that passed more than a year ago without a decision in the evidence tells nothing.
    """
    oldest = (as_of - timedelta(days=PAST_DAYS)).isoformat()
    dates = [
        TargetDate(
            line.told.text,
            line.indication,
            line.told.region,
            line.kind,
            line.told.as_of,
            line.told.record_id,
            tuple(shelf.companies(record_id, "applicant")),
        )
        for record_id in shelf.of(key, *FDA_DATES)
        for line in shelf.entries.pipeline(record_id).target_dates
        if line.told.text >= oldest
    ]
    return tuple(sorted(dates, key=lambda target_date: (target_date.due_on, target_date.record_id)))


def _of_target_dates(key: str, shelf: Shelf, diseases: Diseases, as_of: date) -> Iterator[Claim]:
    """Yield what is filed: an application with a target date."""
    for target_date in list_target_dates(key, shelf, as_of):
        fact_id = shelf.entries.pipeline(target_date.record_id).target_dates[0].told.fact_id
        claim = StageClaim(
            "FILED", target_date.region, target_date.as_of, target_date.record_id, fact_id=fact_id
        )
        for disease in _mentioned(target_date.record_id, shelf, diseases):
            yield Claim(disease, replace(claim, use=target_date.indication), is_current=True)


def _of_decisions(key: str, shelf: Shelf, diseases: Diseases) -> Iterator[Claim]:
    """Yield approvals whose decision a list dates, each with its use."""
    for record_id in shelf.of(key, *FDA_DATES):
        for line in shelf.entries.pipeline(record_id).decisions:
            if line.reason == "approval":
                day = line.told.text
                claim = StageClaim(
                    "APPROVED",
                    line.told.region,
                    day,
                    record_id,
                    fact_id=line.told.fact_id,
                    first_on=day,
                    use=line.indication,
                )
                for disease in _mentioned(record_id, shelf, diseases):
                    yield Claim(disease, claim)


def _mentioned(record_id: str, shelf: Shelf, diseases: Diseases) -> list[Disease]:
    """Return the diseases that a record names, or reads of a list of a user names."""
    names = [mention.name for mention in shelf.mentions[record_id] if mention.kind == "disease"]
    entry = shelf.entries.pipeline(record_id)
    names = names or [line.indication for line in (*entry.target_dates, *entry.decisions)]
    return [_named(name, diseases) if name else Disease("", NOT_STATED) for name in names]


def join_untold(claims: Sequence[Claim]) -> Iterator[Claim]:
    """Yield claims; an approval without a use gets those that curators or labels state for it.

    A register that names no use tells that the drug is approved; curators tell for what, else a
    label or another register of few uses. FDA's registers never name one; of an agency whose list
    does, only what is stated for the same region counts. The rule says so, and both records are
    cited.
    """
    stated_claims = [claim for claim in claims if claim.disease.name not in UNTOLD]
    for claim in claims:
        sources = _uses_elsewhere(claim, stated_claims) if claim.disease.name in UNTOLD else ()
        if not sources:
            yield claim
        for source in sources:
            rule = BY_CURATORS if source.stage.is_expert else BY_ANOTHER
            also = (source.stage.record_id,) if source.stage.record_id else ()
            stage = replace(claim.stage, rule=rule, also=also, use=source.stage.use)
            yield replace(claim, disease=source.disease, stage=stage)


def _uses_elsewhere(claim: Claim, claims: Sequence[Claim]) -> Sequence[Claim]:
    """Return claims, one a disease, whose uses may stand for that of an approval without one."""
    approved = [
        stated for stated in claims if stated.stage.stage == "APPROVED" and not stated.stage.rule
    ]
    here = [stated for stated in approved if stated.stage.region == claim.stage.region]
    if claim.stage.region != "FDA" or any(stated.stage.is_expert for stated in here):
        approved = here
    other = [stated for stated in approved if not stated.stage.is_expert]
    experts = [
        stated
        for stated in approved
        if stated.stage.is_expert and (claim.is_over or not stated.is_over)
    ]
    claims_by_disease = {stated.disease: stated for stated in reversed(experts)}
    if claims_by_disease:
        return [*reversed(claims_by_disease.values())]
    uses = {claim.disease: claim for claim in reversed(other)}
    return [*reversed(uses.values())] if len(uses) <= FEW_USES else []


def _named(name: str, diseases: Diseases) -> Disease:
    """Return the disease of an indication's name."""
    disease = diseases.of_conditions([name])[0]
    if not disease.key:
        diseases_named = diseases.in_texts([name])[name]
        disease = diseases_named[0] if len(diseases_named) == 1 else disease
    return disease


def _stage(word: str) -> Stage:
    return next((stage for stage in STAGES if stage == word), "UNKNOWN")
