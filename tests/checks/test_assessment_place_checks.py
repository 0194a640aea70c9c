"""Checks of the places and sizes in assessments: their messages, and when there is nothing to report."""

import pytest

from checks.cases import (
    BEP,
    OTHER_FINGERPRINT,
    P1,
    P2,
    QRELS,
    SEC1,
    graded,
    highlighted,
    lines,
    objects,
    passage,
)
from doxel.checks.checker import check_inputs
from doxel.documents import read_collection


@pytest.fixture
def find(tmp_path, small_collection):
    """Return a function that checks the text of a file and returns codes, lines and messages."""

    def check(text, collection=small_collection):
        (tmp_path / "q").write_text(text)
        report = check_inputs(assessments=tmp_path / "q", collection=collection)
        return report.findings.select("code", "line", "message").rows()

    return check


def quoted(**columns):
    return objects({"topic": 1, "doc": "a", **columns})


def test_the_size_of_a_document_is_that_of_the_collection_before_the_declared_one(find):
    # document a has 21 characters, and the file declares 30
    line = "1 Q0 a 9 30 0 20:9\n"
    assert find(line, collection=None) == []
    assert ("A103", 1, "ends at 29, but the document has 21 characters") in find(line)


def test_a_highlight_and_an_entry_point_may_be_at_the_end_of_the_document(find):
    assert find("1 Q0 a 4 21 21 17:4\n", collection=None) == []
    assert find("1 Q0 a 4 21 22 17:4\n", collection=None) == [
        ("A104", 1, "ends at 22, but the document has 21 characters")
    ]


def test_an_unknown_path_is_quoted_with_both_its_ends(find):
    messages = find(highlighted(BEP, passage(P1, f"{SEC1}/p[9]")))
    assert messages == [("A102", 4, f"not in the document: {P1} to {SEC1}/p[9]")]


def test_a_quotation_at_its_declared_position_is_not_reported(find):
    assert find(quoted(start=0, end=7, text="One two")) == []
    assert find(quoted(start=1, end=8, text="One two")) == [("A107", 1, "not at this position: One two")]


def test_a_quotation_is_not_sought_without_a_collection(find):
    assert find(quoted(text="six"), collection=None) == []
    assert find(quoted(text="six")) == [("A105", 1, "not in the document: six")]


def test_another_collection_is_reported_once_per_file(find, small_collection):
    ours = read_collection(small_collection).fingerprint
    files = (
        f'<file name="{doc}" collection="{OTHER_FINGERPRINT}">{BEP}{passage(path)}</file>'
        for doc, path in (("a", P1), ("b", "/article[1]/p[1]"))
    )
    text = lines('<assessments topic="1" pool="1" whitespace-text-node="keep">', *files, "</assessments>")
    message = f"judged in collection {OTHER_FINGERPRINT}, but this collection is {ours}"
    assert find(text) == [("A109", 2, message)]


def test_the_relevant_size_may_be_the_sum_or_the_union_of_the_passages(find):
    # passages 0:7 and 5:4 have 11 characters together, and cover 9
    codes = {size: {code for code, *_ in find(f"1 Q0 a {size} 21 0 0:7 5:4\n")} for size in (9, 10, 11)}
    assert {size: "A401" in size_codes for size, size_codes in codes.items()} == {
        9: False,
        10: True,
        11: False,
    }


def test_declared_sizes_are_compared_with_the_collection(find):
    elements = [
        {"path": P1, "exhaustivity": 1, "size": 7, "rsize": 7},
        {"path": P2, "exhaustivity": 1, "size": 9, "rsize": 9},
    ]
    # P1 is from 0 to 7 and P2 from 7 to 17, and no passage in them is highlighted
    assert find(graded("2005", *elements)) == [
        ("A402", 3, f"element {P1}: rsize 7, found 0"),
        ("A402", 4, f"element {P2}: size 9, found 10; rsize 9, found 0"),
    ]
    assert find(graded("2005", *elements), collection=None) == []
    assert find(QRELS) == []
