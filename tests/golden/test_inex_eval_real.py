"""The tool's full output, byte for byte, on a real run with real assessments and on a small case."""

import pytest

from doxel.assessments import read_assessments
from doxel.evaluation.compat.inex_eval.inex_eval_tool import evaluate_like_tool, render_tool_output
from doxel.runs import read_run

QRELS = "inex-adhoc-2009-2010.qrels"
RUN, RUN_FILE = "bert_inex_converted_1.run.gz", "bert_inex_converted_1.run"
GROUPED, GROUPED_FILE = "bert1-grouped-by-document.run.gz", "grouped1.run"
IN_RUN = {"topics": "run"}
IN_CONTEXT = {"task": "relevant-in-context", "topics": "run"}

# the tool's output; the run and its name in the output; the assessments; the tool's flags
CASES = [
    ("expected/bert1.f.q.txt", RUN, RUN_FILE, QRELS, {"task": "focused", **IN_RUN}),
    ("expected/bert1.f.q.c.txt", RUN, RUN_FILE, QRELS, {"task": "focused"}),
    ("expected/bert1.t.q.txt", RUN, RUN_FILE, QRELS, {"task": "thorough", **IN_RUN}),
    ("expected/bert1-grouped.r.q.txt", GROUPED, GROUPED_FILE, QRELS, IN_CONTEXT),
    ("expected/bert1-grouped.r.beta1.q.txt", GROUPED, GROUPED_FILE, QRELS, {**IN_CONTEXT, "beta": 1}),
    ("expected/bert1-grouped.i.q.txt", GROUPED, GROUPED_FILE, QRELS, {**IN_CONTEXT, "score": "t2i"}),
    ("tiny/run.f.q.txt", "tiny/run.txt", "r.txt", "tiny/qrels.txt", {"task": "focused", **IN_RUN}),
    ("tiny/run.t.q.txt", "tiny/run.txt", "r.txt", "tiny/qrels.txt", {"task": "thorough", **IN_RUN}),
    ("tiny/run.r.q.txt", "tiny/run.txt", "r.txt", "tiny/qrels.txt", IN_CONTEXT),
    ("tiny/run.i.q.txt", "tiny/run.txt", "r.txt", "tiny/qrels.txt", {**IN_CONTEXT, "score": "t2i"}),
    ("tiny/bep-run.b.q.c.txt", "tiny/bep-run.txt", "b.txt", "tiny/qrels.txt", {"task": "best-in-context"}),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_the_output_equals_the_tools_byte_for_byte(shared_data, case):
    expected, run, name, qrels, options = case
    folder = shared_data / "inex-adhoc-2009-2010"
    outcome = evaluate_like_tool(read_run(folder / run), read_assessments(folder / qrels), **options)
    assert outcome.rejected is None
    wanted = (folder / expected).read_text("utf-8")
    output = render_tool_output(outcome, file=name, per_topic=True)
    assert output.splitlines() == wanted.splitlines()
    assert output == wanted


def test_without_topic_lines_only_the_overall_lines_remain(shared_data):
    folder = shared_data / "inex-adhoc-2009-2010"
    outcome = evaluate_like_tool(read_run(folder / RUN), read_assessments(folder / QRELS), task="focused")
    lines = (folder / "expected/bert1.f.q.c.txt").read_text("utf-8").splitlines(keepends=True)
    overall_lines = [line for line in lines if line.startswith(("<eval", "</eval")) or "\tall\t" in line]
    assert render_tool_output(outcome, file=RUN_FILE, per_topic=False) == "".join(overall_lines)


def test_the_real_run_with_interleaved_articles_is_rejected_in_context(shared_data):
    folder = shared_data / "inex-adhoc-2009-2010"
    outcome = evaluate_like_tool(
        read_run(folder / RUN), read_assessments(folder / QRELS), task="relevant-in-context"
    )
    assert outcome.rejected is not None
    assert "returns to document" in outcome.rejected
    assert outcome.rows == ()
