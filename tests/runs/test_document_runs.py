"""Runs of MS MARCO and runs as JSON objects."""

import pytest

from doxel.errors import InputError
from doxel.runs import read_run
from doxel.runs.run_files import find_run_format


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="bm25.tsv"):
        (tmp_path / name).write_text(content, "utf-8")
        return tmp_path / name

    return write_file


def rows(run):
    return run.results.select("topic", "doc", "rank", "rsv").rows()


@pytest.mark.parametrize("separator", ["\t", " ", "  "])
def test_runs_of_ms_marco_have_ranks_and_perhaps_scores(write, separator):
    three = read_run(write(f"11{separator}7010{separator}1\n11{separator}7002{separator}2\n"))
    assert (three.id, three.format) == ("bm25", "msmarco")
    assert rows(three) == [("11", "7010", 1, None), ("11", "7002", 2, None)]
    four = read_run(write(f"11{separator}7010{separator}1{separator}3.5\n"))
    assert rows(four) == [("11", "7010", 1, 3.5)]


def test_comments_are_left_out(write):
    assert rows(read_run(write("# made in May\n11\t7010\t1\n"))) == [("11", "7010", 1, None)]


@pytest.mark.parametrize(
    ("content", "line", "sentence"),
    [
        ("11\t7010\t1\n11\t7011\n", 2, "wanted 3 columns as in line 1, found 2 columns"),
        ("11\t7010\t1\n11\t7011\t2\t0.5\n", 2, "wanted 3 columns as in line 1, found 4 columns"),
        ("11\t7010\t1\n11\t7011\tsecond\n", 2, "the rank of a result: wanted a whole number, found 'second'"),
        ("11\t7010\t1\t2\n11\t7011\t2\tx\n", 2, "the rsv of a result: wanted a number, found 'x'"),
    ],
)
def test_a_bad_line_is_reported_with_its_number(write, content, line, sentence):
    with pytest.raises(InputError, match=sentence) as error:
        read_run(write(content))
    assert error.value.line == line


def test_judgements_are_not_a_run(write):
    with pytest.raises(InputError, match="not a known format of runs"):
        read_run(write("11\t0\t7001\t1\n"))


def test_a_json_object_by_topic_is_a_run(write):
    run = read_run(write('{\n "q1": {"d2": 3.5, "d1": 2},\n "q2": {}\n}', "mine.json"))
    assert (run.id, run.format) == ("mine", "run-json")
    assert rows(run) == [("q1", "d2", None, 3.5), ("q1", "d1", None, 2.0)]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('{"q1": {"d2": 3.5}, "q2": 5}', r"topic 'q2': wanted an object \{document: score\}, found 5"),
        ('{"q1": {"d2": 3.5, "d1": "x"}}', "topic 'q1', document 'd1': wanted a score: a number, found 'x'"),
        ('{"q1": {"d2": 3.5, "d1": true}}', "document 'd1': wanted a score: a number, found True"),
        ('{"q1": {"d2": 3.5, "d2": 1}}', "a JSON object: wanted each key once, found 'd2' twice"),
        ('{"q1": {"d2": 3.5},\n"q2"}', "line 2: a JSON file: wanted one object"),
        ('{"q1": {}}', "empty file: wanted one object"),
    ],
)
def test_a_bad_json_run_is_reported(write, content, sentence):
    with pytest.raises(InputError, match=sentence):
        read_run(write(content, "mine.json"))


def test_a_document_cannot_be_written_twice_in_an_object(write):
    run = read_run(write("1 Q0 a 1 0.9 r\n1 Q0 a 2 0.8 r\n"))
    with pytest.raises(
        InputError, match=r"wanted each document once per topic; .*, found the same document twice"
    ):
        find_run_format("run-json").write(run)


def test_the_real_shapes_are_read(shared_data):
    doors = shared_data / "living" / "doors"
    assert read_run(doors / "msmarco.run.tsv").format == "msmarco"
    run = read_run(doors / "run.json")
    assert rows(run)[0] == ("q1", "d2", None, 3.5)
