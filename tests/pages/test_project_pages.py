"""Projects on their pages: made, filled from answers and entity pages, shared, exported."""

import io
from collections.abc import Callable
from datetime import date

import openpyxl
import pypdf
import pytest
from pptx import Presentation
from streamlit.testing.v1 import AppTest

from core.records.projects import BlockContent, FrozenTable
from core.records.runs import Caller, RunRecord
from core.registry import all_agents
from core.reports.projects import compare_contents, render_project
from core.runner import start_run
from core.workbench import Workbench
from pages.ui.projects.freezing import freeze_run
from tests.hostile import spoil
from tests.pages.conftest import REQUESTS, SHELL
from tests.pages.test_hostile_names import assert_all_text
from tests.rows import over_rows

NAME = "company-asset-searcher"


@pytest.fixture
def run(workbench: Workbench, caller: Caller, evidence, complete) -> RunRecord:
    evidence(NAME)
    agent = all_agents()[NAME]
    queued = start_run(agent, agent.request.model_validate(REQUESTS[NAME]), caller, workbench)
    complete(queued, caller)
    return workbench.stores.runs.get(caller.user_id, queued.run_uuid)


def open_project(caller: Caller, project_id: int | None = None) -> AppTest:
    test = AppTest.from_file(str(SHELL), default_timeout=30)
    test.session_state["caller"] = caller
    test.run().switch_page("projects.py")
    if project_id is not None:
        test.query_params["id"] = str(project_id)
    return test.run()


def note(title: str) -> BlockContent:
    return BlockContent(kind="note", title=title, sentences=("text",))


def test_a_project_is_made_and_written_in(workbench: Workbench, caller: Caller) -> None:
    page = open_project(caller)
    page.text_input[0].set_value("Menin in AML")
    page.button[0].click().run()
    (line,) = workbench.stores.projects.of(caller.user_id)
    assert (line.name, page.title[0].value) == ("Menin in AML", "Menin in AML")
    page = open_project(caller, line.project_id)
    next(one for one in page.text_input if one.label == "Title").set_value("Pass on it")
    page.get("button_group")[0].set_value("decision")
    next(one for one in page.button if one.label == "Add").click().run()
    (block,) = workbench.stores.projects.get(caller.user_id, line.project_id).blocks
    assert (block.content.kind, block.content.title) == ("decision", "Pass on it")
    assert block.content.decided_on is not None


@pytest.mark.parametrize(
    ("page", "params", "key", "kind"),
    [
        (f"{NAME.replace('-', '_')}.py", {}, "answer", "answer"),
        ("asset.py", {"id": "alphamab"}, "card", "asset"),
        ("company.py", {"id": "Acme Bio"}, "card", "asset"),
        ("company.py", {"id": "Acme Bio"}, "chart:pipeline", "chart"),
        ("field.py", {"disease": "asthma"}, "rows", "table"),
        ("compare.py", {"ids": "alphamab,gammamab"}, "compare", "table"),
    ],
)
def test_what_a_page_shows_is_added(app, workbench, caller, run, page, params, key, kind) -> None:
    app.switch_page(page)
    for name, value in (params or {"run": run.run_uuid}).items():
        app.query_params[name] = value
    app.run()
    app.text_input(key=f"project-name:{key}").set_value("Asthma")
    app.button(key=f"project-add:{key}").click().run()
    assert not app.exception
    (line,) = workbench.stores.projects.of(caller.user_id)
    (block,) = workbench.stores.projects.get(caller.user_id, line.project_id).blocks
    assert block.content.kind == kind
    assert block.content.sentences or block.content.tables or block.content.chart
    if block.content.sentences and kind == "asset":
        numbers = {one.id for one in block.content.sources}
        assert all(f"[{one}]" in " ".join(block.content.sentences) for one in numbers)
    shown = open_project(caller, line.project_id)
    assert not shown.exception
    assert block.content.title in {one.value.replace("\\", "") for one in shown.subheader}


def test_a_frozen_answer_outlives_its_run_and_tells_what_changed(
    workbench: Workbench, caller: Caller, run: RunRecord
) -> None:
    store, content = workbench.stores.projects, freeze_run(run)
    project = store.make(caller.user_id, "Asthma")
    project = store.add(caller.user_id, project.project_id, content)
    workbench.stores.runs.delete(caller.user_id, run.run_uuid)
    assert not open_project(caller, project.project_id).exception
    assert compare_contents(content, content).is_empty
    table = content.tables[0]
    gone = table.model_copy(update={"rows": table.rows[1:]})
    newer = content.model_copy(update={"tables": (gone, *content.tables[1:]), "sentences": ("x",)})
    found = compare_contents(content, newer)
    assert str(table.rows[0][0]) in " ".join(found.gone)
    assert found.added == ("x",)


def test_the_same_question_is_asked_again_and_the_copy_replaced(
    workbench: Workbench, caller: Caller, run: RunRecord, complete
) -> None:
    store = workbench.stores.projects
    made = store.make(caller.user_id, "Asthma")
    old = freeze_run(run).model_copy(update={"sentences": ("An old sentence.",)})
    (block,) = store.add(caller.user_id, made.project_id, old).blocks
    page = open_project(caller, made.project_id)
    page.button(key=f"run:check:{block.block_id}").click().run()
    (queued,) = workbench.stores.runs.list(caller.user_id, limit=1)
    assert queued.run_uuid != run.run_uuid
    complete(queued, caller)
    page.run()
    assert "An old sentence" in " ".join(one.value for one in page.markdown)
    theirs = old.model_copy(update={"sentences": ("Theirs.",)})
    store.edit(caller.user_id, made.project_id, block.block_id, theirs, 1)
    page.button(key=f"replace:check:{block.block_id}").click().run()
    (now,) = store.get(caller.user_id, made.project_id).blocks
    assert now.content.sentences == ("Theirs.",)
    page.button(key=f"save-over:{block.block_id}").click().run()
    (now,) = store.get(caller.user_id, made.project_id).blocks
    assert (now.version, now.content.run_uuid) == (3, queued.run_uuid)


def test_a_comparison_whose_run_is_deleted_says_so(
    workbench: Workbench, caller: Caller, run: RunRecord, complete
) -> None:
    store = workbench.stores.projects
    made = store.make(caller.user_id, "Asthma")
    (block,) = store.add(caller.user_id, made.project_id, freeze_run(run)).blocks
    page = open_project(caller, made.project_id)
    page.button(key=f"run:check:{block.block_id}").click().run()
    (queued,) = workbench.stores.runs.list(caller.user_id, limit=1)
    complete(queued, caller)
    workbench.stores.runs.delete(caller.user_id, queued.run_uuid)
    page.run()
    assert not page.exception
    assert "deleted" in page.warning[0].value


def test_projects_of_one_name_are_told_apart(app, workbench, caller, run) -> None:
    store = workbench.stores.projects
    first, second = (store.make(caller.user_id, "New project") for _ in range(2))
    app.switch_page("asset.py")
    app.query_params["id"] = "alphamab"
    app.run()
    app.selectbox(key="project-of:card").set_value(first.project_id)
    app.button(key="project-add:card").click().run()
    assert not app.exception
    held = {one.project_id: one.n_blocks for one in store.of(caller.user_id)}
    assert held == {first.project_id: 1, second.project_id: 0}


def test_a_reader_reads_and_comments_and_a_stranger_sees_nothing(
    workbench: Workbench, caller: Caller, stranger: Caller
) -> None:
    store = workbench.stores.projects
    made = store.make(caller.user_id, "Asthma")
    (block,) = store.add(caller.user_id, made.project_id, note("A note")).blocks
    page = open_project(stranger, made.project_id)
    assert "Project not found" in page.warning[0].value
    assert page.title[0].value == "Projects"
    store.share(caller.user_id, made.project_id, stranger.name, "reader")
    page = open_project(stranger, made.project_id)
    keys = {one.key for one in page.button if one.key}
    assert not [key for key in keys if key.startswith(("save:", "remove:", "Move", "project-"))]
    page.text_area(key=f"comment:{block.block_id}").set_value("Why?").run()
    page.button(key=f"add-comment:{block.block_id}").click().run()
    (now,) = store.get(caller.user_id, made.project_id).blocks
    assert [(one.author, one.text) for one in now.comments] == [(stranger.name, "Why?")]


def test_a_concurrent_edit_shows_both_versions(workbench: Workbench, caller: Caller) -> None:
    store = workbench.stores.projects
    made = store.make(caller.user_id, "Asthma")
    (block,) = store.add(caller.user_id, made.project_id, note("first")).blocks
    page = open_project(caller, made.project_id)
    key = str(block.block_id)
    page.text_input(key=f"title:{key}").set_value("mine")
    store.edit(caller.user_id, made.project_id, block.block_id, note("theirs"), 1)
    page.button(key=f"save:{key}").click().run()
    words = " ".join(one.value for one in [*page.markdown, *page.subheader])
    assert "mine" in words
    assert "theirs" in words
    store.edit(caller.user_id, made.project_id, block.block_id, note("theirs again"), 2)
    page.button(key=f"save-over:{block.block_id}").click().run()
    (now,) = store.get(caller.user_id, made.project_id).blocks
    assert now.content.title == "theirs again"
    assert "mine" in " ".join(one.value for one in page.markdown)
    page.button(key=f"save-over:{block.block_id}").click().run()
    (now,) = store.get(caller.user_id, made.project_id).blocks
    assert (now.content.title, now.version) == ("mine", 4)


def test_a_date_alone_is_an_edit_that_is_not_lost(workbench: Workbench, caller: Caller) -> None:
    store = workbench.stores.projects
    made = store.make(caller.user_id, "Asthma")
    old = BlockContent(kind="decision", title="Go", decided_on=date(2026, 1, 2))
    (block,) = store.add(caller.user_id, made.project_id, old).blocks
    page = open_project(caller, made.project_id)
    page.date_input(key=f"date:{block.block_id}").set_value(date(2026, 3, 4))
    newer = old.model_copy(update={"title": "theirs"})
    store.edit(caller.user_id, made.project_id, block.block_id, newer, 1)
    page.button(key=f"save:{block.block_id}").click().run()
    assert "Your version: Go" in " ".join(one.value for one in page.markdown)
    page.button(key=f"save-over:{block.block_id}").click().run()
    (now,) = store.get(caller.user_id, made.project_id).blocks
    assert now.content.decided_on == date(2026, 3, 4)


def test_a_person_who_was_disabled_is_removed(
    workbench: Workbench, caller: Caller, stranger: Caller
) -> None:
    store = workbench.stores.projects
    made = store.make(caller.user_id, "Asthma")
    store.share(caller.user_id, made.project_id, stranger.name, "reader")
    workbench.stores.users.disable(stranger.user_id)
    left = store.share(caller.user_id, made.project_id, stranger.name, None)
    assert left.members == ((caller.name, "owner"),)


def table_of(*rows: tuple[str, ...], columns: tuple[str, ...] = ("a", "b")) -> BlockContent:
    table = FrozenTable(caption="Drugs (2)", columns=columns, rows=rows)
    return BlockContent(kind="answer", title="x", tables=(table,))


@over_rows(
    ("after", "added", "gone", "changed"),
    [
        (table_of(("x", "1"), ("x", "2")), 0, 0, 0),
        (table_of(("x", "2"), ("x", "1")), 0, 0, 0),
        (table_of(("x", "1")), 0, 1, 0),
        (table_of(("x", "1"), ("x", "3")), 0, 0, 1),
        (table_of(("x", "1"), ("x", "2"), ("x", "2")), 1, 0, 0),
        (table_of(("x", "1", "n"), ("x", "2", "n"), columns=("a", "b", "c")), 1, 0, 0),
        (table_of(("x",), ("x",), columns=("a",)), 0, 1, 0),
        (note("x").model_copy(update={"sentences": ()}), 0, 1, 0),
    ],
)
def test_every_difference_of_tables_is_told(after, added, gone, changed) -> None:
    found = compare_contents(table_of(("x", "1"), ("x", "2")), after)
    assert (len(found.added), len(found.gone), len(found.changed)) == (added, gone, changed)


def test_hostile_texts_of_a_project_are_text_in_pages_and_files(
    workbench: Workbench, caller: Caller
) -> None:
    store = workbench.stores.projects
    made = store.make(caller.user_id, spoil("project")[:120])
    table = FrozenTable(caption=spoil("table")[:500], columns=(spoil("a"),), rows=((spoil("b"),),))
    for kind in ("note", "decision", "table", "answer"):
        content = BlockContent(
            kind=kind, title=spoil(kind)[:300], sentences=(spoil("text"),), tables=(table,)
        )
        made = store.add(caller.user_id, made.project_id, content)
        store.comment(caller.user_id, made.project_id, made.blocks[-1].block_id, spoil("say"))
    assert assert_all_text(open_project(caller, made.project_id)) > 3
    assert assert_all_text(open_project(caller)) > 0


def test_a_project_is_exported_in_four_formats(
    workbench: Workbench, caller: Caller, run: RunRecord
) -> None:
    store = workbench.stores.projects
    made = store.make(caller.user_id, "Asthma review")
    for content in (freeze_run(run), freeze_run(run), note("A thought")):
        made = store.add(caller.user_id, made.project_id, content)
    files: dict[str, Callable[[], bytes]] = {
        form: lambda form=form: render_project(made, workbench.now(), form)
        for form in ("pdf", "pptx", "xlsx", "md")
    }
    text = files["md"]().decode()
    assert text.startswith("# Asthma review")
    assert "A thought" in text
    numbers = [one for one in range(1, 40) if f"- [{one}] " in text]
    assert numbers == list(range(1, len(numbers) + 1))
    pages = pypdf.PdfReader(io.BytesIO(files["pdf"]())).pages
    assert "Asthma review" in pages[0].extract_text()
    book = openpyxl.load_workbook(io.BytesIO(files["xlsx"]()))
    assert len(book.sheetnames) > 2
    assert len(Presentation(io.BytesIO(files["pptx"]())).slides) > 2
