"""Built-in splitters return spans that cover the unchanged text."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.chunking import cut_collection
from doxel.chunking.chunkers import BUILT_IN_CHUNKERS, add_texts, as_chunker, find_chunker, find_headings
from doxel.chunking.splitters import PlacementCounts
from doxel.documents import read_collection
from doxel.documents.collection import TextCollection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError

TEXTS = st.text(st.sampled_from("ab.!?# \n\t\u3000é🙂`"), max_size=80)
NONE = np.zeros(0, dtype=np.int64)


def cut(name, text):
    start, end = find_chunker(name).cut(text, find_headings(text), "doc")
    return list(zip(start.tolist(), end.tolist(), strict=True))


@given(TEXTS, st.sampled_from(sorted(BUILT_IN_CHUNKERS)), st.integers(1, 12))
def test_without_overlap_the_chunks_add_up_to_the_text(text, name, size):
    spans = cut(f"{name}:{size}", text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(end > start for start, end in spans)


@given(TEXTS, st.sampled_from(sorted(BUILT_IN_CHUNKERS)), st.integers(1, 8), st.integers(0, 7))
def test_with_overlap_no_chunk_is_inside_another(text, name, size, overlap):
    if overlap >= size:
        return
    spans = cut(f"{name}:{size}:{overlap}", text)
    for (start, end), (next_start, next_end) in itertools.pairwise(spans):
        assert start < next_start <= end < next_end
    if text:
        assert spans[0][0] == 0
        assert spans[-1][1] == len(text)


def test_characters_are_cut_with_overlap():
    assert cut("characters:4:2", "abcdefgh") == [(0, 4), (2, 6), (4, 8)]
    assert cut("characters:100", "abc") == [(0, 3)]
    assert cut("characters:3", "") == []


def test_tokens_keep_the_white_space_after_them():
    assert [" To  be or not"[a:b] for a, b in cut("tokens:2", " To  be or not")] == [" To  be ", "or not"]
    assert [" To  be or not"[a:b] for a, b in cut("tokens:2:1", " To  be or not")] == [
        " To  be ", "be or ", "or not",
    ]  # fmt: skip


def test_sentences_and_paragraphs_are_cut():
    text = "One. Two!\n\nThree.\n \nFour."
    assert [text[a:b] for a, b in cut("sentences", text)] == ["One. ", "Two!\n\n", "Three.\n \n", "Four."]
    assert [text[a:b] for a, b in cut("paragraphs", text)] == ["One. Two!\n\n", "Three.\n \n", "Four."]
    assert [text[a:b] for a, b in cut("paragraphs:2", text)] == ["One. Two!\n\nThree.\n \n", "Four."]


def test_headings_of_markdown_are_found_except_in_code():
    text = "intro\n# A\nx\n~~~\n# code\n~~~~\n   ###### B ##\n####### none\n#none\n    # indented\n#\n"
    assert [text[at:].split("\n", maxsplit=1)[0] for at in find_headings(text)] == [
        "# A",
        "   ###### B ##",
        "#",
    ]
    assert cut("headings", text)[0] == (0, 6)


def test_a_windows_line_end_counts_as_two_characters():
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
        ("sentences:two", "wanted sentences:SIZE or .*, in whole numbers, found 'two'"),
        ("sentences:2:x", "wanted sentences:SIZE or .*, in whole numbers, found '2:x'"),
        ("nowhere.py:split", "nowhere.py: the file of a chunker: wanted a Python file"),
    ],
)
def test_invalid_names_are_rejected(name, sentence):
    with pytest.raises(InputError, match=sentence):
        find_chunker(name)


# ---- custom functions


def write_chunker(tmp_path, code):
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
def test_a_custom_function_may_return_spans_or_texts(tmp_path, returned):
    assert cut(write_chunker(tmp_path, f"def split(text):\n    return {returned}\n"), "abcdefgh") == [
        (0, 3),
        (2, 7),
    ]


def test_equal_texts_are_found_at_different_places(tmp_path):
    assert cut(write_chunker(tmp_path, "split = str.split"), "to to be to") == [
        (0, 2),
        (3, 5),
        (6, 8),
        (9, 11),
    ]


@pytest.mark.parametrize(
    ("returned", "sentence"),
    [
        ("[(0, 99)]", r"document 'doc', chunk 1: wanted .* within 8 characters, found \[0, 99\)"),
        ("[(0, 2), (3, 3)]", r"chunk 2: wanted a span that is not empty, .* found \[3, 3\)"),
        ("[(-1, 2)]", r"found \[-1, 2\)"),
        ("[1, 2]", r"document 'doc', chunk 1: wanted a list of texts, of spans .*, found 1"),
        ("[(0, 1), 'abc']", "wanted a list of texts, .* found chunks with a text and chunks without"),
    ],
)
def test_a_chunk_that_is_not_a_span_of_the_text_is_rejected(tmp_path, returned, sentence):
    name = write_chunker(tmp_path, f"def split(text):\n    return {returned}\n")
    with pytest.raises(InputError, match=sentence):
        cut(name, "abcdefgh")


def test_a_broken_file_and_a_missing_function_are_reported(tmp_path):
    with pytest.raises(InputError, match=r"the file of a chunker does not run: found ZeroDivisionError"):
        find_chunker(write_chunker(tmp_path, "1 / 0"))
    with pytest.raises(InputError, match=r"wanted a function split\(text\) or .*, found no such function"):
        find_chunker(write_chunker(tmp_path, "divide = None"))


def test_a_file_may_contain_a_splitter_object_and_the_chunker_has_the_name_as_written(tmp_path):
    code = (
        "class Splitter:\n    def split_text(self, text):\n        return text.split()\nsplit = Splitter()\n"
    )
    name = write_chunker(tmp_path, code)
    assert find_chunker(name).name == name
    assert cut(name, "to be to") == [(0, 2), (3, 5), (6, 8)]


def test_a_name_in_a_file_that_cannot_cut_texts_is_rejected(tmp_path):
    with pytest.raises(InputError, match=r"wanted a function split\(text\) or a splitter split, found 5"):
        find_chunker(write_chunker(tmp_path, "split = 5"))
    with pytest.raises(InputError, match=r"wanted an object, such as split\(...\), found the class split"):
        find_chunker(write_chunker(tmp_path, "class split:\n    def split_text(self, text): ..."))


def test_chunks_that_no_document_contains_are_counted_and_reported_with_the_first():
    collection = TextCollection({"a": "abc def", "b": "ghi"})
    chunker = as_chunker(lambda text: [text[:3], "never seen before"], "mine")
    counts = {"mine": PlacementCounts()}
    (chunks,) = cut_collection(collection, [chunker], counts)
    assert chunks.rows() == [("a", 0, 3), ("b", 0, 3)]
    (note,) = counts["mine"].describe("mine")
    assert note.startswith("mine: 2 of 4 chunks not found in the documents and left out; ")
    assert note.endswith("the first: document 'a', chunk 2, 'never seen before'")


def test_a_splitter_whose_chunks_are_all_unknown_is_rejected():
    chunker = as_chunker(lambda _text: ["never seen before"], "mine")
    with pytest.raises(InputError, match=r"chunker 'mine': wanted texts .*, found 1 chunk, none of them in"):
        cut_collection(TextCollection({"a": "abc def"}), [chunker])


def test_section_elements_take_precedence_over_headings_in_the_text(tmp_path):
    (tmp_path / "a.xml").write_text(
        "<article><p>in</p><sec>one<sec>two</sec></sec><sec># no\n</sec></article>"
    )
    ingest([str(tmp_path / "a.xml")], str(tmp_path / "c"))
    (chunks,) = cut_collection(read_collection(tmp_path / "c"), [find_chunker("headings")])
    assert chunks.select("start", "end").rows() == [(0, 2), (2, 5), (5, 8), (8, 13)]
    (chunks,) = cut_collection(TextCollection({"a": "in\n# one\n"}), [find_chunker("headings")])
    assert chunks.rows() == [("a", 0, 3), ("a", 3, 9)]


def test_the_texts_of_chunks_add_up_to_the_documents():
    collection = TextCollection({"a": "abc def", "b": "ghi"})
    (chunks,) = cut_collection(collection, [find_chunker("characters:4")])
    assert add_texts(collection, chunks).select("doc", "text").rows() == [
        ("a", "abc "),
        ("a", "def"),
        ("b", "ghi"),
    ]
