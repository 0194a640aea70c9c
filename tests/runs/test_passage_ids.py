"""Ids of passages in runs and judgements."""

import polars as pl
import pytest

from documents.commands import doxel as command
from doxel import evaluate
from doxel.errors import InputError
from doxel.runs import RESULTS, Run
from doxel.runs.passage_ids import parse_passage_ids, split_passage_ids


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("report:10-25", ("report", 10, 25)),
        ("a:b:0-7", ("a:b", 0, 7)),
        ("msmarco_v2.1_doc_00_1#3_7", ("msmarco_v2.1_doc_00_1", None, None)),
        ("a#b#2", ("a#b", None, None)),
        ("report", ("report", None, None)),
        ("report:10", ("report:10", None, None)),
        (":1-2", (":1-2", None, None)),
        ("#3", ("#3", None, None)),
    ],
)
def test_an_id_names_a_document_and_perhaps_a_span(name, place):
    assert parse_passage_ids(pl.Series([name])).rows() == [place]


def test_an_end_before_its_start_is_an_error():
    with pytest.raises(InputError, match="the id of a passage: wanted an end after its start, found 'a:7-3'"):
        parse_passage_ids(pl.Series(["a:7-3"]))


def test_results_that_say_where_they_are_keep_their_ids():
    rows = [{"topic": "1", "doc": "a:0-5"}, {"topic": "1", "doc": "b:0-5", "start": 7, "end": 9}]
    results = split_passage_ids(Run("r", RESULTS.from_rows(rows))).results
    assert results.select("doc", "start", "end").rows() == [("a", 0, 5), ("b:0-5", 7, 9)]


def test_a_run_without_ids_of_passages_is_an_error():
    run = Run("r", RESULTS.from_rows([{"topic": "1", "doc": "a"}]), file="r.run")
    with pytest.raises(
        InputError, match=r"r\.run: the passages of a run: wanted ids such as doc:0-120 or doc#3, found 'a'"
    ):
        split_passage_ids(run)


def test_spans_in_ids_are_scored_like_tuples():
    run = {"1": {"a:0-10": 0.9, "b:5-9": 0.5}}
    gold = [("1", "a", 5, 15), ("1", "b", 5, 9)]
    measures = "char_rec@1,2, char_prec@2, RR"
    expected = evaluate([("1", "a", 0, 10), ("1", "b", 5, 9)], gold, measures).scores
    assert evaluate(run, gold, measures, passage_ids=True).scores.equals(expected)
    grades = {"1": {"a:5-15": 1, "b:5-9": 2, "b:20-30": 0}}
    assert (
        evaluate(run, grades, measures, passage_ids=True).scores["score"].to_list()
        == expected["score"].to_list()
    )


def test_passages_of_documents_are_ranked_by_the_first():
    run = {"1": {"b#1": 0.9, "a#2": 0.8, "a#1": 0.7}}
    gold = {"1": {"a#2": 1, "a#9": 2, "c#1": 0}}
    expected = evaluate({"1": {"b": 0.9, "a": 0.8}}, {"1": {"a": 2, "c": 0}}, "AP, nDCG@5, RR").scores
    assert evaluate(run, gold, "AP, nDCG@5, RR", passage_ids=True).scores.equals(expected)


def test_grades_of_whole_documents_among_passages_are_an_error():
    gold = {"1": {"a:0-5": 1, "b": 1}}
    with pytest.raises(
        InputError, match="topic 1: wanted the id of a passage, as in other lines: doc:start-end, found 'b'"
    ):
        evaluate({"1": {"a:0-5": 1.0}}, gold, "char_rec", passage_ids=True)


def test_the_command_has_the_option(tmp_path):
    (tmp_path / "run").write_text("1 Q0 a:0-10 1 0.9 r\n")
    (tmp_path / "gold.jsonl").write_text('{"topic": "1", "doc": "a", "start": 5, "end": 15}\n')
    arguments = ("evaluate", "-a", tmp_path / "gold.jsonl", "-m", "char_rec", "-f", "csv", tmp_path / "run")
    outcome = command(*arguments, "--passage-ids")
    assert (outcome.status, outcome.out.splitlines()[1]) == (0, "r,all,char_rec,0.5")
