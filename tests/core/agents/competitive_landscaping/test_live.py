"""A landscape that asks ClinicalTrials.gov during the run, over a loopback register."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.agents.competitive_landscaping.pipeline import run
from core.agents.competitive_landscaping.schema import (
    CompetitiveLandscapingData,
    CompetitiveLandscapingRequest,
)
from core.evidence.sources.live.replies import RunReplies
from core.settings import Settings
from storage.blobs import BlobStore
from storage.stores import NoteStore
from tests.core.agents.competitive_landscaping.conftest import Field
from tests.core.evidence.loopback import Answering, Asked, Loopback, Sent, as_json, serving
from tests.core.evidence.register_server import make_study, register

QUERY = "non-small cell lung cancer"
STUDY = make_study("NCT09999901", "Deltamab", "Delta Bio", "Non-small Cell Lung Cancer")


@pytest.fixture
def ask(landscape: Field) -> Callable[..., Any]:
    """Return what runs a landscape while a register answers."""

    @contextmanager
    def asking(
        answer: Answering, request: dict[str, Any] | None = None, **settings: Any
    ) -> Iterator[tuple[CompetitiveLandscapingData, Loopback]]:
        landscape.hold()
        with serving(answer) as server:
            allowed = Settings(
                live_sources=("ctgov",), live_addresses={"ctgov": server.address}, **settings
            )
            context = replace(landscape.context(), settings=allowed)
            body = CompetitiveLandscapingRequest.model_validate({"query": QUERY, **(request or {})})
            yield run(body, context), server

    return asking


def make_replies(folder: Path, day: str = "2026-11-21") -> RunReplies:
    return RunReplies(NoteStore(folder / "live.db"), BlobStore(folder / "blobs"), day)


def drugs_of(data: CompetitiveLandscapingData) -> dict[str, str]:
    return {row.drug_name: row.stage for row in data.drugs}


def line_of(data: CompetitiveLandscapingData) -> Any:
    (line,) = [line for line in data.source_report if line.source == "ClinicalTrials.gov"]
    return line


def test_a_live_trial_is_shown_with_its_source(ask, landscape: Field) -> None:
    local = drugs_of(landscape.run(QUERY))
    assert "deltamab" not in {name.casefold() for name in local}
    with ask(register([STUDY])) as (data, server):
        shown = {name.casefold(): stage for name, stage in drugs_of(data).items()}
        assert shown["deltamab"] == "PHASE3"
        assert {name.casefold() for name in local} < set(shown)
        line = line_of(data)
        assert (line.status, line.origin, line.as_of) == ("answered", "live", "2026-11-20")
        assert (line.n_counted, line.sent) == (1, server.asked[0].query["filter.advanced"])
        assert any("NCT09999901" in source.url for source in data.sources)


def test_an_equal_question_is_sent_once_a_day_unless_the_cache_is_skipped(
    landscape: Field, tmp_path: Path
) -> None:
    landscape.hold()
    with serving(register([STUDY])) as server:
        allowed = Settings(live_sources=("ctgov",), live_addresses={"ctgov": server.address})
        context = replace(landscape.context(), settings=allowed, replies=make_replies(tmp_path))

        def count(**fields: Any) -> int:
            before = len(server.asked)
            body = CompetitiveLandscapingRequest.model_validate({"query": QUERY, **fields})
            assert "deltamab" in {name.casefold() for name in drugs_of(run(body, context))}
            return len(server.asked) - before

        assert [count(), count(), count(skip_drug_cache=True), count()] == [1, 0, 1, 0]
        replies = make_replies(tmp_path, "2026-11-22")
        context = replace(context, now=context.now + timedelta(days=1), replies=replies)
        assert count() == 1


def test_an_answer_that_was_not_understood_is_asked_for_again(
    landscape: Field, tmp_path: Path
) -> None:
    landscape.hold()
    page = Sent(b"<html>", headers={"Content-Type": "text/html"})
    answers = [lambda _: page, register([STUDY])]

    def answer(asked: Asked) -> Sent:
        return answers.pop(0)(asked)

    with serving(answer) as server:
        allowed = Settings(live_sources=("ctgov",), live_addresses={"ctgov": server.address})
        context = replace(landscape.context(), settings=allowed, replies=make_replies(tmp_path))
        body = CompetitiveLandscapingRequest.model_validate({"query": QUERY})
        assert line_of(run(body, context)).status == "unavailable"
        assert line_of(run(body, context)).status == "answered"


def test_only_names_that_were_recognized_are_sent(ask) -> None:
    words = "our secret program zx-991 against competitors in non-small cell lung cancer"
    with ask(register([STUDY]), {"query": words}) as (_, server):
        sent = " ".join(str(asked) for asked in server.asked)
    assert "non-small cell lung" in sent
    assert not any(word in sent for word in ("secret", "zx-991", "competitors"))


@pytest.mark.parametrize(
    ("answer", "settings", "request_fields", "status"),
    [
        (lambda _: Sent(status=503), {}, {}, "unavailable"),
        (lambda _: Sent(status=400), {}, {}, "refused"),
        (register([STUDY]), {"offline": True}, {}, "offline"),
        (register([STUDY]), {}, {"include_aact": False}, "switched_off"),
        (register([]), {}, {}, "empty"),
    ],
)
def test_without_live_trials_the_local_answer_stands_and_says_why(
    ask, landscape: Field, answer, settings, request_fields, status
) -> None:
    local = landscape.run(QUERY, **request_fields)
    with ask(answer, request_fields, **settings) as (data, server):
        assert drugs_of(data) == drugs_of(local)
        line = line_of(data)
        if status == "empty":
            assert (line.origin, line.n_counted) == ("live", 0)
        else:
            assert line.status == status
        if status in {"offline", "switched_off"}:
            assert server.asked == []
        elif status != "empty":
            assert any(warning.startswith(f"source_{status}:") for warning in data.warnings)


def papers(asked: Asked) -> Sent:
    """Answer as Europe PMC does: a paper, and an abstract of a meeting that Crossref has, too."""
    given = {"source": "MED", "abstractText": "x"}
    results = [
        given | {"id": "1", "title": "A paper on NSCLC.", "firstPublicationDate": "2026-11-02"},
        given
        | {"id": "2", "title": "Deltamab in NSCLC", "firstPublicationDate": "2026-06-02"}
        | {"pubType": "meeting abstract"},
    ]
    words = asked.query["query"]
    body = {"hitCount": 2, "request": {"queryString": words}, "resultList": {"result": results}}
    return as_json(body)


def abstracts(_: Asked) -> Sent:
    """Answer as Crossref does."""
    work = {
        "container-title": ["Journal of Clinical Oncology"],
        "issue": "16_suppl",
        "published": {"date-parts": [[2026, 6, 1]]},
    }
    items = [
        work | {"DOI": "10.1200/example.1", "title": ["Deltamab in non-small cell lung cancer"]},
        work | {"DOI": "10.1200/example.2", "title": ["Another disease"]},
    ]
    return as_json({"message": {"total-results": 9_000, "items": items}})


@pytest.mark.parametrize("include_conferences", [True, False])
def test_papers_and_meeting_abstracts_are_listed_by_title_and_address(
    landscape: Field, include_conferences: bool
) -> None:
    landscape.hold()
    local = landscape.run(QUERY)
    with serving(papers) as library, serving(abstracts) as register_of_works:
        allowed = Settings(
            live_sources=("europepmc", "crossref"),
            live_addresses={"europepmc": library.address, "crossref": register_of_works.address},
        )
        context = replace(landscape.context(), settings=allowed)
        data = run(
            CompetitiveLandscapingRequest(query=QUERY, include_conferences=include_conferences),
            context,
        )
    assert drugs_of(data) == drugs_of(local)
    assert local.publications == []
    listed = [(row.kind, row.published_on, row.url) for row in data.publications]
    paper = ("paper", "2026-11-02", "https://europepmc.org/article/MED/1")
    abstract = ("conference_abstract", "2026-06-02", "https://europepmc.org/article/MED/2")
    work = ("conference_abstract", "2026-06-01", "https://doi.org/10.1200/example.1")
    assert listed == ([paper, abstract, work] if include_conferences else [paper])
    assert {source.url for source in data.sources} >= {row[2] for row in listed}
    lines = {line.source: line for line in data.source_report}
    meetings = lines["Conference abstracts"]
    assert meetings.status == ("partial" if include_conferences else "switched_off")
    assert ("coverage" in meetings.message) == include_conferences
    assert bool(register_of_works.asked) == include_conferences
    literature = next(line for name, line in lines.items() if name.startswith("Europe PMC"))
    assert (literature.status, literature.origin) == ("answered", "live")


@pytest.mark.parametrize(
    "answer",
    [
        register([STUDY]),
        lambda _: Sent(status=503),
        lambda _: Sent(status=400),
        lambda _: Sent(b"<html>", headers={"Content-Type": "text/html"}),
    ],
)
def test_a_replay_answers_as_the_run_did_and_asks_nobody(
    landscape: Field, tmp_path: Path, answer: Answering
) -> None:
    landscape.hold()
    body = CompetitiveLandscapingRequest.model_validate({"query": QUERY})
    replies = make_replies(tmp_path)
    with serving(answer) as server:
        allowed = Settings(live_sources=("ctgov",), live_addresses={"ctgov": server.address})
        live = run(body, replace(landscape.context(), settings=allowed, replies=replies))
        n_asked = len(server.asked)
        (tmp_path / "live.db").unlink(missing_ok=True)
        stored = {part.name: part.sha256 for part in replies.parts}
        context = replace(
            landscape.context(),
            settings=allowed.model_copy(update={"offline": True}),
            replies=RunReplies(replies.notes, replies.blobs, replies.day, stored=stored),
        )
        assert run(body, context).model_dump_json() == live.model_dump_json()
        assert len(server.asked) == n_asked > 0


def test_a_replay_says_where_an_answer_is_missing(landscape: Field, tmp_path: Path) -> None:
    landscape.hold()
    replies = replace(make_replies(tmp_path), stored={})
    allowed = Settings(live_sources=("ctgov",), offline=True)
    body = CompetitiveLandscapingRequest.model_validate({"query": QUERY})
    line = line_of(run(body, replace(landscape.context(), settings=allowed, replies=replies)))
    assert (line.status, bool(line.message)) == ("offline", True)


def test_trials_of_the_eu_register_give_a_stage(landscape: Field) -> None:
    landscape.hold()
    entry = {
        "ctNumber": "2025-600100-11-00",
        "ctStatus": 3,
        "ctTitle": "Epsilomab in non-small cell lung cancer",
        "conditions": "Non-small Cell Lung Cancer",
        "sponsor": "Epsilon Bio GmbH",
        "sponsorType": "Pharmaceutical company",
        "trialPhase": "Therapeutic exploratory (Phase II)",
        "product": "Epsilomab",
        "lastUpdated": "15/11/2026",
    }
    page = {"pagination": {"totalRecords": 1}, "data": [entry]}
    with serving(lambda _: as_json(page)) as server:
        allowed = Settings(live_sources=("ctis",), live_addresses={"ctis": server.address})
        body = CompetitiveLandscapingRequest.model_validate({"query": QUERY})
        data = run(body, replace(landscape.context(), settings=allowed))
    (row,) = [row for row in data.drugs if row.drug_name.casefold() == "epsilomab"]
    assert (row.stage, row.company, row.n_active_trials) == ("PHASE2", "Epsilon Bio", 1)
    (line,) = [line for line in data.source_report if line.source == "EU CTIS"]
    assert (line.status, line.origin, line.n_counted) == ("answered", "live", 1)
