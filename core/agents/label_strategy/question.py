"""The request as it was understood: setting, class, agency, own data, names of competitors."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from core.agents.label_strategy.own_data import OwnData, read_own_data
from core.agents.label_strategy.schema import LabelStrategyRequest
from core.agents.label_strategy.stated import (
    PLAIN,
    Stated,
    disease_wordings,
    read_given,
    read_stated,
)
from core.agents.label_strategy.tables import (
    DIAGNOSTIC,
    AgencyRow,
    ClassRuleRow,
    RuleKind,
    agencies,
    classes_of_asset,
    find_agency,
    rules_of,
)
from core.briefs.report import as_text
from core.briefs.settings import Area, Part, Setting, of_one_product, read_setting
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import rows_by_alias, target_names
from core.evidence.proof.claims import unmark
from core.evidence.readers.endpoints import read_endpoint
from core.evidence.readers.label_extents import ADVANCED, read_extent
from core.evidence.readers.label_uses import read_age, read_use
from core.evidence.readers.questions.parsed import ParsedText
from core.evidence.readers.questions.reading import parse_text
from core.knowledge.contradictions import find_contradictions, without_conflicts
from core.knowledge.single_arm_drivers import is_regular_on_response
from core.records.names import fold_name
from core.records.precedents import AgeGroup, Regimen
from core.vocabulary.biomarkers import find_biomarkers
from core.vocabulary.lines import AskedLine
from core.workbench import RunContext

EARLY = frozenset({"DISCOVERY", "PRECLINICAL"})
LATE = frozenset({"PHASE3", "PHASE2_3", "FILED", "APPROVED"})
MOST_WORDS = 5
LONGEST_NAME = 60
LONGEST_SHORT_FORM = 6
_AROUND_SURGERY = frozenset({AskedLine.ADJUVANT, AskedLine.NEOADJUVANT})
_ADJECTIVE = re.compile(r"(?:ic|al|an|ar|ous|ine)$", re.IGNORECASE)
"""Endings of a word that names a place, such as "gastric", where its disease is meant."""
UNNAMED = "The asset"
NO_DISEASE = "the indication names no recognized disease. Name the disease."
NO_IMAGING = "the request names no imaging method of the diagnostic agent. Name it, such as PET."
CONNECTED = re.compile(r"^(?: \([^)]*\))?(?:,| and/or| or| and)+ (?:\w+ ){0,3}$")
"""What stands between two diseases that are claimed together."""


_BIOSIMILAR = re.compile(
    r"(?:(?P<before>\w{4,}(?:mab|cept|stim|poetin|tropin|parin|sulin|lin|kinra))[- ])?"
    r"biosimilar(?: (?:of|to|for|version of|candidate (?:of|to)) (?P<behind>[A-Z]?[a-z]{4,}))?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Question:
    """A request as it was understood.

    Attributes:
        setting: What its fields come to.
        drug: Name for the draft; a text that is no name does not stand in it.
        own_names: Names by which records know the asset.
        classes: Classes of drugs that share a warning.
        agency: Whose words are used.
        as_of: The run's day, on which rules have to stand.
        endpoints: Classes of the endpoints asked for; "" where no class is known.
        age: Ages that the indication names.
        extent: How far the disease has come, where the indication says so.
        regimen: Alone or with others, where indication or dosing says so.
        partners: What it is given with, where they name it.
        own: The free objects as typed data.
        comparator: Control as given.
        dosing: Dose, schedule and route as given.
        competitors: Names asked for, as written, with the key of each.
        warnings: What is unclear.
        names: Names that any record may carry.
        product_words: Kind and mechanism as the request writes them.
        stated: What the indication states beyond the slots.
        disease_said: Name that the request uses for the disease; "" for a short form.
        reference: Reference product of a biosimilar; "" for another drug.
        is_diagnostic: Whether the product shows the disease and does not treat it.
        together: Diseases claimed together, as the request writes them; empty for one.
    """

    setting: Setting
    drug: str
    own_names: tuple[str, ...]
    classes: tuple[str, ...]
    agency: AgencyRow
    as_of: str
    endpoints: tuple[tuple[str, str], ...]
    age: AgeGroup
    extent: str
    regimen: Regimen
    own: OwnData
    partners: str = ""
    comparator: str = ""
    dosing: str = ""
    competitors: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    names: Sequence[str] = ()
    product_words: str = ""
    stated: Stated = Stated()
    disease_said: str = ""
    reference: str = ""
    is_diagnostic: bool = False
    together: tuple[str, ...] = ()

    @property
    def is_early(self) -> bool:
        """Return whether no human data can exist yet."""
        return bool(self.setting.stages) and set(self.setting.stages) <= EARLY

    def rules(self, kind: RuleKind) -> list[ClassRuleRow]:
        """Return what is known of the labels of its classes in its disease on the run's day."""
        rows = rules_of(self.classes, kind, self.use_words)
        return [row for row in rows if row.holds_on(self.as_of)]

    @property
    def refusal(self) -> str:
        """Return why no patient can meet the request; "" where some can."""
        conflicts = (text for text in self.warnings if text.startswith("contradiction: "))
        if conflict := next(conflicts, "").partition(": ")[2]:
            return conflict
        if self.is_diagnostic and not self.stated.of("purpose", "usual"):
            return NO_IMAGING
        statements = self.stated.of("disease", "purpose", "usual")
        is_named = self.disease or any("{disease}" not in each.row.fda for each in statements)
        return "" if is_named or self.reference else NO_DISEASE

    @property
    def boxed_elsewhere(self) -> list[ClassRuleRow]:
        """Return the boxes that its classes have in other diseases than the one asked for."""
        if self.rules("boxed"):
            return []
        return [
            row
            for row in rules_of(self.classes, "boxed", None)
            if row.holds_on(self.as_of) and not row.holds_in(self.use_words)
        ]

    def ended_rules(self, kind: RuleKind) -> list[ClassRuleRow]:
        """Return the rules of its classes that ended before the run's day."""
        rows = rules_of(self.classes, kind, self.use_words)
        return [row for row in rows if row.valid_to and row.valid_to <= self.as_of]

    @property
    def disease(self) -> str:
        """Return the name of the disease; "" where none is known."""
        return self.setting.areas[0].label if self.setting.areas else ""

    @property
    def is_regular_on_response(self) -> bool:
        """Return whether a single arm may carry a regular approval, as it has for its driver."""
        is_us = self.agency.name == "FDA"
        return is_us and is_regular_on_response(self.setting.biomarkers, self.disease)

    @property
    def use_words(self) -> str:
        """Return the disease and the purpose, which decide whether a class rule holds."""
        purposes = (statement.row.key for statement in self.stated.of("purpose", "usual"))
        return " ; ".join((self.disease, *purposes))


def understand(request: LabelStrategyRequest, context: RunContext) -> Question:
    """Return the request as it was understood."""
    resolver = context.resolver
    drug_words = f"{request.mechanism_of_action} ; {request.modality} ; {request.target}"
    fields = (request.indication, request.biomarker or "", request.line_of_therapy or "")
    is_diagnostic = bool(DIAGNOSTIC.search(f"{request.indication} ; {drug_words}"))
    stated = read_stated(*fields, drug=f"{drug_words} ; {request.indication * is_diagnostic}")
    parsed = _parse(request, stated.disease_text, resolver)
    setting = _add_stated(read_setting(parsed, resolver), parsed, stated)
    written = _written_as(parsed["disease"], setting)
    stated = replace(stated, given=_read_given(stated, written))
    agency = find_agency(request.geography)
    own_data = read_own_data(
        request.clinical_trial_data, request.safety_data, request.prior_regulatory_feedback
    )
    said = " ; ".join(fields)
    setting = replace(setting, biomarkers=without_conflicts(setting.biomarkers, said))
    warnings = [*find_contradictions(said), *setting.notices, *own_data.warnings]
    if agency is None:
        agency = agencies()["Other"]
        warnings.append(
            f"geography_unknown: {as_text(request.geography)!r} is not a recognized agency; words "
            "are general ones."
        )
    drug, own_names = _name_asset(request, context)
    regimen = read_use(f"{request.indication}; {request.dosing_information or ''}")
    return Question(
        setting=setting,
        drug=drug,
        own_names=own_names,
        classes=tuple(
            classes_of_asset(
                [target.text for target in setting.targets],
                setting.modalities,
                request.asset_name,
                (request.mechanism_of_action, request.modality),
                setting.areas[0].label if setting.areas else "",
            )
        ),
        agency=agency,
        as_of=context.now.date().isoformat(),
        endpoints=tuple(
            (as_text(endpoint), read_endpoint(endpoint).name)
            for endpoint in request.endpoints or _own_endpoints(own_data)
        ),
        age=_read_age(request.indication, stated),
        extent=read_extent(stated.disease_text),
        regimen=regimen.regimen,
        partners=_name_partners(regimen.partners, resolver),
        own=own_data,
        comparator=as_text(request.comparator or ""),
        dosing=as_text(request.dosing_information or "")[:300],
        competitors=_competitors(request.competitor_assets or (), context),
        warnings=warnings,
        names=(drug,),
        product_words=f"{request.modality} {request.mechanism_of_action}",
        reference=find_reference(f"{request.asset_name} ; {drug_words}"),
        stated=stated,
        disease_said=_disease_said(written),
        is_diagnostic=is_diagnostic,
        together=_find_together(parsed["disease"], stated.disease_text),
    )


def _find_together(parsed: ParsedText, text: str) -> tuple[str, ...]:
    """Return the diseases that an indication claims together: "Crohn's disease or colitis"."""
    names = [piece.said for piece in parsed.pieces if piece.became == "disease"]
    places = sorted((text.find(name), name) for name in {*names} if name in text)
    joined = list[str]()
    for (start, name), (following, other) in pairwise(places):
        if CONNECTED.match(text[start + len(name) : following]):
            joined += [name, other]
    return tuple(dict.fromkeys(joined))


def find_reference(text: str) -> str:
    """Return the reference product of a biosimilar that a text names; "" where it names none.

    >>> find_reference("adalimumab biosimilar"), find_reference("a proposed biosimilar")
    ('adalimumab', 'its reference product')
    >>> find_reference("biosimilar to trastuzumab"), find_reference("TNF antibody")
    ('trastuzumab', '')
    """
    named = _BIOSIMILAR.search(text)
    if named is None:
        return ""
    return (named["before"] or named["behind"] or "its reference product").lower()


def _read_given(stated: Stated, written: str) -> str:
    """Return what the indication says of its patients that the stated diseases do not."""
    given = unmark(as_text(read_given(stated.disease_text, written)))
    is_named = any(given.casefold() in words.casefold() for words in disease_wordings(stated))
    return "" if is_named else given


def _name_partners(text: str, resolver: Resolver) -> str:
    """Return what a drug is given with: drugs by their names, else plain words as written."""
    drugs = dict.fromkeys(drug.label.lower() for drug in parse_text(text, resolver).drugs)
    if drugs:
        return " and ".join(drugs)
    plain = unmark(as_text(text)).strip(" ,;")
    return plain if PLAIN.fullmatch(plain) and len(plain) <= LONGEST_NAME else ""


def _own_endpoints(own_data: OwnData) -> list[str]:
    """Return the endpoints of the own trials, of the one that carries a claim best first."""
    best = [own_data.best.endpoint] if own_data.best else []
    return list(
        dict.fromkeys(filter(None, (*best, *(trial.endpoint for trial in own_data.trials))))
    )


def _add_stated(setting: Setting, parsed: Mapping[Part, ParsedText], stated: Stated) -> Setting:
    """Return a setting with line and markers that the indication implies.

    The disease named first leads, and the target is that of its own field: an indication names
    the targets of earlier treatment, too.
    """
    order = [piece.meant for piece in parsed["disease"].pieces if piece.became == "disease"]

    def place(label: str) -> int:
        return next((n for n, meant in enumerate(order) if label in meant.split("|")), len(order))

    is_advanced = read_extent(stated.disease_text) in ADVANCED
    lines = tuple(
        line for line in setting.lines if not (is_advanced and line in _AROUND_SURGERY)
    )  # "recurrence after adjuvant chemotherapy" tells of an earlier treatment
    lines = lines or ((stated.line,) if stated.line else ())

    def is_wider(area: Area) -> bool:
        return any(other.key != area.key and other.key in area.keys for other in setting.areas)

    return replace(
        setting,
        areas=tuple(sorted(setting.areas, key=lambda area: (is_wider(area), place(area.label)))),
        targets=parsed["target"].targets or setting.targets,
        lines=lines,
        biomarkers=tuple(dict.fromkeys((*stated.biomarkers, *setting.biomarkers))),
    )


def _disease_said(written: str) -> str:
    """Return the name that a request uses for its disease; "" for a short form or an adjective."""
    text = unmark(written.partition(" (")[0])
    is_short = text.isupper() and len(text) <= LONGEST_SHORT_FORM
    return "" if is_short or ")" in text or _ADJECTIVE.search(text) else text


def _written_as(parsed: ParsedText, setting: Setting) -> str:
    """Return the words of the indication that mean the disease."""
    label = setting.areas[0].label if setting.areas else ""
    return next(
        (
            piece.said
            for piece in parsed.pieces
            if piece.became == "disease" and label in piece.meant.split("|")
        ),
        "",
    )


def _read_age(indication: str, stated: Stated) -> AgeGroup:
    """Return the ages that an indication names; an upper limit leaves children alone."""
    is_capped = any(statement.row.key == "under age" for statement in stated.statements)
    return AgeGroup(children=True) if is_capped else read_age(indication)


def _parse(
    request: LabelStrategyRequest, indication: str, resolver: Resolver
) -> dict[Part, ParsedText]:
    """Return the fields of the setting, read; a part without a disease gives way to the whole."""
    disease = parse_text(indication, resolver)
    parsed: dict[Part, ParsedText] = {
        "disease": disease if disease.diseases else parse_text(request.indication, resolver),
        "target": _parse_target(request.target, resolver),
        "modality": parse_text(request.modality, resolver),
        "stage": parse_text(request.development_stage, resolver),
    }
    if request.biomarker:
        parsed["biomarker"] = parse_text(request.biomarker, resolver)
    if request.line_of_therapy:
        parsed["line"] = parse_text(request.line_of_therapy, resolver)
    return {name: of_one_product(text) for name, text in parsed.items()}


def _parse_target(text: str, resolver: Resolver) -> ParsedText:
    """Return the field of the target, read: a name of the table of targets is that target alone.

    As a free text "Factor Xa" is a drug and "IgE" a disease.
    """
    parsed = parse_text(text, resolver)
    row = rows_by_alias().get(fold_name(text))
    target = target_names(resolver).of_text(row.expression if row else text)
    if parsed.targets or target is None:
        return parsed
    return replace(parsed, targets=(target,), diseases=(), drugs=(), words=())


def _name_asset(request: LabelStrategyRequest, context: RunContext) -> tuple[str, tuple[str, ...]]:
    """Return the asset's name for the draft, and the names by which records know it."""
    text = unmark(as_text(request.asset_name))
    match = context.resolver.resolve_drug(request.asset_name)
    if match.key:
        packs = context.resolver.packs
        names = [name.name for pack in packs for name in pack.names("drug", match.key)]
        return text, tuple(dict.fromkeys([request.asset_name, *names]))
    is_name = len(text.split()) <= MOST_WORDS and len(text) <= LONGEST_NAME
    return text if is_name else UNNAMED, (request.asset_name,)


def _competitors(words: Sequence[str], context: RunContext) -> dict[str, str]:
    """Return the names asked for with the folded names of the drugs that they stand for."""
    keys_by_name: dict[str, str] = {}
    for name in words:
        match = context.resolver.resolve_drug(name)
        keys_by_name[as_text(name)] = match.key or fold_name(name)
    return keys_by_name


def biomarkers_of(text: str) -> tuple[str, ...]:
    """Return the biomarkers of the table that a text names."""
    return tuple(row.name for row in find_biomarkers(text))
