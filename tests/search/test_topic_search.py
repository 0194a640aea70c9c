"""On the bundled campaign, the baseline is better than whole documents and than random order."""

import json

import numpy as np
import polars as pl
import pytest

import doxel
from doxel.checks.checker import check_inputs
from doxel.search import OVERLAPS, SearchOptions, search
from doxel.topics import read_topics
from doxel.topics.nexi.query_matching import find_target_labels
from doxel.topics.nexi.query_parser import parse


@pytest.fixture(scope="module")
def run(demo, demo_index):
    topics = read_topics(demo.topics)
    return lambda name, **options: search(demo_index, topics, SearchOptions(**options), run_id=name).run


def in_random_order(run):
    """Return the run with the results of each topic shuffled."""
    order = np.random.default_rng(0).permutation(run.results.height)
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic")
    shuffled = run.results[order].with_columns(rank=rank, rsv=pl.lit(None, dtype=pl.Float64))
    return doxel.Run("random order", shuffled, task="focused")


def test_focused_beats_whole_documents_and_random_order(demo, demo_index, run):
    focused = run("focused", task="focused")
    runs = [focused, run("documents", task="documents"), in_random_order(focused)]
    result = doxel.evaluate(runs, demo.assessments["qrels"], ["MAiP"], collection=demo_index.collection)
    pairs = result.compare(measure="MAiP", baseline="focused").pairs
    assert pairs.select("run", "other").rows() == [("documents", "focused"), ("random order", "focused")]
    assert (pairs["difference"] < 0).all()
    assert (pairs["p_adjusted"] < 0.01).all()


@pytest.mark.parametrize("overlap", OVERLAPS)
def test_runs_have_neither_overlap_nor_scattered_articles(demo, run, tmp_path, overlap):
    paths = []
    for task in ("focused", "relevant-in-context", "best-in-context"):
        paths.append(tmp_path / f"{task}.xml")
        doxel.write_run(run(task, task=task, overlap=overlap), paths[-1], "inex-xml")
    report = check_inputs([str(path) for path in paths], topics=demo.topics, collection=demo.collection)
    assert {group.check.code for group in report.groups} <= {"R304"}  # tied results, a note
    assert [checked_run.overlap for checked_run in report.runs] == [0.0, 0.0, 0.0]
    assert [checked_run.task for checked_run in report.runs] == [
        "focused",
        "relevant-in-context",
        "best-in-context",
    ]


def test_the_check_finds_overlap_in_a_thorough_run(demo, run, tmp_path):
    thorough = run("thorough", task="thorough")
    doxel.write_run(doxel.Run("x", thorough.results, task="focused"), tmp_path / "x.xml", "inex-xml")
    report = check_inputs([str(tmp_path / "x.xml")], topics=demo.topics, collection=demo.collection)
    assert "R202" in {group.check.code for group in report.groups}


def test_results_of_a_strict_target_are_on_target(demo, run, tmp_path):
    structured = run("x", task="thorough", field="castitle")
    doxel.write_run(structured, tmp_path / "x.xml", "inex-xml")
    report = check_inputs(
        [str(tmp_path / "x.xml")], topics=demo.topics, collection=demo.collection, structure="target=strict"
    )
    assert "R206" not in {group.check.code for group in report.groups}


def test_results_of_strict_support_match_the_structure(demo, run, tmp_path):
    from doxel.topics.query_structure import Structure

    structured = run("x", task="thorough", field="castitle", structure=Structure("strict", "strict"))
    doxel.write_run(structured, tmp_path / "x.xml", "inex-xml")
    report = check_inputs(
        [str(tmp_path / "x.xml")], topics=demo.topics, collection=demo.collection, structure="SCAS"
    )
    assert "R206" not in {group.check.code for group in report.groups}


def test_documents_are_returned_once_and_whole(run):
    results = run("documents", task="documents").results
    assert results["path"].null_count() == results.height
    assert not results.select(pl.struct("topic", "doc").is_duplicated().any()).item()


@pytest.mark.integration
def test_queries_on_real_articles_find_the_expected_elements(plos_index, request):
    """For twenty queries written from the articles, the expected element is among the first five.

    All results are on target.
    """
    from doxel.search.topic_search import search_query

    forest = plos_index.forest
    missed, off_target = [], []
    lines = (request.path.parent / "plos-queries.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 20
    for line in lines:
        expected = json.loads(line)
        query = parse(expected["query"])
        rows = search_query(plos_index, query, SearchOptions(task="thorough")).rows
        places = [
            (plos_index.documents[int(forest.document[row])], forest.path(int(row))) for row in rows[:5]
        ]
        if (expected["doc"], expected["path"]) not in places:
            missed.append(expected["query"])
        if not find_target_labels(query, forest.labels)[forest.label[rows]].all():
            off_target.append(expected["query"])
    assert missed == []
    assert off_target == []
