"""A question read by rules: what it names, which agent answers, or why none does.

The order is fixed: what no workbench answers (advice, forecasts, other topics); words that ask for
one agent; then what is named. A drug alone is asked for its news, a company for its assets, a
target, disease or kind of drug for its landscape.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from core.asking.filling import (
    FORM_AGENTS,
    SETTING_AGENTS,
    Subject,
    fill,
    list_assumed,
    list_offers,
)
from core.asking.plans import MOST_RUNS, Plan
from core.asking.words import find_agent_words, find_refusal, without_ask_words
from core.briefs.developments.question import held_by
from core.briefs.entities.asking import find_page
from core.briefs.entities.identifying import Library, identify
from core.evidence.readers.questions.parsed import WORD, ParsedText
from core.evidence.readers.questions.reading import parse_text, split_events
from core.records.entities import Entity
from core.vocabulary.modalities import load_stems

NEWS, LANDSCAPE, COMPANY = "new-developments", "competitive-landscaping", "company-asset-searcher"
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s\b")
_CAPITALIZED = re.compile(r"\b[A-Z][\w-]{3,}(?: [A-Z][\w&-]+){0,3}")
_MOST_CAPITALIZED = 6
"""Words in capital letters that are tried as companies."""
_CODE = re.compile(r"[A-Za-z]{2,}-?\d{2,}\w*")
_SHORTEST_NAME = 7
"""Letters of a word that is taken for an unknown drug by the stem it ends with."""
_LONGEST_WHOLE = 12
"""Words among which a name is looked for by leaving out ever more of the others."""
_MOST_UNREAD = 0.5
"""Share of a question's words that may be left over before the rest is taken for chance."""
_ENDED = re.compile(r"\b(?:lost|loses?|fail(?:ed|s)?|refused|rejected|withdr(?:ew|awn))\b", re.I)
_PAGES = {"asset.py": ("drug", "id"), "company.py": ("company", "id")}
REFUSALS = {
    "advice": "The workbench gives no medical or investment advice. Ask what trials, labels or "
    "deals say about a drug.",
    "forecast": "The workbench makes no forecasts of prices. Ask for catalysts ahead, or explain "
    "past stock moves with a file of returns.",
    "off topic": "The workbench answers questions about drugs, companies, targets, diseases, "
    "trials, labels and deals.",
}
UNCLEAR = "Name a drug, company, target or disease, and what you want to know about it."
RIVALS_WHERE = "Name the disease or target in which the company competes."
_RIVALS = re.compile(r"\b(?:competitors?|rivals?|compet(?:e|es|ing|ed))\b", re.IGNORECASE)
_FORMS = {
    "alerts": "An alert changes your account: check the filled form and set it there.",
    "attribution-engine": "Stock moves need a file of returns: upload it to the filled form.",
    "compound-map": "Compounds are read from patents or uploads: check the filled form and run it "
    "there.",
    "differential-expression": "Expression needs a table of counts and one of samples: upload them "
    "to the form.",
}


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
    refusal = find_refusal(text)
    if refusal:
        plan = Plan(cannot="not_an_agents", help=REFUSALS[refusal])
        return Reading(text, subject, plan, is_settled=True)
    agent = find_agent_words(text)
    if agent in FORM_AGENTS:
        form = fill(agent, subject)
        offers = (form, *list_offers(subject, [agent]))
        plan = Plan(offers=offers, cannot="not_an_agents", help=_FORMS[agent])
        return Reading(text, subject, plan, is_settled=True)
    unknown = list(_find_unknown(subject))
    if unknown and not subject.names("drug"):
        names = ", ".join(f"“{name}”" for name in unknown)
        help_text = f"Nothing in the evidence is called {names}. Check the spelling, or use a code."
        return Reading(text, subject, Plan(cannot="not_covered", help=help_text))
    if _RIVALS.search(text) and subject.names("company") and not subject.names("drug"):
        named = tuple(entity for entity in subject.entities if entity.kind != "company")
        if not named:
            return Reading(text, subject, Plan(cannot="unclear", help=RIVALS_WHERE))
        subject = replace(subject, entities=named, is_whole=False)  # not the company's own drugs
    if not _says_enough(subject):
        return Reading(text, subject, Plan(cannot="unclear", help=UNCLEAR))
    return Reading(text, subject, plan_runs(subject, agent, allowed))


def read_subject(text: str, library: Library) -> Subject:
    """Return what a question is about, possessives of names read as the names."""
    parsed = parse_question(text, library)
    if any(_POSSESSIVE.search(word) for word in parsed.words) or not parsed.names_something:
        plain = _POSSESSIVE.sub("", text)
        other = parse_question(plain, library) if plain != text else parsed
        if len(_entities(other)) > len(_entities(parsed)):
            text, parsed = plain, other
    for name, company in _find_companies(text, parsed, library):
        parsed = parse_question(text.replace(name, " "), library)  # "Altimmune" is not "autoimmune"
        return Subject(text, parsed, (*_entities(parsed), company), library)
    entities = _entities(parsed)
    if not entities and not parsed.modalities:
        entities = tuple(_find_whole(text, library))
    return Subject(text, parsed, entities, library)


def _find_companies(
    text: str, parsed: ParsedText, library: Library
) -> Iterator[tuple[str, Entity]]:
    """Yield companies among the words that were left over or read as other ones."""
    unsure = " ".join((*parsed.words, *(x.said for x in parsed.changes if x.why == "mended")))
    runs = dict.fromkeys(_CAPITALIZED.findall(without_ask_words(text)))
    for run in [*runs][:_MOST_CAPITALIZED]:
        if run.split()[0] not in unsure or run not in text:
            continue
        company = identify("company", run, library).entity
        words = {word.casefold() for word in WORD.findall(company.name)} if company else set()
        if company and words & {word.casefold() for word in WORD.findall(run)}:
            yield run, company


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
    left = " ".join(subject.parsed.words)
    for word in WORD.findall(subject.text):
        if word not in left or word.casefold() in known or not without_ask_words(word).strip():
            continue
        is_drug = len(word) >= _SHORTEST_NAME and word.casefold().endswith(tuple(stems))
        is_name = word[0].isupper() and word != first and not subject.entities
        if is_drug or is_name or _CODE.fullmatch(word):
            yield word


def _says_enough(subject: Subject) -> bool:
    """Return whether something is named, and not by chance among words that nobody reads."""
    if not (subject.entities or subject.parsed.modalities):
        return False
    left = without_ask_words(" ".join(subject.parsed.words)).split()
    n_words = len(WORD.findall(subject.text))
    is_chance = len(left) > 2 and len(left) > _MOST_UNREAD * n_words
    return not is_chance and (bool(subject.entities) or len(left) < 2)


def choose_agent(subject: Subject, agent: str) -> str:
    """Return which agent answers, by words that ask for one, else by what is named."""
    drugs, companies = subject.names("drug"), subject.names("company")
    fields = subject.names("target") or subject.names("disease")
    if agent == "deal-sourcing" and companies and not fields and not subject.parsed.modalities:
        return NEWS  # "deals of Akeso": what it signed, not what it could sign
    if agent == "competitive-landscaping" and companies and not fields and not drugs:
        return COMPANY
    if agent:
        return agent
    if split_events(subject.text, subject.library.resolver)[0]:
        return NEWS
    if companies and not (drugs or fields):
        return COMPANY
    return NEWS if drugs and not fields and not subject.parsed.intents else LANDSCAPE


def plan_runs(subject: Subject, agent: str, allowed: Collection[str]) -> Plan:
    """Return the requests that answer a question by rules, and forms for what comes next."""
    agent = choose_agent(subject, agent)
    parts = _split(subject, agent)
    runs = [fill(agent, part) for part in parts[:MOST_RUNS]]
    offers = list_offers(subject, [agent])
    if agent not in allowed:
        help_text = "This API key may not run the agent that answers; make a key for it."
        return Plan(offers=(*runs, *offers), cannot="not_an_agents", help=help_text)
    if missing := [name for run in runs for name in run.missing]:
        fields = ", ".join(name.replace("_", " ") for name in dict.fromkeys(missing))
        help_text = f"Missing from the question: {fields}. Add this, or complete the filled form."
        return Plan(offers=(*runs, *offers), cannot="unclear", help=help_text)
    assumed = [words for run in runs[:1] for words in list_assumed(run, subject)]
    warnings = (
        (assumed, "assumed: {}; say otherwise in the question or the form."),
        (_left_over(subject), "not_read: the answer takes no account of these words: {}."),
        (
            [part.entities[0].name for part in parts[MOST_RUNS:]],
            f"not_run: ask about these next: {{}}; a question covers {MOST_RUNS} names at most.",
        ),
    )
    told = tuple(text.format(", ".join(words)) for words, text in warnings if words)
    return Plan(tuple(runs), tuple(offers), warnings=told)


def _left_over(subject: Subject) -> list[str]:
    """Return the words that neither the rules of questions nor those of agents read.

    How something ended changes the question, so that it counts unless a stage was read from it.
    """
    left = without_ask_words(" ".join(subject.parsed.words)).split()
    left = [word for word in left if not _POSSESSIVE.search(word)]
    ended = () if "DISCONTINUED" in subject.parsed.stages else _ENDED.findall(subject.text)
    return list(dict.fromkeys((*left, *ended)))


def _split(subject: Subject, agent: str) -> list[Subject]:
    """Return the parts of a question that are asked apart: each company, each drug."""
    kinds = {COMPANY: "company", NEWS: "drug", **dict.fromkeys(SETTING_AGENTS, "drug")}
    kind = kinds.get(agent)
    several = [entity for entity in subject.entities if entity.kind == kind]
    if len(several) < 2:
        return [subject]
    others = tuple(entity for entity in subject.entities if entity.kind != kind)
    return [replace(subject, entities=(each, *others), is_whole=False) for each in several]
