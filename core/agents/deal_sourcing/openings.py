"""Openings: grants, raises, papers and offers on a thesis, of companies and universities.

A drug becomes a deal by its signals (`signals`); an opening is the record itself. It is taken where
its text names what the thesis asks for. What kind it is follows from the source and from who stands
behind it, never from a guess at the words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from uuid import NAMESPACE_URL, uuid5

from core.agents.deal_sourcing.lead import (
    AVAILABILITY,
    FULL_SOURCES,
    UNLISTED,
    WEIGHTS,
    Score,
    in_window,
    recency_of,
)
from core.agents.deal_sourcing.money import tell_money
from core.agents.deal_sourcing.records import (
    DEAL_WORDS,
    TYPE_OF,
    Deal,
    DealEntities,
    DealKind,
    DealSignal,
    MemoPart,
    NextAction,
    ScoreComponents,
    SignalType,
)
from core.agents.deal_sourcing.signals import Signal
from core.agents.deal_sourcing.thesis import Thesis
from core.briefs.memo import (
    Section,
    compose,
    list_sections,
    make_ground,
    prove,
    tell_counts,
)
from core.evidence.entries.money import LEGAL_FORMS, MoneyEntry, money_of_records
from core.evidence.names.companies import company_group, find_ticker, row_of
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.identity.vocabularies import strip_legal_form
from core.evidence.proof.cells import Cell
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import Claim, Figure, count_of, make_claim, unmark
from core.evidence_ports import EvidenceReader
from core.knowledge.event_materiality import authority_of, publisher_of
from core.records.evidence import Fact, Record
from core.records.evidence_pack import TextQuery
from core.records.names import fold_name
from core.vocabulary.company_homes import home_of, is_in
from core.vocabulary.modalities import spellings_of

RAISES = "sec-form-d"
SOURCES = ("europepmc", "nih-reporter", "preprints", "sbir", RAISES, "tech-transfer")
LIVE = ("europepmc", "nih-reporter")
"""Sources that are asked during a run, where the instance allows it."""
RECENT_DAYS = 730
"""Days after which a record opens nothing any more."""
MOST_SEARCHED = 400
"""Of one source."""
MOST_PROGRAMS = 25
"""Trials, labels and deals from which on a company is no small one."""
LAST_DAY = "9999"
LONGEST_SYMBOL = 5
MOST_SHOWN = 15
MOST_OF_A_KIND = 4
MOST_NAMES = 12
"""Names of one thing that a text is searched for."""
_PROGRAMS = ("trial_registration", "regulatory_label", "approval_package", "deal")
"""Kinds of records by which a company is known to have a program."""
_NO_PAPER = ("retracted", "retraction", "correction", "corrigendum", "erratum", "editorial")
_TESTED = frozenset({"target", "disease", "modality", "geography", "owner", "company"})
"""Criteria that a record is checked for."""
_OWNED = frozenset({"acquired", "subsidiary"})
_SECTIONS = ("abstract", "field", "relevance")
"""Texts of the sources, next to their titles."""
_WORDS = re.compile(r"\w+")
Group = list[tuple[str, Sequence[str]]]
"""Things of which a text must name one, each with its names."""
_OF_COMPANIES = frozenset({"private company", "company without a known program", "STTR company"})
_OF_ACADEMIA = frozenset({"university paper", "laboratory with a grant", "technology offer"})
_SIGNALS: Mapping[DealKind, SignalType] = {
    "technology offer": "technology offered",
    "university paper": "paper published",
    "research report": "paper published",
}


@dataclass(frozen=True)
class Opening:
    """A record that opens a conversation.

    Attributes:
        record: The record.
        kind: What it is.
        owner: Who is called: a company, a university, an office; "" where the record names none.
        home: Country of the owner; "" where not known.
        money: What was granted or raised; None where the record tells none.
        matched: What the thesis asks for and the text names.
        score: Its score.
        in_window: Whether it is of the window.
    """

    record: Record
    kind: DealKind
    owner: str
    home: str
    money: MoneyEntry | None
    matched: tuple[str, ...]
    score: Score
    in_window: bool

    @property
    def name(self) -> str:
        """Title for display."""
        return unmark(self.record.title)

    @property
    def day(self) -> str:
        """Day of the record."""
        return self.record.published_on

    @property
    def is_expert_only(self) -> bool:
        """Return False: a record carries it."""
        return False

    def cells(self) -> Iterator[Cell]:
        """Yield nothing: its line has no cell that further facts carry."""
        yield from ()

    def record_ids(self) -> set[str]:
        """Return its record."""
        return {self.record.id}

    def names(self) -> dict[str, set[str]]:
        """Return its owner and the number of its grant."""
        numbers = [unmark(word) for word in self.money.words] if self.money else []
        return {name: {self.record.id} for name in (self.owner, *numbers) if name}

    def words(self) -> Iterator[str]:
        """Yield phrases with digits that state nothing: its title and what it matches."""
        yield self.name
        yield from self.matched


def find_openings(
    thesis: Thesis,
    evidence: EvidenceReader,
    resolver: Resolver,
    window: tuple[date, date],
) -> list[Opening]:
    """Return the openings of a thesis, the best first, a few of each kind.

    Args:
        thesis: The criteria.
        evidence: The pack, or a run's evidence with live records.
        resolver: Knows names.
        window: First and last day of the window.
    """
    groups = list_groups(thesis)
    if groups:
        queries = [
            TextQuery(
                [[name for _, names in group for name in names] for group in groups],
                sources=(source,),
                limit=MOST_SEARCHED,
            )
            for source in SOURCES
        ]
        ids = [hit.record_id for query in queries for hit in evidence.search(query)]
    elif "unlisted" in thesis.owners and may_open(thesis):
        ids = list(evidence.changed(RAISES, window[0].isoformat(), limit=MOST_SEARCHED))
    else:
        return []
    first = (window[1] - timedelta(days=RECENT_DAYS)).isoformat()
    since = max(first, thesis.since)
    until = min(window[1].isoformat(), thesis.until or LAST_DAY)
    records = [
        record
        for record in evidence.records(ids).values()
        if since[: len(record.published_on)] <= record.published_on <= until
        and not record.title.casefold().startswith(_NO_PAPER)
    ]
    records.sort(key=lambda record: (record.published_on, record.id), reverse=True)
    ids = [record.id for record in records]
    money, mentions = money_of_records(ids, evidence), evidence.mentions(ids)
    passages, refused = evidence.passages(ids, _SECTIONS), _list_refused(thesis)
    openings: dict[tuple[str, str], Opening] = {}
    for record in records:
        names = (each.name for each in mentions.get(record.id, ()) if each.kind == "company")
        text = "\n".join([record.title, *(span.text for span in passages.get(record.id, ()))])
        matched = _match(groups, refused, text)
        owner = next(names, "")
        if matched is not None and (
            opening := _open(record, owner, thesis, evidence, resolver, window, money)
        ):
            called = opening.owner or opening.name
            openings.setdefault(
                (opening.kind, called.casefold()), replace(opening, matched=matched)
            )
    ordered = sorted(openings.values(), key=lambda opening: opening.name)
    ordered.sort(key=lambda opening: (opening.score.total, opening.day), reverse=True)
    counts: dict[DealKind, int] = {}
    shown: list[Opening] = []
    for opening in ordered:
        counts[opening.kind] = counts.get(opening.kind, 0) + 1
        if counts[opening.kind] <= MOST_OF_A_KIND and len(shown) < MOST_SHOWN:
            shown.append(opening)
    return shown


def may_open(thesis: Thesis) -> bool:
    """Return whether a record that names no drug can meet a thesis."""
    parsed = thesis.parsed
    needs_drug = thesis.stop or thesis.partner or parsed.drugs or parsed.routes or thesis.kinds
    is_clinical = thesis.stages and "PRECLINICAL" not in thesis.stages
    is_unclear = thesis.conflicts or parsed.unknown_diseases or "exclusivity" in thesis.signals
    return not (needs_drug or is_clinical or is_unclear or thesis.owners == ("listed",))


def _is_named(name: str, text: str) -> bool:
    """Return whether a text names a thing as a word; a short symbol only in its own letters.

    >>> _is_named("MET", "Patients who met criteria"), _is_named("asthma", "Asthma, in adults")
    (False, True)
    """
    return _pattern_of(name).search(text) is not None


@lru_cache(maxsize=4_096)
def _pattern_of(name: str) -> re.Pattern[str]:
    is_symbol = len(name) <= LONGEST_SYMBOL and name.isupper()
    words = r"\W+".join(map(re.escape, _WORDS.findall(name))) or r"(?!)"
    return re.compile(rf"(?<!\w){words}(?!\w)", 0 if is_symbol else re.IGNORECASE)


def _list_refused(thesis: Thesis) -> list[str]:
    """Return the names of what a thesis leaves out."""
    parsed = thesis.parsed
    targets = [
        name for target in parsed.not_targets for name in (target.text, *target.gene_symbols)
    ]
    kinds = [word for kind in parsed.not_modalities for word in spellings_of(kind)]
    return [*targets, *(area.label for area in thesis.not_areas), *kinds]


def _match(groups: Sequence[Group], refused: Sequence[str], text: str) -> tuple[str, ...] | None:
    """Return what a text names of a thesis; None where it lacks a thing or has a refused one."""
    named = [
        [label for label, names in group if any(_is_named(name, text) for name in names)]
        for group in groups
    ]
    if not all(named) or any(_is_named(name, text) for name in refused):
        return None
    return tuple(label for labels in named for label in labels)


def list_groups(thesis: Thesis) -> list[Group]:
    """Return what the thesis asks for: things of which one must be named, each with its names.

    Empty where no record can meet it.
    """
    if not may_open(thesis):
        return []
    parsed = thesis.parsed
    groups: tuple[Group, ...] = (
        [(target.text, [target.text, *target.gene_symbols]) for target in parsed.targets],
        [
            (disease.label, [disease.said, disease.label, *disease.aliases[:MOST_NAMES]])
            for disease in parsed.diseases
        ],
        [(kind, spellings_of(kind)) for kind in parsed.modalities],
    )
    return [group for group in groups if group]


def _open(
    record: Record,
    owner: str,
    thesis: Thesis,
    evidence: EvidenceReader,
    resolver: Resolver,
    window: tuple[date, date],
    money: Mapping[str, MoneyEntry],
) -> Opening | None:
    """Return the opening of a record; None where the thesis asks for other owners."""
    group = company_group(owner) if owner else ""
    home = home_of(group) or home_of(owner) or ("United States" if record.source == "sbir" else "")
    parsed = thesis.parsed
    if (
        (thesis.regions and not any(is_in(home, region) for region in thesis.regions))
        or any(is_in(home, region) for region in parsed.not_regions)
        or (parsed.companies and group not in parsed.companies)
        or group in parsed.not_companies
    ):
        return None
    entry = money.get(record.id)
    kind = _kind_of(record, owner, entry, evidence)
    if kind is None or (kind in _OF_COMPANIES and find_ticker(group, (), resolver)):
        return None
    asks_companies, asks_academia = "unlisted" in thesis.owners, "academic" in thesis.owners
    wanted = (_OF_COMPANIES if asks_companies else frozenset()) | (
        _OF_ACADEMIA if asks_academia else frozenset()
    )
    if thesis.owners and kind not in wanted:
        return None
    met = [each for each in thesis.hard if each.op == "is" and each.field in _TESTED]
    values: dict[str, float | None] = {
        "thesis_fit": len(met) / len(thesis.hard) if thesis.hard else None,
        "science": authority_of(record.id) / FULL_SOURCES,
        "stage_fit": None,
        "availability": AVAILABILITY[kind],
        "recency": recency_of(record.published_on, window),
        "room": None,
    }
    parts = {name: round(WEIGHTS[name] * (value or 0.0), 2) for name, value in values.items()}
    score = Score(parts, tuple(name for name, value in values.items() if value is None))
    is_new = in_window(record.published_on, window)
    return Opening(record, kind, unmark(owner), home, entry, (), score, is_new)


def _kind_of(
    record: Record, owner: str, money: MoneyEntry | None, evidence: EvidenceReader
) -> DealKind | None:
    """Return what kind of opening a record is; None for one of a large company."""
    if record.source == "tech-transfer":
        return "technology offer"
    has_form = strip_legal_form(owner) != owner.strip()
    row = row_of(owner) if owner else None
    if record.kind in {"paper", "preprint", "conference_abstract"}:
        return "research report" if has_form or row or not owner else "university paper"
    if record.source == "nih-reporter" and not (has_form or row):
        return "laboratory with a grant"
    names = {fold_name(owner), fold_name(company_group(owner))}
    written = sorted(f"{name}{form}" for name in names for form in LEGAL_FORMS)
    named = evidence.mentioning("company", written, _PROGRAMS)
    if (row and row.relation in _OWNED) or len(named) > MOST_PROGRAMS:
        return None
    if money and any(word.startswith("STTR") for word in money.words):
        return "STTR company"
    return "private company" if named else "company without a known program"


def make_opening_deal(
    opening: Opening, records: Mapping[str, Record], facts: Mapping[int, Fact], cite: Cite
) -> Deal:
    """Return the line of an opening; its memo holds only what its own record carries.

    Args:
        opening: The opening.
        records: Records of the answer by id.
        facts: Facts by number.
        cite: Gives records their numbers.
    """
    ground = make_ground([opening], records, (), (), facts)
    sections = (
        Section("What", lambda _: iter([_tell(opening)])),
        Section("Why it fits", lambda _: _tell_fit(opening)),
        Section("Missing", lambda _: iter([make_claim(_ASK[opening.kind], "assumption")])),
    )
    memo = prove(compose(sections, opening), ground)
    parts = [
        MemoPart(title=section.title, claims=section.claims)
        for section in list_sections(memo, cite)
    ]
    ids = cite.numbers([opening.record.id])
    deal_type = TYPE_OF[opening.kind]
    listing = UNLISTED if opening.kind in _OF_COMPANIES else ""
    return Deal(
        deal_uuid=str(uuid5(NAMESPACE_URL, f"{opening.record.id}|{deal_type}")),
        title=opening.name,
        deal_type=deal_type,
        deal_kind=opening.kind,
        deal_score=opening.score.total,
        memo="\n".join(
            f"{part.title}: {' '.join(claim.text for claim in part.claims)}" for part in parts
        ),
        entities=DealEntities(
            company=opening.owner,
            geography=opening.home,
            modality="",
            stage="",
            asset="",
            target="",
            indication="",
            owner_kind=listing,
        ),
        suggested_next_action=_next(opening),
        source_ids=ids,
        score_components=ScoreComponents(**dict(opening.score.parts)),
        unknown_parts=list(opening.score.unknown),
        criteria=[],
        signals=[
            DealSignal(
                type=_signal(opening),
                date=opening.day or None,
                text=_tell(opening).text,
                source_ids=ids,
            )
        ],
        first_seen_on=opening.day or None,
        newest_signal_on=opening.day or None,
        in_window=opening.in_window,
        comparables=[],
        memo_parts=parts,
    )


def _signal(opening: Opening) -> SignalType:
    if opening.money is None:
        return _SIGNALS.get(opening.kind, "grant to its owner")
    is_raise = opening.money.kind == "raise"
    return "money raised by its owner" if is_raise else "grant to its owner"


def _tell(opening: Opening) -> Claim:
    """Return what the record says: an offer, a paper, a grant or a raise."""
    record, owner = opening.record, opening.owner
    figures = [Figure(opening.day, None, record.id)] if opening.day else []
    names = [owner] if owner else []
    if opening.kind == "technology offer":
        text = f"{owner} offers to license “{opening.name}” (posted {opening.day})."
    elif opening.money is None:
        whose = f" from {owner}" if owner else ""
        text = f"“{opening.name}”{whose} ({publisher_of(record.id)}, {opening.day})."
    else:
        entry = opening.money
        number = entry.words[0] if entry.words else ""
        signal = Signal(_signal(opening), entry.day, record.id, owner, "", number, entry.amount)
        claim = tell_money(signal)
        if entry.kind == "raise":
            return claim
        text = f"{claim.text.rstrip('.')}: “{opening.name}”."
        return make_claim(text, "fact", [record.id], figures=claim.figures, names=claim.names)
    return make_claim(text, "fact", [record.id], figures=figures, names=names)


def _tell_fit(opening: Opening) -> Iterator[Claim]:
    if opening.matched:
        text = f"Its title or abstract names {' and '.join(map(unmark, opening.matched))}."
        yield make_claim(text, "computed", [opening.record.id])
    if opening.kind == "company without a known program":
        yield make_claim(f"No trial, label or deal of {opening.owner} was found.", "rule")


def _next(opening: Opening) -> NextAction:
    """Return what to do next: the company's assets, or who else works on the subject."""
    if opening.kind in _OF_COMPANIES:
        return NextAction(
            text=f"See what {opening.owner} has",
            agent_key="company_asset_searcher",
            inputs={"company": opening.owner[:200]},
        )
    subject = " ".join(opening.matched) or opening.name
    return NextAction(
        text=f"See who else works on {unmark(subject)}",
        agent_key="competitive_landscaping",
        inputs={"query": subject[:1000], "query_type": "both"},
    )


_ASK: Mapping[DealKind, str] = {
    "private company": "Funding and runway are not public: ask whether it raises money or seeks "
    "a partner.",
    "company without a known program": "Its program is not public: ask what it works on and "
    "whether it raises money.",
    "STTR company": "The grant names a research institution as partner: ask who owns the patents.",
    "technology offer": "Ask the office whether the rights are free, and for the patents.",
    "university paper": "Ask the technology-transfer office whether a patent was filed.",
    "research report": "Ask the authors whether the work is for license.",
    "laboratory with a grant": "Ask the technology-transfer office whether rights are filed and "
    "free.",
}
"""What to ask first, by kind."""


_PLURALS: Mapping[DealKind, str] = {
    "private company": "private companies",
    "company without a known program": "companies without a known program",
    "STTR company": "companies with an academic partner",
    "technology offer": "technologies to license",
    "university paper": "university papers",
    "research report": "research reports",
    "laboratory with a grant": "laboratories with a grant",
}


def say_openings(openings: Sequence[Opening], *, has_drugs: bool) -> Iterator[Claim]:
    """Yield how many openings there are, by kind.

    Args:
        openings: The openings.
        has_drugs: Whether drugs were named before them.
    """
    counts: dict[DealKind, list[Opening]] = {}
    for opening in openings:
        counts.setdefault(opening.kind, []).append(opening)
    if counts:
        text, figures = tell_counts(
            {
                (_PLURALS[kind] if len(many) > 1 else DEAL_WORDS[kind].lower()): [
                    each.record.id for each in many
                ]
                for kind, many in counts.items()
            }
        )
        ids = [opening.record.id for opening in openings[:MOST_OF_A_KIND]]
        noun = "lead" if len(openings) == 1 else "leads"
        n = count_of(len(openings), (opening.record.id for opening in openings))
        yield make_claim(
            f"{len(openings)} {'further ' * has_drugs}{noun}: {text}.",
            "computed",
            ids,
            figures=[n, *figures],
        )


def warn_of_kinds(evidence: EvidenceReader) -> list[str]:
    """Return one notice that names the kinds of leads of which the evidence holds no source."""
    held = {count.source for count in evidence.sources()}
    lacking = [title for title, sources in _KINDS.items() if not held & set(sources)]
    if not lacking:
        return []
    return [
        f"not_configured: no source of {', '.join(lacking)}; import files, or allow live sources "
        "(BPW_LIVE_SOURCES)."
    ]


_KINDS: Mapping[str, Sequence[str]] = {
    "private companies and stealth startups": (RAISES, "sbir", "nih-reporter"),
    "spinouts": ("sbir",),
    "technologies to license": ("tech-transfer",),
    "university papers and research reports": ("europepmc", "preprints"),
    "grants to laboratories": ("nih-reporter",),
}
"""Sources of each kind of lead."""
