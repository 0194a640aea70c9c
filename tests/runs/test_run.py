"""Runs as objects: their names and their tasks."""

import zipfile

import pytest

from doxel.errors import InputError
from doxel.runs import read_run, read_runs, write_run
from runs.small_runs import RANKED, run_of

LINE = "1 Q0 {doc} 1 0.9 {id}\n"


def test_files_of_the_same_name_are_distinguished_by_their_paths(tmp_path):
    for team in ("x", "y"):
        (tmp_path / team).mkdir()
        (tmp_path / team / "a.run").write_text(LINE.format(doc=team, id="shared"))
    assert [run.id for run in read_runs(tmp_path)] == ["shared:x/a.run", "shared:y/a.run"]
    named = [tmp_path / "x" / "a.run", tmp_path / "y" / "a.run"]
    assert [run.id for run in read_runs(named)] == [f"shared:{path}" for path in named]
    with pytest.raises(InputError, match="named twice"):
        read_runs([named[0], named[0]])


def test_runs_without_an_id_are_named_after_their_files(tmp_path):
    for name in ("bm25.tuned.jsonl", "dense.jsonl.gz"):
        content = b'{"topic": "1", "doc": "a"}\n'
        (tmp_path / name).write_bytes(content)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("sparse.jsonl", content)
    assert [run.id for run in read_runs(tmp_path / "other.zip")] == ["sparse"]
    (tmp_path / "other.zip").unlink()
    assert [run.id for run in read_runs(tmp_path)] == ["bm25", "dense"]


def test_the_repr_of_a_run_counts_results_and_topics(tmp_path):
    path = tmp_path / "a.run"
    write_run(run_of(RANKED, {**RANKED, "topic": "2"}), path, "trec")
    assert repr(read_run(path)) == "<Run 'r': 2 results for 2 topics>"


FILES = ["bert_inex_converted_1.run.gz", "bert1-grouped-by-document.run.gz"]


def test_runs_that_share_an_id_get_the_file_in_their_names(shared_data):
    folder = shared_data / "inex-adhoc-2009-2010"
    assert [run.id for run in read_runs([folder / name for name in FILES])] == [
        f"TREC2INEX:{name}" for name in FILES
    ]
