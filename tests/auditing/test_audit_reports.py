"""Audits as text, Markdown, HTML and JSON, and counterexamples as files."""

import errno
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from auditing import broken_scorers
from doxel.auditing import case_files, scorers
from doxel.auditing.audit_reports import describe_audit, tabulate_audit, write_audit
from doxel.auditing.auditor import audit
from doxel.auditing.laws import LAWS
from doxel.errors import InputError

BROKEN = Path(broken_scorers.__file__)


@pytest.fixture(scope="module")
def outcome():
    return audit(function=f"{BROKEN}:recall_counting_twice", cases=40)


def test_the_table_has_a_row_per_law_and_a_column_per_figure(outcome):
    header, rows = tabulate_audit(outcome)
    assert header == ["law", "what must hold", "recall_counting_twice"]
    assert [row[0] for row in rows] == [law.name for law in LAWS]
    cells = {row[0]: row[2] for row in rows}
    assert (cells["bounds"], cells["overlapping"], cells["junk"]) == ("BROKEN", "not kept", "kept")
    assert cells["unjudged"] == "-"


def test_the_text_shows_verdict_and_counterexample(outcome):
    text = outcome.to_text()
    assert "recall_counting_twice breaks 'repeat': Repeating a result never helps." in text
    assert "  gold     d1[0,1)\n  run      d1[0,1)\n  score    1\n" in text
    assert "  run      d1[0,1) d1[0,1)\n  score    2\n" in text
    assert text.endswith("40 random cases, seed 0.\n3 laws broken.\n")
    assert not any(line != line.rstrip() for line in text.splitlines())


def test_an_acquittal_is_said():
    text = audit(function=broken_scorers.recall, cases=20).to_text()
    assert text.endswith("20 random cases, seed 0.\nNo law was broken.\n")


@pytest.mark.integration
def test_a_declared_break_is_shown_with_its_reason():
    text = audit("chroma_rec", cases=30).to_text()
    assert "chroma_rec breaks on purpose 'perfect'" in text
    assert "Note: overlapping gold counts several times" in text
    assert text.endswith("0 laws broken, 1 law broken on purpose.\n")


def test_a_failure_is_shown_with_its_case():
    text = audit(function=broken_scorers.stops_at_three, cases=20).to_text()
    assert "The scorer crashes: " in text
    assert "KeyError" in text


def test_markdown_and_html_hold_the_same(outcome):
    markdown, html = outcome.to_markdown(), outcome.to_html()
    assert "| law | what must hold | recall\\_counting\\_twice |" in markdown
    assert "run      d1[0,1) d1[0,1)" in markdown
    assert html.startswith("<!DOCTYPE html>")
    assert html.count("<tr>") == len(LAWS) + 1
    assert "run      d1[0,1) d1[0,1)" in html


def test_json_holds_every_finding(outcome):
    described = json.loads(json.dumps(describe_audit(outcome)))
    assert (described["cases"], described["seed"], described["acquitted"]) == (40, 0, False)
    assert len(described["findings"]) == len(LAWS)
    (repeat,) = (finding for finding in described["findings"] if finding["law"] == "repeat")
    assert repeat["verdict"] == "broken"
    assert repeat["counterexample"]["after"] == {
        "score": 2.0,
        "gold": [["1", "d1", 0, 1]],
        "run": [[1, "1", "d1", 0, 1], [2, "1", "d1", 0, 1]],
        "judged": [],
    }


def test_counterexamples_are_files_with_the_command_line_to_run(outcome, tmp_path):
    places = write_audit(outcome, tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "audit.html",
        "audit.json",
        "audit.md",
        "audit.txt",
        "counterexamples",
    }
    (repeat,) = (place for place in places if place.name == "recall_counting_twice-repeat")
    lines = (repeat / "README.txt").read_text().splitlines()
    commands = [line for line in lines if line.startswith("python ")]
    expected = [float(line.removeprefix("    -> ")) for line in lines if line.startswith("    -> ")]
    assert expected == [1.0, 2.0]
    outputs = [
        subprocess.run(
            [sys.executable, *shlex.split(line)[1:]], capture_output=True, check=True, text=True
        ).stdout
        for line in commands
    ]
    assert [float(output) for output in outputs] == expected


def test_a_full_disk_leaves_no_audit_without_its_counterexamples(outcome, tmp_path, monkeypatch):
    def fill_disk(path, _data):
        raise InputError("cannot be written", file=str(path)) from OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(scorers, "write_file", fill_disk)
    monkeypatch.setattr(case_files, "write_file", fill_disk)
    with pytest.raises(InputError, match="cannot be written"):
        write_audit(outcome, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.integration
def test_a_new_audit_replaces_the_counterexamples_of_an_old_one(outcome, tmp_path):
    write_audit(outcome, tmp_path)
    write_audit(audit("chroma_rec", cases=30), tmp_path)
    assert [path.name for path in (tmp_path / "counterexamples").iterdir()] == ["chroma_rec-perfect"]
