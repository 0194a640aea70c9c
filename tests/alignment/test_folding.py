"""Folding keeps letters and digits, and the offset of each in the source."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.alignment.folding import _BLOCK, encode_text, fold, is_mark

texts = st.text(max_size=60)
plain_texts = st.text(st.characters(exclude_characters="<>&()[]"), max_size=60)


def fold_slowly(text):
    """Letters and digits of each character, decomposed, case-folded, decomposed again; no mark-up."""
    pairs = []
    for offset, character in enumerate(text):
        form = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
        pairs += [(part, offset) for part in form if unicodedata.category(part)[0] in "LN"]
    return "".join(part for part, _ in pairs), [offset for _, offset in pairs]


@given(plain_texts)
def test_a_text_without_mark_up_is_folded_character_by_character(text):
    folded = fold(text)
    assert (folded.text, folded.start.tolist()) == fold_slowly(text)
    assert set(folded.width.tolist()) <= {1}


@given(texts)
def test_offsets_rise_and_stay_inside_the_source(text):
    folded = fold(text)
    starts = folded.start.tolist()
    assert len(starts) == len(folded.width) == len(folded.text)
    assert starts == sorted(starts)
    assert all(0 <= start < folded.end(row) <= len(text) for row, start in enumerate(starts))


@given(texts)
def test_folding_a_folded_text_changes_nothing(text):
    folded = fold(text).text
    assert fold(folded).text == folded


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", ""),
        (" \n…—“”!?", ""),
        ("CAFÉ café cafe\u0301", "cafecafecafe"),
        ("ﬁnal eﬀort Straße", "finaleffortstrasse"),
        ("Ｆｕｌｌ ｗｉｄｔｈ １２", "fullwidth12"),
        ("co\u00adop\u200berate\ufeff", "cooperate"),
        ("# A | **b** _c_ `d`", "abcd"),
        ("see [the page](https://a.example/x_(y)) now", "seethepagenow"),
        ('see [the page](a.html "Its title") now', "seethepagenow"),
        ("f(x) and [1] (note)", "fxand1note"),
        ("<p class='a'>one<br/>two</p><!-- <b>three</b>\n-->four", "onetwofour"),
        ("a < b and c > d", "abandcd"),
        ("if x<3 then", "ifx3then"),
        ("<http://a.example>", "httpaexample"),
        ("R&amp;D &lt;b&gt; caf&eacute; &#233;&#xE9;", "rdbcafeee"),
        ("AT&T; &nosuch; &", "attnosuch"),
        ("&#0; &#9999999;", "09999999"),
        ("٣ Ωmega Ж 漢字", "٣ωmegaж漢字"),
    ],
)  # fmt: skip
def test_the_folded_form_of_a_text(text, folded):
    assert fold(text).text == folded


def test_a_character_reference_is_one_character_of_its_length():
    folded = fold("caf&eacute;s")
    assert folded.start.tolist() == [0, 1, 2, 3, 11]
    assert [folded.end(row) for row in range(5)] == [1, 2, 3, 11, 12]


def test_both_letters_of_a_ligature_have_its_offset():
    folded = fold("aﬁb")
    assert (folded.text, folded.start.tolist()) == ("afib", [0, 1, 1, 2])


def test_a_long_text_is_folded_in_blocks_with_the_same_offsets():
    text = ("x" * (_BLOCK - 3)) + "ﬁ&amp;é <b>" + ("y" * 10) + "&eacute;" + ("z " * _BLOCK)
    folded = fold(text)
    assert folded.text == "x" * (_BLOCK - 3) + "fie" + "y" * 10 + "e" + "z" * _BLOCK
    assert all(folded.text[row] == text[folded.start[row]] for row in range(_BLOCK - 3))
    assert folded.start[-1] == len(text) - 2
    reference = folded.text.index("ye") + 1
    assert text[folded.start[reference] : folded.end(reference)] == "&eacute;"


def test_marks_belong_to_the_character_before_them():
    assert is_mark("\u0301")
    assert not is_mark("e")


@given(st.text(max_size=20))
def test_code_points_are_those_of_the_text(text):
    assert encode_text(text).tolist() == list(map(ord, text))
