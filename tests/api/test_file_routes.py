"""Uploads through the API: each visible to its owner alone, bounded, used by runs."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

from core.settings import Settings

PATH = "/v1/agents/fault-probe"
ExpectError = Callable[[Response, int], dict[str, Any]]
CONTENT = b"gene,s1\nTP53,7\n"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Return settings with a small limit for uploads."""
    return settings.model_copy(update={"upload_limit_mb": 1})


def upload(client: TestClient, content: bytes = CONTENT, name: str = "counts.csv") -> Response:
    return client.post("/v1/files", files={"file": (name, content, "text/csv")})


def test_upload_answers_with_id_size_and_hash(client: TestClient) -> None:
    answer = upload(client)
    assert answer.status_code == 201
    body = answer.json()
    assert body == {
        "ok": True,
        "file_id": body["file_id"],
        "name": "counts.csv",
        "size": len(CONTENT),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
    }


@pytest.mark.parametrize("name", ["../../etc/passwd", "C:\\data\\passwd", "/etc/passwd"])
def test_name_is_a_label_and_never_a_path(name: str, client: TestClient) -> None:
    assert upload(client, name=name).json()["name"] == "passwd"


def test_uploads_are_listed_newest_first_and_deleted(client: TestClient) -> None:
    first, second = (upload(client, name=name).json()["file_id"] for name in ("a", "b"))
    assert [file["file_id"] for file in client.get("/v1/files").json()["files"]] == [second, first]
    assert client.delete(f"/v1/files/{first}").json() == {"ok": True, "status": "deleted"}
    assert [file["file_id"] for file in client.get("/v1/files").json()["files"]] == [second]


def test_run_reads_the_upload_by_its_id(client: TestClient) -> None:
    file_id = upload(client, b"a word").json()["file_id"]
    body = client.post(PATH, json={"upload_id": file_id}).json()
    assert body["data"]["squares"][0]["word"] == "a word"


@pytest.mark.parametrize("file_id", ["", "file_0", "../../workbench.db", "x" * 100])
def test_unknown_upload_is_told_by_its_field(
    file_id: str, client: TestClient, expect_error: ExpectError
) -> None:
    error = expect_error(client.post(PATH, json={"upload_id": file_id}), 400)
    assert [(d["field"], d["code"]) for d in error["details"]] == [("upload_id", "unknown_file")]


def test_somebody_elses_upload_is_as_unknown_as_nobodys(
    client: TestClient, stranger: TestClient, expect_error: ExpectError
) -> None:
    theirs = upload(stranger).json()["file_id"]
    errors = [
        expect_error(client.post(PATH, json={"upload_id": file_id}), 400)
        for file_id in (theirs, "file_" + "0" * 32)
    ]
    assert errors[0] == errors[1]
    assert client.get("/v1/files").json()["files"] == []
    expect_error(client.delete(f"/v1/files/{theirs}"), 404)


def test_largest_upload_is_taken_and_one_byte_more_is_not(
    client: TestClient, expect_error: ExpectError
) -> None:
    assert upload(client, b"x" * (1 << 20)).status_code == 201
    assert expect_error(upload(client, b"x" * ((1 << 20) + 1)), 400)["code"] == "file_too_large"


def test_form_over_the_limit_is_not_read(client: TestClient, expect_error: ExpectError) -> None:
    response = upload(client, b"x" * (3 << 20))
    assert expect_error(response, 400)["code"] == "body_too_large"
    assert response.headers["connection"] == "close"


FORM = "multipart/form-data; boundary=frame"


@pytest.mark.parametrize(
    ("content_type", "body", "code"),
    [
        ("application/json", b"{}", "wrong_content_type"),
        ("", b"", "wrong_content_type"),
        ("multipart/form-data", b"--frame--", "malformed_form"),
        (FORM, b"not a form", "malformed_form"),
        (FORM, b"", "malformed_form"),
        (FORM, b"--frame--\r\n", "missing_field"),
        (
            FORM,
            b'--frame\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--frame--\r\n',
            "missing_field",
        ),
        (
            FORM,
            b'--frame\r\nContent-Disposition: form-data; name="other"; filename="a"\r\n\r\n'
            b"text\r\n--frame--\r\n",
            "missing_field",
        ),
        (
            FORM,
            b'--frame\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ncut',
            "malformed_form",
        ),
        (FORM, b"--frame\r\nContent-Disposition: form-data\r\n\r\n\r\n--frame--", "malformed_form"),
        (
            FORM,
            b'--frame\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
            b'a\r\n--frame\r\nContent-Disposition: form-data; name="more"\r\n\r\nb\r\n'
            b"--frame--\r\n",
            "unknown_field",
        ),
    ],
)
def test_wrong_form_says_what_to_send(
    content_type: str, body: bytes, code: str, client: TestClient, expect_error: ExpectError
) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    response = client.post("/v1/files", content=body, headers=headers)
    assert expect_error(response, 400)["code"] == code


def test_two_files_in_one_form_are_refused(client: TestClient, expect_error: ExpectError) -> None:
    files = [("file", ("a.csv", b"a")), ("file", ("b.csv", b"b"))]
    expect_error(client.post("/v1/files", files=files), 400)


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", ""), ("DELETE", "/file_0")])
def test_uploads_need_a_key(
    method: str, path: str, anonymous: TestClient, expect_error: ExpectError
) -> None:
    expect_error(anonymous.request(method, f"/v1/files{path}"), 401)


class TestRoom:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"uploads_per_caller": 2})

    def test_uploads_of_one_caller_are_bounded_before_they_are_read(
        self, client: TestClient, stranger: TestClient, expect_error: ExpectError
    ) -> None:
        files = [upload(client).json()["file_id"] for _ in range(2)]
        error = expect_error(upload(client), 402)
        assert (error["type"], error["code"]) == ("quota_exceeded", "quota_exceeded")
        assert [one["message"] for one in error["details"]] == ["upload_files", "2", "2"]
        assert upload(stranger).status_code == 201
        client.delete(f"/v1/files/{files[0]}")
        assert upload(client).status_code == 201
