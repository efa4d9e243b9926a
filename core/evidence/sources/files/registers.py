"""Export files of other trial registers, supplied by the user: ICTRP, ChiCTR, CDE.

None of them offers an interface that a program may use: WHO's portal exports XML or CSV, ChiCTR
Excel-like tables, China's CDE a table with CTR numbers. Tables come as text in UTF-8, UTF-16 or
GB18030, or as workbooks. The names of the columns are those that the portals print; a file with
other names is reported, never guessed at.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.importers import Importer
from core.evidence.sources.files.forms.xml_files import read_xml
from core.records.evidence import Fact, Mention, Parsed, Record
from core.records.names import fold_name
from core.tables.bounds import LARGEST_MEMBER
from core.tables.rows import (
    Row,
    SourceFile,
    file_encoding,
    read_head,
    read_lines,
    read_table,
)
from core.tables.values import read_date
from core.tables.workbooks import has_header, read_workbook
from core.vocabulary.predicates import Predicate

LICENCE = "supplied by the user; the register's own terms"
_COLUMNS: Mapping[str, Sequence[str]] = {
    "number": ("TrialID", "Main ID", "Registration number", "登记号", "注册号"),
    "title": ("Public_title", "Public title", "Scientific_title", "试验通俗题目", "注册题目"),
    "sponsor": ("Primary_sponsor", "Primary sponsor", "Sponsor", "申办者名称", "申请人名称"),
    "status": ("Recruitment_Status", "Recruitment status", "试验状态", "征募研究对象情况"),
    "phase": ("Phase", "Study phase", "试验分期", "研究所处阶段"),
    "condition": (
        "Condition",
        "Health condition(s)",
        "Target disease",
        "hc_freetext",
        "适应症",
        "研究疾病",
    ),
    "drug": ("Intervention", "Interventions", "i_freetext", "药物名称", "干预措施"),
    "registered": ("Date_registration", "Date of registration", "首次公示信息日期", "注册时间"),
    "updated": ("Last_Refreshed_on", "Last refreshed on", "更新时间"),
    "size": ("Target_size", "Target sample size", "目标入组人数"),
    "url": ("url", "URL", "Web address"),
}
_BY_NAME = {fold_name(name): field for field, names in _COLUMNS.items() for name in names}
_PHASES = (
    (
        re.compile(r"(?:phase\s*)?(?:1|i|Ⅰ|I期)\s*[/-]\s*(?:phase\s*)?(?:2|ii|Ⅱ)\b.*", re.I),
        "PHASE1_2",
    ),
    (
        re.compile(r"(?:phase\s*)?(?:2|ii|Ⅱ)\s*[/-]\s*(?:phase\s*)?(?:3|iii|Ⅲ)\b.*", re.I),
        "PHASE2_3",
    ),
    (re.compile(r"(?:phase\s*)?(?:4|iv|Ⅳ)(?:\b|期).*", re.I), "PHASE4"),
    (re.compile(r"(?:phase\s*)?(?:3|iii|Ⅲ)(?:\b|期).*", re.I), "PHASE3"),
    (re.compile(r"(?:phase\s*)?(?:2|ii|Ⅱ)(?:\b|期).*", re.I), "PHASE2"),
    (re.compile(r"(?:phase\s*)?(?:1|i|Ⅰ)(?:\b|期).*", re.I), "PHASE1"),
)
_NUMBERS = re.compile(r"[A-Za-z][A-Za-z0-9./-]{5,40}|\d{4}-\d{6}-\d{2}(?:-\d{2})?")


def read_register(source: SourceFile) -> Iterator[Parsed]:
    """Yield the trials of an export."""
    for line, row in _read_rows(source):
        fields = {
            _BY_NAME[fold_name(name)]: clean_text(cell or "", 4_000)
            for name, cell in reversed(list(row.items()))
            if fold_name(name) in _BY_NAME and cell
        }
        number = fields.get("number", "")
        if not _NUMBERS.fullmatch(number):
            source.report(line, f"{clean_text(number, 30)!r} is no trial number")
            continue
        yield describe_trial(register_of(number), number, fields, source, line)


def register_of(number: str) -> str:
    """Return the short name of the register that gives numbers of this form.

    >>> register_of("ChiCTR2000029308"), register_of("CTR20201234"), register_of("NCT01234567")
    ('chictr', 'cde', 'ictrp')
    """
    if number.upper().startswith("CHICTR"):
        return "chictr"
    return "cde" if re.fullmatch(r"CTR\d{8}", number.upper()) else "ictrp"


def read_phase(text: str) -> str:
    """Return a register's phase as one word; "" when it is none.

    >>> read_phase("Phase 2/Phase 3"), read_phase("III期"), read_phase("Ⅱ期"), read_phase("N/A")
    ('PHASE2_3', 'PHASE3', 'PHASE2', '')
    """
    text = text.strip()
    return next((word for pattern, word in _PHASES if pattern.fullmatch(text)), "")


def describe_trial(
    register: str, number: str, fields: Mapping[str, str], source: SourceFile, line: int
) -> Parsed:
    """Return the record of a trial.

    Args:
        register: Short name of the register.
        number: The trial's number.
        fields: Its cells by field: those of `_COLUMNS`, and of registers that tell them "tested"
            (drugs that are tested), "class" (of the sponsor) and "completed" (a day).
        source: Where it was read.
        line: Its place there, from 1.
    """
    updated_on = read_date(fields.get("updated", "")) or read_date(fields.get("registered", ""))
    drugs = [name.strip() for name in re.split(r"[;；]", fields.get("drug", "")) if name.strip()]
    drugs = [re.sub(r"^(?:drug|biological)\s*:\s*", "", name, flags=re.I) for name in drugs]
    tested = [name for name in fields.get("tested", "").split(";") if name]
    diseases = [name.strip() for name in re.split(r"[;；]", fields.get("condition", ""))]
    sponsor = fields.get("sponsor", "")
    record = Record(
        source=register,
        source_id=number,
        url=fields["url"] if fields.get("url", "").startswith("https://") else "",
        kind="trial_registration",
        title=fields.get("title", "") or number,
        published_on=read_date(fields.get("registered", "")),
        updated_on=updated_on,
        fetched_at=source.fetched_at,
        licence=LICENCE,
        origin=source.name,
        raw_ref=f"{source.name}:{line}",
        mentions=(
            *(
                Mention("drug", name, "unclear", "intervention")
                for name in drugs
                if name not in tested
            ),
            *(Mention("drug", name, "investigational", "intervention") for name in tested),
            *(Mention("disease", name, relation="condition") for name in diseases if name),
            *((Mention("company", sponsor, relation="sponsor"),) if sponsor else ()),
        ),
    )
    return Parsed(record, tuple(_facts(record, fields, updated_on or source.as_of)))


def _facts(record: Record, fields: Mapping[str, str], as_of: str) -> Iterator[Fact]:
    """Yield phase, status, sponsor and end."""
    words = (
        (Predicate.TRIAL_PHASE, read_phase(fields.get("phase", "")), "phase"),
        (Predicate.TRIAL_STATUS, fields.get("status", ""), "status"),
        (Predicate.TRIAL_SPONSOR, fields.get("sponsor", ""), "sponsor"),
        (Predicate.TRIAL_SPONSOR_CLASS, fields.get("class", ""), "class of the sponsor"),
        (Predicate.TRIAL_COMPLETION, fields.get("completed", ""), "end of the trial"),
    )
    for predicate, value, locator in words:
        if value:
            yield Fact(record.id, record.source_id, predicate, value, as_of=as_of, locator=locator)


def _read_rows(source: SourceFile) -> Iterator[tuple[int, Row]]:
    """Yield the rows of an export of any form."""
    suffix = source.path.suffix.casefold()
    if suffix == ".xml":
        yield from _read_xml(source)
    elif suffix == ".xlsx":
        yield from read_workbook(source, _is_header)
    else:
        encoding = file_encoding(source.path)
        delimiter = _find_delimiter(read_head(source.path, encoding=encoding))
        lines = read_lines(source, encoding=encoding, largest=LARGEST_MEMBER)
        yield from read_table(source, lines, delimiter or ",", is_quoted=True)


def _is_header(cells: Iterable[str]) -> bool:
    """Return whether cells name the columns of a register's export."""
    return {"number", "title"} <= {_BY_NAME.get(fold_name(name)) for name in cells}


def _find_delimiter(head: str) -> str:
    """Return the sign between the columns of a text whose first line is a header, else ""."""
    first = head.lstrip("\ufeff").splitlines()[:1]
    return next(
        (
            delimiter
            for delimiter in ",\t;"
            if _is_header(next(csv.reader(first, delimiter=delimiter), []))
        ),
        "",
    )


def _read_xml(source: SourceFile) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the trials of an XML export; a document that declares entities is refused."""
    root = read_xml(source)
    if root is None:
        return
    for number, trial in enumerate((*root.iter("Trial"), *root.iter("trial")), start=1):
        main = trial.find("main")  # the form in which registers report to WHO, as ChiCTR exports
        fields = trial if main is None else main
        yield number, {child.tag: "".join(child.itertext()) for child in fields}


def is_register(path: Path, head: str) -> bool:
    """Return whether a file begins like an export of ICTRP, ChiCTR or CDE."""
    if path.suffix.casefold() == ".xml":
        return "<Trials_downloaded_from_ICTRP" in head or "<trial>" in head.casefold()
    if path.suffix.casefold() == ".xlsx":
        return has_header(path, _is_header)
    is_text = path.is_file() and path.suffix.casefold() in {".csv", ".tsv", ".txt", ".gz"}
    return is_text and bool(
        _find_delimiter(head) or _find_delimiter(read_head(path, encoding=file_encoding(path)))
    )


IMPORTERS = (Importer("register", is_register, read_register),)
