"""Gathers the drugs that a question is about: from records to one row a drug, with reasons."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from core.evidence.assets.candidates import Candidate, Finder, read_stated
from core.evidence.assets.curators_drugs import display_name, known_by_key
from core.evidence.assets.figures.outcomes import Outcomes
from core.evidence.assets.joined_names import joined_names
from core.evidence.assets.record_search import add_keys, find_by_records
from core.evidence.assets.roles import find_roles, sponsor_of
from core.evidence.assets.shelf import Shelf, fill_shelf, without_generics
from core.evidence.assets.stages.approvals import list_target_dates
from core.evidence.assets.stages.ends import find_ends
from core.evidence.assets.stages.programs import (
    Programs,
    first_approval_day,
    region_stages,
    tested_in,
)
from core.evidence.assets.target_match import acts_on, drop_contradicted, narrow
from core.evidence.names.companies import company_group, starts_of
from core.evidence.names.drug_labels import Naming, find_esters, is_plain_name
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.identity.salts import SALTS
from core.evidence.names.modalities import ModalityClue, derive_modality
from core.evidence.names.target_tables import target_names
from core.evidence.readers.diseases import diseases_of
from core.evidence_ports import EvidenceReader
from core.records.asset_queries import AssetQuery, ExcludedAsset, Gathered
from core.records.evidence import Fact, Mention
from core.records.names import fold_name
from core.records.programs import Asset, CompanyRole, Program, Statement, TargetLink
from core.vocabulary.drugs import why_no_asset
from core.vocabulary.query_words import take_words
from core.vocabulary.routes import NEEDLE, by_needle
from core.vocabulary.sources import DISCLOSED, confirmed_first

MOST_CITED = 3
BEFORE, BEHIND = 2, 5
"""Words of a title next to a drug's name that may tell how it is given."""
_ENDING = re.compile(r"\b(?:in|for|with|versus|vs|and|compared)\b|[,;:|]", re.IGNORECASE)
LEAST_SIGNS = 3
"""Two letters are too few in a record: "stage IV" is no infusion."""
OF_KIND = "goes by needle, as drugs of its kind do"


def routes_of(key: str, shelf: Shelf, modality: Statement | None) -> tuple[Statement, ...]:
    """Return how a drug is given, by route; without any word the kind of drug may tell it."""
    routes: dict[str, list[str]] = defaultdict(list)
    for record_id, text in _texts(key, shelf):
        spelled = " ".join(word for word in text.split() if len(word.strip(".,;()")) >= LEAST_SIGNS)
        for route in take_words("route", spelled)[0]:
            routes[route].append(record_id)
    if not routes and modality and modality.text in by_needle("modality"):
        return (Statement(NEEDLE, modality.record_ids, modality.fact_ids, OF_KIND),)
    return tuple(
        Statement(route, tuple(dict.fromkeys(ids))[:MOST_CITED])
        for route, ids in sorted(routes.items())
    )


def _texts(key: str, shelf: Shelf) -> Iterator[tuple[str, str]]:
    """Yield what names the drug's products, and the words beside its name in titles."""
    names = [
        fold for name in shelf.names.get(key, ()) if len(fold := name.casefold()) > LEAST_SIGNS
    ]
    for record_id in shelf.of(key):
        named = [mention for mention in shelf.mentions.get(record_id, ()) if mention.kind == "drug"]
        for name in dict.fromkeys(
            mention.name for mention in named if mention.role in {"investigational", ""}
        ):
            if [drug.key for drug in shelf.labels.get(name, ())] == [key]:
                yield record_id, name
        if record_id in shelf.records:
            title = shelf.records[record_id].title
            yield from ((record_id, text) for text in _beside(title, names))


def _beside(title: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the words right before and behind a name: "oral mucositis" tells no route."""
    folded = title.casefold()
    position, name = next(
        ((at, name) for name in names if (at := folded.find(name)) >= 0), (-1, "")
    )
    if position >= 0:
        yield " ".join(title[:position].split()[-BEFORE:])
        behind = title[position + len(name) :]
        yield " ".join(_ENDING.split(behind, maxsplit=1)[0].split()[:BEHIND])


def spellings_of(groups: Collection[str], evidence: EvidenceReader) -> list[str]:
    """Return the names of the pack that count under one of the groups, as written."""
    folded_groups = frozenset(groups)
    starts = tuple(start for group in groups for start in starts_of(group))
    return [
        name
        for folded, name, _ in evidence.names("company")
        if folded.startswith(starts) and company_group(name) in folded_groups
    ]


def read_owned(query: AssetQuery, finder: Finder) -> tuple[list[str], list[ExcludedAsset]]:
    """Take the drugs of records in which a company takes part; return the records.

    Whether the company really has a role is told later, by what the records say of each drug.
    """
    names = query.company_names or spellings_of(query.companies, finder.evidence)
    record_ids = sorted(finder.evidence.mentioning("company", sorted(names))) if names else []
    ids = without_generics(record_ids, finder.evidence)
    mentions = finder.evidence.mentions(ids)
    labels = sorted(
        {label for record_mentions in mentions.values() for label in _own(record_mentions)}
    )
    named = finder.naming.read(labels)
    for label in labels:
        for drug in named[label]:
            finder.add(drug)
    return ids, []


def _own(mentions: Sequence[Mention]) -> Iterator[str]:
    """Yield the drugs that a trial tests, or that a register, label or pipeline is about."""
    for mention in mentions:
        if mention.kind == "drug" and mention.role in {"investigational", ""}:
            yield mention.name


def may_be_meant(candidate: Candidate, query: AssetQuery, finder: Finder) -> bool:
    """Return whether a candidate may be asked for, before it is known as what it counts."""
    if query.drug_keys and candidate.key not in query.drug_keys:
        return False
    if not query.targets or candidate.key in query.also:
        return True
    stem = finder.stem_link(candidate.name)
    return acts_on([*candidate.links, *([stem] if stem else ())], query.targets)


def choose(query: AssetQuery, finder: Finder) -> list[Candidate]:
    """Return the candidates that act on what is asked for."""
    chosen: list[Candidate] = []
    for candidate in finder.found.values():
        stem = finder.stem_link(candidate.name)
        if stem and stem not in candidate.links:
            candidate.links.append(stem)
        links = narrow(drop_contradicted(candidate.links))
        candidate.links = sorted(links, key=lambda link: link.target.text.casefold())
        if query.drug_keys and candidate.key not in query.drug_keys:
            continue
        is_named = candidate.key in query.also
        if query.targets and not is_named and not acts_on(candidate.links, query.targets):
            continue
        chosen.append(candidate)
    return sorted(chosen, key=lambda candidate: candidate.key)


MOST_ALIASES = 12
_ORAL = re.compile(rf"\b(?:tablets?|capsules?|oral|{'|'.join(sorted(SALTS))})\b", re.IGNORECASE)


def gather_assets(
    query: AssetQuery, evidence: EvidenceReader, resolver: Resolver, as_of: date
) -> Gathered:
    """Return the drugs that a question is about, and the candidates left out with the reason.

    Args:
        query: What is asked for.
        evidence: The pack.
        resolver: Knows names.
        as_of: Day for which statuses are told; no fact later than it is used.
    """
    naming = Naming(resolver, joined_names(evidence, resolver))
    finder = Finder(evidence, naming, target_names(resolver))
    hits, excluded = find_candidates(query, finder)
    meant = {
        candidate.key: candidate.name
        for candidate in finder.found.values()
        if may_be_meant(candidate, query, finder)
    }
    under = find_esters(meant, naming, evidence)
    finder.merge(under)
    excluded += [
        ExcludedAsset(show_name(meant[key]), f"listed as {show_name(name)}", key)
        for key, (_, name) in under.items()
        if key in meant
    ]
    chosen = choose(_counted(query, under), finder)
    by_disease = not query.targets and bool(query.disease_keys)
    shelf = fill_shelf(
        {candidate.key: candidate.said for candidate in chosen},
        evidence,
        naming,
        query.sources,
        trials=hits if by_disease else None,
        figures=query.figures,
    )
    programs = Programs(shelf, diseases_of(resolver), as_of, own_only=not query.figures)
    work = _Work(query, shelf, programs, finder)
    made = [work.make(candidate) for candidate in chosen]
    assets = [result for result in made if isinstance(result, Asset)]
    excluded += [result for result in made if isinstance(result, ExcludedAsset)]
    figures: dict[int, Fact] = {}
    if query.figures:
        outcomes = Outcomes(
            shelf, evidence, {asset.key: asset.programs for asset in assets}, naming
        )
        assets = [replace(asset, outcomes=outcomes.of(asset.key)) for asset in assets]
        figures = {fact.id: fact.fact for facts in outcomes.facts.values() for fact in facts}
    return Gathered(
        tuple(sorted(assets, key=lambda asset: (asset.name.casefold(), asset.key))),
        tuple(
            sorted(set(excluded), key=lambda excluded: (excluded.name.casefold(), excluded.reason))
        ),
        tuple(sorted(Counter(each.partition(":")[0] for each in {*hits, *shelf.drugs}).items())),
        figures,
    )


def _counted(query: AssetQuery, under: Mapping[str, tuple[str, str]]) -> AssetQuery:
    """Return a query for the drugs under which those asked for count."""
    return replace(
        query,
        drug_keys=tuple(under[key][0] if key in under else key for key in query.drug_keys),
        also=tuple(under[key][0] if key in under else key for key in query.also),
    )


def find_candidates(query: AssetQuery, finder: Finder) -> tuple[list[str], list[ExcludedAsset]]:
    """Find the drugs that may be meant; return the records read for it and what is no drug."""
    hits: list[str] = []
    excluded: list[ExcludedAsset] = []
    stated = read_stated(finder.evidence)
    if query.targets:
        add_keys(query.also, finder)
        finder.read_statements(stated)
        finder.read_stems(query.targets)
        hits = [hit.record_id for hit in finder.read_trials(query.targets)]
    else:
        find = read_owned if query.companies else find_by_records
        hits, excluded = find(query, finder)
        finder.read_statements(stated, only_found=True)
    finder.read_own_knowledge(query.targets)
    return hits, excluded


@dataclass
class _Work:
    """Makes assets of candidates."""

    query: AssetQuery
    shelf: Shelf
    programs: Programs
    finder: Finder

    def make(self, candidate: Candidate) -> Asset | ExcludedAsset:
        """Return the asset, or why there is none."""
        made = self._made(candidate)
        if isinstance(made, Asset):
            return made
        return ExcludedAsset(show_name(candidate.name), made, candidate.key)

    def _made(self, candidate: Candidate) -> Asset | str:
        key = candidate.key
        reason = why_no_asset(candidate.name)
        if reason or not self.shelf.of(key):
            return reason or "no record of the evidence is about it"
        known_drugs = known_by_key(self.finder.naming.resolver).get(key, ())
        roles = find_roles(key, self.shelf, tested_in(key, self.shelf), known_drugs)
        if self._is_others(roles):
            return "another company's" if roles else self._why_no_program(key)
        owners = [role.company for role in roles if role.role != "partner"]
        programs = self.programs.of(key, owners, is_known=bool(known_drugs))
        if not programs:
            return self._why_no_program(key)
        kept_programs = self._asked(programs)
        if not kept_programs:
            return "no program in the requested scope"
        modality = self._modality(candidate)
        refused = self._refuse(modality)
        if refused:
            return refused
        return self._asset(candidate, modality, roles, kept_programs, programs)

    def _asset(
        self,
        candidate: Candidate,
        modality: Statement | None,
        roles: Sequence[CompanyRole],
        programs: Sequence[Program],
        all_programs: Sequence[Program],
    ) -> Asset:
        records = self.shelf.of(candidate.key)
        known_records = self.shelf.records
        resolver = self.finder.naming.resolver
        return Asset(
            key=candidate.key,
            name=show_name(display_name(candidate.key, candidate.name, resolver)),
            aliases=self._aliases(candidate),
            targets=tuple(self._backed(candidate, link) for link in candidate.links),
            modality=modality,
            companies=tuple(roles),
            programs=tuple(programs),
            newest_on=max((known_records[record].told_on for record in records), default=""),
            record_ids=tuple(sorted(records)),
            boxed_warnings=self._boxed_warnings(candidate.key),
            regions=region_stages(
                candidate.key,
                self.shelf,
                programs,
                sum(bool(program.approvals) for program in all_programs),
                find_ends(candidate.key, self.shelf, self.programs.diseases),
            ),
            routes=routes_of(candidate.key, self.shelf, modality) if self.query.routes else (),
            has_generics=self._has_generics(candidate.key),
            first_approved_on=first_approval_day(candidate.key, self.shelf, all_programs),
            target_dates=list_target_dates(candidate.key, self.shelf, self.programs.as_of),
        )

    def _has_generics(self, key: str) -> bool:
        """Return whether the register of approvals holds a generic of this drug alone."""
        kinds = (
            self.shelf.entries.approval(record_id).kind
            for record_id in self.shelf.of(key, "drugsfda")
            if self.shelf.is_alone(record_id)
        )
        return any(kind is not None and kind.text.startswith("ANDA") for kind in kinds)

    def _boxed_warnings(self, key: str) -> tuple[Statement, ...]:
        """Return the labels of this drug alone that carry a boxed warning, the newest first."""
        statements = [
            statement
            for record_id in self.shelf.of(key, "label")
            if self.shelf.is_alone(record_id)
            for statement in self.shelf.entries.label(record_id).boxed
            if statement.text == "yes"
        ]
        statements.sort(key=lambda statement: (statement.as_of, statement.record_id), reverse=True)
        return tuple(
            Statement(
                f"boxed warning on the US label of {statement.as_of}",
                (statement.record_id,),
                (statement.fact_id,),
            )
            for statement in statements
        )

    def _backed(self, candidate: Candidate, link: TargetLink) -> TargetLink:
        """Return a link that a name tells with the records that carry the name."""
        mechanism = link.mechanism
        if mechanism.record_ids or mechanism.is_expert:
            return link
        ids = tuple(confirmed_first(self.shelf.of(candidate.key))[:3])
        return TargetLink(
            link.target, Statement(mechanism.text, ids, mechanism.fact_ids, mechanism.rule)
        )

    def _aliases(self, candidate: Candidate) -> tuple[str, ...]:
        own_value = display_name(candidate.key, candidate.name, self.finder.naming.resolver)
        seen = {fold_name(own_value)}
        shown = {
            mention.name
            for record_id in self.shelf.of(candidate.key, *DISCLOSED)
            for mention in self.shelf.mentions[record_id]
        }
        aliases: list[str] = []
        for name in (candidate.name, *self.shelf.names.get(candidate.key, ())):
            is_label = name not in shown and not is_plain_name(name)
            if fold_name(name) not in seen and not is_label:
                seen.add(fold_name(name))
                aliases.append(show_name(name))
        return tuple(aliases[:MOST_ALIASES])

    def _modality(self, candidate: Candidate) -> Statement | None:
        clues = [*candidate.clues, *self._forms(candidate.key)]
        text, rule, modality_clues = derive_modality([candidate.name], clues)
        if text == "monoclonal antibody" and any(_is_pair(link) for link in candidate.links):
            text, rule = "bispecific antibody", "antibody of two targets"
        if not text:
            return None
        ids = tuple(dict.fromkeys(clue.record_id for clue in modality_clues if clue.record_id))
        facts = tuple(clue.fact_id for clue in modality_clues if clue.fact_id)
        is_expert = rule == "words" and bool(modality_clues) and not ids
        if not ids and not is_expert:
            ids = tuple(confirmed_first(self.shelf.of(candidate.key))[:3])
        return Statement(text, ids, facts, rule, is_expert)

    def _forms(self, key: str) -> Iterator[ModalityClue]:
        """Yield clues from labels that name a salt or a tablet, as small molecules have."""
        for record_id in self.shelf.of(key, "ctgov", "drugsfda"):
            for mention in self.shelf.mentions[record_id]:
                named = self.shelf.labels.get(mention.name, ())
                if [drug.key for drug in named] == [key] and _ORAL.search(mention.name):
                    yield ModalityClue("small molecule", 1, record_id)
                    break

    def _asked(self, programs: Sequence[Program]) -> list[Program]:
        query, diseases = self.query, self.programs.diseases
        return [
            program
            for program in programs
            if (
                not query.disease_keys
                or diseases.is_kind_of(program.indication_key, query.disease_keys)
                or (program.indication_key in query.wider_keys and program.approvals)
            )
            and (not query.stages or program.stage in query.stages)
        ]

    def _is_others(self, roles: Sequence[CompanyRole]) -> bool:
        """Return whether companies are asked for and none of them has a part."""
        names = {fold_name(company) for company in self.query.companies}
        return bool(names) and not {fold_name(role.company) for role in roles} & names

    def _refuse(self, modality: Statement | None) -> str:
        """Return why a drug is not what was asked for; "" if it is."""
        text = modality.text if modality else ""
        if self.query.modalities and text not in self.query.modalities:
            return f"its modality is {text or 'not known'}, not the requested one"
        if text and text in self.query.not_modalities:
            return f"its modality, {text}, was to be excluded"
        return ""

    def _why_no_program(self, key: str) -> str:
        tested = tested_in(key, self.shelf)
        if tested and not any(sponsor_of(record_id, self.shelf) for record_id in tested):
            return f"its trials name no sponsor ({len(tested)})"
        if tested:
            return f"only trials of others, no company with a role for it ({len(tested)})"
        return "only comparator, background or unclear use; no trial tests it and no label has it"


def _is_pair(link: TargetLink) -> bool:
    """Return whether a link names two targets that stand apart, such as "BCMA x CD3"."""
    return link.target.relation == "both" and " x " in link.target.text


def show_name(name: str) -> str:
    """Return a drug's name for display: codes in capitals.

    >>> show_name("zen-3694"), show_name("interferon alfa-2b"), show_name("sitagliptin")
    ('ZEN-3694', 'interferon alfa-2b', 'sitagliptin')
    """
    is_code = " " not in name and any(sign.isdigit() for sign in name)
    return name.upper() if is_code and name.islower() else name
