"""The gate: planted losses fail, re-cut texts pass, changed inputs cannot be compared, chance is rare."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
import scipy

import doxel
from doxel.errors import InputError
from doxel.evaluation import Evaluation, evaluate
from doxel.evaluation.analysis.regression_gate import gate
from doxel.evaluation.evaluation_result import Rejection
from doxel.evaluation.saved_results import ScoredInputs
from doxel.topics import Topic, Topics

TOPICS = [f"q{number}" for number in range(40)]
TEXT = "".join(chr(97 + number % 26) for number in range(5000))
DOCUMENTS = {"a": TEXT, "b": TEXT[::-1]}
GOLD = [(topic, "a", 100 * place, 100 * place + 60 + place) for place, topic in enumerate(TOPICS)]
MEASURE = "char_rec@3"


def chunks(lost=lambda _place: 0):
    """Return a run: for each topic a chunk that misses ``lost`` more characters, then one elsewhere."""
    return [
        row
        for place, topic in enumerate(TOPICS)
        for row in (
            (topic, "a", 100 * place, 100 * place + 40 + place - lost(place)),
            (topic, "b", 0, 100),
        )
    ]


def score(run, gold=GOLD, collection=DOCUMENTS, measures=MEASURE, **options):
    return evaluate({"mine": run}, gold, measures, collection=collection, **options)


BASELINE = score(chunks())


def of_scores(values, *, run="mine", measure=MEASURE, topics=TOPICS):
    """Return an evaluation with these scores, as if it had been scored on the inputs of the baseline."""
    frame = pl.DataFrame({"run": run, "topic": topics[: len(values)], "measure": measure, "score": values})
    return Evaluation(frame.with_columns(pl.col("score").cast(pl.Float64)), inputs=BASELINE.inputs)


def test_the_same_run_passes():
    verdict = gate(score(chunks()), BASELINE)
    assert (verdict.status, verdict.exit_status, bool(verdict)) == ("pass", 0, True)
    assert verdict.checks[0].broken.height == 0
    assert verdict.checks[0].sentence == "the mean did not fall"


def test_a_planted_loss_of_a_twentieth_fails_and_names_the_topics():
    titles = Topics.of([Topic(topic, title=f"question {topic}") for topic in TOPICS])
    run = chunks(lambda place: round(0.05 * (40 + place)))
    verdict = gate(score(run, topic_file=titles), BASELINE)
    check = verdict.checks[0]
    assert (verdict.status, verdict.exit_status) == ("fail", 1)
    assert check.loss / check.baseline == pytest.approx(0.05, abs=0.005)
    assert check.broken.height == 40
    assert check.broken["loss"].to_list() == sorted(check.broken["loss"], reverse=True)
    assert f"question {check.broken['topic'][0]}" in str(verdict)


def test_the_topics_that_broke_have_the_text_that_the_assessments_have():
    gold = [
        {"topic": str(n), "question": f"Who is {n}?", "doc": "a", "start": 0, "end": 9} for n in range(1, 10)
    ]
    baseline = evaluate([(str(n), "a", 0, 9) for n in range(1, 10)], gold, "char_rec@5")
    verdict = gate(evaluate([(str(n), "a", 5, 9) for n in range(1, 10)], gold, "char_rec@5"), baseline)
    assert "Who is 1?" in str(verdict)


def test_topics_that_break_completely_fail_if_there_are_enough():
    scores = BASELINE.scores["score"].to_numpy()
    for broken, status in ((4, "pass"), (5, "fail")):
        verdict = gate(of_scores(np.where(np.arange(40) < broken, 0.0, scores)), BASELINE)
        assert verdict.status == status
        assert verdict.checks[0].broken["topic"].sort().to_list() == TOPICS[:broken]


def test_a_re_cut_of_the_same_texts_passes_at_the_same_budget():
    halves = [
        piece
        for topic, doc, start, end in chunks()
        for piece in ((topic, doc, start, start + 17), (topic, doc, start + 17, end))
    ]
    measure = "char_rec(chars=100)"
    verdict = gate(score(halves, measures=measure), score(chunks(), measures=measure))
    assert verdict.status == "pass"
    assert verdict.checks[0].loss == 0
    # at a rank, the same re-cut reads less text, which is a loss
    assert gate(score(halves, measures="char_rec@1"), score(chunks(), measures="char_rec@1")).status == "fail"


def test_a_mean_below_the_minimum_fails_without_any_drop():
    mean = BASELINE.means["score"][0]
    assert gate(BASELINE, BASELINE, minimum=mean).status == "pass"
    verdict = gate(BASELINE, BASELINE, minimum=mean + 0.01)
    assert verdict.failures == (f"{MEASURE}: the mean {mean:.4f} is below the minimum {mean + 0.01:g}",)


def test_a_drop_within_the_allowed_one_passes():
    now = of_scores(BASELINE.scores["score"] - 0.02)
    assert gate(now, BASELINE, max_drop=0.02).status == "pass"
    assert gate(now, BASELINE, max_drop=0.019).status == "fail"


def test_rounding_errors_are_no_loss():
    verdict = gate(of_scores(BASELINE.scores["score"] - 1e-15), BASELINE)
    assert verdict.status == "pass"
    assert verdict.checks[0].broken.height == 0


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        ({**DOCUMENTS, "a": TEXT[:-1] + "!"}, "the judged ones among them"),
        ({**DOCUMENTS, "b": "edited"}, "but not the judged ones"),
        ({**DOCUMENTS, "c": "new"}, r"\(2 documents before, 3 now\), but not the judged ones"),
    ],
)
def test_an_edited_corpus_cannot_be_compared(documents, words):
    verdict = gate(score(chunks(), collection=documents), BASELINE)
    assert (verdict.status, verdict.exit_status, verdict.checks) == ("cannot be compared", 2, ())
    (sentence,) = verdict.obstacles
    assert sentence.startswith("the documents are not those of the baseline")
    assert re.search(words, sentence)


def test_changed_assessments_cannot_be_compared_and_the_changes_are_listed():
    gold = [("new", "a", 0, 10), ("q1", "a", 0, 10), *GOLD[2:]]
    verdict = gate(score(chunks(), gold=gold), BASELINE)
    assert verdict.status == "cannot be compared"
    assert (
        "the assessments are not those of the baseline: 1 topic added (new), 1 topic removed (q0), "
        "1 topic changed (q1)" in verdict.obstacles[0]
    )
    assert "over the 38 topics whose assessments are the same, the mean of" in verdict.notes[0]


def test_the_order_of_assessments_and_documents_does_not_matter():
    documents = dict(reversed(DOCUMENTS.items()))
    assert gate(score(chunks(), gold=GOLD[::-1], collection=documents), BASELINE).status == "pass"


def test_a_collection_on_one_side_only_cannot_be_compared():
    without = score(chunks(), collection=None)
    assert gate(without, BASELINE).obstacles == ("the baseline was made with a collection; pass it with -c",)
    assert "made without a collection" in gate(BASELINE, without).obstacles[0]
    assert "changes of the documents are not noticed" in gate(without, without).notes[0]


def test_other_parameters_cannot_be_compared():
    verdict = gate(score(chunks(), topics="run"), BASELINE)
    assert verdict.obstacles == ("the runs were scored with other parameters: topics was assessed, is run",)
    tasks = replace(BASELINE, tasks={"mine": "thorough"})
    assert "the task of the run was thorough, is focused" in gate(BASELINE, tasks).obstacles[0]


def test_a_result_of_another_version_is_compared_with_a_note():
    old = replace(BASELINE, inputs=ScoredInputs(stored=BASELINE.inputs.fingerprints, version="0.9"))
    verdict = gate(BASELINE, old)
    assert verdict.status == "pass"
    assert verdict.notes[0].startswith(f"the baseline was made by doxel 0.9, this is {doxel.__version__}")


def test_a_result_without_fingerprints_cannot_be_compared():
    verdict = gate(BASELINE, replace(BASELINE, inputs=None))
    assert verdict.obstacles[0].startswith("the baseline has no fingerprints")


def test_a_measure_that_one_side_lacks_cannot_be_compared():
    other = score(chunks(), measures=[MEASURE, "char_prec@3"])
    assert gate(other, BASELINE).obstacles == (f"the baseline has no score by char_prec@3; it has {MEASURE}",)
    assert gate(other, BASELINE, MEASURE).status == "pass"
    rejected = replace(
        other, scores=BASELINE.scores, rejected=(Rejection("mine", "char_prec@3", "it overlaps"),)
    )
    assert gate(rejected, other).obstacles == ("the run has no score by char_prec@3: it overlaps",)


def test_topics_that_are_missing_on_one_side():
    scores = BASELINE.scores["score"].to_list()
    missing = gate(of_scores(scores[:38]), BASELINE)
    assert missing.obstacles == (f"{MEASURE}: 2 topics are missing from the run (q38, q39)",)
    added = gate(BASELINE, of_scores(scores[:38]))
    assert added.status == "pass"
    assert added.notes == ("2 topics are not in the baseline and not compared (q38, q39)",)


@pytest.mark.parametrize("gap", [float("nan"), float("inf")])
def test_undefined_and_infinite_scores(gap):
    scores = BASELINE.scores["score"].to_list()
    other = of_scores([gap, *scores[1:]])
    assert gate(other, BASELINE).obstacles == (
        f"{MEASURE}: 1 topic is undefined or infinite now, but not in the baseline (q0)",
    )
    assert gate(BASELINE, other).obstacles == (
        f"{MEASURE}: 1 topic is undefined or infinite in the baseline, but not now (q0)",
    )
    both = gate(other, other)
    assert both.status == "pass"
    assert both.checks[0].topics.height == 39
    assert both.notes == (f"{MEASURE}: 1 topic without a finite score is left out (q0)",)
    nothing = of_scores([gap])
    assert gate(nothing, nothing).obstacles == (f"{MEASURE}: no topic has a score in both run and baseline",)


def test_too_few_topics_to_show_a_loss_cannot_be_compared_unless_a_minimum_decides():
    before, now = of_scores([1.0] * 4), of_scores([0.0] * 4)
    verdict = gate(now, before)
    assert verdict.status == "cannot be compared"
    sentence = "only 4 topics changed, which cannot show a loss at 0.95 confidence; wanted at least 5 topics"
    assert sentence in verdict.obstacles[0]
    assert gate(before, before).status == "pass"
    assert gate(now, before, minimum=0.5).status == "fail"
    assert gate(of_scores([0.9] * 4), before, minimum=0.5).status == "pass"
    assert gate(now, before, level=0.9).status == "fail"


def test_a_collapse_of_few_topics_never_passes_in_silence():
    before, collapsed = of_scores([1.0] * 4 + [0.0]), of_scores([0.0] * 5)
    assert gate(collapsed, before).status == "cannot be compared"
    assert "the mean fell by 0.8000, but the scores of only 4 topics" in gate(collapsed, before).obstacles[0]
    few_of_many = of_scores([0.0] * 2 + [1.0] * 38)
    assert gate(few_of_many, of_scores([1.0] * 40)).status == "pass"  # may be chance


def test_lower_scores_are_better_for_some_measures():
    name = "read(recall=0.5)"
    before, more = (of_scores(values, measure=name) for values in ([100.0] * 10, [110.0] * 10))
    assert gate(more, before).failures == (
        f"{name}: the mean rose by 10.0000, at 0.95 confidence by at least 10.0000; allowed: 0",
    )
    assert gate(before, more).status == "pass"
    with pytest.raises(InputError, match="wanted a measure by which a higher score is better"):
        gate(before, before, minimum=5)


def test_the_level_may_be_any_number():
    assert gate(BASELINE, BASELINE, level=Fraction(19, 20)).checks[0].level == 0.95


def test_several_measures_share_the_level():
    names = [MEASURE, "char_prec@3"]
    before = score(chunks(), measures=names)
    assert [check.level for check in gate(before, before).checks] == [0.975, 0.975]
    # five of five topics suffice for one measure at 0.95, but not for one of two
    is_worse = pl.col("topic").is_in(TOPICS[:5]) & (pl.col("measure") == MEASURE)
    worse = replace(
        before, scores=before.scores.with_columns(score=pl.when(is_worse).then(0.0).otherwise("score"))
    )
    assert gate(worse, before, MEASURE).status == "fail"
    assert gate(worse, before).status == "pass"


def test_the_run_is_chosen_by_name_if_there_are_several():
    both = evaluate({"mine": chunks(), "other": chunks()[:10]}, GOLD, MEASURE, collection=DOCUMENTS)
    assert gate(BASELINE, both).baseline_run == "mine"
    assert gate(BASELINE, both, baseline_run="other").status == "pass"
    assert gate(both, BASELINE, run="other").status == "fail"
    with pytest.raises(InputError, match="wanted one run of mine, other, found 2 runs"):
        gate(both, BASELINE)
    with pytest.raises(InputError, match="found 'othr'; did you mean other"):
        gate(BASELINE, both, baseline_run="othr")
    with pytest.raises(InputError, match="or a run named x; --baseline-run chooses another"):
        gate(of_scores([1.0], run="x"), both)


@pytest.mark.parametrize(
    ("option", "words"),
    [({"level": 1}, "level"), ({"max_drop": -0.1}, "max_drop"), ({"minimum": float("nan")}, "minimum")],
)
def test_settings_out_of_range_are_errors(option, words):
    with pytest.raises(InputError, match=words):
        gate(BASELINE, BASELINE, **option)


@pytest.mark.integration
def test_gates_without_a_true_difference_fail_as_rarely_as_the_level_promises():
    random = np.random.default_rng(23)
    trials, failed = 200, 0
    for _ in range(trials):
        # two rankers that are equally good: found, partly found, or not found at all
        before, now = (random.choice([0.0, 0.3, 1.0], p=[0.2, 0.3, 0.5], size=40) for _ in range(2))
        failed += gate(of_scores(now), of_scores(before)).status == "fail"
    assert 0 < failed <= scipy.stats.binom.ppf(0.99, trials, 0.05)


def test_a_loss_that_passes_is_explained():
    verdict = gate(of_scores([0.0, *[1.0] * 39]), of_scores([1.0] * 40))
    assert verdict.status == "pass"
    assert (
        verdict.notes[-1]
        == f"{MEASURE}: the mean fell by 0.0250; at 0.95 confidence this may be chance; allowed: 0"
    )
    allowed = gate(of_scores([0.9] * 40), of_scores([1.0] * 40), max_drop=0.2)
    assert allowed.status == "pass"
    assert allowed.notes[-1].endswith("fell by 0.1000, at 0.95 confidence by at least 0.1000; allowed: 0.2")
