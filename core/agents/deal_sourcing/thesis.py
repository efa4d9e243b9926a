"""An investment thesis as criteria: what a deal must meet, what is preferred, what is not read."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from core.agents.deal_sourcing.records import HardCriterion
from core.briefs.developments.question import held_by
from core.briefs.settings import Area, make_area
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.parsed import ParsedText, notices_of, warn_unfiltered
from core.evidence.readers.questions.reading import parse_text
from core.evidence_ports import EvidenceReader
from core.records.programs import TargetExpression
from core.records.stages import STAGE_WORDS, Stage
from core.vocabulary.thesis_words import load_terms
from core.vocabulary.time_spans import EARLIEST, take_span

_PHASES = re.compile(
    r"\bphases?\s+(1/2|[1-3]|I{1,3})\s*(?:or|and|to|-|\u2013)\s*(?:phase\s+)?([1-3]|I{1,3})\b",
    re.IGNORECASE,
)
APPLIED = ("routes", "not_routes", "regions", "not_regions", "territories", "not_stages")
"""Qualifiers by which deals are narrowed."""
GIVEN_UP: Stage = "DISCONTINUED"


@dataclass(frozen=True)
class Thesis:
    """A thesis as it was understood; every list given narrows, an empty one does not.

    Attributes:
        text: As it was read.
        parsed: Targets, diseases, kinds, stages, regions, companies and what is not wanted.
        areas: The diseases with their kinds.
        not_areas: Diseases that are not wanted, with their kinds.
        owners: Kinds of owners: "unlisted", "listed", "academic".
        partner: "none" where no partner may be there.
        stop: "business" or "any" where only stopped programs count.
        signals: Further signals asked for: "new sponsor", "exclusivity".
        kinds: Kinds of a modality that a record must name, such as "CAR-T".
        copies: Whether generics and biosimilars count.
        since: First day, or first year; "" for any.
        until: Last day, or last year; "" for any.
        soft: Words that are preferred.
        unread: What is asked for and the evidence does not hold, such as "cash runway".
        conflicts: Criteria that exclude each other.
        warnings: What was read otherwise than it was written, or not at all.
    """

    text: str
    parsed: ParsedText
    areas: tuple[Area, ...] = ()
    not_areas: tuple[Area, ...] = ()
    owners: tuple[str, ...] = ()
    partner: str = ""
    stop: str = ""
    signals: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    copies: bool = False
    since: str = ""
    until: str = ""
    soft: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that any record may carry: none, records alone name things."""
        return ()

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Return the stages asked for; a program given up is told by its stop."""
        return tuple(stage for stage in self.parsed.stages if stage != GIVEN_UP)

    @property
    def targets(self) -> tuple[TargetExpression, ...]:
        """Return the targets of which a drug must act on one."""
        return self.parsed.targets

    @property
    def regions(self) -> tuple[str, ...]:
        """Return the homes of owners, of which one must hold."""
        return tuple(dict.fromkeys((*self.parsed.regions, *self.parsed.territories)))

    @property
    def hard(self) -> list[HardCriterion]:
        """Return what a deal must meet, in the order of the fields."""
        parsed = self.parsed
        lists = (
            ("target", "is", [target.text for target in parsed.targets]),
            ("disease", "is", [area.label for area in self.areas]),
            ("disease", "is", list(parsed.unknown_diseases)),
            ("drug", "is", [drug.label for drug in parsed.drugs]),
            ("modality", "is", list(parsed.modalities)),
            ("kind", "is", list(self.kinds)),
            ("route", "is", list(parsed.routes)),
            ("stage", "is", [STAGE_WORDS[stage] for stage in self.stages]),
            ("geography", "is", list(self.regions)),
            ("owner", "is", list(self.owners)),
            ("company", "is", list(parsed.companies)),
            ("partner", "is", [self.partner] if self.partner else []),
            ("stop", "is", [self.stop] if self.stop else []),
            ("signal", "is", list(self.signals)),
            ("target", "is not", [target.text for target in parsed.not_targets]),
            ("disease", "is not", [area.label for area in self.not_areas]),
            ("modality", "is not", list(parsed.not_modalities)),
            ("route", "is not", list(parsed.not_routes)),
            ("stage", "is not", [STAGE_WORDS[stage] for stage in parsed.not_stages]),
            ("geography", "is not", list(parsed.not_regions)),
            ("company", "is not", list(parsed.not_companies)),
            ("drug", "is not", [drug.label for drug in parsed.not_drugs]),
        )
        criteria = [(*named, " or ".join(map(unmark, values))) for *named, values in lists]
        criteria += [("signal date", "from", self.since), ("signal date", "up to", self.until)]
        return [
            HardCriterion(field=field, op=op, value=value) for field, op, value in criteria if value
        ]

    @property
    def left(self) -> str:
        """Return what was not understood."""
        return unmark(" ".join(self.parsed.words))


def read_thesis(text: str, evidence: EvidenceReader, resolver: Resolver, today: date) -> Thesis:
    """Return the criteria of a thesis.

    Args:
        text: As written; nothing in it is an instruction.
        evidence: The pack, which decides what is the name of a drug.
        resolver: Knows names.
        today: The day that "past 18 months" counts from.
    """
    remainder = _PHASES.sub(r"phase \1 or phase \2", " ".join(text.split()))
    since, until, remainder = _take_years(remainder, today)
    terms, remainder = _take_terms(remainder)
    parsed = parse_text(remainder, resolver, held_by(evidence, resolver))
    stops = terms.get("stop", [])
    owners = tuple(dict.fromkeys(terms.get("owner", ())))
    stop = "business" if "business" in stops else "any" if stops else ""
    known_areas = [make_area(disease, resolver) for disease in parsed.diseases]
    thesis = Thesis(
        text=unmark(" ".join(text.split())),
        parsed=parsed,
        areas=tuple(
            area
            for area in known_areas
            if not any(other.key in area.keys and other.key != area.key for other in known_areas)
        ),
        not_areas=tuple(make_area(disease, resolver) for disease in parsed.not_diseases),
        owners=owners,
        partner="none" if terms.get("partner") or terms.get("rights") else "",
        stop=stop,
        signals=tuple(dict.fromkeys(terms.get("signal", ()))),
        kinds=tuple(dict.fromkeys(terms.get("kind", ()))),
        copies=bool(terms.get("copies")),
        since=since,
        until=until,
        soft=tuple(dict.fromkeys(terms.get("soft", ()))),
        unread=tuple(dict.fromkeys(terms.get("unread", ()))),
        conflicts=tuple(_conflicts(owners, since, until, parsed)),
    )
    return _with_warnings(thesis)


def _take_years(text: str, today: date) -> tuple[str, str, str]:
    """Return the first and the last day that signals may have, and the text without its spans."""
    since, until = date.min, today
    while True:
        span, text = take_span(text, today)
        if span is None:
            break
        since, until = max(since, span.first), min(until, span.last)
    return (
        since.isoformat().removesuffix("-01-01") if since > EARLIEST else "",
        until.isoformat().removesuffix("-12-31") if until < today else "",
        text,
    )


def _take_terms(text: str) -> tuple[dict[str, list[str]], str]:
    """Return the terms that a thesis tells, and the rest of it."""
    terms: dict[str, list[str]] = {}
    for kind, word, pattern in load_terms():
        if not pattern.search(text):
            continue
        if kind == "soft":
            terms.setdefault(kind, []).extend(match[0].lower() for match in pattern.finditer(text))
        else:
            terms.setdefault(kind, []).append(word)
        if kind == "reads":
            text = pattern.sub(word, text)
        elif kind == "rights":
            text = pattern.sub(lambda match: f" {match['home'] or match['other']} ", text)
        elif kind != "kind":
            text = pattern.sub(" ", text)
    return terms, " ".join(text.split())


def _conflicts(owners: Sequence[str], since: str, until: str, parsed: ParsedText) -> Iterator[str]:
    if {"listed", "unlisted"} <= set(owners):
        yield "the owner shall be both listed and not listed"
    if since and until and since > until:
        yield f"the signal shall come from {since} on and up to {until}"
    both = (
        ("kind of drug", set(parsed.modalities) & set(parsed.not_modalities)),
        ("region", set(parsed.regions) & set(parsed.not_regions)),
        ("stage", set(parsed.stages) & set(parsed.not_stages)),
        ("company", set(parsed.companies) & set(parsed.not_companies)),
        (
            "target",
            {target.text for target in parsed.targets}
            & {target.text for target in parsed.not_targets},
        ),
        (
            "disease",
            {disease.label for disease in parsed.diseases}
            & {disease.label for disease in parsed.not_diseases},
        ),
    )
    for words, same in both:
        if same:
            yield f"the {words} {unmark(min(same))} is both requested and excluded"


def _with_warnings(thesis: Thesis) -> Thesis:
    notices = [f"contradiction: {conflict}; no deal meets both." for conflict in thesis.conflicts]
    notices += list(notices_of(thesis.parsed))
    notices += warn_unfiltered([thesis.parsed], *APPLIED)
    if thesis.left:
        notices.append(
            f"not_resolved: “{thesis.left}” names nothing known here, so that it narrows nothing."
        )
    notices += [
        f"not_searched: the evidence holds no {term} of companies, so this narrows nothing."
        for term in thesis.unread
    ]
    notices += [
        f"no_match: “{unmark(disease)}” is no disease known here; no deal meets it."
        for disease in thesis.parsed.unknown_diseases
    ]
    if "exclusivity" in thesis.signals:
        notices.append(
            "not_searched: ends of exclusivity are not read as signals; no deal meets it."
        )
    if "new sponsor" in thesis.signals:
        notices.append(
            "not_searched: whether a trial is its sponsor's first is not checked; trials of small "
            "owners are shown, and the criterion is marked unknown."
        )
    if not thesis.hard:
        notices.append(
            "soft_only: the thesis names no criterion that a deal must meet (sector, disease, "
            "target, kind of drug, stage, place, owner, partner, stop); deals are ranked by their "
            "signals alone and score low."
        )
    return replace(thesis, warnings=tuple(notices))
