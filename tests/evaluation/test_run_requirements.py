"""Requirements of measures: invalid runs are rejected with the reason or repaired; valid runs are scored."""

import math

import pytest

from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.evaluation.evaluation_result import Rejection

SPANS = [("1", "a"), ("1", "b"), ("1", "c"), ("2", "a")]
GOLD = [
    *({"topic": topic, "doc": doc, "start": 0, "end": 10} for topic, doc in SPANS),
    *({"topic": "1", "doc": doc, "bep": 0} for doc in "abc"),
]


def scored(run, *measures, **how):
    return evaluate({"mine": run}, GOLD, list(measures), **how)


def means(result):
    return dict(result.means.select("measure", "score").iter_rows())


FINE = [("2", "a", 0, 10)]
OVERLAPPING = [*FINE, ("1", "a", 0, 10), ("1", "b", 0, 10), ("1", "a", 5, 15), ("1", "b", 9, 20)]
INTERLEAVED = [
    *FINE,
    ("1", "a", 0, 5),
    ("1", "b", 0, 10),
    ("1", "a", 5, 10),
    ("1", "c", 0, 10),
    ("1", "b", 20, 21),
]
SEVERAL = [*FINE, ("1", "a", 3, 3), ("1", "b", 0, 0), ("1", "a", 0, 0), ("1", "b", 5, 5), ("1", "a", 1, 1)]


class TestRejected:
    @pytest.mark.parametrize("measure", ["iP@0.1", "MAiP", "MAiP(task=relevant-in-context)"])
    def test_overlapping_results_are_rejected(self, measure):
        result = scored(OVERLAPPING, measure, "char_rec", "HiXEval_P@3", "overlap@9")
        (rejection,) = result.rejected
        assert rejection == Rejection(
            "mine",
            rejection.measure,
            "results overlap earlier ones: 2 results, first in topic 1 at rank 3",
        )
        assert result.means["measure"].to_list() == ["char_rec", "HiXEval_P@3", "overlap@9"]

    @pytest.mark.parametrize("measure", ["MAgP", "gP@2", "gR@2", "igP@0", 'MAgP(score="t2i")'])
    def test_interleaved_articles_are_rejected(self, measure):
        result = scored(INTERLEAVED, "char_rec", measure, "art_rec")
        (rejection,) = result.rejected
        assert rejection.run == "mine"
        assert rejection.reason == "articles are interleaved: 2 results, first in topic 1 at rank 3"
        assert result.means["measure"].to_list() == ["char_rec", "art_rec"]

    @pytest.mark.parametrize("measure", ["MAgP", "gP@2", "gR@2", "igP@0"])
    def test_overlap_within_an_article_is_rejected(self, measure):
        run = [("1", "a", 0, 10), ("1", "a", 9, 12), ("1", "b", 0, 10)]
        (rejection,) = scored(run, measure).rejected
        assert rejection.reason == "results overlap earlier ones: 1 result, first in topic 1 at rank 2"

    @pytest.mark.parametrize("measure", ["MAgP", "gP@2", "gR@2", "igP@0"])
    def test_several_entry_points_in_a_document_are_rejected(self, measure):
        name = measure.replace("@", '(score="bep")@') if "@" in measure else f'{measure}(score="bep")'
        (rejection,) = scored(SEVERAL, name).rejected
        assert rejection.reason == "documents have several results: 3 results, first in topic 1 at rank 3"

    def test_one_invalid_topic_rejects_the_run_and_is_named(self):
        run = [("1", "a", 0, 10), ("2", "a", 0, 10), ("2", "a", 0, 10)]
        (rejection,) = scored(run, "MAiP").rejected
        assert rejection.reason == "results overlap earlier ones: 1 result, first in topic 2 at rank 2"

    def test_topics_that_were_not_assessed_do_not_reject_a_run(self):
        run = [*FINE, ("9", "a", 0, 10), ("9", "a", 0, 10)]
        assert not scored(run, "MAiP").rejected

    def test_only_the_invalid_run_is_rejected(self):
        result = evaluate({"bad": OVERLAPPING, "good": FINE}, GOLD, ["MAiP", "char_rec"])
        assert [(rejection.run, rejection.measure) for rejection in result.rejected] == [("bad", "MAiP")]
        assert result.means.select("run", "measure").rows() == [
            ("bad", "char_rec"),
            ("good", "MAiP"),
            ("good", "char_rec"),
        ]


class TestAllowed:
    def test_adjacent_results_do_not_overlap(self):
        run = [("1", "a", 0, 5), ("1", "a", 5, 10), ("1", "a", 5, 5), ("1", "b", 0, 10)]
        assert not scored(run, "MAiP", "MAgP").rejected

    def test_equal_spans_in_other_documents_or_topics_do_not_overlap(self):
        run = [("1", "a", 0, 10), ("1", "b", 0, 10), ("2", "a", 0, 10)]
        assert not scored(run, "MAiP", "MAgP").rejected

    def test_thorough_accepts_overlap(self):
        assert not scored(OVERLAPPING, "iP(task=thorough)@0", "MAiP(task=thorough)").rejected
        assert not scored(OVERLAPPING, "MAiP", task="thorough").rejected

    def test_results_cut_off_by_a_limit_do_not_reject_a_run(self):
        assert not scored(OVERLAPPING, "MAiP(limit=2)").rejected
        assert scored(OVERLAPPING, "MAiP(limit=3)").rejected
        assert not scored(INTERLEAVED, "MAgP(article_chars=5)").rejected  # only 5 of each article are left

    def test_grouped_results_of_an_article_are_accepted(self):
        run = [("1", "a", 0, 5), ("1", "a", 20, 25), ("1", "b", 0, 5)]
        assert not scored(run, "MAgP").rejected


class TestRepaired:
    def test_the_better_ranked_of_two_overlapping_results_is_kept(self):
        result = scored(OVERLAPPING, "char_prec", "MAiP", on_invalid="repair")
        assert not result.rejected
        assert means(result)["MAiP"] == pytest.approx(means(scored(OVERLAPPING[:3], "MAiP"))["MAiP"])
        # a measure without the requirement uses the run unchanged
        assert means(result)["char_prec"] == means(scored(OVERLAPPING, "char_prec"))["char_prec"]
        assert (
            "mine: repaired: overlapping results: 2 dropped; the better-ranked result was kept"
            in result.warnings
        )

    def test_a_result_that_overlaps_only_a_dropped_one_stays(self):
        run = [("2", "a", 0, 4), ("2", "a", 3, 8), ("2", "a", 6, 10)]
        result = scored(run, "iP@0.8", on_invalid="repair")
        assert result.scores["score"].to_list() == [0, 1]  # [0,4) and [6,10) are 8 of 10
        assert (
            "mine: repaired: overlapping results: 1 dropped; the better-ranked result was kept"
            in result.warnings
        )

    def test_articles_are_regrouped_at_their_first_occurrence(self):
        result = scored(INTERLEAVED, "gP@1,2,3", "MAgP", on_invalid="repair")
        grouped = [INTERLEAVED[place] for place in (0, 1, 3, 2, 5, 4)]
        assert (
            result.scores["score"].to_list() == scored(grouped, "gP@1,2,3", "MAgP").scores["score"].to_list()
        )
        message = (
            "mine: repaired: interleaved articles: 2 blocks moved to the first occurrence of their article"
        )
        assert message in result.warnings

    def test_the_first_entry_point_of_a_document_is_kept(self):
        result = scored(SEVERAL, 'gP(score="bep", n=10)@1,2,3', on_invalid="repair")
        assert result.scores.filter(topic="1")["score"].to_list() == pytest.approx([7 / 10, 17 / 20, 17 / 30])
        message = "mine: repaired: several results per document: 3 dropped; the first was kept"
        assert message in result.warnings

    def test_article_measures_make_both_repairs(self):
        run = [("1", "a", 0, 6), ("1", "b", 0, 10), ("1", "a", 5, 10), ("1", "a", 6, 10)]
        result = scored(run, "MAgP", on_invalid="repair")
        mended = [("1", "a", 0, 6), ("1", "a", 6, 10), ("1", "b", 0, 10)]
        assert result.scores["score"].to_list() == scored(mended, "MAgP").scores["score"].to_list()
        assert [note for note in result.warnings if "repaired" in note] == [
            "mine: repaired: interleaved articles: 1 block moved to the first occurrence of its article",
            "mine: repaired: overlapping results: 1 dropped; the better-ranked result was kept",
        ]

    def test_each_repair_is_reported_once(self):
        result = scored(OVERLAPPING, "iP@0,0.1,0.2", "MAiP", on_invalid="repair")
        assert len([note for note in result.warnings if "repaired" in note]) == 1

    def test_a_valid_run_is_not_changed(self):
        assert scored(FINE, "MAiP", "MAgP", on_invalid="repair").scores.equals(
            scored(FINE, "MAiP", "MAgP").scores
        )
        assert not [note for note in scored(FINE, "MAiP", on_invalid="repair").warnings if "repaired" in note]


class TestGradesOfDocuments:
    """Measures of text have nothing to find in them; measures of documents may lack a relevant one."""

    GRADES = (("1", "a", 1.0), ("1", "b", 0.0))

    def grades(self):
        return [{"topic": topic, "doc": doc, "grade": grade} for topic, doc, grade in self.GRADES]

    @pytest.mark.parametrize("measure", ["char_rec", "span_RR", "MAiP"])
    def test_a_measure_of_text_is_an_error(self, measure):
        with pytest.raises(InputError, match="wanted relevant text for this measure"):
            evaluate([("1", "a", 0, 5)], self.grades(), measure)

    @pytest.mark.parametrize("measure", ["AP(rel=2)", "nDCG", "infAP(rel=2)"])
    def test_a_measure_of_documents_is_none(self, measure):
        score = evaluate([("1", "a", 0, 5)], self.grades(), measure).scores["score"][0]
        assert math.isnan(score) == ("rel=2" in measure)
