"""The differential-expression page: form, uploads, states of a run."""

import io
import json
import zipfile

import openpyxl
import pytest

from core.errors import OutOfMemory, WorkerCrashed
from core.registry import all_agents
from core.results import load_view
from core.runner import start_run

AGENT = all_agents()["differential-expression"]
COUNTS = "gene_id," + ",".join(f"s{n}" for n in range(1, 7)) + "\n"
COUNTS += "".join(f"G{g}," + ",".join(str(g * n + 7) for n in range(1, 7)) + "\n" for g in range(9))
METADATA = "sample_id\tdex\tcell\n" + "".join(
    f"s{n}\t{'trt' if n > 3 else 'untrt'}\tc{n % 3}\n" for n in range(1, 7)
)


@pytest.fixture
def page(app):
    return app.switch_page("differential_expression.py").run()


@pytest.fixture
def run(workbench, caller):
    request = AGENT.request.model_validate(AGENT.examples[0].request)
    return start_run(AGENT, request, caller, workbench)


def open_run(page, run_uuid):
    page.query_params["run"] = run_uuid
    return page.run()


def upload(page):
    page.file_uploader[0].upload("counts.csv", COUNTS.encode())
    page.file_uploader[1].upload("meta.tsv", METADATA.encode())
    return page.run()


def read_input(run, workbench):
    with workbench.stores.blobs.open(run.input_sha256) as body:
        return json.load(body)


def test_upload_shows_its_size_and_offers_real_columns_and_groups(page) -> None:
    upload(page)
    shown = " ".join(text.value for text in page.caption)
    assert "9 rows × 7 columns · comma-separated · no missing cells" in shown
    assert "6 rows × 3 columns · tab-separated" in shown
    boxes = {box.label: box for box in page.selectbox}
    assert boxes["Condition column"].options == ["dex", "cell"]
    assert boxes["Reference group"].value == "untrt"
    assert boxes["Comparison group"].value == "trt"
    assert page.multiselect[0].options == ["cell"]


def test_run_from_the_form_alone_sends_what_it_shows(page, workbench, caller) -> None:
    upload(page)
    page.multiselect[0].select("cell")
    page.button(key="run").click().run()
    assert not page.exception
    (run,) = workbench.stores.runs.list(caller.user_id)
    sent = read_input(run, workbench)
    assert (sent["comparison_group"], sent["reference_group"]) == ("trt", "untrt")
    assert sent["covariates"] == ["cell"]
    file = workbench.stores.files.get(caller.user_id, sent["count_file_id"])
    assert file.name == "counts.csv"
    assert workbench.stores.blobs.path(file.sha256).read_bytes() == COUNTS.encode()
    assert run.run_uuid in page.query_params["run"]


def test_unreadable_upload_is_refused_with_a_remedy(page) -> None:
    page.file_uploader[0].upload("counts.csv", b"gene,s1\n\xff\xfe\xfa,1\n")
    page.run()
    assert not page.exception
    assert "UTF" in page.error[0].value


def test_uploads_are_looked_at_in_a_child_with_little_memory(page, workbench, monkeypatch) -> None:
    asked = []

    def call(target, *arguments, timeout_s=60, memory_mb=None):
        asked.append((timeout_s, memory_mb))
        raise OutOfMemory("too much")

    monkeypatch.setattr(workbench.executor, "call", call)
    page.file_uploader[0].upload("counts.csv", b"gene,s1\na,11\n")
    page.run()
    assert not page.exception
    assert "send a smaller table" in page.error[0].value
    assert asked == [(20, 1024)]


def workbook(*texts: str) -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for number, text in enumerate(texts):
        sheet = book.create_sheet(f"sheet {number}")
        for line in text.splitlines():
            sheet.append([int(cell) if cell.isdigit() else cell for cell in line.split("\t")])
    book.save(out)
    return out.getvalue()


def salmon_folders() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for n in range(1, 7):
            rows = [f"G{g}\t900\t800\t1.5\t{g * n + 7}\n" for g in range(9)]
            head = "Name\tLength\tEffectiveLength\tTPM\tNumReads\n"
            archive.writestr(f"out/s{n}/quant.genes.sf", head + "".join(rows))
    return out.getvalue()


def test_archives_and_workbooks_are_taken_and_shown_as_the_table_they_hold(
    page, workbench, caller
) -> None:
    page.file_uploader[0].upload("salmon.zip", salmon_folders())
    page.file_uploader[1].upload("meta.xlsx", workbook(METADATA))
    page.run()
    assert not page.exception
    shown = " ".join(text.value for text in page.caption)
    assert "9 rows × 7 columns · comma-separated" in shown
    assert "6 rows × 3 columns · comma-separated" in shown
    page.button(key="run").click().run()
    (run,) = workbench.stores.runs.list(caller.user_id)
    sent = read_input(run, workbench)
    assert (sent["comparison_group"], sent["reference_group"]) == ("trt", "untrt")
    file = workbench.stores.files.get(caller.user_id, sent["count_file_id"])
    assert file.name == "salmon.zip"


def test_a_second_sheet_of_the_workbook_is_the_metadata(page, workbench, caller) -> None:
    content = workbook(COUNTS.replace(",", "\t"), METADATA)
    page.file_uploader[0].upload("study.xlsx", content)
    page.run()
    assert not page.exception
    shown = " ".join(text.value for text in page.caption)
    assert "Sheet 'sheet 0' of the workbook was read; other sheets: 'sheet 1'" in shown
    page.button(key="run").click().run()
    (run,) = workbench.stores.runs.list(caller.user_id)
    sent = read_input(run, workbench)
    assert sent["count_file_id"] == sent["metadata_file_id"]
    assert (sent["condition_column"], sent["comparison_group"]) == ("dex", "trt")


def test_an_archive_without_a_table_is_refused_with_a_remedy(page) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("notes.txt", "no counts")
    page.file_uploader[0].upload("counts.zip", out.getvalue())
    page.run()
    assert not page.exception
    assert "files of a quantifier" in page.error[0].value


def test_a_reduced_design_is_chosen_among_the_columns_of_the_design(
    page, workbench, caller
) -> None:
    upload(page)
    page.multiselect[0].select("cell")
    page.run()
    labels = [box.label for box in page.toggle]
    assert "Choose the reduced design" not in labels
    test = next(box for box in page.selectbox if box.label == "Test")
    page = test.select("lrt").run()
    toggle = next(box for box in page.toggle if box.label == "Choose the reduced design")
    page = toggle.set_value(True).run()
    assert not page.exception
    box = next(one for one in page.multiselect if one.label.startswith("Columns that the reduced"))
    assert (box.options, box.value) == (["cell", "dex"], ["cell"])
    assert any(text.value == "Reduced design: \\~ cell" for text in page.caption)
    page = box.unselect("cell").run()
    page.button(key="run").click().run()
    (run,) = workbench.stores.runs.list(caller.user_id)
    sent = read_input(run, workbench)
    assert (sent["test"], sent["reduced"], sent["covariates"]) == ("lrt", [], ["cell"])


def test_run_without_tables_names_what_is_missing(page) -> None:
    page.button(key="run").click().run()
    assert not page.exception
    assert any("Condition column" in error.value for error in page.error)


def test_example_starts_a_run(page, workbench, caller) -> None:
    page.button(key=f"example:{AGENT.examples[0].name}").click().run()
    assert not page.exception
    assert len(workbench.stores.runs.list(caller.user_id)) == 1
    assert any("You can leave this page" in text.value for text in page.caption)


def test_running_page_names_every_step_and_can_cancel(page, run, workbench, caller) -> None:
    workbench.stores.runs.start(run.run_uuid, worker_pid=1, at=workbench.now())
    workbench.stores.runs.report(run.run_uuid, "Fit methods", 1, 3, "DESeq2", workbench.now())
    open_run(page, run.run_uuid)
    lines = [text.value for text in page.markdown]
    assert all(any(step in line for line in lines) for step in AGENT.steps)
    assert any("1 of 3" in line and "under way" in line for line in lines)
    page.button(key="cancel").click().run()
    assert workbench.stores.runs.get(caller.user_id, run.run_uuid).status == "cancelled"


def test_failed_run_says_where_and_why_and_fills_the_form(page, run, workbench) -> None:
    runs = workbench.stores.runs
    runs.start(run.run_uuid, worker_pid=1, at=workbench.now())
    runs.report(run.run_uuid, "Fit methods", 1, 3, "", workbench.now())
    failure = WorkerCrashed("the worker *died*").record()
    runs.finish(run.run_uuid, "failed", at=workbench.now(), error=failure)
    open_run(page, run.run_uuid)
    assert not page.exception
    assert "Fit methods" in page.error[0].value
    assert r"\*died\*" in page.error[0].value
    boxes = {box.label: box.value for box in page.selectbox}
    assert boxes["Reference group"] == "control"


@pytest.mark.parametrize("run_uuid", ["nonsense", "5b0e4cf6-3f1e-4d1a-9a34-1d2f7a4a9d11"])
def test_unknown_run_says_so(page, run_uuid) -> None:
    open_run(page, run_uuid)
    assert not page.exception
    assert "Run not found" in page.warning[0].value


def test_foreign_run_looks_unknown(page, workbench, stranger) -> None:
    request = AGENT.request.model_validate(AGENT.examples[0].request)
    foreign = start_run(AGENT, request, stranger, workbench)
    open_run(page, foreign.run_uuid)
    assert "Run not found" in page.warning[0].value


def test_runs_page_renames_and_deletes(app, run, workbench, caller) -> None:
    workbench.stores.runs.finish(run.run_uuid, "cancelled", at=workbench.now())
    app.switch_page("runs.py").run()
    app.text_input(key=f"title:{run.run_uuid}").set_value("My run")
    app.button(key=f"rename:{run.run_uuid}").click().run()
    assert workbench.stores.runs.get(caller.user_id, run.run_uuid).title == "My run"
    app.button(key=f"delete:{run.run_uuid}").click().run()
    assert not workbench.stores.runs.list(caller.user_id)


def test_an_address_fills_the_text_fields_of_a_form_once(app) -> None:
    app.switch_page("competitive_landscaping.py")
    app.query_params["ask.query"] = "KRAS <b>G12C</b>"
    app.query_params["ask.query_type"] = "no such type"
    page = app.run()
    assert not page.exception
    box = page.text_area(key="form:competitive-landscaping:query")
    assert box.value == "KRAS <b>G12C</b>"
    page = box.set_value("KRAS G12D").run()
    assert page.text_area(key="form:competitive-landscaping:query").value == "KRAS G12D"


def test_two_runs_are_ticked_and_compared(app, workbench, caller, complete) -> None:
    agent = all_agents()["attribution-engine"]
    pair = []
    for example in agent.examples[:2]:
        run = start_run(agent, agent.request.model_validate(example.request), caller, workbench)
        complete(run, caller)
        pair.append(run.run_uuid)
    page = app.switch_page("runs.py").run()
    for one in pair:
        page.checkbox(key=f"compare:{one}").set_value(True).run()
    button = next(one for one in page.button if one.label == "Compare the two")
    page = button.click().run()
    assert not page.exception
    shown = {metric.label: int(metric.value) for metric in page.metric}
    moves = [
        {
            str(one.move_date)
            for one in load_view(workbench.stores.runs.get(1, one), workbench).attributions
        }
        for one in pair
    ]
    assert shown["Added"] == len(moves[1] - moves[0])
    assert shown["Gone"] == len(moves[0] - moves[1])
    assert shown["Changed"] + shown["Equal"] == len(moves[0] & moves[1])
