"""ClinicalTrials.gov API v2 records (JSON), with their posted results.

Address: https://clinicaltrials.gov/api/v2/studies; United States government, public domain.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.readers.designs import count_criteria, read_ratio
from core.evidence.readers.trial_roles import Arm
from core.evidence.sources.files.forms.importers import Importer, begins
from core.evidence.sources.files.forms.json_lists import read_objects
from core.evidence.sources.files.trial_analyses import read_analyses, read_flow
from core.evidence.sources.files.trial_results import Setting, read_results
from core.evidence.sources.files.trials import (
    NUMBER,
    Design,
    Endpoint,
    Trial,
    describe_trial,
)
from core.records.evidence import Fact, Parsed, Span
from core.tables.rows import SourceFile
from core.tables.values import read_date

Json = Mapping[str, Any]


def read_studies(source: SourceFile) -> Iterator[Parsed]:
    """Yield the trials of a file of study records."""
    for line, study in read_objects(source):
        parsed = read_study(study, source, line)
        if isinstance(parsed, str):
            source.report(line, parsed)
        else:
            yield parsed


def read_study(study: Json, source: SourceFile, line: int) -> Parsed | str:
    """Return record and facts of a study, or what is wrong with it."""
    protocol = study.get("protocolSection")
    if not isinstance(protocol, Mapping):
        return "no protocolSection"
    try:
        trial = _read_protocol(protocol, study)
        parsed = describe_trial(trial, source, line)
        results = _read_posted(study.get("resultsSection") or {}, _setting(trial, parsed))
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as damage:
        return f"not the shape of API v2: {type(damage).__name__} {clean_text(str(damage), 80)}"
    if not NUMBER.fullmatch(trial.number):
        return f"{clean_text(trial.number, 20)!r} is no trial number"
    return replace(parsed, facts=parsed.facts + tuple(results))


def _read_posted(posted: Json, setting: Setting) -> list[Fact]:
    return [
        *read_results(posted, setting),
        *read_analyses(posted, setting),
        *read_flow(posted, setting),
    ]


def _setting(trial: Trial, parsed: Parsed) -> Setting:
    official = (span.text for span in trial.spans if span.section == "official_title")
    drugs = tuple(name for _, name in trial.interventions if len(name) > 3)
    return Setting(parsed.record.id, trial.number, (trial.title, *official), drugs)


def _read_protocol(protocol: Json, study: Json) -> Trial:
    """Return the fields of a study."""
    named = protocol.get("identificationModule", {})
    states = protocol.get("statusModule", {})
    design = protocol.get("designModule", {})
    sponsors = protocol.get("sponsorCollaboratorsModule", {})
    arms, lead = protocol.get("armsInterventionsModule", {}), sponsors.get("leadSponsor", {})
    enrollment = design.get("enrollmentInfo", {})
    seen_on, updated_on = _seen_on(study), _date(states, "lastUpdatePostDateStruct")
    interventions = arms.get("interventions", [])
    return Trial(
        number=str(named.get("nctId", "")),
        title=_words(named.get("briefTitle")) or _words(named.get("officialTitle")),
        acronym=_words(named.get("acronym")),
        phase="|".join(design.get("phases", [])),
        status=_words(states.get("overallStatus")),
        study_type=_words(design.get("studyType")),
        sponsor=_words(lead.get("name")),
        sponsor_class=_words(lead.get("class")),
        collaborators=[
            _words(collaborator["name"]) for collaborator in sponsors.get("collaborators", [])
        ],
        conditions=_texts(protocol.get("conditionsModule", {}).get("conditions", [])),
        interventions=[
            (intervention.get("type", ""), _words(intervention["name"]))
            for intervention in interventions
        ],
        rescue=frozenset(
            _words(intervention["name"])
            for intervention in interventions
            if _is_rescue(intervention)
        ),
        arms=[_read_arm(arm) for arm in arms.get("armGroups", [])],
        endpoints=_read_endpoints(protocol.get("outcomesModule", {})),
        enrollment=float(enrollment["count"]) if "count" in enrollment else None,
        enrollment_type=_words(enrollment.get("type")),
        design=_design(design.get("designInfo", {})),
        start_on=_date(states, "startDateStruct"),
        primary_completion_on=_date(states, "primaryCompletionDateStruct"),
        completion_on=_date(states, "completionDateStruct"),
        registered_on=_date(states, "studyFirstPostDateStruct"),
        updated_on=updated_on,
        countries=_countries(protocol),
        stopped_why=_words(states.get("whyStopped")),
        has_results=str(study.get("hasResults", "resultsSection" in study)).lower(),
        as_of=seen_on or updated_on,
        copied_on=seen_on or read_date(str(study.get("_downloaded", ""))),
        setup=_read_design(protocol, len(arms.get("armGroups", []))),
        detail=2,
        spans=_read_spans(protocol, named),
    )


def _seen_on(study: Json) -> str:
    """Return the day of the register's state that a study was taken from."""
    misc = study.get("derivedSection", {}).get("miscInfoModule", {})
    return read_date(misc.get("versionHolder", ""))


def _read_design(protocol: Json, n_arms: int) -> Design:
    """Return what a study tells of its design."""
    states = protocol.get("statusModule", {})
    named = protocol.get("identificationModule", {})
    info = protocol.get("designModule", {}).get("designInfo", {})
    whom = protocol.get("eligibilityModule", {})
    about = protocol.get("descriptionModule", {})
    monitored = protocol.get("oversightModule", {}).get("oversightHasDmc")
    places = protocol.get("contactsLocationsModule", {}).get("locations")
    texts = (
        named.get("officialTitle"),
        info.get("interventionModelDescription"),
        info.get("maskingInfo", {}).get("maskingDescription"),
        about.get("briefSummary"),
        about.get("detailedDescription"),
    )
    return Design(
        purpose=_words(info.get("primaryPurpose")),
        sex=_words(whom.get("sex")),
        age_from=_words(whom.get("minimumAge")),
        age_to=_words(whom.get("maximumAge")),
        monitored=monitored if isinstance(monitored, bool) else None,
        n_sites=len(places) if places else None,
        ratio=read_ratio([text for text in texts if isinstance(text, str)], n_arms),
        criteria=count_criteria(str(whom.get("eligibilityCriteria") or "")),
        posted_on=_date(states, "resultsFirstPostDateStruct"),
        date_types={
            name: _words(states.get(field, {}).get("type"))
            for name, field in _DATES.items()
            if isinstance(states.get(field), Mapping)
        },
    )


_DATES = {
    "start": "startDateStruct",
    "primary_completion": "primaryCompletionDateStruct",
    "completion": "completionDateStruct",
}


def _words(value: object) -> str:
    return clean_text(value, 4_000) if isinstance(value, str) else ""


def _texts(values: Sequence[object]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(_words, values))))


def _date(states: Json, name: str) -> str:
    return read_date(str(states.get(name, {}).get("date", "")))


def _is_rescue(intervention: Json) -> bool:
    text = f"{intervention.get('name', '')} {str(intervention.get('description', ''))[:120]}"
    return "rescue" in text.casefold()


def _read_arm(arm: Json) -> Arm:
    names = arm.get("interventionNames", [])
    drugs = frozenset(_words(name.partition(": ")[2] or name) for name in names)
    return Arm(_words(arm.get("type")), _words(arm.get("label")), drugs)


def _read_endpoints(outcomes: Json) -> list[Endpoint]:
    return [
        Endpoint(_words(outcome.get("measure")), _words(outcome.get("timeFrame")), role)
        for role in ("primary", "secondary")
        for outcome in outcomes.get(f"{role}Outcomes", [])
    ]


def _design(entry: Json) -> str:
    masking = entry.get("maskingInfo", {}).get("masking", "")
    words = (entry.get("allocation", ""), entry.get("interventionModel", ""), masking)
    return "|".join(filter(None, map(_words, words)))


def _countries(protocol: Json) -> list[str]:
    places = protocol.get("contactsLocationsModule", {}).get("locations", [])
    return _texts([country.get("country") for country in places])


def _read_spans(protocol: Json, named: Json) -> list[Span]:
    values = (
        ("official_title", named.get("officialTitle")),
        ("summary", protocol.get("descriptionModule", {}).get("briefSummary")),
        ("keywords", "; ".join(protocol.get("conditionsModule", {}).get("keywords", []))),
        ("eligibility", protocol.get("eligibilityModule", {}).get("eligibilityCriteria")),
    )
    cleaned = [(section, _words(words)) for section, words in values]
    return [Span(section, words, 0, len(words)) for section, words in cleaned if words]


IMPORTERS = (Importer("studies", begins('"protocolSection"'), read_studies),)
