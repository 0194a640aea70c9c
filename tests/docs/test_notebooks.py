"""The notebooks of the documentation run, and give the stored outputs."""

from __future__ import annotations

import json

import pytest
from pagemaker.notebooks import notebooks, pages, read_notebook, run_cells


def outputs_of(cells):
    """Return the outputs of cells as text and HTML; pictures differ with the version of matplotlib."""
    outputs = []
    for cell in cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            outputs.append({**output, "data": {kind: data[kind] for kind in data if kind != "image/png"}})
    return outputs


@pytest.mark.parametrize("name", notebooks())
def test_a_notebook_shows_the_outputs_of_its_cells(name, tmp_path):
    notebook = read_notebook(notebooks()[name])
    assert outputs_of(run_cells(notebook, tmp_path)) == outputs_of(notebook["cells"])


@pytest.mark.parametrize("name", notebooks())
def test_a_notebook_is_a_page_with_its_outputs(name):
    page = pages()[f"{name}.md"].decode()
    notebook = read_notebook(notebooks()[name])
    assert page.startswith("# ")
    assert page.count("```python\n") == sum(cell["cell_type"] == "code" for cell in notebook["cells"])
    pictures = [file for file in pages() if file.startswith(f"{name}-") and file.endswith(".png")]
    assert pictures
    assert all(f"![]({picture})" in page for picture in pictures)


def test_the_tutorial_shows_a_result_a_difference_pictures_and_a_gate():
    page = pages()["notebook-tutorial.md"].decode()
    for words in ('class="best"', "<mark>", "![](notebook-tutorial-", "gate: fail"):
        assert words in page


@pytest.mark.integration
@pytest.mark.parametrize("name", notebooks())
def test_a_notebook_runs_in_jupyter(name, tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="needs nbclient and ipykernel")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.reads(json.dumps(read_notebook(notebooks()[name])), as_version=4)
    nbformat.validate(notebook)
    ran = nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}).execute()
    expected = outputs_of(read_notebook(notebooks()[name])["cells"])
    shown = outputs_of(json.loads(nbformat.writes(ran))["cells"])
    assert [output["output_type"] for output in shown] == [output["output_type"] for output in expected]
    html = [
        ["".join(output["data"].get("text/html", "")) for output in outputs] for outputs in (shown, expected)
    ]
    assert html[0] == html[1]
