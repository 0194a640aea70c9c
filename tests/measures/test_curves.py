"""Curves consist of ordinary measures and equal them point by point."""

import polars as pl
import pytest

import doxel
from doxel.errors import DoxelError, InputError, MeasureError
from doxel.measures import MEASURES, parse_measure
from doxel.measures.curves import CURVES, Curve, curve, find_curve

GOLD = [("1", "report", 100, 200), ("2", "report", 0, 50), ("3", "letter", 0, 10)]
RUN = [("1", "report", 50, 150), ("1", "report", 150, 250), ("2", "report", 0, 100), ("2", "letter", 0, 9)]


def official_points() -> dict[str, int]:
    """Return the number of points of the official curves: 100, but 101 for iP (measures.md)."""
    return {"ep/gr": 100, "inex_eval": 100, "iP": 101, "EPRUM": 100, "PRUM": 100}


@pytest.mark.parametrize(("name", "points"), official_points().items())
def test_recall_curves_have_the_official_points(name, points):
    result = curve(name)
    assert len(result.points) == points
    assert result.points[-1] == 1
    assert result.points[0] == (0 if points == 101 else 0.01)


@pytest.mark.parametrize("name", ["nxCG", "xCG", "SRP", "P/R", "gP/gR", "GR", "char_rec"])
def test_rank_curves_have_every_rank_to_100_and_end_at_the_limit(name):
    points = curve(name).points
    first = 0 if name == "GR" else 1
    assert list(points[: 101 - first]) == list(range(first, 101))
    assert points[-1] == (1000 if name == "GR" else 1500)
    assert list(points) == sorted(set(points))


def test_a_rank_curve_ends_at_a_written_limit():
    assert curve("nxCG(limit=33)").points == tuple(range(1, 34))
    assert curve("nxCG(limit=777)").points[-2:] == (750, 777)
    assert curve("nxCG(limit=None)").points[-1] == 1500


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("epgr", "ep/gr"),
        ("HiXEval", "P/R"),
        ("gPgR", "gP/gR"),
        ("nXCG", "nxCG"),
        (" iP@ ", "iP"),
        ("xCI", "xCG"),
    ],
)
def test_curves_are_found_by_their_aliases(alias, name):
    assert curve(alias).name == name


def test_every_measure_with_a_cutoff_can_be_drawn():
    for measure in MEASURES:
        declared = measure.declaration
        if declared.at is not None:
            result = curve(declared.name)
            assert result.points
            assert result.measures[0].check()


@pytest.mark.parametrize("shape", CURVES, ids=lambda shape: shape.name)
def test_the_name_of_a_curve_parses_back(shape):
    result = curve(shape.name)
    assert str(result) == shape.name
    assert curve(result.name) == result
    assert result.about
    assert result.x_label
    assert result.y_label


def test_parameters_appear_in_the_name_of_a_curve():
    result = curve("nxCG(task=focused, alpha=1)")
    assert result.name == 'nxCG(alpha=1, task="focused")'
    assert result.measures[4].name == 'nxCG(alpha=1, task="focused")@5'


def test_both_axes_take_the_parameters_that_their_measures_have():
    result = curve('gP/gR(score="t2i", T=60)')
    assert result.y.written == {"pad": False, "score": "t2i", "T": 60}
    assert result.x is not None
    assert result.x.written == {"score": "t2i", "T": 60}
    assert result.name == 'gP/gR(T=60, score="t2i")'


def test_a_curve_of_generalised_precision_is_padded_on_request():
    result = curve("gP/gR(pad=True)")
    assert result.y.written["pad"] is True


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("MAep", "it summarises ep/gr"),
        ("epgrr", "did you mean epgr"),
        ("nxCG(alfa=1)", "no parameter 'alfa'"),
        ("nxCG(alpha=2)", "wanted a number from 0 to 1"),
        ("", "wanted one such as ep/gr"),
        ("nxCG@10", "wanted one such as ep/gr"),
    ],
)
def test_a_wrong_name_is_rejected_with_a_reason(wrong, message):
    with pytest.raises(MeasureError, match=message):
        curve(wrong)


def test_the_curve_of_a_measure_is_found():
    measures = parse_measure('MAgP(score="t2i"), BEPD(A=10), PRUM, qP@5, T2I_AP')
    assert {str(measure): str(find_curve(measure)) for measure in measures} == {
        'MAgP(score="t2i")': 'gP/gR(score="t2i")',
        "BEPD(A=10)": 'EPRUM(A=10, model="bep_distance")',
        "PRUM": "PRUM",
        "qP@5": "qP",
        "T2I_AP": "None",
    }


@pytest.fixture(scope="module")
def scored():
    curves = [curve("iP(task=thorough)"), curve("char_rec"), curve("P/R")]
    measures = ["MAiP(task=thorough)", *(measure for each in curves for measure in each.measures)]
    return doxel.evaluate({"a": RUN, "b": RUN[:2]}, GOLD, measures)


def test_points_are_the_scores_of_the_measure_at_the_cutoff(scored):
    points = scored.curve("char_rec").filter(pl.col("x") == 2)
    scores = scored.scores.filter(pl.col("measure") == "char_rec@2")
    assert points.select("run", "topic", score="y").equals(scores.select("run", "topic", "score"))
    # by hand: topic 1 has 100 relevant characters, and the two results together show all of them
    assert points.filter(run="a", topic="1")["y"].to_list() == [1.0]


def test_the_mean_of_a_recall_curve_is_its_summary(scored):
    means = scored.curve("iP(task=thorough)").group_by("run", "topic").agg(pl.col("y").mean())
    summary = scored.scores.filter(pl.col("measure").str.starts_with("MAiP"))
    both = means.join(summary, on=["run", "topic"])
    assert both.height == 6
    assert both["y"].to_list() == pytest.approx(both["score"].to_list())


def test_a_curve_of_two_measures_pairs_them_at_the_same_rank(scored):
    points = scored.curve("P/R").filter(run="a", topic="1", at=1.0)
    # topic 1: 50 of the 100 characters of the first result are relevant, of 100 relevant characters in all
    assert points.select("x", "y").row(0) == (0.5, 0.5)


def test_the_ideal_ranking_is_drawn_beside_the_runs():
    """The figure of source 001: cumulated gain of run and ideal over ranks; gains of spans by hand."""
    runs = {"a": RUN, "b": RUN[:2]}
    points = doxel.evaluate(runs, GOLD, curve("xCG").measures).curve("xCG")
    assert points["run"].unique(maintain_order=True).to_list() == ["a", "b", "ideal (xCI)"]
    first = points.filter(topic="1").filter(pl.col("at") <= 2)
    # topic 1: each of the two results has 50 new relevant of 100 characters; one gold span is the ideal
    assert first.select("run", "x", "y").rows() == [
        ("a", 1, 0.5),
        ("a", 2, 1),
        ("b", 1, 0.5),
        ("b", 2, 1),
        ("ideal (xCI)", 1, 1),
        ("ideal (xCI)", 2, 1),
    ]
    ideal = points.filter(run="ideal (xCI)")
    assert ideal["topic"].unique(maintain_order=True).to_list() == ["1", "2", "3"]
    assert ideal.height == 3 * len(curve("xCG").points)


def test_runs_with_different_ideals_have_one_each():
    scores = pl.DataFrame(
        {
            "run": ["a", "a", "b", "b"],
            "topic": ["1"] * 4,
            "measure": ["xCG@1", "xCI@1"] * 2,
            "score": [0.25, 1.0, 0.5, 0.75],
        }
    )
    assert curve("xCG").of(scores).select("run", "y").rows() == [
        ("a", 0.25),
        ("b", 0.5),
        ("ideal (xCI) of a", 1.0),
        ("ideal (xCI) of b", 0.75),
    ]


def test_rows_are_sorted_by_run_topic_and_cutoff(scored):
    points = scored.curve("P/R")
    assert points.columns == ["run", "topic", "curve", "x", "y", "at"]
    assert points["run"].unique(maintain_order=True).to_list() == ["a", "b"]
    assert points["topic"].unique(maintain_order=True).to_list() == ["1", "2", "3"]
    cutoffs = points.filter(run="b", topic="2")["at"].to_list()
    assert cutoffs == sorted(cutoffs)
    assert points.height == 2 * 3 * len(curve("P/R").points)


def test_a_curve_that_was_not_evaluated_is_rejected_with_advice(scored):
    with pytest.raises(InputError, match=r"curve\(name\)\.measures"):
        scored.curve("nxCG")


def test_a_curve_is_empty_if_all_runs_were_rejected():
    overlapping = [("1", "report", 0, 150), ("1", "report", 100, 200)]
    result = doxel.evaluate(overlapping, GOLD, curve("iP(task=focused)").measures)
    assert result.rejected
    assert result.curve("iP(task=focused)").height == 0


def test_a_quantisation_is_found_under_its_resolved_name():
    scores = pl.DataFrame(
        {
            "run": ["a"] * 2,
            "topic": ["1"] * 2,
            "measure": ['ep(quant="spec")@0.5', 'ep(quant="strict2006")@0.5'],
            "score": [0.25, 1.0],
        }
    )
    assert curve("ep/gr(quant=gen)").of(scores)["y"].to_list() == [0.25]
    assert curve("ep/gr(quant=strict)").of(scores)["y"].to_list() == [1.0]


def test_stems_are_safe_in_file_names():
    assert curve('EPRUM(model="bep_distance", A=0.1)').stem == "EPRUM-A-0.1-model-bep_distance"
    assert curve("ep/gr").stem == "epgr"


def test_errors_are_doxel_errors():
    with pytest.raises(DoxelError):
        curve("nothing")
    assert isinstance(curve("GR"), Curve)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('gP/gR(score="t2i", T=300)', "bert1-grouped.i.q.txt"),
        ("gP/gR(beta=0.25)", "bert1-grouped.r.q.txt"),
        ("gP/gR", "bert1-grouped.r.beta1.q.txt"),
    ],
)
def test_generalised_precision_over_recall_agrees_with_the_official_tool(shared_data, written, expected):
    """Source: gP[k] and gR[k] printed by inex_eval 3.1 for a real run, topic by topic."""
    folder = shared_data / "inex-adhoc-2009-2010"
    printed = [line.split() for line in (folder / "expected" / expected).read_text().splitlines()]
    official = {
        (topic, name[:2], float(name[3:-1])): float(value)
        for name, topic, value in (line for line in printed if len(line) == 3)
        if name[:3] in {"gP[", "gR["} and topic != "all"
    }
    result = doxel.evaluate(
        folder / "bert1-grouped-by-document.run.gz",
        folder / "inex-adhoc-2009-2010.qrels",
        curve(written).measures,
        order="file",
        topics="run",
    )
    points: dict[tuple[str, str, float], float] = {}
    for topic, x, y, at in result.curve(written).select("topic", "x", "y", "at").iter_rows():
        points |= {(topic, "gR", at): x, (topic, "gP", at): y}
    assert len(official) > 500
    assert {key: points[key] for key in official} == pytest.approx(official, abs=1e-12)


CHARACTERS = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)


def test_budget_curves_have_1_2_and_5_times_powers_of_ten():
    """measures.md, section 15: from 100 to 100,000 characters, from 10 to 10,000 words or tokens."""
    assert curve("char_rec/budget").points == CHARACTERS
    for unit in ("words", "tokens"):
        points = curve(f'char_rec/budget(unit="{unit}")').points
        assert points == tuple(budget // 10 for budget in CHARACTERS)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("char_rec/budget", "char_rec/budget"),
        ('char_rec(fit="skip")/budget', 'char_rec/budget(fit="skip")'),
        ('char_rec/budget(fit="skip", charge="new")', 'char_rec/budget(charge="new", fit="skip")'),
        ("iP@0.1/budget", "iP/budget@0.1"),
        ("aspect_rec/budget(min=0.7)@5", "aspect_rec/budget(min=0.7)@5"),
    ],
)
def test_a_budget_curve_has_a_name_that_reads_back(written, name):
    shape = curve(written)
    assert shape.name == name
    assert curve(name) == shape
    assert shape.is_logarithmic
    assert not shape.over_ranks
    assert "/" not in shape.stem


def test_a_budget_curve_equals_the_measure_at_its_budgets():
    shape = curve("char_prec/budget")
    result = doxel.evaluate(RUN, GOLD, shape.measures)
    points = result.curve("char_prec/budget").filter(topic="1")
    assert points["x"].to_list() == list(CHARACTERS)
    assert points["y"][:3].to_list() == [0.5, 0.5, 0.5]
    assert result.curve("char_prec/budget").filter(topic="2")["y"][:2].to_list() == [0.5, 50 / 109]


def test_a_measure_with_a_budget_is_a_point_of_its_budget_curve():
    measure = parse_measure('char_rec(budget=700, unit="words")')[0]
    assert str(find_curve(measure)) == 'char_rec/budget(unit="words")'
    assert str(find_curve(parse_measure("char_rec(budget=700)@5")[0])) == "char_rec(budget=700)"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nxCG/budget", "no parameter budget"),
        ("char_rec/budget(budget=5)", "budget only once"),
        ("char_rec/budget(chars=5)", "wanted one of them"),
        ("iP/budget", "needs a cutoff"),
        ("nothing/budget", "no measure"),
    ],
)
def test_a_budget_curve_that_does_not_exist_is_refused(name, message):
    with pytest.raises(MeasureError, match=message):
        curve(name)
