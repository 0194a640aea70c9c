"""Built-in ways of cutting a text: spans of the unchanged text that leave nothing out."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.chunking.chunkers import BUILT_IN, chunker_named
from doxel.chunking.splitters import headings
from doxel.errors import InputError

TEXTS = st.text(st.sampled_from("ab.!?# \n\t\u3000é🙂`"), max_size=80)
NONE = np.zeros(0, dtype=np.int64)


def cut(name, text):
    start, end = chunker_named(name).cut(text, headings(text), "doc")
    return list(zip(start.tolist(), end.tolist(), strict=True))


@given(TEXTS, st.sampled_from(sorted(BUILT_IN)), st.integers(1, 12))
def test_without_overlap_chunks_are_the_text_in_pieces(text, name, size):
    spans = cut(f"{name}:{size}", text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(end > start for start, end in spans)


@given(TEXTS, st.sampled_from(sorted(BUILT_IN)), st.integers(1, 8), st.integers(0, 7))
def test_with_overlap_chunks_follow_one_another_and_none_lies_in_another(text, name, size, overlap):
    if overlap >= size:
        return
    spans = cut(f"{name}:{size}:{overlap}", text)
    for (start, end), (next_start, next_end) in itertools.pairwise(spans):
        assert start < next_start <= end < next_end
    if text:
        assert spans[0][0] == 0
        assert spans[-1][1] == len(text)


def test_characters_with_overlap():
    assert cut("characters:4:2", "abcdefgh") == [(0, 4), (2, 6), (4, 8)]
    assert cut("characters:100", "abc") == [(0, 3)]
    assert cut("characters:3", "") == []


def test_tokens_keep_the_white_space_after_them():
    assert [" To  be or not"[a:b] for a, b in cut("tokens:2", " To  be or not")] == [" To  be ", "or not"]
    assert [" To  be or not"[a:b] for a, b in cut("tokens:2:1", " To  be or not")] == [
        " To  be ", "be or ", "or not",
    ]  # fmt: skip


def test_sentences_and_paragraphs():
    text = "One. Two!\n\nThree.\n \nFour."
    assert [text[a:b] for a, b in cut("sentences", text)] == ["One. ", "Two!\n\n", "Three.\n \n", "Four."]
    assert [text[a:b] for a, b in cut("paragraphs", text)] == ["One. Two!\n\n", "Three.\n \n", "Four."]
    assert [text[a:b] for a, b in cut("paragraphs:2", text)] == ["One. Two!\n\nThree.\n \n", "Four."]


def test_headings_of_markdown_but_not_in_code():
    text = "intro\n# A\nx\n~~~\n# code\n~~~~\n   ###### B ##\n####### none\n#none\n    # indented\n#\n"
    assert [text[at:].split("\n", maxsplit=1)[0] for at in headings(text)] == ["# A", "   ###### B ##", "#"]
    assert cut("headings", text)[0] == (0, 6)


def test_windows_end_of_line_is_one_character_more():
    text = "# A\r\nx\r\n# B\r\n"
    assert cut("headings", text) == [(0, 8), (8, 13)]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("paragraph", "wanted one of characters, .*; did you mean paragraphs?"),
        ("characters", "wanted characters:SIZE .*, found no size"),
        ("tokens:0", "found size 0, overlap 0"),
        ("tokens:5:5", "found size 5, overlap 5"),
        ("sentences:2:3", "found size 2, overlap 3"),
        ("sentences:two", "wanted one of characters"),
        ("nowhere.py:split", "nowhere.py: the file of a chunker: wanted a Python file"),
    ],
)
def test_names_that_are_none_are_refused(name, sentence):
    with pytest.raises(InputError, match=sentence):
        chunker_named(name)


# ---- functions of one's own


def own(tmp_path, code):
    (tmp_path / "mine.py").write_text(code)
    return f"{tmp_path}/mine.py:split"


@pytest.mark.parametrize(
    "returned",
    [
        "[(0, 3), (2, 7)]",
        "[[0, 3], [2, 7]]",
        "[text[0:3], text[2:7]]",
        "((a, b) for a, b in [(0, 3), (2, 7)])",
        "__import__('numpy').array([[0, 3], [2, 7]])",
        "(__import__('numpy').array([0, 2]), __import__('numpy').array([3, 7]))",
    ],
)
def test_spans_or_texts(tmp_path, returned):
    assert cut(own(tmp_path, f"def split(text):\n    return {returned}\n"), "abcdefgh") == [(0, 3), (2, 7)]


def test_the_same_text_twice_is_found_twice(tmp_path):
    assert cut(own(tmp_path, "split = str.split"), "to to be to") == [(0, 2), (3, 5), (6, 8), (9, 11)]


@pytest.mark.parametrize(
    ("returned", "sentence"),
    [
        ("[(0, 99)]", r"document 'doc', chunk 1: wanted .* within 8 characters, found \[0, 99\)"),
        ("[(0, 2), (3, 3)]", r"chunk 2: wanted a span that holds something, .* found \[3, 3\)"),
        ("[(-1, 2)]", r"found \[-1, 2\)"),
        ("['abc', 'never']", "chunk 2: wanted a text that stands in the document, .* found 'never'"),
        ("[1, 2]", r"wanted spans \(start, end\), or texts, found \[1, 2\]"),
        ("[(0, 1), 'abc']", "wanted spans"),
    ],
)
def test_what_is_no_span_of_the_text_is_refused(tmp_path, returned, sentence):
    name = own(tmp_path, f"def split(text):\n    return {returned}\n")
    with pytest.raises(InputError, match=sentence):
        cut(name, "abcdefgh")


def test_a_file_that_does_not_run_and_a_function_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"the file of a chunker does not run: found ZeroDivisionError"):
        chunker_named(own(tmp_path, "1 / 0"))
    with pytest.raises(InputError, match=r"wanted a function split\(text\), found no such function"):
        chunker_named(own(tmp_path, "divide = None"))
