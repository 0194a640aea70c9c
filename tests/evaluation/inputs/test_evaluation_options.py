"""Options of an evaluation: limits, tasks, measures, and misspelt ones."""

import dataclasses

import pytest

from doxel.errors import InputError, MeasureError
from doxel.evaluation import evaluate
from doxel.evaluation.inputs.input_tables import as_assessments
from doxel.measures.measure_table import map_measures
from evaluation.small_inputs import GOLD, RUN, run_of, scores


class TestOptions:
    def test_the_limit_applies_to_measures_without_their_own(self):
        run = [("1", "z", 0, 10), ("1", "a", 0, 10)]
        result = evaluate(run, GOLD, ["char_rec", "char_rec(limit=2)", "iP@0", "iP(limit=None)@0"], limit=1)
        assert result.scores.filter(topic="1")["score"].to_list() == [0, 0.5, 0, 0.5]
        assert result.means["measure"].to_list() == [
            "char_rec",
            "char_rec(limit=2)",
            "iP@0",
            "iP(limit=None)@0",
        ]
        assert scores(evaluate(run, GOLD, "char_rec(limit=None)", limit=1))["1"] == 0.5

    def test_1500_results_per_topic_count_by_default_in_the_measures_of_inex(self):
        run = [("1", f"z{number}", 0, 10) for number in range(1500)] + [("1", "a", 0, 10)]
        result = evaluate(run, GOLD, "iP@0")
        assert scores(result)["1"] == 0
        assert "run: limit=1500: 1 result past the first 1,500 of a topic not scored, in 1 topic" in (
            result.warnings
        )
        assert scores(evaluate(run[1:], GOLD, "iP@0"))["1"] == 1 / 1500
        assert scores(evaluate(run, GOLD, "iP@0", limit=None))["1"] == 1 / 1501
        assert scores(evaluate(run, GOLD, "iP(limit=1501)@0"))["1"] == 1 / 1501
        articles = evaluate(run, GOLD, "gR@2000, nxCG@1501")
        assert articles.scores.filter(topic="1")["score"].to_list() == [0, 0]  # also on bare spans
        assert any("1 article past the first 1,500" in warning for warning in articles.warnings)

    @pytest.mark.parametrize("measure", ["char_rec", "token_rec", "span_rec", "hit", "R@1501", "chroma_rec"])
    def test_all_results_count_by_default_in_other_measures(self, measure):
        run = [("1", f"z{number}", 0, 10) for number in range(1500)] + [("1", "a", 0, 10)]
        texts = {"a": "one two three", "b": "four five six seven"} | {f"z{n}": "none" for n in range(1500)}
        result = evaluate(run, GOLD, measure, collection=texts)
        assert scores(result)["1"] > 0
        assert not any("limit" in warning for warning in result.warnings)
        assert scores(evaluate(run, GOLD, measure, collection=texts, limit=1500))["1"] == 0

    def test_the_measures_task_precedes_the_option_which_precedes_the_runs_task(self):
        run = run_of(("1", "a", 0, 10), ("1", "a", 5, 10), task="thorough")
        assert not evaluate(run, GOLD, "MAiP").rejected
        assert evaluate(run, GOLD, "MAiP", task="focused").rejected
        assert not evaluate(run, GOLD, "MAiP(task=thorough)", task="focused").rejected
        undeclared = dataclasses.replace(run, task=None)
        assert evaluate(undeclared, GOLD, "MAiP").rejected
        assert not evaluate(undeclared, GOLD, "MAiP", task="CO.Thorough").rejected

    @pytest.mark.parametrize(
        ("option", "sentence"),
        [
            (
                {"topics": "asessed"},
                "topics: wanted assessed or run, found 'asessed'; did you mean assessed?",
            ),
            ({"order": "rsv"}, "order: wanted rank or file or score, found 'rsv'"),
            (
                {"sizes": "declare"},
                "sizes: wanted declared or collection, found 'declare'; did you mean declared?",
            ),
            ({"on_invalid": "mend"}, "on_invalid: wanted reject or repair, found 'mend'"),
            ({"on_error": "ignore"}, "on_error: wanted raise or skip, found 'ignore'"),
            ({"task": "unfocused"}, "task: wanted thorough or focused or .* did you mean focused?"),
            ({"limit": 0}, "evaluate: limit: wanted a whole number from 1, or None, found 0"),
            ({"limit": "few"}, "limit: wanted a whole number or None, found 'few'"),
            ({"quant": "sog"}, "quantisation 'sog' belongs to another scale"),
        ],
    )
    def test_a_misspelt_option_raises_an_error(self, option, sentence):
        with pytest.raises((InputError, MeasureError), match=sentence):
            evaluate(RUN, GOLD, "char_rec", **option)

    def test_measures_are_given_by_name_object_or_set_and_scored_once(self):
        measure = map_measures()["char_rec"] @ 1
        result = evaluate(RUN, GOLD, [measure, "char_rec@1,2", "char_rec@2"])
        assert result.means["measure"].to_list() == ["char_rec@1", "char_rec@2"]
        assert evaluate(RUN, GOLD, measure).means["measure"].to_list() == ["char_rec@1"]
        named = evaluate([("1", "a", 0, 10)], GOLD, "inex2009-focused").means["measure"].to_list()
        assert named == ["iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "MAiP"]

    def test_the_default_measures_are_the_set_of_the_task(self):
        run = run_of(("1", "a", 0, 10), task="thorough")
        qrels = dataclasses.replace(as_assessments(GOLD), format="qrels")
        result = evaluate(run, qrels)
        assert result.means["measure"].to_list()[-1] == 'MAiP(task="thorough")'
        assert any("inex2009-thorough" in note for note in result.warnings)

    def test_the_options_are_kept_with_the_scores(self):
        result = evaluate(RUN, GOLD, "char_rec", topics="run", limit=7, on_invalid="repair", order="file")
        assert dict(result.parameters) == {
            "topics": "run",
            "task": None,
            "order": "file",
            "on_invalid": "repair",
            "limit": 7,
        }
