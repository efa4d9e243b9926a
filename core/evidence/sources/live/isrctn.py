"""ISRCTN: trials of a register of the United Kingdom by drug, disease and sponsor; experimental.

Site: www.isrctn.com/api/query, XML; CC BY 4.0; no key, no pages. No answer was recorded: fields are
those of nine records that a client stored, the list around them is that of clients of 2026. Trials
without a drug, and those that ClinicalTrials.gov lists, too, are left out.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.registers import describe_trial
from core.evidence.sources.live.base import SourceAnswer, SourceQuery, count_answer
from core.evidence.sources.live.json_reading import quoted
from core.evidence.sources.live.web import NoAnswer, Reply, Site, changed, unanswered
from core.records.evidence import Parsed
from core.tables.rows import SourceFile
from core.tables.values import read_date

NAME = "isrctn"
ADDRESS = "https://www.isrctn.com"
ORIGIN = "ISRCTN.xml"
PAUSE_S = 1.0
PAGE = 100
_QUERY = "/api/query/format/default"
_ANY = "{*}"
_FIELDS = {"drugs": "drugName", "diseases": "condition", "companies": "sponsor"}
_NCT = re.compile(r"NCT\d{8}")


@dataclass
class IsrctnConnector:
    """The register as a source.

    Attributes:
        site: How it is asked.
        today: Day of asking.
    """

    site: Site
    today: date
    name: str = NAME

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return trials that meet all parts of a question."""
        return self._ask(write_words(query), min(query.limit, PAGE))

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return one trial by its number, with or without "ISRCTN"."""
        return self._ask(f"isrctn:{source_id.removeprefix('ISRCTN')}", 1)

    def _ask(self, words: str, limit: int) -> SourceAnswer:
        try:
            query = {"q": words, "limit": str(limit)}
            root = _read_root(self.site.ask("GET", _QUERY, query=query))
            total, trials = root.get("totalCount", ""), root.findall(f".//{_ANY}fullTrial")
            if not total.isdecimal() or (int(total) > 0) != bool(trials):
                raise changed(NAME)
        except NoAnswer as failure:
            return replace(unanswered(NAME, failure), asked=words)
        self.site.accept()
        read = count_answer(
            NAME,
            list(self._read(trials)),
            total=int(total),
            n_read=len(trials),
            noun="trials",
            as_of=self.today.isoformat(),
            asked=words,
        )
        return replace(read, status="answered") if trials and read.status == "empty" else read

    def _read(self, trials: list[ET.Element]) -> Iterator[Parsed]:
        day = self.today.isoformat()
        source = SourceFile(Path(ORIGIN), day, day, lambda *_: None)
        for line, trial in enumerate(trials, start=1):
            number, drugs = _text(trial, "isrctn"), _text(trial, "drugNames")
            is_elsewhere = _NCT.search(_text(trial, "clinicalTrialsGovNumber"))
            if number.isdecimal() and drugs and not is_elsewhere:
                fields = self._fields(trial, drugs)
                yield describe_trial(NAME, f"ISRCTN{number}", fields, source, line)

    def _fields(self, trial: ET.Element, drugs: str) -> dict[str, str]:
        """Return a trial under the fields of a register's export."""
        names = [name for name in re.split(r"[;,]\s*", drugs) if name]
        element = trial.find(f".//{_ANY}trial")
        updated = element.get("lastUpdated", "") if element is not None else ""
        return {
            "title": clean_text(_text(trial, "scientificTitle") or _text(trial, "title"), 400),
            "sponsor": clean_text(_text(trial, "sponsor/organisation"), 200),
            "status": self._status(trial),
            "phase": _text(trial, "phase"),
            "condition": clean_text(_text(trial, "condition/description"), 1_000),
            "drug": "; ".join(names),
            "tested": names[0] if len(names) == 1 else "",
            "updated": read_date(updated),
            "completed": read_date(_text(trial, "overallEndDate")),
            "url": f"{ADDRESS}/ISRCTN{_text(trial, 'isrctn')}",
        }

    def _status(self, trial: ET.Element) -> str:
        """Return how a trial stands by its days, or by what the register says instead."""
        override = _text(trial, "recruitmentStatusOverride").casefold()
        if override:
            return {"stopped": "TERMINATED", "suspended": "SUSPENDED"}.get(override, "")
        today = self.today.isoformat()
        ends = ("recruitmentStart", "recruitmentEnd", "overallEndDate")
        words = ("NOT_YET_RECRUITING", "RECRUITING", "ACTIVE_NOT_RECRUITING")
        days = [read_date(_text(trial, end)) for end in ends]
        open_words = [word for day, word in zip(days, words, strict=True) if today < day]
        return next(iter(open_words), "COMPLETED" if days[-1] else "")


def write_words(query: SourceQuery) -> str:
    """Return the words of a question; "" for one that names no drug, disease or company.

    >>> write_words(SourceQuery((), drugs=["budesonide"], diseases=["asthma", "COPD"]))
    '(drugName:"budesonide") AND (condition:"asthma" OR condition:"COPD")'
    """
    parts: list[str] = []
    for name, field in _FIELDS.items():
        phrases = quoted(list(getattr(query, name)), "\n").split("\n")
        terms = [f"{field}:{phrase}" for phrase in phrases if phrase]
        parts += [f"({' OR '.join(terms)})"] if terms else []
    return " AND ".join(parts)


def _text(trial: ET.Element, path: str) -> str:
    """Return the text of the first element of a path; "" without one."""
    names = "/".join(f"{_ANY}{name}" for name in path.split("/"))
    return (trial.findtext(f".//{names}") or "").strip()


def _read_root(reply: Reply) -> ET.Element:
    """Return the root of an answer. Raises NoAnswer."""
    if b"<!DOCTYPE" in reply.content or b"<!ENTITY" in reply.content or b"\x00" in reply.content:
        raise NoAnswer("unavailable", f"the answer of {NAME} declares a document type: refused")
    try:
        root = ET.fromstring(reply.content)
    except (ET.ParseError, LookupError, ValueError):
        raise NoAnswer("unavailable", f"the answer of {NAME} is incomplete XML") from None
    if not root.tag.endswith("allTrials"):
        raise changed(NAME)
    return root
