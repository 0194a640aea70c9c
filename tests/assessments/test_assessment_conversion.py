"""Conversion of assessments between formats: places, quotations, and losses, which are never silent."""

import json
from itertools import product

import pytest

from assessments.small_assessments import assessed, rows
from checks.cases import SOURCES, lines
from checks.convertible import ASSESSMENTS, HIGHLIGHTED, QRELS, QUOTED, TREC_QRELS, convert
from documents.commands import write_files
from doxel.assessments import read_assessments
from doxel.assessments.assessment_conversion import add_paths, add_quotations
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS, find_assessment_format
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import ASSESSMENT_TABLES
from doxel.assessments.judged_pairs import grade_documents
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest


def test_quotations_resolve_to_the_same_positions(collection):
    spans = [rows(doc="b", start=12, end=22), rows(doc="b", start=0, end=10), rows(start=4, end=8)]
    quoted = add_quotations(resolve_assessments(assessed(highlights=spans), collection), collection)
    assert quoted.highlights.select("text", "prefix", "suffix").rows() == [
        ("same words", "same words, ", ""),
        ("same words", "", ", same words"),
        ("\U0001f600two", "One ", " three"),
    ]
    bare = quoted.highlights.with_columns(start=None, end=None)
    again = resolve_assessments(assessed(highlights=bare.to_dicts()), collection)
    assert again.highlights.select("start", "end").equals(quoted.highlights.select("start", "end"))


def test_paths_resolve_to_the_same_positions(collection):
    spans = [rows(start=1, end=5), rows(start=0, end=14), rows(path="/article/p"), rows(start=8, end=8)]
    assessments = resolve_assessments(
        assessed(highlights=spans, beps=[rows(position=4), rows(doc="b", position=0)]), collection
    )
    located = add_paths(assessments, collection)
    assert located.highlights.select("path", "path_end", "size").rows() == [
        ("/article[1]/p[1]/text()[1].1", "/article[1]/p[1]/b[1]/text()[1].1", 4),
        ("/article[1]/p[1]/text()[1].0", "/article[1]/p[1]/text()[2].6", 14),
        ("/article/p", None, 14),
        ("/article[1]/p[1]/text()[2].0", "/article[1]/p[1]/b[1]/text()[1].4", 0),
    ]
    xml = find_assessment_format("inex2006")
    again = resolve_assessments(xml.read(xml.write(located), "x"), collection)
    assert again.highlights.select("start", "end").equals(assessments.highlights.select("start", "end"))
    assert again.beps.select("doc", "position").equals(assessments.beps.select("doc", "position"))


@pytest.fixture(scope="module")
def small_collection(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("sources"), SOURCES)
    ingest([str(folder)], str(folder / "c.doxel"))
    return folder / "c.doxel"


# Assessments


LOSSLESS = {
    *(pair for pair in product(("jsonl", "web-annotation"), repeat=2)),
    *(pair for pair in product(("trec", "beir", "qrels-json"), repeat=2)),
    *(("chroma", to) for to in ("jsonl", "web-annotation")),
}


@pytest.mark.parametrize("to", ASSESSMENTS)
@pytest.mark.parametrize("name", ASSESSMENTS)
def test_assessments_are_converted_and_back_without_loss_or_not_at_all(tmp_path, name, to):
    outcome, target = convert(tmp_path, ASSESSMENTS[name], f"assessments:{to}")
    if name != to and (name, to) not in LOSSLESS:
        assert (outcome.status, target.exists()) == (2, False)
        return
    assert outcome.status == 0, outcome.err
    outcome, back = convert(tmp_path, target.read_bytes(), f"assessments:{name}", name="there")
    assert outcome.status == 0, outcome.err
    original, again = read_assessments(tmp_path / "in"), read_assessments(back)
    assert (original.format, again.scale) == (name, original.scale)
    for table in ASSESSMENT_TABLES:
        ours, theirs = (
            entry.tables[table].sort("topic", "doc", maintain_order=True) for entry in (original, again)
        )
        assert ours.equals(theirs)


@pytest.mark.parametrize("content", [HIGHLIGHTED, QUOTED], ids=["paths", "quotations"])
@pytest.mark.parametrize("to", ["qrels", "inex2006", "assessments:jsonl", "web-annotation"])
def test_with_a_collection_highlights_are_the_same_in_every_format(tmp_path, small_collection, content, to):
    outcome, out = convert(tmp_path, content, to, "-c", small_collection, "--lossy")
    assert outcome.status == 0, outcome.err
    opened = read_collection(small_collection)
    original, again = (resolve_assessments(read_assessments(path), opened) for path in (tmp_path / "in", out))
    columns_of = {"highlights": ["topic", "doc", "start", "end"], "beps": ["topic", "doc", "position"]}
    for name, key in columns_of.items():
        assert getattr(again, name).select(key).rows() == getattr(original, name).select(key).rows()
    left_out = [line for line in outcome.messages if "left out" in line]
    assert not any("highlights." in line or "beps." in line for line in left_out)


def test_a_collection_provides_the_quotations_of_annotations(tmp_path, small_collection):
    outcome, out = convert(tmp_path, QRELS, "web-annotation", "-c", small_collection, "--lossy")
    assert outcome.status == 0
    assert read_assessments(out).highlights["text"].to_list() == ["One two", "ee fo", "same words, "]


@pytest.mark.parametrize(
    ("content", "to", "losses"),
    [
        (QRELS, "assessments:jsonl", "judged.rsize (3 rows), judged.docsize (3 rows)"),
        (
            QUOTED,
            "qrels",
            "highlights.text (2 rows), highlights.prefix (1 row)",
        ),
        (
            TREC_QRELS,
            "qrels",
            "scale (from documents to 2006), judged.grade (2 rows)",
        ),
        (
            HIGHLIGHTED,
            "qrels",
            (
                "judged.pool (1 row), highlights.path (2 rows), highlights.path_end (2 rows), "
                "beps.path (1 row)"
            ),
        ),
    ],
    ids=["qrels", "quotations", "trec", "inex2006"],
)
def test_the_losses_of_assessments_are_listed_exactly(tmp_path, content, to, losses):
    content = content.replace(' whitespace-text-node="keep"', "")
    outcome, out = convert(tmp_path, content, to)
    assert (outcome.status, out.exists()) == (2, False)
    assert outcome.err.endswith(f"found {losses}\n")


def test_converted_places_are_not_losses(tmp_path, small_collection):
    outcome, _ = convert(tmp_path, HIGHLIGHTED, "qrels", "-c", small_collection)
    assert outcome.err.endswith("found judged.pool (1 row), about.whitespace-text-node (1 row)\n")


def test_output_that_could_not_be_read_again_is_not_written(tmp_path):
    outcome, out = convert(tmp_path, ASSESSMENTS["inex2003"], "inex2002", "--lossy")
    assert (outcome.status, out.exists()) == (2, False)
    assert "so much would be lost that the output could not be read as inex2002" in outcome.err
    assert "wanted one of 0, 1, 2, 3, found none" in outcome.err


@pytest.mark.parametrize(
    "entry",
    [entry for entry in ASSESSMENT_FORMATS if not entry.campaign and not entry.is_read_only],
    ids=lambda entry: entry.name,
)
def test_assessments_are_read_with_the_declared_scale(entry):
    assert entry.read(ASSESSMENTS[entry.name].encode(), entry.name).scale == entry.scale


def test_documents_keep_their_names(tmp_path, small_collection):
    named = HIGHLIGHTED.replace('name="a"', 'name="x/a.xml"')
    _, out = convert(tmp_path, named, "qrels", "-c", small_collection, "--lossy")
    assert out.read_text() == "1 Q0 x/a.xml 18 21 7 0:7 10:11\n"


GRADE_0 = lines(
    json.dumps({"topic": "1", "doc": "a", "start": 0, "end": 7, "grade": 0}),
    json.dumps({"topic": "1", "doc": "a", "start": 7, "end": 17, "grade": 2}),
    json.dumps({"topic": "1", "doc": "b", "start": 0, "end": 12, "grade": 0}),
)


@pytest.mark.parametrize("to", ["inex2005", "inex2006", "qrels", "chroma", "jsonl", "web-annotation", "trec"])
def test_no_conversion_makes_text_of_grade_0_relevant(tmp_path, small_collection, to):
    outcome, out = convert(tmp_path, GRADE_0, to, "-c", small_collection, "--lossy")
    assert outcome.status == 0, outcome.err
    again = resolve_assessments(read_assessments(out), read_collection(small_collection))
    assert grade_documents(again).to_list()[1] == 0
    assert again.judged["doc"].to_list() == ["a", "b"]
    if to != "trec":
        assert again.relevant_highlights.select("doc", "start", "end").rows() == [("a", 7, 17)]
    # the formats without grades lose the passages, and list the grades as lost
    assert (again.highlights.height == 3) == (to in {"jsonl", "web-annotation"})
    refused, _ = convert(tmp_path, GRADE_0, to, "-c", small_collection)
    assert ("highlights.grade (3 rows)" in refused.err) == (to not in {"jsonl", "web-annotation"})
