"""Columns of nodes: spans and shapes of elements, outlines of spans, and sections opened by headings."""

import pytest

from doxel.documents.parsing.node_columns import NodeColumns, Numbering, OutlineBuilder, mark_sections
from doxel.documents.tree_arrays import MAX_DEPTH
from doxel.errors import InputError


def add_document(columns, *spans):
    """Append a document of nested spans: (tag, start, end), each before the spans inside it."""
    outline = OutlineBuilder("a.txt")
    open_ends = []
    for tag, start, end in spans:
        while open_ends and open_ends[-1] <= start:
            outline.close(open_ends.pop())
        outline.open(tag, start)
        open_ends.append(end)
    for end in reversed(open_ends):
        outline.close(end)
    outline.add_to(columns)


def test_things_are_numbered_in_the_order_of_their_first_lookup():
    numbering = Numbering()
    assert [numbering[thing] for thing in ("p", "sec", "p", None, "sec")] == [0, 1, 0, 2, 1]
    assert list(numbering) == ["p", "sec", None]


def test_each_document_is_counted_from_its_own_start():
    columns = NodeColumns()
    add_document(columns, ("doc", 0, 10), ("p", 2, 5), ("b", 3, 5), ("p", 6, 10))
    add_document(columns, ("doc", 0, 4), ("q", 1, 4))
    part = columns.finish()
    assert part.element_counts == [4, 2]
    # "before" and "inside": the characters since the last boundary before the start, and before the end
    assert {name: values.tolist() for name, values in part.elements.items()} == {
        "descendants": [3, 1, 0, 0, 1, 0],
        "before": [0, 2, 1, 1, 0, 1],
        "inside": [0, 0, 2, 4, 0, 3],
        "label": [0, 1, 3, 1, 0, 2],
    }
    assert part.labels == {
        "parent": [-1, 0, 0, 1],
        "name": ["doc", "p", "q", "b"],
        "namespace": [None] * 4,
    }


def test_a_node_that_is_not_an_element_leaves_a_break_and_no_text():
    columns = NodeColumns()
    outline = OutlineBuilder("a.xml")
    outline.open("doc", 0)
    outline.open("p", 1)
    outline.open(None, 3)
    outline.close(3)
    outline.close(7)
    outline.close(8)
    outline.add_to(columns)
    part = columns.finish()
    assert part.element_counts == [2]
    assert {name: values.tolist() for name, values in part.breaks.items()} == {
        "element": [1],
        "position": [3],
    }
    assert part.elements["inside"].tolist() == [1, 6]  # the text of p is from 1 to 7


def test_a_namespace_is_separated_from_its_tag():
    columns = NodeColumns()
    add_document(columns, ("{urn:x}doc", 0, 2), ("p", 0, 2))
    labels = columns.finish().labels
    assert (labels["name"], labels["namespace"]) == (["doc", "p"], ["urn:x", None])


def test_attributes_belong_to_their_element():
    columns = NodeColumns()
    for value in ("1", "2"):
        outline = OutlineBuilder("a.html")
        outline.open("doc", 0)
        outline.open("p", 0, [("id", value), ("class", "x")])
        outline.close(1)
        outline.close(1)
        outline.add_to(columns)
    attributes = columns.finish().attributes
    assert attributes["element"].tolist() == [1, 1, 3, 3]
    assert attributes["name"].to_list() == ["id", "class", "id", "class"]
    assert attributes["value"] == ["1", "x", "2", "x"]


def test_a_position_before_the_previous_one_counts_as_the_previous_one():
    outline = OutlineBuilder("a.txt")
    outline.open("doc", 0)
    outline.open("p", 5)
    outline.close(3)
    outline.open("p", 4)
    outline.close(8)
    outline.close(8)
    assert (outline.text_sizes, outline.tail_sizes) == ([5, 0, 3], [0, 0, 0])


def test_the_deepest_allowed_nesting_is_allowed_and_one_more_is_an_error():
    outline = OutlineBuilder("deep.md")
    for _ in range(MAX_DEPTH):
        outline.open("p", 0)
    with pytest.raises(InputError, match=rf"deep\.md: .* at most {MAX_DEPTH} deep"):
        outline.open("p", 0)


@pytest.mark.parametrize(
    ("levels", "own", "marks"),
    [
        ([], None, []),
        ([2, 2], None, [(0, True), (1, True)]),
        ([1, 2, 3, 1], None, [(0, True), (0, True), (0, True), (3, True)]),
        ([3, 2, 1], None, [(0, True), (1, True), (1, True)]),
        # the heading of the parent itself begins no section, and ends none
        ([1, None, 2, 2], 0, [(0, False), (0, False), (0, True), (1, True)]),
    ],
)
def test_a_heading_ends_the_sections_of_the_same_or_a_lower_rank(levels, own, marks):
    assert list(mark_sections(levels, own)) == marks
