"""Random documents, ingested and read back, compared with a plain walk through the tree of lxml."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxel
from documents.plain_walk import Walk, local_xpath, parse, walk
from documents.random_xml import documents
from doxel.documents import ingestion
from random_share import count_cases

some_documents = st.lists(documents(), min_size=1, max_size=4)


@contextmanager
def ingested(sources: list[bytes]) -> Iterator[tuple[doxel.Collection, list[Walk]]]:
    """Ingest documents named 0, 1, ..., several of them in two parts, and walk through their trees."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingestion, "BATCH_BYTES", sum(map(len, sources)) // 2)
        folder = Path(name, "sources")
        folder.mkdir()
        for number, source in enumerate(sources):
            (folder / f"{number}.xml").write_bytes(source)
        report = doxel.ingest(folder, Path(name, "collection"))
        assert not report.refused
        yield doxel.read_collection(Path(name, "collection")), [walk(parse(source)) for source in sources]


@given(some_documents)
@settings(max_examples=count_cases(40), deadline=None)
def test_texts_and_spans_agree_with_the_walk(sources):
    with ingested(sources) as (collection, walks):
        for number, expected in enumerate(walks):
            document = collection[str(number)]
            assert document.text == expected.texts[0]
            assert [document.text_of(row) for row in range(len(document.forest))] == expected.texts
            assert [document.text[slice(*document.span(row))] for row in range(len(document.forest))] == (
                expected.texts
            )
            assert collection.breaks(number).rows() == expected.breaks
        assert len(collection) == len(sources)
        assert collection.documents["characters"].to_list() == [len(walk.texts[0]) for walk in walks]


@given(some_documents)
@settings(max_examples=count_cases(40), deadline=None)
def test_paths_lead_to_their_elements_and_back(sources):
    with ingested(sources) as (collection, walks):
        for number, expected in enumerate(walks):
            document = collection[str(number)]
            paths = [document.path(row) for row in range(len(document.forest))]
            assert paths == document.forest.paths().to_list() == expected.paths
            assert [document.find(path) for path in paths] == list(range(len(paths)))
            tree = expected.nodes[0].getroottree()
            for path, node in zip(paths, expected.nodes, strict=True):
                assert tree.xpath(local_xpath(path)) == [node]


@given(some_documents)
@settings(max_examples=count_cases(40), deadline=None)
def test_relations_between_elements_agree_with_the_walk(sources):
    with ingested(sources) as (collection, walks):
        for number, expected in enumerate(walks):
            document = collection[str(number)]
            forest, rows = document.forest, range(len(document.forest))
            assert forest.parent.tolist() == expected.parents
            assert [document.parent(row) for row in rows] == [
                None if parent < 0 else parent for parent in expected.parents
            ]
            assert [document.ancestors(row) for row in rows] == expected.ancestors
            assert [document.children(row) for row in rows] == expected.children
            assert forest.depth.tolist() == [len(above) + 1 for above in expected.ancestors]
            assert forest.sibling.tolist() == expected.siblings
            assert forest.subtree_end.tolist() == expected.subtree_ends
            assert document.elements["tag"].to_list() == expected.tags
            assert document.elements["parent"].to_list() == expected.parents


@given(some_documents)
@settings(max_examples=count_cases(40), deadline=None)
def test_attributes_and_namespaces_agree_with_the_walk(sources):
    with ingested(sources) as (collection, walks):
        for number, expected in enumerate(walks):
            document = collection[str(number)]
            rows = range(len(document.forest))
            assert [document.attributes(row) for row in rows] == expected.attributes
            namespaces = document.forest.labels.namespace
            assert [namespaces[label] for label in document.forest.label] == expected.namespaces


@given(some_documents, st.data())
@settings(max_examples=count_cases(40), deadline=None)
def test_documents_are_the_same_in_a_common_forest_and_alone(sources, data):
    numbers = data.draw(st.lists(st.integers(0, len(sources) - 1), max_size=6))
    with ingested(sources) as (collection, walks):
        together = collection.forest(numbers)
        assert np.diff(together.first).tolist() == [len(walks[number].nodes) for number in numbers]
        alone = [collection[str(number)].forest for number in numbers]
        for name in ("start", "end", "depth", "sibling"):
            expected = [value for forest in alone for value in getattr(forest, name).tolist()]
            assert getattr(together, name).tolist() == expected
        assert together.paths().to_list() == [path for number in numbers for path in walks[number].paths]
        assert together.document.tolist() == [
            place for place, number in enumerate(numbers) for _ in walks[number].nodes
        ]
        shifted = [
            parent + begin if parent >= 0 else -1
            for begin, number in zip(together.first.tolist(), numbers, strict=False)
            for parent in walks[number].parents
        ]
        assert together.parent.tolist() == shifted


@given(some_documents)
@settings(max_examples=count_cases(40), deadline=None)
def test_label_paths_and_their_counts_agree_with_the_walk(sources):
    with ingested(sources) as (collection, walks):
        labels, counts = collection.all_labels(), collection.label_counts()
        by_path: Counter[str] = Counter()
        for path, count in zip(labels.paths, counts.tolist(), strict=True):
            by_path[path] += count  # labels that differ in their namespaces only have the same path
        assert by_path == Counter(path for walk in walks for path in walk.label_paths)
        keys = list(zip(labels.parent.tolist(), labels.name, labels.namespace, strict=True))
        assert len(set(keys)) == len(keys)
        assert labels.names == tuple(sorted({tag for walk in walks for tag in walk.tags}))
        for number, expected in enumerate(walks):
            forest = collection[str(number)].forest
            assert [forest.labels.paths[label] for label in forest.label] == expected.label_paths
