"""Files of texts become files of spans, line by line."""

import gzip
import json

import pytest

from doxel.alignment.alignment_files import align_file
from doxel.documents.collection import TextCollection
from doxel.errors import InputError

COLLECTION = TextCollection({"a": "To be, or not to be: that is the question", "b": "whether 'tis nobler"})


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def read(data):
    return [json.loads(line) for line in data.decode().splitlines()]


def test_a_line_keeps_its_keys_and_gains_its_span(tmp_path):
    texts = write(tmp_path / "run.jsonl", {"topic": "1", "text": "OR NOT", "score": 0.5, "run": "x"})
    data, table = align_file(texts, COLLECTION)
    assert read(data) == [
        {"topic": "1", "score": 0.5, "run": "x", "doc": "a", "start": 7, "end": 13,
         "how": "folded", "places": 1, "identity": 1.0, "coverage": 1.0}
    ]  # fmt: skip
    assert table["topic"].to_list() == ["1"]


def test_lines_without_a_text_are_copied(tmp_path):
    span = {"topic": "1", "doc": "a", "start": 3, "end": 5}
    data, table = align_file(write(tmp_path / "a.jsonl", span, {"topic": 2, "text": "nobler"}), COLLECTION)
    assert read(data)[0] == span
    assert (read(data)[1]["doc"], table.height) == ("b", 1)
    assert align_file(write(tmp_path / "b.jsonl", span), COLLECTION)[1].height == 0


@pytest.mark.parametrize(
    ("before", "record", "keys"),
    [
        ([{"topic": "1", "text": "be"}], {"topic": "1", "chunk": "or not"}, "'topic', 'chunk'"),
        ([{"topic": "1", "text": "be"}], {"question": "1", "contexts": ["or"]}, "'question', 'contexts'"),
        ([], {"topic": "1", "doc": "a", "page_content": "or not"}, "'topic', 'doc', 'page_content'"),
    ],
)
def test_a_text_under_another_key_is_an_error_that_names_the_keys(tmp_path, before, record, keys):
    with pytest.raises(InputError) as raised:
        align_file(write(tmp_path / "a.jsonl", *before, record), COLLECTION)
    assert raised.value.line == len(before) + 1
    assert (raised.value.wanted, raised.value.found) == ('the key "text"', f"the keys {keys}")


def test_weights_of_aspects_and_spans_with_other_texts_are_copied(tmp_path):
    records = [
        {"topic": "1", "aspects": {"who": {"weight": 2}}},
        {"topic": "1", "doc": "a", "start": 3, "end": 5, "content": "be"},
        {"topic": "1", "doc": "a", "text": None},
    ]
    assert read(align_file(write(tmp_path / "a.jsonl", *records), COLLECTION)[0]) == records


def test_an_empty_file_has_nothing_to_align(tmp_path):
    with pytest.raises(InputError, match=r"a\.jsonl: empty file: wanted JSON lines with texts"):
        align_file(write(tmp_path / "a.jsonl"), COLLECTION)


def test_a_text_that_is_not_found_keeps_its_line_with_the_offset_of_lost_results(tmp_path):
    texts = write(
        tmp_path / "a.jsonl",
        {"topic": "1", "text": "unheard of"},
        {"topic": "1", "doc": "b", "text": "question"},
        {"topic": "1", "text": "question"},
    )
    data, _ = align_file(texts, COLLECTION)
    assert [(line["doc"], line["start"], line["end"]) for line in read(data)] == [
        ("(no document)", -1, -1),
        ("b", -1, -1),
        ("a", 33, 41),
    ]
    assert len(read(align_file(texts, COLLECTION, drop_unplaced=True)[0])) == 1


def test_the_text_around_a_quotation_is_used_and_left_out(tmp_path):
    texts = write(tmp_path / "a.jsonl", {"topic": "1", "doc": "a", "text": "be", "prefix": "not to "})
    (line,) = read(align_file(texts, COLLECTION)[0])
    assert (line["start"], line["places"]) == (17, 1)
    assert not {"text", "prefix"} & set(line)


def test_compressed_files_are_read(tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"text": "nobler"}\n'))
    assert len(align_file(tmp_path / "a.jsonl.gz", COLLECTION)[0])


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"text": 5}, "the text: wanted a string, found 5"),
        ({"text": "a", "start": "7"}, "the start: wanted a whole number, found '7'"),
        ({"text": "a", "doc": ["x"]}, "the doc: wanted a string, found ['x']"),
        ({"text": "a", "rank": True}, "the rank: wanted a whole number, found True"),
    ],
)
def test_a_value_of_a_wrong_type_is_an_error_with_its_line(tmp_path, record, message):
    texts = write(tmp_path / "a.jsonl", {"text": "be"}, record)
    with pytest.raises(InputError) as error:
        align_file(texts, COLLECTION)
    assert str(error.value) == f"{texts}, line 2: {message}"
