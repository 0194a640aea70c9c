"""The evaluator: topics, several runs, several processes, collections, warnings."""

import math
import re
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from doxel.assessments.assessments import ELEMENTS, HIGHLIGHTS, JUDGED, Assessments
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError, MeasureError, UnscoredRunError
from doxel.evaluation import evaluate
from doxel.runs import RESULTS, Run
from evaluation.small_inputs import GOLD, NOTHING, RUN, rows, run_of, scores


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

    def test_a_run_without_assessed_topics_scores_0_on_request(self):
        run, anyway = [("8", "a", 0, 10)], {"on_mismatch": "score"}
        assert scores(evaluate(run, GOLD, "char_rec", **anyway)) == {"1": 0, "2": 0, "3": 0}
        assert evaluate(run, GOLD, "char_rec", topics="run", **anyway).scores.height == 0

    def test_an_empty_run_scores_0(self):
        assert scores(evaluate({"mine": []}, GOLD, "char_rec")) == {"1": 0, "2": 0, "3": 0}

    def test_the_mean_is_undefined_if_no_topic_is_defined(self):
        result = evaluate(RUN, NOTHING, "char_rec")
        assert math.isnan(result.means["score"].item())
        assert result.means["undefined"].to_list() == [1]

    def test_a_document_that_was_not_judged_is_not_relevant(self):
        assert scores(evaluate([("3", "z", 0, 10), ("3", "c", 0, 10)], GOLD, "char_prec"))["3"] == 0.5


class TestSeveralRuns:
    def write(self, folder, name, doc):
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"1 Q0 {doc} 1 1.0 twin 0 10\n")
        return folder / name

    def test_shared_ids_become_id_and_file(self, tmp_path):
        files = [self.write(tmp_path, "one.run", "a"), self.write(tmp_path, "two.run", "z")]
        runs = [*files, run_of(("1", "a", 0, 5), id="other")]
        result = evaluate(runs, GOLD, "char_rec", on_mismatch="score")
        assert result.means["run"].to_list() == ["twin:one.run", "twin:two.run", "other"]
        assert result.means["score"].to_list() == pytest.approx([0.5 / 3, 0, 0.25 / 3])

    def test_rejections_and_warnings_have_the_same_names(self, tmp_path):
        files = [self.write(tmp_path, "one.run", "a"), self.write(tmp_path, "two.run", "z")]
        for file in files:
            file.write_text(file.read_text() * 2)
        result = evaluate(files, GOLD, ["MAiP", "char_rec"], on_mismatch="score")
        assert [rejection.run for rejection in result.rejected] == ["twin:one.run", "twin:two.run"]
        named = [note for note in result.warnings if note.code != "S122"]  # one note is on all runs
        assert {note.split(": ")[0] for note in named} == {"twin:one.run", "twin:two.run"}

    def test_files_with_equal_names_are_distinguished_by_their_folders(self, tmp_path):
        files = [self.write(tmp_path / folder, "same.run", "a") for folder in ("x", "y")]
        assert evaluate(files, GOLD, "char_rec").means["run"].to_list() == [f"twin:{file}" for file in files]

    def test_runs_without_files_are_numbered(self):
        runs = [run_of(("1", "a", 0, 10)), run_of(("1", "z", 0, 10))]
        result = evaluate(runs, GOLD, "char_rec", on_mismatch="score")
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


class TestMismatchedIds:
    """A run whose ids are not those of the assessments is refused, or scored with a warning on request."""

    GOLD = (("1", "d", 0, 5), ("2", "e", 0, 5))
    TOPICS = (
        "none of its topics was assessed: the run has topics q1, the assessments have 1, 2; check that the "
        "ids match"
    )

    def test_other_topics_are_refused(self):
        with pytest.raises(UnscoredRunError, match=re.escape(f"run: {self.TOPICS}")) as caught:
            evaluate([("q1", "d", 0, 5)], list(self.GOLD), "char_rec@5")
        assert (caught.value.run, caught.value.code) == ("run", "R403")
        assert "ids match; to score it anyway: --on-mismatch score" in str(caught.value)

    def test_other_documents_are_refused_with_ids_of_both_sides(self):
        rows = [{"topic": "1", "doc": "x/d.xml"}, {"topic": "2", "doc": "x/e.xml"}]
        run = Run("run", RESULTS.from_rows({**row, "start": 0, "end": 5} for row in rows))
        sentence = (
            "run: none of its documents is in the assessments: the run has x/d.xml, x/e.xml, "
            "the assessments have d, e; without folder and ending 2 of 2 match: pass the collection of "
            "these files (-c, in Python collection=) or map the ids, "
            'in Python with {**row, "doc": Path(row["doc"]).stem}'
        )
        with pytest.raises(UnscoredRunError, match=re.escape(sentence)) as caught:
            evaluate(run, list(self.GOLD), "char_rec@5")
        assert caught.value.code == "R406"

    def test_texts_without_documents_ask_for_a_collection(self, tmp_path):
        run = tmp_path / "run.csv"
        run.write_text("question,page_content\n1,some text\n2,other text\n", encoding="utf-8")
        sentence = "its results name no documents, and none of their texts was found: pass the documents"
        with pytest.raises(UnscoredRunError, match=sentence) as caught:
            evaluate(run, list(self.GOLD), "char_rec@5")
        assert caught.value.code == "R406"

    def test_plain_data_may_name_documents_by_path_or_file(self):
        run = [("1", "x/d.xml", 0, 5), ("2", "x/e.xml", 0, 5)]
        assert evaluate(run, list(self.GOLD), "char_rec@5").scores["score"].to_list() == [1, 1]

    @pytest.mark.parametrize("row", [("q1", "d", 0, 5), ("1", "f.xml", 0, 5)])
    def test_on_request_they_are_scored_with_a_warning(self, row):
        result = evaluate([row], list(self.GOLD), "char_rec@5", on_mismatch="score")
        assert result.scores["score"].to_list() == [0, 0]
        assert {"R403", "R406"} & {warning.code for warning in result.warnings if warning.effect == "guess"}

    def test_others_are_scored_if_errors_are_skipped(self):
        runs = {"good": [("1", "d", 0, 5)], "bad": [("1", "z", 0, 5)]}
        result = evaluate(runs, list(self.GOLD), "char_rec@5", on_error="skip")
        assert result.means["run"].to_list() == ["good"]
        assert [(item.run, item.measure, item.code) for item in result.rejected] == [("bad", "all", "R406")]
        refusals = [(warning.run, warning.code) for warning in result.warnings if warning.effect == "refuse"]
        assert refusals == [("bad", "R406")]

    def test_documents_judged_for_another_topic_are_known(self):
        result = evaluate([("1", "e", 0, 5)], list(self.GOLD), "char_rec@5")
        assert [warning.code for warning in result.warnings if warning.effect == "guess"] == ["S113"]

    def test_documents_of_the_collection_are_known(self):
        texts = {"d": "abcdef", "e": "abcdef", "z": "abcdef"}
        result = evaluate([("1", "z", 0, 5)], list(self.GOLD), "char_rec@5", collection=texts)
        assert [warning.code for warning in result.warnings if warning.effect == "guess"] == ["S113"]

    def test_some_other_documents_are_not_a_mismatch(self):
        run = [("1", "d", 0, 5), ("2", "e.xml", 0, 5)]
        notes = evaluate(run, list(self.GOLD), "char_rec@5").warnings
        assert [(note.code, note.effect) for note in notes] == [("S121", "none"), ("S122", "none")]


# topic 1 has a passage of grade 0 beside a relevant one, and a document with nothing but grade 0
GRADED = [
    {"topic": "1", "doc": "a", "start": 0, "end": 10, "grade": 0},
    {"topic": "1", "doc": "a", "start": 20, "end": 30, "grade": 1},
    {"topic": "1", "doc": "b", "start": 0, "end": 50, "grade": 0},
    {"topic": "2", "doc": "a", "start": 5, "end": 15, "grade": -1},
    {"topic": "2", "doc": "c", "start": 5, "end": 15},
]
MEANT = [
    {"topic": "1", "doc": "a", "start": 20, "end": 30, "grade": 1},
    {"topic": "1", "doc": "b"},
    {"topic": "2", "doc": "a"},
    {"topic": "2", "doc": "c", "start": 5, "end": 15},
]
RETRIEVED = [("1", "a", 0, 10), ("1", "b", 0, 40), ("1", "a", 0, 25), ("2", "a", 0, 20), ("2", "c", 0, 10)]


class TestGrade0:
    def test_the_passage_is_judged_and_not_relevant(self):
        result = evaluate([("1", "a", 0, 10)], GRADED[:2], ["char_rec", "char_prec", "judged_results"])
        assert result.scores["score"].to_list() == [0, 0, 1]

    def test_a_document_with_nothing_else_is_judged_non_relevant(self):
        result = evaluate([("1", "b", 0, 9), ("1", "a", 0, 9)], GRADED[:3], ["RR", "P@2", "judged_results"])
        assert result.scores["score"].to_list() == [0.5, 0.5, 1]

    @pytest.mark.parametrize("form", [list, pl.DataFrame, pd.DataFrame])
    def test_it_means_the_same_as_a_document_judged_without_a_highlight(self, form):
        measures = ["chunks", "documents", "bpref_chars", "aspect_rec", "MAiP", "MAgP", "nDCG", "AP(rel=1)"]
        options = {"residual": True}
        meant = evaluate(RETRIEVED, MEANT, measures, **options)
        result = evaluate(RETRIEVED, form(GRADED), measures, **options)
        assert result.scores.equals(meant.scores, null_equal=True)
        assert result.warnings == meant.warnings

    def test_grades_of_passage_ids_are_read_alike(self):
        gold = [{"topic": "1", "doc": "a:0-10", "grade": 0}, {"topic": "1", "doc": "a:20-30", "grade": 1}]
        measures = ["char_rec", "char_prec", "judged_results"]
        result = evaluate({"1": {"a:0-10": 0.5}}, gold, measures, passage_ids=True)
        assert result.scores["score"].to_list() == [0, 0, 1]


@pytest.mark.parametrize(("runs", "jobs"), [(3, 1), (4, 3)])
def test_processes_are_started_only_for_many_runs(monkeypatch, runs, jobs):
    processes = []

    def run_in_steps(first, then, items, **options):
        processes.append(options["jobs"])
        return (then(first(item)) for item in items)

    monkeypatch.setattr("doxel.executors.count_cores", lambda: 3)
    monkeypatch.setattr("doxel.executors.run_in_steps", run_in_steps)
    monkeypatch.setattr("doxel.evaluation.evaluator.MANY_RUNS", 4)
    sources = {f"run{number}": [("1", "d", 0, 9)] for number in range(runs)}
    evaluate(sources, [("1", "d", 0, 9)], "char_rec@5", jobs=None)
    assert processes == [jobs]
