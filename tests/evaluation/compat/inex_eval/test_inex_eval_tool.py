"""The tool: topics and results that count, rejected runs, its layout, and its numbers."""

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.assessments.assessments import Assessments
from doxel.errors import InputError, MeasureError
from doxel.evaluation.compat.inex_eval.inex_eval_figures import ToolOutcome, ToolRow
from doxel.evaluation.compat.inex_eval.inex_eval_tool import (
    evaluate_like_tool,
    format_java_double,
    render_tool_output,
)
from doxel.runs import RESULTS, Run
from evaluation.tool_inputs import BEST, IN_CONTEXT, QRELS, qrels, run, values


class TestTopics:
    def test_topics_that_were_not_assessed_are_ignored_and_reported(self):
        outcome = evaluate_like_tool(
            run("9 Z 0 10", "1 A 150 100", "8 Z 0 10"), QRELS, task="focused", topics="run"
        )
        assert values(outcome, "all")["num_q"] == 1
        assert values(outcome, "all")["ret_size"] == 100
        assert [warning.split(": ")[1] for warning in outcome.warnings] == [
            "2 topics were never assessed; their 2 results are ignored"
        ]
        assert {row.topic for row in outcome.per_topic} == {"1"}

    def test_an_assessed_topic_missing_from_the_run_scores_0_or_is_left_out(self):
        whole = evaluate_like_tool(run("1 A 150 100", "1 B 0 100"), QRELS, task="focused")
        part = evaluate_like_tool(run("1 A 150 100", "1 B 0 100"), QRELS, task="focused", topics="run")
        assert values(whole, "all")["MAiP"] == 0.5
        assert values(part, "all")["MAiP"] == 1.0
        assert [warning.split(": ")[1] for warning in whole.warnings] == [
            (
                "1 assessed topic has no results and scores 0; "
                "if the run was not made for it, use --topics run (in Python topics='run')"
            )
        ]
        assert part.warnings == ()
        missing = values(whole, "2")
        assert missing["num_rel"] == 1
        assert missing["rel_size"] == 50
        assert {missing[name] for name in missing if name not in {"num_rel", "rel_size"}} == {0}

    def test_relevant_counts_cover_all_topics_only_in_context(self):
        single_run = run("1 A 150 100")
        focused = values(evaluate_like_tool(single_run, QRELS, task="focused", topics="run"), "all")
        in_context = values(evaluate_like_tool(single_run, QRELS, task=IN_CONTEXT, topics="run"), "all")
        assert (focused["num_rel"], focused["rel_size"]) == (2, 200)
        assert (in_context["num_rel"], in_context["rel_size"]) == (3, 250)

    def test_topics_are_sorted_by_id_as_strings(self):
        judged = qrels("9 A 1 10 0 0:1", "10 A 1 10 0 0:1", "2 A 1 10 0 0:1")
        outcome = evaluate_like_tool(run("9 A 0 1", "2 A 0 1", "10 A 0 1"), judged, task="focused")
        assert list(dict.fromkeys(row.topic for row in outcome.per_topic)) == ["10", "2", "9"]

    def test_a_topic_with_no_relevant_text_counts_as_0_in_focused(self):
        judged = qrels("1 A 10 100 0 0:10", "2 C 0 100")
        outcome = evaluate_like_tool(run("1 A 0 10", "2 C 0 10"), judged, task="focused", topics="run")
        assert values(outcome, "2")["MAiP"] == 0.0
        assert values(outcome, "2")["char_rec"] == 0.0
        assert values(outcome, "all")["num_q"] == 2
        assert values(outcome, "all")["MAiP"] == 0.5

    def test_a_topic_with_no_relevant_text_is_nan_in_context(self):
        judged = qrels("1 A 10 100 0 0:10", "2 C 0 100")
        outcome = evaluate_like_tool(run("1 A 0 10", "2 C 0 10"), judged, task=IN_CONTEXT, topics="run")
        assert values(outcome, "2")["gP@1"] == 0.0
        assert math.isnan(values(outcome, "2")["gR@1"])
        assert math.isnan(values(outcome, "all")["MAgP"])
        assert values(outcome, "all")["ircl_prn.0.00"] == 0.5

    def test_an_empty_run_has_no_averages_over_its_topics(self):
        empty = Run("test", RESULTS.empty())
        of_run = values(evaluate_like_tool(empty, QRELS, task="focused", topics="run"), "all")
        assert of_run["num_q"] == 0
        assert math.isnan(of_run["MAiP"])
        for task in ("focused", "thorough", IN_CONTEXT, BEST):
            name = "MAiP" if task in {"focused", "thorough"} else "MAgP"
            assert values(evaluate_like_tool(empty, QRELS, task=task), "all")[name] == 0.0


class TestResults:
    def test_file_order_is_the_ranking(self):
        results = run("1 C 0 100", "1 A 150 100").results
        sure = Run(
            "test", results.with_columns(rank=results["line"].reverse(), rsv=results["line"].cast(float))
        )
        assert values(evaluate_like_tool(sure, QRELS, task="focused"))["iP@0"] == 0.5

    def test_results_are_not_limited(self):
        many = run(*(f"1 doc-{number} 0 1" for number in range(2000)), "1 A 150 100")
        figures = values(evaluate_like_tool(many, QRELS, task="focused"))
        assert figures["num_ret"] == 2001
        assert figures["rel_ret_size"] == 100

    def test_articles_are_counted_not_results(self):
        figures = values(
            evaluate_like_tool(run("1 A 150 50", "1 C 0 10", "1 A 200 50", "1 U 0 10"), QRELS, task="focused")
        )
        assert (figures["num_ret"], figures["num_rel_ret"]) == (3, 1)
        assert (figures["art_prec"], figures["art_rec"], figures["art_f1"]) == (1 / 3, 0.5, 0.4)

    def test_a_result_beyond_the_end_of_its_document_counts_in_full(self):
        figures = values(evaluate_like_tool(run("1 B 0 1000"), QRELS, task="focused"))
        assert (figures["ret_size"], figures["rel_ret_size"]) == (1000, 100)

    def test_text_judged_relevant_counts_only_in_its_own_topic(self):
        figures = values(evaluate_like_tool(run("2 A 150 100"), QRELS, task="focused"), "2")
        assert (figures["ret_size"], figures["rel_ret_size"], figures["num_rel_ret"]) == (100, 0, 0)

    @pytest.mark.parametrize("task", ["focused", "thorough", IN_CONTEXT])
    def test_a_result_not_in_the_collection_has_18_characters_and_never_overlaps(self, task):
        figures = values(evaluate_like_tool(run("1 A X 0", "1 A X 0", "1 A 150 100"), QRELS, task=task))
        # in Thorough it has no size in an article with relevant text
        assert (figures["ret_size"], figures["rel_ret_size"]) == (100 if task == "thorough" else 136, 100)
        assert (figures["num_ret"], figures["num_rel_ret"]) == (1, 1)
        elsewhere = values(evaluate_like_tool(run("1 C X 0", "1 C X 0"), QRELS, task=task))
        assert elsewhere["ret_size"] == 36

    @pytest.mark.parametrize("task", ["focused", "thorough", IN_CONTEXT])
    def test_a_result_without_length_adds_nothing(self, task):
        with_empty = evaluate_like_tool(
            run("1 A 0 0", "1 A 150 100", "1 A 200 0", "1 B 0 100"), QRELS, task=task
        )
        without = evaluate_like_tool(run("1 A 150 100", "1 B 0 100"), QRELS, task=task)
        assert with_empty.rows == without.rows

    def test_recall_is_rounded_down_in_raw_doubles(self):
        judged = qrels("1 A 100 1000 0 0:100")
        figures = values(evaluate_like_tool(run("1 A 0 29"), judged, task="focused"), "all")
        assert 100 * (29 / 100) < 29
        assert (figures["ircl_prn.0.28"], figures["ircl_prn.0.29"]) == (1.0, 0.0)

    def test_recall_above_1_is_ignored(self):
        judged = qrels("1 A 100 1000 0 0:150")
        exact = values(evaluate_like_tool(run("1 A 900 100", "1 A 0 100"), judged, task="focused"), "all")
        beyond = values(evaluate_like_tool(run("1 A 900 100", "1 A 0 150"), judged, task="focused"), "all")
        assert exact["ircl_prn.1.00"] == 0.5
        assert beyond["ircl_prn.0.00"] == 0.0
        assert beyond["char_rec"] == 1.5

    def test_overlapping_highlights_count_their_characters_twice(self):
        judged = qrels("1 A 150 1000 0 0:100 50:50")
        figures = values(evaluate_like_tool(run("1 A 50 100"), judged, task="focused"))
        assert figures["rel_ret_size"] == 100

    def test_a_document_declared_without_relevant_text_has_none_despite_highlights(self):
        judged = qrels("1 A 0 1000 0 0:100", "1 B 10 100 0 0:10")
        figures = values(evaluate_like_tool(run("1 A 0 100"), judged, task="focused"))
        assert (figures["num_rel"], figures["num_rel_ret"], figures["rel_ret_size"]) == (1, 0, 0)

    def test_a_document_judged_twice_counts_twice_in_the_totals(self):
        judged = qrels("1 A 10 100 0 0:10", "1 A 20 100 0 50:20")
        figures = values(evaluate_like_tool(run("1 A 0 100"), judged, task="focused"))
        assert (figures["num_rel"], figures["rel_size"]) == (2, 30)
        assert (figures["num_rel_ret"], figures["rel_ret_size"]) == (1, 30)


class TestRejection:
    @pytest.mark.parametrize("task", ["focused", IN_CONTEXT])
    @pytest.mark.parametrize("second", ["0 100", "50 10", "0 10", "99 1", "0 200"])
    def test_overlapping_results_are_rejected(self, task, second):
        outcome = evaluate_like_tool(run("1 A 0 100", "1 A 200 100", f"1 A {second}"), QRELS, task=task)
        assert outcome.rejected == "line 3: topic 1: overlaps an earlier result of document A"
        assert outcome.rows == ()

    @pytest.mark.parametrize("task", ["focused", IN_CONTEXT])
    def test_results_that_only_touch_do_not_overlap(self, task):
        assert (
            evaluate_like_tool(run("1 A 0 100", "1 A 200 100", "1 A 100 100"), QRELS, task=task).rejected
            is None
        )

    def test_equal_spans_in_other_topics_or_documents_do_not_overlap(self):
        apart = run("1 A 0 100", "1 B 0 100", "2 A 0 100")
        assert evaluate_like_tool(apart, QRELS, task="focused").rejected is None

    def test_a_topic_in_two_blocks_restarts_the_check_and_the_counts(self):
        outcome = evaluate_like_tool(run("1 B 0 100", "2 D 0 10", "1 B 50 50"), QRELS, task="focused")
        figures = values(outcome)
        assert (figures["num_ret"], figures["ret_size"], figures["rel_ret_size"]) == (2, 150, 150)

    def test_a_topic_that_was_not_assessed_does_not_split_another(self):
        outcome = evaluate_like_tool(run("1 B 0 100", "9 Z 0 10", "1 B 50 50"), QRELS, task="focused")
        assert outcome.rejected == "line 3: topic 1: overlaps an earlier result of document B"

    @pytest.mark.parametrize("task", [IN_CONTEXT, BEST])
    def test_interleaved_articles_are_rejected_in_context(self, task):
        mixed = run("1 A 0 10", "1 B 0 10", "1 A 20 10", "1 B 0 10")
        assert (
            evaluate_like_tool(mixed, QRELS, task=task).rejected
            == "line 3: topic 1: returns to document A after another document"
        )

    @pytest.mark.parametrize("task", ["focused", "thorough"])
    def test_interleaved_articles_are_accepted_in_other_tasks(self, task):
        assert evaluate_like_tool(run("1 A 0 10", "1 B 0 10", "1 A 20 10"), QRELS, task=task).rejected is None

    def test_a_second_entry_point_in_a_document_is_rejected(self):
        outcome = evaluate_like_tool(run("1 A 0 1", "1 A 50 1"), QRELS, task=BEST)
        assert outcome.rejected is not None
        assert outcome.rejected.startswith("line 2: topic 1: second result of document A")

    def test_the_first_error_in_the_file_is_reported(self):
        faulty = run("1 A 0 10", "1 A 5 10", "1 B 0 10", "1 A 50 10")
        assert "line 2" in (evaluate_like_tool(faulty, QRELS, task=IN_CONTEXT).rejected or "")

    def test_a_negative_length_is_rejected(self):
        outcome = evaluate_like_tool(run("1 A 0 10", "1 A 50 -5"), QRELS, task="thorough")
        assert outcome.rejected == "line 2: wanted a length of 0 or more, found -5"

    @pytest.mark.parametrize("row", [{"path": "/article[1]"}, {"start": 5}, {}])
    def test_results_without_offset_and_length_are_rejected(self, row):
        other = Run("test", RESULTS.from_rows([{"topic": "1", "doc": "A", **row}]))
        outcome = evaluate_like_tool(other, QRELS, task=BEST)
        assert outcome.rejected is not None
        assert outcome.rejected.startswith("result 1: wanted 8 fields")


@pytest.mark.parametrize(
    "options",
    [
        {"task": "ad hoc"},
        {"task": "focused", "topics": "some"},
        {"task": "focused", "score": "t2i"},
        {"task": IN_CONTEXT, "score": "f"},
        {"task": IN_CONTEXT, "beta": -1.0},
        {"task": IN_CONTEXT, "beta": math.nan},
        {"task": BEST, "n": 0},
        {"task": IN_CONTEXT, "score": "t2i", "tolerance": 0},
    ],
)
def test_a_parameter_out_of_range_raises_an_error(options):
    with pytest.raises(MeasureError, match=r"wanted .* found "):
        evaluate_like_tool(run("1 A 0 10"), QRELS, **options)


def test_assessments_without_declared_sizes_raise_an_error():
    bare = Assessments(scale="2006", judged=QRELS.judged.with_columns(docsize=None), file="a.xml")
    with pytest.raises(
        InputError, match=r"a\.xml.*wanted the declared rsize and docsize.*found none for topic 1"
    ):
        evaluate_like_tool(run("1 A 0 10"), bare, task="focused")


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


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (100.0, "100.0"),
        (0.5, "0.5"),
        (-0.25, "-0.25"),
        (0.1 + 0.2, "0.30000000000000004"),
        (2 / 3, "0.6666666666666666"),
        (0.001, "0.001"),
        (0.0015, "0.0015"),
        (0.01, "0.01"),
        (math.nextafter(0.001, 0), "9.999999999999998E-4"),
        (0.0001, "1.0E-4"),
        (0.00054, "5.4E-4"),
        (5.437719907790389e-4, "5.437719907790389E-4"),
        (1e-10, "1.0E-10"),
        (123456.789, "123456.789"),
        (9999999.0, "9999999.0"),
        (9999999.5, "9999999.5"),
        (1e7, "1.0E7"),
        (12345678.0, "1.2345678E7"),
        (-12345678.5, "-1.23456785E7"),
        (1e23, "1.0E23"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (2.2250738585072014e-308, "2.2250738585072014E-308"),
        (5e-324, "4.9E-324"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
    ],
)
def test_a_double_is_formatted_as_in_java(value, text):
    assert format_java_double(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_formatted_double_reads_back_as_the_same_value(value):
    text = format_java_double(value)
    assert float(text) == value
    mantissa, _, exponent = text.lstrip("-").partition("E")
    whole, point, fraction = mantissa.partition(".")
    assert point == "."
    assert whole
    assert fraction
    if exponent:
        assert len(whole) == 1
        assert whole != "0"
    assert bool(exponent) == (value != 0 and not 1e-3 <= abs(value) < 1e7)
