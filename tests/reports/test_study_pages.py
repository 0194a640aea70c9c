"""The pages of studies: text is escaped, and pictures are the same each time."""

from __future__ import annotations

from lxml import etree

from doxel.reports.study_pages import format_cell, render_markdown_table, render_study_markdown, write_study
from doxel.studies import find_study


def test_the_page_is_complete_and_escaped(study_result, tmp_path):
    paths, notes = write_study(find_study("agreement"), study_result, tmp_path)
    assert notes == []
    page = (tmp_path / "index.html").read_text("utf-8")
    assert paths[-1] == tmp_path / "index.html"
    assert "<b>short" not in page
    tree = etree.HTML(page)
    words = " ".join(tree.itertext())
    assert "<b>short</b>" in words
    assert find_study("agreement").question in words
    for sentence in study_result.findings:
        assert sentence in words
    assert [image.get("src")[:26] for image in tree.iter("img")] == ["data:image/svg+xml;base64,"]
    assert list(tree.iter("script", "link")) == []


def test_markdown_escapes_markup(study_result):
    page = render_study_markdown(find_study("agreement"), study_result, {"tau.png": "tau"})
    assert "![tau](tau.png)" in page
    assert "\\<b>short\\</b>" in page
    assert "long \\| run" in page
    for line in page.split("\n"):
        if line.startswith("|---"):
            head = line
        elif line.startswith("| "):
            cells = line.replace("\\|", "").count("|") - 1
            assert cells >= 2
    assert head.endswith("|")


def test_a_table_becomes_markdown(study_result):
    lines = render_markdown_table(study_result.panels[0].table).split("\n")
    assert lines[0] == "| ranking | other | tau | low | high | tau\\_ap |"
    assert lines[1] == "|---|---|---:|---:|---:|---:|"
    assert lines[2].startswith("| char\\_rec@1 | char\\_prec@1 | -0.")


def test_values_become_cells():
    assert [format_cell(value) for value in (1, 0.5, "x", None, False)] == ["1", "0.500", "x", "", "no"]


def test_without_matplotlib_everything_else_is_written(study_result, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    paths, notes = write_study(find_study("agreement"), study_result, tmp_path)
    assert len(notes) == 1
    assert 'pip install "doxel[plots]"' in notes[0]
    assert {"index.html", "index.md", "tau.csv"} <= {path.name for path in paths}
