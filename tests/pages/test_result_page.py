"""The result of differential expression as the page shows it."""

import pytest

from core.registry import all_agents
from core.results import load_view, read_table
from core.runner import start_run
from pages.ui.expression_result import read_counts

AGENT = all_agents()["differential-expression"]


@pytest.fixture
def run(workbench, caller, complete):
    alone = next(e for e in AGENT.examples if e.request.get("method", "all") != "all")
    queued = start_run(AGENT, AGENT.request.model_validate(alone.request), caller, workbench)
    complete(queued, caller)
    return workbench.stores.runs.get(caller.user_id, queued.run_uuid)


@pytest.fixture
def page(app, run):
    app.switch_page("differential_expression.py")
    app.query_params["run"] = run.run_uuid
    return app.run()


def test_key_figures_equal_the_stored_result(page, run, workbench) -> None:
    assert not page.exception
    data = load_view(run, workbench)
    shown = {metric.label.replace("\\", ""): metric.value for metric in page.metric}
    assert shown["Genes tested"] == f"{data.sample_qc.n_genes_tested:,}"
    for result in data.method_results:
        assert shown[f"Significant, {result.method}"] == f"{result.n_significant:,}"


def test_every_tab_draws(page) -> None:
    names = [tab.label for tab in page.tabs]
    assert len(names) == 8
    for name in names:
        page.session_state["tabs"] = name
        page.run()
        assert not page.exception, name


def test_table_filter_says_how_many_of_how_many(page) -> None:
    page.session_state["tabs"] = "Genes"
    page.run()
    page.text_input(key="genes-search").set_value("GENE00").run()
    assert not page.exception
    assert any("9 of 160 rows pass" in text.value for text in page.caption)
    page.text_input(key="genes-search").set_value("no such gene").run()
    assert any("No row passes" in text.value for text in page.info)


def test_genes_come_with_every_sample_when_asked(page, run, workbench) -> None:
    page.session_state["tabs"] = "Genes"
    page.run()
    page.toggle(key="genes-samples").set_value(True).run()
    assert not page.exception
    shown = page.dataframe[0].value
    names = [size.sample_id for size in load_view(run, workbench).sample_qc.library_sizes]
    counts = shown[[f"{name} (normalized)" for name in names]]
    assert counts.notna().all(axis=None)
    assert counts.mean(axis=1).to_numpy() == pytest.approx(shown["base_mean"].to_numpy(), rel=1e-5)


def test_components_are_colored_by_any_metadata_column(page, run, workbench) -> None:
    page.session_state["tabs"] = "PCA & distances"
    page.run()
    box = page.selectbox(key="pca-color")
    columns = [part.column for part in load_view(run, workbench).sample_qc.sample_groupings]
    assert box.options == ["group", *columns]
    for column in columns:
        page.selectbox(key="pca-color").set_value(column).run()
        assert not page.exception
        assert any(f"colored by {column}" in text.value for text in page.caption)


def test_any_tested_gene_is_drawn_sample_by_sample(page, run, workbench) -> None:
    counts = read_counts(run, ["GENE007", "no such gene"])
    assert list(counts.index) == ["GENE007"]
    data = load_view(run, workbench)
    table = read_table(run, data.method_results[0].method, workbench).set_index("gene_id")
    assert counts.loc["GENE007"].mean() == pytest.approx(table.loc["GENE007", "base_mean"])


def test_edit_and_run_fills_the_form_with_the_run(page, run) -> None:
    page.button(key="edit").click().run()
    assert not page.exception
    assert "run" not in page.query_params
    boxes = {box.label: box.value for box in page.selectbox}
    assert boxes["Reference group"] == "control"
    assert boxes["Method"] != "all"


def test_run_again_starts_another_run_of_the_same_query(page, run, workbench, caller) -> None:
    page.button(key="again").click().run()
    assert not page.exception
    newest, oldest = workbench.stores.runs.list(caller.user_id)
    assert newest.run_uuid != oldest.run_uuid
    assert newest.query_id == oldest.query_id


def test_cut_offs_on_the_screen_call_genes_anew(page, run, workbench) -> None:
    method = load_view(run, workbench).method_results[0].method
    table = read_table(run, method, workbench)
    page.select_slider(key="cutoff-padj").set_value(0.001)
    page.select_slider(key="cutoff-log2fc").set_value(1.5).run()
    assert not page.exception
    called = table[(table["padj"] < 0.001) & (table["log2FC"].abs() >= 1.5)]
    up = int((called["log2FC"] > 0).sum())
    told = " ".join(one.value for one in page.caption).replace("\\", "")
    assert f"{up} genes higher and {len(called) - up} lower at adjusted p < 0.001" in told


@pytest.fixture
def further(app, workbench, caller, complete):
    """Return the page of a run with a further comparison, gene sets and a certificate."""
    example = AGENT.examples[0].request
    lines = example["metadata_csv"].splitlines()
    sheet = [line.replace("treated,", "high,") if "_3," in line else line for line in lines]
    sheet = [line.replace("high_3", "treated_3") for line in sheet]
    genes = "\t".join(f"GENE{number:03d}" for number in range(1, 160, 10))
    request = {
        **example,
        "metadata_csv": "\n".join(sheet) + "\n",
        "method": "limma-voom",
        "contrasts": [{"reference_group": "control", "comparison_group": "high"}],
        "gene_sets_gmt": f"RISES\tby rule\t{genes}\n",
        "certificate": True,
    }
    queued = start_run(AGENT, AGENT.request.model_validate(request), caller, workbench)
    complete(queued, caller)
    app.switch_page("differential_expression.py")
    app.query_params["run"] = queued.run_uuid
    return app.run()


def test_what_was_asked_for_has_tabs_of_its_own(further) -> None:
    names = [tab.label for tab in further.tabs]
    assert names[:4] == ["Answer", "Comparisons", "Gene sets", "Certificate"]
    shown = {}
    for name in names[1:4]:
        further.session_state["tabs"] = name
        further.run()
        assert not further.exception, name
        shown[name] = [table.value for table in further.dataframe]
    assert shown["Comparisons"][0]["comparison"].tolist() == ["high vs control"]
    assert shown["Gene sets"][0]["gene_set"].tolist() == ["RISES"]
    assert shown["Certificate"][0]["method"].tolist() == ["limma-voom"]
