"""Places in documents, compared with lxml's text nodes."""

import random

import numpy as np
import polars as pl
import pytest
from lxml import etree

from doxel.documents.collection import read_collection
from doxel.documents.element_paths import (
    PATH_PATTERN,
    PLACE_PATTERN,
    PlaceFinder,
    canonicalise_paths,
    find_positions,
)
from doxel.documents.ingestion import ingest

PIECES = ["ab", " ", "\U0001f600x", "\n", "&amp;q", "<![CDATA[<z>]]>", "<!-- c -->", "<?pi x?>", "<p/>"]


def random_content(rng, depth=0):
    pieces = []
    for _ in range(rng.randrange(7)):
        if depth < 4 and rng.random() < 0.3:
            name = rng.choice("pq")
            pieces.append(f"<{name}>{random_content(rng, depth + 1)}</{name}>")
        else:
            pieces.append(rng.choice(PIECES))
    return "".join(pieces)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    rng = random.Random(5)
    folder = tmp_path_factory.mktemp("corpus")
    sources = {
        f"d{number}": f"<!-- before --><a>{random_content(rng)}</a><?after all?>" for number in range(40)
    }
    for name, text in sources.items():
        (folder / f"{name}.xml").write_text(text, encoding="utf-8")
    ingest([str(folder)], str(folder / "c.doxel"))
    return read_collection(folder / "c.doxel"), sources


def text_nodes(root):
    """The text nodes of each element with their starts, in the order in which XPath counts them."""
    nodes, position = {element: [] for element in root.iter(etree.Element)}, 0
    for node in root.xpath("//text()"):
        owner = node.getparent().getparent() if node.is_tail else node.getparent()
        nodes[owner].append((position, str(node)))
        position += len(node)
    return nodes


def every_place(corpus, *, keep=lambda _text: True):
    """All places of all text nodes: document, path, start, end; -1 for places just past the last."""
    collection, sources = corpus
    for name, source in sources.items():
        root = etree.fromstring(source)
        number = collection.number(name)
        for element, nodes in text_nodes(root).items():
            path = root.getroottree().getpath(element)
            counted = [node for node in nodes if keep(node[1])]
            for rank, (start, text) in enumerate(counted, 1):
                yield number, f"{path}/text()[{rank}]", start, start + len(text)
                for offset in range(len(text) + 1):
                    yield number, f"{path}/text()[{rank}].{offset}", start + offset, start + offset
                yield number, f"{path}/text()[{rank}].{len(text) + 1}", -1, -1
            yield number, f"{path}/text()[{len(counted) + 1}]", -1, -1


@pytest.mark.parametrize("strip", [False, True])
def test_every_place_in_every_text_node_is_found(corpus, strip):
    keep = (lambda text: bool(text.strip())) if strip else (lambda _text: True)
    places = list(every_place(corpus, keep=keep))
    assert len(places) > 500
    numbers, paths = np.array([place[0] for place in places]), pl.Series([place[1] for place in places])
    for side, column in (("start", 2), ("end", 3)):
        offsets = find_positions(corpus[0], numbers, paths, side=side, strip=strip)
        assert offsets.tolist() == [place[column] for place in places]


def test_the_place_of_an_element_is_its_start_or_end(corpus):
    collection, _ = corpus
    for number in range(len(collection)):
        document = collection[collection.documents["doc"][number]]
        numbers = np.full(document.elements.height, number)
        for side in ("start", "end"):
            offsets = find_positions(collection, numbers, document.elements["path"], side=side)
            assert offsets.tolist() == document.elements[side].to_list()


@pytest.mark.parametrize(
    "path",
    [None, "", "/b[1]", "/a[2]", "/a[0]", "a[1]", "/a[1]/text()[0]", "/a[1]/text()[1].-1", "/text()[1]"],
)
def test_an_invalid_place_is_minus_one(corpus, path):
    assert find_positions(
        corpus[0], np.array([0]), pl.Series([path], dtype=pl.String), side="start"
    ).tolist() == [-1]


@pytest.mark.parametrize("number", [2**40, 2**63 - 1, 2**63, 10**20])
def test_numbers_larger_than_any_text_are_minus_one(corpus, number):
    paths = pl.Series([f"/a[1]/text()[{number}]", f"/a[1]/text()[1].{number}"])
    assert find_positions(corpus[0], np.array([0, 0]), paths, side="end").tolist() == [-1, -1]


def test_unknown_documents_have_no_places(corpus):
    paths = pl.Series(["/a[1]", "/a[1]/text()[1]"])
    assert find_positions(corpus[0], np.array([-1, -1]), paths, side="start").tolist() == [-1, -1]
    assert find_positions(corpus[0], np.array([], dtype=np.int64), paths.clear(), side="start").tolist() == []


def test_elements_are_rows_of_the_forest(corpus):
    collection, _ = corpus
    places = PlaceFinder(collection, np.array([3, 1, 3]))
    row = places.elements(np.array([3, 1, 2]), pl.Series(["/a", "/a[1]", "/a"]))
    first = places.forest.first[places.document(np.array([3, 1]))]
    assert row.tolist() == [*first.tolist(), -1]


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("/a[1]/p[2]", True),
        ("/a/x:p", True),
        ("/a[1]/text()", True),
        ("/a[1]/text()[2]", True),
        ("/a[1]/text()[2].0", True),
        ("/a[1]/text().7", True),
        ("/a[1]/text()[2].", False),
        ("/a[1]/text()[0].1", False),
        ("/a[1]/text()[1].1/b", False),
        ("/a[1]/b().1", False),
        ("text()[1]", False),
        ("/text()[1]", False),
    ],
)
def test_the_pattern_matches_places_only(text, valid):
    assert pl.Series([text]).str.contains(PLACE_PATTERN).to_list() == [valid]


@pytest.mark.parametrize("path", ["/a[1]/p[12]", "/a/b/c", "/x:a/y:b[2]/c-d.e", "/a"])
def test_canonical_paths_have_a_position_at_every_step(path):
    canonical = canonicalise_paths(pl.Series([path]))
    assert canonical.str.contains(PATH_PATTERN).all()
    steps = canonical[0].removeprefix("/").split("/")
    names = [step.partition("[")[0].rpartition(":")[2] for step in path.removeprefix("/").split("/")]
    assert [step.partition("[")[0] for step in steps] == names
    assert all(step.endswith("]") for step in steps)


@pytest.mark.parametrize("side", ["start", "end"])
def test_every_position_has_a_place_that_leads_back_to_it(corpus, side):
    collection, _ = corpus
    sizes = collection.documents["characters"].to_list()
    pairs = [(number, at) for number, size in enumerate(sizes) if size for at in range(size + 1)]
    numbers, expected = (np.array(column) for column in zip(*pairs, strict=True))
    places = PlaceFinder(collection, numbers)
    paths = places.places(numbers, expected, side=side)
    assert paths.str.contains(PLACE_PATTERN).all()
    assert places.positions(numbers, paths, side=side).tolist() == expected.tolist()
    offsets = paths.str.extract(r"([0-9]+)$").cast(pl.Int64).to_numpy()
    inside = (expected > 0) if side == "end" else (expected < np.array(sizes)[numbers])
    nodes = places.positions(numbers, paths.str.replace(r"[.][0-9]+$", ""), side="end") - expected + offsets
    assert (offsets[inside] > 0).all() if side == "end" else (offsets[inside] < nodes[inside]).all()


def test_positions_beyond_the_text_have_no_place(corpus):
    collection, _ = corpus
    size = collection.documents["characters"][0]
    places = PlaceFinder(collection, np.array([0, 1]))
    assert (
        places.places(np.array([0, 0, -1]), np.array([size + 1, -1, 0]), side="end").to_list() == [None] * 3
    )


def test_with_strip_blank_text_nodes_have_no_places(corpus):
    collection, _ = corpus
    sizes = collection.documents["characters"].to_list()
    numbers = np.repeat(np.arange(len(sizes)), sizes)
    expected = np.concatenate([np.arange(size) for size in sizes])
    places = PlaceFinder(collection, numbers, strip=True)
    paths = places.places(numbers, expected, side="start")
    has_place = paths.is_not_null().to_numpy()
    assert 0 < has_place.sum() < len(has_place)
    offsets = places.positions(numbers[has_place], paths.drop_nulls(), side="start")
    assert offsets.tolist() == expected[has_place].tolist()


@pytest.mark.parametrize("digits", [18, 19, 5000])
def test_very_large_positions_in_paths_find_nothing(corpus, digits):
    """Python does not read numbers of more than 4300 digits."""
    collection, _ = corpus
    path = f"/a[1]/p[{'9' * digits}]"
    forest = collection.forest([0])
    assert forest.find(np.array([0]), pl.Series([path])).tolist() == [-1]
    assert pl.Series([path]).str.contains(PATH_PATTERN).item() is (digits == 18)
