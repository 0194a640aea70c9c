"""The 122 real articles: every element's text and path, against what lxml gives for them."""

import tarfile
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from lxml import etree

import doxel
from documents.plain_walk import local_xpath, parse

# The numbers that the data came with; what lxml counts in the same files is compared below.
DOCUMENTS, ELEMENTS = 122, 297_856


@pytest.fixture(scope="module")
def archive(shared_data: Path) -> Path:
    return shared_data / "plos-jats" / "plos-starter-corpus.tar.xz"


@pytest.fixture(scope="module")
def trees(archive: Path) -> dict[str, etree._Element]:
    """The root elements of all articles, parsed with nothing but lxml, by base name."""
    with tarfile.open(archive) as opened:
        return {
            PurePosixPath(info.name).stem: parse(stream.read())
            for info in opened
            if info.name.endswith(".xml") and (stream := opened.extractfile(info)) is not None
        }


@pytest.fixture(scope="module")
def collection(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> doxel.Collection:
    folder = tmp_path_factory.mktemp("jats") / "collection"
    report = doxel.ingest(archive, folder)
    assert not report.refused
    return doxel.read_collection(folder)


def elements_of(root: etree._Element) -> list[etree._Element]:
    return list(root.iter(etree.Element))


def test_how_much_there_is(collection, trees):
    assert len(collection) == len(trees) == DOCUMENTS
    assert sum(len(elements_of(root)) for root in trees.values()) == ELEMENTS
    assert int(collection.documents["elements"].sum()) == ELEMENTS
    assert int(collection.label_counts().sum()) == ELEMENTS
    assert set(collection) == set(trees)


def test_the_text_of_every_element(collection, trees):
    string = etree.XPath("string()")
    for name, root in trees.items():
        document = collection[name]
        text, starts, ends = document.text, document.forest.start.tolist(), document.forest.end.tolist()
        found = [text[start:end] for start, end in zip(starts, ends, strict=True)]
        assert found == [string(node) for node in elements_of(root)], name


def test_the_path_of_every_element(collection, trees):
    """Compared as strings, built in another way: XPath itself takes its time, and has its own test."""
    for name, root in trees.items():
        paths = {root: f"/{etree.QName(root).localname}[1]"}
        for parent in root.iter(etree.Element):
            seen: dict[str, int] = {}
            for child in parent.iterchildren(etree.Element):
                local = etree.QName(child).localname
                seen[local] = seen.get(local, 0) + 1
                paths[child] = f"{paths[parent]}/{local}[{seen[local]}]"
        expected = [paths[node] for node in elements_of(root)]
        assert collection[name].forest.paths().to_list() == expected, name


def test_paths_are_xpaths_to_exactly_their_elements(collection, trees):
    """All elements of the three smallest articles, and some of every other."""
    random = np.random.default_rng(2006)
    smallest = sorted(trees, key=lambda name: len(elements_of(trees[name])))[:3]
    for name, root in trees.items():
        document, nodes, tree = collection[name], elements_of(root), root.getroottree()
        every = range(len(nodes))
        rows = every if name in smallest else random.choice(len(nodes), 10, replace=False).tolist()
        for row in rows:
            path = document.path(row)
            assert tree.xpath(local_xpath(path)) == [nodes[row]], path
            assert document.find(path) == row


def test_all_articles_in_one_forest(collection, trees):
    names = sorted(trees, reverse=True)
    forest = collection.forest([collection.number(name) for name in names])
    assert len(forest) == ELEMENTS
    tags = [etree.QName(node).localname for name in names for node in elements_of(trees[name])]
    assert [forest.labels.names[number] for number in forest.name.tolist()] == tags
    roots = forest.first[:-1]
    assert forest.start[roots].tolist() == [0] * DOCUMENTS
    assert forest.end[roots].tolist() == [len(collection[name].text) for name in names]


def test_attributes_of_every_element(collection, trees):
    for name, root in trees.items():
        rows = collection.attributes(collection.number(name)).rows()
        expected = [
            (row, key, value) for row, node in enumerate(elements_of(root)) for key, value in node.items()
        ]
        assert rows == expected, name
