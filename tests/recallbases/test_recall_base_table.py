"""Recall bases as tables: constructions and ties, accepted and rejected."""

import polars as pl
import pytest

from doxel.assessments import read_assessments
from doxel.errors import InputError, MeasureError
from doxel.measures.measure_parameters import CONSTRUCTION, TIE
from doxel.recallbases.ideal_base import CONSTRUCTIONS
from doxel.recallbases.recall_base_table import TAG_SHARES, count_by_tag, recall_base


@pytest.fixture
def listed(tmp_path):
    """Return assessments of 2003; they list their elements, so no collection is needed."""
    paths = "".join(
        f'<path path="{path}" exhaustiveness="{e}" specificity="{s}"/>'
        for path, e, s in (("/a[1]", 2, 1), ("/a[1]/b[1]", 3, 3))
    )
    file = tmp_path / "2003.xml"
    file.write_text(f'<assessments pool="1" topic="1"><file file="d">{paths}</file></assessments>')
    return read_assessments(file)


def test_every_construction_of_the_measures_is_implemented():
    assert tuple(CONSTRUCTIONS) == CONSTRUCTION.kind.values


@pytest.mark.parametrize("construction", CONSTRUCTION.kind.values)
@pytest.mark.parametrize("tie", TIE.kind.values)
def test_every_construction_gives_its_ideal_base(listed, construction, tie):
    # gen2003 (004 Eq. 2): a 0.5, b 1: every construction prefers b
    table = recall_base(listed, quant="gen2003", ideal=True, construction=construction, tie=tie)
    assert table.select("path", "gain").rows() == [("/a[1]/b[1]", 1.0)]


def test_paths_may_end_at_any_relevant_element(listed):
    # section 2: the path that ends at a has a alone, and a is nearer the root than b
    table = recall_base(listed, quant="gen2003", ideal=True, paths="any")
    assert table.select("path", "gain").rows() == [("/a[1]", 0.5)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"construction": "gredy"}, 'recall base: construction: .* did you mean "greedy"'),
        ({"paths": "all"}, 'recall base: paths: wanted "leaf" or "any", found "all"'),
        (
            {"paths": "any", "construction": "greedy"},
            'paths="any" needs construction="path", found .*"greedy"',
        ),
        ({"tie": "parent"}, 'recall base: tie: wanted "ancestor" or "descendant", found "parent"'),
    ],
)
@pytest.mark.parametrize("ideal", [True, False])
def test_unknown_constructions_and_ties_are_rejected(listed, wrong, message, ideal):
    with pytest.raises(MeasureError, match=message):
        recall_base(listed, ideal=ideal, **wrong)


def test_elements_are_counted_by_tag_and_by_share_of_highlighted_text():
    rows = [
        ("/article[1]", 100, 25),  # exactly a quarter
        ("/article[1]/sec[1]", 40, 20),  # half
        ("/article[1]/sec[2]", 40, 30),  # three quarters
        ("/article[1]/sec[2]/p[1]", 40, 39),
        ("/article[1]/sec[2]/p[2]", 3, 3),
        ("/article[1]/collectionlink[1]", 5, 5),
        ("/article[1]/wikipedia-link[12]", 6, 6),
        ("/article[1]/p", 7, 7),
        ("/article[1]/p[9]", 7, 0),  # graded, without highlighted text
    ]
    base = pl.DataFrame(rows, schema=["path", "size", "rsize"], orient="row")
    table = count_by_tag(base)
    # counted by hand
    assert table.rows() == [
        ("p", 3, 0, 0, 0, 1, 2, 0.5, False),
        ("collectionlink", 1, 0, 0, 0, 0, 1, 0.25, True),
        ("wikipedia-link", 1, 0, 0, 0, 0, 1, 0.25, True),
        ("sec", 2, 0, 1, 1, 0, 0, 0.0, False),
        ("article", 1, 1, 0, 0, 0, 0, 0.0, False),
    ]
    assert table.columns == list(TAG_SHARES.schema)


def test_shares_need_highlights():
    base = pl.DataFrame({"path": ["/a[1]"], "size": [5], "rsize": [0]})
    with pytest.raises(InputError, match="wanted assessments with highlights"):
        count_by_tag(base)
