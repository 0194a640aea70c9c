"""Explanations of scores: rows, ideal ranking, sums, formats, and errors."""

import json
import math
import pickle
from dataclasses import replace
from random import Random

import polars as pl
import pytest

from doxel import evaluate
from doxel.errors import InputError, MeasureError
from doxel.evaluation.score_explanation import format_quantity, render_explanations
from doxel.measures import MEASURES
from measures.instances import NEEDED, at_its_cutoffs
from measures.worked import with_text
from oracle import random_case, tree_a
from oracle.bridge import build

GOLD = [("1", "report", 100, 200), ("2", "other", 0, 10)]
RUN = [("1", "report", 50, 150), ("1", "report", 100, 200), ("1", "report", 300, 400)]


@pytest.fixture(scope="module")
def chunks():
    return evaluate({"mine": RUN, "yours": RUN[1:]}, GOLD, ["char_prec@2", "MAiP(task=thorough)"])


def test_the_sum_gives_the_score(chunks):
    # (exact) section 12: char_prec@2 = 2/3
    explanation = chunks.explain("mine", "1", "char_prec@2")
    assert explanation.sum == "(50 + 50) / 150 = 0.6667"
    assert explanation.formula == "char_prec@2 = sum of new relevant / |C|"
    assert explanation.divisor == 150
    assert explanation.frame["term"].to_list() == [50, 50]
    assert explanation.frame["contribution"].sum() == pytest.approx(2 / 3, abs=1e-15)


def test_the_rows_are_the_results_up_to_the_cutoff(chunks):
    frame = chunks.explain("mine", "1", "char_prec@2").frame
    columns = ["rank", "doc", "path", "start", "end", "size", "relevant", "overlap(i)", "new", "new rsize"]
    assert frame.select(columns).rows() == [
        (1, "report", None, 50, 150, 100, 50, 0.0, 100.0, 50.0),
        (2, "report", None, 100, 200, 100, 100, 0.5, 50.0, 50.0),
    ]
    assert chunks.explain("mine", "1", "char_prec").frame.height == 3


def test_a_measure_that_is_no_plain_sum_says_what_it_is_made_of(chunks):
    explanation = chunks.explain("mine", "1", "MAiP(task=thorough)")
    assert explanation.notes[0].startswith("It is a mean of interpolated values: each of 101 recall points")
    assert explanation.frame["term"].sum() / 101 == pytest.approx(explanation.score, rel=1e-12)


def test_any_measure_can_be_explained_and_other_runs_too(chunks):
    assert chunks.explain("yours", "1", "char_rec").sum == "100 / 100 = 1"
    assert chunks.explain("yours", "1", "nxCG@1").frame.select(
        "ideal_doc", "ideal_start", "ideal_gain"
    ).rows() == [("report", 100, 1.0)]


def test_a_topic_without_results_has_no_rows(chunks):
    explanation = chunks.explain("mine", "2", "char_rec")
    assert explanation.score == 0
    assert explanation.frame.height == 0
    assert explanation.sum == "0 / 10 = 0"
    assert explanation.notes == ["The run has no results for this topic."]


def test_an_infinite_score_counts_past_the_end_of_the_run(chunks):
    explanation = chunks.explain("mine", "2", "read")
    assert explanation.sum == "infinity"
    assert explanation.frame.select("rank", "doc", "term").rows() == [(1, None, math.inf)]


def test_an_undefined_score_is_explained_as_such():
    result = evaluate([("1", "a", 0, 5)], [("1", "a", 0, 0)], "char_rec")
    explanation = result.explain("run", "1", "char_rec")
    assert explanation.sum == "undefined: there is nothing to find"
    assert repr(explanation) == "<ScoreExplanation: run, topic 1: char_rec = undefined>"


def test_long_sums_are_abbreviated():
    run = [("1", "a", 10 * place, 10 * place + 10) for place in range(20)]
    explanation = evaluate(run, [("1", "a", 0, 200)], "char_rec").explain("run", "1", "char_rec")
    assert explanation.sum == "(10 + 10 + 10 + 10 + 10 + 10 + ... + 10) / 200 = 1"
    assert explanation.count_terms() == "20 terms"
    assert explanation.describe_rest(15) == "5 more ranks; together they contribute 0.25"
    assert explanation.describe_rest(None) == explanation.describe_rest(20) == ""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return build([with_text(tree_a("p4 S2 p1"))], tmp_path_factory.mktemp("tree"))


def test_gains_of_tree_a_are_explained_with_room_and_ideal(tree):
    # (exact) section 5: Focused, alpha 1, run p4 S2 p1: gains 1/2 1/4 1, ideal p1 1, S2 3/4, nxCG 1/2 3/7 1
    result = evaluate(tree.run, tree.assessments, "nxCG(task=focused)@3", collection=tree.collection)
    explanation = result.explain("run", "t0", "nxCG(task=focused)@3")
    frame = explanation.frame
    assert frame["q"].to_list() == [0.5, 0.75, 1]
    assert frame["overlap(i)"].to_list() == [0, 0.5, 0]
    assert frame["xG"].to_list() == [0.5, 0.5, 1]
    assert frame["room"].to_list() == [0.75, 0.25, 1]
    assert frame["gain"].to_list() == [0.5, 0.25, 1]
    assert frame["xCG"].to_list() == [0.5, 0.75, 1.75]
    assert frame["xCI"].to_list() == [1, 1.75, 1.75]
    assert frame["nxCG"].to_list() == pytest.approx([1 / 2, 3 / 7, 1])
    assert frame["ideal_gain"].to_list() == [1, 0.75, None]
    assert frame["ideal_path"].to_list() == [frame["path"][2], frame["path"][1], None]
    assert explanation.sum == "(0.5 + 0.25 + 1) / 1.75 = 1"


EXPLAINED = {
    measure.declaration.name: at_its_cutoffs(measure(**NEEDED.get(measure.declaration.name, {})))[-1]
    for measure in MEASURES
}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """Random cases, scored by all measures."""
    random = Random(11)
    cases = [random_case(random, scale="2005", documents=4, chunks=True) for _ in range(3)]
    bridge = build(cases, tmp_path_factory.mktemp("random"))
    return evaluate(
        bridge.run,
        bridge.assessments,
        list(EXPLAINED.values()),
        collection=bridge.collection,
        chunks=bridge.chunks,
        on_invalid="repair",
    )


@pytest.mark.parametrize("name", EXPLAINED)
def test_every_measure_is_explained_to_the_last_digit(evaluated, name):
    measure = EXPLAINED[name]
    scores = evaluated.scores.filter(measure=measure.name)
    assert scores.height == 3
    for topic, score in scores.select("topic", "score").iter_rows():
        explanation = evaluated.explain("run", topic, measure)
        assert explanation.score == score or math.isnan(score)
        total = explanation.frame["term"].cum_sum().tail(1).sum()
        if not math.isnan(score):
            assert total / (explanation.divisor or 1) == pytest.approx(score, rel=1e-12, abs=1e-12)
        json.dumps(explanation.to_dict(), allow_nan=False)
        assert explanation.to_html().count("<tr>") == explanation.frame.height + 1


def test_wrong_names_are_errors_with_suggestions(chunks):
    with pytest.raises(
        InputError, match="a run to explain: wanted one of mine, yours, found 'mime'; did you mean mine"
    ):
        chunks.explain("mime", "1", "char_rec")
    with pytest.raises(
        InputError, match="a topic to explain: wanted an assessed topic such as 1, 2, found '7'"
    ):
        chunks.explain("mine", "7", "char_rec")
    with pytest.raises(MeasureError, match="there is no measure 'char_reck'; did you mean char_rec"):
        chunks.explain("mine", "1", "char_reck")
    with pytest.raises(MeasureError, match="wanted one measure, found 2"):
        chunks.explain("mine", "1", "char_rec@1,2")


def test_a_run_that_the_measure_rejects_is_not_explained(chunks):
    with pytest.raises(InputError, match=r"MAiP does not accept the run mine: .* found results overlap"):
        chunks.explain("mine", "1", "MAiP")


def test_a_result_without_inputs_says_so(chunks):
    with pytest.raises(InputError, match="an explanation needs the runs and assessments"):
        pickle.loads(pickle.dumps(chunks)).explain("mine", "1", "char_rec")  # noqa: S301


def test_inputs_that_can_be_read_once_are_kept():
    result = evaluate(
        iter([pl.DataFrame(RUN, orient="row", schema=["topic", "doc", "start", "end"])]),
        iter(GOLD),
        "char_rec",
    )
    assert result.explain("run1", "1", "char_rec").score == 1


def test_files_are_read_again_only_when_asked(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"topic": "1", "doc": "report", "start": 0, "end": 200}\n', "utf-8")
    result = evaluate(str(file), GOLD, "char_rec")
    assert result.explain("a", "1", "char_rec").score == 1
    other = evaluate(str(file), GOLD, "char_rec")
    file.unlink()
    with pytest.raises(InputError, match=r"a\.jsonl"):
        other.explain("a", "1", "char_rec")


def test_runs_are_listed_once_for_all_explanations(chunks):
    explainer, calls = chunks.explainer, []
    listing = replace(explainer, list_sources=lambda job: calls.append(job) or explainer.list_sources(job))
    for run in listing.names:
        listing.explain(run, listing.topics[0], "char_rec")
        listing.find_file(run)
    assert len(calls) == 1


def test_html_escapes_names():
    result = evaluate({"<b>": [("1", "<i>", 0, 5)]}, [("1", "<i>", 0, 5)], "char_rec")
    page = render_explanations([result.explain("<b>", "1", "char_rec")])
    assert "&lt;b&gt;" in page
    assert "<td>&lt;i&gt;</td>" in page
    assert "<i>" not in page
    assert "<dt>|G|</dt><dd>the relevant text</dd>" in page
    assert result.explain("<b>", "1", "char_rec")._repr_html_().startswith("<div")


def test_small_numbers_keep_their_digits():
    assert format_quantity(0.00001234) == "1.234e-05"
