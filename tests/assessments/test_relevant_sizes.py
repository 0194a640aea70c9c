"""Sizes of elements are compared with a slow, obvious count of every character of every element."""

import random
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from doxel.assessments import Assessments
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import ASSESSMENT_TABLES
from doxel.assessments.relevant_sizes import compare_sizes, measure_elements
from doxel.documents.collection import read_collection
from doxel.documents.ingestion import ingest
from random_share import count_cases


def random_tree(rng, depth=0):
    """Return XML with mixed content, empty elements, comments, and some emojis."""
    pieces = ["ab", " ", "\U0001f600", "cde\n", "<!-- x -->", "<?y z?>"]
    inside = "".join(
        rng.choice(pieces) if depth > 4 or rng.random() < 0.6 else random_tree(rng, depth + 1)
        for _ in range(rng.randrange(5))
    )
    name = rng.choice(["p", "q"])
    return f"<{name}>{inside}</{name}>"


def spans_of(root):
    """Return start and end of every element in document order, by walking through the text nodes."""
    spans, position = {}, 0
    for event, node in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "start":
            spans[node] = [position, position]
            position += len(node.text or "")
        elif event == "end":
            spans[node][1] = position
            position += len(node.tail or "") if node is not root else 0
        else:
            position += len(node.tail or "")
    return list(spans.values())


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    rng = random.Random(20061)
    folder = tmp_path_factory.mktemp("corpus")
    trees = {f"d{number}": f"<article>{random_tree(rng)}{random_tree(rng)}</article>" for number in range(12)}
    for name, text in trees.items():
        (folder / f"{name}.xml").write_text(text, encoding="utf-8")
    ingest([str(folder)], str(folder / "c.doxel"))
    spans = {name: spans_of(etree.fromstring(text)) for name, text in trees.items()}
    return SimpleNamespace(collection=read_collection(folder / "c.doxel"), spans=spans)


def assessments_of(judged, spans, **options):
    return Assessments(
        "2006",
        ASSESSMENT_TABLES["judged"].from_rows({"topic": topic, "doc": doc} for topic, doc in judged),
        ASSESSMENT_TABLES["highlights"].from_rows(
            {"topic": topic, "doc": doc, "start": start, "end": end} for topic, doc, start, end in spans
        ),
        **options,
    )


docs = st.integers(0, 11).map(lambda number: f"d{number}")
keys = st.lists(st.tuples(st.sampled_from("123"), docs), min_size=1, max_size=8, unique=True)


@settings(max_examples=count_cases(60), deadline=None)
@given(keys=keys, data=st.data())
def test_sizes_agree_with_a_count_of_characters(corpus, keys, data):
    highlighted, spans = {key: set() for key in keys}, []
    for key in keys:
        length = corpus.spans[key[1]][0][1]
        for _ in range(data.draw(st.integers(0, 3))):
            start = data.draw(st.integers(0, length))
            end = data.draw(st.integers(start, length))
            highlighted[key] |= set(range(start, end))
            spans.append((*key, start, end))
    expected = [
        (
            topic,
            doc,
            corpus.collection.number(doc),
            element,
            end - start,
            len(highlighted[topic, doc] & {*range(start, end)}),
        )
        for topic, doc in keys
        for element, (start, end) in enumerate(corpus.spans[doc])
    ]
    table = measure_elements(assessments_of(keys, spans), corpus.collection)
    assert table.columns == ["topic", "doc", "number", "element", "size", "rsize"]
    assert table.rows() == expected


def test_sizes_may_be_limited_to_one_topic(corpus):
    assessments = assessments_of([("1", "d1"), ("2", "d2")], [("2", "d2", 0, 1)])
    alone = measure_elements(assessments, corpus.collection, topic="2")
    assert alone["topic"].unique().to_list() == ["2"]
    assert alone.height == len(corpus.spans["d2"])
    assert measure_elements(assessments, corpus.collection, topic="none").height == 0


def test_unknown_documents_have_no_sizes(corpus):
    assessments = assessments_of([("1", "unknown"), ("1", "d1")], [("1", "unknown", 0, 1)])
    assert measure_elements(assessments, corpus.collection)["doc"].unique().to_list() == ["d1"]


def test_declared_sizes_are_compared_with_those_found(corpus):
    """The declared size is right for the root, and one too high for its first child, as in old exports."""
    (_, length), (start, end) = corpus.spans["d3"][:2]
    place = {"topic": "1", "doc": "d3"}
    judged = ASSESSMENT_TABLES["judged"].from_rows(
        [{**place, "rsize": length, "docsize": length + 2, "line": 1}]
    )
    highlights = [{**place, "path": "/article", "size": length + 1, "line": 2}]
    first_child = corpus.collection["d3"].path(1)
    elements = [
        {**place, "path": "/article[1]", "size": length, "rsize": length, "line": 3},
        {**place, "path": first_child, "size": end - start + 1, "rsize": end - start, "line": 4},
        {**place, "path": first_child, "share": 0.5, "line": 5},
        {**place, "path": "/article[1]/none[1]", "size": 5, "rsize": 5, "line": 6},
    ]
    assessments = Assessments(
        "2006",
        judged,
        ASSESSMENT_TABLES["highlights"].from_rows(highlights),
        ASSESSMENT_TABLES["elements"].from_rows(elements),
    )
    expected = [
        ("document", "1", "d3", None, length + 2, length, length, length, 1),
        ("highlight", "1", "d3", "/article", length + 1, None, length, None, 2),
        ("element", "1", "d3", first_child, end - start + 1, end - start, end - start, end - start, 4),
    ]
    assert compare_sizes(assessments, corpus.collection).rows() == expected
    assert (
        compare_sizes(resolve_assessments(assessments, corpus.collection), corpus.collection).rows()
        == expected
    )


def test_equal_or_undeclared_sizes_are_not_reported(corpus):
    assessments = assessments_of([("1", "d4"), ("1", "unknown")], [("1", "d4", 0, 1)])
    assert compare_sizes(assessments, corpus.collection).height == 0
    with_grades = Assessments("2003", ASSESSMENT_TABLES["judged"].from_rows([{"topic": "1", "doc": "d4"}]))
    assert compare_sizes(with_grades, corpus.collection).height == 0
