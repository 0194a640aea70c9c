"""Files that are damaged or not assessments: rejected quickly, with a short message."""

import time

import pytest

from doxel.assessments import read_assessments
from doxel.errors import InputError


@pytest.mark.parametrize("content", [b"", b"\n \r\n", b"\xef\xbb\xbf\n"])
def test_an_empty_file_is_rejected(tmp_path, content):
    (tmp_path / "empty").write_bytes(content)
    with pytest.raises(InputError, match="empty file"):
        read_assessments(tmp_path / "empty")


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_assessments(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "content",
    [b"<article><p>text</p></article>", b"one two\n", b"{}\n", b"\x00\x01\x02", b"topic,doc,grade\n1,2,3\n"],
)
def test_a_file_that_is_not_assessments_is_rejected_with_a_list_of_the_formats(tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(InputError, match=r"one of inex2006, .*, qrels"):
        read_assessments(tmp_path / "other")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"1 Q0 a 5 10 0 0:5\n1 Q0 caf\xe9 5 10\n", 2),
        (b"1 0 a 1\n\n1 0 \xff 1\n", 3),
        (b'{"topic": "1", "doc": "a"}\n{"topic": "1", "doc": "\xe9"}\n', 2),
        (b'[{"type": "Annotation",\n"target": "\xe9"}]', 2),
        (b'<assessments topic="1">\n<file file="\xe9"/></assessments>', 2),
    ],
    ids=["qrels", "trec", "jsonl", "web-annotation", "xml"],
)
def test_invalid_bytes_are_reported_with_their_line(tmp_path, content, line):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_assessments(tmp_path / "x")
    assert caught.value.line == line


@pytest.mark.parametrize(
    "beginning", [b"1 Q0 a 5 10 0 ", b"1 0 a 1 ", b'{"topic": "1", "doc": "', b"word word "]
)
def test_a_line_of_100_megabytes_is_rejected_quickly_and_not_repeated(tmp_path, beginning):
    path = tmp_path / "long"
    path.write_bytes(beginning + b"12:34 " * (100_000_000 // 6))
    start = time.monotonic()
    with pytest.raises(InputError) as caught:
        read_assessments(path)
    assert time.monotonic() - start < 5  # it takes a fraction of a second; reading it all would take minutes
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", ["qrels", "trec", "jsonl"])
def test_a_very_long_line_is_reported_by_its_number(tmp_path, name):
    path = tmp_path / "long"
    path.write_bytes(b"1 0 a 1\n" + b"x" * 11_000_000 + b"\n1 0 b 1\n")
    with pytest.raises(InputError) as caught:
        read_assessments(path, format=name)
    assert caught.value.line == 2
    assert caught.value.found == "11,000,000 bytes"
