"""The figures of the tool, each on a case small enough to work out by hand."""

import pytest

from doxel.evaluation.compat.inex_eval.inex_eval_tool import evaluate_like_tool
from evaluation.tool_inputs import BEST, IN_CONTEXT, QRELS, qrels, run, values


class TestThorough:
    def test_only_new_characters_count(self):
        figures = values(
            evaluate_like_tool(
                run("1 A 100 100", "1 A 140 40", "1 A 300 50", "1 A 0 400"), QRELS, task="thorough"
            )
        )
        assert (figures["ret_size"], figures["rel_ret_size"]) == (400, 100)
        assert figures["iP@0.1"] == 50 / 100

    def test_a_repeat_in_an_article_without_relevant_text_counts_in_full(self):
        figures = values(
            evaluate_like_tool(run("1 C 0 100", "1 C 0 100", "1 U 0 9", "1 U 0 9"), QRELS, task="thorough")
        )
        assert figures["ret_size"] == 218

    def test_a_repeat_in_an_article_with_relevant_text_counts_nothing(self):
        figures = values(evaluate_like_tool(run("1 A 500 100", "1 A 500 100"), QRELS, task="thorough"))
        assert figures["ret_size"] == 100


class TestInContext:
    def test_after_its_end_a_list_repeats_its_last_value(self):
        figures = values(evaluate_like_tool(run("1 A 150 100", "1 C 0 10"), QRELS, task=IN_CONTEXT))
        assert [figures[f"gP@{rank}"] for rank in (1, 2, 3, 50)] == [1.0, 0.5, 0.5, 0.5]
        assert [figures[f"gR@{rank}"] for rank in (1, 2, 3, 50)] == [0.5, 0.5, 0.5, 0.5]
        assert figures["MAgP"] == 0.5

    def test_f_weighs_precision_and_recall_of_an_articles_characters(self):
        # P = 1/2, R = 1
        figures = evaluate_like_tool(run("1 B 0 80", "1 B 80 120"), QRELS, task=IN_CONTEXT, beta=2)
        assert values(figures)["gP@1"] == pytest.approx(5 * 0.5 / (4 * 0.5 + 1), rel=1e-15)

    def test_interpolated_precision_is_the_highest_at_this_or_a_higher_recall(self):
        figures = values(
            evaluate_like_tool(
                run("1 C 0 10", "1 A 150 100", "1 B 0 100"), QRELS, task=IN_CONTEXT, topics="run"
            ),
            "all",
        )
        assert figures["ircl_prn.0.00"] == figures["ircl_prn.1.00"] == 2 / 3

    def test_an_entry_point_gains_less_with_distance(self):
        figures = values(evaluate_like_tool(run("1 A 100 1", "1 B 100 1"), QRELS, task=BEST, n=100))
        assert (figures["gP@1"], figures["gP@2"]) == (0.5, 0.25)
        assert (figures["ret_size"], figures["rel_ret_size"], figures["rel_size"]) == (0, 0, 200)

    def test_without_an_entry_point_nothing_is_gained(self):
        # A has none, B is not in the collection, and C has one but no passage
        judged = qrels("1 A 10 100", "1 B 10 100 5 5:10", "1 C 10 100 0")
        figures = values(evaluate_like_tool(run("1 A 0 1", "1 B X 0", "1 C 0 1"), judged, task=BEST))
        assert (figures["gP@3"], figures["gR@3"], figures["MAgP"]) == (0.0, 1.0, 0.0)

    def test_the_articles_of_a_topics_second_block_follow_those_of_the_first(self):
        outcome = evaluate_like_tool(
            run("1 A 150 100", "2 D 20 50", "1 C 0 10", "1 A 150 100"), QRELS, task=IN_CONTEXT
        )
        figures = values(outcome)
        assert (figures["num_ret"], figures["num_rel_ret"]) == (3, 2)
        assert [figures[f"gP@{rank}"] for rank in (1, 2, 3)] == [1.0, 0.5, 2 / 3]


class TestTolerance:
    """S = R/(R+I): the retrieved text in document order, then the gaps, until I reaches the tolerance."""

    def share(self, judged, *lines, tolerance):
        outcome = evaluate_like_tool(run(*lines), judged, task=IN_CONTEXT, score="t2i", tolerance=tolerance)
        return values(outcome)["gP@1"]

    def test_retrieved_text_comes_first_whatever_its_rank(self):
        judged = qrels("1 A 30 100 0 0:10 40:10 80:10")
        # [0, 20): 10 relevant, 10 not; [80, 95): 10 relevant, then 2 that use up the tolerance
        assert self.share(judged, "1 A 80 15", "1 A 0 20", tolerance=12) == 20 / 32

    def test_reading_continues_in_the_gaps(self):
        judged = qrels("1 A 30 100 0 0:10 40:10 80:10")
        # nothing relevant retrieved: [60, 70), then [0, 60): 10 relevant, 30 not, 10 relevant, and so on
        assert self.share(judged, "1 A 60 10", tolerance=1000) == 30 / 100
        assert self.share(judged, "1 A 60 10", tolerance=40) == 10 / 50
        assert self.share(judged, "1 A 60 10", tolerance=41) == 20 / 61

    def test_reading_stops_when_the_tolerance_is_reached(self):
        judged = qrels("1 A 10 100 0 20:10")
        assert self.share(judged, "1 A 0 100", tolerance=20) == 0.0
        assert self.share(judged, "1 A 0 100", tolerance=21) == 10 / 31

    def test_text_after_the_end_of_the_document_is_irrelevant_and_has_no_gaps(self):
        judged = qrels("1 A 10 100 0 0:10")
        assert self.share(judged, "1 A 120 30", tolerance=1000) == 10 / 130

    def test_a_result_without_length_inside_another_leaves_no_gap(self):
        judged = qrels("1 A 10 100 0 90:10")
        assert self.share(judged, "1 A 0 50", "1 A 20 0", "1 A 60 5", tolerance=1000) == 10 / 100

    def test_an_article_that_was_not_found_in_the_collection_is_not_read(self):
        judged = qrels("1 A 10 100 0 0:10")
        assert self.share(judged, "1 A X 0", tolerance=1000) == 0.0

    def test_characters_highlighted_twice_are_read_once(self):
        judged = qrels("1 A 20 100 0 0:20 10:10")
        assert self.share(judged, "1 A 0 40", tolerance=1000) == 20 / 100
