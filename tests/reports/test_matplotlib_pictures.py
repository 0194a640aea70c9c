"""Pictures drawn with matplotlib: three formats, the same bytes every time, names shown as text."""

import hashlib
import subprocess
import sys
import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.errors import InputError, MissingExtraError
from doxel.markup import XmlParser
from doxel.reports import matplotlib_pictures
from doxel.reports.picture_data import MeanPicture, MeanRow, Picture, PictureLine
from random_share import take_some
from reports.curve_picture import X, picture


@pytest.mark.parametrize(
    ("kind", "begins"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")], ids=["png", "pdf", "svg"]
)
@pytest.mark.parametrize("ranks", [False, True], ids=["recall", "ranks"])
def test_the_same_picture_gives_the_same_bytes(kind, begins, ranks):
    drawn = matplotlib_pictures.draw(picture("a", "b", ranks=ranks), kind)
    assert drawn.startswith(begins)
    assert drawn == matplotlib_pictures.draw(picture("a", "b", ranks=ranks), kind)
    assert drawn != matplotlib_pictures.draw(picture("a", "c", ranks=ranks), kind)


def test_bytes_are_the_same_in_another_process():
    code = (
        "import sys, hashlib; sys.path.insert(0, sys.argv[1]);"
        "from reports.curve_picture import picture; from doxel.reports.matplotlib_pictures import draw;"
        "print(hashlib.sha256(b''.join(draw(picture('a'), k) for k in ('svg', 'png', 'pdf'))).hexdigest())"
    )
    here = b"".join(matplotlib_pictures.draw(picture("a"), kind) for kind in ("svg", "png", "pdf"))
    completed = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parents[1])],
        check=True,
        capture_output=True,
        text=True,
    )
    assert completed.stdout.strip() == hashlib.sha256(here).hexdigest()


@pytest.mark.parametrize(
    "name", ["$x^{2$", "_hidden", "</script><script>", "a\nb", "x" * 300, "\u202eabc", "%s & {}"]
)
def test_a_name_is_shown_as_text(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = matplotlib_pictures.draw(picture(name, "plain"), "svg")
    root = XmlParser().parse(drawn, "drawn.svg")
    assert not [node for node in root.iter() if str(node.tag).endswith("script")]


@pytest.fixture
def composed(monkeypatch):
    """Return a function that draws a picture and returns its figure with its layout computed."""
    figures = []
    compose = matplotlib_pictures._compose
    monkeypatch.setattr(
        matplotlib_pictures,
        "_compose",
        lambda figure, curve, width: (compose(figure, curve, width), figures.append(figure)),
    )

    def draw(curve: Picture, width: str = "one"):
        matplotlib_pictures.draw(curve, "png", width=width)
        figures[-1].draw_without_rendering()  # at the figure's own resolution
        return figures[-1]

    return draw


def test_up_to_six_runs_are_named_in_a_legend_below_the_axes(composed):
    names = [f"run {number}" for number in range(6)]
    figure = composed(picture(*names))
    legend = figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == names
    axes = figure.axes[0].get_window_extent()
    assert legend.get_window_extent().y1 <= axes.y0  # it covers no data


def looks_of(figure, names):
    lines = [line for line in figure.axes[0].lines if len(line.get_xdata()) > 3]
    assert len(lines) == len(names)
    return [(line.get_color(), str(line._dash_pattern), line.get_marker()) for line in lines]


@pytest.mark.parametrize(("count", "width"), take_some([(20, "one"), (7, "one"), (3, "two"), (40, "one")], 2))
@pytest.mark.parametrize("ranks", [False, True], ids=["recall", "ranks"])
def test_other_runs_are_named_at_the_ends_of_their_lines(composed, count, width, ranks):
    names = [f"run {number} {'W' * number}" for number in range(count)]
    figure = composed(picture(*names, ranks=ranks), width)
    assert figure.legends == []
    axes = figure.axes[0]
    labels = [text for text in axes.texts if text.get_text()]
    assert len(labels) == count
    assert [text.get_text().split(" ")[1] for text in labels] == [str(number) for number in range(count)]
    area, boxes = axes.get_window_extent(), [text.get_window_extent() for text in labels]
    for box in boxes:
        assert area.x1 < box.x0 < box.x1 <= figure.bbox.x1
        assert 0 <= box.y0 < box.y1 <= figure.bbox.y1
    boxes.sort(key=lambda box: box.y0)
    assert all(above.y0 - below.y0 > 8 for below, above in pairwise(boxes))  # of 7.5 points
    looks = looks_of(figure, names)
    if count <= 36:
        assert len({look[1:] for look in looks}) == count  # distinct in grey too: by dashes and markers alone
    assert figure.get_size_inches()[0] == matplotlib_pictures.WIDTHS[width]


@pytest.mark.parametrize("width", ["one", "two"])
def test_the_numbers_below_a_curve_over_budgets_do_not_touch(composed, width):
    whole = picture("a", ranks=True)
    budgets = np.array([100.0, 1000.0, 10000.0, 100000.0])
    line = PictureLine("a", budgets, *(share * budgets / 1e5 for share in (0.5, 0.4, 0.6)))
    figure = composed(replace(whole, lines=(line,)), width)
    labels = [text for text in figure.axes[0].get_xticklabels() if text.get_text()]
    assert " ".join(text.get_text() for text in labels) == "100 200 500 1k 2k 5k 10k 20k 50k 100k"
    boxes = [text.get_window_extent() for text in labels]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    assert boxes[-1].x1 <= figure.bbox.x1


def test_the_name_of_a_higher_line_is_higher(composed):
    figure = composed(picture(*"abcdefgh"))
    heights = {text.get_text(): text.get_position()[1] for text in figure.axes[0].texts}
    assert sorted(heights, key=heights.get, reverse=True) == list("abcdefgh")


def test_other_lines_are_grey_and_have_no_name(composed):
    whole = picture(*"abcdefgh")
    figure = composed(replace(whole, lines=whole.lines[:2], others=whole.lines[2:]))
    colours = [line.get_color() for line in figure.axes[0].lines]
    assert colours.count("#bdbdbd") == 6
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b"]


@given(
    st.lists(st.floats(-0.2, 1.2), min_size=1, max_size=30),
    st.floats(0.01, 0.3),
)
def test_labels_keep_their_order_and_distance_and_stay_inside(places, distance):
    spread = matplotlib_pictures.spread_labels(np.array(places), distance)
    order = np.argsort(places, kind="stable")
    gaps = np.diff(spread[order])
    assert (gaps >= min(distance, 1 / len(places)) - 1e-9).all()
    assert spread.min() >= -1e-9
    assert spread.max() <= 1 + 1e-9


def test_labels_that_do_not_collide_stay_at_their_lines():
    assert matplotlib_pictures.spread_labels(np.array([0.8, 0.2, 0.5]), 0.1).tolist() == [0.8, 0.2, 0.5]
    # two that collide move by the same amount
    assert matplotlib_pictures.spread_labels(np.array([0.5, 0.5]), 0.25).tolist() == [0.375, 0.625]
    assert matplotlib_pictures.spread_labels(np.array([]), 0.2).tolist() == []


@pytest.mark.parametrize("width", ["one", "two"])
def test_means_are_drawn_in_their_order_with_their_marks(monkeypatch, width):
    figures = []
    compose = matplotlib_pictures._compose_means
    monkeypatch.setattr(
        matplotlib_pictures,
        "_compose_means",
        lambda figure, means, width: (compose(figure, means, width), figures.append(figure)),
    )
    rows = (
        MeanRow("best", 0.5, 0.4, 0.6, "a"),
        MeanRow("W" * 60, 0.3, np.nan, np.nan, "b–f"),
        MeanRow("last", 0.1, 0.05, 0.2),
    )
    drawn = matplotlib_pictures.draw_means(MeanPicture("MAiP", "mean", rows, 0.3), "png", width=width)
    assert drawn.startswith(b"\x89PNG")
    figure = figures[0]
    figure.draw_without_rendering()
    axes = figure.axes[0]
    names = dict(zip([tick.get_text() for tick in axes.get_yticklabels()], axes.get_yticks(), strict=True))
    assert [name[:4] for name in sorted(names, key=names.get, reverse=True)] == ["best", "WWWW", "last"]
    assert [text.get_text() for text in axes.texts] == ["a", "b–f", ""]
    for text in (*axes.get_yticklabels(), *axes.texts):
        if text.get_text():
            box = text.get_window_extent()
            assert 0 <= box.x0 < box.x1 <= figure.bbox.x1
    assert figure.get_size_inches()[0] == matplotlib_pictures.WIDTHS[width]


def test_an_unknown_width_is_rejected():
    with pytest.raises(InputError, match=r"wanted \"one\" or \"two\" \(columns\), found 'three'"):
        matplotlib_pictures.draw(picture("a"), "svg", width="three")


@pytest.mark.parametrize("name", ["W" * 11, "W" * 19, "i" * 40, "W" * 200, "windows-overlapping"])
def test_the_legend_stays_inside_the_picture(composed, name):
    figure = composed(picture(name, name, name))
    legend = figure.legends[0].get_window_extent()
    assert 0 <= legend.x0 < legend.x1 <= figure.bbox.x1
    assert legend.y0 >= 0


def test_axes_fit_curves_above_1_and_empty_curves():
    above = Picture("c", "", "x", "y", ranks=False, lines=(PictureLine("a", X, X * 3),))
    assert above.top > 3
    nothing = Picture("c", "", "x", "y", ranks=False, lines=(PictureLine("a", X, X * np.nan),))
    assert nothing.top == 1
    assert matplotlib_pictures.draw(nothing, "svg")


def test_an_unknown_format_is_rejected():
    with pytest.raises(InputError, match="wanted svg or png or pdf, found 'bmp'"):
        matplotlib_pictures.draw(picture("a"), "bmp")


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r'pip install "doxel\[plots\]"'):
        matplotlib_pictures.draw(picture("a"), "svg")


def test_the_matplotlib_settings_of_the_user_are_unchanged():
    import matplotlib as mpl

    mpl.rcParams["font.size"] = 31
    try:
        drawn = matplotlib_pictures.draw(picture("a"), "svg")
        assert mpl.rcParams["font.size"] == 31
    finally:
        mpl.rcdefaults()
    assert drawn == matplotlib_pictures.draw(picture("a"), "svg")


def test_evaluating_imports_neither_matplotlib_nor_scipy():
    code = (
        "import sys, doxel; from doxel.measures.curves import curve; import doxel.reports.curve_files;"
        "doxel.evaluate([('1', 'd', 0, 9)], [('1', 'd', 0, 5)], curve('char_rec').measures);"
        "print([name for name in ('matplotlib', 'scipy') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert out.strip() == "[]"


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("ep/gr", 1),
        ('nxCG(alpha=1, overlap="off")', 2),
        ('a run: nxCG(alpha=1, overlap="off", quant="spec", task="focused")', 3),
        ('GR(model="' + "x" * 90 + '")', 2),
        ("", 1),
    ],
    ids=["short", "longer", "wrapped", "cut", "none"],
)
def test_title_and_note_are_inside_the_picture_and_do_not_overlap(composed, title, lines):
    figure = composed(replace(picture("a"), title=title, note="mean of 1,000 topics, 95% interval"))
    boxes = [text.get_window_extent() for text in figure.texts if text.get_text()]
    assert len({round(text.get_position()[1], 6) for text in figure.texts}) == lines
    assert not [box for place, box in enumerate(boxes) for other in boxes[:place] if box.overlaps(other)]
    top = figure.axes[0].get_window_extent().y1
    for box in boxes:
        assert 0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert top <= box.y0 < box.y1 <= figure.bbox.y1


@pytest.mark.parametrize(
    "text", ["o", "l", "I…", "run_1", "bert1-grouped-by-document", "To j", "é (AVA)", "..."]
)
def test_the_width_of_a_text_is_that_of_all_its_outlines(text):
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    style = matplotlib_pictures._STYLE
    font = FontProperties(family=style["font.family"], size=style["font.size"])
    outlines = TextPath((0, 0), text, prop=font)
    assert matplotlib_pictures._measure_width(text) == outlines.get_extents().x1 / 72


@pytest.mark.parametrize("letter", ["\u200b", "\u200e", "\u2800", "\u00ad"])
def test_a_name_of_letters_without_ink_has_no_width(letter):
    assert matplotlib_pictures._measure_width(letter) == 0
    assert matplotlib_pictures._measure_width(f"run{letter}") == matplotlib_pictures._measure_width("run")
