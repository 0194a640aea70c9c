"""Sources: how kinds of documents are recognised, their encodings, JSON lines, and errors."""

import gzip
import json
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxel
from documents.commands import contents, write_files
from documents.commands import doxel as command
from documents.shapes import check_document, ingested, shape
from doxel.documents.parsing.node_columns import NodeColumns
from doxel.documents.parsing.sources import SOURCE_KINDS, SOURCE_KINDS_BY_NAME
from doxel.errors import InputError
from doxel.markup import Declarations
from random_share import count_cases

MIXED = {
    "a/one.xml": "<a><p>Text in XML 😀.</p></a>",
    "a/two.html": "<h1>Title</h1><p>Text in HTML 😀.</p>",
    "b/three.md": "# Title\r\n\r\nText in Markdown 😀.\r\n",
    "b/four.txt": "First. Second 😀.\n\nThird.",
    "c.jsonl": '{"id": "five", "text": "Fifth."}\n{"id": "six", "text": "# H", "format": "markdown"}\n',
}
RULES = {"xml-text-nodes": 1, "html-text-nodes": 1, "markdown-source": 2, "text-source": 2}


def test_folders_and_archives_may_mix_kinds(tmp_path):
    folder = write_files(tmp_path / "s", {**MIXED, "picture.png": b"\x89PNG"})
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
        for name, content in MIXED.items():
            archive.writestr(f"{name}.gz", gzip.compress(content.encode()))
    report = doxel.ingest(folder, tmp_path / "c")
    doxel.ingest(tmp_path / "s.zip", tmp_path / "z")
    plain, packed = doxel.read_collection(tmp_path / "c"), doxel.read_collection(tmp_path / "z")
    assert report.rules == RULES
    assert report.ignored == {".png": 1}
    assert sorted(plain) == ["five", "four", "one", "six", "three", "two"]
    assert plain.fingerprint == packed.fingerprint
    assert plain.manifest.text_rule == "html-text-nodes, markdown-source, text-source, xml-text-nodes"
    by_doc = dict(plain.documents.select("doc", "rule").iter_rows())
    assert by_doc["three"] == by_doc["six"] == "markdown-source"
    for name in plain:
        check_document(plain[name])


def test_documents_of_every_kind_are_ingested_once(tmp_path):
    folder = write_files(tmp_path / "s", MIXED)
    doxel.ingest(folder, tmp_path / "c")
    before = contents(tmp_path / "c")
    write_files(folder, {"c.jsonl": MIXED["c.jsonl"] + '{"id": "seven", "text": "New."}', "new.md": "New"})
    again = doxel.ingest(folder, tmp_path / "c")
    assert (again.already_there, again.documents, again.refused) == (6, 2, ())
    assert [row for row in contents(tmp_path / "c") if row["doc"] not in {"seven", "new"}] == before


def test_more_processes_give_the_same_collection(tmp_path, monkeypatch):
    from doxel.documents import ingestion

    monkeypatch.setattr(ingestion, "BATCH_BYTES", 1)
    folder = write_files(tmp_path / "s", MIXED)
    doxel.ingest(folder, tmp_path / "one", jobs=1)
    doxel.ingest(folder, tmp_path / "two", jobs=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ("<a>x</a>", "xml-text-nodes"),
        ("<?xml version='1.0'?><html><p>x</p></html>", "xml-text-nodes"),
        ("<!-- c --><a>x</a>", "xml-text-nodes"),
        ("  <!DOCTYPE html><p>x", "html-text-nodes"),
        ("<HTML><p>x", "html-text-nodes"),
        ("just text", "text-source"),
        ('{"id": 1, "text": "x"}', "text-source"),
        ('{"no": 1}', "text-source"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_single_file_with_an_unknown_suffix_is_recognised_by_content(content, rule, encoding, tmp_path):
    (tmp_path / "file.odd").write_bytes(content.encode(encoding))
    report = doxel.ingest(tmp_path / "file.odd", tmp_path / "c")
    assert report.rules == {rule: 1}


def test_json_lines_are_recognised_by_content(tmp_path):
    (tmp_path / "corpus.json").write_text(MIXED["c.jsonl"])
    doxel.ingest(tmp_path / "corpus.json", tmp_path / "c")
    assert list(doxel.read_collection(tmp_path / "c")) == ["five", "six"]


def test_a_suffix_in_a_reference_must_match(tmp_path):
    doxel.ingest(write_files(tmp_path / "s", MIXED), tmp_path / "c")
    collection = doxel.read_collection(tmp_path / "c")
    assert "three.md" in collection
    assert "b/three.md" in collection
    assert "three.txt" not in collection
    assert "three.html" not in collection


def test_the_summary_counts_documents_by_kind(tmp_path):
    outcome = command("ingest", write_files(tmp_path / "s", MIXED), "-o", tmp_path / "c", "--jobs", 1)
    assert outcome.status == 0
    assert "doxel: read as: 1 xml, 1 html, 2 markdown, 2 text" in outcome.messages


# Encodings


@pytest.mark.parametrize("kind", ["md", "txt"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_sources_may_be_in_any_unicode_encoding(kind, encoding):
    with ingested({f"a.{kind}": "é 😀\r\nx".encode(encoding)}) as collection:
        assert collection["a"].text == "é 😀\r\nx"


BAD = {
    "empty": (b"", None, "empty file: wanted a document, found no content"),
    "blank": (b" \n\t", None, "empty file: wanted a document, found nothing but white space"),
    "Latin-1": (b"one\ncaf\xe9", 2, "wanted UTF-8 text, found byte 0xe9"),
    "Latin-1 after a return": (b"one\r\rcaf\xe9", 3, "wanted UTF-8 text, found byte 0xe9"),
    "picture": (b"\x89PNG\r\n\x1a\n\x00\x00", 1, "wanted UTF-8 text, found byte 0x89"),
    "null": (b"one\r\ntwo\x00", 2, "not text: wanted text in UTF-8, or with a byte order mark in UTF-16"),
    "UTF-16 without mark": ("text".encode("utf-16-le"), 1, "not text"),
    "UTF-16 cut short": ("text".encode("utf-16") + b"\xd8", 1, "wanted UTF-16 text, found byte 0xd8"),
    "half a pair": ("te\nxt".encode("utf-16") + b"\x00\xd8", 2, "wanted UTF-16 text"),
}


@pytest.mark.parametrize("suffix", [".md", ".txt", ".html"])
@pytest.mark.parametrize("case", BAD)
def test_files_that_are_not_text_are_refused_with_file_and_line(case, suffix, tmp_path):
    data, line, sentence = BAD[case]
    write_files(tmp_path / "s", {f"bad{suffix}": data, "good.txt": "good"})
    outcome = command("ingest", tmp_path / "s", "-o", tmp_path / "c", "--jobs", 1)
    assert outcome.status == 1
    place = f"bad{suffix}" if line is None else f"bad{suffix}, line {line}"
    assert f"{place}: {sentence}" in outcome.messages[0]
    assert list(doxel.read_collection(tmp_path / "c")) == ["good"]


def test_two_documents_of_different_kinds_with_the_same_id_are_refused(tmp_path):
    write_files(tmp_path / "s", {"index.html": "<p>a", "index.md": "b"})
    outcome = command("ingest", tmp_path / "s", "-o", tmp_path / "c", "--jobs", 1)
    assert outcome.status == 1
    assert "index.md: would be a second document 'index'" in outcome.messages[0]


@given(st.binary(max_size=60))
@settings(deadline=None)
@pytest.mark.parametrize("kind", sorted(SOURCE_KINDS_BY_NAME))
def test_any_bytes_are_a_document_or_an_input_error(kind, data):
    columns = NodeColumns()
    reader = SOURCE_KINDS_BY_NAME[kind].open(Declarations())
    refusal = None
    try:
        reader(columns, data, "a").decode()
    except InputError as error:
        refusal = error
    assert refusal is None or refusal.file == "a"
    assert bool(columns.tag) is (refusal is None)  # a refused document adds no nodes
    assert len(columns.tag) == len(columns.text_size) == len(columns.tail_size) == len(columns.child_count)


def test_every_kind_has_a_name_a_rule_and_suffixes_of_its_own():
    assert list(SOURCE_KINDS_BY_NAME) == [*(kind.name for kind in SOURCE_KINDS), "beir"]
    assert len({kind.rule for kind in SOURCE_KINDS_BY_NAME.values()}) == len(SOURCE_KINDS_BY_NAME)
    suffixes = [suffix for kind in SOURCE_KINDS for suffix in kind.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in suffixes)


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_documents_of_beir_begin_with_their_title(tmp_path):
    records = [
        {"_id": "d1", "title": "Pumps", "text": "A pump moves fluid.", "metadata": {}},
        {"_id": "d2", "title": "", "text": "Valves fail.", "metadata": {"year": 3}},
        {"_id": "d3", "text": "No title."},
        {"id": "d4", "title": "Own", "text": "A document with an id of its own."},
    ]
    write_files(tmp_path, {"corpus.jsonl": lines(*records)})
    report = doxel.ingest(tmp_path / "corpus.jsonl", tmp_path / "c")
    collection = doxel.read_collection(tmp_path / "c")
    assert [collection[doc].text for doc in collection] == [
        "Pumps A pump moves fluid.",
        "Valves fail.",
        "No title.",
        "A document with an id of its own.",
    ]
    assert report.left_out == {"metadata": 1, "title": 1}
    assert report.rules == {"beir-title-text": 2, "text-source": 2}
    assert collection.manifest.text_rule == "beir-title-text, text-source"


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


BAD_LINES = {
    '{"text": "a"}': "id of a document: wanted a string that is not empty",
    '{"id": "", "text": "a"}': 'id of a document: wanted a string that is not empty and without .*, found ""',
    '{"id": "a\\nb", "text": "a"}': "id of a document",
    '{"id": true, "text": "a"}': "id of a document",
    '{"id": "\\ud800", "text": "a"}': "id of a document",
    '{"id": "x", "body": "a"}': 'text of a document: wanted the key "text", found the keys id, body',
    "{}": 'text of a document: wanted the key "text", found no keys',
    '{"id": "x", "text": 5}': "text of a document: wanted a string, found 5",
    '{"id": "x", "text": "\\ud83d"}': "text of a document: wanted valid text, found half of a surrogate pair",
    '{"id": "x", "text": "a\\u0000b"}': "text of a document: wanted valid text, found a null character",
    '{"id": "x", "text": "a", "format": "rtf"}': 'format of a document: wanted one of html, .* found "rtf"',
    '{"id": "x", "text": "a", "format": []}': "format of a document: wanted one of html, .* found \\[\\]",
    '{"id": "x", "text": "", "format": "html"}': "not HTML",
    '["x"]': 'wanted an object such as .*, found \\["x"\\]',
    '{"id": "x", "text": "a"': "not a line of JSON: wanted an object such as",
    "[" * 100_000: "not a line of JSON",
    '{"id": "good", "text": "again"}': "would be a second document 'c.jsonl#good': wanted one",
}


@pytest.mark.parametrize("line", BAD_LINES, ids=lambda line: line[:40])
def test_a_bad_line_is_refused_and_the_others_are_read(line, tmp_path):
    good = lines({"id": "good", "text": "a"}), lines({"id": "better", "text": "b"})
    write_files(tmp_path, {"c.jsonl": f"{good[0]}\n{line}\n{good[1]}"})
    report = doxel.ingest(tmp_path / "c.jsonl", tmp_path / "c")
    assert list(doxel.read_collection(tmp_path / "c")) == ["good", "better"]
    assert len(report.refused) == 1
    with pytest.raises(InputError, match=f"c.jsonl, line 3: {BAD_LINES[line]}"):
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
@settings(max_examples=count_cases(60), deadline=None)
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
