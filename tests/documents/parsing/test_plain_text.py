"""Paragraphs, sentences and words: spans that cover everything except white space."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.shapes import check_document, ingested, shape, slices
from doxel.documents.parsing.plain_text import ABBREVIATIONS, split_paragraphs, split_sentences, split_words
from limits import in_time
from random_share import count_cases

PIECES = st.sampled_from(
    [
        ".",
        "!",
        "?",
        "…",
        "。",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "\x0c",
        "\u2028",
        '"',
        "”",
        ")",
        "J",
        "Dr",
        "no",
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=40).map("".join)


def pieces(cut, text):
    return [text[start:end] for start, end in zip(*cut(text), strict=True)]


@given(TEXTS)
@pytest.mark.parametrize("cut", [split_paragraphs, split_sentences, split_words])
def test_only_white_space_is_left_out(cut, text):
    starts, ends = (side.tolist() for side in cut(text))
    assert all(start < end for start, end in zip(starts, ends, strict=True))
    assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))
    assert "".join("".join(pieces(cut, text)).split()) == "".join(text.split())
    assert all(piece == piece.strip() for piece in pieces(cut, text))


@given(TEXTS)
def test_a_sentence_is_within_one_paragraph(text):
    spans = list(zip(*split_paragraphs(text), strict=True))
    for start, end in zip(*split_sentences(text), strict=True):
        assert any(first <= start and end <= last for first, last in spans)


@given(TEXTS)
def test_words_are_those_of_split(text):
    assert pieces(split_words, text) == text.split()


@given(TEXTS)
def test_paragraphs_are_separated_by_blank_lines(text):
    expected: list[list[str]] = [[]]
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        expected.append([]) if not line.strip() else expected[-1].append(line)
    actual = [piece.replace("\r\n", "\n").replace("\r", "\n") for piece in pieces(split_paragraphs, text)]
    assert actual == ["\n".join(lines).strip() for lines in expected if lines]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_kind_are_recognised(line_end):
    text = line_end.join(["One", "more.", " ", "Two.", ""])
    assert pieces(split_paragraphs, text) == [f"One{line_end}more.", "Two."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("It costs 3.50. Really.", ["It costs 3.50.", "Really."]),
        ("See Fig. 3 and No. 4. Then go.", ["See Fig. 3 and No. 4.", "Then go."]),
        ("By J. R. Smith. He wrote.", ["By J. R. Smith.", "He wrote."]),
        ("He said “Go.” She went.", ["He said “Go.”", "She went."]),
        ("for instance, e.g. this one", ["for instance, e.g. this one"]),
        ("A heading\n\nand text. 2 more.", ["A heading", "and text.", "2 more."]),
        ("今天。明天！", ["今天。", "明天！"]),
        ("He said no. They left.", ["He said no.", "They left."]),
        ("no space.After it", ["no space.After it"]),
        ("emoji 😀. 😀 Next.", ["emoji 😀.", "😀 Next."]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_sentences_end_by_the_rule(text, expected):
    assert pieces(split_sentences, text) == expected


def test_abbreviations_are_shorter_than_the_search_window():
    assert all(len(word) < 8 and word.isalpha() for word in ABBREVIATIONS)
    assert pieces(split_sentences, "It is a canal. Next.") == ["It is a canal.", "Next."]  # not "al."


@pytest.mark.parametrize("piece", [".", ".)", "\n ", "\r", "a", "。", ". ", "? A", "\n\n\t"])
@pytest.mark.parametrize("cut", [split_paragraphs, split_sentences, split_words])
def test_long_texts_take_linear_time(cut, piece):
    with in_time(20):  # quadratic time would be hours
        cut(piece * 200_000)


def test_plain_text_has_paragraphs_and_sentences():
    source = "\n  One is\r\nhere. Two?\r\n\r\n\r\nThree 😀."
    with ingested({"a.txt": source}) as collection:
        document = collection["a"]
        assert document.text == source
        assert shape(document) == ("document", [("p", ["s", "s"]), ("p", ["s"])])
        assert slices(document, "p") == ["One is\r\nhere. Two?", "Three 😀."]
        assert slices(document, "s") == ["One is\r\nhere.", "Two?", "Three 😀."]


@given(st.lists(st.text(st.sampled_from("ab.? \n\r\t😀\u2028é"), max_size=40), min_size=1, max_size=5))
@settings(max_examples=count_cases(40), deadline=None)
def test_any_text_is_a_document(texts):
    with ingested({f"{number}.txt": f"x{text}" for number, text in enumerate(texts)}) as collection:
        for number, text in enumerate(texts):
            assert collection[str(number)].text == f"x{text}"
            check_document(collection[str(number)])
