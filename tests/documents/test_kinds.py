"""Kinds of documents: how they are recognised, their encodings, and their errors."""

import gzip
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxel
from documents.commands import contents, write_files
from documents.commands import doxel as command
from documents.shapes import check_document, ingested, shape, slices
from doxel.documents.parsing.node_columns import NodeColumns
from doxel.documents.parsing.sources import SOURCE_KINDS, SOURCE_KINDS_BY_NAME
from doxel.errors import InputError
from doxel.markup import Declarations

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


# Plain text


def test_plain_text_has_paragraphs_and_sentences():
    source = "\n  One is\r\nhere. Two?\r\n\r\n\r\nThree 😀."
    with ingested({"a.txt": source}) as collection:
        document = collection["a"]
        assert document.text == source
        assert shape(document) == ("document", [("p", ["s", "s"]), ("p", ["s"])])
        assert slices(document, "p") == ["One is\r\nhere. Two?", "Three 😀."]
        assert slices(document, "s") == ["One is\r\nhere.", "Two?", "Three 😀."]


@given(st.lists(st.text(st.sampled_from("ab.? \n\r\t😀\u2028é"), max_size=40), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_any_text_is_a_document(texts):
    with ingested({f"{number}.txt": f"x{text}" for number, text in enumerate(texts)}) as collection:
        for number, text in enumerate(texts):
            assert collection[str(number)].text == f"x{text}"
            check_document(collection[str(number)])


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
    assert len({kind.rule for kind in SOURCE_KINDS}) == len(SOURCE_KINDS_BY_NAME) == len(SOURCE_KINDS)
    suffixes = [suffix for kind in SOURCE_KINDS for suffix in kind.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in suffixes)
