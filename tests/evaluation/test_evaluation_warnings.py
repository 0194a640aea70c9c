"""Warnings beside the scores: about topics, unjudged text and results without text."""

import pytest

from doxel.checks.score_warnings import ScoreWarning
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.evaluation.evaluation_warnings import merge_unjudged_notes
from evaluation.small_inputs import GOLD, NOTHING, RUN, rows, scores


class TestTopics:
    def test_warnings_list_unassessed_missing_and_empty_topics(self):
        gold = [*rows(GOLD), *NOTHING, {"topic": "5", "doc": "a"}]
        run = [("1", "a", 0, 10), ("8", "a", 0, 10), ("9", "a", 0, 10), ("9", "b", 0, 10)]
        assert evaluate({"mine": run}, gold, "char_rec").warnings == (
            (
                "2 assessed topics have nothing to find (4, 5): "
                "their scores are undefined and left out of the mean"
            ),
            "mine: 2 topics were never assessed; their 3 results are ignored",
            (
                "mine: 2 assessed topics have no results and score 0; "
                "if the run was not made for them, use --topics run (in Python topics='run')"
            ),
        )

    def test_no_topic_is_missing_if_only_the_runs_topics_count(self):
        result = evaluate({"mine": RUN}, GOLD, "char_rec", topics="run")
        assert not any("have no results" in note for note in result.warnings)

    def test_results_missing_from_the_collection_are_reported(self):
        run = [("1", "a", -1, -1), ("1", "b", -1, -1), ("1", "a", 0, 10)]
        result = evaluate({"mine": run}, GOLD[:1], "char_rec@2")
        message = (
            "mine: 2 results were not found in the collection (its offset is X or -1); "
            "they keep their rank and count as retrieving nothing"
        )
        assert result.warnings == (message,)
        assert scores(result) == {"1": 0}

    def test_warnings_name_the_measures_with_undefined_topics(self):
        gold = [*rows(GOLD[:1]), *({"topic": topic, "doc": "a", "bep": 3} for topic in ("2", "3"))]
        run = [(topic, "a", 0, 1) for topic in ("1", "2", "3")]
        result = evaluate(run, gold, ["MAiP", 'MAgP(score="bep")', "overlap@1"])
        assert result.warnings[0] == (
            "2 assessed topics have nothing to find for MAiP (2, 3): "
            "their scores are undefined and left out of the mean"
        )
        assert 'nothing to find for MAgP(score="bep") (1): its score is undefined' in result.warnings[1]

    def test_a_clean_run_has_no_warnings(self):
        assert evaluate([("1", "a", 0, 1)], GOLD[:1], "char_rec").warnings == ()

    def test_rows_skipped_on_reading_are_reported(self, tmp_path):
        (tmp_path / "a.jsonl").write_text(
            '{"topic": "1", "doc": "a", "start": 0, "end": 1, "colour": "red"}\n'
        )
        warnings = evaluate(tmp_path / "a.jsonl", tmp_path / "a.jsonl", "char_rec").warnings
        assert len([note for note in warnings if "colour" in note]) == 2


JUDGED = [{"topic": "1", "doc": "A", "start": 0, "end": 100}, {"topic": "1", "doc": "B"}]
RELEVANT_ONLY = JUDGED[:1]
PARTLY_JUDGED = [("1", "A", 0, 100), ("1", "B", 0, 100), ("1", "Z", 0, 100)]


def codes(result):
    return [warning.code for warning in result.warnings]


class TestUnjudgedText:
    def test_a_run_with_unjudged_text_has_a_note_with_the_judged_share(self):
        result = evaluate({"mine": [*PARTLY_JUDGED, ("1", "Z", 50, 100)]}, JUDGED, "char_prec")
        (note,) = result.warnings
        assert (note.code, note.effect, note.run, note.topics) == ("S121", "none", "mine", 1)
        # characters of Z that were read before do not count again
        assert note.sentence == "66.7% of the retrieved characters are in judged documents (200 of 300)"

    def test_a_run_without_unjudged_text_has_no_note(self):
        assert evaluate(PARTLY_JUDGED[:2], JUDGED, "char_prec").warnings == ()
        assert evaluate(PARTLY_JUDGED[:1], RELEVANT_ONLY, "char_prec").warnings == ()

    def test_a_share_below_1_is_not_shown_as_100_percent(self):
        run = [("1", "A", 0, 100_000), ("1", "Z", 0, 1)]
        (note,) = evaluate(run, JUDGED, "char_prec").warnings
        assert note.sentence.startswith("99.9% of the retrieved characters")

    def test_results_count_where_there_are_no_sizes(self):
        run = [{"topic": "1", "doc": doc} for doc in "ABZ"]
        (note,) = evaluate(run, {"1": {"A": 1, "B": 0}}, "AP").warnings
        assert note.sentence == "66.7% of the retrieved results are in judged documents (2 of 3)"

    def test_assessments_of_relevant_documents_only_are_noted_once(self):
        result = evaluate({"one": PARTLY_JUDGED, "two": PARTLY_JUDGED}, RELEVANT_ONLY, "char_prec")
        assert codes(result) == ["S121", "S121", "S122"]
        assert result.warnings[-1].run is None
        assert codes(evaluate({"one": PARTLY_JUDGED}, JUDGED, "char_prec")) == ["S121"]

    def test_residuals_say_that_they_assume_much_then(self):
        assert codes(evaluate(PARTLY_JUDGED, RELEVANT_ONLY, "char_prec", residual=True)) == [
            "S121",
            "S122",
            "S124",
        ]
        assert codes(evaluate(PARTLY_JUDGED, JUDGED, "char_prec", residual=True)) == ["S121"]

    def test_a_document_with_an_entry_point_only_is_not_judged_non_relevant(self):
        gold = [*RELEVANT_ONLY, {"topic": "1", "doc": "B", "bep": 5}]
        assert codes(evaluate(PARTLY_JUDGED, gold, "char_prec")) == ["S121", "S122"]

    def test_notes_of_many_runs_are_shown_as_one(self):
        notes = [ScoreWarning("9.0% of", "S121", run=f"r{number}") for number in range(3)]
        assert merge_unjudged_notes(notes) == notes
        more = [ScoreWarning("kept", "S122"), *notes, ScoreWarning("10.5% of", "S121", run="last")]
        kept, merged = merge_unjudged_notes(more)
        assert kept == "kept"
        assert merged.startswith("4 runs retrieved unjudged text: 9.0% (r0) to 10.5% (last) of what they")


HIGHLIGHTS = [
    *({"topic": topic, "doc": doc, "start": 0, "end": 10} for topic, doc in zip("1112", "abca", strict=True)),
    *({"topic": "1", "doc": doc, "bep": 0} for doc in "abc"),
]
POINTS = [("1", "a", 3, 3), ("1", "b", 0, 0), ("2", "a", 9, 9)]
SINGLE = [(topic, doc, start, start + 1) for topic, doc, start, _ in POINTS]
EMPTY_AND_FULL = [*POINTS[:2], ("1", "c", 0, 10), ("2", "a", 0, 5)]


def means(result):
    return dict(result.means.select("measure", "score").iter_rows())


class TestShortResults:
    """Measures of retrieved text score entry points; a warning says so.  The scores are by hand."""

    @staticmethod
    def warnings(run, *measures, **how):
        return {
            warning.code: warning.sentence
            for warning in evaluate({"mine": run}, HIGHLIGHTS, list(measures), **how).warnings
            if warning.code in ("S127", "S128")
        }

    def test_entry_points_scored_as_text_carry_a_warning(self):
        result = evaluate(POINTS, HIGHLIGHTS, ["char_rec", "MAiP"])
        assert means(result) == {"char_rec": 0, "MAiP": 0}
        assert self.warnings(POINTS, "char_rec", "MAiP") == {
            "S127": "3 results have a start, but no end after it, and count as entry points; char_rec, "
            "MAiP score retrieved text: give the ends of passages, or score entry points with BEPD or "
            "MAgP(score=bep)"
        }
        with pytest.raises(InputError, match="3 results have a start, but no end"):
            evaluate(POINTS, HIGHLIGHTS, "char_rec", no_guessing=True)

    @pytest.mark.parametrize(
        "measure",
        ["BEPD(A=1, L=10)", "MAgP(score=bep)", "AP", "art_rec", "gR@2", "judged_results", "overlap@3"],
    )
    def test_measures_that_need_no_text_do_not(self, measure):
        assert self.warnings(POINTS, measure) == {}

    @pytest.mark.parametrize("measure", ["char_prec@1", "MAgP", "gP@1", "span_RR", "nxCG@1", "HiXEval_P@1"])
    def test_measures_of_text_do(self, measure):
        assert list(self.warnings(POINTS, measure)) == ["S127"]

    def test_one_character_each_is_an_entry_point_unless_the_gold_is_as_short(self):
        assert "3 results have at most 1 character, and count as" in self.warnings(SINGLE, "char_rec")["S127"]
        short = [{"topic": "1", "doc": "a", "start": 3, "end": 4}]
        assert evaluate(SINGLE, short, "char_rec").warnings[-1].code != "S127"

    def test_single_empty_results_are_counted_in_a_note(self):
        # 10 of the 30 characters of topic 1, 5 of the 10 of topic 2
        assert means(evaluate(EMPTY_AND_FULL, HIGHLIGHTS, "char_rec")) == {
            "char_rec": pytest.approx((10 / 30 + 5 / 10) / 2)
        }
        assert self.warnings(EMPTY_AND_FULL, "char_rec") == {
            "S128": "2 results end where they start, of 4 results, and retrieve no characters"
        }
        assert self.warnings(EMPTY_AND_FULL, "AP") == {}

    def test_results_that_were_not_found_are_counted_elsewhere(self):
        lost = [
            {"topic": "1", "doc": "a", "path": "/none[1]"},
            {"topic": "1", "doc": "b", "start": 0, "end": 4},
        ]
        assert self.warnings(lost, "char_rec", collection={"a": "0123456789", "b": "0123456789"}) == {}
