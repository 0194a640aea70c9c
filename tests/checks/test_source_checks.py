"""Checks of files, topic files, the collection, and the assessments as a whole."""

import polars as pl
import pytest

from checks.cases import QRELS, objects
from documents.commands import write_files
from doxel.checks.checker import check_inputs
from doxel.checks.source_checks import locate_errors
from doxel.errors import InputError


@pytest.fixture
def find(tmp_path, small_collection):
    """Return a function that checks files and returns the findings of a code: line, topic, message.

    A file that cannot be read is among them (F001), so that it is not taken for one without findings.
    """

    def check(code, *, assessments=None, topics=None, collection=False):
        texts = {"assessments": assessments, "topics": topics}
        files = {kind: text for kind, text in texts.items() if text is not None}
        folder = write_files(tmp_path, files)
        paths = {kind: folder / kind for kind in files}
        report = check_inputs(**paths, collection=small_collection if collection else None)
        findings = report.findings.filter(pl.col("code").is_in([code, "F001"]))
        return findings.select("line", "topic", "message").rows()

    return check


def test_the_message_of_an_error_does_not_repeat_its_file_and_line():
    error = InputError("a result", file="a.run", line=3, wanted="8 columns", found="7 columns")
    assert locate_errors([error]).rows() == [("a.run", 3, "a result: wanted 8 columns, found 7 columns")]
    assert locate_errors([]).columns == ["file", "line", "message"]


def test_only_the_repetition_of_a_topic_id_is_reported(find):
    assert find("T001", topics="1\ttrees\n2\tgraphs\n") == []
    assert find("T001", topics="1\ttrees\n2\tgraphs\n1\ttrees\n1\tforests\n") == [
        (3, "1", "another topic has the same id"),
        (4, "1", "another topic has the same id"),
    ]


def test_a_castitle_alone_is_a_query(find):
    topics = objects({"id": 1, "castitle": "//sec[about(., trees)]"}, {"id": 2, "narrative": "long"})
    assert find("T002", topics=topics) == [(2, "2", "neither title nor castitle")]


def test_unknown_tags_are_listed_with_similar_ones(find):
    # the collection has article, sec and p (cases.py)
    topics = objects({"id": 1, "castitle": "//section[about(.//figure, trees)]"})
    (finding,) = find("T004", topics=topics, collection=True)
    assert finding == (1, "1", "no element section (similar: sec); no element figure")
    assert find("T004", topics=topics) == []


def test_a_query_that_cannot_be_parsed_has_no_unknown_tags(find):
    topics = objects({"id": 1, "castitle": "//section[about(., trees]"})
    assert [line for line, *_ in find("T003", topics=topics, collection=True)] == [1]
    assert find("T004", topics=topics, collection=True) == []


def test_a_topic_without_assessments_is_reported_without_a_line(find):
    topics = "1\ttrees\n2\tgraphs\n"
    assert find("A502", assessments=QRELS, topics=topics) == [
        (None, "2", "in the topic file, but never assessed")
    ]
    assert find("A502", assessments=QRELS) == []


def test_an_unknown_topic_is_reported_once_with_its_judged_documents(find):
    assessments = QRELS + "2 Q0 a 3 21 0 0:3\n2 Q0 b 3 22 0 0:3\n"
    assert find("A501", assessments=assessments, topics="1\ttrees\n") == [
        (2, "2", "2 judged documents, but the topic is not in the topic file")
    ]


def test_a_topic_is_relevant_by_a_grade_a_highlight_or_a_declared_size(find):
    for judgement in ("1 0 a 1", "1 Q0 a 3 21 0 0:3", "1 Q0 a 3 21 -1"):
        assert find("A503", assessments=f"{judgement}\n") == []
    for judgement in ("1 0 a 0", "1 Q0 a 0 21"):
        assert find("A503", assessments=f"{judgement}\n") == [
            (1, "1", "nothing is relevant in 1 judged document")
        ]
