"""Assessments as JSON lines."""

import json

import pytest

from doxel.assessments import read_assessments
from doxel.errors import InputError


@pytest.fixture
def read(tmp_path):
    def from_text(text, **options):
        path = tmp_path / "assessments"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_assessments(path, **options)

    return from_text


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
