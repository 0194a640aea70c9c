"""Pictures drawn with matplotlib: three formats, the same bytes every time, names shown as text."""

import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from doxel.errors import InputError, MissingExtraError
from doxel.markup import XmlParser
from doxel.reports import matplotlib_pictures
from doxel.reports.picture_data import Picture, PictureLine
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
    tests = str(Path(__file__).parents[1])
    figures = {
        subprocess.run([sys.executable, "-c", code, tests], check=True, capture_output=True, text=True).stdout
        for _ in range(2)
    }
    assert len(figures) == 1


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
        lambda figure, curve: (compose(figure, curve), figures.append(figure)),
    )

    def draw(curve: Picture):
        matplotlib_pictures.draw(curve, "png")
        figures[-1].draw_without_rendering()  # at the figure's own resolution
        return figures[-1]

    return draw


def test_every_run_has_its_own_line_in_the_legend(composed):
    names = [f"run {number}" for number in range(12)]
    figure = composed(picture(*names))
    legend = figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == names
    looks = [(line.get_color(), str(line._dash_pattern), line.get_marker()) for line in figure.axes[0].lines]
    assert len(set(looks)) == 12
    # distinct in grey too: by dashes and markers alone
    assert len({look[1:] for look in looks}) == 12
    axes = figure.axes[0].get_window_extent()
    assert legend.get_window_extent().y1 <= axes.y0  # it covers no data


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
