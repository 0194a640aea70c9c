"""The structural summary of a collection, compared with counts by hand."""

import numpy as np
import pytest

import doxel
from documents.commands import write_files
from doxel.documents.structural_summary import LINK_TAGS


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    """Two parts with label paths in another order: a(p(b) p) in the first, a(c b) in the second."""
    folder = tmp_path_factory.mktemp("summary")
    write_files(folder / "s", {"1.xml": "<a>x<p>x<b>x</b></p><p>x</p></a>"})
    doxel.ingest(folder / "s", folder / "c", jobs=1)
    write_files(folder / "s", {"2.xml": "<a>x<c>x</c><b>x</b></a>"})
    doxel.ingest(folder / "s", folder / "c", jobs=1)
    return doxel.read_collection(folder / "c")


def test_elements_and_relatives_are_counted_per_label_path_over_all_parts(collection):
    # of the first document a has itself and three descendants, its first p itself, a and b, and so on
    elements = {"/a": 2, "/a/p": 2, "/a/p/b": 1, "/a/c": 1, "/a/b": 1}
    relatives = {"/a": 4 + 3, "/a/p": 3 + 2, "/a/p/b": 3, "/a/c": 2, "/a/b": 2}
    paths = collection.all_labels().paths
    assert dict(zip(paths, collection.label_counts().tolist(), strict=True)) == elements
    assert dict(zip(paths, collection.label_relatives().tolist(), strict=True)) == relatives


def test_groups_by_tag_join_label_paths_with_the_largest_group_first(collection):
    summary = collection.summary(by_tag=True)
    assert summary.columns == ["group", "elements", "relatives", "steady"]
    rows = {group: (elements, relatives) for group, elements, relatives, _ in summary.rows()}
    assert rows == {"a": (2, 7), "p": (2, 5), "b": (2, 5), "c": (1, 2)}
    assert summary["elements"].is_sorted(descending=True)


@pytest.mark.parametrize("by_tag", [False, True])
def test_the_steady_state_is_the_one_that_the_matrix_keeps(collection, by_tag):
    matrix = collection.weighting_matrix(by_tag=by_tag)
    summary = collection.summary(by_tag=by_tag)
    steps = matrix / matrix.sum(axis=1, keepdims=True)  # a step from each group to a random relative
    steady = summary["steady"].to_numpy()
    assert steady.sum() == pytest.approx(1)
    assert steady @ steps == pytest.approx(steady)


def test_the_matrix_counts_the_pairs_of_relatives_of_any_two_groups(collection):
    groups = collection.summary(by_tag=True)["group"].to_list()
    order = [groups.index(tag) for tag in "apbc"]
    matrix = collection.weighting_matrix(by_tag=True)[np.ix_(order, order)]
    assert matrix.tolist() == [
        [2, 2, 2, 1],
        [2, 2, 1, 0],
        [2, 1, 2, 0],
        [1, 0, 0, 1],
    ]


def test_links_are_known_by_tag_or_by_an_href_in_any_namespace(tmp_path):
    text = (
        '<a xmlns:x="http://www.w3.org/1999/xlink"><link>1</link><weblink>2</weblink>'
        '<ref x:href="#p">3</ref><ref href="#q">4</ref><ref rid="r">5</ref><link href="#s">6</link>'
        '<ref x:hrefs="#t">7</ref></a>'
    )
    write_files(tmp_path / "s", {"1.xml": text})
    doxel.ingest(tmp_path / "s", tmp_path / "c", jobs=1)
    counts = doxel.read_collection(tmp_path / "c").link_counts()
    assert counts == {"link": 2, "ref": 2, "weblink": 1}
    assert list(counts)[-1] == "weblink"  # the most frequent first
    assert "ref" not in LINK_TAGS
