"""Grades of documents as BEIR and as JSON objects."""

import pytest

from doxel import evaluate, read_assessments
from doxel.errors import InputError


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="test.tsv"):
        (tmp_path / name).write_text(content, "utf-8")
        return tmp_path / name

    return write_file


def grades(path):
    return read_assessments(path).judged.select("topic", "doc", "grade").rows()


ROWS = [("q1", "d2", 2.0), ("q1", "d1", 0.0)]


@pytest.mark.parametrize(
    "content",
    [
        "query-id\tcorpus-id\tscore\nq1\td2\t2\nq1\td1\t0\n",
        "query-id corpus-id score\r\nq1 d2 2\r\nq1 d1 0\r\n",
        "q1\td2\t2\nq1\td1\t0\n",
        "# judged in May\nq1 d2 2\n\nq1 d1 0",
    ],
)
def test_three_columns_are_topic_document_and_grade(write, content):
    path = write(content)
    assert read_assessments(path).format == "beir"
    assert read_assessments(path).scale == "documents"
    assert grades(path) == ROWS


def test_judgements_of_ms_marco_are_those_of_trec(write):
    assert read_assessments(write("11\t0\t7001\t1\n")).format == "trec"


def test_a_json_object_by_topic_has_grades(write):
    path = write('{"q1": {"d2": 2, "d1": 0}}', "qrels.json")
    assert read_assessments(path).format == "qrels-json"
    assert grades(path) == ROWS


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("q1\td2\t2\nq1\td1\n", "line 2: an assessment: wanted 3 columns: topic doc grade, found 2 columns"),
        ("q1\td2\t2\nq1\td1\thigh\n", "line 2: the grade of a document: wanted a number, found 'high'"),
        ("query-id\tcorpus-id\tscore\n", "empty file: wanted topic doc grade"),
        (
            '{"q1": {"d2": 2, "d1": "high"}}',
            "topic 'q1', document 'd1': wanted a grade: a number, found 'high'",
        ),
    ],
)
def test_a_bad_grade_is_reported_with_its_place(write, content, sentence):
    with pytest.raises(InputError, match=sentence):
        read_assessments(write(content))


EXPECTED = {"AP": [1.0, 0.5], "RR": [1.0, 0.5], "R@10": [1.0, 1.0], "nDCG@10": [1.0, 0.6309297535714575]}


@pytest.mark.parametrize(
    ("gold", "run"), [("beir/qrels/test.tsv", "beir.run.trec"), ("qrels.json", "run.json")]
)
def test_real_shapes_give_the_figures_of_trec_eval(shared_data, gold, run):
    """The figures of expected.txt beside the files: map, recip_rank, recall_10, ndcg_cut_10 by topic."""
    doors = shared_data / "living" / "doors"
    scores = evaluate(str(doors / run), str(doors / gold), list(EXPECTED)).scores
    assert {
        measure: scores.filter(scores["measure"] == measure)["score"].to_list() for measure in EXPECTED
    } == EXPECTED


def test_real_shapes_of_ms_marco_give_its_figure(shared_data):
    """MRR @10 of expected.txt: 1/2 for the first of three topics."""
    doors = shared_data / "living" / "doors"
    result = evaluate(str(doors / "msmarco.run.tsv"), str(doors / "msmarco.qrels.tsv"), "RR(limit=10)")
    assert result.means["score"].to_list() == [pytest.approx(0.16666666666666666)]
