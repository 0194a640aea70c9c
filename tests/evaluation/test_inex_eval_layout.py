"""The tool's layout, and doxel's names for its figures."""

import polars as pl

from doxel.evaluation.compat.inex_eval.inex_eval_figures import ToolOutcome, ToolRow
from doxel.evaluation.compat.inex_eval.inex_eval_tool import render_tool_output

OUTCOME = ToolOutcome(
    "run-1",
    per_topic=(
        ToolRow("7", "num_ret", 3),
        ToolRow("7", "num_rel_ret", 2),
        ToolRow("7", "ret_size", 850),
        ToolRow("7", "art_rec", 1.0),
        ToolRow("7", "iP@0", 0.5),
        ToolRow("7", "iP@0.1", 0.25),
        ToolRow("7", "MAiP", 0.0005),
    ),
    overall=(
        ToolRow("all", "num_q", 1),
        ToolRow("all", "MAgP", 0.125),
        ToolRow("all", "gP@10", 0.5),
        ToolRow("all", "ircl_prn.0.10", float("nan")),
    ),
)


def test_names_are_padded_with_tabs_to_the_second_stop():
    assert render_tool_output(OUTCOME, file="a.run", per_topic=True) == (
        '<eval run-id="run-1" file="a.run">\n'
        "num_ret\t\t7\t3\n"
        "num_rel_ret\t7\t2\n"
        "ret_size\t7\t850\n"
        "art_rec\t\t7\t1.0\n"
        "iP[0.00]\t7\t0.5\n"
        "iP[0.10]\t7\t0.25\n"
        "AiP\t\t7\t5.0E-4\n"
        "num_q\t\tall\t1\n"
        "MAgP\t\tall\t0.125\n"
        "gP[10]\t\tall\t0.5\n"
        "ircl_prn.0.10\tall\tNaN\n"
        "</eval>\n"
    )


def test_topic_lines_are_optional():
    assert "\t7\t" not in render_tool_output(OUTCOME, file="a.run", per_topic=False)


def test_a_rejected_run_has_no_text_and_no_scores():
    outcome = ToolOutcome("run-1", "line 2: ...")
    assert render_tool_output(outcome, file="a.run", per_topic=True) == ""
    assert outcome.scores().shape == (0, 3)
    assert outcome.scores().schema == {"topic": pl.String, "measure": pl.String, "score": pl.Float64}


def test_scores_use_doxels_names():
    frame = OUTCOME.scores()
    assert frame.columns == ["topic", "measure", "score"]
    assert frame.height == 11
    assert frame.row(4) == ("7", "iP@0", 0.5)
    assert frame.filter(topic="all")["measure"].to_list() == ["num_q", "MAgP", "gP@10", "ircl_prn.0.10"]
