"""EU CTIS and ISRCTN: trials of medicines by drug, disease and sponsor; both experimental.

CTIS: euclinicaltrials.eu/ctis-public-api/search, a POST of JSON; reuse with acknowledgement of the
EMA. ISRCTN: www.isrctn.com/api/query, XML; CC BY 4.0. Neither needs a key. No answer was recorded:
the forms of question and list are those of clients of 2026, the fields of a trial those of records
that a client stored. One page is asked for. Trials that ClinicalTrials.gov lists, too, are left to
it.
"""

import json
import re
import xml.etree.ElementTree as ET
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from core.evidence.names.cleaning import clean_text
from core.evidence.names.companies import has_industry_word, is_company, is_known
from core.evidence.sources.files.registers import describe_trial
from core.evidence.sources.live.base import SourceAnswer, SourceQuery, count_answer
from core.evidence.sources.live.json_reading import (
    Object,
    count,
    inner,
    objects,
    past_date,
    quoted,
    read_object,
    valid_date,
    word,
)
from core.evidence.sources.live.web import NoAnswer, Site, changed, unanswered
from core.tables.rows import SourceFile

CTIS, ISRCTN = "ctis", "isrctn"
CTIS_ADDRESS, ISRCTN_ADDRESS = "https://euclinicaltrials.eu", "https://www.isrctn.com"
PAUSE_S = 1.0
PAGE = 100
Fields = Mapping[str, str]
Writer = Callable[[SourceQuery], str]
_CTIS_NUMBER = re.compile(r"\d{4}-\d{6}-\d{2}-\d{2}")
_CTIS_DAY = re.compile(r"(\d{2})/(\d{2})/(\d{4})")
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:T|$)")
_CTIS_PHASE = re.compile(r"\((Phase [^)]*)\)")
_CTIS_STATUSES: Mapping[int, str] = {
    1: "NOT_YET_RECRUITING",
    **dict.fromkeys((2, 3, 4, 5), "AUTHORIZED"),
    **dict.fromkeys((6, 7), "SUSPENDED"),
    8: "COMPLETED",
    **dict.fromkeys((9, 10, 11, 12), "WITHDRAWN"),
}
"""Words of a trial's state by its code; four codes all mean that it is authorized."""
_SEPARATOR = re.compile(r"[;,]\s+")
_NCT = re.compile(r"NCT\d{8}")
_ANY = "{*}"
_ISRCTN_FIELDS = {"drugs": "drugName", "diseases": "condition", "companies": "sponsor"}


@dataclass
class _Register(ABC):
    """What both registers have in common.

    Attributes:
        site: How it is asked.
        today: Day of asking.
    """

    site: Site
    today: date
    name: str = ""

    @abstractmethod
    def _page(self, query: SourceQuery) -> tuple[int | None, Sequence[tuple[str, Fields]], int]:
        """Return the hits that are counted, trials by number, and how many were sent.

        Raises:
            NoAnswer: The register does not answer, or in another form.
        """

    @abstractmethod
    def _write(self, query: SourceQuery) -> str:
        """Return the words that are sent."""

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return trials that meet a question, as many as a page has."""
        asked, day = self._write(query), self.today.isoformat()
        try:
            total, trials, n_sent = self._page(query)
            if total is None or total < 0 or (total > 0) != bool(n_sent):
                raise changed(self.name)
        except NoAnswer as failure:
            return replace(unanswered(self.name, failure), asked=asked)
        self.site.accept()
        source = SourceFile(Path(f"{self.name} answer"), day, day, lambda *_: None)
        records = [
            describe_trial(self.name, number, fields, source, line)
            for line, (number, fields) in enumerate(trials, start=1)
        ]
        answer = count_answer(
            self.name, records, total=total, n_read=n_sent, noun="trials", as_of=day, asked=asked
        )
        return replace(answer, status="answered") if total and not answer.message else answer

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return trials on which the words of a number are found."""
        return self.search(SourceQuery((), limit=1, drugs=[source_id]))


@dataclass
class CtisConnector(_Register):
    """The register of the EU: trials of any of the drugs, else of the diseases, else a sponsor."""

    name: str = CTIS

    def _write(self, query: SourceQuery) -> str:
        return write_criteria(query)

    def _page(self, query: SourceQuery) -> tuple[int | None, Sequence[tuple[str, Fields]], int]:
        question = {
            "pagination": {"page": 1, "size": min(query.limit, PAGE)},
            "sort": {"property": "decisionDate", "direction": "DESC"},
            "searchCriteria": _criteria(query),
        }
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        body = json.dumps(question).encode()
        reply = self.site.ask("POST", "/ctis-public-api/search", headers=headers, body=body)
        answer = read_object(CTIS, reply)
        pages = inner(answer, "pagination")
        counts = [count(pages, name) for name in ("totalRecords", "totalElements")]
        total = next((n for n in counts if n is not None), None)
        entries = objects(answer, "data") if isinstance(answer.get("data"), list) else []
        entries = [each for each in entries if _CTIS_NUMBER.fullmatch(word(each, "ctNumber"))]
        trials = [
            (word(entry, "ctNumber"), _read_ctis(entry, self.today))
            for entry in entries
            if not word(entry, "nctNumber")
        ]
        return total, trials, len(entries)


@dataclass
class IsrctnConnector(_Register):
    """ISRCTN, a register of the United Kingdom; trials without a drug are left out."""

    name: str = ISRCTN

    def _write(self, query: SourceQuery) -> str:
        return write_words(query)

    def _page(self, query: SourceQuery) -> tuple[int | None, Sequence[tuple[str, Fields]], int]:
        asked = {"q": write_words(query), "limit": str(min(query.limit, PAGE))}
        reply = self.site.ask("GET", "/api/query/format/default", query=asked)
        if reply.is_missing:
            raise NoAnswer("unavailable", f"{ISRCTN} answered with {reply.status}")
        content = reply.content
        if b"<!DOCTYPE" in content or b"<!ENTITY" in content or b"\x00" in content:
            raise NoAnswer("unavailable", "the answer of isrctn declares a document type: refused")
        try:
            root = ET.fromstring(content)
        except (ET.ParseError, LookupError, ValueError):
            raise NoAnswer("unavailable", "the answer of isrctn is incomplete XML") from None
        total, trials = root.get("totalCount", ""), root.findall(f".//{_ANY}fullTrial")
        read = [
            (f"ISRCTN{_text(trial, 'isrctn')}", self._read(trial))
            for trial in trials
            if _text(trial, "isrctn").isdecimal()
            and _text(trial, "drugNames")
            and not _NCT.search(_text(trial, "clinicalTrialsGovNumber"))
        ]
        return int(total) if total.isdecimal() else None, read, len(trials)

    def _read(self, trial: ET.Element) -> Fields:
        """Return a trial under the fields of a register's export."""
        names = _SEPARATOR.split(_text(trial, "drugNames"))
        element = trial.find(f".//{_ANY}trial")
        updated = element.get("lastUpdated", "") if element is not None else ""
        sponsor = clean_text(_text(trial, "sponsor/organisation"), 200)
        return {
            "title": clean_text(_text(trial, "scientificTitle") or _text(trial, "title"), 400),
            "sponsor": sponsor,
            "class": "OTHER" if sponsor and not _is_company(sponsor) else "",
            "status": self._status(trial),
            "phase": _text(trial, "phase"),
            "condition": clean_text(_text(trial, "condition/description"), 1_000),
            "drug": "; ".join(names),
            "tested": names[0] if len(names) == 1 else "",
            "updated": past_date(updated, self.today) if _ISO_DAY.match(updated) else "",
            "completed": valid_date(_text(trial, "overallEndDate")),
            "url": f"{ISRCTN_ADDRESS}/ISRCTN{_text(trial, 'isrctn')}",
        }

    def _status(self, trial: ET.Element) -> str:
        """Return how a trial stands by its days, or by what the register says instead."""
        override = _text(trial, "recruitmentStatusOverride").casefold()
        if override:
            return {"stopped": "TERMINATED", "suspended": "SUSPENDED"}.get(override, "")
        today = self.today.isoformat()
        ends = ("recruitmentStart", "recruitmentEnd", "overallEndDate")
        words = ("NOT_YET_RECRUITING", "RECRUITING", "ACTIVE_NOT_RECRUITING")
        days = [valid_date(_text(trial, end)) for end in ends]
        open_words = (word for day, word in zip(days, words, strict=True) if today < day)
        return next(open_words, "COMPLETED" if days[-1] else "")


def write_criteria(query: SourceQuery) -> str:
    """Return the words of a question to CTIS; "" where it names no drug, disease or company.

    >>> write_criteria(SourceQuery((), drugs=["MK-3475", "a, b"], diseases=["melanoma"]))
    'MK-3475, a b'
    """
    return next(iter(_criteria(query).values()), "")


def _criteria(query: SourceQuery) -> dict[str, str]:
    lists = (
        ("containAny", query.drugs),
        ("containAny", query.diseases),
        ("sponsor", query.companies[:1]),
    )
    for name, listed in lists:
        cleaned = (" ".join(re.sub(r'[,;"\\]', " ", each).split()) for each in listed)
        if words := ", ".join(filter(None, cleaned)):
            return {name: words}
    return {}


def _read_ctis(entry: Object, today: date) -> Fields:
    """Return a trial under the fields of a register's export."""
    title = clean_text(word(entry, "ctTitle") or word(entry, "shortTitle"), 400)
    products = [name for name in _SEPARATOR.split(word(entry, "product")) if name]
    is_alone = len(products) == 1
    tested = [name for name in products if is_alone or name.casefold() in title.casefold()]
    phase = _CTIS_PHASE.search(word(entry, "trialPhase"))
    sponsor_type = word(entry, "sponsorType")
    is_industry = sponsor_type.startswith("Pharmaceutical")
    return {
        "title": title,
        "sponsor": clean_text(word(entry, "sponsor"), 200),
        "class": "INDUSTRY" if is_industry else "OTHER" if sponsor_type else "",
        "status": _CTIS_STATUSES.get(count(entry, "ctStatus") or 0, ""),
        "phase": re.sub(r"\s+and\s+", "/", phase[1]) if phase else "",
        "condition": clean_text(word(entry, "conditions"), 1_000),
        "drug": "; ".join(products),
        "tested": ";".join(tested),
        "registered": past_date(_read_day(word(entry, "decisionDateOverall")), today),
        "updated": past_date(_read_day(word(entry, "lastUpdated")), today),
        "completed": _read_day(word(entry, "endDate")),
        "url": f"{CTIS_ADDRESS}/ctis-public/view/{word(entry, 'ctNumber')}",
    }


def _read_day(text: str) -> str:
    """Return a day that is written as 15/01/2025; "" for any other text.

    >>> _read_day("15/01/2025"), _read_day("01/15/2025"), _read_day("2025-01-15")
    ('2025-01-15', '', '')
    """
    match = _CTIS_DAY.fullmatch(text)
    return valid_date(f"{match[3]}-{match[2]}-{match[1]}") if match else ""


def _is_company(sponsor: str) -> bool:
    """Return whether a sponsor is a company by its name; a lone word may be an institute's."""
    is_telling = " " in sponsor or is_known(sponsor) or has_industry_word(sponsor)
    return is_telling and is_company(sponsor)


def write_words(query: SourceQuery) -> str:
    """Return the words of a question to ISRCTN; "" where it names no drug, disease or company.

    >>> write_words(SourceQuery((), drugs=["budesonide"], diseases=["asthma", "COPD"]))
    '(drugName:"budesonide") AND (condition:"asthma" OR condition:"COPD")'
    """
    parts: list[str] = []
    for name, field in _ISRCTN_FIELDS.items():
        phrases = quoted(list(getattr(query, name)), "\n").split("\n")
        terms = [f"{field}:{phrase}" for phrase in phrases if phrase]
        parts += [f"({' OR '.join(terms)})"] if terms else []
    return " AND ".join(parts)


def _text(trial: ET.Element, path: str) -> str:
    """Return the text of the first element of a path; "" without one."""
    names = "/".join(f"{_ANY}{name}" for name in path.split("/"))
    return (trial.findtext(f".//{names}") or "").strip()


REGISTERS: Sequence[tuple[str, str, Callable[[Site, date], _Register], Writer]] = (
    (CTIS, CTIS_ADDRESS, CtisConnector, write_criteria),
    (ISRCTN, ISRCTN_ADDRESS, IsrctnConnector, write_words),
)
"""Each by name and address, with what makes its connector and writes its question."""
