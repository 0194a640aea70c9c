"""Assessments are found in a collection, or kept with the reason why not."""

import json

import polars as pl
import pytest

from assessments.small_assessments import assessed, rows
from doxel.assessments import Assessments, read_assessments
from doxel.assessments.assessment_files import find_assessment_format
from doxel.assessments.assessment_spans import count_problems, describe_resolution, resolve_assessments
from doxel.assessments.assessments import ASSESSMENT_TABLES
from doxel.documents.collection import TextCollection
from doxel.errors import InputError
from doxel.runs.run import NO_DOCUMENT


@pytest.mark.parametrize(
    ("highlight", "span"),
    [
        (rows(path="/article[1]", path_end="/article[1]"), (0, 14)),
        (rows(path="/article/p"), (0, 14)),
        (rows(path="/article[1]/p[1]/b[1]", path_end="/article[1]/p[1]/b[1]"), (4, 8)),
        (rows(path="/article[1]/p[1]/text()[1].1", path_end="/article[1]/p[1]/b[1]/text()[1].1"), (1, 5)),
        (rows(path="/article[1]/p[1]/text()[2]", path_end="/article[1]/p[1]/text()[2].6"), (8, 14)),
        (rows(text="\U0001f600two"), (4, 8)),
        (rows(text="One\n\U0001f600 two"), (0, 8)),
        (rows(start=4, end=8), (4, 8)),
        (rows(start=4, end=8, text="\U0001f600 two"), (4, 8)),
        (rows(start=14, end=14), (14, 14)),
        (rows(doc="b", text="same words", prefix=", "), (12, 22)),
        (rows(doc="b", text="same words"), (0, 10)),
        (rows(doc="b", text="same words", prefix="not the "), (0, 10)),
        (rows(start=0, end=4, text="Two "), (5, 8)),
    ],
)
def test_paths_and_quotations_of_highlights_become_positions(collection, highlight, span):
    resolved = resolve_assessments(assessed(highlights=[highlight]), collection)
    assert resolved.highlights.select("start", "end", "problem").rows() == [(*span, None)]
    assert count_problems(resolved).height == 0


@pytest.mark.parametrize(
    ("highlight", "problem"),
    [
        (rows(doc="nowhere", start=1, end=2), "unknown document"),
        (rows(path="/article[1]/q[1]"), "unknown path"),
        (rows(path="/article[1]", path_end="/article[1]/p[2]"), "unknown path"),
        (rows(path="/article[1]/p[1]/text()[3].0"), "unknown path"),
        (rows(path="/article[1]/p[1]/text()[1].5"), "unknown path"),
        (
            rows(path="/article[1]/p[1]/text()[2].6", path_end="/article[1]/p[1]/b[1]"),
            "ends before it starts",
        ),
        (rows(start=10, end=15), "outside the document"),
        (rows(text="four"), "text not found"),
        (rows(start=0, end=4, text="four"), "text not found"),
        (rows(), "no position"),
    ],
)
def test_highlights_that_are_not_found_are_kept_with_the_reason(collection, highlight, problem):
    resolved = resolve_assessments(assessed(highlights=[highlight, rows(start=0, end=1)]), collection)
    assert resolved.highlights.select("start", "end", "problem").rows() == [
        (None, None, problem),
        (0, 1, None),
    ]
    counts = count_problems(resolved).filter(pl.col("table") == "highlights")
    assert counts.select("problem", "rows").rows() == [(problem, 1)]


def test_entry_points_get_positions_or_a_problem(collection):
    points = [
        rows(path="/article[1]/p[1]/b[1]"),
        rows(doc="b", path="/article[1]/p[2]/text()[1].3"),
        rows(doc="c", position=3),
        rows(topic="2", path="/article[1]/z[1]"),
        rows(topic="3", position=15),
        rows(topic="4"),
        rows(topic="5", doc="d", position=1),
    ]
    resolved = resolve_assessments(assessed(beps=points), collection)
    assert resolved.beps.select("position", "problem").rows() == [
        (4, None),
        (15, None),
        (3, None),
        (None, "unknown path"),
        (None, "outside the document"),
        (None, "no position"),
        (None, "unknown document"),
    ]


def test_elements_get_their_rows_and_full_paths(collection):
    elements = [
        rows(doc="b", path="/article/p[2]"),
        rows(doc="c", path="/x:article/x:p[2]"),
        rows(path="/article[1]/p[9]"),
        rows(doc="d", path="/article/p"),
    ]
    resolved = resolve_assessments(assessed(elements=elements), collection)
    assert resolved.elements.select("path", "element", "problem").rows() == [
        ("/article[1]/p[2]", 2, None),
        ("/article[1]/p[2]", 2, None),
        ("/article[1]/p[9]", None, "unknown path"),
        ("/article/p", None, "unknown document"),
    ]


def test_documents_get_the_ids_of_the_collection_and_missing_sizes(collection):
    spans = [
        rows(doc="tc/2001/a.xml", start=0, end=5),
        rows(doc="tc/2001/a.xml", start=3, end=8),
        rows(doc="x/y"),
    ]
    resolved = resolve_assessments(assessed(highlights=spans), collection)
    assert resolved.judged.select("doc", "number", "rsize", "docsize", "problem").rows() == [
        ("a", collection.number("a"), 8, 14, None),
        ("x/y", None, None, None, "unknown document"),
    ]
    assert resolved.highlights["doc"].to_list() == ["a", "a", "x/y"]


def test_declared_sizes_are_kept(collection):
    judged = ASSESSMENT_TABLES["judged"].from_rows([rows(rsize=3, docsize=99)])
    resolved = resolve_assessments(Assessments("2006", judged), collection)
    assert resolved.judged.select("rsize", "docsize").rows() == [(3, 99)]


def test_grades_of_elements_give_no_relevant_size(collection):
    judged = ASSESSMENT_TABLES["judged"].from_rows([rows()])
    resolved = resolve_assessments(Assessments("2003", judged), collection)
    assert resolved.judged.select("rsize", "docsize").rows() == [(None, 14)]


def test_a_document_judged_under_two_names_is_an_error(collection):
    with pytest.raises(InputError, match="judged twice, under two names"):
        resolve_assessments(assessed(judged=[rows(doc="a"), rows(doc="2001/a")]), collection)


def test_text_nodes_of_white_space_count_unless_the_file_strips_them(collection):
    point = '<best-entry-point path="/article[1]/text()[1].1"/>'
    point += '<passage start="/article[1]/p[1]" end="/article[1]/p[2]"/>'
    text = f'<assessments topic="1" whitespace-text-node="WAY"><file name="c">{point}</file></assessments>'
    with_white_space = find_assessment_format("inex2006").read(text.replace("WAY", "keep").encode(), "x")
    assert resolve_assessments(with_white_space, collection).beps.select("position", "problem").rows() == [
        (1, None)
    ]
    stripped = find_assessment_format("inex2006").read(text.replace("WAY", "strip-ALPHA").encode(), "x")
    assert resolve_assessments(stripped, collection).beps.select("position", "problem").rows() == [
        (None, "unknown path")
    ]
    assert resolve_assessments(stripped, collection).highlights.select("start", "end").rows() == [(3, 17)]


def test_resolving_again_changes_nothing(collection):
    assessments = assessed(
        highlights=[rows(path="/article[1]"), rows(text="four")], beps=[rows(path="/article[1]/p[1]")]
    )
    once = resolve_assessments(assessments, collection)
    twice = resolve_assessments(once, collection)
    for name in ASSESSMENT_TABLES:
        assert getattr(twice, name).equals(getattr(once, name))


def test_resolved_paths_can_be_written_as_qrels(collection, tmp_path):
    assessments = assessed(
        highlights=[rows(path="/article[1]/p[1]/b[1]")],
        beps=[rows(path="/article[1]/p[1]/b[1]")],
        judged=[rows(doc="c")],
    )
    data = find_assessment_format("qrels").write(resolve_assessments(assessments, collection))
    assert data == b"1 Q0 a 4 14 4 4:4\n1 Q0 c 0 18\n"
    (tmp_path / "x.qrels").write_bytes(data)
    assert read_assessments(tmp_path / "x.qrels").highlights.select("start", "end").rows() == [(4, 8)]


def test_all_documents_of_another_collection_are_unknown(collection):
    """This happens if -c names the wrong collection."""
    resolved = resolve_assessments(
        assessed(highlights=[rows(doc="x", start=0, end=5), rows(doc="y", start=1, end=2)]), collection
    )
    assert resolved.judged["problem"].to_list() == ["unknown document"] * 2
    assert resolved.highlights["problem"].to_list() == ["unknown document"] * 2


# ---- texts

TEXTS = TextCollection(
    {
        "sea": "The keeper of the northern lighthouse wrote down every ship that passed by. The end.",
        "town": "In winter the harbour froze, and the ferry lay at its pier until March. The end.",
    }
)
LIGHTHOUSE, FERRY = TEXTS.text(0)[:75], TEXTS.text(1)[:71]


def test_texts_of_unknown_documents_are_judged_where_they_are_found():
    assessments = assessed(
        highlights=[
            rows(topic="2", doc="?", text="THE FERRY lay"),
            rows(topic="1", doc="?", text="every ship"),
            rows(topic="3", doc="?", text="unheard of"),
        ]
    )
    resolved = resolve_assessments(assessments, TEXTS)
    assert resolved.topics == assessments.topics
    judged = resolved.judged.select("topic", "doc", "number", "problem").rows()
    assert ("2", "town", 1, None) in judged
    assert ("1", "sea", 0, None) in judged
    assert ("3", "?", None, "unknown document") in judged
    assert ("1", "?", None, "unknown document") not in judged
    assert resolved.highlights["problem"].to_list() == [None, None, "text not found"]
    assert resolved.alignments.select("topic", "how", "places").rows() == [
        ("2", "folded", 1),
        ("1", "exact", 1),
        ("3", "unplaced", 0),
    ]


def test_a_text_in_pieces_becomes_several_highlights_at_the_end_of_the_table():
    assessments = assessed(
        highlights=[rows(doc="?", text=f"{LIGHTHOUSE} [...] {FERRY}"), rows(doc="town", text="The end.")]
    )
    resolved = resolve_assessments(assessments, TEXTS)
    assert resolved.highlights["doc"].to_list() == ["sea", "town", "town"]
    passages = [
        TEXTS[doc].text[start:end]
        for doc, start, end in resolved.highlights.select("doc", "start", "end").rows()
    ]
    assert passages == [LIGHTHOUSE, "The end.", FERRY]
    assert {("1", "sea"), ("1", "town")} <= set(resolved.judged.select("topic", "doc").rows())


def test_resolving_twice_changes_nothing():
    texts = [LIGHTHOUSE.replace("keeper", "kepeer"), f"{LIGHTHOUSE} {FERRY}", "the end"]
    assessments = assessed(highlights=[rows(doc="?", text=text) for text in texts])
    once = resolve_assessments(assessments, TEXTS)
    twice = resolve_assessments(once, TEXTS)
    assert twice.highlights.equals(once.highlights)
    assert twice.judged.equals(once.judged)
    assert set(twice.alignments["how"]) == {"offsets"}


def test_a_text_that_is_not_at_its_offsets_is_found_near_them():
    resolved = resolve_assessments(
        assessed(highlights=[rows(doc="sea", start=60, end=66, text="the")]), TEXTS
    )
    assert resolved.highlights.select("start", "end").rows() == [(21, 24)]
    assert resolved.alignments.select("is_declared", "how", "places").rows() == [(True, "exact", 2)]


def test_uncertain_places_are_described_after_those_not_found():
    texts = ["The end.", "unheard of", LIGHTHOUSE.replace("keeper", "kepeer")]
    assessments = assessed(highlights=[rows(doc="?", text=text) for text in texts])
    assert describe_resolution(resolve_assessments(assessments, TEXTS))[-3:] == [
        "1 quoted passage is not in the documents; no run can find it",
        "1 text occurs at several places; the first was taken",
        "1 text was found with differences (lowest identity 0.97, lowest coverage 1.00)",
    ]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"doc_id": "0e3b8a5e-9f0b-4c7e-8d57-1f6ac0a5b0a1", "source": "/data/b.md"}, ("b.md", None)),
        ({"doc_id": "17", "file_name": "b.md", "url": "https://example.org/b"}, ("b.md", None)),
        ({"doc_id": "17", "file_name": "a.md", "source": "b.md"}, (None, "unknown document")),
    ],
)
def test_all_names_of_a_document_in_json_lines_are_tried(tmp_path, names, expected):
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"question": "q", **names, "start_index": 4, "end_index": 7}) + "\n")
    texts = TextCollection({"a.md": "The lid is hot.", "b.md": "The lid is hot."})
    resolved = resolve_assessments(read_assessments(gold), texts)
    doc, problem = resolved.highlights.select("doc", "problem").row(0)
    assert (doc if problem is None else None, problem) == expected


def test_a_quotation_without_a_document_is_reported_once_if_it_is_not_found():
    assessments = assessed(highlights=[rows(doc=NO_DOCUMENT, text="unheard of")])
    sentences = describe_resolution(resolve_assessments(assessments, TEXTS))
    assert sentences[0] == "1 quoted passage is not in the documents; no run can find it"
    assert not any("judged document" in sentence for sentence in sentences)
