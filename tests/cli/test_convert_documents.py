"""``doxel convert`` between passages and whole documents: TREC files, by first passage or MaxP."""

import pytest
from click.testing import CliRunner

from doxel.cli.main import cli
from doxel.documents.ingestion import ingest

CHUNKS = """\
{"topic": "1", "doc": "a", "start": 0, "end": 5, "rank": 1, "score": 3}
{"topic": "1", "doc": "b", "start": 0, "end": 5, "rank": 2, "score": 2.5}
{"topic": "1", "doc": "a", "start": 5, "end": 9, "rank": 3, "score": 2}
{"topic": "1", "doc": "b", "start": 5, "end": 9, "rank": 4, "score": 9}
{"topic": "2", "doc": "b", "start": 5, "end": 9, "rank": 1, "score": 1}
"""
GOLD = """\
{"topic": "1", "doc": "a", "start": 0, "end": 5}
{"topic": "1", "doc": "b", "start": 0, "end": 5, "grade": 1}
{"topic": "1", "doc": "b", "start": 5, "end": 9, "grade": 3}
{"topic": "2", "doc": "a"}
"""


def convert(folder, content, *options, name="in.jsonl"):
    (folder / name).write_text(content)
    outcome = CliRunner().invoke(
        cli, ["convert", str(folder / name), str(folder / "out"), *options], catch_exceptions=False
    )
    return outcome.output, (folder / "out").read_text() if (folder / "out").exists() else ""


def test_documents_are_ranked_by_their_first_passage(tmp_path):
    messages, written = convert(tmp_path, CHUNKS, "--to", "trec", "--lossy")
    assert written == "1 Q0 a 1 3.0 in\n1 Q0 b 2 2.5 in\n2 Q0 b 1 1.0 in\n"
    assert "5 results became 3 documents, ranked by their first results" in messages
    assert "left out: results.start (5 rows)" in messages


def test_documents_are_ranked_by_their_best_passage(tmp_path):
    messages, written = convert(tmp_path, CHUNKS, "--to", "trec", "--documents", "maxp", "--lossy")
    assert written == "1 Q0 b 1 9.0 in\n1 Q0 a 2 3.0 in\n2 Q0 b 1 1.0 in\n"
    assert "ranked by their best rsv" in messages


def test_without_lossy_nothing_is_lost(tmp_path):
    from doxel.errors import InputError

    with pytest.raises(InputError, match=r"trec cannot represent everything in the file: wanted .*--lossy"):
        convert(tmp_path, CHUNKS, "--to", "trec")
    twice = "1 Q0 a 1 2 r\n1 Q0 a 2 1 r\n"
    with pytest.raises(InputError, match=r"results of a document that is listed again \(2 rows\)"):
        convert(tmp_path, twice, "--to", "trec", name="in.run")


def test_ranks_without_scores_become_falling_scores(tmp_path):
    chunks = CHUNKS.replace(', "score": 9', "").replace(', "score": 3', ', "score": 1')
    messages, written = convert(tmp_path, chunks, "--to", "trec", "--lossy")
    assert written == "1 Q0 a 1 1.0 in\n1 Q0 b 2 0.5 in\n2 Q0 b 1 1.0 in\n"
    assert "they are now 1/rank" in messages


def test_maxp_needs_scores(tmp_path):
    from doxel.errors import InputError

    with pytest.raises(InputError, match=r"line 4: maxp ranks documents by rsv: .* 1 result without"):
        convert(
            tmp_path, CHUNKS.replace(', "score": 9', ""), "--to", "trec", "--documents", "maxp", "--lossy"
        )


def test_documents_is_rejected_for_other_conversions(tmp_path):
    from doxel.errors import InputError

    with pytest.raises(InputError, match="wanted a run and --to trec"):
        convert(tmp_path, CHUNKS, "--to", "fol", "--documents", "maxp", "--lossy")


def test_highlights_become_grades_of_documents(tmp_path):
    messages, written = convert(tmp_path, GOLD, "--from", "assessments:jsonl", "--to", "trec", "--lossy")
    assert written == "1 0 a 1\n1 0 b 3\n2 0 a 0\n"
    assert "2 of 3 documents are relevant as a whole" in messages


def test_converted_documents_have_the_same_scores(tmp_path):
    import doxel

    convert(tmp_path, GOLD, "--from", "assessments:jsonl", "--to", "trec", "--lossy")
    (tmp_path / "out").rename(tmp_path / "qrels")
    (tmp_path / "gold.jsonl").write_text(GOLD)
    convert(tmp_path, CHUNKS, "--to", "trec", "--lossy")
    before = doxel.evaluate(tmp_path / "in.jsonl", tmp_path / "gold.jsonl", "documents")
    after = doxel.evaluate(tmp_path / "out", tmp_path / "qrels", "documents")
    assert before.means.drop("run").rows() == after.means.drop("run").rows()
    assert before.means["score"].sum() > 1


@pytest.fixture
def collection(tmp_path):
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.xml").write_text("<a><p>twelve signs</p></a>")
    ingest([str(tmp_path / "sources")], str(tmp_path / "collection"))
    return str(tmp_path / "collection")


def test_relevant_documents_become_highlights_of_their_whole_text(tmp_path, collection):
    qrels = "1 0 a 2\n1 0 b 0\n"
    messages, written = convert(
        tmp_path, qrels, "--to", "jsonl", "-c", collection, "--lossy", name="in.qrels"
    )
    assert written == (
        '{"topic": "1", "doc": "a", "start": 0, "end": 12, "grade": 2.0}\n{"topic": "1", "doc": "b"}\n'
    )
    assert "1 relevant document is highlighted from end to end" in messages


def test_whole_documents_cannot_become_highlights_without_a_collection(tmp_path):
    from doxel.errors import InputError

    with pytest.raises(InputError, match="-c, to convert paths and offsets"):
        convert(tmp_path, "1 0 a 2\n", "--to", "jsonl", name="in.qrels")


def test_a_run_of_documents_becomes_spans(tmp_path, collection):
    _, written = convert(tmp_path, "1 Q0 a 1 2.0 r\n", "--to", "fol", "-c", collection, name="in.run")
    assert written.split() == ["1", "Q0", "a", "1", "2.0", "r", "0", "12"]
