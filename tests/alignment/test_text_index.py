"""The index finds what a slow search finds, in a scan and by sequences."""

import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alignment.variants import write_words
from doxel.alignment import text_index
from doxel.alignment.folding import fold
from doxel.alignment.text_index import EAST_ASIAN_GRAM, GRAM, SHORT_GRAM, Place, TextIndex, hash_grams
from doxel.errors import InputError

words = st.text("abAB é.\n", max_size=30)
documents = st.lists(words, min_size=1, max_size=4)


def exact_places(texts, quote):
    """Every document and every offset, one after the other."""
    return [
        Place(number, at, at + len(quote))
        for number, text in enumerate(texts)
        for at in range(len(text) - len(quote) + 1)
        if text[at : at + len(quote)] == quote
    ]


def folded_starts(texts, quote):
    """The document and source offset of every place whose folded characters are those of the quotation."""
    wanted = fold(quote).text
    return [
        (number, int(folded.start[at]))
        for number, folded in enumerate(map(fold, texts))
        for at in range(len(folded.text) - len(wanted) + 1)
        if folded.text[at : at + len(wanted)] == wanted
    ]


@given(documents, st.text("abAB é.\n", min_size=1, max_size=5))
def test_exact_places_are_those_of_a_slow_search(texts, quote):
    assert TextIndex(texts).find_exact(quote) == exact_places(texts, quote)


@given(documents, st.text("abAB é.\n", min_size=1, max_size=5))
def test_folded_places_are_those_of_a_slow_search(texts, quote):
    folded = fold(quote)
    if not folded.text:
        return
    places = TextIndex(texts).find_folded(quote, folded)
    starts = folded_starts(texts, quote)
    assert [place.document for place in places] == [document for document, _ in starts]
    for place, (document, start) in zip(places, starts, strict=True):
        assert fold(texts[document][place.start : place.end]).text == folded.text
        # only punctuation is added before the first letter
        assert fold(texts[document][place.start : start]).text == ""


@given(st.data())
def test_a_large_index_finds_the_same_places_by_sequences(data):
    texts = data.draw(st.lists(st.text("abcA é.", min_size=GRAM, max_size=80), min_size=1, max_size=4))
    source = data.draw(st.sampled_from(texts))
    start = data.draw(st.integers(0, len(source) - 1))
    quote = source[start : start + data.draw(st.integers(1, 40))]
    quote = data.draw(st.sampled_from([quote, quote.lower(), f"{quote}.", quote + quote]))
    folded = fold(quote)
    small, large = TextIndex(texts), TextIndex(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_index, "_LARGE", -1)
        places = large.find(quote, folded)
    assert places == small.find(quote, folded)


def test_overlapping_places_all_count():
    assert len(TextIndex(["aaaa"]).find_exact("aa")) == 3


def test_a_text_never_matches_across_two_documents():
    index = TextIndex(["one two", "three"])
    assert index.find_exact("two\0three") == []
    assert index.find("two three", fold("two three"))[0] == []
    assert TextIndex(["a\0b", "c"]).find_exact("a\0b") == [Place(0, 0, 3)]


@pytest.mark.parametrize(
    ("document", "text", "match"),
    [
        ("He said: “Stop here.” Then", '"stop here."', "“Stop here.”"),
        ("He said: “Stop here.” Then", "stop here", "Stop here"),
        ("He said: “Stop here.” Then", "STOP HERE...", "Stop here."),
        ("a (see below) b", "**(See below)**", "(see below)"),
        ("a — so it is", "> **— _So_ it is**", "— so it is"),
        ("see [it](a/b.md). So", "SEE [it](a/b.md). ...", "see [it](a/b.md)."),
        ("see [it](a/b.md) So", "…SEE [it](a/b.md)…", "see [it](a/b.md)"),
        ("so \u2642\u200d\u2640 it is", "\u2642\u200d\u2640 IT", "\u2642\u200d\u2640 it"),
        ("costs $5 a day", "$5 A DAY", "$5 a day"),
        ("up - to -", "UP to", "up - to"),
        ("one — two", "ONE —", "one —"),
        ("a . = = One", "= = one", "= = One"),
        ("one ) . Two", "ONE)...", "one"),
        ("one.\n\n“Two” is", "<p class='.'>two</p>", "Two"),
        ("one.\n\n“Two” is", "<p>&quot;two&#34;</p>", "“Two”"),
        ("so <b>one</b> is", "<B>One</B>", "<b>one</b>"),
        ("so <b>one</b> is", "**One**", "one"),
        ("one - two", "\ufeff- Two ", "- two"),
        ("the cafe\u0301 is", "CAFÉ", "cafe\u0301"),
        ("fish &amp; chips &eacute;", "Fish & chips é", "fish &amp; chips &eacute;"),
        ("<b>Bold</b> word", "bold word", "Bold</b> word"),
    ],
)  # fmt: skip
def test_a_span_is_widened_over_punctuation_that_the_text_has_but_not_over_outer_white_space(
    document, text, match
):
    (place,) = TextIndex([document]).find_folded(text, fold(text))
    assert document[place.start : place.end] == match


@pytest.mark.parametrize(
    ("document", "text", "match"),
    [
        ("so [one two](a/b.md). Three", "[one two](a/b.md). Foreign", "[one two](a/b.md)."),
        ("so | one two |\n| --- |\n| three", "| one two |\n| --- |\n more", "| one two |\n| --- |"),
        ("a. [one two] b", "foreign. [one two] (more", "[one two]"),
        ("(one two) (b", "foreign) (one two) (more", "(one two)"),
        ("“one two”b", "foreign“one two”more", "“one two”"),
    ],
)  # fmt: skip
def test_marks_beside_foreign_text_belong_to_the_text_that_they_touch(document, text, match):
    index, folded = TextIndex([document]), fold(text)
    first, start = folded.text.index("onetwo"), index.folded.text.index("onetwo")
    place = index.widen(start, start + 6, text, folded, first, first + 6)
    assert document[place.start : place.end] == match


def test_symbols_are_compared_without_white_space():
    index = TextIndex(["a + - b", "+-+ -"])
    assert index.find("+-", fold("+-"))[0] == [Place(1, 0, 2)]
    assert index.find("-+", fold("-+"))[0] == [Place(1, 1, 3)]
    assert index.find("+ -\n", fold("+ -\n")) == (
        [Place(0, 2, 5), Place(1, 0, 2), Place(1, 2, 5)],
        "folded",
    )


def test_equal_sequences_have_equal_hashes():
    hashes = hash_grams("abcdefghijabcdefghij")
    assert hashes[0] == hashes[10]
    assert len(np.unique(hashes)) == 10
    assert len(hash_grams("short")) == 0
    assert len(hash_grams("short", 5)) == 1
    assert np.array_equal(hash_grams("abcabc", 3)[[0, 3]], hash_grams("abcxabc", 3)[[0, 4]])


def test_frequent_sequences_are_left_out_unless_there_are_no_others():
    index = TextIndex(["abcdefghij " * 20 + "klmnopqrst"])
    rows, indexes = index.find_grams(hash_grams("abcdefghijklmnopqrst")[[0, 10]], 5)
    assert (rows.tolist(), indexes.tolist()) == ([1], [200])
    rows, indexes = index.find_grams(hash_grams("abcdefghij"), 5)
    assert (rows.tolist(), indexes.tolist()) == ([0] * 5, [0, 10, 20, 30, 40])


def test_short_sequences_have_an_index_of_their_own_built_on_first_use():
    index = TextIndex(["abcdefghij", "xxcdefghxx"])
    assert index.find_grams(hash_grams("abcdefghij"), 5)[1].tolist() == [0]
    assert "_short_keys" not in vars(index)
    rows, indexes = index.find_grams(hash_grams("cdefg", SHORT_GRAM), 5, SHORT_GRAM)
    assert (rows.tolist(), indexes.tolist()) == ([0, 0], [2, 13])


def test_an_empty_index_finds_nothing():
    index = TextIndex([""])
    assert index.find("a", fold("a"))[0] == []
    assert len(index.find_grams(hash_grams("abcdefghij"), 5)[0]) == 0


def test_documents_too_large_for_the_index_are_refused(monkeypatch):
    monkeypatch.setattr(text_index, "_LARGEST_INDEX", 5)
    with pytest.raises(InputError, match="too large to search all of them"):
        TextIndex(["abcdef"]).find_folded("a", fold("a"))


@pytest.mark.parametrize("text", [write_words(20_000), "\u6f22\u5b57\u304b\u306a" * 30_000])
def test_an_index_takes_at_most_40_bytes_per_character(text):
    index = TextIndex([text])
    tracemalloc.start()
    for size in (GRAM, SHORT_GRAM, EAST_ASIAN_GRAM):
        index.find_grams(hash_grams(text[:50], size), 5, size)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak + sys.getsizeof(text) <= 40 * len(text)


def find_all(text, *documents):
    return text_index.find_places(TextIndex(documents), text, fold(text))


def test_all_letters_of_a_cut_tag_or_address_agree_with_the_document():
    document = "[A user](other.md) and [a user](user.md)"
    assert find_all("[A USER](US", document) == ([Place(0, 23, 34)], "folded")
    assert find_all("[A USER](GR", document)[0] == []
    assert find_all("ER.MD) AND", document) == ([Place(0, 12, 22)], "folded")
    assert find_all("GR.MD) AND", document)[0] == []


def test_outer_marks_are_found_though_all_white_space_was_removed():
    assert find_all("|a|b|", "See | A | b | c") == ([Place(0, 4, 13)], "folded")
    assert find_all("b|", "See | A | b | c")[0] != [Place(0, 10, 13)]  # one word has no white space to remove


def test_marks_of_tokenizers_stand_for_white_space_and_broken_characters():
    document = "Say: *** The LID \u2615 is *** hot \u00fc"
    assert find_all("\u2581***\u2581the\u2581lid\u2581\u2615\u2581is\u2581***", document) == (
        [Place(0, 5, 25)],
        "folded",
    )
    assert find_all("the li ##d \u2615 is *** hot \ufffd", document) == ([Place(0, 9, 29)], "folded")


def test_lines_and_sentences_begin_at_borders():
    index = TextIndex(["To be. Or\nnot", "", "(To) be"])  # folded: tobeornot, nothing, tobe
    assert index.folded.text == "tobeornot\0\0tobe"
    assert [at for at in range(16) if index.is_border(at)] == [0, 4, 6, 9, 10, 11, 15]
