"""Elements of judged documents: sizes, relevant sizes, grades and gains (sections 1 and 2)."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import ELEMENTS, HIGHLIGHTS, JUDGED, Assessments
from doxel.assessments.judged_pairs import lay_out_assessments
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.documents.structural_summary import LINK_TAGS
from doxel.quantisation import find_quantisation
from doxel.recallbases import build_element_base, choose_ideal
from doxel.recallbases.element_base import parse_excluded_tags

PARAGRAPH = "x" * 200
TREE_A = (
    f"<article><sec><p>{PARAGRAPH}</p><p>{PARAGRAPH}</p></sec>"
    f"<sec><p>{'y' * 300}</p><p>{'z' * 300}</p></sec></article>"
)
NAMES = ["A", "S1", "p1", "p2", "S2", "p3", "p4"]


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tree-a")
    (folder / "sources").mkdir()
    for name, text in {
        "a": TREE_A,
        "b": "<article><p>nothing here</p></article>",
        "links": "<p><link>0123456789</link>0123456789</p>",
    }.items():
        (folder / "sources" / f"{name}.xml").write_text(text)
    ingest([str(folder / "sources")], str(folder / "collection"))
    return read_collection(folder / "collection")


def base_of(collection, scale="2006", judged=(), highlights=(), elements=()):
    assessments = resolve_assessments(
        Assessments(
            scale,
            JUDGED.from_rows({"topic": topic, "doc": doc} for topic, doc in judged),
            HIGHLIGHTS.from_rows(
                {"topic": topic, "doc": doc, "start": start, "end": end}
                for topic, doc, start, end in highlights
            ),
            ELEMENTS.from_rows(elements),
        ),
        collection,
    )
    return build_element_base(assessments, lay_out_assessments(assessments, declared_sizes=False), collection)


@pytest.fixture(scope="module")
def tree_a(collection):
    return base_of(
        collection,
        judged=[("1", "b"), ("1", "a"), ("2", "b")],
        highlights=[("1", "a", 0, 200), ("1", "a", 400, 850)],
    )


def test_sizes_and_gains_of_tree_a_are_the_worked_ones(tree_a):
    # (exact) spec p1 1, S1 1/2, p3 1, p4 1/2, S2 3/4, A 13/20; total 22/5
    gains = tree_a.gains(find_quantisation("gen", "2006"))
    assert dict(zip(NAMES, gains.tolist(), strict=True)) == {
        "A": 13 / 20, "S1": 1 / 2, "p1": 1, "p2": 0, "S2": 3 / 4, "p3": 1, "p4": 1 / 2,
    }  # fmt: skip
    assert gains.sum() == pytest.approx(22 / 5)
    assert tree_a.size.tolist() == [1000, 400, 200, 200, 600, 300, 300]
    assert tree_a.rsize.tolist() == [650, 200, 200, 0, 450, 300, 150]
    assert tree_a.relevant_total.tolist() == [1950, 0]
    assert [NAMES[row] for row in np.flatnonzero(choose_ideal(gains, tree_a.tree))] == ["p1", "S2"]


def test_only_documents_with_relevant_text_or_grades_are_in_the_base(tree_a):
    assert tree_a.pair.tolist() == [1]  # the second judged pair: topic 1, document a
    assert tree_a.topic.tolist() == [0]
    assert tree_a.documents(np.array([0, 1, 2, -1, 99])).tolist() == [-1, 0, -1, -1, -1]
    assert tree_a.element_topic.tolist() == [0] * 7


def test_a_document_appears_once_per_topic_it_is_relevant_to(collection):
    base = base_of(
        collection, judged=[("1", "a"), ("2", "a")], highlights=[("1", "a", 0, 10), ("2", "a", 0, 1000)]
    )
    assert base.pair.tolist() == [0, 1]
    assert base.rsize.reshape(2, 7)[:, 0].tolist() == [10, 1000]
    assert base.relevant_total.tolist() == [30, 1000 + 400 + 200 + 200 + 600 + 300 + 300]


def test_elements_before_after_and_around_a_highlight_have_the_text_they_share_with_it(collection):
    elements = [(0, 1000), (0, 400), (0, 200), (200, 400), (400, 1000), (400, 700), (700, 1000)]
    stretches = list(combinations([0, 1, 200, 399, 400, 401, 850, 1000], 2))
    topics = [f"{number:02}" for number in range(len(stretches))]
    base = base_of(
        collection,
        judged=[(topic, "a") for topic in topics],
        highlights=[(topic, "a", *stretch) for topic, stretch in zip(topics, stretches, strict=True)],
    )
    shared = [
        max(0, min(end, last) - max(start, first)) for first, last in stretches for start, end in elements
    ]
    assert base.rsize.tolist() == shared
    sizes = [end - start for start, end in elements] * len(stretches)
    assert base.grades.specificity.tolist() == (np.array(shared) / sizes).tolist()
    rows = np.arange(0, len(shared), 3)
    np.testing.assert_array_equal(base.find_topics(rows), base.element_topic[rows])


def test_grades_are_matched_by_path_and_other_elements_are_ungraded(collection):
    graded = [
        {"topic": "1", "doc": "a", "path": "/article[1]", "exhaustivity": "3", "specificity": "1"},
        {"topic": "1", "doc": "a", "path": "/article/sec[2]/p[1]", "exhaustivity": "2", "specificity": "3"},
        {"topic": "1", "doc": "a", "path": "/article[1]/none[1]", "exhaustivity": "3", "specificity": "3"},
        {"topic": "1", "doc": "a", "path": "/article[1]/sec[1]", "exhaustivity": "U", "specificity": "U"},
    ]
    base = base_of(collection, "2003", judged=[("1", "a")], elements=graded)
    assert base.gains(find_quantisation("gen", "2003")).tolist() == [0.75, 0, 0, 0, 0, 0.75, 0]
    assert base.gains(find_quantisation("sog", "2003")).tolist() == [0.25, 0, 0, 0, 0, 0.9, 0]


def test_2005_takes_specificity_from_the_highlights(collection):
    graded = [
        {"topic": "1", "doc": "a", "path": "/article[1]/sec[2]", "exhaustivity": "2"},
        {"topic": "1", "doc": "a", "path": "/article[1]/sec[2]/p[2]", "exhaustivity": "?"},
    ]
    base = base_of(
        collection, "2005", judged=[("1", "a")], highlights=[("1", "a", 400, 850)], elements=graded
    )
    assert base.gains(find_quantisation("gen", "2005")).tolist() == [0, 0, 0, 0, 1.5, 0, 0]
    assert base.gains(find_quantisation("genlifted", "2005")).tolist() == [0, 0, 0, 0, 2.25, 0, 0.5]


def test_2002_reads_relevance_and_coverage(collection):
    graded = [
        {
            "topic": "1",
            "doc": "a",
            "path": f"/article[1]/sec[2]/p[{place}]",
            "relevance": relevance,
            "coverage": cover,
        }
        for place, relevance, cover in ((1, "3", "E"), (2, "2", "L"))
    ]
    base = base_of(collection, "2002", judged=[("1", "a")], elements=graded)
    assert base.gains(find_quantisation("gen", "2002")).tolist() == [0, 0, 0, 0, 0, 1, 0.5]


@pytest.mark.parametrize("tags", ["links", "link", "it, link", "it link"])
def test_excluded_elements_gain_nothing(collection, tags):
    base = base_of(collection, judged=[("1", "links")], highlights=[("1", "links", 0, 15)])
    spec = find_quantisation("spec", "2006")
    assert base.gains(spec).tolist() == [0.75, 1]
    assert base.gains(spec, parse_excluded_tags(tags)).tolist() == [0.75, 0]


def test_links_means_the_link_tags_of_2006():
    assert parse_excluded_tags("links") == frozenset(LINK_TAGS)
    assert len(LINK_TAGS) == 10
    # as 004, section 3.1, writes them
    assert {"collectionlink", "wikipedia-link", "outsidelink", "weblink"} <= parse_excluded_tags("links")
    assert parse_excluded_tags("links,p") == {*LINK_TAGS, "p"}
    assert parse_excluded_tags(None) == parse_excluded_tags("") == frozenset()


def test_without_relevant_text_the_base_is_empty(collection):
    base = base_of(collection, judged=[("1", "b")])
    assert len(base.forest) == 0
    assert base.gains(find_quantisation("spec", "2006"), parse_excluded_tags("p")).tolist() == []
    assert base.relevant_total.tolist() == [0]
    assert isinstance(base.grades.specificity, np.ndarray)
    assert pl.Series(choose_ideal(base.gains(find_quantisation("spec", "2006")), base.tree)).sum() == 0
