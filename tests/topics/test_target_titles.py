"""Titles of 2002: target elements, content words and context elements become queries."""

import pytest

from doxel.errors import InputError
from doxel.topics import nexi
from doxel.topics.target_titles import translate_title


def title(*pieces):
    """Return the query of a title, written as "te sec", "cw words", "ce abs"."""
    return translate_title([tuple(piece.split(" ", 1)) for piece in pieces]).query


@pytest.mark.parametrize(
    ("pieces", "query"),
    [
        (("te sec", "cw trees"), "//sec[about(., trees)]"),
        (("te article", "cw trees", "ce abs"), "//article[about(.//abs, trees)]"),
        (("te article", "cw trees", "ce article/fm/abs"), "//article[about(./fm/abs, trees)]"),
        (("te sec", "cw trees", "ce sec"), "//sec[about(., trees)]"),
        (("te sec", "cw trees", "ce sec/st"), "//sec[about(./st, trees)]"),
        (("te sec", "cw trees", "ce abs"), "//article[about(.//abs, trees)]//sec"),
        (
            ("te sec", "cw trees", "ce abs", "cw graphs"),
            "//article[about(.//abs, trees)]//sec[about(., graphs)]",
        ),
        (("te article/bdy/sec", "cw trees", "ce abs"), "//article[about(.//abs, trees)]/bdy/sec"),
        (("te bdy//sec", "cw trees"), "//bdy//sec[about(., trees)]"),
        (("te sec, p", "cw trees"), "//(sec|p)[about(., trees)]"),
        (("te bdy/sec, bdy/p", "cw trees"), "//bdy/(sec|p)[about(., trees)]"),
        (("te sec", "te p", "cw trees"), "//(sec|p)[about(., trees)]"),
        (
            ("te sec", "cw trees", "ce abs, kwd"),
            "//article[about(.//abs, trees) or about(.//kwd, trees)]//sec",
        ),
        (("cw trees", "ce abs"), "//*[about(.//abs, trees)]"),
        (("te *", "cw trees"), "//*[about(., trees)]"),
        (
            ("te sec", 'cw +trees, "random walk" (lazy) - -graph'),
            '//sec[about(., +trees "random walk" lazy -graph)]',
        ),
        (("te sec", 'cw an "open phrase'), "//sec[about(., an open phrase)]"),
        (("cw trees, graphs",), "trees, graphs"),
        (("cw trees", "cw +graphs"), "trees +graphs"),
    ],
)
def test_a_title_is_translated(pieces, query):
    assert title(*pieces) == query
    nexi.parse(query)


def test_targets_with_different_ancestors_are_reduced_with_a_note():
    translated = translate_title([("te", "fm/abs, bdy/sec"), ("cw", "trees")])
    assert translated.query == "//(abs|sec)[about(., trees)]"
    assert translated.note == "the targets fm/abs, bdy/sec are read as //(abs|sec)"
    assert translate_title([("te", "abs, sec"), ("cw", "trees")]).note is None


@pytest.mark.parametrize(
    ("pieces", "wanted"),
    [
        (("te sec", "ce abs", "cw trees"), "words (cw) before a context element (ce)"),
        (("te sec",), "content words (cw)"),
        (("te sec", "cw , - ()"), "content words (cw)"),
        (("te sec[1]", "cw trees"), "paths of elements"),
        (("te sec", "cw trees", "ce fm/"), "paths of elements"),
    ],
)
def test_a_title_that_cannot_be_read_is_refused(pieces, wanted):
    with pytest.raises(InputError) as refused:
        title(*pieces)
    assert wanted in refused.value.wanted
