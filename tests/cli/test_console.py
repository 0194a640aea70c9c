"""The output of commands: layouts, notes, tables, progress bars, and stdout that a reader closes."""

from __future__ import annotations

import io
import re
import sys
from contextlib import contextmanager

import click
import pytest
from rich.progress import Progress

from doxel.cli import console
from doxel.cli.console import (
    check_picture_name,
    choose_layout,
    format_cell,
    ignore_closed_pipe,
    print_note,
    redirect_output,
    show_progress,
    show_table,
    show_ticks,
)
from doxel.errors import InputError


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self):
        return True


def test_the_layout_is_that_of_the_option_or_of_the_file():
    assert choose_layout("json", "scores.csv") == "json"
    assert choose_layout(None, "scores.csv") == "csv"
    assert choose_layout(None, "Scores.TEX.gz") == "latex"
    assert choose_layout(None, "scores.txt") == "tsv"


def test_the_default_layout_is_a_table_on_a_terminal_only(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert choose_layout(None) == "tsv"
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert choose_layout(None) == "table"
    assert choose_layout(None, "scores") == "tsv"


def test_a_picture_is_svg_png_or_pdf():
    assert check_picture_name(None) == ""
    assert check_picture_name("folder.d/curve.PNG") == "png"
    for name in ("curve", "curve.svg.gz", "svg"):
        with pytest.raises(InputError, match=r"--plot: wanted a file that ends in \.svg, \.png or \.pdf"):
            check_picture_name(name)


def test_output_goes_to_the_file_if_one_is_given(tmp_path, capsys):
    with redirect_output(str(tmp_path / "out")):
        click.echo("é")
    with redirect_output(None):
        click.echo("b")
    assert (tmp_path / "out").read_bytes() == "é\n".encode()
    assert capsys.readouterr().out == "b\n"


def test_the_file_is_unchanged_after_an_error(tmp_path):
    def print_half():
        click.echo("half")
        raise RuntimeError

    (tmp_path / "out").write_text("old")
    with pytest.raises(RuntimeError), redirect_output(str(tmp_path / "out")):
        print_half()
    assert (tmp_path / "out").read_text() == "old"


def test_a_missing_folder_is_reported_before_anything_is_computed(tmp_path):
    steps = []
    output = str(tmp_path / "none" / "out")
    with pytest.raises(InputError, match=r"the folder .*none does not exist$"), redirect_output(output):
        steps.append("computed")
    assert steps == []


def test_a_closed_pipe_is_not_an_error_but_other_failures_are(tmp_path, monkeypatch):
    with (tmp_path / "pipe").open("w") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        with ignore_closed_pipe():
            raise BrokenPipeError
        click.echo("discarded")
        with pytest.raises(OSError, match="full"), ignore_closed_pipe():
            raise OSError("full")
    assert (tmp_path / "pipe").read_text() == ""


def test_a_line_of_a_note_that_is_not_indented_is_shown_escaped(capsys):
    print_note("first\n  second\nthird \x1b[2J")
    assert capsys.readouterr().err == "doxel: first\n  second\\nthird \\x1b[2J\n"


def test_a_very_long_note_is_cut_in_the_middle(capsys):
    print_note("a" * 10_000 + "z" * 10_000)
    note = capsys.readouterr().err
    assert len(note) < 5_000
    assert note.startswith("doxel: aaa")
    assert note.endswith("zzz\n")


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (1_234_567, "1,234,567"),
        (0.12345, "0.1235"),
        (float("nan"), "nan"),
        ("a\x1bb", "a\\x1bb"),
    ],
)
def test_a_cell_is_printed_by_its_type(value, cell):
    assert format_cell(value) == cell


def test_columns_of_numbers_are_aligned_to_the_right(capsys):
    show_table(["run", "topics", "note"], [["[b]a", 5, "x"], ["long", 1_000, None]], title="two runs")
    lines = [line.strip() for line in capsys.readouterr().out.strip().splitlines()]
    assert lines[0] == "two runs"
    assert lines[-2:] == ["[b]a        5   x", "long    1,000"]


def test_columns_that_exceed_the_terminal_go_to_a_further_table(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "30")
    show_table(["run", *(f"measure {n}" for n in range(4))], [["mine", *(n / 4 for n in range(4))]])
    lines = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()).splitlines()
    headers = [line.split() for line in lines if "measure" in line]
    assert headers == [
        ["run", "measure", "0", "measure", "1"],
        ["run", "measure", "2", "measure", "3"],
    ]
    assert [line.split() for line in lines if "mine" in line] == [
        ["mine", "0.0000", "0.2500"],
        ["mine", "0.5000", "0.7500"],
    ]


def test_a_table_without_rows_has_its_headers(capsys):
    show_table(["run", "topic"], [])
    assert "run   topic" in capsys.readouterr().out


def test_there_is_no_progress_bar_without_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with show_progress("scoring") as bar, show_ticks("scoring", total=2) as tick:
        assert (bar, tick) == (None, None)
    assert sys.stderr.getvalue() == ""


def test_a_progress_bar_on_a_terminal_has_a_label_and_a_total(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with show_progress("scoring", total=3) as bar:
        (task,) = bar.tasks
        assert (task.description, task.total, task.completed) == ("scoring", 3, 0)


def test_a_tick_advances_the_progress_bar_by_one_step(monkeypatch):
    bar = Progress(disable=True)

    @contextmanager
    def show_bar(label, *, total):
        bar.add_task(label, total=total)
        yield bar

    monkeypatch.setattr(console, "show_progress", show_bar)
    with show_ticks("scoring", total=3) as tick:
        tick()
        tick()
    assert bar.tasks[0].completed == 2
