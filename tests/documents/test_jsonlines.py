"""JSON lines: every line is a document, and its id is used as written."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxel
from documents.commands import doxel as command
from documents.commands import write_files
from documents.shapes import check_document, ingested, shape
from doxel.errors import InputError


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


ODD_IDS = [
    "http://example.org/a/b?c=d#e",
    "notes.md",
    "dir/sub/page.html",
    "..",
    "with space",
    "ünï😀",
    "a.jsonl#b",
    "[1]/(2):x",
    "-1",
]


def test_ids_may_contain_any_characters(tmp_path):
    write_files(tmp_path / "s", {"c.jsonl": lines(*({"id": name, "text": name} for name in ODD_IDS))})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    collection = doxel.read_collection(tmp_path / "c")
    assert list(collection) == ODD_IDS
    for name in ODD_IDS:
        assert collection[name].id == name
        assert collection[name].text == name


def test_unambiguous_ids_are_found_without_their_path(tmp_path):
    """Two files contain the same id, so that document ids are paths."""
    files = {"c.jsonl": lines(*({"id": name, "text": name} for name in ODD_IDS)), "sub/with space.md": "x"}
    doxel.ingest(write_files(tmp_path / "s", files), tmp_path / "c")
    collection = doxel.read_collection(tmp_path / "c")
    assert collection.manifest.ids == "path"
    assert collection["c.jsonl#notes.md"].text == "notes.md"
    assert collection["notes.md"].text == "notes.md"
    assert collection["ünï😀"].id == "c.jsonl#ünï😀"
    assert "with space" not in collection


def test_formats_encodings_and_line_ends_are_read():
    records = lines(
        {"id": 7, "text": "# H\n\ntext", "format": "markdown"},
        {"_id": "b", "text": "<meta charset=latin1><h1>é</h1>", "format": "html"},
        {"id": "c", "text": "One. Two."},
        {"id": "d", "text": ""},
        {"id": "e", "text": "\ufeffmark"},
    )
    with ingested({"c.ndjson": "\ufeff\n" + records.replace("\n", "\r\n")}) as collection:
        assert list(collection) == ["7", "b", "c", "d", "e"]
        assert shape(collection["7"]) == ("document", [("section", ["h1", "p"])])
        assert collection["b"].text == "é"
        assert shape(collection["c"]) == ("document", [("p", ["s", "s"])])
        assert collection["d"].text == ""
        assert collection["e"].text == "\ufeffmark"  # a mark inside the string is text
        for name in collection:
            check_document(collection[name])


def test_keys_that_are_not_read_are_counted(tmp_path):
    write_files(tmp_path, {"c.jsonl": lines({"id": 1, "text": "a", "title": "t"}, {"id": 2, "text": "b"})})
    outcome = command("ingest", tmp_path / "c.jsonl", "-o", tmp_path / "c", "--jobs", 1)
    assert outcome.status == 0
    assert outcome.messages[0].startswith("doxel: ignored: 1 value of 'title'")


BAD = {
    '{"text": "a"}': "id of a document: wanted a string that is not empty",
    '{"id": "", "text": "a"}': 'id of a document: wanted a string that is not empty and without .*, found ""',
    '{"id": "a\\nb", "text": "a"}': "id of a document",
    '{"id": true, "text": "a"}': "id of a document",
    '{"id": "\\ud800", "text": "a"}': "id of a document",
    '{"id": "x"}': "text of a document: wanted a string, found none",
    '{"id": "x", "text": 5}': "text of a document: wanted a string, found 5",
    '{"id": "x", "text": "\\ud83d"}': "text of a document: wanted characters, found half of a surrogate pair",
    '{"id": "x", "text": "a\\u0000b"}': "text of a document: wanted characters, found a null character",
    '{"id": "x", "text": "a", "format": "rtf"}': 'format of a document: wanted one of html, .* found "rtf"',
    '{"id": "x", "text": "a", "format": []}': "format of a document: wanted one of html, .* found \\[\\]",
    '{"id": "x", "text": "", "format": "html"}': "not HTML",
    '["x"]': 'wanted an object such as .*, found \\["x"\\]',
    '{"id": "x", "text": "a"': "not a line of JSON: wanted an object such as",
    "[" * 100_000: "not a line of JSON",
    '{"id": "good", "text": "again"}': "would be a second document 'c.jsonl#good': wanted one",
}


@pytest.mark.parametrize("line", BAD, ids=lambda line: line[:40])
def test_a_bad_line_is_refused_and_the_others_are_read(line, tmp_path):
    good = lines({"id": "good", "text": "a"}), lines({"id": "better", "text": "b"})
    write_files(tmp_path, {"c.jsonl": f"{good[0]}\n{line}\n{good[1]}"})
    report = doxel.ingest(tmp_path / "c.jsonl", tmp_path / "c")
    assert list(doxel.read_collection(tmp_path / "c")) == ["good", "better"]
    assert len(report.refused) == 1
    with pytest.raises(InputError, match=f"c.jsonl, line 3: {BAD[line]}"):
        raise report.refused[0]


def test_invalid_bytes_and_empty_files_are_refused(tmp_path):
    write_files(
        tmp_path / "s", {"c.jsonl": b'{"id": 1, "text": "a"}\n{"id": 2, "text": "\xe9"}', "e.jsonl": b" \n"}
    )
    report = doxel.ingest(tmp_path / "s", tmp_path / "c")
    assert [str(error).partition("s/")[2] for error in report.refused] == [
        "c.jsonl, line 2: wanted UTF-8 text, found byte 0xe9",
        'e.jsonl: empty file: wanted an object such as {"id": "a", "text": "..."}, found no content',
    ]


def test_a_changed_text_is_refused(tmp_path):
    write_files(tmp_path, {"c.jsonl": lines({"id": 1, "text": "a"}, {"id": 2, "text": "b"})})
    doxel.ingest(tmp_path / "c.jsonl", tmp_path / "c")
    write_files(tmp_path, {"c.jsonl": lines({"id": 1, "text": "a"}, {"id": 2, "text": "changed"})})
    report = doxel.ingest(tmp_path / "c.jsonl", tmp_path / "c")
    assert report.already_there == 1
    assert "line 2: differs from the document 'c.jsonl#2'" in str(report.refused[0])


@given(st.lists(st.tuples(st.text(min_size=1, max_size=5), st.text(max_size=30)), max_size=6))
@settings(max_examples=60, deadline=None)
def test_any_ids_and_texts_are_read_or_refused(tmp_path_factory, pairs):
    folder = tmp_path_factory.mktemp("lines")
    write_files(
        folder, {"c.jsonl": lines({"id": "a", "text": "x"}, *({"id": i, "text": t} for i, t in pairs))}
    )
    report = doxel.ingest(folder / "c.jsonl", folder / "c")
    collection = doxel.read_collection(folder / "c")
    assert len(collection) + len(report.refused) == len(pairs) + 1
    texts = dict(reversed([("a", "x"), *pairs]))
    for name in collection:
        assert collection[name].text == texts[name] or [i for i, _ in pairs].count(name) > 1
        check_document(collection[name])
