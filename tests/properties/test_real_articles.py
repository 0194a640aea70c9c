"""122 real articles: every element's text, path and attributes, compared with lxml."""

import tarfile
from pathlib import Path, PurePosixPath

import numpy as np
import polars as pl
import pytest
from lxml import etree

import doxel
from documents.plain_walk import local_xpath, parse

# The numbers published with the data; a test compares them with lxml's counts.
DOCUMENTS, ELEMENTS = 122, 297_856


@pytest.fixture(scope="module")
def archive(shared_data: Path) -> Path:
    return shared_data / "plos-jats" / "plos-starter-corpus.tar.xz"


@pytest.fixture(scope="module")
def trees(archive: Path) -> dict[str, etree._Element]:
    """The root elements of all articles, parsed with nothing but lxml, by base name."""
    with tarfile.open(archive) as tar:
        return {
            PurePosixPath(info.name).stem: parse(stream.read())
            for info in tar
            if info.name.endswith(".xml") and (stream := tar.extractfile(info)) is not None
        }


@pytest.fixture(scope="module")
def collection(archive: Path, tmp_path_factory: pytest.TempPathFactory, compute_once) -> doxel.Collection:
    def ingest() -> Path:
        folder = tmp_path_factory.mktemp("jats") / "collection"
        assert not doxel.ingest(archive, folder).refused
        return folder

    return doxel.read_collection(compute_once("jats", ingest))


def elements_of(root: etree._Element) -> list[etree._Element]:
    return list(root.iter(etree.Element))


def test_all_documents_and_elements_are_counted(collection, trees):
    assert len(collection) == len(trees) == DOCUMENTS
    assert sum(len(elements_of(root)) for root in trees.values()) == ELEMENTS
    assert int(collection.documents["elements"].sum()) == ELEMENTS
    assert int(collection.label_counts().sum()) == ELEMENTS
    assert set(collection) == set(trees)


def test_every_element_has_the_text_of_lxml(collection, trees):
    string = etree.XPath("string()")
    for name, root in trees.items():
        document = collection[name]
        text, starts, ends = document.text, document.forest.start.tolist(), document.forest.end.tolist()
        texts = [text[start:end] for start, end in zip(starts, ends, strict=True)]
        assert texts == [string(node) for node in elements_of(root)], name


def test_every_element_has_the_right_path(collection, trees):
    """Paths are compared as strings that are built in another way; XPath is slow and has its own test."""
    for name, root in trees.items():
        paths = {root: f"/{etree.QName(root).localname}[1]"}
        for parent in root.iter(etree.Element):
            counts: dict[str, int] = {}
            for child in parent.iterchildren(etree.Element):
                local = etree.QName(child).localname
                counts[local] = counts.get(local, 0) + 1
                paths[child] = f"{paths[parent]}/{local}[{counts[local]}]"
        expected = [paths[node] for node in elements_of(root)]
        assert collection[name].forest.paths().to_list() == expected, name


def test_paths_are_xpaths_to_exactly_their_elements(collection, trees):
    """Checks all elements of the three smallest articles, and ten of every other."""
    random = np.random.default_rng(2006)
    smallest = sorted(trees, key=lambda name: len(elements_of(trees[name])))[:3]
    for name, root in trees.items():
        document, nodes, tree = collection[name], elements_of(root), root.getroottree()
        every = range(len(nodes))
        rows = every if name in smallest else random.choice(len(nodes), 10, replace=False).tolist()
        paths = [document.path(row) for row in rows]
        for row, path in zip(rows, paths, strict=True):
            assert tree.xpath(local_xpath(path)) == [nodes[row]], path
        assert document.forest.find(np.zeros(len(paths), dtype=np.int64), pl.Series(paths)).tolist() == [
            *rows
        ]
        assert document.find(paths[0]) == rows[0]


def test_one_forest_contains_all_articles(collection, trees):
    names = sorted(trees, reverse=True)
    forest = collection.forest([collection.number(name) for name in names])
    assert len(forest) == ELEMENTS
    tags = [etree.QName(node).localname for name in names for node in elements_of(trees[name])]
    assert [forest.labels.names[number] for number in forest.name.tolist()] == tags
    roots = forest.first[:-1]
    assert forest.start[roots].tolist() == [0] * DOCUMENTS
    assert forest.end[roots].tolist() == [len(collection[name].text) for name in names]


def test_every_element_has_the_attributes_of_lxml(collection, trees):
    for name, root in trees.items():
        rows = collection.attributes(collection.number(name)).rows()
        expected = [
            (row, key, value) for row, node in enumerate(elements_of(root)) for key, value in node.items()
        ]
        assert rows == expected, name
