"""``doxel align`` writes spans for texts and summarises how they were found."""

import json

import pytest

from documents.commands import doxel
from doxel.documents.ingestion import ingest


@pytest.fixture
def collection(tmp_path):
    (tmp_path / "play.txt").write_text("To be, or not to be: that is the question", encoding="utf-8")
    ingest([tmp_path / "play.txt"], tmp_path / "plays.doxel")
    return tmp_path / "plays.doxel"


def write_texts(folder, *texts):
    path = folder / "texts.jsonl"
    path.write_text(
        "".join(json.dumps({"topic": "1", "text": text}) + "\n" for text in texts), encoding="utf-8"
    )
    return path


def test_spans_go_to_stdout_and_the_summary_to_stderr(tmp_path, collection):
    outcome = doxel("align", "-c", collection, write_texts(tmp_path, "or not", "TO BE"))
    assert outcome.status == 0
    assert [json.loads(line)["start"] for line in outcome.out.splitlines()] == [7, 0]
    assert outcome.messages == [
        "doxel: 2 texts: 1 exact, 1 folded",
        "doxel: 1 text occurs at several places; the first was taken",
    ]


def test_texts_that_are_not_found_are_counted_and_the_status_is_1(tmp_path, collection):
    out = tmp_path / "run.jsonl"
    outcome = doxel("align", "-c", collection, write_texts(tmp_path, "unheard"), "-o", out)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.messages == ["doxel: 1 text: 1 unplaced"]
    assert json.loads(out.read_text())["start"] == -1
    outcome = doxel("align", "-c", collection, write_texts(tmp_path, "unheard"), "-o", out, "--drop-unplaced")
    assert (outcome.status, out.read_text()) == (1, "")


def test_a_wrong_line_is_an_error(tmp_path, collection):
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": 1}\n', encoding="utf-8")
    outcome = doxel("align", "-c", collection, path)
    assert outcome.status == 2
    assert "line 1: the text: wanted a string, found 1" in outcome.err


def test_the_spans_are_a_run_that_scores_like_the_texts(tmp_path, collection):
    out = tmp_path / "run.jsonl"
    assert doxel("align", "-c", collection, write_texts(tmp_path, "OR NOT to"), "-o", out).status == 0
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"topic": "1", "doc": "play", "start": 7, "end": 13}\n', encoding="utf-8")
    outcome = doxel("evaluate", "-a", gold, "-m", "char_rec@1,char_prec@1", "-f", "tsv", out)
    scores = [float(line.split("\t")[3]) for line in outcome.out.splitlines()[1:]]
    assert scores == [1.0, 6 / 9]
