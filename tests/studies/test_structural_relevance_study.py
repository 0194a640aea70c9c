"""Structural relevance: worked out by hand, and on the bundled campaign."""

from __future__ import annotations

import polars as pl
import pytest

from doxel.errors import InputError
from doxel.studies import study_structural_relevance
from studies.toy_runs import GOLD, RUNS, TOPICS

NXCG, MAEP = 'nxCG(task="focused")@10', 'MAep(task="thorough")'


def test_structural_relevance_equals_numbers_worked_out_by_hand():
    # at rank 1: half .5 and 1, whole 1 and 1, twice 1 and .5
    study = study_structural_relevance(RUNS, GOLD, ["char_rec@1", "char_prec@1"])
    assert study.runs.select("run", "one", "other", "rank_one", "rank_other").rows() == [
        ("half", 0.5, 1.0, 3, 1),
        ("whole", 1.0, 1.0, 1, 1),
        ("twice", 1.0, 0.5, 1, 3),
    ]
    assert study.tau == pytest.approx(-1 / 2)
    assert study.topics["tau"].to_list() == pytest.approx([-1 / 2] * 6)
    assert study.topic == "1"
    assert study.ranks.height == 6


def test_the_second_measure_is_the_reference_of_tau_ap():
    spans = {"a": (0, 10), "b": (1, 91), "c": (2, 12), "d": (5, 15)}
    runs = {name: [(topic, "a", *span) for topic in TOPICS] for name, span in spans.items()}
    study = study_structural_relevance(runs, GOLD, ["char_rec@1", "char_prec@1"])
    # recall orders a b c d; of those above, precision (1, .1, .8, .5) agrees on 1 of 1, 1 of 2, 2 of 3
    assert study.tau_ap == pytest.approx(2 * (1 + 1 / 2 + 2 / 3) / 3 - 1)


@pytest.mark.parametrize("measures", ["char_rec@1", ["char_rec@1", "MAiP"], ["char_rec@1"] * 2])
def test_structural_relevance_needs_two_measures_with_a_cutoff(measures):
    with pytest.raises(InputError, match="two measures with a cutoff"):
        study_structural_relevance(RUNS, GOLD, measures)


def test_structural_relevance_never_exceeds_thorough_nxcg(ask):
    study = ask("structural-relevance")
    # SRP divides by the cutoff and takes isolation away; Thorough nxCG divides by at most the cutoff, as no
    # gain exceeds 1: it is never below
    assert (study.scores["one"] <= study.scores["other"] + 1e-12).all()
    assert study.tau > 0.9
    assert study.topics.height == 13  # topic 14 has nothing to find
    # runs without overlap lose nothing by isolation: SRP@10 is the mean of gains, nxCG that over the ideal's
    bare = study.runs.filter(pl.col("overlap") == 0)["run"].to_list()
    assert {"bm25-focused", "lm-focused", "windows-disjoint"} <= set(bare)
    assert study.ranks["rank"].max() == 10


def test_overlap_off_never_lowers_a_score(ask):
    # Thorough ignores overlap (measures.md, section 5), and SRP has no such parameter
    study = ask("settings")
    rows = study.runs.filter(measure=MAEP)
    assert rows["a"].to_list() == rows["b"].to_list()
    assert study.untouched == ("SRP@10",)
    # with overlap off nothing is taken away, so no score falls (004, section 3.3)
    nxcg = study.runs.filter(measure=NXCG)
    assert (nxcg["b"] >= nxcg["a"] - 1e-12).all()
    lost = nxcg.sort("difference", descending=True)["run"][0]
    assert lost == "bm25-elements"  # the run with most overlap gains most
