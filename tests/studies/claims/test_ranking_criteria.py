"""Criteria about rankings, on runs small enough to work out by hand."""

from __future__ import annotations

import pytest

from doxel.errors import InputError
from doxel.evaluation.inputs.input_tables import as_assessments, as_runs
from doxel.studies.claims.claim_data import ClaimData
from doxel.studies.claims.ranking_criteria import (
    compare_all_rankings,
    compare_rankings,
    compare_settings,
    require_agreement,
    require_tau,
)
from studies.toy_runs import GOLD, RUNS, TOPICS, run

SCALES = ("2006",)


def make_data(runs, gold=GOLD):
    return ClaimData(tuple(as_runs(runs)), {"2006": as_assessments(gold)}, None, {}, resamples=100)


def test_rankings_are_compared_by_tau():
    # char_rec is .5 1 1 and char_prec 1 1 .5: one discordant pair, and each ranking has one tie of three
    # pairs, so tau-b is -1/2
    criterion = compare_rankings({"": ("char_rec@1", "char_prec@1")}, at_least=-0.5, scales=SCALES)
    evidence = criterion.decide(make_data(RUNS))
    assert evidence.figures["tau"] == pytest.approx(-1 / 2)
    assert evidence.holds
    strict = compare_rankings({"": ("char_rec@1", "char_prec@1")}, at_least=-0.4, scales=SCALES)
    assert not strict.decide(make_data(RUNS)).holds
    assert "half is at rank 3 and 1" in evidence.analysis


def test_the_lowest_tau_of_several_pairs_decides():
    pairs = {"same": ("char_rec@1", "char_rec@2"), "other": ("char_rec@1", "char_prec@1")}
    evidence = compare_rankings(pairs, at_least=0.9, scales=SCALES).decide(make_data(RUNS))
    assert evidence.figures["tau same"] == pytest.approx(1)
    assert evidence.figures["tau other"] == pytest.approx(-1 / 2)
    assert not evidence.holds


def test_more_than_half_of_the_pairs_must_agree():
    # char_rec@1 and @2 agree; char_prec agrees with neither: one pair of three
    measures = ["char_rec@1", "char_rec@2", "char_prec@1"]
    evidence = compare_all_rankings(measures, at_least=0.8, scales=SCALES).decide(make_data(RUNS))
    assert (evidence.figures["pairs"], evidence.figures["alike"]) == (3, 1)
    assert not evidence.holds
    four = [*measures[:2], "char_rec@3", "char_prec@1"]  # three pairs of six: not more than half
    assert not compare_all_rankings(four, at_least=0.8, scales=SCALES).decide(make_data(RUNS)).holds


TWICE = {
    "once": run(*[10] * 6),
    "again": [(topic, "a", 0, 10) for topic in TOPICS for _ in range(2)],
    "half": run(*[20] * 6),
}


def test_two_settings_are_compared_by_tau():
    # once, again, half: char_prec@2 is 1 1 .5 and, with repeats charged, 1 .5 .5: of three pairs, one is
    # concordant and each ranking has one tie, so tau-b is 1/2
    criterion = require_agreement("char_prec@2", "", "repeats=charged", 0.5, scales=SCALES)
    evidence = criterion.decide(make_data(TWICE))
    assert evidence.figures["tau"] == pytest.approx(1 / 2)
    assert evidence.holds
    assert (
        not require_agreement("char_prec@2", "", "repeats=charged", 0.6, scales=SCALES)
        .decide(make_data(TWICE))
        .holds
    )


def test_decisions_need_enough_topics():
    # three pairs of runs: 2^(1-n) * 3 < .05 needs n = 7 topics, and there are 6
    criterion = require_agreement("char_prec@2", "", "repeats=charged", 0.5, scales=SCALES, tests=True)
    with pytest.raises(InputError, match="at least 7 topics for 3 pairs of runs, found 6 topics"):
        criterion.decide(make_data(TWICE))


def test_decisions_are_compared_pair_by_pair():
    topics = [str(number) for number in range(1, 11)]
    gold = [(topic, "a", 0, 10) for topic in topics]
    runs = {
        "once": [(topic, "a", 0, 10) for topic in topics],
        "again": [(topic, "a", 0, 10) for topic in topics for _ in range(2)],
        "half": [(topic, "a", 0, 20) for topic in topics],
    }
    criterion = require_agreement("char_prec@2", "", "repeats=charged", 0.5, scales=SCALES, tests=True)
    evidence = criterion.decide(make_data(runs, gold))
    # as it is: half differs from both others; charged: once differs from both others; they agree on one pair
    assert evidence.figures["significant under A"] == 2
    assert evidence.figures["significant under B"] == 2
    assert evidence.figures["same decisions"] == pytest.approx(1 / 3)
    assert not evidence.holds


def test_further_needs_are_checked_first():
    def refuse(data):
        raise InputError("links", wanted="some", found=str(len(data.runs)))

    criterion = compare_settings(
        "char_prec@2", "", "repeats=charged", bool, "any", scales=SCALES, require=refuse
    )
    with pytest.raises(InputError, match="links: wanted some, found 3"):
        criterion.decide(make_data(TWICE))


def test_tau_of_equal_runs_cannot_be_asked():
    assert require_tau(0.25) == 0.25
    with pytest.raises(InputError, match="wanted runs with different scores"):
        require_tau(float("nan"))
    same = {name: run(*[10] * 6) for name in "abc"}
    with pytest.raises(InputError, match="runs with equal scores"):
        compare_rankings({"": ("char_rec@1", "char_prec@1")}, at_least=0, scales=SCALES).decide(
            make_data(same)
        )
