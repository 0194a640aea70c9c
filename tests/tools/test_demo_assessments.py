"""The makers of the demo's assessments: quotations resolve, and all formats agree."""

from dataclasses import replace

import polars as pl
import pytest
from tools.demo_data.demo_assessments import exhaustivity_2005, graded_2002, graded_2003, highlighted
from tools.demo_data.demo_marks import GradedElement, MarkedDocument, Passage, TopicMarks, read_marks

from doxel.assessments import read_assessments
from doxel.assessments.assessment_spans import count_problems, resolve_assessments
from doxel.assessments.relevant_sizes import compare_sizes
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError

MARKS = {marks.topic: marks for marks in read_marks()}
SPAN_FORMATS = ("qrels", "jsonl", "inex2006", "inex2005")


@pytest.fixture(scope="module")
def collection(demo):
    return read_collection(demo.collection)


@pytest.fixture(scope="module")
def base(collection):
    return highlighted(collection)


def test_some_documents_were_left_unjudged(base, collection):
    judged = base.judged.group_by("topic").len()
    assert judged["len"].max() < len(collection)
    assert base.judged["problem"].null_count() == base.judged.height


def test_highlights_range_from_half_a_sentence_to_several_paragraphs(base):
    sizes = base.highlights["end"] - base.highlights["start"]
    assert sizes.min() < 40
    assert sizes.max() > 2000


# Quotations


@pytest.mark.parametrize("topic", MARKS)
def test_every_quotation_is_found_once(topic, collection):
    assessments = highlighted(collection, [MARKS[topic]])
    assert count_problems(assessments).is_empty()
    passages = [passage for document in MARKS[topic].relevant for passage in document.passages]
    assert assessments.highlights.height == len(passages)
    assert assessments.beps.height == len(MARKS[topic].relevant)


def squeezed(text):
    return "".join(text.split())


def test_a_highlight_begins_and_ends_with_the_quoted_words(base, collection):
    expected = [
        (topic, document.doc, squeezed(passage.first), squeezed(passage.last))
        for topic, marks in MARKS.items()
        for document in sorted(marks.relevant, key=lambda document: document.doc)
        for passage in document.passages
    ]
    rows = base.highlights.select("topic", "doc", "start", "end").rows()
    for (topic, doc, first, last), (*where, start, end) in zip(expected, rows, strict=True):
        text = squeezed(collection[doc].text[start:end])
        assert where == [topic, doc]
        assert text.startswith(first)
        assert text.endswith(last)


def test_passages_of_a_document_are_in_order_and_do_not_overlap(base):
    for _, group in base.highlights.group_by("topic", "doc"):
        assert (group["start"].slice(1) >= group["end"].slice(0, group.height - 1)).all()


def test_every_relevant_document_has_one_best_entry_point(base):
    relevant = base.highlights.select("topic", "doc").unique()
    points = base.beps.select("topic", "doc")
    assert not points.is_duplicated().any()
    assert set(points.rows()) == set(relevant.rows())


def test_a_best_entry_point_need_not_be_where_the_highlight_starts(base):
    first = base.highlights.group_by("topic", "doc").agg(pl.col("start").min())
    joined = base.beps.join(first, on=["topic", "doc"])
    assert 0.2 < (joined["position"] == joined["start"]).mean() < 0.9


# The rules and the guards, on a tiny collection


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "d.xml").write_text(
        "<article><title>Tides</title><section><p>Two words <em>stand</em> here.</p>"
        "<p>Two\n words here too, and nothing else.</p>"
        "<table><row><cell>high</cell><cell>low</cell></row></table>"
        "<note>An aside.</note></section><section><p>Nothing.</p></section></article>"
    )
    ingest(folder / "d.xml", folder / "c")
    return read_collection(folder / "c")


def marks_of(*passages, bep="Tides", **grades):
    document = MarkedDocument("d", bep, passages)
    empty = {"grades_2002": (), "grades_2003": ()}
    return [TopicMarks("1", "", (document,), (), **{**empty, **grades}, file="topic-01.json")]


def test_elements_have_the_highest_exhaustivity_of_the_passages_they_touch(tiny):
    marks = marks_of(
        Passage("stand here.", "stand here.", "2"),
        Passage("nothing else.", "nothing else.", "1"),
        Passage("high low", "high low", "2"),
        Passage("An aside.", "An aside.", "?"),
    )
    assessments = exhaustivity_2005(tiny, marks)
    grades = dict(assessments.elements.select("path", "exhaustivity").iter_rows())
    assert grades == {
        "/article[1]": "2",
        "/article[1]/section[1]": "2",
        "/article[1]/section[1]/p[1]": "2",
        "/article[1]/section[1]/p[1]/em[1]": "?",  # never more than a fragment
        "/article[1]/section[1]/p[2]": "1",
        "/article[1]/section[1]/table[1]": "2",
        "/article[1]/section[1]/table[1]/row[1]": "2",
        "/article[1]/section[1]/table[1]/row[1]/cell[1]": "?",
        "/article[1]/section[1]/table[1]/row[1]/cell[2]": "?",
        "/article[1]/section[1]/note[1]": "?",  # contains only a fragment
    }
    sizes = dict(assessments.elements.select("path", "rsize").iter_rows())
    assert sizes["/article[1]/section[1]/p[1]"] == len("stand here.")


@pytest.mark.parametrize(
    ("passage", "found"),
    [
        (Passage("Two words sit here.", "Two words sit here.", "2"), "text not found"),
        (Passage("Two words", "Two words", "2"), "text found several times"),  # one with a line break
        (Passage("here", "here too", "2"), "text found several times"),
        (Passage("nothing else.", "stand here.", "2"), "the words in the other order"),
    ],
)
def test_a_quotation_that_no_longer_matches_is_rejected(tiny, passage, found):
    with pytest.raises(InputError) as caught:
        highlighted(tiny, marks_of(passage))
    assert caught.value.file == "topic-01.json"
    assert caught.value.found == found


def test_an_entry_point_that_no_longer_matches_is_rejected(tiny):
    with pytest.raises(InputError, match="Ebb and flow"):
        highlighted(tiny, marks_of(Passage("An aside.", "An aside.", "2"), bep="Ebb and flow"))


def test_an_edit_of_the_handbook_that_touches_a_quotation_is_noticed(demo, tmp_path):
    for source in demo.handbook.glob("*.xml"):
        text = source.read_text(encoding="utf-8")
        edited = text.replace("Resample documents or topics instead", "Resample topics instead")
        (tmp_path / source.name).write_text(edited, encoding="utf-8")
    ingest(tmp_path, tmp_path / "c.doxel")
    with pytest.raises(InputError, match="assessor-agreement"):
        highlighted(read_collection(tmp_path / "c.doxel"))


@pytest.mark.parametrize(("scale", "build"), [("grades_2002", graded_2002), ("grades_2003", graded_2003)])
def test_a_graded_element_with_other_first_words_is_rejected(tiny, scale, build):
    grades = {
        "grades_2002": {"relevance": 1, "coverage": "E"},
        "grades_2003": {"exhaustivity": 1, "specificity": 3, "inferred": None},
    }[scale]
    right = GradedElement("d", "/article[1]/section[1]/note[1]", "An aside", grades)
    whole = Passage("An aside.", "An aside.", "1")
    assert build(tiny, marks_of(whole, **{scale: (right,)})).elements.height == 1
    with pytest.raises(InputError, match="begins with 'The aside'"):
        build(tiny, marks_of(whole, **{scale: (replace(right, begins="The aside"),)}))


# Files of all years


def test_every_format_is_read_back_as_itself(demo):
    assert set(demo.assessments) == {"qrels", "jsonl", "inex2006", "inex2005", "inex2003", "inex2002"}
    for name, path in demo.assessments.items():
        read = read_assessments(path)
        assert read.format == name
        assert read.notes == ()


@pytest.mark.parametrize("name", SPAN_FORMATS)
def test_highlights_of_all_formats_agree(name, demo, collection, base):
    read = resolve_assessments(read_assessments(demo.assessments[name]), collection)
    assert count_problems(read).is_empty()
    for table, columns in (
        ("judged", ["topic", "doc", "rsize", "docsize"]),
        ("highlights", ["topic", "doc", "start", "end"]),
    ):
        expected, written = getattr(base, table).select(columns), getattr(read, table).select(columns)
        assert sorted(written.rows()) == sorted(expected.rows()), table


@pytest.mark.parametrize("name", ["qrels", "jsonl", "inex2006"])
def test_best_entry_points_of_all_formats_agree(name, demo, collection, base):
    read = resolve_assessments(read_assessments(demo.assessments[name]), collection)
    columns = ["topic", "doc", "position"]
    assert sorted(read.beps.select(columns).rows()) == sorted(base.beps.select(columns).rows())


@pytest.mark.parametrize("name", SPAN_FORMATS)
def test_the_sizes_that_files_declare_are_those_of_the_collection(name, demo, collection):
    assert compare_sizes(read_assessments(demo.assessments[name]), collection).is_empty()


def test_json_lines_quote_the_text_of_their_spans(demo, collection):
    rows = read_assessments(demo.assessments["jsonl"]).highlights
    by_words = rows.with_columns(pl.lit(None, dtype=pl.Int64).alias(name) for name in ("start", "end"))
    again = resolve_assessments(
        replace(read_assessments(demo.assessments["jsonl"]), highlights=by_words), collection
    )
    assert again.highlights.select("start", "end").rows() == rows.select("start", "end").rows()


def test_the_files_of_2005_keep_exhaustivity(demo, collection):
    columns = ["topic", "doc", "path", "exhaustivity", "size", "rsize"]
    read = read_assessments(demo.assessments["inex2005"]).elements.select(columns)
    built = exhaustivity_2005(collection).elements.select(columns)
    assert sorted(read.rows()) == sorted(built.rows())
    assert set(read["exhaustivity"]) == {"1", "2", "?"}


def test_every_format_keeps_a_topic_without_relevant_text(demo):
    for name in SPAN_FORMATS:
        judged = read_assessments(demo.assessments[name]).judged.filter(topic="14")
        assert judged.height == len(MARKS["14"].nonrelevant)
