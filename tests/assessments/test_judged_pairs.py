"""Pairs of topics and documents that were judged, and their grades."""

import pickle
from random import Random

import numpy as np
import polars as pl
import pytest

from assessments.small_assessments import assessed, rows
from doxel.assessments import judged_pairs, read_assessments
from doxel.assessments.assessments import JUDGED, Assessments
from doxel.assessments.judged_pairs import grade_documents, lay_out_assessments


@pytest.mark.parametrize(
    ("elements", "grades"),
    [
        (
            '<path path="/a[1]" exhaustiveness="1"/><path path="/a[1]/b[1]" exhaustiveness="2"/>',
            [2],
        ),
        ('<path path="/a[1]" exhaustiveness="0" specificity="0"/>', [0]),
    ],
)
def test_grades_of_documents_come_from_elements_if_only_these_were_graded(tmp_path, elements, grades):
    (tmp_path / "a.xml").write_text(
        f'<assessments pool="1" topic="1"><file file="d">{elements}</file></assessments>'
    )
    assert grade_documents(read_assessments(tmp_path / "a.xml")).to_list() == grades


def _lay_out_random(random, topics=4, docs=6):
    judged = [
        {"topic": str(topic), "doc": f"d{doc}"}
        for topic in range(topics)
        for doc in random.sample(range(docs), random.randrange(docs))
    ]
    pairs = lay_out_assessments(
        Assessments("2006", JUDGED.from_rows([*judged, {"topic": "0", "doc": "x"}])), declared_sizes=True
    )
    numbers = sorted(random.randrange(len(pairs.topics)) for _ in range(random.randrange(30)))
    docs = [f"d{random.randrange(docs + 2)}" for _ in numbers]
    return pairs, np.array(numbers, dtype=np.int64), pl.Series(docs, dtype=pl.String)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("most_bits", [20, 0])
def test_documents_are_matched_by_hash_as_by_name(monkeypatch, seed, most_bits):
    monkeypatch.setattr(judged_pairs, "_MOST_ROW_BITS", most_bits)  # 0: as for runs of millions of results
    pairs, topic, docs = _lay_out_random(Random(seed))
    by_hash, by_name = pairs._match_by_hash(topic, docs), pairs._match_by_name(topic, docs)
    for actual, expected in zip(by_hash, by_name, strict=True):
        assert actual.tolist() == expected.tolist()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("hashes", [1, 3])
def test_documents_of_equal_hashes_are_distinguished(monkeypatch, seed, hashes):
    def hash_badly(topic, docs):
        numbers = (topic + docs.str.slice(1).str.to_integer(strict=False).fill_null(0).to_numpy()) % hashes
        return (numbers.astype(np.uint64) + np.uint64(1)) << np.uint64(40)

    monkeypatch.setattr(judged_pairs, "_hash_documents", hash_badly)
    pairs, topic, docs = _lay_out_random(Random(seed))
    for actual, expected in zip(
        pairs.match_documents(topic, docs), pairs._match_by_name(topic, docs), strict=True
    ):
        assert actual.tolist() == expected.tolist()


def test_hashes_stay_in_their_process():
    pairs, topic, docs = _lay_out_random(Random(1))
    pairs.match_documents(topic, docs)
    assert "_hashes" in vars(pairs)
    copy = pickle.loads(pickle.dumps(pairs))  # noqa: S301 -- our own
    assert "_hashes" not in vars(copy)
    assert copy.topics == pairs.topics


def test_a_pair_judged_twice_has_its_highest_grade():
    grades = [("1", "a", 1.0), ("1", "b", -2.0), ("1", "a", 2.0), ("2", "a", None)]
    judged = JUDGED.from_rows({"topic": topic, "doc": doc, "grade": grade} for topic, doc, grade in grades)
    pairs = lay_out_assessments(Assessments("documents", judged), declared_sizes=True)
    assert pairs.pairs.rows() == [(0, "1", "a"), (1, "1", "b"), (2, "2", "a")]
    assert pairs.document_grade.tolist() == [2.0, 0.0, 0.0]


def test_a_highlight_of_grade_0_judges_its_document_and_makes_nothing_relevant():
    spans = [
        rows(start=0, end=10, grade=0.0, aspect="x"),
        rows(start=20, end=30, grade=2.0),
        rows(doc="b", start=0, end=10, grade=0.0),
        rows(doc="c", start=0, end=10, grade=-1.0),
        rows(doc="d", start=0, end=10, grade=0.0),
        rows(doc="d", start=5, end=9),  # no grade: relevant
    ]
    pairs = lay_out_assessments(assessed(highlights=spans), declared_sizes=False)
    assert pairs.pairs["doc"].to_list() == ["a", "b", "c", "d"]
    assert pairs.is_judged.tolist() == [True] * 4
    assert pairs.relevant_size.tolist() == [10, 0, 0, 4]
    assert pairs.document_grade.tolist() == [2, 0, 0, 1]
    assert [column.tolist() for column in pairs.spans] == [[0, 3], [20, 5], [30, 9]]
    assert not pairs.has_aspects
