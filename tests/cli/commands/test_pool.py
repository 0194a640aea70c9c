"""``doxel pool``: pools, estimates, statistics and error messages."""

from __future__ import annotations

import json

import pytest

from documents.commands import doxel, is_sentence, write_files
from doxel.documents.ingestion import ingest
from doxel.pooling import read_pool

SOURCES = {f"in/{name}.xml": f"<a><b>{name * 10}</b><b>{name * 5}</b></a>" for name in "pqrs"}
FILES = {
    "a.run": "1 Q0 p 1 0.9 A /a[1]/b[1]\n1 Q0 p 2 0.8 A /a[1]\n1 Q0 q 3 0.7 A /a[1]\n2 Q0 r 1 0.9 A /a[1]\n",
    "b.run": "1 Q0 q 1 0.9 B /a[1]/b[1]\n1 Q0 s 2 0.8 B /a[1]\n2 Q0 r 1 0.9 B /a[1]\n",
    "topics.tsv": "1\ttrees\n3\tgraphs\n",
    "gold.qrels": "1 Q0 p 10 15 0 0:10\n1 Q0 q 5 15 0 0:5\n1 Q0 s 5 15 10 10:5\n2 Q0 r 0 15\n",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("pool"), {**SOURCES, **FILES})
    ingest(folder / "in", folder / "all.doxel")
    return folder


def pool(files, *arguments, runs=("a.run", "b.run"), collection=True):
    paths = [files / name for name in runs]
    return doxel("pool", *(["-c", files / "all.doxel"] if collection else []), *arguments, *paths)


def test_a_pool_is_written_and_its_size_is_printed(files, tmp_path):
    outcome = pool(files, "--depth", 1, "-o", tmp_path / "pool.jsonl")
    assert (outcome.status, outcome.out) == (0, "")
    (message,) = outcome.messages
    assert message == (
        "doxel: 3 documents of 2 topics (1 to 2 per topic), 4 parts retrieved from them, "
        f"45 characters to read; written to {tmp_path / 'pool.jsonl'}"
    )
    written_pool = read_pool(tmp_path / "pool.jsonl")
    assert sorted(written_pool.documents.select("topic", "doc").rows()) == [
        ("1", "p"),
        ("1", "q"),
        ("2", "r"),
    ]
    assert written_pool.runs == ["A", "B"]
    assert written_pool.fingerprint


def test_the_same_call_gives_the_same_bytes(files, tmp_path):
    for name in ("one", "two"):
        pool(files, "--documents", 3, "-o", tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_nothing_left_to_judge_is_reported(files):
    outcome = pool(files, "--next", "-a", files / "gold.qrels")  # all documents of both runs are judged
    assert (outcome.status, outcome.out) == (0, "")
    sentence = "nothing to judge next: no unjudged document could raise the score of a run"
    assert f"doxel: {sentence}" in outcome.messages


def test_a_blind_pool_has_no_contributions(files, tmp_path):
    pool(files, "--depth", 2, "--blind", "-o", tmp_path / "pool.jsonl")
    text = (tmp_path / "pool.jsonl").read_text("utf-8")
    assert "contributions" not in text
    assert '"A"' not in text


def test_only_topics_of_the_topic_file_are_pooled(files, tmp_path):
    outcome = pool(files, "--depth", 2, "-t", files / "topics.tsv", "-o", tmp_path / "pool.jsonl")
    assert read_pool(tmp_path / "pool.jsonl").topics == ["1"]
    assert "doxel: 1 topic has no document in the pool: 3" in outcome.messages
    assert "doxel: 1 topic of the runs was not selected and is not pooled: 2" in outcome.messages


def test_an_estimate_writes_nothing(files, tmp_path):
    outcome = pool(files, "--estimate", "-f", "json", "-o", tmp_path / "pool.jsonl")
    assert outcome.status == 0
    assert not (tmp_path / "pool.jsonl").exists()
    rows = json.loads(outcome.out)["estimate"]
    assert [(row["depth"], row["documents"], row["characters"]) for row in rows] == [(1, 3, 45), (2, 4, 60)]
    assert "depth" in pool(files, "--estimate").out


def test_statistics_count_contributions_and_judgements(files):
    outcome = pool(files, "--depth", 2, "--statistics", "-a", files / "gold.qrels", "-f", "json")
    statistics = json.loads(outcome.out)
    assert [(row["run"], row["documents"], row["unique_relevant"]) for row in statistics["runs"]] == [
        ("A", 3, 1),
        ("B", 3, 1),
    ]
    assert statistics["coverage"][0] == {
        "topic": "1",
        "pooled": 3,
        "judged": 3,
        "relevant": 3,
        "judged_besides": 0,
        "relevant_besides": 0,
    }
    assert statistics["left_out"] is None


def test_scores_change_when_a_run_is_left_out(files):
    scored = ("-a", files / "gold.qrels", "-m", "char_rec@2")
    outcome = pool(files, "--depth", 2, "--statistics", *scored, "-f", "json")
    (_, of_b) = json.loads(outcome.out)["left_out"]
    # topic 1: B finds 5 of q and 5 of s among 20 characters; without s, 5 of 15; topic 2 is empty
    assert (of_b["score"], of_b["without"]) == pytest.approx((10 / 20, 5 / 15))
    table = pool(files, "--depth", 2, "--statistics", *scored).out
    assert "char_rec@2 without the run's own documents" in table
    assert "nearest" in table


def test_a_pool_without_a_collection_has_no_fingerprint(files, tmp_path):
    outcome = pool(files, "--depth", 1, "-o", tmp_path / "pool.jsonl", collection=False)
    assert outcome.status == 0
    assert "no collection (-c): paths and offsets are not checked" in outcome.messages[0]
    assert read_pool(tmp_path / "pool.jsonl").fingerprint is None


def test_skipped_runs_and_results_are_reported(files, tmp_path):
    write_files(tmp_path, {"odd.run": "1 Q0 nobody 1 0.9 odd\n1 Q0 p 2 0.8 odd\n", "bad.run": "1 Q0\n"})
    outcome = doxel(
        "pool", "-c", files / "all.doxel", "--depth", 1, "-o", tmp_path / "pool.jsonl", tmp_path / "odd.run"
    )
    assert outcome.status == 1
    assert "doxel: 1 result is left out: unknown document" in outcome.messages
    outcome = pool(files, "--depth", 1, "-o", tmp_path / "pool.jsonl", tmp_path / "bad.run")
    assert outcome.status == 1
    assert any("skipped" in message and "bad.run, line 1" in message for message in outcome.messages)
    assert read_pool(tmp_path / "pool.jsonl").runs == ["A", "B"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--depth", 3], "Nothing to do"),
        (["-o", "pool.jsonl"], "a depth, a number of documents, or both: --depth, --documents"),
        (["--depth", 0, "-o", "pool.jsonl"], "0 is not in the range"),
        (["--depth", 1, "--statistics", "-m", "MAiP"], "-m needs assessments"),
        (["--depth", 1, "-o", "no/such/folder/pool.jsonl"], "cannot be written"),
    ],
)
def test_wrong_calls_are_rejected(files, arguments, message):
    outcome = pool(files, *arguments)
    assert outcome.status == 2
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_a_folder_without_runs_is_rejected(tmp_path):
    write_files(tmp_path, {"bad.run": "1 Q0\n"})
    outcome = doxel("pool", "--depth", 1, "-o", tmp_path / "pool.jsonl", tmp_path / "bad.run")
    assert outcome.status == 2
    assert is_sentence(outcome.messages[-1])
    assert not (tmp_path / "pool.jsonl").exists()


def test_an_empty_pool_does_not_replace_an_old_one(files, tmp_path):
    (tmp_path / "pool.jsonl").write_text("old")
    (tmp_path / "other.run").write_text("1 Q0 unknown 1 0.9 A /a[1]\n")
    call = ("pool", "-c", files / "all.doxel", "--depth", 1, "-o", tmp_path / "pool.jsonl")
    outcome = doxel(*call, tmp_path / "other.run")
    assert (outcome.status, (tmp_path / "pool.jsonl").read_text()) == (2, "old")
    assert outcome.messages[-1] == (
        "doxel: an empty pool is not written: wanted runs with documents of the collection and topics"
    )


def test_the_documents_to_judge_next_may_be_none(files):
    outcome = pool(files, "--next", "-a", files / "gold.qrels", "-m", "char_prec@2")
    assert outcome.status == 0
    assert (
        outcome.messages[-1] == "doxel: nothing is left to judge: all documents up to the cutoff are judged"
    )


def test_runs_without_scores_are_explained(files):
    call = ("--next", "-a", files / "gold.qrels", "-m", "MAiP", "--documents", 3)
    outcome = pool(files, *call, runs=["a.run"])
    assert outcome.status == 2
    assert "doxel: documents to judge: no run has a score: found A: results overlap" in outcome.err
