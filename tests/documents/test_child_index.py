"""Elements found by path, compared with a walk over the trees of lxml, in one search and in several."""

import random

import numpy as np
import polars as pl
import pytest
from lxml import etree

import doxel
from documents.commands import write_files
from documents.plain_walk import walk
from documents.random_trees import random_tree
from doxel.documents import child_index
from doxel.documents.child_index import ChildIndex, KnownPaths, SortedTable, number_values
from doxel.documents.element_forest import Forest, LabelPaths
from doxel.documents.element_paths import parse_path
from doxel.documents.tree_arrays import MAX_DEPTH
from doxel.errors import InputError

NO_PATHS = [
    None,
    "",
    "/",
    "//",
    "p",
    "p/q",
    "/p/",
    "//p",
    "/p[0]",
    "/p[1]x",
    "/p[1]/text()[1]",
    "/p[" + "9" * 30,
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The forest of thirty random documents, and the row of each path in each document."""
    chance = random.Random(20041)
    trees = {f"t{number:02}": random_tree(chance) for number in range(30)}
    folder = tmp_path_factory.mktemp("trees")
    files = {f"{name}.xml": etree.tostring(tree, encoding="unicode") for name, tree in trees.items()}
    write_files(folder / "sources", files)
    doxel.ingest(folder / "sources", folder / "c.doxel")
    collection = doxel.read_collection(folder / "c.doxel")
    forest = collection.forest(np.arange(len(collection)))
    rows = {}
    for number, doc in enumerate(collection.documents["doc"]):
        paths = walk(trees[doc]).paths
        rows |= {(number, path): int(forest.first[number]) + row for row, path in enumerate(paths)}
    return forest, rows


def misspell(path, chance):
    """Return a path in another spelling, or another path."""
    steps = path.split("/")[1:]
    place = chance.randrange(len(steps))
    name = steps[place].partition("[")[0]
    steps[place] = chance.choice(
        [steps[place], f"x:{steps[place]}", name, f"{name}[2]", "p[1]", "unknown[1]", ""]
    )
    extra = chance.choice([[], [], [], ["p"], ["p[1]", "p[2]"]])
    return "".join(f"/{step}" for step in [*steps, *extra])


def canonicalise(path):
    """Return a path with all positions, None if it is not one."""
    try:
        return None if path is None else "".join(f"/{name}[{number}]" for name, number in parse_path(path))
    except InputError:
        return None


@pytest.fixture(scope="module")
def queries(corpus):
    """Documents, paths and the rows that they lead to."""
    forest, rows = corpus
    chance = random.Random(20042)
    elements = list(rows)
    documents, paths = [], []
    for _ in range(6_000):
        own, path = chance.choice(elements)
        documents.append(chance.choice([own, own, own, chance.randrange(-1, len(forest.first) - 1)]))
        paths.append(chance.choice([path, misspell(path, chance), chance.choice(NO_PATHS)]))
    expected = [rows.get((doc, canonicalise(path)), -1) for doc, path in zip(documents, paths, strict=True)]
    assert sum(row >= 0 for row in expected) > 1_000
    return np.array(documents), pl.Series(paths, dtype=pl.String), np.array(expected)


def test_paths_lead_to_their_elements(corpus, queries):
    documents, paths, expected = queries
    np.testing.assert_array_equal(ChildIndex(corpus[0]).locate(documents, paths)[0], expected)


@pytest.mark.parametrize("size", [1, 7, 500])
def test_earlier_lookups_change_nothing(corpus, queries, size):
    documents, paths, expected = queries
    index = ChildIndex(corpus[0])
    for begin in range(0, 2_000 if size > 1 else 300, size):
        block = slice(begin, begin + size)
        np.testing.assert_array_equal(index.locate(documents[block], paths[block])[0], expected[block])
    np.testing.assert_array_equal(index.locate(documents, paths)[0], expected)


def test_different_paths_with_the_same_hash_are_not_confused(corpus, queries, monkeypatch):
    def hash_badly(values):
        return values.str.len_bytes().fill_null(0).cast(pl.UInt64).to_numpy() % np.uint64(5)

    monkeypatch.setattr(child_index, "hash_values", hash_badly)
    documents, paths, expected = queries
    index = ChildIndex(corpus[0])
    for begin in range(0, 3_000, 500):
        block = slice(begin, begin + 500)
        np.testing.assert_array_equal(index.locate(documents[block], paths[block])[0], expected[block])


def test_a_document_without_elements_has_no_root():
    """Its first row is that of the next document."""
    labels = LabelPaths(np.array([-1]), ("article",), (None,))
    zero = np.zeros(1, dtype=np.int64)
    forest = Forest(np.array([0, 0, 1, 1]), zero, zero, zero, zero, labels)
    paths = pl.Series(["/article[1]"] * 3)
    assert forest.find(np.array([0, 1, 2]), paths).tolist() == [-1, 0, -1]


def test_documents_without_elements_have_no_element_at_a_path_of_others():
    labels = LabelPaths(np.array([-1, 0]), ("article", "p"), (None, None))
    nothing = np.zeros(0, dtype=np.int64)
    forest = Forest(np.array([0, 0]), nothing, nothing, nothing, nothing, labels)
    assert forest.find(np.array([0, -1]), pl.Series(["/article[1]/p[1]"] * 2)).tolist() == [-1, -1]


def test_a_path_deeper_than_any_document_is_not_parsed(corpus):
    paths = KnownPaths(corpus[0].labels)
    number = paths.number(pl.Series(["/a[1]" * MAX_DEPTH, "/a[1]" * (MAX_DEPTH + 1), "/a[1]" * 100_000]))
    assert len(paths.parent) <= MAX_DEPTH + 2
    assert number[0] != number[1] == number[2]


@pytest.mark.parametrize(
    ("path", "is_canonical"),
    [
        ("/a[1]/p[12]", True),
        ("/a[1]/p", False),
        ("/a/p[1]", False),
        ("/a[1]/x:p[1]", False),
        ("/a[01]", False),
    ],
)
def test_canonical_paths_are_known(corpus, path, is_canonical):
    index, documents = ChildIndex(corpus[0]), np.zeros(2, dtype=np.int64)
    assert index.locate(documents[:1], pl.Series(["/a[1]"]))[1]
    assert index.locate(documents, pl.Series(["/a[1]", path]))[1] is is_canonical


@pytest.mark.parametrize("count", [0, 1, 16, 17, 30])  # few values are numbered in another way
@pytest.mark.parametrize("seed", range(5))
def test_values_are_numbered_by_their_first_occurrence(seed, count):
    chance = random.Random(seed)
    values = [chance.choice(["a", "b", None, "", "c" * 20]) for _ in range(count)]
    distinct, which = number_values(pl.Series(values, dtype=pl.String))
    assert distinct.gather(which).to_list() == values
    assert distinct.to_list() == list(dict.fromkeys(values))
    assert len(distinct) == len(set(values))


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_a_table_finds_added_keys(dtype):
    rng = np.random.default_rng(7)
    table, added = SortedTable(dtype), {}
    for _ in range(20):
        keys = np.array(
            sorted({*rng.integers(0, 2**62, 50), *rng.integers(0, 100, 9)} - set(added)), dtype=dtype
        )
        numbers = rng.integers(-1, 9, len(keys))
        table.add(keys, numbers)
        added |= dict(zip(keys.tolist(), numbers.tolist(), strict=True))
        wanted = np.array([*added, *range(200)], dtype=dtype)
        values, is_known = table.find(wanted)
        assert is_known.tolist() == [key in added for key in wanted.tolist()]
        assert values.tolist() == [added.get(key, 0) for key in wanted.tolist()]
