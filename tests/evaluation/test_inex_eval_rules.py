"""The rules by which the tool counts, each on a case small enough to work out by hand."""

import math

import pytest

from doxel.assessments.assessments import BEPS, HIGHLIGHTS, JUDGED, Assessments
from doxel.errors import InputError, MeasureError
from doxel.evaluation.compat.inex_eval.inex_eval_tool import evaluate_like_tool
from doxel.runs import RESULTS, Run

IN_CONTEXT, BEST = "relevant-in-context", "best-in-context"


def qrels(*lines: str) -> Assessments:
    """Assessments, from lines ``topic doc rsize docsize [bep off:len ...]``."""
    judged, highlights, beps = [], [], []
    for text in lines:
        topic, doc, rsize, docsize, *rest = text.split()
        about = {"topic": topic, "doc": doc}
        judged.append(about | {"rsize": int(rsize), "docsize": int(docsize)})
        beps += [about | {"position": int(position)} for position in rest[:1]]
        spans = [tuple(map(int, passage.split(":"))) for passage in rest[1:]]
        highlights += [about | {"start": offset, "end": offset + length} for offset, length in spans]
    tables = JUDGED.from_rows(judged), HIGHLIGHTS.from_rows(highlights)
    return Assessments("2006", *tables, beps=BEPS.from_rows(beps))


def run(*lines: str) -> Run:
    """A run, from lines ``topic doc offset length``; the offset X is not in the collection."""
    rows = []
    for line, text in enumerate(lines, 1):
        topic, doc, offset, length = text.split()
        start = -1 if offset == "X" else int(offset)
        end = -1 if offset == "X" else start + int(length)
        rows.append({"topic": topic, "doc": doc, "start": start, "end": end, "line": line})
    return Run("test", RESULTS.from_rows(rows))


def values(outcome, topic="1"):
    assert outcome.rejected is None
    return {row.measure: row.value for row in outcome.rows if row.topic == topic}


# for topic 1, A has 100 relevant characters of 1000, B 100 of 400, C none; topic 2 has D
QRELS = qrels(
    "1 A 100 1000 150 150:100",
    "1 B 100 400 0 0:100",
    "1 C 0 500",
    "2 D 50 200 20 20:50",
)


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
            "1 assessed topic has no results and scores 0"
        ]
        assert part.warnings == ()
        missing = values(whole, "2")
        assert missing["num_rel"] == 1
        assert missing["rel_size"] == 50
        assert {missing[name] for name in missing if name not in {"num_rel", "rel_size"}} == {0}

    def test_relevant_counts_cover_all_topics_only_in_context(self):
        one = run("1 A 150 100")
        focused = values(evaluate_like_tool(one, QRELS, task="focused", topics="run"), "all")
        in_context = values(evaluate_like_tool(one, QRELS, task=IN_CONTEXT, topics="run"), "all")
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
        assert (figures["ret_size"], figures["rel_ret_size"]) == (136, 100)
        assert (figures["num_ret"], figures["num_rel_ret"]) == (1, 1)

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
