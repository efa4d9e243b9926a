"""EU CTIS: trials of medicines in the European Union by drug, disease and sponsor; experimental.

Site: euclinicaltrials.eu/ctis-public-api/search, a POST of JSON; reuse with acknowledgement of the
EMA; no key. No answer was recorded: the form of the question and of the list is that of clients of
2026, the fields of a trial are those of four stored records. One page is asked for. Trials that
ClinicalTrials.gov lists, too, are left to it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.registers import describe_trial
from core.evidence.sources.live.base import SourceAnswer, SourceQuery, count_answer
from core.evidence.sources.live.json_reading import Object, count, inner, objects, read_object, word
from core.evidence.sources.live.web import NoAnswer, Site, changed, unanswered
from core.records.evidence import Parsed
from core.tables.rows import SourceFile

NAME = "ctis"
ADDRESS = "https://euclinicaltrials.eu"
ORIGIN = "EU CTIS.json"
PAUSE_S = 1.0
PAGE = 100
_SEARCH = "/ctis-public-api/search"
_NUMBER = re.compile(r"\d{4}-\d{6}-\d{2}-\d{2}")
_DAY = re.compile(r"(\d{2})/(\d{2})/(\d{4})")
_PHASE = re.compile(r"\((Phase [^)]*)\)")
_STATUSES: Mapping[int, str] = {
    1: "NOT_YET_RECRUITING",
    **dict.fromkeys((2, 3, 4, 5), "AUTHORIZED"),
    **dict.fromkeys((6, 7), "SUSPENDED"),
    8: "COMPLETED",
    **dict.fromkeys((9, 10, 11, 12), "WITHDRAWN"),
}
"""Words of a trial's state by its code; four codes all mean that it is authorized."""


@dataclass
class CtisConnector:
    """The register as a source.

    Attributes:
        site: How it is asked.
        today: Day of asking.
    """

    site: Site
    today: date
    name: str = NAME

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return trials of any of the drugs, else in any of the diseases, else of a sponsor."""
        return self._ask(_criteria(query), min(query.limit, PAGE))

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return one trial by its number."""
        return self._ask({"containAll": source_id}, 1)

    def _ask(self, criteria: Mapping[str, str], size: int) -> SourceAnswer:
        asked = "; ".join(f"{name}: {words}" for name, words in criteria.items())
        question = {
            "pagination": {"page": 1, "size": size},
            "sort": {"property": "decisionDate", "direction": "DESC"},
            "searchCriteria": criteria,
        }
        try:
            reply = self.site.ask(
                "POST",
                _SEARCH,
                headers={"Content-Type": "application/json", "Accept": "application/json"},
                body=json.dumps(question).encode(),
            )
            answer = read_object(NAME, reply)
            pages = inner(answer, "pagination")
            counts = [count(pages, name) for name in ("totalRecords", "totalElements")]
            total = next((n for n in counts if n is not None), None)
            entries = objects(answer, "data") if isinstance(answer.get("data"), list) else []
            numbered = [each for each in entries if _NUMBER.fullmatch(word(each, "ctNumber"))]
            if total is None or (total > 0) != bool(numbered):
                raise changed(NAME)
        except NoAnswer as failure:
            return replace(unanswered(NAME, failure), asked=asked)
        self.site.accept()
        day = self.today.isoformat()
        read = count_answer(
            NAME,
            list(self._read(numbered)),
            total=total,
            n_read=len(entries),
            noun="trials",
            as_of=day,
            asked=asked,
        )
        return replace(read, status="answered") if total and read.status == "empty" else read

    def _read(self, entries: list[Object]) -> Iterator[Parsed]:
        day = self.today.isoformat()
        source = SourceFile(Path(ORIGIN), day, day, lambda *_: None)
        for line, entry in enumerate(entries, start=1):
            if not word(entry, "nctNumber"):
                number = word(entry, "ctNumber")
                yield describe_trial(NAME, number, _fields(entry), source, line)


def write_criteria(query: SourceQuery) -> str:
    """Return the words of a question; "" for one that names no drug, disease or company.

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


def _fields(entry: Object) -> dict[str, str]:
    """Return a trial under the fields of a register's export."""
    title = clean_text(word(entry, "ctTitle") or word(entry, "shortTitle"), 400)
    products = [name for name in re.split(r"[;,]\s+", word(entry, "product")) if name]
    tested = [
        name for name in products if len(products) == 1 or name.casefold() in title.casefold()
    ]
    phase = _PHASE.search(word(entry, "trialPhase"))
    is_industry = word(entry, "sponsorType").startswith("Pharmaceutical")
    return {
        "title": title,
        "sponsor": clean_text(word(entry, "sponsor"), 200),
        "class": "INDUSTRY" if is_industry else "",
        "status": _STATUSES.get(count(entry, "ctStatus") or 0, ""),
        "phase": re.sub(r"\s+and\s+", "/", phase[1]) if phase else "",
        "condition": clean_text(word(entry, "conditions"), 1_000),
        "drug": "; ".join(products),
        "tested": ";".join(tested),
        "registered": _day(entry, "decisionDateOverall"),
        "updated": _day(entry, "lastUpdated"),
        "completed": _day(entry, "endDate"),
        "url": f"{ADDRESS}/ctis-public/view/{word(entry, 'ctNumber')}",
    }


def _day(entry: Any, name: str) -> str:  # noqa: ANN401 - of whatever form it is
    """Return a day that is written as 15/01/2025; "" for none."""
    match = _DAY.fullmatch(word(entry, name))
    return f"{match[3]}-{match[2]}-{match[1]}" if match else ""
