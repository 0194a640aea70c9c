"""The results or the gold of many questions, as frames, datasets, dicts and rows."""

import uuid

import numpy as np
import pandas as pd
import polars as pl
import pytest

from adapters.library_objects import Dataset, Qrel, RanxQrels, RanxRun, ScoredDoc, chroma
from doxel.adapters.adapter_table import adapt_table
from doxel.errors import InputError

RUN = [("q1", "a", 0.5), ("q1", "b", 0.25), ("q2", "a", 1.0)]
DICTS = {"q1": {"a": 0.5, "b": 0.25}, "q2": {"a": 1.0}}
COLUMNS = {"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "a"], "score": [0.5, 0.25, 1.0]}


class ArrowOnly:
    """A table that offers the Arrow stream interface and nothing else."""

    def __arrow_c_stream__(self, requested_schema=None):
        return pl.DataFrame(COLUMNS).__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "data",
    [
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pd.DataFrame(COLUMNS),
        Dataset(COLUMNS),
        ArrowOnly(),
        COLUMNS,
        DICTS,
        {q: {d: np.float32(score) for d, score in docs.items()} for q, docs in DICTS.items()},
        RanxRun(DICTS),
        [ScoredDoc(*row) for row in RUN],
        (row for row in [ScoredDoc(*row) for row in RUN]),
        [dict(zip(("query_id", "doc_id", "score"), row, strict=True)) for row in RUN],
    ],
)
def test_runs_of_documents_are_read(data):
    frame = adapt_table(data, "a run").frame
    assert frame.select("topic", "doc", "rsv").rows() == RUN


@pytest.mark.parametrize(
    "data",
    [
        {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}},
        RanxQrels({"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}),
        [Qrel("q1", "a", 1, "0"), Qrel("q1", "b", 0, "0"), Qrel("q2", "a", 2, "0")],
        pd.DataFrame({"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "a"], "label": [1, 0, 2]}),
        pd.DataFrame({"query-id": ["q1", "q1", "q2"], "corpus-id": ["a", "b", "a"], "score": [1, 0, 2]}),
        pl.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "a"], "relevance": [1, 0, 2]}),
    ],
)
def test_grades_of_documents_are_read(data):
    frame = adapt_table(data, "gold", gold=True).frame
    assert frame.select("topic", "doc", "grade").rows() == [("q1", "a", 1), ("q1", "b", 0), ("q2", "a", 2)]


def test_ids_of_any_type_become_strings():
    random_id = uuid.UUID(int=7)
    frame = adapt_table(pd.DataFrame({"qid": [1.0, 2.0], "docno": [random_id, 3]}), "a run").frame
    assert frame.select("topic", "doc").rows() == [("1", str(random_id)), ("2", "3")]


def test_the_queries_of_chroma_are_counted_from_1():
    table = adapt_table(chroma([[("r", 3, 6, "abc")], [], [("s", 0, 1, "x"), ("r", 1, 2, "y")]]), "a run")
    assert table.positions == 3
    assert table.frame.select("topic", "rank", "names", "start", "end").rows() == [
        ("1", 1, ["r", "r-3"], 3, 6),
        ("3", 1, ["s", "s-0"], 0, 1),
        ("3", 2, ["r", "r-1"], 1, 2),
    ]


def test_topics_added_to_chroma_results_name_the_queries():
    result = {**chroma([[("r", 3, 6, "abc")], []]), "topics": ["q7", "q8"]}
    table = adapt_table(result, "a run")
    assert table.positions is None
    assert table.frame["topic"].to_list() == ["q7"]
    with pytest.raises(InputError, match="a run: wanted one topic for each of 2 queries, found 1"):
        adapt_table({**result, "topics": ["q7"]}, "a run")


def test_a_mapping_of_lists_with_other_lengths_is_not_a_table_of_columns():
    frame = adapt_table({"qid": ["a text", "another"], "docno": ["a third"]}, "a run").frame
    assert frame.select("topic", "text").rows() == [
        ("qid", "a text"),
        ("qid", "another"),
        ("docno", "a third"),
    ]


def test_a_single_column_of_arrow_is_not_a_table():
    with pytest.raises(InputError, match="a run: wanted rows as dicts"):
        adapt_table(pd.Series([1, 2]), "a run")
