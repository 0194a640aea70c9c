"""The agreement of measures: worked out by hand, and on the bundled campaign."""

from __future__ import annotations

import pytest

from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.studies import find_study, study_agreement
from studies.toy_runs import GOLD, RUNS


def test_agreement_equals_that_worked_out_by_hand():
    # recall: half .5 < whole 1 = twice 1; precision: twice .5 < half 1 = whole 1
    study = study_agreement(RUNS, GOLD, ["char_rec@1", "char_prec@1"])
    first = study.pairs.row(0, named=True)
    assert (first["ranking"], first["other"], first["runs"]) == ("char_rec@1", "char_prec@1", 3)
    # of three pairs one is opposite (half, twice), the others tied in one list: -1 / sqrt(2 * 2)
    assert first["tau"] == pytest.approx(-1 / 2)
    # all topics are alike, so every resample gives the same
    assert (first["low"], first["high"]) == pytest.approx((-1 / 2, -1 / 2))
    ranks = dict(study.rankings.filter(ranking="char_rec@1").select("run", "rank").iter_rows())
    assert ranks == {"half": 3, "whole": 1, "twice": 1}
    assert "half > whole" not in str(study.panels[1].table["runs"][0])
    assert study.panels[1].table["runs"][0] == "whole = twice > half"


def test_settings_are_compared_as_rankings():
    study = study_agreement(RUNS, GOLD, "char_prec@1", settings=["", "once more: limit=1"])
    assert study.pairs["tau"].to_list() == [1.0, 1.0]
    assert study.pairs["other"][0] == "char_prec@1 [once more]"


def test_agreement_needs_two_rankings():
    with pytest.raises(InputError, match="at least two measures or settings"):
        study_agreement(RUNS, GOLD, "char_rec@1")


NXCG, MAEP = 'nxCG(task="focused")@10', 'MAep(task="thorough")'


def test_character_recall_disagrees_with_precision_measures(ask, demo, demo_runs):
    study = ask("agreement", resamples=300)
    taus = {(row["ranking"], row["other"]): row for row in study.pairs.iter_rows(named=True)}
    assert len(taus) == 8 * 7
    assert taus["SRP@10", NXCG]["tau"] == taus[NXCG, "SRP@10"]["tau"]
    for row in taus.values():
        assert -1 <= row["low"] <= row["high"] <= 1
    # recall by characters prefers whole articles, which all precision-like measures put last
    places = study.rankings.filter(run="bm25-articles")
    by_measure = dict(places.select("ranking", "rank").iter_rows())
    assert by_measure["char_rec@10"] == 1
    assert [by_measure[name] for name in (NXCG, MAEP, "inex_eval", "SRP@10")] == [9] * 4
    assert all(row["tau"] < 0 for (measure, _), row in taus.items() if measure == "char_rec@10")
    # the same tau as that of the evaluation itself
    means = evaluate(
        [demo_runs[run] for run in find_study("agreement").demo_runs],
        demo.assessments["qrels"],
        ["SRP@10", NXCG],
        collection=demo.collection,
    ).agreement()
    assert taus["SRP@10", NXCG]["tau"] == means["tau"][0]
    assert taus["SRP@10", NXCG]["tau_ap"] == means["tau_ap"][0]
