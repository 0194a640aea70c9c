"""Texts cut from a document one after the other are placed in its order, repeated ones too."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.alignment import successive_texts
from doxel.alignment.successive_texts import place_in_order

BOILERPLATE = "See the licence for details."


def places(document, texts):
    return [(span.start, span.end) for span in place_in_order(document, texts)]


def cut(document, spans):
    return [document[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("document", "spans"),
    [
        ("aaaa", [(0, 2), (2, 4)]),
        ("to be or to be", [(0, 5), (6, 8), (9, 14)]),
        ("abc abc abc abc abc abc", [(0, 7), (4, 11), (8, 15), (12, 19), (16, 23)]),
        # a repeated paragraph, with and without the unique text around it as overlap
        ("one. same. two. same. three.", [(0, 10), (5, 15), (11, 21), (16, 28)]),
        ("same. one. same. two. same.", [(0, 5), (6, 10), (11, 16), (17, 21), (22, 27)]),
        # the second text is also the end of the first one
        ("x same y same", [(0, 6), (7, 8), (9, 13)]),
        ("a b b a", [(0, 1), (2, 3), (4, 5), (6, 7)]),
        # a text may begin with the whole text before it
        ("7 0 72 72 end", [(4, 6), (4, 9), (10, 13)]),
    ],
)
def test_repeated_texts_are_placed_where_they_were_cut(document, spans):
    assert places(document, cut(document, spans)) == spans


@pytest.mark.parametrize(("size", "overlap"), [(100, 0), (100, 20), (37, 5)])
def test_text_of_one_repeated_character_is_placed_with_equal_overlaps(size, overlap):
    document = "=" * (size + 12 * (size - overlap))
    spans = [(start, start + size) for start in range(0, len(document) - overlap, size - overlap)]
    assert places(document, cut(document, spans)) == spans


def test_repeated_paragraphs_between_unique_ones_are_placed_with_overlap():
    units = [unit for number in range(60) for unit in (f"Item {number}.", BOILERPLATE, BOILERPLATE)]
    document = "\n\n".join(units)
    borders = list(itertools.accumulate((len(unit) + 2 for unit in units), initial=0))
    spans = [(borders[k], borders[k + 2] - 2) for k in range(len(units) - 1)]  # two units, one repeated
    assert places(document, cut(document, spans)) == spans


def cost_of(document, spans):
    """Return the order of preference of a selection: going back, containment, squares of overlaps."""
    back = contained = squares = 0
    steps = [(-1, 0), *spans, (len(document), len(document) + 1)]
    for (start, end), (next_start, next_end) in itertools.pairwise(steps):
        back += next_start < start
        contained += next_end <= end
        squares += max(end - next_start, 0) ** 2
    return back, contained, squares


@settings(max_examples=150)
@given(st.text("ab ", min_size=1, max_size=12), st.data())
def test_no_other_selection_of_places_is_better(document, data):
    spans = data.draw(
        st.lists(
            st.tuples(st.integers(0, len(document) - 1), st.integers(1, 4)).map(
                lambda pair: (pair[0], min(pair[0] + pair[1], len(document)))
            ),
            min_size=1,
            max_size=4,
        ).map(sorted)
    )
    texts = cut(document, spans)
    selected = places(document, texts)
    assert cut(document, selected) == texts
    everywhere = [
        [(at, at + len(text)) for at in range(len(document) - len(text) + 1) if document.startswith(text, at)]
        for text in texts
    ]
    best = min(cost_of(document, choice) for choice in itertools.product(*everywhere))
    assert cost_of(document, selected) == best


def test_changed_texts_are_found_folded_or_with_differences_near_the_text_before():
    document = (
        "First of all, switch it off.\n\nThen remove the lid with care and wait an hour.\n\nDone at last."
    )
    texts = [
        "FIRST OF ALL, SWITCH IT OFF.",
        "Then remove the lid wiht care and wait an hour.",
        "Done at last.",
    ]
    spans = place_in_order(document, texts)
    assert [span.how for span in spans] == ["folded", "fuzzy", "exact"]
    assert [document[span.start : span.end] for span in spans][1:] == [
        "Then remove the lid with care and wait an hour.",
        "Done at last.",
    ]


def test_of_a_damaged_text_that_occurs_twice_the_place_after_the_text_before_is_taken():
    passage = "The pump must be vented before the heater is switched on again."
    document = f"{passage}\n\nUnique middle part.\n\n{passage}\n"
    damaged = passage.replace("vented", "vnted")
    spans = place_in_order(document, ["Unique middle part.", damaged])
    assert spans[1].start == document.rindex(passage)


def test_a_text_that_occurs_nowhere_is_unplaced_and_the_others_are_not_moved():
    spans = place_in_order("one two one", ["one", "nowhere at all", "", "one"])
    assert [(span.start, span.end, span.how) for span in spans] == [
        (0, 3, "exact"),
        (-1, -1, "unplaced"),
        (-1, -1, "unplaced"),
        (8, 11, "exact"),
    ]


def test_texts_that_start_again_from_the_front_are_placed_by_their_text():
    # a hierarchy: the whole text, then its halves
    assert places("one two three four", ["one two three four", "one two", "three four"]) == [
        (0, 18),
        (0, 7),
        (8, 18),
    ]


def test_of_too_many_places_those_near_an_even_distribution_are_compared(monkeypatch):
    monkeypatch.setattr(successive_texts, "_MOST", 50)
    document = "-" * 2_000
    spans = [(start, start + 100) for start in range(0, 1_901, 95)]
    assert places(document, cut(document, spans)) == spans


def test_a_changed_text_is_placed_in_order_though_an_equal_one_is_elsewhere():
    document = "Early Stage\n\nWe saw nothing.\n\nAt the early stage it grows, then stops.\n\nThe End\n"
    texts = document.strip().split("\n\n")
    spans = place_in_order(document, [text.lower() for text in texts])
    assert [document[span.start : span.end] for span in spans] == texts


def test_a_text_that_was_not_changed_keeps_its_white_space_among_changed_ones():
    document = "One one. TWO two.\n three three\n"
    spans = place_in_order(document, ["one one.", "two two.", "\n three three"])
    assert [(span.start, span.end) for span in spans] == [(0, 8), (9, 17), (17, 30)]
