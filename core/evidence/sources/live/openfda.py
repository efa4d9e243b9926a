"""openFDA, drugsfda: applications at the FDA by drug, sponsor and day of a decision.

Site: api.fda.gov; United States government, CC0; no key needed. Two conditions are always joined
by AND, because a blank between them means OR; a 404 that says NOT_FOUND means no hits.
Application numbers and submissions are those of the Drugs@FDA files, so an answer is the newer
state of the same record.
"""

import re
from collections.abc import Mapping

from core.evidence.sources.files.drugsfda import (
    Application,
    describe_application,
    read_submission,
)
from core.evidence.sources.live.base import SourceQuery
from core.evidence.sources.live.counted import CountedSource, Page, live_file
from core.evidence.sources.live.json_reading import (
    Object,
    count,
    inner,
    objects,
    quoted,
    read_object,
    word,
)
from core.evidence.sources.live.web import changed
from core.records.evidence import Parsed
from core.tables.rows import SourceFile
from core.tables.values import read_date

NAME = "drugsfda"
ORIGIN = "Drugs@FDA.zip"
"""File by which a sync brings the same records."""
MOST_HITS = 1_000
"""Records of one answer."""
A_DAY = len("2026-11-23")
_PATH = "/drug/drugsfda.json"
_NUMBER = re.compile(r"(NDA|BLA|ANDA)(\d{6})")
_DRUG_FIELDS = ("products.active_ingredients.name", "products.brand_name")


class OpenFdaConnector(CountedSource):
    """The register of applications: those of drugs or sponsors, decided on a day or later."""

    name = NAME
    address = "https://api.fda.gov"
    pause_s = 60 / 240
    noun = "applications"

    @classmethod
    def questions(cls, query: SourceQuery) -> list[str]:
        """Return openFDA's expression for a question; none for one that it cannot be asked.

        >>> OpenFdaConnector.questions(SourceQuery((), companies=["Novo"], since="2026-11-01"))
        ['sponsor_name:("Novo") AND submissions.submission_status_date:[20261101 TO 20991231]']
        """
        parts: list[str] = []
        if drugs := quoted(list(query.drugs)):
            parts.append(f"({' OR '.join(f'{field}:({drugs})' for field in _DRUG_FIELDS)})")
        if companies := quoted(list(query.companies)):
            parts.append(f"sponsor_name:({companies})")
        if query.since:
            day = query.since.replace("-", "")
            parts.append(f"submissions.submission_status_date:[{day} TO 20991231]")
        return [" AND ".join(parts)] if parts else []

    def read(self, query: SourceQuery, question: str, start: int) -> Page:
        """Return the applications of one answer."""
        del start
        asked = {"search": question, "limit": str(min(query.limit, MOST_HITS))}
        reply = self.site.ask("GET", _PATH, query=asked)
        answer = read_object(NAME, reply)
        if reply.is_missing:
            if word(inner(answer, "error"), "code") != "NOT_FOUND":
                raise changed(NAME, "error / code")
            return Page((), 0)
        as_of = read_date(word(inner(answer, "meta"), "last_updated"))
        as_of = as_of if len(as_of) == A_DAY else self.today.isoformat()
        source = live_file(ORIGIN, self.today, as_of)
        read = [_read_application(entry, source) for entry in objects(answer, "results")]
        total = count(inner(answer, "meta", "results"), "total")
        records = [*filter(None, read)]
        if not records:  # no hits are a 404
            raise changed(NAME, "results")
        return Page(records, total, as_of=as_of, field="meta / results / total")


def _read_application(entry: Object, source: SourceFile) -> Parsed | None:
    """Return the record of an application; None for one without a number."""
    match = _NUMBER.fullmatch(word(entry, "application_number"))
    if match is None:
        return None
    products = objects(entry, "products")
    application = Application(
        products=[
            {
                "DrugName": word(product, "brand_name"),
                "ActiveIngredient": "; ".join(
                    word(part, "name") for part in objects(product, "active_ingredients")
                ),
            }
            for product in products
        ],
        marketing={_status(product) for product in products},
        submissions=[
            read_submission(_submission_row(sent), {code: code}, number)
            for number, sent in enumerate(objects(entry, "submissions"), start=1)
            if word(sent, "submission_status") in {"AP", "TA"}
            for code in (word(sent, "submission_class_code"),)
        ],
    )
    row = {
        "ApplNo": match[2],
        "ApplType": match[1],
        "SponsorName": word(entry, "sponsor_name"),
    }
    return describe_application(row, application, source, word(entry, "application_number"))


def _submission_row(sent: Object) -> Mapping[str, str]:
    """Return a submission under the names of the Drugs@FDA tables."""
    return {
        "SubmissionType": word(sent, "submission_type"),
        "SubmissionNo": word(sent, "submission_number"),
        "SubmissionStatus": word(sent, "submission_status"),
        "SubmissionStatusDate": word(sent, "submission_status_date"),
        "SubmissionClassCodeID": word(sent, "submission_class_code"),
        "ReviewPriority": word(sent, "review_priority"),
    }


def _status(product: Object) -> str:
    """Return the marketing status of a product in the words of the Drugs@FDA tables."""
    status = word(product, "marketing_status").casefold()
    return {"over-the-counter": "over the counter"}.get(status, status).removesuffix(
        " (tentative approval)"
    )
