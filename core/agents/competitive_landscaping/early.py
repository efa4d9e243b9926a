"""Early assets on a target: what patents, papers, grants and technology offers tell before phase 1.

A record counts where its title, or the abstract of a patent, says what is done to the target. An
asset has a name only where the text itself puts one code next to the target. A text that names a
drug of the evidence is passed over; every other record is a lead, called by what it is and whose.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.agents.competitive_landscaping.scope import Scope
from core.briefs.subjects import Drug
from core.evidence.names.companies import company_group
from core.evidence.names.drug_labels import CODE, code_in
from core.evidence.names.identity.vocabularies import strip_legal_form
from core.evidence.names.modalities import find_modalities
from core.evidence.names.target_tables import TargetNames as Expressions
from core.evidence.names.target_tables import target_names
from core.evidence.patents.stored import HeldPatents
from core.evidence.readers.patents.names import TargetReader, patent_names
from core.evidence.readers.target_actions import read_action
from core.evidence.readers.target_expressions import read_links
from core.knowledge.early_words import early_words
from core.knowledge.patent_words import title_kinds
from core.records.evidence import Record
from core.records.evidence_pack import TextQuery
from core.records.patents import PatentDocument, TargetNames
from core.records.programs import (
    Asset,
    CompanyRole,
    Program,
    StageStatement,
    Statement,
    TargetExpression,
    TargetLink,
)
from core.records.stages import Stage
from core.workbench import RunContext

SOURCES = ("europepmc", "preprints", "nih-reporter", "sbir", "tech-transfer")
LIVE = frozenset({"nih-reporter"})
"""Sources that are asked during a run for early assets alone."""
MOST_PATENTS = 100
MOST_SEARCHED = 300
MOST_SHOWN = 40
RECENT_DAYS = 5 * 365
"""Days after which a paper or a grant no longer counts as an early asset."""
HEAD = 300
"""Signs of an abstract that say what a patent is about."""
_TEXTS = ("abstract", "relevance", "field")
_KNOWN = (
    *("trial_registration", "regulatory_label", "approval_package", "company_disclosure"),
    *("database_record", "deal"),
)
"""Kinds of records that make a code one of a known drug."""
_WORD = re.compile(r"[A-Za-z][\w-]{5,}")
_CELLS = re.compile(r"\s*(?:cells?|cell lines?|xenografts?|tumou?rs?|mice)\b", re.IGNORECASE)
_PERSON = re.compile(r"^[A-Z][\w-]+ [A-Z]\. [A-Z][\w-]+$")
_CONJUGATE = re.compile(
    r"\bimmuno-?conjugates?\b|"
    r"\bantibody[\s-](?!PMO|oligo|morpholino|nucle|polymer|enzyme|chelat)(?:[\w-]+\s){0,3}conjugates?\b",
    re.IGNORECASE,
)
"""An antibody with a drug; one with a nucleic acid or the like is another kind."""
_ADC = "antibody-drug conjugate"
_OF_TARGETS = frozenset({"enzyme", "recombinant protein"})
_PRECLINICAL = re.compile(
    r"\b(?:pre-?clinical|in vivo|mice|mouse model|xenografts?|IND-enabling)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class _Text:
    """A record that may tell of an early asset.

    Attributes:
        record_id: The record.
        name: What it is, whose, and its number: "Grant at Yale University (R01CA000001)".
        owner: Whose.
        day: Its day.
        title: Its title.
        body: Its abstract; "".
        is_patent: Whether it is a patent, whose abstract tells what the patent is about.
    """

    record_id: str
    name: str
    owner: str
    day: str
    title: str
    body: str
    is_patent: bool = False


def asks_early(request: CompetitiveLandscapingRequest, scope: Scope) -> bool:
    """Return whether early assets are looked for: on a target, unless drugs in trials are asked."""
    is_clinical = scope.parsed.stages and not {"PRECLINICAL", "DISCOVERY"} & {*scope.parsed.stages}
    return bool(
        request.query_type != "clinical"
        and scope.targets
        and not (is_clinical or request.region or scope.parsed.routes or scope.words)
    )


def find_early(
    request: CompetitiveLandscapingRequest,
    scope: Scope,
    context: RunContext,
    owners: Collection[str] = (),
) -> list[Drug]:
    """Return the early assets on the targets asked for, the newest first.

    Args:
        request: As asked.
        scope: What an asset must meet.
        context: Of the run.
        owners: Companies whose drugs are listed: their records may tell of these, at any stage.
    """
    assets: dict[str, Drug] = {}
    if not asks_early(request, scope):
        return []
    for target in scope.targets:
        names = patent_names(target.text, context.resolver)
        if names:
            finder = _Finder(scope, target, names, context, owners)
            for drug in finder.find():
                assets.setdefault(drug.asset.key, drug)
    newest = sorted(assets.values(), key=lambda drug: drug.asset.key)
    newest.sort(key=lambda drug: drug.asset.newest_on, reverse=True)
    return newest[:MOST_SHOWN]


class _Finder:
    """Finds early assets on one target."""

    def __init__(
        self,
        scope: Scope,
        target: TargetExpression,
        names: TargetNames,
        context: RunContext,
        owners: Collection[str],
    ) -> None:
        """Keep what is asked."""
        self._scope = scope
        self._target = target
        self._names = names
        self._context = context
        self._owners = owners
        self._reader = TargetReader(names)
        self._expressions: Expressions = target_names(context.resolver)

    def find(self) -> Iterator[Drug]:
        """Yield an asset for each code, family, grant, paper and offer that tells of one."""
        for text in (*self._patents(), *self._records()):
            codes = self._codes_of(text)
            action = self._read(text, has_code=bool(codes))
            if action and self._is_asked(text, action, codes):
                yield self._make(text, action, codes[0] if len(codes) == 1 else "")

    def _patents(self) -> Iterator[_Text]:
        families: dict[str, PatentDocument] = {}
        for patent in HeldPatents(self._context.evidence).find(self._names, MOST_PATENTS):
            known = families.get(patent.family)
            if known is None or (patent.published_on or "") > (known.published_on or ""):
                families[patent.family] = patent
        for patent in families.values():
            owner = _owner_of(patent)
            is_other = any(pattern.search(patent.title) for _, pattern in title_kinds())
            if owner and not patent.named_as and not is_other:
                yield _Text(
                    patent.record_id,
                    f"Patent family by {owner} ({patent.publication_number})",
                    owner,
                    patent.published_on or "",
                    patent.title,
                    patent.abstract,
                    is_patent=True,
                )

    def _records(self) -> Iterator[_Text]:
        evidence = self._context.evidence
        hits = [
            hit.record_id
            for source in SOURCES
            for hit in evidence.search(
                TextQuery([list(self._names.names)], sources=(source,), limit=MOST_SEARCHED)
            )
        ]
        since = (self._context.now.date() - timedelta(days=RECENT_DAYS)).isoformat()
        records = evidence.records(hits)
        mentions = evidence.mentions(hits)
        passages = evidence.passages(hits, _TEXTS)
        seen: set[tuple[str, str]] = set()
        for record_id, record in sorted(records.items()):
            owners = [each.name for each in mentions.get(record_id, ()) if each.kind == "company"]
            key = (record.title.casefold(), owners[0].casefold() if owners else "")
            if not owners or key in seen or record.published_on < since[: len(record.published_on)]:
                continue
            seen.add(key)
            owner = company_group(owners[0])
            body = "\n".join(span.text for span in passages.get(record_id, ()))
            name = f"{_kind_of(record)} {owner} ({record.source_id})"
            yield _Text(record_id, name, owner, record.published_on, record.title, body)

    def _read(self, text: _Text, *, has_code: bool) -> str:
        """Return what a record says is done to the target; "" where it tells of no asset."""
        if early_words("no asset").search(text.title):
            return ""
        of_agents = not text.is_patent
        action = read_action(text.title, self._reader, self._is_other, of_agents=of_agents)
        if has_code and not action:
            action = read_action(text.body, self._reader, self._is_other, of_agents=of_agents)
        if not text.is_patent:
            return action if has_code or early_words("discovery").search(text.title) else ""
        if not action and early_words("asset").search(text.body[:HEAD]):
            action = read_action(text.body, self._reader, self._is_other)
            action = "" if action == "binder" else action  # a part that binds, or a marker
        return action

    def _is_other(self, name: str) -> bool:
        """Return whether a longer name is another target's: a receptor's, a subtype's."""
        key = self._context.resolver.resolve("target", name).key
        own = " ".join(self._names.names).casefold()
        is_receptor = name.endswith(" receptor") and "receptor" not in own
        return is_receptor or bool(key and key not in self._target.gene_keys)

    def _is_asked(self, text: _Text, action: str, codes: Sequence[str]) -> bool:
        """Return whether an asset meets what is asked besides its target."""
        scope, parsed, owner = self._scope, self._scope.parsed, text.owner
        words = f"{text.title}\n{text.body}"
        kinds = {*_kinds_of(text, action)}
        return (
            all(any(area.names_in(words) for area in areas) for areas in scope.areas)
            and not any(area.names_in(words) for area in scope.not_areas)
            and (not parsed.modalities or bool(kinds & {*parsed.modalities}))
            and not kinds & {*parsed.not_modalities}
            and (not parsed.companies or owner in parsed.companies)
            and owner not in parsed.not_companies
            and not self._names_known_drug(words, codes)
        )

    def _names_known_drug(self, text: str, codes: Sequence[str]) -> bool:
        """Return whether a text names a drug of the evidence, or a registered substance's code."""
        words = sorted({*_WORD.findall(text), *codes})
        matches = self._context.resolver.resolve_many("drug", words)
        named = [word for word in words if matches[word].key or any(map(str.isdigit, word))]
        return any(matches[code].key for code in codes) or bool(
            named and self._context.evidence.mentioning("drug", named, _KNOWN)
        )

    def _codes_of(self, text: _Text) -> list[str]:
        """Return the codes that a text puts next to the target."""
        words = f"{text.title}. {text.body}"
        codes = {
            match[0]
            for match in CODE.finditer(words)
            if code_in(match[0])
            and not _CELLS.match(words[match.end() :])
            and not self._reader.names_target(match[0])
            and not self._context.resolver.resolve("target", match[0]).key
        }
        labels = {code: [code] for code in sorted(codes)}
        linked = {
            worded.label
            for worded in read_links(words, labels, self._expressions, {})
            if {*worded.target.gene_keys} & {*self._target.gene_keys}
        }
        return sorted(linked)

    def _make(self, text: _Text, action: str, code: str) -> Drug:
        ids = (text.record_id,)
        is_tested = _PRECLINICAL.search(f"{text.title}\n{text.body}")
        stage: Stage = "PRECLINICAL" if is_tested else "DISCOVERY"
        if not code and text.owner in self._owners:
            stage = "UNKNOWN"
        kinds = _kinds_of(text, action)
        told = Statement(text.name, ids, (), "title or abstract")
        stages = (StageStatement(stage, "", text.day, told),)
        program = Program("", self._scope.label, stage, text.day, stages, ())
        asset = Asset(
            key=f"name:{code.casefold()}" if code else text.record_id,
            name=code or text.name,
            aliases=(),
            targets=(TargetLink(self._target, Statement(action, ids, (), "title or abstract")),),
            modality=Statement(kinds[0], ids, (), "title or abstract") if kinds else None,
            companies=(CompanyRole(text.owner, "originator", "", told),),
            programs=(program,),
            newest_on=text.day,
            record_ids=ids,
        )
        return Drug(asset, asset.programs)


def _kinds_of(text: _Text, action: str) -> list[str]:
    """Return the kinds that a title names; "protein" and "enzyme" are often the target's.

    A conjugated antibody is no plain one.
    """
    kinds = [kind for kind in find_modalities(f"{text.title} {action}") if kind not in _OF_TARGETS]
    if kinds[:1] == ["monoclonal antibody"] and _CONJUGATE.search(text.title):
        return [_ADC]
    return kinds


def _owner_of(patent: PatentDocument) -> str:
    """Return who has a patent: its owner, or a company that applied; "" for persons alone."""
    assignees = [name for name in patent.assignees if not _PERSON.search(name)]
    names = [*assignees, *(n for n in patent.applicants if strip_legal_form(n) != n.strip())]
    return company_group(names[0]) if names else ""


_KINDS: Mapping[str, str] = {
    "europepmc": "Paper from",
    "preprints": "Paper from",
    "nih-reporter": "Grant at",
    "sbir": "Grant to",
    "tech-transfer": "Technology offered by",
}


def _kind_of(record: Record) -> str:
    return _KINDS[record.source]
