"""Documents checked through the API: forms, formats, refusals, quota, audit."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

from core.errors import WorkerCrashed
from core.workbench import current

PATH = "/v1/documents/check"
ExpectError = Callable[[Response, int], dict[str, Any]]
TEXT = b"Pembrolizumab is approved in melanoma. We believe that this market grows."


def send(
    client: TestClient, content: bytes = TEXT, name: str = "a.txt", form: str = ""
) -> Response:
    query = f"?format={form}" if form else ""
    return client.post(f"{PATH}{query}", files={"file": (name, content)})


def test_document_is_answered_sentence_by_sentence(client: TestClient) -> None:
    body = send(client).json()
    assert (body["ok"], body["form"], body["name"]) == (True, "txt", "a.txt")
    assert [sentence["text"] for sentence in body["sentences"]] == [
        "Pembrolizumab is approved in melanoma.",
        "We believe that this market grows.",
    ]
    assert sum(body["counts"].values()) == 2
    assert body["sentences"][1]["verdict"] == "not_checkable"


def test_same_document_has_the_same_answer(client: TestClient) -> None:
    assert send(client).content == send(client).content


@pytest.mark.parametrize(
    ("form", "start"), [("md", b"# Check"), ("csv", b"sentence,"), ("docx", b"PK"), ("xlsx", b"PK")]
)
def test_check_is_served_as_a_file(form: str, start: bytes, client: TestClient) -> None:
    answer = send(client, form=form)
    assert answer.status_code == 200
    assert answer.content.startswith(start)
    assert f'filename="a-check.{form}"' in answer.headers["content-disposition"]
    assert answer.headers["cache-control"] == "no-store"


def test_marked_document_lists_what_is_supported_and_tells_of_no_run(client: TestClient) -> None:
    marked = send(client, form="md").text
    assert "Marked document" in marked
    assert not {"Completed", "Agent", "Question"} & set(marked.replace("|", " ").split())


def test_document_that_ends_its_reader_is_refused(
    client: TestClient, expect_error: ExpectError, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_arguments: object, **_options: object) -> None:
        raise WorkerCrashed("the worker process ended without an answer")

    monkeypatch.setattr(current().executor, "call", crash)
    assert expect_error(send(client), 400)["code"] == "document_damaged"


def zipped(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "/"), text)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b" \n ", "no_text"),
        (b"\xd0\xcf\x11\xe0 old office", "document_encrypted"),
        (b"%PDF-1.7 garbage", "document_damaged"),
        (b"PK\x03\x04 garbage", "document_damaged"),
        (zipped(a="b"), "document_damaged"),
        (bytes(range(256)) * 9, "unknown_document"),
        (b"word " * 200_000, "too_many_pages"),
    ],
)
def test_unreadable_document_is_refused_with_the_cause(
    content: bytes, code: str, client: TestClient, expect_error: ExpectError
) -> None:
    error = expect_error(send(client, content), 400)
    assert (error["code"], error["details"][0]["field"]) == (code, "file")


def test_form_and_format_are_checked(client: TestClient, expect_error: ExpectError) -> None:
    assert expect_error(client.post(PATH, json={}), 400)["code"] == "wrong_content_type"
    assert expect_error(send(client, form="exe"), 400)["code"] == "value_not_allowed"


def test_nobody_checks_without_a_key(client: TestClient, expect_error: ExpectError) -> None:
    answer = client.post(PATH, files={"file": ("a.txt", TEXT)}, headers={"Authorization": ""})
    expect_error(answer, 401)


def test_check_costs_a_run_and_is_noted_and_a_refusal_costs_none(client: TestClient) -> None:
    stores = current().stores

    def used() -> int:
        [user] = [user for user in stores.users.list() if user.name == "anna"]
        return stores.quotas.state(user.user_id, limit=1000, at=current().now()).used

    before = used()
    send(client)
    send(client, b"")
    assert used() == before + 1
    stores.audit.list(limit=1)
    assert "document.check" in {line.action for line in stores.audit.list(limit=20)}


def test_nothing_of_a_document_is_kept(client: TestClient) -> None:
    send(client)
    assert client.get("/v1/files").json()["files"] == []
