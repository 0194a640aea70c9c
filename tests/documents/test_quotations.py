"""Quotations: found once, not found, or found several times, and never guessed."""

import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.documents.collection import read_collection
from doxel.documents.ingestion import ingest
from doxel.documents.quotations import (
    _SPACES,
    QUOTE_AMBIGUOUS,
    QUOTE_NOT_FOUND,
    QuotableText,
    QuotedSpan,
    find_quotes,
)

letters = st.text("ab \n\U0001f600", min_size=1, max_size=25)


def occurrences(text, quote):
    return [at for at in range(len(text)) if text.startswith(quote, at)]


@given(letters, letters)
def test_an_exact_match_comes_first_and_must_be_unique(text, quote):
    span = QuotableText(text).find(quote)
    exact = occurrences(text, quote)
    if not quote.strip():
        assert span == QuotedSpan(-1, -1, QUOTE_NOT_FOUND)
    elif len(exact) == 1:
        assert span == QuotedSpan(exact[0], exact[0] + len(quote))
    elif exact:
        assert span == QuotedSpan(-1, -1, QUOTE_AMBIGUOUS)


@given(letters, letters)
def test_without_an_exact_match_white_space_is_ignored(text, quote):
    squeezed, squeezed_quote = "".join(text.split()), "".join(quote.split())
    if occurrences(text, quote) or not squeezed_quote:
        return
    span = QuotableText(text).find(quote)
    places = occurrences(squeezed, squeezed_quote)
    assert span.problem == (None if len(places) == 1 else QUOTE_AMBIGUOUS if places else QUOTE_NOT_FOUND)
    if len(places) == 1:
        match = text[span.start : span.end]
        assert "".join(match.split()) == squeezed_quote
        assert match == match.strip()
        assert "".join(text[: span.start].split()) == squeezed[: places[0]]


@given(letters.filter(str.strip), st.integers(0, 20), st.integers(1, 20))
def test_a_quotation_with_its_context_is_found_where_it_came_from(text, start, length):
    quote = text[start : start + length]
    if quote.strip():
        span = QuotableText(text).find(quote, prefix=text[:start], suffix=text[start + length :])
        assert span == QuotedSpan(start, start + len(quote))


@pytest.mark.parametrize("prefix", ["", "zzz"])
def test_a_context_that_matches_nowhere_decides_nothing(prefix):
    assert QuotableText("one two one").find("one", prefix=prefix).problem == QUOTE_AMBIGUOUS


def test_the_context_is_ignored_if_there_is_only_one_match():
    assert QuotableText("one two").find("two", prefix="three") == QuotedSpan(4, 7)


def test_all_white_space_of_unicode_is_known():
    assert _SPACES.tolist() == [code for code in range(sys.maxunicode + 1) if chr(code).isspace()]


def test_many_quotations_are_found_in_many_documents(tmp_path):
    for name, text in {"a": "first thing", "b": "second thing"}.items():
        (tmp_path / f"{name}.xml").write_text(f"<d>{text}</d>")
    ingest([str(tmp_path)], str(tmp_path / "c.doxel"))
    collection = read_collection(tmp_path / "c.doxel")
    a, b = collection.number("a"), collection.number("b")
    start, end, problem = find_quotes(
        collection, np.array([b, a, -1, b, a]), pl.Series(["thing", "first", "first", "first", None])
    )
    assert start.tolist() == [7, 0, -1, -1, -1]
    assert end.tolist() == [12, 5, -1, -1, -1]
    assert problem.to_list() == [None, None, QUOTE_NOT_FOUND, QUOTE_NOT_FOUND, QUOTE_NOT_FOUND]
