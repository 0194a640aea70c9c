"""Files for gnuplot: gnuplot draws them, whatever the names of runs."""

import itertools
import os
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from doxel.reports.gnuplot_pictures import render_gnuplot
from doxel.reports.picture_data import Picture, PictureLine

X = np.arange(1, 101) / 100
HOSTILE = [
    "it's",
    "a`touch owned`b",
    '"; system("touch owned"); #',
    "a\nset output '/dev/null'",
    "α_{1}^2",
    "@x",
]


@pytest.fixture(scope="session")
def gnuplot() -> str:
    """The path of gnuplot; if it is missing, fail with REQUIRE_GNUPLOT, else skip."""
    program = shutil.which("gnuplot")
    if program is None and os.environ.get("REQUIRE_GNUPLOT"):
        pytest.fail("gnuplot is required but not installed")
    return program or pytest.skip("gnuplot is not installed")


def picture(names: list[str], *, ranks: bool = False, bands: bool = True) -> Picture:
    x = np.arange(0.0, 60) if ranks else X
    lines = []
    for number, name in enumerate(names, 1):
        y = np.linspace(0.9, 0.1, len(x)) / number
        lines.append(PictureLine(name, x, y, y * 0.8, y * 1.1) if bands else PictureLine(name, x, y))
    return Picture("nxCG(alpha=1)", "mean of 9 topics", "rank", "nxCG", ranks, tuple(lines))


def draw(gnuplot: str, folder, curve: Picture, *arguments: str) -> None:
    data, script = render_gnuplot(curve, "curve")
    (folder / "curve.dat").write_text(data, encoding="utf-8")
    (folder / "curve.gp").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [gnuplot, *arguments, "curve.gp"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr.strip()


@pytest.mark.parametrize("ranks", [False, True], ids=["recall", "ranks"])
@pytest.mark.parametrize("bands", [False, True], ids=["topic", "mean"])
def test_the_script_draws_an_svg(gnuplot, tmp_path, ranks, bands):
    draw(gnuplot, tmp_path, picture(["a", "b"], ranks=ranks, bands=bands))
    svg = (tmp_path / "curve.gnuplot.svg").read_text(encoding="utf-8")
    assert "<svg" in svg
    assert svg.count("<path") > 4  # lines, and not only axes


@pytest.mark.parametrize(("kind", "begins"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_the_suffix_of_the_output_decides_the_format(gnuplot, tmp_path, kind, begins):
    draw(gnuplot, tmp_path, picture(["a"]), "-e", f"out='other.{kind}'")
    assert (tmp_path / f"other.{kind}").read_bytes().startswith(begins)
    assert not (tmp_path / "curve.gnuplot.svg").exists()


def test_hostile_names_are_shown_and_not_run(gnuplot, tmp_path):
    draw(gnuplot, tmp_path, picture(HOSTILE))
    svg = (tmp_path / "curve.gnuplot.svg").read_text(encoding="utf-8")
    assert "α_{1}^2" in svg
    assert "a`touch owned`b" in svg
    assert not (tmp_path / "owned").exists()


def test_the_data_have_one_block_per_run_with_full_precision():
    curve = picture(["a", "b"])
    data, _ = render_gnuplot(curve, "curve")
    blocks = data.split("\n\n\n")
    assert len(blocks) == 2
    for line, block in zip(curve.lines, blocks, strict=True):
        rows = [row for row in block.splitlines() if not row.startswith("#")]
        table = np.array([[float(value) for value in row.split()] for row in rows])
        assert table[:, 0].tolist() == line.x.tolist()
        assert table[:, 1].tolist() == line.y.tolist()
        assert table[:, 3].tolist() == line.high.tolist()


def test_undefined_points_are_left_out(gnuplot, tmp_path):
    y = np.where(X > 0.5, np.nan, X)
    draw(gnuplot, tmp_path, Picture("c", "", "x", "y", ranks=False, lines=(PictureLine("a", X, y),)))
    assert (tmp_path / "curve.gnuplot.svg").stat().st_size > 1000


def test_a_picture_without_runs_is_drawn(gnuplot, tmp_path):
    draw(gnuplot, tmp_path, picture([]))
    assert "<svg" in (tmp_path / "curve.gnuplot.svg").read_text(encoding="utf-8")


def test_lines_in_grey_come_last_in_the_data_and_have_no_title():
    whole = picture(["a", "b", "c"])
    data, script = render_gnuplot(replace(whole, lines=whole.lines[:1], others=whole.lines[1:]), "curve")
    assert re.findall(r"^# ([abc])$", data, re.MULTILINE) == ["a", "b", "c"]
    assert script.count("title 'a'") == 1
    assert re.findall(r"index (\d).*lc rgb \"#bdbdbd\" notitle", script) == ["1", "2"]


def test_a_picture_for_two_columns_is_wider():
    _, narrow = render_gnuplot(picture(["a"]), "curve")
    _, wide = render_gnuplot(picture(["a"]), "curve", width="two")
    assert "size 3.4in," in narrow
    assert "svg size 510," in narrow
    assert "size 7in," in wide
    assert "svg size 1050," in wide


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_many_lines_are_named_at_their_ends(gnuplot, tmp_path, kind):
    many = picture([*HOSTILE, "a run with a name that is far too long", "last"], ranks=True)
    draw(gnuplot, tmp_path, many, "-e", f"out='curve.{kind}'")
    assert (tmp_path / f"curve.{kind}").stat().st_size > 1000
    assert not (tmp_path / "owned").exists()
    _, script = render_gnuplot(many, "curve")
    assert "set key off" in script
    assert script.count("\nset label ") == 8
    places = [float(place) for place in re.findall(r"graph 1\.03,graph ([\d.]+)", script)]
    # the better line ends higher, and no two names are at one height
    assert places == sorted(places, reverse=True)
    assert min(above - below for above, below in itertools.pairwise(places)) > 0.05
    assert "'a run with a name…'" in script


def test_few_lines_have_a_legend_in_one_column_and_names_at_their_ends_in_two():
    assert "set key below" in render_gnuplot(picture(["a", "b"]), "curve")[1]
    assert "set key off" in render_gnuplot(picture(["a", "b"]), "curve", width="two")[1]
    assert "set key off" in render_gnuplot(picture([]), "curve", width="two")[1]
