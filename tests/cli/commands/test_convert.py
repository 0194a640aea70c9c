"""``doxel convert``: formats are recognised, files are read and written, and errors are reported."""

import json
import zipfile

import polars as pl
import pytest
from click.testing import CliRunner

from checks.cases import P1, lines, xml_run
from checks.convertible import ELEMENTS, FOL, HIGHLIGHTED, convert
from documents.commands import doxel, write_files
from doxel.assessments import read_assessments
from doxel.cli.commands.convert import CONVERTIBLE_KINDS
from doxel.cli.main import cli
from doxel.documents.ingestion import ingest
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.runs import read_run
from doxel.topics import read_topics
from random_share import LONG_LINE

# Recognition


@pytest.mark.parametrize(
    ("content", "to", "kind"),
    [
        ("1 Q0 a 1 0.9 r\n", "jsonl", "result "),
        ("1 Q0 a 7 21 0 0:7\n", "jsonl", "judged document "),
        ("1 0 a 1\n", "trec", "judged document "),
        ("1 Q0 a 1 0.9 r\n", "trec", "result "),
        (lines(json.dumps({"topic": "1", "doc": "a", "start": 0, "end": 5, "rank": 1})), "jsonl", "result "),
        (lines(json.dumps({"topic": "1", "doc": "a", "bep": 5})), "jsonl", "judged document "),
        (lines(json.dumps({"topic": "1", "doc": "a", "text": "x", "grade": 1})), "jsonl", "judged document "),
        (lines(json.dumps({"id": "1", "text": "trees"})), "jsonl", "topic,"),
        ("1\ttrees and graphs\n", "jsonl", "topic,"),
        ('<inex_topic topic_id="1" query_type="CO"><title>trees</title></inex_topic>', "inex2003", "topic,"),
        (HIGHLIGHTED.replace("<file", '<inex_topic topic_id="1"/><file', 1), "inex2006", "judged document "),
    ],
)  # fmt: skip
def test_the_kind_is_recognised_by_content(tmp_path, content, to, kind):
    outcome, _ = convert(tmp_path, content, to, "--lossy")
    assert outcome.status == 0, outcome.err
    assert kind in outcome.messages[-1]


AMBIGUOUS = lines(json.dumps({"topic": "1", "doc": "a", "start": 0, "end": 5}))


def test_the_target_format_decides_in_case_of_doubt(tmp_path):
    outcome, out = convert(tmp_path, AMBIGUOUS, "fol", name="chunks.jsonl")
    assert outcome.status == 0
    assert out.read_text() == "1 Q0 a 1 -1.0 chunks 0 5\n"
    outcome, _ = convert(tmp_path, AMBIGUOUS, "web-annotation")
    assert outcome.status == 0


def test_from_decides_if_the_kind_is_still_ambiguous(tmp_path):
    outcome, out = convert(tmp_path, AMBIGUOUS, "jsonl")
    assert (outcome.status, out.exists()) == (2, False)
    assert "wanted --from with runs:jsonl or assessments:jsonl" in outcome.err
    outcome, _ = convert(tmp_path, AMBIGUOUS, "jsonl", "--from", "jsonl")
    assert outcome.status == 2
    for kind, counted in (("runs", "1 result for"), ("assessments", "1 judged document for")):
        outcome, _ = convert(tmp_path, AMBIGUOUS, "jsonl", "--from", f"{kind}:jsonl")
        assert outcome.status == 0
        assert counted in outcome.err


def test_topics_are_read_from_assessments_that_quote_them(tmp_path):
    quoting = HIGHLIGHTED.replace(
        "<file", '<inex_topic topic_id="1"><title>trees</title></inex_topic><file', 1
    )
    outcome, out = convert(tmp_path, quoting, "tsv", "--lossy")
    assert (outcome.status, out.read_text()) == (0, "1\ttrees\n")


def test_a_run_is_never_written_as_assessments(tmp_path):
    outcome, out = convert(tmp_path, FOL, "qrels")
    assert (outcome.status, out.exists()) == (2, False)
    assert "runs cannot be written as qrels: wanted --to with one of inex-xml, " in outcome.err
    assert "csv" not in outcome.err  # is only read


def test_an_error_in_a_file_does_not_change_its_kind(tmp_path):
    outcome, _ = convert(tmp_path, "1 Q0 a 7 21 0 0:7\n1 Q0 b 7 21 0 0-7\n", "jsonl", "--lossy")
    assert outcome.err == f"doxel: {tmp_path / 'in'}, line 2: a passage: wanted off:len, found '0-7'\n"


# Files


def test_folders_and_archives_are_sets(tmp_path):
    folder = write_files(
        tmp_path / "topics", {"1.tsv": "1\ttrees\n", "2.tsv": "2\tgraphs\n", "README.md": "x"}
    )
    with zipfile.ZipFile(tmp_path / "topics.zip", "w") as packed:
        for path in folder.iterdir():
            packed.write(path, path.name)
    for source in (folder, tmp_path / "topics.zip"):
        outcome = doxel("convert", source, tmp_path / "out", "--to", "tsv")
        assert outcome.status == 0
        assert (tmp_path / "out").read_text() == "1\ttrees\n2\tgraphs\n"
        assert "README.md" in outcome.err  # left out, with a note


def test_several_runs_are_rejected(tmp_path):
    folder = write_files(tmp_path / "runs", {"a.run": FOL, "b.run": FOL})
    outcome = doxel("convert", folder, tmp_path / "out", "--to", "inex-xml")
    assert outcome.status == 2
    assert "only one run can be converted at a time: wanted one run, found 2" in outcome.err


def test_compression_follows_the_suffix(tmp_path):
    write_files(tmp_path, {"a.run": FOL})
    assert doxel("convert", tmp_path / "a.run", tmp_path / "b.xml.gz", "--to", "inex-xml").status == 0
    assert (tmp_path / "b.xml.gz").read_bytes().startswith(b"\x1f\x8b")
    assert doxel("convert", tmp_path / "b.xml.gz", tmp_path / "c.run", "--to", "fol").status == 0
    assert read_run(tmp_path / "c.run").results.equals(read_run(tmp_path / "a.run").results)


def test_the_help_describes_every_format_on_a_line_of_its_own():
    lines = [" ".join(line.split()) for line in doxel("convert", "--help").out.splitlines()]
    for kind in CONVERTIBLE_KINDS:
        first = lines.index(f"Formats of {kind.name}:") + 1
        described = [
            f"{entry.name} {' '.join(entry.about.split())}{' (only read)' * entry.is_read_only}"
            for entry in kind.formats
        ]
        assert lines[first : first + len(described)] == described
    assert "tsv lines of id, tab, text" in lines
    assert 'squad {"data": [...]} with qas, as SQuAD and CUAD (only read)' in lines


def test_an_existing_file_survives_an_error(tmp_path):
    write_files(tmp_path, {"in": ELEMENTS, "out": "old content\n"})
    for options in ([], ["--lossy"]):
        assert doxel("convert", tmp_path / "in", tmp_path / "out", "--to", "fol", *options).status == 2
        assert (tmp_path / "out").read_text() == "old content\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]
    outcome = doxel("convert", tmp_path / "in", tmp_path / "no" / "out", "--to", "inex-xml")
    assert outcome.status == 2
    assert " does not exist" in outcome.err


def test_a_file_can_be_converted_in_place(tmp_path):
    write_files(tmp_path, {"a": FOL})
    assert doxel("convert", tmp_path / "a", tmp_path / "a", "--to", "inex-xml").status == 0
    assert read_run(tmp_path / "a").format == "inex-xml"


def test_real_assessments_and_topics_are_converted(tmp_path, shared_data):
    """21,108 passages in 10,329 lines and 115 topics, as the folder's README counts them."""
    folder = shared_data / "inex-adhoc-2009-2010"
    source = folder / "inex-adhoc-2009-2010.qrels"
    outcome = doxel("convert", source, tmp_path / "q.jsonl", "--to", "jsonl", "--lossy")
    assert outcome.status == 0
    again = read_assessments(tmp_path / "q.jsonl")
    assert (again.highlights.height, again.judged.height) == (21_108, 10_329)
    assert again.highlights.drop("line").equals(read_assessments(source).highlights.drop("line"))
    outcome = doxel("convert", folder / "inex-2009-topics.xml", tmp_path / "t", "--to", "inex2005")
    assert outcome.status == 0
    assert len(read_topics(tmp_path / "t")) == 115


def test_a_real_run_is_converted_and_back(tmp_path, shared_data):
    source = shared_data / "inex-adhoc-2009-2010" / "bert_inex_converted_1.run.gz"
    assert doxel("convert", source, tmp_path / "x", "--to", "inex-xml").status == 0
    assert doxel("convert", tmp_path / "x", tmp_path / "y", "--to", "fol").status == 0
    assert read_run(tmp_path / "y").results.equals(read_run(source).results)


# Wrong calls and bad files


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["in", "out"], "Missing option '--to'"),
        (["in", "--to", "fol"], "Missing argument 'OUT'"),
        (["in", "out", "--to", "nothing"], "wanted one of runs: inex-xml"),
        (["in", "out", "--to", "topics:qrels"], "wanted one of runs: inex-xml"),
        (["in", "out", "--to", "fol", "--from", "nothing"], "wanted one of runs: inex-xml"),
        (["nowhere", "out", "--to", "fol"], "nowhere: cannot be read: no such file or directory"),
        (["in", "out", "--to", "inex-xml", "-c", "nowhere"], "nowhere: does not exist"),
    ],
)
def test_a_wrong_call_gives_status_2(tmp_path, monkeypatch, arguments, message):
    write_files(tmp_path, {"in": FOL})
    monkeypatch.chdir(tmp_path)
    outcome = doxel("convert", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
    assert not (tmp_path / "out").exists()


BAD = {
    "a 7-column line in an 8-column file": (FOL + "1 Q0 a 3 0 r 9\n", 4, "wanted 8 columns", "found 7"),
    "a rank that is not a number": (FOL + "1 Q0 a x 0.1 r 9 5\n", 4, "wanted a whole number", "found 'x'"),
    "a negative length": (FOL + "1 Q0 a 3 0.1 r 9 -5\n", 4, "0 or more", "found '-5'"),
    "a path with position 0": (ELEMENTS + "2 Q0 a 2 0.1 r /a[0]\n", 4, "positions from 1", "found '/a[0]'"),
    "an unknown task": (xml_run("Unfocus", ("1", "a", P1, 1, 1)), 1, "wanted Thorough", "found 'Unfocus'"),
    "mixed formats": (FOL + '{"topic": "1", "doc": "a"}\n', 4, "wanted 8 columns", "found 4 columns"),
    "invalid UTF-8": (FOL.encode() + b"1 Q0 \xe9 3 0.1 r 9 5\n", 4, "wanted UTF-8 text", "found byte 0xe9"),
    "a topic id twice": ("1\ttrees\n1\tgraphs\n", 2, "wanted each topic once", "the first in"),
    "a line of many megabytes": (
        FOL.encode() + b"1 Q0 a 3 0.1 r 9 " + b"5" * LONG_LINE,
        4,
        "wanted lines of at most 10,000,000 bytes",
        f"found {LONG_LINE + 17:,} bytes",
    ),
    "an empty file": ("", None, "wanted runs, assessments or topics", "found no content"),
    "an unknown format": ("one two\n", 1, "wanted one of runs: inex-xml", "found 'one two"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_reported_with_file_line_wanted_and_found(tmp_path, name):
    content, line, wanted, found = BAD[name]
    outcome, out = convert(tmp_path, content, "jsonl")
    assert (outcome.status, out.exists()) == (2, False)
    (sentence,) = outcome.messages
    place = f"doxel: {tmp_path / 'in'}" + (f", line {line}: " if line else ": ")
    assert sentence.startswith(place)
    assert wanted in sentence
    assert found in sentence
    assert len(sentence) < 600


@pytest.mark.parametrize(
    "content",
    [
        FOL.replace(" ", "\t", 3).replace(" a ", "  a  "),
        FOL.replace("\n", "\r\n"),
        "\ufeff" + FOL,
    ],
    ids=["tabs and double spaces", "CRLF", "BOM"],
)
def test_odd_spelling_is_accepted(tmp_path, content):
    outcome, out = convert(tmp_path, content, "fol")
    assert outcome.status == 0
    assert out.read_text() == FOL


def test_unknown_keys_are_reported(tmp_path):
    record = {"topic": "1", "doc": "a", "rank": 1, "start": 0, "end": 5, "chunk": 9}
    outcome, _ = convert(tmp_path, lines(json.dumps(record)), "runs:jsonl")
    assert outcome.messages[0] == f"doxel: {tmp_path / 'in'}: keys left out: chunk (1)"


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


def convert_documents(folder, content, *options, name="in.jsonl"):
    (folder / name).write_text(content)
    outcome = CliRunner().invoke(
        cli, ["convert", str(folder / name), str(folder / "out"), *options], catch_exceptions=False
    )
    return outcome.output, (folder / "out").read_text() if (folder / "out").exists() else ""


def test_documents_are_ranked_by_their_first_passage(tmp_path):
    messages, content = convert_documents(tmp_path, CHUNKS, "--to", "trec", "--lossy")
    assert content == "1 Q0 a 1 3.0 in\n1 Q0 b 2 2.5 in\n2 Q0 b 1 1.0 in\n"
    assert "5 results became 3 documents, ranked by their first results" in messages
    assert "left out: results.start (5 rows)" in messages


def test_documents_are_ranked_by_their_best_passage(tmp_path):
    messages, content = convert_documents(tmp_path, CHUNKS, "--to", "trec", "--documents", "maxp", "--lossy")
    assert content == "1 Q0 b 1 9.0 in\n1 Q0 a 2 3.0 in\n2 Q0 b 1 1.0 in\n"
    assert "ranked by their best rsv" in messages


def test_a_format_that_is_only_read_is_refused_before_losses_are_listed(tmp_path):
    (tmp_path / "gold.qrels").write_text("1 Q0 a 10 50 40 40:10\n")
    outcome = doxel("convert", tmp_path / "gold.qrels", tmp_path / "out.json", "--to", "locomo")
    assert outcome.status == 2
    assert outcome.messages == [
        "doxel: locomo is a format that doxel only reads: wanted another format to write"
    ]
    assert not (tmp_path / "out.json").exists()


def test_without_lossy_nothing_is_lost(tmp_path):
    with pytest.raises(InputError, match=r"trec cannot represent everything in the file: wanted .*--lossy"):
        convert_documents(tmp_path, CHUNKS, "--to", "trec")
    twice = "1 Q0 a 1 2 r\n1 Q0 a 2 1 r\n"
    with pytest.raises(InputError, match=r"results of a document that is listed again \(1 row\)"):
        convert_documents(tmp_path, twice, "--to", "trec", name="in.run")


def test_ranks_without_scores_become_falling_scores(tmp_path):
    chunks = CHUNKS.replace(', "score": 9', "").replace(', "score": 3', ', "score": 1')
    messages, content = convert_documents(tmp_path, chunks, "--to", "trec", "--lossy")
    assert content == "1 Q0 a 1 1.0 in\n1 Q0 b 2 0.5 in\n2 Q0 b 1 1.0 in\n"
    assert "they are now 1/rank" in messages


def test_maxp_needs_scores(tmp_path):
    with pytest.raises(InputError, match=r"line 4: maxp ranks documents by rsv: .* 1 result without"):
        convert_documents(
            tmp_path, CHUNKS.replace(', "score": 9', ""), "--to", "trec", "--documents", "maxp", "--lossy"
        )


def test_documents_is_rejected_for_other_conversions(tmp_path):
    with pytest.raises(InputError, match="wanted a run and --to trec"):
        convert_documents(tmp_path, CHUNKS, "--to", "fol", "--documents", "maxp", "--lossy")


def test_highlights_become_grades_of_documents(tmp_path):
    messages, content = convert_documents(
        tmp_path, GOLD, "--from", "assessments:jsonl", "--to", "trec", "--lossy"
    )
    assert content == "1 0 a 1\n1 0 b 3\n2 0 a 0\n"
    assert "2 of 3 documents are relevant as a whole" in messages


def test_converted_documents_have_the_same_scores(tmp_path):
    convert_documents(tmp_path, GOLD, "--from", "assessments:jsonl", "--to", "trec", "--lossy")
    (tmp_path / "out").rename(tmp_path / "qrels")
    (tmp_path / "gold.jsonl").write_text(GOLD)
    convert_documents(tmp_path, CHUNKS, "--to", "trec", "--lossy")
    before = evaluate(tmp_path / "in.jsonl", tmp_path / "gold.jsonl", "documents")
    after = evaluate(tmp_path / "out", tmp_path / "qrels", "documents")
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
    messages, content = convert_documents(
        tmp_path, qrels, "--to", "jsonl", "-c", collection, "--lossy", name="in.qrels"
    )
    assert content == (
        '{"topic": "1", "doc": "a", "start": 0, "end": 12, "grade": 2.0}\n{"topic": "1", "doc": "b"}\n'
    )
    assert "1 relevant document is highlighted from end to end" in messages


def test_whole_documents_cannot_become_highlights_without_a_collection(tmp_path):
    with pytest.raises(InputError, match="-c, to convert paths and offsets"):
        convert_documents(tmp_path, "1 0 a 2\n", "--to", "jsonl", name="in.qrels")


def test_a_run_of_documents_becomes_spans(tmp_path, collection):
    _, content = convert_documents(
        tmp_path, "1 Q0 a 1 2.0 r\n", "--to", "fol", "-c", collection, name="in.run"
    )
    assert content.split() == ["1", "Q0", "a", "1", "2.0", "r", "0", "12"]


# Ties

TIED = "1 Q0 b 1 0.5 r\n1 Q0 c 2 0.5 r\n1 Q0 a 3 0.5 r\n2 Q0 a 1 0.9 r\n2 Q0 b 2 0.8 r\n"


def test_scores_written_as_json_by_topic_reproduce_the_ranking(tmp_path):
    outcome, out = convert(tmp_path, TIED, "run-json", "--lossy")
    assert "the scores of 1 topic were tied, or contradicted the ranks: they are now 1/rank" in outcome.err
    assert json.loads(out.read_text()) == {"1": {"b": 1, "c": 1 / 2, "a": 1 / 3}, "2": {"a": 0.9, "b": 0.8}}


def test_scores_written_as_trec_reproduce_the_ranking(tmp_path):
    """trec_eval would rank c, b, a by their names."""
    outcome, out = convert(tmp_path, TIED, "trec")
    assert outcome.status == 0
    assert "the scores of 1 topic were tied, or contradicted the ranks: they are now 1/rank" in outcome.err
    assert out.read_text() == (
        "1 Q0 b 1 1.0 r\n1 Q0 c 2 0.5 r\n1 Q0 a 3 0.3333333333333333 r\n2 Q0 a 1 0.9 r\n2 Q0 b 2 0.8 r\n"
    )
    pytest.importorskip("pytrec_eval")
    gold = tmp_path / "gold"
    gold.write_text("1 0 c 1\n2 0 b 1\n")
    here = evaluate(tmp_path / "in", gold, "RR").means["score"].to_list()
    assert evaluate(out, gold, "recip_rank", compat="trec_eval").means["score"].to_list() == here
    assert evaluate(tmp_path / "in", gold, "recip_rank", compat="trec_eval").means["score"].to_list() != here


@pytest.mark.parametrize(
    "rows",
    [
        "1 Q0 a 2 0.9 r\n1 Q0 b 1 0.8 r\n",  # the ranks contradict the scores
        "1 Q0 a 1 0.123456789012 r\n1 Q0 b 2 0.123456789011 r\n",  # equal in single precision
        "1 Q0 a 1 inf r\n1 Q0 b 2 inf r\n",
    ],
)
def test_scores_written_as_trec_fall_from_rank_to_rank_in_single_precision(tmp_path, rows):
    _, out = convert(tmp_path, rows, "trec")
    results = read_run(out).results.sort("rank")
    first, second = results["rsv"].cast(pl.Float32)
    assert first > second


def test_scores_that_fall_are_written_as_they_are(tmp_path):
    rows = "1 Q0 a 1 0.9 r\n1 Q0 b 2 0.8 r\n2 Q0 a 1 0.8 r\n"
    outcome, out = convert(tmp_path, rows, "trec")
    assert out.read_text() == rows
    assert "1/rank" not in outcome.err
