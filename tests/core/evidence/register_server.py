"""A loopback copy of ClinicalTrials.gov API v2 over given studies: fields, ranges, pages."""

import json
import re
from collections.abc import Sequence
from typing import Any

from tests.core.evidence.loopback import Answering, Asked, Sent, as_json

Study = dict[str, Any]
_TERM = re.compile(r'(?:AREA\[(\w+)\])?(?:"([^"]*)"|RANGE\[([^,\]]*), ([^\]]*)\])')


def _module(study: Study, name: str) -> dict[str, Any]:
    found: dict[str, Any] = study["protocolSection"].get(name, {})
    return found


def _texts(study: Study, area: str | None) -> str:
    """Return the text of an area, in small letters; all of the study without one."""
    arms = _module(study, "armsInterventionsModule").get("interventions", [])
    sponsors = _module(study, "sponsorCollaboratorsModule")
    texts: dict[str | None, Any] = {
        None: study,
        "InterventionName": [arm.get("name") for arm in arms],
        "InterventionOtherName": [arm.get("otherNames") for arm in arms],
        "ConditionSearch": _module(study, "conditionsModule"),
        "LeadSponsorName": sponsors.get("leadSponsor"),
        "CollaboratorName": sponsors.get("collaborators"),
    }
    return json.dumps(texts[area], ensure_ascii=False).casefold()


def _changed_on(study: Study) -> str:
    return str(_module(study, "statusModule")["lastUpdatePostDateStruct"]["date"])


def meets(study: Study, expression: str) -> bool:
    """Return whether a study meets an expression of ANDs over bracketed ORs."""

    def holds(term: re.Match[str]) -> bool:
        area, phrase, least, most = term.groups()
        if least is not None:
            return least <= _changed_on(study) <= (most if most != "MAX" else "9999")
        return phrase.casefold() in _texts(study, area)

    return all(
        any(holds(term) for term in _TERM.finditer(part)) for part in expression.split(" AND ")
    )


def number_of(study: Study) -> str:
    return str(_module(study, "identificationModule")["nctId"])


def _cut(study: Study, fields: str) -> Study:
    """Return a study with the fields that were asked for."""
    if fields == "NCTId":
        return {"protocolSection": {"identificationModule": {"nctId": number_of(study)}}}
    return {name: value for name, value in study.items() if name in fields.split("|")}


def register(studies: Sequence[Study], version: str = "2026-11-27T09:00:05") -> Answering:
    """Return what answers as the register does over these studies, also as they change."""

    def answer(asked: Asked) -> Sent:
        *_, number = asked.path.rpartition("/")
        if number == "version":
            return as_json({"apiVersion": "2.0.5", "dataTimestamp": version})
        by_number = {number_of(study): study for study in studies}
        fields = asked.query.get("fields", "")
        if number != "studies":
            study = by_number.get(number)
            found = as_json(_cut(study, fields)) if study else None
            return found or Sent(b"NCT number not found", status=404)
        if ids := asked.query.get("filter.ids"):
            hits = [by_number[each] for each in ids.split("|") if each in by_number]
        else:
            expression = asked.query.get("filter.advanced", "")
            hits = [study for study in studies if not expression or meets(study, expression)]
        is_newest_first = asked.query.get("sort", "").endswith("desc")
        hits.sort(key=_changed_on, reverse=is_newest_first)
        first, size = int(asked.query.get("pageToken", "0")), int(asked.query["pageSize"])
        cut = [_cut(study, fields) for study in hits[first : first + size]]
        page: dict[str, Any] = {"studies": cut}
        if "countTotal" in asked.query:
            page["totalCount"] = len(hits)
        if first + size < len(hits):
            page["nextPageToken"] = str(first + size)
        return as_json(page)

    return answer


def make_study(
    number: str, drug: str, sponsor: str, condition: str, updated_on: str = "2026-11-19"
) -> Study:
    """Return a recruiting phase 3 study of an invented drug, as the register sends it."""
    protocol = {
        "identificationModule": {"nctId": number, "briefTitle": f"{drug} in {condition}"},
        "statusModule": {
            "overallStatus": "RECRUITING",
            "lastUpdatePostDateStruct": {"date": updated_on},
            "startDateStruct": {"date": "2026-10"},
            "primaryCompletionDateStruct": {"date": "2028-05", "type": "ESTIMATED"},
        },
        "sponsorCollaboratorsModule": {"leadSponsor": {"name": sponsor, "class": "INDUSTRY"}},
        "conditionsModule": {"conditions": [condition]},
        "designModule": {
            "studyType": "INTERVENTIONAL",
            "phases": ["PHASE3"],
            "enrollmentInfo": {"count": 600, "type": "ESTIMATED"},
        },
        "armsInterventionsModule": {
            "armGroups": [
                {
                    "label": drug,
                    "type": "EXPERIMENTAL",
                    "interventionNames": [f"Biological: {drug}"],
                }
            ],
            "interventions": [{"type": "BIOLOGICAL", "name": drug, "armGroupLabels": [drug]}],
        },
    }
    return {
        "protocolSection": protocol,
        "derivedSection": {"miscInfoModule": {"versionHolder": "2026-11-20"}},
        "hasResults": False,
    }
