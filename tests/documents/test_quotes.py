"""Quoted text: found, not found, or found several times, and never guessed."""

import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.documents.collection import read_collection
from doxel.documents.ingest import ingest
from doxel.documents.quotes import _SPACES, NOT_FOUND, SEVERAL, Found, QuotableText, find_quotes

letters = st.text("ab \n\U0001f600", min_size=1, max_size=25)


def occurrences(text, quote):
    return [at for at in range(len(text)) if text.startswith(quote, at)]


@given(letters, letters)
def test_exact_matches_come_first_and_must_be_alone(text, quote):
    found = QuotableText(text).find(quote)
    exact = occurrences(text, quote)
    if not quote.strip():
        assert found == Found(-1, -1, NOT_FOUND)
    elif len(exact) == 1:
        assert found == Found(exact[0], exact[0] + len(quote))
    elif exact:
        assert found == Found(-1, -1, SEVERAL)


@given(letters, letters)
def test_then_white_space_does_not_count(text, quote):
    squeezed, wanted = "".join(text.split()), "".join(quote.split())
    if occurrences(text, quote) or not wanted:
        return
    found = QuotableText(text).find(quote)
    places = occurrences(squeezed, wanted)
    assert found.problem == (None if len(places) == 1 else SEVERAL if places else NOT_FOUND)
    if len(places) == 1:
        there = text[found.start : found.end]
        assert "".join(there.split()) == wanted
        assert there == there.strip()
        assert "".join(text[: found.start].split()) == squeezed[: places[0]]


@given(letters.filter(str.strip), st.integers(0, 20), st.integers(1, 20))
def test_a_quotation_with_its_surroundings_is_found_where_it_was_taken(text, start, length):
    quote = text[start : start + length]
    if quote.strip():
        found = QuotableText(text).find(quote, prefix=text[:start], suffix=text[start + length :])
        assert found == Found(start, start + len(quote))


@pytest.mark.parametrize("prefix", ["", "zzz"])
def test_surroundings_that_fit_nowhere_decide_nothing(prefix):
    assert QuotableText("one two one").find("one", prefix=prefix).problem == SEVERAL


def test_surroundings_are_not_needed_where_there_is_one_place():
    assert QuotableText("one two").find("two", prefix="three") == Found(4, 7)


def test_all_white_space_of_unicode_is_known():
    assert _SPACES.tolist() == [code for code in range(sys.maxunicode + 1) if chr(code).isspace()]


def test_many_quotations_in_many_documents(tmp_path):
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
    assert problem.to_list() == [None, None, NOT_FOUND, NOT_FOUND, NOT_FOUND]
