"""Constructions of the ideal recall base, on the bundled campaign."""

from __future__ import annotations

import pytest

from doxel.errors import InputError
from doxel.studies import study_ideal_base
from studies.toy_runs import GOLD, RUNS


def test_the_ideal_base_study_needs_measures_over_an_ideal_base():
    with pytest.raises(InputError, match=r"such as nxCG@10 or MAep, found char_rec@1"):
        study_ideal_base(RUNS, GOLD, "char_rec@1")


def test_the_tie_rule_doubles_the_ideal_base_and_no_run_changes_rank(ask):
    study = ask("ideal-base")
    bases = {row["base"]: row for row in study.bases.iter_rows(named=True)}
    assert len(bases) == 8
    # leaves are leaves, whatever the rule for ties
    assert bases["leaves, ancestor"] == {**bases["leaves, descendant"], "base": "leaves, ancestor"}
    # an element with the same text as its parent is as specific: deeper ties mean more and smaller elements
    for construction in ("path", "greedy"):
        above, below = (bases[f"{construction}, {tie}"] for tie in ("ancestor", "descendant"))
        assert below["elements"] > above["elements"]
        assert below["characters"] < above["characters"]
    # best-sum has the greatest sum of gains of all sets that do not overlap
    sums = {name: row["elements"] * row["gain"] for name, row in bases.items()}
    assert max(sums.values()) == pytest.approx(sums["best-sum, ancestor"])
    # the finding: the tie rule doubles the base, and no run changes rank
    agreed = study.agreement.filter(base="path, descendant")
    assert agreed["tau"].to_list() == [1.0, 1.0]
    assert agreed["moved"].to_list() == [0, 0]
    assert bases["path, descendant"]["elements"] > 1.5 * bases["path, ancestor"]["elements"]
    assert (study.agreement["tau"] > 0.8).all()
    official = study.scores.filter(base="path, ancestor")
    assert official["change"].unique().to_list() == [0]
    assert official["p"].unique().to_list() == [1.0]
