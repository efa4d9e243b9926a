"""Parts of pages that need no screen."""

import ast
import gzip
import io
import re

import pytest

from core.errors import UnreadableTable
from core.registry import all_agents
from core.runner import start_run
from core.tables.preview import read_preview
from pages.ui.answer import curl_call, python_call
from pages.ui.form import check
from pages.ui.plain import file_stem, plain
from tests.rows import over_rows

LIMIT = 1 << 20
TABLE = "id,a,b\nx,1,\ny,NA,4\n"


def look(content: bytes):
    return read_preview(io.BytesIO(content), limit=LIMIT)


@over_rows(
    "content",
    [
        TABLE.encode(),
        TABLE.encode("utf-8-sig"),
        TABLE.encode("utf-16"),
        TABLE.replace(",", "\t").encode(),
        TABLE.replace(",", ";").replace("\n", "\r\n").encode(),
        gzip.compress(TABLE.encode(), mtime=0),
    ],
)
def test_every_accepted_form_looks_the_same(content) -> None:
    found = look(content)
    assert found.columns == ("id", "a", "b")
    assert (found.n_rows, found.n_missing, found.whole) == (2, 2, True)


def test_header_one_field_short_gets_a_name_for_row_names() -> None:
    assert look(b"a,b\nx,1,2\n").columns == ("(row names)", "a", "b")


@over_rows(
    "content",
    [b"", b"\n\n", b"a\xff,b\n", gzip.compress(TABLE.encode(), mtime=0)[:-9], b"\x1f\x8bnot gzip"],
)
def test_unreadable_bytes_are_refused(content) -> None:
    with pytest.raises(UnreadableTable):
        look(content)


def test_expanding_file_is_stopped_at_the_limit() -> None:
    with pytest.raises(UnreadableTable, match="expands"):
        look(gzip.compress(b"a,b\n" + b"1,2\n" * 400_000, mtime=0))


@over_rows("text", ["$x$", ":material/home:", ":red[a]", "![x](https://e.org/p)", "<b>"])
def test_text_of_callers_is_no_markdown(text) -> None:
    shown = plain(text)
    assert "\\" in shown or "\u2060" in shown
    assert ":material" not in shown


def test_file_names_hold_no_path() -> None:
    assert file_stem("../../etc/passwd", "a b/c") == "etc-passwd_a-b-c"


def test_calls_hold_the_request_and_are_valid() -> None:
    body = {"query": 'it\'s "quoted"', "limit": 3}
    ast.parse(python_call("http://127.0.0.1:8501/v1/agents/x", body))
    ast.parse(python_call("http://127.0.0.1:8501/v1/agents/x", None))
    assert "<<'JSON'" in curl_call("http://127.0.0.1/v1", '{"a": 1}')
    assert "@request.json" in curl_call("http://127.0.0.1/v1", None)


def test_faults_name_their_fields() -> None:
    model = all_agents()["differential-expression"].request
    faults = check(model, {"condition_column": "dex", "min_count": -1})
    assert {fault.field for fault in faults} >= {"reference_group", "min_count"}


@pytest.mark.parametrize("name", sorted(set(all_agents()) - {"alerts"}))
def test_faults_of_every_form_speak_in_its_labels(app, name) -> None:
    agent = all_agents()[name]
    page = app.switch_page(f"{agent.slug}.py").run()
    page.button(key="run").click().run()
    assert not page.exception
    said = " ".join(box.value.replace("\\", "") for box in page.error)
    assert "Field required" not in said
    names = [one for one in agent.request.model_fields if "_" in one]
    assert [one for one in names if re.search(rf"\b{one}\b", said)] == []


def test_back_from_an_answer_leads_to_the_filled_form(
    app, workbench, caller, complete, evidence
) -> None:
    evidence("company-asset-searcher")
    agent = all_agents()["company-asset-searcher"]
    request = agent.request.model_validate({"company": "Acme Bio"})
    run = start_run(agent, request, caller, workbench)
    complete(run, caller)
    app.switch_page("company_asset_searcher.py")
    app.query_params["run"] = run.run_uuid
    page = app.run()
    del page.query_params["run"]
    page = page.run()
    assert page.text_input(key="form:company-asset-searcher:company").value == "Acme Bio"
