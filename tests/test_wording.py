"""Helpers for messages: plural forms, short lists and values, spelling hints."""

import pytest

from doxel.wording import did_you_mean, escape_unprintable, join_words, pluralise, quote_value


@pytest.mark.parametrize(
    ("count", "words", "text"),
    [
        (0, ("topic",), "0 topics"),
        (1, ("topic",), "1 topic"),
        (2, ("topic",), "2 topics"),
        (1_000_000, ("row",), "1,000,000 rows"),
        (1, ("query", "queries"), "1 query"),
        (2, ("query", "queries"), "2 queries"),
        (1, ("result is", "results are"), "1 result is"),
    ],
)
def test_a_number_and_its_noun_agree(count, words, text):
    assert pluralise(count, *words) == text


@pytest.mark.parametrize(
    ("words", "text"),
    [([], ""), (["a"], "a"), (list("abcde"), "a, b, c, d, e"), (list("abcdef"), "a, b, c, d, e, ...")],
)
def test_a_long_list_ends_in_dots(words, text):
    assert join_words(words) == text


def test_a_value_is_quoted_and_shortened():
    assert quote_value("a") == "'a'"
    assert quote_value({"a": 1}) == "{'a': 1}"
    assert quote_value("x" * 61) == "'" + "x" * 59 + "..."


def test_an_object_that_cannot_be_shown_is_named_by_its_type():
    class Broken:
        def __repr__(self):
            raise RuntimeError

    assert quote_value(Broken()) == "an object of type Broken"
    assert quote_value([Broken()]) == "an object of type list"


def test_only_a_similar_word_is_suggested():
    assert did_you_mean("focussed", ("thorough", "focused")) == "; did you mean focused?"
    assert did_you_mean("", ("thorough", "focused")) == ""


def test_a_value_nested_deeper_than_the_recursion_limit_is_still_described():
    value = 1
    for _ in range(100_000):
        value = [value]
    assert quote_value(value) == "a very deeply nested list"


def test_terminal_escapes_and_lone_surrogates_are_escaped():
    assert escape_unprintable("a\x1b[2Jb\x07\r\x9b\tc") == r"a\x1b[2Jb\x07\r\x9b\tc"
    assert escape_unprintable("\u202egnp.exe\u2066 \ud800") == r"\u202egnp.exe\u2066 \ud800"
    assert escape_unprintable("two\nlines, é, 😀") == "two\nlines, é, 😀"
