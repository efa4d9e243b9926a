"""What is asked for: the setting, the next study, and what each optional field comes to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from core.agents.clinical_trial_design.expectations import ExpectationRow
from core.agents.clinical_trial_design.objects import (
    Efficacy,
    Given,
    Safety,
    Supply,
    read_efficacy,
    read_given,
    read_safety,
    read_supply,
)
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignRequest
from core.agents.clinical_trial_design.tables import AreaRow, area_traits, areas_of, find_agencies
from core.briefs.settings import Area, Part, Setting, of_one_product, read_setting
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.parsed import ParsedText
from core.evidence.readers.questions.reading import parse_text
from core.records.stages import Stage
from core.vocabulary.endpoints import EndpointRow, classify_endpoint
from core.vocabulary.lines import AskedLine

Study = Literal["first in human", "phase 2", "pivotal", "confirmatory"]
DESIGNATIONS = (
    *("breakthrough", "fast track", "orphan", "rmat", "prime", "sakigake", "ilap"),
    *("priority", "accelerated", "qidp"),
)
NO_DOSES = frozenset({"cell therapy", "diagnostic agent", "gene therapy", "radioligand", "vaccine"})
"""Kinds whose doses the oncology guidance does not ask to compare."""
OUTCOMES = frozenset(
    {"cardiovascular events", "complications of cirrhosis", "fracture", "kidney events"}
)
"""Classes that a label claims only where the trial was for them."""
_INTENTS = {
    "biosimilar": re.compile(r"biosimilar|similar biologic", re.IGNORECASE),
    "prevention": re.compile(r"prevent|prophyla|\bPrEP\b", re.IGNORECASE),
}
_TRACER = re.compile(r"\btracer|imaging agent|\bPET\b|\bSPECT\b|contrast agent", re.IGNORECASE)
_EARLIER = r"(?:lines?\b|(?:prior|earlier|previous) (?:lines?|therap|treatment|systemic))"
_LATE_LINE = re.compile(
    r"\b(?:fourth|fifth)[- ]line|\b[45]L\b|(?:three|four|3|4) or more (?:prior|earlier|previous)|"
    r"at least (?:three|four|3|4) (?:prior|earlier|previous)|triple[- ]class",
    re.IGNORECASE,
)
LATE_LINE = "fourth line or later"
_AFTER = (
    (AskedLine.THIRD, re.compile(rf"\b(?:two|2) (?:or more )?{_EARLIER}", re.IGNORECASE)),
    (AskedLine.SECOND, re.compile(rf"\b(?:one|1) (?:or more )?{_EARLIER}", re.IGNORECASE)),
)
"""Lines that follow so many earlier ones, as labels write them: "after two or more lines"."""
_TREATED = re.compile(
    r"\b(?:after|following|refractory to|resistant to|intolerant (?:to|of)|progress\w* on|"
    r"exposed to)\b[^.;]{0,60}?(?:inhibitor|degrader|therap|antibod|platin|taxane|conjugate|taxel|"
    r"\w(?:mab|nib|ciclib|lutamide|lidomide)\b|\bCDK)|\b(?:pre-?|previously )treated\b",
    re.IGNORECASE,
)
"""Words of cancers that were treated before, where no line is named."""
_CAR = re.compile(r"\bCAR\b|CAR-?T|chimeric antigen", re.IGNORECASE)
_RELAPSED = re.compile(r"relapse|refractory|recurrent", re.IGNORECASE)
_ENGAGER = re.compile(r"\bCD3\b|\bBiTE\b|T[- ]cell engag|\bTCE\b", re.IGNORECASE)
_CANCER = re.compile(
    r"cancer|carcinoma|melanoma|tumou?r|lymphoma|leuk(?:a)?emia|myeloma|glioma|blastoma|sarcoma|"
    r"mesothelioma|neoplas|malignan|metasta",
    re.IGNORECASE,
)
_EX_VIVO = re.compile(
    r"\bCD34|(?:blood|hematopoietic)[- ](?:stem|progenitor)|lentivir|ex vivo|\bTILs?\b|tumou?r[- ]"
    r"infiltrating|\bTCR[- ]?T\b|autologous T[- ]?cell",
    re.IGNORECASE,
)
"""Cells that are given after conditioning or lymphodepletion."""
_EDITED = re.compile(
    r"CRISPR|genome[- ]edit|gene[- ]edit|base[- ]edit|prime[- ]edit", re.IGNORECASE
)
_NEXT: Mapping[str, Study] = {
    "DISCOVERY": "first in human",
    "PRECLINICAL": "first in human",
    "PHASE1": "phase 2",
    "PHASE1_2": "phase 2",
    "PHASE2": "pivotal",
    "PHASE2_3": "pivotal",
    "PHASE3": "pivotal",
    "FILED": "confirmatory",
    "APPROVED": "confirmatory",
}
_PHASES: dict[Study, Stage] = {
    "first in human": "PHASE1",
    "phase 2": "PHASE2",
    "pivotal": "PHASE3",
    "confirmatory": "PHASE3",
}
INTERVAL = re.compile(
    r"\bevery (?:(?:\d+|two|three|four|six|eight|twelve) )?(?:hours?|days?|weeks?|months?)\b|"
    r"\b(?:once|twice|three times)[- ](?:a |per )?(?:daily|day|weekly|week|monthly|month)\b|"
    r"\b(?:daily|weekly|biweekly|monthly|single dose|Q\d+W|QW|QD|BID|TID)\b|"
    r"\bday(?:s)? \d+(?:(?:, | and )\d+)*(?: of (?:a |each )?\d+[- ]day cycles?)?",
    re.IGNORECASE,
)
_DOSE = re.compile(r"\b\d+(?:\.\d+)? ?(?:mg|ug|µg|g|IU|mCi|GBq|cells|vg)(?:/(?:kg|m2|m²))?", re.I)
_UNITS = r"(?:mg|ug|µg|g|IU|mCi|GBq)(?:/(?:kg|m2|m²))?"
_ONE_DOSE = rf"\d+(?:\.\d+)?(?: ?{_UNITS})?"
_SEVERAL = re.compile(
    rf"\b{_ONE_DOSE}(?:(?:, (?:or |and )?| or | and | vs\.? | versus ){_ONE_DOSE})*"
    rf"(?:, (?:or |and )?| or | and | vs\.? | versus )\d+(?:\.\d+)? ?{_UNITS}(?![\w/])"
)
_DAYS = re.compile(
    rf"\b(?:days?|weeks?|cycles?|months?|visits?|hours?)[- ]\d+\b(?! ?{_UNITS})"
    rf"(?:(?:, (?:or |and )?| or | and | to |-|–)\d+\b(?! ?{_UNITS}))*",
    re.IGNORECASE,
)
"""Days and weeks of a schedule, which are no doses: "days 1, 8 and 15"."""
_STEPS = re.compile(
    r"\b(?:then|escalat|titrat|up to|increas|followed|loading|induction|maintenance|start)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
_UNIT = re.compile(_UNITS)
MOST_DOSES = 4
LONGEST = 80
DUAL = frozenset({"overall survival", "progression-free survival"})
"""Endpoints that cancer trials test together as primary ones."""
_ENRICHES = re.compile(r"\benrich|\badaptive\b", re.IGNORECASE)
_PAIR = re.compile(r"\s*(?:[,;/+&]|\band\b)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Question:
    """The request as it was understood.

    Attributes:
        setting: Disease, line, marker, target, kind; its stage is that of the next study.
        asset: The drug as named.
        agency: The regulator.
        stage: How far the drug is; None where the field names none.
        study: The next study.
        areas: Fields of medicine of the disease.
        traits: Traits of the first of them.
        preferred: Class of the preferred endpoint; None where none is named or known.
        is_preferred_unknown: Whether one is named whose class is not known.
        preferred_text: The preferred endpoint as given; "".
        preferred_second: Class of a second primary endpoint that is preferred with it; "".
        claim: The label claim as read.
        claimed: Class of the endpoint that the claim names.
        patients: The population as read.
        partners: Drugs given with it, by name.
        regimen: Dose, interval and route as read.
        doses: Doses to be compared, where the schedule names several; else none.
        designations: Designations known.
        safety: The safety profile.
        efficacy: The own result.
        supply: Limits of manufacturing.
        competitors: Trials and drugs to compare with, as given.
        given: Control value, standard deviation, margin and history that the request gives.
        agencies: Every regulator named, the first of them `agency`.
        patients_text: Words on disease, patients, line and marker.
        drug_text: Words on drug, target, mechanism, kind and route.
        intents: What the development is for, such as "biosimilar".
        is_late_line: Whether three or more earlier lines are asked for.
        expected: What the first agency accepts in the setting; None where no row fits.
        expected_by_agency: What each agency accepts, where a row fits.
        expected_later: What it accepts of the pivotal trial, where the next study is none.
        warnings: What is unclear, refused or not found.
    """

    setting: Setting
    asset: str
    agency: str
    stage: Stage | None
    study: Study
    areas: tuple[str, ...]
    traits: AreaRow
    preferred: EndpointRow | None = None
    is_preferred_unknown: bool = False
    preferred_text: str = ""
    preferred_second: str = ""
    claim: ParsedText | None = None
    claimed: EndpointRow | None = None
    patients: ParsedText | None = None
    partners: tuple[str, ...] = ()
    regimen: str = ""
    doses: tuple[str, ...] = ()
    designations: tuple[str, ...] = ()
    safety: Safety = field(default_factory=Safety)
    efficacy: Efficacy | None = None
    supply: Supply = field(default_factory=Supply)
    competitors: tuple[str, ...] = ()
    given: Given = field(default_factory=Given)
    agencies: tuple[str, ...] = ()
    patients_text: str = ""
    drug_text: str = ""
    intents: frozenset[str] = frozenset()
    is_late_line: bool = False
    expected: ExpectationRow | None = None
    expected_by_agency: tuple[tuple[str, ExpectationRow], ...] = ()
    expected_later: ExpectationRow | None = None
    warnings: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return names that any record may carry."""
        return (self.asset,)

    @property
    def disease(self) -> str:
        """Return the disease by its name; as asked where it is not known."""
        return self.setting.areas[0].label if self.setting.areas else "the requested indication"

    @property
    def is_oncology(self) -> bool:
        """Return whether cancer's rules hold."""
        return self.traits.is_oncology

    @property
    def may_carry_approval(self) -> bool:
        """Return whether the next study is pivotal or confirmatory."""
        return self.study in {"pivotal", "confirmatory"}

    @property
    def is_later_line(self) -> bool:
        """Return whether patients had earlier treatment."""
        return bool({"2L", "3L"} & {str(line) for line in self.setting.lines})

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of drug."""
        return frozenset(self.setting.modalities)

    @property
    def target_symbols(self) -> tuple[str, ...]:
        """Return what the drug acts on, each target of a pair by itself."""
        targets = self.setting.targets
        return tuple(symbol for target in targets for symbol in target.text.split(" x "))

    @property
    def claimed_outcome(self) -> str:
        """Return the class of the outcome that the label claim names; "" for none."""
        return self.claimed.name if self.claimed and self.claimed.name in OUTCOMES else ""

    @property
    def line_words(self) -> tuple[str, ...]:
        """Return the lines of treatment as a reader calls them."""
        return (LATE_LINE,) if self.is_late_line else tuple(map(str, self.setting.lines))

    @property
    def is_car_t(self) -> bool:
        """Return whether the drug is a cell with a chimeric antigen receptor."""
        return "cell therapy" in self.kinds and bool(_CAR.search(self.drug_text))

    @property
    def is_early_car_t(self) -> bool:
        """Return whether CAR-T cells are tested in treated cancer, before the pivotal study."""
        is_treated = self.is_later_line or bool(_RELAPSED.search(self.patients_text))
        return self.is_car_t and self.is_oncology and is_treated and self.study == "phase 2"

    @property
    def is_conditioned(self) -> bool:
        """Return whether cells follow apheresis and conditioning, which no placebo can imitate."""
        is_cell = bool(self.kinds & {"cell therapy", "gene therapy"})
        return self.is_car_t or (is_cell and bool(_EX_VIVO.search(self.drug_text)))

    @property
    def is_given_once(self) -> bool:
        """Return whether treatment cannot be stopped or repeated: cells, genes, edits."""
        return self.is_edited or self.is_conditioned or "gene therapy" in self.kinds

    @property
    def setting_text(self) -> str:
        """Return the words on patients, the disease by name, and drugs given with it."""
        lines = map(str, self.setting.lines)
        return " ; ".join((self.patients_text, self.disease, *lines, *self.partners))

    @property
    def may_restrict(self) -> bool:
        """Return whether a look may restrict enrollment to a subgroup."""
        return bool(_ENRICHES.search(self.patients_text))

    @property
    def is_bispecific(self) -> bool:
        """Return whether the drug is a bispecific antibody; "antibody" alone may mean either."""
        kinds = self.kinds & {"bispecific antibody", "monoclonal antibody"}
        return kinds == {"bispecific antibody"}

    @property
    def engages_t_cells(self) -> bool:
        """Return whether the drug is a bispecific antibody that binds T cells."""
        return self.is_bispecific and bool(_ENGAGER.search(self.drug_text))

    @property
    def compares_doses(self) -> bool:
        """Return whether the oncology guidance asks to compare doses before a pivotal study."""
        return self.is_oncology and not self.kinds & NO_DOSES

    @property
    def is_around_surgery(self) -> bool:
        """Return whether resected or resectable disease is treated."""
        return bool({"adjuvant", "neoadjuvant"} & {str(line) for line in self.setting.lines})

    @property
    def is_edited(self) -> bool:
        """Return whether the drug edits the genome."""
        return bool(_EDITED.search(self.drug_text))


def read_question(request: ClinicalTrialDesignRequest, resolver: Resolver) -> Question:
    """Return the request as understood, without what agencies accept in its setting."""
    setting = _read_setting(request, resolver)
    stage = _stage(request.development_stage, resolver)
    intents = _read_intents(request, setting)
    study: Study = _NEXT.get(stage or "", "pivotal")
    if "biosimilar" in intents and study == "phase 2":
        study = "pivotal"  # a biosimilar has no phase 2: equivalence follows pharmacokinetics
    areas = areas_of(tuple(area.key for area in setting.areas), resolver)
    agencies = find_agencies(request.geography)
    notices = list(setting.notices)
    safety = read_safety(request.safety_profile, notices)
    efficacy = read_efficacy(request.preliminary_efficacy_data, notices)
    given = read_given(request.preliminary_efficacy_data, notices)
    supply = read_supply(request.manufacturing_constraints, notices)
    preferred_text, second = _preferred(request.preferred_endpoint or "", efficacy)
    preferred = classify_endpoint(preferred_text)
    return Question(
        setting=replace(setting, stages=(_PHASES[study],)),
        asset=unmark(request.asset_name)[:LONGEST],
        agency=agencies[0] if agencies else "Other",
        stage=stage,
        study=study,
        areas=tuple(areas),
        traits=area_traits(areas),
        preferred=preferred,
        is_preferred_unknown=bool(request.preferred_endpoint) and preferred is None,
        preferred_text=unmark(preferred_text)[:LONGEST],
        preferred_second=second,
        claim=_parsed(request.intended_label_claim, resolver),
        claimed=classify_endpoint(request.intended_label_claim or ""),
        patients=_parsed(request.target_patient_population, resolver),
        partners=_partners(request, resolver),
        regimen=_regimen(request, resolver),
        doses=read_doses(request.dosing_schedule or "") if study != "first in human" else (),
        designations=_designations(request),
        safety=safety,
        efficacy=efficacy,
        supply=supply,
        competitors=tuple(request.competitor_trials or ()),
        given=given,
        agencies=agencies or ("Other",),
        patients_text=_patients_text(request),
        drug_text=_drug_text(request),
        intents=intents,
        is_late_line=bool(_LATE_LINE.search(_patients_text(request))),
        warnings=tuple(notices),
    )


def _preferred(text: str, efficacy: Efficacy | None) -> tuple[str, str]:
    """Return the preferred endpoint and the one preferred with it, of own data first."""
    rows = [classify_endpoint(name) for name in _PAIR.split(text)]
    names = dict.fromkeys(row.name for row in rows if row is not None and row.name in DUAL)
    if len(names) < len(DUAL) or len(rows) > len(DUAL):
        return text, ""
    lead = (
        efficacy.reading.name if efficacy and efficacy.reading.name in DUAL else next(iter(names))
    )
    (second,) = DUAL - {lead}
    return lead, second


def _read_setting(request: ClinicalTrialDesignRequest, resolver: Resolver) -> Setting:
    """Return disease, line, marker, target and kind; the last lines alone of several late ones.

    Diseases stand as the indication names them.
    """
    texts = _texts(request, resolver)
    setting = read_setting(texts, resolver)
    pieces = texts["disease"].pieces if "disease" in texts else ()
    order = [piece.meant.split("|") for piece in pieces if piece.became == "disease"]

    def place(area: Area) -> int:
        return next((n for n, meant in enumerate(order) if area.label in meant), len(order))

    setting = replace(setting, areas=tuple(sorted(setting.areas, key=place)))
    mechanism = parse_text(request.mechanism_of_action, resolver)
    if not setting.targets:
        setting = replace(setting, targets=mechanism.targets)
    if not setting.modalities and mechanism.modalities:
        unresolved = tuple(part for part in setting.unresolved if part[0] != "modality")
        kinds = mechanism.modalities
        setting = replace(setting, modalities=kinds, unresolved=unresolved)
    if "vaccine" in setting.modalities and not _CANCER.search(_patients_text(request)):
        # antigens share names with human genes: E2 of chikungunya virus is no DLAT
        antigens = tuple(target for target in setting.targets if not target.gene_keys)
        setting = replace(setting, targets=antigens)
    text = _patients_text(request)
    if re.search(r"\b(?:after|following) neo-?adjuvant", text, re.IGNORECASE):
        lines = tuple(line for line in setting.lines if line != AskedLine.NEOADJUVANT)
        setting = replace(setting, lines=lines or setting.lines)
    after = (line for line, words in _AFTER if words.search(text))
    line = AskedLine.THIRD if _LATE_LINE.search(text) else next(after, None)
    if line is None and not setting.lines and _CANCER.search(text) and _TREATED.search(text):
        line = AskedLine.SECOND
    if line is None:
        return setting
    unresolved = tuple(part for part in setting.unresolved if part[0] != "line")
    return replace(setting, lines=(line,), unresolved=unresolved)


def _patients_text(request: ClinicalTrialDesignRequest) -> str:
    """Return the words on disease, patients, line and marker."""
    parts = (
        *(request.indication, request.target_patient_population, request.line_of_therapy),
        *(request.biomarker_strategy, request.intended_label_claim),
    )
    return " ; ".join(filter(None, parts))


def _drug_text(request: ClinicalTrialDesignRequest) -> str:
    """Return the words on drug, target, mechanism, kind and route."""
    parts = (request.asset_name, request.modality, request.mechanism_of_action, request.target)
    return " ; ".join(filter(None, (*parts, request.route_of_administration)))


def _read_intents(request: ClinicalTrialDesignRequest, setting: Setting) -> frozenset[str]:
    """Return what the development is for: a biosimilar, a preventive vaccine, prevention."""
    text = f"{_patients_text(request)} ; {_drug_text(request)}"
    named = {intent for intent, words in _INTENTS.items() if words.search(text)}
    is_vaccine = "vaccine" in setting.modalities and not _CANCER.search(text)
    named |= {"vaccine"} if is_vaccine else set()
    is_tracer = "diagnostic agent" in setting.modalities or _TRACER.search(_drug_text(request))
    return frozenset(named | ({"diagnostic"} if is_tracer else set()))


def _parsed(text: str | None, resolver: Resolver) -> ParsedText | None:
    """Return a text as read; None where it says nothing."""
    return parse_text(text, resolver) if text and text.strip() else None


def _texts(request: ClinicalTrialDesignRequest, resolver: Resolver) -> dict[Part, ParsedText]:
    """Return the fields that make the setting; lines and markers also appear among the patients.

    Diseases are those of the disease's field alone, and targets those of the target's.
    """
    fields: dict[Part, str | None] = {
        "disease": request.indication,
        "target": request.target,
        "modality": request.modality,
        "line": request.line_of_therapy,
        "biomarker": request.biomarker_strategy,
    }
    texts: dict[Part, ParsedText] = {}
    for name, text in fields.items():
        if text and text.strip():
            parsed = of_one_product(parse_text(text, resolver))
            parsed = parsed if name == "disease" else replace(parsed, diseases=(), stages=())
            texts[name] = parsed if name == "target" else replace(parsed, targets=())
    return texts


def _stage(text: str, resolver: Resolver) -> Stage | None:
    """Return how far the drug is: the furthest stage that the text names."""
    order = tuple(_NEXT)
    parsed = parse_text(text, resolver)
    named = [stage for stage in (*parsed.stage_words, *parsed.stages) if stage in _NEXT]
    words = [word for word in parsed.stage_words if word in _NEXT] or named
    return max(words, key=order.index, default=None)


def _partners(request: ClinicalTrialDesignRequest, resolver: Resolver) -> tuple[str, ...]:
    partners = []
    for partner in request.combination_partners or ():
        partner_drug = resolver.resolve_drug(partner)
        partners.append(unmark(partner_drug.label if partner_drug.key else partner)[:LONGEST])
    return tuple(dict.fromkeys(filter(None, partners)))


def _regimen(request: ClinicalTrialDesignRequest, resolver: Resolver) -> str:
    """Return dose, interval and route as they were read; "" where nothing was."""
    text = unmark(request.dosing_schedule or "")
    dose, interval = _DOSE.search(text), INTERVAL.search(text)
    routes = parse_text(request.route_of_administration or "", resolver).routes
    parts = [match[0] for match in (dose, interval) if match]
    return ", ".join([*parts, *routes])


def read_doses(schedule: str) -> tuple[str, ...]:
    """Return the doses that a schedule sets side by side; none where it names one, or steps.

    >>> read_doses("5, 10 or 15 mg once weekly")
    ('5 mg', '10 mg', '15 mg')
    >>> read_doses("50 mg, then 100 mg daily"), read_doses("6 mg/kg every 3 weeks")
    ((), ())
    >>> read_doses("days 1, 8 and 15, 100 mg/m2"), read_doses("days 1, 8 and 15 mg")
    ((), ())
    """
    text = _DAYS.sub(";", unmark(schedule))
    match = None if _STEPS.search(text) else _SEVERAL.search(text)
    if not match:
        return ()
    unit = _UNIT.findall(match[0])[-1]
    doses = dict.fromkeys(f"{dose} {unit}" for dose in _NUMBER.findall(match[0]))
    return tuple(doses)[:MOST_DOSES] if len(doses) > 1 else ()


def _designations(request: ClinicalTrialDesignRequest) -> tuple[str, ...]:
    text = " ; ".join(request.regulatory_designations or ()).casefold()
    return tuple(
        designation for designation in DESIGNATIONS if re.search(rf"\b{designation}\b", text)
    )
