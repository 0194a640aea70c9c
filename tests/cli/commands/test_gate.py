"""``doxel gate``: exit statuses, formats and new baselines."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from doxel.cli.main import main

TOPICS = [f"q{number}" for number in range(12)]


def write_lines(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def spans(end, run=None):
    extra = {} if run is None else {"run": run, "rank": 1}
    return [{"topic": topic, "doc": "a", "start": 0, "end": end, **extra} for topic in TOPICS]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Gold, a good run, a worse run, topics and a collection, in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "gold.jsonl", spans(100))
    write_lines(tmp_path / "good.jsonl", spans(80, "mine"))
    write_lines(tmp_path / "worse.jsonl", spans(70, "mine"))
    write_lines(tmp_path / "topics.jsonl", [{"id": topic, "title": f"what is {topic}?"} for topic in TOPICS])
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("x" * 200)
    call("ingest", "texts", "-o", "docs.doxel")
    return tmp_path


def call(*arguments):
    """Return the exit status of a command, its output and its messages."""
    runner = CliRunner()
    with runner.isolation() as (out, err, _):
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        return ended.value.code, out.getvalue().decode(), err.getvalue().decode()


def gate(*arguments, baseline="base.json"):
    return call("gate", "-a", "gold.jsonl", "-c", "docs.doxel", "--baseline", baseline, *arguments)


@pytest.fixture
def baseline(files):
    assert gate("-m", "char_rec@5", "--update", "good.jsonl")[:2] == (0, "char_rec@5\t0.8000\n")
    return files / "base.json"


@pytest.mark.usefixtures("baseline")
def test_the_exit_status_is_0_for_the_same_run_and_1_for_a_worse_one():
    assert gate("good.jsonl")[0] == 0
    status, out, _ = gate("-t", "topics.jsonl", "worse.jsonl")
    assert status == 1
    assert "what is q3?" in out
    assert "char_rec@5: the mean fell by 0.1000, at 0.95 confidence by at least 0.1000; allowed: 0\n" in out
    assert out.endswith("gate: fail\n")


@pytest.mark.usefixtures("baseline")
def test_an_edited_corpus_is_refused_with_status_2(files):
    (files / "texts" / "a.txt").write_text("y" * 200)
    call("ingest", "texts", "-o", "edited.doxel")
    status, out, _ = call(
        "gate",
        "-a",
        "gold.jsonl",
        "-c",
        "edited.doxel",
        "--baseline",
        "base.json",
        "-f",
        "json",
        "good.jsonl",
    )
    assert status == 2
    assert json.loads(out)["status"] == "cannot be compared"
    assert json.loads(out)["obstacles"][0].startswith("the documents are not those of the baseline")


@pytest.mark.usefixtures("baseline")
def test_changed_gold_is_refused_with_status_2(files):
    write_lines(files / "gold.jsonl", spans(99))
    status, out, _ = gate("good.jsonl")
    assert status == 2
    assert "12 topics changed (q0, q1, q2, q3, q4, ...)" in out


@pytest.mark.usefixtures("files")
def test_the_json_of_evaluate_is_a_baseline_if_it_has_topics():
    scores = (
        "evaluate",
        "-a",
        "gold.jsonl",
        "-c",
        "docs.doxel",
        "-m",
        "char_rec@5",
        "-f",
        "json",
        "good.jsonl",
    )
    for options, status in (((), 2), (("-q",), 0)):
        with open("base.json", "w", encoding="utf-8") as stream:  # noqa: PTH123
            stream.write(call(*scores, *options)[1])
        assert gate("good.jsonl")[0] == status


@pytest.mark.usefixtures("baseline")
def test_minimum_drop_and_level_decide():
    assert gate("--min", "0.81", "good.jsonl")[0] == 1
    assert gate("--min", "0.8", "good.jsonl")[0] == 0
    assert gate("--max-drop", "0.1", "worse.jsonl")[0] == 0
    assert gate("--max-drop", "0.09", "worse.jsonl")[0] == 1
    assert gate("--level", "2", "good.jsonl")[0] == 2


@pytest.mark.usefixtures("baseline")
def test_markdown_goes_to_stdout_and_messages_to_stderr():
    status, out, err = gate("-f", "markdown", "worse.jsonl")
    assert (status, err) == (1, "")
    assert out.startswith("### Retrieval gate: ❌ failed\n")


def test_update_replaces_the_baseline_and_shows_the_change(baseline):
    before = baseline.read_bytes()
    assert gate("--update", "worse.jsonl")[:2] == (0, "char_rec@5\t0.7000 (was 0.8000)\n")
    assert baseline.read_bytes() != before
    assert gate("worse.jsonl")[0] == 0


def test_update_refuses_a_mean_below_the_minimum(baseline):
    before = baseline.read_bytes()
    status, out, err = gate("--update", "--min", "0.75", "worse.jsonl")
    assert (status, out) == (1, "")
    assert "the mean 0.7000 is below the minimum 0.75; the baseline stays as it was" in err
    assert baseline.read_bytes() == before


def test_update_replaces_a_file_that_is_not_a_baseline(files):
    (files / "base.json").write_text("damaged")
    status, _, err = gate("-m", "char_rec@5", "--update", "good.jsonl")
    assert status == 0
    assert "the old baseline is replaced: base.json" in err
    assert gate("good.jsonl")[0] == 0


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("worse.jsonl", "found a run (jsonl)"),
        ("topics.jsonl", "found topics (jsonl)"),
        ("docs.doxel", "found a folder"),
    ],
)
def test_update_overwrites_no_file_that_was_never_a_baseline(files, name, found):
    path = files / name
    before = sorted(path.iterdir()) if path.is_dir() else path.read_bytes()
    status, out, err = gate("-m", "char_rec@5", "--update", "good.jsonl", baseline=name)
    assert (status, out) == (2, "")
    assert f"wanted a baseline or a new file, {found}" in err
    assert "a run is a file" not in err
    assert (sorted(path.iterdir()) if path.is_dir() else path.read_bytes()) == before


@pytest.mark.usefixtures("files")
def test_a_missing_baseline_is_an_error_that_names_the_remedy():
    status, _, err = gate("good.jsonl", baseline="none.json")
    assert status == 2
    assert "none.json: the baseline does not exist: wanted a file that --update writes" in err


@pytest.mark.usefixtures("baseline")
def test_a_measure_that_the_baseline_lacks_is_refused():
    status, out, _ = gate("-m", "char_prec@5", "good.jsonl")
    assert status == 2
    assert "the baseline has no score by char_prec@5; it has char_rec@5" in out


@pytest.mark.usefixtures("baseline")
def test_a_run_whose_ids_are_unknown_cannot_be_compared(files):
    rows = [{**row, "topic": f"other-{row['topic']}"} for row in spans(80, "mine")]
    write_lines(files / "other.jsonl", rows)
    status, _, err = gate("other.jsonl")
    assert status == 2
    assert "the run cannot be compared" in err


@pytest.mark.usefixtures("baseline")
def test_the_exit_status_counts_even_if_nobody_reads_the_output():
    command = [sys.executable, "-m", "doxel", "gate", "-a", "gold.jsonl", "-c", "docs.doxel"]
    command += ["--baseline", "base.json", "worse.jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.wait() == 1
