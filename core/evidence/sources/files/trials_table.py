"""Tables of trials, one a row: the trial-facts table and the list of stop reasons."""

import re
from collections.abc import Iterator

from core.evidence.names.cleaning import clean_text
from core.evidence.readers.trial_roles import Arm
from core.evidence.sources.files.forms.importers import Importer, begins, has_columns, read_from
from core.evidence.sources.files.forms.json_lists import read_objects
from core.evidence.sources.files.trials import (
    LICENCE,
    NUMBER,
    Design,
    Endpoint,
    Trial,
    describe_trial,
    normalize_phase,
)
from core.records.evidence import Fact, Parsed, Record
from core.tables.rows import Row, SourceFile, read_table
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

_MEASURE = re.compile(r"(.*?)(?:\s*\[([^\[\]]*)\])?", re.DOTALL)
_TABLE = {"nct_id", "interventions", "overall_status", "snapshot_date"}


def read_trials_table(source: SourceFile) -> Iterator[Parsed]:
    """Yield the trials of a trial-facts table."""
    checked = False
    for line, row in read_table(source):
        if not checked and not row.keys() >= _TABLE:
            source.report(1, f"the header lacks {', '.join(sorted(_TABLE - row.keys()))}")
            return
        checked = True
        if not NUMBER.fullmatch(row["nct_id"]):
            source.report(line, f"{clean_text(row['nct_id'], 20)!r} is no trial number")
            continue
        yield describe_trial(_read_row(row), source, line)


def _read_row(row: Row) -> Trial:
    cells = {name: clean_text(cell, 2_000) for name, cell in row.items()}
    design = (cells.get(name, "") for name in ("allocation", "intervention_model", "masking"))
    enrollment = cells.get("enrollment", "")
    return Trial(
        number=cells["nct_id"],
        title=cells.get("brief_title", ""),
        acronym=cells.get("acronym", ""),
        phase=cells.get("phase", ""),
        status=cells["overall_status"],
        study_type=cells.get("study_type", ""),
        sponsor=cells.get("lead_sponsor", ""),
        sponsor_class=cells.get("sponsor_class", ""),
        collaborators=split_values(row.get("collaborators", "")),
        conditions=split_values(row.get("conditions", "")),
        interventions=[_split_type(value) for value in split_values(row["interventions"])],
        arms=[Arm(*_split_type(value)) for value in split_values(row.get("arms", ""))],
        endpoints=[
            _read_endpoint(value) for value in split_values(row.get("primary_outcomes", ""))
        ],
        enrollment=float(enrollment) if enrollment.isdecimal() else None,
        enrollment_type=cells.get("enrollment_type", ""),
        design="|".join(filter(None, design)),
        start_on=read_date(cells.get("start_date", "")),
        primary_completion_on=read_date(cells.get("primary_completion_date", "")),
        completion_on=read_date(cells.get("completion_date", "")),
        updated_on=read_date(cells.get("last_update", "")),
        copied_on=read_date(cells["snapshot_date"]),
        countries=split_values(row.get("countries", "")),
        stopped_why=cells.get("why_stopped", ""),
        has_results=cells.get("has_results", ""),
        as_of=read_date(cells["snapshot_date"]),
        setup=Design(
            purpose=cells.get("primary_purpose", ""), n_sites=_count(cells.get("n_sites", ""))
        ),
    )


def _count(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _split_type(text: str) -> tuple[str, str]:
    """Return type and name of "TYPE:name"; the type is "" where the record does not know it."""
    kind, colon, name = text.partition(":")
    if colon and kind.isupper() | (kind == ""):
        return kind, name.strip()
    return "", text


def _read_endpoint(text: str) -> Endpoint:
    match = _MEASURE.fullmatch(text)
    return Endpoint(match[1] or text, match[2] or "") if match else Endpoint(text)


def read_stop_reasons(source: SourceFile) -> Iterator[Parsed]:
    """Yield why trials were stopped, as a source of its own beside their registrations."""
    for line, row in read_table(source):
        number = row.get("nct_id", "")
        if not NUMBER.fullmatch(number) or not row.get("why_stopped", "").strip():
            source.report(line, "no trial number or no reason")
            continue
        updated_on = read_date(row.get("last_update", ""))
        record = Record(
            source="ctgov-stops",
            source_id=number,
            url=f"https://clinicaltrials.gov/study/{number}",
            kind="trial_registration",
            title=f"{number}: why it was stopped",
            updated_on=updated_on,
            **read_from(source, line, LICENCE),
        )
        values = (
            (Predicate.TRIAL_STATUS, row.get("overall_status", ""), "overall_status"),
            (Predicate.TRIAL_PHASE, normalize_phase(row.get("phase", "")), "phase"),
            (Predicate.TRIAL_STOPPED, clean_text(row["why_stopped"], 2_000), "why_stopped"),
        )
        facts = [
            Fact(record.id, number, predicate, words, as_of=updated_on, locator=locator)
            for predicate, words, locator in values
            if words
        ]
        yield Parsed(record, tuple(facts))


def read_flat_records(source: SourceFile) -> Iterator[Parsed]:
    """Yield the trials of a list of flattened records; what they say of tickers is left out."""
    for line, entry in read_objects(source):
        number = str(entry.get("nct_id", ""))
        if not NUMBER.fullmatch(number):
            source.report(line, f"{clean_text(number, 20)!r} is no trial number")
            continue
        names = [clean_text(str(name), 500) for name in entry.get("interventions") or []]
        fields = {name: clean_text(str(entry.get(name) or "")) for name in _FLAT}
        trial = Trial(
            number=number,
            title=fields["title"],
            phase=fields["phase"],
            status=fields["status"],
            study_type=fields["study_type"],
            sponsor=fields["sponsor"],
            conditions=[
                clean_text(str(condition), 500) for condition in entry.get("conditions") or []
            ],
            interventions=[("", name) for name in names if name],
            start_on=read_date(fields["start_date"]),
            primary_completion_on=read_date(fields["primary_completion_date"]),
            completion_on=read_date(fields["completion_date"]),
            updated_on=read_date(fields["last_update_posted"]),
            copied_on=read_date(fields["collected_at"]),
            as_of=read_date(fields["collected_at"]),
            detail=0,
        )
        yield describe_trial(trial, source, line)


_FLAT = (
    "title",
    "phase",
    "status",
    "study_type",
    "sponsor",
    "start_date",
    "primary_completion_date",
    "completion_date",
    "last_update_posted",
    "collected_at",
)


IMPORTERS = (
    Importer(
        "trials",
        has_columns("nct_id", "brief_title", "interventions", "snapshot_date"),
        read_trials_table,
    ),
    Importer(
        "stop-reasons", has_columns("nct_id", "why_stopped", "completion_date"), read_stop_reasons
    ),
    Importer("trials-flat", begins('"nct_id"', '"collected_at"'), read_flat_records),
)


def split_values(cell: str) -> list[str]:
    """Return the values of a cell that joins several with a bar, cleaned, without repeats."""
    return list(dict.fromkeys(filter(None, map(clean_text, cell.split("|")))))
