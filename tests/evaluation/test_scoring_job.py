"""A scoring job: texts at several places, and the structure that a run declares."""

from dataclasses import replace

import pytest

from doxel.errors import DoxelWarning, UnscoredRunError
from doxel.evaluation import evaluate
from doxel.runs import read_run
from doxel.topics.query_structure import SUBTASKS

# ---- texts at several places

COPIES = {"a": "The gate is open. The gate is open. Nothing else.", "b": "The gate is open."}


def test_texts_at_several_places_come_with_the_bounds_of_recall():
    run = [{"topic": "1", "text": "The gate is open."}, {"topic": "1", "text": "Nothing else."}]
    gold = [("1", "a", 36, 49), ("1", "b", 0, 17)]
    result = evaluate(run, gold, "char_rec@1,2", collection=COPIES)
    # the first copy is not relevant; 13 of 30 relevant characters are in the second text
    assert result.scores["score"].to_list() == [0, 13 / 30]
    assert result.warnings == (
        "run: 1 text occurs at several places; the first was taken",
        (
            "run: char_rec@1 may be anything from 0.0000 to 0.5667 (scored as 0.0000), "
            "char_rec@2 may be anything from 0.4333 to 1.0000 (scored as 0.4333), "
            "because 1 text occurs at several places: add start and end to settle it"
        ),
    )
    assert [warning.code for warning in result.warnings] == ["R106", "S118"]
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
        "run: char_rec may be anything from 0.0000 to 1.0000 (scored as 0.0000), "
        "because 1 text occurs at several places: add start and end to settle it"
    )


def test_bounds_that_are_the_score_are_not_reported():
    run = [
        {"topic": topic, "text": text}
        for topic, text in (("1", "The gate is open."), ("1", "Nothing else."), ("2", "The gate is open."))
    ]
    result = evaluate(run, [("1", "a", 36, 49)], "char_rec", collection=COPIES)
    assert result.warnings[0] == "run: 1 topic was never assessed; its 1 result is ignored"
    assert "S118" not in {warning.code for warning in result.warnings}


def test_bounds_are_a_guess_unless_the_first_places_are_accepted():
    run, gold = [{"topic": "1", "text": "The gate is open."}], [("1", "a", 18, 35)]
    with pytest.warns(DoxelWarning, match="may be anything from 0.0000 to 1.0000"):
        evaluate(run, gold, "char_rec", collection=COPIES)
    for silence, code in (((), "R106"), (("S118",), "R106")):
        with pytest.raises(UnscoredRunError) as caught:
            evaluate(run, gold, "char_rec", collection=COPIES, no_guessing=True, silence=silence)
        assert caught.value.code == code
    result = evaluate(run, gold, "char_rec", collection=COPIES, no_guessing=True, silence="R106")
    assert [(warning.code, warning.effect) for warning in result.warnings] == [("S118", "none")]


def test_texts_of_topics_that_were_not_assessed_are_not_counted_in_the_bounds():
    run = [{"topic": topic, "text": "The gate is open."} for topic in ("1", "2")]
    result = evaluate(run, [("1", "a", 18, 35)], "char_rec", collection=COPIES)
    assert "because 1 text occurs" in result.warnings[-1]


def test_texts_of_unknown_documents_are_searched_in_all():
    run = [{"topic": "1", "doc": "3f2a-uuid", "text": "nothing ELSE", "start": 4, "end": 9}]
    result = evaluate(run, [("1", "a", 36, 49)], "char_rec", collection=COPIES)
    assert result.scores["score"].to_list() == [12 / 13]
    assert result.alignments.select("doc", "start", "end", "how").rows() == [("a", 36, 48, "folded")]


def test_a_run_without_texts_has_an_empty_table_of_alignments():
    result = evaluate([("1", "a", 0, 5)], [("1", "a", 0, 5)], "char_rec", collection=COPIES)
    assert result.alignments.height == 0
    assert "identity" in result.alignments.columns


# ---- runs that are refused


def test_a_refused_run_raises_an_error_unless_errors_are_skipped():
    runs = {"other ids": [("1", "x", 0, 10)], "mine": [("1", "a", 0, 10)]}
    with pytest.raises(UnscoredRunError, match="other ids"):
        evaluate(runs, [("1", "a", 0, 10)], "char_rec")
    result = evaluate(runs, [("1", "a", 0, 10)], "char_rec", on_error="skip")
    assert result.means["run"].to_list() == ["mine"]
    assert [rejection.run for rejection in result.rejected] == ["other ids"]


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
        assert f"bm25-sections: it declares {task} and is scored as such: {strict}" in result.warnings
        assert result.tasks == {"bm25-sections": task}

    def test_vague_structure_is_noted(self, demo, evaluated):
        result = evaluated("VCAS", topic_file=demo.topics)
        assert result.scores.equals(evaluated("Thorough").scores)
        assert (
            "bm25-sections: it declares VCAS and is scored as such: structure is only a hint"
            in result.warnings
        )

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

    @pytest.mark.integration
    def test_processes_give_the_same_scores(self, demo):
        run = read_run(next(file for file in demo.runs if file.stem == "bm25-sections"))
        runs = [
            replace(run, id=task, task="thorough", about={**run.about, "task": task})
            for task in ("SCAS", "Thorough", "VSCAS", "SCAS")
        ]
        options = {"collection": demo.collection, "topic_file": demo.topics}
        in_process, in_workers = (
            evaluate(runs, demo.assessments["qrels"], "MAep", jobs=jobs, **options) for jobs in (1, 2)
        )
        assert in_process.scores.equals(in_workers.scores)
        assert in_process.warnings == in_workers.warnings
