"""What a page about a drug, a company or a field shows, read from the store without a run."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from core.briefs.developments.records import Development
from core.briefs.entities.identifying import Library, find_target
from core.briefs.entities.profiles import (
    DrugProfile,
    Reach,
    cited_records,
    find_events,
    profile_drugs,
)
from core.briefs.portfolio.companies import Company, find_company
from core.briefs.portfolio.holdings import GROUPS, group_of
from core.briefs.settings import Area, make_area, merge_programs
from core.briefs.subjects import Drug
from core.evidence.assets.coverage import load_areas
from core.evidence.assets.gather import gather_assets
from core.evidence.assets.target_match import acts_on
from core.evidence.names.aliases import Named
from core.evidence.names.target_tables import both, target_names
from core.records.asset_queries import AssetQuery
from core.records.entities import SCOPES, Entity, Scope
from core.records.evidence import Record
from core.records.programs import Asset, Program, TargetExpression
from core.records.stages import STAGES
from core.vocabulary.sister_targets import load_sisters

OTHER_DISEASE = "other disease"


@dataclass(frozen=True)
class DrugView:
    """All about one drug.

    Attributes:
        drug: The drug.
        events: What happened to it, the newest first.
        records: The records that the page may cite, by id.
    """

    drug: DrugProfile
    events: tuple[Development, ...]
    records: Mapping[str, Record]


@dataclass(frozen=True)
class CompanyView:
    """A company with all its drugs.

    Attributes:
        company: The company with its names and ticker.
        drugs: All its drugs: in development, approved, licensed out, then what is over.
        areas: Therapeutic area of each drug's furthest program, by the drug's key.
        events: What happened to its drugs, the newest first.
        records: The records that the page may cite, by id.
    """

    company: Company
    drugs: tuple[DrugProfile, ...]
    areas: Mapping[str, str]
    events: tuple[Development, ...]
    records: Mapping[str, Record]


@dataclass(frozen=True)
class FieldView:
    """The drugs of a target, a disease, or a target in a disease, near ones included.

    Attributes:
        target: The target; None where only a disease is asked for.
        disease: The disease; None where only a target is asked for.
        drugs: The drugs of all scopes, exact matches first; `scope` and `why` tell them apart.
        excluded: How many candidates each reason removed, the commonest first.
        events: What happened to the drugs, the newest first.
        records: The records that the page may cite, by id.
    """

    target: Entity | None
    disease: Entity | None
    drugs: tuple[DrugProfile, ...]
    excluded: tuple[tuple[str, int], ...]
    events: tuple[Development, ...]
    records: Mapping[str, Record]

    def within(self, scope: Scope) -> list[DrugProfile]:
        """Return the drugs that a scope takes in."""
        taken = SCOPES[: SCOPES.index(scope) + 1]
        return [drug for drug in self.drugs if drug.scope in taken]


def read_drug(key: str, library: Library) -> DrugView | None:
    """Return all about a drug; None where no record is about it.

    Args:
        key: "UNII:…" or "name:…".
        library: Evidence, names and the day.
    """
    query = AssetQuery(drug_keys=(key,), routes=True)
    assets = gather_assets(query, library.evidence, library.resolver, library.as_of).assets
    if not assets:
        return None
    [drug] = profile_drugs([Reach(Drug(assets[0], assets[0].programs))], library)
    events = find_events([drug], library)
    return DrugView(drug, events, cited_records([drug], events, library))


def read_company(name: str, library: Library) -> CompanyView | None:
    """Return a company with its drugs; None where no record names it."""
    company = find_company(name, (), library.evidence, library.resolver)
    if not company.groups:
        return None
    query = AssetQuery(companies=company.groups, company_names=company.written, figures=False)
    assets = gather_assets(query, library.evidence, library.resolver, library.as_of).assets
    drugs = profile_drugs(
        (Reach(Drug(asset, asset.programs)) for asset in assets), library, company
    )
    grouped = sorted(
        ((group_of(drug, library.as_of), drug) for drug in drugs),
        key=lambda pair: (
            GROUPS.index(pair[0]),
            STAGES.index(pair[1].stage),
            -pair[1].catalyst.score,
            pair[1].name.casefold(),
        ),
    )
    profiles = tuple(drug for _, drug in grouped)
    events = find_events(profiles, library)
    records = cited_records(profiles, events, library)
    return CompanyView(company, profiles, _areas_of(profiles, library), events, records)


def _areas_of(drugs: Iterable[DrugProfile], library: Library) -> dict[str, str]:
    """Return the therapeutic area of each drug's furthest program, by the drug's key."""
    identity, areas = library.resolver.identity, load_areas()
    area_of_disease: dict[str, str] = {}
    area_by_drug: dict[str, str] = {}
    for drug in drugs:
        for program in sorted(drug.programs, key=lambda program: STAGES.index(program.shown_stage)):
            key = program.indication_key
            if key and key not in area_of_disease:
                above = identity.ancestors("disease", key) | {key}
                area_of_disease[key] = next((area for area, top in areas if top in above), "")
            if key and area_of_disease[key]:
                area_by_drug.setdefault(drug.asset.key, area_of_disease[key])
    return area_by_drug


def read_field(target: str, disease: str, library: Library) -> FieldView | None:
    """Return the drugs of a target, a disease or both; None where neither is known.

    Args:
        target: Expression of the target; "" for none.
        disease: Key of the disease; "" for none.
        library: Evidence, names and the day.
    """
    expression = find_target(target, library.resolver) if target else None
    area = _area(disease, library) if disease else None
    if expression is None and area is None:
        return None
    question = _Asked(expression, area, library)
    gathered = gather_assets(question.query, library.evidence, library.resolver, library.as_of)
    reached = [reach for asset in gathered.assets if (reach := question.reach(asset))]
    drugs = sorted(
        profile_drugs(reached, library),
        key=lambda profile: (
            SCOPES.index(profile.scope),
            STAGES.index(profile.stage),
            profile.name.casefold(),
        ),
    )
    removed = Counter(excluded.reason for excluded in gathered.excluded)
    lost = len(gathered.assets) - len(reached)
    if lost and area:
        removed[f"no program in {area.label}"] += lost
    events = find_events(drugs, library)
    return FieldView(
        Entity("target", expression.text, expression.text) if expression else None,
        Entity("disease", area.key, area.label) if area else None,
        tuple(drugs),
        tuple(removed.most_common()),
        events,
        cited_records(drugs, events, library),
    )


def _area(key: str, library: Library) -> Area | None:
    """Return a disease with its kinds and the wider diseases whose approved uses count."""
    identity = library.resolver.identity
    entity = identity.entities("disease", [key]).get(key)
    if entity is None:
        return None
    names = tuple(name.name for name in identity.names("disease", key) if name.level == 1)
    named = Named("disease", key, entity.label, entity.label, names)
    return make_area(named, library.resolver).widen(library.resolver)


@dataclass(frozen=True)
class _Asked:
    """What a field page asks for, and how close a drug is to it."""

    target: TargetExpression | None
    area: Area | None
    library: Library

    @property
    def sisters(self) -> list[TargetExpression]:
        """Return the targets whose drugs compete with those of the target."""
        return sister_targets(self.target, self.library) if self.target else []

    @property
    def members(self) -> list[TargetExpression]:
        """Return the members of a pair, each alone."""
        if self.target is None or self.target.relation != "both":
            return []
        names = target_names(self.library.resolver)
        parts = (names.of_text(symbol) for symbol in self.target.text.split(" x "))
        return [target for target in parts if target]

    @property
    def query(self) -> AssetQuery:
        """Return what is gathered: the widest scope."""
        if self.target:
            return AssetQuery(targets=(self.target, *self.sisters, *self.members))
        area = self.area
        keys = sorted({*area.keys, *area.wider}) if area else ()
        return AssetQuery(disease_keys=tuple(keys))

    def reach(self, asset: Asset) -> Reach | None:
        """Return how close a drug is; None where it is on no scope of the page."""
        by_target = self._by_target(asset)
        by_disease = self._by_disease(asset)
        if by_disease is None:
            return None
        programs, scope, why = by_disease
        target_scope, target_why = by_target
        if target_scope == "wide" and why.startswith(OTHER_DISEASE):
            return None
        widest = max(scope, target_scope, key=SCOPES.index)
        reasons = "; ".join(filter(None, (target_why, why)))
        return Reach(Drug(asset, tuple(programs)), widest, reasons)

    def _by_target(self, asset: Asset) -> tuple[Scope, str]:
        if self.target is None or acts_on(asset.targets, [self.target]):
            return "narrow", ""
        acting = ", ".join(dict.fromkeys(link.target.text for link in asset.targets))
        if acts_on(asset.targets, self.sisters):
            return "near", f"sister target: {acting}"
        return "wide", f"acts on {acting}"

    def _by_disease(self, asset: Asset) -> tuple[Sequence[Program], Scope, str] | None:
        area = self.area
        if area is None:
            return asset.programs, "narrow", ""
        programs = merge_programs(program for program in asset.programs if area.holds(program))
        programs.sort(key=lambda program: (STAGES.index(program.shown_stage), program.indication))
        wider = [program for program in asset.programs if program.indication_key in area.wider]
        approved = [program.approved_only() for program in wider if program.approvals]
        if programs:
            is_approved = any(program.shown_stage == "APPROVED" for program in programs)
            return [*programs, *([] if is_approved else approved)], "narrow", ""
        if approved:
            return approved, "near", f"approved for a wider use: {approved[0].label_use}"
        if wider:
            return wider, "wide", f"tested in a wider disease: {wider[0].indication}"
        if self.target is None:
            return None
        top = min(asset.programs, key=lambda program: STAGES.index(program.shown_stage))
        return asset.programs, "wide", f"{OTHER_DISEASE}: {top.indication}"


def sister_targets(target: TargetExpression, library: Library) -> list[TargetExpression]:
    """Return the targets whose drugs compete: PD-L1 x VEGF for PD-1 x VEGF."""
    names, axes = target_names(library.resolver), load_sisters()
    parts = target.text.split(" x ") if target.relation == "both" else [target.text]
    options = [(symbol, *axes.get(symbol, ())) for symbol in parts]
    targets: dict[str, TargetExpression] = {}
    for combination in product(*options):
        expressions = [text for name in combination if (text := names.of_text(name))]
        if len(expressions) == len(parts):
            made = expressions[0]
            for text in expressions[1:]:
                made = both(made, text)
            targets.setdefault(made.text, made)
    targets.pop(target.text, None)
    return list(targets.values())
