"""The evaluator: topics, several runs, several processes, collections, warnings."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from doxel.assessments.assessments import ELEMENTS, HIGHLIGHTS, JUDGED, Assessments
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError, MeasureError
from doxel.evaluation import evaluate
from doxel.runs import RESULTS, Run, read_run
from doxel.topics.query_structure import SUBTASKS
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


# ---- texts at several places

COPIES = {"a": "The gate is open. The gate is open. Nothing else.", "b": "The gate is open."}


def test_texts_at_several_places_come_with_the_bounds_of_recall():
    run = [{"topic": "1", "text": "The gate is open."}, {"topic": "1", "text": "Nothing else."}]
    gold = [("1", "a", 36, 49), ("1", "b", 0, 17)]
    result = evaluate(run, gold, "char_rec@1,2", collection=COPIES)
    # the first copy is not relevant; 13 of 30 relevant characters are in the second text
    assert result.scores["score"].to_list() == [0, 13 / 30]
    without = "without the texts that occur at several places"
    assert result.warnings == (
        "run: 1 text occurs at several places; the first was taken",
        f"run: char_rec@1 is 0.0000; 0.0000 {without}, 0.5667 if any of their places counts",
        f"run: char_rec@2 is 0.4333; 0.4333 {without}, 1.0000 if any of their places counts",
    )
    assert result.alignments["places"].to_list() == [3, 1]


def test_the_place_of_a_text_does_not_depend_on_the_assessments():
    run = [{"topic": "1", "text": "The gate is open."}]
    for gold in ([("1", "a", 18, 35)], [("1", "b", 0, 17)], [("1", "a", 0, 17)]):
        result = evaluate(run, gold, "char_prec", collection=COPIES)
        assert result.alignments.select("doc", "start").rows() == [("a", 0)]
    quoted = [{"topic": "1", "text": "The gate is open."}]
    assert evaluate(run, quoted, "char_rec", collection=COPIES).scores["score"].to_list() == [1]


def test_a_declared_document_or_offset_decides_between_places_without_bounds():
    gold = [("1", "a", 18, 35)]
    run = [{"topic": "1", "doc": "a", "text": "the gate is open", "start": 17, "end": 20}]
    result = evaluate(run, gold, "char_prec", collection=COPIES)
    assert result.scores["score"].to_list() == [1]
    assert result.warnings == (
        "run: 1 text differs from the document at its offsets; it was placed by its text",
    )


def test_other_measures_get_the_bounds_of_the_whole_recall():
    run = [{"topic": "1", "doc": "a", "text": "The gate is open."}]
    result = evaluate(run, [("1", "a", 18, 35)], "char_prec@1", collection=COPIES)
    assert result.warnings[-1] == (
        "run: char_rec is 0.0000; 0.0000 without the texts that occur at several places, "
        "1.0000 if any of their places counts"
    )


def test_texts_of_unknown_documents_are_searched_in_all():
    run = [{"topic": "1", "doc": "3f2a-uuid", "text": "nothing ELSE", "start": 4, "end": 9}]
    result = evaluate(run, [("1", "a", 36, 49)], "char_rec", collection=COPIES)
    assert result.scores["score"].to_list() == [12 / 13]
    assert result.alignments.select("doc", "start", "end", "how").rows() == [("a", 36, 48, "folded")]


def test_a_run_without_texts_has_an_empty_table_of_alignments():
    result = evaluate([("1", "a", 0, 5)], [("1", "a", 0, 5)], "char_rec", collection=COPIES)
    assert result.alignments.height == 0
    assert "identity" in result.alignments.columns


class TestDeclaredSubtasks:
    """A run that declares SCAS or another sub-task with structure is scored as that sub-task."""

    MEASURES = ("MAep", "MAiP")

    @pytest.fixture
    def evaluated(self, demo):
        def evaluated(task, **options):
            run = read_run(next(file for file in demo.runs if file.stem == "bm25-sections"))
            declared = replace(run, task="thorough", about={**run.about, "task": task})
            collection = options.pop("collection", demo.collection)
            return evaluate(
                declared, demo.assessments["qrels"], self.MEASURES, collection=collection, **options
            )

        return evaluated

    @pytest.mark.parametrize("task", ["SCAS", "SVCAS", "VSCAS", "CAS"])
    def test_strict_structure_is_applied_and_noted(self, demo, evaluated, task):
        strict = str(SUBTASKS[task])
        result = evaluated(task, topic_file=demo.topics)
        wanted = evaluated("Thorough", structure=strict, topic_file=demo.topics)
        assert result.scores.equals(wanted.scores)
        assert not result.scores.equals(evaluated("Thorough").scores)
        assert f"bm25-sections: it declares {task} and is scored so: {strict}" in result.warnings
        assert result.tasks == {"bm25-sections": task}

    def test_vague_structure_is_noted(self, demo, evaluated):
        result = evaluated("VCAS", topic_file=demo.topics)
        assert result.scores.equals(evaluated("Thorough").scores)
        assert "bm25-sections: it declares VCAS and is scored so: structure is only a hint" in result.warnings

    def test_without_queries_the_reason_is_given(self, evaluated):
        result = evaluated("SCAS")
        assert result.scores.equals(evaluated("Thorough").scores)
        assert any(
            "it declares SCAS, but is scored without structure: structure target=strict,support=strict "
            "needs the topics' queries" in warning
            for warning in result.warnings
        )

    def test_a_requested_structure_takes_precedence_and_is_noted(self, demo, evaluated):
        result = evaluated("SCAS", structure="target=strict", topic_file=demo.topics)
        assert result.scores.equals(
            evaluated("Thorough", structure="target=strict", topic_file=demo.topics).scores
        )
        assert any("but is scored with target=strict,support=vague" in text for text in result.warnings)
        assert not any(
            "it declares" in text
            for text in evaluated("SCAS", structure="SCAS", topic_file=demo.topics).warnings
        )

    def test_processes_give_the_same_scores(self, demo):
        run = read_run(next(file for file in demo.runs if file.stem == "bm25-sections"))
        runs = [
            replace(run, id=task, task="thorough", about={**run.about, "task": task})
            for task in ("SCAS", "Thorough", "VSCAS", "SCAS")
        ]
        options = {"collection": demo.collection, "topic_file": demo.topics}
        one, two = (
            evaluate(runs, demo.assessments["qrels"], "MAep", jobs=jobs, **options) for jobs in (1, 2)
        )
        assert one.scores.equals(two.scores)
        assert one.warnings == two.warnings
