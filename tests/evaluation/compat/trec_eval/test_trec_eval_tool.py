"""trec_eval's own test data, and small files with its rules, through the command line and through Python."""

import gzip
import json
import sys

import pytest

import doxel as library
from documents.commands import doxel
from doxel.errors import InputError, MissingExtraError
from doxel.evaluation.compat.trec_eval.trec_eval_tool import evaluate_like_trec_eval

pytest.importorskip("pytrec_eval")

PARAMETERS = (
    "iprec_at_recall..10,.20,.25,.75,.50",
    "P.5,7,3",
    "recall.20,2000",
    "Rprec_mult.5.0,0.2,0.35",
    "utility.2,-1,0,0",
    "11pt_avg..25,.5,.75",
    "ndcg.1=3,2=9,4=4.5",
    "ndcg_cut.10,20,23.4",
    "success.2,5,20",
)
# the tool's output; assessments and run; measures; options.  See data/trec_eval/README.md for its commands.
CASES = [
    ("out.test", "qrels.test", "results.test", (), ()),
    ("out.test", "qrels.test.with-comments", "results.test", ("official",), ()),
    ("out.comment.test", "qrels.comment.test.gz", "results.comment.test.gz", (), ()),
    ("out.test.a", "qrels.test", "results.test", ("all_trec",), ()),
    ("out.test.aq", "qrels.test", "results.test", ("trec_eval",), ("-q",)),
    ("out.test.aqc", "qrels.test", "results.trunc", ("all_trec",), ("-q", "--topics", "assessed")),
    (
        "out.test.aqcM",
        "qrels.test",
        "results.trunc",
        ("all_trec",),
        ("-q", "--topics", "assessed", "--limit", "100"),
    ),
    ("out.test.aql", "qrels.rel_level", "results.test", ("all_trec",), ("-q", "--min-grade", "2")),
    ("out.test.meas_params", "qrels.test", "results.test", PARAMETERS, ("-q",)),
    ("own/edge.out.aq", "own/edge.qrels", "own/edge.run", ("all_trec",), ("-q",)),
    ("own/edge.out.aql2", "own/edge.qrels", "own/edge.run", ("all_trec",), ("-q", "--min-grade", "2")),
    ("own/edge.out.aqc", "own/edge.qrels", "own/edge.run", ("all_trec",), ("-q", "--topics", "assessed")),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES])
def test_the_output_equals_that_of_the_tool_byte_for_byte(shared_data, case):
    expected, qrels, run, measures, options = case
    folder = shared_data / "trec_eval"
    requests = [part for measure in measures for part in ("-m", measure)]
    call = ("-a", folder / qrels, "--compat", "trec_eval", "-f", "trec", *requests, *options, folder / run)
    outcome = doxel("evaluate", *call)
    assert outcome.status == 0
    lines = (folder / expected).read_text("utf-8").splitlines(keepends=True)
    assert outcome.out == "".join(line for line in lines if not line.startswith("relstring"))


QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 0\n3 0 x 1\n"
RUN = "1 Q0 a 1 0.5 r\n1 Q0 b 2 0.5 r\n1 Q0 c 3 0.5 r\n2 Q0 a 1 2 r\n9 Q0 a 1 2 r\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return tmp_path / "gold", tmp_path / "run"


def scores(outcome):
    rows = json.loads(outcome.out)["scores"]
    return {(row["topic"], row["measure"]): row["score"] for row in rows}


def evaluate(gold, *arguments):
    return doxel("evaluate", "-a", gold, "--compat", "trec_eval", *arguments)


def test_ties_are_broken_by_document_name_descending(files):
    gold, run = files
    figures = scores(evaluate(gold, "-m", "recip_rank,P_1", "-q", "-f", "json", run))
    assert figures["1", "recip_rank"] == 1  # c, which is first among equals
    assert figures["1", "P_1"] == 1


def test_the_rank_column_is_ignored(tmp_path, files):
    gold, _ = files
    (tmp_path / "run").write_text("1 Q0 b 1 0.1 r\n1 Q0 a 2 0.9 r\n")
    assert (
        scores(evaluate(gold, "-m", "recip_rank", "-f", "json", tmp_path / "run"))["all", "recip_rank"] == 1
    )


def test_a_topic_without_relevant_documents_counts_as_0(files):
    gold, run = files
    outcome = evaluate(gold, "-m", "num_q,recip_rank", "-f", "json", run)
    assert scores(outcome) == {("all", "num_q"): 2, ("all", "recip_rank"): 0.5}
    assert "1 topic has no relevant document (2) and counts as 0 in the means, as in trec_eval" in outcome.err
    assert "1 topic was never assessed; its 1 result is ignored" in outcome.err


def test_with_all_assessed_topics_a_missing_topic_counts_as_0(files):
    gold, run = files
    outcome = evaluate(gold, "-m", "num_q,recip_rank", "--topics", "assessed", "-f", "json", run)
    assert scores(outcome) == {("all", "num_q"): 3, ("all", "recip_rank"): pytest.approx(1 / 3)}


def test_more_than_1500_results_count(tmp_path, files):
    gold, _ = files
    lines = [f"1 Q0 n{place} {place} {-place} r" for place in range(1999)]
    (tmp_path / "long").write_text("\n".join([*lines, "1 Q0 c 2000 -2000 r"]))
    assert (
        scores(evaluate(gold, "-m", "recall_2000", "-f", "json", tmp_path / "long"))["all", "recall_2000"]
        == 0.5
    )


def test_python_gives_the_same_scores(files):
    gold, run = files
    result = library.evaluate(run, gold, ["map", "P_5", "num_rel"], compat="trec_eval")
    assert dict(result.means.select("measure", "score").iter_rows()) == {
        "map": pytest.approx(1 / 2 * (1 + 2 / 3) / 2),
        "P_5": pytest.approx(0.2),
        "num_rel": 2,
    }
    assert result.parameters["topics"] == "run"
    assert library.evaluate(run, gold, "num_q", compat="trec_eval", topics="assessed").means["score"][0] == 3
    assert library.evaluate(run, gold, "num_rel", compat="trec_eval", min_grade=2).means["score"][0] == 1


def test_measures_keep_the_requested_order_but_for_the_layout_of_the_tool(files):
    gold, run = files
    rows = evaluate(gold, "-m", "P_5,map", "-f", "tsv", run).out.splitlines()[1:]
    assert [row.split("\t")[2] for row in rows] == ["P_5", "map"]
    lines = evaluate(gold, "-m", "P_5,map", "-f", "trec", run).out.splitlines()
    assert [line.split()[0] for line in lines] == ["map", "P_5"]


def test_extra_columns_comments_and_the_last_run_id_are_read_as_the_tool_does(tmp_path, files):
    gold, _ = files
    text = "# a comment\n1\tQ0 a 1 0.5 first more columns\n\n  # another\n1 Q0 c#1 2 0.4 last /p[1]\r\n"
    (tmp_path / "run.gz").write_bytes(gzip.compress(text.encode()))
    outcome = evaluate(gold, "-m", "runid,num_ret", "-f", "trec", tmp_path / "run.gz")
    assert outcome.out == f"{'runid':<22}\tall\tlast\n{'num_ret':<22}\tall\t2\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 Q0 a 1 0.5 r\n1 Q0 a 2 0.4 r\n", "line 2: topic 1 lists document a twice"),
        ("1 Q0 a 1 0.5 r\n1 Q0 a 2 high r\n", "line 2: the rsv of a result: wanted a number"),
        ("1 Q0 a 1 0.5 r\n1 Q0 a 2 0.5\n", "line 2: a result: wanted 6 columns"),
        (
            "t1 Q0 a 1 0.5 r\n",
            "no topic has both results and assessments: wanted topics such as 1, 2, 3, found t1",
        ),
        ('{"topic": "1", "doc": "a"}\n', "wanted a score for every result"),
    ],
)
def test_a_bad_run_is_named_with_its_line(tmp_path, files, text, sentence):
    gold, run = files
    (tmp_path / "bad").write_text(text)
    outcome = evaluate(gold, "-m", "map", tmp_path / "bad")
    assert outcome.status == (1 if "no topic" in sentence else 2)  # 1: it is read, but refused
    assert sentence in outcome.err
    outcome = evaluate(gold, "-m", "map", tmp_path / "bad", run)
    assert outcome.status == 1
    assert outcome.out.splitlines()[1].startswith("r\tall\tmap")


def test_spans_are_not_grades_of_documents(tmp_path, files):
    (tmp_path / "spans.jsonl").write_text('{"topic": "1", "doc": "a", "start": 0, "end": 5}\n')
    outcome = evaluate(tmp_path / "spans.jsonl", files[1])
    assert outcome.status == 2
    assert "trec_eval scores whole documents: wanted grades of documents" in outcome.err


def test_fractions_of_grades_are_cut_off_and_counted(tmp_path, files):
    (tmp_path / "gold").write_text("1 0 a 1.9\n1 0 b 0.5\n1 0 c -0.5\n")
    outcome = evaluate(tmp_path / "gold", "-m", "num_rel,num_nonrel_judged_ret", "-f", "json", files[1])
    assert scores(outcome) == {("all", "num_rel"): 1, ("all", "num_nonrel_judged_ret"): 2}
    assert "3 grades have fractions, which are cut off, as by trec_eval" in outcome.err


def test_a_huge_grade_is_refused(tmp_path, files):
    (tmp_path / "gold").write_text("1 0 a 1e12\n")
    assert "wanted at most 1,000,000, found 1000000000000" in evaluate(tmp_path / "gold", files[1]).err


def test_parameters_that_end_the_library_are_scored_or_refused(files):
    gold, run = files
    assert evaluate(gold, "-m", "ndcg.1=3,2=9", run).status == 0
    outcome = evaluate(gold, "-m", "ndcg.1=3,2", run)
    assert (outcome.status, "pairs such as 1=3,2=9" in outcome.err) == (2, True)


def test_options_without_effect_are_named(files):
    gold, run = files
    outcome = evaluate(gold, "-m", "map", "--task", "focused", "--order", "file", run)
    assert "--task is ignored with --compat trec_eval" in outcome.err
    assert "--order is ignored with --compat trec_eval" in outcome.err


def test_min_grade_needs_the_tool(files):
    gold, run = files
    outcome = doxel("evaluate", "-a", gold, "--min-grade", "2", run)
    assert (outcome.status, "--compat trec_eval as well" in outcome.err) == (2, True)
    with pytest.raises(InputError, match="min_grade"):
        library.evaluate(run, gold, "AP", min_grade=2)
    with pytest.raises(InputError, match="a whole number from 1"):
        library.evaluate(run, gold, compat="trec_eval", min_grade=0)


def test_runs_with_other_topics_are_said_to_be_so(tmp_path, files):
    gold, run = files
    (tmp_path / "other").write_text("1 Q0 a 1 0.5 other\n")
    outcome = evaluate(gold, "-m", "map", run, tmp_path / "other")
    assert "the means are over different topics, 1 to 2 per run (r 2, other 1)" in outcome.err


def test_without_the_library_the_error_names_the_extra(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "pytrec_eval", None)
    gold, run = files
    with pytest.raises(MissingExtraError, match=r'pip install "doxel\[classic\]"'):
        evaluate_like_trec_eval(run, gold)
