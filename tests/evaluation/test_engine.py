"""The evaluator: topics, order, limits, options, several runs, several processes, warnings."""

import dataclasses
import math
from pathlib import Path

import polars as pl
import pytest

from doxel.assessments.assessments import ELEMENTS, HIGHLIGHTS, JUDGED, Assessments
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError, MeasureError
from doxel.evaluation import Evaluation, evaluate
from doxel.runs import RESULTS, Run

GOLD = [("1", "a", 0, 10), ("1", "b", 0, 10), ("2", "a", 0, 10), ("3", "c", 0, 10)]
NOTHING = [{"topic": "4", "doc": "a"}]  # judged, nothing relevant
RUN = [("2", "b", 0, 10), ("2", "a", 0, 10), ("1", "a", 0, 10), ("4", "a", 0, 10), ("9", "a", 0, 10)]


def rows(spans):
    return [dict(zip(("topic", "doc", "start", "end"), span, strict=True)) for span in spans]


def run_of(*spans, **fields):
    return Run(fields.pop("id", "mine"), RESULTS.from_rows(rows(spans)), **fields)


def scores(result, measure=None):
    table = result.scores if measure is None else result.scores.filter(pl.col("measure") == measure)
    return dict(table.select("topic", "score").iter_rows())


class TestTopics:
    def test_an_assessed_topic_missing_from_the_run_scores_0(self):
        result = evaluate(RUN, GOLD, "char_prec")
        assert scores(result) == {"1": 1, "2": 0.5, "3": 0}
        assert result.means.row(0) == ("run", "char_prec", 0.5, 3, 0)

    def test_a_topic_missing_from_the_run_can_be_left_out(self):
        result = evaluate(RUN, GOLD, "char_prec", topics="run")
        assert scores(result) == {"1": 1, "2": 0.5}
        assert result.means.row(0) == ("run", "char_prec", 0.75, 2, 0)

    def test_a_topic_with_nothing_to_find_is_undefined_and_counted(self):
        result = evaluate(RUN, [*rows(GOLD), *NOTHING], "char_prec")
        assert math.isnan(scores(result)["4"])
        assert result.means.row(0) == ("run", "char_prec", 0.5, 3, 1)

    def test_undefined_topics_depend_on_the_measure(self):
        gold = [*rows(GOLD), {"topic": "3", "doc": "c", "bep": 5}]
        result = evaluate([("3", "c", 5, 6)], gold, ['MAgP(score="bep")', "MAgP", "overlap@1"])
        assert result.means["undefined"].to_list() == [2, 0, 0]
        assert result.means["topics"].to_list() == [1, 3, 3]

    def test_a_run_without_assessed_topics_scores_0(self):
        run = [("8", "a", 0, 10)]
        assert scores(evaluate(run, GOLD, "char_rec")) == {"1": 0, "2": 0, "3": 0}
        assert evaluate(run, GOLD, "char_rec", topics="run").scores.height == 0

    def test_an_empty_run_scores_0(self):
        assert scores(evaluate({"mine": []}, GOLD, "char_rec")) == {"1": 0, "2": 0, "3": 0}

    def test_the_mean_is_undefined_if_no_topic_is_defined(self):
        result = evaluate(RUN, NOTHING, "char_rec")
        assert math.isnan(result.means["score"].item())
        assert result.means["undefined"].to_list() == [1]

    def test_a_document_that_was_not_judged_is_not_relevant(self):
        assert scores(evaluate([("3", "z", 0, 10), ("3", "c", 0, 10)], GOLD, "char_prec"))["3"] == 0.5


class TestOrder:
    RANKED = Run(
        "mine",
        RESULTS.from_rows(
            [
                {"topic": "1", "doc": "z", "start": 0, "end": 10, "rank": 3, "rsv": 0.9},
                {"topic": "1", "doc": "a", "start": 0, "end": 10, "rank": 1, "rsv": 0.1},
                {"topic": "1", "doc": "y", "start": 0, "end": 20, "rank": 2, "rsv": 0.1},
            ]
        ),
    )

    @pytest.mark.parametrize(
        ("order", "precisions"),
        [
            ("rank", [1, 10 / 30, 10 / 40]),  # a y z
            ("file", [0, 10 / 20, 10 / 40]),  # z a y
            ("score", [0, 10 / 20, 10 / 40]),  # z, then a and y in file order
        ],
    )
    def test_results_are_ordered_by_rank_by_file_or_by_score(self, order, precisions):
        result = evaluate(self.RANKED, GOLD, "char_prec@1,2,3", order=order)
        assert result.scores.filter(topic="1")["score"].to_list() == pytest.approx(precisions)

    def test_results_of_a_topic_form_one_list_wherever_they_are_in_the_file(self):
        run = [("2", "z", 0, 10), ("1", "a", 0, 10), ("2", "a", 0, 10), ("1", "z", 0, 10)]
        assert scores(evaluate(run, GOLD, "char_prec@1"))["2"] == 0
        assert scores(evaluate(run, GOLD, "char_prec@2"))["2"] == 0.5
        assert scores(evaluate(run, GOLD, "char_prec@1"))["1"] == 1


class TestOptions:
    def test_the_limit_applies_to_measures_without_their_own(self):
        run = [("1", "z", 0, 10), ("1", "a", 0, 10)]
        result = evaluate(run, GOLD, ["char_rec", "char_rec(limit=2)", "char_rec(limit=None)"], limit=1)
        assert result.scores.filter(topic="1")["score"].to_list() == [0, 0.5, 0.5]
        assert result.means["measure"].to_list() == ["char_rec", "char_rec(limit=2)", "char_rec(limit=None)"]

    def test_1500_results_per_topic_count_by_default(self):
        run = [("1", f"z{number}", 0, 10) for number in range(1500)] + [("1", "a", 0, 10)]
        assert scores(evaluate(run, GOLD, "char_rec"))["1"] == 0
        assert scores(evaluate(run[1:], GOLD, "char_rec"))["1"] == 0.5
        assert scores(evaluate(run, GOLD, "char_rec", limit=None))["1"] == 0.5
        assert scores(evaluate(run, GOLD, "char_rec(limit=1501)"))["1"] == 0.5

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
            ({"limit": "few"}, 'evaluate: limit: wanted a whole number from 1, or None, found "few"'),
            ({"quant": "sog"}, "quantisation 'sog' belongs to another scale"),
        ],
    )
    def test_a_misspelt_option_raises_an_error(self, option, sentence):
        with pytest.raises((InputError, MeasureError), match=sentence):
            evaluate(RUN, GOLD, "char_rec", **option)

    def test_measures_are_given_by_name_object_or_set_and_scored_once(self):
        from doxel.measures.measure_table import map_measures

        measure = map_measures()["char_rec"] @ 1
        result = evaluate(RUN, GOLD, [measure, "char_rec@1,2", "char_rec@2"])
        assert result.means["measure"].to_list() == ["char_rec@1", "char_rec@2"]
        assert evaluate(RUN, GOLD, measure).means["measure"].to_list() == ["char_rec@1"]
        named = evaluate([("1", "a", 0, 10)], GOLD, "inex2009-focused").means["measure"].to_list()
        assert named == ["iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "MAiP"]

    def test_the_default_measures_are_the_set_of_the_task(self):
        run = run_of(("1", "a", 0, 10), task="thorough")
        qrels = dataclasses.replace(evaluate_gold(), format="qrels")
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


def evaluate_gold():
    from doxel.evaluation.inputs.input_tables import as_assessments

    return as_assessments(GOLD)


class TestTables:
    def test_rows_are_ordered_by_run_measure_and_assessed_topic(self):
        gold = [("10", "a", 0, 10), ("9", "a", 0, 10), ("x", "a", 0, 10)]
        runs = {"z": [("9", "a", 0, 5)], "a": [("x", "a", 0, 5)]}
        result = evaluate(runs, gold, ["char_rec", "char_prec"])
        assert result.scores.select("run", "measure", "topic").rows() == [
            (run, measure, topic)
            for run in ("z", "a")
            for measure in ("char_rec", "char_prec")
            for topic in ("10", "9", "x")
        ]
        assert result.means.select("run", "measure").rows() == [
            (run, measure) for run in ("z", "a") for measure in ("char_rec", "char_prec")
        ]
        assert result.scores.columns == ["run", "topic", "measure", "score"]
        assert result.means.columns == ["run", "measure", "score", "topics", "undefined"]

    def test_an_evaluation_is_frozen_and_has_a_repr(self):
        result = evaluate(RUN, GOLD, "char_rec@1,2")
        assert isinstance(result, Evaluation)
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.scores = None
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.rejected = ()
        assert repr(result) == "<Evaluation: runs 1, measures 2>"

    def test_inputs_are_not_modified(self):
        run, gold = run_of(*RUN), evaluate_gold()
        before = run.results.clone(), gold.highlights.clone(), gold.judged.clone()
        evaluate(run, gold, ["char_rec", "MAgP"], on_invalid="repair")
        assert run.results.equals(before[0])
        assert gold.highlights.equals(before[1])
        assert gold.judged.equals(before[2])


class TestSeveralRuns:
    def write(self, folder, name, doc):
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"1 Q0 {doc} 1 1.0 twin 0 10\n")
        return folder / name

    def test_shared_ids_become_id_and_file(self, tmp_path):
        files = [self.write(tmp_path, "one.run", "a"), self.write(tmp_path, "two.run", "z")]
        result = evaluate([*files, run_of(("1", "a", 0, 5), id="other")], GOLD, "char_rec")
        assert result.means["run"].to_list() == ["twin:one.run", "twin:two.run", "other"]
        assert result.means["score"].to_list() == pytest.approx([0.5 / 3, 0, 0.25 / 3])

    def test_rejections_and_warnings_have_the_same_names(self, tmp_path):
        files = [self.write(tmp_path, "one.run", "a"), self.write(tmp_path, "two.run", "z")]
        for file in files:
            file.write_text(file.read_text() * 2)
        result = evaluate(files, GOLD, ["MAiP", "char_rec"])
        assert [rejection.run for rejection in result.rejected] == ["twin:one.run", "twin:two.run"]
        assert {note.split(": ")[0] for note in result.warnings} == {"twin:one.run", "twin:two.run"}

    def test_files_with_equal_names_are_distinguished_by_their_folders(self, tmp_path):
        files = [self.write(tmp_path / folder, "same.run", "a") for folder in ("x", "y")]
        assert evaluate(files, GOLD, "char_rec").means["run"].to_list() == [f"twin:{file}" for file in files]

    def test_runs_without_files_are_numbered(self):
        result = evaluate([run_of(("1", "a", 0, 10)), run_of(("1", "z", 0, 10))], GOLD, "char_rec")
        assert result.means["run"].to_list() == ["mine:1", "mine:2"]
        assert result.means["score"].to_list() == pytest.approx([0.5 / 3, 0])

    @pytest.mark.parametrize("jobs", [2, None])
    def test_several_processes_give_the_same_scores(self, jobs):
        runs = {f"r{number}": [("1", "a", 0, number + 1), *RUN[:3]] for number in range(9)}
        measures = ["char_prec@1", "MAiP", "HiXEval_P@2", "MAgP"]
        alone = evaluate(runs, GOLD, measures, jobs=1)
        together = evaluate(runs, GOLD, measures, jobs=jobs)
        assert together.scores.equals(alone.scores)
        assert together.rejected == alone.rejected
        assert together.warnings == alone.warnings

    def test_errors_are_raised_from_other_processes(self, tmp_path):
        with pytest.raises(InputError, match="missing"):
            evaluate([str(tmp_path / "missing")] * 2, GOLD, "char_rec", jobs=2)

    def test_a_run_that_cannot_be_read_raises_an_error_or_is_skipped(self, tmp_path):
        good = self.write(tmp_path, "good.run", "a")
        bad = tmp_path / "bad.run"
        bad.write_text("1 Q0 a one 1.0 twin 0 10\n")
        with pytest.raises(InputError, match=r"bad\.run, line 1"):
            evaluate([good, bad], GOLD, "char_rec")
        result = evaluate([good, bad], GOLD, "char_rec", on_error="skip")
        assert result.means["run"].to_list() == ["twin"]
        (rejection,) = result.rejected
        assert (rejection.run, rejection.measure) == (str(bad), "all")
        assert "line 1" in rejection.reason

    def test_progress_is_called_once_per_run(self):
        details = []
        evaluate(dict.fromkeys("abc", RUN), GOLD, "char_rec", progress=lambda: details.append(1))
        assert len(details) == 3


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
            "mine: 4 assessed topics have no results and score 0",
        )

    def test_no_topic_is_missing_if_only_the_runs_topics_count(self):
        result = evaluate({"mine": RUN}, GOLD, "char_rec", topics="run")
        assert not any("have no results" in note for note in result.warnings)

    def test_results_missing_from_the_collection_are_reported(self):
        run = [("1", "a", -1, -1), ("1", "b", -1, -1), ("1", "a", 0, 10)]
        result = evaluate({"mine": run}, GOLD[:1], "char_rec@2")
        message = (
            "mine: 2 results were not found in the collection; "
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("collection")
    (folder / "sources").mkdir()
    (folder / "sources" / "a.xml").write_text("<article><p>0123456789</p><p>0123456789</p></article>")
    ingest([str(folder / "sources")], str(folder / "collection"))
    return folder / "collection"


class TestCollections:
    ELEMENT = Run("mine", RESULTS.from_rows([{"topic": "1", "doc": "a", "path": "/article[1]/p[1]"}]))

    @pytest.mark.parametrize("opened", [str, Path, read_collection])
    def test_a_collection_is_a_folder_or_an_object(self, folder, opened):
        result = evaluate(self.ELEMENT, GOLD[:1], ["char_prec", "nxCG@1"], collection=opened(folder))
        assert result.scores["score"].to_list() == [1, 1]

    def test_topics_with_grades_are_not_reported_as_empty(self, folder):
        graded = Assessments(
            "2003",
            JUDGED.from_rows([{"topic": "1", "doc": "a"}]),
            HIGHLIGHTS.empty(),
            ELEMENTS.from_rows(
                [
                    {
                        "topic": "1",
                        "doc": "a",
                        "path": "/article[1]/p[1]",
                        "exhaustivity": "3",
                        "specificity": "3",
                    }
                ]
            ),
        )
        result = evaluate(self.ELEMENT, graded, "inex_eval", collection=folder)
        assert scores(result) == {"1": 1}
        assert result.warnings == ()

    def test_missing_highlights_are_reported(self, folder):
        gold = [("1", "a", 0, 10), ("1", "a", 15, 99), ("1", "unknown", 0, 5)]
        warnings = evaluate(self.ELEMENT, gold, "char_rec", collection=folder).warnings
        assert "assessments: 1 highlight was not found in the collection (outside the document)" in warnings
        assert "assessments: 1 judged document was not found in the collection (unknown document)" in warnings

    def test_passages_gain_nothing_under_quantisations_of_grades_and_this_is_reported(self, folder):
        run = {"mine": [("1", "a", 0, 10), ("1", "a", 3, 5)]}
        strict = evaluate(
            run, GOLD[:1], ["nxCG(quant=strict)@2", "inex_eval(quant=strict)"], collection=folder
        )
        assert strict.scores["score"].to_list() == [0, 0]
        assert strict.warnings == (
            (
                "mine: 2 results are passages and gain nothing under strict2006, "
                "which is defined for elements only"
            ),
        )
        assert evaluate(run, GOLD[:1], "nxCG(quant=spec)@2", collection=folder).warnings == ()

    def test_quantisations_are_named_in_full_for_their_scale(self, folder):
        result = evaluate(
            self.ELEMENT, GOLD[:1], ["nxCG(quant=gen)@1", "nxCG@1"], collection=folder, quant="strict"
        )
        assert result.means["measure"].to_list() == ['nxCG(quant="spec")@1', "nxCG@1"]
        assert result.parameters["quant"] == "strict2006"

    def test_element_measures_need_elements(self):
        with pytest.raises(InputError, match="collection"):
            evaluate([("1", "a", 0, 10)], GOLD, "inex_eval")

    def test_measures_of_a_year_need_its_grades(self, folder):
        with pytest.raises(MeasureError, match="inex_eval_ng needs grades of exhaustivity and specificity"):
            evaluate(self.ELEMENT, GOLD[:1], "inex_eval_ng", collection=folder)


def test_runs_without_matching_ids_are_reported():
    gold = [("1", "d", 0, 5), ("2", "e", 0, 5)]
    other_topics = evaluate([("q1", "d", 0, 5)], gold, ["char_rec@5"])
    assert any(
        "none of its topics was assessed: the run has topics q1, the assessments have 1, 2; do the ids match?"
        in warning
        for warning in other_topics.warnings
    )
    other_documents = evaluate([("1", "d.xml", 0, 5), ("2", "e.xml", 0, 5)], gold, ["char_rec@5"])
    assert any(
        "none of its documents was judged for its topic: "
        "the run has documents d.xml, e.xml, the assessments have d, e; do the ids match?" in warning
        for warning in other_documents.warnings
    )
    partial = evaluate([("1", "d", 0, 5), ("2", "e.xml", 0, 5)], gold, ["char_rec@5"])
    assert not any("do the ids match" in warning for warning in partial.warnings)
