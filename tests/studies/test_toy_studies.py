"""The arithmetic of studies, on data small enough to work out by hand."""

from __future__ import annotations

import math

import pytest

from doxel.errors import InputError
from doxel.studies import (
    study_agreement,
    study_ideal_base,
    study_power,
    study_settings,
    study_structural_relevance,
)

# one document of 100 characters; in each topic [0, 10) is relevant
TOPICS = [str(number) for number in range(1, 7)]
GOLD = [(topic, "a", 0, 10) for topic in TOPICS]


def run(*ends):
    """One result per topic: the first characters up to an end."""
    return [(topic, "a", 0, end) for topic, end in zip(TOPICS, ends, strict=True)]


# char_rec@1 = min(end, 10)/10, char_prec@1 = min(end, 10)/end
RUNS = {"half": run(*[5] * 6), "whole": run(*[10] * 6), "twice": run(*[20] * 6)}


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


def test_the_settings_study_equals_numbers_worked_out_by_hand():
    # the same result twice: once counted it is read once, charged it is read twice
    runs = {"once": run(*[10] * 6), "again": [*run(*[10] * 6), *run(*[10] * 6)]}
    study = study_settings(runs, GOLD, ["char_prec@2", "char_rec@2"], b="repeats=charged")
    rows = {row["run"]: row for row in study.runs.filter(measure="char_prec@2").iter_rows(named=True)}
    assert (rows["once"]["a"], rows["once"]["b"], rows["once"]["p"]) == (1, 1, 1)
    # six topics, all down by a half: of 64 patterns of signs two are as extreme
    assert (rows["again"]["b"], rows["again"]["difference"], rows["again"]["p"]) == (0.5, -0.5, 2 / 64)
    assert rows["again"]["p_adjusted"] == 4 / 64  # Holm over two runs
    assert (rows["again"]["rank_a"], rows["again"]["rank_b"]) == (1, 2)
    # under A the two tie, so that tau is undefined; under B one pair differs significantly, p 2/64 < .05
    (details,) = study.conclusions.filter(measure="char_prec@2").iter_rows(named=True)
    assert details == {
        "measure": "char_prec@2",
        "pairs": 1,
        "both": 0,
        "only_a": 0,
        "only_b": 1,
        "opposite": 0,
        "neither": 0,
    }
    assert math.isnan(study.agreement.filter(measure="char_prec@2")["tau"].item())


def test_opposite_conclusions_are_counted():
    # the good result comes first in one run, and second in the other, where little is read besides
    early = [row for topic in TOPICS for row in ((topic, "a", 0, 10), (topic, "a", 50, 90))]
    late = [row for topic in TOPICS for row in ((topic, "a", 50, 52), (topic, "a", 0, 10))]
    study = study_settings({"early": early, "late": late}, GOLD, "char_prec", a="limit=1", b="limit=2")
    # early 1 and 10/50, late 0 and 10/12: significant under both, in opposite directions
    assert study.runs["a"].to_list() == [1.0, 0.0]
    assert study.runs["b"].to_list() == pytest.approx([0.2, 10 / 12])
    assert study.conclusions.select("both", "opposite").row(0) == (1, 1)
    assert study.agreement["tau"].item() == -1
    assert "1 in opposite directions" in study.findings[0]


def test_measures_that_settings_do_not_change_are_listed():
    study = study_settings(RUNS, GOLD, ["char_prec@2", "iP(task=thorough)@0"], b="repeats=charged")
    assert study.untouched == ('iP(task="thorough")@0',)
    assert study.agreement["measure"].to_list() == ["char_prec@2"]


def test_equal_settings_raise_an_error():
    with pytest.raises(InputError, match="A and B that differ"):
        study_settings(RUNS, GOLD, "char_rec@1", a="limit=5", b="limit=5")
    with pytest.raises(InputError, match="wanted A and B that change at least one measure"):
        study_settings(RUNS, GOLD, "char_rec@1", a="limit=5", b="limit=5.0")


def test_too_few_topics_are_reported():
    runs = {name: rows[:4] for name, rows in RUNS.items()}
    study = study_settings(runs, GOLD[:4], "char_prec@1", b="limit=2")
    assert study.findings[-1] == "With only 4 topics, no difference can be significant."


def test_power_equals_that_worked_out_by_hand():
    study = study_power(RUNS, GOLD, ["char_rec@1", "char_prec@1"])
    recall, precision = study.power.iter_rows(named=True)
    # recall distinguishes half from the two others (p 2/64), but not these from each other (p 1)
    assert (recall["pairs"], recall["apart"], recall["share"]) == (3, 2, pytest.approx(2 / 3))
    assert recall["needed"] == 0.5
    assert (precision["apart"], precision["needed"]) == (2, 0.5)
    pairs = study.pairs.filter(measure="char_rec@1")
    assert pairs["p"].to_list() == [1.0, 2 / 64, 2 / 64]
    assert pairs["place"].to_list() == [1, 2, 3]
    assert pairs.row(0, named=True)["run"] == "whole"
    # all topics are alike, so no pair ever swaps
    assert study.stability["size"].unique().sort().to_list() == [1, 2, 3]
    assert study.stability["swaps"].max() == 0


def test_needed_is_the_smallest_significant_difference():
    study = study_power({**RUNS, "tenth": run(*[1] * 6)}, GOLD, "char_rec@1")
    # .1, .5, 1 and 1: significant differences are .4, .5 and .9
    assert study.power.select("apart", "needed").row(0) == (5, pytest.approx(0.4))


def test_swaps_equal_those_worked_out_by_hand():
    # two topics that prefer different runs: both samples of one topic always disagree
    runs = {"first": [("1", "a", 0, 10), ("2", "a", 0, 5)], "second": [("1", "a", 0, 5), ("2", "a", 0, 10)]}
    study = study_power(runs, GOLD[:2], "char_rec@1")
    assert study.stability.select("size", "swaps", "tau").row(0) == (1, 1.0, -1.0)


def test_power_needs_runs():
    with pytest.raises(InputError, match="at least two runs"):
        study_power({"alone": RUNS["half"]}, GOLD, "char_rec@1")


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


def test_the_ideal_base_study_needs_measures_over_an_ideal_base():
    with pytest.raises(InputError, match=r"such as nxCG@10 or MAep, found char_rec@1"):
        study_ideal_base(RUNS, GOLD, "char_rec@1")


def test_a_run_that_cannot_be_read_is_left_out_and_reported(tmp_path):
    bad = tmp_path / "bad.run"
    bad.write_text("this is no run\n")
    good = tmp_path / "good.jsonl"
    good.write_text('{"topic": "1", "doc": "a", "start": 0, "end": 5}\n')
    measures = ["char_rec@1", "char_prec@1"]
    study = study_agreement([str(good), str(bad)], GOLD, measures, on_error="skip")
    assert [rejection.measure for rejection in study.rejected] == ["all"]
    with pytest.raises(InputError):
        study_agreement([str(good), str(bad)], GOLD, measures)
    with pytest.raises(InputError, match="no run could be read"):
        study_agreement([str(bad)], GOLD, measures, on_error="skip")


def test_a_study_without_runs_raises_an_error():
    with pytest.raises(InputError, match="a study: wanted runs"):
        study_agreement([], GOLD, ["char_rec@1", "char_prec@1"])


def test_one_topic_gives_power_but_no_stability():
    runs = {name: results[:1] for name, results in RUNS.items()}
    study = study_power(runs, GOLD[:1], "char_prec@1")
    assert study.power.select("runs", "topics", "pairs", "apart").row(0) == (3, 1, 3, 0)
    assert study.stability.height == 0
    assert study.panels[1].table.height == 0
    assert study.findings == ("char_prec@1 distinguishes the most pairs of runs: 0 of 3 (0%).",)


@pytest.mark.parametrize("study", [study_agreement, study_power, study_structural_relevance, study_settings])
def test_runs_without_any_score_raise_an_error_with_the_reason(study):
    overlapping = {name: [*results, *results] for name, results in RUNS.items()}
    measures = ["iP@0.1", "MAiP"] if study is not study_structural_relevance else ["gP@5", "gP(beta=2)@5"]
    options = {"b": "limit=9"} if study is study_settings else {}
    with pytest.raises(InputError, match="a study: no run has a score: found half: results overlap"):
        study(overlapping, GOLD, measures, **options)


def test_the_best_run_is_first_if_lower_is_better():
    detour = [(topic, "a", 50, 60) for topic in TOPICS]
    runs = {"whole": run(*[10] * 6), "late": [*run(*[5] * 6), *detour, *run(*[10] * 6)]}
    study = study_agreement(runs, GOLD, ["read", "char_rec@1"])
    means = dict(study.rankings.filter(ranking="read").select("run", "mean").iter_rows())
    assert means == {"whole": 9, "late": 19}  # 9 of 10 characters are enough
    assert study.rankings.filter(ranking="read")["rank"].to_list() == [1, 2]
    assert study.pairs["tau"].to_list() == [1, 1]
    assert study.pairs["low"].to_list() == [1, 1]


@pytest.mark.parametrize(
    ("study", "options", "sentence"),
    [
        (study_agreement, {"level": 2}, "level: wanted a share between 0 and 1"),
        (study_agreement, {"resamples": -3}, "resamples: wanted a whole number from 1, found -3"),
        (study_power, {"splits": 0}, "splits: wanted a whole number from 1, found 0"),
        (study_power, {"seed": -1}, "seed: wanted a whole number from 0, found -1"),
        (study_settings, {"correction": "none at all"}, "none at all"),
        (study_ideal_base, {"resamples": 0}, "resamples: wanted a whole number from 1"),
    ],
)
def test_settings_out_of_range_raise_an_error(study, options, sentence):
    with pytest.raises(InputError, match=sentence):
        study(RUNS, GOLD, **options)
