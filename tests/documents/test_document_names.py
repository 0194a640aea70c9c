"""Document ids and names: stable and never ambiguous, even when documents are added later."""

import json

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import doxel
from documents.commands import contents, write_files
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.documents.document_names import (
    convert_sections,
    derive_document_key,
    derive_document_keys,
    derive_document_name,
    derive_document_names,
)
from doxel.documents.ingestion import ingest
from doxel.errors import CollectionError, InputError
from doxel.evaluation.inputs.input_tables import as_assessments

DOCUMENT = "<a>text</a>"


def ids_of(folder):
    return list(doxel.read_collection(folder))


def test_ids_are_base_names_if_these_are_unique(tmp_path):
    write_files(tmp_path / "s", {"tc/2001/t0111.xml": DOCUMENT, "tc/2002/t0112.nxml": DOCUMENT})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    assert ids_of(tmp_path / "c") == ["t0111", "t0112"]
    assert json.loads((tmp_path / "c" / "manifest.json").read_bytes())["ids"] == "name"


def test_ids_are_paths_if_base_names_are_not_unique(tmp_path):
    write_files(tmp_path / "s", {"tc/1.xml": DOCUMENT, "tk/1.xml": DOCUMENT, "tk/2.xml": DOCUMENT})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    assert ids_of(tmp_path / "c") == ["tc/1", "tk/1", "tk/2"]
    assert json.loads((tmp_path / "c" / "manifest.json").read_bytes())["ids"] == "path"


def test_a_refused_document_does_not_decide_the_ids(tmp_path):
    write_files(tmp_path / "s", {"tc/1.xml": DOCUMENT, "tk/1.xml": "<a>", "tk/2.xml": DOCUMENT})
    assert len(doxel.ingest(tmp_path / "s", tmp_path / "c").refused) == 1
    assert ids_of(tmp_path / "c") == ["1", "2"]


def test_ids_are_paths_on_request(tmp_path):
    write_files(tmp_path / "s", {"tc/1.xml": DOCUMENT, "tk/2.xml": DOCUMENT})
    doxel.ingest(tmp_path / "s", tmp_path / "c", ids="path")
    assert ids_of(tmp_path / "c") == ["tc/1", "tk/2"]


def test_with_ids_by_name_a_second_document_with_the_name_is_refused(tmp_path):
    write_files(tmp_path / "s", {"tc/1.xml": "<a>first</a>", "tk/1.xml": "<a>second</a>"})
    (refused,) = doxel.ingest(tmp_path / "s", tmp_path / "c", ids="name").refused
    assert refused.file == str(tmp_path / "s/tk/1.xml")
    assert refused.problem == "would make the document id '1' ambiguous"
    assert "tc/1.xml" in refused.found
    assert ids_of(tmp_path / "c") == ["1"]
    with pytest.raises(InputError, match="ambiguous"):
        doxel.ingest(tmp_path / "s", tmp_path / "d", ids="name", strict=True)


def test_ids_are_decided_once(tmp_path):
    write_files(tmp_path / "s", {"tc/1.xml": DOCUMENT})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    before = contents(tmp_path / "c")
    with pytest.raises(
        CollectionError, match="its documents are identified by name, which cannot be changed to path"
    ):
        doxel.ingest(tmp_path / "s", tmp_path / "c", ids="path")
    assert contents(tmp_path / "c") == before


def test_documents_can_be_added_later(tmp_path):
    write_files(tmp_path / "s", {"1.xml": "<a>one</a>"})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    write_files(tmp_path / "s", {"2.xml": "<b>two</b>"})
    report = doxel.ingest(tmp_path / "s", tmp_path / "c")
    assert (report.documents, report.already_there, report.refused) == (1, 1, ())
    write_files(tmp_path / "t", {"3.xml": "<a><c/>three</a>"})
    assert doxel.ingest(tmp_path / "t", tmp_path / "c").documents == 1

    collection = doxel.read_collection(tmp_path / "c")
    assert {doc: collection[doc].text for doc in collection} == {"1": "one", "2": "two", "3": "three"}
    assert collection["3"].elements["path"].to_list() == ["/a[1]", "/a[1]/c[1]"]
    counts = zip(collection.all_labels().paths, collection.label_counts().tolist(), strict=True)
    assert dict(counts) == {"/a": 2, "/b": 1, "/a/c": 1}

    write_files(tmp_path / "all", {"1.xml": "<a>one</a>", "2.xml": "<b>two</b>", "3.xml": "<a><c/>three</a>"})
    doxel.ingest(tmp_path / "all", tmp_path / "d")
    assert doxel.read_collection(tmp_path / "d").fingerprint == collection.fingerprint


def test_an_opened_collection_does_not_change_when_documents_are_added(tmp_path):
    write_files(tmp_path / "s", {"1.xml": "<a>one</a>"})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    opened = doxel.read_collection(tmp_path / "c")
    write_files(tmp_path / "s", {"2.xml": "<a>two</a>"})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    assert list(opened) == ["1"]
    assert ids_of(tmp_path / "c") == ["1", "2"]


def test_an_addition_that_would_make_an_id_ambiguous_is_refused(tmp_path):
    write_files(tmp_path / "s", {"tc/1.xml": "<a>one</a>"})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    write_files(tmp_path / "t", {"tk/1.xml": "<a>another</a>", "tk/2.xml": "<a>two</a>"})
    report = doxel.ingest(tmp_path / "t", tmp_path / "c")
    (refused,) = report.refused
    assert refused.problem == "would make the document id '1' ambiguous"
    assert "--ids path" in refused.wanted
    assert report.documents == 1
    assert ids_of(tmp_path / "c") == ["1", "2"]
    assert doxel.read_collection(tmp_path / "c")["1"].text == "one"


def test_with_ids_by_path_the_same_addition_is_accepted(tmp_path):
    write_files(tmp_path / "s", {"tc/1.xml": "<a>one</a>"})
    doxel.ingest(tmp_path / "s", tmp_path / "c", ids="path")
    write_files(tmp_path / "t", {"tk/1.xml": "<a>another</a>"})
    assert not doxel.ingest(tmp_path / "t", tmp_path / "c").refused
    assert ids_of(tmp_path / "c") == ["tc/1", "tk/1"]


@pytest.mark.parametrize(
    "other", ["1.xml", "1.nxml", "1.XML.gz"], ids=["another folder", "another suffix", "compressed"]
)
def test_two_documents_with_the_same_path_are_refused(other, tmp_path):
    write_files(tmp_path, {"a/1.xml": "<a>one</a>", f"b/{other}": "<a>two</a>"})
    report = doxel.ingest([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    (refused,) = report.refused
    assert refused.problem == "would be a second document '1'"
    assert refused.file == str(tmp_path / "b" / other)
    assert str(tmp_path / "a/1.xml") in refused.found
    assert doxel.read_collection(tmp_path / "c")["1"].text == "one"
    with pytest.raises(InputError, match="would be a second document"):
        doxel.ingest([tmp_path / "a", tmp_path / "b"], tmp_path / "d", strict=True)


def test_a_changed_document_is_refused(tmp_path):
    write_files(tmp_path / "s", {"1.xml": "<a>one</a>", "2.xml": "<a>two</a>"})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    before = contents(tmp_path / "c")
    write_files(tmp_path / "s", {"1.xml": "<a>uno</a>"})
    report = doxel.ingest(tmp_path / "s", tmp_path / "c")
    (refused,) = report.refused
    assert refused.problem == "differs from the document '1' in the collection"
    assert refused.file == str(tmp_path / "s/1.xml")
    assert (report.documents, report.already_there) == (0, 1)
    assert contents(tmp_path / "c") == before
    with pytest.raises(InputError, match="differs"):
        doxel.ingest(tmp_path / "s", tmp_path / "c", strict=True)
    assert doxel.read_collection(tmp_path / "c").manifest.complete


# References to documents


@pytest.fixture(params=["name", "path"])
def collection(request, tmp_path):
    names = ("tc/2001/t0111.xml", "tc/2002/t0112.xml", "part-3/1234.xml", "part-4/12345.xml", "j.pone.1.xml")
    write_files(tmp_path / "s", dict.fromkeys(names, DOCUMENT))
    doxel.ingest(tmp_path / "s", tmp_path / "c", ids=request.param)
    return doxel.read_collection(tmp_path / "c")


@pytest.mark.parametrize(
    ("reference", "source"),
    [
        ("t0111", "tc/2001/t0111.xml"),
        ("t0111.xml", "tc/2001/t0111.xml"),
        ("2001/t0111", "tc/2001/t0111.xml"),
        ("tc/2001/t0111", "tc/2001/t0111.xml"),
        ("tc/2001/t0111.xml", "tc/2001/t0111.xml"),
        ("/tc/2001/t0111.xml", "tc/2001/t0111.xml"),
        ("ieee/tc/2001/t0111", "tc/2001/t0111.xml"),
        ("part-3/1234", "part-3/1234.xml"),
        ("1234", "part-3/1234.xml"),
        ("j.pone.1", "j.pone.1.xml"),
        ("j.pone.1.xml", "j.pone.1.xml"),
    ],
)
def test_a_document_is_found_by_id_or_by_any_end_of_its_path(collection, reference, source):
    assert collection[reference].source == source
    assert reference in collection


@pytest.mark.parametrize(
    "reference", ["t0113", "2002/t0111", "part-4/1234", "xtc/2001", "34", "", "/", "j.pone", "t0111.txt"]
)
def test_a_reference_that_matches_nothing_is_an_error(collection, reference):
    assert reference not in collection
    assert collection.number(reference) == -1
    with pytest.raises(CollectionError, match="no document"):
        collection[reference]


def test_many_references_are_resolved_at_once(collection):
    references = pl.Series(["t0112", None, "no", "tc/2001/t0111", "t0112", "1234"])
    expected = [collection.number("t0112"), -1, -1, collection.number("t0111"), collection.number("t0112")]
    assert collection.numbers(references).tolist() == [*expected, collection.number("1234")]
    assert collection.numbers(pl.Series([1234, 9])).tolist() == [collection.number("1234"), -1]
    assert collection.numbers(pl.Series([], dtype=pl.String)).tolist() == []


def test_an_ambiguous_reference_finds_nothing(tmp_path):
    write_files(tmp_path / "s", {"tc/1.xml": DOCUMENT, "tk/1.xml": DOCUMENT, "tk/x/2.xml": DOCUMENT})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    collection = doxel.read_collection(tmp_path / "c")
    assert collection.number("1") == -1
    assert collection.number("tk/1") >= 0
    assert collection["2"].id == "tk/x/2"
    with pytest.raises(CollectionError, match="no document '1'; similar: tc/1, tk/1"):
        collection["1"]


def test_the_error_about_an_unknown_document_names_similar_ones(collection):
    with pytest.raises(CollectionError, match="no document 't0114'; similar: t011"):
        collection["t0114"]


def test_an_empty_reference_finds_nothing(collection):
    assert collection.numbers(pl.Series(["", None], dtype=pl.String)).tolist() == [-1, -1]


PIECES = ["a", "B", "é", "1", ".", "/", "//", "./", "..", " ", "\n", "-", "$1", "#", ".jsonl#", ".jsonl"]
SUFFIXES = [".xml", ".XML", ".html", ".md", ".txt", ".nxml", ".gz", ".xz", ".zst", ".GZ", ".dat", ".tei"]
SOURCES = st.lists(
    st.lists(st.sampled_from([*PIECES, *SUFFIXES]), min_size=1, max_size=6).map("".join),
    min_size=1,
    max_size=8,
)


@given(SOURCES)
@example(["a.xml", "b/a.xml.gz", "c/corpus.jsonl#http://a/b.xml"])
@example(
    [".xml", "a/.xml", "a/.xml.gz", ".gz", "a/.gz", "a.xml/", "a.gz.gz", "a.xml.xml", "a\n.xml", "İ.xml"]
)
def test_keys_and_names_of_many_equal_those_of_each(sources):
    series = pl.Series("source", sources, dtype=pl.String)
    keys = derive_document_keys(series)
    assert keys.to_list() == [derive_document_key(source) for source in sources]
    assert derive_document_names(keys).to_list() == [derive_document_name(key) for key in keys]


ARTICLE = {"pmid": 11, "title": "On valves", "abstract": "Valves fail.", "sections": ["First.", "Second."]}
# the document: "On valves\nValves fail.\nFirst.\nSecond.\n"


@pytest.fixture(scope="module")
def articles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("articles")
    (folder / "a.jsonl").write_text(json.dumps(ARTICLE))
    ingest([str(folder / "a.jsonl")], str(folder / "a.doxel"))
    return doxel.read_collection(folder / "a.doxel")


@pytest.mark.parametrize(
    ("doc", "start", "end", "place"),
    [
        ("11/title", 3, 9, (3, 9)),
        ("11/abstract", 0, 6, (10, 16)),
        ("11/sections.1", 0, 3, (30, 33)),
        ("11/title..abstract", 3, 6, (3, 16)),
        ("11", 3, 9, (3, 9)),
    ],
)
def test_offsets_in_a_section_are_found_in_the_article(articles, doc, start, end, place):
    row = {"topic": "1", "doc": doc, "start": start, "end": end}
    resolved = resolve_assessments(as_assessments([row], articles), articles)
    assert resolved.highlights.select("doc", "start", "end").rows() == [("11", *place)]
    assert resolved.judged["doc"].to_list() == ["11"]
    gold = [("1", "11", *place)]
    assert doxel.evaluate([row], gold, "char_iou@1", collection=articles).means["score"].to_list() == [1.0]


def test_a_document_of_the_whole_name_is_not_a_section():
    rows = pl.DataFrame({"doc": ["11/abstract"], "start": [5], "end": [9]})
    assert convert_sections(rows, pl.Series(["11", "11/abstract"])).equals(rows)
    assert convert_sections(rows, pl.Series(["12"])).equals(rows)
