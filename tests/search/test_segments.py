"""Segments: documents in batches, indexed each for itself and put together."""

import json

import numpy as np
import pytest

from doxel.documents import read_collection
from doxel.errors import CollectionError
from doxel.search import Options, open_index, search
from doxel.search.engine import reopen
from doxel.search.segments import batches, index_batch, put_together
from doxel.topics import Topic, Topics

TOPICS = Topics.of([Topic("1", title="duck pond"), Topic("2", title='"old ponds" +fish')])
FILES = {
    f"{number}.xml": f"<b><t>{number}</t><p>duck {'pond ' * number} fish</p><p>{'old ponds ' * 40}</p></b>"
    for number in range(9)
}


@pytest.fixture
def parts(make, monkeypatch):
    """Nine documents in as many parts."""
    monkeypatch.setattr("doxel.documents.ingest.BATCH_BYTES", 1)
    return read_collection(make(FILES))


def test_batches_are_all_documents_in_order_and_small_parts_together(parts, monkeypatch):
    assert [(one.first, one.end) for one in batches(parts)] == [(0, 9)]
    monkeypatch.setattr("doxel.search.segments._BATCH", 1)
    assert [(one.first, one.end) for one in batches(parts)] == [(number, number + 1) for number in range(9)]
    monkeypatch.setattr("doxel.search.segments._BATCH", 1000)  # a document has some 400 characters
    found = list(batches(parts))
    assert [found[0].first, *(one.end for one in found)] == [0, 3, 6, 9]
    assert str(found[1]) == "documents 3 to 5"


@pytest.mark.parametrize("size", [1, 1000])
def test_how_documents_are_divided_does_not_matter(size, parts, make, monkeypatch):
    whole = open_index(make(FILES, "whole"), jobs=1)
    monkeypatch.setattr("doxel.search.segments._BATCH", size)
    divided = open_index(parts, jobs=1)
    assert [one.searcher.num_segments for one in divided.shelves] != [
        one.searcher.num_segments for one in whole.shelves
    ]
    runs = [search(index, TOPICS, Options(smallest=1)).run.results for index in (whole, divided)]
    assert runs[0].height > 20
    assert runs[0].equals(runs[1])
    assert np.array_equal(whole.values, divided.values, equal_nan=True)
    assert np.isfinite(divided.values).sum() == 9  # the titles are numbers


@pytest.fixture
def scratch(tmp_path):
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def test_what_a_dead_worker_left_is_not_in_the_index(parts, scratch):
    (batch,) = batches(parts)
    index_batch(parts, "english", scratch, batch)  # its answer was lost
    done = index_batch(parts, "english", scratch, batch)
    put_together(scratch, [done], "english")
    shelves = sorted(scratch.iterdir())
    assert [one.name for one in shelves] == [f"shelf-{number}" for number in range(1, 6)]
    assert sum(reopen(one)[0].num_docs for one in shelves) == done.elements


def test_what_was_made_by_another_version_of_the_engine_is_refused(parts, scratch):
    done = [index_batch(parts, "english", scratch, batch) for batch in batches(parts)]
    listed = scratch / done[0].folder / "shelf-1" / "meta.json"
    listed.write_text(json.dumps({**json.loads(listed.read_text()), "schema": []}))
    with pytest.raises(CollectionError, match="not made by the same version of the search engine"):
        put_together(scratch, done, "english")
