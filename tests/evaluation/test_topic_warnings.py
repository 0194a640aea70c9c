"""Warnings about topics, beside the scores."""

from doxel.evaluation import evaluate
from evaluation.small_inputs import GOLD, NOTHING, RUN, rows, scores


class TestWarnings:
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
                "if they were not asked, use --topics run (in Python topics='run')"
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
