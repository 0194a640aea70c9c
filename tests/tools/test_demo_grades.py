"""Elements graded by hand on the scales of 2002 and of 2003-04 obey the rules of their scales."""

from itertools import combinations

import polars as pl
import pytest
from tools.demo_data.demo_assessments import graded_2002, graded_2003, highlighted
from tools.demo_data.demo_marks import read_marks

from doxel.assessments import read_assessments
from doxel.assessments.assessment_spans import count_problems, resolve_assessments
from doxel.assessments.relevant_sizes import measure_elements
from doxel.documents import read_collection

MARKS = {marks.topic: marks for marks in read_marks()}
BY_HAND = {"grades_2002": ["4", "7", "8", "12"], "grades_2003": ["1", "4", "9", "13"]}


@pytest.fixture(scope="module")
def collection(demo):
    return read_collection(demo.collection)


@pytest.fixture(scope="module")
def base(collection):
    return highlighted(collection)


def is_above(path, other):
    return other.startswith(path + "/")


def graded(scale, column):
    """Return topic, document, path and grade of all elements graded on a scale."""
    return [
        (topic, element.doc, element.path, element.grades[column])
        for topic in BY_HAND[scale]
        for element in getattr(MARKS[topic], scale)
    ]


@pytest.mark.parametrize(("scale", "column"), [("grades_2002", "relevance"), ("grades_2003", "exhaustivity")])
def test_a_parent_is_at_least_as_exhaustive_as_its_children(scale, column):
    rows = graded(scale, column)
    pairs = [
        (row, other)
        for row, other in combinations(rows, 2)
        if row[:2] == other[:2] and (is_above(row[2], other[2]) or is_above(other[2], row[2]))
    ]
    assert len(pairs) > 50
    for row, other in pairs:
        upper, lower = (row, other) if is_above(row[2], other[2]) else (other, row)
        assert upper[3] >= lower[3], f"{upper} above {lower}"


def test_only_legal_pairs_of_grades_occur():
    for topic in BY_HAND["grades_2002"]:
        for element in MARKS[topic].grades_2002:
            assert (element.grades["relevance"] == 0) == (element.grades["coverage"] == "N")
    for topic in BY_HAND["grades_2003"]:
        for element in MARKS[topic].grades_2003:
            assert (element.grades["exhaustivity"] == 0) == (element.grades["specificity"] == 0)


@pytest.mark.parametrize(("scale", "column"), [("grades_2002", "relevance"), ("grades_2003", "exhaustivity")])
def test_an_element_has_a_grade_exactly_where_it_has_highlighted_text(scale, column, base, collection):
    sizes = measure_elements(base, collection)
    highlighted_text = dict(
        sizes.select(pl.concat_list("topic", "doc", pl.col("element").cast(pl.String)), "rsize")
        .with_columns(pl.col("topic").list.join(" "))
        .iter_rows()
    )
    for topic, doc, path, grade in graded(scale, column):
        key = f"{topic} {doc} {collection[doc].find(path)}"
        assert (grade > 0) == (highlighted_text[key] > 0), key


@pytest.mark.parametrize("scale", BY_HAND)
def test_ancestors_and_all_grades_of_a_scale_occur(scale):
    columns = {"grades_2002": ("relevance", "coverage"), "grades_2003": ("exhaustivity", "specificity")}
    used = {
        column: {
            element.grades[column] for topic in BY_HAND[scale] for element in getattr(MARKS[topic], scale)
        }
        for column in columns[scale]
    }
    assert used == {
        column: {"N", "L", "S", "E"} if column == "coverage" else {0, 1, 2, 3} for column in columns[scale]
    }
    for topic in BY_HAND[scale]:
        paths = [element.path for element in getattr(MARKS[topic], scale)]
        assert paths.count("/article[1]") >= 3


def test_one_topic_of_each_scale_has_no_perfect_element():
    perfect_2002 = {
        topic
        for topic in BY_HAND["grades_2002"]
        if any(
            element.grades["relevance"] == 3 and element.grades["coverage"] == "E"
            for element in MARKS[topic].grades_2002
        )
    }
    perfect_2003 = {
        topic
        for topic in BY_HAND["grades_2003"]
        if any(
            element.grades["exhaustivity"] == element.grades["specificity"] == 3
            for element in MARKS[topic].grades_2003
        )
    }
    assert set(BY_HAND["grades_2002"]) - perfect_2002 == {"12"}
    assert set(BY_HAND["grades_2003"]) - perfect_2003 == {"13"}


@pytest.mark.parametrize(("name", "build"), [("inex2002", graded_2002), ("inex2003", graded_2003)])
def test_the_files_of_2002_and_2003_keep_the_grades(name, build, demo, collection):
    columns = ["topic", "doc", "path", "relevance", "coverage", "exhaustivity", "specificity", "inferred"]
    read = resolve_assessments(read_assessments(demo.assessments[name]), collection)
    assert count_problems(read).is_empty()
    built = build(collection)
    assert sorted(read.elements.select(columns).rows(), key=repr) == sorted(
        built.elements.select(columns).rows(), key=repr
    )
