"""Conversion of runs between formats, and losses, which are never silent."""

import json

import pytest

from checks.cases import P1, P2, SEC1, SEC2, SOURCES, xml_run
from checks.convertible import ELEMENTS, FOL, ROOT, RUNS, convert
from documents.commands import write_files
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.runs import RESULTS, RUN_FORMATS, Run, read_run
from doxel.runs.result_spans import resolve_run
from doxel.runs.run_conversion import convert_run
from doxel.runs.run_files import find_run_format


@pytest.fixture(scope="module")
def small_collection(tmp_path_factory):
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
    ("fol", "genomics"),
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
    ("inex-xml", "inex-xml"),  # it declares a task, which no other format stores
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
def test_with_a_collection_every_place_becomes_offsets(tmp_path, small_collection, name):
    outcome, out = convert(tmp_path, RUNS[name], "fol", "-c", small_collection)
    assert outcome.status == 0, outcome.err
    expected = resolve_run(read_run(tmp_path / "in"), read_collection(small_collection))
    assert columns(read_run(out).results, ("topic", "doc", "start", "end")) == columns(
        expected, ("topic", "doc", "start", "end")
    )
    count = expected.height
    assert f"doxel: {count} results are written as positions, found in {small_collection}" in outcome.messages


def test_offsets_of_whole_elements_become_paths(tmp_path, small_collection):
    exact = "1 Q0 a 1 0.9 r 0 7\n1 Q0 a 2 0.8 r 0 17\n1 Q0 a 3 0.7 r 17 4\n1 Q0 b 4 0.6 r 0 22\n"
    outcome, out = convert(tmp_path, exact, "paths", "-c", small_collection)
    assert outcome.status == 0
    # sec[2] and its only p have the same span: the outer one is chosen
    assert read_run(out).results["path"].to_list() == [P1, SEC1, SEC2, ROOT]
    assert read_run(out).results["path_end"].null_count() == 4


def test_offsets_become_text_positions_if_one_is_not_an_element(tmp_path, small_collection):
    outcome, out = convert(tmp_path, FOL, "paths", "-c", small_collection)
    assert outcome.status == 0
    again = resolve_run(read_run(out), read_collection(small_collection))
    assert columns(again, ("doc", "start", "end")) == [("a", 0, 7), ("a", 7, 17), ("b", 3, 8)]
    assert read_run(out).results["path_end"].null_count() == 0


def test_an_element_is_an_entry_point_only_in_best_in_context(tmp_path, small_collection):
    run = xml_run("BestInContext", ("1", "a", P2, 1, 0.9), ("1", "b", ROOT, 2, 0.8))
    outcome, out = convert(tmp_path, run, "bep", "-c", small_collection, "--lossy")
    assert outcome.status == 0
    assert columns(read_run(out).results, ("doc", "start")) == [("a", 7), ("b", 0)]
    assert [line for line in outcome.messages if "left out" in line] == [
        "doxel: left out: about.task (1 row)"
    ]
    outcome, _ = convert(tmp_path, run.replace("BestInContext", "Focused"), "bep", "-c", small_collection)
    assert outcome.status == 2
    assert "found results.path (2 rows), about.task (1 row)" in outcome.err


def test_an_unknown_path_is_a_loss(tmp_path, small_collection):
    run = ELEMENTS + "2 Q0 a 2 0.6 r /article[1]/p[9]\n"
    outcome, out = convert(tmp_path, run, "fol", "-c", small_collection)
    assert (outcome.status, out.exists()) == (2, False)
    assert "found results.path (1 row)" in outcome.err
    outcome, out = convert(tmp_path, run, "fol", "-c", small_collection, "--lossy")
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
        assert ("span" in entry.result_kinds) == ({"start", "end"} <= entry.holds["results"])
        assert ("element" in entry.result_kinds) == ("path" in entry.holds["results"])
        assert ("quotation" in entry.result_kinds) == ("text" in entry.holds["results"]) or entry.campaign


def test_converting_does_not_change_the_run(small_collection):
    run = Run("r", RESULTS.from_rows([{"topic": "1", "doc": "a", "rank": 1, "path": P1}]))
    before = run.results.clone()
    convert_run(run, find_run_format("fol"), read_collection(small_collection))
    assert run.results.equals(before)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("msmarco", b"1\t7\t1\n1\t9\t2\n"),
        (
            "qasper",
            b'{"question_id": "q", "predicted_answer": "a", "predicted_evidence": ["One.", "2"]}\n',
        ),
        ("archehr", b'[{"case_id": "1", "prediction": ["1", "5"]}]'),
        ("locomo", b'{"sample_id": "c", "qa": [{"evidence": ["D1:1"], "prediction_context": ["D1:1"]}]}'),
        ("bioasq", b'{"questions": [{"id": "q", "documents": ["http://x/1"], "snippets": []}]}'),
    ],
)
def test_the_name_of_the_file_is_not_an_id_that_is_lost(tmp_path, name, data):
    outcome, target = convert(tmp_path, data, f"runs:{name}")
    assert outcome.status == 0, outcome.err
    assert "".join(target.read_text().split()) == "".join(data.decode().split())
