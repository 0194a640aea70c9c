"""The candidates for a pool: results of runs, their steps, and the results that are not found."""

from __future__ import annotations

import pytest

from documents.shapes import ingested
from doxel.errors import InputError
from doxel.pooling.pool_candidates import PoolCandidates, RunReader, collect_candidates
from doxel.runs import RESULTS, Run


def run(name, *docs, topic="1", **columns):
    """Return a run of one topic whose results are whole documents."""
    rows = [{"topic": topic, "doc": doc, "rank": rank} for rank, doc in enumerate(docs, 1)]
    for column, values in columns.items():
        rows = [{**row, column: value} for row, value in zip(rows, values, strict=True)]
    return Run(name, RESULTS.from_rows(rows))


def steps_of(runs, **options):
    candidates = collect_candidates(runs, collection=None, **options)
    return candidates.results.select("run", "doc", "rank", "step").rows()


def test_a_step_is_a_new_document_or_a_result():
    nested = [run("r", *"aabac")]
    by_documents = [("r", "a", 1, 1), ("r", "a", 2, 1), ("r", "b", 3, 2), ("r", "a", 4, 2), ("r", "c", 5, 3)]
    assert steps_of(nested) == by_documents
    assert steps_of(nested, depth=2) == by_documents[:4]
    assert steps_of(nested, documents=1, count="results") == [("r", "a", 1, 1), ("r", "a", 2, 2)]
    assert [step for *_, step in steps_of(nested, count="results")] == [1, 2, 3, 4, 5]


def test_every_topic_counts_its_own_steps():
    rows = [*run("r", "a", "b").results.rows(named=True), *run("r", "c", topic="2").results.rows(named=True)]
    both = Run("r", RESULTS.from_rows(rows))
    assert steps_of([both]) == [("r", "a", 1, 1), ("r", "b", 2, 2), ("r", "c", 1, 1)]
    candidates = collect_candidates([both], collection=None, topics=["2"])
    assert candidates.results["doc"].to_list() == ["c"]
    assert candidates.topics == ("1", "2")  # also those that were not selected


def test_runs_keep_their_turns_and_get_unique_names():
    calls = []
    runs = [run("r", "a"), run("r", "b"), run("s", "c")]
    candidates = collect_candidates(runs, collection=None, progress=lambda: calls.append("run"))
    assert candidates.results.select("turn", "run").rows() == [(0, "r:1"), (1, "r:2"), (2, "s")]
    assert calls == ["run"] * 3


def test_the_unit_of_depth_is_checked():
    with pytest.raises(InputError, match="the unit of depth: wanted documents or results, found 'pages'"):
        collect_candidates([run("r", "a")], collection=None, count="pages")


def test_whole_documents_are_their_root_elements_and_passages_have_no_path():
    whole, spans = run("w", "d"), run("s", "d", start=[1], end=[3])
    with ingested({"d.xml": "<a>0<b>1234</b></a>"}) as collection:
        candidates = collect_candidates([whole, spans], collection=collection)
    assert candidates.results.select("run", "path", "start", "end").rows() == [
        ("w", "/a[1]", 0, 5),
        ("s", None, 1, 3),
    ]


def test_results_that_are_not_found_are_counted_by_problem():
    odd = run("r", "nobody", "d", "d", path=[None, "/a[1]/z[1]", "/a[1]/b[1]"])
    with ingested({"d.xml": "<a><b>0123</b></a>"}) as collection:
        candidates = collect_candidates([odd], collection=collection)
    assert candidates.unknown == {"unknown document": 1}
    assert candidates.lost == {"unknown path": 1}
    assert candidates.results.select("rank", "step", "path").rows() == [(2, 1, None), (3, 1, "/a[1]/b[1]")]


def test_notes_agree_with_their_counts_in_number():
    results = collect_candidates([run("r", "a")], collection=None).results
    assert PoolCandidates(results, ("1",), {"x": 1}, {"y": 1}).notes == (
        "1 result is left out: x",
        "1 result was not found in the document; only its document is pooled: y",
    )
    assert PoolCandidates(results, ("1",), {"x": 2}, {"y": 3}).notes == (
        "2 results are left out: x",
        "3 results were not found in the document; only their documents are pooled: y",
    )
    assert PoolCandidates(results, ("1",), {}, {}).notes == ()


def test_a_reader_takes_objects_and_files_and_skips_unreadable_ones_on_request(tmp_path):
    (tmp_path / "good.run").write_text("1 Q0 a 1 0.5 good\n", "utf-8")
    (tmp_path / "bad.run").write_text("1 Q0\n", "utf-8")
    reader = RunReader([run("r", "a"), str(tmp_path)], on_error="skip")
    assert [source.id for source in reader.list_runs()] == ["r", "good"]
    assert len(reader.skipped) == 1
    assert "bad.run, line 1" in reader.skipped[0]
    with pytest.raises(InputError, match=r"bad\.run, line 1"):
        RunReader(tmp_path).list_runs()
    with pytest.raises(InputError, match=r"no run could be read; the first error: .*bad\.run") as error:
        RunReader(tmp_path / "bad.run", on_error="skip").list_runs()
    assert str(error.value).endswith(reader.skipped[0])
    with pytest.raises(InputError, match="no run: wanted at least one"):
        RunReader([]).list_runs()
