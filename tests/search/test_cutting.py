"""Words that markup keeps apart do not run together; words that it runs through stay whole."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doxel.search.cutting import element_texts, set_apart


def texts(collection):
    forest = collection.forest(np.arange(len(collection)))
    found = {}
    for number, text in element_texts(collection, 1, 2**62):
        document = int(forest.document[number])
        found[list(collection)[document], forest.path(number)] = text.split()
    return found


def test_a_title_and_what_follows_are_two_words(zoo):
    found = texts(zoo.collection)
    assert found["birds", "/book[1]/sec[1]"][:3] == ["Ducks", "A", "duck"]
    assert found["birds", "/book[1]"][:3] == ["Birds", "1999", "Ducks"]


def test_markup_inside_a_line_does_not_break_a_word(zoo):
    assert "H2O" in texts(zoo.collection)["fish", "/book[1]/sec[1]/p[2]"]


def test_sizes_select_elements(zoo):
    every = {number for number, _ in element_texts(zoo.collection, 1, 2**62)}
    small = {number for number, _ in element_texts(zoo.collection, 1, 50)}
    large = {number for number, _ in element_texts(zoo.collection, 50, 2**62)}
    assert small | large == every
    assert not small & large
    assert {int(zoo.size[number]) >= 50 for number in large} == {True}


def test_an_element_without_anything_to_read_has_no_text():
    start, end, parent = np.array([0, 0, 1]), np.array([3, 1, 3]), np.array([-1, 0, 0])
    broken, starts, ends = set_apart("a \n", start, end, parent)
    assert [broken[begin:stop].split() for begin, stop in zip(starts, ends, strict=True)] == [
        ["a"],
        ["a"],
        [],
    ]
    assert ends[2] == starts[2]


@st.composite
def nested(draw):
    """A text, and the spans of elements that nest, in document order, with their parents."""
    text = draw(st.text(alphabet="ab \né😀", max_size=30))
    rows = []

    def grow(begin, stop, parent, depth):
        row = len(rows)
        rows.append((begin, stop, parent))
        cuts = sorted(draw(st.lists(st.integers(begin, stop), max_size=4 if depth < 3 else 0)))
        for left, right in zip(cuts[::2], cuts[1::2], strict=False):
            grow(left, right, row, depth + 1)

    grow(0, len(text), -1, 0)
    return text, *(np.array(column) for column in zip(*rows, strict=True))


@given(nested())
def test_nothing_but_line_ends_is_added_and_every_element_keeps_its_text(case):
    text, start, end, parent = case
    broken, starts, ends = set_apart(text, start, end, parent)
    assert broken.replace("\n", "") == text.replace("\n", "")
    for begin, stop, left, right in zip(start, end, starts, ends, strict=True):
        expected = text[begin:stop].replace("\n", "")
        assert broken[left:right].replace("\n", "") == (expected if expected.strip() else "")
