"""Building an index: blocks of text are separated, batches of documents are indexed separately and merged."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.documents import read_collection
from doxel.errors import CollectionError
from doxel.search import SearchOptions, open_index, search
from doxel.search.index_building import (
    divide_into_batches,
    index_batch,
    merge_batches,
    read_element_texts,
    separate_blocks,
)
from doxel.search.search_engine import open_engine_index
from doxel.topics import Topic, Topics

TOPICS = Topics.of([Topic("1", title="duck pond"), Topic("2", title='"old ponds" +fish')])
FILES = {
    f"{number}.xml": f"<b><t>{number}</t><p>duck {'pond ' * number} fish</p><p>{'old ponds ' * 40}</p></b>"
    for number in range(9)
}


@pytest.fixture
def parts(make, monkeypatch):
    """Nine documents in nine parts."""
    monkeypatch.setattr("doxel.documents.ingestion.BATCH_BYTES", 1)
    return read_collection(make(FILES))


def test_batches_contain_all_documents_in_order_with_small_parts_combined(parts, monkeypatch):
    assert [(batch.first, batch.end) for batch in divide_into_batches(parts)] == [(0, 9)]
    monkeypatch.setattr("doxel.search.index_building._BATCH", 1)
    assert [(batch.first, batch.end) for batch in divide_into_batches(parts)] == [
        (number, number + 1) for number in range(9)
    ]
    monkeypatch.setattr("doxel.search.index_building._BATCH", 1000)  # a document has about 400 characters
    all_batches = list(divide_into_batches(parts))
    assert [all_batches[0].first, *(batch.end for batch in all_batches)] == [0, 3, 6, 9]
    assert str(all_batches[1]) == "documents 3 to 5"


@pytest.mark.parametrize("size", [1, 1000])
def test_results_do_not_depend_on_how_documents_are_divided(size, parts, make, monkeypatch):
    whole = open_index(make(FILES, "whole"), jobs=1)
    monkeypatch.setattr("doxel.search.index_building._BATCH", size)
    divided = open_index(parts, jobs=1)
    assert [shelf.searcher.num_segments for shelf in divided.shelves] != [
        shelf.searcher.num_segments for shelf in whole.shelves
    ]
    runs = [search(index, TOPICS, SearchOptions(smallest=1)).run.results for index in (whole, divided)]
    assert runs[0].height > 20
    assert runs[0].equals(runs[1])
    assert np.array_equal(whole.values, divided.values, equal_nan=True)
    assert np.isfinite(divided.values).sum() == 9  # the titles are numbers


@pytest.fixture
def scratch(tmp_path):
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def test_the_output_of_a_dead_worker_is_not_in_the_index(parts, scratch):
    (batch,) = divide_into_batches(parts)
    index_batch(parts, "english", scratch, batch)  # the output of a worker that died
    indexed = index_batch(parts, "english", scratch, batch)
    merge_batches(scratch, [indexed], "english")
    shelves = sorted(scratch.iterdir())
    assert [shelf.name for shelf in shelves] == [f"shelf-{number}" for number in range(1, 6)]
    assert sum(open_engine_index(shelf)[0].num_docs for shelf in shelves) == indexed.elements


def test_segments_of_another_engine_version_are_rejected(parts, scratch):
    indexed = [index_batch(parts, "english", scratch, batch) for batch in divide_into_batches(parts)]
    meta = scratch / indexed[0].folder / "shelf-1" / "meta.json"
    meta.write_text(json.dumps({**json.loads(meta.read_text()), "schema": []}))
    with pytest.raises(CollectionError, match="not made by the same version of the search engine"):
        merge_batches(scratch, indexed, "english")


def texts(collection):
    forest = collection.forest(np.arange(len(collection)))
    element_words = {}
    for number, text in read_element_texts(collection, 1, 2**62):
        document = int(forest.document[number])
        element_words[list(collection)[document], forest.path(number)] = text.split()
    return element_words


def test_a_title_and_the_text_after_it_are_separated(zoo):
    element_words = texts(zoo.collection)
    assert element_words["birds", "/book[1]/sec[1]"][:3] == ["Ducks", "A", "duck"]
    assert element_words["birds", "/book[1]"][:3] == ["Birds", "1999", "Ducks"]


def test_inline_markup_does_not_split_a_word(zoo):
    assert "H2O" in texts(zoo.collection)["fish", "/book[1]/sec[1]/p[2]"]


def test_elements_are_selected_by_size(zoo):
    every = {number for number, _ in read_element_texts(zoo.collection, 1, 2**62)}
    small = {number for number, _ in read_element_texts(zoo.collection, 1, 50)}
    large = {number for number, _ in read_element_texts(zoo.collection, 50, 2**62)}
    assert small | large == every
    assert not small & large
    assert {int(zoo.size[number]) >= 50 for number in large} == {True}


def test_an_element_of_white_space_has_an_empty_span():
    start, end, parent = np.array([0, 0, 1]), np.array([3, 1, 3]), np.array([-1, 0, 0])
    separated, starts, ends = separate_blocks("a \n", start, end, parent)
    assert [separated[first:last].split() for first, last in zip(starts, ends, strict=True)] == [
        ["a"],
        ["a"],
        [],
    ]
    assert ends[2] == starts[2]


@st.composite
def nested(draw):
    """Draw a text, and the spans and parents of nested elements in document order."""
    text = draw(st.text(alphabet="ab \né😀", max_size=30))
    rows = []

    def grow(first, last, parent, depth):
        row = len(rows)
        rows.append((first, last, parent))
        cuts = sorted(draw(st.lists(st.integers(first, last), max_size=4 if depth < 3 else 0)))
        for left, right in zip(cuts[::2], cuts[1::2], strict=False):
            grow(left, right, row, depth + 1)

    grow(0, len(text), -1, 0)
    return text, *(np.array(column) for column in zip(*rows, strict=True))


@given(nested())
def test_only_line_ends_are_added_and_elements_keep_their_text(case):
    text, start, end, parent = case
    separated, starts, ends = separate_blocks(text, start, end, parent)
    assert separated.replace("\n", "") == text.replace("\n", "")
    for first, last, left, right in zip(start, end, starts, ends, strict=True):
        expected = text[first:last].replace("\n", "")
        assert separated[left:right].replace("\n", "") == (expected if expected.strip() else "")
