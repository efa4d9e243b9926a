"""ClinicalTrials.gov as a source whose changes are walked.

Posted results are fetched where they were posted since the walk began. The pack needs trials that
test a drug in phases 1 to 4.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.trials import NUMBER, ORIGIN
from core.evidence.sources.files.trials_v2 import read_study
from core.evidence.sources.live.clinicaltrials import (
    FULL_PAGE,
    NAME,
    PAGE,
    ClinicalTrialsConnector,
)
from core.evidence.sources.live.json_reading import Object, inner, objects, word, words
from core.evidence.sources.live.web import NoAnswer, Site, changed
from core.evidence.sources.sync.reports import Announce
from core.evidence.sources.sync.walking import Page, Walked
from core.records.evidence import Parsed
from core.records.mirrors import SourceCopy
from core.tables.rows import SourceFile
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

LONGEST_NAME = 300


class TrialWalk(Walked):
    """The register's changes."""

    name = NAME
    noun = "studies"
    origin = ORIGIN
    begins_with = NAME

    def __init__(self, site: Site, today: date) -> None:
        """Set how the register is asked."""
        super().__init__(site, today)
        self._connector = ClinicalTrialsConnector(site, today)

    def data_version(self) -> str:
        """Return what the register calls its data: an instant. Raises NoAnswer."""
        return self._connector.data_version()

    def changes(self, since: str, token: str, as_of: str) -> Page:
        """Return a page of changed studies, with results posted since. Raises NoAnswer."""
        page = self._connector.changes(since, token)
        due = [
            _number(study)
            for study in page.studies
            if study.get("hasResults") and _posted_on(study) >= since
        ]
        full = self._full(due)
        studies = [full.get(_number(study), study) for study in page.studies]
        copies = [copy for study in studies if (copy := _copy(study, as_of))]
        if page.studies and not copies:
            raise changed(NAME)
        numbers = [_number(study) for study in page.studies]
        return Page(copies, numbers, page.next_token, page.counted, set(due) - full.keys())

    def whole(self, numbers: Sequence[str], as_of: str) -> Sequence[SourceCopy]:
        """Return studies with their results. Raises NoAnswer."""
        full = self._full(numbers).values()
        return [copy for study in full if (copy := _copy(study, as_of))]

    def unlisted(self, numbers: Sequence[str], announce: Announce) -> Sequence[str]:
        """Return which studies the register no longer lists. Raises NoAnswer.

        A number that leads to another study, or to an error, does not count as missing.
        """
        missing: list[str] = []
        for start in range(0, len(numbers), PAGE):
            announce(f"checking {start:,} of {len(numbers):,} numbers")
            due = numbers[start : start + PAGE]
            listed = {_number(study) for study in self._connector.numbered(due)}
            for number in sorted(set(due) - listed):
                answer = self._connector.fetch(number)
                if answer.status not in {"answered", "empty"}:
                    raise NoAnswer(answer.status, answer.message)
                missing += [number] if answer.status == "empty" else []
        return missing

    def read(self, copies: Sequence[SourceCopy]) -> Sequence[Parsed | None]:
        """Return record and facts of each kept study; None for one that cannot be read."""
        return [_read(copy, self.today) for copy in copies]

    def is_needed(self, parsed: Parsed) -> bool:
        """Return whether a study tests a drug in one of the phases 1 to 4."""
        has_drug = any(mention.kind == "drug" for mention in parsed.record.mentions)
        return has_drug and any(
            fact.predicate == Predicate.TRIAL_PHASE and fact.object.startswith("PHASE")
            for fact in parsed.facts
        )

    def _full(self, numbers: Sequence[str]) -> dict[str, Object]:
        """Return studies with their results; what is too large is asked for in smaller portions."""
        full: dict[str, Object] = {}
        portions = [numbers[i : i + FULL_PAGE] for i in range(0, len(numbers), FULL_PAGE)]
        while portions:
            portion = portions.pop()
            try:
                studies = self._connector.numbered(portion, full=True)
            except NoAnswer as failure:
                if not failure.is_too_large:
                    raise
                half = len(portion) // 2
                portions += [part for part in (portion[:half], portion[half:]) if half]
                continue
            full |= {_number(study): study for study in studies}
        return full


def _number(study: Object) -> str:
    return word(inner(study, "protocolSection", "identificationModule"), "nctId")


def _posted_on(study: Object) -> str:
    states = inner(study, "protocolSection", "statusModule")
    return word(inner(states, "resultsFirstPostDateStruct"), "date")


def _copy(study: Object, as_of: str) -> SourceCopy | None:
    """Return a study as the mirror keeps it; None where it is not of the known form."""
    protocol = inner(study, "protocolSection")
    number = _number(study)
    states = inner(protocol, "statusModule")
    sponsors = inner(protocol, "sponsorCollaboratorsModule")
    changed_on = read_date(word(inner(states, "lastUpdatePostDateStruct"), "date"))
    if not NUMBER.fullmatch(number) or not changed_on:
        return None
    arms = objects(protocol, "armsInterventionsModule", "interventions")
    companies = [inner(sponsors, "leadSponsor"), *objects(sponsors, "collaborators")]
    return SourceCopy(
        number,
        json.dumps(
            _without_holder(study), sort_keys=True, ensure_ascii=False, separators=(",", ":")
        ).encode("utf-8", "surrogatepass"),
        changed_on,
        as_of,
        *map(
            _lines,
            (
                [word(inner(protocol, "identificationModule"), "briefTitle")],
                [word(states, "overallStatus")],
                ["|".join(words(inner(protocol, "designModule"), "phases"))],
                [name for arm in arms for name in (word(arm, "name"), *words(arm, "otherNames"))],
                words(inner(protocol, "conditionsModule"), "conditions"),
                [word(company, "name") for company in companies],
            ),
        ),
    )


def _lines(names: Sequence[str]) -> str:
    return "\n".join(filter(None, (clean_text(name, LONGEST_NAME) for name in names)))


def _without_holder(study: Object) -> Mapping[str, Any]:
    """Return a study without the day of the data, which changes daily for every study."""
    derived = dict(inner(study, "derivedSection"))
    misc = {key: value for key, value in inner(derived, "miscInfoModule").items()}
    misc.pop("versionHolder", None)
    return {**study, "derivedSection": {**derived, "miscInfoModule": misc}}


def _read(copy: SourceCopy, today: date) -> Parsed | None:
    """Return record and facts of a kept study; None for one that cannot be read."""
    study = json.loads(copy.body)
    study["derivedSection"]["miscInfoModule"]["versionHolder"] = copy.as_of
    source = SourceFile(Path(ORIGIN), "", today.isoformat(), lambda *_: None)
    parsed = read_study(study, source, 1)
    return None if isinstance(parsed, str) else parsed
