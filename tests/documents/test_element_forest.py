"""Forests of elements: label paths, and the smallest element around a span."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest
from lxml import etree

import doxel
from documents.commands import write_files
from documents.random_trees import random_tree
from doxel.documents.element_forest import LabelTable, find_smallest_elements

PART = pl.DataFrame(
    {"parent": [-1, 0, 1], "name": ["article", "body", "p"], "namespace": [None, None, None]},
    schema={"parent": pl.Int64, "name": pl.String, "namespace": pl.String},
)


def test_a_part_requested_by_two_threads_at_once_is_read_once():
    table, reads, second_request = LabelTable(), [], threading.Event()

    def read():
        reads.append(threading.get_ident())
        second_request.wait(0.2)  # long enough for the other thread to enter, if no lock prevents it
        return PART

    def request():
        if reads:
            second_request.set()
        return table.map(0, read).tolist()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(request)
        while not reads:
            pass
        second = pool.submit(request)
        assert first.result() == second.result() == [0, 1, 2]
    assert len(reads) == 1
    assert table.labels().paths == ("/article", "/article/body", "/article/body/p")


@pytest.fixture(scope="module")
def forest_of_trees(tmp_path_factory):
    """The trees of forty random documents, and a collection of these documents."""
    chance = random.Random(20031)
    trees = {f"t{number:02}": random_tree(chance) for number in range(40)}
    folder = tmp_path_factory.mktemp("trees")
    files = {f"{name}.xml": etree.tostring(tree, encoding="unicode") for name, tree in trees.items()}
    write_files(folder / "sources", files)
    doxel.ingest(folder / "sources", folder / "c.doxel")
    return trees, doxel.read_collection(folder / "c.doxel")


SMALL = {
    "one.xml": "<article year='1999'><fm><yr> 1999 </yr></fm>"
    "<sec><p>x</p><sec><fig/></sec></sec><p>y</p></article>",
    "two.xml": "<book xmlns:m='urn:m'><m:sec><p>z</p></m:sec><fm><yr>n. d.</yr></fm></book>",
}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    write_files(folder / "sources", SMALL)
    doxel.ingest(folder / "sources", folder / "c.doxel")
    return doxel.read_collection(folder / "c.doxel")


def test_the_smallest_element_around_a_span_is_found(forest_of_trees):
    """Compared with a search through all elements of the document."""
    _, collection = forest_of_trees
    numbers = np.arange(len(collection))
    forest = collection.forest(numbers)
    checked = 0
    for document in numbers.tolist():
        rows = np.arange(forest.first[document], forest.first[document + 1])
        length = int(forest.end[rows[0]])
        spans = [(start, end) for start in range(length) for end in range(start + 1, length + 1)]
        if not spans:
            continue
        start, end = np.array(spans).T
        rows_found = find_smallest_elements(forest, np.full(len(spans), document), start, end)
        for (begin, stop), holder in zip(spans, rows_found.tolist(), strict=True):
            around = [row for row in rows if forest.start[row] <= begin and stop <= forest.end[row]]
            assert holder == max(around)  # the innermost comes last in document order
            checked += 1
    assert checked > 100


def test_the_element_of_an_entry_point_is_that_of_the_next_character(small):
    forest = small.forest(np.array([0]))
    start = np.array([0, 6, 7, 8, 99])
    rows = find_smallest_elements(forest, np.zeros(5, dtype=np.int64), start, start)
    assert [forest.path(row) for row in rows] == [
        "/article[1]/fm[1]/yr[1]",
        "/article[1]/sec[1]/p[1]",
        "/article[1]/p[1]",
        "/article[1]/p[1]",
        "/article[1]/p[1]",
    ]
