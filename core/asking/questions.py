"""A question read by rules: what it names, which agent answers, or why none does.

The order is fixed: what no workbench answers (advice, forecasts, other topics); words that ask for
one agent; then what is named. A drug alone is asked for its news, a company for its assets, a
target, disease or kind of drug for its landscape.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from core.asking.filling import (
    FORM_AGENTS,
    SETTING_AGENTS,
    Subject,
    fill,
    find_comparators,
    list_assumed,
    list_offers,
)
from core.asking.plans import MOST_RUNS, Plan
from core.asking.records import Refusal
from core.asking.words import PHRASES, find_refusal, find_route, find_words, without_ask_words
from core.briefs.developments.question import held_by
from core.briefs.entities.asking import find_page
from core.briefs.entities.identifying import Library, identify
from core.evidence.readers.questions.parsed import WORD, ParsedText
from core.evidence.readers.questions.reading import parse_text, split_events
from core.records.entities import Entity
from core.records.evidence_pack import TextQuery
from core.records.names import fold_name
from core.vocabulary.event_types import EventType
from core.vocabulary.modalities import load_stems
from core.vocabulary.phrase_words import phrase_pattern
from core.vocabulary.regulators import agencies_of

NEWS, LANDSCAPE, COMPANY = "new-developments", "competitive-landscaping", "company-asset-searcher"
DEALS = "deal-sourcing"
_ON_EVIDENCE = frozenset({NEWS, LANDSCAPE, COMPANY})
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s\b")
_CAPITALIZED = re.compile(r"\b[A-Z][\w-]{2,}(?: [A-Z][\w&-]+){0,3}")
_LONGEST_TICKER = 5
_MOST_CAPITALIZED = 6
"""Words in capital letters that are tried as companies."""
_CODE = re.compile(r"[A-Za-z]{2,}-?\d{2,}\w*")
_SHORTEST_NAME = 7
"""Letters of a word that is taken for an unknown drug by the stem it ends with."""
_LONGEST_WHOLE = 12
"""Words among which a name is looked for by leaving out ever more of the others."""
_MOST_UNREAD = 0.5
"""Share of a question's words that may be left over before the rest is taken for chance."""
_NEGATION = re.compile(
    rf"\b(?P<no>{phrase_pattern('refuses what follows')})\s+(?!only\b|(?:\w+ )*ph(?:ase)?\b)"
    r"[^\s?]+(?: [^\s?]+)?",
    re.IGNORECASE,
)
_PAGES = {"asset.py": ("drug", "id"), "company.py": ("company", "id")}
_DID = re.compile(r"\bdid\b", re.IGNORECASE)
_RIVALS = re.compile(r"\b(?:competitors?|rivals?|compet(?:e|es|ing|ed))\b", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """A question as the rules read it.

    Attributes:
        text: The question.
        subject: What it is about.
        plan: What the rules run, or why nothing.
        is_settled: Whether nothing of it is open to another reading.
    """

    text: str
    subject: Subject
    plan: Plan
    is_settled: bool = False


def read_question(text: str, library: Library, allowed: Collection[str]) -> Reading:
    """Return what the rules make of a question.

    Args:
        text: The question.
        library: Evidence, names and the day.
        allowed: Agents that the caller may run.
    """
    text = " ".join(text.split())
    reading = _read(text, read_subject(text, library), allowed)
    return replace(reading, plan=replace(reading.plan, about=reading.subject.entities))


def _read(text: str, subject: Subject, allowed: Collection[str]) -> Reading:
    agent, is_of_drugs = find_route(text, has_drugs=bool(subject.names("drug")))
    if refusal := find_refusal(text):
        plan = Plan(cannot="not_an_agents", help=PHRASES.fill(refusal))
        return Reading(text, subject, plan, is_settled=True)
    if agent in FORM_AGENTS:
        offers = (fill(agent, subject), *list_offers(subject, [agent]))
        plan = Plan(offers=offers, cannot="not_an_agents", help=PHRASES.fill(f"form {agent}"))
        return Reading(text, subject, plan, is_settled=True)
    if _RIVALS.search(text) and subject.names("company") and not subject.names("drug"):
        named = tuple(entity for entity in subject.entities if entity.kind != "company")
        own = subject.name("company")  # whose drugs are not among its rivals
        subject = replace(subject, entities=named, is_whole=False, without=own)
    refused = _refuse(text, subject, agent)
    plan = refused or plan_runs(subject, agent, allowed, is_of_drugs=is_of_drugs)
    return Reading(text, subject, plan, is_settled=plan.cannot == "not_an_agents")


def _refuse(text: str, subject: Subject, agent: str) -> Plan | None:
    """Return why no agent answers what a question names, or does not name; None where one does."""
    drug = subject.name("drug")
    if not drug and (unknown := [*_find_unknown(subject)]):
        names = ", ".join(f"“{name}”" for name in unknown)
        found = subject.library.evidence.search(TextQuery(groups=[unknown[:1]], limit=1))
        if found:
            help_text = PHRASES.fill("named", names=names, title=found[0].title)
            return Plan(cannot="not_an_agents", help=help_text)
        return Plan(cannot="not_covered", help=PHRASES.fill("unknown", names=names))
    page = next((row for row, _ in find_words("page", text)), None)
    name = drug or (subject.name("company") if page and page.field else "")
    if page and name and agent not in SETTING_AGENTS:
        help_text = PHRASES.fill("page", name=name, tab=page.value if drug else page.field)
        return Plan(offers=tuple(list_offers(subject, ())), cannot="not_an_agents", help=help_text)
    if _says_enough(subject, agent):
        return None
    is_of_rivals = _RIVALS.search(text) and not subject.is_whole
    return Plan(cannot="unclear", help=PHRASES.fill("rivals" if is_of_rivals else "unclear"))


def read_subject(text: str, library: Library) -> Subject:
    """Return what a question is about, possessives of names read as the names."""
    parsed = parse_question(text, library)
    if any(_POSSESSIVE.search(word) for word in parsed.words) or not parsed.names_something:
        plain = _POSSESSIVE.sub("", text)
        other = parse_question(plain, library) if plain != text else parsed
        if len(_entities(other)) > len(_entities(parsed)):
            text, parsed = plain, other
    others: list[Entity] = []
    for name, entity in _find_left(text, parsed, library):
        named = text.replace(name, entity.name) if entity.kind == "company" else text
        read = parse_question(named, library)
        if entity.name in read.companies:  # as agents know it: "ABBV" is AbbVie
            text, parsed = named, read
            continue
        others.append(entity)
        parsed = parse_question(text.replace(name, " "), library)  # "Altimmune": not "autoimmune"
    entities = (*_entities(parsed), *others)
    if not entities and not parsed.modalities:
        entities = tuple(_find_whole(text, library))
    return Subject(text, parsed, entities, library)


def _find_left(text: str, parsed: ParsedText, library: Library) -> Iterator[tuple[str, Entity]]:
    """Yield companies and drugs among the words that were left over or read as other ones.

    A company is called by a word of its name or by its ticker, a drug by its code.
    """
    unsure = " ".join((*parsed.words, *(x.said for x in parsed.changes if x.why == "mended")))
    runs = dict.fromkeys(_CAPITALIZED.findall(without_ask_words(text)))
    for run in [*runs][:_MOST_CAPITALIZED]:
        if run.split()[0] not in unsure or run not in text:
            continue
        company = identify("company", run, library).entity
        words = {word.casefold() for word in WORD.findall(company.name)} if company else set()
        is_ticker = run.isupper() and len(run) <= _LONGEST_TICKER
        if company and (is_ticker or words & {word.casefold() for word in WORD.findall(run)}):
            yield run, company
        elif _CODE.fullmatch(run) and (drug := identify("drug", run, library).entity):
            yield run, drug


def parse_question(text: str, library: Library) -> ParsedText:
    """Return a question as the rules read it."""
    return parse_text(text, library.resolver, held_by(library.evidence, library.resolver))


def _entities(parsed: ParsedText) -> tuple[Entity, ...]:
    targets = [Entity("target", target.text, target.text) for target in parsed.targets]
    diseases = [Entity("disease", each.key, each.label) for each in parsed.diseases if each.key]
    named = sorted(parsed.drugs, key=lambda drug: parsed.text.find(drug.said))
    drugs = [Entity("drug", drug.key, drug.label) for drug in named if drug.key]
    names = sorted(parsed.companies, key=lambda name: parsed.text.find(name.split()[0]))
    companies = [Entity("company", name, name) for name in names]
    return tuple(dict.fromkeys((*drugs, *targets, *diseases, *companies)))


def _find_whole(text: str, library: Library) -> Iterator[Entity]:
    """Yield the company or drug that is left of a question without the words that only ask.

    A ticker counts in capital letters alone: "help" asks for no company.
    """
    rest = without_ask_words(text).strip(" ?.!,") or text
    if len(rest.split()) > _LONGEST_WHOLE:
        return
    page = find_page(rest, library)
    if page.page not in _PAGES:
        return
    kind, param = _PAGES[page.page]
    name = str(page.params[param])
    words = {word[0].casefold() for word in WORD.finditer(page.label)}
    is_ticker = not words & {word[0].casefold() for word in WORD.finditer(text)}
    if not is_ticker or any(word[0].isupper() for word in WORD.finditer(text) if len(word[0]) > 1):
        yield Entity(kind, name, page.label)  # type: ignore[arg-type]


def _find_unknown(subject: Subject) -> Iterator[str]:
    """Yield words left over that are formed like a name of a drug, or written like any name."""
    stems = [stem.stem for stem in load_stems() if len(stem.stem) > 2]
    known = " ".join(entity.name for entity in subject.entities).casefold()
    first = next(iter(WORD.findall(subject.text)), "")
    for word in subject.unread:
        if word.casefold() in known:
            continue
        is_drug = len(word) >= _SHORTEST_NAME and word.casefold().endswith(tuple(stems))
        is_name = word[0].isupper() and word != first and not subject.entities
        if is_drug or is_name or _CODE.fullmatch(word):
            yield word


def _says_enough(subject: Subject, agent: str) -> bool:
    """Return whether something is named, and not by chance among words that nobody reads.

    Events of some days or of some type may be anybody's, "approvals in 2026", but for readouts,
    which are planned by the hundreds.
    """
    outcomes = " ".join(said for _, said in find_words("instead", subject.text))
    left = [word for word in subject.unread if word not in outcomes]
    types, span, _ = subject.events
    if not (subject.entities or subject.parsed.modalities):
        is_of_days = span and (agent == NEWS or subject.parsed.stages or outcomes)
        return (
            bool(types or is_of_days) and not left and EventType.TRIAL_RESULTS_POSTED not in types
        )
    n_words = len(WORD.findall(subject.text))
    is_chance = len(left) > 2 and len(left) > _MOST_UNREAD * n_words
    return not is_chance and (bool(subject.entities) or len(left) < 2)


def choose_agent(subject: Subject, agent: str) -> str:
    """Return which agent answers, by words that ask for one, else by what is named."""
    drugs, companies = subject.names("drug"), subject.names("company")
    fields = subject.names("target") or subject.names("disease")
    types, span, _ = subject.events
    parsed = subject.parsed
    is_of_companies = len(companies) > 1 or not (fields or drugs or parsed.modalities)
    is_signed = EventType.DEAL_OTHER in types or (companies and _DID.search(subject.text))
    if agent == DEALS and (is_of_companies or is_signed):
        return NEWS  # "deals of Akeso": what it signed, not what it could sign
    if agent == LANDSCAPE and companies and not fields and not drugs:
        return COMPANY
    if agent:
        return agent
    is_of_days = span and (not subject.entities or "DISCONTINUED" in parsed.stages)
    if not parsed.not_stages and (types or is_of_days):
        return NEWS
    if companies and not (drugs or fields):
        return LANDSCAPE if parsed.stages == ("DISCONTINUED",) else COMPANY
    return NEWS if drugs and not fields and not parsed.intents else LANDSCAPE


def _ask(subject: Subject, agent: str, *, is_of_drugs: bool) -> tuple[str, Subject]:
    """Return the agent that knows most of a question's words, and the question as it is asked."""
    parsed, (types, span, _) = subject.parsed, subject.events
    if agent == NEWS and "APPROVED" in parsed.stages and subject.view and not (types or span):
        agencies = {*parsed.agencies, *agencies_of(parsed.regions)}
        approvals = (x for x in subject.view.events if x.type == EventType.ORIGINAL_APPROVAL)
        if not any(not agencies or approval.region in agencies for approval in approvals):
            agent, is_of_drugs = LANDSCAPE, True
    if is_of_drugs and agent == LANDSCAPE and subject.names("drug"):
        return agent, _ask_of_drugs(subject)
    rows = [*find_words("instead", subject.text)]
    for row, said in [pair for pair in rows if pair[0].agent == agent] or rows:
        is_asked = row.agent == agent or (row.field and {row.agent, agent} <= _ON_EVIDENCE)
        is_over = row.agent == LANDSCAPE and "DISCONTINUED" in parsed.stages
        if is_asked and not row.value:
            return agent, replace(subject, stops=said)
        if is_asked and not (is_over if row.field else types):  # what the agent reads itself
            query = " ".join(f"{row.value} {subject.text.replace(said, ' ')}".split())
            lost, instead = ((said,), row.value) if row.field else ((), "")
            return row.agent, replace(subject, query=query, lost=lost, instead=instead)
    against = find_comparators(parsed) if agent in SETTING_AGENTS else {}
    if against:
        return agent, replace(subject, stops=next(iter(against.values())))
    negated = _find_unapplied(subject, agent)
    return agent, replace(subject, stops=negated, lost=(negated,) if negated else ())


def _ask_of_drugs(subject: Subject) -> Subject:
    """Return how the landscape is asked about drugs alone: their stage, owner, target and kind."""
    parsed = subject.parsed
    places = [*parsed.agencies, *parsed.regions] if "APPROVED" in parsed.stages else []
    query = replace(subject, is_whole=False).words
    query += f" approved in {' and '.join(places)}" * bool(places)
    others = {"refused", "population", "route", *(("region", "agency") if not places else ())}
    lost = tuple(piece.said for piece in parsed.pieces if piece.became in others)
    return replace(subject, query=query, is_of_drugs=True, lost=lost)


def _find_unapplied(subject: Subject, agent: str) -> str:
    """Return a negation that the agent's request does not carry; "" where it carries all."""
    if agent == DEALS:
        return ""  # it reads "without a partner" itself
    refused = [piece.said for piece in subject.parsed.pieces if piece.became == "refused"]
    if agent not in {LANDSCAPE, NEWS}:
        return next(iter(refused), "")
    text = split_events(subject.text, subject.library.resolver)[1]
    for match in _NEGATION.finditer(text if agent == NEWS else subject.text):
        if not any(said.casefold().startswith(match["no"].casefold()) for said in refused):
            return match[0]
    return ""


def plan_runs(
    subject: Subject, agent: str, allowed: Collection[str], *, is_of_drugs: bool = False
) -> Plan:
    """Return the requests that answer a question by rules, and forms for what comes next."""
    whole = subject
    agent, subject = _ask(subject, choose_agent(subject, agent), is_of_drugs=is_of_drugs)
    parts = _split(subject, agent)
    runs = tuple(fill(agent, part) for part in parts[:MOST_RUNS])
    offers = tuple(list_offers(whole, [agent]))
    missing = dict.fromkeys(name.replace("_", " ") for run in runs for name in run.missing)
    if agent not in allowed:
        return Plan(offers=runs + offers, cannot="not_an_agents", help=PHRASES.fill("key"))
    if subject.stops:
        help_text = PHRASES.fill("stops", words=subject.stops)
        cannot: Refusal = "unclear" if subject.lost else "not_an_agents"  # others may carry it
        return Plan(offers=runs + offers, cannot=cannot, help=help_text)
    if missing:
        help_text = PHRASES.fill("missing", words=", ".join(missing))
        return Plan(offers=runs + offers, cannot="unclear", help=help_text)
    said = " ".join(subject.lost)
    left = (x for x in subject.unread if x not in said and not _POSSESSIVE.search(x))
    warnings: dict[str, Iterable[str]] = {
        "assumed": list_assumed(runs[0], subject),
        "instead" if subject.instead else "not_read": (*subject.lost, *left),
        "read_as": _list_owners(subject.parsed),
        "not_run": (part.entities[0].name for part in parts[MOST_RUNS:]),
    }
    told = {name: ", ".join(dict.fromkeys(words)) for name, words in warnings.items()}
    slots = {"instead": subject.instead, "most": MOST_RUNS}
    notices = (PHRASES.part(name, words=words, **slots) for name, words in told.items() if words)
    return Plan(runs, offers, warnings=tuple(notices))


def _list_owners(parsed: ParsedText) -> Iterator[str]:
    """Yield the names of companies that are read as others, which own them or are they today."""
    for piece in parsed.pieces:
        said, group = (fold_name(text) for text in (piece.said, piece.meant))
        if piece.became == "company" and len(said) > _LONGEST_TICKER and said[:4] not in group:
            yield f"{piece.said} as {piece.meant}"


def _split(subject: Subject, agent: str) -> list[Subject]:
    """Return the parts of a question that are asked apart: each company, each drug."""
    kinds = {COMPANY: "company", NEWS: "drug", **dict.fromkeys(SETTING_AGENTS, "drug")}
    kind = kinds.get(agent)
    against = find_comparators(subject.parsed) if agent in SETTING_AGENTS else {}
    several = [each for each in subject.entities if each.kind == kind and each.id not in against]
    if len(several) < 2:
        return [subject]
    others = tuple(entity for entity in subject.entities if entity.kind != kind)
    part = replace(subject, is_whole=False, query="")
    return [replace(part, entities=(each, *others)) for each in several]
