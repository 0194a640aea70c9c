"""``doxel convert``: conversions between formats, and losses, which are never silent."""

import json

import pytest

from checks.cases import P1, P2, SEC1, SEC2, SOURCES, xml_run
from checks.convertible import (
    ASSESSMENTS,
    ELEMENTS,
    FOL,
    HIGHLIGHTED,
    QRELS,
    QUOTED,
    ROOT,
    RUNS,
    TOPICS,
    TREC_QRELS,
    convert,
)
from documents.commands import write_files
from doxel.assessments import read_assessments
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import ASSESSMENT_TABLES
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.runs import RESULTS, RUN_FORMATS, Run, read_run
from doxel.runs.result_spans import resolve_run
from doxel.runs.run_conversion import convert_run
from doxel.runs.run_files import find_run_format
from doxel.topics import read_topics
from doxel.topics.topic_files import TOPIC_FORMATS


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("sources"), SOURCES)
    ingest([str(folder)], str(folder / "c.doxel"))
    return folder / "c.doxel"


def columns(results, names=("topic", "doc", "rank", "rsv", "path", "path_end", "start", "end", "text")):
    return results.select(names).rows()


# Runs

LOSSLESS_RUNS = {
    ("fol", "fol"),
    ("fol", "jsonl"),
    ("fol", "inex-xml"),
    ("elements", "paths"),
    ("elements", "jsonl"),
    ("elements", "inex-xml"),
    ("ranges", "paths"),
    ("ranges", "jsonl"),
    ("ranges", "inex-xml"),
    ("bep", "bep"),
    ("bep", "jsonl"),
    ("bep", "inex-xml"),
    ("trec", "trec"),
    ("trec", "jsonl"),
    ("quotations", "jsonl"),
    ("inex-xml", "inex-xml"),  # it declares a task, which no other format can
}


@pytest.mark.parametrize("to", [entry.name for entry in RUN_FORMATS])
@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_converted_and_back_without_loss_or_not_at_all(tmp_path, name, to):
    outcome, target = convert(tmp_path, RUNS[name], f"runs:{to}")
    if (name, to) not in LOSSLESS_RUNS:
        assert (outcome.status, target.exists()) == (2, False)
        return
    assert outcome.status == 0
    original = read_run(tmp_path / "in")
    assert columns(read_run(target).results) == columns(original.results)
    outcome, back = convert(tmp_path, target.read_bytes(), f"runs:{original.format}", name="there")
    assert outcome.status == 0
    again = read_run(back)
    assert columns(again.results) == columns(original.results)
    assert (again.id, again.task) == (original.id, original.task)


@pytest.mark.parametrize("name", ["elements", "ranges", "trec", "quotations"])
def test_with_a_collection_every_place_becomes_offsets(tmp_path, collection, name):
    outcome, out = convert(tmp_path, RUNS[name], "fol", "-c", collection)
    assert outcome.status == 0, outcome.err
    expected = resolve_run(read_run(tmp_path / "in"), read_collection(collection))
    assert columns(read_run(out).results, ("topic", "doc", "start", "end")) == columns(
        expected, ("topic", "doc", "start", "end")
    )
    count = expected.height
    assert f"doxel: {count} results are written as positions, found in {collection}" in outcome.messages


def test_offsets_of_whole_elements_become_paths(tmp_path, collection):
    exact = "1 Q0 a 1 0.9 r 0 7\n1 Q0 a 2 0.8 r 0 17\n1 Q0 a 3 0.7 r 17 4\n1 Q0 b 4 0.6 r 0 22\n"
    outcome, out = convert(tmp_path, exact, "paths", "-c", collection)
    assert outcome.status == 0
    # sec[2] and its only p have the same span: the outer one is chosen
    assert read_run(out).results["path"].to_list() == [P1, SEC1, SEC2, ROOT]
    assert read_run(out).results["path_end"].null_count() == 4


def test_offsets_become_text_positions_if_one_is_not_an_element(tmp_path, collection):
    outcome, out = convert(tmp_path, FOL, "paths", "-c", collection)
    assert outcome.status == 0
    again = resolve_run(read_run(out), read_collection(collection))
    assert columns(again, ("doc", "start", "end")) == [("a", 0, 7), ("a", 7, 17), ("b", 3, 8)]
    assert read_run(out).results["path_end"].null_count() == 0


def test_an_element_is_an_entry_point_only_in_best_in_context(tmp_path, collection):
    run = xml_run("BestInContext", ("1", "a", P2, 1, 0.9), ("1", "b", ROOT, 2, 0.8))
    outcome, out = convert(tmp_path, run, "bep", "-c", collection, "--lossy")
    assert outcome.status == 0
    assert columns(read_run(out).results, ("doc", "start")) == [("a", 7), ("b", 0)]
    assert [line for line in outcome.messages if "left out" in line] == [
        "doxel: left out: about.task (1 row)"
    ]
    outcome, _ = convert(tmp_path, run.replace("BestInContext", "Focused"), "bep", "-c", collection)
    assert outcome.status == 2
    assert "found results.path (2 rows), about.task (1 row)" in outcome.err


def test_an_unknown_path_is_a_loss(tmp_path, collection):
    run = ELEMENTS + "2 Q0 a 2 0.6 r /article[1]/p[9]\n"
    outcome, out = convert(tmp_path, run, "fol", "-c", collection)
    assert (outcome.status, out.exists()) == (2, False)
    assert "found results.path (1 row)" in outcome.err
    outcome, out = convert(tmp_path, run, "fol", "-c", collection, "--lossy")
    assert outcome.status == 0
    assert read_run(out).results["start"].to_list() == [0, 0, 0, -1]


@pytest.mark.parametrize(
    ("name", "to", "losses"),
    [
        ("elements", "fol", "results.path (3 rows)"),
        ("fol", "trec", "results.start (3 rows), results.end (3 rows)"),
        ("fol", "bep", "results.end (3 rows)"),
        ("ranges", "fol", "results.path (2 rows), results.path_end (2 rows)"),
        ("inex-xml", "paths", "results.start (1 row), results.end (1 row), about.task (1 row)"),
        ("quotations", "inex-xml", "results.text (2 rows)"),
    ],
)
def test_the_losses_of_a_run_are_listed_exactly(tmp_path, name, to, losses):
    outcome, out = convert(tmp_path, RUNS[name], to)
    assert (outcome.status, out.exists()) == (2, False)
    assert outcome.err.endswith(f"found {losses}\n")
    assert "--lossy" in outcome.err


def test_with_lossy_the_rest_is_written_and_the_losses_are_listed(tmp_path):
    outcome, out = convert(tmp_path, FOL, "bep", "--lossy")
    assert outcome.status == 0
    assert outcome.messages == [
        "doxel: left out: results.end (3 rows)",
        f"doxel: {out}: 3 results for 2 topics, written as bep",
    ]
    assert columns(read_run(out).results, ("doc", "start")) == [("a", 0), ("a", 7), ("b", 3)]


def test_a_second_place_of_a_result_is_a_loss(tmp_path):
    record = {"topic": "1", "doc": "a", "rank": 1, "score": 0.9, "start": 0, "end": 7, "path": P1, "run": "r"}
    for to, written_field, lost in (("inex-xml", "start", "path"), ("paths", "path", "start")):
        outcome, _ = convert(tmp_path, json.dumps(record), to)
        assert outcome.status == 2
        assert f"results.{lost} (1 row)" in outcome.err
        assert f"results.{written_field}" not in outcome.err
        outcome, out = convert(tmp_path, json.dumps(record), to, "--lossy")
        assert outcome.status == 0
        assert read_run(out).results[written_field][0] == record[written_field]


@pytest.mark.parametrize(("name", "to"), [("elements", "fol"), ("trec", "paths"), ("quotations", "inex-xml")])
def test_the_error_suggests_a_collection(tmp_path, name, to):
    outcome, out = convert(tmp_path, RUNS[name], to, "--lossy")
    assert (outcome.status, out.exists()) == (2, False)
    assert "which a collection (-c) provides" in outcome.err
    if name != "trec":  # whole documents lose nothing, but lack offsets
        outcome, _ = convert(tmp_path, RUNS[name], to)
        assert "wanted -c, to convert paths and offsets, or --lossy" in outcome.err


def test_fol_end_reads_ends_instead_of_lengths(tmp_path):
    _, out = convert(tmp_path, "1 Q0 a 1 0.9 r 5 9\n", "runs:jsonl", "--fol-end")
    assert columns(read_run(out).results, ("start", "end")) == [(5, 9)]


def test_every_run_format_declares_its_places():
    for entry in RUN_FORMATS:
        assert ("span" in entry.says) == ({"start", "end"} <= entry.holds["results"])
        assert ("element" in entry.says) == ("path" in entry.holds["results"])
        assert ("quotation" in entry.says) == ("text" in entry.holds["results"])


def test_converting_does_not_change_the_run(collection):
    run = Run("r", RESULTS.from_rows([{"topic": "1", "doc": "a", "rank": 1, "path": P1}]))
    before = run.results.clone()
    convert_run(run, find_run_format("fol"), read_collection(collection))
    assert run.results.equals(before)


# Assessments


@pytest.mark.parametrize("to", ASSESSMENTS)
@pytest.mark.parametrize("name", ASSESSMENTS)
def test_assessments_are_converted_and_back_without_loss_or_not_at_all(tmp_path, name, to):
    outcome, target = convert(tmp_path, ASSESSMENTS[name], f"assessments:{to}")
    if name != to and {name, to} != {"jsonl", "web-annotation"}:
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
def test_with_a_collection_highlights_are_the_same_in_every_format(tmp_path, collection, content, to):
    outcome, out = convert(tmp_path, content, to, "-c", collection, "--lossy")
    assert outcome.status == 0, outcome.err
    opened = read_collection(collection)
    original, again = (resolve_assessments(read_assessments(path), opened) for path in (tmp_path / "in", out))
    columns_of = {"highlights": ["topic", "doc", "start", "end"], "beps": ["topic", "doc", "position"]}
    for name, key in columns_of.items():
        assert getattr(again, name).select(key).rows() == getattr(original, name).select(key).rows()
    left_out = [line for line in outcome.messages if "left out" in line]
    assert not any("highlights." in line or "beps." in line for line in left_out)


def test_a_collection_provides_the_quotations_of_annotations(tmp_path, collection):
    outcome, out = convert(tmp_path, QRELS, "web-annotation", "-c", collection, "--lossy")
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


def test_converted_places_are_not_losses(tmp_path, collection):
    outcome, _ = convert(tmp_path, HIGHLIGHTED, "qrels", "-c", collection)
    assert outcome.err.endswith("found judged.pool (1 row), about.whitespace-text-node (1 row)\n")


def test_output_that_could_not_be_read_again_is_not_written(tmp_path):
    outcome, out = convert(tmp_path, ASSESSMENTS["inex2003"], "inex2002", "--lossy")
    assert (outcome.status, out.exists()) == (2, False)
    assert "so much would be lost that the output could not be read as inex2002" in outcome.err
    assert "wanted one of 0, 1, 2, 3, found none" in outcome.err


@pytest.mark.parametrize("entry", ASSESSMENT_FORMATS, ids=lambda entry: entry.name)
def test_assessments_are_read_with_the_declared_scale(entry):
    assert entry.read(ASSESSMENTS[entry.name].encode(), entry.name).scale == entry.scale


def test_documents_keep_their_names(tmp_path, collection):
    named = HIGHLIGHTED.replace('name="a"', 'name="x/a.xml"')
    _, out = convert(tmp_path, named, "qrels", "-c", collection, "--lossy")
    assert out.read_text() == "1 Q0 x/a.xml 18 21 7 0:7 10:11\n"


# Topics


@pytest.mark.parametrize("to", ["topics:jsonl", "topics:inex2005"])
def test_topics_are_converted_and_back_without_loss(tmp_path, to):
    outcome, target = convert(tmp_path, TOPICS, to)
    assert outcome.status == 0
    outcome, back = convert(tmp_path, target.read_bytes(), "inex2009", name="there")
    assert outcome.status == 0
    assert list(read_topics(back)) == list(read_topics(tmp_path / "in"))


def test_the_losses_of_topics_are_listed_exactly(tmp_path):
    outcome, out = convert(tmp_path, TOPICS, "tsv")
    assert (outcome.status, out.exists()) == (2, False)
    losses = "topics.castitle (1 row), topics.description (1 row), topics.ct_no (1 row)"
    assert outcome.err.endswith(f"wanted --lossy, to leave out the following, found {losses}\n")
    outcome, out = convert(tmp_path, TOPICS, "tsv", "--lossy")
    assert (outcome.status, out.read_text()) == (0, "1\ttrees\n2\tgraphs\n")


@pytest.mark.parametrize("target", [entry.name for entry in TOPIC_FORMATS])
@pytest.mark.parametrize("here", [entry.name for entry in TOPIC_FORMATS])
def test_plain_topics_fit_every_format(tmp_path, here, target):
    _, out = convert(tmp_path, "1\ttrees\n2\tgraphs\n", f"topics:{here}", name="plain")
    outcome, out = convert(tmp_path, out.read_bytes(), f"topics:{target}")
    assert outcome.status == 0
    assert [(entry.id, entry.title) for entry in read_topics(out)] == [("1", "trees"), ("2", "graphs")]
