"""Words in different blocks are separated; words with inline markup stay whole."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doxel.search.index_building import read_element_texts, separate_blocks


def texts(collection):
    forest = collection.forest(np.arange(len(collection)))
    element_words = {}
    for number, text in read_element_texts(collection, 1, 2**62):
        document = int(forest.document[number])
        element_words[list(collection)[document], forest.path(number)] = text.split()
    return element_words


def test_a_title_and_the_text_after_it_are_separated(zoo):
    element_words = texts(zoo.collection)
    assert element_words["birds", "/book[1]/sec[1]"][:3] == ["Ducks", "A", "duck"]
    assert element_words["birds", "/book[1]"][:3] == ["Birds", "1999", "Ducks"]


def test_inline_markup_does_not_split_a_word(zoo):
    assert "H2O" in texts(zoo.collection)["fish", "/book[1]/sec[1]/p[2]"]


def test_elements_are_selected_by_size(zoo):
    every = {number for number, _ in read_element_texts(zoo.collection, 1, 2**62)}
    small = {number for number, _ in read_element_texts(zoo.collection, 1, 50)}
    large = {number for number, _ in read_element_texts(zoo.collection, 50, 2**62)}
    assert small | large == every
    assert not small & large
    assert {int(zoo.size[number]) >= 50 for number in large} == {True}


def test_an_element_of_white_space_has_an_empty_span():
    start, end, parent = np.array([0, 0, 1]), np.array([3, 1, 3]), np.array([-1, 0, 0])
    separated, starts, ends = separate_blocks("a \n", start, end, parent)
    assert [separated[first:last].split() for first, last in zip(starts, ends, strict=True)] == [
        ["a"],
        ["a"],
        [],
    ]
    assert ends[2] == starts[2]


@st.composite
def nested(draw):
    """Draw a text, and the spans and parents of nested elements in document order."""
    text = draw(st.text(alphabet="ab \né😀", max_size=30))
    rows = []

    def grow(first, last, parent, depth):
        row = len(rows)
        rows.append((first, last, parent))
        cuts = sorted(draw(st.lists(st.integers(first, last), max_size=4 if depth < 3 else 0)))
        for left, right in zip(cuts[::2], cuts[1::2], strict=False):
            grow(left, right, row, depth + 1)

    grow(0, len(text), -1, 0)
    return text, *(np.array(column) for column in zip(*rows, strict=True))


@given(nested())
def test_only_line_ends_are_added_and_elements_keep_their_text(case):
    text, start, end, parent = case
    separated, starts, ends = separate_blocks(text, start, end, parent)
    assert separated.replace("\n", "") == text.replace("\n", "")
    for first, last, left, right in zip(start, end, starts, ends, strict=True):
        expected = text[first:last].replace("\n", "")
        assert separated[left:right].replace("\n", "") == (expected if expected.strip() else "")
