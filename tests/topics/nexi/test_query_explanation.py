"""Explanations of queries in plain words."""

import pytest

from doxel.topics import nexi


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            '+graph "random walk" -tree',
            ["Return any part of a document.", 'It is about graph (important), "random walk", but not tree.'],
        ),
        ("//*[about(., x)]", ["Return any element.", "The element: it is about x."]),
        (
            "//article[about(., x)]//(p|sec|fig)",
            ["Return any p, sec or fig inside an article.", "The article: it is about x."],
        ),
        (
            "//a[about(.//c/b, x) or (about(., y) and . > 2)]",
            [
                "Return any a.",
                "The a: a b directly in a c inside it is about x, or (it is about y, and it is above 2).",
            ],
        ),
        (
            "/article/bdy//sec[about(./st, x) and ./@id = 'one']",
            [
                "Return any sec inside a bdy directly in an article that is a root.",
                "The sec: a st directly in it is about x, and an attribute id of it is equal to one.",
            ],
        ),
        ("//a[.//@n > 1]", ["Return any a.", "The a: an attribute n in it is above 1."]),
        ("//a[about(., -x)]", ["Return any a.", "The a: it is about anything, but not x."]),
    ],
)
def test_a_query_is_explained_in_sentences(text, lines):
    assert str(nexi.explain(nexi.parse(text))).splitlines() == lines


def test_an_explanation_lists_terms_comparisons_and_names():
    explanation = nexi.explain(
        nexi.parse('//article[.//yr >= 1998 and about(.//x:abs, +a "b c")]//sec[about(.//@alt, -d e)]')
    )
    assert explanation.important == ("a",)
    assert explanation.wanted == ('"b c"', "e")
    assert explanation.unwanted == ("d",)
    assert explanation.phrases == ("b c",)
    assert explanation.comparisons == ("a yr inside it is at least 1998",)
    assert explanation.attributes == ("alt",)
    assert explanation.tags == ("article", "yr", "abs", "sec")
