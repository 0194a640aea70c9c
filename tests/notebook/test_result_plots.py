"""Pictures of an evaluation: curves, budgets and differences topic by topic."""

from __future__ import annotations

import io

import pytest
from matplotlib import image

from doxel import load_result
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.measures.curves import curve
from doxel.notebook import result_plots

TOPICS = [str(number) for number in range(6)]
GOLD = [(topic, "a", 100, 200) for topic in TOPICS]
GOOD = [(topic, "a", start, start + 50) for topic in TOPICS for start in (100, 150, 300)]
BAD = [(topic, "a", start, start + 50) for topic in TOPICS for start in (300, 100, 150)]


@pytest.fixture(scope="module")
def result():
    return evaluate({"good": GOOD, "bad_$x$": BAD}, GOLD, "char_rec@2")


@pytest.fixture
def pictures(monkeypatch):
    """The data of the pictures that are drawn."""
    drawn = []
    for name in ("draw", "draw_means"):
        monkeypatch.setattr(
            result_plots,
            name,
            lambda picture, file_format, width: drawn.append(picture) or f"{file_format} {width}".encode(),
        )
    return drawn


def lines_of(picture):
    return {
        line.name: dict(zip(line.x.tolist(), line.y.round(4).tolist(), strict=True)) for line in picture.lines
    }


def test_a_curve_has_the_scores_of_its_points(result, pictures):
    result.plot("char_rec")._repr_png_()
    points = evaluate({"good": GOOD}, GOLD, curve("char_rec").measures)
    expected = {int(name.partition("@")[2]): score for _, name, score, *_ in points.means.iter_rows()}
    drawn = lines_of(pictures[0])["good"]
    assert {rank: drawn[rank] for rank in (1, 2, 5)} == {rank: round(expected[rank], 4) for rank in (1, 2, 5)}
    assert list(lines_of(pictures[0])) == ["good", "bad_$x$"]


def test_the_first_measure_decides_on_the_curve_and_runs_can_be_chosen(result, pictures):
    assert result.plot(runs=["good"]).title == "char_rec"
    result.plot(runs=["good"])._repr_png_()
    assert list(lines_of(pictures[0])) == ["good"]


def test_a_budget_curve_reads_that_many_characters(result, pictures):
    picture = result.plot("budget", budgets=(50, 100, 150))
    assert picture.title == "char_rec within a budget"
    picture._repr_png_()
    assert lines_of(pictures[0]) == {
        "good": {50: 0.5, 100: 1.0, 150: 1.0},
        "bad_$x$": {50: 0.0, 100: 0.5, 150: 1.0},
    }


def test_pictures_are_png_in_a_notebook_and_any_format_in_a_file(result, tmp_path):
    for kind in ("topics", "budget", None):
        pixels = image.imread(io.BytesIO(result.plot(kind)._repr_png_()))
        assert pixels.shape[0] > 300
        assert pixels.std() > 0.02
    for name, start in (("a.svg", b"<?xml"), ("a.pdf", b"%PDF"), ("a.png", b"\x89PNG")):
        result.plot("topics").save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    with pytest.raises(InputError, match=r"a name that ends in \.svg or \.png or \.pdf"):
        result.plot("topics").save(tmp_path / "a.gif")


def test_differences_topic_by_topic_need_two_runs_with_scores(result, tmp_path):
    assert result.plot("topics").title == "char_rec@2: bad_$x$ against good"
    with pytest.raises(InputError, match="wanted two runs, found 1"):
        result.plot("topics", runs=["good"])
    result.save(tmp_path / "result.json")
    loaded = load_result(tmp_path / "result.json")
    assert loaded.plot("topics").title == result.plot("topics").title
    with pytest.raises(InputError, match="or these measures in the saved result, found scores alone"):
        loaded.plot("budget")


def test_a_saved_result_with_the_points_of_a_curve_can_be_drawn(tmp_path):
    evaluate({"good": GOOD}, GOLD, curve("char_rec").measures).save(tmp_path / "result.json")
    assert load_result(tmp_path / "result.json").plot("char_rec")._repr_png_().startswith(b"\x89PNG")


def test_what_cannot_be_drawn_is_an_error(result):
    with pytest.raises(InputError, match="wanted a measure with the parameter chars, found P@5"):
        result.plot("budget", measure="P@5")
    infinite = evaluate({"good": GOOD}, GOLD, "read(recall=0.5)")
    with pytest.raises(InputError, match='wanted the name of a curve, "means", "topics" or "budget"'):
        infinite.plot()


def test_an_unknown_kind_lists_all_kinds(result):
    with pytest.raises(
        InputError, match=r'wanted "means", "budget", "topics", or a curve: ep/gr, .*found .x.'
    ):
        result.plot("x")
    with pytest.raises(InputError, match="wanted one of good, bad_"):
        result.plot(baseline="none")
    with pytest.raises(InputError, match="a picture of means: wanted one of char_rec@2, found 'P@5'"):
        result.plot("means", measure="P@5")
    with pytest.raises(InputError, match="found 'three'"):
        result.plot(width="three")


@pytest.fixture(scope="module")
def many():
    """Ten runs, the later ones better; the first is the worst and the baseline."""
    runs = {
        f"run{number}": [(topic, "a", 100, 105 + 10 * number) for topic in TOPICS] for number in range(10)
    }
    return evaluate(runs, GOLD, ["char_rec@2", "char_prec@2"])


def test_of_many_runs_the_best_and_the_baseline_have_colours(many, pictures):
    assert many.plot(width="two")._repr_png_() == b"png two"
    (picture,) = pictures
    assert [line.name for line in picture.lines] == ["run0", *(f"run{number}" for number in range(3, 10))]
    assert [line.name for line in picture.others] == ["run1", "run2"]
    assert picture.note == "mean of 6 topics; grey: 2 other runs"


def test_runs_are_chosen_by_pattern_rank_and_as_the_baseline(many, pictures):
    for runs in ("best:2, baseline", ["best:2", "baseline"], ["run[89]", "run0"]):
        many.plot("budget", budgets=(50,), runs=runs)._repr_png_()
        many.plot("char_rec", runs=runs)._repr_png_()
    for picture in pictures:
        assert [line.name for line in picture.lines] == ["run0", "run8", "run9"]
        assert picture.others == ()
    assert pictures[0].note == "mean over topics, 95% interval"


def test_means_are_drawn_with_intervals_the_best_first(many, pictures):
    assert many.plot("means", runs="best:3", baseline="run4").title == "char_rec@2"
    many.plot("means", runs="best:3", baseline="run4")._repr_png_()
    (picture,) = pictures
    means = [(row.name, round(row.mean, 9)) for row in picture.rows]
    assert means == [("run9", 0.95), ("run8", 0.85), ("run7", 0.75)]
    assert picture.baseline == pytest.approx(0.45)
    assert [round(row.low, 9) for row in picture.rows] == [0.95, 0.85, 0.75]  # the same in each topic


def test_two_named_runs_keep_their_order_in_differences(many):
    assert many.plot("topics", runs=["run5", "run2"]).title == "char_rec@2: run2 against run5"
    assert many.plot("topics", runs="run2, run5").title == "char_rec@2: run5 against run2"


def test_a_budget_curve_counts_words_too(pictures):
    texts = {"a": "one two three four five six"}
    retrieved = evaluate([("1", "a", 0, 27)], [("1", "a", 0, 13)], "char_rec", collection=texts)
    retrieved.plot("budget", unit="words", budgets=(1, 3))._repr_png_()
    assert lines_of(pictures[0]) == {"run": {1: round(4 / 13, 4), 3: 1.0}}
    assert pictures[0].x_label == "words read"
    with pytest.raises(InputError, match="wanted chars or words or tokens"):
        retrieved.plot("budget", unit="pages")


def test_a_curve_over_budgets_is_drawn_by_its_name(result, pictures):
    result.plot("char_rec/budget")._repr_png_()
    drawn = lines_of(pictures[0])
    assert drawn["bad_$x$"][100] == 0.5
    assert drawn["bad_$x$"][200] == 1.0
    assert pictures[0].right == 1000.0
