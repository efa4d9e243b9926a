"""Brings the mirror of ClinicalTrials.gov, and from it the pack, up to the register's last change.

A sync asks what the register calls its data. Where that has not changed, nothing is asked for.
Otherwise all studies are walked that changed since the last complete walk, with two days of
overlap, the oldest change first. Each page is one portion: its studies and the cursor are kept in
one transaction. Tokens of pages belong to one state of the data: a walk during which it changes is
begun again, and a walk that reads fewer studies than the register counts never moves the mark.

From the mirror the pack is offered the states of trials that it holds or that test a drug in
phases 1 to 4. Posted results are fetched where they were posted since the walk began.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from core.errors import InvalidInput
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
from core.evidence.sources.live.web import NoAnswer, changed
from core.evidence_ports import Evidence, Mirror
from core.records.evidence import Parsed
from core.records.mirrors import SourceCopy, SyncCursor
from core.records.sources import AnswerStatus
from core.tables.rows import SourceFile
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

OVERLAP_DAYS = 2
SWEEP_DAYS = 7
FIRST_DAYS = 30
"""How far back the first sync of an instance without trials looks."""
PORTION = 2_000
"""States offered to the pack at once: as many as it takes in place."""
MOST_WALKS = 3
MOST_OWED = 1_000
MOST_MISSING = 0.1
FEWEST_DOUBTED = 5
"""More missing studies than these in one check are a fault of the register, not believed."""
LONGEST_NAME = 300
WHOLE: frozenset[AnswerStatus] = frozenset({"answered", "empty", "unchanged"})
"""What became of a sync that left nothing unread."""
Announce = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync came to.

    Attributes:
        source: Short name of the source.
        status: What became of it.
        counted: Studies that the register counts as changed.
        read: Studies that were read.
        changed: Those of them whose state is new to the mirror.
        promoted: States that the pack was offered and took or knew.
        withdrawn: Studies that the register no longer lists, missing twice in a row.
        as_of: The register's name of its data.
        message: One sentence about a status other than "answered".
    """

    source: str
    status: AnswerStatus
    counted: int = 0
    read: int = 0
    changed: int = 0
    promoted: int = 0
    withdrawn: tuple[str, ...] = ()
    as_of: str = ""
    message: str = ""


def sync_trials(
    connector: ClinicalTrialsConnector,
    evidence: Evidence,
    now: datetime,
    announce: Announce = lambda _words: None,
    *,
    since: str = "",
) -> SyncReport:
    """Bring mirror and pack up to date with the register.

    Args:
        connector: How the register is asked.
        evidence: The pack, with its mirrors.
        now: Instant of the sync.
        announce: Called with one line before each step and page.
        since: Day from which changes are read, YYYY-MM-DD; "": since the last complete walk,
            else since the newest trial of the pack.

    Returns:
        What it came to. What was read before a failure is kept, and the next sync goes on there.

    Raises:
        InvalidInput: A sync of the register is already running.
        StorageFull: The disk is full; mirror and pack stay as they were.
    """
    mirror = evidence.mirror(NAME)
    if since > now.date().isoformat():
        raise InvalidInput(f"{since} is in the future; name a day up to today")
    with mirror.alone():
        mirror.keep((), replace(mirror.cursor(), status="interrupted", message=""))
        if _is_other_pack(mirror, evidence):
            mirror.forget_promotions()
        sync = _Sync(connector, mirror, evidence, now.date(), announce)
        try:
            report = sync.walk(since)
            sync.fetch_owed()
        except NoAnswer as failure:
            report = sync.failed(failure)
        promoted = sync.promote()
        if sync.unread:
            skipped = f"{sync.unread:,} studies could not be read and were skipped"
            report = replace(report, message="; ".join(filter(None, (report.message, skipped))))
        withdrawn: Sequence[str] = ()
        if report.status in WHOLE and sync.is_sweep_due():
            try:
                withdrawn = sync.sweep()
            except NoAnswer as failure:
                report = replace(report, status="partial", message=failure.message)
        reached = replace(
            mirror.cursor(),
            status=report.status,
            message=report.message,
            generation=evidence.info().generation,
        )
        if report.status in {*WHOLE, "partial"}:
            reached = replace(reached, synced_at=now.isoformat(timespec="seconds"))
        mirror.keep((), reached)
        return replace(report, promoted=promoted, withdrawn=tuple(withdrawn))


def _is_other_pack(mirror: Mirror, evidence: Evidence) -> bool:
    """Return whether the pack was lost or replaced since it was last offered anything."""
    before = mirror.cursor().generation
    is_brought = any(origin == ORIGIN for _, origin, _ in evidence.origins())
    return bool(before) and (evidence.info().generation < before or not is_brought)


@dataclass
class _Sync:
    """One sync under way."""

    connector: ClinicalTrialsConnector
    mirror: Mirror
    evidence: Evidence
    today: date
    announce: Announce
    changed: int = 0
    unread: int = 0
    seen: set[str] = field(default_factory=set)
    owed: set[str] = field(default_factory=set)

    def walk(self, since: str) -> SyncReport:
        """Read every study that changed. Raises NoAnswer."""
        version = self.connector.data_version()
        cursor = self.mirror.cursor()
        if version == cursor.data_version and not cursor.walk_since and not since:
            return SyncReport(NAME, "unchanged", as_of=version)
        begins = [day for day in (since, cursor.walk_since) if day]
        if cursor.high_water or not begins:  # a later day would leave a gap behind the mark
            begins.append(self._start(cursor))
        begin = min(begins)
        if begin != cursor.walk_since or cursor.walk_version != version:
            cursor = _begun(cursor, begin, version)
        for _ in range(MOST_WALKS):
            self.seen.clear()
            cursor = self._read_pages(cursor)
            version = self.connector.data_version()
            if version == cursor.walk_version:
                return self._ended(cursor, version)
            cursor = _begun(cursor, cursor.walk_since, version)
        message = "the register changed during each walk; the next sync begins it again"
        return self._report(cursor, "partial", message)

    def _start(self, cursor: SyncCursor) -> str:
        """Return the day from which changes are read where none is asked for."""
        newest = cursor.high_water or next(
            (count.newest for count in self.evidence.sources() if count.source == NAME), ""
        )
        parts = [*map(int, newest.split("-")), 1, 1][:3] if newest else []
        day = date(*parts) if parts else self.today - timedelta(days=FIRST_DAYS)
        return (min(day, self.today) - timedelta(days=OVERLAP_DAYS)).isoformat()

    def _read_pages(self, cursor: SyncCursor) -> SyncCursor:
        """Keep the pages of a walk from where it stands to its end. Raises NoAnswer."""
        while True:
            page = self.connector.changes(cursor.walk_since, cursor.page_token)
            numbers = {_number(study) for study in page.studies}
            fresh = numbers - self.seen
            is_odd = not fresh if cursor.page_token else page.counted is None
            if is_odd or (page.next_token and page.next_token == cursor.page_token):
                raise changed(NAME)
            self.seen |= fresh
            studies, owed = self._with_results(page.studies, cursor.walk_since)
            self.owed |= owed
            cursor = replace(
                cursor,
                page_token=page.next_token,
                counted=cursor.counted if page.counted is None else page.counted,
                read=cursor.read + len(fresh),
                owed=_noted({*cursor.owed.split(), *owed}),
            )
            as_of = cursor.walk_version[: len("2026-11-27")]
            copies = [copy for study in studies if (copy := _copy(study, as_of))]
            if page.studies and not copies:
                raise changed(NAME)
            self.unread += len(page.studies) - len(copies)
            self.changed += self.mirror.keep(copies, cursor)
            self.announce(f"read {cursor.read:,} of {cursor.counted:,} changed studies")
            if not page.next_token:
                return cursor

    def _with_results(self, studies: Sequence[Object], since: str) -> tuple[list[Object], set[str]]:
        """Return studies, with the results posted since a day, and whose results did not come."""
        fresh = [
            _number(study)
            for study in studies
            if study.get("hasResults") and _posted_on(study) >= since
        ]
        full = self._full(fresh)
        return [full.get(_number(study), study) for study in studies], set(fresh) - full.keys()

    def _full(self, numbers: Sequence[str]) -> dict[str, Object]:
        """Return studies with their results; what is too large is asked for in smaller portions."""
        full: dict[str, Object] = {}
        portions = [numbers[i : i + FULL_PAGE] for i in range(0, len(numbers), FULL_PAGE)]
        while portions:
            portion = portions.pop()
            try:
                studies = self.connector.numbered(portion, full=True)
            except NoAnswer as failure:
                if not failure.is_too_large:
                    raise
                half = len(portion) // 2
                portions += [part for part in (portion[:half], portion[half:]) if half]
                continue
            full |= {_number(study): study for study in studies}
        return full

    def fetch_owed(self) -> None:
        """Ask again for results that earlier syncs could not get. Raises NoAnswer."""
        cursor = self.mirror.cursor()
        due = [number for number in cursor.owed.split() if number not in self.owed]
        full = self._full(due) if due else {}
        as_of = cursor.data_version[: len("2026-11-27")]
        copies = [copy for study in full.values() if (copy := _copy(study, as_of))]
        if copies:
            left = set(cursor.owed.split()) - full.keys()
            self.mirror.keep(copies, replace(cursor, owed=_noted(left)))

    def _ended(self, cursor: SyncCursor, version: str) -> SyncReport:
        """Move the mark after a walk that read all that the register counts."""
        if cursor.read < cursor.counted:
            self.mirror.keep((), _begun(cursor, cursor.walk_since, version))
            return self._report(cursor, "partial", "the register sent fewer than it counts")
        day = min(version[: len("2026-11-27")], self.today.isoformat())
        ended = replace(
            cursor,
            high_water=max(day, cursor.high_water),
            data_version=version,
            walk_since="",
            walk_version="",
            page_token="",
            swept_on=cursor.swept_on or self.today.isoformat(),
        )
        self.mirror.keep((), ended)
        return self._report(cursor, "answered" if cursor.counted else "empty", "")

    def _report(self, cursor: SyncCursor, status: AnswerStatus, message: str) -> SyncReport:
        if status == "partial":
            message = f"read {cursor.read:,} of {cursor.counted:,} studies; {message}"
        return SyncReport(
            NAME,
            status,
            cursor.counted,
            cursor.read,
            self.changed,
            as_of=cursor.walk_version,
            message=message,
        )

    def failed(self, failure: NoAnswer) -> SyncReport:
        """Return the report of a walk that broke off; the next sync goes on where it was."""
        cursor = self.mirror.cursor()
        if cursor.walk_since and cursor.read:
            return self._report(cursor, "partial", failure.message)
        return SyncReport(NAME, failure.status, message=failure.message)

    def promote(self) -> int:
        """Offer the pack the states of the mirror that it needs; return how many."""
        promoted = 0
        while due := self.mirror.due(PORTION):
            self.announce(f"reading {len(due):,} studies into the evidence")
            read = [_read(copy, self.today) for copy, _ in due]
            trials = [parsed for parsed in read if parsed is not None]
            self.unread += len(read) - len(trials)
            held = self.evidence.records([parsed.record.id for parsed in trials])
            needed = [
                parsed for parsed in trials if parsed.record.id in held or _tests_drug(parsed)
            ]
            if needed:
                with self.evidence.next_generation() as writer:
                    promoted += writer.add(needed)
            self.mirror.mark_promoted([(copy.source_id, digest) for copy, digest in due])
        return promoted

    def is_sweep_due(self) -> bool:
        """Return whether it is time to ask which studies the register still lists."""
        swept_on = self.mirror.cursor().swept_on
        return bool(swept_on) and (self.today - date.fromisoformat(swept_on)).days >= SWEEP_DAYS

    def sweep(self) -> Sequence[str]:
        """Ask for the studies of the mirror by number; return those missing twice. Raises NoAnswer.

        A number that leads to another study, or to an error, does not count as missing.
        """
        numbers = self.mirror.numbers()
        missing: list[str] = []
        for start in range(0, len(numbers), PAGE):
            self.announce(f"checking {start:,} of {len(numbers):,} numbers")
            asked = numbers[start : start + PAGE]
            listed = {_number(study) for study in self.connector.numbered(asked)}
            for number in sorted(set(asked) - listed):
                answer = self.connector.fetch(number)
                if answer.status not in {"answered", "empty"}:
                    raise NoAnswer(answer.status, answer.message)
                missing += [number] if answer.status == "empty" else []
        if len(missing) > max(FEWEST_DOUBTED, MOST_MISSING * len(numbers)):
            listed_words = (
                f"{NAME} lists {len(numbers) - len(missing):,} of {len(numbers):,} studies"
            )
            raise NoAnswer("partial", f"{listed_words}, which is not believed")
        swept = replace(self.mirror.cursor(), swept_on=self.today.isoformat())
        return self.mirror.sweep(missing, swept)


def _noted(numbers: set[str]) -> str:
    return " ".join(sorted(numbers)[:MOST_OWED])


def _begun(cursor: SyncCursor, since: str, version: str) -> SyncCursor:
    """Return the cursor at the beginning of a walk."""
    return replace(cursor, walk_since=since, walk_version=version, page_token="", counted=0, read=0)


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


def _tests_drug(parsed: Parsed) -> bool:
    """Return whether a study tests a drug in one of the phases 1 to 4."""
    has_drug = any(mention.kind == "drug" for mention in parsed.record.mentions)
    return has_drug and any(
        fact.predicate == Predicate.TRIAL_PHASE and fact.object.startswith("PHASE")
        for fact in parsed.facts
    )
