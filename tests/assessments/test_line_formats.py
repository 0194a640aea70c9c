"""Assessments in lines: qrels, TREC qrels, JSON lines."""

import json

import pytest

from doxel.assessments import read_assessments
from doxel.assessments.assessment_files import find_assessment_format
from doxel.assessments.assessments import ASSESSMENT_TABLES, Assessments
from doxel.errors import InputError


@pytest.fixture
def read(tmp_path):
    def from_text(text, **options):
        path = tmp_path / "assessments"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_assessments(path, **options)

    return from_text


QRELS = "1 Q0 a 300 1000 50 100:200 500:100\n1 Q0 b 0 500\n2 Q0 a 9 1000 -1 0:9\n"


def test_qrels_are_read_completely(read):
    assessments = read(QRELS)
    assert (assessments.scale, assessments.format, assessments.topics) == ("2006", "qrels", ["1", "2"])
    assert assessments.judged.select("topic", "doc", "rsize", "docsize", "line").rows() == [
        ("1", "a", 300, 1000, 1),
        ("1", "b", 0, 500, 2),
        ("2", "a", 9, 1000, 3),
    ]
    assert assessments.highlights.select("topic", "start", "end").rows() == [
        ("1", 100, 300),
        ("1", 500, 600),
        ("2", 0, 9),
    ]
    assert assessments.beps.select("topic", "doc", "position").rows() == [("1", "a", 50)]


def test_qrels_are_written_as_they_were_read(read):
    assert find_assessment_format("qrels").write(read(QRELS)).decode() == QRELS


def test_a_missing_relevant_size_is_the_size_of_the_union():
    judged = ASSESSMENT_TABLES["judged"].from_rows([{"topic": "1", "doc": "a", "docsize": 50}])
    spans = [
        {"topic": "1", "doc": "a", "start": 0, "end": 10},
        {"topic": "1", "doc": "a", "start": 5, "end": 20},
    ]
    assessments = Assessments("2006", judged, ASSESSMENT_TABLES["highlights"].from_rows(spans))
    assert find_assessment_format("qrels").write(assessments) == b"1 Q0 a 20 50 -1 0:10 5:15\n"


@pytest.mark.parametrize(
    "text", [QRELS.replace("\n", "\r\n"), "\ufeff" + QRELS, QRELS.replace(" ", "\t"), f"\n{QRELS}\n"]
)
def test_white_space_and_line_ends_of_qrels_do_not_matter(read, text):
    assert read(text).highlights.drop("line").equals(read(QRELS).highlights.drop("line"))


@pytest.mark.parametrize(
    ("text", "line", "wanted"),
    [
        ("1 Q0 a 3 10\n1 Q0 b 3\n", 2, "topic Q0 doc rsize docsize"),
        ("1 Q0 a 3 10 0:3\n", 1, "topic Q0 doc rsize docsize"),
        ("1 Q0 a 3 10 0 0-3\n", 1, "off:len"),
        ("1 Q0 a 3 10 0 0:3 5\n", 1, "off:len"),
        ("1 Q0 a 3 10 0 0:-3\n", 1, "a whole number"),
        ("1 Q0 a 3 10 0 x:3\n", 1, "a whole number"),
        ("1 Q0 a 3 ten\n", 1, "a whole number"),
        ("1 Q0 a 3 99999999999999999999\n", 1, "a whole number"),
        ("1 Q0 a 3 10 five 0:3\n", 1, "a whole number"),
        ("1 Q0 a 3 10\n1 0 b 1\n", 2, "topic Q0 doc rsize docsize"),
    ],
)
def test_bad_qrels_are_reported_with_their_line(read, text, line, wanted):
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.line == line
    assert wanted in caught.value.wanted


def test_trec_qrels_are_read_and_written(read):
    assessments = read("1 0 a 2\n1 0 b -1\n2 0 a 0.5\n")
    assert (assessments.scale, assessments.format) == ("documents", "trec")
    assert assessments.judged.select("topic", "doc", "grade").rows() == [
        ("1", "a", 2.0),
        ("1", "b", -1.0),
        ("2", "a", 0.5),
    ]
    assert find_assessment_format("trec").write(assessments) == b"1 0 a 2\n1 0 b -1\n2 0 a 0.5\n"


@pytest.mark.parametrize(
    ("text", "line", "wanted", "found"),
    [
        ("1 0 a 2\n1 0 b 0 100\n", 2, "4 columns", "5 columns"),
        ("1 0 a 2\n\n1 0 b yes\n", 3, "a number", "'yes'"),
        ("1 0 a nan\n", 1, "a number", "'nan'"),
        ("1 0 a 1_0\n", 1, "a number", "'1_0'"),
        ("1 0 a 1e999\n", 1, "a number", "'1e999'"),
    ],
)
def test_bad_trec_qrels_are_reported_with_their_line(read, text, line, wanted, found):
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.line == line
    assert wanted in caught.value.wanted
    assert caught.value.found == found


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


PLACE = {"topic": "1", "doc": "a"}


def test_json_lines_are_read_completely(read):
    assessments = read(
        lines(
            {**PLACE, "start": 3, "end": 9, "grade": 2},
            {**PLACE, "text": "some words", "prefix": "of "},
            {**PLACE, "bep": 3},
            {"topic": 2, "doc": "b"},
        )
    )
    assert (assessments.scale, assessments.format) == ("2006", "jsonl")
    assert assessments.judged.select("topic", "doc", "line").rows() == [("1", "a", 1), ("2", "b", 4)]
    assert assessments.highlights.select("start", "end", "text", "prefix", "grade", "line").rows() == [
        (3, 9, None, None, 2.0, 1),
        (None, None, "some words", "of ", None, 2),
    ]
    assert assessments.beps.select("topic", "doc", "position", "line").rows() == [("1", "a", 3, 3)]


def test_unknown_keys_are_reported(read):
    assessments = read(
        lines({**PLACE, "start": 3, "end": 9, "question": "why?"}, {**PLACE, "bep": 3, "question": "?"})
    )
    assert len(assessments.notes) == 1
    assert "'question'" in assessments.notes[0]
    assert "2 lines" in assessments.notes[0]


def test_a_line_may_contain_unicode_line_separators(read):
    text = '{"topic": "1", "doc": "a", "text": "one\u2028two\x85three"}\n{"topic": "1", "doc": "b"}\n'
    assert read(text).highlights["text"].to_list() == ["one\u2028two\x85three"]


@pytest.mark.parametrize("text", ["Annotation", 'an "Annotation", as he says', "see http://x/anno.jsonld"])
def test_a_text_about_annotations_is_not_an_annotation(read, text):
    assessments = read(lines({**PLACE, "text": f"{text} "}))
    assert (assessments.format, assessments.highlights["text"].to_list()) == ("jsonl", [f"{text} "])


@pytest.mark.parametrize(
    "record",
    [
        {**PLACE, "txt": "misspelt"},
        {**PLACE, "start": 3},
        {**PLACE, "end": 3},
        {**PLACE, "start": 9, "end": 3},
        {**PLACE, "start": -1, "end": 3},
        {**PLACE, "start": 1.5, "end": 3},
        {**PLACE, "start": True, "end": 3},
        {**PLACE, "start": 1, "end": 2**70},
        {**PLACE, "start": 1, "end": 3, "grade": "good"},
        {**PLACE, "start": 1, "end": 3, "grade": 10**400},
        {**PLACE, "start": 1, "end": 3, "bep": 4},
        {**PLACE, "grade": 2},
        {**PLACE, "text": " "},
        {**PLACE, "text": 7},
        {**PLACE, "bep": "here"},
        {"topic": "1"},
        {"topic": None, "doc": "a"},
        {"topic": "1", "doc": ["a"]},
        {"topic": "1", "doc": ""},
    ],
)
def test_invalid_json_lines_are_reported_with_their_line(read, record):
    with pytest.raises(InputError) as caught:
        read(lines(PLACE, record))
    assert caught.value.line == 2
    assert caught.value.wanted
    assert caught.value.found


@pytest.mark.parametrize(
    "line",
    ['{"topic": "1", "doc"', "[1, 2]", '{"topic": NaN, "doc": "a"}', '{"topic": "\\ud800", "doc": "a"}'],
)
def test_a_line_that_is_not_a_json_object_is_reported_with_its_number(read, line):
    with pytest.raises(InputError) as caught:
        read(lines(PLACE) + line + "\n")
    assert caught.value.line == 2
    assert caught.value.wanted == "a JSON object"


@pytest.mark.parametrize(
    ("name", "table", "row", "wanted"),
    [
        ("qrels", "highlights", {"text": "words"}, "its start"),
        ("qrels", "highlights", {"start": 1, "end": 2}, "its docsize"),
        ("jsonl", "highlights", {"path": "/a[1]"}, "its position"),
        ("web-annotation", "highlights", {"path": "/a[1]"}, "its start"),
        ("web-annotation", "beps", {"path": "/a[1]"}, "its position"),
        ("inex2005", "highlights", {"start": 1, "end": 2}, "its path"),
        ("inex2006", "beps", {"position": 1}, "its path"),
        ("trec", "beps", {"position": 1}, "its grade"),
    ],
)
def test_values_that_a_format_requires_must_be_present(name, table, row, wanted):
    judged = ASSESSMENT_TABLES["judged"].from_rows([{"topic": "1", "doc": "a"}])
    assessments = Assessments(
        "2006", judged, **{table: ASSESSMENT_TABLES[table].from_rows([{**PLACE, **row}])}
    )
    with pytest.raises(InputError, match=wanted):
        find_assessment_format(name).write(assessments)


@pytest.mark.parametrize("name", ["qrels", "trec"])
def test_ids_with_spaces_cannot_be_written_in_columns(name):
    judged = ASSESSMENT_TABLES["judged"].from_rows([{"topic": "1", "doc": "a b", "docsize": 1, "grade": 1}])
    with pytest.raises(InputError, match="an id without white space"):
        find_assessment_format(name).write(Assessments("2006", judged))


@pytest.mark.parametrize("name", ["inex2003", "inex2006", "qrels", "trec", "jsonl", "web-annotation"])
def test_rows_of_unjudged_documents_are_an_error(name):
    judged = ASSESSMENT_TABLES["judged"].from_rows([{"topic": "1", "doc": "a", "docsize": 1, "grade": 1}])
    beps = ASSESSMENT_TABLES["beps"].from_rows([{"topic": "1", "doc": "b", "position": 1, "path": "/a[1]"}])
    with pytest.raises(InputError, match="document b"):
        find_assessment_format(name).write(Assessments("2006", judged, beps=beps))


def test_qrels_cannot_hold_two_best_entry_points():
    judged = ASSESSMENT_TABLES["judged"].from_rows([{"topic": "1", "doc": "a", "docsize": 1}])
    beps = ASSESSMENT_TABLES["beps"].from_rows([{**PLACE, "position": 1}, {**PLACE, "position": 2}])
    with pytest.raises(InputError, match="one best entry point per document"):
        find_assessment_format("qrels").write(Assessments("2006", judged, beps=beps))
