"""Documents in a report: their text in blocks, and what is shown of them; files with their hashes."""

from __future__ import annotations

import hashlib

import polars as pl
import pytest

import doxel
from documents.commands import write_files
from doxel.errors import InputError
from doxel.evaluation.analysis.findings import ReportSettings, examine_runs, hash_source_files
from doxel.evaluation.analysis.shown_documents import cut_into_blocks, show_documents
from doxel.evaluation.inputs.input_tables import as_assessments

ARTICLE = """<article>
 <title>Ships 🚢</title>
 <p>A <b>ship</b> sails on and on, before a wind that blows as it likes, until evening.</p>
 <table><row><cell>mast</cell><cell>three</cell></row><row><cell>sail</cell><cell>seven</cell></row></table>
 <note/>
</article>"""


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("shown"), {"source/ships.xml": ARTICLE})
    doxel.ingest(folder / "source", folder / "ships.doxel")
    return doxel.read_collection(folder / "ships.doxel")


def test_blocks_follow_block_level_elements(collection):
    document = collection["ships"]
    result = [
        (document.text[block.start : block.end].strip(), block.kind) for block in cut_into_blocks(document)
    ]
    assert result == [
        ("Ships 🚢", "heading"),
        ("A ship sails on and on, before a wind that blows as it likes, until evening.", "text"),
        ("mast", "short"),
        ("three", "short"),
        ("sail", "short"),
        ("seven", "short"),
    ]
    lines = [block.line for block in cut_into_blocks(document) if block.kind == "short"]
    assert lines[0] == lines[1] != lines[2] == lines[3]  # a row is a line


def test_blocks_contain_all_text_except_white_space(collection):
    document = collection["ships"]
    shown = "".join(document.text[block.start : block.end] for block in cut_into_blocks(document))
    assert "".join(shown.split()) == "".join(document.text.split())
    places = [place for block in cut_into_blocks(document) for place in (block.start, block.end)]
    assert places == sorted(places)


def evaluated(results, gold, collection=None):
    result = doxel.evaluate(results, gold, "char_rec@5", collection=collection, keep=10)
    return result.results


def test_a_document_is_shown_with_text_highlights_and_results(collection):
    text = collection["ships"].text
    start = text.index("wind")
    gold = [
        {"topic": "1", "doc": "ships", "start": start, "end": start + 4},
        {"topic": "1", "doc": "ships", "start": start + 2, "end": start + 10},
        {"topic": "1", "doc": "ships", "bep": start},
    ]
    results = evaluated([("1", "ships", start, start + 6)], gold, collection)
    (one,) = show_documents(results, as_assessments(gold), ["1"], collection=collection)
    assert one.text == text
    assert one.size == len(text)
    assert one.highlights == ((start, start + 10),)  # overlapping highlights are merged
    assert one.bep == start
    assert one.results.select("rank", "relevant").rows() == [(1, 6)]


def test_without_a_collection_the_size_is_the_furthest_known_offset():
    gold = [("1", "d", 10, 30)]
    (one,) = show_documents(evaluated([("1", "d", 5, 50)], gold), as_assessments(gold), ["1"])
    assert (one.text, one.size, one.blocks) == (None, 50, ())


def test_showing_an_unassessed_topic_raises_an_error():
    gold = [("1", "d", 10, 30)]
    with pytest.raises(InputError, match="a topic to show: wanted an assessed topic, found 2"):
        show_documents(evaluated([("1", "d", 5, 50)], gold), as_assessments(gold), ["2"])


def test_a_report_without_scores_raises_an_error():
    twice = [("1", "d", 0, 9), ("1", "d", 0, 5)]
    with pytest.raises(InputError, match="no run has a score: found run: results overlap"):
        examine_runs(twice, [("1", "d", 10, 30)], ["MAiP"])


def test_points_of_curves_are_not_reported_as_measures():
    gold = [("1", "d", 10, 30), ("2", "d", 0, 5)]
    runs = {"a": [("1", "d", 5, 50)], "b": [("2", "d", 0, 9)]}
    findings = examine_runs(
        runs, gold, ["MAiP", "iP@0.5"], settings=ReportSettings(curves=("iP",), resamples=100)
    )
    assert findings.measures == ("MAiP", "iP@0.5")
    assert findings.points.curve("iP").height == 2 * 2 * 101
    assert findings.baseline == "a"
    by_hand = doxel.evaluate(runs, gold, ["MAiP", "iP@0.5"])
    assert findings.evaluation.scores.equals(by_hand.scores)
    assert findings.agreement is not None
    assert findings.intervals.height == 4


def test_a_folder_has_one_hash(tmp_path):
    folder = write_files(tmp_path / "in", {"a.txt": "one", "b/c.txt": "two"})
    (one,) = hash_source_files("assessments", [folder])
    digests = [hashlib.sha256(text).hexdigest() for text in (b"one", b"two")]
    listed = f"a.txt\0{digests[0]}\nb/c.txt\0{digests[1]}\n"
    assert (one.bytes, one.sha256) == (6, hashlib.sha256(listed.encode()).hexdigest())
    write_files(folder, {"b/c.txt": "too"})
    assert hash_source_files("assessments", [folder])[0].sha256 != one.sha256


def test_kept_results_have_declared_columns():
    from doxel.evaluation.run_scorer import KEPT_RESULTS

    results = evaluated([("1", "d", 5, 50)], [("1", "d", 10, 30)])
    assert dict(results.schema) == KEPT_RESULTS.schema
    assert results.select(pl.all().is_null().sum()).row(0) == (0, 0, 0, 0, 1, 0, 0, 0, 0, 0)  # no path


def test_the_main_measure_is_one_that_most_runs_have():
    gold = [("1", "d", 10, 30), ("2", "d", 0, 5)]
    runs = {"twice": [("1", "d", 0, 9), ("1", "d", 0, 5)], "a": [("1", "d", 5, 50)], "b": [("2", "d", 0, 9)]}
    settings = ReportSettings(resamples=100)
    findings = examine_runs(runs, gold, ["MAiP", "char_rec@5", "char_rec@1"], settings=settings)
    assert findings.main == "char_rec@5"  # MAiP rejects results that overlap
    assert findings.baseline == "twice"
    without = examine_runs(runs, gold, ["MAiP"], settings=settings)
    assert (without.main, without.baseline) == ("MAiP", "a")
    assert without.all_runs == ("twice", "a", "b")
