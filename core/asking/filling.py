"""Requests of agents, filled from what a question names and what the evidence has of it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pydantic import JsonValue, ValidationError

from core.asking.plans import Filled
from core.asking.words import PHRASES, find_value, without_ask_words
from core.briefs.entities.identifying import Library
from core.briefs.entities.profiles import DrugProfile
from core.briefs.entities.steps import Step, company_steps, drug_steps, field_steps
from core.briefs.entities.views import DrugView, read_drug
from core.briefs.settings import make_area
from core.evidence.readers.questions.parsed import ParsedText
from core.evidence.readers.questions.reading import split_events
from core.records.entities import Entity, EntityKind
from core.records.programs import Program
from core.records.stages import STAGE_WORDS
from core.registry import all_agents
from core.vocabulary.amounts import find_bound
from core.vocabulary.event_types import EventType
from core.vocabulary.time_spans import Span, take_span

LONGEST_LOOKBACK, RECENT = 365, 91
NEW_USE = "phase 2"
"""Stage of a use that no record knows."""
AGENCY = "FDA"
SETTING_AGENTS = ("clinical-trial-design", "label-strategy")
_AGAINST = (
    r"\b(?:against|versus|vs\.?|over|than|(?:inferior|superior)(?:ity)? to|relative to|or with|"
    r"compar\w+ (?:\S+ ){0,4}(?:to|with))"
)
_TRIAL = re.compile(
    r"\bphase \S+ (?:\w+ ){0,2}(?:trial|study)|\b(?:design|plan|run) an? phase", re.IGNORECASE
)
_BEFORE = {"phase 1": "preclinical", "phase 1/2": "preclinical", "phase 2": "phase 1"}
"""Stage of a drug whose next trial is of a phase."""
_EARLY = frozenset({"PRECLINICAL", "DISCOVERY"})
FORM_AGENTS = ("alerts", "attribution-engine", "compound-map", "differential-expression")
"""They need a file, or change what an account keeps: the form is filled, nothing runs."""


@dataclass(frozen=True)
class Subject:
    """What a question is about.

    Attributes:
        text: The question, as agents are asked.
        parsed: As the rules read it.
        entities: What of it a request is about; all that it names, or some.
        is_whole: Whether these are all, so that agents are asked with the question's own words.
        library: Evidence, names and the day.
        query: Words that agents are asked in the place of the question's own; "" for none.
        is_of_drugs: Whether the drugs named are asked about alone.
        without: Company whose drugs the answer leaves out; "" for none.
        lost: Words of the question that the agent is asked without.
        instead: What it is asked for in their place; "" for nothing.
        stops: Words without which no answer is worth giving; "" for none.
    """

    text: str
    parsed: ParsedText
    entities: tuple[Entity, ...]
    library: Library
    is_whole: bool = True
    query: str = ""
    is_of_drugs: bool = False
    without: str = ""
    lost: tuple[str, ...] = ()
    instead: str = ""
    stops: str = ""

    def names(self, kind: EntityKind) -> list[str]:
        """Return the names of the entities of a kind."""
        return [entity.name for entity in self.entities if entity.kind == kind]

    def name(self, kind: EntityKind) -> str:
        """Return the name of the first entity of a kind; "" where there is none."""
        return next(iter(self.names(kind)), "")

    @property
    def words(self) -> str:
        """Return what an agent that reads questions is asked."""
        if self.query or self.is_whole:
            return self.query or self.text
        drugs, companies = " and ".join(self.names("drug")), " and ".join(self.names("company"))
        subjects = filter(None, (*self.names("target"), drugs, companies))
        return " in ".join(filter(None, (" ".join(subjects), " ".join(self.names("disease")))))

    @cached_property
    def events(self) -> tuple[tuple[EventType, ...], Span | None, str]:
        """Return the types of events and the days that the question names, and its other words."""
        types, text = split_events(self.text, self.library.resolver)
        if amount := find_bound(text):
            text = f"{text[: amount.start]} {text[amount.end :]}"
        span, text = take_span(text, self.library.as_of)
        return types, span, text

    @property
    def unread(self) -> list[str]:
        """Return the words that neither the rules of questions nor those of agents read."""
        others = without_ask_words(self.events[2])
        left = (word for words in self.parsed.words for word in words.split())
        return [word for word in left if word in others]

    @cached_property
    def view(self) -> DrugView | None:
        """Return all about the first drug; None where there is none."""
        drug = next((entity for entity in self.entities if entity.kind == "drug"), None)
        return read_drug(drug.id, self.library) if drug else None

    @property
    def program(self) -> Program | None:
        """Return the program of the drug in the disease asked about, or its furthest one."""
        drug: DrugProfile | None = self.view.drug if self.view else None
        if drug is None:
            return None
        if not self.parsed.diseases:
            return drug.top_program
        area = make_area(self.parsed.diseases[0], self.library.resolver)
        return next((program for program in drug.programs if area.holds(program)), None)


def fill(agent: str, subject: Subject, closed: Mapping[str, JsonValue] | None = None) -> Filled:
    """Return an agent's request about a subject.

    Args:
        agent: Its name.
        subject: The question, or the part of it that is meant.
        closed: Words of closed lists for fields of which the question says nothing.
    """
    asked = _FILLERS[agent](subject) if agent in _FILLERS else {}
    said = {name: value for name, value in asked.items() if value}
    filled = check(Filled(agent, "", {**(closed or {}), **said}), subject)
    filled = replace(filled, without=subject.without)
    if not subject.is_of_drugs:
        return filled
    named = [each for each in subject.entities if each.kind == "drug"]
    views = ((each.name, read_drug(each.id, subject.library)) for each in named)
    return replace(filled, drugs=tuple(view.drug.name if view else name for name, view in views))


def list_assumed(filled: Filled, subject: Subject) -> list[str]:
    """Return what of a request the question does not say and no record tells."""
    parsed, values = subject.parsed, filled.request
    assumed = []
    if filled.agent in SETTING_AGENTS:
        if not parsed.agencies:
            assumed.append(f"agency {values.get('geography')}")
        if not parsed.stage_words and subject.program is None:
            assumed.append(f"stage {values.get('development_stage')}")
    return assumed


def check(filled: Filled, subject: Subject) -> Filled:
    """Return a request without empty fields, with the required ones that are still missing."""
    agent = all_agents()[filled.agent]
    values = {
        name: value
        for name, value in filled.request.items()
        if value not in ("", [], None) and name in agent.request.model_fields
    }
    missing, label = list[str](), PHRASES.get(filled.agent, agent.title)
    try:
        label = f"{label}: {agent.label(agent.request.model_validate(values))}"
    except ValidationError as failure:
        missing = [str(error["loc"][0]) for error in failure.errors() if error["loc"]] or ["file"]
        label = f"{label} (to complete)"
    absent = tuple(dict.fromkeys(missing))
    return Filled(filled.agent, label, values, absent, subject.entities)


def _lookback(subject: Subject) -> dict[str, JsonValue]:
    """Return how far back news counts: as the question says, else a year; a quarter of all news."""
    span, as_of = subject.events[1], subject.library.as_of
    days = LONGEST_LOOKBACK if subject.entities or subject.parsed.modalities else RECENT
    if span and span.first < as_of:
        days = (as_of - span.first).days
    return {"lookback_days": min(days, LONGEST_LOOKBACK)}


def find_comparators(parsed: ParsedText) -> dict[str, str]:
    """Return the keys of drugs that others are to be measured against, with the words."""
    found = (
        (drug.key, re.search(rf"{_AGAINST}\s+{re.escape(drug.said)}", parsed.text, re.IGNORECASE))
        for drug in parsed.drugs
    )
    return {key: match[0] for key, match in found if match}


def _known(subject: Subject, agent: str) -> dict[str, object]:
    """Return what a page of the first drug asks of an agent; nothing where there is no drug."""
    if subject.view is None:
        return {}
    steps = drug_steps(subject.view.drug, subject.program)
    return dict(next(step.asked for step in steps if step.agent == agent))


def _fill_setting(subject: Subject) -> dict[str, JsonValue]:
    """Return asset, disease and setting: of a known drug as its records have them."""
    parsed, target = subject.parsed, "; ".join(subject.names("target"))
    others = find_comparators(parsed)
    own = replace(subject, entities=tuple(x for x in subject.entities if x.id not in others))
    kinds = (piece.meant for piece in parsed.pieces if piece.became == "modality")
    modality = next(kinds, "").partition("|")[0]
    acts = " ".join(filter(None, (target, next(iter(parsed.mechanisms), modality))))
    known = _known(own, "label-strategy") or {
        "asset_name": " ".join(filter(None, (target, modality))),
        "modality": modality,
        "mechanism_of_action": acts,
        "target": target,
    }
    if own.program is None:
        known["development_stage"] = NEW_USE
    markers = [piece for piece in parsed.pieces if piece.became == "biomarker" and piece.meant]
    disease = subject.name("disease")
    stage = next((STAGE_WORDS[stage] for stage in parsed.stage_words), "")
    asked = {
        "indication": " ".join([*(piece.said for piece in markers), disease] if disease else ()),
        "biomarker_strategy": "; ".join(piece.meant for piece in markers),
        "line_of_therapy": "; ".join(str(line) for line in parsed.lines),
        "development_stage": _BEFORE.get(stage, stage) if _TRIAL.search(parsed.text) else stage,
        "geography": ", ".join(parsed.agencies) or AGENCY,
    }
    return _merge(known, asked)


def _merge(known: Mapping[str, object], asked: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return the fields that say something, as the question has them, else as the records do."""
    values = {**known, **{name: value for name, value in asked.items() if value}}
    return {name: str(value) for name, value in values.items() if value}


def _fill_assay(subject: Subject) -> dict[str, JsonValue]:
    agent = "assay-development"
    asked = {
        "modality": find_value(agent, "modality", subject.text),
        "indication": subject.name("disease"),
        "target": "; ".join(subject.names("target")),
        "assay_goal": find_value(agent, "assay_goal", subject.text),
    }
    return _merge(_known(subject, agent), asked)


_FILLERS: Mapping[str, Callable[[Subject], dict[str, JsonValue]]] = {
    "alerts": lambda subject: {"action": "add_manual", "drug_name": subject.name("drug")},
    "assay-development": _fill_assay,
    "attribution-engine": lambda subject: {
        "companies": [{"name": name} for name in subject.names("company")]
    },
    "clinical-trial-design": _fill_setting,
    "company-asset-searcher": lambda subject: {"company": subject.name("company")},
    "competitive-landscaping": lambda subject: {
        "query": subject.words,
        "query_type": "preclinical" if _EARLY & {*subject.parsed.stages} else "clinical",
    },
    "compound-map": lambda subject: {"target": subject.name("target").partition(" x ")[0]},
    "deal-sourcing": lambda subject: {"thesis": subject.words},
    "label-strategy": _fill_setting,
    "new-developments": lambda subject: {"query": subject.words, **_lookback(subject)},
}


_FOLLOWING = (
    *("competitive-landscaping", "new-developments", "deal-sourcing", "company-asset-searcher"),
    *("label-strategy", "clinical-trial-design", "assay-development"),
)
"""Agents that may follow, where a page of the thing offers none."""


def list_offers(subject: Subject, without: Iterable[str]) -> list[Filled]:
    """Return forms for the next question about a subject, those that can be sent at once first.

    Args:
        subject: The question.
        without: Agents that answer it already.
    """
    taken = {*without}
    asked = (Filled(step.agent, "", dict(step.asked)) for step in _steps(subject))  # type: ignore[arg-type]
    offers = [check(filled, subject) for filled in asked]
    offers += [fill(agent, subject) for agent in _FOLLOWING]
    by_agent: dict[str, Filled] = {}
    for offer in offers:
        if offer.agent not in taken and offer.request.keys() - {"query_type", "lookback_days"}:
            by_agent.setdefault(offer.agent, offer)
    return sorted(
        by_agent.values(), key=lambda each: (each.agent in FORM_AGENTS, len(each.missing))
    )


def _steps(subject: Subject) -> Sequence[Step]:
    """Return what can be asked next about the first thing that a question names."""
    if subject.view is not None:
        return drug_steps(subject.view.drug, subject.program, subject.view.events)
    target, disease = subject.name("target"), subject.name("disease")
    if target or disease:
        return field_steps(target, disease)
    if company := subject.name("company"):
        return company_steps(company, None)
    return ()
