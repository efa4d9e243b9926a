"""What an event is called: by rules, from its records' words, never more than they tell."""

from collections.abc import Iterator

from core.briefs.developments.linking import group_on
from core.briefs.developments.records import Development
from core.evidence.proof.claims import shorten, unmark
from core.records.events import Event
from core.records.names import fold_name
from core.records.stages import phase_words
from core.vocabulary.event_types import EventType, event_types
from core.vocabulary.sources import is_accepted
from core.vocabulary.stages import OF_PHASE

LONGEST = 90
"""Signs of what a record says that a title repeats."""
MOST_DRUGS = 2
_REGULATORY = {
    EventType.ORIGINAL_APPROVAL: "approval",
    EventType.BIOSIMILAR_APPROVAL: "approval of a biosimilar",
    EventType.GENERIC_APPROVAL: "approval of a generic",
    EventType.TENTATIVE_APPROVAL: "tentative approval",
    EventType.COMPLETE_RESPONSE: "complete response letter",
    EventType.DECISION_EXPECTED: "decision expected",
    EventType.SUPPLEMENT_EFFICACY: "approval of an efficacy supplement",
    EventType.SUPPLEMENT_LABELING: "labeling supplement",
    EventType.SUPPLEMENT_MANUFACTURING: "manufacturing supplement",
    EventType.SUPPLEMENT_OTHER: "supplement of another class",
    EventType.SUPPLEMENT_UNCLASSED: "supplement, class not reported",
    EventType.SAFETY_LETTER: "letter to those who treat",
    EventType.BOXED_WARNING: "new boxed warning",
}
_DEALS = {
    EventType.LICENSE: ("{giver} licenses {asset} to {taker}", "{taker} in-licenses {asset}"),
    EventType.NEWCO: (
        "{giver} licenses {asset} to {taker}, a new company",
        "{taker}, a new company, in-licenses {asset}",
    ),
    EventType.OPTION: (
        "{giver} grants {taker} an option on {asset}",
        "{taker} takes an option on {asset}",
    ),
    EventType.CO_DEVELOPMENT: (
        "{giver} and {taker} co-develop {asset}",
        "{taker} co-develops {asset}",
    ),
    EventType.ACQUISITION: ("{taker} acquires {giver}", "{taker} acquires {asset}"),
    EventType.ASSET_PURCHASE: ("{taker} buys {asset} from {giver}", "{taker} buys {asset}"),
    EventType.RIGHTS_RETURN: (
        "{taker} returns rights to {asset} to {giver}",
        "{taker} returns rights to {asset}",
    ),
}
"""What a deal is called where the other party is reported, and where it is not."""
_OTHER_DEAL = ("{giver} and {taker} partner on {asset}", "{taker} partners on {asset}")
_TRIAL = {
    EventType.TRIAL_START: "trial started",
    EventType.TRIAL_RESULTS_POSTED: "trial: results posted",
    EventType.READOUT_EXPECTED: "trial, primary completion planned",
}
_STATUS = {
    "ACTIVE_NOT_RECRUITING": "active, not recruiting",
    "ENROLLING_BY_INVITATION": "enrolling by invitation",
    "NOT_YET_RECRUITING": "not yet recruiting",
}
_CHANGED = {
    EventType.TRIAL_COMPLETION_CHANGE: "completion",
    EventType.TRIAL_ENROLLMENT_CHANGE: "size",
    EventType.TRIAL_PRIMARY_COMPLETION_CHANGE: "primary completion",
    EventType.TRIAL_PRIMARY_ENDPOINT_CHANGE: "primary endpoint",
    EventType.TRIAL_STATUS_CHANGE: "status",
}


def name_drugs(development: Development) -> str:
    """Return the drugs of a development, with the brand; as written where none is known."""
    if not development.drugs:
        return unmark(development.event.drugs[0]) if development.event.drugs else ""
    names = [unmark(drug.name) for drug in development.drugs[:MOST_DRUGS]]
    more = len(development.drugs) - len(names)
    text = " and ".join(names) if not more else f"{', '.join(names)} and {more} more"
    return f"{text} ({unmark(development.brand)})" if development.brand else text


def number_of(development: Development) -> str:
    """Return the number of its trial; "" for what is no event of a trial."""
    return development.event.lead.subject.rpartition(":")[2] if development.is_of_trial else ""


def title_of(development: Development) -> str:
    """Return what happened, to what, where."""
    if development.is_of_trial:
        return _of_trial(development)
    name, after = name_drugs(development), _cut(development.event.lead.after)
    region = development.region
    match development.type:
        case _ if development.is_deal:
            deal_text = _of_deal(development)
        case EventType.FILING:
            naming = f", naming {name}" if name else ""
            filer = unmark(development.company) or "a company"
            deal_text = f"{after or 'Filing'} of {filer}{naming}"
        case EventType.REGULATORY_NOTICE:
            about = name or next((unmark(each.name) for each in development.diseases), "")
            deal_text = f"{region} notice{about and f', naming {about}'}: {after}"
        case EventType.PATENT_GRANTED:
            deal_text = ": ".join(filter(None, ("Patent granted", after, name)))
        case EventType.DESIGNATION:
            about = name or unmark(development.note) or "drug not named"
            deal_text = f"{region} {after} designation: {about}"
        case EventType.LABEL_CHANGE | EventType.BOXED_WARNING:
            sections = dict.fromkeys(_cut(event.lead.after) for event in development.events)
            deal_text = f"{region} label change ({', '.join(filter(None, sections))}): {name}"
        case EventType.ADVISORY_COMMITTEE:
            deal_text = f"{region} advisory committee ({after}): {name}"
        case EventType.APPROVAL_ENDED:
            status = after.removeprefix("approval ") or "ended"
            deal_text = f"{region} approval {status}: {name or _of_record(development)}"
        case kind:
            words = _REGULATORY.get(kind) or after or event_types()[kind].title
            deal_text = f"{region} {words}: {name or _of_record(development)}"
    record_ids = {told.record_id for event in development.events for told in event.told}
    is_unconfirmed = bool(record_ids) and all(map(is_accepted, record_ids))
    return _begin(f"{deal_text} (not confirmed)" if is_unconfirmed else deal_text)


def _of_deal(development: Development) -> str:
    """Return who gives whom which right to what, and where, as far as reported."""
    lead = development.event.lead
    taker = group_on(lead.after, development.day) if lead.after else ""
    givers = [unmark(name) for name in development.companies if name != taker]
    if development.type == EventType.ACQUISITION and not givers:  # part of its buyer by now
        buyer = {fold_name(taker), fold_name(lead.after)}
        givers = [
            unmark(name) for name in development.event.companies if fold_name(name) not in buyer
        ]
    target = development.targets[0] if len(development.targets) == 1 else ""
    asset = name_drugs(development)
    both, alone = _DEALS.get(development.type, _OTHER_DEAL)
    names = {
        "giver": givers[0] if givers else "",
        "taker": unmark(taker) or "a company",
        "asset": f"{asset} ({unmark(target)})" if asset and target else asset or "assets",
    }
    is_company = development.type == EventType.ACQUISITION and bool(givers)
    where = f", {unmark(lead.region)}" if lead.region and not is_company else ""
    return f"{(both if givers else alone).format(**names)}{where}"


def _of_record(development: Development) -> str:
    """Return the application where no drug is named."""
    return development.event.lead.subject.removeprefix("name:").upper()


def _of_trial(development: Development) -> str:
    stage = OF_PHASE.get(development.phase)
    phase = phase_words(stage).capitalize() if stage else ""
    disease = unmark(development.diseases[0].name) if development.diseases else ""
    where = (
        " in ".join(filter(None, (name_drugs(development), disease)))
        or "drug and disease not named"
    )
    number = number_of(development)
    if development.type in _CHANGED:
        changes = "; ".join(_change(event) for event in development.events)
        return _begin(f"{phase} trial changed ({changes}): {where}, {number}")
    if development.type == EventType.TRIAL_STOP:
        word, _, reason = development.event.lead.after.partition(": ")
        why = f" ({_cut(reason)})" if reason else ""
        return _begin(f"{phase} trial {word.lower() or 'stopped'}{why}: {where}, {number}")
    return _begin(f"{phase} {_TRIAL.get(development.type, 'trial')}: {where}, {number}")


def _begin(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:]


def _change(event: Event) -> str:
    lead = event.lead
    before, after = (
        _STATUS.get(value, value.replace("_", " ").lower() if value.isupper() else _cut(value))
        for value in (lead.before, lead.after)
    )
    what = _CHANGED.get(EventType(event.type), "record")
    return f"{what} from {before} to {after}" if before else f"{what} now {after}"


def _cut(text: str) -> str:
    return shorten(unmark(text), LONGEST)


def words_of(development: Development) -> Iterator[str]:
    """Yield phrases with digits that state nothing but what a title repeats of the records."""
    for event in development.events:
        yield from filter(None, (_cut(event.lead.before), _cut(event.lead.after)))
    yield from (unmark(disease.name) for disease in development.diseases)
    yield from (text for text in development.targets)
    yield from filter(None, (unmark(development.note), development.brand, _of_record(development)))
    stage = OF_PHASE.get(development.phase)
    yield from (phase_words(stage).capitalize(),) if stage else ()
